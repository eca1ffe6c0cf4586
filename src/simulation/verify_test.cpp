// Error estimates against errors that are known in closed form, and against runs of a thousandth of the
// tolerance; what a run says where its motion cannot be known to the end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <thread>

#include "simulation/error_estimate.h"
#include "simulation/resolve.h"
#include "simulation/verify.h"
#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"

namespace trammel::tests::verify_test {
namespace {

Mechanism model_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  return read_model_text("trammel: 1\n" + text, "verify.yaml", settings).value();
}

RunResult run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Mechanism mechanism = model_of(text, settings);
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

double of_kind(const RunResult& result, std::string_view kind) {
  const ErrorEstimate::Kind* found = result.summary.error.find(kind);
  return found == nullptr ? NAN : found->largest;
}

// A mass on a spring, pushed off from rest: x = sin 10t / 10, v = cos 10t.
const std::string kOscillator = R"(
plane: xy
gravity: [0, 0]
points: {O: {at: [0, 0], on: ground}, B: [0, 0]}
bodies: {m: {point: B, mass: 1 kg}}
forces: {s: {spring: [O, B], stiffness: 100, length: 0}}
initial: {B: {velocity: [1, 0]}}
simulate: {duration: 3 s}
)";

// A pendulum of two rods, one metre each, that falls from the horizontal.
const std::string kDoublePendulum = R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2, 0]}
bodies:
  upper: {rod: [O, A], mass: 1 kg}
  lower: {rod: [A, B], mass: 1 kg}
simulate: {duration: 2 s}
)";

struct Setting {
  const char* name;
  std::vector<std::string> settings;
};
class Oscillator : public testing::TestWithParam<Setting> {};

TEST_P(Oscillator, ErrsAsEstimated) {
  const RunResult result = run_text(kOscillator, GetParam().settings);
  ASSERT_LE(result.summary.status, RunStatus::limited) << result.summary.message;
  const Trajectory& rows = result.trajectory;
  ASSERT_EQ(result.errors.rows(), rows.rows());
  double x_error = 0, v_error = 0;
  const auto x = rows.column("m.x"), v = rows.column("m.v.x"), t = rows.column("t");
  for (std::size_t i = 0; i < t.size(); ++i) {
    x_error = std::max(x_error, std::abs(x[i] - std::sin(10 * t[i]) / 10));
    v_error = std::max(v_error, std::abs(v[i] - std::cos(10 * t[i])));
  }
  EXPECT_GT(x_error / of_kind(result, "position"), 1.0 / 10);
  EXPECT_LT(x_error / of_kind(result, "position"), 2);
  EXPECT_GT(v_error / of_kind(result, "velocity"), 1.0 / 10);
  EXPECT_LT(v_error / of_kind(result, "velocity"), 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, Oscillator,
    testing::Values(
        Setting{"step", {"simulate.step=1e-3"}}, Setting{"long_step", {"simulate.step=1e-2"}},
        Setting{"tolerance", {"simulate.tolerance=1e-6"}}, Setting{"coarse", {"simulate.tolerance=1e-3"}},
        Setting{"fine", {"simulate.tolerance=1e-9"}},
        Setting{"euler",
                {"simulate.step=1e-4", "simulate.formulation=lagrange", "simulate.integrator=euler"}},
        Setting{"rk4", {"simulate.step=5e-3", "simulate.formulation=lagrange", "simulate.integrator=rk4"}},
        Setting{"reference", {"simulate.coordinates=reference", "simulate.step=1e-3"}},
        Setting{"relative", {"simulate.coordinates=relative", "simulate.tolerance=1e-5"}}),
    [](const auto& test) { return test.param.name; });

// Forces too: against a run at a thousandth of the tolerance.
TEST(Verified, EstimatesTheErrorsOfReactions) {
  const RunResult exact =
      run_text(kDoublePendulum, {"simulate.tolerance=1e-12", "simulate.verify=off", "outputs.interval=0.02"});
  for (const char* setting : {"simulate.step=2e-3", "simulate.tolerance=1e-5", "simulate.tolerance=1e-8"}) {
    const RunResult result = run_text(kDoublePendulum, {setting, "outputs.interval=0.02"});
    ASSERT_EQ(result.trajectory.rows(), exact.trajectory.rows());
    for (const char* column : {"O.force.x", "A.force.y", "upper.x", "lower.omega"}) {
      const auto a = result.trajectory.column(column), b = exact.trajectory.column(column),
                 e = result.errors.column(column);
      double error = 0, estimate = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        error = std::max(error, std::abs(a[i] - b[i]));
        estimate = std::max(estimate, e[i]);
      }
      EXPECT_GT(error / estimate, 1.0 / 30) << column << ", " << setting;
      EXPECT_LT(error / estimate, 3) << column << ", " << setting;
    }
  }
}

Mechanism double_four_bar(const std::vector<std::string>& settings) {
  return read_model(std::string(kSourceDir) + "/models/double-four-bar.yaml", settings).value();
}

