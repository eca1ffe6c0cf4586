#!/usr/bin/env python3
"""Mistakes that people make in model files: each gives one message, with place, reason and remedy. Usage: mistakes_test.py TRAMMEL SOURCE_DIR"""
from command_line import MODELS, CommandLine, main

# Line numbers of the cases count from here.
MODEL = """\
trammel: 1
name: four-bar
plane: xy
gravity: [0, -9.81]
points:
  A: {at: [0, 0], on: ground}
  B: [0, 0.1]
  C: [0.4, 0.3]
  D: {at: [0.4, 0], on: ground}
bodies:
  crank: {rod: [A, B], mass: 1 kg}
  coupler: {rod: [B, C], mass: 2 kg}
  rocker: {rod: [C, D], mass: 2 kg}
joints:
  shaft: {revolute: [ground, crank], at: A}
simulate: {duration: 1 s, step: 10 ms}
"""

SIMULATE = "simulate: {duration: 1 s, step: 10 ms}"
CRANK = "  crank: {rod: [A, B], mass: 1 kg}"
COUPLER = "  coupler: {rod: [B, C]"

# What is wrong, the text that is replaced, the text instead, the message.
READING = [
    # Commas and signs.
    ("decimal commas in a list", "[0.4, 0.3]", "[0,4, 0,3]",
     "m.yaml:8:6: C: expected two components (the mechanism is planar), found 4 of them; if these are decimal commas, write [0.4, 0.3]"),
    ("one decimal comma in a list", "[0, 0.1]", "[0, 0,1]",
     "m.yaml:7:6: B: expected two components (the mechanism is planar), found 3 of them; if these are decimal commas, write [0, 0.1]"),
    ("decimal comma in braces", "mass: 1 kg", "mass: 1,5 kg",
     "m.yaml:11:30: '1,5 kg' has a decimal comma; here a comma ends the value; write 1.5 kg"),
    ("comma of thousands", "mass: 1 kg", "mass: 1,000 kg",
     "m.yaml:11:30: '1,000 kg' has a decimal comma; here a comma ends the value; write 1.000 kg, or 1000 kg"),
    ("space of thousands", "mass: 1 kg", "mass: 1 000 kg",
     "m.yaml:11:32: mass: missing operator between '1' and '000'; write 1000 if it is one number, * to multiply"),
    ("decimal comma in a block", SIMULATE, "simulate:\n  duration: 1,5 s",
     "m.yaml:17:14: duration: unexpected ','; it only separates the arguments of a function; decimals take a point"),
    ("semicolon in a list", "[0.4, 0.3]", "[0.4; 0.3]",
     "m.yaml:8:6: C: expected two components (the mechanism is planar), found 1 of them; write [0.4, 0.3]"),
    ("comma forgotten", "[A, B], mass: 1", "[A B], mass: 1", "m.yaml:11:16: rod: expected 2 names, found 1 of them; write [A, B]"),
    ("typographic minus", "-9.81", "\u22129.81",
     "m.yaml:4:14: gravity: unexpected character '\u2212'; write -, the minus sign of the keyboard"),
    ("dash", "-9.81", "\u20139.81", "m.yaml:4:14: gravity: unexpected character '\u2013'; write -, the minus sign of the keyboard"),
    ("minus in an expression", SIMULATE, "forces: {f: {torque: 5 \u2212 3*t, on: crank}}",
     "m.yaml:16:24: torque: unexpected character '\u2212'; write -, the minus sign of the keyboard"),
    ("times sign", SIMULATE, "forces: {f: {torque: 5 \u00d7 t, on: crank}}", "m.yaml:16:24: torque: unexpected character '\u00d7'; write *"),
    ("raised two", SIMULATE, "forces: {f: {torque: 5*t\u00b2, on: crank}}", "m.yaml:16:25: torque: unexpected character '\u00b2'; write ^2"),
    ("no-break space", "mass: 1 kg", "mass: 1\u00a0kg",
     "m.yaml:11:31: mass: unexpected character '\u00a0'; it is a no-break space; write a plain space"),
    ("question mark", SIMULATE, 'drivers: {d: {angle: shaft, equals: "t < 0.5 ? 0 : 1"}}',
     "m.yaml:16:45: equals: unexpected character '?'; write if(condition, a, b)"),
    # Colons, quotes, brackets, comments.
    ("no space after a colon in braces", "mass: 1 kg", "mass:1 kg",
     "m.yaml:11:24: a space is missing after the colon of 'mass:1 kg'; write mass: 1 kg"),
    ("no space after a colon", SIMULATE, "simulate:\n  duration:1 s\n  step: 10 ms",
     "m.yaml:17:11: a space is missing after the colon; write `duration: 1 s`"),
    ("no colon", SIMULATE, "simulate:\n  duration 1 s\n  step: 10 ms", "m.yaml:17:3: 'duration 1 s' has no colon; write `key: value`"),
    ("section without colon", "joints:\n", "joints\n", "m.yaml:14:1: 'joints' has no colon; write `joints:`"),
    ("equals sign in braces", "mass: 1 kg", "mass=1 kg", "m.yaml:11:24: 'mass=1 kg' has = in place of a colon; write mass: 1 kg"),
    ("equals sign", SIMULATE, "simulate:\n  duration = 1 s\n  step: 10 ms",
     "m.yaml:17:3: 'duration = 1 s' has no colon; write `duration: 1 s`"),
    ("colon in a text", "name: four-bar", "name: linkage: four-bar",
     'm.yaml:2:7: this text has a colon and a space in it; put it in quotes: name: "linkage: four-bar"'),
    ("quote not closed", "name: four-bar", 'name: "four-bar', 'm.yaml:2:7: this quote is not closed; add " at the end of the text'),
    ("brace not closed", "mass: 1 kg}", "mass: 1 kg", "m.yaml:11:10: this bracket is not closed, or a comma is missing after it"),
    ("comment of C", "mass: 1 kg}", "mass: 1 kg} // heavy", "m.yaml:11:36: '//' does not start a comment; write # instead"),
    ("comment of MATLAB", "mass: 1 kg}", "mass: 1 kg} % heavy", "m.yaml:11:36: '%' does not start a comment; write # instead"),
    ("words after a bracket", "mass: 1 kg}", "mass: 1 kg} heavy",
     "m.yaml:11:36: 'heavy' stands after the closing bracket; remove it, or start a comment with #"),
    ("duplicate key", COUPLER, "  crank: {rod: [B, C]", "m.yaml:12:3: 'crank' appears twice, first in line 11; rename or remove one of them"),
    # Indentation.
    ("tab", COUPLER, "\tcoupler: {rod: [B, C]", "m.yaml:12:1: this line is indented with a tab, which YAML does not allow; use spaces"),
    ("no-break spaces in front", COUPLER, "\u00a0\u00a0coupler: {rod: [B, C]",
     "m.yaml:12:1: this line is indented with a no-break space, which YAML does not allow; use plain spaces"),
    ("a space too many", COUPLER, " " + COUPLER,
     "m.yaml:12:4: this line is indented by 3 spaces, which fits no entry above it: line 11 is indented by 2 spaces; "
     "give the entries of one map the same indentation"),
    ("a space too few", COUPLER, COUPLER[1:], "m.yaml:12:2: this line is indented by 1 space, which fits no entry above it"),
    ("entries at the left edge", "  A: {at: [0, 0], on: ground}\n  B: [0, 0.1]\n  C: [0.4, 0.3]\n  D:", "A: {at: [0, 0], on: ground}\nB: [0, 0.1]\nC: [0.4, 0.3]\nD:",
     "m.yaml:6:1: 'A' and 3 below it stand at the left edge, and so not in `points:` above; indent the entries of `points:`, by two spaces say"),
    ("the last entry at the left edge", "  rocker: {rod", "rocker: {rod",
     "m.yaml:13:1: 'rocker' stands at the left edge, and so not in `bodies:` above; indent the entries of `bodies:`, by two spaces say"),
    ("keys beside their entry", CRANK, "  crank:\n  rod: [A, B]\n  mass: 1 kg",
     "m.yaml:12:3: 'rod' has the indentation of 'crank', and so is not a part of it; indent the keys of 'crank' deeper than its name"),
    ("keys too deep", CRANK, "  crank:\n    rod: [A, B]\n      mass: 1 kg", "m.yaml:13:7: this line is indented by 6 spaces, which fits no entry above it"),
    ("a section indented", "joints:\n  shaft", "  joints:\n    shaft",
     "m.yaml:14:3: `joints:` is indented, and so an entry of `bodies:`; start it at the left edge"),
    ("entries with dashes", CRANK + "\n" + COUPLER + ", mass: 2 kg}\n  rocker", "  - crank: {rod: [A, B], mass: 1 kg}\n  - coupler: {rod: [B, C], mass: 2 kg}\n  - rocker",
     "m.yaml:11:3: bodies: expected named entries, found a list; write bodies: {name: …}, without dashes"),
    # Units.
    ("unit misspelt", "1 kg", "1 kgs", "m.yaml:11:32: mass: unknown unit 'kgs'; did you mean 'kg'?"),
    ("unit in words", "1 kg", "1 Kilogram", "m.yaml:11:32: mass: unknown unit 'Kilogram'; did you mean 'kg'?"),
    ("unit with a Greek letter", "10 ms", "9000 \u00b5s", "m.yaml:16:38: step: unknown unit '\u00b5s'; did you mean 'us'?"),
    ("unit of another quantity", "1 kg", "1 m", "m.yaml:11:30: mass: '1 m' is in m, but kg is expected; give it in kg"),
    ("unit within an expression", SIMULATE, "forces: {f: {torque: 5 N.m*sin(t), on: crank}}",
     "m.yaml:16:28: torque: units do not mix with expressions; make 5 N.m a parameter and write its name instead"),
    # Names.
    ("a hinge", "revolute", "hinge", "m.yaml:15:11: unknown key 'hinge'; did you mean 'revolute'?"),
    ("no kind", "revolute: ", "between: ", "m.yaml:15:3: the joint 'shaft' has no kind; a joint is one of: revolute, prismatic"),
    ("key in German", "mass: 1", "masse: 1", "m.yaml:11:24: unknown key 'masse'; did you mean 'mass'?"),
    ("name with a dash", "  shaft:", "  main-shaft:",
     "m.yaml:15:3: 'main-shaft' cannot name a joint; use letters, digits and _, starting with a letter, so that expressions can use it"),
    ("a driver of a joint by its angle", SIMULATE, "drivers: {d: {joint: shaft, angle: t}}",
     "m.yaml:16:22: driver 'd' has both joint: and angle:; write {angle: shaft, equals: …} with what it follows"),
    ("one number for gravity", "[0, -9.81]", "-9.81", "m.yaml:4:10: gravity: expected two components (the mechanism is planar), found '-9.81'; write [a, b]"),
]

