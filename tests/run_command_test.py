#!/usr/bin/env python3
"""`trammel run` as a person meets it: exit status, messages, files. Usage: run_command_test.py TRAMMEL SOURCE_DIR"""
import base64
import csv
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import time

from command_line import MODELS, PENDULUM, TRAMMEL, CommandLine, main


class Run(CommandLine):
    def test_misspelt_commands_and_options_get_the_nearest_name(self):
        model = self.model(PENDULUM)
        self.expect(self.trammel("rn", model), 2, "there is no command 'rn'; did you mean 'run'?")
        self.expect(self.trammel("run", model, "--tolerence", "1e-6"), 2,
                    "there is no option '--tolerence'; did you mean '--tolerance'?")
        self.expect(self.trammel("run", model, "--zzzzzzzz"), 2, "'trammel run --help' lists them")
        self.expect(self.trammel("run", model, "another.yaml"), 2, "'another.yaml' is one word too many")

    def test_recover_takes_the_log_itself(self):
        self.expect(self.trammel("run", self.model(PENDULUM), "--out", "out"), 0)
        (self.folder / "out/results.h5").unlink()
        self.expect(self.trammel("recover", "out/results.log"), 0, "101 rows recovered")
        self.assertTrue((self.folder / "out/results.h5").exists())

    def test_a_summary_names_what_reactions_lack(self):
        model = self.model(PENDULUM + "forces: {motor: {torque: 3, on: rod}}\n")
        self.expect(self.trammel("run", model, "--out", "out"), 0, "reactions lack        the counter-torque of 'motor'")
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual(summary["reactions"]["without"], ["the counter-torque of 'motor', which acts on 'rod' alone"])

    def test_run_and_check_say_that_bearings_lack_the_force_of_teeth(self):
        gears = """\
trammel: 1
name: pair
plane: xy
bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1, at: [3, 0]}}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  B: {revolute: [b, ground], at: [3, 0]}
  teeth: {gear: [A, B], ratio: 2}
simulate: {duration: 0.1 s, step: 10 ms}
"""
        rack = """\
trammel: 1
name: rack
plane: xy
points: {O: {at: [0, 0], on: ground}}
bodies: {wheel: {mass: 1, inertia: 0.1, carries: [O]}, bar: {mass: 1, inertia: 0.1, at: [0, 1]}}
joints:
  slide: {prismatic: [bar, ground], axis: [1, 0]}
  teeth: {rack: [O, slide], radius: 1}
simulate: {duration: 0.1 s, step: 10 ms}
"""
        for text, lacks in ((gears, "the force of gear 'teeth' on its bearings, which a gear-pair has"),
                            (rack, "the force of rack 'teeth' on its bearings, which a rack-pair has")):
            model = self.model(text)
            for command in (("run", model, "--out", "out"), ("check", model)):
                self.expect(self.trammel(*command), 0, f"  reactions lack        {lacks}\n")
            summary = json.loads((self.folder / "out/summary.json").read_text())
            self.assertEqual(summary["reactions"]["without"], [lacks])
            told = json.loads(self.trammel("check", model, "--json").stdout)
            self.assertEqual(told["reactions_without"], [lacks])
        # So does the line of the peak.
        heavy = gears.replace("plane: xy", "plane: xy\ngravity: [0, -10]")
        self.expect(self.trammel("run", self.model(heavy), "--out", "out"), 0,
                    "  peak reaction         10 N (without tooth forces) at '")
        self.assertEqual(json.loads((self.folder / "out/summary.json").read_text())["peak_reaction"]["without"], "tooth forces")
        # A pair of gears loads its bearings.
        pair = self.model(heavy.replace("gear: [A, B], ratio: 2", "gear-pair: [a, b], radii: [2, 1]"))
        for command in (("run", pair), ("check", pair)):
            said = self.trammel(*command).stdout
            self.assertNotIn("reactions lack", said)
            self.assertNotIn("without tooth forces", said)

    def test_run_and_check_say_that_a_body_has_the_shape_of_rough_places(self):
        # Rods have their lengths; a body that carries points has the shape of their first places.
        linkage = """\
trammel: 1
name: linkage
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [0, 1.01], B: [1, 1.02], C: {at: [1, 0], on: ground}}
bodies:
  left: {rod: [O, A], mass: 1, length: 1}
  top: {mass: 1, inertia: 0.1, at: A, carries: [A, B]}
  right: {rod: [C, B], mass: 1, length: 1}
simulate: {duration: 0.01 s, step: 1 ms}
"""
        says = ("  rough shapes          top: assembly moved points that they carry, and their shape is still that of the first "
                "places; give these exactly, or as points of the body\n")
        rough, exact = self.model(linkage), self.model(linkage.replace(
            "carries: [A, B]", "carries: {A: [0, 0], B: [1, 0]}"), "exact.yaml")
        for command in (("run", rough, "--out", "out"), ("check", rough)):
            # B moves by about 2 cm, from the end of the upright rod 1.02 m away to that of its length.
            self.expect(self.trammel(*command), 0, says, "  assembly              moved points by up to 0.0")
        for assembly in (json.loads((self.folder / "out/summary.json").read_text())["assembly"],
                         json.loads(self.trammel("check", rough, "--json").stdout)["assembly"]):
            self.assertEqual(assembly["rough_shapes"], ["top"])
            self.assertTrue(0.01 < assembly["largest_move"] < 0.05, assembly)
        for command in (("run", exact), ("check", exact)):
            result = self.trammel(*command)
            self.expect(result, 0)
            self.assertNotIn("rough shapes", result.stdout)

    def test_run_writes_results_and_a_summary(self):
        result = self.trammel("run", self.model(PENDULUM), "--csv", "--out", "out")
        self.expect(result, 0, "degrees of freedom    1", "redundant constraints 0", "largest violation", "energy",
                    "peak reaction", "times real time", "out/results.h5")
        self.assertEqual(result.stderr, "")
        summary = json.loads((self.folder / "out/summary.json").read_text())
        for key in ("status model coordinates formulation integrator unknowns constraints degrees_of_freedom "
                    "redundant_constraints steps rejected_steps marked_steps iterations violation marked_violation "
                    "energy reactions wall_seconds simulated_seconds").split():
            self.assertIn(key, summary)
        self.assertEqual(summary["status"], "limited")  # by steps of 10 ms
        self.assertEqual(summary["steps"], 100)
        self.assertEqual((summary["reactions"]["unique"], summary["reactions"]["not_unique"]), (True, []))
        self.assertEqual(set(summary["violation"]), {"position", "velocity", "acceleration"})
        self.assertLess(summary["violation"]["position"], 1e-10)
        error = summary["error"]
        # Steps of 10 ms leave an error of a few millimetres: less would be a second run that is no other one.
        self.assertTrue(1e-4 < error["position"] < 1e-2, error)
        # The rod swings at 4 rad/s, and its weight of 9.81 N turns with it: errors grow by no more than these.
        self.assertTrue(1e-4 < error["velocity"] < 5e-2, error)
        self.assertTrue(1e-3 < error["reaction"] < 0.5, error)
        self.assertEqual(error["reference"], "second run: steps of 0.00382 s and 0.00618 s")
        # The swing is 1 m wide, and known to a thousandth of that until some row before the last.
        self.assertTrue(0 < error["known_until"]["position"] < 1, error)
        self.assertGreater(error["position"], 1e-3)
        with open(self.folder / "out/results.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0][0], "t [s]")
        for column in ("rod.x [m]", "rod.angle [rad]", "A.x [m]", "O.angle [rad]", "O.force.x [N]", "O.torque.z [N.m]",
                       "reactions.unique", "energy.kinetic [J]"):
            self.assertIn(column, rows[0])
        self.assertEqual(len(rows), 102)
        # T + V is the initial 0 J but for the rule's error
        kinetic, potential = (float(rows[-1][rows[0].index(f"energy.{k} [J]")]) for k in ("kinetic", "potential"))
        self.assertAlmostEqual(kinetic + potential, 0, delta=2e-3)

    def test_a_run_that_is_known_to_its_end_has_no_time_until_which_it_is_known(self):
        self.expect(self.trammel("run", self.model(PENDULUM), "--tolerance", "1e-6", "--out", "out"), 0, "pendulum: ok")
        error = json.loads((self.folder / "out/summary.json").read_text())["error"]
        self.assertEqual(error["reference"], "second run: tolerance 1e-07")
        self.assertTrue(all(t is None for t in error["known_until"].values()), error)
        self.expect(self.trammel("run", self.model(PENDULUM), "--verify", "off", "--csv", "--out", "off"), 0, "not estimated")
        self.assertIsNone(json.loads((self.folder / "off/summary.json").read_text())["error"])
        self.assertFalse((self.folder / "off/errors.csv").exists())

    def test_errors_have_the_columns_and_rows_of_the_results(self):
        self.expect(self.trammel("run", self.model(PENDULUM), "--csv", "--out", "out"), 0)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        with open(self.folder / "out/results.csv", newline="") as file:
            results = list(csv.reader(file))
        with open(self.folder / "out/errors.csv", newline="") as file:
            errors = list(csv.reader(file))
        header = results[0]
        self.assertEqual(errors[0], header)
        self.assertEqual([row[0] for row in errors], [row[0] for row in results])
        self.assertEqual({len(row) for row in errors}, {len(header)})
        # What a second run cannot tell has no errors: counts, residuals, whether reactions are unique.
        unknown = {name for k, name in enumerate(header) if all(row[k] == "" for row in errors[1:])}
        self.assertEqual(unknown, {"reactions.unique", "violation.position", "violation.velocity", "violation.acceleration",
                                   "iterations", "marked"})
        # The summary has the largest of each unit, to the bit, and says where it is.
        for kind, unit in (("position", "m"), ("angle", "rad"), ("velocity", "m/s"), ("reaction", "N"), ("energy", "J")):
            columns = [k for k, name in enumerate(header) if name.endswith(f" [{unit}]")]
            largest = max(float(row[k]) for row in errors[1:] for k in columns)
            self.assertEqual(summary["error"][kind], largest, kind)
            where = summary["error"]["largest"][kind]
            row = next(row for row in errors[1:] if float(row[0]) == where["t"])
            self.assertEqual(float(row[header.index(f"{where['column']} [{unit}]")]), largest, kind)

    def test_run_writes_a_report_that_needs_nothing_else(self):
        result = self.trammel("run", self.model(PENDULUM), "--out", "out")
        if "built without its pages" in result.stdout:
            self.assertFalse((self.folder / "out/report.html").exists())
            self.skipTest("this program was built without its pages")
        self.expect(result, 0, "out/report.html")
        report = (self.folder / "out/report.html").read_text()
        self.assertIn("<title>pendulum</title>", report)
        self.assertNotRegex(report, r"<(script|link|img)[^>]*(src|href)=")
        data = json.loads(re.search(r'<script type="application/json" id="run">(.*?)</script>', report, re.S)[1])
        self.assertEqual((data["rows"], data["every"]), (101, 1))
        values = struct.unpack(f"<{101 * len(data['channels'])}f", base64.b64decode(data["values"]))
        column = [c["name"] for c in data["channels"]].index("t")
        self.assertAlmostEqual(values[101 * column + 100], 1, delta=1e-6)  # float32
        self.assertEqual(data["model"], PENDULUM)

    def test_the_double_four_bar_says_which_steps_are_marked(self):
        result = self.trammel("run", MODELS / "double-four-bar.yaml", "--out", "out")
        self.expect(result, 0, "10 s computed")
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertAlmostEqual(summary["energy"]["max_drift"], 0.0917, delta=5e-4)
        if summary["status"] == "marked":
            self.assertIn("weaker criterion", result.stderr)
            for mark in summary["marked_steps"]:
                self.assertEqual(set(mark), {"t", "reason", "joint"})
            self.expect(self.trammel("run", MODELS / "double-four-bar.yaml", "--out", "strict", "--strict"), 3, "--strict",
                        "is in 'strict'")
            self.expect(self.trammel("run", MODELS / "double-four-bar.yaml", "--set", "simulate.strict=true"), 3)

    def test_quiet_prints_nothing(self):
        result = self.trammel("run", self.model(PENDULUM), "--quiet", "--out", "out")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_settings_and_options_change_the_model(self):
        path = self.model(PENDULUM)
        for extra, status, words in [
            (["--set", "bodies.rod.mass=2"], 0, ["limited", "known until", "second run: steps of 0.00382 s and 0.00618 s"]),
            (["--set", "bodies.rod.mas=2"], 2, ["mas", "mass"]),
            (["--set", "bodies.rod.mass=-2"], 2, ["mass"]),
            (["--set", "bodies.rod.mass"], 2, ["bodies.rod.mass"]),
            (["--step", "0.02"], 0, ["50 of 0.02 s"]),
            (["--step", "-1"], 2, ["step"]),
            (["--duration", "0"], 2, ["duration"]),
            (["--duration", "2"], 0, ["200 of"]),
            (["--integrator", "hht", "--step", "0.0005"], 0, ["pendulum: ok"]),
            (["--verify", "off"], 0, ["pendulum: ok"]),
            (["--verify", "maybe"], 2, ["verify", "on, off"]),
            (["--accuracy", "0.1"], 0, ["pendulum: ok"]),
            (["--accuracy", "-1"], 2, ["accuracy"]),
            (["--integrator", "rk5"], 2, ["rk5", "trapezoidal"]),
            (["--formulation", "magic"], 2, ["magic", "augmented-lagrangian-index3"]),
            (["--coordinates", "polar"], 2, ["polar", "natural"]),
        ]:
            with self.subTest(extra=extra):
                self.expect(self.trammel("run", path, "--out", "out", *extra), status, *words)

    def test_options_are_keys_of_the_model_and_read_as_these(self):
        path = self.model(PENDULUM)
        number = {"abc": "'abc' is neither a number nor a parameter; give a number", "-1": "'-1' is not positive",
                  "1e-400": "outside the range 1e-308 to 1e308", "nan": "not a finite number", "2 kg": "'2 kg' is in kg"}
        choice = {"lagrnge": "there is no 'lagrnge'", "{": ""}
        wrong = [("duration", number), ("step", number), ("tolerance", number), ("formulation", choice),
                 ("integrator", choice), ("coordinates", choice)]
        for key, values in wrong:
            for value, words in values.items():
                with self.subTest(key=key, value=value):
                    option = self.trammel("run", path, f"--{key}={value}")
                    self.expect(option, 2, f"--{key}={value}: ", words)
                    setting = self.trammel("run", path, "--set", f"simulate.{key}={value}")
                    self.assertEqual(setting.stderr.replace("--set simulate.", "--"), option.stderr)
        for option, near in (("--formulation=lagrnge", "lagrange"), ("--integrator=dopri", "dopri5"),
                             ("--coordinates=relativ", "relative")):
            for command in (["run"], ["check"], ["solve", "stability"], ["view", "--no-browser"]):
                self.expect(self.trammel(*command, path, option), 2, f"did you mean '{near}'?")
        for option, near in (("--formulation=lagrnge", "lagrange"), ("--integrator=dopri", "dopri5")):
            self.expect(self.trammel("compare", path, option), 2, f"did you mean '{near}'?")
        self.expect(self.trammel("run", self.model(PENDULUM.replace("step:", "formulation: lagrnge, step:"), "near.yaml")), 2,
                    "near.yaml:7:40", "did you mean 'lagrange'?")
        self.expect(self.trammel("run", path, "--coordinates", "generalized"), 2, "need a model that gives them")
        self.expect(self.trammel("run", path, "--step", "20 ms"), 0, "50 of 0.02 s")

    def test_a_tolerance_that_is_too_coarse_is_said_to_be_taken_as_another(self):
        words = "for tolerance 0.001, as which 0.1 is taken"
        result = self.trammel("run", self.model(PENDULUM), "--tolerance", "0.1", "--out", "out")
        self.expect(result, 0, words, "within tolerance 0.001")
        self.assertEqual(result.stdout.count("is taken"), 1)
        self.assertIn(words, json.loads((self.folder / "out/summary.json").read_text())["choice"])
        self.assertNotIn("is taken", self.trammel("run", self.model(PENDULUM), "--tolerance", "1e-3").stdout)
        # A person who names the method gets the tolerance as it is.
        self.expect(self.trammel("run", self.model(PENDULUM), "--tolerance", "0.1", "--integrator", "dopri5"), 0,
                    "within tolerance 0.1")

    def test_empty_values_are_refused(self):
        path = self.model(PENDULUM)
        commands = {("run",): "set coordinates formulation integrator step tolerance duration out",
                    ("compare",): "coordinates formulation integrator step tolerance duration report",
                    ("solve", "stability"): "step formulation", ("view", "--no-browser"): "step journal"}
        for command, options in commands.items():
            for option in options.split():
                with self.subTest(command=command, option=option):
                    self.expect(self.trammel(*command, path, f"--{option}", ""), 2, f"--{option}: needs a value")
                    # and does not take the next option for its value
                    self.expect(self.trammel(*command, path, f"--{option}=", "--json"), 2, f"--{option}: needs a value")

    def test_a_tolerance_of_less_than_rounding_is_refused(self):
        path = self.model(PENDULUM)
        self.expect(self.trammel("run", path, "--tolerance", "1e-30"), 2, "1e-14 or more: less is rounding")

    def test_a_tolerance_takes_the_place_of_a_fixed_step_however_it_is_given(self):
        def steps(text, *extra):
            result = self.trammel("run", self.model(text), "--out", "out", *extra)
            self.expect(result, 0, "within tolerance")
            return json.loads((self.folder / "out/summary.json").read_text())["steps"]
        # Order 5 takes some 15 steps for a swing at this tolerance; 100 where none is longer than 10 ms.
        option, setting = ("--tolerance", "1e-4"), ("--set", "simulate.tolerance=1e-4")
        self.assertLess(steps(PENDULUM, *option), 50)
        self.assertEqual(steps(PENDULUM, *setting), steps(PENDULUM, *option))
        for limit in (("--step", "0.01"), ("--set", "simulate.step=0.01")):
            self.assertEqual(steps(PENDULUM, *option, *limit), 100)
            self.assertEqual(steps(PENDULUM, *setting, *limit), 100)
        # Beside a tolerance of the file the step was a limit before.
        both = PENDULUM.replace("step: 10 ms", "step: 10 ms, tolerance: 1e-3")
        self.assertEqual(steps(both, *option), 100)
        self.assertEqual(steps(both, *setting), 100)
        for tolerance in (option, setting):
            self.expect(self.trammel("run", self.model(both), *tolerance, "--integrator", "rk4"), 2,
                        "tolerance: augmented-lagrangian with rk4 does not read this option", "dopri5, dop853")

    def test_bad_input_is_refused_all_at_once_with_places(self):
        text = PENDULUM.replace("mass: 1 kg", "mass: -1 kg, tint: red").replace("gravity", "gravty")
        result = self.trammel("run", self.model(text, "bad.yaml"))
        self.expect(result, 2, "bad.yaml:4:1", "gravty", "gravity", "tint", "-1")
        self.assertFalse((self.folder / "results").exists())

    def test_files_that_are_no_model(self):
        self.expect(self.trammel("run", "nowhere.yaml"), 2, "nowhere.yaml")
        (self.folder / "binary.yaml").write_bytes(b"\0\1\2trammel: 1")
        self.expect(self.trammel("run", "binary.yaml"), 2, "binary.yaml")
        self.expect(self.trammel("run", self.folder), 2)
        self.expect(self.trammel("check", self.model("", "empty.yaml")), 2, "empty.yaml")

    def test_a_mechanism_that_cannot_be_assembled(self):
        text = PENDULUM.replace("A: [1, 0]}", "A: [1, 0], B: {at: [5, 0], on: ground}}").replace(
            "bodies: {", "bodies: {far: {rod: [A, B], mass: 1, length: 2}, ")
        self.expect(self.trammel("run", self.model(text)), 3, "cannot be assembled", "stays open by")
        self.expect(self.trammel("check", self.model(text)), 3, "cannot be assembled")

    def test_a_failing_run_keeps_what_it_had(self):
        text = PENDULUM + "forces: {bad: {force: [0, 'sqrt(0.5 - t)'], at: A}}\n"
        result = self.trammel("run", self.model(text), "--out", "out", "--csv")
        self.expect(result, 3, "t = 0.5 s", "step 51", "no longer finite", "Everything up to t = 0.5 s is in 'out'")
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual(summary["status"], "failed")
        self.assertEqual(len((self.folder / "out/results.csv").read_text().splitlines()), 52)

    def test_a_run_that_is_refused_says_whose_results_are_in_the_folder(self):
        words = "still holds the results of an earlier run"
        bad = PENDULUM.replace("mass: 1 kg", "mass: -1 kg")
        self.assertNotIn(words, self.trammel("run", self.model(bad), "--out", "out").stderr)
        self.expect(self.trammel("run", self.model(PENDULUM), "--out", "out", "--quiet"), 0)
        kept = {path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}
        self.expect(self.trammel("run", self.model(bad), "--out", "out"), 2, "'out' " + words)
        open_joint = PENDULUM.replace("A: [1, 0]}", "A: [1, 0], B: {at: [5, 0], on: ground}}").replace(
            "bodies: {", "bodies: {far: {rod: [A, B], mass: 1, length: 2}, ")
        self.expect(self.trammel("run", self.model(open_joint), "--out", "out"), 3, "'out' " + words)
        # Nothing is lost by it, neither for a person nor for 'trammel recover'.
        self.assertEqual(kept, {path.name: path.read_bytes() for path in (self.folder / "out").iterdir()})
        self.expect(self.trammel("recover", "out"), 0, "101 rows recovered")

    def test_a_column_that_is_not_finite_is_named(self):
        text = PENDULUM + "outputs: {columns: {bad: sqrt(0.495 - t), fine: 2}}\n"
        result = self.trammel("run", self.model(text), "--out", "out", "--csv")
        self.expect(result, 0, "pendulum: limited", "'bad' is not a finite number from t = 0.5 s on (51 rows)")
        self.assertIn("root or logarithm", result.stderr)
        rows = list(csv.DictReader((self.folder / "out/results.csv").open()))
        self.assertEqual([row["bad"] == "" for row in rows], [i >= 50 for i in range(101)])
        self.assertTrue((self.folder / "out/report.html").exists())

    def test_a_singular_position_ends_methods_that_cannot_pass_it(self):
        # A driven parallelogram lies flat, and can leave in two ways, at t = 0.5 s.
        text = PENDULUM.replace("A: [1, 0]}", "A: [0, 1], B: [2, 1], C: {at: [2, 0], on: ground}}").replace(
            "bodies: {", "bodies: {c: {rod: [A, B], mass: 1}, d: {rod: [C, B], mass: 1}, ").replace(
            "step: 10 ms", "step: 10 ms, projection: {velocities: true}") + "drivers: {motor: {angle: rod, equals: pi/2 - pi*t}}\n"
        path = self.model(text.replace("velocities: true", "positions: true, velocities: true"))
        for formulation in ("lagrange", "baumgarte", "null-space", "independent"):
            self.expect(self.trammel("run", path, "--formulation", formulation, "--integrator", "dopri5"), 3,
                        "at t = 0.49 s", "singular position", "use augmented-lagrangian-index3", "Everything up to t = 0.49 s")
        self.expect(self.trammel("run", path), 2, "projection.positions: augmented-lagrangian-index3 with trapezoidal does not read this option")
        self.expect(self.trammel("run", self.model(text)), 0, "1 s computed")

    def test_a_killed_run_loses_nothing(self):
        path = self.model(PENDULUM.replace("duration: 1 s, step: 10 ms", "duration: 1000 s, step: 10 us")
                          + "outputs: {interval: 1 ms}\n")
        process = self.begin(path)
        end = time.monotonic() + 60
        while (self.folder / "out/results.log").stat().st_size < 100_000 and time.monotonic() < end:
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertFalse((self.folder / "out/results.h5").exists())
        result = self.trammel("recover", "out", "--csv")
        self.expect(result, 0, "rows recovered")
        # the summary of a run that did not end is in both files, and there is a page if the program has one
        self.assertEqual(json.loads((self.folder / "out/summary.json").read_text())["status"], "killed")
        self.assertIn(b'"killed"', (self.folder / "out/results.h5").read_bytes())
        if (pathlib.Path(TRAMMEL).parent.parent / "viewer/report.html").exists():
            self.assertIn("killed", (self.folder / "out/report.html").read_text())
        self.assertTrue((self.folder / "out/results.h5").exists())
        self.assertGreater(len((self.folder / "out/results.csv").read_text().splitlines()), 100)

    def test_an_interrupted_run_ends_in_order(self):
        process = self.begin(self.model(PENDULUM.replace("duration: 1 s", "duration: 100000 s")))
        self.assertIn("stopped at t =", self.interrupt(process))
        self.assertTrue((self.folder / "out/results.h5").exists())

    def test_a_run_that_the_system_ends_ends_in_order_too(self):
        process = self.begin(self.model(PENDULUM.replace("duration: 1 s", "duration: 100000 s")))
        said = self.interrupt(process, signal.SIGTERM)
        self.assertIn("stopped at t =", said)
        self.assertIn("'trammel resume out' goes on.", said)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual(summary["status"], "stopped")
        self.assertGreater(summary["steps"], 0)
        self.assertTrue((self.folder / "out/results.h5").exists())

    def test_the_finest_tolerances_take_few_steps(self):
        # 10 ms of a motion whose time scale is a second. Of order 8 a step of 10 ms errs by less than rounding; of order
        # 5 the error of a step, (h/1 s)^6, is 1e-13 at 7 ms and 1e-14 at 5 ms. A method that takes rounding for an error
        # repeats its steps without end: ten times these numbers are too many.
        for integrator, steps in (("dop853", 2), ("dopri5", 8)):
            for tolerance in ("1e-13", "1e-14"):
                with self.subTest(integrator=integrator, tolerance=tolerance):
                    run = self.trammel("run", MODELS / "double-pendulum.yaml", "--duration", "0.01", "--tolerance", tolerance,
                                       "--integrator", integrator, "--out", "out")
                    self.expect(run, 0, "double pendulum: ok")
                    summary = json.loads((self.folder / "out/summary.json").read_text())
                    self.assertLessEqual(summary["steps"] + summary["rejected_steps"], 10 * steps)
                    # Thirteen evaluations of the accelerations a step of order 8, each with an iteration or two.
                    self.assertLessEqual(summary["iterations"], 10 * steps * 13 * 2)
        # The plan that a tolerance chooses by itself is as good.
        self.expect(self.trammel("run", MODELS / "double-pendulum.yaml", "--duration", "0.01", "--tolerance", "1e-13",
                                 "--out", "out"), 0, "double pendulum: ok")
        self.assertLessEqual(json.loads((self.folder / "out/summary.json").read_text())["steps"], 20)

    def test_ctrl_c_is_heard_within_a_long_step(self):
        # One step, of a million internal ones.
        text = PENDULUM.replace("step: 10 ms", "step: 1 s, tolerance: 1e-12, formulation: lagrange, integrator: dop853")
        path = self.model(text + "forces: {shake: {force: [0, '1e9*sin(1e6*t)'], at: A}}\n")
        said = self.interrupt(self.begin(path, "--verify", "off"))
        self.assertIn("Stopped within a long step: 'trammel resume out' goes on", said)
        self.expect(self.trammel("recover", "out"), 0, "rows recovered")

    def test_a_wheel_that_slips_says_so(self):
        path = self.model("""\
trammel: 1
plane: xy
gravity: [4.905, -8.496]
bodies: {wheel: {mass: 2, inertia: 1, at: [0, 1]}}
joints: {tyre: {rolling: wheel, radius: 1, along: [1, 0], friction: 0.1}}
simulate: {duration: 1 s}
""")
        self.expect(self.trammel("run", path), 0, "contact 'tyre' would slip at t = 0 s", "when-lost: stop")
        ended = self.trammel("run", path, "--set", "joints.tyre.when-lost=stop")
        self.expect(ended, 0, "where 'tyre' would slip")
        self.assertNotIn("goes on", ended.stderr)

    def test_steps_that_shrink_without_end_end_the_run(self):
        path = self.model(PENDULUM.replace("step: 10 ms", "verify: off") +
                          "forces: {push: {force: [0, 10*exp(100*t)], at: A}}\n")
        self.expect(self.trammel("run", path, "--out", "out"), 3, "ever shorter", "force 'push': '10*exp(100*t)' is",
                    "Everything up to t = 0.")

    def test_damaged_results_name_what_recovers_them(self):
        self.expect(self.trammel("run", self.model(PENDULUM), "--out", "out"), 0)
        results = self.folder / "out/results.h5"
        whole = results.read_bytes()
        results.write_bytes(whole[:len(whole) // 2])
        for path in ("out", "out/results.h5"):
            self.expect(self.trammel("run", path), 2, "cannot read 'out/results.h5'", "'trammel recover out' makes it again from results.log")
        self.expect(self.trammel("recover", "out"), 0, "rows recovered")
        self.assertEqual(results.read_bytes(), whole)
        self.expect(self.trammel("run", "out"), 0, "1 s computed")
        # without its log nothing can be recovered
        results.write_bytes(whole[:len(whole) // 2])
        (self.folder / "out/results.log").unlink()
        self.assertNotIn("recover", self.trammel("run", "out").stderr)

    def test_a_folder_without_results_says_what_is_missing(self):
        (self.folder / "empty").mkdir()
        for command in ("run", "check"):
            self.expect(self.trammel(command, "empty"), 2, "'empty' has neither results.h5 nor results.log", "name a model file")

    def test_recover_without_a_log(self):
        self.expect(self.trammel("recover", "nowhere"), 2, "nowhere")

    def test_progress_is_shown_on_a_terminal_only(self):
        path = self.model(PENDULUM.replace("duration: 1 s", "duration: 100 s"))
        self.assertEqual(self.trammel("run", path, "--out", "out").stderr, "")
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"this machine has no terminals: {error}")
        subprocess.run([TRAMMEL, "run", path, "--out", "out"], cwd=self.folder, stderr=slave, stdout=subprocess.DEVNULL,
                       timeout=120, check=True)
        os.close(slave)
        self.assertIn(b"#", os.read(master, 100_000))
        os.close(master)


if __name__ == "__main__":
    main()
