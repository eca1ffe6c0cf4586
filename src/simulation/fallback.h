// Fallback: the method that a tolerance chooses. It begins with explicit steps of high order. Where an
// implicit rule would take longer ones (the motion is stiff), Radau goes on in trees of few joints, index 3
// elsewhere; where steps fail, index 3.
#pragma once

#include <array>
#include <functional>

#include "formulations/reactions/index1.h"
#include "simulation/method.h"

namespace trammel::simulation {

// Memory of the State: when another method took over, and why, for each time; a copy goes on with the same.
inline constexpr MemorySlot kFallback{"fallback", Lifetime::run};

// The plan that takes over: index 3, at a tolerance with which it means the same; or Radau, where nothing has
// to be projected and its factors are cheap.
ResolvedPlan fallback_plan(const ResolvedPlan& plan);
ResolvedPlan stiff_plan(const ResolvedPlan& plan, const system::Dynamics& system);
// At which tolerance the explicit steps of the plan are to compare themselves with the trapezoidal rule.
double stiffness_judged_at(const ResolvedPlan& plan, const system::Dynamics& system);

class Fallback final : public Method {
 public:
  // The method of one of these plans.
  using Make = std::function<std::unique_ptr<Method>(const ResolvedPlan&)>;

  Fallback(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan, const Make& make);

  [[nodiscard]] StepResult step(State& state, double h) override;
  // May take no step at all, where the other method is to go on.
  [[nodiscard]] StepResult advance(State& state, double h) override;
  bool dense(const State& state) const override { return which(state) != kIndex3Goes; }
  double dense_error() override { return method(stepped_).dense_error(); }
  [[nodiscard]] StepResult between(double t, State& state, Wanted wanted) override {
    return method(stepped_).between(t, state, wanted);
  }
  void prepare(State& state) override { method(which(state)).prepare(state); }
  std::string refusal(const State& state) override { return method(kExplicitGoes).refusal(state); }
  std::optional<double> proposed(const State& state) override { return method(which(state)).proposed(state); }
  bool halves_help() const override { return false; }
  long rejected() const override;
  int solver_fallovers() const override;
  std::string solver_name() const override;
  std::string choice(const State& state) const override;

 private:
  enum Which : std::size_t { kExplicitGoes, kStiffGoes, kIndex3Goes };
  Which which(const State& state) const;
  Method& method(Which which);
  [[nodiscard]] Report fall_back(State& state, bool failed);
  bool rows_are_independent(const State& state) const;
  // Whether it moves and the constraints leave no freedom.
  bool is_driven(const State& state) const;
  [[nodiscard]] StepResult go_on(State& state, double h);

  std::shared_ptr<const system::Dynamics> system_;
  Make make_;
  std::array<ResolvedPlan, 3> plans_;               // of each; the stiff one may be that of index 3
  std::array<std::unique_ptr<Method>, 3> methods_;  // made when they are needed
  Which stepped_ = kExplicitGoes;                   // who made the last step
  std::unique_ptr<formulations::Index1Solver> index1_;
  State start_, trial_;
};

}  // namespace trammel::simulation
