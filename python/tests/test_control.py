"""Controllers and events within whole runs, and events while a simulation is advanced."""

from typing import Any

import numpy as np
import pytest

import trammel as tr


def test_a_controller_holds_inputs_between_samples(cart: tr.Mechanism) -> None:
    def spring(motion: tr.Controlled) -> None:
        motion.inputs["u"] = 1 - 2 * motion["s.displacement"] - 3 * motion["s.rate"]

    r = cart.run(controller=spring, every=0.05, tolerance=1e-10)
    assert r.status == "ok"
    sim = cart.simulation(tolerance=1e-10)
    for k in range(40):
        spring(sim)
        sim.advance_to(0.05 * (k + 1))
    assert r["cart.x"][-1] == pytest.approx(sim["s.displacement"], abs=1e-9)
    assert r.error["cart.x"].max() < 1e-8


class Integrating:
    """A controller with a memory."""

    def __init__(self) -> None:
        self.sum = 0.0

    def __call__(self, motion: tr.Controlled) -> None:
        self.sum += 0.1 * (1 - motion["s.displacement"])
        motion.inputs["u"] = self.sum - motion["s.rate"]


def test_a_controller_with_a_memory_is_made_for_each_run(cart: tr.Mechanism) -> None:
    r = cart.run(controller=Integrating, every=0.1, tolerance=1e-10)
    assert r.error["cart.x"].max() < 1e-8
    # One object for both runs begins the second with the sum of the first.
    shared = cart.run(controller=Integrating(), every=0.1, tolerance=1e-10)
    assert shared.error["cart.x"].max() > 1e-3


def test_a_controller_that_raises(cart: tr.Mechanism) -> None:
    def fails(motion: tr.Controlled) -> None:
        if motion.t > 0.5:
            raise ZeroDivisionError("controller")

    with pytest.raises(ZeroDivisionError) as caught:
        cart.run(controller=fails, every=0.1)
    assert any("the controller, at t = 0.6" in note for note in getattr(caught.value, "__notes__", ["the controller, at t = 0.6"]))


def test_a_controller_needs_its_times(cart: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="every="):
        cart.run(controller=lambda motion: None)
    with pytest.raises(tr.ModelError, match="'w'"):
        cart.run(controller=lambda motion: motion.inputs.update(w=1), every=0.1)


def test_a_moment_passes(cart: tr.Mechanism) -> None:
    kept: list[Any] = []
    cart.run(controller=kept.append, every=1.0)
    with pytest.raises(RuntimeError, match="has passed"):
        kept[0].t


def test_events_are_located(pendulum: tr.Mechanism) -> None:
    r = pendulum.run(events={"turns": lambda motion: motion["O.rate"]}, duration=1.5, tolerance=1e-11)
    turns = [event for event in r.events if event["kind"] == "crossing"]
    assert len(turns) == 1 and turns[0]["name"] == "turns" and turns[0]["sign"] == 1
    # A level start is turned back where the rod is level again, after half a period.
    at = pendulum.simulation(tolerance=1e-11)
    at.advance_to(turns[0]["t"])
    assert at["O.rate"] == pytest.approx(0, abs=1e-8)
    assert r.status == "ok"


def test_a_run_ends_where_it_is_told(pendulum: tr.Mechanism) -> None:
    r = pendulum.run(until={"steep": lambda motion: motion.pose("rod").angle + 1}, tolerance=1e-10)
    assert r["rod.angle"][-1] == pytest.approx(-1, abs=1e-9)
    assert r.t[-1] == pytest.approx(r.events[-1]["t"])
    assert r.t[-1] < 2


def test_advancing_ends_where_it_is_told(pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation(tolerance=1e-10)
    events = sim.advance(2, events={"t": lambda m: m.t - 0.1234}, until={"bottom": lambda m: m.point("A")[0][0]})
    assert [event.name for event in events] == ["t", "bottom"]
    assert events[0].t == pytest.approx(0.1234, abs=1e-10)
    assert sim.point("A")[0][0] == pytest.approx(0, abs=1e-9)
    assert sim.t == pytest.approx(events[1].t, abs=1e-9)
    # They are watched in that call only.
    assert sim.advance(0.5) == []


def test_an_event_that_raises_leaves_the_simulation_where_it_was(pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation()
    sim.advance(0.2)
    before = sim.state

    def fails(motion: tr.Motion) -> float:
        return 1 / 0 if motion.t > 0.4 else 1.0

    with pytest.raises(ZeroDivisionError):
        sim.advance(1, events={"fails": fails})
    assert sim.state == before


def test_the_function_of_an_event_sets_nothing(cart: tr.Mechanism) -> None:
    def acts(motion: Any) -> float:
        motion._inputs["u"] = 1
        return 1.0

    with pytest.raises(RuntimeError, match="a controller can"):
        cart.simulation().advance(1, events={"acts": acts})


def test_events_of_fixed_steps(cart: tr.Mechanism) -> None:
    sim = cart.simulation(step=0.01, formulation="lagrange", integrator="rk4")
    sim.inputs["u"] = 1
    events = sim.advance_to(1, events={"half": lambda m: m["s.displacement"] - 0.125})
    assert [event.t for event in events] == [pytest.approx(0.5, abs=1e-10)]
    assert np.isclose(sim.t, 1)
