"""What commands of the program tell and write, Python does too: import, export kernel, diff, resume, compare, formulations, and the end
of a run as a model."""

import gc
import json
import os
import pathlib
import pickle
import struct
import subprocess
import zlib

import numpy as np
import pytest

import trammel as tr
from trammel.progress import Progress

PROGRAM = os.environ["TRAMMEL_PROGRAM"]


def program(*arguments: object, statuses: tuple[int, ...] = (0,)) -> str:
    """What the program prints."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode in statuses, done.stderr
    return done.stdout


ROBOT = """<robot name="arm">
<link name="world"/>
<link name="arm">
<inertial><origin xyz="0.5 0 0"/><mass value="2"/><inertia ixx="{ixx}" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="1"/></geometry></collision>
</link>
<joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-9" upper="9" effort="1" velocity="1"/>{more}</joint>
</robot>
"""


@pytest.fixture
def robot(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT.format(ixx=0.1, more=""))
    return path


def test_the_ledger_is_that_of_trammel_import(robot: pathlib.Path) -> None:
    imported = tr.import_model(robot)
    told = json.loads(program("import", robot, "--json"))
    assert [{"element": one.element, "line": one.line, "outcome": one.outcome, "reason": one.reason} for one in imported.ledger] == told["ledger"]
    assert {one.outcome for one in imported.ledger} == {"used", "ignored"}
    sphere = next(one for one in imported.ledger if "sphere" in one.element)
    assert (sphere.line, sphere.outcome, sphere.matters) == (5, "ignored", False)
    assert repr(imported).startswith(f"{robot}: elements and attributes: ")
    assert pickle.loads(pickle.dumps(imported)).ledger == imported.ledger


def test_an_imported_arm_is_a_physical_pendulum(robot: pathlib.Path) -> None:
    # At rest and level it begins to fall with m g c / (I + m c²) = 9.81 / 0.7.
    sim = tr.import_model(robot).mechanism.simulation()
    before = sim["hinge.rate"]
    sim.step(1e-6)
    assert abs(sim["hinge.rate"] - before) / 1e-6 == pytest.approx(9.81 / 0.7, rel=1e-5)
    assert tr.import_model(robot, base="free").mechanism.check().degrees_of_freedom == 1  # the world is ground


def test_an_impossible_inertia_is_refused_with_its_line_or_replaced(robot: pathlib.Path) -> None:
    robot.write_text(ROBOT.format(ixx=3, more=""))
    imported = tr.import_model(robot)
    with pytest.raises(tr.ModelError, match=r"let tr.import_model\(…, accept_inertia=True\) replace it") as caught:
        imported.mechanism.check()
    assert caught.value.place == f"{robot}:4"
    assert "refused" in {one.outcome for one in imported.ledger}
    assert "refused" in repr(imported)
    assert tr.import_model(robot, accept_inertia=True).mechanism.check().degrees_of_freedom == 1


def test_strict_refuses_what_affects_the_motion(robot: pathlib.Path) -> None:
    robot.write_text(ROBOT.format(ixx=0.1, more="<wind/>"))
    imported = tr.import_model(robot)
    assert len(imported.notes) == 1 and [one.line for one in imported.ledger if one.matters] == [8]
    assert imported.mechanism.check().degrees_of_freedom == 1
    with pytest.raises(tr.ModelError, match="import without strict=True"):
        tr.import_model(robot, strict=True).mechanism.check()


def test_an_imported_model_is_saved_with_names_of_meshes_from_there(robot: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "tip.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    robot.write_text(ROBOT.format(ixx=0.1, more="").replace("<collision><geometry><sphere radius=\"1\"/></geometry></collision>",
                                                            '<visual><geometry><mesh filename="tip.obj"/></geometry></visual>'))
    (tmp_path / "models").mkdir()
    imported = tr.import_model(robot)
    path = imported.save(tmp_path / "models/arm.yaml")
    assert "../tip.obj" in path.read_text()
    assert tr.load(path).run(duration=0.1) == imported.mechanism.run(duration=0.1)


def test_what_cannot_be_imported(robot: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        tr.import_model("nowhere.urdf")
    with pytest.raises(FileNotFoundError):
        tr.import_model(robot, loops="nowhere.yaml")
    with pytest.raises(tr.ModelError, match="give 'fixed' or 'free'"):
        tr.import_model(robot, base="floating")
    with pytest.raises(tr.ModelError, match="strict is 1; give True or False"):
        tr.import_model(robot, strict=1)  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError, match=r"give strict= to tr.import_model\(\)"):
        tr.load(robot, strict=True)
    (tmp_path / "model.yaml").write_text("trammel: 1\n")
    with pytest.raises(tr.ModelError, match="this is no XML file"):
        tr.import_model(tmp_path / "model.yaml")


def test_a_kernel_is_that_of_the_program(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    crank = tr.load(models / "slider-crank.yaml")
    for target in ("cpp", "cuda"):
        assert crank.kernel(target, step=1e-3).text == program("export", "kernel", models / "slider-crank.yaml", "--step", "1e-3", "--target", target)
    values = np.linspace(0.9, 1.1, 3)
    out = tmp_path / "crank.cpp"
    program("export", "kernel", models / "slider-crank.yaml", "--step", "1e-3", "--vary", "L=0.9:1.1:3", "--out", out)
    others = [crank.with_(L=value) for value in values]
    kernel = crank.kernel(step=1e-3, others=others)
    assert kernel.text == out.read_text()
    rows = np.loadtxt(out.with_suffix(".instances.csv"), delimiter=",", skiprows=1)
    for row, other in zip(rows, others):
        constants, state = kernel.instance(other)
        assert len(constants) == kernel.constants
        np.testing.assert_array_equal(row[1:], [*constants, *state])
    assert pickle.loads(pickle.dumps(kernel)).text == kernel.text


def test_what_no_kernel_can_be_made_of(pendulum: tr.Mechanism, cart: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="no kernel can be made of this model: .*give a step, as step=1e-3"):
        pendulum.kernel(tolerance=1e-6)
    with pytest.raises(tr.ModelError, match="the input 'u' has no place in it"):
        cart.kernel(step=1e-3)
    with pytest.raises(tr.ModelError, match="target is 'c'; give 'cpp' or 'cuda'"):
        pendulum.kernel("c")
    with pytest.raises(tr.ModelError, match=r"kernel\(\) has no option 'stepp'; did you mean 'step'"):
        pendulum.kernel(stepp=1e-3)
    with pytest.raises(tr.ModelError, match="in more than the inputs; give kernel.. this model among others="):
        pendulum.kernel(step=1e-3).instance(pendulum.with_(m=3))
    with pytest.raises(TypeError, match="needs a Mechanism, not 3"):
        pendulum.kernel(step=1e-3, others=[3])  # type: ignore[list-item]


def test_a_difference_is_that_of_the_program(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    runs = [pendulum.run(tolerance=1e-8), pendulum.run(tolerance=1e-9)]
    folders = [run.save(tmp_path / name) for run, name in zip(runs, "ab")]
    for options, words in (({}, []), ({"within_errors": True}, ["--within-errors"]), ({"relative": 1e-3}, ["--relative", "1e-3"])):
        told = json.loads(program("diff", *folders, *words, "--json", statuses=(0, 1)))
        for given in (runs, folders, [runs[0], folders[1] / "results.h5"]):
            found = tr.diff(*given, **options)  # type: ignore[call-overload]
            assert found.same == told["same"] and list(found.columns.values()) == told["columns"]
            assert found.columns["rod.angle"]["same"] == bool(words)
    found = tr.diff(*runs)
    assert found.columns["rod.angle"]["largest"] == np.abs(runs[0]["rod.angle"] - runs[1]["rod.angle"]).max()
    assert "columns differ" in repr(found)
    with pytest.raises(KeyError, match="did you mean 'rod.angle'"):
        found.columns["rod.angel"]


def test_analyses_are_compared_too(cart: tr.Mechanism) -> None:
    driven = cart.with_({"forces": {}, "drivers": {"pull": {"joint": "s", "equals": "t^2"}}})
    first, second = (tr.solve.kinematics(one, rows=21) for one in (driven, driven.with_({"drivers.pull.equals": "t^2 + 1e-3"})))
    found = tr.diff(first, second)
    assert found.columns["s.displacement"]["largest"] == pytest.approx(1e-3) and found.columns["s.rate"]["same"]


def test_what_cannot_be_compared(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    r = pendulum.run(duration=0.1)
    with pytest.raises(TypeError, match="diff.. compares results, not 3"):
        tr.diff(r, 3)  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError, match="relative is -1; give 0 or more"):
        tr.diff(r, r, relative=-1)
    with pytest.raises(FileNotFoundError, match="neither results.h5 nor results.log"):
        tr.diff(r, tmp_path)


# Results that are read again.


def test_a_saved_result_is_read_again(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    r = pendulum.run()
    again = tr.read_results(r.save(tmp_path / "saved"))
    assert again == r and again.units == r.units and again.events == r.events and again.status == "ok"
    assert "rod" in again.report() and "status                ok" in repr(again)
    assert tr.read_results(again.save(tmp_path / "twice", csv=True)) == r
    assert tr.load(tmp_path / "twice").run() == r
    with pytest.raises(ValueError):
        again["rod.angle"][0] = 1
    short = pendulum.run(verify=False)
    assert tr.read_results(short.save(tmp_path / "short")) == short


def test_arrays_outlive_what_was_read(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    folder = pendulum.run().save(tmp_path / "saved")
    angle = tr.read_results(folder)["rod.angle"]
    before = angle.copy()
    gc.collect()
    for _ in range(10):
        tr.read_results(folder)
    np.testing.assert_array_equal(angle, before)


def test_what_has_no_results(tmp_path: pathlib.Path, models: pathlib.Path, cart: tr.Mechanism) -> None:
    with pytest.raises(FileNotFoundError):
        tr.read_results("nowhere")
    with pytest.raises(tr.ModelError, match="is a model; tr.load"):
        tr.read_results(models / "four-bar.yaml")
    (tmp_path / "results.h5").write_text("nothing")
    with pytest.raises(tr.Error, match="cannot read '.*results.h5'"):
        tr.read_results(tmp_path)
    program("solve", "positions", models / "four-bar.yaml", "--out", tmp_path / "positions")
    with pytest.raises(tr.Error, match="it has the rows of an analysis, positions, and no run"):
        tr.read_results(tmp_path / "positions")


# Runs that were killed.

LINKAGE = """trammel: 1
name: linkage
plane: xy
gravity: [0.5, -9.7]
points: {O: {at: [0, 0], on: ground}, P: {at: [1, 0], on: ground}, A: [0, 0.4], B: [1, 0.8]}
bodies: {crank: {rod: [O, A], mass: 1 kg}, coupler: {rod: [A, B], mass: 2 kg}, rocker: {rod: [P, B], mass: 1 kg}}
simulate: {duration: 5 s, step: 5 ms}
"""


@pytest.fixture
def killed(tmp_path: pathlib.Path) -> pathlib.Path:
    """The folder of a run that was killed, as its log was cut in the middle; whole: the same run to its end."""
    (tmp_path / "linkage.yaml").write_text(LINKAGE)
    for name in ("whole", "killed"):
        program("run", tmp_path / "linkage.yaml", "--out", tmp_path / name, "--checkpoint", "0", "--quiet")
    log = tmp_path / "killed/results.log"
    data = log.read_bytes()
    log.write_bytes(data[: len(data) // 2])
    for name in ("results.h5", "summary.json", "report.html"):
        (tmp_path / "killed" / name).unlink()
    return tmp_path / "killed"


def test_the_rows_of_a_killed_run(killed: pathlib.Path) -> None:
    r, whole = tr.read_results(killed), tr.read_results(killed.parent / "whole")
    assert r.status == "killed" and r.events == [] and 100 < len(r.t) < len(whole.t)
    np.testing.assert_array_equal(r["crank.angle"], whole["crank.angle"][: len(r.t)])


def test_a_killed_run_goes_on_to_the_same_bits(killed: pathlib.Path) -> None:
    r, whole = tr.resume(killed), tr.read_results(killed.parent / "whole")
    assert r == whole and r.status == whole.status and repr(r).startswith("linkage: ")
    assert {path.name for path in killed.iterdir()} == {"results.h5", "results.log", "summary.json", "report.html"}
    assert tr.resume(killed / "results.log") == whole  # there is nothing left to do


def test_ctrl_c_while_it_goes_on(killed: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tr.read_results(killed).t[-1]
    assert 1 < before < 3.5
    # The function is called after 1, 3, 7, … steps of 5 ms, so that 0.3 s more are passed long before the end.
    with monkeypatch.context() as stopping:
        stopping.setattr(Progress, "show", lambda self, t: t < before + 0.3)
        with pytest.warns(tr.RunWarning, match="the run ended at t = "):
            r = tr.resume(killed)
    assert r.status == "stopped" and before + 0.3 <= r.t[-1] < 5
    assert tr.resume(killed) == tr.read_results(killed.parent / "whole")


def of_version(log: bytes, version: str) -> bytes:
    """A log with another version of the program in its header, the first record: type, length, JSON, CRC-32."""
    length = struct.unpack_from("<I", log, 13)[0]
    header = json.dumps({**json.loads(log[17 : 17 + length]), "version": version}).encode()
    record = b"H" + struct.pack("<I", len(header)) + header
    return log[:12] + record + struct.pack("<I", zlib.crc32(record)) + log[21 + length :]


def test_what_cannot_be_resumed(killed: pathlib.Path, pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no results.log"):
        tr.resume(pendulum.run(duration=0.1).save(tmp_path / "saved"))
    log = killed / "results.log"
    data = log.read_bytes()
    log.write_bytes(of_version(data, "9.9"))
    with pytest.raises(tr.Error, match=r"made by version 9.9; this is .*; tr.read_results\('.*killed'\) reads the rows that are there"):
        tr.resume(killed)
    log.write_bytes(b"NOTALOG" + data[7:])
    with pytest.raises(tr.Error, match="results.log"):
        tr.resume(killed)
    failing = LINKAGE.replace("simulate:", "forces: {f: {torque: 1/(0.3 - t)^3, on: crank}}\nsimulate:")
    (tmp_path / "failing.yaml").write_text(failing)
    program("run", tmp_path / "failing.yaml", "--out", tmp_path / "failing", "--quiet", statuses=(3,))
    with pytest.raises(tr.Error, match="cannot resume '.*failing': the run has failed, and would fail again: at t = "):
        tr.resume(tmp_path / "failing")


# The report of a comparison.


def test_the_page_of_a_comparison(pendulum: tr.Mechanism) -> None:
    compared = pendulum.compare(formulations=["lagrange", "baumgarte"], duration=0.1)
    assert "work_precision" not in compared.rows[0]
    page = compared.report()
    assert page.startswith("<!DOCTYPE html>") and "baumgarte" in page and "<svg" in page
    for row in compared.rows:
        errors = [point["error"] for point in row["work_precision"]]
        assert len(errors) == 5 and errors[0] > errors[-1]
    again = pickle.loads(pickle.dumps(compared))
    assert again.rows == compared.rows and repr(again) == repr(compared)
    with pytest.raises(tr.Error, match="came from another process"):
        again.report()


def test_the_methods_of_a_model_are_those_of_the_program(models: pathlib.Path) -> None:
    found = tr.load(models / "bricard.yaml").formulations()
    assert found.rows == json.loads(program("formulations", models / "bricard.yaml", "--json"))
    assert repr(found) == program("formulations", models / "bricard.yaml").rstrip("\n")


def test_a_simulation_as_a_model_goes_on(cart: tr.Mechanism) -> None:
    # Pushed by 2 + t from t = 1 on, with u = 2: x = 1 + 2τ + ½·3τ² + τ³/6 from there, where x(1) = 1, v(1) = 2.
    pushed = cart.with_({"forces.push.force": ["if(t < 1, 2, u + t)", 0]})
    sim = pushed.simulation()
    sim.advance(1)
    sim.inputs["u"] = 2
    r = sim.now.run(duration=2)
    np.testing.assert_allclose(r["cart.x"], 1 + 2 * r.t + 1.5 * r.t**2 + r.t**3 / 6, atol=1e-9)
    assert sim.now.inputs == {"u": 2} and sim.t == 1
    with pytest.raises(tr.ModelError, match="a model file cannot say what is written in Python: 'drag'"):
        pushed.with_force("drag", [("cart", (0, 0, 0))], lambda t, x, v: -v).simulation().now
