"""What a person who writes something wrong is told: what is wrong, where, and what to do."""

import pathlib
import shutil
from typing import Any

import numpy as np
import pytest

import trammel as tr

FREE = {
    "plane": "xy",
    "gravity": [0, -9.81],
    "bodies": {"ball": {"mass": 2, "inertia": 1}},
    "simulate": {"duration": 1},
}
BALL = [("ball", (0, 0, 0))]
PLANS: list[dict[str, Any]] = [{}, {"formulation": "augmented-lagrangian-index3", "step": 1e-3}]


@pytest.fixture
def ball() -> tr.Mechanism:
    return tr.Mechanism(FREE)


def rest(t: float, x: Any, v: Any) -> Any:
    return -x


# Forces and constraints.


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_force_that_is_no_longer_finite_is_named(ball: tr.Mechanism, value: str, plan: dict[str, Any]) -> None:
    def breaks(t: float, x: Any, v: Any) -> Any:
        return [[float(value), 0, 0]] if t > 0.5 else -x

    m = ball.with_force("wind", BALL, breaks)
    told = rf"force 'wind' is \({value}, .*\) N on 'ball' from about t = 0.5.* s on; look whether it divides by zero"
    with pytest.warns(tr.RunWarning, match=told):
        r = m.run(**plan)
    assert r.status == "failed" and r.t[-1] == pytest.approx(0.5, abs=2e-3)
    sim = m.simulation(**plan)
    with pytest.raises(tr.StepError, match=told) as caught:
        sim.advance(1)
    assert caught.value.joint == "wind" and caught.value.t == sim.t == pytest.approx(0.5, abs=2e-3)
    assert "divides by zero" in caught.value.remedy


def test_a_force_that_is_not_finite_at_the_start_is_named(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.AssemblyError, match=r"force 'wind' is \(nan, .* t = 0 s") as caught:
        ball.with_force("wind", BALL, lambda t, x, v: x * np.nan).simulation()
    assert caught.value.joint == "wind"


def test_a_derivative_that_is_not_finite_is_named(ball: tr.Mechanism) -> None:
    with pytest.warns(tr.RunWarning, match="force 'soft' has derivatives that are not finite"):
        ball.with_force("soft", BALL, rest, derivatives=lambda t, x, v: np.full((2, 3, 3), np.nan)).run(**PLANS[1])


def test_a_constraint_that_is_no_longer_finite_is_named(ball: tr.Mechanism) -> None:
    def track(t: float, x: Any) -> Any:
        return x[0, 1] * (1.0 if t < 0.5 else np.nan)

    # Differences in time look ahead.
    with pytest.warns(tr.RunWarning, match="constraint 'track' (is nan|has derivatives that are not finite) from about t = 0.(49|50)"):
        ball.with_constraint("track", BALL, track, derivatives="differences").run()


def test_what_a_function_gives_is_told_with_its_time(ball: tr.Mechanism) -> None:
    def late(t: float, x: Any, v: Any) -> Any:
        return -x if t < 0.25 else np.zeros(2)

    sim = ball.with_force("late", BALL, late, derivatives="differences").simulation(step=0.1)
    with pytest.raises(tr.ModelError, match=r"force 'late' is of the shape \(2,\) at t = 0\.\d+ s; return numbers of the shape \(1, 3\)"):
        sim.advance(1)
    for wrong, told in ((None, "is None"), ("no", "is 'no'"), (2.5, r"is 2\.5")):
        with pytest.raises(tr.ModelError, match=f"force 'f' {told} at t = 0 s; return numbers"):
            ball.with_force("f", BALL, lambda t, x, v: wrong).simulation()
    with pytest.raises(tr.ModelError, match=r"constraint 'c' is of the shape \(1, 3\) at t = 0 s; return one number"):
        ball.with_constraint("c", BALL, lambda t, x: x).simulation()
    with pytest.raises(tr.ModelError, match=r"the derivatives of force 'f' .*two arrays of the shape \(3, 3\)"):
        ball.with_force("f", BALL, rest, derivatives=lambda t, x, v: np.eye(3)).run(**PLANS[1])


def test_what_a_function_raises_has_a_note(ball: tr.Mechanism) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        ball.with_force("f", BALL, lambda t, x, v: 1 / 0).run()
    assert caught.value.__notes__ == ["in force 'f', at t = 0 s; mend the function, or end before"]


