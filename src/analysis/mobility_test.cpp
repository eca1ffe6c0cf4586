// Mobility: the same in all coordinates, redundancy by the equations of joints, loops, remedies, and how near
// a position is to singular.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include "analysis/mobility_check.h"
#include "mechanism/joint_kinds.h"
#include "model/models_testing.h"

namespace trammel::tests::mobility_test {
namespace {

using analysis::MobilityCheck;
using std::numbers::pi;

std::optional<MobilityCheck> checked(Mechanism mechanism, const std::string& coordinates = "automatic") {
  mechanism.plan = {};
  mechanism.plan.coordinates = coordinates;
  Simulation simulation(mechanism, mechanism.plan);
  if (!simulation.assemble().report.accepted()) return std::nullopt;
  return analysis::check_mobility(simulation);
}

Mechanism mechanism_of(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

MobilityCheck check_of(const std::string& text, const std::string& coordinates = "automatic") {
  const std::optional<MobilityCheck> found = checked(mechanism_of(text), coordinates);
  EXPECT_TRUE(found);
  return found.value_or(MobilityCheck{});
}

std::vector<std::string> models_with_bodies() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(kSourceDir) + "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    if (read_model(entry.path().string()).mechanism.bodies.empty()) continue;
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

// Equations of the joints by the table of kinds: an oracle that knows no coordinates.
int equations_by_table(const Mechanism& mechanism) {
  int count = 0;
  for (const Joint& joint : mechanism.joints) {
    const mechanism::JointInfo& kind = mechanism::about(joint.kind);
    const int ties = joint.markers.size() > 2 ? static_cast<int>(joint.markers.size()) - 1 : 1;
    int own = kind.equations.in(mechanism.is_planar) + kind.speeds.in(mechanism.is_planar);
    if (!joint.keeps_contact) --own;
    count += ties * own;
  }
  for (const Driver& driver : mechanism.drivers)
    count += static_cast<int>(
        std::ranges::count_if(driver.equals, [](const auto& text) { return !text.empty(); }));
  return count;
}

// Frictions that stick at the start.
int sticking(const Mechanism& mechanism) {
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  return static_cast<int>(std::ranges::count_if(simulation.system().rows(), [&](const auto& row) {
    return std::ranges::any_of(mechanism.forces, [&](const Force& f) { return f.name == row.name; });
  }));
}

TEST(Mobility, IsTheSameInAllCoordinates) {
  int seen = 0;
  for (const std::string& name : models_with_bodies()) {
    const Mechanism mechanism = model(name);
    const std::optional<MobilityCheck> natural = checked(mechanism, "natural");
    ASSERT_TRUE(natural) << name;
    EXPECT_EQ(natural->mobility.joint_equations, equations_by_table(mechanism) + sticking(mechanism)) << name;
    for (const std::string coordinates : {"reference", "relative"}) {
      const std::optional<MobilityCheck> other = checked(mechanism, coordinates);
      if (!other) {
        EXPECT_EQ(name, "dead-centre-four-bar");  // massless rods
        continue;
      }
      ++seen;
      const analysis::Mobility &a = natural->mobility, &b = other->mobility;
      EXPECT_EQ(a.degrees_of_freedom, b.degrees_of_freedom) << name << coordinates;
      EXPECT_EQ(a.position_freedom, b.position_freedom) << name << coordinates;
      EXPECT_EQ(a.joint_equations, b.joint_equations) << name << coordinates;
      EXPECT_EQ(a.redundant_constraints, b.redundant_constraints) << name << coordinates;
      EXPECT_EQ(a.redundant_here, b.redundant_here) << name << coordinates;
      ASSERT_EQ(a.dependent_sets.size(), b.dependent_sets.size()) << name << coordinates;
      for (std::size_t k = 0; k < a.dependent_sets.size(); ++k)
        EXPECT_EQ(a.dependent_sets[k].joints, b.dependent_sets[k].joints) << name << coordinates;
      // In reference coordinates all equations are there: their own rank says the same.
      if (coordinates == "reference") {
        EXPECT_EQ(b.redundant_constraints, b.constraints - b.rank) << name;
      }
      ASSERT_EQ(natural->gauge.has_value(), other->gauge.has_value());
      if (natural->gauge) {
        EXPECT_NEAR(natural->gauge->value, other->gauge->value, 1e-7) << name << coordinates;
      }
      EXPECT_EQ(natural->remedies.single.size(), other->remedies.single.size()) << name << coordinates;
      ASSERT_EQ(natural->way.nearest.has_value(), other->way.nearest.has_value()) << name << coordinates;
      if (natural->way.nearest) {
        EXPECT_NEAR(natural->way.nearest->distance, other->way.nearest->distance, 1e-5)
            << name << coordinates;
      }
    }
  }
  EXPECT_GT(seen, 50);
}

// Independent loops: joints between two bodies less bodies, for every part that holds together.
TEST(Mobility, ListsTheShortestIndependentLoops) {
  const MobilityCheck many = *checked(model("n-four-bar"));
  ASSERT_EQ(many.loops.size(), 40u);
  for (const analysis::Loop& loop : many.loops) {
    EXPECT_EQ(loop.joints.size(), 4u);
    EXPECT_EQ(loop.freedom, 1);
    EXPECT_EQ(loop.redundant, 0);
    EXPECT_EQ(loop.equations, 8);
  }
  EXPECT_TRUE(checked(model("five-link-chain"))->loops.empty());
  const MobilityCheck bricard = *checked(model("bricard"));
  ASSERT_EQ(bricard.loops.size(), 1u);
  EXPECT_EQ(bricard.loops[0].joints.size(), 6u);
  EXPECT_EQ(bricard.loops[0].freedom, 1);
  EXPECT_EQ(bricard.loops[0].redundant, 1);
  // A rod on two balls spins about itself: no freedom that counts.
  const MobilityCheck spatial = *checked(model("spatial-slider-crank"));
  ASSERT_EQ(spatial.loops.size(), 1u);
  EXPECT_EQ(spatial.loops[0].freedom, 1);
}

constexpr const char* kThreeCranks = R"(
trammel: 1
plane: xy
points:
  {O: {at: [0, 0], on: ground}, A: [0.3, 1], P: {at: [1, 0], on: ground}, B: [1.3, 1], Q: {at: [2, 0], on: ground}, C: [2.3, 1]}
bodies:
  a: {rod: [O, A], mass: 1}
  b: {rod: [P, B], mass: 1}
  c: {rod: [Q, C], mass: 1}
  coupler: {mass: 1, inertia: 1, com: [1.3, 1], carries: [A, B, C]}
)";

// Three parallel cranks: each loop alone is free of redundancy, the whole is not.
TEST(Mobility, RedundancyOfSeveralLoopsIsInNoneAlone) {
  const MobilityCheck found = check_of(kThreeCranks);
  EXPECT_EQ(found.mobility.degrees_of_freedom, 1);
  EXPECT_EQ(found.mobility.redundant_constraints, 1);
  EXPECT_EQ(found.mobility.redundant_here, 0);
  ASSERT_EQ(found.loops.size(), 2u);
  for (const analysis::Loop& loop : found.loops) EXPECT_EQ(loop.redundant, 0);
}

// What a remedy promises, by the mechanism with that joint in its place.
TEST(Mobility, RemediesKeepTheirPromise) {
  const std::string door = R"(
trammel: 1
bodies:
  door: {mass: 20, inertia: [6.7, 8.0, 1.4], com: [0.45, 0, 1], points: {low: [0, 0, 0.2], high: [0, 0, 1.8]}}
joints:
  lower: {revolute: [door, ground], at: door.low, axis: [0, 0, 1]}
  upper: )";
  const std::map<std::string, std::string> kinds = {
      {"revolute", "{revolute: [door, ground], at: door.high, axis: [0, 0, 1]}"},
      {"cylindrical", "{cylindrical: [door, ground], at: door.high, axis: [0, 0, 1]}"},
      {"universal", "{universal: [door, ground], at: door.high, axes: [[0, 0, 1], [1, 0, 0]]}"},
      {"spherical", "{spherical: [door, ground], at: door.high}"},
      {"point-on-line", "{point-on-line: door.high, through: [0, 0, 1.8], along: [0, 0, 1]}"}};
  const MobilityCheck now = check_of(door + kinds.at("revolute"));
  EXPECT_EQ(now.mobility.redundant_constraints, 5);
  std::vector<std::string> offered;
  for (const analysis::JointRemedy& remedy : now.remedies.single) {
    if (remedy.joint != "upper") continue;
    offered.push_back(remedy.instead);
    const MobilityCheck then = check_of(door + kinds.at(remedy.instead));
    EXPECT_EQ(then.mobility.redundant_constraints, 5 - remedy.removes) << remedy.instead;
    EXPECT_EQ(then.mobility.degrees_of_freedom, 1) << remedy.instead;
  }
  EXPECT_EQ(offered, (std::vector<std::string>{"point-on-line", "spherical", "cylindrical", "universal"}));
  EXPECT_EQ(now.remedies.left, 0);
  int removed = 0;
  for (const analysis::JointRemedy& remedy : now.remedies.together) removed += remedy.removes;
  EXPECT_EQ(removed, 5);

