// Forces that jump or have kinks where the motion takes them, end-stops and conditions within long steps:
// against closed forms, in all coordinates, by tolerance and by steps.
#include "simulation/switches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::switches_test {
namespace {

constexpr double kPi = std::numbers::pi;

// A slider of 1 kg that starts at `x` with speed `v`, and what acts on it.
std::string slider(double x, double v, const std::string& acts) {
  return "trammel: 1\nplane: xy\nbodies: {a: {mass: 1, inertia: 1, at: [" + std::to_string(x) +
         ", 0]}}\njoints: {s: {prismatic: [a, ground], at: [" + std::to_string(x) +
         ", 0], axis: [1, 0], coordinate: " + std::to_string(x) + "}}\ninitial: {a: {velocity: [" +
         std::to_string(v) + ", 0]}}\n" + acts + "\n";
}

RunResult run_text(const std::string& text, const std::vector<std::string>& settings) {
  const Mechanism mechanism = read_model_text(text, "switches.yaml", settings).value();
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

double last(const RunResult& result, const std::string& column) {
  return result.trajectory.column(column).back();
}

TEST(Switches, AreThoseThatTheMotionDecides) {
  const auto count = [](const std::string& force, const std::string& more = "",
                        const std::string& plan = "") {
    return simulation::switches_of(
               read_model_text(slider(0, 0,
                                      "forces: {push: {force: [\"" + force +
                                          "\", 0], at: a.com}}\nsimulate: {duration: 1, step: 1 ms" + plan +
                                          "}\n" + more),
                               "switches.yaml")
                   .value())
        .size();
  };
  EXPECT_EQ(count("if(a.x > 1, 3, 0) + abs(a.vx)"), 2U);
  EXPECT_EQ(count("if(t > 1, 3, 0) + sin(a.x)"), 0U);
  EXPECT_EQ(count("f(a.x)", "functions: {f: {spline: [[0, 0], [1, 1], [2, 0]]}}\n"), 0U);
  EXPECT_EQ(count("f(a.x)", "functions: {f: {table: [[0, 0], [1, 1], [2, 0]]}}\n"), 1U);
  EXPECT_EQ(count("0", "", ", stop-when: t > 0.5 and a.x > 1"), 2U);
}

struct Law {
  const char *name, *force;
};

// ω = 1 on one side of x = 0, ω = 2 on the other: half periods of π and π/2. All laws say so.
const Law kTwoSprings[] = {
    {"if", "if(s.displacement > 0, -4*s.displacement, -s.displacement)"},
    {"max", "-s.displacement - 3*max(s.displacement, 0)"},
    {"min", "-4*s.displacement + 3*min(s.displacement, 0)"},
    {"abs", "-2.5*s.displacement - 1.5*abs(s.displacement)"},
    {"sign", "-s.displacement*(2.5 + 1.5*sign(s.displacement))"},
    {"table", "law(s.displacement)"},
};

std::string two_springs(const Law& law) {
  return slider(-1, 0,
                "forces: {push: {force: [\"" + std::string(law.force) +
                    "\", 0], at: a.com}}\n"
                    "functions: {law: {table: [[-2, 2], [0, 0], [1, -4]]}}\n"
                    "simulate: {duration: 20, step: 10 ms}\noutputs: {interval: 0.01}");
}

// x, from x = −1 at rest: −cos t up to t = π/2, then ½ sin 2(t − π/2) for half a period of π/2.
double two_springs_at(double t) {
  const double period = 1.5 * kPi, phase = std::fmod(t, period);
  if (phase < kPi / 2) return -std::cos(phase);
  if (phase < kPi) return 0.5 * std::sin(2 * (phase - kPi / 2));
  return -std::sin(phase - kPi);
}

class Laws : public testing::TestWithParam<std::tuple<Law, std::string>> {
 protected:
  double error(const std::string& setting) const {
    const auto& [law, coordinates] = GetParam();
    const RunResult result = run_text(two_springs(law), {"simulate.coordinates=" + coordinates,
                                                         "simulate." + setting, "simulate.verify=off"});
    EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
    double most = 0;
    const std::vector<double> t = result.trajectory.column("t"), x = result.trajectory.column("a.x");
    for (std::size_t i = 0; i < t.size(); ++i) most = std::max(most, std::abs(x[i] - two_springs_at(t[i])));
    return most;
  }
};

TEST_P(Laws, KeepTheTolerance) {
  EXPECT_LT(error("tolerance=1e-4"), 1e-2);
  EXPECT_LT(error("tolerance=1e-6"), 5e-5);
  EXPECT_LT(error("tolerance=1e-9"), 5e-8);
}

// A kink passed within a step would leave an error of the step's own size there.
TEST_P(Laws, KeepTheOrderOfTheRule) {
  const double coarse = error("step=0.02"), fine = error("step=0.01");
  EXPECT_LT(coarse, 1.2e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.2);
}

INSTANTIATE_TEST_SUITE_P(All, Laws,
                         testing::Combine(testing::ValuesIn(kTwoSprings),
                                          testing::Values("natural", "reference", "relative")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param);
                         });

// Coulomb friction of 0.05 N takes 0.1 m of the amplitude in each half period of π s.
TEST(Switches, DryFrictionTakesItsPartOfEverySwing) {
  const std::string text = slider(-1, 0,
                                  "forces: {push: {force: [\"-s.displacement - 0.05*sign(s.rate)\", 0], "
                                  "at: a.com}}\nsimulate: {duration: 5*pi, step: 1 ms}");
  for (const auto& [setting, error] : {std::pair{"simulate.tolerance=1e-4", 1e-3},
                                       {"simulate.tolerance=1e-8", 1e-7},
                                       {"simulate.step=1e-2", 1e-4}}) {
    const RunResult result = run_text(text, {setting});
    EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
    EXPECT_NEAR(last(result, "a.x"), 0.5, error) << setting;
  }
}

// Where it should stick, sign(v) goes back and forth: the run goes on, the body hardly moves, and the marks
// say why. A sign with a width sticks but for a creep.
TEST(Switches, FrictionThatSticksDoesNotStopTheRun) {
  const std::string text =
      slider(0, 0.5,
             "parameters: {sharp: 1}\n"
             "forces: {push: {force: [\"1 - 2*if(sharp, sign(s.rate), smooth_sign(s.rate, "
             "1e-3))\", 0], at: a.com}}\nsimulate: {duration: 2, step: 1 ms}");
  const RunResult sharp = run_text(text, {});
  // It comes to rest at t = 0.5 s, after 0.125 m.
  EXPECT_NEAR(last(sharp, "a.x"), 0.125, 2e-3);
  ASSERT_EQ(sharp.summary.status, RunStatus::marked) << sharp.summary.message;
  for (const MarkedStep& step : sharp.summary.marked_steps)
    EXPECT_NE(step.reason.find("jumps back and forth"), std::string::npos) << step.reason;
  const RunResult smooth = run_text(text, {"parameters.sharp=0"});
  EXPECT_EQ(smooth.summary.status, RunStatus::ok) << smooth.summary.message;
  EXPECT_NEAR(last(smooth, "a.x"), 0.125, 5e-3);
}

// A thermostat without hysteresis: a step that fails names its switch, and a tolerance does not go on for
// hours.
TEST(Switches, OfAStateThatSlidesAreNamed) {
  const std::string text =
      slider(0, 0,
             "states: {T: {derivative: \"if(T < 20, 3, 0) - 0.1*(T - 10)\", initial: 12}}\n"
             "forces: {push: {force: [\"T - 20\", 0], at: a.com}}\n"
             "simulate: {duration: 30, step: 10 ms, verify: off}");
  for (const char* const setting : {"simulate.step=1e-2", "simulate.tolerance=1e-6"}) {
    const RunResult result = run_text(text, {setting});
    ASSERT_EQ(result.summary.status, RunStatus::failed) << setting;
    // It reaches 20 after 10 ln(28/20) s.
    EXPECT_NEAR(result.summary.time, 10 * std::log(1.4), 0.2) << setting;
    EXPECT_NE(result.summary.message.find("'if(T < 20, 3, 0) - 0.1*(T - 10)' jumps back and forth"),
              std::string::npos)
        << result.summary.message;
  }
}

// Along a tenth of a millimetre a force of 1 kN does 0.1 J. A step passes it a thousand times over.
TEST(Switches, AZoneShorterThanAStepIsNotPassedUnseen) {
  const std::string text = slider(0, 1,
                                  "forces: {push: {force: [\"if(a.x > 0.5 and a.x < 0.5001, 1000, 0)\", 0], "
                                  "at: a.com}}\nsimulate: {duration: 1, step: 1 ms}");
  for (const char* const setting :
       {"simulate.tolerance=1e-3", "simulate.tolerance=1e-6", "simulate.tolerance=1e-9"})
    EXPECT_NEAR(last(run_text(text, {setting}), "s.rate"), std::sqrt(1.2), 1e-6) << setting;
}

const char* const kOscillator = "forces: {coil: {joint-spring: s, stiffness: 1}}\n";

class Tolerances : public testing::TestWithParam<double> {
 protected:
  std::vector<std::string> settings() const { return {"simulate.tolerance=" + std::to_string(GetParam())}; }
};

// x = −cos t passes a stop at 0.999 by a thousandth, for a ninth of a step.
TEST_P(Tolerances, AGrazedStopIsMet) {
  const RunResult result = run_text(
      slider(-1, 0,
             std::string(kOscillator) + "stops: {bumper: {joint: s, upper: 0.999, restitution: 0.5}}\n"
                                        "simulate: {duration: 5, step: 1 ms}"),
      settings());
  ASSERT_EQ(result.summary.events.size(), 1U);
  EXPECT_NEAR(result.summary.events[0].t, kPi - std::acos(0.999), 20 * GetParam());
  for (const double x : result.trajectory.column("s.displacement")) EXPECT_LT(x, 0.999 + 1e-6);
}

// A condition that holds for 6 ms of a step of half a second.
TEST_P(Tolerances, AConditionWithinAStepEndsTheRun) {
  const RunResult result =
      run_text(slider(-1, 0,
                      std::string(kOscillator) + "simulate: {duration: 5, step: 1 ms, stop-when: "
                                                 "s.displacement > 0.5 and s.displacement < 0.505}\n"
                                                 "outputs: {interval: 0.1}"),
               settings());
  const double end = kPi - std::acos(0.5);
  EXPECT_NEAR(result.summary.time, end, 20 * GetParam());
  // Every row up to there is kept.
  EXPECT_EQ(result.trajectory.column("t").size(), 1 + static_cast<std::size_t>(end / 0.1) + 1);
}

INSTANTIATE_TEST_SUITE_P(All, Tolerances, testing::Values(1e-3, 1e-4, 1e-6), [](const auto& test) {
  return "t" + std::to_string(static_cast<int>(-std::log10(test.param)));
});

// A model with coordinates of its own decides likewise.
// A zone of 1 mm with 1e5 N takes 100 J: v^2 = 100^2 - 200. Time lost at its ends would cost 1e5 m/s a
// second.
TEST(Switches, AreLocatedSoThatLargeForcesDoNotTell) {
  const RunResult result = run_text(
      slider(0, 100,
             "forces: {wall: {force: [\"if(s.displacement > 5 and s.displacement < 5.001, -1e5, 0)\", 0], "
             "at: a.com}}"),
      {"simulate.duration=0.1", "simulate.tolerance=1e-9"});
  EXPECT_NEAR(last(result, "s.rate"), std::sqrt(1e4 - 200), 3e-9);
}

TEST(Switches, CoordinatesOfAPersonsOwnDecideToo) {
  const std::string text =
      "trammel: 1\ncoordinates: {x: -1}\nmass: {x: 1}\napplied: {x: \"if(x > 0, -4*x, -x)\"}\n"
      "simulate: {duration: 20, step: 10 ms}\n";
  const auto error = [&](const char* setting) {
    const RunResult result = run_text(text, {setting});
    double most = 0;
    const std::vector<double> t = result.trajectory.column("t"), x = result.trajectory.column("x");
    for (std::size_t i = 0; i < t.size(); ++i) most = std::max(most, std::abs(x[i] - two_springs_at(t[i])));
    return most;
  };
  EXPECT_LT(error("simulate.tolerance=1e-8"), 5e-7);
  EXPECT_NEAR(error("simulate.step=0.02") / error("simulate.step=0.01"), 4, 0.2);
}

}  // namespace
}  // namespace trammel::tests::switches_test
