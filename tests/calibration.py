#!/usr/bin/env python3
"""Five masses and two stiffnesses of the flyball governor, from noisy synthetic measurements: how often the confidence
intervals of `trammel fit` hold the values that made the data. Usage: calibration.py TRAMMEL ROOT [--trials 100] [--seed 1]

Measured are the slider, both arms, the forces of both springs and of the bearing, 101 times in 0.2 s. The measurements are made
with a tolerance of 1e-10 and fitted with 1e-6, from starts that are up to 10 % wrong. Counted are trials in which

  each   the 95 % interval of a parameter holds its value: 95 of 100 in the mean, for every parameter;
  joint  all seven intervals of `--joint` hold their values at once: at least 95 of 100 in the mean.

The test fails if a count is so small that it has a probability below 1 % where the intervals are right.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

TRUE = {"bodies.right_arm.mass": 0.3, "bodies.left_arm.mass": 0.3, "bodies.right_ball.mass": 5, "bodies.left_ball.mass": 5,
        "bodies.slider.mass": 3, "forces.right_spring.stiffness": 8e5, "forces.left_spring.stiffness": 8e5}
NOISE = {"slider.z": 1e-6, "right_hinge.angle": 1e-6, "left_hinge.angle": 1e-6, "right_spring.force": 0.05, "left_spring.force": 0.05,
         "bearing.force.x": 0.05, "bearing.force.z": 0.05}
CONFIDENCE = 0.95
RUN = ["--set", "simulate.duration=0.2", "--set", "outputs.interval=0.002"]


def least_credible(trials):
    """The least count that has a probability of 1 % or more to be reached from below."""
    below = 0.0
    for count in range(trials + 1):
        below += math.comb(trials, count) * CONFIDENCE**count * (1 - CONFIDENCE) ** (trials - count)
        if below >= 0.01:
            return count
    return trials


class Calibration:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.model = str(pathlib.Path(options.root) / "models/flyball-governor.yaml")
        subprocess.run([options.trammel, "run", self.model, *RUN, "--tolerance", "1e-10", "--verify", "off", "--csv", "--quiet",
                        "--out", folder / "true"], check=True)
        with open(folder / "true/results.csv") as file:
            self.rows = list(csv.DictReader(file))
        self.columns = {head.split(" [")[0]: head for head in self.rows[0]}

    def measure(self, noise):
        path = self.folder / "data.csv"
        with open(path, "w") as file:
            print("t", *NOISE, sep=",", file=file)
            for row in self.rows:
                print(row[self.columns["t"]], *(float(row[self.columns[c]]) + noise.gauss(0, s) for c, s in NOISE.items()), sep=",", file=file)
        return path

    def fit(self, data, start, out, *more):
        done = subprocess.run([self.options.trammel, "fit", self.model, *RUN, "--tolerance", "1e-6", data, "--parameters", start, "--json",
                               "--threads", str(self.options.threads), "--out", out, *more], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{out}: {done.stderr}")
        return json.loads(done.stdout)

    def trial(self, number):
        """Names whose own interval holds, whether all joint ones do, and the number of runs."""
        noise = random.Random(1000 * self.options.seed + number)
        data = self.measure(noise)
        start = ",".join(f"{path}={value * noise.uniform(0.9, 1.1)}" for path, value in TRUE.items())
        out = self.folder / f"fit{number}"
        each = self.fit(data, start, out)
        joint = self.fit(data, start, out, "--joint", "--resume")
        if joint["runs"] != 0:
            sys.exit(f"trial {number}: the fit was not resumed")
        return held(each), len(held(joint)) == len(TRUE), each["runs"]


def held(found):
    return [one["name"] for one in found["parameters"] if one["low"] is not None and one["low"] <= TRUE[one["name"]] <= one["high"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trammel")
    parser.add_argument("root")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    counts, together, runs = dict.fromkeys(TRUE, 0), 0, 0
    with tempfile.TemporaryDirectory() as name:
        calibration = Calibration(options, pathlib.Path(name))
        for number in range(options.trials):
            names, all_held, used = calibration.trial(number)
            for one in names:
                counts[one] += 1
            together += all_held
            runs += used
            print(f"trial {number}: {used} runs; each {' '.join(str(n) for n in counts.values())}, joint {together}", flush=True)
    for path, count in counts.items():
        print(f"{path:32} {count} of {options.trials}")
    print(f"{'all, joint intervals':32} {together} of {options.trials}; {runs / options.trials:.0f} runs for each fit")
    least = least_credible(options.trials)
    if min(*counts.values(), together) < least:
        sys.exit(f"a count is below {least}")


if __name__ == "__main__":
    main()