DRIVERS = "drivers:\n  d1: {angle: shaft, equals: %s}\n"
TWO = DRIVERS + "  d2: {angle: %s, equals: %s}\n"

# Added to the model; what 'trammel run' says of it.
RUNNING = [
    ("contradicting speeds", TWO % ("t", "shaft", "2*t"),
     "m.yaml:18:3: drivers 'd1' and 'd2' move the same coordinate, that of 'shaft', and ask for speeds of 1 and 2 at the start; remove one of them"),
    ("contradicting later", TWO % ("t^2", "crank", "t^2 + t^4"),
     "m.yaml:18:3: at t = 0 s, step 1: the drivers 'd1', 'd2' prescribe 2 coordinates of a mechanism with 1 degree of freedom; remove one of them"),
    ("contradicting places", TWO % ("0", "rocker", "1"),
     "the drivers 'd1', 'd2' prescribe 2 coordinates of a mechanism with 1 degree of freedom; remove one of them ("),
    ("a root at the start", DRIVERS % "sqrt(t)",
     "m.yaml:18:3: driver 'd1': the speed of 'sqrt(t)' is not finite at t = 0 s, and no body can follow; write an expression that starts "
     "with a finite speed, such as step(t, 0, 0, 1, 1)"),
    ("a root that ends", DRIVERS % "sqrt(0.495 - t)",
     "driver 'd1': 'sqrt(0.495 - t)' has no finite value or speed from t = 0.495 s on; write another expression, or end the run before"),
    ("a jump", DRIVERS % '"if(t < 0.5, 0, 1)"', "driver 'd1' jumps from 0 to 1 at t = 0.5 s, and no body can; let it rise in some time"),
]


