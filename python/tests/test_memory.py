"""Memory: nothing is copied that need not be, and nothing is kept that nobody holds."""

import gc
import os
import random

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


def once(chance: random.Random, m: tr.Mechanism) -> None:
    """Something that a person may do."""
    what = chance.randrange(7)
    if what == 0:
        tr.loads(m.text).check()
    elif what == 1:
        m.with_(m=chance.uniform(1, 2)).run(duration=0.02, progress=False)["rod.angle"].copy()
    elif what == 2:
        sim = m.simulation()
        sim.advance(0.01, events={"e": lambda motion: motion.t - 0.005})
        sim.state = sim.state
    elif what == 3:
        tr.batch(m, {"m": [1, 2]}, observe=["rod.y"]).run(duration=0.01, progress=False)
    elif what == 4:
        forced = m.with_force("f", [("rod", (0, 0, 0))], lambda t, x, v: -v)
        forced.run(duration=0.01, progress=False)
    elif what == 5:
        sim = m.simulation()
        sim.derivative(0, sim.y)
    else:
        with pytest.raises(tr.ModelError):
            m.run(tolerence=1)


@pytest.mark.skipif(SANITIZED, reason="sanitizers keep memory that was freed")
def test_a_thousand_rounds_leave_memory_as_it_was(pendulum: tr.Mechanism) -> None:
    chance = random.Random(1)
    sizes = []
    for _ in range(ROUNDS):
        once(chance, pendulum)
        gc.collect(0)
        sizes.append(resident())
    # After a first part, in which caches are filled. One row of results kept in each round would be 20 kB.
    quarter = ROUNDS // 4
    assert np.median(sizes[-quarter:]) - np.median(sizes[quarter : 2 * quarter]) < 4_000_000
