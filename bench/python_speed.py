#!/usr/bin/env python3
"""What Python costs, measured: PYTHONPATH=build/python bench/python_speed.py

  step     one step from Python, beside the same steps within one call
  rows     reaching every column of a million rows
  batch    runs on two threads, beside one
  force    a force written in Python, beside the same as a formula

Exit status 1: a step costs more than 2 µs, or a batch is less than 1.8 times as fast on two threads. 77: the machine was
too busy, or has one processor, to judge the batch, and the step is within its limit.
"""

import os
import statistics
import sys
import time
from typing import Callable

import numpy as np

import trammel as tr

FOUR_BAR = {
    "plane": "xy",
    "gravity": [0, -9.81],
    "parameters": {"m": 1},
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [0.3, 0.4], "B": [1.3, 0.9], "C": {"at": [1.4, 0], "on": "ground"}},
    "bodies": {
        "crank": {"rod": ["O", "A"], "mass": "m"},
        "coupler": {"rod": ["A", "B"], "mass": 2},
        "rocker": {"rod": ["B", "C"], "mass": 1},
    },
}


MOST_FOR_A_STEP = 2.0  # µs
LEAST_OF_TWO_THREADS = 1.8  # times
BUSY = 0.5  # load: a thread of this program would share its processor
SKIPPED = 77


def best(run: Callable[[], object], times: int = 7, clock: Callable[[], float] = time.thread_time) -> float:
    """The shortest of several measurements, s: the others had to share the processor. By default time of this thread."""

    def once() -> float:
        begin = clock()
        run()
        return clock() - begin

    return min(once() for _ in range(times))


def step() -> tuple[str, bool]:
    count, h = 20000, 1e-4
    m = tr.Mechanism(FOUR_BAR)
    one_by_one, at_once = m.simulation(step=h), m.simulation(step=h)

    def steps() -> None:
        for _ in range(count):
            one_by_one.step(h)

    def call() -> None:
        at_once.advance_to(at_once.t + count * h)

    extra = []
    for _ in range(9):
        extra.append((best(steps, 1) - best(call, 1)) / count)
    cost = 1e6 * statistics.median(extra)
    return f"{cost:.2f} µs more for a step from Python than within one call; at most {MOST_FOR_A_STEP} µs", cost <= MOST_FOR_A_STEP


def rows() -> tuple[str, bool]:
    r = tr.Mechanism({**FOUR_BAR, "outputs": {"interval": 1e-4}}).run(duration=100, verify=False, progress=False, tolerance=1e-4)
    seconds = best(lambda: [r[name] for name in r.columns])
    return f"{1e6 * seconds / len(r.columns):.2f} µs for a column of {len(r.t) - 1} rows; nothing is copied", True


def batch() -> tuple[str, bool]:
    runs = tr.batch(tr.Mechanism(FOUR_BAR), {"m": np.linspace(1, 2, 400)}, observe=["O.force.x"])

    def seconds_on(threads: int, clock: Callable[[], float]) -> float:
        return best(lambda: runs.run(threads=threads, progress=False, duration=2, tolerance=1e-6), 5, clock)

    faster = seconds_on(1, time.perf_counter) / seconds_on(2, time.perf_counter)
    one, two = seconds_on(1, time.process_time), seconds_on(2, time.process_time)
    told = f"{faster:.2f} times as fast on two threads as on one, at least {LEAST_OF_TWO_THREADS}; with {two / one:.2f} of its processor time: {1e3 * one / 400:.2f} ms a run of 2 s"
    return told, faster >= LEAST_OF_TWO_THREADS


def force() -> tuple[str, bool]:
    falling = {"plane": "xy", "bodies": {"ball": {"mass": 1, "inertia": 1}}, "initial": {"ball": {"velocity": [3, 1]}}}
    formula = tr.Mechanism({**falling, "forces": {"f": {"force": ["-ball.x", "-ball.y"], "at": "ball.com"}}})
    calls = 0

    def spring(t: float, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return -x

    mine = tr.Mechanism(falling).with_force("f", [("ball", (0, 0, 0))], spring)
    mine.run(duration=5, verify=False, progress=False)
    extra = best(lambda: mine.run(duration=5, verify=False, progress=False)) - best(
        lambda: formula.run(duration=5, verify=False, progress=False)
    )
    per_run = calls / 8
    return f"{1e6 * extra / per_run:.2f} µs for a call of a force that is one line of NumPy", True


def main() -> int:
    load, processors = os.getloadavg()[0], len(os.sched_getaffinity(0))
    can_judge = load <= BUSY and processors > 1
    print(f"{processors} processors, load {load:.1f}{'' if can_judge else ': two threads cannot be judged'}", flush=True)
    status = 0
    for measure in (step, rows, batch, force):
        told, good = measure()
        judged = can_judge or measure is not batch
        print(f"{measure.__name__:6} {told}{'' if good else ': TOO SLOW' if judged else ': not judged'}", flush=True)
        if not good:
            status = 1 if judged else status or SKIPPED
    return status


if __name__ == "__main__":
    sys.exit(main())
