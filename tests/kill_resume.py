#!/usr/bin/env python3
"""Runs that are killed keep every complete row, and `trammel resume` gives the results of a run without interruption, to
the bit. Usage: kill_resume.py TRAMMEL ROOT [--count 200] [--seed 1] [--verbose]

Kills are of these kinds:
  cut         both logs are cut off at random bytes, as a power cut leaves them
  torn        the same, and what follows is zeros or garbage; the log of the second run may be missing
  signal      SIGKILL at a random size of the log; the resumed run is killed once more
  stop        Ctrl-C at a random size of the log
  full disk   no file may grow beyond a random size
  forbidden   the log may not be written to: resume refuses and leaves it alone

Compared are rows, errors and summary (but for times of the clock), and results.csv and errors.csv. A run may end before
it is killed; then it is a run that ended. At least half of the runs that get SIGKILL or Ctrl-C must be interrupted.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

LINKAGE = """\
trammel: 1
plane: xy
gravity: [0.5, -9.7]
points: {O: {at: [0, 0], on: ground}, P: {at: [1, 0], on: ground}, A: [0, 0.4], B: [1, 0.8]}
bodies: {crank: {rod: [O, A], mass: 1 kg}, coupler: {rod: [A, B], mass: 2 kg}, rocker: {rod: [P, B], mass: 1 kg}}
forces: {damper: {torque: -2*crank.rate, on: crank}}
simulate: {duration: 0.3 s, step: 5 ms}
outputs: {interval: 10 ms}
"""
# A slider that is pushed by a force with curved breaks in time and a switch of the motion.
PUSHED = """\
trammel: 1
plane: xy
bodies: {a: {mass: 2, inertia: 1}}
joints: {s: {prismatic: [a, ground], axis: [1, 0]}}
forces: {push: {force: ["if(sin(7*t) + 0.3*t > 0.2, 3, -1) - 2*s.displacement - if(s.rate > 0, 0.4, 0)", 0], at: a.com}}
simulate: {duration: 4 s}
outputs: {interval: 50 ms}
"""
# A driver whose speed jumps, pulling a second body by a spring.
DRIVEN = """\
trammel: 1
plane: xy
functions: {way: {table: [[0, 0], [1, 0.3], [2, -0.1], [3, 0.5]]}}
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0]}}
joints: {s: {prismatic: [a, ground], axis: [1, 0]}, r: {prismatic: [b, ground], axis: [1, 0]}}
drivers: {pull: {joint: s, equals: way(t)}}
forces: {k: {spring: [a.com, b.com], stiffness: 40, length: 1, damping: 0.3}}
simulate: {duration: 2.5 s, step: 10 ms}
"""
# A wheel that slips in the end.
WHEEL = """\
trammel: 1
plane: xy
gravity: [0, -9.81]
bodies: {wheel: {mass: 2, inertia: 1, at: [0, 1]}}
joints: {tyre: {rolling: wheel, radius: 1, along: [1, 0], friction: 0.25}}
forces: {pull: {force: [6*t, 0], at: {body: wheel, at: [0, 1]}}}
simulate: {duration: 3 s, step: 10 ms}
"""
# Dry friction that should stick: steps are marked.
STUCK = """\
trammel: 1
plane: xy
bodies: {a: {mass: 2, inertia: 1}}
joints: {s: {prismatic: [a, ground], axis: [1, 0]}}
forces: {push: {force: ["3*sin(5*t) - 2*sign(s.rate)", 0], at: a.com}}
simulate: {duration: 2 s, step: 5 ms}
"""
# Durations of runs that somebody stops.
LONGER = {LINKAGE: "6", WHEEL: "12"}
FIXED, FINE = ["--step", "2 ms"], ["--tolerance", "1e-7"]
# Options of their own for some formulations.
OWN = {
    "augmented-lagrangian-index3": ["--integrator", "{generalized-alpha: 0.7}"],
    "baumgarte": ["--integrator", "dopri5", "--tolerance", "1e-6", "--set", "simulate.stabilization={a: 20, b: 30}"],
    "null-space": ["--integrator", "rk2-heun", "--set", "simulate.stabilization=joli"],
    "augmented-lagrangian": ["--integrator", "radau5", "--tolerance", "1e-5", "--set", "simulate.projection.every=2",
                             "--set", "simulate.projection.positions=true"],
    "independent": ["--integrator", "rk4", "--set", "simulate.independent={choice: svd, integrate: enlarged}"],
    "dae": ["--tolerance", "1e-6"],
    "modular": ["--coordinates", "reference"],
}
FORMULATIONS = ["augmented-lagrangian-index3", "lagrange", "baumgarte", "null-space", "penalty", "augmented-lagrangian",
                "independent", "canonical-lagrange", "canonical-independent", "canonical-augmented", "algebraic", "dae",
                "modular"]
INTEGRATORS = ["trapezoidal", "euler", "semi-implicit-euler", "rk2-midpoint", "rk4", "dop853", "radau9",
               "implicit-midpoint", "cvode-adams", "cvode-bdf"]


def cases():
    """Name and words after `trammel run`; a model of models/ by its name."""
    out = collections.OrderedDict()
    for name in FORMULATIONS:
        out["linkage, " + name] = [LINKAGE, "--formulation", name, *OWN.get(name, [])]
    for name in INTEGRATORS:
        out["linkage, lagrange, " + name] = [LINKAGE, "--formulation", "lagrange", "--integrator", name]
    for name in ("newmark", "hht"):
        out["linkage, index 3, " + name] = [LINKAGE, "--formulation", FORMULATIONS[0], "--integrator", name, "--tolerance", "1e-5"]
    out["pushed, by tolerance"] = [PUSHED]
    out["pushed, by steps"] = [PUSHED, *FIXED]
    out["pushed, dopri5"] = [PUSHED, "--formulation", "lagrange", "--integrator", "dopri5", *FINE]
    out["driven, by steps"] = [DRIVEN]
    out["driven, by tolerance"] = [DRIVEN, *FINE]
    for coordinates in ("natural", "reference", "relative"):
        out["end-stops, " + coordinates] = ["end-stops", "--coordinates", coordinates, *FIXED]
        out["end-stops by tolerance, " + coordinates] = ["end-stops", "--coordinates", coordinates, *FINE]
    out["singular positions, by steps"] = ["double-four-bar", "--duration", "2", "--step", "10 ms"]
    out["singular positions, by tolerance"] = ["double-four-bar", "--duration", "2", *FINE]
    out["redundant"] = ["bricard", "--duration", "1", *FIXED]
    out["redundant, by tolerance"] = ["bricard", "--duration", "1", "--tolerance", "1e-6"]
    out["door"] = ["door", "--duration", "1", "--step", "1 ms"]
    out["stiff"] = ["flyball-governor", "--duration", "1", "--tolerance", "1e-5"]
    out["stiff, relative"] = ["flyball-governor", "--duration", "1", "--tolerance", "1e-5",
                              "--coordinates", "relative"]
    out["states"] = ["controlled-pendulum", "--duration", "1", *FIXED]
    out["states, by tolerance"] = ["controlled-pendulum", "--duration", "1", *FINE]
    out["rolling"] = ["rolling-disk", "--duration", "0.5", "--step", "1 ms"]
    out["rolling wheel"] = ["rolling-wheel", "--duration", "1", "--step", "1 ms"]
    out["slip"] = [WHEEL]
    out["slip that ends the run"] = [WHEEL, "--set", "joints.tyre.when-lost=stop"]
    out["ended by a condition"] = [PUSHED, "--set", "simulate.stop-when=s.displacement > 0.5 and t > 1"]
    out["marked"] = [STUCK]
    out["marked, by tolerance"] = [STUCK, "--tolerance", "1e-6"]
    out["gears, modular"] = ["gear-train", "--duration", "0.2", "--formulation", "modular", "--step", "1 ms"]
    out["not verified"] = [PUSHED, "--verify", "off"]
    out["own coordinates"] = ["welch-double-pendulum", "--duration", "1", "--step", "5 ms"]
    return out


class Failure(Exception):
    pass


def expect(condition, *words):
    if not condition:
        raise Failure(" ".join(map(str, words)))


def records(data):
    """The whole records of a log before the first damage: type, payload, where it ends."""
    place, out = 12, []
    while place + 9 <= len(data):
        length = struct.unpack_from("<I", data, place + 1)[0]
        end = place + 9 + length
        if end > len(data) or struct.unpack_from("<I", data, end - 4)[0] != zlib.crc32(data[place:end - 4]):
            break
        out.append((data[place:place + 1], data[place + 5:end - 4], end))
        place = end
    return out


def payloads(data, kind):
    return [payload for type_, payload, _ in records(data) if type_ == kind]


def without_times(summary):
    """A summary without what a clock has measured."""
    summary = dict(summary)
    summary.pop("wall_seconds", None)
    if isinstance(summary.get("error"), dict):
        summary["error"] = {k: v for k, v in summary["error"].items() if k != "wall_seconds"}
    return summary


class Campaign:
    def __init__(self, trammel, root, folder, seed, verbose):
        self.trammel, self.root, self.folder = trammel, pathlib.Path(root), pathlib.Path(folder)
        self.random, self.verbose = random.Random(seed), verbose
        self.cases, self.references, self.counts = cases(), {}, collections.Counter()
        self.interrupted = collections.Counter()  # of the kinds `signal` and `stop`: runs that had begun and not ended
        self.folder.chmod(0o755)

    def words(self, case):
        model, *options = self.cases[case]
        path = self.root / "models" / f"{model}.yaml"
        if "\n" in model:
            path = self.folder / "models" / f"{case.split(',')[0]}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(model)
        return ["run", path, *options, "--quiet", "--csv", "--checkpoint", "0"]

    def call(self, *words, status=(0,), **how):
        result = subprocess.run([self.trammel, *map(str, words)], capture_output=True, text=True, cwd=self.folder, **how)
        expect(result.returncode in status, "exit status", result.returncode, words, result.stderr)
        return result

    def reference(self, case):
        """The run without interruption. The log of its second run stays, under another name of the same file."""
        if case not in self.references:
            folder = self.folder / f"reference-{len(self.references)}"
            folder.mkdir()
            (folder / "results.second.log").touch()
            os.link(folder / "results.second.log", folder / "second")
            self.call(*self.words(case), "--out", folder)
            self.references[case] = folder
        return self.references[case]

    def compare(self, case, folder):
        reference = self.reference(case)
        first, second = (((f / "results.log").read_bytes()) for f in (reference, folder))
        for kind, name in ((b"H", "header"), (b"R", "rows"), (b"E", "errors")):
            one, other = payloads(first, kind), payloads(second, kind)
            if kind == b"H":
                one, other = ([dict(json.loads(h), creation=None) for h in x] for x in (one, other))
            differ = [i for i, (a, b) in enumerate(zip(one, other)) if a != b]
            expect(one == other, name, "differ:", len(one), len(other), differ[:5])
        for name in ("results.csv", "errors.csv"):
            one, other = reference / name, folder / name
            expect(one.exists() == other.exists(), name)
            expect(not one.exists() or one.read_bytes() == other.read_bytes(), name, "differs")
        one, other = (without_times(json.loads((f / "summary.json").read_text())) for f in (reference, folder))
        one.pop("creation"), other.pop("creation")
        expect(one == other, "summaries differ:", {k: (one.get(k), other.get(k)) for k in {*one, *other} if one.get(k) != other.get(k)})
        expect((folder / "results.h5").exists() and not (folder / "results.second.log").exists(), "files")

    def kept(self, case, folder, at_least=0):
        """Every whole row of a log that was left behind is one of the reference, and `recover` keeps it."""
        expected = payloads((self.reference(case) / "results.log").read_bytes(), b"R")
        rows = payloads((folder / "results.log").read_bytes(), b"R")
        expect(rows == expected[:len(rows)], "rows of the killed run differ")
        expect(len(rows) >= at_least, "rows were lost:", len(rows), at_least)
        copy = folder.with_name(folder.name + "-recovered")
        shutil.copytree(folder, copy)
        said = self.call("recover", copy).stdout
        expect(said.startswith(f"{len(rows)} rows recovered"), said)
        shutil.rmtree(copy)
        return len(rows)

    def resume(self, case, folder, status=(0,), **how):
        before = self.kept(case, folder)
        said = self.call("resume", folder, "--quiet", "--csv", "--checkpoint", "0", status=status, **how)
        if said.returncode == 0:
            self.compare(case, folder)
        else:
            self.kept(case, folder, before)
        return said

    # Kinds of kills. Each leaves in `folder` what a killed run leaves, and resumes it; of `case`, or of the one it returns.

    def left_behind(self, case, folder, torn):
        reference = self.reference(case)
        for name, source in (("results.log", "results.log"), ("results.second.log", "second")):
            data = (reference / source).read_bytes()
            if not data:
                continue  # a run without a second one
            header = records(data)[0][2]
            # The second run may be ahead of the first, or behind it.
            data = data[:self.random.randint(header, len(data) - 1)]
            if torn:
                data += self.random.choice([bytes(self.random.randint(1, 5000)), self.random.randbytes(self.random.randint(1, 300))])
            if torn and source == "second" and self.random.random() < 0.3:
                continue
            (folder / name).write_bytes(data)

    def cut(self, case, folder):
        self.left_behind(case, folder, False)
        self.resume(case, folder)

    def torn(self, case, folder):
        self.left_behind(case, folder, True)
        self.resume(case, folder)

    def start(self, *words):
        return subprocess.Popen([self.trammel, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                cwd=self.folder)

    def interrupt(self, case, folder, number, part, *words):
        """Starts a run and sends it a signal when its log has grown by a random part of what is still to come, up to `part`, so that
        the speed of the machine does not decide on the moment: exit status, standard error."""
        log, whole = folder / "results.log", (self.reference(case) / "results.log").stat().st_size
        size = lambda: log.stat().st_size if log.exists() else 0
        there = size()
        # One in ten is interrupted at any moment of the beginning.
        until = 0 if self.random.random() < 0.1 else there + self.random.uniform(0, part) * (whole - there)
        process = self.start(*words)
        while until and size() <= until and process.poll() is None:
            time.sleep(0.0002)
        if not until:
            time.sleep(self.random.uniform(0, 0.02))
        process.send_signal(number)
        _, said = process.communicate()
        return process.returncode, said.decode()

    def signal(self, case, folder):
        real = False
        for words in ([*self.words(case), "--out", folder], ["resume", folder, "--quiet", "--csv", "--checkpoint", "0"]):
            status, _ = self.interrupt(case, folder, signal.SIGKILL, 0.9, *words)
            log = folder / "results.log"
            if not log.exists() or not records(log.read_bytes()):
                self.call(*self.words(case), "--out", folder)  # killed before it had begun
                return
            real = real or status == -signal.SIGKILL
            self.kept(case, folder)
        self.interrupted["signal"] += real
        self.resume(case, folder)

    def stop(self, case, folder):
        # Ctrl-C is noticed after some hundred steps: more than some runs have.
        if self.cases[case][0] in LONGER:
            words, case = self.cases[case], case + ", longer"
            self.cases[case] = [*words, "--duration", LONGER[words[0]]]
        status, said = self.interrupt(case, folder, signal.SIGINT, 0.5, *self.words(case), "--out", folder)
        if status < 0:  # before the program listened
            self.call(*self.words(case), "--out", folder)
            return case
        expect(status in (0, 3) and (status == 0 or "trammel resume" in said), status, said)
        self.interrupted["stop"] += status == 3
        self.resume(case, folder)
        return case

    def full_disk(self, case, folder):
        size = (self.reference(case) / "results.log").stat().st_size
        limit = self.random.randint(100, size - 1)
        how = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}
        said = self.call(*self.words(case), "--out", folder, status=(0, 2, 3), **how)
        expect("File too large" in said.stderr, said.returncode, said.stderr)
        if said.returncode == 2:  # there was no room for the beginning of the log
            self.call(*self.words(case), "--out", folder)
            return
        expect("are kept" in said.stderr and "trammel resume" in said.stderr, said.stderr)
        self.resume(case, folder, status=(3,), **how)
        self.resume(case, folder)

    def forbidden(self, case, folder):
        self.left_behind(case, folder, False)
        log = folder / "results.log"
        before = log.read_bytes()
        log.chmod(0o444)
        how = {}
        if os.geteuid() == 0:  # whom nothing is forbidden
            how = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            said = self.call("resume", folder, "--quiet", status=(2,), **how)
        except PermissionError:
            self.counts["forbidden: nobody may run this program here"] += 1
        else:
            expect("Permission denied" in said.stderr, said.stderr)
        expect(log.read_bytes() == before, "the log was changed")
        log.chmod(0o644)
        self.resume(case, folder)

    def run(self, count):
        """Cases in random order, again and again; kinds by turns."""
        kinds = [self.cut, self.torn, self.cut, self.torn, self.signal, self.full_disk, self.cut, self.stop, self.torn,
                 self.forbidden]
        failures, order = [], []
        for i in range(count):
            if not order:
                order = [case for case in self.cases if not case.endswith(", longer")]
                self.random.shuffle(order)
            case, kind = order.pop(), kinds[i % len(kinds)]
            folder = self.folder / f"kill-{i}"
            folder.mkdir()
            try:
                self.compare(kind(case, folder) or case, folder)
            except Failure as failure:
                failures.append(f"kill {i} ({kind.__name__}) of '{case}': {failure}")
                print(failures[-1])
            if self.verbose:
                print(i, kind.__name__, case, flush=True)
            self.counts[kind.__name__.replace("_", " ")] += 1
            shutil.rmtree(folder)
        told = ", ".join(f"{number} {kind}" + (f" of which {self.interrupted[kind]} interrupted" if kind in ("signal", "stop") else "")
                         for kind, number in sorted(self.counts.items()))
        print(f"{count} kills of {len(self.references)} runs ({told}): {len(failures)} not resumed to the bit")
        sent, real = self.counts["signal"] + self.counts["stop"], self.interrupted.total()
        if 2 * real < sent:
            failures.append(f"only {real} of {sent} runs were interrupted by a signal, the others had ended or not begun")
            print(failures[-1])
        return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trammel")
    parser.add_argument("root")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(os.path.abspath(options.trammel), os.path.abspath(options.root), folder, options.seed, options.verbose)
        sys.exit(1 if campaign.run(options.count) else 0)


main()