// Next to a singular position rows catch another part of a spike with every step size; in a smooth motion the
// peak is one.
TEST(Verified, APeakThatDoesNotConvergeIsKnownToErr) {
  const Mechanism singular = double_four_bar({"simulate.step=0.01"});
  Simulation through(singular, singular.plan);
  const RunSummary summary = run(through).summary;
  EXPECT_GT(summary.peak_reaction.error, 0.1 * summary.peak_reaction.force);
  EXPECT_NE(summary.status, RunStatus::ok);
  const RunSummary::Peak smooth = run_text(kDoublePendulum, {"simulate.duration=1"}).summary.peak_reaction;
  EXPECT_GT(smooth.force, 20);
  EXPECT_LT(smooth.error, 1e-3 * smooth.force);
}

// A method that needs independent constraints leaves a singular position with any reactions. Each of them is
// marked, or its estimated error says that it means nothing; and the run is not ok.
TEST(Verified, ReactionsBeyondASingularPositionAreMarkedOrKnownToErr) {
  for (const char* rule : {"dop853", "radau9"}) {
    const Mechanism m =
        double_four_bar({"simulate.formulation=lagrange", fmt::format("simulate.integrator={}", rule),
                         "simulate.tolerance=1e-6", "simulate.duration=3"});
    Plan plan = m.plan;
    plan.step = 0;
    Simulation simulation(m, plan);
    const RunResult result = run(simulation);
    EXPECT_GT(result.summary.status, RunStatus::ok) << rule;
    const auto marked = result.trajectory.column("marked");
    for (std::size_t c = 1; c < result.trajectory.channels.size(); ++c) {
      if (result.trajectory.channels[c].unit != "N") continue;
      for (std::size_t i = 0; i < result.trajectory.rows(); ++i) {
        const double force = std::abs(result.trajectory.row(i)[c]), error = result.errors.row(i)[c];
        // Smooth peaks of this motion are 90 N.
        if (force < 1000 || marked[i] != 0) continue;
        EXPECT_TRUE(std::isnan(error) || error > 0.1 * force) << rule << ", row " << i << ": " << force;
      }
    }
  }
}

// The rows are those of the run alone, whoever computes the second one.
TEST(Verified, HasTheSameBits) {
  const Mechanism mechanism = model_of(kDoublePendulum, {"simulate.tolerance=1e-6"});
  Plan alone = mechanism.plan;
  alone.verify = false;
  Simulation by_itself(mechanism, alone), after(mechanism, mechanism.plan),
      beside(mechanism, mechanism.plan, make_executor(mechanism.plan));
  const RunResult a = run(by_itself), b = run(after), c = run(beside);
  EXPECT_EQ(a.errors.rows(), 0u);
  EXPECT_TRUE(a.summary.error.reference.empty());
  EXPECT_EQ(a.trajectory.values, b.trajectory.values);
  EXPECT_EQ(a.trajectory.values, c.trajectory.values);
  ASSERT_EQ(b.errors.values.size(), c.errors.values.size());
  for (std::size_t i = 0; i < b.errors.values.size(); ++i)
    EXPECT_TRUE(b.errors.values[i] == c.errors.values[i] ||
                (std::isnan(b.errors.values[i]) && std::isnan(c.errors.values[i])));
}

TEST(Verified, SaysHowLongAChaoticMotionIsKnown) {
  const RunResult result =
      run_text(kDoublePendulum, {"simulate.tolerance=1e-7", "simulate.duration=30", "outputs.interval=0.05"});
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  const ErrorEstimate::Kind* position = result.summary.error.find("position");
  ASSERT_NE(position, nullptr);
  EXPECT_GT(position->known_until, 2);
  EXPECT_LT(position->known_until, 29);
  EXPECT_GT(position->growth, 0.1);
  // Another tolerance goes on to be right for longer, and both agree for as long as they are known.
  const RunResult finer = run_text(
      kDoublePendulum, {"simulate.tolerance=1e-11", "simulate.duration=30", "outputs.interval=0.05"});
  EXPECT_GT(finer.summary.error.find("position")->known_until, position->known_until);
  const auto t = result.trajectory.column("t"), x = result.trajectory.column("B.x"),
             exact = finer.trajectory.column("B.x");
  for (std::size_t i = 0; i < t.size() && t[i] <= position->known_until; ++i)
    EXPECT_NEAR(x[i], exact[i], 3 * 4e-3) << t[i];
}

// A wheel at 1000 rad/s and steps of 1 ms: it turns by 927 rad instead of 1000, and every step is accepted.
TEST(Verified, SeesTurnsThatALongStepLoses) {
  const RunResult result = run_text(R"(
bodies: {wheel: {mass: 1, inertia: [0.01, 0.01, 0.02]}}
joints: {hub: {revolute: [wheel, ground], at: [0, 0, 0], axis: [0, 0, 1]}}
initial: {hub: {speed: 1000}}
simulate: {duration: 1 s, step: 1 ms}
)");
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  const double lost = 1000 - result.trajectory.column("hub.angle").back();
  EXPECT_GT(lost, 10);
  EXPECT_GT(result.errors.column("hub.angle").back(), lost / 3);
}

