// Forces, states, inputs, initial conditions, the plan and outputs.
#include <cmath>

#include "model/reader/test_cases.h"

namespace trammel::model::forces_test {
namespace {

const std::string kRods =
    kPlanar +
    "points: {O: {at: [0, 0], on: ground}, A: [3, 4], G: {at: [1, 1], on: ground}}\n"
    "bodies: {crank: {rod: [O, A], mass: 1, points: {mid: [2.5, 0]}}, slider: {point: A, mass: 1}}\n";
const std::string kHinge = kSpatial + kBoxes +
                           "joints: {hinge: {revolute: [arm, base], at: [0, 0, 0], axis: arm.n}, rail: "
                           "{prismatic: [base, ground], axis: [1, 0, 0]}}\n";

TEST(ModelForces, BadOnesSayWhereAndWhat) {
  const std::string f = kRods + "forces:\n", h = kHinge + "forces:\n";
  expect_errors({
      {"no kind", f + "  f: {at: A}\n",
       "6:3: the force 'f' has no kind; a force is one of: joint-spring, spring, tendon, friction"},
      {"spring of nothing", f + "  f: {spring: [O, A]}\n",
       "6:3: a spring needs the key 'stiffness'; give stiffness: or tension:"},
      {"spring on one body", f + "  f: {spring: [A, crank.mid], stiffness: 1}\n",
       "6:3: 'f' connects 'crank' to itself; name points of two different bodies"},
      {"spring unit", f + "  f: {spring: [O, A], stiffness: 1 N}\n",
       "6:34: stiffness: '1 N' is in N, but N/m is expected; give it in N/m"},
      {"spring point", f + "  f: {spring: [O, Q], stiffness: 1}\n", "6:19: there is no point 'Q'"},
      {"negative length", f + "  f: {spring: [G, A], stiffness: 1, length: -1}\n",
       "6:45: the free length of 'f' is -1 m; give zero or more"},
      {"law and numbers", f + "  f: {spring: [G, A], tension: t, damping: 1}\n",
       "6:35: damping: `tension:` already says the whole law; keep one of them"},
      {"unknown signal", f + "  f: {spring: [G, A], tension: 2*crank.angel}\n",
       "6:34: tension: unknown name 'crank.angel'; did you mean 'crank.angle'?"},
      {"unknown name in a component", f + "  f: {force: [2*crank.angel, 1], at: A}\n",
       "6:17: force: unknown name 'crank.angel'; did you mean 'crank.angle'?"},
      {"force nowhere", f + "  f: {force: [0, 1]}\n",
       "6:3: a force needs the key 'at'; say where it acts: a point, or body.point"},
      {"force on ground", f + "  f: {force: [0, 1], at: G}\n",
       "6:26: at: 'G' is fixed to ground, where a force moves nothing; name a point of a moving body"},
      {"force on a pin of ground", f + "  f: {force: [0, 1], at: O}\n",
       "6:26: at: 'O' is fixed to ground, where a force moves nothing; name a point of a moving body, or "
       "{body: name, at: [x, y]}"},
      {"force of three components", f + "  f: {force: [0, 1, 0], at: A}\n",
       "6:14: force: expected 2 components, found a list; write [fx, fy]"},
      {"axes", f + "  f: {force: [0, 1], at: A, axes: wrld}\n",
       "6:35: axes: there is no 'wrld'; did you mean 'world'? There are: world, body"},
      {"torque on a point mass", f + "  f: {torque: 1, on: slider}\n",
       "6:22: on: 'slider' cannot turn; name a rod or a rigid body"},
      {"torque on ground", f + "  f: {torque: 1, on: ground}\n", "6:22: on: 'ground' cannot turn"},
      {"torque of one component", h + "  f: {torque: 1, on: arm}\n",
       "7:15: torque: expected 3 components, found '1'; write one for each of x, y, z"},
      {"joint", f + "  f: {joint-spring: A, stiffness: 1}\n",
       "6:21: joint 'A' has no coordinate; name a revolute or prismatic joint"},
      {"force on an angle", h + "  f: {joint-spring: hinge, force: 1}\n",
       "7:28: force: joint 'hinge' has an angle; write torque:"},
      {"friction by load", h + "  f: {friction: hinge, mu: 0.3}\n",
       "7:28: mu: smooth friction does not depend on the joint's load; write dry-friction: with a "
       "coefficient:, "
       "or give coulomb: itself"},
      {"negative friction", h + "  f: {friction: hinge, coulomb: -1}\n",
       "7:33: the coulomb friction of 'f' is -1; give zero or more"},
      {"no transition", h + "  f: {friction: hinge, coulomb: 1, transition: 0}\n",
       "7:48: the transition speed of 'f' is 0"},
      {"bushing numbers", h + "  f: {bushing: [arm, base], at: [0, 0, 0], stiffness: [1, 2, 3]}\n",
       "7:55: stiffness: expected 6 numbers, found 3 of them"},
      {"motor without a law", h + "  f: {joint: hinge}\n", "7:3: a motor needs the key 'torque'"},
      {"motor of a slide", h + "  f: {joint: rail, torque: 1}\n",
       "7:20: torque: joint 'rail' has a displacement; write force:"},
      {"motor unit", h + "  f: {joint: hinge, torque: 1 N}\n",
       "7:29: torque: '1 N' is in N, but N.m is expected; give it in N.m"},
      {"motor of nothing", f + "  f: {joint: A, torque: 1}\n",
       "6:14: joint 'A' has no coordinate; name a revolute, prismatic or cylindrical joint"},
      {"motor of a joint that is not there", h + "  f: {joint: hinje, torque: 1}\n",
       "7:14: there is no joint 'hinje'; did you mean 'hinge'?"},
      {"a force of accelerations", f + "  f: {torque: 2*crank.alpha, on: crank}\n",
       "6:15: torque: what moves the mechanism cannot depend on 'crank.alpha'; accelerations and reactions "
       "follow from the forces, so that this is an algebraic loop"},
      {"a force of reactions", f + "  f: {force: [O.force.x, 0], at: A}\n",
       "6:15: force: what moves the mechanism cannot depend on 'O.force.x'"},
      {"bushing itself", h + "  f: {bushing: [arm, arm], at: [0, 0, 0], stiffness: [1, 1, 1, 1, 1, 1]}\n",
       "7:16: bushing 'f' connects 'arm' to itself"},
  });
}

TEST(ModelForces, SpringsBetweenPoints) {
  const Mechanism m = good_model(kRods +
                                 "forces:\n  a: {spring: [G, A], stiffness: 1 kN/m, damping: 2, preload: 3 "
                                 "N}\n  b: {spring: [G, crank.mid], tension: 10*(b.length - 1) + b.rate}\n");
  const auto& a = std::get<SpringDamper>(m.forces[0].law);
  EXPECT_EQ(a.stiffness, 1000);
  EXPECT_DOUBLE_EQ(a.length, std::hypot(2, 3));
  EXPECT_EQ(a.preload, 3);
  EXPECT_EQ(std::get<SpringDamper>(m.forces[1].law).law, "10*(b.length - 1) + b.rate");
}

TEST(ModelForces, ASpringAtAPinOfGroundActsOnGround) {
  const Mechanism m = good_model(kRods + "forces: {a: {spring: [O, A], stiffness: 1}}\n");
  const auto& a = std::get<SpringDamper>(m.forces[0].law);
  EXPECT_EQ(a.a.body, kGround);
  EXPECT_EQ(a.b.body, "crank");
}

TEST(ModelForces, SpringsAndFrictionOnJoints) {
  const Mechanism m = good_model(kHinge +
                                 "forces:\n"
                                 "  a: {joint-spring: hinge, stiffness: 2 N.m/rad, free: 90 deg}\n"
                                 "  b: {joint-spring: rail, force: 2*rail.displacement}\n"
                                 "  c: {friction: rail, coulomb: 2 N, viscous: 1, transition: 1 mm/s}\n");
  EXPECT_DOUBLE_EQ(std::get<JointSpring>(m.forces[0].law).free, M_PI / 2);
  EXPECT_EQ(std::get<JointSpring>(m.forces[1].law).law, "2*rail.displacement");
  EXPECT_DOUBLE_EQ(std::get<JointFriction>(m.forces[2].law).transition, 1e-3);
}

TEST(ModelForces, ForcesThatNeedEachOther) {
  const std::string errors = errors_of(
      kRods + "forces:\n  f: {joint: O, torque: 2*g.torque}\n  g: {joint: O, torque: f.torque - 1}\n");
  EXPECT_NE(errors.find("these definitions need each other in a circle, g.torque → f.torque → g.torque"),
            std::string::npos)
      << errors;
  good_model(kRods + "forces:\n  f: {joint: O, torque: 2*g.torque}\n  g: {joint: O, torque: O.rate - 1}\n");
}

TEST(ModelForces, Motors) {
  const Mechanism m = good_model(kHinge +
                                 "forces:\n"
                                 "  a: {joint: hinge, torque: 2 N.m}\n"
                                 "  b: {joint: rail, force: 2*rail.displacement}\n");
  const Motor a{"hinge", true, "2"}, b{"rail", false, "2*rail.displacement"};
  EXPECT_EQ(std::get<Motor>(m.forces[0].law), a);
  EXPECT_EQ(std::get<Motor>(m.forces[1].law), b);
  // A cylindrical joint has both coordinates.
  const std::string boss =
      kSpatial + kBoxes + "joints: {boss: {cylindrical: [arm, base], at: [0, 0, 0], axis: arm.n}}\nforces:\n";
  const Mechanism c =
      good_model(boss + "  a: {joint: boss, torque: 1}\n  b: {joint: boss, force: boss.displacement_rate}\n");
  EXPECT_TRUE(std::get<Motor>(c.forces[0].law).turns);
  EXPECT_FALSE(std::get<Motor>(c.forces[1].law).turns);
  expect_errors({
      {"both", boss + "  f: {joint: boss, torque: 1, force: 2}\n",
       "7:20: torque: a motor has one of torque: and force:; write two motors"},
      {"neither", boss + "  f: {joint: boss}\n",
       "7:3: a motor needs the key 'torque'; give torque: or force:"},
  });
}

TEST(ModelForces, ForcesTorquesBushings) {
  const Mechanism m =
      good_model(kHinge +
                 "forces:\n"
                 "  f: {force: [0, 5 N, sin(t)], at: arm.tip, axes: body}\n"
                 "  t1: {torque: [0, 0, hinge.rate], on: arm}\n"
                 "  b: {bushing: [arm, base], at: [0, 0, 0], stiffness: [1, 2, 3, 4, 5, 6 N.m/rad]}\n");
  const auto& f = std::get<AppliedForce>(m.forces[0].law);
  EXPECT_TRUE(f.body_fixed);
  EXPECT_EQ(f.components, (std::vector<std::string>{"0", "5", "sin(t)"}));
  EXPECT_EQ(std::get<AppliedTorque>(m.forces[1].law).components[2], "hinge.rate");
  EXPECT_EQ(std::get<Bushing>(m.forces[2].law).stiffness(5, 5), 6);
  const Mechanism p = good_model(kRods +
                                 "forces:\n  b: {bushing: [crank, ground], at: O, stiffness: [[1, 0, 2], [0, "
                                 "3, 0], [2, 0, 4]], damping: [1, 1, 1]}\n");
  const auto& b = std::get<Bushing>(p.forces[0].law);
  EXPECT_EQ(b.stiffness(0, 5), 2);
  EXPECT_EQ(b.stiffness(5, 5), 4);
  EXPECT_EQ(b.damping(5, 5), 1);
}

TEST(ModelForces, StatesAndInputsAreNamesInExpressions) {
  const Mechanism m =
      good_model(kRods +
                 "states: {integral: crank.angle - 1, lag: {derivative: (push - lag)/0.1, initial: 2}}\n"
                 "inputs: {push: 3}\n"
                 "forces: {motor: {torque: -5*integral + lag, on: crank}}\n"
                 "outputs: {interval: 10 ms, axes: both, columns: {power: crank.rate*lag}}\n");
  EXPECT_EQ(m.plan.reaction_axes, ReactionAxes::both);
  EXPECT_EQ(m.states[0].derivative, "crank.angle - 1");
  EXPECT_EQ(m.states[1].initial, 2);
  EXPECT_EQ(m.inputs[0].value, 3);
  EXPECT_EQ(m.outputs.at("power"), "crank.rate*lag");
  EXPECT_EQ(m.plan.output_interval, 0.01);
}

TEST(ModelForces, InitialVelocities) {
  const Mechanism m = good_model(
      kHinge +
      "initial: {hinge: {speed: 60 rpm}, arm: {velocity: [1, 0, 0], angular-velocity: [0, 0, 2]}}\n");
  EXPECT_DOUBLE_EQ(*m.joint("hinge")->speed, 2 * M_PI);
  EXPECT_EQ(*m.body("arm")->angular_velocity, Vec3(0, 0, 2));
  const Mechanism p =
      good_model(kRods + "initial: {crank: {angular-velocity: 2}, A: {velocity: [1, 0]}, O: {speed: 2}}\n");
  EXPECT_EQ(*p.body("crank")->angular_velocity, Vec3(0, 0, 2));
  EXPECT_EQ(*p.point("A")->velocity, Vec3(1, 0, 0));
  EXPECT_EQ(*p.joint("O")->speed, 2);
  expect_errors({
      {"nobody", kRods + "initial: {crnk: {angular-velocity: 2}}\n",
       "5:11: there is no body, point or joint 'crnk'; did you mean 'crank'?"},
      {"point mass", kRods + "initial: {slider: {angular-velocity: 2}}\n",
       "5:20: angular-velocity: the point mass 'slider' does not turn"},
      {"spin of a rod",
       kSpatial +
           "points: {O: {at: [0, 0, 0], on: ground}, A: [1, 0, 0]}\nbodies: {crank: {rod: [O, A], mass: 1}}\n"
           "initial: {crank: {angular-velocity: [5, 0, 0]}}\n",
       "3:10: the rod 'crank' does not turn about its own axis, along which its angular velocity is given"},
      {"speed of a body", kRods + "initial: {crank: {speed: 2}}\n",
       "5:19: speed: 'crank' is a body; give velocity: or angular-velocity:"},
      {"no coordinate", kRods + "initial: {A: {speed: 2}}\n", "5:15: speed: joint 'A' has no coordinate"},
      {"velocity of a joint", kHinge + "initial: {rail: {velocity: [1, 0, 0]}}\n",
       "6:18: velocity: 'rail' is a joint; give speed:"},
  });
}

TEST(ModelForces, DryFriction) {
  const std::string f = kHinge + "forces:\n";
  const Mechanism m =
      good_model(f +
                 "  b: {dry-friction: hinge, capacity: 2 N.m, static: 3*t}\n"
                 "  c: {clutch: [hinge, rail], ratio: 2, capacity: 5}\n"
                 "  o: {one-way-clutch: rail}\n  p: {one-way-clutch: [rail, hinge], ratio: -1}\n");
  const auto law = [&](std::size_t k) { return std::get<DryFriction>(m.forces.at(k).law); };
  EXPECT_EQ(law(0).joints, std::vector<std::string>{"hinge"});
  EXPECT_EQ(law(0).capacity, "2");
  EXPECT_EQ(law(0).static_capacity, "3*t");
  EXPECT_EQ(law(1).joints, (std::vector<std::string>{"hinge", "rail"}));
  EXPECT_EQ(law(1).ratio, 2);
  EXPECT_TRUE(law(2).one_way);
  EXPECT_EQ(law(3).ratio, -1);
  expect_errors({
      {"no capacity", f + "  b: {dry-friction: hinge}\n", "7:3: "},
      {"unit", f + "  b: {dry-friction: hinge, capacity: 2 N}\n", "7:38: capacity: "},
      {"no joint", f + "  b: {clutch: [hinge, rial], capacity: 2}\n",
       "7:23: there is no joint 'rial'; did you mean 'rail'?"},
      {"one of two", f + "  b: {clutch: hinge, capacity: 2}\n",
       "7:15: clutch: expected 2 names, found 'hinge'"},
      {"itself", f + "  b: {clutch: [hinge, hinge], capacity: 2}\n",
       "7:3: 'b' couples joint 'hinge' to itself"},
      {"ratio of one", f + "  b: {one-way-clutch: hinge, ratio: 2}\n",
       "7:30: ratio: 'one-way-clutch' is on one joint"},
      {"ratio zero", f + "  b: {clutch: [hinge, rail], ratio: 0, capacity: 2}\n",
       "7:37: the ratio of 'b' is zero"},
      {"unknown key", f + "  b: {one-way-clutch: hinge, capacity: 2}\n", "7:30: 'capacity' does "},
      {"names", f + "  b: {dry-friction: hinge, capacity: 2*x}\n", "7:40: capacity: "},
  });
}

TEST(ModelForces, InitialCoordinates) {
  const Mechanism m = good_model(kHinge + "initial: {hinge: {angle: 90 deg}, rail: {displacement: 2 mm}}\n");
  EXPECT_DOUBLE_EQ(*m.joint("hinge")->held, M_PI / 2);
  EXPECT_DOUBLE_EQ(*m.joint("rail")->held, 0.002);
  EXPECT_EQ(*good_model(kRods + "initial: {crank: {angle: 2}}\n").body("crank")->held_angle, 2);
  expect_errors({
      {"no displacement", kHinge + "initial: {hinge: {displacement: 1}}\n",
       "6:19: displacement: joint 'hinge' has no displacement; give angle:"},
      {"no angle", kHinge + "initial: {rail: {angle: 1}}\n",
       "6:18: angle: joint 'rail' has no angle; give displacement:"},
      {"in space", kHinge + "initial: {arm: {angle: 1}}\n",
       "6:17: angle: body 'arm' is in space; give the angle or displacement of a joint"},
      {"point mass", kRods + "initial: {slider: {angle: 2}}\n",
       "5:20: angle: the point mass 'slider' does not turn"},
      {"too many turns", kRods + "initial: {crank: {angle: 1e15}}\n",
       "5:19: angle: an angle of 1e+15 rad is too many turns"},
      {"displacement of a body", kRods + "initial: {crank: {displacement: 2}}\n",
       "5:19: displacement: 'crank' is a body"},
  });
}

TEST(ModelForces, ThePlan) {
  const Mechanism m =
      good_model(kRods +
                 "simulate: {duration: 2 min, step: 1 ms, formulation: augmented-lagrangian-index3, "
                 "coordinates: natural,\n"
                 "  integrator: {generalized-alpha: 0.5}, solver: klu, penalty: 1e7, constraint-scale: 2,\n"
                 "  projection: {metric: mass, sweeps: 2, velocities: false, reactions: published, route: "
                 "velocities}, convergence: 1e-9, "
                 "max-iterations: 7, strict: true}\noutputs: {reactions: projections}\n");
  EXPECT_EQ(m.plan.duration, 120);
  EXPECT_EQ(m.plan.integrator, "generalized-alpha");
  EXPECT_EQ(m.plan.spectral_radius, 0.5);
  EXPECT_EQ(m.plan.penalty, 1e7);
  EXPECT_EQ(m.plan.projection_sweeps, 2);
  EXPECT_EQ(m.plan.project_velocities, false);
  EXPECT_EQ(m.plan.projection_reactions, "published");
  EXPECT_EQ(m.plan.projection_route, "velocities");
  EXPECT_EQ(m.plan.reactions, "projections");
  EXPECT_TRUE(m.plan.strict);
  const auto plan = [&](const std::string& text) {
    return good_model(kRods + "simulate: {" + text + "}\n").plan;
  };
  EXPECT_EQ(plan("integrator: hht").integrator, "hht");
  EXPECT_EQ(plan("integrator: {hht: -0.2}").hht_alpha, -0.2);
  EXPECT_EQ(plan("integrator: {newmark: {beta: 0.3, gamma: 0.6}}").newmark_gamma, 0.6);
  EXPECT_FALSE(plan("penalty: automatic").penalty);
  EXPECT_EQ(plan("penalty: {default: 1e9, crank: automatic}").penalty_of.at("crank"), 0);
  const Plan by_name = plan(
      "formulation: penalty, penalty: {default: automatic, crank: 1e9}, omega: {default: 5, crank: 60 rpm}, "
      "mu: 2");
  EXPECT_FALSE(by_name.penalty);
  EXPECT_EQ(by_name.penalty_of.at("crank"), 1e9);
  EXPECT_EQ(by_name.omega, 5);
  EXPECT_NEAR(by_name.omega_of.at("crank"), 6.283185307179586, 1e-15);
  EXPECT_EQ(by_name.mu, 2);
  EXPECT_EQ(plan("penalty: {default: 1e7}").penalty, 1e7);
  EXPECT_EQ(plan("formulation: penalty, omega: {crank: 3}").omega, Plan().omega);
}

TEST(ModelForces, BadPlansSayWhereAndWhat) {
  const auto plan = [&](const std::string& text) { return kRods + "simulate: {" + text + "}\n"; };
  expect_errors({
      {"step", plan("step: 0 s"), "5:18: step: '0 s' is not positive; give a number above zero"},
      {"duration", plan("duration: -1"), "5:22: duration: '-1' is not positive"},
      {"formulation", plan("formulation: legrange"),
       "5:25: formulation: there is no 'legrange'; did you mean 'lagrange'? There are: "
       "augmented-lagrangian-index3, lagrange"},
      {"coordinates", plan("coordinates: natura"),
       "5:25: coordinates: there is no 'natura'; did you mean 'natural'? There are: natural"},
      {"integrator", plan("integrator: rk5"),
       "5:24: integrator: there is no 'rk5'; did you mean 'rk4'? There are: trapezoidal, newmark, hht, "
       "generalized-alpha"},
      {"integrator key", plan("integrator: {hhht: 1}"), "5:25: unknown key 'hhht'; did you mean 'hht'?"},
      {"hht range", plan("integrator: {hht: 0.1}"), "5:30: hht: 0.1 is outside -0.333 to 0"},
      {"solver", plan("solver: lu"), "5:20: solver: there is no 'lu'"},
      {"no such joint", plan("omega: {default: 5, crnak: 3}"),
       "5:32: omega: there is no body, joint, driver or constraint 'crnak'; did you mean 'crank'?"},
      {"another thing", kRods + "simulate: {mu: {m: 3}}\nparameters: {m: 1}\n",
       "5:17: mu: there is no body, joint, driver or constraint 'm'; 'm' is a parameter"},
      {"a shared point", plan("penalty: {A: 1e7}"),
       "5:22: penalty: 'A' has no constraint equation of its own, as bodies that share a point need none; "
       "name one that has: crank"},
      {"negative penalty", plan("penalty: {crank: -1}"), "5:29: penalty: '-1' is not positive"},
      {"penalty of text", plan("penalty: {crank: soft}"), "5:29: penalty: "},
      {"sweeps", plan("projection: {sweeps: 1.5}"), "5:33: sweeps: '1.5' is not a whole number"},
      {"projected reactions", plan("projection: {reactions: kept}"),
       "5:36: reactions: there is no 'kept'; choose one of: carried, published"},
      {"route", plan("projection: {route: positions}"),
       "5:32: route: there is no 'positions'; choose one of: accelerations, velocities"},
      {"reported reactions", kRods + "outputs: {reactions: exact}\n",
       "5:22: reactions: there is no 'exact'; choose one of: solved, projections"},
      {"flag", plan("strict: maybe"), "5:20: strict: there is no 'maybe'; choose one of: true, false"},
      {"unknown", plan("stepp: 1"), "5:12: unknown key 'stepp'; did you mean 'step'?"},
      {"interval", kRods + "outputs: {interval: -1}\n", "5:21: interval: '-1' is negative"},
      {"axes", kRods + "outputs: {axes: body}\n",
       "5:17: axes: there is no 'body'; choose one of: world, joint, both"},
      {"column", kRods + "outputs: {columns: {a: crank.q}}\n",
       "5:24: a: unknown name 'crank.q'; did you mean"},
  });
}

}  // namespace
}  // namespace trammel::model::forces_test
