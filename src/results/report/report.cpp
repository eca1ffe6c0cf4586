#include "results/report/report.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "results/plot/markup.h"
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

Json run_json(const Mechanism& mechanism, const LogContents& run, std::size_t most_values) {
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
               {"channels", channels},
               {"values", base64_floats(values)}};
  if (run.errors.rows() > 0) page["errors"] = base64_floats(columns(run.errors, shown));
  return page;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  if (at == std::string_view::npos) return std::string(text);
  std::string out(text.substr(0, at));
  out += by;
  out += text.substr(at + what.size());
  return out;
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

std::string base64_floats(std::span<const float> values) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bytes = std::as_bytes(values);
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (k < count ? std::to_integer<unsigned>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::string report_html(std::string_view page, const Mechanism& mechanism, const LogContents& run,
                        std::size_t most_values) {
  // In JSON a '<' stands within strings only; escaped it cannot end the script element that holds it.
  std::string data =
      run_json(mechanism, run, most_values).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = data.find('<'); at != std::string::npos; at = data.find('<', at + 6))
    data.replace(at, 1, "\\u003c");
  // The run last: nothing in it is then taken for a placeholder.
  return replaced(replaced(page, "__TRAMMEL_TITLE__", escaped(mechanism.name)), "__TRAMMEL_RUN__", data);
}

}  // namespace trammel::results
