"""Analyses from Python, against closed forms."""

import pathlib

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
    np.testing.assert_array_equal(k.frame()["C.curve.x"], k["C.curve.x"])
    assert k.columns[0] == "t" and k.table.shape == (91, len(k))


def test_effort_of_a_driver_balances_the_energy() -> None:
    r = tr.solve.inverse(tr.Mechanism(FOUR_BAR), rows=1000)
    energy = r["energy.kinetic"] + r["energy.potential"]
    power = 2 * np.pi * r["motor.effort"]
    change = (energy[2:] - energy[:-2]) / (r.t[2:] - r.t[:-2])
    assert power[1:-1] == pytest.approx(change, abs=2e-3 * np.max(np.abs(power)))
    free = {key: value for key, value in FOUR_BAR.items() if key != "drivers"}
    with pytest.raises(tr.ModelError, match="nothing drives"):
        tr.solve.inverse(tr.Mechanism(free))


def test_two_links_reach_a_ring() -> None:
    arm = tr.Mechanism(
        {
            "plane": "xy",
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0], "P": [1.3, 0.4]},
            "bodies": {"first": {"rod": ["O", "A"], "mass": 1}, "second": {"rod": ["A", "P"], "mass": 1}},
        }
    )
    found = tr.solve.workspace(arm)  # of P, the last point that moves
    assert found.area == pytest.approx(4 * np.pi * 0.5, abs=1e-3)
    assert found.area_error is not None and abs(found.area - 2 * np.pi) < 3 * found.area_error < 1e-2 and found.covered
    assert len(found.boundary) == 2 and found.points.shape[1] == 2


def test_mistakes_are_told_apart() -> None:
    driven, free = tr.Mechanism(FOUR_BAR), tr.Mechanism(PENDULUM)
    for unknown in (
        lambda: tr.solve.workspace(free, "Q"),
        lambda: tr.solve.kinematics(driven, curves=["Q"]),
        lambda: tr.solve.kinematics(driven, ratio_to="Q"),
        lambda: tr.solve.kinematics(driven, drive=("Q", 0, 1, 3)),
    ):
        with pytest.raises(tr.UnknownName, match="'Q'"):
            unknown()
    with pytest.raises(tr.ModelError, match="give step="):
        tr.solve.stability(free)
    assert len(tr.solve.inverse(driven, rows=5).doubtful) == 0 and len(tr.solve.kinematics(driven, rows=5).doubtful) == 0


def test_stable_or_many() -> None:
    with pytest.raises(ValueError, match="either starts or stable"):
        tr.solve.equilibrium(tr.Mechanism(PENDULUM), stable=True, starts=3)


def test_a_truss_snaps_through(models: pathlib.Path) -> None:
    """P = 2 k y (L₀/L − 1), L² = b² + y²; the load is largest where L³ = L₀ b²."""
    path = tr.solve.equilibrium(tr.load(models / "truss.yaml"), along={"P": (0, 100)})
    assert path.complete and path.message == "" and path.parameter == "P" and path.units["C.y"] == "m"
    assert path["P"][0] == 0 and path["P"][-1] == pytest.approx(100)
    k, b, rest = 1000, 1, np.hypot(1, 0.4)
    y = path["C.y"]
    assert path["P"] == pytest.approx(2 * k * y * (rest / np.hypot(b, y) - 1), abs=1e-6)
    long = np.cbrt(rest * b**2)
    limit = 2 * k * np.sqrt(long**2 - b**2) * (rest / long - 1)
    assert path.limits == pytest.approx([limit, -limit], rel=1e-6)
    assert path.changes.size == 0
    between = np.abs(y) < 0.999 * np.sqrt(long**2 - b**2)
    assert set(path.kinds[between]) == {"unstable"} and path.kinds[0] == path.kinds[-1] == "stable"
    assert path.frame().index.name == "P"


