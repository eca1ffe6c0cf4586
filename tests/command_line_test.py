#!/usr/bin/env python3
"""The other commands as a person meets them: exit status, messages, files. Usage: command_line_test.py TRAMMEL SOURCE_DIR"""
import json
import os
import shutil
import subprocess
import unittest

from command_line import MODELS, PENDULUM, TRAMMEL, CommandLine, Page, main


class Commands(CommandLine):
    def test_help_has_examples(self):
        self.expect(self.trammel("--help"), 0, "run", "check", "recover", "Examples:", "Exit status")
        self.expect(self.trammel("run", "--help"), 0, "--set", "--out", "--csv", "report.html", "Examples:")
        self.expect(self.trammel("check", "--help"), 0, "--json", "Example:")
        self.expect(self.trammel(), 2, "Subcommands:")
        self.expect(self.trammel("fly"), 2, "there is no command 'fly'")

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

    def test_check_tells_loops_remedies_and_the_distance_from_singular(self):
        for coordinates in ("natural", "reference", "relative"):
            result = self.trammel("check", MODELS / "door.yaml", "--coordinates", coordinates, "--json")
            self.expect(result, 0)
            told = json.loads(result.stdout)
            self.assertEqual((told["joint_equations"], told["redundant_constraints"]), (10, 5))
            self.assertEqual(told["redundancies"], [{"joints": ["lower", "upper"], "redundant": 5, "in_this_position_only": 0}])
            self.assertEqual((told["loops"][0]["freedom"], told["loops"][0]["redundant"]), (1, 5))
            self.assertEqual(sum(one["removes"] for one in told["remedies"]["together"]), 5)
            self.assertEqual(told["remedies"]["left"], 0)
            # The summary of a run agrees.
            out = self.folder / coordinates
            self.expect(self.trammel("run", MODELS / "door.yaml", "--duration", "0.01", "--coordinates", coordinates, "--out", out), 0,
                        "redundant constraints 5")
            self.assertEqual(json.loads((out / "summary.json").read_text())["redundant_constraints"], 5)
        self.expect(self.trammel("check", MODELS / "door.yaml"), 0, "equations of joints   10", "everywhere near", "would remove",
                    "spherical instead of revolute", "loop 1")
        self.expect(self.trammel("check", MODELS / "double-four-bar.yaml"), 0, "singularity gauge     0.1", "nearest singular",
                    "A0.angle = 3.14159 rad")

    def test_check_counts_drivers_beside_the_degrees_of_freedom(self):
        driven = PENDULUM + "drivers: {motor: {angle: rod, equals: t}}\n"
        told = "degrees of freedom    0: 1 driver prescribes the whole motion"
        self.expect(self.trammel("check", self.model(driven)), 0, told + "\n")
        self.expect(self.trammel("run", self.model(driven)), 0, told + " (")
        self.assertEqual(json.loads(self.trammel("check", self.model(driven), "--json").stdout)["degrees_of_freedom"], 0)
        double = driven.replace("A: [1, 0]}", "A: [1, 0], B: [2, 0]}").replace("bodies: {", "bodies: {c: {rod: [A, B], mass: 1}, ")
        self.expect(self.trammel("check", self.model(double)), 0, "degrees of freedom    1, beside what 1 driver prescribes")
        self.expect(self.trammel("check", MODELS / "stick-slip.yaml"), 0, "1 driver prescribes and friction holds")

    def test_check_tells_a_singular_position_from_a_redundant_design(self):
        # The four-bar laid flat: it can leave in two ways.
        flat = PENDULUM.replace("A: [1, 0]}", "A: [1, 0], B: [3, 0], C: {at: [2, 0], on: ground}}").replace(
            "bodies: {", "bodies: {c: {rod: [A, B], mass: 1}, d: {rod: [B, C], mass: 1}, ")
        self.expect(self.trammel("check", self.model(flat)), 0, "Only in this position")

    def test_check_as_json_lists_errors(self):
        result = self.trammel("check", self.model(PENDULUM.replace("mass", "mess")), "--json")
        self.expect(result, 2)
        told = json.loads(result.stdout)
        self.assertTrue(told["errors"])
        self.assertIsNone(told["degrees_of_freedom"])
        self.assertIsNone(told["rank_known"])

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
                # a thousandth of the motion's extent, 2 m: from one side of the hinge to the other
                verdict = "ok" if point["error"] < 2e-3 else "limited"
                is_own = all(point.get(key) == row[key] for key in ("step", "tolerance") if row[key] is not None)
                self.assertEqual(point["status"], row["status"] if is_own else verdict, row)
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
        self.expect(self.trammel("solve"), 2, "name an analysis")
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
        # Without --out nothing is written, neither here nor where the validation page of the documents is.
        page.unlink()
        (self.folder / "docs").mkdir()
        for words in (("--json",), ()):
            self.expect(self.trammel("reproduce", "gonzalez/example-1", *words), 0, "0.833")
            self.assertEqual([path.name for path in self.folder.rglob("*")], ["docs"])
        self.expect(self.trammel("reproduce", "nobody"), 2, "there is no paper 'nobody'", "welch")
        self.expect(self.trammel("reproduce", "welch/table-9"), 2, "'welch' has no item 'table-9'", "table-1")
        self.expect(self.trammel("reproduce", "--papers", str(self.folder)), 2, "has no papers.yaml", "--papers")
        self.expect(self.trammel("reproduce", "--out", "/nowhere/page.html"), 2, "cannot write")

    def test_a_kernel_of_runs_comes_with_what_each_run_is_given(self):
        model = str(MODELS / "slider-crank.yaml")
        kernel = ("export", "kernel", model, "--step", "1e-3")
        self.expect(self.trammel(*kernel, "--vary", "L=0.9:1.1:5", "--out", "crank.cpp"), 0,
                    "crank.cpp: ", "crank.instances.csv: 5 instances, each with ")
        head, *lines = (self.folder / "crank.instances.csv").read_text().splitlines()
        names = head.split(",")
        self.assertEqual(names[:2] + names[-1:], ["L", "constant 0", "state 15"])
        rows = [[float(value) for value in line.split(",")] for line in lines]
        self.assertEqual([len(row) for row in rows], [len(names)] * 5)
        for row, L in zip(rows, (0.9, 0.95, 1.0, 1.05, 1.1)):
            self.assertAlmostEqual(row[0], L, delta=1e-15)
            # The crank's tip at 45 degrees, and the slider at the end of a coupler that is twice as long.
            start = row[names.index("state 0"):]
            for value, exact in zip(start[1:4], (0.5**0.5, 0.5**0.5, 0.5**0.5 + 3.5**0.5)):
                self.assertAlmostEqual(value, L * exact, delta=1e-12)
        self.expect(self.trammel(*kernel, "--vary", "Q=1,2", "--out", "crank.cpp"), 2, "there is no parameter 'Q'")
        self.expect(self.trammel(*kernel, "--vary", "L=1,2"), 2, "give --out FILE.cpp")
        self.expect(self.trammel(*kernel, "--instances", "runs.csv"), 2, "give --vary, --sample or --table")
        self.expect(self.trammel("export", "kernel", str(MODELS / "n-four-bar.yaml"), "--step", "1e-3", "--vary", "N=3,4",
                                 "--out", "n.cpp"), 2, "differ in more than numbers")


if __name__ == "__main__":
    main()
