#!/usr/bin/env python3
"""Completion scripts in the shells that they are for, and manual pages. Usage: completion_test.py TRAMMEL SOURCE_DIR"""
import pathlib
import shutil
import subprocess
import unittest

from command_line import MODELS, PENDULUM, TRAMMEL, CommandLine, main


class Bash(CommandLine):
    def setUp(self):
        super().setUp()
        self.model(PENDULUM)
        (self.folder / "other.txt").write_text("")
        (self.folder / "sub").mkdir()
        script = self.trammel("completion", "bash")
        self.expect(script, 0)
        (self.folder / "script").write_text(script.stdout)

    def complete(self, *words):
        """What bash offers for the last word."""
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
        code = f'source ./script; COMP_WORDS=({quoted}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _trammel "{TRAMMEL}"; printf "%s\\n" "${{COMPREPLY[@]}}"'
        result = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, cwd=self.folder, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return set(result.stdout.split())

    def test_commands(self):
        self.assertEqual(self.complete("trammel", "re"), {"replay", "reproduce", "resume", "recover"})
        self.assertTrue({"run", "check", "solve", "new", "plot", "diff", "doctor"} <= self.complete("trammel", ""))
        self.assertTrue({"modes", "positions", "kinematics"} <= self.complete("trammel", "solve", ""))
        self.assertEqual(self.complete("trammel", "new", "p"), {"pendulum"})
        self.assertTrue({"joints", "forces", "options"} <= self.complete("trammel", "describe", ""))

    def test_options_are_those_of_the_command(self):
        self.assertEqual(self.complete("trammel", "run", "--no-"), {"--no-report", "--no-log"})
        self.assertIn("--relative", self.complete("trammel", "diff", "--"))
        self.assertNotIn("--relative", self.complete("trammel", "run", "--"))
        self.assertIn("--matrices", self.complete("trammel", "solve", "modes", "--"))
        # Whatever --help of a command lists is offered.
        for command in (["run"], ["compare"], ["solve", "equilibrium"], ["plot"]):
            listed = {w.split(",")[-1] for line in self.trammel(*command, "--help").stdout.splitlines() for w in line.split()[:1] if "--" in w}
            self.assertTrue({w for w in listed if w.startswith("--")} <= self.complete("trammel", *command, "--"), command)

    def test_models_and_folders(self):
        self.assertEqual(self.complete("trammel", "run", ""), {"model.yaml", "sub"})
        self.assertEqual(self.complete("trammel", "solve", "modes", "mo"), {"model.yaml"})
        self.assertEqual(self.complete("trammel", "run", "model.yaml", "--out", "oth"), {"other.txt"})
        self.assertEqual(self.complete("trammel", "recover", ""), {"sub"})

    def test_names_of_methods(self):
        self.assertIn("augmented-lagrangian", self.complete("trammel", "run", "model.yaml", "--formulation", "aug"))
        self.assertIn("trapezoidal", self.complete("trammel", "run", "model.yaml", "--integrator", "trap"))
        self.assertEqual(self.complete("trammel", "run", "model.yaml", "--coordinates", "rel"), {"relative"})
        self.assertEqual(self.complete("trammel", "run", "model.yaml", "--coordinates", "=", "rel"), {"relative"})
        self.assertEqual(self.complete("trammel", "run", "--coordinates", "relative", "mod"), {"model.yaml"})

    def test_keys_of_the_model(self):
        self.assertEqual(self.complete("trammel", "run", "model.yaml", "--set", "bodies.rod.m"), {"bodies.rod.mass="})
        self.assertIn("simulate.tolerance=", self.complete("trammel", "run", "model.yaml", "--set", "simulate.t"))
        self.assertEqual(self.complete("trammel", "run", "nowhere.yaml", "--set", "bodies."), set())

    def test_columns_of_results(self):
        self.expect(self.trammel("run", "model.yaml", "--out", "sub", "--no-report"), 0)
        self.assertEqual(self.complete("trammel", "plot", "sub", "rod.ang"), {"rod.angle", "rod.angle_rate"} & self.complete("trammel", "plot", "sub", "rod."))
        self.assertIn("rod.angle", self.complete("trammel", "plot", "sub/results.h5", "A.x", "rod."))
        self.assertEqual(self.complete("trammel", "plot", "sub/res"), {"sub/results.h5", "sub/results.log"})

    def test_a_shell_that_is_not_there(self):
        self.expect(self.trammel("completion", "tcsh"), 2, "tcsh not in {bash,zsh,fish,words}")
        self.expect(self.trammel("completion", "words", "cats"), 2, "name keys or columns, and a file")