// The first run halves every step to those that the second has anyway: 185 rad instead of 200.
TEST(Verified, TellsNothingWhereBothRunsTakeTheSameSteps) {
  const RunResult result = run_text(R"(
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {b: {rod: [O, A], mass: 1}}
initial: {b: {angular-velocity: 200}}
simulate: {duration: 1, step: 10 ms}
)");
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  ASSERT_NE(result.summary.error.limit(), nullptr);
  EXPECT_EQ(result.summary.error.limit()->known_until, 0);
  EXPECT_NE(result.summary.error.failure.find("both runs took the same"), std::string::npos);
  // What both runs have in common is no error of either: none is told.
  for (const ErrorEstimate::Kind& kind : result.summary.error.kinds)
    EXPECT_TRUE(std::isnan(kind.largest)) << kind.name;
  for (const double error : result.errors.column("b.angle")) EXPECT_TRUE(std::isnan(error));
  EXPECT_TRUE(std::isnan(result.summary.peak_reaction.error));
}

// A step longer than the run is cut to it, that of the second run too; and beyond the finest tolerance the
// second run is coarser.
TEST(Verified, SeesStepsLongerThanTheRunAndTheFinestTolerance) {
  const RunResult result = run_text(kOscillator, {"simulate.step=10"});
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  EXPECT_GT(of_kind(result, "position"), 0.01);
  const RunResult finest = run_text(kOscillator, {"simulate.tolerance=1e-14", "simulate.duration=0.5"});
  EXPECT_GT(of_kind(finest, "position"), 0);
}

// Whatever accuracy is asked for, a run whose peak is not known to a tenth is not ok.
TEST(Verified, APeakThatIsNotKnownLimitsTheRun) {
  const RunResult result =
      run_text(kDoublePendulum, {"simulate.tolerance=1e-3", "simulate.duration=30", "simulate.accuracy=1e9"});
  const RunSummary::Peak& peak = result.summary.peak_reaction;
  ASSERT_EQ(result.summary.error.limit(), nullptr);
  ASSERT_GT(peak.error, 0.1 * peak.force);
  EXPECT_EQ(result.summary.status, RunStatus::limited);
}

// What is asked of the accuracy does not change what a peak's error is.
TEST(Verified, APeakDoesNotDependOnTheAccuracy) {
  const RunResult usual = run_text(kDoublePendulum, {"simulate.duration=1"}),
                  strict = run_text(kDoublePendulum, {"simulate.duration=1", "simulate.accuracy=1e-12"});
  EXPECT_EQ(strict.summary.status, RunStatus::limited);
  EXPECT_EQ(usual.summary.peak_reaction.error, strict.summary.peak_reaction.error);
}

// A free body that spins about its middle axis flips a second early by steps of 1 ms; no energy is lost. For
// as long as the run says it is known, it errs by no more than three times what is told.
TEST(Verified, SeesATumblingBodyFlipTooEarly) {
  const std::string handle = R"(
bodies: {handle: {mass: 0.3 kg, inertia: [2e-4, 4e-4, 5e-4], points: {b: [0, 1, 0]}}}
initial: {handle: {angular-velocity: [0.01, 10, 0.01]}}
outputs: {interval: 0.05, columns: {up: handle.b.y}}
simulate: {duration: 20 s)";
  const RunResult result = run_text(handle + ", step: 1 ms}");
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  const RunResult exact = run_text(handle + ", coordinates: reference, tolerance: 1e-11, verify: off}");
  ASSERT_EQ(result.trajectory.rows(), exact.trajectory.rows());
  ASSERT_NE(result.summary.error.limit(), nullptr);
  const double known = result.summary.error.limit()->known_until;
  EXPECT_GT(known, 1);
  const auto t = result.trajectory.column("t");
  for (const char* column : {"up", "handle.omega.x", "handle.omega.y", "handle.omega.z"}) {
    const auto a = result.trajectory.column(column), b = exact.trajectory.column(column),
               told = result.errors.column(column);
    double error = 0, band = 0;
    for (std::size_t i = 0; i < t.size() && t[i] <= known; ++i) {
      error = std::max(error, std::abs(a[i] - b[i]));
      band = std::max(band, told[i]);
      EXPECT_LT(error, 3 * band + 1e-9) << column << " at " << t[i];  // the finer run's own error
    }
    EXPECT_GT(error, 0) << column;
  }
}

// Penalties hold redundant bars loosely: what holds them exactly is the measure.
TEST(Verified, SeesWhatPenaltiesLeaveOpen) {
  const std::vector<std::string> settings = {"simulate.formulation=penalty", "simulate.integrator=rk4",
                                             "simulate.penalty=100", "simulate.step=1e-3"};
  const RunResult loose = run_text(kDoublePendulum, settings);
  EXPECT_NE(loose.summary.status, RunStatus::ok);
  const RunResult exact = run_text(kDoublePendulum, {"simulate.tolerance=1e-10"});
  const auto x = loose.trajectory.column("B.x"), right = exact.trajectory.column("B.x"),
             error = loose.errors.column("B.x");
  ASSERT_EQ(x.size(), right.size());
  EXPECT_GT(error.back(), std::abs(x.back() - right.back()) / 3);
}

