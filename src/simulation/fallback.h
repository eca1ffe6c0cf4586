// Fallback: the method that a tolerance chooses. It begins with explicit steps of high order; index 3 goes on
// from where these do not fit: where it would take longer steps itself (the motion is stiff), or where they
// fail.
#pragma once

#include <functional>

#include "formulations/index1.h"
#include "simulation/method.h"

namespace trammel {

// Memory of the State: when index 3 took over, and why; a copy goes on with the same method.
inline constexpr const char* kFallback = "fallback";

// The plan that takes over, at a tolerance with which it means the same.
Plan fallback_plan(const Plan& plan);

class Fallback final : public Method {
 public:
  using Make = std::function<std::unique_ptr<Method>()>;

  Fallback(std::shared_ptr<const System> system, const Plan& plan, std::unique_ptr<Method> first,
           Make second);

  [[nodiscard]] StepResult step(State& state, double h) override;
  // May take no step at all, where the other method is to go on.
  [[nodiscard]] StepResult advance(State& state, double h) override;
  bool dense(const State& state) const override { return !fell_back(state); }
  [[nodiscard]] StepResult between(double t, State& state, Wanted wanted) override {
    return first_->between(t, state, wanted);
  }
  void prepare(State& state) override { (fell_back(state) ? second() : *first_).prepare(state); }
  std::string refusal(const State& state) override { return first_->refusal(state); }
  bool halves_help() const override { return false; }
  long rejected() const override;
  int solver_fallovers() const override;
  std::string solver_name() const override;
  std::string choice(const State& state) const override;

 private:
  static bool fell_back(const State& state);
  Method& second();
  [[nodiscard]] Report fall_back(State& state, double reason);
  [[nodiscard]] StepResult go_on(State& state, double h);

  std::shared_ptr<const System> system_;
  Plan plan_;
  std::unique_ptr<Method> first_, second_;
  Make make_;
  std::unique_ptr<Index1Solver> index1_;
  State start_, trial_;
};

}  // namespace trammel
