// What goes on at an edit: parts that have fallen away, driven coordinates, saved motions.
#include <numbers>

#include "live/live_test_support.h"
#include "trammel/model.h"

namespace trammel::live::live_continues_test {
namespace {

// The README's slider-crank, as far as it matters: a crank driven at a parameter's speed.
const char* const kCrank = R"(
trammel: 1
plane: xy
gravity: [0, -9.81]
parameters: {L: 0.3, speed: 6}
points:
  O: {at: [0, 0], on: ground}
  A: [0.3, 0]
  B: [0.9, 0]
bodies:
  crank:   {rod: [O, A], mass: 1, length: L}
  coupler: {rod: [A, B], mass: 2, length: 2*L}
  slider:  {point: B, mass: 1}
joints:
  guide: {point-on-line: B, through: [0, 0], along: [1, 0]}
drivers:
  motor: {angle: crank, equals: speed*t}
simulate: {duration: 10, step: 1 ms}
)";

double crank_speed(const LiveRun& run) { return pose_of(run, "crank").angular_velocity.z(); }

// How far apart two ways along the crank's turn are.
double turn_between(double a, double b) { return std::abs(std::remainder(a - b, 2 * std::numbers::pi)); }

double crank_angle(const LiveRun& run) {
  const Vec3 x = pose_of(run, "crank").axes.col(0);
  return std::atan2(x.y(), x.x());
}

}  // namespace

// A rod that fell for seconds is hung up again: it is brought back, and the joint is closed.
TEST(LiveContinues, UndoesAFallOfSeconds) {
  for (const std::string coordinates : {"natural", "reference", "relative"}) {
    LiveRun run = open(kDoublePendulum, {"--coordinates=" + coordinates});
    advance(run, 300);
    expect_ok(run.apply({{"do", "remove-joint"}, {"name", "A"}}));
    advance(run, 3000);
    const Vec3 before = pose_of(run, "outer").position;
    EXPECT_LT(before.y(), -30) << coordinates;  // ½ g t² = 44 m
    const EditReply reply = run.apply({{"do", "undo"}});
    expect_ok(reply);
    // Closed to rounding of the places it came from: 50 m times 1e-13 of assembly.
    const Vec3 tip = along(pose_of(run, "inner"), 0.5), start = along(pose_of(run, "outer"), -0.5);
    EXPECT_LT((tip - start).norm(), 1e-11) << coordinates;
    EXPECT_NEAR(reply.moved, (pose_of(run, "outer").position - before).norm(), 1e-9);
    advance(run, 100);
  }
}

// Two rods that fell together come back together: what still holds between them stays as it was.
TEST(LiveContinues, BringsBackWhatHangsTogether) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 200);
  expect_ok(run.apply({{"do", "remove-joint"}, {"name", "O"}}));
  advance(run, 4000);
  const auto angle_between = [&] {
    return (pose_of(run, "inner").axes.transpose() * pose_of(run, "outer").axes)(1, 0);
  };
  const double before = angle_between();
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_LT(along(pose_of(run, "inner"), -0.5).norm(), 1e-11);
  // A translation turns nothing.
  EXPECT_NEAR(angle_between(), before, 1e-9);
}

TEST(LiveContinues, SaysWhatToDoWhereAJointCannotClose) {
  LiveRun run = open(kDoublePendulum);
  const EditReply reply = run.apply(
      {{"do", "add-joint"},
       {"joint",
        {{"name", "far"},
         {"kind", "pin"},
         {"markers", {{{"body", "outer"}, {"at", {1, 0, 0}}}, {{"body", "ground"}, {"at", {3, 0, 0}}}}}}}});
  ASSERT_FALSE(reply.ok);
  EXPECT_NE(reply.error.find("reset first"), std::string::npos) << reply.error;
  // Two rods of 1 m towards a place at 3 m: what is missing is told in metres, 1 m at most.
  const std::size_t by = reply.error.find("open by ");
  ASSERT_NE(by, std::string::npos) << reply.error;
  EXPECT_LE(std::stod(reply.error.substr(by + 8)), 1) << reply.error;
}

// Another speed at t > 0: the crank stays where it is and turns on at the new speed.
TEST(LiveContinues, ADriverGoesOnFromWhereItIs) {
  for (const std::string coordinates : {"natural", "reference", "relative"}) {
    LiveRun run = open(kCrank, {"--coordinates=" + coordinates});
    advance(run, 2500);
    const double before = crank_angle(run);
    EditReply reply = run.apply({{"do", "set-parameter"}, {"name", "speed"}, {"value", 9}});
    expect_ok(reply);
    EXPECT_LT(turn_between(crank_angle(run), before), 1e-9) << coordinates;
    EXPECT_NEAR(crank_speed(run), 9, 1e-8) << coordinates;
    EXPECT_GT(reply.impulse, 0.1);
    ASSERT_EQ(reply.notes.size(), 1U);
    EXPECT_NE(reply.notes[0].find("(speed*t) + ("), std::string::npos) << reply.notes[0];
    advance(run, 1000);
    EXPECT_LT(turn_between(crank_angle(run), before + 9), 1e-8) << coordinates;
    // Reset begins as the model says, without the constant.
    expect_ok(run.apply({{"do", "reset"}}));
    EXPECT_LT(turn_between(crank_angle(run), 0), 1e-12);
    EXPECT_EQ(run.model()->drivers[0].equals[0], "speed*t");
  }
}

