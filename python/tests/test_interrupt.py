"""Ctrl-C. A process of its own interrupts itself where the test says; where Python is not called, by a thread."""

import os
import subprocess
import sys

import pytest

PENDULUM = """
import os, signal, sys, threading, time, warnings
import numpy as np
import trammel as tr
from trammel.progress import Progress
warnings.simplefilter("ignore")
m = tr.Mechanism({"plane": "xy", "gravity": [0, -9.81], "parameters": {"m": 2},
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]}, "bodies": {"rod": {"rod": ["O", "A"], "mass": "m"}}})
def ctrl_c():
    signal.raise_signal(signal.SIGINT)
interrupted = False
def ctrl_c_once():
    global interrupted
    if not interrupted:
        interrupted = True
        ctrl_c()
def ctrl_c_soon(seconds=0.3):
    def wait():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=wait, daemon=True).start()
"""


def output(program: str) -> list[str]:
    """What a program prints, line by line."""
    done = subprocess.run([sys.executable, "-c", PENDULUM + program], capture_output=True, text=True, env=os.environ, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_in_a_run_the_rows_are_kept() -> None:
    assert output(
        """
Progress.show = lambda self, t: (ctrl_c_once() if t > 1 else None) or True
r = m.with_({"outputs.interval": 0.1}).run(duration=1e6, tolerance=1e-9, verify=False)
print(r.status, len(r.t) > 1, np.isfinite(r["rod.angle"]).all())
"""
    ) == ["stopped True True"]


def test_in_a_force_of_a_run_the_rows_are_kept() -> None:
    assert output(
        """
def force(t, x, v):
    if t > 0.5: ctrl_c_once()
    return -v
r = m.with_({"outputs.interval": 0.1}).with_force("f", [("rod", (0, 0, 0))], force).run(duration=1e6, tolerance=1e-9, verify=False)
print(r.status, r.t[-1] > 0.4, np.isfinite(r["rod.angle"]).all())
"""
    ) == ["stopped True True"]


def test_in_a_controller_the_rows_are_kept() -> None:
    # Rows before the call that was interrupted are those of a run that was not; the inputs are those before it.
    assert output(
        """
c = tr.Mechanism({"plane": "xy", "inputs": {"u": 0}, "bodies": {"cart": {"mass": 1, "inertia": 1}},
    "joints": {"s": {"prismatic": ["cart", "ground"], "axis": [1, 0]}}, "forces": {"push": {"force": ["u", 0], "at": "cart.com"}}})
def push(motion):
    motion.inputs["u"] = motion.t + 1
    if motion.t > 0.45:
        motion.inputs["u"] = 1e6
        ctrl_c_once()
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
    assert output(
        """
sim = m.simulation(tolerance=1e-9)
sim.advance(0.25)
before = sim.state
try:
    ctrl_c_soon()
    sim.advance(1e7)
except KeyboardInterrupt:
    print("interrupted", sim.state == before, sim.t)
sim.advance(0.25)
print(sim.t)
"""
    ) == ["interrupted True 0.25", "0.5"]


def test_in_a_force_of_a_step_the_simulation_stands_where_it_stood() -> None:
    assert output(
        """
def force(t, x, v):
    if t > 0.5: ctrl_c_once()
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
    (line,) = output(
        """
Progress.show = lambda self, done: (ctrl_c_once() if done > 0 else None) or True
r = tr.batch(m, {"m": np.linspace(1, 2, 100000)}, observe=["rod.angle"]).run(threads=2, duration=0.5, tolerance=1e-6)
finished = r.status == "ok"
print(finished.any(), (r.status == "stopped").any(), np.isfinite(r["rod.angle"][finished]).all())
"""
    )
    assert line == "True True True"


def test_by_default_a_run_with_its_second_one_is_stopped_every_time() -> None:
    out = output(
        """
for k in range(20):
    try:
        ctrl_c_soon(0.02)
        print(m.run(duration=1e6, tolerance=1e-9).status)
    except KeyboardInterrupt:
        print("interrupted")
"""
    )
    assert len(out) == 20 and set(out) <= {"stopped", "interrupted"}


def test_in_the_second_run_the_rows_are_complete_and_a_warning_says_so() -> None:
    lines = output(
        """
end = 50000  # at this tolerance the second run takes longer than the first
Progress.show = lambda self, t: (ctrl_c_once() if t >= end else None) or True
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    r = m.with_({"outputs.interval": 100}).run(duration=end, tolerance=1e-9)
print(r.t[-1] == end, r.status, np.isnan(r.error["rod.angle"][-1]), np.isfinite(r.error["rod.angle"][10]))
print(told[0].category.__name__, told[0].message)
"""
    )
    assert lines == [
        "True limited True True",
        "RunWarning Ctrl-C stopped the second run, which tells the errors: they are NaN after its end; the rows are complete",
    ]


SECOND_ENDS = """
import trammel.interrupt
trammel.interrupt._SOON = 60  # s: a busy machine may take more than a second from one run to the next
Progress.show = lambda self, reached: ctrl_c() or True
ran = 0
try:
    for k in range(6):
        {run}
        ran += 1
except KeyboardInterrupt:
    print("interrupted after", ran)
"""


def test_of_two_within_a_second_the_second_ends_a_loop_of_runs() -> None:
    assert output(SECOND_ENDS.format(run="m.with_(m=1 + k).run(duration=1e6, tolerance=1e-9)")) == ["interrupted after 1"]


def test_of_two_within_a_second_the_second_ends_a_loop_of_batches() -> None:
    batch = 'tr.batch(m, {"m": np.linspace(1, 2, 1000)}, observe=["rod.angle"]).run(duration=1e3, tolerance=1e-6)'
    assert output(SECOND_ENDS.format(run=batch)) == ["interrupted after 1"]


LINKAGE = """
crank = {"plane": "xy", "gravity": [0, -9.81],
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [0.1, 0], "B": [0.44, 0.3], "C": {"at": [0.4, 0], "on": "ground"}},
    "bodies": {"crank": {"rod": ["O", "A"], "mass": 1}, "coupler": {"rod": ["A", "B"], "mass": 2}, "rocker": {"rod": ["B", "C"], "mass": 1}}}
driven = tr.Mechanism({**crank, "drivers": {"motor": {"angle": "crank", "equals": "t"}}})
crank = tr.Mechanism(crank)
"""
LONG = {
    "positions": "tr.solve.positions(m, starts=10**8)",
    "kinematics": "tr.solve.kinematics(driven, rows=2*10**6)",
    "workspace": "tr.solve.workspace(crank, 'B', spacing=1e-6, samples=10**7)",
    "inverse": "tr.solve.inverse(driven, rows=2*10**6)",
    "equilibrium": "tr.solve.equilibrium(m, starts=10**7)",
    "modes over a parameter": "tr.solve.modes(m, vary={'m': np.linspace(1, 2, 10**6)})",
    "frequency response": "tr.solve.modes(pushed, response=np.geomspace(0.1, 100, 10**7))",
    "step": "m.simulation(tolerance=1e-9).step(1e9)",
    "compare": "m.compare(duration=1e4, step=1e-3)",
    "sweep": "tr.sweep(m, vary={'m': np.linspace(1, 2, 10**6)}, observe=['peak(O.force)'], duration=5).run()",
    "optimize": "tr.optimize(m, minimize='peak(O.force)', over={'m': (1, 2)}, duration=1e5, tolerance=1e-9)",
    "fit": "tr.fit(m, {'t': np.array([1e4, 1e5]), 'rod.angle': np.array([1.0, 2.0])}, {'m': (1, 1, 2)}, tolerance=1e-9, duration=1e5)",
    "event": "m.simulation(tolerance=1e-6).advance(1e7, events={'level': lambda motion: motion['rod.angle']})",
    "constraint": "own.simulation(tolerance=1e-6).advance(1e7)",
}


@pytest.mark.parametrize("name", LONG)
def test_it_ends_with_keyboard_interrupt(name: str) -> None:
    assert output(
        LINKAGE
        + f"""
pushed = m.with_({{"inputs": {{"u": 0}}, "forces": {{"push": {{"force": ["u", 0], "at": "rod.com"}}}}, "outputs": {{"columns": {{"x": "rod.x"}}}}}})
own = m.with_constraint("track", [("rod", (1, 0, 0))], lambda t, x: x[0, 1] + 0.5 + 0.1 * np.sin(t))
try:
    ctrl_c_soon()
    {LONG[name]}
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
"""
    ) == ["interrupted"]


def test_in_the_report_of_a_comparison() -> None:
    assert output(
        """
compared = m.compare(formulations=["lagrange", "null-space", "independent"], duration=20, step=1e-3)
try:
    ctrl_c_soon(0.1)
    compared.report()
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", "work_precision" in compared.rows[0])
"""
    ) == ["interrupted False"]


def test_in_an_event_of_a_run_the_rows_are_kept() -> None:
    assert output(
        """
def level(motion):
    if motion.t > 0.5: ctrl_c_once()
    return motion["rod.angle"]
r = m.with_({"outputs.interval": 0.1}).run(duration=1e7, tolerance=1e-6, events={"level": level})
print(r.status, r.t[-1] > 0.4)
"""
    ) == ["stopped True"]


def test_in_a_constraint_of_a_run_the_rows_are_kept() -> None:
    assert output(
        """
def track(t, x):
    if t > 0.5: ctrl_c_once()
    return x[0, 1] + 0.5 + 0.1 * np.sin(t)
r = m.with_({"outputs.interval": 0.1}).with_constraint("track", [("rod", (1, 0, 0))], track).run(duration=1e7, tolerance=1e-6)
print(r.status, r.t[-1] > 0.4)
"""
    ) == ["stopped True"]


def test_in_a_force_of_a_batch_finished_runs_are_kept() -> None:
    assert output(
        """
calls = 0
def force(t, x, v):
    global calls
    calls += 1
    if calls > 5000: ctrl_c_once()
    return -v
own = m.with_force("f", [("rod", (0, 0, 0))], force)
r = tr.batch(own, {"m": np.linspace(1, 2, 10000)}, observe=["rod.angle"]).run(threads=2, duration=0.02, tolerance=1e-3)
finished = r.status == "ok"
print(finished.any(), (r.status == "stopped").any(), np.isfinite(r["rod.angle"][finished]).all())
"""
    ) == ["True True True"]
