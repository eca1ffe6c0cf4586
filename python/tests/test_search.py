"""Fits and optimizations from Python, against closed forms."""

import pathlib
from typing import Any

import numpy as np
import pytest

import trammel as tr

MODEL = """
trammel: 1
name: oscillator
plane: xy
parameters: {m: 2 kg, k: 0.05 kN/m, c: 1 N.s/m}   # as on the drawing
bodies: {a: {mass: m, inertia: 1, at: [0.1, 0]}}
joints: {s: {prismatic: [a, ground], axis: [1, 0], at: [0, 0]}}
forces: {spring: {force: [-k*a.x - c*a.vx, 0], at: a.com}}
simulate: {duration: 2 s, step: 5 ms}
"""
T = np.linspace(0, 2, 101)
NOISE = 1e-3


@pytest.fixture
def m() -> tr.Mechanism:
    return tr.loads(MODEL)


def position(t: Any, m: float = 2, k: float = 40, c: float = 1.5) -> Any:
    """x = 0.1 e^(−δt)(cos ωt + (δ/ω) sin ωt)."""
    delta = c / (2 * m)
    omega = np.sqrt(k / m - delta**2)
    return 0.1 * np.exp(-delta * t) * (np.cos(omega * t) + delta / omega * np.sin(omega * t))


def data() -> dict[str, Any]:
    return {"a.x": position(T) + NOISE * np.random.default_rng(3).normal(size=T.size), "t": T}


def test_a_fit_finds_the_values_and_their_spread(m: tr.Mechanism) -> None:
    found = tr.fit(m, data(), ["k", "c"], progress=False)
    assert found.parameters["k"].low < 40 < found.parameters["k"].high
    assert found.parameters["c"].low < 1.5 < found.parameters["c"].high
    # The standard errors of the linearized problem, with derivatives of the closed form.
    h = 1e-5
    J = np.stack([(position(T, k=40 + h) - position(T, k=40 - h)) / (2 * h), (position(T, c=1.5 + h) - position(T, c=1.5 - h)) / (2 * h)], axis=1)
    expected = NOISE * np.sqrt(np.diag(np.linalg.inv(J.T @ J)))
    # The deviation of 101 measurements is known to 7 %.
    np.testing.assert_allclose([found.parameters[name].error for name in ("k", "c")], expected, rtol=0.25)
    assert found.columns["a.x"].deviation == pytest.approx(NOISE, rel=0.25)
    np.testing.assert_allclose(found.columns["a.x"].fitted, position(T, k=found["k"], c=found["c"]), atol=2e-5)
    assert found.correlation.shape == (2, 2) and found.correlation[0, 0] == pytest.approx(1)
    assert found.mechanism.parameters["k"] == found["k"]
    assert dict(found) == {"k": found["k"], "c": found["c"]}


def test_the_fitted_model_keeps_comments_and_units(m: tr.Mechanism) -> None:
    found = tr.fit(m, data(), ["k"], progress=False)
    assert "# as on the drawing" in found.model and " kN/m, c: 1 N.s/m}" in found.model


