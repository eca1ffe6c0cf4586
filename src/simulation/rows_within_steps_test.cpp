// Rows lie within steps that the tolerance chooses: each is as exact as the end of a step, or marked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::rows_within_steps_test {
namespace {

// Errors of the steps so far add up: what the tolerance promises of a short motion.
constexpr double kPromised = 30;

RunResult run_at(const std::string& text, double tolerance) {
  Mechanism mechanism = read_model_text("trammel: 1\n" + text, "rows.yaml").value();
  mechanism.plan.tolerance = tolerance;
  mechanism.plan.verify = false;
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation);
}

// Places, angles and their rates in every row of `result` that is not marked, by those of a finer run: in
// units of the tolerance, relative to the value or to one metre or radian. Columns that both runs have.
void expect_rows_of(const RunResult& finer, const RunResult& result, double tolerance) {
  const std::vector<double> marked = result.trajectory.column("marked");
  const std::size_t rows = std::min(marked.size(), finer.trajectory.rows());
  ASSERT_GT(rows, 40u);
  for (std::size_t c = 1; c < result.trajectory.channels.size(); ++c) {
    const Channel& channel = result.trajectory.channels[c];
    if (channel.unit != "m" && channel.unit != "m/s" && channel.unit != "rad" && channel.unit != "rad/s")
      continue;
    if (channel.name.starts_with("violation")) continue;
    const int of_finer = finer.trajectory.find(channel.name);
    if (of_finer < 0) continue;
    double largest = 0, at = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double exact = finer.trajectory.row(i)[static_cast<std::size_t>(of_finer)];
      const double error = std::abs(result.trajectory.row(i)[c] - exact) / std::max(1.0, std::abs(exact));
      if (marked[i] == 0 && error > largest) {
        largest = error;
        at = result.trajectory.row(i)[0];
      }
    }
    EXPECT_LT(largest, kPromised * tolerance) << channel.name << " at t = " << at;
  }
}

// The same for reactions, which follow from a row's own q and v: in parts of the largest force of the row,
// torques about a metre included. Near a singular position forces change over the way that is left to it, of
// which `to_singular` is the column, instead of over a metre.
void expect_reactions_of(const RunResult& finer, const RunResult& result, double tolerance,
                         const std::string& to_singular = "") {
  const Trajectory &rows = result.trajectory, &exact = finer.trajectory;
  const std::vector<double> marked = rows.column("marked");
  const std::vector<double> way =
      to_singular.empty() ? std::vector<double>(rows.rows(), 1) : rows.column(to_singular);
  std::vector<std::size_t> forces;
  for (std::size_t c = 1; c < rows.channels.size(); ++c)
    if (const Channel& channel = rows.channels[c];
        channel.group.starts_with("joints/") && (channel.unit == "N" || channel.unit == "N.m"))
      forces.push_back(c);
  ASSERT_GT(forces.size(), 1U);
  for (std::size_t i = 0; i < std::min(rows.rows(), exact.rows()); ++i) {
    if (marked[i] != 0) continue;
    double largest = 1;  // N or N.m: bodies of a kilogram and a metre
    for (const std::size_t c : forces) largest = std::max(largest, std::abs(exact.row(i)[c]));
    const double bound = kPromised * tolerance * largest / std::min(1.0, std::abs(way[i]));
    for (const std::size_t c : forces)
      EXPECT_NEAR(rows.row(i)[c], exact.row(i)[c], bound)
          << rows.channels[c].name << " at t = " << rows.row(i)[0];
  }
}

// The drift that a run tells covers that of each of its rows, which lie within steps.
void expect_drift_covers_rows(const RunResult& result) {
  const Trajectory& rows = result.trajectory;
  const std::vector<double> kinetic = rows.column("energy.kinetic"),
                            potential = rows.column("energy.potential"), work = rows.column("energy.work");
  double drift = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    drift = std::max(drift,
                     std::abs(kinetic[i] + potential[i] - work[i] - (kinetic[0] + potential[0] - work[0])));
  EXPECT_GE(result.summary.energy_drift, drift - 1e-12);  // rounding of energies of 100 J
}

