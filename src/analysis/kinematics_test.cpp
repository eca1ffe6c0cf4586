// Kinematics against closed forms: four-bars, slider-cranks, straight-line linkages, singular positions.
#include "trammel/analyses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "model/models_testing.h"

namespace trammel::tests::kinematics_test {
namespace {

using std::numbers::pi;

Mechanism read(const std::string& text, const std::string& coordinates = "automatic") {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  input.mechanism.plan.coordinates = coordinates;
  return std::move(input.mechanism);
}

// A four-bar of massless rods: crank a, coupler b, output c, frame d; the crank's angle is given.
std::string four_bar(double a, double b, double c, double d, const std::string& angle, const char* points,
                     const std::string& driven = "crank") {
  const auto number = [](double x) { return std::to_string(x); };
  return "trammel: 1\nplane: xy\npoints:\n  A: {at: [0, 0], on: ground}\n  D: {at: [" + number(d) +
         ", 0], on: ground}\n" + points + "bodies:\n  crank: {rod: [A, B], mass: 0, length: " + number(a) +
         "}\n  coupler: {rod: [B, C], mass: 0, length: " + number(b) +
         "}\n  rocker: {rod: [D, C], mass: 0, length: " + number(c) +
         "}\ndrivers: {motor: {angle: " + driven + ", equals: \"" + angle +
         "\"}}\nsimulate: {duration: 1 s}\noutputs: {interval: 0.01}\n";
}
constexpr const char* kOpen = "  B: [1, 0.1]\n  C: [4, 2.9]\n";

Kinematics traced(const Mechanism& mechanism, const KinematicsOptions& choice = {}) {
  Kinematics found = solve_kinematics(mechanism, choice);
  EXPECT_TRUE(found.report.accepted()) << found.report.message;
  return found;
}

class KinematicsIn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, KinematicsIn, testing::Values("natural", "reference", "relative"),
                         [](const auto& of) { return std::string(of.param); });

// A sweep of the crank, backwards over more than a turn: Freudenstein's equation holds, and speeds are
// derivatives by the crank's angle, against it here. The model's own driver and its time do not matter.
TEST_P(KinematicsIn, ACoordinateIsSweptWithoutTime) {
  const double a = 1, b = 4, c = 3, d = 3.5;
  for (const std::string name : {"motor", "crank"}) {
    const Mechanism mechanism = read(four_bar(a, b, c, d, "0.3 + sin(t)", kOpen), GetParam());
    const Kinematics found = traced(mechanism, {.drive = DriverSweep{name, 7, 0.5, 66}});
    const std::vector<double> theta = found.motion.column("crank.angle"),
                              psi = found.motion.column("rocker.angle"),
                              omega = found.motion.column("rocker.omega");
    ASSERT_EQ(theta.size(), 66u);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      EXPECT_NEAR(theta[k], 7 - 0.1 * static_cast<double>(k), 1e-10);
      EXPECT_NEAR(d / a * std::cos(psi[k]) - d / c * std::cos(theta[k]) +
                      (a * a - b * b + c * c + d * d) / (2 * a * c),
                  std::cos(theta[k] - psi[k]), 1e-12);
      // dψ/dθ of the equation
      const double by_psi = -d / a * std::sin(psi[k]) - std::sin(theta[k] - psi[k]),
                   by_theta = d / c * std::sin(theta[k]) + std::sin(theta[k] - psi[k]);
      EXPECT_NEAR(omega[k], by_theta / by_psi, 1e-9);
    }
  }
}

TEST(Sweep, OfAJointThatNothingDrives) {
  const Mechanism mechanism = model("four-bar");
  const Kinematics found = traced(mechanism, {.drive = DriverSweep{"A", 0, 2 * pi, 37}});
  EXPECT_EQ(found.motion.rows(), 37u);
  EXPECT_TRUE(found.held.empty());
  try {
    static_cast<void>(solve_kinematics(mechanism, {.drive = DriverSweep{"cranc", 0, 1, 5}}));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'cranc'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(static_cast<void>(solve_kinematics(mechanism, {.drive = DriverSweep{"A", 1, 1, 5}})),
               std::invalid_argument);
  // The gap of a cam's contact is a coordinate that nothing can drive.
  try {
    static_cast<void>(solve_kinematics(model("valve-train"), {.drive = DriverSweep{"contact", 0, 1, 5}}));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("named 'contact' has a single coordinate"), std::string::npos)
        << error.what();
  }
}

// Rigid bodies without mass or inertia stand where the others would.
TEST_P(KinematicsIn, MassesDoNotMatter) {
  Mechanism mechanism = read(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0.1, 0.28], B: [0.6, 0]}
