// TurningAxes: deviations of rotations, seen in axes that turn with a body or in axes that stand.
//
// The rotation of a free body, or of one on a ball joint, is measured in the axes of that body. If the body
// spins with ω in the motion that is linearized, these axes turn, and frequencies seen in them differ by the
// spin from those that a standing observer sees:
//
//   y = T(t) y',   T = exp([ω]× t),   ẏ' = A' y'      ⇒      ẏ = ([ω]× + T A' T⁻¹) y
//
// The bracket is constant where everything but the body looks the same at all times, as of a symmetric rotor
// in any bearing; A' where everything looks the same from the body, as of any rotor in a symmetric bearing.
#pragma once

#include <array>

#include "analysis/local_motion.h"

namespace trammel::analysis {

class TurningAxes {
 public:
  explicit TurningAxes(const LocalMotion& motion);

  // Whether any such body spins.
  bool any() const { return !bodies_.empty(); }
  // Whether y has all components of each spinning rotation; else standing axes have no place in y.
  bool whole() const { return whole_; }
  const std::vector<std::string>& bodies() const { return bodies_; }
  // [ω]× and T in the places of y.
  Eigen::MatrixXd spin() const;
  Eigen::MatrixXd turn(double time) const;

 private:
  struct Triple {
    std::array<Eigen::Index, 3> at;  // in y: of an angle or of its rate
    Eigen::Vector3d omega;           // rad/s
  };
  Eigen::Index size_;
  std::vector<Triple> triples_;
  std::vector<std::string> bodies_;
  bool whole_ = true;
};

}  // namespace trammel::analysis