  // Bricard's loop: one equation too many, whichever hinge slides along its axis.
  const MobilityCheck bricard = *checked(model("bricard"));
  int sliding = 0;
  for (const analysis::JointRemedy& remedy : bricard.remedies.single) {
    EXPECT_EQ(remedy.removes, 1);
    if (remedy.instead != "cylindrical") continue;
    ++sliding;
    Mechanism other = model("bricard");
    for (Joint& joint : other.joints)
      if (joint.name == remedy.joint) joint.kind = Joint::Kind::cylindrical;
    const MobilityCheck then = *checked(other);
    EXPECT_EQ(then.mobility.redundant_constraints, 0);
    EXPECT_EQ(then.mobility.degrees_of_freedom, 1);
  }
  EXPECT_EQ(sliding, 6);
}

constexpr const char* kFlatFourBar = R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [3, 0], C: {at: [2, 0], on: ground}}
bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, B], mass: 1}, c: {rod: [B, C], mass: 1}}
)";

TEST(Mobility, TellsWhereARedundancyHolds) {
  for (const std::string coordinates : {"natural", "reference", "relative"}) {
    // A flat parallelogram: two ways out, and only there.
    const MobilityCheck flat = check_of(kFlatFourBar, coordinates);
    EXPECT_EQ(flat.mobility.degrees_of_freedom, 2);
    EXPECT_EQ(flat.mobility.redundant_constraints, 1);
    EXPECT_EQ(flat.mobility.redundant_here, 1);
    EXPECT_TRUE(flat.mobility.only_here);
    EXPECT_FALSE(flat.mobility.locked);
    EXPECT_EQ(flat.gauge->value, 0);
    EXPECT_TRUE(flat.remedies.single.empty());
    // Two bars in line, pinned at both ends: free to first order, and nowhere to go.
    const MobilityCheck shaky = check_of(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], C: {at: [2, 0], on: ground}}
bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, C], mass: 1}}
)",
                                         coordinates);
    EXPECT_EQ(shaky.mobility.degrees_of_freedom, 1);
    EXPECT_EQ(shaky.mobility.redundant_here, 1);
    EXPECT_TRUE(shaky.mobility.locked);
    // The same with a third bar to a point aside: held, once too often.
    const MobilityCheck held = check_of(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], C: {at: [2, 0], on: ground}, D: {at: [1, -1], on: ground}}
bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [A, C], mass: 1}, d: {rod: [A, D], mass: 1}}
)",
                                        coordinates);
    EXPECT_EQ(held.mobility.degrees_of_freedom, 0);
    EXPECT_EQ(held.mobility.redundant_constraints, 1);
    EXPECT_EQ(held.mobility.redundant_here, 0);
    EXPECT_TRUE(held.mobility.locked);
  }
  EXPECT_EQ(checked(model("bricard"))->mobility.redundant_here, 0);
}

// A slider that drives a crank in its dead position: the driver's equation follows from the joints there.
std::string slider_crank(double x, double crank_x, double crank_y) {
  return fmt::format(R"(
trammel: 1
plane: xy
points: {{O: {{at: [0, 0], on: ground}}, A: [{}, {}], B: [{}, 0]}}
bodies:
  crank: {{rod: [O, A], mass: 1, length: 1}}
  link: {{rod: [A, B], mass: 1, length: 2}}
  slider: {{mass: 1, inertia: 1, com: [{}, 0], carries: [B]}}
joints: {{guide: {{prismatic: [slider, ground], at: B, axis: [1, 0]}}}}
drivers: {{ram: {{joint: guide, equals: 0}}}}
)",
                     crank_x, crank_y, x, x);
}

TEST(Mobility, MeasuresTheWayToADeadPosition) {
  const MobilityCheck away = check_of(slider_crank(2.4, 0.6, 0.8));
  EXPECT_EQ(away.mobility.degrees_of_freedom, 0);
  ASSERT_TRUE(away.way.nearest);
  EXPECT_EQ(away.way.nearest->coordinate, "guide.displacement");
  EXPECT_NEAR(away.way.nearest->distance, 3 - 2.4, 1e-7);
  EXPECT_EQ(away.gauge->weakest, "ram");
  const MobilityCheck dead = check_of(slider_crank(3, 1, 0));
  EXPECT_EQ(dead.gauge->value, 0);
  EXPECT_TRUE(dead.mobility.only_here);
  EXPECT_FALSE(dead.mobility.locked);
  // A parallelogram lies flat at 0 and 180 degrees.
  const MobilityCheck cranks = check_of(kThreeCranks);
  ASSERT_TRUE(cranks.way.nearest);
  EXPECT_NEAR(std::abs(cranks.way.nearest->distance), std::atan2(1, 0.3), 1e-5);
  // A crank that turns all the way round has no singular position.
  const MobilityCheck round = *checked(model("four-bar"));
  EXPECT_TRUE(round.way.whole);
  EXPECT_FALSE(round.way.nearest);
}

