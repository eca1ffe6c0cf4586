#!/usr/bin/env python3
"""The program as a person meets it: exit status, messages, files. Usage: command_line_test.py TRAMMEL SOURCE_DIR"""
import base64
import csv
import html.parser
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

TRAMMEL = sys.argv[1]
MODELS = pathlib.Path(sys.argv[2]) / "models"

PENDULUM = """\
trammel: 1
name: pendulum
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1 kg}}
simulate: {duration: 1 s, step: 10 ms}
"""


class Page(html.parser.HTMLParser):
    """Which elements are left open, what they say, and whether anything comes from outside."""
    EMPTY = {"meta", "br", "line", "rect", "circle", "polygon", "polyline", "path"}

    def __init__(self):
        super().__init__()
        self.open, self.outside, self.numbers, self.text, self.titles = [], [], [], "", 0

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
        self.titles += tag == "title" and "svg" in self.open
        self.outside += [tag for name, _ in attributes if name in ("src", "href") or tag == "script"]
        self.numbers += [value for name, value in attributes if name in ("x", "y", "cx", "cy", "points", "d")]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        # Elements close in the order in which they opened.
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text += data


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, text, name="model.yaml"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def trammel(self, *arguments):
        return subprocess.run([TRAMMEL, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder, timeout=120)

    def expect(self, result, status, *words):
        said = result.stdout + result.stderr
        self.assertEqual(result.returncode, status, said)
        for word in words:
            self.assertIn(word, said)

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
            (["--set", "bodies.rod.mass=2"], 0, ["limited", "known until", "second run: step 0.005 s"]),
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

    def test_help_has_examples(self):
        self.expect(self.trammel("--help"), 0, "run", "check", "recover", "Examples:", "Exit status")
        self.expect(self.trammel("run", "--help"), 0, "--set", "--out", "--csv", "report.html", "Examples:")
        self.expect(self.trammel("check", "--help"), 0, "--json", "Example:")
        self.expect(self.trammel(), 2, "subcommand")
        self.expect(self.trammel("fly"), 2, "there is no command 'fly'")

    def test_bad_input_is_refused_all_at_once_with_places(self):
        text = PENDULUM.replace("mass: 1 kg", "mass: -1 kg, colour: red").replace("gravity", "gravty")
        result = self.trammel("run", self.model(text, "bad.yaml"))
        self.expect(result, 2, "bad.yaml:4:1", "gravty", "gravity", "colour", "-1")
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

    def test_check_tells_mobility_and_names_dependent_joints(self):
        result = self.trammel("check", MODELS / "bricard.yaml", "--json")
        self.expect(result, 0)
        told = json.loads(result.stdout)
        self.assertEqual((told["unknowns"], told["constraints"], told["rank"]), (24, 24, 23))
        self.assertEqual((told["degrees_of_freedom"], told["redundant_constraints"]), (1, 1))
        self.assertEqual(len(told["dependent_sets"]), 1)
        self.assertEqual(len(told["dependent_sets"][0]), 6)
        self.assertEqual(told["errors"], [])
        self.assertEqual(len(told["undetermined_reactions"]), 30)
        self.expect(self.trammel("check", MODELS / "bricard.yaml"), 0, "dependent set", "1 too many",
                    "undetermined          hinge1 (force.x, force.y, force.z, torque.x, torque.z), hinge2",
                    "determined            hinge1 (torque.y), hinge2")
        self.expect(self.trammel("check", MODELS / "four-bar.yaml"), 0, "reactions             all determined")
        told = json.loads(self.trammel("check", MODELS / "double-four-bar.yaml", "--json").stdout)
        self.assertEqual((told["unknowns"], told["constraints"]), (6, 5))

    def test_check_counts_drivers_beside_the_degrees_of_freedom(self):
        driven = PENDULUM + "drivers: {motor: {angle: rod, equals: t}}\n"
        told = "degrees of freedom    0: 1 driver prescribes the whole motion"
        self.expect(self.trammel("check", self.model(driven)), 0, told + "\n")
        self.expect(self.trammel("run", self.model(driven)), 0, told + " (")
        self.assertEqual(json.loads(self.trammel("check", self.model(driven), "--json").stdout)["degrees_of_freedom"], 0)
        double = driven.replace("A: [1, 0]}", "A: [1, 0], B: [2, 0]}").replace("bodies: {", "bodies: {c: {rod: [A, B], mass: 1}, ")
        self.expect(self.trammel("check", self.model(double)), 0, "degrees of freedom    1, beside what 1 driver prescribes")

    def test_check_tells_a_singular_position_from_a_redundant_design(self):
        # The four-bar laid flat: it can leave in two ways.
        flat = PENDULUM.replace("A: [1, 0]}", "A: [1, 0], B: [3, 0], C: {at: [2, 0], on: ground}}").replace(
            "bodies: {", "bodies: {c: {rod: [A, B], mass: 1}, d: {rod: [B, C], mass: 1}, ")
        self.expect(self.trammel("check", self.model(flat)), 0, "Only in this position")

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

    def test_check_as_json_lists_errors(self):
        result = self.trammel("check", self.model(PENDULUM.replace("mass", "mess")), "--json")
        self.expect(result, 2)
        self.assertTrue(json.loads(result.stdout)["errors"])

    def test_a_killed_run_loses_nothing(self):
        path = self.model(PENDULUM.replace("duration: 1 s, step: 10 ms", "duration: 1000 s, step: 10 us")
                          + "outputs: {interval: 1 ms}\n")
        process = subprocess.Popen([TRAMMEL, "run", path, "--out", "out"], cwd=self.folder, stdout=subprocess.DEVNULL)
        log = self.folder / "out/results.log"
        for _ in range(600):
            if log.exists() and log.stat().st_size > 100_000:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
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
        path = self.model(PENDULUM.replace("duration: 1 s", "duration: 100000 s"))
        process = subprocess.Popen([TRAMMEL, "run", path, "--out", "out"], cwd=self.folder, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        for _ in range(600):
            if (self.folder / "out/results.log").exists():
                break
            time.sleep(0.1)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 3, said)
        self.assertIn("stopped at t =", said)
        self.assertTrue((self.folder / "out/results.h5").exists())

    def test_ctrl_c_is_heard_within_a_long_step(self):
        # One step, of a million internal ones.
        text = PENDULUM.replace("step: 10 ms", "step: 1 s, tolerance: 1e-12, formulation: lagrange, integrator: dop853")
        path = self.model(text + "forces: {shake: {force: [0, '1e9*sin(1e6*t)'], at: A}}\n")
        process = subprocess.Popen([TRAMMEL, "run", path, "--out", "out", "--verify", "off"], cwd=self.folder,
                                   stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(600):
            if (self.folder / "out/results.log").exists():
                break
            time.sleep(0.1)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 3, said)
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

    def test_examples_of_solve_run_as_written(self):
        for command in (["solve"], ["solve", "stability"]):
            told = self.trammel(*command, "--help").stdout
            examples = [line.split() for line in told.splitlines() if line.startswith("  trammel ")]
            self.assertTrue(examples, told)
            for words in examples:
                self.assertEqual(words[:2], ["trammel", "solve"], told)
                ran = subprocess.run([TRAMMEL, *words[1:]], cwd=MODELS.parent, capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_steps_that_shrink_without_end_end_the_run(self):
        path = self.model(PENDULUM.replace("step: 10 ms", "verify: off") +
                          "forces: {push: {force: [0, 10*exp(100*t)], at: A}}\n")
        self.expect(self.trammel("run", path, "--out", "out"), 3, "ever shorter", "force 'push': '10*exp(100*t)' is",
                    "Everything up to t = 0.")

    def test_compare_sets_formulations_side_by_side(self):
        path = self.model(PENDULUM)
        result = self.trammel("compare", path, "--json", "--step", "0.001")
        self.expect(result, 0)
        rows = json.loads(result.stdout)
        self.assertEqual([row["formulation"] for row in rows][0], "augmented-lagrangian-index3")
        for row in rows:
            for key in ("coordinates formulation integrator status reason max_difference violation energy_drift "
                        "wall_seconds").split():
                self.assertIn(key, row)
            self.assertEqual(row["status"], "ok", row)
            # second order: about 1e-3 m at 10 ms, so 1e-5 m here; more where x or y alone is integrated
            self.assertLess(row["max_difference"], 1e-4 if row["formulation"] == "canonical-independent" else 5e-5, row)
        table = self.trammel("compare", path, "--formulation", "lagrange", "--formulation", "penalty")
        self.expect(table, 0, "lagrange", "penalty", "difference")
        self.expect(self.trammel("compare", path, "--formulation", "magic"), 2, "magic", "lagrange")
        refused = self.trammel("compare", MODELS / "bricard.yaml", "--duration", "0.1", "--formulation", "lagrange")
        self.expect(refused, 3, "refused", "depend on others", "use augmented-lagrangian-index3")
        self.expect(self.trammel("run", MODELS / "bricard.yaml", "--formulation", "lagrange"), 2, "depend on others")
        self.expect(self.trammel("run", path, "--formulation", "lagrange", "--integrator", "hht"), 2, "hht does not go")

    def test_compare_knows_how_exact_its_reference_is(self):
        path = self.model(PENDULUM)
        told = self.trammel("compare", path, "--tolerance", "1e-7", "--formulation", "lagrange", "--formulation", "dae")
        self.expect(told, 0, "Difference in m from lagrange by dopri5 at tolerance 1e-12, known to")
        self.assertNotIn("step", told.stdout)
        rows = json.loads(self.trammel("compare", path, "--tolerance", "1e-7", "--json").stdout)
        ran = [row for row in rows if row["steps"]]
        for row in ran:
            # Two decades below the tolerance that it judges: each difference is known to its first digits.
            self.assertLess(row["reference"]["agreement"], 1e-9)
        self.assertLess(min(row["max_difference"] for row in ran), 1e-6)
        # Whatever is nearer to the reference than this is known to be is only said to be so near.
        still = self.model(PENDULUM.replace("A: [1, 0]", "A: [0, -1]"), "still.yaml")
        self.expect(self.trammel("compare", still, "--formulation", "independent"), 0, " <")
        # A double pendulum forgets its start: no reference can be trusted for this long.
        lost = ("compare", MODELS / "double-pendulum.yaml", "--duration", "60", "--formulation", "penalty")
        self.expect(self.trammel(*lost), 0, "Differences cannot be told", "shorter duration")
        self.assertIsNone(json.loads(self.trammel(*lost, "--json").stdout)[0]["max_difference"])

    def test_compare_says_which_integrators_do_not_go(self):
        path = self.model(PENDULUM)
        asked = ("compare", path, "--formulation", "lagrange", "--formulation", "augmented-lagrangian-index3", "--json")
        rows = json.loads(self.trammel(*asked, "--integrator", "hht").stdout)
        self.assertEqual([(r["integrator"], r["status"]) for r in rows], [("hht", "refused"), ("hht", "ok")])
        cells = json.loads(self.trammel("formulations", path, "--json").stdout)
        reason = [c["reason"] for c in cells
                  if (c["coordinates"], c["formulation"], c["integrator"]) == ("natural", "lagrange", "hht")]
        self.assertEqual([rows[0]["reason"]], reason)
        rows = json.loads(self.trammel(*asked, "--integrator", "hht", "--integrator", "rk4").stdout)
        self.assertEqual([(r["integrator"], r["status"]) for r in rows], [("rk4", "ok"), ("hht", "ok")])
        rows = json.loads(self.trammel(*asked, "--set", "simulate.integrator=hht").stdout)
        self.assertEqual((rows[0]["integrator"], rows[0]["status"]), ("rk4", "ok"))
        self.assertEqual(rows[0]["reason"], "hht of the model does not go with it: rk4 instead")

    def test_compare_writes_a_report(self):
        path = self.model(PENDULUM.replace("name: pendulum", "name: 'rods <b>&</b> \"pins\"'"))
        result = self.trammel("compare", path, "--json", "--report", "page.html")
        self.expect(result, 0)
        for row in json.loads(result.stdout):
            self.assertLess(row["reference"]["agreement"], 1e-9)
            self.assertEqual(len(row["reference"]["runs"]), 2)
            steps = row["formulation"] != "dae"
            self.assertEqual(len(row["work_precision"]), 5 if steps else 7)
            for point in row["work_precision"]:
                self.assertEqual(set(point), {"step" if steps else "tolerance", "error", "seconds", "status", "reason"})
                self.assertEqual(point["status"], "ok", row)
            # sixteen times finer by a rule of second order at least
            if steps:
                self.assertLess(row["work_precision"][-1]["error"], row["work_precision"][0]["error"] / 100, row)
        page = (self.folder / "page.html").read_text()
        parser = Page()
        parser.feed(page)
        parser.close()
        self.assertEqual(parser.open, [])
        self.assertEqual(parser.outside, [])
        self.assertIn('rods <b>&</b> "pins"', parser.text)
        self.assertNotIn("<b>&", page)
        for row in json.loads(result.stdout):
            self.assertIn(row["formulation"], parser.text)
        for word in ("nan", "inf"):
            self.assertNotRegex(parser.text.lower() + " ".join(parser.numbers), rf"\b-?{word}\b")
        self.assertGreaterEqual(parser.titles, 5 * 7)
        self.assertFalse((self.folder / "page.html.partial").exists())
        plain = json.loads(self.trammel("compare", path, "--json").stdout)
        self.assertNotIn("work_precision", plain[0])
        self.expect(self.trammel("compare", path, "--formulation", "lagrange", "--precision"), 0, "known to")

    def test_a_report_that_cannot_be_written_is_refused_before_the_work(self):
        path = self.model(PENDULUM.replace("duration: 1 s", "duration: 100000 s"))
        for report in ("nowhere/page.html", str(self.folder)):
            self.expect(self.trammel("compare", path, "--report", report), 2, f"cannot write '{report}'", "folder")

    def test_stability_tells_eigenvalues(self):
        welch = MODELS / "welch-double-pendulum.yaml"
        asked = ("solve", "stability", welch, "--set", "parameters.g=0", "--formulation", "algebraic", "--step", "0.01",
                 "--step", "1")
        result = self.trammel(*asked, "--json")
        self.expect(result, 0)
        rows = json.loads(result.stdout)
        self.assertEqual([row["step"] for row in rows], [0.01, 1])
        for row in rows:
            self.assertEqual((row["status"], row["verdict"]), ("ok", "neutral"))
            self.assertAlmostEqual(row["spectral_radius"], 1, delta=row["uncertainty"])
            levels = [(round(m["real"]), m["kind"], m.get("level")) for m in row["modes"]]
            self.assertIn((-1, "violation", "velocity"), levels)
        self.expect(self.trammel(*asked), 0, "spectral radius 1, known to", "alternates and is never damped")
        self.expect(self.trammel("solve", "stability", welch), 2, "not a position of rest", "coordinate 'x1'")
        self.expect(self.trammel("solve", "stability", welch, "--step", "-1"), 2, "'-1' is not positive")
        self.expect(self.trammel("solve"), 2, "subcommand")
        self.expect(self.trammel("solve", "stability", MODELS / "bricard.yaml", "--formulation", "lagrange"), 2,
                    "depend on others")
        # The iteration of index 3 does not converge beyond a step of about 2/omega under gravity.
        hanging = MODELS / "simple-pendulum.yaml"
        self.expect(self.trammel("solve", "stability", hanging, "--set", "points.P=[0,-1]", "--step", "1"), 3,
                    "step 1 s", "does not converge")

    def test_describe_lists_its_topics(self):
        self.expect(self.trammel("describe"), 0, "joints", "kinds of forces", "options", "methods")

    def test_describe_prints_the_tables_of_kinds(self):
        self.expect(self.trammel("describe", "joints"), 0, "point-on-line\n  A point that slides along a line.",
                    "freedoms in space     4", "through, along, (of)")
        self.expect(self.trammel("describe", "forces"), 0, "joint-spring", "a joint's coordinate")
        schema = json.loads(self.trammel("describe", "forces", "--schema").stdout)
        self.assertEqual(schema["definitions"]["torque"]["required"], ["torque", "on"])
        self.expect(self.trammel("describe", "bodies"), 2, "there is no topic 'bodies'; choose one of: joints, forces, options, methods")

    def test_formulations_tells_what_fits_and_why_not(self):
        cells = json.loads(self.trammel("formulations", MODELS / "bricard.yaml", "--json").stdout)
        of = {(c["coordinates"], c["formulation"], c["integrator"]): c for c in cells}
        self.assertEqual(len(of), len(cells))
        for cell in cells:
            self.assertEqual(cell["model"], "Bricard's mechanism")
            self.assertEqual(cell["accepted"], cell["reason"] == "", cell)
        natural = {key[1:]: cell for key, cell in of.items() if key[0] == "natural"}
        self.assertTrue(natural["augmented-lagrangian-index3", "hht"]["accepted"])
        self.assertTrue(natural["augmented-lagrangian", "rk4"]["accepted"])
        self.assertIn("depend on others", natural["lagrange", "rk4"]["reason"])
        self.assertIn("does not go with", natural["lagrange", "hht"]["reason"])
        self.assertIn("mass in every direction", natural["algebraic", "itself"]["reason"])
        # What it accepts, a run accepts; what it refuses, a run refuses with the same words.
        for formulation, integrator in (("augmented-lagrangian", "rk4"), ("null-space", "dopri5"), ("penalty", "newmark")):
            run = self.trammel("run", MODELS / "bricard.yaml", "--formulation", formulation, "--integrator", integrator,
                               "--duration", "0.01", "--out", "out")
            reason = natural[formulation, integrator]["reason"]
            self.expect(run, 2 if reason else 0, reason)

        self.expect(self.trammel("formulations", MODELS / "slider-crank.yaml"), 0, "algebraic                     itself",
                    "lagrange, baumgarte", "not newmark, hht, generalized-alpha: this rule does not go with")
        kinds = json.loads(self.trammel("formulations", "--json").stdout)
        self.assertIn("one's own", {cell["kind"] for cell in kinds})
        for kind in {cell["kind"] for cell in kinds}:
            self.assertTrue(any(cell["accepted"] for cell in kinds if cell["kind"] == kind), kind)
        self.expect(self.trammel("formulations", "nowhere.yaml"), 2, "nowhere.yaml")

    @unittest.skipIf("TRAMMEL_SANITIZED" in os.environ, "trammel_bench is not built with sanitizers")
    def test_bench_measures_one_problem(self):
        told = json.loads(self.trammel("bench", "double-four-bar", "--quick", "--json").stdout)
        rows, goals = told["rows"], told["goals"]
        for goal in goals:
            self.assertEqual({"goal", "measured", "reached"}, set(goal))
        self.assertIn("double-four-bar: at most 2", goals[0]["goal"])
        keys = {"problem", "solver", "accuracy", "us_per_step", "ms_per_simulated_second", "instructions_per_step",
                "ratio_to_yardstick", "ratio_to_best_peer"}
        for row in rows:
            self.assertLessEqual(keys, set(row))
            self.assertTrue(row["note"] if row["us_per_step"] is None else row["us_per_step"] > 0, row)
        of = {(row["solver"], row["accuracy"]): row for row in rows}
        for solver in ("Trammel", "yardstick"):
            # Steps of one length by both, and engineering accuracy at that.
            self.assertGreater(of[solver, "step"]["ratio_to_yardstick"], 0)
            self.assertLess(of[solver, "engineering"]["energy_error"], 1e-3)
            self.assertLess(of[solver, "engineering"]["gap"], 1e-3)
        self.expect(self.trammel("bench", "nothing-like-it"), 2, "nothing-like-it")
        alone = self.folder / "trammel"
        shutil.copy(TRAMMEL, alone)
        run = subprocess.run([alone, "bench"], capture_output=True, text=True)
        self.expect(run, 2, "trammel_bench", "make bench")

    def test_reproduce_lists_runs_and_refuses(self):
        listed = self.trammel("reproduce", "--list")
        self.expect(listed, 0)
        self.assertIn("welch/table-1", listed.stdout)
        page = self.folder / "page.html"
        run = self.trammel("reproduce", "gonzalez/example-1", "--json", "--out", str(page))
        self.expect(run, 0)
        rows = json.loads(run.stdout)
        self.assertEqual([row["verdict"] for row in rows], ["reproduced", "reproduced"])
        self.assertEqual(rows[0]["published"], "0.833")
        self.assertAlmostEqual(rows[0]["value"], 5 / 6, delta=1e-7)
        parsed = Page()
        parsed.feed(page.read_text())
        parsed.close()
        self.assertEqual(parsed.open, [])
        self.assertIn("0.833", parsed.text)
        self.expect(self.trammel("reproduce", "nobody"), 2, "there is no paper 'nobody'", "welch")
        self.expect(self.trammel("reproduce", "welch/table-9"), 2, "'welch' has no item 'table-9'", "table-1")
        self.expect(self.trammel("reproduce", "--papers", str(self.folder)), 2, "has no papers.yaml", "--papers")
        self.expect(self.trammel("reproduce", "--out", "/nowhere/page.html"), 2, "cannot write")

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
    unittest.main(argv=[sys.argv[0], "-v"])
