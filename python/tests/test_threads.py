"""The engine works without Python's lock: other threads of a program go on meanwhile."""

import threading
import time
from functools import partial
from typing import Any, Callable

import numpy as np
import pytest

import trammel as tr


def chain(links: int) -> tr.Mechanism:
    """Rods that hang from each other, in space."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(links):
        bodies[f"link{k}"] = {"mass": 1, "inertia": [1, 1, 1], "at": [k, 0, 0], "com": [0.5, 0, 0]}
        joints[f"hinge{k}"] = {"revolute": [f"link{k}", f"link{k - 1}" if k else "ground"], "at": [k, 0, 0], "axis": [0, 0.6, 0.8]}
    return tr.Mechanism({"gravity": [0, 0, -9.81], "parameters": {"g": 9.81}, "bodies": bodies, "joints": joints, "simulate": {"duration": 1, "step": 0.01}})


# Each call takes long enough for many ticks.
CALLS: dict[str, Callable[[], Callable[[], object]]] = {
    "run": lambda: partial(chain(40).run, duration=0.3),
    "construction": lambda: chain(400).simulation,
    "advance": lambda: partial(chain(40).simulation().advance, 20),
    "batch": lambda: partial(tr.batch(chain(40), {"g": np.linspace(9, 10, 3)}).run, threads=1, duration=0.2),
    "solve": lambda: partial(tr.solve.positions, chain(10), starts=500),
    "check": lambda: chain(240).check,
    "report": lambda: chain(240).run(duration=0.02, verify=False)._repr_html_,
}


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_go_on(name: str) -> None:
    call = CALLS[name]()
    ticks, ends = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not ends.is_set():
            time.sleep(0.001)
            ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        before = ticks
        call()
        meanwhile = ticks - before
    finally:
        ends.set()
        ticker.join()
    # With the lock held there would be none or one.
    assert meanwhile > 5
