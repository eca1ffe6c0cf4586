// Law: the magnitude of a force as a function of what it can see, with its derivatives.
//
//   linear      F = −(k (S − S₀) + c Ṡ + p)               conservative in k and p
//   friction    F = −(f tanh(Ṡ/w) + c Ṡ)                   Coulomb, smoothed over |Ṡ| < w
//   expression  F = sign · f(t, signals, states, inputs)
//
// S is the measure on which the force acts; expressions see any signal.
#pragma once

#include <cmath>
#include <variant>
#include <vector>

#include "system/motion.h"

namespace trammel::system {

struct LinearLaw {
  double stiffness, free, damping, preload;
  // Without free length and preload the force −k d is smooth where both ends coincide; else it has no
  // direction.
  bool smooth_at_zero() const { return free == 0 && preload == 0; }
};
struct FrictionLaw {
  double coulomb, viscous, transition;
};
struct ExpressionLaw {
  expressions::Expression f;
  double sign;
  std::vector<SignalSource> sources;  // of f.slots()
};
using Law = std::variant<LinearLaw, FrictionLaw, ExpressionLaw>;

struct LawValue {
  double F = 0, F_S = 0, F_rate = 0;       // and the derivatives by the force's own measure
  double potential = 0, power_factor = 0;  // power of what is not conservative = power_factor · Ṡ
};

inline LawValue evaluate(const LinearLaw& law, double S, double rate) {
  const double x = S - law.free;
  return {-(law.stiffness * x + law.damping * rate + law.preload), -law.stiffness, -law.damping,
          0.5 * law.stiffness * x * x + law.preload * x, -law.damping * rate};
}

// The direction of d, which grows at d_dot. Where both ends meet a smooth law acts along the way they move.
template <class Vector>
Vector spring_direction(const LinearLaw& law, const Vector& d, double S, const Vector& d_dot) {
  if (S > 0 || !law.smooth_at_zero()) return d / S;
  const double speed = d_dot.norm();
  return speed > 0 ? Vector(d_dot / speed) : Vector(Vector::Zero());
}

inline LawValue evaluate(const FrictionLaw& law, double, double rate) {
  const double th = std::tanh(rate / law.transition);
  const double F = -(law.coulomb * th + law.viscous * rate);
  return {F, 0, -(law.coulomb * (1 - th * th) / law.transition + law.viscous), 0, F};
}

}  // namespace trammel::system