bodies:
  crank: {mass: 1, inertia: 1, com: [0, 0], carries: [O, A]}
  coupler: {mass: 1, inertia: 1, com: [0.3, 0.1], carries: [A, B]}
  slider: {mass: 1, inertia: 1, com: [0.6, 0], carries: [B]}
joints: {guide: {prismatic: [slider, ground], at: B, axis: [1, 0]}}
drivers: {motor: {angle: crank, equals: t}}
simulate: {duration: 1 s}
)",
                             GetParam());
  const std::vector<double> x = traced(mechanism).motion.column("slider.x");
  for (Body& body : mechanism.bodies) {
    body.mass = 0;
    body.inertia.setZero();
  }
  const std::vector<double> same = traced(mechanism).motion.column("slider.x");
  ASSERT_EQ(x.size(), same.size());
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], same[k], 1e-10);
}

// Freudenstein: K1 cos ψ − K2 cos θ + K3 = cos(θ − ψ); K1 = d/a, K2 = d/c, K3 = (a² − b² + c² + d²)/(2ac).
TEST_P(KinematicsIn, AFourBarSatisfiesFreudensteinsEquation) {
  const double a = 1, b = 4, c = 3, d = 3.5;
  const Kinematics found = traced(read(four_bar(a, b, c, d, "2*pi*t", kOpen), GetParam()));
  EXPECT_TRUE(found.singular.empty());
  const std::vector<double> theta = found.motion.column("crank.angle"),
                            psi = found.motion.column("rocker.angle"),
                            mu = found.motion.column("C.transmission_angle");
  ASSERT_EQ(theta.size(), 101u);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    EXPECT_NEAR(
        d / a * std::cos(psi[k]) - d / c * std::cos(theta[k]) + (a * a - b * b + c * c + d * d) / (2 * a * c),
        std::cos(theta[k] - psi[k]), 1e-12);
    EXPECT_NEAR(std::cos(mu[k]),
                (b * b + c * c - a * a - d * d + 2 * a * d * std::cos(theta[k])) / (2 * b * c), 1e-12);
  }
  EXPECT_NEAR(theta.back(), 2 * pi, 1e-12);
  EXPECT_NEAR(psi.back(), psi.front(), 1e-12);  // a crank-rocker
}

// Rates and accelerations: derivatives of ψ(θ) from Freudenstein's equation.
TEST_P(KinematicsIn, RatiosOfAFourBarAreDerivativesOfFreudensteinsEquation) {
  const double a = 1, b = 4, c = 3, d = 3.5, w = 2 * pi;
  KinematicsOptions choice;
  choice.ratio_to = "motor";
  const Kinematics found = traced(read(four_bar(a, b, c, d, "2*pi*t + t^2", kOpen), GetParam()), choice);
  const std::vector<double> t = found.motion.column("t"), theta = found.motion.column("crank.angle"),
                            psi = found.motion.column("rocker.angle"),
                            rate = found.motion.column("rocker.omega"),
                            alpha = found.motion.column("rocker.alpha"),
                            ratio = found.motion.column("D.ratio"),
                            change = found.motion.column("D.ratio_derivative");
  for (std::size_t k = 0; k < t.size(); ++k) {
    // F = (d/a) cos ψ − (d/c) cos θ − cos(θ − ψ) + K3
    const double s = std::sin(theta[k] - psi[k]), co = std::cos(theta[k] - psi[k]);
    const double F_t = d / c * std::sin(theta[k]) + s, F_p = -d / a * std::sin(psi[k]) - s;
    const double k1 = -F_t / F_p;
    const double F_tt = d / c * std::cos(theta[k]) + co, F_tp = -co, F_pp = -d / a * std::cos(psi[k]) + co;
    const double k2 = -(F_tt + 2 * F_tp * k1 + F_pp * k1 * k1) / F_p;
    const double speed = w + 2 * t[k];
    EXPECT_NEAR(rate[k], k1 * speed, 1e-10 * w);
    EXPECT_NEAR(alpha[k], k2 * speed * speed + k1 * 2, 1e-9 * w * w);
    EXPECT_NEAR(std::abs(ratio[k]), std::abs(k1), 1e-10);
    EXPECT_NEAR(std::abs(change[k]), std::abs(k2), 1e-9);
  }
}

double swing(const Kinematics& found, const char* column) {
  const std::vector<double> x = found.motion.column(column);
  return *std::ranges::max_element(x) - *std::ranges::min_element(x);
}

