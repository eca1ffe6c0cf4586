// A double pendulum that a person takes apart and puts together while it swings.
#include "live/live_run.h"

#include "analysis/acceptance.h"
#include "live/live_test_support.h"
#include "simulation/plan_check.h"
#include "trammel/model.h"

namespace trammel::live::live_run_test {
namespace {

constexpr double kG = 9.81;

using Method = std::pair<std::string, std::string>;  // coordinates, formulation
class FreeFlight : public testing::TestWithParam<Method> {};

// Without its joint the outer link flies: its centre of mass follows the parabola and it turns uniformly.
TEST_P(FreeFlight, FollowsTheParabola) {
  const auto& [coordinates, formulation] = GetParam();
  LiveRun run = open(kDoublePendulum, {"--coordinates=" + coordinates, "--formulation=" + formulation});
  advance(run, 400);
  const Pose start = pose_of(run, "outer");
  const double before = mechanical_energy(run), t0 = run.simulation().state().t;
  const EditReply reply = run.apply({{"do", "remove-joint"}, {"name", "A"}});
  expect_ok(reply);
  // Nothing needs to be closed: what is carried over stays, but for rounding; or, where a formulation lets
  // the rods' lengths drift, but for this drift.
  const bool exact = formulation == kIndex3;
  EXPECT_LT(reply.moved, exact ? 1e-12 : 1e-5);
  EXPECT_LT(reply.impulse, exact ? 1e-11 : 1e-4);
  EXPECT_NEAR(mechanical_energy(run), before, exact ? 1e-10 : 1e-4);
  advance(run, 500);
  const double t = run.simulation().state().t - t0;
  const Pose end = pose_of(run, "outer");
  const Vec3 fall = start.position + start.velocity * t - Vec3(0, 0.5 * kG * t * t, 0);
  EXPECT_NEAR(t, 0.5, 1e-12);
  EXPECT_LT((end.position - fall).norm(), 1e-6);
  // Rules of second order turn a unit vector by ωh with an error of (ωh)²/12 of it.
  const double turned = start.angular_velocity.z() * t;
  EXPECT_NEAR(end.angle - start.angle, turned, 1e-4 * std::abs(turned) + 1e-9);
}

// Every pair that the mechanism takes.
std::vector<Method> methods() {
  std::vector<Method> all;
  const Mechanism pendulum = read_model_text(kDoublePendulum, "test.yaml").mechanism;
  for (const char* coordinates : {"natural", "reference", "relative"})
    for (const std::string& formulation : simulation::known_formulations())
      if (analysis::refusal(pendulum,
                            analysis::with_method(pendulum.plan, coordinates, formulation, kAutomatic))
              .empty())
        all.emplace_back(coordinates, formulation);
  return all;
}

std::string name_of(const testing::TestParamInfo<FreeFlight::ParamType>& info) {
  std::string name = info.param.first + "_" + info.param.second;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Methods, FreeFlight, testing::ValuesIn(methods()), name_of);

// The joint put back in mid-air: it closes, momentum about its own is given by an impulse, and energy is lost
// but never gained, as a mass-orthogonal projection of velocities can only take it.
TEST(LiveRun, PutsTheJointBack) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 300);
  expect_ok(run.apply({{"do", "remove-joint"}, {"name", "A"}}));
  advance(run, 50);
  const double gap = (along(pose_of(run, "inner"), 0.5) - along(pose_of(run, "outer"), -0.5)).norm();
  EXPECT_GT(gap, 1e-3);
  const Energy before = run.simulation().energy();
  const EditReply reply = run.apply(kPin);
  expect_ok(reply);
  EXPECT_GT(reply.moved, 0.1 * gap);
  EXPECT_LT(reply.moved, gap);
  EXPECT_GT(reply.impulse, 0);
  EXPECT_LT(run.simulation().energy().kinetic, before.kinetic);
  EXPECT_NEAR(reply.energy, mechanical_energy(run) - before.kinetic - before.potential, 1e-12);
  EXPECT_LT((along(pose_of(run, "inner"), 0.5) - along(pose_of(run, "outer"), -0.5)).norm(), 1e-12);
  const double after = mechanical_energy(run);
  advance(run, 500);
  // The trapezoidal rule's own drift.
  EXPECT_NEAR(mechanical_energy(run), after, 1e-3);
}

