// Controllers that act at sample times within whole runs, and functions of the caller's own whose changes of
// sign are events.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/model.h"
#include "trammel/motion_reader.h"
#include "trammel/run.h"

namespace trammel::tests::control_test {
namespace {

// 1 kg on a slide, pushed by the input u.
Mechanism cart(const std::string& simulate) {
  return read_model_text(R"(
trammel: 1
plane: xy
inputs: {u: 0}
bodies: {cart: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [cart, ground], axis: [1, 0]}}
forces: {push: {force: [u, 0], at: cart.com}}
outputs: {interval: 0.05 s}
simulate: {)" + simulate + "}\n",
                         "cart.yaml")
      .value();
}

const char* const kPlans[] = {"duration: 2 s, tolerance: 1e-9", "duration: 2 s, step: 10 ms",
                              "duration: 2 s, step: 7 ms",
                              "duration: 2 s, formulation: lagrange, integrator: rk4, step: 10 ms"};

struct Controlled {
  RunResult result;
  std::vector<double> times;  // of samples, of both runs
};

// u = 1 − 2 x − 3 v every so many seconds.
Controlled controlled(const std::string& plan, double every) {
  const Mechanism mechanism = cart(plan);
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  Controlled out;
  simulation.control({every, [&] {
                        return [&](Simulation& s) {
                          out.times.push_back(s.state().t);
                          s.set_input("u", 1 - 2 * s.coordinate("s") - 3 * s.speed("s"));
                        };
                      }});
  out.result = run(simulation);
  return out;
}

// Between samples the force is constant: x and v go on exactly.
TEST(Control, HoldsInputsBetweenSamples) {
  for (const char* plan : kPlans) {
    const double every = 0.03;
    const Controlled run = controlled(plan, every);
    EXPECT_EQ(run.result.summary.status, RunStatus::ok) << plan << run.result.summary.message;
    const std::vector<double> t = run.result.trajectory.column("t"),
                              x = run.result.trajectory.column("cart.x"),
                              v = run.result.trajectory.column("cart.v.x");
    double now = 0, position = 0, speed = 0;
    int samples = 0;
    std::size_t row = 0;
    while (row < t.size()) {
      const double u = 1 - 2 * position - 3 * speed, next = ++samples * every;
      for (; row < t.size() && t[row] <= next + 1e-12; ++row) {
        const double h = t[row] - now;
        EXPECT_NEAR(x[row], position + h * speed + 0.5 * h * h * u, 1e-9) << plan << " " << t[row];
        EXPECT_NEAR(v[row], speed + h * u, 1e-9) << plan << " " << t[row];
      }
      position += every * speed + 0.5 * every * every * u;
      speed += every * u;
      now = next;
    }
  }
}

// 67 samples up to 1.98 s; the second run has as many.
TEST(Control, ActsAtMultiplesInBothRuns) {
  for (const char* plan : kPlans) {
    const Controlled run = controlled(plan, 0.03);
    ASSERT_EQ(run.times.size(), 2 * 67u) << plan;
    std::vector<double> times = run.times;
    std::sort(times.begin(), times.end());
    for (std::size_t k = 0; k < 67; ++k) {
      EXPECT_NEAR(times[2 * k], 0.03 * static_cast<double>(k), 1e-12) << plan;
      EXPECT_EQ(times[2 * k + 1], times[2 * k]) << plan;
    }
    const auto* error = run.result.summary.error.find("position");
    ASSERT_NE(error, nullptr);
    EXPECT_LT(error->largest, 1e-8) << plan;
  }
}

TEST(Control, EachRunHasAControllerOfItsOwn) {
  const Mechanism mechanism = cart(kPlans[0]);
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  // An integrating controller: mixed up, the second run would be another motion.
  simulation.control({0.1, [] {
                        return [sum = 0.0](Simulation& s) mutable {
                          sum += 0.1 * (1 - s.coordinate("s"));
                          s.set_input("u", sum - s.speed("s"));
                        };
                      }});
  const RunResult result = run(simulation);
  EXPECT_LT(result.summary.error.find("position")->largest, 1e-8);
}