// Of a loop of n pins: the smallest singular value of [S_1 … S_n]/√n, S the unit twists of the pins about the
// middle of all, lengths by their root mean square from it.
double gauge_by_loop(const std::vector<Eigen::Vector2d>& pins) {
  const auto n = static_cast<double>(pins.size());
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  for (const auto& pin : pins) middle += pin / n;
  double squares = 0;
  for (const auto& pin : pins) squares += (pin - middle).squaredNorm() / n;
  Eigen::MatrixXd S(3, static_cast<Eigen::Index>(pins.size()));
  for (std::size_t k = 0; k < pins.size(); ++k) {
    const Eigen::Vector2d r = (pins[k] - middle) / std::sqrt(squares);
    S.col(static_cast<Eigen::Index>(k)) = Eigen::Vector3d(r.y(), -r.x(), 1).normalized() / std::sqrt(n);
  }
  return Eigen::JacobiSVD<Eigen::MatrixXd>(S).singularValues()[2];
}

std::string four_bar(double scale, double turn, double mass) {
  const auto at = [&](double x, double y) {
    return fmt::format("[{:.17g}, {:.17g}]", scale * (5 + x * std::cos(turn) - y * std::sin(turn)),
                       scale * (x * std::sin(turn) + y * std::cos(turn)));
  };
  return fmt::format(R"(
trammel: 1
plane: xy
points: {{A: {{at: {}, on: ground}}, B: {}, C: {}, D: {{at: {}, on: ground}}}}
bodies: {{a: {{rod: [A, B], mass: {}}}, b: {{rod: [B, C], mass: 2}}, c: {{rod: [C, D], mass: 1}}}}
)",
                     at(0, 0), at(0.2, 0.9), at(2.1, 1.6), at(2.5, 0.1), mass);
}