// Three parallel cranks on one bar, from rest at an angle φ: of the bar's equations one follows from the
// others. (3/3 + 1) φ̈ = −(3/2 + 1) g cos φ, with rods of 1 kg and 1 m and a bar of 1 kg.
std::string three_cranks(double phi) {
  return fmt::format(R"(
plane: xy
gravity: [0, -9.81]
points:
  O1: {{at: [0, 0], on: ground}}
  O2: {{at: [1, 0], on: ground}}
  O3: {{at: [2, 0], on: ground}}
  A: [{0}, {1}]
  B: [{0} + 1, {1}]
  C: [{0} + 2, {1}]
bodies:
  left: {{rod: [O1, A], mass: 1}}
  middle: {{rod: [O2, B], mass: 1}}
  right: {{rod: [O3, C], mass: 1}}
  bar: {{mass: 1, inertia: 0.1, at: [{0} + 1, {1}], carries: [A, B, C]}}
simulate: {{duration: 3 s, step: 1 ms, formulation: penalty}}
)",
                     std::cos(phi), std::sin(phi));
}

// x = cos φ of the same, every millisecond: by the classical rule with steps of 0.1 ms, exact to 1e-12.
std::vector<double> three_cranks_exactly(double phi) {
  constexpr double h = 1e-4;
  const auto turn = [](double angle) { return -1.25 * 9.81 * std::cos(angle); };
  std::vector<double> x;
  double w = 0;
  for (int i = 0; i <= 30000; ++i) {
    if (i % 10 == 0) x.push_back(std::cos(phi));
    const double a1 = turn(phi), w2 = w + h / 2 * a1, a2 = turn(phi + h / 2 * w), w3 = w + h / 2 * a2,
                 a3 = turn(phi + h / 2 * w2), w4 = w + h * a3, a4 = turn(phi + h * w3);
    phi += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return x;
}

// From 30° below the flat position the cranks swing without passing one; from 60° above they fall through it.
TEST(Verified, PenaltiesOnARedundantMechanismAreRightOrNotOk) {
  int ok = 0, others = 0;
  for (const double start : {-0.5, 1.0}) {
    const std::vector<double> exact = three_cranks_exactly(start);
    const auto [least, most] = std::ranges::minmax(exact);
    const double range = most - least;
    for (const char* penalty : {"1e3", "1e5", "1e7", "1e9"})
      for (const char* rule : {"trapezoidal", "rk4"}) {
        const RunResult result = run_text(three_cranks(start), {fmt::format("simulate.penalty={}", penalty),
                                                                fmt::format("simulate.integrator={}", rule)});
        const std::string name = fmt::format("{} {} from {}", penalty, rule, start);
        (result.summary.status == RunStatus::ok ? ok : others) += 1;
        const auto t = result.trajectory.column("t"), x = result.trajectory.column("A.x");
        double error = 0;
        for (std::size_t i = 0; i < t.size(); ++i)
          error =
              std::max(error, std::abs(x[i] - exact.at(static_cast<std::size_t>(std::lround(1e3 * t[i])))));
        if (result.summary.status != RunStatus::ok) continue;
        // Of the accuracy of 1e-3 that is asked for, as much as two runs may mistake.
        EXPECT_LT(error, 3e-3 * range) << name;
        EXPECT_GT(of_kind(result, "position"), error / 3) << name;
      }
  }
  EXPECT_GE(ok, 3);
  EXPECT_GE(others, 3);
}

// An oscillator that ends where it crosses zero: the time of that is a figure too, and both runs have one.
TEST(Verified, ComparesTheEndsOfRunsThatEndByThemselves) {
  const RunResult result =
      run_text(kOscillator, {"simulate.tolerance=1e-4", "simulate.stop-when=m.x < -0.05"});
  EXPECT_EQ(result.summary.status, RunStatus::ok);
  EXPECT_FALSE(std::isnan(result.errors.column("m.v.x").back()));
  EXPECT_LT(result.errors.column("m.v.x").back(), 1e-2);
}

// The trapezoidal rule takes sin t to 1 − h²/12 = 0.99979 in steps of 50 ms; the second run comes to 0.99989.
TEST(Verified, SaysThatOnlyTheSecondRunMetItsCondition) {
  const RunResult result = run_text(R"(
plane: xy
bodies: {a: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [a, ground], axis: [1, 0]}}
forces: {push: {force: [cos(t), 0], at: a.com}}
simulate: {duration: 3, step: 50 ms, stop-when: "s.rate > 0.99985"}
)");
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  EXPECT_NEAR(result.summary.error.limit()->known_until, 1.55, 1e-9);
  EXPECT_EQ(result.summary.error.failure,
            "it ended at t = 1.55742 s, where 's.rate > 0.99985' became true, and the first run went on; a "
            "tolerance or a smaller step tells which of them errs");
}