def test_joint_intervals_are_wider(m: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    each = tr.fit(m, data(), ["k", "c"], progress=False, out=tmp_path / "fit").parameters["k"]
    both = tr.fit(m, data(), ["k", "c"], joint=True, progress=False, out=tmp_path / "fit", resume=True)
    assert both.runs == 0 and both.resumed > 0
    # Student's quantiles of 99 freedoms, for 0.9875 and 0.975.
    ratio = (both.parameters["k"].high - both.parameters["k"].low) / (each.high - each.low)
    assert ratio == pytest.approx(2.2760 / 1.9842, rel=1e-4)


def test_starts_bounds_and_other_names(m: tr.Mechanism) -> None:
    measured = data()
    millimetres = {"t": T, "x": 1000 * measured["a.x"]}
    found = tr.fit(m, millimetres, {"k": (50, 10, 100), "c": 1.0}, compare={"x": "1000*a.x"}, progress=False)
    again = tr.fit(m, measured, {"k": "50:10:100", "c": None}, progress=False)
    assert found["k"] == pytest.approx(again["k"], rel=1e-6)


def test_mistakes_of_fits_are_told(m: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    for given, words in [
        ({"parameters": ["kk"]}, "there is no parameter 'kk'"),
        ({"parameters": []}, "give parameters="),
        ({"parameters": "k"}, "give a list"),
        ({"parameters": {"k": (1, 2)}}, r"give None, a number, or \(start, low, high\)"),
        ({"data": {"a.x": [1, 2]}}, "data has no column 't'"),
        ({"data": {"t": [1, 2], "a.x": [1]}}, "different lengths"),
        ({"data": 3}, "neither a path nor columns of numbers"),
        ({"confidence": 1.5}, "from 0.5 to below 1"),
        ({"durtion": 3}, "has no option 'durtion'"),
    ]:
        with pytest.raises(tr.ModelError, match=words):
            tr.fit(m, **{"data": data(), "parameters": ["k"], "progress": False, **given})  # type: ignore[arg-type]
    tr.fit(m, data(), ["k"], out=tmp_path / "fit", progress=False)
    with pytest.raises(tr.ModelError, match="resume=True goes on with it"):
        tr.fit(m, data(), ["k"], out=tmp_path / "fit", progress=False)
    found = tr.fit(m, data(), ["k"], progress=False)
    with pytest.raises(tr.UnknownName, match="the fit has no parameter 'kk'"):
        found["kk"]
    with pytest.raises(tr.StepError, match="has not converged: there is no run at the start"):
        tr.fit(m, data(), {"m": (-1, -2, 1)}, progress=False)


def test_an_optimum_is_that_of_the_closed_form(m: tr.Mechanism) -> None:
    free = m.with_(c=0)
    best = tr.optimize(free, minimize="abs(first_time(a.x < 0) - 0.3)", over={"k": (20, 120)}, method="local", evaluations=150, progress=False)
    # A quarter of a period, π/2 √(m/k); straight lines between rows of 5 ms.
    assert best["k"] == pytest.approx(2 * (np.pi / 2 / 0.3) ** 2, abs=0.2)
    assert best.objective < 1e-4 and best.mechanism.parameters["k"] == best["k"]
    assert (np.diff(best.history) <= 0).all() and best.history[-1] == best.objective


def test_an_optimum_meets_its_conditions(m: tr.Mechanism) -> None:
    best = tr.optimize(m.with_(c=0), maximize="m + 0*peak(a.x)", over={"m": "1:4"}, subject_to=["first_time(a.x < 0) < 0.3"], method="local", evaluations=120, progress=False)
    assert best["m"] == pytest.approx(50 * (0.3 * 2 / np.pi) ** 2, abs=0.02)
    assert best.constraints[0] <= 1e-8


def test_mistakes_of_optimizations_are_told(m: tr.Mechanism) -> None:
    for given, words in [
        ({"over": {}}, "give over="),
        ({"over": {"k": 3}}, r"give \(low, high\)"),
        ({"minimize": ""}, "give one of minimize and maximize"),
        ({"minimize": 3}, "minimize is 3"),
        ({"method": "best"}, "there is no method 'best'"),
        ({"subject_to": "peak(a.x) < 1"}, "give a list"),
    ]:
        with pytest.raises(tr.ModelError, match=words):
            tr.optimize(m, **{"minimize": "peak(a.x)", "over": {"k": (1, 3)}, "progress": False, **given})  # type: ignore[arg-type]


def test_a_parameter_that_the_data_do_not_determine_is_named() -> None:
    # The period of a pendulum does not depend on its mass.
    m = tr.Mechanism(
        {
            "plane": "xy",
            "gravity": [0, -9.81],
            "parameters": {"L": "1 m", "mass": "2 kg"},
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": ["L", 0]},
            "bodies": {"rod": {"rod": ["O", "A"], "mass": "mass", "length": "L"}},
            "outputs": {"interval": 0.02},
            "simulate": {"duration": 2},
        }
    )
    truth = m.with_(L=0.8).run(verify=False)
    measured = {"t": truth.t, "A.y": truth["A.y"] + 1e-3 * np.random.default_rng(0).normal(size=truth.t.size)}
    alone = tr.fit(m, measured, ["L"])
    with pytest.warns(tr.RunWarning, match="the measurements do not determine mass"):
        both = tr.fit(m, measured, ["L", "mass"])
    assert both["mass"] == 2 and both.parameters["mass"].error == np.inf
    assert "mass is not determined" in repr(both)
    assert both.parameters["L"].error == pytest.approx(alone.parameters["L"].error, rel=0.01)
    assert abs(both["L"] - 0.8) < 3 * both.parameters["L"].error


def test_messages_speak_of_the_data_that_were_given(m: tr.Mechanism) -> None:
    x = data()["a.x"]
    for given, told in (
        ({"t": T, "a.x": np.where(T == T[5], np.nan, x)}, r"data\['a.x'\]\[5\] is nan; give finite numbers"),
        ({"t": [], "a.x": []}, "data has no rows"),
        ({"t": T[::-1], "a.x": x}, r"the times data\['t'\] must be 0 or more and increase; sort"),
        ({"t": T, "a.z": x}, "column 'a.z' of the data: unknown name 'a.z': did you mean 'a.x'.*compare={COLUMN: EXPRESSION}"),
        ({"t": [0.0], "a.x": [0.1]}, "no time is after the start"),
    ):
        with pytest.raises(tr.ModelError, match=told) as caught:
            tr.fit(m, given, ["k"])
        assert "/tmp" not in str(caught.value) and "column0" not in str(caught.value)
    with pytest.raises(FileNotFoundError):
        tr.fit(m, "no.csv", ["k"])


def test_a_search_that_has_not_converged_says_so(m: tr.Mechanism) -> None:
    best = tr.optimize(m, minimize="abs(at(a.x, 0.5))", over={"k": (20, 60)}, evaluations=3)
    assert not best.converged and "not converged" in repr(best)
