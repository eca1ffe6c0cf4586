#!/usr/bin/env python3
"""Results repeat themselves: `trammel run results.h5` gives the same rows to the bit, for every formulation, with --set
and options of the command line. Usage: repeat_test.py TRAMMEL"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

TRAMMEL = sys.argv[1]

# A loop with a spring and a damper, without a name of its own, and with a comment that settings lose.
MODEL = """\
trammel: 1  # a four-bar
plane: xy
gravity: [0, -9.81]
parameters: {L: 0.4 m, c: 2}
points: {O: {at: [0, 0], on: ground}, P: {at: [1, 0], on: ground}, A: [0, L], B: [1, 0.8]}
bodies: {crank: {rod: [O, A], mass: 1 kg}, coupler: {rod: [A, B], mass: 2 kg}, rocker: {rod: [P, B], mass: 1 kg}}
forces: {damper: {torque: -c*crank.rate, on: crank}}
simulate: {duration: 0.3 s, step: 5 ms}
outputs: {interval: 10 ms, columns: {power: "c*crank.rate^2"}}
"""
SETTINGS = ["--set", "parameters.L=0.35 m", "--set", "bodies.coupler.mass=1.7", "--set", "gravity=[0.1, -9.7]"]
# Options of their own for some formulations, as only these read them.
OWN = {
    "augmented-lagrangian-index3": ["--integrator", "{generalized-alpha: 0.7}", "--set", "simulate.projection.metric=mass"],
    "lagrange": ["--integrator", "rk4", "--set", "simulate.solve=schur"],
    "baumgarte": ["--integrator", "dopri5", "--tolerance", "1e-6", "--set", "simulate.stabilization={a: 20, b: 30}"],
    "null-space": ["--integrator", "rk2-heun", "--set", "simulate.stabilization=joli"],
    "penalty": ["--integrator", "rk4", "--set", "simulate.omega={default: 8, crank: 12}", "--set", "simulate.penalty=1e5"],
    "augmented-lagrangian": ["--integrator", "radau5", "--tolerance", "1e-5", "--set", "simulate.projection.every=2",
                             "--set", "simulate.projection.positions=true"],
    "independent": ["--integrator", "rk4", "--set", "simulate.independent={choice: svd, integrate: enlarged}"],
    "canonical-augmented": ["--set", "simulate.iterations=3"],
    "algebraic": ["--set", "simulate.order=1"],
    "dae": ["--tolerance", "1e-6"],
    "modular": ["--coordinates", "reference", "--set", "simulate.modular={uzawa: plain, rho: {default: automatic}}"],
    "automatic": ["--tolerance", "1e-7"],
}


def rows_of(folder):
    """The payloads of the row records of results.log, and its header."""
    data = (folder / "results.log").read_bytes()
    place, rows, header = 12, [], None
    while place < len(data):
        kind, length = data[place:place + 1], struct.unpack_from("<I", data, place + 1)[0]
        payload = data[place + 5:place + 5 + length]
        if kind == b"H":
            header = json.loads(payload)
        elif kind == b"R":
            rows.append(payload)
        place += 9 + length
    return header, rows


class Repeat(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)
        (self.folder / "linkage.yaml").write_text(MODEL)

    def trammel(self, *words, status=0):
        result = subprocess.run([TRAMMEL, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, status, (words, result.stderr))
        return result

    def expect_same(self, first, second):
        (header, rows), (other_header, others) = rows_of(first), rows_of(second)
        self.assertGreater(len(rows), 20)
        self.assertEqual(header["channels"], other_header["channels"])
        self.assertEqual(header["model"], other_header["model"])
        self.assertEqual(header["plan"], other_header["plan"])
        self.assertEqual(rows, others)  # bytes: to the bit
        self.assertEqual((first / "results.csv").read_text(), (second / "results.csv").read_text())

    def test_every_formulation_repeats_its_run_to_the_bit(self):
        cells = json.loads(self.trammel("formulations", "linkage.yaml", "--json").stdout)
        known = list(dict.fromkeys(cell["formulation"] for cell in cells if cell["accepted"]))
        self.assertGreaterEqual(len(known), 12)
        for formulation in known + ["automatic"]:
            with self.subTest(formulation=formulation):
                first, again, third = (self.folder / f"{formulation}-{k}" for k in ("first", "again", "third"))
                self.trammel("run", "linkage.yaml", "--csv", "--quiet", "--out", first, "--formulation", formulation,
                             *SETTINGS, *OWN.get(formulation, []))
                self.trammel("run", first / "results.h5", "--csv", "--quiet", "--out", again)
                self.expect_same(first, again)
                # and again, from the folder
                self.trammel("run", again, "--csv", "--quiet", "--out", third)
                self.expect_same(first, third)

    def test_results_say_what_was_run(self):
        words = ["run", "linkage.yaml", "--out", "out", "--strict", "--step", "2 ms", *SETTINGS]
        self.trammel(*words)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        header, _ = rows_of(self.folder / "out")
        self.assertEqual(summary["creation"], header["creation"])
        creation = header["creation"]
        self.assertRegex(creation["date"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(creation["command"][1:], words)
        self.assertEqual(creation["model_file"], "linkage.yaml")
        self.assertEqual(sorted(creation["settings"]), sorted(SETTINGS[1::2] + ["--strict=true", "--step=2 ms"]))
        self.assertEqual(summary["plan"], header["plan"])
        plan = summary["plan"]
        self.assertEqual((plan["simulate"]["step"], plan["simulate"]["strict"]), (0.002, True))
        self.assertEqual(plan["simulate"]["formulation"], "automatic")
        self.assertEqual(plan["resolved"]["formulation"], "augmented-lagrangian-index3")
        self.assertIn({"option": "integrator", "value": "trapezoidal", "reason": "it goes with augmented-lagrangian-index3"},
                      plan["resolved"]["choices"])
        self.assertIn("mass: 1.7", header["model"])
        self.assertNotIn("a four-bar", header["model"])  # comments go where settings change the file
        report = self.folder / "out/report.html"
        if report.exists():  # a program built without its pages writes none
            self.assertIn(json.dumps(creation["date"]), report.read_text())

    def test_a_repetition_leaves_its_source_alone_and_keeps_the_name(self):
        self.trammel("run", "linkage.yaml")
        first = (self.folder / "results/linkage/results.h5").read_bytes()
        said = self.trammel("run", "results/linkage").stdout
        self.assertIn("linkage: limited", said)
        self.assertIn("results/linkage-again/results.h5", said)
        self.assertEqual((self.folder / "results/linkage/results.h5").read_bytes(), first)
        # options of the command line change a repetition too
        self.assertIn("of 0.001 s", self.trammel("run", "results/linkage/results.h5", "--step", "1 ms").stdout)
        self.assertIn("degrees of freedom", self.trammel("check", "results/linkage").stdout)

    def test_a_killed_run_can_be_repeated_from_its_log(self):
        self.trammel("run", "linkage.yaml", "--csv", "--out", "killed", *SETTINGS)
        (self.folder / "killed/results.h5").unlink()
        self.trammel("run", "killed", "--csv", "--out", "again")
        self.expect_same(self.folder / "killed", self.folder / "again")

    def test_files_that_are_no_results_are_refused(self):
        (self.folder / "wrong.h5").write_text("no HDF5")
        self.assertIn("cannot read 'wrong.h5'", self.trammel("run", "wrong.h5", status=2).stderr)
        self.assertIn("No such file", self.trammel("run", "missing.h5", status=2).stderr)
        (self.folder / "empty").mkdir()
        self.assertIn("'empty' has neither results.h5 nor results.log", self.trammel("run", "empty", status=2).stderr)


class Describe(unittest.TestCase):
    def trammel(self, *words):
        return subprocess.run([TRAMMEL, "describe", *words], capture_output=True, text=True)

    def test_topics_are_readable_and_their_schema_is_json(self):
        self.assertIn("read by: penalty, augmented-lagrangian, canonical-augmented", self.trammel("options").stdout)
        self.assertIn("| `omega` |", self.trammel("options", "--markdown").stdout)
        schema = json.loads(self.trammel("options", "--schema").stdout)
        self.assertIn("duration", schema["definitions"]["simulate"]["properties"])
        self.assertIn("its own rule", self.trammel("methods").stdout)
        self.assertIn("| `algebraic` |", self.trammel("methods", "--markdown").stdout)

    def test_what_there_is_not_is_refused(self):
        for words, told in ((["option"], "there is no topic 'option'; did you mean 'options'?"),
                            (["methods", "--schema"], "methods have no schema of their own")):
            result = self.trammel(*words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(told, result.stderr)


unittest.main(argv=sys.argv[:1])
