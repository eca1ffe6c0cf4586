// Where a coordinate that is given for the start cannot be reached, the message names it and the nearest
// value that can be, known here in closed form.
#include "simulation/start_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::start_path_test {
namespace {

// The rocker's angle θ is limited by 0.7 ≤ |OB| ≤ 1.3, with |OB|² = 1.36 + 1.2 cos θ.
const std::string kFourBar = R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, D: {at: [1, 0], on: ground}, A: [0, 0.3], B: [1, 0.6]}
bodies:
  crank: {rod: [O, A], mass: 1, length: 0.3}
  coupler: {rod: [A, B], mass: 1, length: 1}
  rocker: {rod: [D, B], mass: 1, length: 0.6}
simulate: {duration: 1}
)";
const double kLeast = std::acos((1.69 - 1.36) / 1.2);

// The words that explain a failed start.
std::string refusal(const std::string& text, const char* coordinates = "natural") {
  Mechanism m = read_model_text(text, "test.yaml").value();
  m.plan.coordinates = coordinates;
  Simulation simulation(m, m.plan);
  const AssemblyReport report = simulation.assemble();
  EXPECT_FALSE(report.report.accepted());
  return explain(report, simulation);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The figure before "rad" or "m" at the end of a message.
double nearest(const std::string& text) { return std::stod(text.substr(text.find("model is ") + 9)); }

TEST(StartPath, AnAngleOutOfReachIsNamedWithTheNearestThatIsNot) {
  for (const char* coordinates : {"natural", "reference", "relative"}) {
    const std::string text = refusal(kFourBar + "initial: {rocker: {angle: 20 deg}}\n", coordinates);
    EXPECT_TRUE(has(text, "the initial angle of 'rocker', 0.3491 rad (20 deg), cannot be reached")) << text;
    EXPECT_NEAR(nearest(text), kLeast, 1e-3) << text;
  }
}

// A turn further, on the other side.
TEST(StartPath, TheNearestAngleHasItsTurns) {
  const std::string text = refusal(kFourBar + "initial: {rocker: {angle: 520 deg}}\n");
  EXPECT_NEAR(nearest(text), std::acos((0.49 - 1.36) / 1.2) + 2 * M_PI, 1e-3) << text;
}

TEST(StartPath, ADriverIsNamed) {
  const std::string text = refusal(kFourBar + "drivers: {motor: {angle: rocker, equals: 0.2 + t}}\n");
  EXPECT_TRUE(has(text, "the angle of 'rocker' that driver 'motor' gives at the start, 0.2 rad")) << text;
  EXPECT_NEAR(nearest(text), kLeast, 1e-3) << text;
}

TEST(StartPath, ADisplacementOutOfReachIsNamedWithTheNearestThatIsNot) {
  const std::string text = refusal(R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0.2, 0.2], B: [0.8, 0]}
bodies:
  crank: {rod: [O, A], mass: 1, length: 0.3}
  coupler: {rod: [A, B], mass: 1, length: 0.6}
  slider: {mass: 1, inertia: 1, at: [0.8, 0], carries: [B]}
joints: {guide: {prismatic: [slider, ground], at: [0, 0], axis: [1, 0]}}
initial: {guide: {displacement: 1.2}}
simulate: {duration: 1}
)");
  EXPECT_TRUE(has(text, "the initial displacement of 'guide', 1.2 m, cannot be reached")) << text;
  EXPECT_TRUE(has(text, "is 0.9 m") || has(text, "is 0.1 m")) << text;
}

TEST(StartPath, CoordinatesThatContradictEachOtherAreNamedTogether) {
  const std::string text = refusal(kFourBar + "initial: {rocker: {angle: 90 deg}, crank: {angle: 0 deg}}\n");
  EXPECT_TRUE(has(text, "cannot be reached together")) << text;
  EXPECT_TRUE(has(text, "'rocker'") && has(text, "'crank'")) << text;
}

// Half a turn on all rods of a parallelogram lie on one line: the angle is at the end of no reach.
TEST(StartPath, AFlatParallelogramIsReached) {
  for (const char* angle : {"180 deg", "0 deg", "-180 deg"})
    for (const char* coordinates : {"natural", "reference", "relative"}) {
      Mechanism m = read_model_text(std::string(R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, D: {at: [2, 0], on: ground}, A: [0, 1], B: [2, 1]}
bodies:
  crank: {rod: [O, A], mass: 1}
  coupler: {rod: [A, B], mass: 1}
  rocker: {rod: [D, B], mass: 1}
simulate: {duration: 1}
initial: {crank: {angle: )") + angle + "}}\n",
                                    "test.yaml")
                        .value();
      m.plan.coordinates = coordinates;
      Simulation simulation(m, m.plan);
      const AssemblyReport report = simulation.assemble();
      ASSERT_TRUE(report.report.accepted())
          << angle << ", " << coordinates << ": " << explain(report, simulation);
      const double side = simulation.pose("crank").position.x();
      EXPECT_NEAR(std::abs(side), 0.5, 1e-9);
      // Across the line rods give way by the root of what closes their lengths.
      EXPECT_NEAR(simulation.pose("coupler").position.x(), 1 + 2 * side, 1e-8);
      EXPECT_NEAR(simulation.pose("coupler").position.y(), 0, 1e-4);
      EXPECT_NEAR(simulation.pose("rocker").position.x(), 2 + side, 1e-8);
    }
}

// Joints that do not close by themselves are another cause.
TEST(StartPath, JointsThatDoNotCloseAreStillListed) {
  std::string model = kFourBar + "initial: {rocker: {angle: 90 deg}}\n";
  model.replace(model.find("length: 1}"), 10, "length: 3}");
  EXPECT_TRUE(has(refusal(model), "the mechanism cannot be assembled")) << refusal(model);
}

}  // namespace
}  // namespace trammel::tests::start_path_test
