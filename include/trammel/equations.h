// MotionEquations: a mechanism as ordinary differential equations of its independent coordinates, for
// integrators and controllers of the caller's own.
//
//   ẏ = f(t, y),   y = (z, ż, x)                          García de Jalón & Bayo (1994), (5.59)–(5.67)
//
// z are as many of the mechanism's coordinates as it has degrees of freedom, joint angles and displacements
// where it can be described by them; x are the model's states. The other coordinates follow from the
// constraints by Newton's method, from where they were last: so they stay on their branch.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/report.h"
#include "trammel/simulation.h"

namespace trammel {

class MotionEquations {
 public:
  // Of an assembled simulation, where it stands. `coordinates` names those that are to be z; none: they are
  // chosen there. Throws std::invalid_argument where these names, or the mechanism, do not allow it.
  explicit MotionEquations(const Simulation& simulation, const std::vector<std::string>& coordinates = {});
  ~MotionEquations();

  // Of each entry of y: "hinge.angle", then "hinge.angle.rate", then the states. SI units. Rotations without
  // axes of their own are counted from where the simulation stood.
  const std::vector<std::string>& names() const;
  // y where a simulation of the same mechanism stands now. The other coordinates are followed from there, and
  // inputs are its inputs.
  std::vector<double> y(const Simulation& simulation);
  void take_inputs(const Simulation& simulation);
  // ẏ at t. Fails, with a message for a person, where no motion belongs to y, or where z no longer determines
  // it.
  [[nodiscard]] Report derivative(double t, std::span<const double> y, std::span<double> rate);
  // Takes a simulation of the same mechanism to t and y. It is untouched if that fails.
  [[nodiscard]] Report place(double t, std::span<const double> y, Simulation& simulation);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
