"""A mechanism in motion."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import ModelError
from .model import Mechanism

__all__ = ["Energy", "Event", "Load", "Pose", "Reaction", "Simulation", "State"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """Something that happened within a step: an impact, a release, a contact that slips, a driver's jump.

    >>> [event.t for event in sim.advance(0.1) if event.kind == "impact"]
    """

    kind: str
    t: float  # s
    name: str  # of the stop, contact or driver
    before: float  # speed of the coordinate; of a contact, its normal force
    after: float  # speed afterwards; of a contact, the tangential force that it needs
    impulse: float  # N.s or N.m.s
    energy: float  # J, change of the kinetic energy


@dataclass(frozen=True)
class Pose:
    """Where a body is and how it moves; world axes.

    >>> sim.pose("crank").position
    """

    position: Array  # m, centre of mass
    axes: Array  # columns: the body's axes
    velocity: Array  # m/s, centre of mass
    angular_velocity: Array  # rad/s
    angle: float  # rad, in the plane


@dataclass(frozen=True)
class Load:
    """What a joint exerts on one body, at the joint's place."""

    body: str
    force: Array  # N
    torque: Array  # N.m


@dataclass(frozen=True)
class Reaction:
    """What a joint, driver or end-stop exerts.

    >>> sim.reaction("guide").force
    """

    loads: tuple[Load, ...]  # of two bodies the first that moves; of three or more, each
    effort: float  # N or N.m along the coordinate that a driver or coupler acts on; NaN: none
    known: bool  # False: the equations cannot be solved here, and the numbers mean nothing
    not_unique: tuple[str, ...]  # components that redundant constraints leave open
    examined: bool  # False: too many constraints to tell which are unique

    @property
    def force(self) -> Array:
        """The force on the first body, N."""
        return self.loads[0].force

    @property
    def torque(self) -> Array:
        """The torque on the first body, N.m."""
        return self.loads[0].torque

    @property
    def unique(self) -> bool:
        """Whether the motion determines all of it."""
        return self.examined and not self.not_unique


@dataclass(frozen=True)
class Energy:
    """Energies in J; ``balance`` is constant in exact arithmetic.

    >>> sim.energy.kinetic
    """

    kinetic: float
    potential: float
    work: float  # done since the start by drivers and by forces without a potential

    @property
    def balance(self) -> float:
        """kinetic + potential − work."""
        return self.kinetic + self.potential - self.work


class State:
    """Everything that a motion goes on from. It does not change, and can be pickled.

    >>> before = sim.state
    >>> sim.advance(1)
    >>> sim.state = before
    """

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __bytes__(self) -> bytes:
        return self._data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._data == other._data

    def __hash__(self) -> int:
        return hash(self._data)


class Inputs(MutableMapping[str, float]):
    """The inputs of a model by name: ``sim.inputs["u"] = 2``."""

    def __init__(self, core: _core.Simulation, names: list[str]) -> None:
        self._core = core
        self._names = names

    def __getitem__(self, name: str) -> float:
        if name not in self._names:
            raise KeyError(name)
        return self._core.inputs()[self._names.index(name)]

    def __setitem__(self, name: str, value: float) -> None:
        self._core.set_input(name, value)

    def __delitem__(self, name: str) -> None:
        raise TypeError("an input cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Parameters(MutableMapping[str, float]):
    """The parameters of a running model: ``sim.parameters["mass"] = 2`` goes on from where the motion is."""

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    def __getitem__(self, name: str) -> float:
        return self._core.parameters()[name]

    def __setitem__(self, name: str, value: float) -> None:
        self._core.set_parameter(name, value)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a parameter cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.parameters())

    def __len__(self) -> int:
        return len(self._core.parameters())

    def __repr__(self) -> str:
        return repr(dict(self))


