#!/usr/bin/env python3
"""Prescribed motions that start or stop where they should not, and options that contradict. Usage: prescribed_test.py TRAMMEL SOURCE_DIR"""
import json
import math

from command_line import MODELS, CommandLine, main

# Stands at its dead centre.
STRETCHED = """\
trammel: 1
plane: xy
points:
  O: {at: [0, 0], on: ground}
  A: [0.1, 0]
  B: [0.4, 0]
bodies:
  crank: {rod: [O, A], mass: 1.5, length: 0.1}
  rod: {rod: [A, B], mass: 0.8, length: 0.3}
  slider: {mass: 2, inertia: 0.01, at: B, carries: [B]}
joints:
  guide: {prismatic: [slider, ground], axis: [1, 0]}
simulate: {duration: 0.5}
"""
FLAT = """\
trammel: 1
plane: xy
points:
  A: {at: [0, 0], on: ground}
  D: {at: [0.6, 0], on: ground}
  B: [0.3, 0]
  C: [0.9, 0]
bodies:
  crank: {rod: [A, B], mass: 1, length: 0.3}
  coupler: {rod: [B, C], mass: 1, length: 0.6}
  rocker: {rod: [D, C], mass: 1, length: 0.3}
simulate: {duration: 1}
"""
# One degree of freedom, and one redundant crank.
CRANKS = """\
trammel: 1
plane: xy
points:
  A: {at: [0, 0], on: ground}
  D: {at: [0.6, 0], on: ground}
  E: {at: [0.3, 0], on: ground}
  B: [0, 0.3]
  C: [0.6, 0.3]
  F: [0.3, 0.3]
bodies:
  a: {rod: [A, B], mass: 1}
  d: {rod: [D, C], mass: 1}
  e: {rod: [E, F], mass: 1}
  coup: {mass: 3, inertia: 0.1, at: [0.3, 0.3], carries: [B, C, F]}
drivers:
  m1: {angle: a, equals: pi/2 - 0.5*t^2}
  m2: {angle: d, equals: pi/2 - 0.5*t^2}
simulate: {duration: 1}
"""
# The axes of its revolutes differ by a thousandth: it cannot move.
SKEW = """\
trammel: 1
bodies:
  crank: {mass: 1, inertia: [0.01,0.01,0.01], at: [0, 0.1, 0]}
  coupler: {mass: 1, inertia: [0.01,0.01,0.01], at: [0.25, 0.3, 0]}
  rocker: {mass: 1, inertia: [0.01,0.01,0.01], at: [0.5, 0.2, 0]}
joints:
  A: {revolute: [crank, ground], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {revolute: [coupler, crank], at: [0, 0.2, 0], axis: [0, 0, 1]}
  C: {revolute: [rocker, coupler], at: [0.5, 0.4, 0], axis: [0, 0, 1]}
  D: {revolute: [ground, rocker], at: [0.5, 0, 0], axis: [0.001, 0, 1]}
"""
ARM = """\
trammel: 1
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}
  A: [0.6, 0]
  B: [0.9, 0.1]
bodies:
  upper: {rod: [O, A], mass: 3, length: 0.6}
  lower: {rod: [A, B], mass: 2, length: 0.35}
drivers:
  tip: {position: B, equals: [0.5, 0.5]}
simulate: {duration: 1}
"""
PUSHED = """\
trammel: 1
plane: xy
parameters: {k: 500, m: 2}
bodies: {block: {mass: m, inertia: 1}}
joints: {slide: {prismatic: [block, ground], axis: [0, 1], at: [0, 0]}}
forces: {spring: {joint-spring: slide, stiffness: k}}
inputs: {F: 0}
outputs: {columns: {x: slide.displacement}}
"""