// Grashof: with s + l < p + q the shortest link revolves relative to all others.
TEST(Kinematics, GrashofTellsWhichLinksRevolve) {
  // The crank is shortest: a crank-rocker.
  const Kinematics rocker = traced(read(four_bar(1, 4, 3, 3.5, "2*pi*t", kOpen)));
  EXPECT_NEAR(swing(rocker, "crank.angle"), 2 * pi, 1e-9);
  EXPECT_LT(swing(rocker, "rocker.angle"), pi);
  // The frame is shortest: a double-crank; the output goes once round with the crank.
  const Kinematics both = traced(read(four_bar(3, 3.5, 4, 1, "2*pi*t", "  B: [3, 0.1]\n  C: [2.2, 3.8]\n")));
  EXPECT_TRUE(both.singular.empty());
  EXPECT_NEAR(swing(both, "rocker.angle"), 2 * pi, 1e-9);
  // The coupler is shortest: a double-rocker. The crank stops where coupler and output lie in a line.
  const Kinematics neither =
      traced(read(four_bar(3, 1, 3.5, 4, "1 + 2*pi*t", "  B: [1.6, 2.5]\n  C: [2.4, 3.1]\n")));
  ASSERT_FALSE(neither.singular.empty());
  EXPECT_TRUE(neither.singular[0].turns_back);
  const double most = std::acos((9 + 16 - 4.5 * 4.5) / (2 * 3 * 4));
  EXPECT_NEAR(1 + 2 * pi * neither.singular[0].t, most, 2e-9 * 2 * pi);
}

// s + l > p + q: a triple-rocker, in which no link revolves. The crank swings between two dead positions on
// either side of the frame's line: coupler and output lie in a line where the frame is longest, b + c from A,
// and on each other where the coupler is, b − c from A.
TEST_P(KinematicsIn, ATripleRockerHasTwoLimits) {
  const auto limit = [](double a, double d, double reach) {
    return std::acos((a * a + d * d - reach * reach) / (2 * a * d));
  };
  struct Case {
    double a, b, c, d, middle, from, to;
    const char* points;
  };
  const double outer = limit(3, 5, 7.5), inner = limit(3, 3.5, 1);
  const Case cases[] = {
      {3, 4, 3.5, 5, 0, -outer, outer, "  B: [3, 0.1]\n  C: [5.5, 3.2]\n"},
      {3, 5, 4, 3.5, pi, inner, 2 * pi - inner, "  B: [-3, 0.1]\n  C: [1, 3.1]\n"},
  };
  for (const Case& one : cases) {
    const Mechanism mechanism = read(four_bar(one.a, one.b, one.c, one.d, "t", one.points), GetParam());
    for (const auto& [end, beyond] : {std::pair(one.from, -0.3), std::pair(one.to, 0.3)}) {
      const Kinematics found =
          traced(mechanism, {.drive = DriverSweep{"motor", one.middle, end + beyond, 60}});
      ASSERT_EQ(found.singular.size(), 1u) << end;
      EXPECT_TRUE(found.singular[0].turns_back);
      EXPECT_NEAR(found.drive->at(found.singular[0].t), end, 1e-9);
      EXPECT_LT(found.violation, 1e-11);
    }
  }
}

// Driven by its rocker, a crank-rocker stops where crank and coupler lie in a line: b + a away from A.
TEST_P(KinematicsIn, ADeadPositionIsFoundAndPassed) {
  const double a = 1, b = 4, c = 3, d = 3.5;
  const Kinematics found = traced(
      read(four_bar(a, b, c, d, "2 - 1.5*t", "  B: [0.5, 0.9]\n  C: [2.3, 2.7]\n", "rocker"), GetParam()));
  ASSERT_EQ(found.singular.size(), 1u);
  EXPECT_TRUE(found.singular[0].turns_back);
  const double psi = pi - std::acos((c * c + d * d - (a + b) * (a + b)) / (2 * c * d));
  EXPECT_NEAR(2 - 1.5 * found.singular[0].t, psi, 1.5e-9);
  EXPECT_TRUE(found.singular[0].joint == "A" || found.singular[0].joint == "B") << found.singular[0].joint;
  // The rows go back in time, with the crank on the other side of the line.
  const std::vector<double> t = found.motion.column("t"), B = found.motion.column("B.angle");
  const auto turn = std::ranges::max_element(t) - t.begin();
  ASSERT_GT(static_cast<std::size_t>(turn) + 10, 20u);
  ASSERT_GT(t.size(), static_cast<std::size_t>(turn) + 5);
  EXPECT_LT(t.back(), t[static_cast<std::size_t>(turn)]);
  EXPECT_LT(std::sin(B[static_cast<std::size_t>(turn) - 3]) * std::sin(B[static_cast<std::size_t>(turn) + 3]),
            0);
  EXPECT_LT(found.violation, 1e-11);
}

