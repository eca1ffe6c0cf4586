#include "simulation/method.h"

#include <optional>

#include "forms/step_form.h"
#include "forms/take_state.h"
#include "formulations/accelerations/acceleration_form.h"
#include "formulations/index3/augmented_lagrangian_index3.h"
#include "formulations/reactions/work.h"
#include "integrators/adaptive_alpha.h"
#include "integrators/generalized_alpha.h"
#include "integrators/ode_integrator.h"
#include "simulation/fallback.h"
#include "simulation/method_table.h"
#include "simulation/resolve.h"

namespace trammel::simulation {
namespace {

class ResidualMethod final : public Method {
 public:
  ResidualMethod(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan,
                 integrators::AlphaRule rule)
      : form_(std::move(system), plan), integrator_(rule, plan.convergence, plan.max_iterations) {}
  StepResult step(State& state, double h) override { return integrator_.step(form_, state, h); }
  void prepare(State& state) override {
    form_.prepare(state);
    integrator_.prepare(state);
  }
  std::string refusal(const State&) override { return form_.refusal(); }
  Carried carried() const override { return {true, form_.carries_reactions(), integrator_.slots()}; }
  bool halves_help() const override { return true; }
  int solver_fallovers() const override { return form_.fallovers(); }
  std::string solver_name() const override { return std::string(form_.solver_name()); }

 private:
  formulations::AugmentedLagrangianIndex3 form_;
  integrators::GeneralizedAlpha integrator_;
};

// The same with error control.
class AdaptiveMethod final : public Method {
 public:
  AdaptiveMethod(const std::shared_ptr<const system::Dynamics>& system, const ResolvedPlan& plan,
                 integrators::AlphaRule rule)
      : form_(system, plan),
        integrator_(rule, plan.tolerance, plan.convergence, plan.max_iterations, system->coordinate_scale()) {
  }
  StepResult step(State& state, double h) override { return integrator_.step(form_, state, h); }
  void prepare(State& state) override {
    form_.prepare(state);
    integrator_.prepare(state);
  }
  std::string refusal(const State&) override { return form_.refusal(); }
  std::optional<double> proposed(const State& state) override { return integrator_.proposed(state); }
  bool halves_help() const override { return false; }
  long rejected() const override { return integrator_.rejected(); }
  int solver_fallovers() const override { return form_.fallovers(); }
  std::string solver_name() const override { return std::string(form_.solver_name()); }

 private:
  formulations::AugmentedLagrangianIndex3 form_;
  integrators::AdaptiveAlpha integrator_;
};

// Adds the work of steps whose method does not, or not well enough.
class WorkOfSteps {
 public:
  explicit WorkOfSteps(std::shared_ptr<const system::Dynamics> system)
      : system_(std::move(system)), terms_(system_->make_terms()) {}
  void begin(const State& state) {
    if (system_->has_work()) forms::take(state, from_);
  }
  void end(State& state, double h) {
    if (!system_->has_work()) return;
    if (const std::vector<double>* before = from_.recall(formulations::kWork))
      state.remember(formulations::kWork, 2)[0] = (*before)[0];
    work_.follow(*system_, terms_, from_, state, h);
  }

 private:
  std::shared_ptr<const system::Dynamics> system_;
  system::Terms terms_;
  State from_;  // of a step
  formulations::StepWork work_;
};

class OdeMethod final : public Method {
 public:
  OdeMethod(std::shared_ptr<const system::Dynamics> system,
            std::unique_ptr<formulations::AccelerationForm> form,
            std::unique_ptr<integrators::OdeIntegrator> integrator)
      : form_(std::move(form)), integrator_(std::move(integrator)) {
    if (integrator_->takes_mean_of_ends()) work_.emplace(std::move(system));
  }
  StepResult step(State& state, double h) override {
    if (work_) work_->begin(state);
    StepResult result = integrator_->step(*form_, state, h);
    if (!result.report.accepted())
      form_->blame_singularity(state, h, result.report);
    else if (work_)
      work_->end(state, h);
    return result;
  }
  StepResult advance(State& state, double h) override {
    if (work_) return step(state, h);  // its only size
    StepResult result = integrator_->advance(*form_, state, h);
    if (!result.report.accepted()) form_->blame_singularity(state, h, result.report);
    return result;
  }
  bool dense(const State&) const override { return integrator_->dense(); }
  double dense_error() override { return integrator_->dense_error(*form_); }
  StepResult between(double t, State& state, Wanted wanted) override {
    return integrator_->between(*form_, t, state, wanted);
  }
  void prepare(State& state) override {
    form_->prepare(state);
    integrator_->prepare(state);
  }
  std::string refusal(const State& state) override { return form_->refusal(state); }
  bool halves_help() const override { return false; }
  long rejected() const override { return integrator_->rejected(); }
  std::string solver_name() const override { return form_->name(); }