class Prescribed(CommandLine):
    def solve(self, analysis, text, *words):
        return self.trammel("solve", analysis, self.model(text), *words)

    def test_a_start_away_from_a_dead_centre_is_reached(self):
        result = self.solve("kinematics", STRETCHED, "--drive", "guide=-0.05:-0.15:21", "--json")
        self.expect(result, 0)
        told = json.loads(result.stdout)
        self.assertEqual(len(told["rows"]), 21)
        for row in told["rows"]:
            at = dict(zip(told["columns"], row))
            x = 0.4 + at["guide.displacement"]
            angle = math.acos((0.1**2 + x**2 - 0.3**2) / (2 * 0.1 * x))
            self.assertAlmostEqual(at["crank.angle"], angle, delta=1e-9)  # counterclockwise, the crank's first way
        held = STRETCHED + "initial: {guide: {displacement: -0.05}}\n"
        self.expect(self.trammel("check", self.model(held)), 0, "degrees of freedom")
        beyond = STRETCHED + "initial: {guide: {displacement: 0.05}}\n"
        self.expect(self.trammel("check", self.model(beyond)), 3, "0.05 m, cannot be reached")

    def test_a_sweep_from_a_singular_position_is_told(self):
        result = self.solve("kinematics", FLAT, "--drive", "crank=0:180deg:5")
        self.expect(result, 3, "starts in a singular position", "'D.angle' cannot be held", "start there")
        self.assertNotIn("No singular position", result.stdout)

    def test_drivers_that_contradict_are_named(self):
        contradict = CRANKS.replace("d, equals: pi/2 - 0.5*t^2", "d, equals: pi/2 - 0.4*t^2")
        for analysis in ("kinematics", "inverse"):
            result = self.solve(analysis, contradict)
            self.expect(result, 3, "the drivers 'm1', 'm2' contradict each other beyond t = ", "with 1 degree of freedom; remove one of them")
        apart = CRANKS.replace("a, equals: pi/2 - 0.5*t^2", "a, equals: pi/2 + 0.1")
        result = self.trammel("check", self.model(apart))
        self.expect(result, 3, "prescribe 2 coordinates of a mechanism with 1 degree of freedom; remove one of them")

    def test_what_cannot_move_cannot_be_swept(self):
        result = self.solve("kinematics", SKEW, "--drive", "A=0:1:3")
        self.expect(result, 3, "'sweep of A' cannot move anything: the mechanism has no degree of freedom", "trammel check")

    def test_names_are_those_of_the_model(self):
        result = self.solve("kinematics", CRANKS, "--ratio-to", "coop")
        self.expect(result, 2, "ratios to 'coop' are not known", "did you mean 'coup'", "m1, m2")
        result = self.solve("kinematics", FLAT.replace("B: [0.3, 0]", "B: [0, 0.3]").replace("C: [0.9, 0]", "C: [0.6, 0.3]"), "--ratio-to", "x")
        self.expect(result, 2, "crank, coupler, rocker")
        self.assertNotIn("held", result.stderr)

    def test_ratios_to_what_stands_have_no_value(self):
        result = self.solve("kinematics", STRETCHED, "--drive", "guide=-0.05:-0.15:21", "--ratio-to", "slider")
        self.expect(result, 0, "O.ratio                                  no value")

    def test_a_platform_without_joint_coordinates_tells_its_bodies(self):
        result = self.trammel("solve", "kinematics", MODELS / "stewart-platform.yaml", "--rows", "63")
        self.expect(result, 0, "platform.x [m]", "platform.v.z [m/s]", "platform.omega.z [rad/s]", "platform.alpha.z [rad/s²]")
        self.assertNotIn("platform.q", result.stdout)

    def test_a_sweep_has_its_own_coordinate(self):
        path = MODELS / "four-bar.yaml"
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:90deg:4"), 0, "rows to A = 1.5708 rad", "at A [rad]")
        page = self.folder / "sweep.html"
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:90deg:4", "--report", page), 0)
        self.assertIn('"swept":"A","unit":"rad"', page.read_text().replace(" ", ""))
        dead = self.trammel("solve", "kinematics", path, "--drive", "D=1.5:3:50")
        self.expect(dead, 0, "rows to the dead position at D = ", "and from there to D = 1.5")

    def test_options_that_contradict_are_refused(self):
        path = MODELS / "four-bar.yaml"
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:1:5", "--rows", "3"), 2, "leave out --rows")
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:1:5", "--duration", "3"), 2, "leave out --duration")
        self.expect(self.solve("equilibrium", PUSHED, "--along", "k=500:900:10"), 2, "more than a first and a last value", "--points")
        self.expect(self.solve("equilibrium", PUSHED, "--along", "k=500N/m:0.9kg"), 2, "its values are in")
        with_unit = PUSHED.replace("k: 500,", "k: 500 N/m,")
        self.expect(self.solve("equilibrium", with_unit, "--along", "k=500:0.9N/mm"), 0, "k = 500 to 900")
        self.expect(self.solve("equilibrium", with_unit, "--along", "k=500:900mm"), 2,
                    "--along k=500:900mm: a value is in m, but the parameter 'k' is in N/m")
        self.expect(self.solve("modes", with_unit, "--vary", "k=1mm:2m:2"), 2,
                    "--vary k=1mm:2m:2: a value is in m, but the parameter 'k' is in N/m")
        for words in (["equilibrium", PUSHED, "--along", "k=1m:2m"], ["modes", PUSHED, "--vary", "k=1m:2m:2"]):
            self.expect(self.solve(*words), 2, "the parameter 'k' has no unit in the model; give plain numbers")
        result = self.solve("equilibrium", PUSHED, "--along", "m=1:-1")
        self.assertEqual(result.stderr.count(".yaml"), 1, result.stderr)
        self.expect(self.trammel("solve", "workspace", path, "--spacing", "0"), 2, "--spacing: '0' is not a positive number")
        self.expect(self.solve("modes", PUSHED, "--response", "1e-320:10"), 2, "begins below 1e-100 Hz")
        self.expect(self.solve("stability", PUSHED), 2, "give --step")

    def test_inverse_states_the_filters_of_the_drivers(self):
        (self.folder / "swing.csv").write_text("".join(f"{k / 50},{math.sin(k / 10)}\n" for k in range(101)))
        model = ("trammel: 1\nplane: xy\nbodies: {arm: {mass: 1, inertia: 1}}\njoints: {pin: {revolute: [arm, ground], at: [0, 0]}}\n"
                 "functions:\n  swing: {file: swing.csv, filter: 8}\n  other: {file: swing.csv, filter: 5 Hz}\n"
                 "define: {twice: 2*swing(t)}\ndrivers: {motor: {joint: pin, equals: twice}}\nsimulate: {duration: 2}\n")
        result = self.solve("inverse", model)
        self.expect(result, 0, "swing: Butterworth 8 Hz, forwards and backwards")
        self.assertNotIn("other:", result.stdout)
        found = json.loads(self.solve("inverse", model, "--json").stdout)
        self.assertEqual(found["filters"], {"swing": "Butterworth 8 Hz, forwards and backwards"})
        unfiltered = self.solve("inverse", model.replace(", filter: 8}", "}"), "--json")
        self.assertNotIn("filters", json.loads(unfiltered.stdout))

    def test_inverse_prints_forces_of_driven_points_and_reactions(self):
        result = self.solve("inverse", ARM)
        # Both rods hang on O and the tip: 5 g between them, and no moment of either about A.
        self.expect(result, 0, "tip.force.x [N]", "tip.force.y [N]", "largest reaction", "force [N]")
        free = "trammel: 1\nplane: xy\ngravity: [0, -9.81]\nbodies: {b: {mass: 2, inertia: 0.1, free: true}}\nsimulate: {duration: 1}\n"
        result = self.solve("inverse", free, "--hold")
        self.expect(result, 0, "b.y.force.y [N]", "19.62", "b.x.force.x [N]", "b.angle.effort [N.m]")

    def test_a_nearest_singular_position_is_rounded_to_what_is_known(self):
        upright = FLAT.replace("B: [0.3, 0]", "B: [0.162, 0.252]").replace("C: [0.9, 0]", "C: [0.762, 0.252]")
        result = self.trammel("check", self.model(upright))
        self.expect(result, 0, "nearest singular      A.angle = 0 rad (0°)")


if __name__ == "__main__":
    main()