// A sweep may end as close before a dead position as can be, or go on as close after it: crank and coupler
// lie on each other, b − a away from A.
TEST_P(KinematicsIn, RowsComeNextToADeadPosition) {
  const double a = 0.1, b = 0.4, c = 0.3, d = 0.35;
  const double dead = pi - std::acos((c * c + d * d - (b - a) * (b - a)) / (2 * c * d));
  const Mechanism mechanism =
      read(four_bar(a, b, c, d, "t", "  B: [0.1, 0.01]\n  C: [0.4, 0.29]\n", "rocker"), GetParam());
  for (const double before : {1e-4, 1e-6, 1e-7, 1e-8, -1e-8, -1e-6, -1e-3}) {
    const Kinematics found = traced(mechanism, {.drive = DriverSweep{"motor", 2, dead - before, 4}});
    EXPECT_EQ(found.singular.size(), before > 0 ? 0u : 1u) << before;
    const std::vector<double> theta = found.motion.column("crank.angle"),
                              psi = found.motion.column("rocker.angle");
    ASSERT_EQ(psi.size(), 4u) << before;
    EXPECT_NEAR(psi.back(), dead - std::abs(before), 1e-12);
    EXPECT_NEAR(d / a * std::cos(psi.back()) - d / c * std::cos(theta.back()) +
                    (a * a - b * b + c * c + d * d) / (2 * a * c),
                std::cos(theta.back() - psi.back()), 1e-11);
  }
}

// A parallelogram lies flat where its angle is 0 and π: there it could become an antiparallelogram.
TEST_P(KinematicsIn, ASingularPositionIsFoundAndTheMotionGoesOn) {
  const Kinematics found = traced(
      read(four_bar(1, 2, 1, 2, "0.5 + 1.3*pi*t", "  B: [0.9, 0.45]\n  C: [2.9, 0.45]\n"), GetParam()));
  ASSERT_EQ(found.singular.size(), 1u);
  EXPECT_FALSE(found.singular[0].turns_back);
  EXPECT_NEAR(found.singular[0].t, (pi - 0.5) / (1.3 * pi), 1e-9);
  const std::vector<double> theta = found.motion.column("crank.angle"),
                            psi = found.motion.column("rocker.angle");
  for (std::size_t k = 0; k < theta.size(); ++k) EXPECT_NEAR(theta[k], psi[k], 1e-8);
}

// Next to the crossing, and in it, rows have the rates of the motion that goes on: those of a parallelogram.
TEST_P(KinematicsIn, RowsNextToACrossingAreThoseOfTheMotion) {
  for (const double around : {0.001, 0.01, 0.1, 0.7}) {
    const double x = -std::cos(around), y = std::sin(around);
    const std::string points = fmt::format("  B: [{}, {}]\n  C: [{}, {}]\n", x, y, x + 2, y);
    const Kinematics found = traced(read(four_bar(1, 2, 1, 2, "t", points.c_str()), GetParam()),
                                    {.drive = DriverSweep{"motor", pi - around, pi + around, 41}});
    EXPECT_TRUE(found.doubtful.empty()) << around;
    ASSERT_EQ(found.motion.rows(), 41u);
    for (const double rate : found.motion.column("rocker.omega")) EXPECT_NEAR(rate, 1, 1e-8) << around;
    for (const double a : found.motion.column("rocker.alpha")) EXPECT_NEAR(a, 0, 1e-6) << around;
  }
}

// Every count of rows finds the same crossings: a parallelogram's where its cranks lie flat, and that of a
// slider-crank with equal links where they lie on each other. They are in the middle of the sweep, in its
// first or last interval, or at its end.
constexpr const char* kParallelogram = R"(
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [2, 0], on: ground}, B: [0, 1], C: [2, 1]}
bodies:
  a: {rod: [A, B], mass: 1, length: 1}
  b: {rod: [B, C], mass: 1, length: 2}
  c: {rod: [D, C], mass: 1, length: 1}
)";
constexpr const char* kEqualLinks = R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0.5, 0.866], B: [1, 0]}
bodies:
  a: {rod: [O, A], mass: 1, length: 1}
  rod: {rod: [A, B], mass: 1, length: 1}
  slider: {point: B, mass: 1}
joints: {guide: {point-on-line: B, through: [0, 0], along: [1, 0]}}
)";

