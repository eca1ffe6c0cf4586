"""What is of the wrong kind is refused with its name and what to give instead; no message shows the engine's own signatures."""

import pathlib
from typing import Any, Callable

import numpy as np
import pytest

import trammel as tr

BALL = {"plane": "xy", "gravity": [0, -9.81], "bodies": {"ball": {"mass": 2, "inertia": 1, "free": True}}, "simulate": {"duration": 1}}
IN_SPACE = {"bodies": {"ball": {"mass": 2, "inertia": [1, 1, 1], "free": True}}, "simulate": {"duration": 0.1}}
CRANK = {
    "plane": "xy",
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]},
    "bodies": {"crank": {"rod": ["O", "A"], "mass": 1}},
    "drivers": {"mot": {"angle": "crank", "equals": "t"}},
    "simulate": {"duration": 1},
}


def rest(t: float, x: Any, v: Any) -> Any:
    return -x


Call = Callable[[tr.Mechanism], Any]
WRONG: dict[str, tuple[Call, str]] = {
    "t of derivative": (lambda m: m.simulation().derivative("0", [0, 0]), "the time t is '0'; give a number"),  # type: ignore[arg-type]
    "no y": (lambda m: m.simulation().derivative(0, None), "y is None; give real numbers, one for each name of sim.independent"),
    "complex y": (lambda m: m.simulation().derivative(0, np.array([1j, 0])), r"y is array\(.*\); give real numbers"),
    "complex place": (lambda m: setattr(m.simulation(), "y", [1j, 0]), r"y is \[1j, 0\]; give real numbers"),
    "no mass in a batch": (lambda m: tr.batch(m, {"p": None}), "parameter 'p' is None; give an array of real numbers"),
    "no mass in one run": (lambda m: tr.batch(m, [{"p": 1.0}, {"p": None}]), r"parameter 'p' is \[1.0, None\]; give an array"),  # type: ignore[list-item]
    "complex mass": (lambda m: tr.batch(m, {"p": [1j]}), "parameter 'p' is .*; give an array of real numbers"),
    "rows of drive": (lambda m: tr.solve.kinematics(m, drive=("mot", 0, 1, 3), rows=7), "rows is 7; leave out rows"),
    "duration of drive": (lambda m: tr.solve.kinematics(m, drive=("mot", 0, 1, 3), duration=7), "leave out duration"),
    "observe of a sweep": (lambda m: tr.sweep(m, vary={"p": [1]}, observe=[3]), "a name of observe is 3"),  # type: ignore[list-item]
    "design": (lambda m: tr.sweep(m, vary={"p": [1]}, observe=["peak(A.x)"], design=3), "design is 3; give a name"),  # type: ignore[arg-type]
    "compare": (lambda m: tr.fit(m, {"t": [1], "A.x": [1]}, ["p"], compare=3), "compare is 3; give names of data with what they measure"),  # type: ignore[arg-type]
    "vary": (lambda m: tr.sweep(m, vary=3, observe=["peak(A.x)"]), "vary is 3; give a list of names"),  # type: ignore[arg-type]
    "input": (lambda m: m.simulation().inputs.__setitem__("u", "3"), "input 'u' is '3'; give a number in SI units"),
    "complex input": (lambda m: m.simulation().inputs.__setitem__("u", 3j), "input 'u' is 3j; give a number"),
    "parameter": (lambda m: m.simulation().parameters.__setitem__("p", None), "parameter 'p' is None; give a number"),
    "advance": (lambda m: m.simulation().advance("1"), "the time to advance by is '1'; give a number"),  # type: ignore[arg-type]
    "advance_to": (lambda m: m.simulation().advance_to([1]), r"the time to advance to is \[1\]; give"),  # type: ignore[arg-type]
    "step": (lambda m: m.simulation().step("1"), "the step is '1'; give a number"),  # type: ignore[arg-type]
    "threads": (lambda m: tr.batch(m, {"p": [1]}).run(threads=1.5), "threads is 1.5; give a whole number"),  # type: ignore[arg-type]
    "many threads": (lambda m: tr.batch(m, {"p": [1]}).run(threads=100000), "threads is 100000; give at most 1024"),
    "observe": (lambda m: tr.batch(m, {"p": [1]}, observe=[3]), "a name of observe is 3; give a name in quotes"),  # type: ignore[list-item]
    "drive text": (lambda m: tr.solve.kinematics(m, drive="mot"), r"drive is 'mot'; give \(name, from, to, count\)"),  # type: ignore[arg-type]
    "drive of three": (lambda m: tr.solve.kinematics(m, drive=("mot", 0, 1)), r"give \(name, from, to, count\)"),  # type: ignore[arg-type]
    "drive end": (lambda m: tr.solve.kinematics(m, drive=("mot", 0, "1", 9)), "the last value of drive is '1'"),  # type: ignore[arg-type]
    "drive count": (lambda m: tr.solve.kinematics(m, drive=("mot", 0, 1, 0)), "the count of drive is 0; give 2 or more"),
    "rows": (lambda m: tr.solve.kinematics(m, rows=1e3), "rows is 1000.0; give a whole number"),  # type: ignore[arg-type]
    "negative rows": (lambda m: tr.solve.kinematics(m, rows=-1), "rows is -1; give 0 or more"),
    "ratio": (lambda m: tr.solve.kinematics(m, ratio_to=3), "ratio_to is 3; give a name in quotes"),  # type: ignore[arg-type]
    "curves": (lambda m: tr.solve.kinematics(m, curves="A"), r"curves='A' is one name; give a list, curves=\['A'\]"),
    "starts": (lambda m: tr.solve.equilibrium(m, starts=2.5), "starts is 2.5; give a whole number"),  # type: ignore[call-overload]
    "negative starts": (lambda m: tr.solve.equilibrium(m, starts=-1), "starts is -1; give 0 or more"),
    "stable": (lambda m: tr.solve.equilibrium(m, stable="yes"), "stable is 'yes'; give True or False"),  # type: ignore[call-overload]
    "positions": (lambda m: tr.solve.positions(m, starts=True), "starts is True; give a whole number"),
    "samples": (lambda m: tr.solve.workspace(m, "A", samples=0), "samples is 0; give 1 or more"),
    "spacing": (lambda m: tr.solve.workspace(m, "A", spacing=-1), "spacing is -1; give a positive number"),
    "point": (lambda m: tr.solve.workspace(m, 3), "point is 3; give a name in quotes"),  # type: ignore[arg-type]
    "idle": (lambda m: tr.solve.inverse(m, idle="mot"), r"idle='mot' is one name; give a list, idle=\['mot'\]"),
    "weights": (lambda m: tr.solve.inverse(m, weights=["mot"]), r"weights is \['mot'\]; give drivers with numbers"),  # type: ignore[arg-type]
    "a weight": (lambda m: tr.solve.inverse(m, weights={"mot": -1}), "the weight of 'mot' is -1; give a positive number"),
    "text weight": (lambda m: tr.solve.inverse(m, weights={"mot": "1"}), "the weight of 'mot' is '1'"),  # type: ignore[dict-item]
    "hold": (lambda m: tr.solve.inverse(m, hold="no"), "hold is 'no'; give True or False"),  # type: ignore[arg-type]
    "every": (lambda m: m.run(every=0.1), r"every=0.1 is the time between calls of a controller, and there is none"),
    "too often": (lambda m: m.run(controller=lambda motion: None, every=1e-300), "acts every 1e-300 s would act 1e.300 times in 1 s; give a longer time"),
    "progress": (lambda m: m.run(progress="no"), "progress is 'no'; give True or False"),  # type: ignore[arg-type]
    "too many rows": (lambda m: tr.solve.kinematics(m, rows=2 * 10**9), r"2e.09 rows are too many; give at most 1e.08"),
    "too much memory": (lambda m: tr.batch(m.with_({"outputs.interval": 1e-6}), {"p": np.ones(10**5)}).run(), "need .* GB, and this machine has .* GB; observe fewer columns"),
    "port": (lambda m: tr.view(m, port=99999), "port is 99999; give at most 65535"),
    "settings": (lambda m: m.with_(2), "settings is 2, no mapping; give paths with values"),  # type: ignore[arg-type]
    "named settings": (lambda m: m.with_(settings={"gravity": [0, 0]}), "settings= is a parameter of that name; give paths with values without a name"),  # type: ignore[arg-type]
    "save": (lambda m: m.run().save(""), "save.. needs a folder, and the name is empty"),
    "independent": (lambda m: setattr(m.simulation(), "independent", "O.angle"), "independent='O.angle' is one name"),
}


