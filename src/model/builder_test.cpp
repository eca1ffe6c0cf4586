// ModelBuilder: the same mechanism as the file that says the same, the same messages, every key.
#include "trammel/model_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trammel/run.h"

namespace trammel::tests::builder_test {
namespace {

const char* const kSliderCrank = R"(
trammel: 1
name: slider-crank
plane: xy
gravity: [0, -9.81]
parameters: {L: 0.3 m, speed: 60 rpm}
points:
  O: {at: [0, 0], on: ground}
  A: [0.2, 0.22]
  B: [0.8, 0]
bodies:
  crank:   {rod: [O, A], mass: 1 kg, length: L}
  coupler: {rod: [A, B], mass: 2 kg, length: 2*L}
  slider:  {point: B, mass: 1 kg}
joints:
  guide:   {point-on-line: B, through: [0, 0], along: [1, 0]}
drivers:
  motor:   {angle: crank, equals: speed*t}
forces:
  rub:     {force: [-3*B.vx, 0], at: B}
simulate:  {duration: 0.2 s, step: 1 ms}
outputs:   {columns: {reach: B.x + L}}
)";

ModelBuilder slider_crank() {
  ModelBuilder m("slider-crank");
  m.plane().gravity({0, -9.81}).parameter("L", "0.3 m").parameter("speed", "60 rpm");
  m.point("O", {0, 0}).on("ground");
  m.point("A", {0.2, 0.22});
  m.point("B", {0.8, 0});
  m.body("crank").rod("O", "A").mass("1 kg").length("L");
  m.body("coupler").rod("A", "B").mass(2).length("2*L");
  m.body("slider").point("B").mass("1 kg");
  m.joint("guide").point_on_line("B").through({0, 0}).along({1, 0});
  m.driver("motor").angle("crank").equals("speed*t");
  m.force("rub").force({"-3*B.vx", 0}).at("B");
  m.simulate().duration("0.2 s").step(1e-3);
  m.output("reach", "B.x + L");
  return m;
}

std::vector<double> motion(const Mechanism& mechanism) {
  Simulation simulation(mechanism, mechanism.plan);
  return run(simulation).trajectory.values;
}

TEST(ModelBuilder, MovesAsTheFileToTheBit) {
  const ModelInput built = slider_crank().build(), read = read_model_text(kSliderCrank, "file.yaml");
  ASSERT_TRUE(built) << to_string(built.errors.front());
  ASSERT_TRUE(read);
  const std::vector<double> values = motion(built.mechanism);
  EXPECT_GT(values.size(), 1000U);
  EXPECT_EQ(values, motion(read.mechanism));
}

TEST(ModelBuilder, MakesTheTextOfAFileThatMovesTheSame) {
  const ModelInput built = slider_crank().build();
  EXPECT_EQ(built.value().text, slider_crank().text());
  EXPECT_EQ(motion(read_model_text(slider_crank().text(), "text").value()), motion(built.value()));
}

TEST(ModelBuilder, TellsEverythingThatIsWrongByEntry) {
  ModelBuilder m = slider_crank();
  m.body("crank").mass("1 m").set("lenght", 3);
  m.driver("motor").angle("crnk");
  const ModelInput built = m.build();
  ASSERT_EQ(built.errors.size(), 3U);
  EXPECT_EQ(built.errors[0].file, "bodies.crank");
  EXPECT_EQ(built.errors[2].file, "drivers.motor");
  EXPECT_NE(built.errors[2].remedy.find("'crank'"), std::string::npos) << built.errors[2].remedy;
  EXPECT_EQ(built.errors[0].line, 0);
  try {
    (void)built.value();
    FAIL();
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    for (const InputError& one : built.errors)
      EXPECT_NE(text.find(to_string(one)), std::string::npos) << to_string(one);
  }
}

// The person has not written the text whose lines the reader counts.
TEST(ModelBuilder, AParameterThatCannotBeIsToldByEntryToo) {
  ModelBuilder m("pendulum");
  m.parameter("m0", 2).parameter("L", 1);
  m.set("plane", "xy");
  m.point("O", {0, 0}).set("on", "ground");
  m.point("A", {"L", 0});
  m.entry("bodies", "rod").set("rod", {"O", "A"}).set("mass", "m0");
  Mechanism mechanism = m.build().value();
  try {
    mechanism.set_parameter("m0", -1);
    FAIL() << "a negative mass was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 12), "bodies.rod: ") << error.what();
  }
}

TEST(ModelBuilder, AKeyWrittenAgainTakesTheNewValue) {
  ModelBuilder m = slider_crank();
  m.parameter("L", "0.4 m").body("crank").mass(7);
  const Mechanism changed = m.build().value();
  EXPECT_EQ(changed.parameters.at("L"), 0.4);
  EXPECT_EQ(changed.body("crank")->mass, 7);
  EXPECT_EQ(changed.body("coupler")->length, 0.8);
}

TEST(ModelBuilder, ACopyIsAnotherModel) {
  const ModelBuilder one = slider_crank();
  ModelBuilder other = one;
  other.body("crank").mass(7);
  EXPECT_EQ(one.build().value().body("crank")->mass, 1);
  EXPECT_EQ(other.build().value().body("crank")->mass, 7);
}

TEST(ModelBuilder, ReachesKeysWithoutFunctionsOfTheirOwn) {
  ModelBuilder m("spatial");
  m.gravity(Eigen::Vector3d(0, 0, -9.81));
  m.body("arm").mass(1).inertia(Map{{"xx", 0.1}, {"yy", 0.1}, {"zz", "0.1 kg.m^2"}, {"xy", 0.01}});
  m.body("arm").orientation({{"axis", {0, 1, 0}}, {"angle", "30 deg"}}).points({{"tip", {1, 0, 0}}});
  m.joint("hinge").revolute("arm", "ground").at({0, 0, 0}).axis({0, 1, 0});
  m.entry("functions", "ramp").set("spline", {{0, 0}, {1, 2}, {2, 2}});
  m.force("drive").torque({0, "ramp(t)", 0}).on("arm");
  m.stop("bumper").joint("hinge").upper("90 deg").restitution(0.5);
  m.initial("hinge").speed("10 rpm");
  m.state("lag", "hinge.angle - lag", 0.5);
  m.entry("subsystems", "all").set("bodies", {"arm"});
  m.section("outputs").set("interval", "10 ms").set("axes", "joint");
  m.simulate().set("projection", Map{{"sweeps", 2}}).set("strict", true);
  const ModelInput built = m.build();
  for (const InputError& error : built.errors) ADD_FAILURE() << to_string(error);
  const Mechanism& mechanism = built.mechanism;
  EXPECT_NEAR(mechanism.bodies[0].placement.axes(0, 2), 0.5, 1e-15);
  EXPECT_EQ(mechanism.bodies[0].inertia(0, 1), 0.01);
  EXPECT_EQ(mechanism.functions[0].y[1], 2);
  EXPECT_NEAR(*mechanism.joints[0].speed, 10 * M_PI / 30, 1e-15);
  EXPECT_EQ(mechanism.states[0].initial, 0.5);
  EXPECT_EQ(mechanism.plan.projection_sweeps, 2);
  EXPECT_EQ(mechanism.plan.output_interval, 0.01);
  EXPECT_TRUE(mechanism.plan.strict);
}

TEST(ModelBuilder, TextsMayHoldWhatYamlReadsOtherwise) {
  ModelBuilder m("yes: \"no\" #1 {x}");
  m.plane().body("b").mass(1).inertia(1).free();
  EXPECT_EQ(m.build().value().name, "yes: \"no\" #1 {x}");
}

// A bead on the parabola y = x²/2, held by a constraint of one function.
class OnParabola final : public UserConstraint {
 public:
  std::vector<UserPoint> points() const override { return {{"bead", {0, 0, 0}}}; }
  double scale() const override { return 1; }
  double value(double, Points x) const override { return x[0].y() - 0.5 * x[0].x() * x[0].x(); }
};

// The largest departure from v²/2 + g y = const, and from the wire, over a second.
std::pair<double, double> bead_errors(const ModelBuilder& m) {
  const Mechanism mechanism = m.build().value();
  EXPECT_TRUE(mechanism.text.empty());
  Simulation simulation(mechanism, mechanism.plan);
  const RunResult result = run(simulation);
  EXPECT_EQ(result.summary.status, RunStatus::ok) << result.summary.message;
  const auto column = [&](const char* name) { return result.trajectory.column(name); };
  const std::vector<double> x = column("bead.x"), y = column("bead.y"), vx = column("bead.v.x"),
                            vy = column("bead.v.y");
  double energy = 0, wire = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    energy = std::max(energy, std::abs(0.5 * (vx[i] * vx[i] + vy[i] * vy[i]) + 9.81 * (y[i] - 0.5)));
    wire = std::max({wire, std::abs(y[i] - 0.5 * x[i] * x[i]), std::abs(vy[i] - x[i] * vx[i])});
  }
  return {energy, wire};
}

