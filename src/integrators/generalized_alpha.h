// The Newmark family in one rule: trapezoidal, Newmark, HHT and generalized-α.
//
//   q₊ = qₙ ⊕ (h vₙ + h²((½−β) aₙ + β a₊)),   v₊ = vₙ + h((1−γ) aₙ + γ a₊)
//   (1−α_m) a₊ + α_m aₙ = (1−α_f) v̇₊ + α_f v̇ₙ
//
// The balance holds at t₊ with the true v̇₊; the algorithmic acceleration a equals v̇ when α_m = α_f = 0, and
// is the rule's memory otherwise: its offset (a − v̇)/h, so that the step may change. Newmark (1959); Hilber,
// Hughes & Taylor (1977); Chung & Hulbert (1993); Arnold & Brüls (2007).
#pragma once

#include <string>
#include <vector>

#include "forms/residual_form.h"
#include "trammel/resolved_plan.h"

namespace trammel::integrators {

struct AlphaRule {
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;

  // The rule of a plan whose integrator is of this family.
  static AlphaRule of(const ResolvedPlan& plan);
  bool has_memory() const { return alpha_m != 0 || alpha_f != 0; }
  // Local error of positions relative to h² (v̇₊ − v̇ₙ).
  double error_constant() const;
};

// What is said of a step that is marked for its projections, before the reason.
inline constexpr const char* kNotProjected = "velocities or accelerations cannot be projected fully";

class GeneralizedAlpha {
 public:
  GeneralizedAlpha(AlphaRule rule, double tolerance, int max_iterations);

  // Advances the state by h; on failure the state is untouched.
  StepResult step(forms::ResidualForm& form, State& state, double h);
  forms::Coeffs coefficients(double h) const;
  void prepare(State& state) const;  // memory of a state that starts a run
  // Names of the memory that a step reads.
  std::vector<MemorySlot> slots() const;
  // How far the last step's q₊ lacks forces that its projection brought; empty when these bring none.
  const std::vector<double>& split() const { return split_; }

 private:
  void predict(const State& from, double h, const forms::Coeffs& c);
  void follow(const State& from);
  Violation project(forms::ResidualForm& form, const State& from, double h, const forms::Coeffs& c);
  void move(forms::ResidualForm& form, const forms::Coeffs& c);
  bool iterate(forms::ResidualForm& form, const forms::Coeffs& c, StepResult& result);
  // Of the few steps that need many iterations: not inlined into what every step runs.
  int halfway() const;
  [[gnu::noinline, gnu::cold]] bool only_rounding_left(forms::ResidualForm& form, double violation, int i);
  [[gnu::noinline, gnu::cold]] bool nearly_converged(forms::ResidualForm& form, Report& report) const;
  [[gnu::noinline, gnu::cold]] void mark(forms::ResidualForm& form, bool converged, Report& report) const;

  AlphaRule rule_;
  double tolerance_;
  int max_iterations_;
  State trial_;
  std::vector<double> increment_, algorithmic_, x_known_, split_;
  // Of the last iteration, and halfway to the most there may be; lengths scaled to one.
  double last_increment_ = 0, halfway_increment_ = 0;
  int rises_ = 0;        // since then: increments that were no smaller than the one before
  double rounding_ = 0;  // of the positions, after so many iterations that it may matter
};

}  // namespace trammel::integrators