TEST_P(KinematicsIn, CrossingsAreFoundWhateverTheRows) {
  struct Case {
    const char* model;
    double from, to;
    int every;  // so many counts
    std::vector<double> crossings;
  };
  const Case cases[] = {
      {kParallelogram, 1, 4, 1, {pi}},
      {kParallelogram, 1, 400 * pi / 180, 1, {pi, 2 * pi}},
      {kParallelogram, 3.1, 4, 7, {pi}},
      {kParallelogram, 2, 3.2, 7, {pi}},
      {kParallelogram, 2, pi, 7, {pi}},
      {kParallelogram, 4, pi, 7, {pi}},
      {kEqualLinks, 1, 300 * pi / 180, 1, {pi / 2, 3 * pi / 2}},
      {kEqualLinks, 1, pi / 2, 7, {pi / 2}},
  };
  for (const Case& one : cases) {
    const Mechanism mechanism = read(one.model, GetParam());
    for (int count = 5; count <= 100; count += one.every) {
      const Kinematics found = traced(mechanism, {.drive = DriverSweep{"a", one.from, one.to, count}});
      EXPECT_TRUE(found.undecided.empty());
      ASSERT_EQ(found.singular.size(), one.crossings.size())
          << one.from << " to " << one.to << " in " << count << " rows";
      for (std::size_t k = 0; k < one.crossings.size(); ++k)
        EXPECT_NEAR(found.drive->at(found.singular[k].t), one.crossings[k], 1e-9) << count;
    }
  }
}

// Three cranks of equal length: two more freedoms where they lie flat. The joint that is least determined is
// named, of equals the first, whatever the rows and the coordinates.
TEST_P(KinematicsIn, AJointIsNamedWhateverTheRows) {
  Mechanism mechanism = model("double-four-bar");
  mechanism.plan.coordinates = GetParam();
  for (int count = 20; count <= 40; ++count) {
    const Kinematics found =
        traced(mechanism, {.drive = DriverSweep{"A0", 91 * pi / 180, 500 * pi / 180, count}});
    ASSERT_EQ(found.singular.size(), 2u) << count;
    EXPECT_EQ(found.singular[0].joint, "B2") << count;
    EXPECT_EQ(found.singular[1].joint, "A2") << count;
  }
}

TEST(Kinematics, NothingMovesWithoutADriver) {
  EXPECT_TRUE(traced(model("four-bar")).still);
  EXPECT_FALSE(traced(model("driven-slider-crank")).still);
}

// The coordinate that is swept has the speed 1 and no acceleration, exactly.
TEST_P(KinematicsIn, ASweptCoordinateHasNoAcceleration) {
  const Mechanism mechanism = read(four_bar(1, 4, 3, 3.5, "t", kOpen), GetParam());
  const Kinematics found = traced(mechanism, {.drive = DriverSweep{"motor", 0, 2 * pi, 73}});
  for (const char* column : {"A.acceleration", "crank.alpha"})
    for (const double a : found.motion.column(column)) EXPECT_EQ(a, 0) << column;
}

// A motion may start in a crossing, if the places in the model lie beside it: they tell on which of the two
// motions it leaves, here that of a parallelogram and that in which the slider moves.
TEST_P(KinematicsIn, AStartInACrossingIsLeftAsThePlacesTell) {
  const Mechanism parallelogram = read(kParallelogram, GetParam());
  for (const auto& [from, to] : {std::pair(0.0, 5.0), {0.0, -1.0}, {pi, 4.0}}) {
    const Kinematics found = traced(parallelogram, {.drive = DriverSweep{"a", from, to, 21}});
    ASSERT_EQ(found.motion.rows(), 21u);
    EXPECT_TRUE(found.doubtful.empty());
    ASSERT_FALSE(found.singular.empty());
    EXPECT_NEAR(found.singular[0].t, 0, 1e-9);
    const std::vector<double> a = found.motion.column("a.angle"), c = found.motion.column("c.angle");
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(std::remainder(a[k] - c[k], 2 * pi), 0, 1e-8);
  }
  const Kinematics found = traced(read(kEqualLinks, GetParam()), {.drive = DriverSweep{"a", pi / 2, 3, 21}});
  const std::vector<double> a = found.motion.column("a.angle"), x = found.motion.column("slider.x");
  ASSERT_EQ(a.size(), 21u);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(x[k], 2 * std::cos(a[k]), 1e-8);
}