class Mistakes(CommandLine):
    def expect_one(self, said, message):
        lines = said.strip().splitlines()
        self.assertEqual(len(lines), 1, said)
        self.assertTrue(lines[0].startswith(message), f"{lines[0]}\n{message}")

    def test_reading(self):
        for what, old, new, message in READING:
            with self.subTest(what):
                self.assertIn(old, MODEL)
                self.model(MODEL.replace(old, new, 1), "m.yaml")
                result = self.trammel("check", "m.yaml")
                self.assertEqual(result.returncode, 2, result.stderr + result.stdout)
                self.expect_one(result.stderr, message)

    def test_two_decimal_commas_are_two_messages(self):
        self.model(MODEL.replace("mass: 1 kg", "mass: 1,5, length: 2,5"), "m.yaml")
        result = self.trammel("check", "m.yaml")
        self.assertEqual([line.split(": ")[0] for line in result.stderr.splitlines()], ["m.yaml:11:30", "m.yaml:11:43"], result.stderr)

    def test_several_bodies_with_keys_beside_them(self):
        text = MODEL.replace(CRANK, "  crank:\n  rod: [A, B]\n  mass: 1 kg").replace(COUPLER + ", mass: 2 kg}", "  coupler:\n  rod: [B, C]\n  mass: 2 kg")
        self.model(text, "m.yaml")
        result = self.trammel("check", "m.yaml")
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)
        self.assertIn("m.yaml:12:3: 'rod' has the indentation of 'crank'", result.stderr)
        self.assertIn("m.yaml:15:3: 'rod' appears twice, first in line 12; if it belongs to 'coupler', indent it deeper", result.stderr)

    def test_running(self):
        for what, added, message in RUNNING:
            with self.subTest(what):
                self.model(MODEL.replace(SIMULATE + "\n", SIMULATE + "\n" + added), "m.yaml")
                result = self.trammel("run", "m.yaml", "--out", "out")
                self.assertEqual(result.returncode, 3, result.stderr + result.stdout)
                self.assertIn(message, result.stderr)
                self.assertTrue(result.stderr.startswith("m.yaml:"), result.stderr)

    def test_an_open_loop_names_its_line(self):
        self.model(MODEL.replace("mass: 2 kg}", "mass: 2 kg, length: 5}", 1), "m.yaml")
        for command in (["run", "m.yaml"], ["check", "m.yaml"]):
            result = self.trammel(*command)
            self.expect(result, 3, "the mechanism cannot be assembled", "check lengths and places")
            self.assertRegex(result.stderr, r"^m\.yaml:1[123]:3: ")

    def test_degrees_without_a_unit_are_noted(self):
        self.model(MODEL + DRIVERS % "30", "m.yaml")
        note = ("m.yaml:18:30: equals: 30 without a unit is 30 rad (4.775 turns); write 30 deg if degrees are meant, 30 rad if not\n")
        for command in ("check", "run"):
            result = self.trammel(command, "m.yaml")
            self.expect(result, 0)
            self.assertEqual(result.stderr, note)
        for silent in ("30 rad", "30 deg", "0.5", "12.566", "10*pi", "7"):
            self.model(MODEL + DRIVERS % silent, "m.yaml")
            self.assertEqual(self.trammel("check", "m.yaml").stderr, "", silent)

    def test_no_model_of_ours_is_noted(self):
        for path in sorted(MODELS.rglob("*.yaml")):
            self.assertNotIn("without a unit", self.trammel("check", path).stderr, path)


if __name__ == "__main__":
    main()
