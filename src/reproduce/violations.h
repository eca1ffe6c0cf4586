// Violations: |Φ| and the relative change of energy along a run, as Welch et al. take them, (77) and (78).
#pragma once

#include <cmath>
#include <string>

#include "reproduce/curves.h"

namespace trammel::reproduce {

struct Violations {
  Curve norm, energy;
  double start = 0;  // J

  explicit Violations(const std::string& name = {}) { norm.name = energy.name = name; }
  void add(double t, double phi, double e) {
    if (norm.x.empty()) start = e;
    norm.add(t, phi);
    energy.add(t, std::abs((e - start) / start));
  }
  // Over the states before the last.
  double mean() const {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < norm.y.size(); ++i) sum += norm.y[i];
    return sum / static_cast<double>(norm.y.size() - 1);
  }
};

}  // namespace trammel::reproduce
