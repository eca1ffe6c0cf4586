// RecursiveSolver: solves with M + (damping) C + (stiffness) K where no matrix is formed, body by body.
#pragma once

#include <span>

#include "system/terms.h"

namespace trammel::system {

class RecursiveSolver {
 public:
  virtual ~RecursiveSolver() = default;
  // At the State that the terms were last evaluated at; false when a direction has no mass.
  [[nodiscard]] virtual bool factor(const Terms& terms, double damping_factor, double stiffness_factor) = 0;
  virtual void solve(std::span<double> x) = 0;  // in place
};

}  // namespace trammel::system
