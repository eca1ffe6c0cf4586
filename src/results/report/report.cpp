#include "results/report/report.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "results/plot/markup.h"
#include "results/scene/base64.h"
#include "results/scene/scene.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little);

// Energy balance minus what it was at the start, in double precision: the page's float32 would lose it.
std::vector<float> energy_drift(const Trajectory& rows, const std::vector<std::size_t>& shown) {
  const int kinetic = rows.find("energy.kinetic"), potential = rows.find("energy.potential"),
            work = rows.find("energy.work");
  std::vector<float> drift;
  if (kinetic < 0 || potential < 0 || work < 0) return drift;
  const auto balance = [&](std::size_t i) {
    const auto row = rows.row(i);
    return row[static_cast<std::size_t>(kinetic)] + row[static_cast<std::size_t>(potential)] -
           row[static_cast<std::size_t>(work)];
  };
  for (const std::size_t i : shown) drift.push_back(static_cast<float>(balance(i) - balance(0)));
  return drift;
}

// Column by column.
std::vector<float> columns(const Trajectory& rows, const std::vector<std::size_t>& shown) {
  std::vector<float> values;
  values.reserve(rows.channels.size() * shown.size());
  for (std::size_t c = 0; c < rows.channels.size(); ++c)
    for (const std::size_t i : shown) values.push_back(static_cast<float>(rows.row(i)[c]));
  return values;
}

// A '<' of JSON stands within strings only; escaped it cannot end the script element that holds it.
std::string within_script(const Json& json) {
  std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 6))
    text.replace(at, 1, "\\u003c");
  return text;
}

// The run as a JSON object, with what an analysis has beside it. Its numbers are most of it: base64 needs no
// escapes, and is appended as it is.
std::string run_json(const Mechanism& mechanism, const LogContents& run, std::size_t most_values,
                     const Json& analysis) {
  const Trajectory& rows = run.trajectory;
  const std::vector<std::size_t> shown = report_rows(rows.rows(), rows.channels.size(), most_values);
  Json channels = Json::array();
  for (const Channel& c : rows.channels)
    channels.push_back({{"name", c.name}, {"group", c.group}, {"unit", c.unit}});
  std::vector<float> values = columns(rows, shown);
  if (const std::vector<float> drift = energy_drift(rows, shown); !drift.empty()) {
    channels.push_back({{"name", "energy.drift"}, {"group", "energy"}, {"unit", "J"}});
    values.insert(values.end(), drift.begin(), drift.end());
  }
  Json page = {{"title", mechanism.name},
               {"version", run.header.version},
               {"summary", run.summary ? *run.summary : nlohmann::json::object()},
               {"plan", run.header.plan},
               {"creation", run.header.creation},
               {"model", run.header.model},
               {"scene", scene_json(mechanism)},
               {"rows", shown.size()},
               {"every", shown.size() > 1 ? shown[1] - shown[0] : 1},
               {"channels", channels}};
  if (!analysis.is_null()) page["analysis"] = analysis;
  std::string text = within_script(page);
  text.pop_back();  // the closing brace
  text.append(R"(,"values":")").append(base64_floats(values)).append(1, '"');
  if (run.errors.rows() > 0)
    text.append(R"(,"errors":")").append(base64_floats(columns(run.errors, shown))).append(1, '"');
  return text + "}";
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  if (at == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size() + by.size());
  return out.append(text.substr(0, at)).append(by).append(text.substr(at + what.size()));
}

}  // namespace

std::vector<std::size_t> report_rows(std::size_t rows, std::size_t channels, std::size_t most_values) {
  const std::size_t most =
      std::clamp<std::size_t>(most_values / std::max<std::size_t>(channels, 1), 2, kReportRows);
  const std::size_t every = (rows + most - 1) / most;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < rows; i += every) shown.push_back(i);
  if (!shown.empty() && shown.back() + 1 != rows) shown.push_back(rows - 1);
  return shown;
}

std::string base64_floats(std::span<const float> values) { return base64(std::as_bytes(values)); }

std::string report_html(std::string_view page, const Mechanism& mechanism, const LogContents& run,
                        std::size_t most_values) {
  // The run last: nothing in it is then taken for a placeholder.
  return replaced(replaced(page, "__TRAMMEL_TITLE__", escaped(mechanism.name)), "__TRAMMEL_RUN__",
                  run_json(mechanism, run, most_values, {}));
}

std::string analysis_html(std::string_view page, const std::string& title, const Mechanism& mechanism,
                          const LogContents& rows, const Json& analysis) {
  return replaced(replaced(page, "__TRAMMEL_TITLE__", escaped(title)), "__TRAMMEL_RUN__",
                  run_json(mechanism, rows, kReportValues, analysis));
}

}  // namespace trammel::results
