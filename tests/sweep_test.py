#!/usr/bin/env python3
"""trammel sweep as a person meets it: what it prints, writes and refuses. Usage: sweep_test.py TRAMMEL"""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from command_line import TRAMMEL, CommandLine

OSCILLATOR = """\
trammel: 1
plane: xy
parameters: {m: 2 kg, k: 50 N/m}
bodies: {a: {mass: m, inertia: 1, at: [0.1, 0]}}
joints: {s: {prismatic: [a, ground], axis: [1, 0], at: [0, 0]}}
forces: {spring: {force: [-k*a.x, 0], at: a.com}}
simulate: {duration: 0.2 s, step: 5 ms}
"""
SECTION = """\
sweep:
  sample: {m: "uniform(1, 3)"}
  runs: 12
  table: springs.csv
  observe: {top: peak(a.x)}
"""
PLAN = ["--sample", "m~uniform(1, 3)", "--runs", "400", "--observe", "first_time(a.x < 0)"]


class Sweep(CommandLine):
    def setUp(self):
        super().setUp()
        self.file = pathlib.Path(self.folder) / "oscillator.yaml"
        self.file.write_text(OSCILLATOR)
        self.out = pathlib.Path(self.folder) / "out"

    def sweep(self, *words, environment=None, model=None):
        return subprocess.run([TRAMMEL, "sweep", str(model or self.file), *words], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **(environment or {})})

    def bytes(self, name="out"):
        return (pathlib.Path(self.folder) / name / "sweep.h5").read_bytes()

    def refused(self, words, *said):
        found = self.sweep(*words, "--out", "out")
        self.assertEqual(found.returncode, 2, found.stderr)
        for word in said:
            self.assertIn(word, found.stderr)
        self.assertFalse(self.out.exists())

    def test_json_has_its_keys(self):
        found = self.sweep("--vary", "m=1, -1, 2", "--observe", "peak(a.x)", "--out", "out", "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        told = json.loads(found.stdout)
        self.assertEqual({key: told[key] for key in ("runs", "done", "failed", "resumed")}, {"runs": 3, "done": 2, "failed": 1, "resumed": 0})
        self.assertGreaterEqual(told["seconds"], 0)
        again = json.loads(self.sweep("--vary", "m=1, -1, 2", "--observe", "peak(a.x)", "--out", "out", "--json", "--resume").stdout)
        self.assertEqual((again["done"], again["failed"], again["resumed"]), (2, 1, 3))

    def test_memory_does_not_grow_with_the_number_of_runs(self):
        def peak(runs):
            """Of the program, in bytes."""
            process = subprocess.Popen([TRAMMEL, "sweep", str(self.file), "--set", "simulate.duration=0.005", "--sample", "m~uniform(1, 3)", "--runs",
                                        str(runs), "--observe", "final(a.x)", "--threads", "1", "--no-report", "--quiet", "--out", f"out{runs}"],
                                       cwd=self.folder)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return 1024 * usage.ru_maxrss
        few, many = peak(2000), peak(20000)
        # 18,000 runs more: eight bytes for each would be 144 kB. Pages that the allocator keeps differ by more.
        self.assertLess(many - few, 1 << 20, f"{few} bytes for 2,000 runs, {many} for 20,000")

    def test_the_section_of_the_model_is_the_plan(self):
        self.file.write_text(OSCILLATOR + SECTION)
        (pathlib.Path(self.folder) / "springs.csv").write_text("k\n40\n60\n")
        told = json.loads(self.sweep("--out", "out", "--json").stdout)
        self.assertEqual(told["runs"], 24)
        self.assertTrue((self.out / "runs.csv").exists())
        told = json.loads(self.sweep("--out", "other", "--json", "--vary", "m=1:2:5").stdout)
        self.assertEqual(told["runs"], 5)
        # Its table has moved: the folder has all that is needed.
        (pathlib.Path(self.folder) / "springs.csv").unlink()
        self.assertEqual(self.sweep("--resume", model=self.out).returncode, 0)

    def test_mistakes_are_named_with_place_and_remedy(self):
        observe = ["--observe", "peak(a.x)"]
        self.refused(["--vary", "mm=1:2:3", *observe], "oscillator.yaml: there is no parameter 'mm'; choose one of: k, m")
        self.refused(["--sample", "m~nrmal(1, 2)", "--runs", "5", *observe], "sample 'm~nrmal(1, 2)': there is no distribution 'nrmal'; did you mean 'normal'?")
        self.refused(["--vary", "m=1 m:2 m:3", *observe], "vary 'm=1 m:2 m:3': '1 m' is in m, but the model has this parameter in kg")
        self.refused(["--vary", "m=3:3:5", *observe], "begins and ends at the same value")
        self.refused(["--vary", "m=1:2:3"], "nothing is observed; give --observe 'peak(A.force)'")
        self.refused(["--vary", "m=1:2:3", "--observe", "peak(a.xx)"], "observe 'peak(a.xx)': character 6:", "a.x")
        self.refused(observe, "nothing varies; give --vary")
        self.refused(["--table", "none.csv", *observe], "cannot read 'none.csv'; check the name and the folder")
        (pathlib.Path(self.folder) / "runs.csv").write_text("m,k\n1,\n")
        self.refused(["--table", "runs.csv", *observe], "runs.csv:2: 'k' has no value in this line")
        self.refused(["--vary", "m=1:2:3", *observe, "--part", "8/8"], "--part: '8/8' is no part; write K/N")
        self.refused(["--vary", "m=1:2:3", *observe, "--desing", "lhs"], "did you mean '--design'?")

    def test_a_condition_that_never_holds_is_missing(self):
        self.sweep("--vary", "m=1:2:3", "--observe", "late=first_time(a.x > 5)", "--out", "out")
        import h5py
        import math
        with h5py.File(self.out / "sweep.h5") as file:
            self.assertTrue(all(math.isnan(x) for x in file["observations/late"]))
            self.assertEqual(set(file["status"][:]), {b"ok"})

    def test_another_sweep_in_the_folder_is_refused(self):
        self.sweep(*PLAN, "--out", "out")
        found = self.sweep(*PLAN, "--out", "out")
        self.assertEqual(found.returncode, 2)
        self.assertIn("holds runs of this sweep; --resume goes on with it", found.stderr)
        found = self.sweep(*PLAN, "--seed", "4", "--out", "out", "--resume")
        self.assertEqual(found.returncode, 2)
        self.assertIn("'out' holds another sweep: seed was 1 and is 4", found.stderr)
        found = self.sweep("--step", "0.001", *PLAN, "--out", "out", "--resume")
        self.assertIn("the model, or its plan, was changed", found.stderr)
        self.assertIn("this is the folder of a sweep; --resume goes on", self.sweep(model=self.out).stderr)

    def test_ranks_of_launchers_are_parts(self):
        self.sweep(*PLAN, "--out", "out")
        launchers = [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")]
        for number, (rank, size) in enumerate(launchers):
            for part in ("2", "0", "1"):
                found = self.sweep(*PLAN, "--out", f"ranks{number}", environment={rank: part, size: "3"})
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertEqual("This part is done" in found.stderr, part != "1")
            self.assertEqual(self.bytes(f"ranks{number}"), self.bytes())

    def test_ctrl_c_keeps_what_is_done(self):
        self.sweep(*PLAN, "--out", "out")
        # A run of some seconds beside short ones: the signal comes while it goes.
        words = [TRAMMEL, "sweep", str(self.file), "--set", "simulate.duration=2000", "--vary", "m=1:2:8", "--observe", "final(a.x)", "--out", "long"]
        process = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while not (pathlib.Path(self.folder) / "long" / "sweep.json").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, error)
        self.assertIn("'trammel sweep long --resume' goes on", error)

    def test_kills_leave_the_same_file(self):
        self.sweep(*PLAN, "--out", "out")
        for wait in (0.03, 0.06, 0.1, 0.15, 0.2):
            process = subprocess.Popen([TRAMMEL, "sweep", str(self.file), *PLAN, "--out", "killed", "--resume"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(wait)
            process.kill()
            process.wait()
        self.assertEqual(self.sweep(*PLAN, "--out", "killed", "--resume").returncode, 0)
        self.assertEqual(self.bytes("killed"), self.bytes())

    def test_without_sbatch_the_scripts_are_left(self):
        found = self.sweep(*PLAN, "--out", "out", "--slurm", "4", environment={"PATH": "/nowhere"})
        self.assertEqual(found.returncode, 2)
        self.assertIn("sbatch does not take the job here. The scripts are written", found.stderr)
        self.assertIn("--array=0-3", (self.out / "array.slurm").read_text())
        self.assertIn("--resume", (self.out / "merge.slurm").read_text())


if __name__ == "__main__":
    unittest.main(argv=["sweep_test"])