TEST(Mobility, GaugesHowNearAPositionIsToSingular) {
  const double exact = gauge_by_loop({{0, 0}, {0.2, 0.9}, {2.1, 1.6}, {2.5, 0.1}});
  EXPECT_GT(exact, 0.1);
  for (const std::string coordinates : {"natural", "reference", "relative"})
    EXPECT_NEAR(check_of(four_bar(1, 0, 1), coordinates).gauge->value, exact, 1e-9);
  // Units, place and masses do not matter.
  EXPECT_NEAR(check_of(four_bar(1000, 0.7, 50)).gauge->value, exact, 1e-9);
  // Towards a flat parallelogram it falls as the angle does.
  const auto leaning = [](double angle) {
    return check_of(fmt::format(R"(
trammel: 1
plane: xy
points: {{A: {{at: [0, 0], on: ground}}, B: [{0}, {1}], C: [{2}, {1}], D: {{at: [2, 0], on: ground}}}}
bodies: {{a: {{rod: [A, B], mass: 1}}, b: {{rod: [B, C], mass: 2}}, c: {{rod: [C, D], mass: 1}}}}
)",
                                std::cos(angle), std::sin(angle), 2 + std::cos(angle)))
        .gauge->value;
  };
  EXPECT_NEAR(leaning(0.02) / leaning(0.01), 2, 1e-3);
  // Open chains have nothing to be singular, and one driver on a joint shares its bodies with it alone.
  EXPECT_NEAR(checked(model("five-link-chain"))->gauge->value, 1, 1e-9);
  EXPECT_NEAR(check_of(R"(
trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {a: {rod: [O, A], mass: 1}}
drivers: {motor: {angle: a, equals: t}}
)")
                  .gauge->value,
              1 / std::numbers::sqrt2, 1e-9);
}

// Coordinates of one's own have constraints only.
// A constraint of velocities whose coefficients are zero at the start holds nothing there.
TEST(Mobility, OfAConstraintThatVanishesAtTheStart) {
  for (const char* coefficient : {"t", "a.angle"}) {
    const MobilityCheck check = check_of(std::string(R"(
trammel: 1
plane: xy
bodies: {a: {mass: 1, inertia: 1}}
joints: {j: {velocity: {a.vx: ")") + coefficient +
                                         "\"}}}\n");
    EXPECT_EQ(check.mobility.degrees_of_freedom, 3) << coefficient;
  }
}

TEST(Mobility, OfCoordinatesOfOnesOwn) {
  const MobilityCheck wheel = *checked(model("rolling-wheel"));
  EXPECT_EQ(wheel.mobility.redundant_constraints, 1);
  EXPECT_EQ(wheel.mobility.redundant_here, 0);
  EXPECT_TRUE(wheel.loops.empty());
  EXPECT_FALSE(wheel.gauge);
}

// Gravity presses the arm on its lower stop; a spring lifts it off.
TEST(MobilityOf, AClosedStopIsNamed) {
  const std::string arm = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0.5, 0]}
bodies: {upper: {rod: [O, A], mass: 2}}
joints: {sh: {revolute: [upper, ground], at: O}}
stops: {lim: {joint: sh, lower: 0, upper: 2}}
)";
  const MobilityCheck pressed = check_of(arm);
  EXPECT_EQ(pressed.mobility.closed_stops, std::vector<std::string>{"lim"});
  EXPECT_EQ(pressed.mobility.degrees_of_freedom, 0);
  const MobilityCheck lifted = check_of(arm + "forces: {s: {joint-spring: sh, stiffness: 20, free: 1}}\n");
  EXPECT_TRUE(lifted.mobility.closed_stops.empty());
  EXPECT_EQ(lifted.mobility.degrees_of_freedom, 1);
}

}  // namespace
}  // namespace trammel::tests::mobility_test
