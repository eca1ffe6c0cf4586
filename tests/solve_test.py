#!/usr/bin/env python3
"""trammel solve as a person and a program meet it. Usage: solve_test.py TRAMMEL SOURCE_DIR"""
import json
import math
import os
import pty
import shlex
import signal
import subprocess

from command_line import MODELS, PENDULUM, TRAMMEL, CommandLine, Page, main

ANALYSES = ("positions", "kinematics", "workspace", "inverse", "equilibrium", "modes", "stability")
# Dead at t = 0.6 s.
SLIDER_CRANK = """\
trammel: 1
plane: xy
points:
  O: {at: [0, 0], on: ground}
  A: [0.1, 0.28]
  B: [0.6, 0]
bodies:
  crank: {rod: [O, A], mass: 1, length: 0.3}
  coupler: {rod: [A, B], mass: 1, length: 0.6}
  slider: {mass: 1, inertia: 1, at: [0.6, 0], carries: [B]}
joints:
  guide: {prismatic: [slider, ground], at: B, axis: [1, 0], coordinate: 0.6}
drivers:
  push: {joint: guide, equals: 0.6+0.5*t}
"""
# Its coupler is shorter than the frame by a millionth: motions come close where the cranks lie flat.
PARALLELOGRAM = """\
trammel: 1
plane: xy
points: {A: {at: [0, 0], on: ground}, D: {at: [2, 0], on: ground}, B: [0, 1], C: [2, 1]}
bodies:
  a: {rod: [A, B], mass: 1, length: 1}
  b: {rod: [B, C], mass: 1, length: 1.999999}
  c: {rod: [D, C], mass: 1, length: 1}
"""
OSCILLATOR = """\
trammel: 1
plane: xy
parameters: {k: 50}
bodies: {block: {mass: 2, inertia: 1}}
joints: {slide: {prismatic: [block, ground], axis: [1, 0], at: [0, 0]}}
inputs: {F: 0}
forces:
  spring: {joint-spring: slide, stiffness: k, damping: 3}
  push: {force: [F, 0], at: block.com}
outputs: {columns: {x: slide.displacement}}
"""


