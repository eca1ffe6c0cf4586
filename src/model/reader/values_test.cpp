// Numbers, units, parameters, functions, names and repetition.
#include <cmath>

#include "model/reader/test_cases.h"

namespace trammel::model::values_test {
namespace {

TEST(ModelValues, BadNumbersSayWhereAndWhat) {
  expect_errors(
      {{"wrong unit", kPlanar + "points: {A: {at: [0, 0]}}\nbodies: {a: {point: A, mass: 3 m}}\n",
        "4:30: mass: '3 m' is in m, but kg is expected; give it in kg"},
       {"unknown unit", kPlanar + "points: {A: {at: [0, 0]}}\nbodies: {a: {point: A, mass: 3 kgs}}\n",
        "4:32: mass: "},
       {"unit of a parameter",
        kPlanar + "parameters: {L: 0.3 m}\npoints: {A: {at: [0, 0]}}\nbodies: {a: {point: A, mass: L}}\n",
        "5:30: mass: 'L' is in m, but kg is expected; give it in kg"},
       {"unit on a pure number", kPlanar + kLink + "simulate: {convergence: 1 m}\n",
        "5:25: convergence: '1 m' is in m, but a pure number is expected; leave the unit out"},
       {"unknown name",
        kPlanar +
            "parameters: {speed: 3}\npoints: {A: {at: [0, 0]}}\nbodies: {a: {point: A, mass: 2*sped}}\n",
        "5:32: mass: unknown name 'sped'; did you mean 'speed'?"},
       {"time where none may be", kPlanar + "points: {A: {at: [0, 0]}}\nbodies: {a: {point: A, mass: 2*t}}\n",
        "4:32: mass: unknown name 't'"},
       {"not finite", kPlanar + "gravity: [0, .inf]\n" + kLink,
        "3:14: gravity: '.inf' is not a finite number"},
       {"not a number", kPlanar + "gravity: [0, nan]\n" + kLink,
        "3:14: gravity: 'nan' is not a finite number"},
       {"division by zero", kPlanar + "parameters: {a: 1/0}\n" + kLink,
        "3:17: a: '1/0' is not a finite number"},
       {"too large", kPlanar + "gravity: [0, 1e200]\n" + kLink,
        "3:14: gravity: '1e200' is too large; give a number below 1e+150"},
       {"unit and time", kPlanar + kLink + "drivers: {d: {angle: crank, equals: 60 rpm * t}}\n",
        "5:46: equals: units do not mix with expressions; make 60 rpm a parameter and write its name "
        "instead, as in speed*t"},
       {"unit and parameter", kPlanar + "parameters: {mu: 1, a: 5 N*mu}\n" + kLink,
        "3:28: a: units do not mix with expressions; make 5 N a parameter"},
       {"unit in an expression", kPlanar + "parameters: {a: 2*30 deg}\n" + kLink,
        "3:19: a: units do not mix with expressions; make 30 deg a parameter"},
       {"units run together", kPlanar + "parameters: {a: 5 Nm}\n" + kLink,
        "3:19: a: unknown unit 'Nm'; did you mean 'N.m'?"},
       {"list for a number", kPlanar + "parameters: {a: [1]}\n" + kLink,
        "3:17: a: expected a number, found a list"},
       {"nothing for a number", kPlanar + "parameters:\n  a:\n" + kLink,
        "4:3: a: expected a number, found nothing"},
       {"circle", kPlanar + "parameters: {a: b + 1, b: 2*c, c: a}\n" + kLink,
        "3:35: these parameters need each other in a circle: a → b → c → a; give one of them as a number"},
       {"own circle", kPlanar + "parameters: {a: a}\n" + kLink,
        "3:17: these parameters need each other in a circle: a → a"},
       {"three components in the plane", kPlanar + "gravity: [0, 0, -9.81]\n" + kLink,
        "3:10: gravity: expected two components (the mechanism is planar), found 3 of them; write [a, b]"},
       {"two components in space",
        kSpatial + "gravity: [0, -9.81]\n" + kBoxes +
            "joints: {j: {spherical: [arm, base], at: [0, 0, 0]}}\n",
        "2:10: gravity: expected three components (the mechanism is spatial), found 2 of them"},
       {"table order", kPlanar + "functions: {f: {table: [[0, 0], [0, 1], [1, 1]]}}\n" + kLink,
        "3:33: table: x = 0 does not come after x = 0; order the points by x"},
       {"table too short", kPlanar + "functions: {f: {table: [[0, 0]]}}\n" + kLink,
        "3:24: table: expected at least two points [x, y], found a list"},
       {"unknown shape", kPlanar + "functions: {f: {spline: [[0, 0], [1, 1]], shape: round}}\n" + kLink,
        "3:50: shape: there is no 'round'; choose one of: natural, clamped, periodic, monotone"},
       {"slopes of a natural spline",
        kPlanar + "functions: {f: {spline: [[0, 0], [1, 1]], slopes: [0, 0]}}\n" + kLink,
        "3:43: slopes: only a clamped spline has slopes of its own; write shape: clamped"},
       {"clamped without slopes",
        kPlanar + "functions: {f: {spline: [[0, 0], [1, 1]], shape: clamped}}\n" + kLink,
        "3:13: a function needs the key 'slopes'; give the slopes at both ends: [0, 0]"},
       {"period that does not close",
        kPlanar + "functions: {f: {spline: [[0, 0], [1, 1], [2, 3]], shape: periodic}}\n" + kLink,
        "3:25: spline: the period ends at 3 but begins at 0; give the same y at both ends"},
       {"period of two points",
        kPlanar + "functions: {f: {spline: [[0, 1], [1, 1]], shape: periodic}}\n" + kLink,
        "3:25: spline: a period needs three points or more; give the points of a whole period"},
       {"shape of a table", kPlanar + "functions: {f: {table: [[0, 0], [1, 1]], shape: monotone}}\n" + kLink,
        "3:42: shape: a function has one kind; keep spline: or table:"},
       {"definitions in a circle",
        kPlanar + "define: {b: c + 1, a: 2*b, c: a*t}\n" + kLink + "forces: {f: {torque: b, on: crank}}\n",
        "3:25: a: these definitions need each other in a circle, a → b → c → a; define one without the "
        "others"},
       {"a definition's error is told once",
        kPlanar + "define: {b: crank.angel, a: 2*b}\n" + kLink + "forces: {f: {torque: a + b, on: crank}}\n",
        "3:13: b: unknown name 'crank.angel'; did you mean 'crank.angle'?"},
       {"a driver's definition",
        kPlanar + "define: {b: 2*crank.rate}\n" + kLink + "drivers: {d: {angle: crank, equals: b}}\n",
        "6:37: equals: a driver cannot depend on 'crank.rate'"},
       {"a definition's name is taken", kPlanar + "parameters: {k: 1}\ndefine: {k: t}\n" + kLink,
        "4:10: 'k' is already the name of a parameter"},
       {"built-in function's name", kPlanar + "functions: {sin: {table: [[0, 0], [1, 1]]}}\n" + kLink,
        "3:13: 'sin' is a function of expressions, and cannot name a function too"}});
}

TEST(ModelValues, BadNamesSayWhereAndWhat) {
  expect_errors(
      {{"point and body",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies: {A: {rod: [O, A], mass: 1}, b: "
                  "{rod: [O, A], mass: 1}}\n",
        "4:10: 'A' is already the name of a point; use a name once in a model"},
       {"name with a dash", kPlanar + "parameters: {a-b: 1}\n" + kLink,
        "3:14: 'a-b' cannot name a parameter; use letters, digits and _"},
       {"ground", kPlanar + "points: {ground: {at: [0, 0], on: ground}}\n",
        "3:10: 'ground' has a meaning of its own and cannot name a point"},
       {"braces without for", kPlanar + kLink + "forces:\n  \"f{i}\": {torque: 1, on: crank}\n",
        "6:3: 'f{i}' cannot name a force; give the entry `for: {i: 1..3}` to repeat it"},
       {"for without braces", kPlanar + kLink + "forces:\n  f: {for: {i: 1..2}, torque: 1, on: crank}\n",
        "6:3: every instance of 'f' would have this same name; write \"f{i}\""},
       {"for without a range", kPlanar + kLink + "forces:\n  \"f{i}\": {for: {i: 3}, torque: 1, on: crank}\n",
        "6:21: for: expected a range, found '3'; write first..last, as in 1..3"},
       {"for of fractions",
        kPlanar + kLink + "forces:\n  \"f{i}\": {for: {i: 0..1.5}, torque: 1, on: crank}\n",
        "6:21: '1.5' is 1.5, not a whole number"},
       {"for variable taken",
        kPlanar + "parameters: {i: 1}\n" + kLink +
            "forces:\n  \"f{i}\": {for: {i: 0..1}, torque: 1, on: crank}\n",
        "7:18: 'i' cannot be a loop variable; it has a meaning already: choose another"},
       {"for without end",
        kPlanar + kLink + "forces:\n  \"f{i}\": {for: {i: 1..2}, torque: 1, on: \"crank{i\"}\n",
        "6:43: the brace in 'crank{i' is not closed"},
       {"too many", kPlanar + "points:\n  \"P{i}_{j}\": {for: {i: 1..2000, j: 1..2000}, at: [0, 0]}\n",
        "4:21: this makes more than 1000000 entries; shorten the range"},
       {"too many turns of an outer loop, with nothing in it",
        kPlanar + "points:\n  \"P{i}_{j}\": {for: {i: 1..1e15, j: 1..0}, at: [0, 0]}\n",
        "4:21: this makes more than 1000000 entries; shorten the range"},
       {"too many, then few",
        kPlanar + "points:\n  \"P{i}\": {for: {i: 1..1e9}, at: [0, 0]}\n" +
            "  \"Q{i}\": {for: {i: 1..2}, at: [0, 0], on: ground}\n",
        "4:17: this makes more than 1000000 entries; shorten the range"}});
}

TEST(ModelValues, UnitsBecomeSI) {
  const Mechanism m =
      good_model(kPlanar + "parameters: {a: 3 cm, b: 90 deg, c: 60 rpm, d: 5 N/mm, e: 2e-3}\n" + kLink);
  EXPECT_DOUBLE_EQ(m.parameters.at("a"), 0.03);
  EXPECT_DOUBLE_EQ(m.parameters.at("b"), M_PI / 2);
  EXPECT_DOUBLE_EQ(m.parameters.at("c"), 2 * M_PI);
  EXPECT_DOUBLE_EQ(m.parameters.at("d"), 5000);
  EXPECT_DOUBLE_EQ(m.parameters.at("e"), 0.002);
}

TEST(ModelValues, ParametersUseEachOtherInAnyOrder) {
  const Mechanism m =
      good_model(kPlanar + "parameters: {a: 2*b, b: c^2, c: 3}\nfunctions: {g: {table: [[0, a], [1, b]]}}\n" +
                 kLink + "");
  EXPECT_DOUBLE_EQ(m.parameters.at("a"), 18);
}

TEST(ModelValues, SplinesHaveShapes) {
  const Mechanism m =
      good_model(kPlanar +
                 "functions:\n  a: {spline: [[0, 0], [1, 1]]}\n"
                 "  b: {spline: [[0, 0], [1, 1]], shape: clamped, slopes: [2, -1]}\n"
                 "  c: {spline: [[0, 1], [1, 2], [2, 1]], shape: periodic}\n"
                 "  d: {spline: [[0, 0], [1, 1]], shape: monotone}\n  e: {table: [[0, 0], [1, 1]]}\n" +
                 kLink);
  using Kind = TableFunction::Kind;
  const Kind kinds[] = {Kind::natural, Kind::clamped, Kind::periodic, Kind::monotone, Kind::table};
  ASSERT_EQ(m.functions.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(m.functions[k].kind, kinds[k]) << k;
  EXPECT_EQ(m.functions[1].first_slope, 2);
  EXPECT_EQ(m.functions[1].last_slope, -1);
  // Written and read again they are the same.
  const Mechanism again = good_model(write_model(m));
  for (std::size_t k = 0; k < 5; ++k) {
    TableFunction f = again.functions[k];
    f.where = m.functions[k].where;
    EXPECT_EQ(f, m.functions[k]) << k;
  }
}

TEST(ModelValues, DefinitionsAreKept) {
  const Mechanism m = good_model(kPlanar + "define: {pull: 2*gap, gap: 1 - crank.angle*t, level: 30 deg}\n" +
                                 kLink + "forces: {f: {torque: pull + level, on: crank}}\n");
  ASSERT_EQ(m.definitions.size(), 3U);
  EXPECT_EQ(m.definitions[0].text, "2*gap");
  const Mechanism again = good_model(write_model(m));
  ASSERT_EQ(again.definitions.size(), 3U);
  EXPECT_EQ(again.definitions[1].text, "1 - crank.angle*t");
  EXPECT_EQ(std::get<AppliedTorque>(again.forces[0].law).components[0], "pull + level");
}

TEST(ModelValues, EntriesRepeat) {
  const std::string text = kPlanar +
                           "parameters: {N: 2}\n"
                           "points:\n"
                           "  \"A{i}\": {for: {i: 0..N}, at: [i, 0], on: ground}\n"
                           "  \"B{i}\": {for: {i: 0..N}, at: [i, 1]}\n"
                           "bodies:\n"
                           "  \"crank{i}\": {for: {i: 0..N}, rod: [\"A{i}\", \"B{i}\"], mass: 1 + i}\n"
                           "  \"coupler{i}\": {for: {i: 1..N}, rod: [\"B{i-1}\", \"B{i}\"], mass: 1}\n"
                           "forces:\n"
                           "  \"push{i}\": {for: {i: 1..N}, force: [i*sin(t), 0], at: \"B{i}\"}\n";
  const Mechanism two = good_model(text);
  EXPECT_EQ(two.bodies.size(), 5U);
  EXPECT_EQ(two.body("crank2")->mass, 3);
  EXPECT_EQ(two.joint("B1")->markers.size(), 3U);
  EXPECT_EQ(std::get<AppliedForce>(two.forces[1].law).components[0], "2*sin(t)");
  EXPECT_EQ(good_model(text, {"parameters.N=40"}).bodies.size(), 81U);
  // an empty range is no entry
  EXPECT_EQ(good_model(text, {"parameters.N=0"}).bodies.size(), 1U);
}

TEST(ModelValues, ARepeatedErrorIsReportedOnce) {
  EXPECT_EQ(
      errors_of(kPlanar + kLink + "forces:\n  \"f{i}\": {for: {i: 1..100}, torque: \"q{i}\", on: crank}\n")
              .find('\n') +
          1,
      errors_of(kPlanar + kLink + "forces:\n  \"f{i}\": {for: {i: 1..100}, torque: \"q{i}\", on: crank}\n")
          .size());
}

TEST(ModelValues, LoopsNest) {
  const Mechanism m =
      good_model(kPlanar +
                 "points:\n  \"P{i}_{k}\": {for: {i: 1..2, k: 1..i}, at: [i, k], on: ground}\n"
                 "bodies:\n  \"m{i}_{k}\": {for: {i: 1..2, k: 1..i}, point: \"P{i}_{k}\", mass: 1}\n");
  ASSERT_EQ(m.points.size(), 3U);
  EXPECT_EQ(m.points[2].name, "P2_2");
}

TEST(ModelValues, SettingsReachTheTree) {
  const std::string text = kPlanar + "parameters: {L: 1}\n" + kLink;
  EXPECT_EQ(good_model(text, {"bodies.crank.mass=2 kg"}).bodies[0].mass, 2);
  EXPECT_EQ(good_model(text, {"simulate.step=2 ms"}).plan.step, 2e-3);
  EXPECT_EQ(good_model(text, {"gravity=[0, -L]"}).gravity.y(), -1);
  EXPECT_EQ(good_model(text, {"parameters.L=2", "gravity=[0, -L]"}).gravity.y(), -2);
}

TEST(ModelValues, BadSettingsSayWhatIsWrong) {
  const std::string text = kPlanar + "parameters: {L: 1}\n" + kLink;
  EXPECT_EQ(errors_of(text, {"bodies.crnk.mass=2"}),
            "--set bodies.crnk.mass=2: there is no 'crnk' in bodies; did you mean 'crank'?\n");
  EXPECT_EQ(errors_of(text, {"bodies.crank.mas=2"}),
            "--set bodies.crank.mas=2: unknown key 'mas'; did you mean 'mass'?\n");
  EXPECT_EQ(
      errors_of(text, {"body.crank.mass=2"}),
      "--set body.crank.mass=2: there is no 'body' in the model; name something that the file has "
      "(there are: trammel, name, plane, gravity, parameters, functions, define, points, bodies, joints, "
      "drivers, forces, coordinates, mass, applied, potential, constraints, states, inputs, initial, "
      "stops, simulate, "
      "outputs, subsystems, sweep, ground)\n");
  EXPECT_EQ(errors_of(text, {"bodies.crank.mass=-2"}),
            "--set bodies.crank.mass=-2: the mass of 'crank' is -2 kg; give a mass of zero or more\n");
  EXPECT_EQ(errors_of(text, {"parameters.M=2"}),
            "--set parameters.M=2: there is no 'M' in parameters; name something that the file has (there "
            "are: L)\n");
  EXPECT_EQ(errors_of(text, {"points.A.at=2"}),
            "--set points.A.at=2: 'points.A' has no keys; set it whole: points.A=…\n");
  EXPECT_EQ(errors_of(text, {"mass"}),
            "--set mass: a setting has the form path=value; write --set bodies.crank.mass=2\n");
  EXPECT_EQ(errors_of(kPlanar + kLink, {"outputs.a\x9b=t"}),
            "--set outputs.a\x9b=t: this is not UTF-8 text; name a key of the model file\n");
  EXPECT_EQ(errors_of(text, {"name="}), "--set name=: the value is empty; write one behind the '='\n");
  EXPECT_EQ(errors_of(text, {"name=["}).substr(0, 40), "--set name=[: this bracket is not closed");
}

}  // namespace
}  // namespace trammel::model::values_test
