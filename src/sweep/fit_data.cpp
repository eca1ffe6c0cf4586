#include "sweep/fit_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "sweep/run_table.h"

namespace trammel::sweep {

Wanted read_wanted(const std::string& text) {
  const std::size_t equals = text.find('=');
  Wanted one{text.substr(0, equals), "", "", ""};
  if (one.name.starts_with("parameters.")) one.name.erase(0, 11);
  if (equals == std::string::npos) return one;
  const std::string rest = text.substr(equals + 1);
  const std::size_t first = rest.find(':'), second = rest.find(':', first + 1);
  one.start = rest.substr(0, first);
  if (first == std::string::npos) return one;
  if (second == std::string::npos)
    throw std::invalid_argument(
        fmt::format("parameter '{}': write NAME, NAME=START or NAME=START:LOW:HIGH", text));
  one.low = rest.substr(first + 1, second - first - 1);
  one.high = rest.substr(second + 1);
  return one;
}

Measured read_measured(const FitSpec& spec) {
  const RunTable table = read_run_table(read_text_file(spec.data), spec.data);
  Measured found;
  const std::size_t width = table.names.size();
  if (table.names.front() != "t")
    throw std::invalid_argument(fmt::format("{}:1: the first column is '{}'; it must be the time, t",
                                            spec.data, table.names.front()));
  if (width < 2)
    throw std::invalid_argument(
        fmt::format("{}:1: there is no column beside the time; add one of measurements", spec.data));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    found.t.push_back(table.values[row * width]);
    if (found.t.back() < 0 || (row > 0 && found.t[row] <= found.t[row - 1]))
      throw std::invalid_argument(
          fmt::format("{}: the times must be 0 or more, and increase: {} s does not; sort the rows by "
                      "their times",
                      spec.data, found.t.back()));
  }
  if (found.t.empty() || found.t.back() <= 0)
    throw std::invalid_argument(
        fmt::format("{}: no time is after the start, t = 0; add measurements of the motion", spec.data));
  for (std::size_t k = 1; k < width; ++k) {
    found.names.push_back(table.names[k]);
    found.texts.push_back(table.names[k]);
    auto& values = found.values.emplace_back();
    for (std::size_t row = 0; row < table.rows(); ++row) values.push_back(table.values[row * width + k]);
  }
  for (const std::string& text : spec.compare) {
    const std::size_t equals = text.find('=');
    const auto at = std::ranges::find(found.names, text.substr(0, equals));
    if (equals == std::string::npos || at == found.names.end())
      throw std::invalid_argument(fmt::format("compare '{}': write COLUMN=EXPRESSION; {}", text,
                                              expressions::name_advice(text.substr(0, equals), found.names)));
    found.texts[static_cast<std::size_t>(at - found.names.begin())] = text.substr(equals + 1);
  }
  return found;
}

Mechanism observed_at(Mechanism mechanism, const std::vector<double>& t) {
  if (mechanism.plan.duration < t.back() || mechanism.plan.duration > t.back())
    mechanism.plan.duration = t.back();
  const double interval = t.size() > 1 ? t[1] - t[0] : t[0];
  const bool even = std::ranges::all_of(t, [&](double x) {
    const double turns = x / interval;
    return std::abs(turns - std::round(turns)) < 1e-9 * std::max(1.0, turns);
  });
  if (even && interval > 0) mechanism.plan.output_interval = interval;
  return mechanism;
}

}  // namespace trammel::sweep
