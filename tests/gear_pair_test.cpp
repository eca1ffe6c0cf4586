// Gears that press on each other: every tooth and bearing force of a planetary set, of a helical gearbox and
// of a rack against the balance of the bodies, written by hand; both flanks; bearings that yield; and what is
// said of gears that cannot be.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "machine_testing.h"
#include "model/models_testing.h"
#include "model/writer/model_writer.h"

namespace trammel::tests::gear_pair_test {
namespace {

const double kTan20 = std::tan(20 * kDegree);

// Of several planets the load is known where the sun floats between them, as it does in real sets.
std::string planetary(int planets, double torque) {
  const char* sun = planets == 1 ? "sg: {revolute: [sun, ground], at: [0, 0]}" : "";
  const char* flank = planets == 1 ? "either" : torque > 0 ? "negative" : "positive";
  return fmt::format(R"yaml(
plane: xy
parameters: {{rs: 20 mm, rp: 20 mm, rr: 60 mm, a: rs + rp}}
bodies:
  sun:     {{mass: 0.5, inertia: 1e-4}}
  carrier: {{mass: 1.5, inertia: 2e-3}}
  "planet{{i}}": {{for: {{i: 1..{0}}}, mass: 0.4, inertia: 8e-5, at: ["a*cos(2*pi*i/{0})", "a*sin(2*pi*i/{0})"]}}
joints:
  cg: {{revolute: [carrier, ground], at: [0, 0]}}
  {2}
  "pc{{i}}": {{for: {{i: 1..{0}}}, revolute: ["planet{{i}}", carrier], at: "planet{{i}}.com"}}
  "sun{{i}}s": {{for: {{i: 1..{0}}}, gear-pair: ["planet{{i}}", sun], radii: [rp, rs], flank: {3}}}
  "ring{{i}}s": {{for: {{i: 1..{0}}}, gear-pair: ["planet{{i}}", ground], radii: [rp, rr], internal: true,
                centers: ["planet{{i}}.com", [0, 0]]}}
forces:
  motor: {{torque: {1}, on: sun}}
  brake: {{joint-spring: cg, damping: 0.1}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                     planets, torque, sun, flank);
}

// One freedom: J ω̇ = 4 T − c ω of the carrier; sun 4 ω, planets −2 ω. Then the balance of sun and planet.
void expect_planetary(int n, double torque, double t, const std::string& coordinates) {
  SCOPED_TRACE(fmt::format("{} planets, {} N.m, {}", n, torque, coordinates));
  Moved run(read(planetary(n, torque)), coordinates);
  run.to(t);
  const double r = 0.02, a = 0.04, m = 0.4, Jp = 8e-5, Js = 1e-4, c = 0.1;
  const double J = 2e-3 + n * (m * a * a + 4 * Jp) + 16 * Js;
  const double w = 4 * torque / c * (1 - std::exp(-c * t / J)), w_dot = 4 * torque / J * std::exp(-c * t / J);
  // Along the path of the planet's centre: of the sun and of the ring on the planet.
  const double of_sun = (torque - 4 * Js * w_dot) / (n * r), of_ring = of_sun - 2 * Jp * w_dot / r;
  const Pose planet = run.body(2);
  EXPECT_NEAR(planet.angular_velocity.z(), -2 * w, 1e-6);
  const Vec3 out = planet.position.normalized(), along = Vec3::UnitZ().cross(out);
  const double radial_sun = std::abs(of_sun) * kTan20, radial_ring = -std::abs(of_ring) * kTan20;
  expect_force(run["sun1s"], of_sun * along + radial_sun * out, 1e-5);
  expect_force(run["ring1s"], of_ring * along + radial_ring * out, 1e-5);
  const Vec3 pin =
      (m * a * w_dot - of_sun - of_ring) * along - (m * a * w * w + radial_sun + radial_ring) * out;
  expect_force(run["pc1"], pin, 1e-5);
  // The teeth give a force alone, at the pitch point.
  for (const char* mesh : {"sun1s", "ring1s"}) EXPECT_LT(run[mesh].torque.norm(), 1e-9) << mesh;
  // What one planet does to the sun its bearing carries.
  if (n == 1) expect_force(run["sg"], of_sun * along + radial_sun * out, 1e-5);
}

TEST(GearPair, EveryForceOfAPlanetarySetIsThatOfTheBalance) {
  for (const char* coordinates : kCoordinates) {
    expect_planetary(1, 1, 0.1, coordinates);
    expect_planetary(1, -1, 0.1, coordinates);
    expect_planetary(3, 1, 0.1, coordinates);
  }
}

// At the end only the brake is left: 2·(1 N.m/3)/20 mm along the path, 0.4 kg·40 mm·(40 rad/s)² outwards.
TEST(GearPair, ThePinOfAPlanetCarriesTheTeethAndItsWeightInACircle) {
  Moved run(read(planetary(3, 1)), "natural");
  run.to(1);
  EXPECT_NEAR(run["pc1"].force.norm(), std::hypot(100.0 / 3, 25.6), 1e-3);
  EXPECT_NEAR(run["pc1"].force.norm(), 42.0, 0.05);
}

// The gearbox with brake and clutch, n = 3 planets of radius p at a: in first gear the ring stands and the
// sun turns 3.5 times as fast as the carrier; in the direct drive all turn as one.
void expect_gearbox(double t, bool direct, const std::string& coordinates) {
  SCOPED_TRACE(fmt::format("{} s, {}", t, coordinates));
  Moved run(model("planetary-gearbox"), coordinates);
  run.to(t);
  const double n = 3, rs = 0.024, rp = 0.018, rr = 0.06, a = 0.042, m = 0.3, Jp = 5e-5, Js = 2e-4, Jc = 0.05,
               Jr = 9e-3;
  const Pose planet = run.body(3);
  const double w = run.reading("output", "rate"), ratio = direct ? 1 : 3.5, spin = direct ? 1 : 1 - rr / rp;
  EXPECT_NEAR(run.body(0).angular_velocity.z(), ratio * w, 1e-6);
  EXPECT_NEAR(planet.angular_velocity.z(), spin * w, 1e-6);
  const double torque = 3 * (1 - ratio * w / 200);
  const double J = Jc + n * (m * a * a + Jp * spin * spin) + Js * ratio * ratio + (direct ? Jr : 0);
  const double w_dot = (ratio * torque - std::tanh(w / 0.5)) / J;
  const double of_sun = (torque - ratio * Js * w_dot) / (n * rs), of_ring = of_sun + Jp * spin * w_dot / rp;
  const Vec3 out = planet.position.normalized(), along = Vec3::UnitZ().cross(out);
  expect_force(run["inner1"], -of_sun * (along + kTan20 * out), 1e-5);
  expect_force(run["outer1"], of_ring * (along - kTan20 * out), 1e-5);
  expect_force(
      run["pin1"],
      (m * a * w_dot - of_sun - of_ring) * along - (m * a * w * w + (of_sun - of_ring) * kTan20) * out, 1e-5);
  EXPECT_NEAR(run.effort("band"), direct ? 0 : n * of_ring * rr, 1e-6);
  EXPECT_NEAR(run.effort("direct"), direct ? Jr * w_dot + n * of_ring * rr : 0, 1e-6);
  // Three planets leave nothing for the bearings of ring and carrier.
  for (const char* bearing : {"rim", "output"}) EXPECT_LT(run[bearing].force.norm(), 1e-6) << bearing;
}

TEST(GearPair, EveryForceOfAGearboxWithBrakeAndClutchIsThatOfTheBalance) {
  for (const char* coordinates : kCoordinates) {
    expect_gearbox(0.3, false, coordinates);
    expect_gearbox(2.2, true, coordinates);
  }
}

// The radial force parts the gears whichever flank presses: on the bearings it has the sign that it has.
TEST(GearPair, BothFlanksPartTheGears) {
  for (const double torque : {3.0, -3.0})
    for (const char* flank : {"either", "negative", "positive"})
      for (const char* coordinates : kCoordinates) {
        // The teeth hold back the first gear, which the torque turns.
        if ((flank[0] == 'n') != (torque > 0) && flank[0] != 'e') continue;
        SCOPED_TRACE(fmt::format("{} {} {}", torque, flank, coordinates));
        const Mechanism m = read(fmt::format(R"yaml(
plane: xy
bodies:
  a: {{mass: 1, inertia: 1e-3}}
  b: {{mass: 2, inertia: 8e-3, at: [0.09, 0.12]}}
joints:
  A: {{revolute: [a, ground], at: [0, 0]}}
  B: {{revolute: [b, ground], at: [0.09, 0.12]}}
  mesh: {{gear-pair: [a, b], radii: [50 mm, 100 mm], pressure-angle: 25 deg, flank: {}}}
forces: {{motor: {{torque: {}, on: a}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                                             flank, torque));
        Moved run(m, coordinates);
        run.to(0.3);
        // J = J_a + J_b/4
        const double F = torque * (1 - 1e-3 / (1e-3 + 2e-3)) / 0.05;
        const Vec3 out(0.6, 0.8, 0), along(-0.8, 0.6, 0);
        const Vec3 on_a = -F * along - std::abs(F) * std::tan(25 * kDegree) * out;
        expect_force(run["mesh"], on_a, 1e-7 * std::abs(F));
        expect_force(run["A"], -on_a, 1e-7 * std::abs(F));
        expect_force(run["B"], on_a, 1e-7 * std::abs(F));
      }
}

const char* kElastic = R"yaml(
plane: xy
bodies:
  a: {mass: 1, inertia: 1e-3}
  b: {mass: 2, inertia: 8e-3, at: [0.15, 0]}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  mesh: {gear-pair: [a, b], radii: [50 mm, 100 mm], flank: FLANK}
forces:
  motor: {torque: 3, on: a}
  bearing: {bushing: [b, ground], at: [0.15, 0], stiffness: [2e4, 2e4, 0], damping: [20, 20, 0.02]}
simulate: {duration: 1, step: 1 ms}
)yaml";

std::string with_flank(const std::string& flank) {
  std::string text = kElastic;
  return text.replace(text.find("FLANK"), 5, flank);
}

// The line of action touches both base circles wherever the centres are: cos α = (ρ₁ + ρ₂)/d.
TEST(GearPair, OnBearingsThatYieldTheLineOfActionFollowsTheCentres) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(with_flank("negative")), coordinates);
    const double energy = run.simulation().energy().balance();
    run.to(0.5);
    const Pose b = run.body(1);
    const double d = b.position.norm(), base = 0.15 * std::cos(20 * kDegree);
    EXPECT_GT(d, 0.1501);  // parted by a tenth of a millimetre
    const system::Wrench mesh = run["mesh"];
    const Vec3 out = b.position / d, along = Vec3::UnitZ().cross(out);
    EXPECT_NEAR(mesh.force.dot(out) / mesh.force.dot(along), std::tan(std::acos(base / d)), 1e-9);
    EXPECT_LT(mesh.torque.norm(), 1e-9 * mesh.force.norm());
    EXPECT_NEAR(run.simulation().energy().balance(), energy, 1e-6);
  }
}

// The motor reverses at 0.2 s: the flank that was given would have to pull.
TEST(GearPair, AFlankThatWouldPullIsTold) {
  std::string text = with_flank("negative");
  text.replace(text.find("torque: 3,"), 10, "torque: 3*cos(2.5*pi*t),");
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(text), coordinates);
    std::vector<Event> events;
    for (int k = 1; k <= 30; ++k) {
      const StepResult result = run.simulation().advance_to(0.01 * k);
      ASSERT_TRUE(result.report.accepted()) << result.report.message;
      events.insert(events.end(), result.events.begin(), result.events.end());
    }
    const auto lifts = std::ranges::count(events, Event::Kind::lift, &Event::kind);
    EXPECT_GE(lifts, 1);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().kind, Event::Kind::lift);
    EXPECT_EQ(events.back().name, "mesh");
    // Bearings and gears swing a little about what the motor gives.
    EXPECT_NEAR(events.back().t, 0.2, 0.05);
  }
}

