// What a person types into a field, and what follows from it.
#include <fstream>
#include <iterator>

#include "live/live_test_support.h"
#include "live/typed_number.h"
#include "tests/source_dir.h"

namespace trammel::live::fields_test {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(kSourceDir) + "/models/" + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

EditReply set_value(LiveRun& run, const std::string& path, const Json& value) {
  return run.apply({{"do", "set-value"}, {"path", path}, {"value", value}});
}

TEST(TypedNumber, HasUnitsAndArithmetic) {
  LiveRun run = open(kDoublePendulum);
  const Mechanism& m = *run.model();
  EXPECT_DOUBLE_EQ(typed_number(m, "500 g", "kg"), 0.5);
  EXPECT_DOUBLE_EQ(typed_number(m, "2*1.5", "kg"), 3);
  EXPECT_DOUBLE_EQ(typed_number(m, "L/4 + 1", "m"), 1.25);
  EXPECT_DOUBLE_EQ(typed_number(m, "60 rpm", "rad/s"), 2 * M_PI);
  EXPECT_DOUBLE_EQ(typed_number(m, "-1e-3", ""), -1e-3);
  const auto why = [&](const char* text, const char* unit) {
    try {
      static_cast<void>(typed_number(m, text, unit));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(why("5 m", "kg"), "'5 m' is in m; this number is in kg");
  EXPECT_EQ(why("1/0", "kg"), "'1/0' is not a number: its value is not finite");
  EXPECT_NE(why("heavy", "kg"), "taken");
  EXPECT_NE(why("5 blocks", "kg"), "taken");
  EXPECT_NE(why("", "kg"), "taken");
  EXPECT_NE(why("inner.angle", "kg"), "taken");
}

TEST(Fields, TakeWhatAPersonTypes) {
  LiveRun run = open(kDoublePendulum);
  expect_ok(set_value(run, "bodies.outer.mass", "500 g"));
  EXPECT_DOUBLE_EQ(run.model()->body("outer")->mass, 0.5);
  expect_ok(set_value(run, "bodies.outer.mass", "2*1.5"));
  EXPECT_DOUBLE_EQ(run.model()->body("outer")->mass, 3);
  EXPECT_FALSE(set_value(run, "bodies.outer.mass", "5 m").ok);
}

// A parameter by its field is a parameter: lengths follow, and so does where the bodies stand.
TEST(Fields, AParameterMovesWhatDependsOnIt) {
  LiveRun run({"andrews.yaml", text_of("andrews"), {}});
  const auto length = [&] { return run.model()->point("F")->on.front().frame.at.x(); };
  ASSERT_DOUBLE_EQ(length(), 7e-3);
  expect_ok(set_value(run, "parameters.rr", "6.9 mm"));
  EXPECT_DOUBLE_EQ(length(), 6.9e-3);
  EXPECT_NE(run.yaml().find("rr: 0.0069"), std::string::npos) << run.yaml();
}

TEST(Fields, AParameterThatCountsBodiesBringsThem) {
  LiveRun run({"n-four-bar.yaml", text_of("n-four-bar"), {}});
  ASSERT_EQ(run.model()->bodies.size(), 81U);
  advance(run, 3);
  const EditReply reply = set_value(run, "parameters.N", 3);
  expect_ok(reply);
  EXPECT_EQ(run.model()->bodies.size(), 7U);
  EXPECT_EQ(run.simulation().state().t, 0);
  ASSERT_FALSE(reply.notes.empty());
  EXPECT_EQ(reply.notes.back(), "the model has other parts now: the motion begins at its start");
  for (const Json& wrong : {Json(-1), Json(3.5)}) {
    const EditReply refused = set_value(run, "parameters.N", wrong);
    EXPECT_FALSE(refused.ok) << wrong;
    EXPECT_TRUE(refused.error.starts_with("N = ")) << refused.error;
  }
  EXPECT_EQ(run.model()->bodies.size(), 7U);
  advance(run, 3);
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_EQ(run.model()->bodies.size(), 81U);
  run.finish();
  EXPECT_TRUE(replay(run.journal().text()).identical);
}

// Velocities at the start, said for the first time: the motion has them after a reset.
TEST(Fields, StartSpeedsAreGiven) {
  LiveRun run = open(kDoublePendulum);
  const EditReply reply = set_value(run, "bodies.inner.angular-velocity.z", "60 rpm");
  expect_ok(reply);
  ASSERT_EQ(reply.notes.size(), 1U);
  EXPECT_EQ(reply.notes[0], "this counts at the start: reset, and the motion begins with it");
  EXPECT_EQ(pose_of(run, "inner").angular_velocity.z(), 0);
  expect_ok(run.apply({{"do", "reset"}}));
  EXPECT_NEAR(pose_of(run, "inner").angular_velocity.z(), 2 * M_PI, 1e-9);
  LiveRun saved({"saved.yaml", run.yaml(), {}});
  EXPECT_NEAR(pose_of(saved, "inner").angular_velocity.z(), 2 * M_PI, 1e-9);
}

// A motor on a linkage that runs: reset, methods and the file all have it.
TEST(Fields, AMotorOnADoubleFourBar) {
  LiveRun run({"double-four-bar.yaml", text_of("double-four-bar"), {}});
  advance(run, 20);
  expect_ok(
      run.apply({{"do", "add-driver"}, {"driver", {{"kind", "joint"}, {"of", "A0"}, {"equals", {"3*t"}}}}}));
  advance(run, 20);
  expect_ok(run.apply({{"do", "reset"}}));
  advance(run, 20);
  LiveRun saved({"saved.yaml", run.yaml(), {}});
  advance(saved, 20);
  EXPECT_LT((pose_of(run, saved.model()->bodies[0].name).position -
             pose_of(saved, saved.model()->bodies[0].name).position)
                .norm(),
            1e-9);
}

// A step that fails stops the run where it is; the remedy of the message is taken there, and so is any edit.
TEST(Fields, AfterAFailedStepTheRemedyIsTaken) {
  for (const Json& edit : {Json{{"do", "set-plan"}, {"formulation", "augmented-lagrangian-index3"}},
                           Json{{"do", "set-step"}, {"value", 1e-3}}}) {
    LiveRun run({"double-four-bar.yaml", text_of("double-four-bar"), {}});
    expect_ok(run.apply({{"do", "set-plan"}, {"formulation", "lagrange"}}));
    StepResult result;
    for (int k = 0; k < 1000 && result.report.accepted(); ++k) result = run.step();
    ASSERT_FALSE(result.report.accepted());
    EXPECT_NE(explain(result.report, run.simulation()).find("use augmented-lagrangian-index3"),
              std::string::npos);
    expect_ok(run.apply(edit));
    advance(run, 50);
  }
}

}  // namespace
}  // namespace trammel::live::fields_test
