// What 'trammel solve modes' tells: JSON with stable keys for programs, a table for a person, a page with
// plots.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/modes.h"
#include "trammel/mechanism.h"

namespace trammel::results {

// The modes at one value of a parameter.
struct VariedModes {
  double value = 0;
  analysis::Modes modes;  // or the report of what went wrong there
};

struct ModesResult {
  analysis::Modes modes;
  std::string parameter;  // that was varied; empty: none
  std::vector<VariedModes> varied;
  std::vector<double> omega;               // rad/s, of the frequency response
  std::vector<Eigen::MatrixXcd> response;  // outputs × inputs, at each
};

nlohmann::ordered_json modes_json(const Mechanism& mechanism, const ModesResult& result);
std::string modes_text(const Mechanism& mechanism, const ModesResult& result);
// Plots of the frequency response, and of frequencies and eigenvalues over the parameter.
std::string modes_page(const Mechanism& mechanism, const ModesResult& result);

}  // namespace trammel::results