@pytest.fixture
def crank() -> tr.Mechanism:
    return tr.Mechanism({**CRANK, "parameters": {"p": 1}, "inputs": {"u": 0}})


@pytest.mark.parametrize("name", WRONG)
def test_what_is_of_the_wrong_kind_is_refused(crank: tr.Mechanism, name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, told = WRONG[name]
    with pytest.raises(tr.ModelError, match=told):
        call(crank)
    assert not list(tmp_path.iterdir())


def test_a_parameter_may_have_any_name(crank: tr.Mechanism) -> None:
    named = crank.with_({"parameters": {"p": 1, "settings": 2, "self": 3, "path": 4}})
    assert named.with_(settings=5, self=6, path=7).parameters == {"p": 1, "settings": 5, "self": 6, "path": 7}
    assert tr.loads(named.text, settings=8).parameters["settings"] == 8


def test_numbers_of_numpy_are_numbers(crank: tr.Mechanism) -> None:
    sim = crank.simulation()
    sim.inputs["u"] = np.float32(0.5)
    sim.advance(np.int64(1))
    assert sim["u"] == 0.5 and sim.t == 1
    assert len(tr.solve.kinematics(crank, rows=np.int32(4)).t) == 5
    assert len(tr.batch(crank, {"p": [1]}).run(threads=np.int64(1))) > 0


NAMES: dict[str, tuple[Call, str]] = {
    "set input": (lambda m: m.simulation().inputs.__setitem__("v", 1), "there is no input 'v'; choose one of: u"),
    "set parameter": (lambda m: m.simulation().parameters.__setitem__("q", 1), "there is no parameter 'q'"),
    "pose": (lambda m: m.simulation().pose("crnk"), "did you mean 'crank'"),
    "point": (lambda m: m.simulation().point("B"), "'B'"),
    "reaction": (lambda m: m.simulation().reaction("mott"), "did you mean 'mot'"),
    "no text": (lambda m: m.simulation().pose(3), "3 is no name of a body; give a text"),  # type: ignore[arg-type]
    "no value": (lambda m: m.simulation()[3], "3 is no name of a value; give a text"),  # type: ignore[index]
    "column number": (lambda m: m.run()[0], "0 is no name of a column; give one text, as 't'"),  # type: ignore[index]
    "column list": (lambda m: m.run()[["A.x"]], r"\['A.x'\] is no name of a column"),  # type: ignore[index]
    "plot list": (lambda m: m.run().plot(["A.x"]), r"\['A.x'\] is no name of a column"),  # type: ignore[arg-type]
    "weights": (lambda m: tr.solve.inverse(m, weights={"mott": 1}), "there is no driver 'mott'; did you mean 'mot'"),
    "idle": (lambda m: tr.solve.inverse(m, idle=["brake"]), "there is no driver 'brake'"),
    "vary": (lambda m: tr.solve.modes(m, vary={"q": [1]}), "vary: there is no parameter 'q'"),
}


@pytest.mark.parametrize("name", NAMES)
def test_unknown_names_are_key_errors_and_model_errors(crank: tr.Mechanism, name: str) -> None:
    call, told = NAMES[name]
    with pytest.raises(tr.UnknownName, match=told) as caught:
        call(crank)
    assert isinstance(caught.value, KeyError) and isinstance(caught.value, tr.ModelError)


def test_time_goes_forwards(crank: tr.Mechanism) -> None:
    sim = crank.simulation()
    sim.advance_to(0.7)
    for go_back in (lambda: sim.advance(-0.1), lambda: sim.advance_to(0), lambda: sim.advance_to(0.6)):
        with pytest.raises(tr.ModelError, match="time goes forwards; to go back, restore an earlier sim.state"):
            go_back()
    assert sim.advance_to(0.1 + 0.6) == [] and sim.t == pytest.approx(0.7)  # 0.7 but for rounding


def test_what_no_model_can_hold_is_told_with_its_path() -> None:
    circle: dict[str, Any] = {"plane": "xy"}
    circle["bodies"] = {"a": circle}
    for model, told in (
        ({"bodies": {"a": {"mass": 2j}}}, "bodies.a.mass is 2j, which no model can hold; give a number"),
        ({"bodies": {"a": {"at": [0, object]}}}, r"bodies.a.at\[1\] is <class 'object'>, which no model can hold"),
        ({"bodies": {"a": {"at": np.array([1j, 0])}}}, r"bodies.a.at\[0\] is 1j"),
        (circle, "bodies.a: it contains itself"),
    ):
        with pytest.raises(tr.ModelError, match=told):
            tr.Mechanism(model)
    m = tr.Mechanism(BALL)
    with pytest.raises(tr.ModelError, match="bodies.ball.mass is 2j"):
        m.with_({"bodies.ball.mass": 2j})
    with pytest.raises(tr.ModelError, match="tolerance is 2j"):
        m.run(tolerance=2j)
    twice = [0.5, 0.5]  # the same list in two places is no circle
    tr.Mechanism({**BALL, "points": {"P": twice, "Q": twice}, "bodies": {"ball": {"mass": 1, "inertia": 1, "carries": ["P", "Q"]}}})


def test_what_is_no_mechanism() -> None:
    for call in (lambda: tr.view(3), lambda: tr.batch("a.yaml", {"m": [1]})):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="needs a Mechanism, not .*; tr.load"):
            call()


