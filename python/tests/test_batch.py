"""Batches of runs."""

import pathlib
import pickle
import re
from typing import Any

import numpy as np
import pytest

import trammel as tr


@pytest.fixture
def swing() -> tr.Mechanism:
    """A rod that swings about O, of length L and mass m."""
    return tr.Mechanism(
        {
            "plane": "xy",
            "gravity": [0, -9.81],
            "parameters": {"m": 2, "L": 1, "g": 9.81},
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": ["L", 0]},
            "bodies": {"rod": {"rod": ["O", "A"], "mass": "m"}},
            "simulate": {"duration": 1, "tolerance": 1e-8},
            "outputs": {"interval": 0.01},
        }
    )


VALUES = {"L": np.linspace(0.5, 1.5, 7), "m": 3.0}


def test_a_batch_is_its_runs(swing: tr.Mechanism) -> None:
    r = tr.batch(swing, VALUES, observe=["O.force.y", "rod.angle"]).run(threads=2)
    assert r.columns == ["O.force.y", "rod.angle"]
    assert r["rod.angle"].shape == (7, len(r.t))
    assert set(r.status) == {"ok"}
    for i, length in enumerate(VALUES["L"]):
        alone = swing.with_(L=float(length), m=3.0).run(verify=False)
        np.testing.assert_array_equal(r["O.force.y"][i], alone["O.force.y"])
        np.testing.assert_allclose(r.t, alone.t, rtol=1e-15)
        assert r.results[i].parameters == {"L": length, "m": 3.0}
        np.testing.assert_array_equal(r.results[i]["rod.angle"], alone["rod.angle"])


def test_a_closed_loop_whose_rough_places_move_has_the_bits_of_its_run(models: pathlib.Path) -> None:
    loop = tr.load(models / "four-bar.yaml", {"parameters": {"m": 1.2}, "bodies.coupler.mass": "m", "simulate.duration": 0.5})
    alone = loop.run(verify=False)
    assert alone.summary["assembly"]["largest_move"] > 1e-3
    r = tr.batch(loop, {"m": [1.2]}).run(threads=1)
    for name in r.columns:
        np.testing.assert_array_equal(r[name][0], alone[name], err_msg=name)


def test_two_threads_give_the_bits_of_one(swing: tr.Mechanism) -> None:
    batch = tr.batch(swing, {"L": np.linspace(0.5, 1.5, 12)})
    one, two = batch.run(threads=1), batch.run(threads=2)
    assert len(one.columns) > 10
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])


def test_columns_are_not_copied(swing: tr.Mechanism) -> None:
    r = tr.batch(swing, VALUES, observe=["rod.angle", "rod.omega"]).run()
    first, second = r["rod.angle"], r["rod.omega"]
    assert second.__array_interface__["data"][0] == first.__array_interface__["data"][0] + first.nbytes
    with pytest.raises(ValueError):
        first[0, 0] = 1


@pytest.mark.parametrize("form", ["mapping", "list", "structured", "pandas"])
def test_parameters_come_in_many_forms(swing: tr.Mechanism, form: str) -> None:
    pandas = pytest.importorskip("pandas")
    lengths, masses = [0.5, 1.0], [1.0, 2.0]
    rows = list(zip(lengths, masses))
    given = {
        "mapping": {"L": lengths, "m": masses},
        "list": [{"L": length, "m": mass} for length, mass in rows],
        "structured": np.array(rows, dtype=[("L", float), ("m", float)]),
        "pandas": pandas.DataFrame({"L": lengths, "m": masses}, index=[7, 9]),
    }[form]
    r = tr.batch(swing, given, observe=["rod.y"]).run()
    np.testing.assert_array_equal(r.parameters["L"], lengths)
    np.testing.assert_array_equal(r.parameters["m"], masses)
    assert r["rod.y"].min() == pytest.approx(-0.5, abs=1e-3)


def test_a_run_that_fails_stops_no_other(swing: tr.Mechanism) -> None:
    with pytest.warns(tr.RunWarning, match="1 of 3 runs failed; the first, run 1: .*mass"):
        r = tr.batch(swing, {"m": [1, -1, 2]}, observe=["rod.y"]).run()
    assert list(r.failed) == [False, True, False]
    assert np.isnan(r["rod.y"][1]).all() and np.isfinite(r["rod.y"][[0, 2]]).all()
    assert r.results[1].message == r.messages[1] != ""


def test_a_run_that_ends_early_is_nan_from_there(swing: tr.Mechanism) -> None:
    ends = swing.with_({"simulate.stop-when": "rod.rate < -3"})
    r = tr.batch(ends, {"L": [0.5, 2.0, 5.0]}, observe=["rod.omega"]).run()
    for i in range(3):
        np.testing.assert_array_equal(np.isnan(r["rod.omega"][i]), r.t > r.time[i])
    assert r.last("rod.omega")[0] == pytest.approx(-3, abs=1e-6)


def test_errors_are_estimated_if_asked_for(swing: tr.Mechanism) -> None:
    batch = tr.batch(swing, {"L": [1.0, 1.1]}, observe=["rod.angle"])
    assert np.isnan(batch.run().error("rod.angle")).all()
    error = batch.run(verify=True, tolerance=1e-6).error("rod.angle")
    fine = batch.run(tolerance=1e-12)["rod.angle"]
    coarse = batch.run(tolerance=1e-6)["rod.angle"]
    assert np.abs(coarse - fine).max() < 3 * error.max() < 1e-3


