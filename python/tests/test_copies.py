"""Who owns an array: what a caller gave may be changed afterwards, and what a result has may not."""

import pickle
from typing import Any

import numpy as np
import pytest

import trammel as tr


def test_a_batch_keeps_the_values_that_it_was_given(pendulum: tr.Mechanism) -> None:
    masses = np.array([1.0, 2.0])
    batch = tr.batch(pendulum, {"m": masses}, observe=["O.force.y"])
    r = batch.run(duration=0.1, progress=False)
    masses[:] = 99
    assert r.parameters["m"].tolist() == [1, 2]
    again = batch.run(duration=0.1, progress=False)
    assert again.parameters["m"].tolist() == [1, 2]
    assert np.array_equal(again["O.force.y"], r["O.force.y"])
    with pytest.raises(ValueError, match="read-only"):
        r.parameters["m"][0] = 3


def test_a_force_keeps_the_points_that_it_was_given(pendulum: tr.Mechanism) -> None:
    place = [0.0, 0.0, 0.0]
    points: list[Any] = [("rod", place)]
    m = pendulum.with_force("f", points, lambda t, x, v: 0 * x)
    place[0] = 7
    points.append(("nobody", (0, 0)))
    assert m.with_(m=3).run(duration=0.1, progress=False).status == "ok"
    one = pendulum.with_force("f", (p for p in [("rod", (0, 0))]), lambda t, x, v: 0 * x)  # type: ignore[arg-type]
    assert one.with_(m=3).run(duration=0.1, progress=False).status == "ok"


def arrays(r: Any) -> list[Any]:
    if isinstance(r, tr.BatchResult):
        return [r["rod.angle"], r.error("rod.angle"), r.last("rod.angle"), r.t, r.parameters["m"], r.results[0]["rod.angle"]]
    return [r["rod.angle"], r.table, r.t, *([r.error["rod.angle"]] if isinstance(r, tr.Result) else [])]


@pytest.mark.parametrize("verify", [False, True])
def test_results_are_read_only_wherever_they_come_from(pendulum: tr.Mechanism, verify: bool) -> None:
    r = pendulum.run(duration=0.1, verify=verify, progress=False)
    b = tr.batch(pendulum, {"m": [1, 2]}).run(duration=0.1, verify=verify, progress=False)
    driven = tr.Mechanism({**pendulum_model(), "drivers": {"mot": {"angle": "rod", "equals": "t"}}})
    for result in (r, b, tr.solve.kinematics(driven, rows=3)):
        for one in (result, pickle.loads(pickle.dumps(result))):
            for array in arrays(one):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1


def pendulum_model() -> dict[str, Any]:
    return {
        "plane": "xy",
        "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]},
        "bodies": {"rod": {"rod": ["O", "A"], "mass": 1}},
        "simulate": {"duration": 1},
    }