// Places in a crossing tell nothing.
TEST(Kinematics, AStartInACrossingNeedsPlacesBesideIt) {
  std::string flat = kParallelogram;
  flat.replace(flat.find("B: [0, 1], C: [2, 1]"), 20, "B: [1, 0], C: [3, 0]");
  for (const char* coordinates : {"natural", "reference"}) {
    const Kinematics found =
        solve_kinematics(read(flat, coordinates), {.drive = DriverSweep{"a", pi, 1, 20}});
    EXPECT_EQ(found.report.outcome, Outcome::not_converged);
    EXPECT_NE(found.report.message.find("neither the drivers nor the places in the model tell on which it "
                                        "leaves; place the bodies beside it"),
              std::string::npos)
        << found.report.message;
  }
}

// The same in time: a crossing in the first interval of many.
TEST_P(KinematicsIn, CrossingsInTimeAreFoundWhateverTheRows) {
  const Mechanism mechanism = read(
      std::string(kParallelogram) + "drivers: {m: {angle: a, equals: 1 + 6*t}}\nsimulate: {duration: 1 s}\n",
      GetParam());
  for (long rows = 3; rows <= 60; ++rows) {
    const Kinematics found = traced(mechanism, {.rows = rows});
    ASSERT_EQ(found.singular.size(), 2u) << rows;
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(1 + 6 * found.singular[k].t, static_cast<double>(k + 1) * pi, 1e-9) << rows;
  }
}

// With a coupler that is shorter by 10⁻⁶ motions do not cross, but come closer than steps can tell: the
// drivers cannot pass, and the rows are those of the next motion.
TEST_P(KinematicsIn, MotionsThatComeCloseAreTold) {
  std::string shorter = kParallelogram;
  shorter.replace(shorter.find("length: 2"), 9, "length: 1.999999");
  const Kinematics found = traced(read(shorter, GetParam()), {.drive = DriverSweep{"a", 1, 4, 30}});
  EXPECT_TRUE(found.singular.empty());
  ASSERT_EQ(found.undecided.size(), 1u);
  EXPECT_NEAR(found.drive->at(found.undecided[0]), pi, 0.05);
}

// x = r cos θ + √(l² − r² sin² θ)
TEST_P(KinematicsIn, ASliderCrankHasItsVelocityAndAcceleration) {
  KinematicsOptions choice;
  choice.ratio_to = "motor";
  const double r = 0.3, l = 0.8;
  const Kinematics found = traced(read(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0.3, 0], B: [1.1, 0]}
bodies:
  crank: {rod: [O, A], mass: 1}
  conrod: {rod: [A, B], mass: 1}
  piston: {mass: 1, inertia: 1, at: B, carries: {B: [0, 0]}}
joints: {bore: {prismatic: [piston, ground], at: [0, 0], axis: [1, 0]}}
drivers: {motor: {angle: crank, equals: 10*t}}
simulate: {duration: 1 s}
outputs: {interval: 0.01}
)",
                                       GetParam()),
                                  choice);
  const std::vector<double> t = found.motion.column("t"), x = found.motion.column("piston.x"),
                            v = found.motion.column("piston.v.x"), a = found.motion.column("piston.a.x"),
                            ratio = found.motion.column("bore.ratio"),
                            change = found.motion.column("bore.ratio_derivative");
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double s = std::sin(10 * t[k]), c = std::cos(10 * t[k]), root = std::sqrt(l * l - r * r * s * s);
    const double x1 = -r * s - r * r * s * c / root;
    const double x2 =
        -r * c - r * r * (c * c - s * s) / root - std::pow(r * r * s * c, 2) / std::pow(root, 3);
    EXPECT_NEAR(x[k], r * c + root, 1e-12);
    EXPECT_NEAR(v[k], 10 * x1, 1e-11);
    EXPECT_NEAR(a[k], 100 * x2, 1e-9);
    EXPECT_NEAR(ratio[k], x1, 1e-12);
    EXPECT_NEAR(change[k], x2, 1e-10);
  }
}

// A piston travels and does not turn: no speed has a ratio to its rotation, whatever rounding leaves of that.
TEST_P(KinematicsIn, RatiosToWhatStandsHaveNoValue) {
  Mechanism mechanism = read(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0.05, 0.05], B: [0.25, 0.02]}
bodies:
  crank: {rod: [O, A], mass: 0.5, length: 0.07}
  conrod: {rod: [A, B], mass: 0.3, length: 0.21}
  piston: {mass: 0.4, inertia: 1e-4, at: B, carries: {B: [0, 0]}}
joints: {bore: {prismatic: [piston, ground], at: [0, 0.02], axis: [1, 0]}}
)",
                             GetParam());
  const Kinematics found =
      traced(mechanism, {.ratio_to = "piston", .drive = DriverSweep{"crank", 0, 2 * pi, 73}});
  for (const char* column : {"O.ratio", "B.ratio", "bore.ratio", "bore.ratio_derivative"})
    for (const double ratio : found.motion.column(column)) EXPECT_TRUE(std::isnan(ratio)) << column;
}