def test_parameters_may_have_any_name(tmp_path: pathlib.Path) -> None:
    m = tr.Mechanism({**BALL, "parameters": {"path": 1, "self": 1, "text": 1, "settings": 1}})
    assert m.with_(path=2, self=3, text=4).parameters == {"path": 2, "self": 3, "text": 4, "settings": 1}
    assert m.with_({"parameters.settings": 5}).parameters["settings"] == 5
    assert tr.loads(m.text, text=2).parameters["text"] == 2
    file = tmp_path / "ball.yaml"
    file.write_text(m.text)
    assert tr.load(file, path=2).parameters["path"] == 2


def test_a_place_without_a_column() -> None:
    assert tr.Problem("robot.urdf", 7, 0, "no mass", "").place == "robot.urdf:7"
    assert tr.Problem("crank.yaml", 7, 3, "no mass", "").place == "crank.yaml:7:3"
    assert tr.Problem("crank.yaml", 0, 0, "no mass", "").place == "crank.yaml"


# Forces and constraints.


def test_forces_are_real() -> None:
    m = tr.Mechanism(BALL)
    for force in (lambda t, x, v: x * 1j, lambda t, x, v: [[1j, 0, 0]]):
        with pytest.raises(tr.ModelError, match="force 'f' is complex at t = 0 s: .*; return real numbers"):
            m.with_force("f", [("ball", (0, 0))], force, derivatives="differences").simulation()
    with pytest.raises(tr.ModelError, match="force 'f' is .*'1'.* at t = 0 s; return numbers"):
        m.with_force("f", [("ball", (0, 0))], lambda t, x, v: [["1", "2", "0"]]).simulation()
    with pytest.raises(tr.ModelError, match="constraint 'c' is complex at t = 0 s"):
        m.with_constraint("c", [("ball", (0, 0))], lambda t, x: 1j * x[0, 0], derivatives="differences").simulation()


