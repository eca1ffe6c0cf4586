// Differences: the Jacobian of a smooth function that is known by its values, with an estimate of its error.
//
//   f'(0) = Σ c_k (f(kδ) − f(−kδ))/δ + O(δ⁶)
//
// Each entry is taken with two sizes of δ; these shrink until both agree.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>

#include "trammel/report.h"

namespace trammel::analysis {

// c₁ to c₃
inline constexpr std::array<double, 3> kDifference = {3.0 / 4, -3.0 / 20, 1.0 / 60};

struct Jacobian {
  Report report;           // why there is none
  Eigen::MatrixXd values;  // empty where there is none
  Eigen::MatrixXd error;   // bound of the error of each entry, estimated
};

// The function at a distance from the origin along one of its arguments, in units in which a change of one is
// large. False, and a report, where it has no value there.
using AlongArgument =
    std::function<bool(Eigen::Index argument, double distance, Eigen::VectorXd& value, Report& report)>;

// `noise`: the least error that values have anyway.
Jacobian differentiate(const AlongArgument& f, Eigen::Index arguments, double noise = 0);

}  // namespace trammel::analysis
