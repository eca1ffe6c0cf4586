"""Forces and constraints written in Python, against the same from a model file or a formula."""

import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import trammel as tr

FREE = {
    "plane": "xy",
    "gravity": [0, -9.81],
    "bodies": {"ball": {"mass": 2, "inertia": 1}},
    "initial": {"ball": {"velocity": [3, 1]}},
    "simulate": {"duration": 1, "tolerance": 1e-9},
}
BALL = [("ball", (0, 0, 0))]


def drag(t: float, x: Any, v: Any) -> Any:
    return -0.3 * np.linalg.norm(v) * v


def spring(t: float, x: Any, v: Any) -> Any:
    return -40 * x * np.cos(t) - 0.5 * v


@pytest.fixture
def ball() -> tr.Mechanism:
    return tr.Mechanism(FREE)


def by_formula(force: list[str]) -> tr.Mechanism:
    return tr.Mechanism({**FREE, "forces": {"same": {"force": force, "at": "ball.com"}}})




@pytest.mark.parametrize("derivatives", ["automatic", "differences"])
@pytest.mark.parametrize("implicit", [False, True])
def test_a_force_acts_as_its_formula(ball: tr.Mechanism, derivatives: str, implicit: bool) -> None:
    plan: dict[str, Any] = {"formulation": "augmented-lagrangian-index3", "step": 1e-3} if implicit else {}
    if implicit:
        ball = ball.with_({"simulate": {"duration": 1}})
    mine = ball.with_force("spring", BALL, spring, derivatives=derivatives).run(**plan)
    formula = by_formula(["-40*ball.x*cos(t) - 0.5*ball.vx", "-40*ball.y*cos(t) - 0.5*ball.vy"])
    theirs = (formula.with_({"simulate": {"duration": 1}}) if implicit else formula).run(**plan)
    assert mine.status == "ok"
    np.testing.assert_allclose(mine["ball.x"], theirs["ball.x"], atol=1e-7)
    np.testing.assert_allclose(mine["ball.v.y"], theirs["ball.v.y"], atol=1e-6)


def test_a_constraint_acts_as_a_joint() -> None:
    # A pendulum: |x| = 1.
    def length(t: float, x: Any) -> Any:
        return x[0] @ x[0] - 1

    hangs = tr.Mechanism({**FREE, "initial": {}, "bodies": {"ball": {"mass": 2, "inertia": 1, "at": [1, 0]}}})
    mine = hangs.with_constraint("rod", BALL, length).run(duration=2)
    assert mine.status == "ok"
    angle = np.arctan2(mine["ball.y"], mine["ball.x"])
    # ½ v² = −g y
    speed = np.hypot(mine["ball.v.x"], mine["ball.v.y"])
    np.testing.assert_allclose(speed**2, 2 * 9.81 * -np.sin(angle), atol=1e-6)
    np.testing.assert_allclose(np.hypot(mine["ball.x"], mine["ball.y"]), 1, atol=1e-10)


@pytest.mark.parametrize("way", ["automatic", "differences", "given"])
def test_a_moving_constraint(way: str) -> None:
    # y = 0.1 sin x + 0.2 sin 2t
    def track(t: float, x: Any) -> Any:
        return x[0, 1] - 0.1 * np.sin(x[0, 0]) - 0.2 * np.sin(2 * t)

    given: dict[str, Any] = {"derivatives": "differences" if way == "differences" else "automatic"}
    if way == "given":
        given["gradient"] = lambda t, x: [[-0.1 * math.cos(x[0, 0]), 1, 0]]
        given["time_derivative"] = lambda t, x: -0.4 * math.cos(2 * t)
        given["gamma"] = lambda t, x, v: 0.1 * math.sin(x[0, 0]) * v[0, 0] ** 2 + 0.8 * math.sin(2 * t)
    m = tr.Mechanism({**FREE, "initial": {}}).with_constraint("track", BALL, track, **given)
    r = m.run(tolerance=1e-10)
    assert r.status == "ok"
    np.testing.assert_allclose(r["ball.y"], 0.1 * np.sin(r["ball.x"]) + 0.2 * np.sin(2 * r.t), atol=1e-10)
    fall = 0.1 * np.cos(r["ball.x"]) * r["ball.v.x"] + 0.4 * np.cos(2 * r.t)
    np.testing.assert_allclose(r["ball.v.y"], fall, atol=1e-9)


