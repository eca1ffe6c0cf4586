#!/usr/bin/env python3
"""both_runs.py [--times N] [MODEL…]: what the error estimate costs, as wall time of `trammel run` with its second run,
beside that of the slower of the two runs alone (docs/reliability.md).

Each model runs N times in turn: with both runs; the finer run alone, to the same rows; and two finer runs alone, at the same
time. The least of each counts. The last column tells what the machine itself loses when both processors are busy: of two free
processors it is 1.0.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ["n-four-bar", "double-four-bar", "andrews", "three-link-pendulum", "slider-crank"]
LIMIT = 1.1


def start(trammel, model, out, *options):
    return subprocess.Popen([trammel, "run", model, "--quiet", "--out", out, *options], stderr=subprocess.DEVNULL)


def timed(runs):
    """Seconds until all of them have ended."""
    begin = time.perf_counter()
    for process in [run() for run in runs]:
        process.wait()
        if process.returncode != 0:
            raise SystemExit(f"{process.args} ended with status {process.returncode}")
    return time.perf_counter() - begin


def finer(summary, times):
    """The options of the second run, by its own words, and of as many rows as there were. Two steps in the golden section take
    as long as two halves."""
    words = summary["error"]["reference"].removeprefix("second run: ")
    words = re.sub(r"steps of (\S+) s and (\S+) s", lambda both: f"step {(float(both[1]) + float(both[2])) / 2!r}", words)
    settings = dict(part.removesuffix(" s").rsplit(" ", 1) for part in words.split(", "))
    options = ["--verify", "off", "--set", f"outputs.interval={times[1] - times[0]!r}"]
    for option in ("step", "tolerance"):
        if option in settings:
            options += [f"--{option}", settings.pop(option)]
    if settings:
        raise SystemExit(f"the second run differs by {settings}, which this does not know")
    return options


def output_times(trammel, model, folder):
    subprocess.run([trammel, "run", model, "--quiet", "--csv", "--out", folder], check=True, stderr=subprocess.DEVNULL)
    with open(folder / "results.csv", encoding="utf-8") as rows:
        next(rows)
        return [float(row.split(",", 1)[0]) for row in rows]


def measure(trammel, model, times):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        rows = output_times(trammel, model, folder / "both")
        options = finer(json.loads((folder / "both/summary.json").read_text()), rows)

        def both():
            return start(trammel, model, folder / "both")

        def alone(name="alone"):
            return start(trammel, model, folder / name, *options)

        seconds = [[timed([both]), timed([alone]), timed([alone, lambda: alone("other")])] for _ in range(times)]
        return [min(column) for column in zip(*seconds)], len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--trammel", default=ROOT / "build/bin/trammel")
    parser.add_argument("models", nargs="*", default=[ROOT / f"models/{name}.yaml" for name in MODELS])
    options = parser.parse_args()
    print(f"{'model':24}{'rows':>6}{'both, s':>10}{'finer, s':>10}{'ratio':>8}{'two finer / one':>17}")
    for model in options.models:
        (both, alone, two), rows = measure(options.trammel, model, options.times)
        print(f"{pathlib.Path(model).stem:24}{rows:6}{both:10.3f}{alone:10.3f}{both / alone:8.2f}{two / alone:17.2f}", flush=True)
    print(f"asked for: at most {LIMIT} on two free processors")


if __name__ == "__main__":
    main()