def test_what_is_no_function_is_refused_at_once(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match=r"force 'f': its function is 3, no function; give a function of \(t, x, v\)"):
        ball.with_force("f", BALL, 3)  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError, match=r"force 'f': its function takes \(t, x\); give a function of \(t, x, v\)"):
        ball.with_force("f", BALL, lambda t, x: x)  # type: ignore[misc, arg-type]
    with pytest.raises(tr.ModelError, match="the function of its derivatives takes"):
        ball.with_force("f", BALL, rest, derivatives=lambda t: t)
    with pytest.raises(tr.ModelError, match="constraint 'c': its function is 'x', no function"):
        ball.with_constraint("c", BALL, "x")  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError, match=r"constraint 'c': gamma takes \(t, x\)"):
        ball.with_constraint("c", BALL, lambda t, x: x[0, 0], gamma=lambda t, x: 0)  # type: ignore[misc, arg-type]
    with pytest.raises(tr.ModelError, match="force 'f': length_scale is -1; give a positive number"):
        ball.with_force("f", BALL, rest, length_scale=-1)
    with pytest.raises(tr.ModelError, match="constraint 'c': scale is 0"):
        ball.with_constraint("c", BALL, lambda t, x: x[0, 0], scale=0)


@pytest.mark.parametrize("points", ["ball", 3, ["ball"], ("ball", (0, 0, 0)), [("ball",)], [(1, (0, 0))], {"ball": (0, 0)}])
def test_what_is_no_list_of_points_is_refused(ball: tr.Mechanism, points: Any) -> None:
    with pytest.raises(tr.ModelError, match=r"force 'f': .*; give pairs of a body and a place in its axes"):
        ball.with_force("f", points, rest)


@pytest.mark.parametrize("place", [0, "ab", (0,), (0, 0, 0, 0), ("a", 0), None])
def test_what_is_no_place_is_refused(ball: tr.Mechanism, place: Any) -> None:
    with pytest.raises(tr.ModelError, match="is no place on 'ball'; give two or three coordinates in m"):
        ball.with_force("f", [("ball", place)], rest)


def test_where_a_force_does_nothing_it_is_refused(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="'f' acts on ground alone, which does not move; give at least one point of a body"):
        ball.with_force("f", [("ground", (0, 0))], rest)
    with pytest.raises(tr.ModelError, match="'c' holds ground alone"):
        ball.with_constraint("c", [("ground", (0, 0))], lambda t, x: x[0, 0])
    with pytest.raises(tr.ModelError, match="'f' acts on 0 points; give at least one"):
        ball.with_force("f", [], rest)
    with pytest.raises(tr.ModelError, match="the place of 'f' on 'ball' has z = 1 m, and the mechanism moves in the plane; give z = 0"):
        ball.with_force("f", [("ball", (0, 0, 1))], rest)
    with pytest.raises(tr.ModelError, match="the place of 'f' on 'ball' is not finite"):
        ball.with_force("f", [("ball", (0, np.nan))], rest)
    with pytest.raises(tr.ModelError, match="force 'f' has the component z = 1 N on 'ball' at t = 0 s, and the mechanism moves in the plane"):
        ball.with_force("f", BALL, lambda t, x, v: x + [0, 0, 1]).simulation()
    # Ground may be one of the points, and in space every direction is there.
    assert ball.with_force("f", [*BALL, ("ground", (0, 1))], lambda t, x, v: np.array([[0, 9.81 * 2, 0], [0, 0, 0]])).run().status == "ok"
    space = tr.Mechanism({"bodies": {"ball": {"mass": 2, "inertia": [1, 1, 1]}}})
    assert space.with_force("f", BALL, lambda t, x, v: x + [0, 0, 1]).run(duration=0.1)["ball.z"][-1] > 0


# Events and controllers.


def height(motion: tr.Motion) -> float:
    return motion["ball.y"] + 1


@pytest.mark.parametrize("given", [[height], height, 3])
@pytest.mark.parametrize("key", ["events", "until"])
def test_events_need_names(ball: tr.Mechanism, key: str, given: Any) -> None:
    told = rf"{key} is .*; give names with functions of the motion, as {key}={{'top': "
    with pytest.raises(tr.ModelError, match=told):
        ball.run(**{key: given})
    with pytest.raises(tr.ModelError, match=told):
        ball.simulation().advance(1, **{key: given})