class Simulation:
    """A mechanism in motion: it stands at a time ``t`` and is advanced from there.

    >>> sim = m.simulation(tolerance=1e-8)
    >>> while sim.t < 10:
    ...     sim.inputs["u"] = -3 * sim["hinge.angle"]
    ...     sim.advance(0.01)

    Numbers are read by name: a joint's ``sim["hinge.angle"]`` or ``sim["hinge.rate"]``, a state, an input, a column
    of ``outputs:``. One simulation belongs to one thread at a time; several run side by side.
    """

    def __init__(self, mechanism: Mechanism, **options: Any) -> None:
        """Closes the joints at the start. Options are the keys of ``simulate:``, as of ``Mechanism.run()``."""
        self.mechanism = mechanism
        self._options = dict(options)
        self._core = _core.Simulation(mechanism._with_options(options))
        self._inputs = Inputs(self._core, list(mechanism.inputs))
        self._parameters = Parameters(self._core)

    @property
    def t(self) -> float:
        """The time, s."""
        return self._core.t

    def advance(self, by: float) -> list[Event]:
        """Advances by a time, s, through as many steps as the plan needs; what happened on the way.

        >>> sim.advance(0.01)
        []
        """
        events = self._core.advance_to(self._core.t + by)
        return [Event(*event) for event in events] if events else []

    def advance_to(self, t: float) -> list[Event]:
        """Advances to a time, s, and lands exactly there.

        >>> sim.advance_to(2.5)
        []
        """
        return [Event(*event) for event in self._core.advance_to(t)]

    def step(self, h: float) -> list[Event]:
        """One step of this size, s.

        >>> sim.step(1e-3)
        []
        """
        events = self._core.step(h)
        return [Event(*event) for event in events] if events else []

    def __getitem__(self, name: str) -> float:
        """A joint's coordinate or speed, a state, an input, or a column of ``outputs:``."""
        try:
            return self._core.value(name)
        except ModelError as error:
            raise KeyError(str(error)) from None

    @property
    def inputs(self) -> Inputs:
        """The inputs by name, to be read and set.

        >>> sim.inputs["u"] = 1.5
        """
        return self._inputs

    @property
    def parameters(self) -> Parameters:
        """The parameters by name, to be read and set: the motion goes on from where it is.

        >>> sim.parameters["L"] = 0.5
        """
        return self._parameters

    @property
    def state(self) -> State:
        """Everything that the motion goes on from; one that is set again goes on to the same bits.

        >>> sim.state = other.state
        """
        return State(self._core.state())

    @state.setter
    def state(self, state: State) -> None:
        self._core.restore(bytes(state))

    def pose(self, body: str) -> Pose:
        """Where a body is and how it moves.

        >>> sim.pose("crank").velocity
        """
        return Pose(**self._core.pose(body))

    def point(self, name: str) -> tuple[Array, Array]:
        """Position and velocity of a point: ``"A"``, a body's own ``"crank.tip"``, or ``"crank.com"``.

        >>> position, velocity = sim.point("A")
        """
        return self._core.point(name)

    def reaction(self, name: str) -> Reaction:
        """What a joint, driver or end-stop exerts now.

        >>> sim.reaction("motor").effort
        """
        found = self._core.reaction(name)
        return Reaction(
            tuple(Load(*load) for load in found["loads"]),
            found["effort"],
            found["known"],
            tuple(found["not_unique"]),
            found["examined"],
        )

    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy, and the work done since the start.

        >>> sim.energy.balance
        """
        return Energy(*self._core.energy())

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.mechanism, self._options, self.state, dict(self._parameters))

    def __repr__(self) -> str:
        return f"<Simulation of {self.mechanism.name!r} at t = {self.t:g} s>"


def _unpickled(mechanism: Mechanism, options: dict[str, Any], state: State, parameters: dict[str, float]) -> Simulation:
    simulation = Simulation(mechanism, **options)
    for name, value in parameters.items():
        if simulation.parameters[name] != value:
            simulation.parameters[name] = value
    simulation.state = state
    return simulation
