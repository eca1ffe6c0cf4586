#!/usr/bin/env python3
"""Commands that make life easier: new, plot, diff, doctor, the end of a run as a model. Usage: comfort_test.py TRAMMEL SOURCE_DIR"""
import json
import math
import os
import pty
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as xml

from command_line import MODELS, PENDULUM, TRAMMEL, CommandLine, main

STARTERS = ("four-bar", "pendulum", "robot", "slider-crank")


class New(CommandLine):
    def test_every_starter_runs_without_a_word_of_complaint(self):
        self.assertEqual(tuple(sorted(path.stem for path in (MODELS.parent / "apps/trammel/starters").glob("*.yaml"))), STARTERS)
        for kind in STARTERS:
            with self.subTest(kind):
                self.expect(self.trammel("new", kind, f"my-{kind}.yaml"), 0, f"trammel run my-{kind}.yaml")
                text = (self.folder / f"my-{kind}.yaml").read_text()
                self.assertIn(f"trammel run my-{kind}.yaml", text)
                self.assertNotIn("FILE", text)
                self.assertGreater(text.count("#"), 8)
                result = self.trammel("run", f"my-{kind}.yaml", "--no-report")
                self.expect(result, 0, ": ok")
                self.assertEqual(result.stderr, "")
                # Commands in its comments name columns that are there.
                for command in re.findall(r"trammel plot (.*)", text):
                    self.expect(self.trammel("plot", *command.split()), 0)

    def test_the_default_name_and_a_file_that_is_there(self):
        self.expect(self.trammel("new", "pendulum"), 0, "Written: pendulum.yaml")
        (self.folder / "pendulum.yaml").write_text("mine")
        self.expect(self.trammel("new", "pendulum"), 2, "'pendulum.yaml' is there already; name another file, or replace it with --force")
        self.assertEqual((self.folder / "pendulum.yaml").read_text(), "mine")
        self.expect(self.trammel("new", "pendulum", "--force"), 0)
        self.expect(self.trammel("new", "pendulm"), 2, "there is no starter 'pendulm'; did you mean 'pendulum'? There are: four-bar, pendulum")
        self.expect(self.trammel("new", "robot", "no/such/folder.yaml"), 2, "cannot write 'no/such/folder.yaml'")


class Usage(CommandLine):
    def test_without_a_command_the_help_lists_them(self):
        for words in ((), ("export",)):
            result = self.trammel(*words)
            self.expect(result, 2, "Usage: " + " ".join(("trammel", *words)))
            self.assertIn("Subcommands:", result.stderr)

    def test_a_missing_argument_shows_how_the_command_is_called(self):
        self.expect(self.trammel("new"), 2, "trammel new: kind is required\nUsage: trammel new [OPTIONS] kind [file]\n")
        self.expect(self.trammel("new"), 2, "One of: four-bar, pendulum, robot, slider-crank")
        self.expect(self.trammel("fit", self.model(PENDULUM)), 2, "trammel fit: data is required\nUsage: trammel fit [OPTIONS] model data\n")
        self.expect(self.trammel("optimize", self.model(PENDULUM), "--minimize", "final(rod.angle)"), 2, "trammel optimize: --over is required")


class RunFiles(CommandLine):
    def files(self, *arguments):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.expect(self.trammel("run", self.model(PENDULUM), "--out", "out", *arguments), 0)
        return {path.name for path in (self.folder / "out").iterdir()}

    def test_report_and_log_can_be_left_out(self):
        self.assertEqual(self.files(), {"results.h5", "results.log", "report.html", "summary.json"})
        self.assertEqual(self.files("--no-report"), {"results.h5", "results.log", "summary.json"})
        self.assertEqual(self.files("--no-report", "--no-log"), {"results.h5", "summary.json"})
        self.expect(self.trammel("resume", "out"), 2, "there is no results.log in 'out'")

    def test_the_end_of_a_run_is_a_model_that_goes_on(self):
        model = self.model(PENDULUM.replace("step: 10 ms", "tolerance: 1e-9"))
        self.expect(self.trammel("run", model, "--out", "whole", "--duration", "1", "--csv"), 0)
        self.expect(self.trammel("run", model, "--out", "half", "--duration", "0.5", "--save-end", "later.yaml"), 0, "later.yaml")
        self.assertIn("at t = 0.5 s, which is time 0 here", (self.folder / "later.yaml").read_text())
        self.expect(self.trammel("run", "later.yaml", "--out", "rest", "--duration", "0.5", "--csv"), 0)
        whole, rest = ((self.folder / name / "results.csv").read_text().splitlines() for name in ("whole", "rest"))
        column = whole[0].split(",").index("A.y [m]")
        self.assertAlmostEqual(float(whole[-1].split(",")[column]), float(rest[-1].split(",")[rest[0].split(",").index("A.y [m]")]), 6)

    def test_the_end_is_not_saved_where_there_is_none(self):
        model = self.model(PENDULUM + 'drivers: {d: {angle: rod, equals: "if(t < 0.5, 0, 1)"}}\n')
        self.expect(self.trammel("run", model, "--save-end", "later.yaml"), 3)
        self.assertFalse((self.folder / "later.yaml").exists())
        self.expect(self.trammel("run", self.model(PENDULUM), "--save-end", "no/folder.yaml"), 2, "cannot write 'no/folder.yaml'")


