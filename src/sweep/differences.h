// Derivatives by differences of runs, and how far they can be trusted.
//
//   f'(x) = (w A − u B)/(w − u),  A = (f(x+u) − f(x))/u,  B = (f(x+w) − f(x))/w
//
// A and B estimate the same derivative. They differ by ½(u − w) f'', and by the errors of the runs: rounding,
// and step sizes that change with x. A derivative that is not larger than this difference cannot be told from
// these errors.
#pragma once

#include <Eigen/Core>
#include <utility>

namespace trammel::sweep {

// Two steps from x, within the bounds: on both sides of it, or near a bound both on the side away from it.
std::pair<double, double> difference_steps(double x, double step, double low, double high);

struct Difference {
  Eigen::VectorXd slope, doubt;  // f', and A − B
};
// f here, at x + u and at x + w.
Difference difference(const Eigen::VectorXd& here, const Eigen::VectorXd& at_u, double u,
                      const Eigen::VectorXd& at_w, double w);

// Whether a derivative can be told from the errors of the runs in at least one of the columns of the data.
bool is_visible(const Difference& found, Eigen::Index columns);

}  // namespace trammel::sweep