def test_mistakes_of_a_path(models: pathlib.Path) -> None:
    truss = tr.load(models / "truss.yaml")
    for along in ("P=0:100", {"P": 3}, {"P": (0, 1), "k": (0, 1)}, {"P": ("a", "b")}, {}, {"P": (0, np.nan)}):
        with pytest.raises(tr.ModelError, match=r"as along={'P': \(0, 100\)}"):
            tr.solve.equilibrium(truss, along=along)  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError, match="goes from one value of 'P' to another; give two"):
        tr.solve.equilibrium(truss, along={"P": (1, 1)})
    with pytest.raises(tr.ModelError, match="there is no parameter 'Q'"):
        tr.solve.equilibrium(truss, along={"Q": (0, 1)})
    with pytest.raises(tr.ModelError, match="either starts or along"):
        tr.solve.equilibrium(truss, along={"P": (0, 1)}, starts=3)  # type: ignore[call-overload]
    with pytest.raises(tr.ModelError, match="points are those of a path"):
        tr.solve.equilibrium(truss, points=3)
    with pytest.warns(tr.RunWarning, match="the path ends at P = "):
        path = tr.solve.equilibrium(truss, along={"P": (0, 100)}, points=3)
    assert not path.complete and path.message and len(path.kinds) == 3


def test_frequencies_over_a_parameter() -> None:
    """ω² = 3 g/(2 L); there is none where the mass is negative."""
    m = tr.Mechanism({**PENDULUM, "parameters": {"g": 9.81, "m": 2}, "gravity": [0, "-g"], "bodies": {"rod": {"rod": ["O", "A"], "mass": "m"}}})
    modes = tr.solve.modes(m, at="stable", vary={"g": np.linspace(2, 20, 7)})
    assert modes.parameter == "g" and modes.values == pytest.approx(np.linspace(2, 20, 7))
    assert [roots.imag[0] for roots in modes.locus] == pytest.approx(np.sqrt(1.5 * modes.values), abs=1e-9)
    broken = tr.solve.modes(m, at="stable", vary={"m": [1, -1]})
    assert len(broken.locus[0]) == 1 and len(broken.locus[1]) == 0 and "mass" in broken.varied[1]["error"]
    with pytest.raises(tr.ModelError, match="vary: there is no parameter 'G'; did you mean 'g'"):
        tr.solve.modes(m, vary={"G": [1]})
    with pytest.raises(tr.ModelError, match=r"give finite numbers in SI units, as vary={'k': \[1, 2, 3\]}"):
        tr.solve.modes(m, vary={"g": "1:2"})


def test_frequency_response_of_a_pendulum() -> None:
    """x/M = L/(J (ω₀² − ω²))."""
    hertz = np.geomspace(0.05, 20, 40)
    modes = tr.solve.modes(tr.Mechanism(PENDULUM), at="stable", response=hertz)
    assert modes.frequencies == pytest.approx(hertz) and modes.response.shape == (1, 1, 40)
    expected = 1 / (2 / 3 * (1.5 * 9.81 - (2 * np.pi * hertz) ** 2))
    assert modes.response[0, 0] == pytest.approx(expected, rel=1e-9)
    assert tr.solve.modes(tr.Mechanism(PENDULUM)).response.shape == (1, 1, 0)
    with pytest.raises(tr.ModelError, match="frequencies are positive"):
        tr.solve.modes(tr.Mechanism(PENDULUM), response=[0, 1])
    plain = {key: value for key, value in PENDULUM.items() if key != "outputs"}
    with pytest.raises(tr.ModelError, match="needs `inputs:` and `outputs: columns:`"):
        tr.solve.modes(tr.Mechanism(plain), at="stable", response=[1, 2])


def test_a_position_that_is_not_the_nearest_is_sought_by_the_name_of_the_option() -> None:
    # From where this four-bar starts, Newton's method goes to and fro over a hill of the potential.
    linkage = tr.Mechanism(
        {
            "plane": "xy",
            "gravity": [0, -9.81],
            "points": {"O": {"at": [0, 0], "on": "ground"}, "C": {"at": [4, 0], "on": "ground"}, "A": [1, 0.01], "B": [3.5, 3]},
            "bodies": {
                "crank": {"rod": ["O", "A"], "mass": 1, "length": 1},
                "coupler": {"rod": ["A", "B"], "mass": 2, "length": 4},
                "rocker": {"rod": ["C", "B"], "mass": 3, "length": 3},
            },
        }
    )
    with pytest.raises(tr.StepError, match=r"start there, or seek a stable one \(stable=True\)"):
        tr.solve.equilibrium(linkage)
    with pytest.raises(tr.StepError, match=r'start there, or seek a stable one \(at="stable"\)'):
        tr.solve.modes(linkage)
    found = tr.solve.equilibrium(linkage, stable=True).found[0]
    assert found["kind"] == "stable" and tr.solve.modes(linkage, at="stable").modes[0]["frequency_hz"] > 0
