// Coordinates that `initial:` gives are met exactly, whatever the rough places, the coordinates and the
// turns.
#include "simulation/held_start.h"

#include <gtest/gtest.h>

#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::tests::held_start_test {
namespace {

// A slider-crank whose places are off by centimetres.
const std::string kSliderCrank = R"(trammel: 1
plane: xy
gravity: [0, -9.81]
parameters: {beta: 1}
points: {O: {at: [0, 0], on: ground}, A: [0.2, 0.2], B: [0.8, 0.05]}
bodies:
  crank: {rod: [O, A], mass: 1, length: 0.3}
  coupler: {rod: [A, B], mass: 1, length: 0.6}
  slider: {point: B, mass: 1}
joints: {guide: {point-on-line: B, through: [0, 0], along: [1, 0]}}
simulate: {duration: 1}
)";

Mechanism text_model(const std::string& text) {
  ModelInput input = read_model_text(text, "test.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

const char* const kAll[] = {"natural", "reference", "relative"};

TEST(HeldStart, AnglesAreMetWithTheirTurnsAndSpeeds) {
  // sin(200 rad) < 0: half a turn and more away from the places given, 31 turns on.
  for (const double angle : {1.0, -0.4, 200.0})
    for (const char* coordinates : kAll) {
      Mechanism m = text_model(kSliderCrank + "initial: {crank: {angle: " + std::to_string(angle) +
                               ", angular-velocity: 2}}\n");
      m.plan.coordinates = coordinates;
      Simulation simulation(m, m.plan);
      const AssemblyReport report = simulation.assemble();
      ASSERT_TRUE(report.report.accepted()) << coordinates << ": " << explain(report, simulation);
      EXPECT_NEAR(simulation.pose("crank").angle, angle, 1e-12 * std::abs(angle)) << coordinates;
      EXPECT_NEAR(simulation.pose("crank").angular_velocity.z(), 2, 1e-12) << coordinates;
      const double beyond = std::sqrt(0.36 - std::pow(0.3 * std::sin(angle), 2));
      EXPECT_NEAR(simulation.point("B").position.x(), 0.3 * std::cos(angle) + beyond, 1e-12) << coordinates;
    }
}

TEST(HeldStart, IsRoughWithoutIt) {
  const Mechanism m = text_model(kSliderCrank);
  EXPECT_FALSE(simulation::held_start(m).has_value());
  Simulation simulation(m, m.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_GT(std::abs(simulation.pose("crank").angle - 1), 0.05);
}

TEST(HeldStart, DisplacementsAreMetInSpace) {
  const std::string text = R"(trammel: 1
gravity: [0, 0, -9.81]
bodies:
  carriage: {mass: 1, inertia: [1, 1, 1]}
  arm: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0.5]}
joints:
  rail: {prismatic: [carriage, ground], at: [0, 0, 0], axis: [1, 0, 0]}
  hinge: {revolute: [arm, carriage], at: [0, 0, 0], axis: [0, 1, 0]}
initial: {rail: {displacement: 25 cm, speed: -1}, hinge: {angle: 400 deg}}
simulate: {duration: 1}
)";
  for (const char* coordinates : kAll) {
    Mechanism m = text_model(text);
    m.plan.coordinates = coordinates;
    Simulation simulation(m, m.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted()) << coordinates;
    EXPECT_NEAR(simulation.coordinate("rail"), 0.25, 1e-13) << coordinates;
    EXPECT_NEAR(simulation.speed("rail"), -1, 1e-12) << coordinates;
    EXPECT_NEAR(simulation.coordinate("hinge"), 400 * M_PI / 180, 1e-12) << coordinates;
  }
}

// From where it is drawn Newton's method does not find the other side: it is led there.
TEST(HeldStart, AStartHalfATurnAwayIsFound) {
  const std::string bar = R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {bar: {rod: [O, A], mass: 1}}
)";
  for (const char* given :
       {"initial: {bar: {angle: 180 deg}}\n", "initial: {bar: {angle: -540 deg}}\n",
        "initial: {O: {angle: 179.9999 deg}}\n", "drivers: {m: {angle: bar, equals: pi + t}}\n"})
    for (const char* coordinates : kAll) {
      Mechanism m = text_model(bar + given);
      m.plan.coordinates = coordinates;
      Simulation simulation(m, m.plan);
      const AssemblyReport report = simulation.assemble();
      ASSERT_TRUE(report.report.accepted()) << given << coordinates << ": " << explain(report, simulation);
      EXPECT_NEAR(simulation.point("A").position.x(), -1, 1e-11) << given << coordinates;
    }
}