def test_events_need_functions_that_give_numbers(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="event 'low': its function is 3, no function"):
        ball.run(events={"low": 3})  # type: ignore[dict-item]
    with pytest.raises(tr.ModelError, match=r"event 'low': its function takes \(\); give a function of \(motion\)"):
        ball.run(events={"low": lambda: 1.0})  # type: ignore[dict-item, misc]
    with pytest.raises(tr.ModelError, match="3 is no name of an event"):
        ball.run(events={3: height})  # type: ignore[dict-item]
    for wrong, shown in ((None, "None"), (np.nan, "nan"), (np.inf, "inf"), ([1, 2], r"\[1, 2\]")):
        with pytest.raises(tr.ModelError, match=f"event 'low' is {shown} at t = 0 s; let its function return a finite number"):
            ball.run(events={"low": lambda motion: wrong})  # type: ignore[dict-item, return-value]


@pytest.mark.parametrize("kind", [bool, np.bool_, np.array])
@pytest.mark.parametrize("key", ["events", "until"])
def test_an_event_is_no_condition(ball: tr.Mechanism, key: str, kind: Any) -> None:
    told = "event 'low' is .*False.* at t = 0 s; instead of a condition let its function return a number that changes its sign there"
    low = {"low": lambda motion: kind(motion["ball.y"] < -0.5)}
    with pytest.raises(tr.ModelError, match=told):
        ball.run(**{key: low})
    with pytest.raises(tr.ModelError, match=told):
        ball.simulation().advance(1, **{key: low})


def test_controllers_are_functions(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="the controller: it is 3, no function"):
        ball.run(controller=3, every=0.1)  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError, match=r"the controller: it takes \(\); give a function of \(motion\)"):
        ball.run(controller=lambda: None, every=0.1)  # type: ignore[misc, arg-type]
    with pytest.raises(tr.ModelError, match="give every="):
        ball.run(controller=lambda motion: None)


# Names.


def columns_agree(m: tr.Mechanism, **options: Any) -> None:
    """Every column of a result is read from a simulation that stands there."""
    r = m.run(verify=False, **options)
    sim = m.simulation(**options)
    sim.advance_to(float(r.t[-1]))
    of_steps = ("violation.", "iterations", "marked")
    for name in r.columns:
        here = sim[name]
        if not name.startswith(of_steps):
            assert here == pytest.approx(r[name][-1], rel=1e-9, abs=1e-9, nan_ok=True), name


def test_a_simulation_has_the_names_of_a_result(pendulum: tr.Mechanism, cart: tr.Mechanism, models: pathlib.Path) -> None:
    columns_agree(pendulum, step=0.01)
    columns_agree(cart)
    columns_agree(tr.load(models / "four-bar.yaml"), duration=0.5)
    columns_agree(tr.load(models / "spatial-slider-crank.yaml"), duration=0.1)
    columns_agree(tr.load(models / "controlled-pendulum.yaml"), duration=0.1)
    columns_agree(tr.load(models / "rolling-wheel.yaml"), duration=0.1)
    columns_agree(tr.load(models / "bricard.yaml"), duration=0.1)  # not all reactions are unique
    sim = cart.simulation()
    sim.inputs["u"] = 2.5
    assert sim["u"] == 2.5


