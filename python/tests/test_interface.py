"""The package as a Python programmer meets it: arrays, names, errors, pickles, threads."""

import concurrent.futures
import gc
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import trammel as tr


def test_columns_are_views_of_one_table(pendulum: tr.Mechanism) -> None:
    r = pendulum.run()
    angle = r["rod.angle"]
    assert np.shares_memory(angle, r.table)
    assert r["t"].__array_interface__["data"][0] == r.table.__array_interface__["data"][0]
    with pytest.raises(ValueError):
        angle[0] = 1


def test_arrays_outlive_their_result(pendulum: tr.Mechanism) -> None:
    r = pendulum.run()
    angle, copy = r["rod.angle"], r["rod.angle"].copy()
    del r
    gc.collect()
    pendulum.run(tolerance=1e-3)
    np.testing.assert_array_equal(angle, copy)


def test_a_name_that_is_not_there_gets_advice(pendulum: tr.Mechanism) -> None:
    with pytest.raises(KeyError, match="rod.angle"):
        pendulum.run()["rod.angel"]
    with pytest.raises(KeyError, match="O.angle"):
        pendulum.simulation()["O.angel"]


def test_mistakes_in_a_model_are_told_all_at_once_with_their_places() -> None:
    with pytest.raises(tr.ModelError) as caught:
        tr.loads("trammel: 1\nplane: xy\nbodies:\n  a: {mas: 1}\n  b: {mass: -1}\n")
    assert [problem.line for problem in caught.value.problems] == sorted(p.line for p in caught.value.problems)
    assert len(caught.value.problems) >= 2
    assert caught.value.place.endswith(":4:7")
    assert "mass" in caught.value.remedy or "mass" in str(caught.value)


def test_an_option_that_is_misspelt_gets_advice(pendulum: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="did you mean 'tolerance'"):
        pendulum.run(tolerence=1e-3)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        tr.load("nowhere.yaml")


def test_joints_that_cannot_close_are_named() -> None:
    far = tr.Mechanism(
        {
            "plane": "xy",
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0], "B": {"at": [9, 0], "on": "ground"}},
            "bodies": {"a": {"rod": ["O", "A"], "mass": 1, "length": 1}, "b": {"rod": ["A", "B"], "mass": 1, "length": 1}},
        }
    )
    with pytest.raises(tr.AssemblyError) as caught:
        far.simulation()
    assert caught.value.joint
    assert caught.value.joint in str(caught.value)


def test_a_run_that_fails_keeps_what_it_has(cart: tr.Mechanism) -> None:
    broken = cart.with_({"forces.push.force": ["1/(1 - t)", 0]})
    with pytest.warns(tr.RunWarning):
        r = broken.run()
    assert r.status == "failed"
    assert "push" in r.message
    assert 0.9 < r.t[-1] < 1.0 + 1e-6


def test_what_trammel_run_says_is_a_warning_here() -> None:
    lifted = tr.Mechanism(
        {
            "plane": "xy",
            "gravity": [0, -9.81],
            "bodies": {"cam": {"mass": 1, "inertia": 0.01}, "valve": {"mass": 1, "inertia": 0.01, "at": [0, 1], "points": {"foot": [0, 0]}}},
            "joints": {
                "shaft": {"revolute": ["cam", "ground"], "at": [0.2, 0]},
                "guide": {"prismatic": ["valve", "ground"], "axis": [0, 1]},
                "contact": {"cam": "cam", "follower": "valve.foot", "through": [[1, 0], [0, 1], [-1, 0], [0, -1]]},
            },
            "drivers": {"motor": {"joint": "shaft", "equals": "20*t"}},
            "outputs": {"columns": {"root": "sqrt(cos(20*t))"}},
            "simulate": {"duration": 0.5},
        }
    )
    with pytest.warns(tr.RunWarning) as warned:
        lifted.run()
    texts = [str(one.message) for one in warned]
    assert any("contact 'contact' would lift off at t = " in text for text in texts)
    assert any("'root' is not a finite number from t = " in text and "root or logarithm of a negative number" in text for text in texts)