// Two free point masses that a link ties together: the impulse along it follows from momentum.
TEST(LiveRun, ImpulseOfTwoPointMasses) {
  LiveRun run = open(R"(
trammel: 1
points: {P: [0, 0, 0], Q: [1, 0, 0]}
bodies:
  p: {point: P, mass: 1, free: true}
  q: {point: Q, mass: 3, free: true}
initial: {p: {velocity: [2, 1, 0]}, q: {velocity: [0, 0, 0]}}
simulate: {step: 1 ms}
)");
  const EditReply reply = run.apply(
      {{"do", "add-joint"},
       {"joint", {{"name", "link"}, {"kind", "distance"}, {"markers", {{{"body", "p"}}, {{"body", "q"}}}}}}});
  expect_ok(reply);
  // Along the link both go on at (1·2 + 3·0)/4 = 0.5; across it nothing changes. The projection's weights are
  // 1e6 times the masses: six digits are lost to rounding.
  EXPECT_NEAR(pose_of(run, "p").velocity.x(), 0.5, 1e-9);
  EXPECT_NEAR(pose_of(run, "q").velocity.x(), 0.5, 1e-9);
  EXPECT_NEAR(pose_of(run, "p").velocity.y(), 1, 1e-9);
  EXPECT_NEAR(reply.impulse, 1.5, 1e-9);
  EXPECT_NEAR(reply.energy, -0.5 * 0.75 * 2 * 2, 1e-9);  // ½ μ Δv², μ = 3/4
}

TEST(LiveRun, RefusesWhatCannotBe) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 100);
  const std::string state = checksum(run.simulation().state());
  const auto refused = [&](const Json& edit, const std::string& words) {
    const EditReply reply = run.apply(edit);
    EXPECT_FALSE(reply.ok) << edit;
    EXPECT_NE(reply.error.find(words), std::string::npos) << reply.error;
  };
  // The end cannot be held three metres away.
  refused(
      {{"do", "add-joint"},
       {"joint",
        {{"name", "far"},
         {"kind", "pin"},
         {"markers", {{{"body", "outer"}, {"at", {1, 0, 0}}}, {{"body", "ground"}, {"at", {3, 0, 0}}}}}}}},
      "stays open");
  refused({{"do", "remove-joint"}, {"name", "X"}}, "there is no joint 'X'");
  refused({{"do", "set-value"}, {"path", "bodies.inner.mass"}, {"value", -1}}, "zero or more");
  refused({{"do", "set-value"}, {"path", "bodies.inner.mas"}, {"value", 1}},
          "did you mean 'bodies.inner.mass'");
  refused({{"do", "set-value"}, {"path", "bodies.inner.mass"}, {"value", "x"}},
          "'x' is not a number: unknown name 'x'");
  refused({{"do", "add-joint"}, {"joint", {{"kind", "hinge"}}}}, "there is no joint 'hinge'");
  refused({{"do", "add-joint"}, {"joint", {{"kind", "pin"}, {"markers", {1, 2}}}}}, "expected an object");
  refused({{"do", "set-plan"}, {"formulation", "magic"}}, "magic");
  refused({{"do", "set-step"}, {"value", 0}}, "positive");
  refused({{"do", "pull"}, {"body", "nobody"}, {"target", {0, 0, 0}}}, "nobody");
  refused({{"do", "release"}, {"name", "mouse"}}, "no pull 'mouse'");
  refused({{"do", "undo"}}, "nothing to undo");
  refused({{"do", "fly"}}, "no command 'fly'");
  refused({{"undo", 1}}, "expected {\"do\"");
  refused(Json::array({1}), "expected {\"do\"");
  refused({{"do", "remove-joint"}, {"name", "A"}, {"nmae", 1}}, "unknown field 'nmae'");
  EXPECT_EQ(checksum(run.simulation().state()), state);
  EXPECT_EQ(run.journal().edits(), 0);
}