def test_iterations_are_those_of_the_last_step(pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation(step=0.01, formulation="augmented-lagrangian-index3")
    assert sim["iterations"] == 0
    sim.step(0.01)
    assert sim["iterations"] >= 1 and 0 <= sim["violation.position"] < 1e-10


def test_columns_are_read_within_events_too(pendulum: tr.Mechanism) -> None:
    r = pendulum.run(until={"bottom": lambda motion: motion["A.x"]})
    assert r["A.x"][-1] == pytest.approx(0, abs=1e-8)


def test_names_that_are_not_there(ball: tr.Mechanism, cart: tr.Mechanism, pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation()
    with pytest.raises(KeyError) as caught:
        sim["rod.rate"]
    assert isinstance(caught.value, tr.UnknownName)
    assert str(caught.value).startswith("there is no value 'rod.rate'; ")
    for name in ("rod.x", "rod.angle", "rod.omega"):
        assert name in caught.value.remedy
    with pytest.raises(tr.UnknownName, match="did you mean 'energy.kinetic'"):
        sim["energy.kinetik"]
    with pytest.raises(tr.UnknownName, match="did you mean 'rod.angle'"):
        pendulum.run()["rod.angel"]
    with pytest.raises(tr.UnknownName, match="there is no input 'w'; choose one of: u"):
        cart.simulation().inputs["w"]
    with pytest.raises(tr.UnknownName, match="there is no input 'w'; there are none"):
        ball.simulation().inputs["w"]
    with pytest.raises(tr.UnknownName, match="there is no parameter 'M'; did you mean 'm'"):
        pendulum.simulation().parameters["M"]
    with pytest.raises(ValueError, match="plot.* needs names"):
        pendulum.run().plot()


def test_a_batch_tells_what_it_observed(pendulum: tr.Mechanism) -> None:
    r = tr.batch(pendulum, {"m": [1, 2]}, observe=["rod.angle", "rod.omega"]).run()
    for read in (lambda: r["O.force.y"], lambda: r.last("O.force.y"), lambda: r.error("O.force.y"), lambda: r.results[0]["O.force.y"]):
        with pytest.raises(tr.UnknownName, match="the batch did not observe a column 'O.force.y'; choose one of: rod.angle, rod.omega"):
            read()


def test_what_is_no_name_is_told_as_such(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    batch = tr.batch(pendulum, {"m": [1, 2]}, observe=["rod.angle"]).run(duration=0.1)
    swept = tr.sweep(pendulum, vary={"m": [1, 2]}, observe="peak(rod.angle)", duration=0.1).run(tmp_path, progress=False)
    assert swept.observations.keys() == {"peak(rod.angle)"}  # one text is not taken for its letters
    assert swept.folder == tmp_path
    r, sim = pendulum.run(duration=0.1), pendulum.simulation()
    of: tuple[Any, ...] = (batch, swept, r, r.error, r.units, batch.units, swept.units, sim, sim.parameters, sim.inputs)
    for one in of:
        for wrong in (0, None, ["m"], 3.5):
            with pytest.raises(tr.UnknownName, match="is no name of a .*; give (one|a) text") as caught:
                one[wrong]
            assert "incompatible" not in str(caught.value)
    with pytest.raises(tr.UnknownName, match=r"3 is no name of a column; give one text, as 'rod.angle'; of the runs, results\[3\] is one"):
        batch[3]  # type: ignore[index]
    with pytest.raises(tr.UnknownName, match="is no name of a column"):
        swept.points(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Simulation\(\) needs a Mechanism, not 'x'; tr.load\(\) reads one"):
        tr.Simulation("x")  # type: ignore[arg-type]


def test_a_batch_knows_its_parameters_at_once(pendulum: tr.Mechanism) -> None:
    with pytest.raises(tr.UnknownName, match="there is no parameter 'M'; did you mean 'm'"):
        tr.batch(pendulum, {"M": [1, 2]})


def test_a_temporary_sweep_names_no_folder(pendulum: tr.Mechanism) -> None:
    assert tr.sweep(pendulum, vary={"m": [1, 2]}, observe=["peak(rod.angle)"], duration=0.1).run(progress=False).folder is None


def test_an_interrupted_sweep_keeps_the_folder_that_it_names(pendulum: tr.Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trammel.progress.Progress.show", lambda self, done: False)
    s = tr.sweep(pendulum, vary={"m": np.linspace(1, 2, 20000)}, observe=["peak(rod.angle)"], duration=0.1)
    with pytest.raises(KeyboardInterrupt, match=r"of 20000 runs are kept in '.*'; run\('.*', resume=True\) goes on") as caught:
        s.run(threads=1)
    monkeypatch.undo()
    folder = pathlib.Path(str(caught.value).split("'")[1])
    assert folder.is_dir() and list(folder.iterdir())
    shutil.rmtree(folder.parent)


def test_a_parameter_is_cited_by_what_the_caller_wrote(models: pathlib.Path) -> None:
    made = tr.Mechanism({"plane": "xy", "parameters": {"m": 1}, "bodies": {"b": {"mass": "m", "inertia": 1}}, "simulate": {"duration": 0.1}})
    for m in (made, made.with_force("f", [("b", (0, 0))], rest)):
        with pytest.raises(tr.ModelError, match="^bodies.b.mass: the mass of 'b' is -1 kg; give a positive mass$") as caught:
            m.simulation().parameters["m"] = -1
        assert caught.value.place == "bodies.b.mass" and caught.value.remedy == "give a positive mass"
        with pytest.warns(tr.RunWarning, match="run 0: bodies.b.mass: the mass"):
            r = tr.batch(m, {"m": [-1, 1]}, observe=["b.x"]).run(progress=False)
        assert r.messages[0].startswith("bodies.b.mass: ") and not r.messages[1]
    read = tr.loads("trammel: 1\nplane: xy\nparameters: {m: 1}\nbodies: {b: {mass: m, inertia: 1}}\nsimulate: {duration: 0.1}\n")
    with pytest.raises(tr.ModelError) as caught:
        read.simulation().parameters["m"] = -1
    assert caught.value.place == "model:4:20" and caught.value.problems[0].line == 4


def test_searches_give_model_files(ball: tr.Mechanism) -> None:
    m = tr.Mechanism({**FREE, "parameters": {"m": 1}}).with_force("f", BALL, rest)
    told = r"\(\) gives a model file with the values found, which cannot say what is written in Python: 'f'; write it as"
    with pytest.raises(tr.ModelError, match="^fit" + told):
        tr.fit(m, {"t": [0, 1, 2], "ball.x": [1, 2, 3]}, ["m"])
    with pytest.raises(tr.ModelError, match="^optimize" + told):
        tr.optimize(m, minimize="peak(ball.x)", over={"m": (1, 2)})


def test_a_condition_is_no_force(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match=r"force 'f' is array\(.*True.*\) at t = 0 s; return numbers"):
        ball.with_force("f", BALL, lambda t, x, v: np.array([[True, False, False]]), derivatives="differences").simulation()
    with pytest.raises(tr.ModelError, match="constraint 'c' is True at t = 0 s; return one number"):
        ball.with_constraint("c", BALL, lambda t, x: bool(x[0, 0] == 0), derivatives="differences").simulation()


def test_names_of_a_fit(pendulum: tr.Mechanism) -> None:
    m = pendulum.with_({"forces": {"drag": {"joint": "O", "torque": "-c*O.rate"}}, "parameters": {"m": "2 kg", "c": 0.3}})
    r = m.run(duration=1, progress=False)
    found = tr.fit(m, {"t": r.t, "A.y": r["A.y"]}, {"c": 0.2}, duration=1, progress=False)
    for read in (found.parameters, found.columns, found):
        with pytest.raises(tr.UnknownName, match="no (parameter|column) 'zz'; "):
            read["zz"]
        with pytest.raises(tr.UnknownName, match="3 is no name of a (parameter|column)"):
            read[3]  # type: ignore[index]
        assert "zz" not in read


# Options.


@pytest.mark.parametrize(
    ("function", "given", "near", "own"),
    [
        (tr.solve.equilibrium, {"stabel": True}, "stable", "stable, starts, seed, along, points"),
        (tr.solve.modes, {"respons": [1]}, "response", "at, vary, response"),
        (tr.solve.kinematics, {"row": 3}, "rows", "rows, ratio_to, curves"),
        (tr.solve.inverse, {"weight": {}}, "weights", "rows, weights, idle, hold"),
        (tr.solve.positions, {"start": 3}, "starts", "starts, seed"),
        (tr.solve.stability, {"stepp": 3}, "step", "the keys of simulate"),
        (tr.Mechanism.run, {"untill": {}}, "until", "progress, controller, every, events, until"),
        (tr.Mechanism.simulation, {"tolerence": 1}, "tolerance", "the keys of simulate"),
        (tr.Mechanism.compare, {"durration": 1}, "duration", "the keys of simulate"),
        (tr.view, {"ports": 3}, "port", "port, browser, journal"),
    ],
)
def test_a_misspelt_option_gets_advice(ball: tr.Mechanism, function: Any, given: dict[str, Any], near: str, own: str) -> None:
    wrong = next(iter(given))
    with pytest.raises(tr.ModelError) as caught:
        function(ball, **given)
    told = str(caught.value)
    assert told.startswith(f"{function.__name__}() has no option {wrong!r}; did you mean {near!r}? It takes ")
    assert own in told and "duration, step," in told


def test_options_of_a_workspace_and_a_batch(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match=r"workspace\(\) has no option 'sample'; did you mean 'samples'"):
        tr.solve.workspace(ball, "ball.com", sample=3)
    with pytest.raises(tr.ModelError, match=r"run\(\) has no option 'thread'; did you mean 'threads'"):
        tr.batch(tr.Mechanism({**FREE, "parameters": {"m": 1}}), {"m": [1]}).run(thread=3)


def test_values_of_options_are_told_as_they_were_written(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError) as caught:
        ball.run(duration=-1)
    assert caught.value.place == "duration=-1" and "not positive" in str(caught.value)
    with pytest.raises(tr.ModelError) as caught:
        ball.with_({"bodis.ball.mass": 3})
    assert caught.value.place == "bodis.ball.mass=3" and "did you mean 'bodies'" in str(caught.value)


def test_what_is_no_model(ball: tr.Mechanism) -> None:
    with pytest.raises(TypeError, match="equilibrium.. needs a Mechanism, not 'a.yaml'; tr.load"):
        tr.solve.equilibrium("a.yaml")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="a model is a text or a mapping, not 3"):
        tr.Mechanism(3)  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError, match=r"give formulations=\['lagrange', …\] instead"):
        ball.compare(formulation="lagrange")
    with pytest.raises(tr.ModelError, match=r"give a list, formulations=\['lagrange'\]"):
        ball.compare(formulations="lagrange")


# Models that are made in Python.


def test_a_mapping_is_cited_by_its_keys() -> None:
    wrong = {**FREE, "gravity": [0, "x"], "points": {"P": {"at": [0, 0], "on": "bal"}}}
    with pytest.raises(tr.ModelError) as caught:
        tr.Mechanism(wrong)
    assert caught.value.problems[0].place == caught.value.place == "gravity[1]"
    assert caught.value.remedy == caught.value.problems[0].remedy and "a parameter" in caught.value.remedy
    assert [problem.place for problem in caught.value.problems][1:] == ["points.P.on"]
    assert "model:" not in str(caught.value)
    # A copy with other values still knows its keys.
    m = tr.Mechanism({**FREE, "parameters": {"m": 1}, "bodies": {"ball": {"mass": "m", "inertia": 1}}})
    with pytest.raises(tr.ModelError) as caught:
        m.with_(m=-1)
    assert caught.value.place == "bodies.ball.mass"


def test_a_text_is_cited_by_its_lines() -> None:
    with pytest.raises(tr.ModelError) as caught:
        tr.loads("trammel: 1\nplane: xy\nbodys: {}\n")
    assert caught.value.place == "model:3:1"


def test_a_body_of_a_part_is_looked_up_by_name(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.UnknownName, match="force 'wind': there is no body 'bal'; did you mean 'ball'"):
        ball.with_force("wind", [("bal", (0, 0))], rest)
    with pytest.raises(tr.ModelError, match="^'ball' is already") as caught:
        ball.with_force("ball", BALL, rest)
    assert caught.value.place == ""


def test_texts_arrive_as_they_are(ball: tr.Mechanism) -> None:
    for name in ("a # comment", "[a, b]", "a: b", "null", "größe \u201cx\u201d", "- a", "'a'", 'say "a"', "2 kg"):
        assert ball.with_({"name": name}).name == name


@pytest.mark.parametrize("off", [False, np.bool_(False), "off", "false"])
def test_switches_have_both_words(ball: tr.Mechanism, off: Any) -> None:
    for r in (ball.run(verify=off), tr.Mechanism({**FREE, "simulate": {"duration": 1, "verify": off}}).run()):
        assert np.isnan(r.error["ball.y"]).all()
    assert ball.run(strict=True).status == "ok"
    with pytest.raises(tr.ModelError, match="verify: there is no '0'; give True or False"):
        ball.run(verify=0)


def test_a_short_option_is_completed(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match=r"run\(\) has no option 'tol'; did you mean 'tolerance'"):
        ball.run(tol=1e-6)


def test_a_mapping_within_thousands_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(tr.ModelError, match="more than 64 mappings and lists within each other"):
        tr.Mechanism(deep)