TEST(Control, ASampleTimeThatIsNoneIsRefused) {
  const Mechanism mechanism = cart(kPlans[0]);
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  for (const double every : {0.0, -1.0, static_cast<double>(NAN), 1e-300})
    EXPECT_THROW(simulation.control({every, [] { return [](Simulation&) {}; }}), std::invalid_argument);
}

// A body oscillates with x = sin(2t): it passes zero at multiples of π/2, ±0.6 elsewhere.
Mechanism spring(const std::string& simulate) {
  return read_model_text(R"(
trammel: 1
plane: xy
bodies: {b: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [b, ground], axis: [1, 0]}}
forces: {spring: {force: [-4*s.displacement, 0], at: b.com}}
initial: {s: {speed: 2}}
simulate: {)" + simulate + "}\n",
                         "spring.yaml")
      .value();
}

TEST(Watch, ChangesOfSignAreLocated) {
  for (const char* plan : {"duration: 5 s, tolerance: 1e-11",
                           "duration: 5 s, step: 5 ms, integrator: rk4, "
                           "formulation: lagrange"}) {
    const Mechanism mechanism = spring(plan);
    Simulation simulation(mechanism, mechanism.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted());
    simulation.watch({{"turns", [](const MotionReader& r) { return r.speed("s"); }, false}});
    const RunResult result = run(simulation);
    std::vector<Event> events = result.summary.events;
    // ẋ = 0 at π/4, 3π/4, …
    ASSERT_EQ(events.size(), 3u) << plan;
    for (std::size_t k = 0; k < events.size(); ++k) {
      EXPECT_EQ(events[k].kind, Event::Kind::crossing);
      EXPECT_EQ(events[k].name, "turns");
      EXPECT_EQ(events[k].after, k % 2 == 0 ? -1 : 1);
      EXPECT_NEAR(events[k].t, (0.25 + 0.5 * static_cast<double>(k)) * std::numbers::pi, 1e-8) << plan;
    }
    EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  }
}

// A function of time alone: the location has no error of the motion in it.
TEST(Watch, TimesAreKnownToTheLastDigits) {
  const Mechanism mechanism = spring("duration: 2 s, tolerance: 1e-4");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  simulation.watch({{"now", [](const MotionReader& r) { return r.t() - 1.2345; }, true}});
  const StepResult step = simulation.advance_to(2);
  EXPECT_TRUE(step.ended);
  ASSERT_EQ(step.events.size(), 1u);
  EXPECT_NEAR(simulation.state().t, 1.2345, 1e-10);
  EXPECT_NEAR(step.events[0].t, 1.2345, 1e-10);
  // It goes on from there.
  EXPECT_FALSE(simulation.advance_to(2).ended);
  EXPECT_EQ(simulation.state().t, 2);
}

// Beyond 0.95 for 0.32 s of a period of π: within one long step.
TEST(Watch, ShortExcursionsWithinStepsAreSeen) {
  const Mechanism mechanism = spring("duration: 3 s, tolerance: 1e-3");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  simulation.watch({{"high", [](const MotionReader& r) { return r.coordinate("s") - 0.95; }, false}});
  EXPECT_EQ(simulation.advance_to(3).events.size(), 2u);
}

TEST(Watch, ARunEndsWhereItIsTold) {
  const Mechanism mechanism = spring("duration: 3 s, tolerance: 1e-10");
  Simulation simulation(mechanism, mechanism.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  simulation.watch({{"half", [](const MotionReader& r) { return r.coordinate("s") - 0.5; }, true}});
  const RunResult result = run(simulation);
  EXPECT_NEAR(result.summary.time, std::numbers::pi / 12, 1e-8);
  EXPECT_NEAR(result.trajectory.column("t").back(), std::numbers::pi / 12, 1e-8);
}

}  // namespace
}  // namespace trammel::tests::control_test