// A crank turns round; its coupler and rocker do not.
TEST(HeldStart, ALoopStartsBeyondHalfATurn) {
  for (const char* given :
       {"initial: {crank: {angle: 330 deg}}\n", "drivers: {m: {angle: crank, equals: 330*pi/180 + t}}\n"})
    for (const char* coordinates : kAll) {
      Mechanism m = text_model(std::string(R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [2.5, 2.3], D: {at: [3.2, 0], on: ground}}
bodies:
  crank:   {rod: [O, A], mass: 1, length: 1}
  coupler: {rod: [A, B], mass: 3, length: 3}
  rocker:  {rod: [D, B], mass: 2.5, length: 2.5}
)") + given);
      m.plan.coordinates = coordinates;
      Simulation simulation(m, m.plan);
      const AssemblyReport report = simulation.assemble();
      ASSERT_TRUE(report.report.accepted()) << given << coordinates << ": " << explain(report, simulation);
      EXPECT_NEAR(simulation.coordinate("O"), 330 * M_PI / 180, 1e-12) << given << coordinates;
      // |B − A| = 3 from A = (cos 330°, sin 330°), |B − D| = 2.5
      EXPECT_NEAR(simulation.coordinate("D"), 116.4 * M_PI / 180, 1e-3) << given << coordinates;
    }
}

// Gears and racks tie coordinates as they are drawn, whatever the turns of the start.
TEST(HeldStart, GearsKeepTheConstantOfTheDrawing) {
  const std::string planar = R"(trammel: 1
plane: xy
bodies:
  a: {mass: 1, inertia: 0.1}
  b: {mass: 1, inertia: 0.1, at: [1, 0]}
  c: {mass: 1, inertia: 0.1, at: [2, 0]}
joints:
  ja: {revolute: [a, ground], at: [0, 0]}
  jb: {revolute: [b, ground], at: [1, 0]}
  jc: {prismatic: [c, ground], axis: [1, 0]}
  mesh: {gear: [ja, jb], ratio: RATIO}
  rack: {rack: [jb, jc], radius: 0.05}
)";
  const std::string spatial = R"(trammel: 1
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [1, 0, 0]}
  c: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [2, 0, 0]}
joints:
  ja: {revolute: [a, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  jb: {revolute: [b, ground], at: [1, 0, 0], axis: [0, 0, 1]}
  jc: {prismatic: [c, ground], axis: [1, 0, 0]}
  mesh: {gear: [ja, jb], ratio: RATIO}
  rack: {rack: [jb, jc], radius: 0.05}
)";
  for (std::string text : {planar, spatial})
    for (const double ratio : {3.0, -0.4})
      for (const double angle : {3.0, 3.2, -6.6, 25.0})
        for (const std::string given :
             {"initial: {ja: {angle: ANGLE}}\n", "drivers: {m: {joint: ja, equals: ANGLE + t}}\n"})
          for (const char* coordinates : kAll) {
            std::string model = text + given;
            model.replace(model.find("ANGLE"), 5, std::to_string(angle));
            model.replace(model.find("RATIO"), 5, std::to_string(ratio));
            Mechanism m = text_model(model);
            m.plan.coordinates = coordinates;
            Simulation simulation(m, m.plan);
            const AssemblyReport report = simulation.assemble();
            ASSERT_TRUE(report.report.accepted())
                << model << coordinates << ": " << explain(report, simulation);
            EXPECT_NEAR(simulation.coordinate("ja"), angle, 1e-11) << model << coordinates;
            EXPECT_NEAR(simulation.coordinate("jb"), -angle / ratio, 1e-10) << model << coordinates;
            EXPECT_NEAR(simulation.coordinate("jc"), -0.05 * angle / ratio, 1e-11) << model << coordinates;
          }
}

TEST(HeldStart, MoreTurnsThanGearsCanBeLedAlongAreRefused) {
  const Mechanism m = text_model(R"(trammel: 1
plane: xy
bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1, at: [1, 0]}}
joints:
  ja: {revolute: [a, ground], at: [0, 0]}
  jb: {revolute: [b, ground], at: [1, 0]}
  mesh: {gear: [ja, jb], ratio: 3}