// The larger step of the first run damps more, so that it meets a condition that the second does not.
TEST(Verified, SaysThatOnlyTheFirstRunMetItsCondition) {
  const RunResult result = run_text(
      kOscillator, {"simulate.step=20 ms", "simulate.integrator={hht: -0.3}", "simulate.accuracy=0.5",
                    "outputs.interval=20 ms", "simulate.stop-when=100*B.x^2 + B.vx^2 < 0.99"});
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  EXPECT_EQ(result.summary.error.failure,
            "the first run ended at t = 1.89091 s, where '100*B.x^2 + B.vx^2 < 0.99' became true, and this "
            "one went on; a tolerance or a smaller step tells which of them errs");
}

// A load of a tonne at the end of ten rods of 10 g swings down: under its weight the rods vibrate at
// thousands of radians a second.
TEST(Verified, SaysWhyStepsOfALightChainWereHalved) {
  const std::string chain = R"(
plane: xy
gravity: [0, -9.81]
points: {P0: {at: [0, 0], on: ground}, "P{i}": {for: {i: 1..10}, at: [0.5*i, 0]}}
bodies:
  "r{i}": {for: {i: 1..10}, rod: ["P{i-1}", "P{i}"], mass: 0.01}
  load: {point: P10, mass: 1000}
simulate: {duration: 1 s}
)";
  const RunResult halved = run_text(chain, {"simulate.step=1 ms"});
  EXPECT_EQ(halved.summary.status, RunStatus::limited);
  for (const char* words :
       {"steps were halved, for light bodies under the reactions of heavy ones vibrate faster than steps of "
        "0.001 s follow (masses differ by 1e+05)",
        "give a tolerance instead of the step"})
    EXPECT_NE(halved.summary.error.failure.find(words), std::string::npos) << halved.summary.error.failure;
  // It is the mass that does it; and what is advised knows the positions to the end.
  const RunResult heavier = run_text(chain, {"simulate.step=1 ms", "bodies.load.mass=1"});
  EXPECT_EQ(heavier.summary.rejected_steps, 0);
  const RunResult advised = run_text(chain, {"simulate.tolerance=1e-4"});
  ASSERT_LE(advised.summary.status, RunStatus::limited) << advised.summary.message;
  EXPECT_TRUE(std::isinf(advised.summary.error.find("position")->known_until));
}

// A handle that spins about its middle axis and flips: its angular momentum is constant, and what its columns
// show of a change is error. Orientations are known for 4.6 s.
TEST(Verified, ConstantsOfStepsOfOneSizeAreNotJudgedByTheirErrors) {
  const RunResult result = run_text(R"(
parameters: {Ix: 2e-4, Iy: 4e-4, Iz: 5e-4, ma: (Iy + Iz - Ix)/2, mb: (Iz + Ix - Iy)/2, mc: (Ix + Iy - Iz)/2}
bodies:
  handle: {mass: 0.3 kg, inertia: [Ix, Iy, Iz], points: {a: [1, 0, 0], b: [0, 1, 0], c: [0, 0, 1]}}
initial: {handle: {angular-velocity: [0.01, 10, 0.01]}}
simulate: {duration: 6 s, step: 1 ms}
outputs:
  columns:
    Lx: ma*(handle.a.y*handle.a.vz - handle.a.z*handle.a.vy) + mb*(handle.b.y*handle.b.vz - handle.b.z*handle.b.vy) + mc*(handle.c.y*handle.c.vz - handle.c.z*handle.c.vy)
    Ly: ma*(handle.a.z*handle.a.vx - handle.a.x*handle.a.vz) + mb*(handle.b.z*handle.b.vx - handle.b.x*handle.b.vz) + mc*(handle.c.z*handle.c.vx - handle.c.x*handle.c.vz)
    moving: 1e-6*handle.a.x
)");
  EXPECT_EQ(result.summary.status, RunStatus::limited);
  const ErrorEstimate::Kind& limit = *result.summary.error.limit();
  EXPECT_GT(limit.known_until, 4) << limit.first;
  // A small column that moves is judged: it is lost with the orientation.
  EXPECT_LT(result.summary.error.find("other")->known_until, 6);
  EXPECT_EQ(result.summary.error.find("other")->first, "moving");
}

TEST(Verified, AMechanismAtRestIsKnown) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0, -1]}
bodies: {rod: {rod: [O, A], mass: 1 kg}}
simulate: {duration: 10 s, tolerance: 1e-4}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.error.limit()->first;
}