 private:
  std::unique_ptr<formulations::AccelerationForm> form_;
  std::unique_ptr<integrators::OdeIntegrator> integrator_;
  std::optional<WorkOfSteps> work_;
};

class StepMethod final : public Method {
 public:
  StepMethod(std::shared_ptr<const system::Dynamics> system, std::unique_ptr<forms::StepForm> form)
      : form_(std::move(form)) {
    if (!form_->follows_work()) work_.emplace(std::move(system));
  }
  StepResult step(State& state, double h) override {
    if (work_) work_->begin(state);
    StepResult result = form_->step(state, h);
    if (result.report.accepted() && work_) work_->end(state, h);
    return result;
  }
  void prepare(State& state) override { form_->prepare(state); }
  std::string refusal(const State& state) override { return form_->refusal(state); }
  bool halves_help() const override { return false; }
  long rejected() const override { return form_->rejected(); }
  std::string solver_name() const override { return form_->name(); }

 private:
  std::unique_ptr<forms::StepForm> form_;
  std::optional<WorkOfSteps> work_;
};

std::unique_ptr<Method> make_ode_method(const std::shared_ptr<const system::Dynamics>& system,
                                        const ResolvedPlan& plan) {
  auto integrator = integrators::make_ode_integrator(
      name_of(plan.integrator),
      {step_tolerance(plan), plan.convergence, plan.max_iterations, stiffness_judged_at(plan, *system)});
  auto form = entry_of(plan.formulation).acceleration_form(system, plan);
  if (plan.falls_back) form->judge_by_projection();
  return std::make_unique<OdeMethod>(system, std::move(form), std::move(integrator));
}

std::unique_ptr<Method> make_residual_method(std::shared_ptr<const system::Dynamics> system,
                                             const ResolvedPlan& plan) {
  const integrators::AlphaRule rule = integrators::AlphaRule::of(plan);
  if (plan.tolerance > 0) return std::make_unique<AdaptiveMethod>(system, plan, rule);
  return std::make_unique<ResidualMethod>(std::move(system), plan, rule);
}

}  // namespace

std::unique_ptr<Method> make_method(std::shared_ptr<const system::Dynamics> system,
                                    const ResolvedPlan& plan) {
  const FormulationEntry& formulation = entry_of(plan.formulation);
  switch (formulation.form) {
    case Form::residual:
      return make_residual_method(std::move(system), plan);
    case Form::own_rule:
      return std::make_unique<StepMethod>(system, formulation.step_form(system, plan));
    case Form::ode:
      break;
  }
  if (!plan.falls_back) return make_ode_method(system, plan);
  return std::make_unique<Fallback>(system, plan, [system](const ResolvedPlan& own) {
    return own.falls_back ? make_ode_method(system, own) : make_method(system, own);
  });
}

Report begin(const system::Dynamics& system, formulations::Index1Solver& index1, Method& method,
             State& state) {
  const Report report = index1.accelerations(state);
  if (!report.accepted()) return report;
  if (!state.x.empty()) state.remember(forms::kStateRates, state.x.size()) = index1.terms().x_dot;
  method.prepare(state);
  formulations::begin_work(system, index1.terms(), state);
  return report;
}

}  // namespace trammel::simulation
