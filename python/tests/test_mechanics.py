"""Facts of mechanics, through the Python package."""

import pathlib

import numpy as np
import pytest

import trammel as tr


def test_a_rod_falls_as_its_energy_says(pendulum: tr.Mechanism) -> None:
    # ½ J ω² = m g ½ L sin φ, J = m L²/3
    r = pendulum.run(tolerance=1e-9)
    expected = np.sqrt(3 * 9.81 * -np.sin(r["rod.angle"]))
    np.testing.assert_allclose(np.abs(r["rod.omega"]), expected, atol=1e-6)
    assert r.status == "ok"


def test_errors_hold_what_they_promise(pendulum: tr.Mechanism) -> None:
    coarse = pendulum.run(tolerance=1e-4)
    fine = pendulum.run(tolerance=1e-11)
    true = np.abs(coarse["rod.angle"] - fine["rod.angle"]).max()
    assert 1e-9 < true < 3 * coarse.error["rod.angle"].max()


def test_a_pin_carries_weight_and_centripetal_force(pendulum: tr.Mechanism) -> None:
    # At the bottom ω² = 3 g/L: N = m g + m ω² L/2 = 2.5 m g
    r = pendulum.run(tolerance=1e-9)
    bottom = np.argmin(r["rod.y"])
    assert r["O.force.y"][bottom] == pytest.approx(2.5 * 2 * 9.81, rel=1e-3)


def test_an_input_pushes_from_when_it_is_set(cart: tr.Mechanism) -> None:
    sim = cart.simulation(tolerance=1e-9)
    sim.advance(1)
    assert sim["s.displacement"] == pytest.approx(0, abs=1e-12)
    sim.inputs["u"] = 3
    sim.advance(1)
    assert sim["s.displacement"] == pytest.approx(1.5, abs=1e-9)
    assert sim["s.rate"] == pytest.approx(3, abs=1e-9)


def test_a_controller_in_python_brings_the_cart_to_rest(cart: tr.Mechanism) -> None:
    sim = cart.simulation(tolerance=1e-8)
    while sim.t < 15 - 1e-9:
        sim.inputs["u"] = 4 * (1 - sim["s.displacement"]) - 4 * sim["s.rate"]
        sim.advance(0.01)
    assert sim["s.displacement"] == pytest.approx(1, abs=1e-6)
    assert sim.energy.kinetic < 1e-12


def test_a_state_goes_on_to_the_same_bits(pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation(tolerance=1e-8)
    sim.advance(0.4)
    kept = sim.state
    sim.advance(0.4)
    first = sim.state
    sim.state = kept
    assert sim.t == pytest.approx(0.4)
    sim.advance(0.4)
    assert sim.state == first


def test_a_parameter_that_changes_leaves_the_motion_where_it_is(pendulum: tr.Mechanism) -> None:
    sim = pendulum.simulation(tolerance=1e-9)
    sim.advance(0.3)
    angle, weight = sim.pose("rod").angle, sim.energy.potential
    sim.parameters["m"] = 4
    assert sim.pose("rod").angle == pytest.approx(angle, abs=1e-12)
    assert sim.energy.potential == pytest.approx(2 * weight, rel=1e-12)


def test_redundant_hinges_are_told(models: pathlib.Path) -> None:
    door = tr.load(models / "door.yaml").check()
    assert door.degrees_of_freedom == 1
    assert door.redundant == 5
    assert door.dependent_sets == [["lower", "upper"]]
    assert [(loop["freedom"], loop["redundant"]) for loop in door.loops] == [(1, 5)]
    assert door.remedies[0]["instead"] == "point-on-line"
    assert door.remedies == door.figures["remedies"]["single"]
    assert sum(remedy["removes"] for remedy in door.remedies_together) == 5 and door.redundant_left == 0
    assert door.singularity_gauge == pytest.approx(1)
    linkage = tr.load(models / "double-four-bar.yaml").check()
    assert linkage.nearest_singular is not None
    assert abs(linkage.nearest_singular["distance"]) == pytest.approx(np.pi / 2, abs=1e-6)


def test_a_check_has_what_the_command_tells(cart: tr.Mechanism) -> None:
    pair = tr.Mechanism(
        {
            "plane": "xy",
            "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [0, 1.01], "B": [1, 1.02], "C": {"at": [1, 0], "on": "ground"}},
            "bodies": {
                "left": {"rod": ["O", "A"], "mass": 1, "length": 1},
                "top": {"mass": 1, "inertia": 0.1, "at": "A", "carries": ["A", "B"]},
                "right": {"rod": ["C", "B"], "mass": 1, "length": 1},
                "wheel": {"mass": 1, "inertia": 0.1, "at": [2, 0]},
            },
            "joints": {"shaft": {"revolute": ["wheel", "ground"], "at": [2, 0]}, "teeth": {"gear": ["O", "shaft"], "ratio": 1}},
        }
    )
    check = pair.check()
    assert check.figures["assembly"]["rough_shapes"] == ["top"]
    assert check.figures["reactions_without"] == ["the force of gear 'teeth' on its bearings, which a gear-pair has"]
    assert "rough shapes          top: assembly moved" in repr(check)
    assert cart.check().figures["assembly"] == {"largest_move": 0, "rough_shapes": []}


def test_a_coordinate_is_swept(models: pathlib.Path) -> None:
    swept = tr.solve.kinematics(tr.load(models / "four-bar.yaml"), drive=("A", 0, 2 * np.pi, 37))
    assert swept["A.angle"] == pytest.approx(np.linspace(0, 2 * np.pi, 37), abs=1e-9)


def test_a_structure_held_too_often_is_not_called_a_locked_mechanism() -> None:
    legs = {
        f"leg{k}": {"distance": [{"body": "plate", "at": [x, 0]}, {"body": "ground", "at": [x + slope, -1]}]}
        for k, (x, slope) in enumerate([(-1, 0.2), (0, -0.4), (1, 0), (1, 0.5)])
    }
    plate = tr.Mechanism({"plane": "xy", "gravity": [0, -9.81], "bodies": {"plate": {"mass": 3, "inertia": 1}}, "joints": legs})
    check = plate.check()
    assert (check.degrees_of_freedom, check.redundant) == (0, 1)
    assert "nothing can move" in repr(check)
    assert "cannot start" not in repr(check)
    r = plate.run(duration=0.1)
    assert r.status == "ok"
    # However they share it, the legs carry the weight.
    np.testing.assert_allclose(sum(r[f"{leg}.force.y"] for leg in legs), 3 * 9.81, rtol=1e-9)


def test_impacts_are_events(cart: tr.Mechanism) -> None:
    with_wall = cart.with_({"initial": {"s": {"speed": 2}}, "stops": {"wall": {"joint": "s", "upper": 1}}})
    events = with_wall.simulation().advance(2)
    assert [event.kind for event in events] == ["rest"] or events[0].kind == "impact"
    assert events[0].t == pytest.approx(0.5, abs=1e-12)
    assert events[0].before == pytest.approx(2)
