// Row: what was found about one code on one problem, as --json lists it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace trammel::bench {

struct Row {
  std::string problem, solver;
  std::string accuracy;  // engineering, precise; "step": the same step for Trammel and yardstick; "growth":
                         // time per step only
  std::string rule;      // and what was set:
  bool by_tolerance = false;
  double value = 0;  // s, or the tolerance
  bool is_peer = false;
  std::string note;  // why there is no figure
  std::optional<double> us_per_step, ms_per_simulated_second, instructions_per_step;
  std::optional<double> ratio_to_yardstick, ratio_to_best_peer;
  std::optional<double> energy_error, gap, trajectory_error;
  std::optional<double> bodies, bytes_per_body, exponent;

  bool met() const { return us_per_step.has_value(); }
  std::string setting() const;  // in words
};

nlohmann::ordered_json to_json(const Row& row);
Row row_from(const nlohmann::ordered_json& j);

}  // namespace trammel::bench