def test_tables_for_other_programs(swing: tr.Mechanism) -> None:
    pytest.importorskip("pandas")
    r = tr.batch(swing, VALUES, observe=["O.force.y"]).run()
    frame = r.frame()
    assert list(frame.columns) == ["run", "t", "L", "m", "O.force.y"]
    assert len(frame) == 7 * len(r.t)
    np.testing.assert_array_equal(frame[frame.run == 3]["O.force.y"], r["O.force.y"][3])
    pytest.importorskip("xarray")
    data = r.xarray()
    assert data["O.force.y"].dims == ("run", "t")
    assert data["O.force.y"].attrs["units"] == "N"
    assert data.t.attrs["units"] == "s"
    np.testing.assert_array_equal(data.L, VALUES["L"])


def test_results_pickle(swing: tr.Mechanism) -> None:
    r = tr.batch(swing, VALUES, observe=["O.force.y"]).run()
    again = pickle.loads(pickle.dumps(r))
    np.testing.assert_array_equal(again["O.force.y"], r["O.force.y"])
    assert repr(again) == repr(r)


def test_mistakes_get_advice(swing: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="no parameter 'l'"):
        tr.batch(swing, {"l": [1]}).run()
    with pytest.raises(tr.ModelError, match="did you mean 'rod.angle'"):
        tr.batch(swing, {"L": [1]}, observe=["rod.angel"]).run()
    with pytest.raises(tr.ModelError, match="L has 2, m has 3"):
        tr.batch(swing, {"L": [1, 2], "m": [1, 2, 3]})
    with pytest.raises(tr.ModelError, match="run 1 and run 0 do not have the same parameters: m"):
        tr.batch(swing, [{"L": 1}, {"L": 1, "m": 2}])
    with pytest.raises(tr.ModelError, match="needs names"):
        tr.batch(swing, np.zeros((2, 3)))
    with pytest.raises(tr.ModelError, match="'m'.*SI units"):
        tr.batch(swing, {"m": ["2 kg"]})
    with pytest.raises(tr.ModelError, match="at least one"):
        tr.batch(swing, {"m": []})
    with pytest.raises(KeyError, match="rod.y"):
        tr.batch(swing, {"m": [1]}, observe=["rod.y"]).run()["rod.yy"]


def _threads() -> int:
    return len(list(pathlib.Path("/proc/self/task").iterdir()))


def test_no_more_threads_than_runs(swing: tr.Mechanism) -> None:
    before, most = _threads(), 0

    def count(t: float, x: Any, v: Any) -> Any:
        nonlocal most
        most = max(most, _threads())
        return 0 * v

    m = swing.with_force("f", [("rod", (0, 0, 0))], count, derivatives="differences")
    tr.batch(m, {"m": [1, 2]}, observe=["rod.y"]).run(threads=1000, duration=0.05)
    assert most <= before + 2  # the thread that begins the runs is one of two


def test_what_a_function_raises_is_told_of_its_run(swing: tr.Mechanism) -> None:
    def breaks(t: float, x: Any, v: Any) -> Any:
        return 1 / 0 if t > 0.5 else -v

    def none(t: float, x: Any, v: Any) -> Any:
        return None if t > 0.5 else -v

    for function, told in (
        (breaks, r"ZeroDivisionError: division by zero, in force 'f', at t = 0.5\d* s; mend the function, or end before"),
        (none, r"force 'f' is None at t = 0.5\d* s; return numbers of the shape \(1, 3\), a row for each point"),
    ):
        m = swing.with_force("f", [("rod", (0, 0, 0))], function, derivatives="differences")
        with pytest.warns(tr.RunWarning, match="2 of 2 runs failed"):
            r = tr.batch(m, {"m": [1, 2]}, observe=["rod.y"]).run()
        assert all(re.fullmatch(told, message) for message in r.messages), r.messages


def test_less_than_one_thread(swing: tr.Mechanism) -> None:
    with pytest.raises(ValueError, match="threads is 0; give 1 or more"):
        tr.batch(swing, VALUES).run(threads=0)


def test_the_compiled_engine_agrees_and_says_what_it_is(swing: tr.Mechanism, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    text = swing.text.replace('"tolerance": 1e-08', '"step": 0.001')
    assert "0.001" in text
    batch = tr.batch(tr.loads(text), VALUES, observe=["O.force.y", "rod.angle"])
    tables, compiled = batch.run(), batch.run(engine="compiled")
    assert tables.engine == "tables"
    assert compiled.engine.startswith("compiled: ") and set(compiled.status) == {"ok"}
    for name in tables:
        np.testing.assert_allclose(compiled[name], tables[name], rtol=1e-8, atol=1e-8)
    assert list(tmp_path.glob("trammel/kernels/*.so"))


def test_what_has_no_kernel_goes_by_tables_with_a_warning(swing: tr.Mechanism) -> None:
    batch = tr.batch(swing, VALUES, observe=["rod.angle"])
    with pytest.warns(tr.RunWarning, match="by tables: it takes steps of one size"):
        r = batch.run(engine="compiled")
    np.testing.assert_array_equal(r["rod.angle"], batch.run()["rod.angle"])
    with pytest.raises(tr.ModelError, match="there is no engine 'gpu'"):
        batch.run(engine="gpu")


def test_the_first_part_of_names_stands_for_all_columns_with_it(pendulum: tr.Mechanism) -> None:
    r = tr.batch(pendulum, {"m": [1, 2]}, observe=["O.force", "rod.angle", "O.force.x"]).run(duration=0.1, progress=False)
    assert r.columns == ["O.force.x", "O.force.y", "rod.angle"]
    whole = pendulum.with_(m=2).run(duration=0.1, progress=False)
    assert np.array_equal(r["O.force.y"][1], whole["O.force.y"])
    with pytest.raises(tr.ModelError, match="there is no column 'O.for'; there are of 'O': "):
        tr.batch(pendulum, {"m": [1, 2]}, observe=["O.for"]).run(progress=False)
