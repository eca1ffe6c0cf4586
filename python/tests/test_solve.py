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
    found = tr.solve.equilibrium(tr.Mechanism(PENDULUM), starts=10).found
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