TEST(GearPair, TheFlankMustBeGivenWhereBearingsYield) {
  const Mechanism m = read(with_flank("either"));
  Simulation simulation(m, m.plan);
  const Report report = simulation.assemble().report;
  EXPECT_EQ(report.outcome, Outcome::refused);
  EXPECT_NE(report.message.find("the distance between the centres of the gears of 'mesh' can change"),
            std::string::npos)
      << report.message;
}

// Two stages with helical teeth on shafts along x, each held at two places: at a ball, which takes the
// thrust, and at a sleeve. The torques balance each other, so that the shafts turn at constant speed.
const char* kGearbox = R"yaml(
bodies:
  in:  {mass: 2, inertia: [0.001, 0.01, 0.01], at: [0, 0, 0]}
  mid: {mass: 3, inertia: [0.004, 0.02, 0.02], at: [0, 0.12, 0]}
  out: {mass: 5, inertia: [0.02, 0.04, 0.04], at: [0, 0.12, 0.2]}
joints:
  in_ball:   {spherical: [in, ground], at: [-0.1, 0, 0]}
  in_sleeve: {point-on-line: {body: in, at: [0.1, 0, 0]}, through: [0, 0, 0], along: [1, 0, 0]}
  mid_ball:   {spherical: [mid, ground], at: [-0.1, 0.12, 0]}
  mid_sleeve: {point-on-line: {body: mid, at: [0.1, 0.12, 0]}, through: [0, 0.12, 0], along: [1, 0, 0]}
  out_ball:   {spherical: [out, ground], at: [-0.1, 0.12, 0.2]}
  out_sleeve: {point-on-line: {body: out, at: [0.1, 0.12, 0.2]}, through: [0, 0.12, 0.2], along: [1, 0, 0]}
  first:  {gear-pair: [in, mid], radii: [40 mm, 80 mm], axis: [1, 0, 0], helix-angle: 15 deg,
           centers: [[-0.04, 0, 0], [-0.04, 0.12, 0]]}
  second: {gear-pair: [mid, out], radii: [50 mm, 150 mm], axis: [1, 0, 0], helix-angle: -20 deg, pressure-angle: 22.5 deg,
           centers: [[0.05, 0.12, 0], [0.05, 0.12, 0.2]]}