class Plot(CommandLine):
    def setUp(self):
        super().setUp()
        self.expect(self.trammel("run", self.model(PENDULUM.replace("step: 10 ms", "tolerance: 1e-4")), "--out", "out", "--no-report"), 0)

    def test_svg_has_a_panel_for_each_unit_axes_with_units_and_bands(self):
        self.expect(self.trammel("plot", "out/results.h5", "rod.angle", "O.force", "--out", "p.svg"), 0)
        text = (self.folder / "p.svg").read_text()
        tree = xml.fromstring(text)
        words = [e.text for e in tree.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("rod.angle [rad]", words)
        self.assertIn("[N]", words)
        self.assertIn("t [s]", words)
        self.assertTrue({"O.force.x", "O.force.y"} <= set(words))
        self.assertEqual(text.count('class="curve"') - text.count('<line class="curve"'), 3)
        self.assertEqual(text.count('class="band'), 3)
        self.assertNotIn("var(", text)
        self.assertNotIn("NaN", text.upper().replace("NANOM", ""))

    def test_curves_follow_the_values(self):
        # A path: the tip draws an arc of radius 1 about O.
        self.expect(self.trammel("plot", "out", "A.y", "--over", "A.x", "--out", "p.svg"), 0)
        text = (self.folder / "p.svg").read_text()
        points = [tuple(map(float, p.split(","))) for p in re.search(r'class="curve" points="([^"]*)"', text)[1].split()]
        ticks = {}
        for axis, at in (("x", "tick middle"), ("y", "tick end")):
            found = re.findall(rf'class="{at}" x="([-\d.]+)" y="([-\d.]+)">([-\d.]+)<', text)
            (x1, y1, v1), (x2, y2, v2) = found[0], found[-1]
            p1, p2 = (float(x1), float(x2)) if axis == "x" else (float(y1) - 4.5, float(y2) - 4.5)
            ticks[axis] = lambda p, p1=p1, p2=p2, v1=float(v1), v2=float(v2): v1 + (p - p1) / (p2 - p1) * (v2 - v1)
        for x, y in points:
            self.assertAlmostEqual(math.hypot(ticks["x"](x), ticks["y"](y)), 1, 2)

    def test_png_is_a_picture(self):
        result = self.trammel("plot", "out", "rod.angle", "--out", "p.png")
        if shutil.which("rsvg-convert") is None:
            self.skipTest("no rsvg-convert")
        self.expect(result, 0)
        data = (self.folder / "p.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        self.assertEqual((width, height), (2080, 640))
        self.assertEqual({p.name for p in self.folder.glob("*.partial")}, set())

    def test_png_without_the_converter_names_the_package(self):
        result = subprocess.run([TRAMMEL, "plot", "out", "rod.angle", "--out", "p.png"], capture_output=True, text=True, cwd=self.folder,
                                env={"PATH": "/nowhere"})
        self.assertEqual(result.returncode, 2)
        self.assertIn("install the package librsvg2-bin, or name a file that ends in .svg", result.stderr)
        self.assertFalse((self.folder / "p.png").exists())

    def test_the_terminal_shows_braille(self):
        result = self.trammel("plot", "out", "A")
        self.expect(result, 0, "A.x [m]", "A.y [m]", "t [s]")
        self.assertTrue(any(0x2800 < ord(c) < 0x2900 for c in result.stdout))
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)
        # y of the tip starts at 0, the top, and falls: the first dots are in the upper rows.
        panel = result.stdout.split("A.y [m]")[1].splitlines()
        first = [i for i, line in enumerate(panel) if len(line) > 8 and 0x2800 < ord(line[8]) < 0x2900]
        self.assertTrue(first and first[0] <= 3, result.stdout)

    def test_a_terminal_with_colours_has_one_panel_for_each_unit(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ.update(TERM="xterm", COLUMNS="80")
            os.execv(TRAMMEL, [TRAMMEL, "plot", "out", "A.x", "A.y"])
        said = b""
        try:
            while chunk := os.read(terminal, 65536):
                said += chunk
        except OSError:
            pass
        os.waitpid(pid, 0)
        self.assertEqual(said.count(b"t [s]"), 1)
        self.assertIn(b"\x1b[94m", said)
        self.assertIn(b"\x1b[93m", said)

    def test_columns_are_listed_and_misspelt_ones_get_the_nearest(self):
        self.expect(self.trammel("plot", "out"), 0, "rod.angle", "rad", "O.force.x", "energy.kinetic")
        self.expect(self.trammel("plot", "out", "rod.angel"), 2, "out: there is no column 'rod.angel'; did you mean 'rod.angle'?")
        self.expect(self.trammel("plot", "out", "A.x", "--over", "A"), 2, "--over: 'A' names")
        self.expect(self.trammel("plot", "out", "A.x", "--out", "p.pdf"), 2, "'p.pdf' ends neither in .svg nor in .png")
        self.expect(self.trammel("plot", "model.yaml", "A.x"), 2, "'model.yaml' is a model; 'trammel run model.yaml' writes its results")
        self.expect(self.trammel("plot", "none.h5", "A.x"), 2, "cannot read 'none.h5'")


class Diff(CommandLine):
    def run_pendulum(self, out, *arguments):
        self.expect(self.trammel("run", self.model(PENDULUM.replace("step: 10 ms", "tolerance: 1e-6")), "--out", out, "--no-report", *arguments), 0)

    def test_the_same_run_is_the_same(self):
        self.run_pendulum("a")
        self.run_pendulum("b")
        self.expect(self.trammel("diff", "a", "b"), 0, "are the same")
        self.expect(self.trammel("diff", "a/results.h5", "b/results.log"), 0, "are the same")
        self.assertTrue(json.loads(self.trammel("diff", "a", "b", "--json").stdout)["same"])

    def test_a_small_difference_is_measured(self):
        self.run_pendulum("a")
        self.run_pendulum("b", "--set", "gravity=[0, -9.82]")
        result = self.trammel("diff", "a", "b", "--json")
        self.expect(result, 1)
        told = json.loads(result.stdout)
        column = {one["name"]: one for one in told["columns"]}["rod.angle"]
        self.assertFalse(column["same"])
        self.assertAlmostEqual(column["largest"], self.angle_difference("a", "b"), 12)
        self.assertTrue(0 < column["first"] < column["at"] <= 1)
        self.assertGreater(column["of_errors"], 100)
        self.assertAlmostEqual(column["of_range"], column["largest"] / self.angle_range(), 12)
        self.expect(self.trammel("diff", "a", "b"), 1, "columns differ", "rod.angle", "rad", "of range")
        self.expect(self.trammel("diff", "a", "b", "--relative", "2"), 0, "are the same")  # violations differ by their range

    def values(self, out):
        self.expect(self.trammel("recover", out, "--csv"), 0)
        rows = [line.split(",") for line in (self.folder / out / "results.csv").read_text().splitlines()]
        return [float(row[rows[0].index("rod.angle [rad]")]) for row in rows[1:]]

    def angle_difference(self, a, b):
        return max(abs(x - y) for x, y in zip(self.values(a), self.values(b)))

    def angle_range(self):
        return max(max(v) - min(v) for v in (self.values("a"), self.values("b")))

    def test_differences_within_the_stated_errors_can_pass(self):
        self.run_pendulum("a")
        self.run_pendulum("b", "--tolerance", "1e-7")
        self.expect(self.trammel("diff", "a", "b"), 1, "rod.angle")
        told = json.loads(self.trammel("diff", "a", "b", "--within-errors", "--json").stdout)
        self.assertTrue({one["name"]: one for one in told["columns"]}["rod.angle"]["same"])

    def test_other_columns_and_other_times(self):
        self.run_pendulum("a")
        self.run_pendulum("b", "--set", "outputs.columns={height: A.y}", "--set", "outputs.interval=0.02")
        result = self.trammel("diff", "a", "b")
        self.expect(result, 1, "only in b: height", "compared at the 51 times that both have")
        self.run_pendulum("c", "--set", "outputs.interval=0.3")
        self.expect(self.trammel("diff", "a", "c"), 1, "compared at the")
        self.expect(self.trammel("diff", "a", "nowhere"), 2, "cannot read 'nowhere'")


class Doctor(CommandLine):
    def test_it_tells_parts_and_versions(self):
        result = self.trammel("doctor", "--json")
        self.expect(result, 0)
        told = json.loads(result.stdout)
        self.assertEqual(told["version"], self.trammel("--version").stdout.strip())
        self.assertEqual(set(told["parts"]), {"KLU", "SUNDIALS", "pages", "Python", "rsvg-convert", "xdg-open", "folder"})
        for name, part in told["parts"].items():
            self.assertTrue(part["detail"], name)
            self.assertNotEqual(part["present"], bool(part["remedy"]), name)
        for name, version in told["libraries"].items():
            self.assertRegex(version, r"^\d+\.\d+", name)
        # What it says of the build is true of the methods.
        methods = self.trammel("describe", "methods").stdout
        if told["parts"]["SUNDIALS"]["present"]:
            self.assertIn("cvode-bdf", methods)
        self.expect(self.trammel("doctor"), 0, "Libraries", "folder")

    def test_a_program_that_is_missing_is_told_with_its_package(self):
        result = subprocess.run([TRAMMEL, "doctor"], capture_output=True, text=True, cwd=self.folder, env={"PATH": "/nowhere"})
        self.assertEqual(result.returncode, 0)
        self.assertIn("missing rsvg-convert", result.stdout)
        self.assertIn("install the package librsvg2-bin", result.stdout)


if __name__ == "__main__":
    main()
