"""Sweeps from Python: plans, results, executors, mistakes."""

import concurrent.futures
import multiprocessing
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import trammel as tr

MODEL = """
trammel: 1
name: oscillator
plane: xy
parameters: {m: 2 kg, k: 50 N/m}
bodies: {a: {mass: m, inertia: 1, at: [0.1, 0]}}
joints: {s: {prismatic: [a, ground], axis: [1, 0], at: [0, 0]}}
forces: {spring: {force: [-k*a.x, 0], at: a.com}}
simulate: {duration: 0.5 s, step: 5 ms}
sweep: {vary: {m: [1, 2]}, observe: {zero: first_time(a.x < 0)}}
"""


@pytest.fixture
def m() -> tr.Mechanism:
    return tr.loads(MODEL)


def sampled(m: tr.Mechanism) -> tr.Sweep:
    return tr.sweep(m, sample={"m": "uniform(1, 3)", "k": "normal(50, 5)"}, runs=100, design="sobol", observe=["first_time(a.x < 0)"])


def test_columns_agree_with_the_closed_form(m: tr.Mechanism) -> None:
    r = sampled(m).run(progress=False)
    # Straight lines between rows of 5 ms, and the rule's own error.
    np.testing.assert_allclose(r["first_time(a.x < 0)"], np.pi / 2 * np.sqrt(r["m"] / r["k"]), atol=3e-4)
    assert (r.status == "ok").all() and not r.failed.any()
    assert r.units == {"first_time(a.x < 0)": "s"}
    assert len(r.frame()) == 100


def test_grids_are_numbers_texts_or_the_section(m: tr.Mechanism) -> None:
    for vary in ({"m": [1, 2]}, {"m": np.array([1.0, 2.0])}, {"m": "1, 2"}, ["m=1, 2"]):
        s = tr.sweep(m, vary=vary, observe={"zero": "first_time(a.x < 0)"})
        assert len(s) == 2 and s.values(1) == {"m": 2.0} and s.observations == ["zero"]
    assert len(tr.sweep(m)) == 2
    assert tr.sweep(m).run(progress=False).keys() == {"m", "zero"}


def test_a_plan_pickles(m: tr.Mechanism) -> None:
    s = tr.sweep(m, vary={"m": [1, 2]}, observe={"zero": "first_time(a.x < 0)"}, duration=0.3)
    again = pickle.loads(pickle.dumps(s))
    assert again.values(1) == s.values(1) and again.observations == ["zero"]
    np.testing.assert_array_equal(again.run(progress=False)["zero"], s.run(progress=False)["zero"])


def test_curves_have_a_row_for_each_run(m: tr.Mechanism) -> None:
    r = tr.sweep(m, vary={"m": "1:2:5"}, observe={"x": "curve(a.x, 0, 0.5, 11)"}).run(progress=False)
    assert r["x"].shape == (5, 11)
    np.testing.assert_allclose(r.points("x"), np.linspace(0, 0.5, 11))


def test_options_are_those_of_a_run(m: tr.Mechanism) -> None:
    r = tr.sweep(m, vary={"m": [1, 2]}, observe=["final(t)"], duration=0.1).run(progress=False)
    np.testing.assert_allclose(r["final(t)"], 0.1)


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_executors_leave_the_same_file(m: tr.Mechanism, tmp_path: pathlib.Path, kind: str) -> None:
    sampled(m).run(tmp_path / "here", progress=False, threads=1)
    pool: Any
    if kind == "processes":
        pool = concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    else:
        pool = concurrent.futures.ThreadPoolExecutor(2)
    with pool:
        sampled(m).run(tmp_path / "there", executor=pool, progress=False)
    assert (tmp_path / "there/sweep.h5").read_bytes() == (tmp_path / "here/sweep.h5").read_bytes()
    assert tr.read_sweep(tmp_path / "there")["m"].shape == (100,)


def test_failed_runs_are_rows(m: tr.Mechanism) -> None:
    with pytest.warns(tr.RunWarning, match="1 of 3 runs failed; the first, run 1: "):
        r = tr.sweep(m, vary={"m": [1, -1, 2]}, observe=["peak(a.x)"]).run(progress=False)
    assert r.failed.tolist() == [False, True, False]
    assert np.isnan(r["peak(a.x)"][1])


def test_mistakes_are_told(m: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    with pytest.raises(tr.ModelError, match="there is no parameter 'mm'"):
        tr.sweep(m, vary={"mm": [1, 2]}, observe=["peak(a.x)"])
    with pytest.raises(tr.ModelError, match="there is no distribution 'nrmal'; did you mean 'normal'"):
        tr.sweep(m, sample={"m": "nrmal(1, 2)"}, runs=5, observe=["peak(a.x)"])
    with pytest.raises(tr.ModelError, match="give a text or numbers in SI units"):
        tr.sweep(m, vary={"m": object()}, observe=["peak(a.x)"])
    with pytest.raises(tr.ModelError, match="has no option 'durtion'"):
        tr.sweep(m, vary={"m": [1, 2]}, durtion=3)
    with pytest.raises(TypeError, match="needs a Mechanism"):
        tr.sweep("model.yaml", vary={"m": [1, 2]})  # type: ignore[arg-type]
    sampled(m).run(tmp_path, progress=False, resume=True)
    with pytest.raises(tr.ModelError, match="resume"):
        sampled(m).run(tmp_path, progress=False)
    r = sampled(m).run(tmp_path, progress=False, resume=True)
    assert r.summary["resumed"] == 100
    with pytest.raises(tr.UnknownName, match="the sweep has no column 'mm'"):
        r["mm"]
