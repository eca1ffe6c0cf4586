"""Analyses from Python, against closed forms."""

import numpy as np
import pytest
import trammel as tr

PENDULUM = {
    "plane": "xy",
    "gravity": [0, -9.81],
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [0.6, -0.8]},
    "bodies": {"rod": {"rod": ["O", "A"], "mass": 2}},
    "inputs": {"M": 0},
    "forces": {"motor": {"torque": "M", "on": "rod"}},
    "outputs": {"columns": {"x": "A.x"}},
}


def test_a_pendulum_hangs() -> None:
    found = tr.solve.equilibrium(tr.Mechanism(PENDULUM), stable=True).found
    assert len(found) == 1 and found[0]["stable"]
    assert found[0]["bodies"]["rod"]["y"] == pytest.approx(-0.5, abs=1e-12)
    load = found[0]["reactions"]["O"]["loads"][0]
    assert load["force"] == pytest.approx([0, 2 * 9.81, 0], abs=1e-9)


def test_all_equilibria_of_a_pendulum() -> None:
    found = tr.solve.equilibrium(tr.Mechanism(PENDULUM), starts=30).found
    assert [one["kind"] for one in found] == ["stable", "unstable"]


@pytest.mark.parametrize("coordinates", ["natural", "reference", "relative"])
def test_transfer_function_of_a_pendulum(coordinates: str) -> None:
    """x = M L / (J (ω₀² − ω²)), J = m L²/3, ω₀² = 3 g/(2 L)."""
    modes = tr.solve.modes(tr.Mechanism(PENDULUM), at="stable", coordinates=coordinates)
    w0 = np.sqrt(1.5 * 9.81)
    assert modes.eigenvalues == pytest.approx([1j * w0], abs=1e-9)
    for w in (0.5, 2.0, 9.0):
        G = modes.C @ np.linalg.solve(1j * w * np.eye(2) - modes.A, modes.B) + modes.D
        assert G[0, 0] == pytest.approx(1 / (2 / 3 * (w0**2 - w**2)), abs=1e-9)


def test_no_equilibrium_is_told() -> None:
    falling = tr.Mechanism({"plane": "xy", "gravity": [0, -9.81], "bodies": {"stone": {"mass": 1, "inertia": 1}}})
    with pytest.raises(tr.StepError, match="no equilibrium was found"):
        tr.solve.equilibrium(falling)


def test_modes_somewhere_else_are_refused() -> None:
    with pytest.raises(ValueError, match="none of"):
        tr.solve.modes(tr.Mechanism(PENDULUM), at="top")  # type: ignore[arg-type]


FOUR_BAR = {
    "plane": "xy",
    "gravity": [0, -9.81],
    "points": {"A": {"at": [0, 0], "on": "ground"}, "D": {"at": [3.5, 0], "on": "ground"}, "B": [1, 0.1], "C": [4, 2.9]},
    "bodies": {
        "crank": {"rod": ["A", "B"], "mass": 1, "length": 1},
        "coupler": {"rod": ["B", "C"], "mass": 1, "length": 4},
        "rocker": {"rod": ["D", "C"], "mass": 1, "length": 3},
    },
    "drivers": {"motor": {"angle": "crank", "equals": "2*pi*t"}},
    "simulate": {"duration": 1},
}


def test_branches_of_a_four_bar() -> None:
    found = tr.solve.positions(tr.Mechanism(FOUR_BAR), starts=50)
    assert len(found.branches) == 2 and not found.held
    assert found.figures["search"]["starts"] == 50


def test_a_four_bar_satisfies_freudensteins_equation() -> None:
    k = tr.solve.kinematics(tr.Mechanism(FOUR_BAR), rows=90, ratio_to="motor", curves=["C"])
    theta, psi = k["crank.angle"], k["rocker.angle"]
    left = 3.5 * np.cos(psi) - 3.5 / 3 * np.cos(theta) + (1 - 16 + 9 + 3.5**2) / 6
    assert left == pytest.approx(np.cos(theta - psi), abs=1e-12)
    assert np.abs(k["C.curve.curvature"]) == pytest.approx(np.full(91, 1 / 3), abs=1e-9)
    assert k.singular == [] and k.units["D.ratio"] == ""
    with pytest.raises(KeyError, match="there is no column 'E'"):
        k["E"]


def test_effort_of_a_driver_balances_the_energy() -> None:
    r = tr.solve.inverse(tr.Mechanism(FOUR_BAR), rows=1000)
    energy = r["energy.kinetic"] + r["energy.potential"]
    power = 2 * np.pi * r["motor.effort"]
    change = (energy[2:] - energy[:-2]) / (r.t[2:] - r.t[:-2])
    assert power[1:-1] == pytest.approx(change, abs=2e-3 * np.max(np.abs(power)))
    free = {key: value for key, value in FOUR_BAR.items() if key != "drivers"}
    with pytest.raises(tr.StepError, match="nothing drives"):
        tr.solve.inverse(tr.Mechanism(free))


def test_two_links_reach_a_ring() -> None:
    arm = tr.Mechanism(
        {
            "plane": "xy",
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0], "P": [1.3, 0.4]},
            "bodies": {"first": {"rod": ["O", "A"], "mass": 1}, "second": {"rod": ["A", "P"], "mass": 1}},
        }
    )
    found = tr.solve.workspace(arm, "P")
    assert found.area == pytest.approx(4 * np.pi * 0.5, abs=1e-3)
    assert len(found.boundary) == 2 and found.points.shape[1] == 2


def test_stable_or_many() -> None:
    with pytest.raises(ValueError, match="either stable or starts"):
        tr.solve.equilibrium(tr.Mechanism(PENDULUM), stable=True, starts=3)