TEST(ModelBuilder, TakesConstraintsOfOnesOwn) {
  ModelBuilder m;
  m.plane().gravity({0, -9.81});
  m.point("P", {1, 0.5});
  m.body("bead").point("P").mass(2);
  m.constraint("wire", std::make_shared<OnParabola>());
  m.simulate().duration(1).step(1e-3);
  // The trapezoidal rule errs by h² of the energy.
  const auto [energy, wire] = bead_errors(m);
  EXPECT_LT(energy, 1e-4);
  EXPECT_LT(wire, 1e-9);
  m.simulate().tolerance(1e-9).set("step", "1 s");
  const auto [exact_energy, exact_wire] = bead_errors(m);
  EXPECT_LT(exact_energy, 1e-6);
  EXPECT_LT(exact_wire, 1e-9);
}

TEST(ModelBuilder, ChecksPartsOfOnesOwnToo) {
  ModelBuilder m;
  m.plane().point("P", {1, 0.5});
  m.body("ball").point("P").mass(2);
  m.constraint("wire", std::make_shared<OnParabola>());
  m.constraint("nothing", nullptr);
  const ModelInput built = m.build();
  ASSERT_EQ(built.errors.size(), 2U);
  EXPECT_EQ(built.errors[0].message, "'wire' names 'bead', which is no body");
  EXPECT_EQ(built.errors[1].message, "constraint 'nothing' has no law");
}