// Undo gives the model back and goes on from the present motion; redo likewise.
TEST(LiveRun, UndoesAndRedoes) {
  LiveRun run = open(kDoublePendulum);
  expect_ok(run.apply({{"do", "set-value"}, {"path", "bodies.outer.mass"}, {"value", 2.5}}));
  EXPECT_EQ(run.model()->body("outer")->mass, 2.5);
  EXPECT_DOUBLE_EQ(run.model()->body("outer")->inertia(2, 2), 2.5 / 12);
  expect_ok(run.apply({{"do", "remove-joint"}, {"name", "A"}}));
  EXPECT_EQ(run.undoable(), "remove-joint A");
  advance(run, 20);
  const Pose flying = pose_of(run, "inner");
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_NE(run.model()->joint("A"), nullptr);
  EXPECT_EQ(run.redoable(), "remove-joint A");
  // It goes on from there: the inner rod has moved by what closing the joint takes only.
  EXPECT_LT((pose_of(run, "inner").position - flying.position).norm(), 1e-3);
  EXPECT_NEAR(run.simulation().state().t, 0.02, 1e-12);
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_EQ(run.model()->body("outer")->mass, 1);
  expect_ok(run.apply({{"do", "redo"}}));
  expect_ok(run.apply({{"do", "redo"}}));
  EXPECT_EQ(run.model()->joint("A"), nullptr);
  EXPECT_FALSE(run.apply({{"do", "redo"}}).ok);
}

// A parameter reaches everything that the file computes from it.
TEST(LiveRun, FollowsParameters) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 200);
  expect_ok(run.apply({{"do", "set-parameter"}, {"name", "L"}, {"value", 1.2}}));
  EXPECT_EQ(run.model()->body("outer")->length, 1.2);
  EXPECT_EQ(run.model()->point("B")->on[0].frame.at.x(), 1.2);
  EXPECT_EQ(run.model()->parameters.at("L"), 1.2);
  EXPECT_LT((along(pose_of(run, "inner"), 0.6) - along(pose_of(run, "outer"), -0.6)).norm(), 1e-12);
  expect_ok(run.apply({{"do", "undo"}}));
  expect_ok(run.apply({{"do", "set-parameter"}, {"name", "m"}, {"value", 3}}));
  EXPECT_EQ(run.model()->body("outer")->length, 1);
  EXPECT_EQ(run.model()->body("outer")->mass, 3);
  // A rod's length by itself takes along what is on it.
  expect_ok(run.apply({{"do", "set-value"}, {"path", "bodies.inner.length"}, {"value", 0.5}}));
  EXPECT_EQ(run.model()->joint("A")->markers[0].frame.at.x(), 0.5);
}

// A pull held still draws the end of the pendulum to it; the rest position is where gravity and spring
// balance.
TEST(LiveRun, PullsTowardsTheMouse) {
  LiveRun run = open(kDoublePendulum);
  const Vec3 target(0.5, -1.2, 0);
  const auto pull = [&](const Vec3& to) -> Json {
    return {{"do", "pull"},
            {"name", "mouse-1"},
            {"body", "outer"},
            {"at", {1, 0, 0}},
            {"target", {to.x(), to.y(), 0}},
            {"stiffness", 2000},
            {"damping", 300}};
  };
  expect_ok(run.apply(pull({1.9, 0, 0})));
  const unsigned revision = run.revision();
  for (int k = 1; k <= 50; ++k) {
    expect_ok(run.apply(pull(Vec3(1.9, 0, 0) + k / 50.0 * (target - Vec3(1.9, 0, 0)))));
    advance(run, 20);
  }
  // Moving it compiled nothing.
  EXPECT_EQ(run.revision(), revision);
  advance(run, 4000);
  // Both rods weigh 2 m g = 20 N at most on a spring of 2000 N/m.
  EXPECT_LT((along(pose_of(run, "outer"), 0.5) - target).norm(), 0.02);
  expect_ok(run.apply({{"do", "release"}}));
  EXPECT_TRUE(run.pulls().empty());
  EXPECT_TRUE(run.simulation().mechanism().inputs.empty());
}

// The automatic stiffness draws too, and holds better when told to hold.
TEST(LiveRun, HoldsByItself) {
  LiveRun run = open(kDoublePendulum);
  expect_ok(run.apply(
      {{"do", "pull"}, {"body", "outer"}, {"at", {1, 0, 0}}, {"target", {1.5, -0.5, 0}}, {"hold", true}}));
  advance(run, 6000);
  EXPECT_LT((along(pose_of(run, "outer"), 0.5) - Vec3(1.5, -0.5, 0)).norm(), 1e-3);
}