forces:
  motor: {torque: [10, 0, 0], on: in}
  load:  {torque: [-60, 0, 0], on: out}
initial: {in: {angular-velocity: [20, 0, 0]}}
simulate: {duration: 1, step: 1 ms}
)yaml";

// Forces at places that hold a shaft at x = −0.1 (all components) and x = 0.1 (across).
void expect_held(const Moved& run, const std::string& shaft,
                 const std::vector<std::pair<Vec3, Vec3>>& loads) {
  Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();  // about the ball
  for (const auto& [arm, force] : loads) {
    sum += force;
    moment += arm.cross(force);
  }
  // e × S + moment = 0 across, e = 0.2 m along x
  const Vec3 sleeve(0, -moment.z() / 0.2, moment.y() / 0.2);
  expect_force(run[shaft + "_sleeve"], sleeve, 1e-6);
  expect_force(run[shaft + "_ball"], -sum - sleeve, 1e-6);
}

TEST(GearPair, BearingsOfAHelicalGearboxCarryWhatTheHandCalculates) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(kGearbox), coordinates);
    run.to(0.2);
    EXPECT_NEAR(run.body(0).angular_velocity.x(), 20, 1e-7);
    EXPECT_NEAR(run.body(2).angular_velocity.x(), 20.0 / 6, 1e-7);
    // First mesh, at y = 40 mm: the wheel holds the pinion back along −z; right-handed teeth of a pinion that
    // drives in the positive sense push it along the axis, as a screw in its nut.
    const double F1 = 10 / 0.04, F2 = 20 / 0.05;
    const Vec3 on_in(F1 * std::tan(15 * kDegree), -F1 * kTan20 / std::cos(15 * kDegree), -F1);
    // Second mesh, at z = 50 mm of the middle shaft, which turns and drives in the negative sense: its teeth
    // are left-handed, so that the thrust points along the axis again.
    const Vec3 on_mid(F2 * std::tan(20 * kDegree), -F2,
                      -F2 * std::tan(22.5 * kDegree) / std::cos(20 * kDegree));
    expect_force(run["first"], on_in, 1e-6);
    expect_force(run["second"], on_mid, 1e-6);
    for (const char* mesh : {"first", "second"}) EXPECT_LT(run[mesh].torque.norm(), 1e-7) << mesh;
    expect_held(run, "in", {{Vec3(0.06, 0.04, 0), on_in}});
    expect_held(run, "mid", {{Vec3(0.06, -0.08, 0), -on_in}, {Vec3(0.15, 0, 0.05), on_mid}});
    expect_held(run, "out", {{Vec3(0.15, 0, -0.15), -on_mid}});
  }
}

