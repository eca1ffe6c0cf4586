"""Random mechanisms for hypothesis: chains in the plane and in space, four-bars that close, springs."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

Model = dict[str, Any]

lengths = st.floats(0.3, 1.5)
masses = st.floats(0.2, 5)
angles = st.floats(-math.pi, math.pi)
speeds = st.floats(-2, 2)


def turned(place: Any, angle: float) -> list[float]:
    """A place or a vector of the plane, turned about the origin."""
    c, s = math.cos(angle), math.sin(angle)
    return [c * place[0] - s * place[1], s * place[0] + c * place[1]]


@st.composite
def planar_chains(draw: st.DrawFn, on_ground: bool = True, springs: bool = True) -> Model:
    """One to three rods in a row, from O on ground if asked, with springs to ground and speeds at the start."""
    count = draw(st.integers(1, 3))
    places = [np.zeros(2)]
    for _ in range(count):
        angle = draw(angles)
        places.append(places[-1] + draw(lengths) * np.array([math.cos(angle), math.sin(angle)]))
    points: Model = {f"P{k}": place.tolist() for k, place in enumerate(places)}
    model: Model = {
        "plane": "xy",
        "points": points,
        "bodies": {f"rod{k}": {"rod": [f"P{k - 1}", f"P{k}"], "mass": draw(masses)} for k in range(1, count + 1)},
        "initial": {f"rod{k}": {"angular-velocity": draw(speeds)} for k in range(1, count + 1)},
    }
    if on_ground:
        model["gravity"] = [0, -9.81]
        points["P0"] = {"at": [0, 0], "on": "ground"}
        if springs and draw(st.booleans()):
            # Away from the end of the chain: a spring must not start without a length.
            anchor = places[-1] + turned([draw(lengths), 0], draw(angles))
            spring = {"spring": [{"body": "ground", "at": anchor.tolist()}, f"P{count}"], "stiffness": draw(st.floats(1, 50))}
            model["forces"] = {"spring": {**spring, "length": draw(st.floats(0.1, 1))}}
    else:
        model["initial"]["P0"] = {"velocity": [draw(speeds), draw(speeds)]}
    return model


@st.composite
def four_bars(draw: st.DrawFn) -> Model:
    """A linkage whose lengths are those of its places, so that it closes; away from flat positions."""
    base = draw(st.floats(0.8, 1.5))
    height = draw(st.floats(0.5, 1.2))
    left, right = draw(st.floats(-0.3, 0.3)), draw(st.floats(-0.3, 0.3))
    return {
        "plane": "xy",
        "gravity": [0, -9.81],
        "points": {
            "A": {"at": [0, 0], "on": "ground"},
            "B": [left, height],
            "C": [base + right, height * draw(st.floats(0.7, 1.4))],
            "D": {"at": [base, 0], "on": "ground"},
        },
        "bodies": {
            "crank": {"rod": ["A", "B"], "mass": draw(masses)},
            "coupler": {"rod": ["B", "C"], "mass": draw(masses)},
            "rocker": {"rod": ["D", "C"], "mass": draw(masses)},
        },
        "initial": {"crank": {"angular-velocity": draw(st.floats(-0.5, 0.5))}},
    }


@st.composite
def directions(draw: st.DrawFn) -> list[float]:
    """A unit vector in space."""
    z, turn = draw(st.floats(-1, 1)), draw(angles)
    r = math.sqrt(1 - z * z)
    return [r * math.cos(turn), r * math.sin(turn), z]


@st.composite
def spatial_loops(draw: st.DrawFn) -> Model:
    """Two cranks on hinges of any direction and a rod between their ends: it closes where it is drawn."""
    base = draw(st.floats(0.8, 1.5))
    ends = {"B": [0, draw(st.floats(-0.3, 0.3)), draw(lengths)], "C": [base, draw(st.floats(-0.3, 0.3)), draw(lengths)]}
    model: Model = {"gravity": [0, 0, -9.81], "points": ends, "bodies": {}, "joints": {}}
    for name, end, x in (("crank", "B", 0.0), ("rocker", "C", base)):
        mass = draw(masses)
        model["bodies"][name] = {"mass": mass, "inertia": [0.1 * mass, 0.1 * mass, 0.05 * mass], "at": [x, 0, 0], "com": [0, 0, 0.2], "carries": [end]}
        # Hinges that lean from y by less than 45 degrees: the ends move across the rod, not along the hinge.
        axis = [draw(st.floats(-0.5, 0.5)), 1, draw(st.floats(-0.5, 0.5))]
        model["joints"][f"{name}_hinge"] = {"revolute": [name, "ground"], "at": [x, 0, 0], "axis": axis}
    model["bodies"]["coupler"] = {"rod": ["B", "C"], "mass": draw(masses)}
    model["initial"] = {"crank_hinge": {"speed": draw(st.floats(-0.5, 0.5))}}
    return model


@st.composite
def doors(draw: st.DrawFn) -> Model:
    """A body on two or three hinges along one axis of any direction, held by a driver: redundant in most of them."""
    axis = np.array(draw(directions()))
    foot = np.array([draw(st.floats(-1, 1)) for _ in range(3)])
    along = draw(st.lists(st.floats(-1, 1), min_size=2, max_size=3, unique_by=lambda s: round(s, 1)))
    mass = draw(masses)
    return {
        "gravity": [0, 0, -9.81],
        "bodies": {"door": {"mass": mass, "inertia": [mass, mass, mass], "com": [draw(st.floats(-1, 1)) for _ in range(3)]}},
        "joints": {
            f"hinge{k}": {"revolute": ["door", "ground"], "at": (foot + s * axis).tolist(), "axis": axis.tolist()}
            for k, s in enumerate(along)
        },
        "drivers": {"hold": {"angle": "hinge0", "equals": 0}},
    }


@st.composite
def rotations(draw: st.DrawFn) -> np.ndarray:
    """A rotation of space, about any axis by any angle."""
    n, angle = np.array(draw(directions())), draw(angles)
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


@st.composite
def spatial_chains(draw: st.DrawFn, kinds: tuple[str, ...] = ("revolute", "prismatic", "cylindrical", "spherical", "universal")) -> Model:
    """One to three boxes in a row from ground, by joints of any kind, turning at the start."""
    count = draw(st.integers(1, 3))
    model: Model = {"gravity": [0, 0, -9.81], "bodies": {}, "joints": {}, "initial": {}}
    place = np.zeros(3)
    for k in range(1, count + 1):
        mass = draw(masses)
        a, b, c = (draw(st.floats(0.1, 0.5)) for _ in range(3))
        # A box: the joint before it is at its origin, the next one 0.5 m on.
        model["bodies"][f"box{k}"] = {
            "mass": mass,
            "inertia": [mass / 12 * (b * b + c * c), mass / 12 * (c * c + a * a), mass / 12 * (a * a + b * b)],
            "at": place.tolist(),
            "com": [draw(st.floats(0.1, 0.4)), draw(st.floats(-0.2, 0.2)), 0],
        }
        kind = draw(st.sampled_from(kinds))
        axis = draw(directions())
        joint: Model = {kind: [f"box{k}", f"box{k - 1}" if k > 1 else "ground"], "at": place.tolist()}
        if kind == "universal":
            other = np.cross(axis, [1.0, 0, 0] if abs(axis[0]) < 0.7 else [0, 1.0, 0])
            joint["axes"] = [axis, (other / np.linalg.norm(other)).tolist()]
        elif kind != "spherical":
            joint["axis"] = axis
        model["joints"][f"joint{k}"] = joint
        if kind in ("revolute", "prismatic"):
            model["initial"][f"joint{k}"] = {"speed": draw(speeds)}
        place = place + [0.5, 0, 0]
    return model
