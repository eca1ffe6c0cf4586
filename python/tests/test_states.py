"""States bring a simulation back with its parameters, and go to the simulations that they are of."""

import pickle
from typing import Any

import numpy as np
import pytest

import trammel as tr

SWING = {
    "plane": "xy",
    "gravity": [0, -9.81],
    "parameters": {"m": 2, "L": 1, "half": "L/2"},
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": ["L", 0]},
    "bodies": {"rod": {"rod": ["O", "A"], "mass": "m", "length": "2*half"}},
    "simulate": {"duration": 2},
}


@pytest.fixture
def swing() -> tr.Mechanism:
    return tr.Mechanism(SWING)


def end_of(sim: tr.Simulation, **plan: Any) -> tuple[tr.State, dict[str, float]]:
    sim.advance(1)
    return sim.state, dict(sim.parameters)


@pytest.mark.parametrize("plan", [{}, {"step": 1e-3}, {"coordinates": "relative"}, {"coordinates": "reference"}])
@pytest.mark.parametrize(("name", "value"), [("m", 5), ("L", 0.5), ("half", 0.3)])
def test_a_state_brings_parameters_back(swing: tr.Mechanism, name: str, value: float, plan: dict[str, Any]) -> None:
    sim = swing.simulation(**plan)
    sim.advance(0.5)
    before = sim.state
    expected = end_of(sim)
    sim.parameters[name] = value
    sim.advance(0.1)
    sim.state = before
    assert sim.t == 0.5 and sim.parameters[name] == swing.parameters[name]
    assert np.linalg.norm(sim.point("A")[0]) == pytest.approx(1, abs=1e-11)  # the rod is closed
    assert end_of(sim) == expected  # to the bit


def test_parameters_that_follow_others_go_on_following(swing: tr.Mechanism) -> None:
    sim = swing.simulation()
    before = sim.state
    sim.parameters["half"] = 0.3
    sim.state = before
    sim.parameters["L"] = 3
    assert sim.parameters["half"] == 1.5


def test_a_state_takes_its_parameters_to_another_simulation(swing: tr.Mechanism) -> None:
    one, other = swing.simulation(), swing.simulation()
    one.parameters["L"] = 0.5
    one.advance(0.3)
    other.state = pickle.loads(pickle.dumps(one.state))
    assert other.parameters["L"] == 0.5 and other.state == one.state and hash(other.state) == hash(one.state)
    assert end_of(one) == end_of(other)
    assert repr(one.state) == "<State at t = 1.3 s, L = 0.5>"


def test_a_force_in_python_stays_when_parameters_come_back(swing: tr.Mechanism) -> None:
    m = swing.with_force("drag", [("rod", (0, 0, 0))], lambda t, x, v: -0.5 * v)
    sim = m.simulation()
    before = sim.state
    expected = end_of(sim)
    sim.parameters["m"] = 5
    sim.state = before
    assert end_of(sim) == expected != end_of(swing.simulation())


def test_the_equations_of_motion_follow_a_state(swing: tr.Mechanism) -> None:
    sim = swing.simulation()
    before, rate = sim.state, sim.derivative(0, sim.y)
    sim.parameters["L"] = 0.5
    assert sim.derivative(0, sim.y)[1] == pytest.approx(2 * rate[1])  # ω̇ = 3 g/(2 L)
    sim.state = before
    np.testing.assert_array_equal(sim.derivative(0, sim.y), rate)


def test_states_of_other_models_are_refused(swing: tr.Mechanism) -> None:
    sim = swing.simulation()
    told = "this state is of another model, of other values in it, or of other coordinates; restore it in a simulation of the same"
    others = [
        swing.with_(m=3).simulation(),
        swing.with_({"bodies.rod.length": 0.7}).simulation(),
        swing.with_force("f", [("rod", (0, 0, 0))], lambda t, x, v: -v).simulation(),
        swing.simulation(coordinates="reference"),
    ]
    for other in others:
        with pytest.raises(tr.ModelError, match=told):
            sim.state = other.state
    with pytest.raises(tr.ModelError, match="b'' is no state; give what sim.state gave"):
        sim.state = b""  # type: ignore[assignment]
    assert sim.t == 0


def test_states_go_between_methods_of_one_model(swing: tr.Mechanism) -> None:
    one, other = swing.simulation(tolerance=1e-9), swing.simulation(step=1e-3)
    one.advance(0.5)
    other.state = one.state
    assert other.t == 0.5 and other["rod.angle"] == one["rod.angle"]