initial: {ja: {angle: 1e6 deg}}
)");
  Simulation simulation(m, m.plan);
  const AssemblyReport report = simulation.assemble();
  ASSERT_FALSE(report.report.accepted());
  EXPECT_NE(explain(report, simulation).find("so many turns"), std::string::npos);
}

// A driver that starts at the drawn place, but for a whole turn, leaves what it is geared to where it is
// drawn.
TEST(HeldStart, ADriverMayStartAWholeTurnFromTheDrawing) {
  const std::string text = R"(trammel: 1
plane: xy
bodies:
  a: {mass: 1, inertia: 0.1, angle: 0.7}
  b: {mass: 1, inertia: 0.1, at: [1, 0]}
joints:
  ja: {revolute: [a, ground], at: [0, 0]}
  jb: {revolute: [b, ground], at: [1, 0]}
  mesh: {gear: [ja, jb], ratio: 3}
drivers: {m: {angle: a, equals: 0.7 + 2*pi + t}}
)";
  for (const char* coordinates : kAll) {
    Mechanism m = text_model(text);
    m.plan.coordinates = coordinates;
    Simulation simulation(m, m.plan);
    ASSERT_TRUE(simulation.assemble().report.accepted()) << coordinates;
    EXPECT_NEAR(simulation.pose("b").angle, 0, 1e-11) << coordinates;
  }
}

// The rocker of a parallelogram turns as its crank does.
TEST(HeldStart, AllOfALoopTurnsAlong) {
  const std::string planar = R"(trammel: 1
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0, 1], B: [2, 1], D: {at: [2, 0], on: ground}}
bodies: {crank: {rod: [O, A], mass: 1}, coupler: {rod: [A, B], mass: 1}, rocker: {rod: [D, B], mass: 1}}
initial: {crank: {angle: ANGLE deg}}
)";
  const std::string spatial = R"(trammel: 1
bodies:
  crank:   {mass: 1, inertia: [1, 1, 1], at: [0, 0.5, 0]}
  coupler: {mass: 1, inertia: [1, 1, 1], at: [1, 1, 0]}
  rocker:  {mass: 1, inertia: [1, 1, 1], at: [2, 0.5, 0]}
joints:
  O: {revolute: [crank, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  A: {revolute: [coupler, crank], at: [0, 1, 0], axis: [0, 0, 1]}
  B: {spherical: [coupler, rocker], at: [2, 1, 0]}
  D: {revolute: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}
initial: {O: {angle: ANGLE deg}}
outputs: {columns: {o: O.angle, d: D.angle}}
)";
  // None of them flat, where it is singular: in the plane counted from the x axis, in space from the drawing.
  const std::vector<double> in_plane{100, 190, 250, 270, 270.1, 450, -90, -270, 800};
  const std::vector<double> in_space{100, 180, 190, 250, 360, -250, 800};
  for (const auto& [text, angles] : {std::pair(planar, in_plane), std::pair(spatial, in_space)})
    for (const double angle : angles)
      for (const char* coordinates : kAll) {
        std::string model = text;
        model.replace(model.find("ANGLE"), 5, std::to_string(angle));
        Mechanism m = text_model(model);
        m.plan.coordinates = coordinates;
        Simulation simulation(m, m.plan);
        const AssemblyReport report = simulation.assemble();
        ASSERT_TRUE(report.report.accepted()) << model << coordinates << ": " << explain(report, simulation);
        EXPECT_NEAR(simulation.coordinate("O"), angle * M_PI / 180, 1e-11) << model << coordinates;
        EXPECT_NEAR(simulation.coordinate("D"), angle * M_PI / 180, 1e-9) << model << coordinates;
      }
}

TEST(HeldStart, ASliderStartsFarAway) {
  const std::string car = R"(trammel: 1
plane: xy
bodies: {car: {mass: 1, inertia: 1, at: [0, 0]}}
joints: {s: {prismatic: [car, ground], axis: [1, 0]}}
)";
  for (const char* given :
       {"initial: {s: {displacement: 50 m}}\n", "drivers: {m: {joint: s, equals: 50 + t}}\n"}) {
    const Mechanism m = text_model(car + given);
    Simulation simulation(m, m.plan);
    const AssemblyReport report = simulation.assemble();
    ASSERT_TRUE(report.report.accepted()) << given << explain(report, simulation);
    EXPECT_NEAR(simulation.coordinate("s"), 50, 1e-11) << given;
  }
}

