// Models with coordinates of their own: what they mean, and what is wrong with bad ones.
#include "model/reader/test_cases.h"

namespace trammel::model::generalized_test {
namespace {

// Two coordinates in line 2; the case begins in line 3.
const std::string kPair = "trammel: 1\ncoordinates: {x: 1, y: 0}\n";
const std::string kMass = "mass: {x: 1, y: 1}\n";

TEST(ModelGeneralized, WhatItMeans) {
  const Mechanism m = good_model(
      "trammel: 1\n"
      "parameters: {m: 2 kg}\n"
      "coordinates:\n"
      "  x: {start: 0.3 m, rate: 2*m}\n"
      "  y: 30 deg\n"
      "mass: {x: m, y x: m*cos(y)/4, y: 1}\n"
      "applied: {y: -x*y.rate}\n"
      "potential: 9.81*m*x\n"
      "constraints: {c: x - sin(t)}\n"
      "outputs: {columns: {twice: 2*x.rate}}\n");
  ASSERT_TRUE(m.generalized.has_value());
  const GeneralizedModel& g = *m.generalized;
  ASSERT_EQ(g.coordinates.size(), 2U);
  EXPECT_EQ(g.coordinates[0].start, 0.3);
  EXPECT_EQ(g.coordinates[0].rate, 4);
  EXPECT_NEAR(g.coordinates[1].start, 0.5235987755982988, 1e-16);
  EXPECT_FALSE(g.coordinates[1].rate.has_value());
  ASSERT_EQ(g.mass.size(), 3U);
  EXPECT_EQ(g.mass[0].row, g.mass[0].column);
  EXPECT_EQ(g.mass[1].row + g.mass[1].column, "yx");
  EXPECT_EQ(g.applied[0].value, "-x*y.rate");
  EXPECT_EQ(g.potential, "9.81*m*x");
  EXPECT_EQ(g.constraints[0].name, "c");
}

TEST(ModelGeneralized, RepeatedEntries) {
  const Mechanism m = good_model(
      "trammel: 1\n"
      "coordinates: {'x{i}': {for: {i: 1..3}, start: i/2}}\n"
      "mass: {'x{i}': {for: {i: 1..3}, value: i}, 'x{i} x{i+1}': {for: {i: 1..2}, value: 'cos(x{i})/9'}}\n"
      "applied: {'x{i}': {for: {i: 1..2}, value: 'x{i+1} - x{i}'}}\n"
      "constraints: {'c{i}': {for: {i: 1..2}, value: 'x{i}^2 - x{i+1}^2 + i'}}\n");
  EXPECT_EQ(m.generalized->coordinates.at(2).start, 1.5);
  EXPECT_EQ(m.generalized->mass.at(4).column, "x3");
  EXPECT_EQ(m.generalized->applied.at(1).value, "x3 - x2");
  EXPECT_EQ(m.generalized->constraints.at(1).value, "x2^2 - x3^2 + 2");
}

TEST(ModelGeneralized, CommandLineSettings) {
  const Mechanism m = good_model(kPair + kMass, {"coordinates.x=3", "mass.y=x^2", "potential=x"});
  EXPECT_EQ(m.generalized->coordinates[0].start, 3);
  EXPECT_EQ(m.generalized->mass[1].value, "x^2");
  EXPECT_EQ(m.generalized->potential, "x");
}

TEST(ModelGeneralized, EitherBodiesOrCoordinates) {
  expect_errors(
      {{"bodies too", kPair + kMass + "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n",
        "4:1: 'bodies' does not fit a model with coordinates of its own; remove it: such a model has mass, "
        "applied, potential and constraints"},
       {"gravity", kPair + kMass + "gravity: [0, 0, -9.81]\n", "4:1: 'gravity' does not fit a model"},
       {"mass without coordinates", kPlanar + kLink + "mass: {x: 1}\n",
        "5:1: 'mass' belongs to a model with coordinates of its own; declare them under `coordinates:`"},
       {"no coordinates", "trammel: 1\ncoordinates:\nmass: {}\n",
        "2:1: the model has no coordinates; add one under `coordinates:`"},
       {"a word", "trammel: 1\ncoordinates: natural\n",
        "2:14: coordinates: expected named entries, found 'natural'; write coordinates: {name: …}"}});
}

TEST(ModelGeneralized, BadCoordinatesAndMasses) {
  expect_errors(
      {{"name", "trammel: 1\ncoordinates: {1x: 0}\nmass: {}\n", "2:15: '1x' cannot name a coordinate"},
       {"taken", "trammel: 1\nparameters: {x: 1}\ncoordinates: {x: 0}\nmass: {}\n",
        "3:15: 'x' is already the name of a parameter"},
       {"start", "trammel: 1\ncoordinates: {x: z}\nmass: {x: 1}\n",
        "2:18: x: 'z' is neither a number nor a parameter"},
       {"key", "trammel: 1\ncoordinates: {x: {start: 1, rates: 2}}\nmass: {x: 1}\n",
        "2:29: unknown key 'rates'; did you mean 'rate'?"},
       {"no mass", kPair,
        "1:1: the coordinates have no inertia; add `mass:` with the entries of the mass matrix"},
       {"unknown coordinate", kPair + "mass: {x: 1, y: 1, X y: 2}\n",
        "3:20: there is no coordinate 'X'; did you mean 'x'?"},
       {"a parameter", "trammel: 1\nparameters: {m: 1}\ncoordinates: {x: 1}\nmass: {x: m, m: 1}\n",
        "4:14: there is no coordinate 'm'; 'm' is a parameter"},
       {"three names", kPair + "mass: {x: 1, y: 1, x y x: 2}\n",
        "3:20: mass: 'x y x' is not one coordinate or two; write `x: m`, or `x y: m` for the entry between "
        "two"},
       {"twice", kPair + "mass: {x: 1, y: 1, x y: 0.1, y x: 0.1}\n",
        "3:30: the mass of 'y x' is given twice; the matrix is symmetric: give an entry once, in either "
        "order"},
       {"rates", kPair + "mass: {x: 1 + x.rate^2, y: 1}\n",
        "3:8: the mass of 'x' cannot depend on 'x.rate'; a mass may use coordinates, t, parameters and "
        "functions"},
       {"expression", kPair + "mass: {x: 1, y: 1 + Y}\n", "3:21: y: unknown name 'Y'; did you mean 'y'?"},
       {"not finite", kPair + "mass: {x: 1, y: 1/y}\n",
        "3:14: the mass of 'y' is not finite at the start; look for a division by zero"},
       {"negative", kPair + "mass: {x: 1, y: 1, x y: 2}\n",
        "3:7: the mass matrix gives a negative kinetic energy at the start, in a motion of 'x', 'y'; check "
        "its signs"},
       {"no inertia", kPair + "mass: {x: 1, y: 0}\n",
        "2:21: coordinate 'y' has neither inertia nor a constraint; give it an entry under `mass:`"},
       {"value", kPair + "mass: {x: 1, y: [1]}\n",
        "3:17: expected the keys of a mass entry, found a list; write {value: …}"}});
}

TEST(ModelGeneralized, BadForcesAndConstraints) {
  expect_errors(
      {{"unknown coordinate", kPair + kMass + "applied: {X: 1}\n",
        "4:11: there is no coordinate 'X'; did you mean 'x'?"},
       {"no such rate", kPair + kMass + "applied: {x: -x.speed}\n", "4:15: x: unknown name 'x.speed'"},
       {"potential of rates", kPair + kMass + "potential: x.rate^2\n",
        "4:12: the potential cannot depend on 'x.rate'; put forces of rates, states and inputs under "
        "`applied:`"},
       {"potential of an input", kPair + kMass + "inputs: {u: 1}\npotential: u*x\n",
        "5:12: the potential cannot depend on 'u'"},
       {"potential's expression", kPair + kMass + "potential: x +\n", "4:15: potential: "},
       {"potential not finite", kPair + kMass + "potential: log(y)\n",
        "4:12: the potential is not finite at the start"},
       {"constraint not linear in rates", kPair + kMass + "constraints: {c: x.rate^2 - y}\n",
        "4:15: constraint 'c' is not linear in the rates; write a sum of rates, each times an expression of "
        "coordinates and t: A(q, t) v + b(q, t)"},
       {"constraint of a rate and an input", kPair + kMass + "inputs: {u: 1}\nconstraints: {c: x.rate - u}\n",
        "5:15: constraint 'c' cannot depend on 'u'; a constraint ties coordinates, or their rates, at times "
        "of t"},
       {"constraint of rates not finite", kPair + kMass + "constraints: {c: x.rate/y}\n",
        "4:15: constraint 'c' is not finite at the start"},
       {"held by its rate alone", kPair + "mass: {x: 1}\nconstraints: {c: x.rate - y.rate}\n",
        "2:21: coordinate 'y' has neither inertia nor a constraint; give it an entry under `mass:`, or tie "
        "it, not its rate alone, under `constraints:`"},
       {"constraint of a state", kPair + kMass + "states: {s: 1}\nconstraints: {c: x - s}\n",
        "5:15: constraint 'c' cannot depend on 's'"},
       {"constraint of nothing", kPair + kMass + "constraints: {c: t}\n",
        "4:15: constraint 'c' depends on no coordinate; name the coordinates it ties"},
       {"constraint not finite", kPair + kMass + "constraints: {c: x/y}\n",
        "4:15: constraint 'c' is not finite at the start"},
       {"constraint's name", kPair + kMass + "constraints: {x: y - 1}\n",
        "4:15: 'x' is already the name of a coordinate"},
       {"value missing", kPair + kMass + "constraints: {c: {for: {i: 1..2}}}\n",
        "4:15: every instance of 'c'"},
       {"value", kPair + kMass + "constraints: {'c{i}': {for: {i: 1..2}}}\n",
        "4:15: a constraint needs the key 'value'"}});
}

TEST(ModelGeneralized, OneMistakeDoesNotMakeOthers) {
  const std::string errors = errors_of(kPair + "mass: {x: sin(, z: 1}\nconstraints: {c: x*q}\n");
  EXPECT_EQ(errors.substr(0, 9), "m.yaml:3:") << errors;
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 3) << errors;
}

}  // namespace
}  // namespace trammel::model::generalized_test