def test_a_function_that_takes_no_dual_numbers_is_told_once(ball: tr.Mechanism) -> None:
    def plain(t: float, x: Any, v: Any) -> Any:
        return [[-math.sin(x[0, 0]), 0, 0]]

    m = ball.with_force("plain", BALL, plain)
    with pytest.warns(tr.CostWarning, match="force 'plain'.*12 calls.*NumPy's functions") as told:
        r = m.with_({"simulate": {"duration": 1}}).run(formulation="augmented-lagrangian-index3", step=1e-3)
    assert len([w for w in told if w.category is tr.CostWarning]) == 1
    np.testing.assert_allclose(r["ball.x"], by_formula(["-sin(ball.x)", "0"]).run()["ball.x"], atol=1e-5)


class Broken(Exception):
    pass


def test_what_a_function_raises_arrives_as_itself(ball: tr.Mechanism) -> None:
    armed = False

    def fails(t: float, x: Any, v: Any) -> Any:
        if armed and t > 0.5:
            raise Broken("too late")
        return -x

    m = ball.with_force("fails", BALL, fails)
    sim, calm = m.simulation(), m.simulation()
    sim.advance(0.3)
    calm.advance(0.3)
    before = sim.state
    armed = True
    with pytest.raises(Broken) as caught:
        sim.advance(0.5)
    assert any("force 'fails', at t = 0.5" in note for note in getattr(caught.value, "__notes__", ["force 'fails', at t = 0.5"]))
    assert sim.state == before
    with pytest.raises(Broken):
        m.run()
    armed = False
    sim.advance(0.5)
    calm.advance(0.5)
    assert sim.state == calm.state


def test_what_a_function_gives_is_checked(ball: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match=r"force 'two' is of the shape \(2,\) at t = 0 s; return numbers of the shape \(1, 3\)"):
        ball.with_force("two", BALL, lambda t, x, v: np.zeros(2)).run()
    with pytest.raises(tr.ModelError, match="force 'text' is 'no'"):
        ball.with_force("text", BALL, lambda t, x, v: "no", derivatives="differences").run()
    with pytest.raises(tr.ModelError, match="derivatives cannot be 'exact'"):
        ball.with_force("f", BALL, drag, derivatives="exact")
    with pytest.raises(tr.ModelError, match="'bal'"):
        ball.with_force("f", [("bal", (0, 0, 0))], drag)
    with pytest.raises(tr.ModelError, match="is no place on 'ball'"):
        ball.with_force("f", [("ball", (0, 0, 0, 0))], drag)


def test_a_simulation_cannot_be_used_within_its_own_force(ball: tr.Mechanism) -> None:
    sims: list[tr.Simulation] = []

    def reads(t: float, x: Any, v: Any) -> Any:
        if sims:
            sims[0].energy
        return -x

    sims.append(ball.with_force("reads", BALL, reads).simulation())
    with pytest.raises(RuntimeError, match="by the call that this function is called from"):
        sims[0].advance(0.1)


def test_parts_pickle_with_their_functions(ball: tr.Mechanism) -> None:
    m = ball.with_force("drag", BALL, drag).with_({"gravity": [0, -1.62]})
    again = pickle.loads(pickle.dumps(m))
    np.testing.assert_array_equal(again.run()["ball.y"], m.run()["ball.y"])
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(ball.with_force("local", BALL, lambda t, x, v: -x))
    with pytest.raises(tr.ModelError, match="'drag'"):
        m.text