TEST(RackPair, IsPushedAwayFromItsPinion) {
  for (const double along : {1.0, -1.0})
    for (const double torque : {2.0, -2.0})
      for (const char* coordinates : kCoordinates) {
        SCOPED_TRACE(fmt::format("{} {} {}", along, torque, coordinates));
        const Mechanism m = read(fmt::format(R"yaml(
plane: xy
bodies:
  pinion: {{mass: 1, inertia: 1e-3, at: [0, 0.04]}}
  rack:   {{mass: 2, inertia: 0.1, at: [0.1, -0.01]}}
joints:
  O: {{revolute: [pinion, ground], at: [0, 0.04]}}
  guide: {{prismatic: [rack, ground], axis: [1, 0]}}
  mesh: {{rack-pair: [pinion, rack], radius: 40 mm, along: [{}, 0], centers: [pinion.com, [0.1, 0]]}}
forces: {{motor: {{torque: {}, on: pinion}}}}
simulate: {{duration: 1, step: 1 ms}}
)yaml",
                                             along, torque));
        Moved run(m, coordinates);
        run.to(0.2);
        // The pinion's lowest point moves with r θ: so does the rack. J = J_p + m r²
        const double r = 0.04, angle = 0.5 * torque / (1e-3 + 2 * r * r) * 0.04;
        EXPECT_NEAR(run.body(1).position.x(), 0.1 + r * angle, 1e-9);
        const double F = 2 * r * torque / (1e-3 + 2 * r * r);  // on the rack
        const Vec3 on_pinion(-F, std::abs(F) * kTan20, 0);
        expect_force(run["mesh"], on_pinion, 1e-6);
        EXPECT_LT(run["mesh"].torque.norm(), 1e-9);
        expect_force(run["O"], -on_pinion, 1e-6);
        expect_force(run["guide"], Vec3(0, std::abs(F) * kTan20, 0), 1e-6);
      }
}