std::string pushed_pendulum(const std::string& torque) {
  return R"(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
simulate: {duration: 1, integrator: dop853}
outputs: {interval: 5 ms}
forces: {p: {on: rod, torque: ")" +
         torque + "\"}}\n";
}

// A rod on a cart whose guide is half a metre below the pin, and so carries a torque.
const std::string kPushedCart = R"yaml(
plane: xy
gravity: [0, -9.81]
bodies:
  cart: {mass: 2, inertia: 1, at: [0, 0]}
  rod:  {mass: 1, inertia: 0.1, at: [0.5, 0.5]}
joints:
  guide: {prismatic: [cart, ground], at: [0, 0], axis: [1, 0]}
  pin:   {revolute: [rod, cart], at: [0, 0.5]}
forces: {push: {force: ["50*exp(-((t - 0.3)/0.1)^2)", 0], at: cart.com}}
simulate: {duration: 1, integrator: dop853}
outputs: {interval: 5 ms}
)yaml";

// A torque that comes and goes within four milliseconds, where a free pendulum takes long steps; and one that
// no step begins or ends with, so that the polynomials of long steps do not follow it.
TEST(RowsWithinSteps, BesideAPulseMeetTheTolerance) {
  const std::string sudden =
      pushed_pendulum("step(t, 0.1092, 0, 0.11014600000000001, 200)*step(t, 0.112984, 1, 0.11393, 0)");
  const std::string smooth = pushed_pendulum("50*exp(-((t - 0.3)/0.1)^2)");
  for (const std::string& text : {sudden, smooth, kPushedCart}) {
    const RunResult finer = run_at(text, 1e-11);
    for (const double tolerance : {1e-5, 1e-6, 1e-8}) {
      SCOPED_TRACE(text + std::to_string(tolerance));
      const RunResult result = run_at(text, tolerance);
      EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
      expect_rows_of(finer, result, tolerance);
      expect_reactions_of(finer, result, tolerance);
      expect_drift_covers_rows(result);
    }
  }
}

// ṡ = u is drawn to cos ωt by a damper, u̇ = k (cos ωt − u): the steps that Radau takes follow s, which moves
// little, and the end of each is on u; the polynomial between its stages is not.
TEST(RowsWithinSteps, OfAStiffTreeMeetTheTolerance) {
  constexpr double k = 1e6, w = 300;
  const std::string dragged = fmt::format(R"(
plane: xy
bodies: {{b: {{mass: 1, inertia: 1}}}}
joints: {{s: {{prismatic: [b, ground], axis: [1, 0]}}}}
forces: {{drag: {{joint: s, force: '{:.0f}*(cos({:.0f}*t) - s.rate)'}}}}
initial: {{s: {{speed: 1}}}}
simulate: {{duration: 1, coordinates: relative}}
outputs: {{interval: 1 ms}}
)",
                                          k, w);
  for (const double tolerance : {1e-4, 1e-6}) {
    SCOPED_TRACE(tolerance);
    const RunResult result = run_at(dragged, tolerance);
    EXPECT_NE(result.summary.choice.find("radau9"), std::string::npos) << result.summary.choice;
    const std::vector<double> t = result.trajectory.column("t"), u = result.trajectory.column("s.rate");
    ASSERT_EQ(t.size(), 1001u);
    // By now nothing is left of how it began, nor of the errors of earlier steps; a row's own may be as large
    // as that of a step, of which what is told is good within a factor of three.
    for (std::size_t i = 1; i < t.size(); ++i)
      EXPECT_NEAR(u[i], (std::cos(w * t[i]) + w / k * std::sin(w * t[i])) / (1 + w * w / (k * k)),
                  3 * tolerance)
          << t[i];
  }
}

// Anti-parallelogram, thrown through its flat position, where the stages of a step lie close to a singular
// one.
const std::string kCrossed = R"(
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}
  D: {at: [2.0, 0], on: ground}
  A: [0.7045164521837349, 0.709687655664408]
  B: [1.7811951703252225, -0.9757686439474221]
bodies:
  crank: {rod: [O, A], mass: 2.33, length: 1.0}
  coupler: {rod: [A, B], mass: 0.48, length: 2.0}
  rocker: {rod: [D, B], mass: 0.45, length: 1.0}
initial: {crank: {angular-velocity: 8.16179614419383}}
simulate: {duration: 2}
outputs: {interval: 1 ms}
)";

// A step over that position is long and has many rows.
TEST(RowsWithinSteps, NextToASingularPositionMeetTheTolerance) {
  // Nothing finer passes all the flat positions.
  const RunResult finer = run_at(kCrossed, 1e-8);
  ASSERT_LE(finer.summary.status, RunStatus::limited) << finer.summary.message;
  for (const double tolerance : {1e-6, 1e-7}) {
    SCOPED_TRACE(tolerance);
    const RunResult result = run_at(kCrossed, tolerance);
    ASSERT_LE(result.summary.status, RunStatus::marked) << result.summary.message;
    expect_rows_of(finer, result, tolerance);
    expect_reactions_of(finer, result, tolerance, "A.y");
    expect_drift_covers_rows(result);
    EXPECT_LT(result.summary.marked_steps.size(), 10u);  // of 2001 rows and six such steps
  }
}

// At 1e-9 the steps end at the flat position, where they may: it divides the motion, and rounding decides on
// the velocities beyond it. A run that ends so says why, and its rows are right.
TEST(RowsWithinSteps, BeforeASingularPositionMeetATightTolerance) {
  const RunResult finer = run_at(kCrossed, 1e-11), result = run_at(kCrossed, 1e-9);
  if (result.summary.status == RunStatus::failed) {
    EXPECT_NE(result.summary.message.find("as next to a singular position"), std::string::npos)
        << result.summary.message;
    // The last row is less than 1 ms from where the crank lies flat, at 11 m/s.
    EXPECT_LT(std::abs(result.trajectory.column("A.y").back()), 0.011);
  }
  expect_rows_of(finer, result, 1e-9);
  expect_reactions_of(finer, result, 1e-9, "A.y");
  expect_drift_covers_rows(result);
}

// In relative coordinates both equations of Sarrus' last hinge hold the platform's tilt. One vanishes at the
// start and grows as the platform falls: the rounding of a row so short must not come into the other.
TEST(RowsWithinSteps, OfALinkageWithAShortRedundantRowClose) {
  const std::string path = std::string(kSourceDir) + "/models/sarrus.yaml";
  for (const double tolerance : {1e-4, 1e-6})
    for (const double duration : {0.02, 0.1, 0.5}) {
      SCOPED_TRACE(fmt::format("{} {}", tolerance, duration));
      const auto run_in = [&](const std::string& coordinates) {
        const Mechanism mechanism =
            read_model(path,
                       {"simulate.verify=off", fmt::format("simulate.tolerance={}", tolerance),
                        fmt::format("simulate.duration={}", duration), "simulate.coordinates=" + coordinates})
                .value();
        Simulation simulation(mechanism, mechanism.plan);
        return run(simulation);
      };
      const RunResult relative = run_in("relative"), natural = run_in("natural");
      EXPECT_EQ(relative.summary.status, RunStatus::ok) << relative.summary.marked_steps.size();
      EXPECT_EQ(natural.summary.status, RunStatus::ok);
      expect_rows_of(natural, relative, tolerance);
    }
}

}  // namespace
}  // namespace trammel::tests::rows_within_steps_test