TEST(ModelBuilder, ACurveAndItsClosing) {
  ModelBuilder m("bead");
  m.plane();
  m.point("P", {1, 0});
  m.body("bead").point("P").mass(1);
  m.joint("wire").point_on_curve("P").through({{1, 0}, {0, 1}, {-1, 0}, {0, -1}}).closed();
  const Mechanism mechanism = m.build().value();
  EXPECT_EQ(mechanism.joints.front().kind, Joint::Kind::point_on_curve);
  EXPECT_EQ(mechanism.joints.front().curve.through.size(), 4u);
  EXPECT_TRUE(mechanism.joints.front().curve.closed);
}

TEST(ModelBuilder, GearsThatPress) {
  ModelBuilder m("gears");
  m.plane();
  m.body("a").mass(1).inertia(1);
  m.body("b").mass(1).inertia(1);
  m.joint("mesh")
      .gear_pair("a", "b")
      .radii(1, "2 m")
      .centers({0, 0}, {3, 0})
      .set("pressure-angle", "0.3 rad");
  const Joint mesh = m.build().value().joints.front();
  EXPECT_EQ(mesh.kind, Joint::Kind::gear_pair);
  EXPECT_EQ(mesh.teeth, (Joint::Teeth{{1, 2}, 0.3, 0, 0}));
  EXPECT_EQ(mesh.markers[1].frame.at, Vec3(3, 0, 0));
}

TEST(ModelBuilder, ElementsOnJointCoordinates) {
  ModelBuilder m("elements");
  m.body("a").mass(1).inertia({1, 1, 1});
  m.body("b").mass(1).inertia({1, 1, 1});
  m.joint("h").revolute("a", "ground").at({0, 0, 0}).axis({0, 0, 1}).armature(0.2);
  m.joint("s").prismatic("b", "ground").axis({0, 0, 1});
  m.joint("c").coupler({"s", "h"}).polynomial({0, 0.1, 0.2});
  m.joint("thread").screw_pair("b", "a").at({0, 0, 0}).axis({0, 0, 1}).pitch("10 mm");
  m.joint("bend").constant_velocity("a", "b").at({0, 0, 0}).axes({0, 0, 1}, {0, 0, 1});
  m.force("cable").tendon({{"h", 0.1}, {"s", 2}}).stiffness(30);
  m.force("rub").dry_friction("s").coefficient(0.2);
  const Mechanism made = m.build().value();
  EXPECT_EQ(made.joint("h")->armature, 0.2);
  EXPECT_EQ(made.joint("c")->kind, Joint::Kind::coupler);
  EXPECT_EQ(made.joint("thread")->value, 0.01);
  EXPECT_EQ(made.joint("bend")->kind, Joint::Kind::constant_velocity);
  EXPECT_EQ(std::get<Tendon>(made.forces[0].law).terms.size(), 2U);
  EXPECT_EQ(std::get<DryFriction>(made.forces[1].law).coefficient, 0.2);
}

TEST(ModelBuilder, NoFileForPartsWrittenInCpp) {
  class Push final : public UserForce {
    std::vector<UserPoint> points() const override { return {{"ball", Eigen::Vector3d::Zero()}}; }
    void force(double, Points, Points, Forces f) const override { f[0] = Eigen::Vector3d::UnitX(); }
  };
  ModelBuilder m("ball");
  m.body("ball").mass(1).inertia({1, 1, 1}).free();
  m.force("push", std::make_shared<Push>());
  EXPECT_TRUE(m.build());
  EXPECT_THROW(m.text(), std::runtime_error);
}

TEST(ModelBuilder, AConstraintOfOnesOwnNeedsAScale) {
  class Level final : public UserConstraint {
    std::vector<UserPoint> points() const override { return {{"ball", Eigen::Vector3d::Zero()}}; }
    double scale() const override { return 0; }
    double value(double, Points x) const override { return x[0].z(); }
  };
  ModelBuilder m("ball");
  m.body("ball").mass(1).inertia({1, 1, 1}).free();
  m.constraint("level", std::make_shared<Level>());
  const ModelInput model = m.build();
  ASSERT_EQ(model.errors.size(), 1u);
  EXPECT_NE(to_string(model.errors.front()).find("scale() of 'level' is 0; return a positive number"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::builder_test