// Straight lines. Chebyshev's lambda linkage with crank 1, frame 2, coupler and rocker 2.5 and the point 2.5
// beyond the joint: over half a turn of the crank, on a length of 4, it leaves a line by about a thousandth
// of it.
TEST(Kinematics, ChebyshevsLambdaLinkageDrawsAStraightLine) {
  KinematicsOptions choice;
  choice.curves = {"P"};
  const Kinematics found = traced(read(R"(
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [2, 0], on: ground}, B: [-1, 0], C: [0.5, 2], P: [2, 4]}
bodies:
  crank: {rod: [A, B], mass: 1}
  coupler: {mass: 1, inertia: 1, at: B, angle: 0.9273, carries: {B: [0, 0], C: [2.5, 0], P: [5, 0]}}
  rocker: {rod: [D, C], mass: 1, length: 2.5}
drivers: {motor: {angle: crank, equals: pi/2 + pi*t}}
simulate: {duration: 1 s}
outputs: {interval: 1e-3}
)"),
                                  choice);
  const std::vector<double> x = found.motion.column("P.curve.x"), y = found.motion.column("P.curve.y"),
                            curvature = found.motion.column("P.curve.curvature");
  const double length = *std::ranges::max_element(x) - *std::ranges::min_element(x);
  const double off = *std::ranges::max_element(y) - *std::ranges::min_element(y);
  EXPECT_NEAR(length, 4, 0.05);
  EXPECT_NEAR(*std::ranges::max_element(y), 4, 0.02);
  EXPECT_LT(off, 0.01 * length);
  EXPECT_GT(off, 1e-4 * length);
  // The closed form: C lies above the middle of B and D = (2, 0), and P twice as far from B as C.
  //   P = D + g (D − B)⊥,   g = √(4 · 2.5²/u − 1),   u = |D − B|² = 5 − 4 cos θ
  const std::vector<double> theta = found.motion.column("crank.angle");
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double s = std::sin(theta[k]), c = std::cos(theta[k]);
    const double u = 5 - 4 * c, u1 = 4 * s, u2 = 4 * c;
    const double g = std::sqrt(25 / u - 1), g1 = -12.5 * u1 / (u * u * g),
                 g2 = (-12.5 * u2 / (u * u) + 25 * u1 * u1 / (u * u * u) - g1 * g1) / g;
    const Vec3 D(2, 0, 0), n(s, 2 - c, 0), n1(c, s, 0), n2(-s, c, 0);
    const Vec3 P = D + g * n, P1 = g1 * n + g * n1, P2 = g2 * n + 2 * g1 * n1 + g * n2;
    EXPECT_NEAR(x[k], P.x(), 1e-12);
    EXPECT_NEAR(y[k], P.y(), 1e-12);
    // Curvatures are up to 5/m, and change by as much with P″ as with P′.
    EXPECT_NEAR(curvature[k], P1.cross(P2).z() / std::pow(P1.norm(), 3), 1e-10) << theta[k];
  }
}

// Watt's linkage with arms 1 and a coupler of length 0.5: its middle draws a lemniscate-like curve that
// touches a straight line to third order: it leaves the line by the cube of the way, and less.
TEST(Kinematics, WattsLinkageDrawsAnAlmostStraightLine) {
  KinematicsOptions choice;
  choice.curves = {"M"};
  const Kinematics found = traced(read(R"(
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [2, 0.5], on: ground}, B: [1, 0], C: [1, 0.5], M: [1, 0.25]}
bodies:
  left: {rod: [A, B], mass: 1}
  coupler: {mass: 1, inertia: 1, at: B, angle: 90 deg, carries: {B: [0, 0], C: [0.5, 0], M: [0.25, 0]}}
  right: {rod: [D, C], mass: 1}
drivers: {motor: {angle: left, equals: 0.4*t - 0.2}}
simulate: {duration: 1 s}
outputs: {interval: 0.01}
)"),
                                  choice);
  const std::vector<double> x = found.motion.column("M.curve.x"), y = found.motion.column("M.curve.y"),
                            curvature = found.motion.column("M.curve.curvature");
  EXPECT_NEAR(y.back() - y.front(), 0.4, 0.02);
  double off = 0;
  for (const double at : x) off = std::max(off, std::abs(at - 1));
  EXPECT_LT(off, 5e-4);
  EXPECT_NEAR(curvature[50], 0, 1e-9);  // an inflection in the middle
}

