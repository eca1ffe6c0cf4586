// A mechanism that is drawn: its text changes in place, points are dragged with the joints held.
#include <cmath>

#include "live/live_run.h"
#include "live/live_test_support.h"
#include "trammel/model.h"

namespace trammel::live::drawing_test {
namespace {

const char* const kRocker = R"(# my first drawing
trammel: 1
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}   # the motor's
  A: [0, 0.1]
  B: [0.4, 0.3]     # the coupler's end
  C: {at: [0.4, 0], on: ground}
bodies:
  # thin links
  crank:   {rod: [O, A], mass: 0.1, length: 0.1}
  coupler: {rod: [A, B], mass: 0.4}
  rocker:  {rod: [B, C], mass: 0.3, length: 0.3}
simulate: {duration: 10, step: 1 ms}
)";

Json change(const std::vector<std::string>& path, const std::string& value) {
  return {{"path", path}, {"value", value}};
}

std::string with(std::string text, const std::string& old, const std::string& put) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), put);
}

TEST(Drawing, ATextThatIsChangedInPlaceIsTheModel) {
  LiveRun run = open(kRocker);
  EXPECT_EQ(run.text().text, kRocker);
  expect_ok(run.apply({{"do", "change-text"},
                       {"changes",
                        {change({"drivers", "motor"}, "{speed: O, equals: 2*pi}"),
                         change({"bodies", "crank", "mass"}, "0.2 kg")}}}));
  const std::string text = with(with(kRocker, "mass: 0.1,", "mass: 0.2 kg,"),
                                "simulate:", "drivers:\n  motor: {speed: O, equals: 2*pi}\nsimulate:");
  EXPECT_EQ(run.text().text, text);
  EXPECT_EQ(run.model()->body("crank")->mass, 0.2);
  EXPECT_EQ(run.model()->drivers.size(), 1U);
  advance(run, 100);
  // 2π rad/s for a tenth of a second
  // follows from its speed as closely as the step allows
  EXPECT_NEAR(pose_of(run, "crank").angle, M_PI / 2 + 0.2 * M_PI, 1e-4);
}

TEST(Drawing, ATextThatIsNoModelIsRefusedWithThePlace) {
  LiveRun run = open(kRocker);
  const std::string wrong = with(kRocker, "rod: [B, C]", "rod: [B, X]");
  const EditReply reply = run.apply({{"do", "set-text"}, {"text", wrong}});
  ASSERT_FALSE(reply.ok);
  ASSERT_FALSE(reply.errors.empty());
  EXPECT_EQ(reply.errors[0].line, 14);
  EXPECT_EQ(reply.errors[0].column, 22);
  EXPECT_EQ(run.text().text, kRocker);
  const EditReply bracket = run.apply({{"do", "set-text"}, {"text", "trammel: 1\nbodies: {a: [1\n"}});
  ASSERT_FALSE(bracket.errors.empty());
  EXPECT_EQ(bracket.errors[0].line, 2);
}

TEST(Drawing, EveryOtherEditKeepsCommentsAndOrder) {
  LiveRun run = open(kRocker);
  expect_ok(run.apply({{"do", "set-value"}, {"path", "bodies.rocker.mass"}, {"value", 0.5}}));
  EXPECT_EQ(run.text().text, with(kRocker, "mass: 0.3", "mass: 0.5"));
  expect_ok(run.apply({{"do", "set-gravity"}, {"value", {0, -1.62, 0}}}));
  EXPECT_NE(run.text().text.find("gravity: [0, -1.62]\n"), std::string::npos) << run.text().text;
  expect_ok(run.apply({{"do", "remove-body"}, {"name", "rocker"}}));
  const std::string text = run.text().text;
  EXPECT_FALSE(run.text().anew);
  EXPECT_EQ(text.find("rocker"), std::string::npos) << text;
  EXPECT_EQ(text.find("  C:"), std::string::npos) << text;
  EXPECT_NE(text.find("B: [0.4, 0.3]     # the coupler's end"), std::string::npos) << text;
  EXPECT_TRUE(read_model_text(text, "t.yaml").errors.empty());
}

TEST(Drawing, UndoBringsBackTheVeryText) {
  LiveRun run = open(kRocker);
  expect_ok(run.apply({{"do", "change-text"}, {"changes", {change({"bodies", "crank", "mass"}, "7")}}}));
  expect_ok(run.apply({{"do", "remove-body"}, {"name", "rocker"}}));
  const std::string removed = run.text().text;
  expect_ok(run.apply({{"do", "undo"}}));
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_EQ(run.text().text, kRocker);
  expect_ok(run.apply({{"do", "redo"}}));
  expect_ok(run.apply({{"do", "redo"}}));
  EXPECT_EQ(run.text().text, removed);
}

