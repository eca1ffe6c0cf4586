"""Memory: nothing is copied that need not be, and nothing is kept that nobody holds."""

import gc
import os
import pathlib
import pickle
import random
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trammel as tr

ROUNDS = 1000
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def resident() -> int:
    """Of this process, bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_million_rows_are_reached_without_a_copy() -> None:
    m = tr.Mechanism(
        {
            "plane": "xy",
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]},
            "bodies": {"rod": {"rod": ["O", "A"], "mass": 1}},
            "initial": {"rod": {"angular-velocity": 1}},
        }
    )
    rows = 10_000 if SANITIZED else 1_000_000
    r = m.with_({"outputs.interval": 1e-3}).run(duration=rows / 1000, verify=False, progress=False)
    assert len(r.t) == rows + 1
    width = r.table.strides[0]
    start = r.table.__array_interface__["data"][0]
    before = resident()
    for k, name in enumerate(r.columns):
        column = r[name]
        assert column.__array_interface__["data"][0] == start + 8 * k
        assert column.strides == (width,)
        assert not column.flags.owndata and not column.flags.writeable
    assert resident() - before < 1_000_000
    assert r["rod.omega"][-1] == pytest.approx(1)


class Drag:
    """A force that belongs to an object, which has its mechanism and a motion of it: a cycle of references."""

    def __init__(self, m: tr.Mechanism) -> None:
        self.m = m.with_force("drag", [("rod", (0, 0, 0))], self.force)
        self.sim = self.m.simulation(step=1e-3)
        self.sim.step(1e-3)
        self.r = self.m.run(duration=0.01, progress=False)

    def force(self, t: float, x: Any, v: Any) -> Any:
        return -0.1 * v


class Track:
    """The same with a constraint and all derivatives of its own."""

    def __init__(self, m: tr.Mechanism) -> None:
        self.m = m.with_constraint(
            "track", [("rod", (0, 0, 0))], self.value, gradient=self.gradient, time_derivative=lambda t, x: 0 * self.value(t, x), gamma=self.gamma
        )
        self.batch = tr.batch(self.m, {"m": [1, 2]})
        self.r = self.batch.run(duration=0.01, progress=False)

    def value(self, t: float, x: Any) -> Any:
        return x[0, 0] - np.float64(0.5)

    def gradient(self, t: float, x: Any) -> Any:
        return [[1, 0, 0]]

    def gamma(self, t: float, x: Any, v: Any) -> float:
        return 0


@pytest.fixture
def loose() -> tr.Mechanism:
    """A body that nothing holds."""
    return tr.Mechanism(
        {"plane": "xy", "parameters": {"m": 2}, "bodies": {"rod": {"mass": "m", "inertia": 1, "at": [0.5, 0]}}, "simulate": {"duration": 1}}
    )


@pytest.mark.parametrize("kind", [Drag, Track])
def test_functions_of_an_object_are_freed_with_it(loose: tr.Mechanism, kind: type) -> None:
    made = [kind(loose) for _ in range(10)]
    left = [weakref.ref(one) for one in made]
    del made
    gc.collect()
    assert not [one for one in left if one() is not None]


def test_a_function_that_reads_a_simulation_is_freed_with_it(loose: tr.Mechanism) -> None:
    def round() -> weakref.ref[Any]:
        of: dict[str, tr.Simulation] = {}

        def force(t: float, x: Any, v: Any) -> Any:
            return -0.1 * v if of else 0 * v

        of["sim"] = loose.with_force("f", [("rod", (0, 0, 0))], force).simulation()
        of["sim"].advance(0.01)
        return weakref.ref(force)

    left = [round() for _ in range(10)]
    gc.collect()
    assert not [one for one in left if one() is not None]


def test_functions_live_as_long_as_what_calls_them(loose: tr.Mechanism) -> None:
    sim = loose.with_force("f", [("rod", (0, 0, 0))], lambda t, x, v: 0 * v + [2, 0, 0]).simulation()
    gc.collect()
    sim.advance(1)
    assert sim["rod.x"] == pytest.approx(1)
    r = loose.with_force("f", [("rod", (0, 0, 0))], lambda t, x, v: 0 * v + [2, 0, 0]).run(progress=False)
    gc.collect()
    assert "rod" in r.report() and repr(r)
    assert r["rod.x"][-1] == pytest.approx(1)


def drag(t: float, x: Any, v: Any) -> Any:
    return -0.1 * v


def fails(t: float, x: Any, v: Any) -> Any:
    raise ZeroDivisionError("of the test")


PLACE = [("rod", (0, 0, 0))]


def checked(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    tr.loads(m.text).check()


def run(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    m.with_(m=chance.uniform(1, 2)).run(duration=0.02, progress=False)["rod.angle"].copy()


def advanced(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    sim = m.simulation()
    sim.advance(0.01, events={"e": lambda motion: motion.t - 0.005})
    sim.state = sim.state


def batched(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    tr.batch(m, {"m": [1, 2]}, observe=["rod.y"]).run(duration=0.01, progress=False)


def forced(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    m.with_force("f", PLACE, lambda t, x, v: -v).run(duration=0.01, progress=False)


def constrained(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    free = tr.Mechanism({"plane": "xy", "bodies": {"rod": {"mass": 1, "inertia": 1}}, "simulate": {"duration": 0.01}})
    free.with_constraint("c", PLACE, lambda t, x: x[0, 0]).run(progress=False)


def derived(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    sim = m.simulation()
    sim.derivative(0, sim.y)


def refused(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    with pytest.raises(tr.ModelError):
        m.run(tolerence=1)


def controlled(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    seen: list[float] = []
    m.run(duration=0.01, progress=False, controller=lambda motion: seen.append(motion["rod.angle"]), every=0.005)


def raised(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    with pytest.raises(ZeroDivisionError):
        m.with_force("f", PLACE, fails).run(duration=0.01, progress=False)


def pickled(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    sim = m.with_force("f", PLACE, drag).simulation()
    pickle.loads(pickle.dumps(sim)).step(1e-3)
    pickle.loads(pickle.dumps(m.run(duration=0.01, progress=False)))


def analysed(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    tr.solve.modes(m)
    tr.solve.equilibrium(m)


def swept(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    tr.sweep(m, vary={"m": [1, 2]}, observe=["peak(rod.y)"], duration=0.01).run(folder / str(chance.random()), progress=False)


def cycled(chance: random.Random, m: tr.Mechanism, folder: pathlib.Path) -> None:
    Drag(m)


# What a person may do.
ROUND: list[Callable[[random.Random, tr.Mechanism, pathlib.Path], None]] = [
    checked, run, advanced, batched, forced, constrained, derived, refused, controlled, raised, pickled, analysed, swept, cycled,
]  # fmt: skip


@pytest.mark.skipif(SANITIZED, reason="sanitizers keep memory that was freed")
def test_a_thousand_rounds_leave_memory_as_it_was(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    chance = random.Random(1)
    sizes = []
    for number in range(ROUNDS):
        chance.choice(ROUND)(chance, pendulum, tmp_path)
        if number % 10 == 0:
            gc.collect()
        sizes.append(resident())
    # After a first part, in which caches are filled. One row of results kept in each round would be 20 kB.
    quarter = ROUNDS // 4
    assert np.median(sizes[-quarter:]) - np.median(sizes[quarter : 2 * quarter]) < 4_000_000