// The first run takes one step from kink to kink. Of each half wave the impulse is 2/omega: v = 2/pi after 1
// s.
TEST(Verified, KinksCloserThanAStepHideNoError) {
  const RunResult result = run_text(
      "plane: xy\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {s: {prismatic: [a, ground], axis: [1, 0]}}\n"
      "forces: {push: {force: [abs(sin(200*pi*t)), 0], at: a.com}}\nsimulate: {duration: 1}\n");
  const double error = std::abs(result.trajectory.column("s.rate").back() - 2 / std::numbers::pi);
  EXPECT_GT(error, 1e-8);
  EXPECT_LT(error, 3 * of_kind(result, "velocity"));
}

TEST(Verified, StopsWithTheFirstRun) {
  const Mechanism mechanism = model_of(kDoublePendulum, {"simulate.step=1e-4"});
  for (const bool side_by_side : {false, true}) {
    Simulation simulation(mechanism, mechanism.plan,
                          side_by_side ? make_executor(mechanism.plan) : std::shared_ptr<Executor>());
    const RunResult result = run(simulation, [](double t) { return t < 0.5; });
    EXPECT_EQ(result.summary.status, RunStatus::stopped);
    EXPECT_LT(result.summary.time, 1);
  }
}

// A progress function that hears signals can do so on its own thread only.
TEST(Verified, AsksForProgressOnTheCallersThread) {
  const Mechanism mechanism = model_of(kDoublePendulum, {"simulate.step=1e-4"});
  for (int again = 0; again < 3; ++again) {
    Simulation simulation(mechanism, mechanism.plan, make_executor(mechanism.plan));
    std::atomic<bool> elsewhere = false;
    run(simulation, [&, caller = std::this_thread::get_id()](double) {
      if (std::this_thread::get_id() != caller) elsewhere = true;
      return true;
    });
    EXPECT_FALSE(elsewhere);
  }
}

// A caller's sink may throw, as on a full disk: in the caller's thread, whichever computed the row.
TEST(Verified, PassesOnWhatTheSinkThrows) {
  class Full final : public ResultSink {
    void write(std::span<const double>) override { throw std::runtime_error("no space left"); }
  };
  const Mechanism mechanism = model_of(kDoublePendulum);
  Simulation simulation(mechanism, mechanism.plan, make_executor(mechanism.plan));
  ASSERT_TRUE(simulation.assemble().report.accepted());
  Full sink;
  EXPECT_THROW(run(simulation, sink), std::runtime_error);
}

// A row on the time of a jump has the force before it in one run and the one after it in the other.
TEST(Verified, ARowOnAJumpOfAForceIsNoError) {
  const RunResult sticks = run_text(R"(
plane: xy
bodies: {b: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [b, ground], axis: [1, 0]}}
forces: {f: {dry-friction: s, capacity: 2, static: 3}}
initial: {s: {speed: 1}}
simulate: {duration: 1}
)");
  EXPECT_EQ(sticks.summary.status, RunStatus::ok) << sticks.summary.message;
  const RunResult pressed = run_text(R"(
plane: xy
bodies: {b: {mass: 1, inertia: 1}}
joints: {s: {prismatic: [b, ground], axis: [1, 0]}}
forces: {p: {force: [0, 'if(s.displacement > 0.5, 100, 0)'], at: b.com}}
initial: {s: {speed: 1}}
simulate: {duration: 1}
)");
  EXPECT_EQ(pressed.summary.status, RunStatus::ok) << pressed.summary.message;
  EXPECT_NEAR(pressed.summary.peak_reaction.force, 100, 1e-9);
  EXPECT_FALSE(pressed.summary.peak_reaction.error > 1e-3);
}

// A crank at ten turns a second, with a row in each turn: the work of its motor goes to and fro between rows.
TEST(Verified, EnergiesAreJudgedByTheirRangeBetweenRowsToo) {
  const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.1, 0], B: [0.4, 0]}
bodies:
  crank: {rod: [O, A], mass: 1}
  coupler: {rod: [A, B], mass: 1}
  slider: {point: B, mass: 1}
joints: {guide: {point-on-line: B, through: O, along: [1, 0]}}
drivers: {motor: {angle: crank, equals: 20*pi*t}}
outputs: {interval: 0.1}
simulate: {duration: 50}
)");
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
}

// The error of a pendulum's phase adds up; that of a double pendulum at large angles grows exponentially
// (SaysHowLongAChaoticMotionIsKnown).
TEST(Verified, AnErrorThatAddsUpIsNoGrowth) {
  for (const char* accuracy : {"1e-8", "1e-7", "1e-6"}) {
    const RunResult result = run_text(R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
simulate: {duration: 5}
)",
                                      {std::string("simulate.accuracy=") + accuracy});
    for (const ErrorEstimate::Kind& kind : result.summary.error.kinds)
      EXPECT_TRUE(std::isnan(kind.growth)) << kind.name << ", " << accuracy << ": " << kind.growth;
  }
}

