// Smooth pulses of the motion: no step passes them unseen.
#include "simulation/passages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::passages_test {
namespace {

using simulation::SignalPath;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

TEST(SignalPath, HasItsValuesAndDerivatives) {
  for (const double second : {-7.0, kUnknown}) {
    const SignalPath path(2, 4, {1, 3, second}, {5, -1, 2 * second});
    const double h = 1e-4;
    const auto rate = [&](double t) { return (path.at(t + h) - path.at(t - h)) / (2 * h); };
    const auto bend = [&](double t) { return (path.at(t + h) + path.at(t - h) - 2 * path.at(t)) / (h * h); };
    EXPECT_DOUBLE_EQ(path.at(2), 1);
    EXPECT_DOUBLE_EQ(path.at(4), 5);
    EXPECT_NEAR(rate(2), 3, 1e-6);
    EXPECT_NEAR(rate(4), -1, 1e-6);
    if (std::isnan(second)) continue;
    EXPECT_NEAR(bend(2), -7, 1e-5);
    EXPECT_NEAR(bend(4), -14, 1e-5);
  }
}

// Of a circle: the cubic errs by θ⁴/384, the polynomial of degree five by θ⁶/46080.
TEST(SignalPath, FollowsACircle) {
  for (const double turn : {0.5, 0.25}) {
    const auto end = [](double t, bool known) {
      return SignalPath::End{std::cos(t), -std::sin(t), known ? -std::cos(t) : kUnknown};
    };
    const SignalPath quintic(1, 1 + turn, end(1, true), end(1 + turn, true)),
        cubic(1, 1 + turn, end(1, false), end(1 + turn, false));
    double of_quintic = 0, of_cubic = 0;
    for (int k = 0; k <= 100; ++k) {
      const double t = 1 + turn * k / 100;
      of_quintic = std::max(of_quintic, std::abs(quintic.at(t) - std::cos(t)));
      of_cubic = std::max(of_cubic, std::abs(cubic.at(t) - std::cos(t)));
    }
    EXPECT_LT(of_cubic, std::pow(turn, 4) / 384);
    EXPECT_LT(of_quintic, std::pow(turn, 6) / 46080);
    EXPECT_GT(of_quintic, 0.2 * std::pow(turn, 6) / 46080);
    EXPECT_EQ(cubic.bend(), 0);
    EXPECT_NEAR(quintic.bend(), of_cubic, 0.5 * of_cubic);
  }
}

TEST(SignalPath, StaysInItsEnclosures) {
  for (const double second : {12.0, kUnknown}) {
    const SignalPath path(2, 4, {1, 3, second}, {5, -10, -second});
    for (const double length : {2.0, 0.5, 0.01})
      for (double from = 2; from + length <= 4; from += length) {
        const expressions::Enclosure over = path.over(from, from + length);
        // It errs by no more than the curvature, at most 75, allows.
        EXPECT_LT(over.d.width(), 75 * length + 1e-9);
        for (int k = 0; k <= 10; ++k) {
          const double t = from + 0.1 * k * length;
          EXPECT_GE(path.at(t), over.f.lo - 1e-14);
          EXPECT_LE(path.at(t), over.f.hi + 1e-14);
        }
      }
  }
}

// 1 kg that slides along x, at 1 m/s at x = 0.
std::string slider(const std::string& force, const std::string& simulate) {
  return "trammel: 1\nplane: xy\nbodies: {a: {mass: 1, inertia: 1}}\n"
         "joints: {s: {prismatic: [a, ground], axis: [1, 0]}}\nforces: {push: {force: [\"" +
         force + "\", 0], at: a.com}}\ninitial: {s: {speed: 1}}\nsimulate: {" + simulate + "}\n";
}

RunResult run_of(const std::string& force, const std::string& simulate) {
  const Mechanism mechanism = read_model_text(slider(force, simulate), "passage.yaml").value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

struct Way {
  std::string name, simulate;
};
class Passages : public testing::TestWithParam<Way> {};

// The kinetic energy grows by the work of the pulse, F w sqrt(pi), whatever its width.
TEST_P(Passages, DoTheirWork) {
  for (const double width : {1e-1, 1e-3, 1e-5}) {
    const double work = 0.4, force = work / (width * std::sqrt(std::numbers::pi));
    for (const double sign : {1.0, -1.0}) {
      const RunResult result = run_of(
          std::to_string(sign * force) + "*exp(-((s.displacement - 5.3)/" + std::to_string(width) + ")^2)",
          "duration: 10, " + GetParam().simulate);
      EXPECT_EQ(result.summary.status, RunStatus::ok);
      EXPECT_NEAR(result.trajectory.column("s.rate").back(), std::sqrt(1 + 2 * sign * work), 1e-4)
          << width << ", " << sign;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Passages,
                         testing::Values(Way{"usual", "tolerance: 1e-6"}, Way{"fine", "tolerance: 1e-9"},
                                         Way{"relative", "tolerance: 1e-6, coordinates: relative"},
                                         Way{"reference", "tolerance: 1e-6, coordinates: reference"},
                                         Way{"radau",
                                             "tolerance: 1e-7, formulation: lagrange, integrator: radau9"}),
                         [](const auto& test) { return test.param.name; });

TEST(Passages, OfOtherShapesAndBesideOtherForces) {
  const double w = 1e-3, pi = std::numbers::pi;
  const std::pair<std::string, double> forces[] = {
      // 2000 N over the 1 mm between two smooth jumps
      {"1000*(smooth_sign(s.displacement - 5, 1e-5) - smooth_sign(s.displacement - 5.001, 1e-5))", 2},
      {"200/(1 + ((s.displacement - 4)/0.001)^2)", 200 * w * pi},
      {"0.01*(s.displacement^2 + 1)^1.5/(s.displacement^2 + 1)^1.5*s.displacement + "
       "300*exp(-((s.displacement - 5.3)/0.001)^2) - "
       "0.01*s.displacement",
       300 * w * std::sqrt(pi)}};
  for (const auto& [force, work] : forces) {
    const RunResult result = run_of(force, "duration: 6, tolerance: 1e-6");
    EXPECT_NEAR(result.trajectory.column("s.rate").back(), std::sqrt(1 + 2 * work), 1e-3) << force;
  }
}

// A tip on an arm of 1 m that turns at 10 rad/s passes a spot of 30 um: pulses of 3e-6 s along a curved way.
// The torque does 2 J of work there, on 0.5 kg.m^2.
TEST(Passages, AlongACircle) {
  const double width = 3e-5, angle = 2.3, work = 2;
  const double torque = work / (width * std::sqrt(std::numbers::pi));
  for (const char* method :
       {"tolerance: 1e-6", "tolerance: 1e-8", "tolerance: 1e-6, coordinates: relative",
        "tolerance: 1e-6, coordinates: reference", "step: 5 ms", "step: 5 ms, integrator: newmark"}) {
    const std::string text = fmt::format(
        R"yaml(trammel: 1
plane: xy
bodies: {{arm: {{mass: 1, inertia: 0.5, at: [0, 0], points: {{tip: [1, 0]}}}}}}
joints: {{hinge: {{revolute: [arm, ground], at: [0, 0]}}}}
forces: {{push: {{torque: "{}*exp(-((arm.tip.x - {})^2 + (arm.tip.y - {})^2)/{})", on: arm}}}}
initial: {{hinge: {{speed: 10}}}}
simulate: {{duration: 0.5, {}}}
)yaml",
        torque, std::cos(angle), std::sin(angle), width * width, method);
    const Mechanism mechanism = read_model_text(text, "spot.yaml").value();
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    // Fixed steps stop at the spot, and tell that they do not resolve it.
    if (result.summary.status != RunStatus::ok && mechanism.plan.step > 0) continue;
    EXPECT_EQ(result.summary.status, RunStatus::ok) << method;
    EXPECT_NEAR(result.trajectory.column("hinge.rate").back(), std::sqrt(100 + 4 * work), 1e-4) << method;
  }
}

// A state s = sin t comes to 1 within 1e-4 and less: 1 − s = τ²/2 there, and ∫ exp(−(τ²/2w)²) dτ is
// 2 Γ(5/4) √(2w).
TEST(Passages, OfAStateAtItsExtreme) {
  for (const double width : {1e-4, 1e-5, 1e-6}) {
    const std::string text =
        slider("100*exp(-((p-1)/" + std::to_string(width * 1e6) + "e-6)^2)", "duration: 6, tolerance: 1e-6") +
        "states: {p: {derivative: c, initial: 0}, c: {derivative: -p, initial: 1}}\n";
    const Mechanism mechanism = read_model_text(text, "state.yaml", {"initial.s.speed=0"}).value();
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    const double exact = 100 * 2 * std::tgamma(1.25) * std::sqrt(2 * width),
                 speed = result.trajectory.column("s.rate").back();
    EXPECT_NEAR(speed, exact, std::max(1e-3, 3 * result.summary.error.find("velocity")->largest)) << width;
  }
}

// So does the speed s = sin t of a body that cos t drives, which a torque on another one follows.
TEST(Passages, OfASpeedAtItsExtreme) {
  for (const double width : {1e-4, 1e-5, 1e-6})
    for (const char* plan : {"", ", coordinates: relative", ", formulation: lagrange, integrator: radau9"}) {
      const std::string text =
          "trammel: 1\nplane: xy\n"
          "bodies: {a: {mass: 1, inertia: 1}, w: {mass: 1, inertia: 1, at: [0, 3]}}\n"
          "joints: {s: {prismatic: [a, ground], axis: [1, 0]}, h: {revolute: [w, ground], at: [0, 3]}}\n"
          "forces: {drive: {force: [cos(t), 0], at: a.com}, pulse: {torque: \"100*exp(-((s.rate-1)/" +
          std::to_string(width * 1e6) + "e-6)^2)\", on: w}}\nsimulate: {duration: 6, tolerance: 1e-6" + plan +
          "}\n";
      const Mechanism mechanism = read_model_text(text, "speed.yaml").value();
      Simulation simulation(mechanism, mechanism.plan);
      const RunResult result = run(simulation);
      const double exact = 100 * 2 * std::tgamma(1.25) * std::sqrt(2 * width);
      ASSERT_NE(result.summary.error.find("angular_velocity"), nullptr)
          << width << plan << ": " << result.summary.message;
      EXPECT_NEAR(result.trajectory.column("h.rate").back(), exact,
                  std::max(1e-3, 3 * result.summary.error.find("angular_velocity")->largest))
          << width << plan;
    }
}

// With steps of a fixed length, and by rules of low order, they are seen, and the second run tells how well.
TEST(Passages, AreNotPassedSilently) {
  for (const char* method :
       {"step: 0.1", "step: 0.1, formulation: lagrange, integrator: rk4", "step: 0.1, integrator: newmark",
        "tolerance: 1e-6, formulation: augmented-lagrangian-index3"}) {
    const RunResult result =
        run_of("20*exp(-((s.displacement - 5.313)/0.005)^2)", std::string("duration: 10, ") + method);
    if (result.summary.status != RunStatus::ok) continue;
    EXPECT_NEAR(result.trajectory.column("s.rate").back(), std::sqrt(1 + 0.2 * std::sqrt(std::numbers::pi)),
                3e-3)
        << method;
  }
}

// A pulse that is passed in 1e-7 s, and a zone that is passed in 1e-9 s: 2e4 J in 1 um.
TEST(Passages, OfFastBodies) {
  const auto at = [](const std::string& force, double speed, double duration) {
    const Mechanism mechanism = read_model_text(slider(force, "duration: " + std::to_string(duration)),
                                                "fast.yaml", {"initial.s.speed=" + std::to_string(speed)})
                                    .value();
    Simulation simulation(mechanism, mechanism.plan);
    return run(simulation);
  };
  const RunResult pulse = at("2e7*exp(-((s.displacement - 5)/1e-5)^2)", 100, 0.1);
  EXPECT_NEAR(pulse.trajectory.column("s.rate").back(),
              std::sqrt(1e4 + 2 * 200 * std::sqrt(std::numbers::pi)), 1e-3);
  const RunResult zone = at("if(s.displacement > 5 and s.displacement < 5.000001, 2e10, 0)", 1000, 0.01);
  EXPECT_NEAR(zone.trajectory.column("s.rate").back(), std::sqrt(1e6 + 2 * 2e4), 1e-3);
  EXPECT_NEAR(zone.trajectory.column("energy.work").back(), 2e4, 1);
}

// Zones that are shorter than a fixed step: what is lost of them the second run tells.
TEST(Passages, OfZonesShorterThanAStepAreNotLostSilently) {
  const std::pair<std::string, double> forces[] = {
      {"if(s.displacement > 5.0033 and s.displacement < 5.0043, 1000*sin(1000*pi*(s.displacement - 5.0033)), "
       "0)",
       2 / std::numbers::pi},
      {"step(s.displacement, 5.0033, 0, 5.0038, 1000) - step(s.displacement, 5.0038, 0, 5.0043, 1000)", 0.5}};
  for (const auto& [force, work] : forces)
    for (const char* method :
         {"", ", integrator: implicit-midpoint", ", formulation: lagrange, integrator: rk4"}) {
      const RunResult result = run_of(force, std::string("duration: 10, step: 0.01") + method);
      if (result.summary.status != RunStatus::ok) continue;
      EXPECT_NEAR(result.trajectory.column("s.rate").back(), std::sqrt(1 + 2 * work), 3e-3)
          << force << method;
      EXPECT_NEAR(result.trajectory.column("energy.work").back(), work, 3e-3 * work) << force << method;
    }
}

// Conditions that hold for a moment end the run.
TEST(Passages, OfTheConditionThatEndsTheRun) {
  const std::pair<std::string, double> conditions[] = {
      {"exp(-((t - 3.3)/1e-3)^2) > 0.5", 3.3 - 1e-3 * std::sqrt(std::log(2))},
      {"exp(-((s.displacement - 3.3)/1e-3)^2) > 0.5", 3.3 - 1e-3 * std::sqrt(std::log(2))},
      {"mod(t, 1) > 0.9999", 0.9999},
      {"sin(1000*t) > 0.5", std::numbers::pi / 6000}};
  for (const auto& [condition, time] : conditions)
    for (const char* method : {"", ", step: 0.01"}) {
      const RunResult result =
          run_of("0", std::string("duration: 10, stop-when: '") + condition + "'" + method);
      EXPECT_NEAR(result.summary.time, time, 1e-7) << condition << method;
    }
}

// A torque over the crank's angle, by its place in the turn: where a turn ends is a jump, not a pulse beside
// the path. As a periodic function it needs as many steps.
TEST(Passages, OfTurnsThereAreNone) {
  const auto steps = [](const std::string& place) {
    const std::string text =
        "trammel: 1\nplane: xy\nbodies: {b: {mass: 1, inertia: 0.1}}\n"
        "joints: {j: {revolute: [b, ground], at: [0, 0]}}\n"
        "functions: {f: {shape: periodic, "
        "spline: [[0, 0], [1, 10], [3, -3], [6.283185307179586, 0]]}}\n"
        "forces: {d: {joint: j, torque: \"f(" +
        place + ") - 0.02*j.rate\"}}\ninitial: {j: {speed: 10}}\nsimulate: {duration: 3, verify: off}\n";
    const Mechanism mechanism = read_model_text(text, "turns.yaml").value();
    Simulation simulation(mechanism, mechanism.plan);
    const RunResult result = run(simulation);
    EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
    return result.summary.steps;
  };
  EXPECT_LT(10 * steps("mod(j.angle, 2*pi)"), 13 * steps("j.angle"));
}

// Ordinary laws cost no steps.
TEST(Passages, OfOrdinaryForcesThereAreNone) {
  const auto steps = [](const std::string& force) {
    return run_of(force, "duration: 10, tolerance: 1e-6").summary.steps;
  };
  EXPECT_EQ(steps("-s.displacement^3"), steps("-s.displacement*s.displacement*s.displacement"));
  EXPECT_EQ(steps("-tanh(s.rate)"), steps("-(exp(s.rate) - exp(-s.rate))/(exp(s.rate) + exp(-s.rate))"));
}

}  // namespace
}  // namespace trammel::tests::passages_test