// An edit that leaves drivers alone says nothing of them, whatever they drive.
TEST(LiveContinues, OtherEditsLeaveDriversAlone) {
  std::string text = kCrank;
  text.replace(text.find("angle: crank, equals: speed*t"), 29, "speed: crank, equals: speed");
  for (const std::string& model : {std::string(kCrank), text}) {
    LiveRun run = open(model);
    advance(run, 100);
    for (int k = 0; k < 2; ++k) {
      const EditReply reply = run.apply({{"do", "set-gravity"}, {"value", {0, -k}}});
      expect_ok(reply);
      EXPECT_TRUE(reply.notes.empty()) << reply.notes[0];
      EXPECT_EQ(run.simulation().mechanism().drivers[0].equals, run.model()->drivers[0].equals);
    }
  }
}

// A point that is led in one direction only, and changes its lead.
TEST(LiveContinues, ALedPointGoesOn) {
  LiveRun run = open(R"(
trammel: 1
plane: xy
points: {P: [0, 1]}
bodies: {p: {point: P, mass: 1}}
drivers: {lead: {position: P, equals: [free, 1 + 2*t]}}
simulate: {step: 1 ms}
)");
  advance(run, 500);
  expect_ok(run.apply({{"do", "set-value"}, {"path", "drivers.lead.equals.1"}, {"value", "5*t"}}));
  // 1 + 2·0.5, then 5 m/s
  EXPECT_NEAR(pose_of(run, "p").position.y(), 2, 1e-10);
  EXPECT_NEAR(pose_of(run, "p").velocity.y(), 5, 1e-9);
  advance(run, 200);
  EXPECT_NEAR(pose_of(run, "p").position.y(), 3, 1e-9);
}

// A driver that is taken away and comes back follows its law from where the crank has come to.
TEST(LiveContinues, ADriverComesBack) {
  LiveRun run = open(kCrank);
  advance(run, 700);
  expect_ok(run.apply({{"do", "remove-driver"}, {"name", "motor"}}));
  advance(run, 1300);
  const double before = crank_angle(run);
  const EditReply reply = run.apply({{"do", "undo"}});
  expect_ok(reply);
  EXPECT_LT(reply.moved, 1e-9);
  EXPECT_LT(turn_between(crank_angle(run), before), 1e-9);
  EXPECT_NEAR(crank_speed(run), 6, 1e-8);
  // A pull leaves it alone, to the bit of what it follows.
  const auto law = run.simulation().mechanism().drivers[0].equals;
  expect_ok(run.apply({{"do", "pull"}, {"body", "slider"}, {"target", {1, 0, 0}}}));
  EXPECT_EQ(run.simulation().mechanism().drivers[0].equals, law);
}

// The file of a driven motion goes on as the run does.
TEST(LiveContinues, SavesADrivenMotion) {
  LiveRun run = open(kCrank);
  advance(run, 1500);
  expect_ok(run.apply({{"do", "set-parameter"}, {"name", "speed"}, {"value", 4}}));
  advance(run, 800);
  const std::string text = run.yaml(true);
  EXPECT_NE(text.find("# As it stood and moved at t = 2.3 s"), std::string::npos) << text;
  LiveRun again = open(text);
  for (const char* body : {"crank", "coupler", "slider"}) {
    EXPECT_LT((pose_of(again, body).position - pose_of(run, body).position).norm(), 1e-10) << body;
    EXPECT_LT((pose_of(again, body).velocity - pose_of(run, body).velocity).norm(), 1e-8) << body;
  }
  advance(run, 1000);
  advance(again, 1000);
  // All is driven: the places are those of the law, to the step's convergence.
  for (const char* body : {"crank", "coupler", "slider"})
    EXPECT_LT((pose_of(again, body).position - pose_of(run, body).position).norm(), 1e-8) << body;
}

// The slider goes; its guide is written on a point that the coupler has too, and goes on guiding it.
TEST(LiveContinues, APointKeepsItsJointsWhenABodyGoes) {
  LiveRun run = open(kCrank);
  advance(run, 400);
  const EditReply reply = run.apply({{"do", "remove-body"}, {"name", "slider"}});
  expect_ok(reply);
  ASSERT_NE(run.model()->joint("guide"), nullptr);
  EXPECT_EQ(run.model()->joint("guide")->markers[0].body, "coupler");
  EXPECT_LT(reply.moved, 1e-9);
  advance(run, 400);
  // On the line to the convergence of a step.
  EXPECT_NEAR(along(pose_of(run, "coupler"), 0.3).y(), 0, 1e-9);
  EXPECT_EQ(open(run.yaml()).model()->joint("guide")->markers[0].body, "coupler");
}

}  // namespace trammel::live::live_continues_test