def test_a_place_in_space_has_three_coordinates() -> None:
    with pytest.raises(tr.ModelError, match=r"force 'f': \(0, 0\) is no place on 'ball'; give three coordinates in m"):
        tr.Mechanism(IN_SPACE).with_force("f", [("ball", (0, 0))], rest)
    assert tr.Mechanism(BALL).with_force("f", [("ball", (0, 0))], rest).forces == ["f"]


@pytest.mark.parametrize("name", ["f g", "", "2f", "f.x", "f-g", "sin", "t", "ground"])
def test_forces_and_constraints_have_names_of_models(name: str) -> None:
    m = tr.Mechanism(BALL)
    with pytest.raises(tr.ModelError, match=f"'{name}' .*cannot name a force"):
        m.with_force(name, [("ball", (0, 0))], rest)
    with pytest.raises(tr.ModelError, match=f"'{name}' .*cannot name a constraint"):
        m.with_constraint(name, [("ball", (0, 0))], lambda t, x: x[0, 0])
    with pytest.raises(tr.ModelError, match="the name of a force is 3; give a name in quotes"):
        m.with_force(3, [("ball", (0, 0))], rest)  # type: ignore[arg-type]


# Words.


def test_messages_speak_of_python(crank: tr.Mechanism, models: pathlib.Path) -> None:
    free = tr.Mechanism({key: value for key, value in CRANK.items() if key != "drivers"})
    with pytest.raises(tr.ModelError, match="nothing drives .* hold at the start with hold=True"):
        tr.solve.inverse(free)
    shared = tr.Mechanism({**CRANK, "drivers": {"mot": {"angle": "crank", "equals": "t"}, "too": {"angle": "crank", "equals": "t"}}})
    assert "least weighted squares (weights=, idle=)" in repr(tr.solve.inverse(shared))
    with pytest.raises(tr.ModelError, match=r'take them away \(with_\({"gravity": \[0, 0\]}\)\)'):
        tr.solve.stability(free.with_({"gravity": [0, -9.81]}), step=1e-3)
    with pytest.raises(tr.ModelError, match='give {"bodies.crank.mass": 2}'):
        tr.Mechanism(CRANK, settings=["mass"])
    many = tr.load(models / "n-four-bar.yaml").check()
    assert len(many.loops) < 5 or "`figures` has them" in repr(many)