// A microgram between two walls with springs, 2 um apart, in a mechanism of a metre: a tolerance of a metre's
// millionth limits no step of it, and two runs may take the same steps through a contact.
TEST(Verified, AMotionSmallerThanTheToleranceIsJudgedByARunThatResolvesIt) {
  struct Grain {
    const char *walls, *tolerance;
    double speed, gravity, interval, duration;
  };
  const Grain grains[] = {
      {"-0.35888*(max(a.x - 1e-6, 0) + min(a.x + 1e-6, 0)) + 6e-7*sin(8.05e4*t)", "1e-6", 0.14037706666912192,
       9.81, 4.682107501124376e-05, 0.0002341053750562188},
      {"if(abs(a.x) > 1e-6, 6235.9*(sign(a.x)*1e-6 - a.x), 0)"
       " + 1.1e-8*sin(1.29e4*t)",
       "1e-6", 0.005348573355250774, 9.81, 4.87746405301391e-06, 4.8774640530139103e-4},
  };
  for (const Grain& grain : grains) {
    const std::string text =
        fmt::format(R"yaml(
plane: xy
gravity: [{1}, 0]
bodies: {{a: {{mass: 1e-9, inertia: 1e-9}}, b: {{mass: 1, inertia: 1, at: [1, 0]}}}}
joints: {{s: {{prismatic: [ground, a], axis: [1, 0]}}, f: {{fixed: [b, ground]}}}}
forces: {{walls: {{force: ["{0}", 0], at: a.com}}}}
initial: {{s: {{speed: {2}}}}}
outputs: {{interval: {3}}}
simulate: {{duration: {4}, coordinates: reference}}
)yaml",
                    grain.walls, grain.gravity, grain.speed, grain.interval, grain.duration);
    const RunResult result = run_text(text, {fmt::format("simulate.tolerance={}", grain.tolerance)});
    const auto exact = run_text(text, {"simulate.tolerance=1e-12", "simulate.verify=off"})
                           .trajectory.column("s.displacement");
    const auto place = result.trajectory.column("s.displacement");
    ASSERT_EQ(place.size(), exact.size());
    double error = 0;
    for (std::size_t i = 0; i < place.size(); ++i) error = std::max(error, std::abs(place[i] - exact[i]));
    EXPECT_LT(error, 3 * of_kind(result, "position"));
    EXPECT_GT(error, 1e-12);
  }
}

// Teeth mesh two thousand times a second, in steps of a millisecond: both runs must not meet them at the same
// phase. The housing is moved by 100/(11·(2π·2000)²) m and what the start leaves.
TEST(Verified, AWaveThatTheMotionMakesIsNotMetAtOnePhase) {
  for (const char* acts :
       {"100*cos(24*shaft.angle)", "100*cos(phase)", "100*cos(4000*pi*t + 0*mount.displacement)"}) {
    const std::string text = fmt::format(R"yaml(
plane: xy
parameters: {{speed: 5000 rpm}}
bodies:
  housing: {{mass: 10, inertia: 1}}
  gear: {{mass: 1, inertia: 0.01}}
joints:
  mount: {{prismatic: [housing, ground], axis: [0, 1]}}
  shaft: {{revolute: [gear, housing], at: [0, 0]}}
drivers: {{motor: {{angle: shaft, equals: speed*t}}}}
states: {{phase: {{derivative: 24*speed, initial: 0}}}}
forces:
  rubber: {{joint-spring: mount, stiffness: 1e4, damping: 60}}
  mesh: {{force: [0, "{}"], at: housing.com}}
)yaml",
                                         acts);
    for (const char* method : {"augmented-lagrangian-index3", "lagrange"}) {
      const RunResult result = run_text(text, {"simulate.duration=0.5", "simulate.step=1e-3",
                                               std::string("simulate.formulation=") + method});
      double largest = 0;
      for (const double y : result.trajectory.column("mount.displacement"))
        largest = std::max(largest, std::abs(y));
      const double error = largest - 1.2e-7;
      EXPECT_LT(error, 3 * of_kind(result, "position")) << acts << ", " << method;
      EXPECT_GT(result.summary.status, RunStatus::ok) << acts << ", " << method;
    }
  }
}

TEST(FinerPlan, KeepsTheRowsAndNamesWhatDiffers) {
  Plan plan;
  plan.step = 1e-3;
  plan.duration = 2.5;
  plan.tolerance = 0;
  const simulation::Finer half = simulation::finer(plan, simulation::resolve(plan));
  EXPECT_EQ(half.plan.step, 1e-3);
  EXPECT_EQ(half.part, 0.3819660112501051);
  EXPECT_EQ(half.plan.output_interval, 3e-3);
  EXPECT_EQ(half.words, "steps of 0.000382 s and 0.000618 s");
  plan.formulation = "augmented-lagrangian-index3";
  plan.integrator = "generalized-alpha";
  EXPECT_EQ(simulation::finer(plan, simulation::resolve(plan)).words, "step 0.0005 s");
  plan.formulation = kAutomatic;
  plan.integrator = kAutomatic;
  plan.step = 0;
  plan.tolerance = 1e-5;
  EXPECT_EQ(simulation::finer(plan, simulation::resolve(plan)).words, "tolerance 1e-06");
}

Channel channel(const std::string& group, const std::string& name, const std::string& unit) {
  return {group, name, "", unit, name, false};
}