// Coordinates and formulation changed while it runs, pulled as it is: the motion goes on, and is the same.
TEST(LiveRun, ChangesMethod) {
  const Json pull = {
      {"do", "pull"}, {"body", "outer"}, {"at", {1, 0, 0}}, {"target", {1, -2, 0}}, {"stiffness", 20}};
  LiveRun changed = open(kDoublePendulum), steady = open(kDoublePendulum);
  for (LiveRun* run : {&changed, &steady}) expect_ok(run->apply(pull));
  const std::vector<Method> all = methods();
  EXPECT_GT(all.size(), 30U);
  for (const auto& [coordinates, formulation] : all) {
    SCOPED_TRACE(coordinates + " " + formulation);
    expect_ok(
        changed.apply({{"do", "set-plan"}, {"formulation", formulation}, {"coordinates", coordinates}}));
    advance(changed, 10);
  }
  advance(steady, 10 * static_cast<int>(all.size()));
  EXPECT_NEAR(changed.simulation().state().t, steady.simulation().state().t, 1e-12);
  // Rules of second order at 1 ms.
  EXPECT_LT((pose_of(changed, "outer").position - pose_of(steady, "outer").position).norm(), 1e-5);
  EXPECT_EQ(changed.pulls().size(), 1U);
}

// What a plan says of joints and bodies goes with them, and a step is there where one is needed.
TEST(LiveRun, PlansFollowTheModel) {
  std::string text = kDoublePendulum;
  const std::string step = "step: 1 ms";
  text.replace(text.find(step), step.size(),
               "coordinates: relative, open: [A], omega: {default: 10, A: 20}, formulation: lagrange, "
               "integrator: dopri5, tolerance: 1e-6");
  LiveRun run = open(text);
  advance(run, 10);
  EXPECT_EQ(run.model()->plan.step, 0);
  expect_ok(run.apply({{"do", "set-plan"}, {"formulation", "algebraic"}}));
  EXPECT_EQ(run.model()->plan.integrator, "trapezoidal");
  EXPECT_EQ(run.model()->plan.step, 0.01);  // a thousandth of the duration
  expect_ok(run.apply({{"do", "remove-joint"}, {"name", "A"}}));
  EXPECT_TRUE(run.model()->plan.open.empty());
  EXPECT_TRUE(run.model()->plan.omega_of.empty());
  advance(run, 10);
}

// A saved model reads as a file does: options of the method that was in use before are not in it.
TEST(LiveRun, ASavedModelHasTheOptionsThatItsMethodReads) {
  LiveRun run = open(kDoublePendulum, {"--formulation=penalty", "--integrator=rk4", "--omega=7"});
  EXPECT_NE(run.yaml(false).find("omega: 7"), std::string::npos) << run.yaml(false);
  expect_ok(run.apply({{"do", "set-plan"}, {"formulation", "lagrange"}}));
  for (const bool now : {false, true}) {
    EXPECT_EQ(run.yaml(now).find("omega"), std::string::npos) << run.yaml(now);
    EXPECT_TRUE(read_model_text(run.yaml(now), "saved.yaml").errors.empty()) << run.yaml(now);
  }
  // Going back finds it again.
  expect_ok(run.apply({{"do", "set-plan"}, {"formulation", "penalty"}}));
  EXPECT_NE(run.yaml(false).find("omega: 7"), std::string::npos) << run.yaml(false);
}

TEST(LiveRun, ResetsToTheStart) {
  LiveRun run = open(kDoublePendulum);
  const Pose start = pose_of(run, "outer");
  advance(run, 300);
  expect_ok(run.apply({{"do", "set-gravity"}, {"value", {0, -1.62}}}));
  expect_ok(run.apply({{"do", "pull"}, {"body", "outer"}, {"target", {0, 0, 0}}}));
  expect_ok(run.apply({{"do", "reset"}}));
  EXPECT_EQ(run.simulation().state().t, 0);
  EXPECT_LT((pose_of(run, "outer").position - start.position).norm(), 1e-12);
  EXPECT_EQ(run.model()->gravity.y(), -1.62);
  EXPECT_EQ(run.steps(), 300);  // the journal's steps go on
}

