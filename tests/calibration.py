#!/usr/bin/env python3
"""Five masses and two stiffnesses of the flyball governor, from noisy synthetic measurements: how often the confidence
intervals of `trammel fit` hold the values that made the data. Usage: calibration.py TRAMMEL ROOT [--trials 100] [--seed 1]

Measured are the slider, an arm and a ball, and the forces of both springs, 101 times in half a second. A 95 % interval holds
the value in 95 of 100 trials in the mean; in 100 trials fewer than 89 times has a probability below 1 %.
"""
import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

TRUE = {"bodies.right_arm.mass": 0.3, "bodies.left_arm.mass": 0.3, "bodies.right_ball.mass": 5, "bodies.left_ball.mass": 5,
        "bodies.slider.mass": 3, "forces.right_spring.stiffness": 8e5, "forces.left_spring.stiffness": 8e5}
NOISE = {"slider.z": 1e-6, "right_hinge.angle": 1e-6, "left_hinge.angle": 1e-6, "right_spring.force": 0.05, "left_spring.force": 0.05,
         "bearing.force.x": 0.05, "bearing.force.z": 0.05}
RUN = ["--set", "simulate.duration=0.5", "--set", "outputs.interval=0.005", "--tolerance", "1e-8"]
LEAST_HELD = 0.89


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trammel")
    parser.add_argument("root")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    model = str(pathlib.Path(options.root) / "models/flyball-governor.yaml")
    held = dict.fromkeys(TRUE, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([options.trammel, "run", model, *RUN, "--verify", "off", "--csv", "--quiet", "--out", folder / "true"], check=True)
        with open(folder / "true/results.csv") as file:
            rows = list(csv.DictReader(file))
        columns = {head.split(" [")[0]: head for head in rows[0]}
        for trial in range(options.trials):
            noise = random.Random(1000 * options.seed + trial)
            data = folder / "data.csv"
            with open(data, "w") as file:
                print("t", *NOISE, sep=",", file=file)
                for row in rows:
                    print(row[columns["t"]], *(float(row[columns[c]]) + noise.gauss(0, s) for c, s in NOISE.items()), sep=",", file=file)
            start = ",".join(f"{path}={value * noise.uniform(0.9, 1.1)}" for path, value in TRUE.items())
            done = subprocess.run([options.trammel, "fit", model, *RUN[:-2], "--tolerance", "1e-8", data, "--parameters", start, "--json", "--out",
                                   folder / f"fit{trial}"], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"trial {trial}: {done.stderr}")
            found = json.loads(done.stdout)
            for one in found["parameters"]:
                held[one["name"]] += one["low"] is not None and one["low"] <= TRUE[one["name"]] <= one["high"]
            print(f"trial {trial}: {found['runs']} runs; held so far: {' '.join(str(n) for n in held.values())}", flush=True)
    for path, count in held.items():
        print(f"{path:32} {count} of {options.trials}")
    # A few trials only show that fits succeed and that intervals are not hopelessly narrow.
    least = LEAST_HELD * options.trials if options.trials >= 50 else options.trials / 3
    return 0 if min(held.values()) >= least else 1


if __name__ == "__main__":
    sys.exit(main())
