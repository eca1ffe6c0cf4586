#include "row.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel::bench {
namespace {

// Every number of a row by its key, for both directions.
template <class R, class F>
void for_numbers(R& row, F&& f) {
  f("us_per_step", row.us_per_step);
  f("ms_per_simulated_second", row.ms_per_simulated_second);
  f("instructions_per_step", row.instructions_per_step);
  f("ratio_to_yardstick", row.ratio_to_yardstick);
  f("ratio_to_best_peer", row.ratio_to_best_peer);
  f("energy_error", row.energy_error);
  f("gap", row.gap);
  f("trajectory_error", row.trajectory_error);
  f("bodies", row.bodies);
  f("bytes_per_body", row.bytes_per_body);
  f("exponent", row.exponent);
}

}  // namespace

std::string Row::setting() const {
  if (value == 0) return rule;
  return by_tolerance ? fmt::format("{}, tolerance {:.2g}", rule, value)
                      : fmt::format("{}, h = {:.3g} s", rule, value);
}

nlohmann::ordered_json to_json(const Row& row) {
  nlohmann::ordered_json j{{"problem", row.problem},           {"solver", row.solver},
                           {"accuracy", row.accuracy},         {"rule", row.rule},
                           {"by_tolerance", row.by_tolerance}, {"value", row.value},
                           {"is_peer", row.is_peer},           {"note", row.note}};
  for_numbers(row, [&](const char* key, const std::optional<double>& x) {
    j[key] = x && std::isfinite(*x) ? nlohmann::ordered_json(*x) : nlohmann::ordered_json();
  });
  return j;
}

Row row_from(const nlohmann::ordered_json& j) {
  Row row;
  row.problem = j.at("problem");
  row.solver = j.at("solver");
  row.accuracy = j.at("accuracy");
  row.rule = j.at("rule");
  row.by_tolerance = j.at("by_tolerance");
  row.value = j.at("value");
  row.is_peer = j.at("is_peer");
  row.note = j.at("note");
  for_numbers(row, [&](const char* key, std::optional<double>& x) {
    if (!j.at(key).is_null()) x = j.at(key).get<double>();
  });
  return row;
}

}  // namespace trammel::bench
