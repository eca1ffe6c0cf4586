#include "closed_motions.h"

#include <cmath>
#include <numbers>

#include "reproduce/jacobi.h"
#include "tests/source_dir.h"
#include "trammel/model.h"

namespace trammel::campaigns {
namespace {

constexpr double kGravity = 9.81;

double complete_integral(double m) {
  double a = 1, b = std::sqrt(1 - m);
  while (std::abs(a - b) > 1e-15 * a) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (a + b);
}

// A pendulum that is released at rest from the horizontal, of length 1: sin(ψ/2) = cd(ωt)/√2, ψ from below.
std::vector<Exact> swing(const std::string& point, double side, double omega) {
  const auto half_sine = [omega](double t) {
    const reproduce::Jacobi j = reproduce::jacobi(omega * t, 0.5);
    return std::sqrt(0.5) * j.cn / j.dn;
  };
  return {{point + ".x",
           [=](double t) { return side * 2 * half_sine(t) * std::sqrt(1 - std::pow(half_sine(t), 2)); }},
          {point + ".y", [=](double t) { return 2 * std::pow(half_sine(t), 2) - 1; }}};
}

}  // namespace

ClosedMotion point_pendulum() {
  return {"simple pendulum", read_model(std::string(kSourceDir) + "/models/simple-pendulum.yaml").value(),
          swing("P", -1, std::sqrt(kGravity))};
}

ClosedMotion rod_pendulum() {
  const char* const kText = R"(
trammel: 1
name: rod
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, P: [1, 0]}
bodies: {rod: {rod: [O, P], mass: 1 kg}}
)";
  return {"rod", read_model_text(kText, "rod.yaml").value(), swing("P", 1, std::sqrt(1.5 * kGravity))};
}

// Cranks turn by θ̈ = −r cos θ from θ = π/2, θ̇ = −1. With θ = 2w − π/2 it is
//   w = am(K − ½ √(1 + 4r) t | k²),   k² = 4r/(1 + 4r)
ClosedMotion double_four_bar() {
  const double r = kGravity * (1.5 + 2) / (1.0 + 2), m = 4 * r / (1 + 4 * r);
  const auto place = [=, quarter = complete_integral(m)](double t) {
    return reproduce::jacobi(quarter - 0.5 * std::sqrt(1 + 4 * r) * t, m);
  };
  return {"double four-bar",
          read_model(std::string(kSourceDir) + "/models/double-four-bar.yaml").value(),
          {{"B0.x", [=](double t) { return 2 * place(t).sn * place(t).cn; }},
           {"B0.y", [=](double t) { return 2 * std::pow(place(t).sn, 2) - 1; }}}};
}

// A wheel rolls on at constant speed: way and turns.
ClosedMotion rolling_wheel() {
  const char* const kText = R"(
trammel: 1
name: wheel
plane: xy
gravity: [0, -9.81]
bodies: {wheel: {mass: 2 kg, inertia: 0.04, at: [0, 0.2]}}
joints: {road: {rolling: wheel, radius: 0.2 m, through: [0, 0], normal: [0, 1]}}
initial: {wheel: {velocity: [2, 0], angular-velocity: -10}}
)";
  return {"wheel",
          read_model_text(kText, "wheel.yaml").value(),
          {{"wheel.x", [](double t) { return 2 * t; }}, {"wheel.angle", [](double t) { return -10 * t; }}}};
}

}  // namespace trammel::campaigns
