// EffortSharing: how drivers that hold the same motion share the effort.
//
//   λ = λ₀ + N y,   Φ_vᵀN = 0,   e = E λ          efforts e of the drivers are linear in λ
//   min Σ w e²,   e = 0 of idle drivers;   then min |λ − λ₀|
#pragma once

#include <map>
#include <string>
#include <vector>

#include "system/system.h"
#include "trammel/report.h"

namespace trammel::analysis {

class EffortSharing {
 public:
  EffortSharing(const system::System& system, const Mechanism& mechanism,
                const std::map<std::string, double>& weights, const std::vector<std::string>& idle);

  // Whether efforts can be shared in more than one way was seen at some State.
  bool shared() const { return shared_; }
  // Replaces the multipliers of a State. Refused where an idle driver cannot be idle.
  [[nodiscard]] Report share(State& s);

 private:
  Eigen::MatrixXd effort_map(const State& s, const Eigen::MatrixXd& N);

  const system::System& system_;
  system::Terms terms_;
  std::vector<std::string> drivers_;
  std::vector<double> root_weight_;  // √w by driver
  std::vector<bool> idle_;
  bool shared_ = false;
};

}  // namespace trammel::analysis
