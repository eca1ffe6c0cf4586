"""Facts of mechanics that hold for every mechanism, for random ones."""

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, assume, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import trammel as tr  # noqa: E402
from mechanisms import Model, angles, doors, four_bars, planar_chains, rotations, spatial_chains, spatial_loops, turned  # noqa: E402

# The same examples in every run, as many as take a few seconds.
settings.register_profile(
    "tests", derandomize=True, deadline=None, max_examples=25, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")

any_model = st.one_of(planar_chains(), four_bars(), spatial_chains(), spatial_loops())


def run(model: Model, **options: Any) -> tr.Result:
    """A fine run. One that amplifies small changes may be `limited`: each test says what it needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tr.RunWarning)
        return tr.Mechanism(model).run(**{"duration": 0.5, "tolerance": 1e-9, "verify": False, "progress": False, **options})


@given(any_model)
def test_energy_is_balanced(model: Model) -> None:
    r = run(model)
    assert r.status != "failed", r.message
    balance = r["energy.kinetic"] + r["energy.potential"] - r["energy.work"]
    # The rule makes errors of 1e-9 in each of some hundred steps, relative to speeds of a few m/s.
    assert np.abs(balance - balance[0]).max() < 1e-6 * max(1, r["energy.kinetic"].max())


@given(planar_chains(on_ground=False))
def test_a_free_system_keeps_its_momentum(model: Model) -> None:
    r = run(model)
    linear, angular = np.zeros((len(r.t), 2)), np.zeros(len(r.t))
    for name, body in model["bodies"].items():
        a, b = (np.array(model["points"][point]) for point in body["rod"])
        inertia = body["mass"] * np.sum((b - a) ** 2) / 12
        x, v = (np.column_stack([r[f"{name}.{k}x"], r[f"{name}.{k}y"]]) for k in ("", "v."))
        linear += body["mass"] * v
        angular += body["mass"] * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) + inertia * r[f"{name}.omega"]
    assert np.abs(linear - linear[0]).max() < 1e-7
    assert np.abs(angular - angular[0]).max() < 1e-7


@given(planar_chains(springs=False))
def test_ground_gives_the_momentum(model: Model) -> None:
    # Σ m (v − v₀) = ∫ (F + Σ m g) dt, F the force of the pin on ground
    r = run(model)
    gained, weight = np.zeros((len(r.t), 2)), 0.0
    for name, body in model["bodies"].items():
        v = np.column_stack([r[f"{name}.v.x"], r[f"{name}.v.y"]])
        gained += body["mass"] * (v - v[0])
        weight += 9.81 * body["mass"]
    force = np.column_stack([r["P0.force.x"], r["P0.force.y"] - weight])
    given_ = np.concatenate([np.zeros((1, 2)), np.cumsum((force[1:] + force[:-1]) / 2 * np.diff(r.t)[:, None], axis=0)])
    # The trapezoidal rule errs by h²/12 of the change of F's slope.
    slope = np.gradient(force, r.t, axis=0)
    bound = r.t[1] ** 2 / 12 * np.abs(np.diff(slope, axis=0)).sum(axis=0)
    assert (np.abs(gained - given_).max(axis=0) < 1e-6 + 2 * bound).all()


@given(spatial_chains())
def test_reactions_do_no_work(model: Model) -> None:
    # F·(v₁ − v₂) + T·(ω₁ − ω₂) = 0, velocities of both bodies at the joint's point on the first
    sim = tr.Mechanism(model).simulation(tolerance=1e-9)
    sim.advance(0.2)
    for name, joint in model["joints"].items():
        first, second = next(value for key, value in joint.items() if key not in ("at", "axis", "axes"))
        load = sim.reaction(name).loads[0]
        assert load.body == first
        pose = sim.pose(first)
        body = model["bodies"][first]
        place = pose.position - pose.axes @ np.array(body["com"])  # the joint is at the first body's origin

        def motion(body: str, at: np.ndarray = place) -> tuple[np.ndarray, np.ndarray]:
            if body == "ground":
                return np.zeros(3), np.zeros(3)
            p = sim.pose(body)
            return p.velocity + np.cross(p.angular_velocity, at - p.position), p.angular_velocity

        (v1, w1), (v2, w2) = motion(first), motion(second)
        power = load.force @ (v1 - v2) + load.torque @ (w1 - w2)
        scale = 1 + np.linalg.norm(load.force) * np.linalg.norm(v1 - v2) + np.linalg.norm(load.torque) * np.linalg.norm(w1 - w2)
        assert abs(power) < 1e-8 * scale


@given(planar_chains(springs=False))
def test_what_is_held_at_rest_is_in_equilibrium(model: Model) -> None:
    held = {key: value for key, value in model.items() if key != "initial"}
    held["drivers"] = {}
    weight, moment = 0.0, 0.0
    for name, body in model["bodies"].items():
        a, b = (np.array(p["at"] if isinstance(p := model["points"][point], dict) else p) for point in body["rod"])
        held["drivers"][f"hold_{name}"] = {"angle": name, "equals": math.atan2(*(b - a)[::-1])}
        weight += 9.81 * body["mass"]
        moment += 9.81 * body["mass"] * (a + b)[0] / 2
    sim = tr.Mechanism(held).simulation()
    pin = sim.reaction("P0")
    torques = [sim.reaction(driver).effort for driver in held["drivers"]]
    np.testing.assert_allclose(pin.force[:2], [0, weight], atol=1e-7)
    assert sum(torques) == pytest.approx(moment, abs=1e-7)


@given(doors(), st.sampled_from(["natural", "reference", "relative"]))
def test_redundant_hinges_carry_the_load_together(model: Model, coordinates: str) -> None:
    # How they share it is not determined; Σ F + W = 0 and Σ (r × F + T) + T_driver + r_com × W = 0 are.
    sim = tr.Mechanism(model).simulation(coordinates=coordinates)
    hinges = {name: sim.reaction(name) for name in model["joints"]}
    assert not any(reaction.unique for reaction in hinges.values())
    body = model["bodies"]["door"]
    weight = np.array([0, 0, -9.81 * body["mass"]])
    force = weight + sum(reaction.force for reaction in hinges.values())
    moment = np.cross(body["com"], weight) + sim.reaction("hold").torque
    for name, reaction in hinges.items():
        moment = moment + np.cross(model["joints"][name]["at"], reaction.force) + reaction.torque
    scale = sum(np.linalg.norm(reaction.force) + np.linalg.norm(reaction.torque) for reaction in hinges.values())
    assert np.abs(force).max() < 1e-9 * scale
    assert np.abs(moment).max() < 1e-9 * scale


@given(any_model)
def test_coordinates_agree(model: Model) -> None:
    natural, relative, reference = (run(model, coordinates=kind) for kind in ("natural", "relative", "reference"))
    for name in model["bodies"]:
        for other in (relative, reference):
            np.testing.assert_allclose(natural[f"{name}.x"], other[f"{name}.x"], atol=1e-5)
            omega = f"{name}.omega" if "plane" in model else f"{name}.omega.x"
            np.testing.assert_allclose(natural[omega], other[omega], atol=1e-4)


@given(planar_chains(), angles)
def test_a_turned_model_moves_as_the_first_one_turned(model: Model, angle: float) -> None:
    other = {**model, "gravity": turned(model["gravity"], angle)}
    other["points"] = {
        name: turned(place, angle) if isinstance(place, list) else place for name, place in model["points"].items()
    }
    if "forces" in model:
        spring = model["forces"]["spring"]
        anchor, end = spring["spring"]
        other["forces"] = {"spring": {**spring, "spring": [{**anchor, "at": turned(anchor["at"], angle)}, end]}}
    first, second = run(model), run(other)
    for name in model["bodies"]:
        expected = turned((first[f"{name}.x"], first[f"{name}.y"]), angle)
        np.testing.assert_allclose(second[f"{name}.x"], expected[0], atol=1e-5)
        np.testing.assert_allclose(second[f"{name}.y"], expected[1], atol=1e-5)


@given(spatial_chains(kinds=("revolute", "spherical", "universal")), rotations())
def test_space_has_no_direction(model: Model, rotation: np.ndarray) -> None:
    other = {**model, "gravity": rotation @ model["gravity"], "bodies": {}, "joints": {}}
    for name, body in model["bodies"].items():
        axes = {"x": rotation[:, 0], "y": rotation[:, 1]}
        other["bodies"][name] = {**body, "at": rotation @ body["at"], "orientation": axes}
    for name, joint in model["joints"].items():
        moved = {**joint, "at": rotation @ joint["at"]}
        if "axis" in joint:
            moved["axis"] = rotation @ joint["axis"]
        if "axes" in joint:
            moved["axes"] = [rotation @ axis for axis in joint["axes"]]
        other["joints"][name] = moved
    first, second = run(model), run(other)
    for name in model["bodies"]:
        x, y = (np.column_stack([r[f"{name}.{k}"] for k in "xyz"]) for r in (first, second))
        np.testing.assert_allclose(y, x @ rotation.T, atol=1e-5)


@given(planar_chains())
def test_a_motion_runs_back_when_its_velocities_are_turned(model: Model) -> None:
    there = tr.Mechanism(model).simulation(tolerance=1e-10)
    there.advance_to(0.5)
    reversed_model = {**model, "points": dict(model["points"]), "initial": {}}
    for name, place in model["points"].items():
        if isinstance(place, list):
            reversed_model["points"][name] = there.point(name)[0][:2].tolist()
    for name in model["bodies"]:
        reversed_model["initial"][name] = {"angular-velocity": -there.pose(name).angular_velocity[2]}
    back = tr.Mechanism(reversed_model).simulation(tolerance=1e-10)
    back.advance_to(0.5)
    for name, place in model["points"].items():
        if isinstance(place, list):
            np.testing.assert_allclose(back.point(name)[0][:2], place, atol=1e-5)


@given(any_model)
def test_pickles_go_on_to_the_same_bits(model: Model) -> None:
    sim = tr.Mechanism(model).simulation()
    sim.advance(0.1)
    copy = pickle.loads(pickle.dumps(sim))
    assert copy.state == sim.state
    sim.advance(0.1)
    copy.advance(0.1)
    assert copy.state == sim.state
    assert pickle.loads(pickle.dumps(sim.state)) == sim.state


@given(any_model)
def test_the_text_of_a_model_is_the_model(model: Model) -> None:
    m = tr.Mechanism(model)
    again = tr.loads(m.text)
    assert again.text == m.text
    assert (again.bodies, again.joints, again.points) == (m.bodies, m.joints, m.points)
    assert again.simulation().state == m.simulation().state


@given(any_model, st.floats(0.5, 2))
def test_a_motion_does_not_know_the_unit_of_mass(model: Model, factor: float) -> None:
    # All masses, inertias and stiffnesses times one factor: the same accelerations, forces times the factor.
    other = {**model, "bodies": {}}
    for name, body in model["bodies"].items():
        scaled = {**body, "mass": factor * body["mass"]}
        if "inertia" in body:
            scaled["inertia"] = [factor * value for value in body["inertia"]]
        other["bodies"][name] = scaled
    if "forces" in model:
        spring = model["forces"]["spring"]
        other["forces"] = {"spring": {**spring, "stiffness": factor * spring["stiffness"]}}
    first, second = run(model), run(other)
    assume(first.status != "failed")
    for name in model["bodies"]:
        np.testing.assert_allclose(second[f"{name}.x"], first[f"{name}.x"], atol=1e-5)
    np.testing.assert_allclose(second["energy.kinetic"], factor * first["energy.kinetic"], atol=1e-4 * max(1, first["energy.kinetic"].max()))