TEST(Drawing, APointIsDraggedAsFarAsTheJointsAllow) {
  LiveRun run = open(kRocker);
  const Vec3 target(0.2, 0.2, 0);
  expect_ok(run.apply({{"do", "drag"}, {"body", "crank"}, {"at", {0.1, 0, 0}}, {"target", {0.2, 0.2, 0}}}));
  // on the crank's circle, the point next to the target lies towards it
  const Vec3 tip = along(pose_of(run, "crank"), 0.05);
  EXPECT_LT((tip - 0.1 * target.normalized()).norm(), 1e-6) << tip.transpose();
  const double coupler = std::hypot(0.4, 0.2);
  const Vec3 end = along(pose_of(run, "coupler"), coupler / 2);
  EXPECT_NEAR((end - tip).norm(), coupler, 1e-10);
  EXPECT_NEAR((end - Vec3(0.4, 0, 0)).norm(), 0.3, 1e-10);
  expect_ok(run.apply({{"do", "end-drag"}}));
  // what stands in the text is where it begins
  EXPECT_LT((along(pose_of(run, "crank"), 0.05) - tip).norm(), 1e-6);
  EXPECT_FALSE(run.text().anew) << run.text().text;
  EXPECT_NE(run.text().text.find("# the coupler's end"), std::string::npos);
  expect_ok(run.apply({{"do", "reset"}}));
  EXPECT_LT((along(pose_of(run, "crank"), 0.05) - tip).norm(), 1e-6);
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_EQ(run.text().text, kRocker);
  EXPECT_NEAR(pose_of(run, "crank").angle, M_PI / 2, 1e-9);
}

TEST(Drawing, PlacesAreWrittenShortWhereLengthsAreGiven) {
  LiveRun run = open(with(kRocker, "mass: 0.4}", "mass: 0.4, length: 0.45}"));
  expect_ok(run.apply({{"do", "drag"}, {"body", "crank"}, {"at", {0.1, 0, 0}}, {"target", {0.3, 0.1, 0}}}));
  expect_ok(run.apply({{"do", "end-drag"}}));
  const std::string text = run.text().text;
  const std::size_t at = text.find("A: ["), end = text.find(']', at);
  EXPECT_LT(end - at, 26U) << text;
}

TEST(Drawing, ACopyHasTheJointsOfItsBodies) {
  LiveRun run = open(kRocker);
  const EditReply reply =
      run.apply({{"do", "copy-bodies"}, {"bodies", {"crank", "coupler", "rocker"}}, {"by", {1, 0, 0}}});
  expect_ok(reply);
  EXPECT_EQ(reply.name, "crank_2");
  EXPECT_EQ(run.model()->bodies.size(), 6U);
  EXPECT_EQ(run.model()->joints.size(), 8U);
  const LiveRun again = open(run.text().text);
  EXPECT_FALSE(run.text().anew) << run.text().text;
  for (const char* body : {"crank", "coupler", "rocker"})
    EXPECT_LT(
        (pose_of(again, std::string(body) + "_2").position - pose_of(again, body).position - Vec3(1, 0, 0))
            .norm(),
        1e-9)
        << body;
}

TEST(Drawing, AMirrorImageMovesAsTheMirrorImage) {
  LiveRun run = open(with(kRocker, "simulate:", "drivers:\n  motor: {speed: O, equals: 3}\nsimulate:"));
  expect_ok(run.apply({{"do", "copy-bodies"},
                       {"bodies", {"crank", "coupler", "rocker"}},
                       {"mirror", {{"through", {-0.2, 0, 0}}, {"along", {0, 1, 0}}}}}));
  advance(run, 500);
  for (const char* body : {"crank", "coupler", "rocker"}) {
    const Vec3 one = pose_of(run, body).position, other = pose_of(run, std::string(body) + "_2").position;
    EXPECT_LT((other - Vec3(-0.4 - one.x(), one.y(), 0)).norm(), 1e-6) << body;
  }
}

TEST(Drawing, WhatNothingTouchesYetIsMarkedFree) {
  LiveRun run = open(
      "trammel: 1\nplane: xy\npoints:\n  A: [0, 0]\n  B: [1, 0]\nbodies:\n  one: {rod: [A, B], mass: 1}\n");
  expect_ok(run.apply({{"do", "change-text"},
                       {"changes",
                        {change({"points", "C"}, "[2, 0]"), change({"points", "D"}, "[3, 0]"),
                         change({"bodies", "two"}, "{rod: [C, D], mass: 1}")}}}));
  EXPECT_NE(run.text().text.find("one: {rod: [A, B], mass: 1, free: true}"), std::string::npos)
      << run.text().text;
  EXPECT_NE(run.text().text.find("two: {rod: [C, D], mass: 1, free: true}"), std::string::npos)
      << run.text().text;
  expect_ok(
      run.apply({{"do", "change-text"}, {"changes", {change({"bodies", "mid"}, "{rod: [B, C], mass: 1}")}}}));
  EXPECT_EQ(run.text().text.find("free"), std::string::npos) << run.text().text;
}

TEST(Drawing, WhatCannotBeIsRefusedInWords) {
  LiveRun run = open(kRocker);
  EXPECT_NE(run.apply({{"do", "drag"}, {"body", "x"}, {"at", {0, 0, 0}}, {"target", {0, 0, 0}}})
                .error.find("no body"),
            std::string::npos);
  EXPECT_EQ(run.apply({{"do", "end-drag"}}).error, "nothing is dragged");
  EXPECT_NE(run.apply({{"do", "change-text"}, {"changes", {{{"path", {"points", "Z"}}}}}})
                .error.find("no such entry"),
            std::string::npos);
  EXPECT_FALSE(run.apply({{"do", "copy-bodies"}, {"bodies", {"x"}}, {"by", {1, 0, 0}}}).ok);
}

}  // namespace
}  // namespace trammel::live::drawing_test