// Helical: the thrust acts at the pitch point, and turns the rack in its guide.
TEST(RackPair, AHelicalRackIsPushedAside) {
  for (const char* coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    Moved run(read(R"yaml(
bodies:
  pinion: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], at: [0, 0.04, 0]}
  rack:   {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0.1, -0.01, 0]}
joints:
  O: {revolute: [pinion, ground], at: [0, 0.04, 0], axis: [0, 0, 1]}
  guide: {prismatic: [rack, ground], at: [0.1, 0, 0], axis: [1, 0, 0]}
  mesh: {rack-pair: [pinion, rack], radius: 40 mm, along: [1, 0, 0], axis: [0, 0, 1], helix-angle: 10 deg,
         centers: [pinion.com, [0.1, 0, 0]]}
forces: {motor: {torque: [0, 0, 2], on: pinion}}
simulate: {duration: 1, step: 1 ms}
)yaml"),
              coordinates);
    const double r = 0.04, F = 2 * r * 2 / (1e-3 + 2 * r * r);
    const Vec3 on_pinion(-F, F * kTan20 / std::cos(10 * kDegree), F * std::tan(10 * kDegree));
    expect_force(run["mesh"], on_pinion, 1e-6);
    EXPECT_LT(run["mesh"].torque.norm(), 1e-8);
    expect_force(run["O"], -on_pinion, 1e-6);
    Vec3 tilt = Vec3(0, -r, 0).cross(on_pinion);
    tilt.z() = 0;
    EXPECT_LT((run["O"].torque + tilt).norm(), 1e-7);
    EXPECT_NEAR(run["guide"].force.y(), on_pinion.y(), 1e-6);
    EXPECT_NEAR(run["guide"].force.z(), on_pinion.z(), 1e-6);
  }
}

