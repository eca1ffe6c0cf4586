"""Ctrl-C. A process of its own says when it has come so far; then it gets the signal."""

import os
import signal
import subprocess
import sys

PENDULUM = """
import sys, warnings
import numpy as np
import trammel as tr
from trammel.progress import Progress
warnings.simplefilter("ignore")
m = tr.Mechanism({"plane": "xy", "gravity": [0, -9.81], "parameters": {"m": 2},
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]}, "bodies": {"rod": {"rod": ["O", "A"], "mass": "m"}}})
said = False
def say():
    global said
    if not said:
        said = True
        print("here", flush=True)
"""


def interrupted(program: str) -> list[str]:
    """What a program prints after it was interrupted, line by line."""
    child = subprocess.Popen([sys.executable, "-c", PENDULUM + program], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert child.stdout is not None
    assert child.stdout.readline() == "here\n"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return out.splitlines()


def test_in_a_run_the_rows_are_kept() -> None:
    assert interrupted(
        """
Progress.show = lambda self, t: (say() if t > 1 else None) or True
r = m.with_({"outputs.interval": 0.1}).run(duration=1e6, tolerance=1e-9, verify=False)
print(r.status, len(r.t) > 1, np.isfinite(r["rod.angle"]).all())
"""
    ) == ["stopped True True"]


def test_in_a_force_of_a_run_the_rows_are_kept() -> None:
    assert interrupted(
        """
def force(t, x, v):
    if t > 0.5: say()
    return -v
r = m.with_({"outputs.interval": 0.1}).with_force("f", [("rod", (0, 0, 0))], force).run(duration=1e6, tolerance=1e-9, verify=False)
print(r.status, r.t[-1] > 0.4, np.isfinite(r["rod.angle"]).all())
"""
    ) == ["stopped True True"]


def test_in_a_controller_the_rows_are_kept() -> None:
    # Rows before the call that was interrupted are those of a run that was not; the inputs are those before it.
    assert interrupted(
        """
import time
c = tr.Mechanism({"plane": "xy", "inputs": {"u": 0}, "bodies": {"cart": {"mass": 1, "inertia": 1}},
    "joints": {"s": {"prismatic": ["cart", "ground"], "axis": [1, 0]}}, "forces": {"push": {"force": ["u", 0], "at": "cart.com"}}})
def push(motion):
    motion.inputs["u"] = motion.t + 1
    if motion.t > 0.45:
        motion.inputs["u"] = 1e6
        say()
        time.sleep(30)
        motion.inputs["u"] = 0
def pushed(motion): motion.inputs["u"] = motion.t + 1
r = c.run(duration=10, controller=push, every=0.1, verify=False)
whole = c.run(duration=0.5, controller=pushed, every=0.1, verify=False)
same = r.t <= 0.49
print(r.status, r.t[-1] >= 0.4, r.t[-1] < 0.51, np.interp(0.45, r.t, r["cart.x"]) == np.interp(0.45, whole.t, whole["cart.x"]), abs(r["cart.v.x"]).max() < 2)
"""
    ) == ["stopped True True True True"]


def test_while_a_simulation_is_advanced_it_is_heard() -> None:
    assert interrupted(
        """
sim = m.simulation(tolerance=1e-9)
sim.advance(0.25)
before = sim.state
try:
    say()
    sim.advance(1e7)
except KeyboardInterrupt:
    print("interrupted", sim.state == before, sim.t)
sim.advance(0.25)
print(sim.t)
"""
    ) == ["interrupted True 0.25", "0.5"]


def test_in_a_force_of_a_step_the_simulation_stands_where_it_stood() -> None:
    assert interrupted(
        """
def force(t, x, v):
    if t > 0.5: say()
    return -v
sim = m.with_force("f", [("rod", (0, 0, 0))], force).simulation(tolerance=1e-9)
sim.advance(0.25)
before = sim.state
try:
    sim.advance(1e6)
except KeyboardInterrupt as error:
    print("interrupted", sim.state == before, sim.t)
sim.advance(0.25)
print(sim.t)
"""
    ) == ["interrupted True 0.25", "0.5"]


def test_in_a_batch_finished_runs_are_kept() -> None:
    (line,) = interrupted(
        """
Progress.show = lambda self, done: (say() if done > 0 else None) or True
r = tr.batch(m, {"m": np.linspace(1, 2, 100000)}, observe=["rod.angle"]).run(threads=2, duration=0.5, tolerance=1e-6)
finished = r.status == "ok"
print(finished.any(), (r.status == "stopped").any(), np.isfinite(r["rod.angle"][finished]).all())
"""
    )
    assert line == "True True True"