// Bodies, forces and drivers come and go; what needs them goes along.
TEST(LiveRun, AddsAndRemovesParts) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 100);
  expect_ok(run.apply({{"do", "add-body"},
                       {"body",
                        {{"name", "ball"},
                         {"kind", "point-mass"},
                         {"mass", 0.5},
                         {"at", {1, -1, 0}},
                         {"velocity", {1, 0, 0}}}}}));
  EXPECT_NEAR(pose_of(run, "ball").velocity.x(), 1, 1e-12);
  expect_ok(run.apply({{"do", "add-force"},
                       {"force",
                        {{"name", "spring"},
                         {"kind", "spring"},
                         {"a", {{"body", "ball"}}},
                         {"b", {{"body", "outer"}, {"at", {1, 0, 0}}}},
                         {"stiffness", 50}}}}));
  expect_ok(run.apply({{"do", "add-driver"},
                       {"driver", {{"name", "lock"}, {"kind", "joint"}, {"of", "O"}, {"hold", true}}}}));
  const double angle = pose_of(run, "inner").angle;
  advance(run, 200);
  EXPECT_NEAR(pose_of(run, "inner").angle, angle, 1e-9);
  const EditReply reply = run.apply({{"do", "remove-body"}, {"name", "inner"}});
  expect_ok(reply);
  EXPECT_GE(reply.notes.size(), 3U);  // joints O and A, driver lock
  EXPECT_TRUE(run.model()->joints.empty());
  EXPECT_TRUE(run.model()->drivers.empty());
  advance(run, 200);
  expect_ok(run.apply({{"do", "remove-force"}, {"name", "spring"}}));
  expect_ok(run.apply({{"do", "undo"}}));
  expect_ok(run.apply({{"do", "undo"}}));
  EXPECT_NE(run.model()->body("inner"), nullptr);
  advance(run, 100);
}

// A brake that a person adds stops the knee; set lower it lets go, and it leaves with its joint.
TEST(LiveRun, BrakesAJoint) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 300);
  expect_ok(run.apply(
      {{"do", "add-force"},
       {"force", {{"name", "brake"}, {"kind", "dry-friction"}, {"joint", "A"}, {"capacity", "500"}}}}));
  advance(run, 300);
  // A speed of zero is held to rounding; the angle follows from speeds, by a rule of second order.
  const double angle = run.simulation().coordinate("A");
  advance(run, 200);
  EXPECT_NEAR(run.simulation().coordinate("A"), angle, 1e-5);
  EXPECT_NEAR(run.simulation().speed("A"), 0, 1e-9);
  EXPECT_NE(run.simulation().reaction("brake").effort, 0);
  // It still sticks after an edit of something else.
  expect_ok(run.apply({{"do", "set-value"}, {"path", "bodies.inner.mass"}, {"value", 3}}));
  advance(run, 100);
  EXPECT_NEAR(run.simulation().coordinate("A"), angle, 1e-5);
  expect_ok(run.apply({{"do", "set-value"}, {"path", "forces.brake.capacity"}, {"value", "0"}}));
  advance(run, 200);
  EXPECT_GT(std::abs(run.simulation().coordinate("A") - angle), 1e-3);
  expect_ok(run.apply({{"do", "remove-joint"}, {"name", "A"}}));
  EXPECT_TRUE(run.simulation().mechanism().forces.empty());
  EXPECT_FALSE(run.apply({{"do", "add-force"},
                          {"force", {{"kind", "clutch"}, {"joints", {"O", "nowhere"}}, {"capacity", "1"}}}})
                   .ok);
}

TEST(LiveRun, RetypesJoints) {
  LiveRun run = open(kDoublePendulum);
  advance(run, 150);
  const double relative = pose_of(run, "outer").angle - pose_of(run, "inner").angle;
  const EditReply reply = run.apply({{"do", "retype-joint"}, {"name", "A"}, {"kind", "fixed"}});
  expect_ok(reply);
  EXPECT_EQ(reply.name, "A_fixed");
  advance(run, 400);
  EXPECT_NEAR(pose_of(run, "outer").angle - pose_of(run, "inner").angle, relative, 1e-9);
  // The file can say it: as assembled at the start.
  const ModelInput saved = read_model_text(run.yaml(), "saved.yaml");
  ASSERT_TRUE(saved.errors.empty()) << to_string(saved.errors.front());
  LiveRun again({"saved.yaml", run.yaml(), {}});
  advance(again, 400);
  EXPECT_NEAR(pose_of(again, "outer").angle - pose_of(again, "inner").angle, relative, 1e-9);
}

}  // namespace
}  // namespace trammel::live::live_run_test