TEST(GearPair, IsWrittenAsItIsRead) {
  for (const std::string& text : {planetary(3, 1), std::string(kGearbox), with_flank("positive")}) {
    const Mechanism m = read(text);
    const ModelInput again = read_model_text(write_model(m), "written.yaml");
    for (const InputError& error : again.errors) ADD_FAILURE() << to_string(error);
    for (const Joint& joint : m.joints) {
      if (joint.kind != Joint::Kind::gear_pair) continue;
      const Joint* other = again.mechanism.joint(joint.name);
      ASSERT_NE(other, nullptr) << joint.name;
      EXPECT_EQ(other->teeth, joint.teeth);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(other->markers[k].body, joint.markers[k].body);
        EXPECT_LT((other->markers[k].frame.at - joint.markers[k].frame.at).norm(), 1e-15);
        EXPECT_LT((other->markers[k].frame.axes.col(2) - joint.markers[k].frame.axes.col(2)).norm(), 1e-15);
      }
    }
  }
}

TEST(GearPair, SaysWhatIsWrong) {
  const auto with = [](const std::string& mesh) {
    return complaint(
        "plane: xy\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [3, 0]}}\n"
        "joints:\n  A: {revolute: [a, ground], at: [0, 0]}\n  B: {revolute: [b, ground], at: [3, 0]}\n"
        "  m: {gear-pair: " +
        mesh + "}\nsimulate: {duration: 1, step: 0.1}\n");
  };
  EXPECT_EQ(with("[a, b], radii: [1, 2]"), "");
  EXPECT_EQ(with("[a, b], radii: [1, 4], internal: true"), "");
  EXPECT_NE(with("[a, b], radii: [1, 3]")
                .find("the centres of the gears of 'm' are 3 m apart at the start, and their radii make 4 m"),
            std::string::npos);
  EXPECT_NE(with("[a, b], radii: [1, -2]").find("the radii of 'm' are 1 m and -2 m"), std::string::npos);
  EXPECT_NE(with("[a, b]").find("give the radii of the pitch circles"), std::string::npos);
  EXPECT_NE(with("[a, a], radii: [1, 2]").find("lets 'a' press on itself"), std::string::npos);
  EXPECT_NE(with("[a, ground], radii: [1, 2]").find("the centre of the gear on ground is missing"),
            std::string::npos);
  EXPECT_NE(with("[a, b], radii: [1, 2], pressure-angle: 50 deg").find("the pressure angle of 'm' is 50 deg"),
            std::string::npos);
  EXPECT_NE(with("[a, b], radii: [1, 2], helix-angle: 5 deg").find("in the plane teeth are straight"),
            std::string::npos);
  EXPECT_NE(with("[a, b], radii: [1, 2], axis: [0, 1]").find("in the plane every gear turns about z"),
            std::string::npos);
  EXPECT_NE(with("[a, b], radii: [1, 2], flank: left").find("flank"), std::string::npos);
}

TEST(RackPair, SaysWhatIsWrong) {
  const auto with = [](const std::string& mesh) {
    return complaint(
        "plane: xy\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [3, -1]}}\n"
        "joints:\n  A: {revolute: [a, ground], at: [0, 0]}\n  B: {prismatic: [b, ground], axis: [1, 0]}\n"
        "  m: {rack-pair: [a, b], " +
        mesh + "}\nsimulate: {duration: 1, step: 0.1}\n");
  };
  EXPECT_EQ(with("radius: 1, along: [1, 0]"), "");
  EXPECT_NE(with("radius: 1").find("give the direction of the rack"), std::string::npos);
  EXPECT_NE(with("along: [1, 0]").find("radius"), std::string::npos);
  EXPECT_NE(with("radius: -1, along: [1, 0]").find("the radius of the pinion of 'm' is -1 m"),
            std::string::npos);
  EXPECT_NE(with("radius: 2, along: [1, 0]")
                .find("the centre of the pinion of 'm' is 1 m from the pitch line of the rack"),
            std::string::npos);
  EXPECT_NE(with("radius: 1, radii: [1, 2], along: [1, 0]").find("radii"), std::string::npos);
}

}  // namespace
}  // namespace trammel::tests::gear_pair_test