def test_parts_in_batches_and_threads(ball: tr.Mechanism) -> None:
    m = tr.Mechanism({**FREE, "parameters": {"m": 2}, "bodies": {"ball": {"mass": "m", "inertia": 1}}}).with_force("drag", BALL, drag)
    batch = tr.batch(m, {"m": np.linspace(1, 3, 6)}, observe=["ball.y"])
    one, two = batch.run(threads=1), batch.run(threads=2)
    np.testing.assert_array_equal(one["ball.y"], two["ball.y"])
    np.testing.assert_array_equal(one["ball.y"][3], m.with_(m=float(one.parameters["m"][3])).run(verify=False)["ball.y"])
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(m.run(progress=False)["ball.y"][-1])) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 3


def test_an_exception_in_a_batch_is_told_of_its_run(ball: tr.Mechanism) -> None:
    def heavy(t: float, x: Any, v: Any) -> Any:
        if v[0, 0] > 3.5:
            raise Broken("too fast")
        return -x

    m = tr.Mechanism({**FREE, "parameters": {"u": 1}, "initial": {"ball": {"velocity": ["u", 0]}}}).with_force("heavy", BALL, heavy, derivatives="differences")
    with pytest.warns(tr.RunWarning, match="Broken: too fast"):
        r = tr.batch(m, {"u": [1, 4, 2]}, observe=["ball.y"]).run()
    assert list(r.failed) == [False, True, False]


def test_a_square_of_a_size_is_a_parabola() -> None:
    """A car that passes the vertex of y = x² with 1 m/s: its track carries m (g + 2 v²)."""
    car = tr.Mechanism(
        {
            "plane": "xy",
            "gravity": [0, -9.81],
            "bodies": {"car": {"mass": 2, "inertia": 1, "free": True}},
            "initial": {"car": {"velocity": [1, 0]}},
            "simulate": {"duration": 0.1},
        }
    )
    at = [("car", (0, 0))]
    sizes = (lambda x: np.linalg.norm(x[:1]), lambda x: np.abs(x[0]), lambda x: np.hypot(x[0], 0.0))
    for size in sizes:
        sim = car.with_constraint("track", at, lambda t, x: x[0, 1] - size(x[0]) ** 2).simulation()
        assert sim["track.force.y"] == pytest.approx(2 * (9.81 + 2), rel=1e-9)
    for value, cause in ((lambda t, x: x[0, 1] - np.abs(x[0, 0]), "abs"), (lambda t, x: x[0, 1] - np.sqrt(x[0, 0] ** 2) ** 2, "sqrt")):
        with pytest.raises(tr.ModelError, match=f"constraint 'track' has no derivative at t = 0 s, where the argument of its {cause} is 0"):
            car.with_constraint("track", at, value).simulation()


def test_drag_written_with_a_root_starts_from_rest() -> None:
    """Fall with quadratic drag: v = v∞ tanh(g t/v∞)."""
    ball = tr.Mechanism({"plane": "xy", "gravity": [0, -9.81], "bodies": {"ball": {"mass": 1, "inertia": 1, "free": True}}})
    drag = ball.with_force("drag", [("ball", (0, 0))], lambda t, x, v: -0.5 * np.sqrt(v[0] @ v[0]) * v)
    end = np.sqrt(9.81 / 0.5)
    sim = drag.simulation(formulation="augmented-lagrangian-index3", step=1e-3)
    sim.advance(1)
    assert sim["ball.v.y"] == pytest.approx(-end * np.tanh(9.81 / end), rel=1e-4)


def circle(t: float, x: Any) -> Any:
    """A point on a circle that grows."""
    return x[0, 0] ** 2 + x[0, 1] ** 2 - (1 + 0.1 * t) ** 2