def test_a_model_without_a_name_has_that_of_its_file(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "swing.yaml"
    path.write_text(pendulum.text.replace('"name": "pendulum",', ""))
    swing = tr.load(path)
    held = swing.with_force("drag", [("rod", (0, 0, 0))], lambda t, x, v: -v)
    assert [one.name for one in (swing, swing.with_(m=3), held)] == ["swing"] * 3
    assert repr(held.run(duration=0.1)).startswith("swing: ok")
    assert tr.loads(path.read_text()).name == "model"


def test_parameters_and_settings_change_a_copy(pendulum: tr.Mechanism) -> None:
    heavy = pendulum.with_(m=5)
    assert heavy.parameters["m"] == 5
    assert pendulum.parameters["m"] == 2
    assert pendulum.with_({"gravity": [0, -1.62]}).run()["rod.omega"][-1] != pendulum.run()["rod.omega"][-1]


def test_everything_pickles(pendulum: tr.Mechanism) -> None:
    def again(thing: object) -> object:
        return pickle.loads(pickle.dumps(thing))

    assert again(pendulum).text == pendulum.text  # type: ignore[attr-defined]
    sim = pendulum.simulation()
    sim.parameters["m"] = 3
    sim.advance(0.3)
    copy = again(sim)
    sim.advance(0.3)
    copy.advance(0.3)  # type: ignore[attr-defined]
    assert copy.state == sim.state  # type: ignore[attr-defined]
    r = pendulum.run()
    np.testing.assert_array_equal(again(r)["rod.angle"], r["rod.angle"])  # type: ignore[index]


def _end(m: tr.Mechanism) -> float:
    return float(m.run(progress=False)["rod.angle"][-1])


def test_threads_and_processes_give_the_bits_of_one(pendulum: tr.Mechanism) -> None:
    variants = [pendulum.with_(m=1 + k) for k in range(4)]
    alone = [_end(m) for m in variants]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(_end, variants)) == alone
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert list(pool.map(_end, variants)) == alone


def test_joblib_takes_what_pickle_takes(pendulum: tr.Mechanism) -> None:
    joblib = pytest.importorskip("joblib")
    variants = [pendulum.with_(m=1 + k) for k in range(3)]
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(_end)(m) for m in variants) == [_end(m) for m in variants]