class Solve(CommandLine):
    def solved(self, *words):
        result = self.trammel("solve", *words, "--json")
        self.expect(result, 0)
        return json.loads(result.stdout)

    def read_page(self, path):
        """A page that is whole, and needs nothing from outside: its scripts are its own."""
        parser, text = Page(), path.read_text()
        parser.feed(text)
        self.assertEqual(parser.open, [])
        self.assertLessEqual(set(parser.outside), {"script"})
        self.assertNotRegex(text, r"<script[^>]* src=")
        return parser

    def test_help_lists_the_analyses(self):
        self.expect(self.trammel("solve", "--help"), 0, *ANALYSES)
        self.expect(self.trammel("solve"), 2, "name an analysis", *ANALYSES)
        self.expect(self.trammel("solve", "foo"), 2, "there is no analysis 'foo'", *ANALYSES)

    def test_examples_run_as_written(self):
        for analysis in ANALYSES:
            told = self.trammel("solve", analysis, "--help").stdout
            examples = [shlex.split(line) for line in told.splitlines() if line.startswith("  trammel ")]
            self.assertTrue(examples, told)
            for words in examples:
                out = [self.folder / word if word.endswith((".mat", ".html")) else word for word in words[1:]]
                ran = subprocess.run([TRAMMEL, *out], cwd=MODELS.parent, capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_positions_have_branches(self):
        found = self.solved("positions", MODELS / "four-bar.yaml", "--all", "--starts", "60", "--seed", "3")
        self.assertEqual(len(found["branches"]), 2)
        self.assertEqual(found["search"]["starts"], 60)
        self.assertEqual(len(found["held"]), 1)
        for branch in found["branches"]:
            self.assertEqual(set(branch["bodies"]["crank"]), {"x", "y", "angle"})
            self.assertLess(branch["residual"], 1e-9)
        self.expect(self.trammel("solve", "positions", MODELS / "four-bar.yaml", "--all"), 0, "not guaranteed")
        self.expect(self.trammel("solve", "positions", MODELS / "four-bar.yaml", "--starts", "5"), 2, "--all")

    def test_kinematics_has_a_table_and_writes_it(self):
        found = self.solved("kinematics", MODELS / "driven-slider-crank.yaml", "--rows", "20", "--ratio-to", "motor", "--curve", "B")
        self.assertEqual([len(found["times"]), len(found["rows"])], [21, 21])
        self.assertEqual({len(row) for row in found["rows"]}, {len(found["columns"])})
        self.assertIn("B.curve.curvature", found["columns"])
        self.assertIsNone(found["rows"][0][found["columns"].index("A.ratio")])  # the motor starts from rest
        self.assertEqual(found["singular"], [])
        out = self.folder / "table"
        self.expect(self.trammel("solve", "kinematics", MODELS / "driven-slider-crank.yaml", "--out", out), 0, "No singular position")
        self.assertTrue((out / "results.csv").read_text().startswith("t [s],crank.x [m]"))
        self.expect(self.trammel("solve", "kinematics", MODELS / "skater.yaml"), 2, "constrains velocities")
        undriven = self.trammel("solve", "kinematics", MODELS / "four-bar.yaml")
        self.expect(undriven, 0, "Nothing moves, and all rows are equal: no driver depends on time. To sweep a coordinate, use --drive A=0:360deg.")
        near = self.model(PARALLELOGRAM)
        self.expect(self.trammel("solve", "kinematics", near, "--drive", "a=1:4:30"), 0, "Near a = 3.1", "could not tell whether they cross", "more rows there")
        self.expect(self.trammel("solve", "kinematics", MODELS / "four-bar.yaml", "--curve", "Q"), 2, "there is no point 'Q'")

    def test_a_coordinate_is_swept_instead_of_time(self):
        path = MODELS / "four-bar.yaml"
        result = self.trammel("solve", "kinematics", path, "--drive", "A=0:360deg:37", "--json")
        self.expect(result, 0)
        told = json.loads(result.stdout)
        self.assertEqual(len(told["rows"]), 37)
        angle = [row[told["columns"].index("A.angle")] for row in told["rows"]]
        self.assertAlmostEqual(angle[0], 0)
        self.assertAlmostEqual(angle[-1], 2 * math.pi)
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:1"), 0, "Sweeps A from 0 to 1 rad")
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:360m:5"), 2, "is in m, but an angle is expected")
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:2*pi:5"), 2, "'2*pi' is not a number")
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A=0:1:1"), 2, "whole number from 2")
        # The rocker turns back where crank and coupler lie upon each other: |AC| = 0.45 - 0.1 m.
        dead = math.pi - math.acos((0.4**2 + 0.3**2 - 0.35**2) / (2 * 0.4 * 0.3))
        result = self.trammel("solve", "kinematics", path, "--drive", "D=1.5:3:50", "--json")
        self.expect(result, 0)
        (singular,) = json.loads(result.stdout)["singular"]
        self.assertAlmostEqual(singular["driven_value"], dead, delta=1e-8)
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "D=1.5:3:50"), 0, f"at D = {dead:.9g}")
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "A"), 2, "--drive", "NAME=FROM:TO:COUNT")
        self.expect(self.trammel("solve", "kinematics", path, "--drive", "AA=0:1"), 2, "'AA'", "swept")

    def test_a_driver_that_jumps_is_told(self):
        jump = PENDULUM.replace("simulate:", "drivers: {motor: {angle: rod, equals: \"if(t < 0.5, 0, 1)\"}}\nsimulate:")
        result = self.trammel("solve", "inverse", self.model(jump))
        self.expect(result, 3, "driver 'motor' jumps at t = 0.", "step(t, 1, 0, 1.1, 2)")

    def test_a_driver_whose_speed_jumps_is_told(self):
        kink = PENDULUM.replace("simulate:", "drivers: {motor: {angle: rod, equals: \"max(0, t - 0.5)\"}}\nsimulate:")
        told = self.solved("inverse", self.model(kink), "--duration", "1", "--rows", "7")
        self.assertEqual([one["driver"] for one in told["jumps"]], ["motor"])
        self.assertAlmostEqual(told["jumps"][0]["t"], 0.5, places=12)
        self.expect(self.trammel("solve", "inverse", self.model(kink)), 0, "At t = 0.5 s the speed that 'motor' asks for jumps")
        smooth = kink.replace("max(0, t - 0.5)", "max(0, t - 0.5)^2")
        self.assertEqual(self.solved("inverse", self.model(smooth), "--rows", "7")["jumps"], [])

    def test_idle_drivers_leave_efforts_unique(self):
        two = PENDULUM.replace("simulate:", "drivers: {one: {angle: rod, equals: t}, two: {angle: rod, equals: t}}\nsimulate:")
        self.assertIn("one.effort", self.solved("inverse", self.model(two), "--rows", "3")["not_unique"])
        self.assertEqual(self.solved("inverse", self.model(two), "--rows", "3", "--idle", "two")["not_unique"], [])

    def test_efforts_of_a_measured_motion(self):
        # A rod of 3 kg and 2 m that a motor swings as a file says: I α + m g l cos θ, I = m L²/3 = 4. The filter and the spline
        # through samples of 100 Hz change a motion of 0.5 Hz by less than 1e-4.
        w = math.pi
        (self.folder / "swing.csv").write_text("t,angle\n" + "".join(f"{k / 100},{0.3 * math.sin(w * k / 100)}\n" for k in range(401)))
        model = self.model("trammel: 1\nplane: xy\ngravity: [0, -9.81]\npoints: {O: {at: [0, 0], on: ground}, A: [2, 0]}\n"
                           "bodies: {rod: {rod: [O, A], mass: 3}}\nfunctions: {swing: {file: swing.csv, columns: [t, angle], filter: 8 Hz}}\n"
                           "drivers: {motor: {angle: rod, equals: swing(t)}}\nsimulate: {duration: 4 s}\n")
        told = self.solved("inverse", model, "--rows", "40")
        effort = told["columns"].index("motor.effort")
        for t, row in list(zip(told["times"], told["rows"]))[5:-5]:
            angle = 0.3 * math.sin(w * t)
            self.assertAlmostEqual(row[effort], -4 * w * w * angle + 3 * 9.81 * math.cos(angle), delta=4e-3, msg=t)

    def test_a_cloud_of_points_in_space_has_its_shape(self):
        # Two axes at right angles, 1 m apart, and the point 0.4 m from the second: a torus.
        arm = ("trammel: 1\nbodies:\n  base: {mass: 1, inertia: [1, 1, 1]}\n  arm: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], points: {tip: [0.4, 0, 0]}}\n"
               "joints:\n  pan: {revolute: [base, ground], at: [0, 0, 0], axis: [0, 0, 1]}\n  tilt: {revolute: [arm, base], at: [1, 0, 0], axis: [0, 1, 0]}\n")
        told = self.solved("workspace", self.model(arm), "--point", "arm.tip")
        self.assertEqual([told["freedoms"], told["covered"], told["area"]], [2, True, None])
        self.assertGreater(len(told["points"]), 500)
        for x, y, z in told["points"]:
            self.assertAlmostEqual((math.hypot(x, y) - 1) ** 2 + z * z, 0.16, places=9)

    def test_an_equilibrium_in_which_motions_cross_is_told(self):
        crossing = MODELS / "joli-slider-crank.yaml"
        found = self.solved("equilibrium", crossing)["equilibria"][0]
        self.assertEqual([found["singular"], found["kind"]], [True, "unstable"])
        self.expect(self.trammel("solve", "equilibrium", crossing), 0, "motions cross here")
        self.expect(self.trammel("solve", "modes", crossing), 2, "singular position", "--at stable")

    def test_the_crank_is_held(self):
        for coordinates in ("natural", "reference", "relative"):
            found = self.solved("positions", MODELS / "four-bar.yaml", "--coordinates", coordinates)
            self.assertEqual([one.split(" = ")[0] for one in found["held"]], ["A.angle"], coordinates)
            door = self.solved("positions", MODELS / "door.yaml", "--coordinates", coordinates)
            self.assertEqual([one.split(" = ")[0] for one in door["held"]], ["lower.angle"], coordinates)

    def test_pages_have_what_their_analyses_tell(self):
        page = self.folder / "page.html"
        four_bar = MODELS / "four-bar.yaml"
        for words, told in ((["kinematics", four_bar, "--curve", "P"], ["Held", "A.angle = ", "Curve of P"]),
                            (["kinematics", four_bar, "--drive", "crank=0:1"], ["Sweeps crank from 0 to 1 rad"]),
                            (["positions", four_bar], ["Held", "A.angle = "]),
                            (["equilibrium", MODELS / "double-pendulum.yaml"], ["Places of the centres of mass", "least stiffness over mass", "Reactions in equilibrium 1"]),
                            (["inverse", four_bar, "--hold", "--rows", "3"], ["Held", "A.angle = "]),
                            (["modes", self.model(OSCILLATOR), "--vary", "k=50:60:3"],
                             ["Frequencies over k", "Real parts of eigenvalues over k", "Eigenvalues over k"])):
            self.expect(self.trammel("solve", *words, "--report", page), 0)
            self.read_page(page)
            for one in told:
                self.assertIn(one, page.read_text(), words)

    def test_a_workspace_with_stops_has_its_area(self):
        sliders = ("trammel: 1\nplane: xy\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
                   "joints: {x: {prismatic: [a, ground], at: [0, 0], axis: [1, 0]}, y: {prismatic: [b, a], at: [0, 0], axis: [0, 1]}}\n"
                   "stops: {l: {joint: x, lower: -1, upper: 1}, u: {joint: y, lower: -0.5, upper: 0.5}}\n")
        for spacing in ("0.1", "0.15", "0.3"):
            told = self.solved("workspace", self.model(sliders), "--point", "b.com", "--spacing", spacing)
            self.assertAlmostEqual(told["area"], 2, delta=max(1e-9, told["area_error"]), msg=spacing)
            self.assertLess(told["area_error"], 4e-3)

    def test_a_workspace_shows_how_far_it_is_and_is_kept_when_interrupted(self):
        free = "trammel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], points: {tip: [1, 0, 0]}}}\n"
        ours, terminal = pty.openpty()
        words = ["solve", "workspace", self.model(free), "--point", "a.tip", "--spacing", "0.05", "--samples", "10000000", "--json"]
        process = subprocess.Popen([TRAMMEL, *words], stdout=subprocess.PIPE, stderr=terminal)
        os.close(terminal)
        said = b""
        while b"positions" not in said:
            said += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        found = json.loads(process.communicate(timeout=100)[0])
        said += os.read(ours, 4096)
        os.close(ours)
        self.assertEqual(process.returncode, 3, said)
        self.assertRegex(said.decode(), r"interrupted after \d+ positions")
        self.assertTrue(found["interrupted"])
        self.assertIsNone(found["area"])
        self.assertGreater(len(found["points"]), 0)

    def test_what_goes_anywhere_has_no_area(self):
        free = "trammel: 1\nplane: xy\nbodies: {puck: {mass: 1, inertia: 1}}\n"
        told = self.solved("workspace", self.model(free), "--samples", "400")
        self.assertEqual([told["area"], told["covered"]], [None, False])
        self.expect(self.trammel("solve", "workspace", self.model(free), "--samples", "400"), 0, "the area is not known", "stops")

    def test_every_analysis_writes_results_and_a_page(self):
        model = MODELS / "driven-slider-crank.yaml"
        for words in (["positions", model], ["kinematics", model, "--rows", "9"], ["inverse", model, "--rows", "9"],
                      ["workspace", MODELS / "double-pendulum.yaml", "--samples", "300"], ["equilibrium", MODELS / "double-pendulum.yaml"],
                      ["equilibrium", MODELS / "truss.yaml", "--along", "P=0:30"],
                      ["modes", self.model(OSCILLATOR), "--response", "0.1:10", "--vary", "k=50:60:2"]):
            with self.subTest(words=words):
                out = self.folder / "-".join(word for word in words[::2] if isinstance(word, str))
                self.expect(self.trammel("solve", *words, "--out", out), 0, "Results:")
                for name in ("results.h5", "results.csv", "report.html"):
                    self.assertGreater((out / name).stat().st_size, 0)
                self.assertIn(b"HDF", (out / "results.h5").read_bytes()[:8])
        self.assertEqual(len((self.folder / "modes---response---vary" / "response.csv").read_text().splitlines()), 601)
        self.expect(self.trammel("check", self.folder / "kinematics---rows" / "results.h5"), 0)

    def test_a_response_is_told_in_words(self):
        # The peak of 1/(k − mω² + icω): mω² = k − c²/(2m), gain 1/(c √(k/m − c²/(4m²)))
        m, k, c = 2, 50, 3
        told = self.trammel("solve", "modes", self.model(OSCILLATOR), "--response", "0.1:10")
        self.expect(told, 0, "Frequency response from 0.1 to 10 Hz", "F → x", "lowest", "highest")
        line = next(one for one in told.stdout.splitlines() if "resonance" in one).split()
        self.assertAlmostEqual(float(line[-3]), math.sqrt(k / m - c * c / (2 * m * m)) / (2 * math.pi), places=5)
        self.assertAlmostEqual(float(line[-2]), 1 / (c * math.sqrt(k / m - c * c / (4 * m * m))), places=6)

    def test_a_workspace_has_points_and_an_area(self):
        found = self.solved("workspace", MODELS / "double-pendulum.yaml")
        self.assertAlmostEqual(found["area"], 4 * math.pi, delta=2e-3)
        self.assertEqual(len(found["points"]), len(found["branches"]))
        self.expect(self.trammel("solve", "workspace", MODELS / "heavy-top.yaml", "--samples", "50"), 0, "raise --samples")
        self.expect(self.trammel("solve", "workspace", MODELS / "bayo-pendulum.yaml"), 2, "no points")

    def test_inverse_tells_efforts_or_what_is_not_driven(self):
        found = self.solved("inverse", MODELS / "driven-slider-crank.yaml", "--rows", "10")
        self.assertIn("motor.effort", found["columns"])
        self.assertEqual(len(found["rows"]), 11)
        self.expect(self.trammel("solve", "inverse", MODELS / "four-bar.yaml"), 2, "nothing drives", "--hold")
        self.expect(self.trammel("solve", "inverse", MODELS / "four-bar.yaml", "--weight", "motor"), 2, "DRIVER=W")
        held = self.solved("inverse", MODELS / "double-pendulum.yaml", "--hold", "--rows", "2")
        self.assertEqual(len(held["held"]), 2)

    def test_a_pendulum_hangs_or_stands(self):
        found = self.solved("equilibrium", self.model(PENDULUM), "--starts", "30")["equilibria"]
        self.assertEqual([one["stable"] for one in found], [True, False])
        for key in ("residual", "bodies", "reactions", "potential"):
            self.assertIn(key, found[0])
        self.assertAlmostEqual(found[0]["bodies"]["rod"]["y"], -0.5, places=12)
        self.assertAlmostEqual(found[0]["reactions"]["O"]["loads"][0]["force"][1], 9.81, places=9)
        self.expect(self.trammel("solve", "equilibrium", self.model(PENDULUM), "--stable"), 0, "stable, potential energy -4.905 J")

    def test_bodies_stand_as_drawn(self):
        welded = "trammel: 1\nplane: xy\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {w: {fixed: [b, ground]}}\n"
        for text in (welded, welded.replace("plane: xy\n", "").replace("inertia: 1", "inertia: [1, 1, 1]")):
            self.assertEqual(len(self.solved("positions", self.model(text), "--all")["branches"]), 1)
        self.assertEqual(len(self.solved("positions", self.model(SLIDER_CRANK), "--all")["branches"]), 2)

    def test_a_row_on_a_dead_position_is_left_out(self):
        told = self.solved("kinematics", self.model(SLIDER_CRANK), "--duration", "0.6", "--rows", "3")
        self.assertEqual(len(told["singular"]), 1)
        self.assertAlmostEqual(told["singular"][0]["t"], 0.6, places=8)
        self.assertEqual([round(t, 9) for t in told["times"]], [0, 0.2, 0.4])

    def test_a_path_ends_where_the_model_cannot_have_the_value(self):
        path = self.model(PENDULUM.replace("bodies:", "parameters: {L: 1 m}\nbodies:").replace("mass: 1 kg", "mass: 1 kg, length: L"))
        self.expect(self.trammel("solve", "equilibrium", path, "--along", "L=1:-1"), 2, "equilibria from L = 1", "give a positive length")
        self.expect(self.trammel("solve", "equilibrium", path, "--along", "L=-1:1"), 2, "give a positive length")
        self.expect(self.trammel("solve", "equilibrium", path, "--csv", "x.csv"), 2, "--along")

    def test_reactions_at_rest_know_no_motion_of_drivers(self):
        arm = ("trammel: 1\nplane: xy\ngravity: [0, -10]\nparameters: {p: 0}\n"
               "bodies: {arm: {mass: 2, inertia: 0.1, com: [0.5, 0]}}\njoints: {pin: {revolute: [arm, ground], at: [0, 0]}}\n"
               "drivers: {motor: {joint: pin, equals: p + 3*t + 2*t^2}}\n")
        reactions = self.solved("equilibrium", self.model(arm))["equilibria"][0]["reactions"]
        self.assertAlmostEqual(reactions["motor"]["effort"], 10, places=9)
        self.assertAlmostEqual(reactions["pin"]["loads"][0]["force"][1], 20, places=9)
        path = self.solved("equilibrium", self.model(arm), "--along", "p=0:1")["path"]
        angle, effort = (path["columns"].index(name) for name in ("pin.angle", "motor.effort"))
        for row in path["rows"]:
            self.assertAlmostEqual(row[effort], 10 * math.cos(row[angle]), places=9)

    def test_what_falls_has_no_equilibrium(self):
        falling = "trammel: 1\nplane: xy\ngravity: [0, -9.81]\nbodies: {stone: {mass: 1, inertia: 1}}\n"
        self.expect(self.trammel("solve", "equilibrium", self.model(falling)), 3, "no equilibrium was found: nothing balances the applied forces")

    def test_what_turns_steadily_is_referred_to_the_modes(self):
        self.expect(self.trammel("solve", "equilibrium", MODELS / "flyball-governor.yaml"), 3,
                    "'trammel solve modes' looks for a steady motion")

    def test_a_path_over_a_parameter_that_changes_nothing_says_so(self):
        spring = OSCILLATOR.replace("{k: 50}", "{k: 50, idle: 3, x0: 0.1}").replace("damping: 3", "free: x0")
        told = "nothing depends on idle: every point is the same equilibrium"
        self.expect(self.trammel("solve", "equilibrium", self.model(spring), "--along", "idle=1:2"), 0, told)
        for along in ("x0=0:1e-6", "k=50:60"):
            moved = self.trammel("solve", "equilibrium", self.model(spring), "--along", along)
            self.expect(moved, 0, "stable from")
            self.assertNotIn("nothing depends on", moved.stdout)

    def test_a_position_beyond_a_stop_is_told(self):
        stopped = PENDULUM.replace("simulate:", "stops: {wall: {joint: O, lower: -0.5}}\nsimulate:")
        self.expect(self.trammel("solve", "equilibrium", self.model(stopped), "--stable"), 0, "Beyond the limit of: wall")

    def test_a_truss_snaps_through(self):
        csv, page = self.folder / "truss.csv", self.folder / "truss.html"
        path = self.solved("equilibrium", MODELS / "truss.yaml", "--along", "P=0:100", "--csv", csv, "--report", page)["path"]
        L0 = math.sqrt(1.16)
        L = L0 ** (1 / 3)
        most = 2000 * math.sqrt(L * L - 1) * (L0 / L - 1)
        self.assertTrue(path["complete"])
        self.assertEqual(len(path["limits"]), 2)
        self.assertAlmostEqual(path["limits"][0], most, places=7)
        self.assertEqual(path["rows"][-1][0], 100)
        self.assertEqual(len(csv.read_text().splitlines()), len(path["rows"]) + 1)
        parser = self.read_page(page)
        self.assertIn("limit point at P = 22.8437663 N", parser.text)
        self.assertIn("P [N]", parser.text)
        self.assertTrue(csv.read_text().startswith("P [N],"))
        self.assertEqual(path["units"][0], "N")
        for words, told in ((["--along", "P=1"], "NAME=FROM:TO"), (["--along", "Q=0:1"], "no parameter 'Q'"),
                            (["--along", "P=0:9", "--over", "moon"], "no column 'moon'")):
            self.expect(self.trammel("solve", "equilibrium", MODELS / "truss.yaml", *words), 2, told)

    def test_a_column_buckles(self):
        column = self.model("trammel: 1\nplane: xy\nparameters: {P: 0, k: 50}\npoints: {O: {at: [0, 0], on: ground}, A: [0, 1]}\n"
                            "bodies: {col: {rod: [O, A], mass: 1}}\n"
                            "forces:\n  hinge: {joint-spring: O, stiffness: k, free: pi/2}\n  load: {force: [0, -P], at: A}\n")
        page = self.folder / "column.html"
        path = self.solved("equilibrium", column, "--along", "P=0:100", "--report", page)["path"]
        self.assertEqual(len(path["changes"]), 1)
        self.assertAlmostEqual(path["changes"][0], 50, places=6)
        told = self.read_page(page).text
        for words in ("Change of stability", "P = 50", "unstable after it", "Least stiffness over P", "does not move along this path"):
            self.assertIn(words, told)
        self.expect(self.trammel("solve", "equilibrium", column, "--along", "P=0:100"), 0, "the stability changes at P = 50", "unstable after it")
        self.expect(self.trammel("solve", "equilibrium", column, "--along", "P=0:100", "--points", "4"), 3, "after 4 points", "--points")
        self.expect(self.trammel("solve", "equilibrium", column, "--starts", "5", "--seed", "7"), 0, "of 5 random positions", "leaves out 'load'")
        self.expect(self.trammel("solve", "equilibrium", column, "--seed", "7"), 2, "--starts")

    def test_modes_of_an_oscillator(self):
        told = self.solved("modes", self.model(OSCILLATOR))
        self.assertEqual(len(told["modes"]), 1)
        mode = told["modes"][0]
        w0 = math.sqrt(25)
        self.assertAlmostEqual(mode["damping_ratio"], 3 / (2 * 2 * w0), places=10)
        self.assertAlmostEqual(mode["frequency_hz"], w0 * math.sqrt(1 - 0.15**2) / (2 * math.pi), places=10)
        self.assertAlmostEqual(mode["eigenvalue"][1], 2 * math.pi * mode["frequency_hz"], places=10)
        self.assertEqual(len(mode["shape"]["block"]), 6)
        self.assertEqual(told["inputs"], ["F"])

    def test_response_and_varied_parameter(self):
        path, page = self.model(OSCILLATOR), self.folder / "modes.html"
        told = self.solved("modes", path, "--response", "0.1:10", "--vary", "k=50:200:4", "--report", page)
        G = told["response"][0]
        for f, re, im in zip(told["frequencies_hz"], G["real"], G["imaginary"]):
            w = 2 * math.pi * f
            self.assertAlmostEqual(complex(re, im), 1 / complex(50 - 2 * w * w, 3 * w), places=10)
        self.assertEqual([one["value"] for one in told["varied"]], [50, 100, 150, 200])
        self.assertAlmostEqual(abs(complex(*told["varied"][3]["modes"][0]["eigenvalue"])), 10, places=9)
        parser = self.read_page(page)
        for words in ("Frequency response", "Frequencies over k", "Eigenvalues over k"):
            self.assertIn(words, parser.text)

    def test_matrices_for_other_programs(self):
        path, folder = self.model(OSCILLATOR), self.folder
        for ending in ("mat", "h5", "csv"):
            self.expect(self.trammel("solve", "modes", path, "--matrices", folder / f"m.{ending}"), 0, f"m.{ending}")
        self.assertIn("# A: 2 x 2\n", (folder / "m.csv").read_text())
        A = [[0, 1], [-25, -1.5]]
        try:
            import h5py
            import numpy
            import scipy.io
        except ImportError:
            self.skipTest("SciPy or h5py is not installed")
        for read in (scipy.io.loadmat(folder / "m.mat"), h5py.File(folder / "m.h5")):
            self.assertLess(numpy.abs(read["A"][:] - A).max(), 1e-10)
            self.assertEqual(read["B"].shape, (2, 1))
        self.expect(self.trammel("solve", "modes", path, "--matrices", folder / "m.txt"), 2, ".mat, .h5 or .csv")

    def test_wrong_words(self):
        path = self.model(PENDULUM)
        self.expect(self.trammel("solve", "modes", path, "--vary", "k"), 2, "--vary", "NAME=FROM:TO:COUNT")
        self.expect(self.trammel("solve", "modes", path, "--vary", "k=1:2:3"), 2, "no parameter 'k'")
        self.expect(self.trammel("solve", "modes", path, "--response", "5:1"), 2, "--response", "in Hz")
        self.expect(self.trammel("solve", "modes", path, "--response", "1:5"), 2, "inputs:", "outputs:")
        self.expect(self.trammel("solve", "modes", path, "--at", "top"), 2, "--at")
        self.expect(self.trammel("solve", "modes", path, "--at", "start"), 2, "accelerates")

    def test_every_model_has_an_answer_or_a_reason(self):
        for path in sorted([*MODELS.glob("*.yaml"), *MODELS.glob("*/*.yaml")]):
            for words in (["positions"], ["kinematics", "--rows", "5"], ["inverse", "--rows", "5"], ["workspace", "--samples", "60"],
                          ["equilibrium"], ["modes"]):
                with self.subTest(model=path.name, analysis=words):
                    result = self.trammel("solve", words[0], path, *words[1:])
                    self.assertIn(result.returncode, (0, 2, 3), result.stderr)
                    self.assertTrue(result.stdout if result.returncode == 0 else result.stderr)
                    self.assertNotIn("defect", result.stderr)
                    self.assertNotIn("step", result.stderr)


if __name__ == "__main__":
    main()