RIGHT = {
    "gradient": lambda t, x: [[2 * x[0, 0], 2 * x[0, 1], 0]],
    "time_derivative": lambda t, x: -0.2 * (1 + 0.1 * t),
    "gamma": lambda t, x, v: 2 * (v[0] @ v[0]) - 0.02,
}


def on_a_circle() -> tr.Mechanism:
    return tr.Mechanism(
        {
            "plane": "xy",
            "gravity": [0, -9.81],
            "bodies": {"bead": {"mass": 2, "inertia": 1, "free": True, "at": [1, 0]}},
            "initial": {"bead": {"velocity": [0.1, 1]}},
            "simulate": {"duration": 0.5},
        }
    )


def test_right_derivatives_are_accepted() -> None:
    m, at = on_a_circle(), [("bead", (0, 0))]
    own = m.with_constraint("ring", at, circle, **RIGHT).run(tolerance=1e-9)  # type: ignore[arg-type]
    found = m.with_constraint("ring", at, circle).run(tolerance=1e-9)
    np.testing.assert_allclose(own["bead.y"], found["bead.y"], atol=1e-9)
    pushed = m.with_force("drag", at, lambda t, x, v: -v * np.abs(v), derivatives=lambda t, x, v: (np.zeros((3, 3)), np.diag(-2 * np.abs(v[0]))))
    pushed.run(formulation="augmented-lagrangian-index3", step=1e-3)


@pytest.mark.parametrize(
    ("name", "wrong", "told"),
    [
        ("gradient", lambda t, x: [[2 * x[0, 0], -2 * x[0, 1] - 1, 0]], r"gradient\[0, 1\] is -1 at t = 0 s, and differences .* give 0"),
        ("time_derivative", lambda t, x: 0.2, "time_derivative is 0.2 .* give -0.2"),
        ("gamma", lambda t, x, v: v[0] @ v[0] - 0.02, "gamma is 0.99 at t = 0 s, and differences of its function give 2"),
    ],
)
def test_wrong_derivatives_of_constraints_are_refused(name: str, wrong: Any, told: str) -> None:
    with pytest.raises(tr.ModelError, match=f"constraint 'ring': {told}"):
        on_a_circle().with_constraint("ring", [("bead", (0, 0))], circle, **{**RIGHT, name: wrong}).run()


def test_wrong_derivatives_of_forces_are_refused() -> None:
    m = on_a_circle().with_force("drag", [("bead", (0, 0))], lambda t, x, v: -3 * v, derivatives=lambda t, x, v: (np.zeros((3, 3)), 3 * np.eye(3)))
    with pytest.raises(tr.ModelError, match=r"force 'drag': the entry of its derivatives\[1, 0, 0\] is 3 at .* give -3"):
        m.run(formulation="augmented-lagrangian-index3", step=1e-3)


def plain_force(t: float, x: Any, v: Any) -> Any:
    return [[-math.sin(x[0, 0]), 0, 0]]


def test_a_warning_of_cost_cites_the_line_of_the_caller(ball: tr.Mechanism) -> None:
    def warned(m: tr.Mechanism, **options: Any) -> Any:
        with pytest.warns(tr.CostWarning) as told:
            m.run(duration=0.01, progress=False, **options)
        return told[0]

    implicit = {"formulation": "augmented-lagrangian-index3", "step": 1e-3}
    assert warned(ball.with_force("plain", BALL, plain_force), **implicit).filename == __file__
    assert warned(ball.with_({"initial": {}}).with_constraint("plain", BALL, lambda t, x: math.sin(x[0, 0]))).filename == __file__
    # In a batch nobody's line is on the stack of the thread: the function is cited.
    m = ball.with_({"parameters": {"p": 1}}).with_force("plain", BALL, plain_force)
    with pytest.warns(tr.CostWarning) as told:
        tr.batch(m, {"p": [1]}).run(duration=0.01, progress=False, **implicit)
    assert (told[0].filename, told[0].lineno) == (__file__, plain_force.__code__.co_firstlineno)