class OtherShells(CommandLine):
    def script(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"no {shell}")
        path = self.folder / ("_trammel" if shell == "zsh" else "trammel.fish")
        path.write_text(self.trammel("completion", shell).stdout)
        return path

    def test_zsh_reads_the_script(self):
        self.script("zsh")
        result = subprocess.run(["zsh", "-f", "-c", "zmodload zsh/zutil; autoload -U compinit; fpath=(. $fpath); compinit -u -d dump; "
                                 "autoload +X -U _trammel; functions _trammel | head -5; whence -v _trammel; echo $_comps[trammel]"],
                                capture_output=True, text=True, cwd=self.folder)
        self.assertIn("_trammel", result.stdout.splitlines()[-1])
        self.assertEqual(result.stderr, "")
        syntax = subprocess.run(["zsh", "-f", "-n", "_trammel"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((syntax.returncode, syntax.stderr), (0, ""))

    def test_fish_completes(self):
        path = self.script("fish")
        self.model(PENDULUM)
        program = self.folder / "bin"
        program.mkdir()
        (program / "trammel").symlink_to(TRAMMEL)

        def complete(line):
            result = subprocess.run(["fish", "--no-config", "-c", f"set -p PATH {program}; source {path}; complete -C '{line}'"],
                                    capture_output=True, text=True, cwd=self.folder, timeout=60)
            self.assertEqual(result.stderr, "")
            return {line.split("\t")[0] for line in result.stdout.splitlines()}

        self.assertTrue({"run", "plot"} <= complete("trammel "))
        self.assertEqual(complete("trammel run --no-r"), {"--no-report"})
        self.assertIn("modes", complete("trammel solve mo"))
        self.assertIn("bodies.rod.mass=", complete("trammel run model.yaml --set bodies.rod.m"))
        self.assertIn("relative", complete("trammel run model.yaml --coordinates rel"))
        self.assertIn("model.yaml", complete("trammel run mo"))


class Manual(CommandLine):
    def setUp(self):
        super().setUp()
        self.expect(self.trammel("man", "--out", "man1"), 0)
        self.pages = sorted((self.folder / "man1").glob("*.1"))

    def test_every_command_has_a_page(self):
        names = {page.stem for page in self.pages}
        self.assertTrue({"trammel", "trammel-run", "trammel-solve", "trammel-solve-modes", "trammel-plot"} <= names)
        self.assertEqual(self.trammel("man", "solve", "modes").stdout, (self.folder / "man1/trammel-solve-modes.1").read_text())
        self.expect(self.trammel("man", "fly"), 2, "there is no command 'fly'")

    def test_pages_have_no_faults(self):
        checks = [["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-z"], ["mandoc", "-T", "lint", "-W", "warning"]]
        for check in checks:
            if shutil.which(check[0]) is None:
                continue
            for page in self.pages:
                result = subprocess.run([*check, str(page)], capture_output=True, text=True)
                self.assertEqual(result.stdout + result.stderr, "", page.name)
        if all(shutil.which(check[0]) is None for check in checks):
            self.skipTest("neither groff nor mandoc")

    @unittest.skipIf(shutil.which("groff") is None, "no groff")
    def test_a_page_reads_as_the_help(self):
        shown = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", str(self.folder / "man1/trammel-run.1")], capture_output=True, text=True).stdout
        for words in ("NAME", "trammel-run", "Simulate a model", "--set KEY=VALUE", "EXAMPLES", "trammel run models/double-four-bar.yaml", "SEE ALSO"):
            self.assertIn(words, shown.replace("\u2010", "-").replace("\u2212", "-"))


if __name__ == "__main__":
    main()
