// Distributions of sampled parameters, by their inverse distribution functions: one uniform number in (0, 1)
// makes one value, whatever the design of the sample.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expressions/units.h"

namespace trammel::sweep {

// Of the standard normal distribution. Wichura (1988), algorithm AS 241: relative error about 1e-16.
double normal_quantile(double u);
double normal_probability(double x);

class Distribution {
 public:
  // u in (0, 1).
  double quantile(double u) const;
  // "normal(1, 0.1)", as written, without spaces around it.
  const std::string& text() const { return text_; }

 private:
  friend Distribution read_distribution(std::string_view text,
                                        const std::optional<expressions::Dimension>& unit);
  std::string text_;
  double (*quantile_)(const std::vector<double>& arguments, double u) = nullptr;
  std::vector<double> arguments_;
};

// Arguments are numbers in SI units, or have a unit, which must be that of the parameter where it has one.
// Throws std::invalid_argument: what is wrong, and the remedy.
Distribution read_distribution(std::string_view text, const std::optional<expressions::Dimension>& unit);

struct DistributionInfo {
  const char* usage;  // "normal(mean, deviation)"
  const char* meaning;
};
// For help texts and documents.
std::vector<DistributionInfo> distributions();

// A number, perhaps with a unit, in SI units. Throws std::invalid_argument.
double read_quantity(std::string_view text, const std::optional<expressions::Dimension>& unit);

}  // namespace trammel::sweep
