// Trammel as a code of the benchmark: the plans it tries. A new plan is one line in kPlans.
#include <array>
#include <stdexcept>

#include "code.h"
#include "trammel/run.h"
#include "trammel/simulation.h"

namespace trammel::bench {
namespace {

struct NamedPlan {
  const char *coordinates, *formulation, *integrator;
  bool by_tolerance, projects;
  std::string name() const {
    return std::string(coordinates) + ", " + formulation + ", " + integrator +
           (by_tolerance && std::string(integrator) == "trapezoidal" ? ", error control" : "");
  }
};

constexpr NamedPlan kDefault{"natural", "augmented-lagrangian-index3", "trapezoidal", false, false};

// Those that are cheap most often come first: they spare the others most of their tries.
constexpr std::array kPlans{
    NamedPlan{"natural", "automatic", "automatic", true, false},
    NamedPlan{"relative", "automatic", "automatic", true, false},
    NamedPlan{"natural", "augmented-lagrangian", "dop853", true, true},
    NamedPlan{"relative", "augmented-lagrangian", "dop853", true, true},
    NamedPlan{"relative", "lagrange", "dop853", true, true},
    NamedPlan{"relative", "lagrange", "radau9", true, true},
    NamedPlan{"natural", "augmented-lagrangian", "dopri5", true, true},
    kDefault,
    NamedPlan{"relative", "augmented-lagrangian", "dopri5", true, true},
    NamedPlan{"natural", "augmented-lagrangian", "rk4", false, true},
    NamedPlan{"relative", "augmented-lagrangian", "rk4", false, true},
    NamedPlan{"relative", "lagrange", "dopri5", true, true},
    NamedPlan{"relative", "lagrange", "rk4", false, true},
    NamedPlan{"natural", "augmented-lagrangian-index3", "trapezoidal", true, false},
};

// Whose steps are timed as a mechanism grows: rows of four-bars by the first alone.
constexpr std::array kGrowthPlans{
    kDefault,
    NamedPlan{"relative", "augmented-lagrangian-index3", "trapezoidal", false, false},
    NamedPlan{"relative", "lagrange", "semi-implicit-euler", false, false},
};

Plan plan_of(const NamedPlan& named, const Mechanism& mechanism, double value) {
  Plan plan = mechanism.plan;
  plan.coordinates = named.coordinates;
  plan.formulation = named.formulation;
  plan.integrator = named.integrator;
  plan.step = named.by_tolerance ? 0 : value;
  plan.tolerance = named.by_tolerance ? value : 0;
  if (named.projects) {
    plan.project_positions = plan.project_velocities = true;
    plan.projection_every = 1;
    plan.omega = 0;  // what it would remove is projected
  }
  return plan;
}

class TrammelRun final : public FixedSteps {
 public:
  TrammelRun(const Mechanism& mechanism, const Plan& plan, double step)
      : FixedSteps(step), simulation_(mechanism, plan) {
    const AssemblyReport report = simulation_.assemble();
    if (!report.report.accepted()) throw std::runtime_error(explain(report, simulation_));
  }
  std::vector<Pose> poses() override { return simulation_.system().poses(simulation_.state()); }

 protected:
  bool step(double h) override { return simulation_.step(h).report.accepted(); }
  Simulation simulation_;
};

// Error control makes as many steps as it needs to each time asked for.
class ControlledRun final : public Run {
 public:
  ControlledRun(const Mechanism& mechanism, const Plan& plan)
      : simulation_(mechanism, plan), end_(plan.duration) {
    const AssemblyReport report = simulation_.assemble();
    if (!report.report.accepted()) throw std::runtime_error(explain(report, simulation_));
  }
  // Steps as long as the tolerance allows: where they are dense, the state at t is read within the last one.
  bool advance(double t) override {
    while (simulation_.state().t < t) {
      const double left = simulation_.dense() ? end_ - simulation_.state().t : t - simulation_.state().t;
      const StepResult result = simulation_.advance(left);
      steps_ += result.steps;
      if (!result.report.accepted()) return false;
    }
    at_ = simulation_.state();
    return at_.t <= t || simulation_.between(t, at_, Wanted::positions).report.accepted();
  }
  std::vector<Pose> poses() override { return simulation_.system().poses(at_); }
  long steps() const override { return steps_; }

 private:
  Simulation simulation_;
  double end_;
  State at_;
  long steps_ = 0;
};

class TrammelCode final : public Code {
 public:
  std::string name() const override { return "Trammel"; }
  bool is_peer() const override { return false; }
  std::vector<Rule> rules(const Problem&) const override {
    std::vector<Rule> rules;
    for (const NamedPlan& plan : kPlans) rules.push_back({plan.name(), plan.by_tolerance});
    return rules;
  }
  std::vector<Rule> growth_rules(const Problem& problem) const override {
    std::vector<Rule> rules;
    for (const NamedPlan& plan : kGrowthPlans)
      if (rules.empty() || problem.name.starts_with("chain"))
        rules.push_back({plan.name(), plan.by_tolerance});
    return rules;
  }
  std::unique_ptr<Run> start(const Subject& subject, const Setting& setting) const override {
    const NamedPlan* named = nullptr;
    const auto look_among = [&](const auto& plans) {
      for (const NamedPlan& plan : plans)
        if (plan.name() == setting.rule.name) named = &plan;
    };
    look_among(kGrowthPlans);
    look_among(kPlans);
    if (!named) throw std::runtime_error("there is no rule '" + setting.rule.name + "'");
    const Plan plan = plan_of(*named, subject.mechanism, setting.value);
    try {
      if (named->by_tolerance) return std::make_unique<ControlledRun>(subject.mechanism, plan);
      return std::make_unique<TrammelRun>(subject.mechanism, plan, setting.value);
    } catch (const std::invalid_argument& refusal) {
      throw std::runtime_error(refusal.what());
    }
  }
};

}  // namespace

std::unique_ptr<Code> make_trammel() { return std::make_unique<TrammelCode>(); }

}  // namespace trammel::bench