def test_kinds_of_errors_are_those_of_python(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        tr.read_sweep(tmp_path / "nope")
    with pytest.raises(FileNotFoundError):
        tr.read_sweep(tmp_path)
    (tmp_path / "other.h5").write_text("no table")
    with pytest.raises(tr.Error, match="cannot read"):
        tr.read_sweep(tmp_path / "other.h5")
    with pytest.raises(tr.Error, match="cannot make the folder"):
        tr.sweep(pendulum, vary={"m": [1]}, observe=["peak(O.force)"]).run(tmp_path / "other.h5")
    with pytest.raises(TypeError, match="parameters are None; give a mapping from names to arrays"):
        tr.batch(pendulum, None)  # type: ignore[arg-type]
    r = pendulum.run(verify=False)
    with pytest.raises(tr.UnknownName, match="there is no column 'rod.angel'; did you mean 'rod.angle'"):
        r.units["rod.angel"]
    model = tmp_path / "m.yaml"
    model.write_text(pendulum.text)
    assert tr.load(str(model).encode()).bodies == ["rod"]  # type: ignore[arg-type]


@pytest.mark.parametrize("every", ["10 ms", -1, float("nan"), None])
def test_times_between_calls_of_a_controller(pendulum: tr.Mechanism, every: Any) -> None:
    with pytest.raises(tr.ModelError, match="every, the time between calls of the controller in s, is"):
        pendulum.run(controller=lambda motion: None, every=every)


def test_results_are_compared_by_their_numbers(pendulum: tr.Mechanism) -> None:
    r = pendulum.run()
    assert r == r and r == pendulum.run() and not r != pendulum.run()
    assert r != pendulum.with_(m=3).run() and r != pendulum.run(duration=1) and r != 3


def test_what_is_read_is_compared_by_its_numbers(pendulum: tr.Mechanism, crank: tr.Mechanism) -> None:
    sim, other = pendulum.simulation(), pendulum.simulation()
    for read in (lambda s: s.pose("rod"), lambda s: s.reaction("O"), lambda s: s.reaction("O").loads[0], lambda s: s.energy):
        assert read(sim) == read(other) and hash(read(sim)) == hash(read(other))
        assert len({read(sim), read(other)}) == 1
    before = sim.pose("rod"), sim.reaction("O")
    sim.advance(0.1)
    assert sim.pose("rod") != before[0] and sim.reaction("O") != before[1]
    assert (sim.pose("rod") == "rod") is False
    with pytest.raises(ValueError, match="read-only"):
        before[0].position[0] = 1


def test_tables_are_compared_by_their_numbers(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    r, again = pendulum.run(duration=0.1), pendulum.run(duration=0.1)
    assert r.error == again.error and r.error != r and not r.error == {"t": 3}
    assert r.error != pendulum.run(duration=0.2).error
    batch = [tr.batch(pendulum, {"m": [1, 2]}).run(duration=0.1, verify=verify) for verify in (False, False, True)]
    assert batch[0] == batch[1] and batch[0] != batch[2]
    assert batch[0] != tr.batch(pendulum, {"m": [1, 3]}).run(duration=0.1)
    assert batch[0].results[0] == batch[1].results[0] and batch[0].results[0] != batch[0].results[1]
    plan = tr.sweep(pendulum, vary={"m": [1, 2]}, observe=["peak(rod.angle)"], duration=0.1)
    assert plan.run(tmp_path / "a") == plan.run(tmp_path / "b")


def test_the_names_of_a_motion(crank: tr.Mechanism) -> None:
    sim, seen = crank.simulation(), []
    assert sim.names == sim.keys() == list(sim)
    for name in ("t", "crank.x", "O.force.x", "mot.effort", "u", "iterations"):
        assert name in sim
    assert "crank.xx" not in sim and 3 not in sim and None not in sim
    values = dict(sim)
    assert values["crank.x"] == sim["crank.x"] and len(values) == len(sim.names)
    assert set(crank.run().columns) <= set(sim)

    def look(motion: tr.Motion) -> float:
        seen.append(motion.names)
        return motion["crank.x"] + ("u" in motion)

    crank.run(events={"look": look})
    assert seen[0] == [name for name in sim.names if name not in ("iterations", "marked")]


def test_a_simulation_in_use_has_a_text(pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation()
    told = []
    sim.advance(0.1, events={"a": lambda motion: told.append(repr(sim)) or 1.0})  # type: ignore[func-returns-value]
    assert set(told) == {"<Simulation of 'pendulum', in use>"}
    assert repr(sim) == "<Simulation of 'pendulum', at t = 0.1 s>"


def test_help_says_what_fields_are() -> None:
    for kind in (tr.Event, tr.Pose, tr.Reaction, tr.Load):
        for field in kind.__dataclass_fields__:
            assert f"``{field}``" in kind.__doc__, (kind, field)