def test_one_simulation_in_two_threads_is_refused(pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation(tolerance=1e-12)
    refused: list[Exception] = []

    def read() -> None:
        while worker.is_alive() and not refused:
            try:
                sim.energy
            except RuntimeError as error:
                refused.append(error)

    worker = threading.Thread(target=lambda: sim.advance_to(300))
    worker.start()
    time.sleep(0.01)
    reader = threading.Thread(target=read)
    reader.start()
    worker.join()
    reader.join()
    assert refused and "another thread" in str(refused[0])


def test_results_are_saved_as_the_program_writes_them(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    folder = pendulum.run().save(tmp_path / "pendulum", csv=True)
    assert {file.name for file in folder.iterdir()} >= {"results.h5", "summary.json", "results.csv", "errors.csv"}
    assert not (pendulum.run(verify=False).save(tmp_path / "alone", csv=True) / "errors.csv").exists()
    header, *rows = (folder / "results.csv").read_text().splitlines()
    assert header.startswith("t [s],rod.x [m]")
    assert len(rows) == len(pendulum.run().t)


def test_what_a_python_lacks_is_said(tmp_path: pathlib.Path) -> None:
    package = pathlib.Path(tr.__file__).parent

    def told(folder: pathlib.Path) -> str:
        program = f"import sys; sys.path.insert(0, {str(folder)!r}); import trammel"
        return subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True).stderr

    assert "ImportError: trammel needs NumPy, which Python 3." in told(package.parent)
    other = tmp_path / "trammel"
    other.mkdir()
    (other / "_core.cpython-399-x86_64-linux-gnu.so").touch()
    for name in ("__init__.py", "_needed.py"):
        shutil.copy(package / name, other)
    assert "ImportError: trammel was built for Python 3.99, and this is Python 3." in told(tmp_path)


def test_frames_and_plots(pendulum: tr.Mechanism) -> None:
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = pendulum.run()
    frame = r.frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "t"
    np.testing.assert_array_equal(frame["rod.angle"], r["rod.angle"])
    xarray = pytest.importorskip("xarray")
    dataset = r.xarray()
    assert isinstance(dataset, xarray.Dataset)
    assert dataset["rod.angle"].attrs == {"units": "rad"} and dataset.t.attrs == {"units": "s"}
    np.testing.assert_array_equal(dataset["rod.angle"], r["rod.angle"])
    np.testing.assert_array_equal(r.xarray(errors=True)["rod.angle"], r.error["rod.angle"])
    axes = r.plot("rod.angle")
    assert axes.get_xlabel() == "t [s]"
    assert axes.get_ylabel() == "rod.angle [rad]"


def test_columns_of_different_units_have_panels(pendulum: tr.Mechanism) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = pendulum.run()
    assert [line.get_label() for line in r.plot("O.force").lines] == ["O.force.x", "O.force.y"]
    panels = r.plot("A.x", "O.force.y", "A.y")
    assert [panel.get_ylabel() for panel in panels] == ["[m]", "O.force.y [N]"]
    assert [line.get_label() for line in panels[0].lines] == ["A.x", "A.y"] and panels[-1].get_xlabel() == "t [s]"
    together = r.plot("A.x", "A.y")
    assert together.get_ylabel() == "[m]" and r.plot("rod.angle", ax=together) is together
    with pytest.raises(tr.ModelError, match="columns of the units m, N do not fit into one ax"):
        r.plot("A.x", "O.force.y", ax=together)


def test_a_model_is_read_from_results(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    file = pendulum.with_(m=3).run(duration=0.5, tolerance=1e-9).save(tmp_path / "p") / "results.h5"
    again = tr.load(file)
    assert again.parameters == {"m": 3} and again.duration == 0.5
    assert again.run().t[-1] == 0.5 and tr.load(file, m=4).parameters == {"m": 4}
    own = pendulum.with_force("f", [("rod", (0, 0))], lambda t, x, v: -v).run().save(tmp_path / "own")
    with pytest.raises(tr.ModelError, match="holds no model: it has parts that no model file can describe"):
        tr.load(own / "results.h5")
    (tmp_path / "no.h5").write_text("nothing")
    with pytest.raises(tr.ModelError, match="no.h5"):
        tr.load(tmp_path / "no.h5")


def test_a_notebook_shows_the_report(pendulum: tr.Mechanism) -> None:
    assert "pendulum" in pendulum.run()._repr_html_()


def test_the_report_in_a_notebook_stays_small(models: pathlib.Path) -> None:
    # 1144 columns of 400 rows, and as many errors.
    linkage = tr.load(models / "n-four-bar.yaml", N=40).run(duration=1)
    assert len(linkage.report()) > 5e6 > 4e6 > len(linkage._repr_html_())


def test_check_compare_and_stability_print_as_the_program_does(pendulum: tr.Mechanism) -> None:
    assert "degrees of freedom    1" in repr(pendulum.check())
    compared = pendulum.compare(formulations=["lagrange", "baumgarte"], duration=0.1)
    assert "lagrange" in repr(compared) and len(compared.rows) == 2
    hanging = pendulum.with_({"points.A": [0, -1]})
    assert tr.solve.stability(hanging, step=1e-3).figures["spectral_radius"] == pytest.approx(1)
