// What a person gives to a fit: parameters with their start and bounds, and measurements.
#pragma once

#include <string>
#include <vector>

#include "trammel/fit.h"

namespace trammel::sweep {

struct Wanted {
  std::string name, start, low, high;  // texts; empty: not given
};

// "m", "m=1" or "m=1:0.5:2". Throws std::invalid_argument.
Wanted read_wanted(const std::string& text);

// What is measured: the times, and what of the model the columns are compared with.
struct Measured {
  std::vector<double> t;
  std::vector<std::string> names, texts;
  std::vector<std::vector<double>> values;  // by column
};
Measured read_measured(const FitSpec& spec);

// With rows where the measurements are, if these are evenly spaced; the run ends with the last.
Mechanism observed_at(Mechanism mechanism, const std::vector<double>& t);

}  // namespace trammel::sweep
