"""The equations of motion in independent coordinates, for integrators of others."""

import pickle
from typing import Any

import numpy as np
import pytest

import trammel as tr

scipy_integrate = pytest.importorskip("scipy.integrate")


@pytest.fixture
def four_bar() -> tr.Mechanism:
    """A crank-rocker that falls freely."""
    return tr.Mechanism(
        {
            "plane": "xy",
            "gravity": [0, -9.81],
            "parameters": {"m": 1},
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [0.3, 0.4], "B": [1.3, 0.9], "C": {"at": [1.4, 0], "on": "ground"}},
            "bodies": {
                "crank": {"rod": ["O", "A"], "mass": "m"},
                "coupler": {"rod": ["A", "B"], "mass": 2},
                "rocker": {"rod": ["B", "C"], "mass": 1},
            },
            "simulate": {"duration": 2, "tolerance": 1e-11},
            "outputs": {"interval": 0.05},
        }
    )


@pytest.fixture
def spatial() -> tr.Mechanism:
    """Two skew cranks whose ends a bar without mass holds apart."""
    return tr.Mechanism(
        {
            "gravity": [0, 0, -9.81],
            "bodies": {
                "left": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 0], "com": [0.2, 0, 0], "points": {"A": [0.4, 0, 0]}},
                "right": {"mass": 2, "inertia": [0.1, 0.1, 0.1], "at": [1, 0.2, 0.5], "com": [0, 0.2, 0], "points": {"B": [0, 0.4, 0]}},
            },
            "joints": {
                "l": {"revolute": ["left", "ground"], "at": [0, 0, 0], "axis": [0, 0.6, 0.8]},
                "r": {"revolute": ["right", "ground"], "at": [1, 0.2, 0.5], "axis": [1, 0, 0]},
                "bar": {"distance": ["left.A", "right.B"]},
            },
            "simulate": {"duration": 1, "tolerance": 1e-11},
            "outputs": {"interval": 0.05},
        }
    )


def agrees(m: tr.Mechanism, columns: list[str]) -> None:
    sim = m.simulation()
    assert len(sim.independent) == 2 * m.check().degrees_of_freedom
    r = m.run(verify=False)
    found = scipy_integrate.solve_ivp(sim.derivative, (0, m.duration), sim.y, rtol=1e-10, atol=1e-12, t_eval=r.t)
    assert found.success
    for row in range(0, len(r.t), 5):
        sim.y = found.y[:, row]
        for body in columns:
            expected = [r[f"{body}.{axis}"][row] for axis in ("xy" if m.is_planar else "xyz")]
            np.testing.assert_allclose(sim.pose(body).position[: len(expected)], expected, atol=1e-7)


def test_a_four_bar_by_scipy(four_bar: tr.Mechanism) -> None:
    agrees(four_bar, ["crank", "coupler", "rocker"])


def test_a_loop_in_space_by_scipy(spatial: tr.Mechanism) -> None:
    agrees(spatial, ["left", "right"])


def test_rates_are_those_of_the_motion(four_bar: tr.Mechanism) -> None:
    sim = four_bar.simulation()
    sim.advance(0.3)
    y, h = sim.y, 1e-5
    rate = sim.derivative(sim.t, y)
    np.testing.assert_allclose(rate[:1], y[1:], rtol=1e-13)
    before, after = four_bar.simulation(tolerance=1e-13), four_bar.simulation(tolerance=1e-13)
    before.independent = after.independent = sim.independent[:1]
    before.advance_to(0.3 - h)
    after.advance_to(0.3 + h)
    np.testing.assert_allclose(rate, (after.y - before.y) / (2 * h), atol=2e-6)


def test_names_and_values_are_those_of_the_joints(four_bar: tr.Mechanism) -> None:
    sim = four_bar.simulation()
    sim.independent = ["O.angle"]
    assert sim.independent == ["O.angle", "O.angle.rate"]
    sim.advance(0.5)
    np.testing.assert_allclose(sim.y, [sim["O.angle"], sim["O.rate"]], atol=1e-12)
    moved = sim.y + [0.1, 0.5]
    sim.y = moved
    np.testing.assert_allclose([sim["O.angle"], sim["O.rate"]], moved, atol=1e-9)
    assert sim.t == 0.5


def test_states_and_inputs_belong_to_it() -> None:
    m = tr.Mechanism(
        {
            "plane": "xy",
            "inputs": {"u": 0},
            "states": {"z": {"derivative": "-2*z + s.displacement", "initial": 1}},
            "bodies": {"cart": {"mass": 2, "inertia": 1}},
            "joints": {"s": {"prismatic": ["cart", "ground"], "axis": [1, 0]}},
            "forces": {"push": {"force": ["u + z", 0], "at": "cart.com"}},
        }
    )
    sim = m.simulation()
    assert sim.independent == ["s.displacement", "s.displacement.rate", "z"]
    sim.inputs["u"] = 3
    np.testing.assert_allclose(sim.derivative(0, [0.5, 0.1, 1.0]), [0.1, 2.0, -1.5], atol=1e-14)


def test_where_the_coordinates_turn_back_it_is_told(four_bar: tr.Mechanism) -> None:
    sim = four_bar.simulation()
    sim.independent = ["C.angle"]
    rocker: Any = sim.y
    # The rocker's angle has an end, which no crank passes.
    with pytest.raises(tr.StepError, match="C.angle no longer determines the motion.*choose other independent"):
        sim.derivative(0, rocker + [3, 0])
    np.testing.assert_allclose(sim.derivative(0, rocker)[0], rocker[1], atol=1e-12)


def test_the_coordinates_are_kept(four_bar: tr.Mechanism) -> None:
    sim = four_bar.simulation(tolerance=1e-8)
    sim.independent = ["C.angle"]
    start = sim.state
    sim.parameters["m"] = 2
    assert sim.independent == ["C.angle", "C.angle.rate"]
    sim.state = start
    assert sim.parameters["m"] == 1
    assert sim.independent == ["C.angle", "C.angle.rate"]
    copy = pickle.loads(pickle.dumps(sim))
    assert copy.independent == ["C.angle", "C.angle.rate"]
    np.testing.assert_array_equal(copy.y, sim.y)
    # So are those that were chosen automatically.
    sim.independent = []
    chosen = sim.independent
    sim.advance(0.5)
    sim.parameters["m"] = 3
    assert sim.independent == chosen


def test_coordinates_that_no_longer_fit_are_refused(four_bar: tr.Mechanism) -> None:
    sim = four_bar.simulation(tolerance=1e-10)
    sim.independent = ["C.angle"]
    # At its dead point the rocker does not determine the motion.
    sim.advance(10, until={"rocker": lambda motion: motion["C.rate"]})
    sim = pickle.loads(pickle.dumps(sim))
    with pytest.raises(tr.ModelError, match=r"C\.angle do not fit the mechanism as it is now.*\[\] to have them chosen"):
        sim.y
    sim.independent = []
    assert "C.angle" not in sim.independent


def test_mistakes_get_advice(four_bar: tr.Mechanism) -> None:
    sim = four_bar.simulation()
    with pytest.raises(tr.ModelError, match="no coordinate 'D.angle'"):
        sim.independent = ["D.angle"]
    with pytest.raises(tr.ModelError, match="name as many"):
        sim.independent = ["O.angle", "C.angle"]
    with pytest.raises(tr.ModelError, match="y has 3 entries"):
        sim.derivative(0, [0, 0, 0])
    with pytest.raises(tr.StepError, match="finite"):
        sim.derivative(0, [np.nan, 0])
