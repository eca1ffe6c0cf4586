// The modular scheme: the same motion as the default formulation in the limit, by any division into
// subsystems; threads, resuming, allocation, failure.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "math/count_malloc.h"
#include "model/models_testing.h"
#include "system/system.h"
#include "trammel/model.h"
#include "trammel/simulation.h"
#include "trammel/thread_pool.h"

namespace trammel::tests::modular_test {
namespace {

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
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
  "P{i}": {for: {i: 1..)" +
                    std::to_string(n) + R"(}, at: [0.1*i, 0]}
bodies:
  "bar{i}": {for: {i: 1..)" +
                    std::to_string(n) + R"(}, rod: ["P{i-1}", "P{i}"], mass: 0.1 kg}
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
    text +=
        "  bar" + std::to_string(i + 1) + ": {mass: 1 kg, at: " + at[i] + ", inertia: " + inertia[i] + "}\n";
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
  plan.step = h > 0 ? h : 1e-3;
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
  Simulation simulation(mechanism, plan, make_executor(plan));
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

// Error against the default formulation with a far smaller step, by h, h/2 and h/4. Bodies, drivers, gears,
// screws, controllers with states, dampers, rolling and skates; each body a subsystem.
TEST(Modular, AgreesWithTheDefaultFormulationAtSecondOrder) {
  for (const char* name :
       {"joli-double-pendulum", "slider-crank", "four-bar", "five-link-chain", "driven-slider-crank",
        "controlled-pendulum", "gear-train", "lead-screw", "gyrostat", "skater", "andrews"}) {
    SCOPED_TRACE(name);
    const Mechanism mechanism = model(name);
    const double end = std::min(0.5, mechanism.plan.duration), h = std::min(2e-3, mechanism.plan.step);
    const Motion exact = default_motion(mechanism, h / 32, end);
    const double coarse = difference(move(mechanism, modular(mechanism, h), end), exact);
    const double middle = difference(move(mechanism, modular(mechanism, h / 2), end), exact);
    const double fine = difference(move(mechanism, modular(mechanism, h / 4), end), exact);
    // 4 in the limit; larger steps have terms of higher order
    EXPECT_GT(coarse / middle, 3);
    EXPECT_LT(coarse / middle, 6);
    EXPECT_GT(middle / fine, 3.3);
    EXPECT_LT(middle / fine, 5);
    EXPECT_LT(fine, 2e-4);
  }
}

// One group or many, either solver inside, either rule: the same motion within the error of the step.
TEST(Modular, EveryDivisionGivesTheSameMotion) {
  const Mechanism bodies = model("four-bar");
  const double h = 2.5e-4, end = 0.5;
  const Motion exact = default_motion(bodies, h / 8, end);
  Subsystem whole, pair, rocker;
  whole.name = "all";
  whole.bodies = {"ground", "crank", "coupler", "rocker"};
  pair.name = "pair";
  pair.bodies = {"crank", "coupler"};
  pair.formulation = "baumgarte";
  rocker.name = "swing";
  rocker.bodies = {"rocker", "ground"};
  rocker.newmark_beta = 0;
  Subsystem turning = pair;
  turning.coordinates = "reference";
  turning.formulation = "augmented-lagrangian";
  for (const std::vector<Subsystem>& division :
       {std::vector<Subsystem>{}, {whole}, {pair}, {pair, rocker}, {rocker}, {turning, rocker}}) {
    Mechanism mechanism = bodies;
    mechanism.subsystems = division;
    const Motion mine = move(mechanism, modular(mechanism, h), end);
    EXPECT_LT(difference(mine, exact), 5e-4);
  }
}

TEST(Modular, PlainAndAcceleratedFindTheSameForces) {
  const Mechanism mechanism = model("four-bar");
  Plan plan = modular(mechanism, 1e-3);
  plan.modular.tolerance = 1e-10;
  plan.modular.max_sweeps = 10'000;
  const Motion accelerated = move(mechanism, plan, 0.2);
  plan.modular.uzawa = "plain";
  // 200 steps, each within 1e-10 of the forces or, where sweeps contract slowly, a hundred times that
  EXPECT_LT(difference(move(mechanism, plan, 0.2), accelerated), 1e-8);
}

// Conjugate residuals end after as many sweeps as there are rows, in exact arithmetic; plain ones follow the
// condition of K, which grows with the square of a chain's length.
TEST(Modular, AcceleratedSweepsAreAsFewAsRows) {
  for (const int n : {10, 50}) {
    const Mechanism mechanism = chain(n);
    const Motion accelerated = move(mechanism, modular(mechanism, 1e-3), 0.1);
    EXPECT_LT(accelerated.most, 2 * n + 4);
  }
  Plan plan = modular(chain(10), 1e-3);
  plan.modular.uzawa = "plain";
  plan.modular.max_sweeps = 10'000;
  EXPECT_GT(move(chain(10), plan, 0.1).sweeps, 300);
}

// Counting says that Bricard's mechanism cannot move: one of its rows is redundant in every position.
TEST(Modular, PassesARedundantLoop) {
  const Mechanism mechanism = thick_bricard();
  const Motion exact = default_motion(mechanism, 2.5e-4, 1);
  const Motion coarse = move(mechanism, modular(mechanism, 2e-3), 1),
               fine = move(mechanism, modular(mechanism, 1e-3), 1);
  EXPECT_GT(difference(coarse, exact) / difference(fine, exact), 3);
  EXPECT_LT(difference(fine, exact), 1e-4);
}

// In space, with Euler parameters in every subsystem: the same motion up to the error of the rule, which is
// of the same size.
TEST(Modular, SubsystemsMayHaveReferenceCoordinates) {
  for (const Mechanism& mechanism : {thick_bricard(), model("gyrostat"), model("five-link-chain")}) {
    const double h = 1e-3, end = 0.5;
    const Motion exact = default_motion(mechanism, h / 8, end);
    const auto error = [&](const char* coordinates, double step) {
      Plan plan = modular(mechanism, step);
      plan.coordinates = coordinates;
      return difference(move(mechanism, plan, end), exact);
    };
    const double coarse = error("reference", h), fine = error("reference", h / 2);
    EXPECT_LT(coarse, 10 * error("natural", h) + 1e-6);
    EXPECT_GT(coarse / fine, 3);
    EXPECT_LT(fine, 1e-4);
  }
}

// A case pinned to an arm, and in it a core on a stiff spring: 3000 rad/s.
Mechanism vibrating_tool(int substeps) {
  return text_model(R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}
  A: [1, 0]
bodies:
  arm:  {rod: [O, A], mass: 1 kg}
  case: {mass: 0.5 kg, inertia: 0.01, at: A, carries: {A: [0, 0]}}
  core: {mass: 0.01 kg, inertia: 1e-5, at: A}
joints:
  rail: {prismatic: [core, case], at: A, axis: [1, 0]}
forces:
  spring: {joint-spring: rail, stiffness: 9e4}
initial:
  rail: {speed: 0.3}
subsystems:
  tool: {bodies: [case, core], substeps: )" +
                    std::to_string(substeps) + "}\n");
}

// With h = 1 ms the core turns by ωh = 3 a step, beyond the bound of stability 2 of the rule.
TEST(Modular, SubstepsHoldWhatIsTooFastForTheStep) {
  const double h = 1e-3, end = 0.1;
  const Mechanism mechanism = vibrating_tool(50);
  const Motion exact = default_motion(mechanism, h / 1000, end);
  const double coarse = difference(move(mechanism, modular(mechanism, h), end), exact);
  const double fine = difference(move(mechanism, modular(mechanism, h / 2), end), exact);
  // The pin's force, which trembles three times faster than steps follow, is interpolated across them.
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse / fine, 3);
  // In one step it grows until a number or the iteration gives up, or the core leaves the case.
  const Mechanism one = vibrating_tool(1);
  Simulation simulation(one, modular(one, h));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  const double start = simulation.energy().balance();
  bool holds = true;
  for (int n = 0; n < 300 && holds; ++n)
    holds = simulation.step(h).report.accepted() && std::abs(simulation.energy().balance() - start) < 1;
  EXPECT_FALSE(holds);
}

bool same_bits(const State& a, const State& b) {
  const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
  };
  bool all = a.t == b.t && same(a.q, b.q) && same(a.v, b.v) && same(a.a, b.a) && same(a.lambda, b.lambda) &&
             same(a.x, b.x) && a.memory.size() == b.memory.size();
  for (std::size_t k = 0; all && k < a.memory.size(); ++k) all = same(a.memory[k].values, b.memory[k].values);
  return all;
}

TEST(Modular, ThreadsDoNotChangeABit) {
  for (const Mechanism& mechanism : {chain(10), vibrating_tool(5), model("andrews")}) {
    Plan plan = modular(mechanism, std::min(1e-3, mechanism.plan.step));
    for (const char* uzawa : {"plain", "accelerated"}) {
      plan.modular.uzawa = uzawa;
      plan.modular.tolerance = 1e-6;
      plan.modular.max_sweeps = 10'000;
      plan.modular.threads = 1;
      const State one = move(mechanism, plan, 20 * plan.step).state;
      for (const int threads : {2, 3, 8}) {
        plan.modular.threads = threads;
        EXPECT_TRUE(same_bits(one, move(mechanism, plan, 20 * plan.step).state)) << threads;
      }
    }
  }
}

TEST(Modular, ResumesFromACopiedStateToTheBit) {
  for (const Mechanism& mechanism : {model("controlled-pendulum"), vibrating_tool(5), model("gear-train")}) {
    const Plan plan = modular(mechanism, mechanism.plan.step);
    Simulation one(mechanism, plan), other(mechanism, plan);
    ASSERT_TRUE(one.assemble().report.accepted());
    for (int n = 0; n < 20; ++n) ASSERT_TRUE(one.step(plan.step).report.accepted());
    other.restore(one.state());
    for (int n = 0; n < 20; ++n) {
      ASSERT_TRUE(one.step(plan.step).report.accepted());
      ASSERT_TRUE(other.step(plan.step).report.accepted());
    }
    EXPECT_TRUE(same_bits(one.state(), other.state()));
  }
}

TEST(Modular, AStepTakesNothingFromTheHeap) {
#ifndef TRAMMEL_COUNTS_MALLOC
  GTEST_SKIP() << "malloc cannot be counted in this build";
#endif
  for (const Mechanism& mechanism :
       {chain(10), vibrating_tool(5), model("controlled-pendulum"), model("gear-train")})
    for (const int threads : {1, 2}) {
      Plan plan = modular(mechanism, mechanism.plan.step);
      plan.modular.threads = threads;
      Simulation simulation(mechanism, plan, make_executor(plan));
      ASSERT_TRUE(simulation.assemble().report.accepted());
      for (int n = 0; n < 3; ++n) ASSERT_TRUE(simulation.step(plan.step).report.accepted());
      const long before = allocations;
      bool accepted = true;
      for (int n = 0; n < 10; ++n) accepted = simulation.step(plan.step).report.accepted() && accepted;
      const long after = allocations;
      EXPECT_TRUE(accepted);
      EXPECT_EQ(after - before, 0) << mechanism.bodies.front().name;
    }
}

}  // namespace
}  // namespace trammel::tests::modular_test