// Of three positions one is kept at zero by symmetry: rounding there is not an error of its own range.
TEST(ErrorRanges, ASmallColumnIsJudgedBesideThoseOfItsUnit) {
  Trajectory a, b;
  a.channels =
      b.channels = {channel("", "t", "s"), channel("bodies/m", "x", "m"), channel("bodies/m", "y", "m")};
  for (int i = 0; i <= 10; ++i) {
    a.values.insert(a.values.end(), {0.1 * i, 1.0 * i, 1e-9 * i});
    b.values.insert(b.values.end(), {0.1 * i, 1.0 * i + 1e-6, 0});
  }
  const auto [estimate, errors, scales] = simulation::estimate_errors(a, b, {2, 1e-3, {}, 0, {}});
  ASSERT_EQ(estimate.kinds.size(), 1u);
  EXPECT_EQ(estimate.limit(), nullptr);
  EXPECT_NEAR(estimate.find("position")->largest, 2e-6, 1e-12);
  EXPECT_NEAR(errors[3 * 5 + 2], 1e-8, 1e-20);
}

// Redundant joints share a load in any way: two runs that share it differently do not err.
TEST(ErrorRanges, AReactionThatIsNotUniqueIsNotJudged) {
  Trajectory a, b;
  a.channels = b.channels = {channel("", "t", "s"), channel("joints/j", "j.force.x", "N"),
                             channel("joints/j", "j.force.x.unique", "")};
  a.channels[2].dataset = b.channels[2].dataset = "force.unique";
  for (int i = 0; i <= 10; ++i) {
    const double unique = i < 3 ? 1 : 0, other = i < 3 ? 0 : 5;
    a.values.insert(a.values.end(), {0.1 * i, 1.0 * i, unique});
    b.values.insert(b.values.end(), {0.1 * i, 1.0 * i + other, unique});
  }
  EXPECT_EQ(simulation::estimate_errors(a, b, {2, 1e-3, {}, 0, {}}).estimate.limit(), nullptr);
  for (std::size_t i = 0; i <= 10; ++i) a.values[3 * i + 2] = b.values[3 * i + 2] = 1;
  EXPECT_NE(simulation::estimate_errors(a, b, {2, 1e-3, {}, 0, {}}).estimate.limit(), nullptr);
}

// A joint without load beside redundant ones that carry it: its rounding is small beside their forces.
TEST(ErrorRanges, AReactionThatIsNotUniqueIsAForceOfTheMechanism) {
  Trajectory a, b;
  a.channels =
      b.channels = {channel("", "t", "s"), channel("joints/i", "i.force.x", "N"),
                    channel("joints/j", "j.force.x", "N"), channel("joints/j", "j.force.x.unique", "")};
  a.channels[3].dataset = b.channels[3].dataset = "force.unique";
  for (int i = 0; i <= 10; ++i) {
    a.values.insert(a.values.end(), {0.1 * i, 1e-8, 1.0 * i, 0});
    b.values.insert(b.values.end(), {0.1 * i, 0, 1.0 * i, 0});
  }
  EXPECT_EQ(simulation::estimate_errors(a, b, {2, 1e-3, {}, 0, {}}).estimate.limit(), nullptr);
}

// Forces that one run alone has between redundant joints make nobody's error small.
TEST(ErrorRanges, AReactionThatOneRunAloneHasIsNoForceOfTheMechanism) {
  Trajectory a, b;
  a.channels =
      b.channels = {channel("", "t", "s"), channel("joints/i", "i.force.x", "N"),
                    channel("joints/j", "j.force.x", "N"), channel("joints/j", "j.force.x.unique", "")};
  a.channels[3].dataset = b.channels[3].dataset = "force.unique";
  for (int i = 0; i <= 10; ++i) {
    a.values.insert(a.values.end(), {0.1 * i, 1.1e-3 * i, 300, 0});
    b.values.insert(b.values.end(), {0.1 * i, 1e-3 * i, -300, 0});
  }
  EXPECT_NE(simulation::estimate_errors(a, b, {2, 1e-3, {}, 0, {}}).estimate.limit(), nullptr);
}

TEST(ErrorRanges, AMissingEndLimitsWhatIsKnown) {
  Trajectory a, b;
  a.channels = b.channels = {channel("", "t", "s"), channel("bodies/m", "x", "m")};
  for (int i = 0; i <= 10; ++i) a.values.insert(a.values.end(), {0.1 * i, 1.0 * i});
  for (int i = 0; i <= 4; ++i) b.values.insert(b.values.end(), {0.1 * i, 1.0 * i});
  const auto [estimate, errors, scales] = simulation::estimate_errors(a, b, {2, 1e-3, {}, 0, {}});
  ASSERT_NE(estimate.limit(), nullptr);
  EXPECT_NEAR(estimate.limit()->known_until, 0.4, 1e-12);
  EXPECT_TRUE(std::isnan(errors[2 * 5 + 1]));
}

}  // namespace
}  // namespace trammel::tests::verify_test