// The whole of the curve that a crank's swing draws: Watt's sextic, about the middle of the frame, x along
// it.
//
//   r² (r² − a² − b² + c²)² + 4a²y² (r² − b²) = 0      2a the frame, b the arms, 2c the coupler
//
// It crosses itself in the middle and tells nothing of curvature there; the motion of the four-bar does:
// B = e^{iθ}, C from two circles, and with the coupler's angle φ and the other arm's ψ
//   iθ̇ e^{iθ} + iφ̇ 2c e^{iφ} = iψ̇ e^{iψ},   and once more
TEST_P(KinematicsIn, WattsLinkageDrawsWattsCurve) {
  using Complex = std::complex<double>;
  const double a = std::sqrt(4.25) / 2, b = 1, c = 0.25;
  const Complex i(0, 1), D(2, 0.5);
  const Mechanism mechanism = read(R"(
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [2, 0.5], on: ground}, B: [1, 0], C: [1, 0.5], M: [1, 0.25]}
bodies:
  left: {rod: [A, B], mass: 1}
  coupler: {mass: 1, inertia: 1, at: B, angle: 90 deg, carries: {B: [0, 0], C: [0.5, 0], M: [0.25, 0]}}
  right: {rod: [D, C], mass: 1}
)",
                                   GetParam());
  for (const double end : {-0.45, 0.9}) {
    const Kinematics found = traced(mechanism, {.curves = {"M"}, .drive = DriverSweep{"left", 0, end, 91}});
    EXPECT_TRUE(found.singular.empty());
    const std::vector<double> theta = found.motion.column("left.angle"), x = found.motion.column("M.curve.x"),
                              y = found.motion.column("M.curve.y"),
                              curvature = found.motion.column("M.curve.curvature");
    ASSERT_EQ(x.size(), 91u);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Complex w = (Complex(x[k], y[k]) - D / 2.0) * std::conj(D) / std::abs(D);
      const double r2 = std::norm(w), Y = w.imag();
      const double part = r2 - a * a - b * b + c * c;
      EXPECT_NEAR(r2 * part * part + 4 * a * a * Y * Y * (r2 - b * b), 0, 1e-13) << theta[k];

      const Complex B = std::polar(1.0, theta[k]), way = D - B;
      const double d = std::abs(way), along = (d * d + 4 * c * c - b * b) / (2 * d);
      const Complex C = B + way / d * Complex(along, std::sqrt(4 * c * c - along * along));
      const Complex M = 0.5 * (B + C), link = C - B, arm = C - D;
      EXPECT_NEAR(std::abs(Complex(x[k], y[k]) - M), 0, 1e-12) << theta[k];
      // p link + q arm = z, for real p and q
      const auto solved = [&](Complex z) {
        const double det = (std::conj(link) * arm).imag();
        return std::pair((std::conj(z) * arm).imag() / det, (std::conj(link) * z).imag() / det);
      };
      const auto [phi1, minus_psi1] = solved(-B);
      const auto [phi2, minus_psi2] =
          solved(-i * B - i * phi1 * phi1 * link + i * minus_psi1 * minus_psi1 * arm);
      const Complex M1 = i * B + 0.5 * i * phi1 * link, M2 = -B + 0.5 * (i * phi2 - phi1 * phi1) * link;
      // Positive to the left, seen along the sweep.
      const double exact = std::copysign(1.0, end) * (std::conj(M1) * M2).imag() / std::pow(std::abs(M1), 3);
      EXPECT_NEAR(curvature[k], exact, 1e-10 * std::max(1.0, std::abs(exact))) << theta[k];
    }
  }
}

// A slider moves on a line, and stands for a moment at each end.
TEST_P(KinematicsIn, AStraightWayHasNoCurvature) {
  Mechanism mechanism = read_model(std::string(kSourceDir) + "/models/driven-slider-crank.yaml").mechanism;
  mechanism.plan.coordinates = GetParam();
  const Kinematics found = solve_kinematics(mechanism, {.rows = 400, .curves = {"B"}});
  ASSERT_TRUE(found.report.accepted()) << found.report.message;
  for (const double curvature : found.motion.column("B.curve.curvature"))
    EXPECT_TRUE(curvature == 0 || std::isnan(curvature)) << curvature;
}

TEST(Kinematics, ANameThatIsNotThereIsToldWithThoseThatAre) {
  const Mechanism mechanism = model("driven-slider-crank");
  KinematicsOptions choice;
  choice.curves = {"Q"};
  try {
    static_cast<void>(solve_kinematics(mechanism, choice));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("there is no point 'Q'; choose one of: A, B"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace trammel::tests::kinematics_test