// A bar that starts at 200° has its hinge there too, whether the bar, the hinge or a driver says so.
TEST(HeldStart, BodiesAndJointsCountTheSameTurns) {
  const std::string bar = R"(trammel: 1
plane: xy
bodies:
  bar: {mass: 2, inertia: 0.17, com: [0.5, 0], at: [0, 0]}
  end: {mass: 1, inertia: 0.1, at: [1, 0]}
joints: {h: {revolute: [bar, ground], at: [0, 0]}, e: {revolute: [end, bar], at: [1, 0]}}
forces: {k: {joint-spring: h, stiffness: 5, free: 180 deg}}
)";
  const double degree = M_PI / 180;
  for (const double angle : {200.0, 400.0, -250.0})
    for (const std::string given :
         {"initial: {bar: {angle: ANGLE deg}}\n", "initial: {h: {angle: ANGLE deg}}\n",
          "drivers: {m: {angle: bar, equals: ANGLE*pi/180 + 0.1*t}}\n",
          "drivers: {m: {joint: h, equals: ANGLE*pi/180 + 0.1*t}}\n"})
      for (const char* coordinates : kAll) {
        std::string text = given;
        text.replace(text.find("ANGLE"), 5, std::to_string(angle));
        Mechanism m = text_model(bar + text);
        m.plan.coordinates = coordinates;
        Simulation simulation(m, m.plan);
        const AssemblyReport report = simulation.assemble();
        ASSERT_TRUE(report.report.accepted()) << text << coordinates << ": " << explain(report, simulation);
        EXPECT_NEAR(simulation.pose("bar").angle, angle * degree, 1e-11) << text << coordinates;
        EXPECT_NEAR(simulation.coordinate("h"), angle * degree, 1e-11) << text << coordinates;
        EXPECT_NEAR(simulation.coordinate("e"), simulation.pose("end").angle - angle * degree, 1e-11)
            << text << coordinates;
        EXPECT_LT(std::abs(simulation.coordinate("e")), M_PI) << text << coordinates;
        EXPECT_NEAR(simulation.energy().potential, 2.5 * std::pow((angle - 180) * degree, 2), 1e-9)
            << text << coordinates;
      }
}

TEST(HeldStart, FollowsAParameter) {
  Mechanism m = text_model(kSliderCrank + "initial: {crank: {angle: 2*beta}}\n");
  m.set_parameter("beta", 0.3);
  Simulation simulation(m, m.plan);
  ASSERT_TRUE(simulation.assemble().report.accepted());
  EXPECT_NEAR(simulation.pose("crank").angle, 0.6, 1e-13);
}

TEST(HeldStart, NamesWhatCannotBeMet) {
  // The coupler's angle reaches asin(0.3/0.6) = 30° at most.
  const Mechanism m = text_model(kSliderCrank + "initial: {coupler: {angle: -1}}\n");
  Simulation simulation(m, m.plan);
  const AssemblyReport report = simulation.assemble();
  ASSERT_FALSE(report.report.accepted());
  const std::string words = explain(report, simulation);
  EXPECT_NE(words.find("the initial angle of 'coupler', -1 rad"), std::string::npos) << words;
  EXPECT_NE(words.find("-0.5236 rad (-30 deg)"), std::string::npos) << words;
}

// x is 0.002 as given, where its mass is positive; the circle is met where it is negative.
TEST(Assembled, MassesAreCheckedThere) {
  const Mechanism m = text_model(R"(trammel: 1
coordinates: {x: 0.002, y: 10}
mass: {x: x, y: 0.02}
potential: y
constraints: {length: x^2 + y^2 - 1 + (x + 0.2)^2}
simulate: {duration: 1}
)");
  Simulation simulation(m, m.plan);
  const AssemblyReport report = simulation.assemble();
  EXPECT_EQ(report.report.outcome, Outcome::refused);
  EXPECT_NE(report.report.message.find("negative kinetic energy at the start, in a motion of 'x'"),
            std::string::npos)
      << report.report.message << simulation.state().q[0];
}

}  // namespace
}  // namespace trammel::tests::held_start_test
