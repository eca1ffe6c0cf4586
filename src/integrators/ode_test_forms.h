// Small equations of motion for the tests of integrators: y = (q, v).
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "forms/ode_form.h"
#include "integrators/ode_integrator.h"

namespace trammel::integrators::test {

class TestForm : public forms::OdeForm {
 public:
  using Rate = std::function<void(double t, std::span<const double> y, std::span<double> y_dot)>;

  TestForm(int positions, int size, Rate rate)
      : positions_(positions), rate_(std::move(rate)), scale_(static_cast<std::size_t>(size), 1.0) {}

  int positions() const override { return positions_; }
  std::span<const double> scale() const override { return scale_; }
  void pack(const State& state, std::vector<double>& y) override {
    y.assign(state.q.begin(), state.q.end());
    y.insert(y.end(), state.v.begin(), state.v.end());
  }
  Report unpack(double t, std::span<const double> y, State& state) override {
    state.t = t;
    state.q.assign(y.begin(), y.begin() + positions());
    state.v.assign(y.begin() + positions(), y.end());
    return {};
  }
  Report rate(double t, std::span<const double> y, std::span<double> y_dot) override {
    ++evaluations;
    Report report;
    if (t > fails_after) {
      report.outcome = Outcome::singular;
      report.message = "the test's own singularity";
      return report;
    }
    rate_(t, y, y_dot);
    if (t > marks_after) report.outcome = Outcome::marked;
    return report;
  }
  bool judged_by_projection() const override { return static_cast<bool>(project); }
  Report accepted(State& state, double h, forms::Kept& kept, Violation& left) override {
    steps.push_back(h);
    left = {1e-3 * h, 2e-3 * h, 3e-3 * h};
    if (project) kept = project(state);
    Report report;
    if (refuses || h > refuses_longer) report.outcome = Outcome::angle_jump;
    return report;
  }

  bool guard(bool on) override { return on && guards; }

  bool guards = false;                                    // says that it can
  double fails_after = INFINITY, marks_after = INFINITY;  // s
  bool refuses = false;
  double refuses_longer = INFINITY;  // s
  std::function<forms::Kept(State&)> project;
  int evaluations = 0;
  std::vector<double> steps;  // internal steps accepted

 private:
  int positions_;
  Rate rate_;
  std::vector<double> scale_;
};

// q̈ = −q
inline TestForm oscillator() {
  return {1, 2, [](double, auto y, auto y_dot) {
            y_dot[0] = y[1];
            y_dot[1] = -y[0];
          }};
}

// q̈ = −sin q
inline TestForm pendulum() {
  return {1, 2, [](double, auto y, auto y_dot) {
            y_dot[0] = y[1];
            y_dot[1] = -std::sin(y[0]);
          }};
}

// Van der Pol's equation, driven so that q = sin t: q̈ = (1 − q²) q̇ − q − cos³t
inline TestForm driven_van_der_pol() {
  return {1, 2, [](double t, auto y, auto y_dot) {
            y_dot[0] = y[1];
            y_dot[1] = (1 - y[0] * y[0]) * y[1] - y[0] - std::pow(std::cos(t), 3);
          }};
}

// q̈ = μ(1 − q²) q̇ − q: stiff, with sudden turns
inline TestForm van_der_pol(double mu) {
  return {1, 2, [mu](double, auto y, auto y_dot) {
            y_dot[0] = y[1];
            y_dot[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
          }};
}

// Prothero & Robinson: ẏ = −k (y − cos t) − sin t, so that y = cos t, in n entries
inline TestForm stiff_linear(double k, int n) {
  return {n, n, [k](double t, auto y, auto y_dot) {
            for (std::size_t i = 0; i < y.size(); ++i) y_dot[i] = -k * (y[i] - std::cos(t)) - std::sin(t);
          }};
}

inline State state_of(std::vector<double> q, std::vector<double> v) {
  State state;
  state.q = std::move(q);
  state.v = std::move(v);
  return state;
}

// Takes steps of the same size until `end`; empty, or what went wrong.
inline std::string run(OdeIntegrator& rule, forms::OdeForm& form, State& state, double end, int steps) {
  for (int i = 1; i <= steps; ++i) {
    const StepResult result = rule.step(form, state, end * i / steps - state.t);
    if (!result.report.accepted()) return "failed: " + result.report.message;
  }
  return "";
}

inline bool same(const State& a, const State& b) {
  if (a.t != b.t || a.q != b.q || a.v != b.v || a.memory.size() != b.memory.size()) return false;
  for (std::size_t i = 0; i < a.memory.size(); ++i)
    if (a.memory[i].slot != b.memory[i].slot || a.memory[i].values != b.memory[i].values) return false;
  return true;
}

inline std::vector<std::string> fixed_step_rules() {
  return {"euler", "semi-implicit-euler", "rk2-midpoint",        "rk2-heun",
          "rk4",   "implicit-midpoint",   "implicit-trapezoidal"};
}

}  // namespace trammel::integrators::test
