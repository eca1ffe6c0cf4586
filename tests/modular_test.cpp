// The modular scheme: the same motion as the default formulation in the limit, by any division into subsystems;
// threads, resuming, allocation, failure.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compare.h"
#include "io/model_reader.h"
#include "math/count_malloc.h"
#include "system/system.h"
#include "trammel/run.h"

namespace trammel {
namespace {

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

Mechanism model(const std::string& name, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/" + name + ".yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

// N equal bars that hang from each other and fall from the horizontal.
Mechanism chain(int n) {
  return text_model(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points:
  P0: {at: [0, 0], on: ground}
  "P{i}": {for: {i: 1..)" + std::to_string(n) + R"(}, at: [0.1*i, 0]}
bodies:
  "bar{i}": {for: {i: 1..)" + std::to_string(n) + R"(}, rod: ["P{i-1}", "P{i}"], mass: 0.1 kg}
)");
}

// Bricard's mechanism with bars of square section: a slender rod has no inertia about its own axis.
Mechanism thick_bricard() {
  std::string text = R"(
trammel: 1
gravity: [0, -9.81, 0]
parameters: {side: 0.1, long: (1 + side^2)/12, across: side^2/6}
bodies:
)";
  const char* const at[] = {"[0.5, 0, 0]", "[1, -0.5, 0]", "[1, -1, 0.5]", "[0.5, -1, 1]", "[0, -0.5, 1]"};
  const char* const inertia[] = {"[across, long, long]", "[long, across, long]", "[long, long, across]",
                                 "[across, long, long]", "[long, across, long]"};
  for (int i = 0; i < 5; ++i)
    text += "  bar" + std::to_string(i + 1) + ": {mass: 1 kg, at: " + at[i] + ", inertia: " + inertia[i] + "}\n";
  return text_model(text + R"(
joints:
  hinge1: {revolute: [bar1, ground], at: [0, 0, 0],  axis: [0, 1, 0]}
  hinge2: {revolute: [bar1, bar2],   at: [1, 0, 0],  axis: [0, 0, 1]}
  hinge3: {revolute: [bar2, bar3],   at: [1, -1, 0], axis: [1, 0, 0]}
  hinge4: {revolute: [bar3, bar4],   at: [1, -1, 1], axis: [0, 1, 0]}
  hinge5: {revolute: [bar4, bar5],   at: [0, -1, 1], axis: [0, 0, 1]}
  hinge6: {revolute: [bar5, ground], at: [0, 0, 1],  axis: [1, 0, 0]}
)");
}

Plan modular(const Mechanism& mechanism, double h) {
  Plan plan = mechanism.plan;
  plan.formulation = "modular";
  plan.integrator = Plan().integrator;
  plan.step = h;
  return plan;
}

struct Motion {
  std::vector<Pose> poses;
  State state;
  double sweeps = 0;  // a step, mean
  double most = 0;
  Violation violation;
};

Motion move(const Mechanism& mechanism, const Plan& plan, double end) {
  Motion out;
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  EXPECT_TRUE(assembly.report.accepted()) << assembly.report.message;
  const long steps = std::lround(end / plan.step);
  for (long n = 0; n < steps; ++n) {
    const StepResult step = simulation.step(plan.step);
    if (!step.report.accepted()) {
      ADD_FAILURE() << "t = " << simulation.state().t << ": " << step.report.message;
      break;
    }
    out.sweeps += step.iterations / static_cast<double>(steps);
    out.most = std::max<double>(out.most, step.iterations);
    out.violation.take_larger(step.violation);
  }
  out.poses = simulation.system().poses(simulation.state());
  out.state = simulation.state();
  return out;
}

double difference(const Motion& a, const Motion& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.poses.size(); ++k)
    largest = std::max({largest, (a.poses[k].position - b.poses[k].position).norm(),
                        (a.poses[k].axes - b.poses[k].axes).norm()});
  return largest;
}

Motion default_motion(const Mechanism& mechanism, double h, double end) {
  Plan plan = mechanism.plan;
  plan.formulation = Plan().formulation;
  plan.step = h;
  return move(mechanism, plan, end);
}

// Sweeps a step on what the documentation lists.
TEST(Modular, PRINT) {
  struct Case {
    std::string name;
    Mechanism mechanism;
  };
  for (const Case& c : {Case{"double pendulum", model("joli-double-pendulum")}, Case{"slider-crank", model("joli-slider-crank")},
                        Case{"four-bar", model("four-bar")}, Case{"chain 10", chain(10)}, Case{"chain 50", chain(50)},
                        Case{"bricard", thick_bricard()}})
    for (const char* uzawa : {"plain", "accelerated"})
      for (const bool warm : {false, true})
        for (const double tol : {1e-2, 1e-4, 1e-8}) {
          if (warm && tol > 1e-4) continue;
          Plan plan = modular(c.mechanism, 1e-3);
          plan.modular.uzawa = uzawa;
          plan.modular.warm_start = warm;
          plan.modular.tolerance = tol;
          plan.modular.max_sweeps = 100000;
          if (c.name == "chain 50" && std::string(uzawa) == "plain" && tol < 1e-3) continue;
          Simulation simulation(c.mechanism, plan);
          if (!simulation.assemble().report.accepted()) { printf("%s no\n", c.name.c_str()); continue; }
          double sum = 0; int most = 0; int n = 0; std::string message;
          Violation v;
          for (n = 0; n < 300; ++n) {
            const StepResult r = simulation.step(1e-3);
            if (!r.report.accepted()) { message = r.report.message; break; }
            sum += r.iterations; most = std::max(most, r.iterations); v.take_larger(r.violation);
          }
          printf("%-16s %-12s %s tol %g: %.1f max %d (%d steps) viol %.1e %s\n", c.name.c_str(), uzawa, warm ? "warm" : "cold", tol, sum / n, most, n, v.position, message.c_str());
          fflush(stdout);
        }
}

TEST(Modular, PRINTorder) {
  for (const char* name : {"joli-double-pendulum", "slider-crank", "four-bar", "five-link-chain", "driven-slider-crank", "controlled-pendulum", "gear-train", "lead-screw", "rolling-wheel", "gyrostat", "skater", "andrews", "double-pendulum"}) {
    const Mechanism m = model(name);
    const double end = std::min(0.5, m.plan.duration);
    const double h0 = std::min(2e-3, m.plan.step);
    try {
    const Motion exact = default_motion(m, h0 / 16, end);
    printf("%-22s", name);
    for (double h : {h0, h0 / 2, h0 / 4}) {
      const Motion mine = move(m, modular(m, h), end);
      printf(" %.3e (%.1f sweeps)", difference(mine, exact), mine.sweeps);
    }
    printf("\n"); fflush(stdout);
    } catch (const std::exception& e) { printf("%s: %s\n", name, e.what()); }
  }
}

}  // namespace
}  // namespace trammel
