"""A mechanism in motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import ModelError, UnknownName, unknown
from .given import names as text_names
from .given import ByValue, number, numbers
from .model import Mechanism, check_mechanism, check_options
from .parts import check_function

__all__ = ["Controlled", "Energy", "Event", "Load", "Motion", "Pose", "Reaction", "Simulation", "State"]

Array = NDArray[np.float64]
Read = TypeVar("Read")
# Of the time: an advance to a time that was computed in another way lands within rounding.
_ROUNDING = 1e-12
_WANTED_Y = "real numbers, one for each name of sim.independent"


@dataclass(frozen=True)
class Event:
    """An event within a step: an impact, a release, a contact that slips, a driver's jump, or a function of the caller
    that changed its sign (a crossing): its ``kind``. ``t`` is its time, s, and ``name`` that of the stop, contact, driver or function.
    ``before`` and ``after`` are speeds of the coordinate; of a contact, its normal force and the tangential force that it needs;
    of a crossing, ``after`` is the new sign. ``impulse`` is in N.s or N.m.s, ``energy`` the change of the kinetic energy, J.

    >>> [event.t for event in sim.advance(0.1) if event.kind == "impact"]
    """

    kind: str
    t: float  # s
    name: str  # of the stop, contact, driver or function
    before: float  # speed of the coordinate; of a contact, its normal force
    after: float  # speed afterwards; of a contact, the tangential force that it needs; of a crossing, the new sign
    impulse: float  # N.s or N.m.s
    energy: float  # J, change of the kinetic energy


@dataclass(frozen=True, eq=False)
class Pose(ByValue):
    """Where a body is and how it moves; world axes. ``position`` (m) and ``velocity`` (m/s) are those of the centre of mass;
    ``sim.point("crank.tip")`` has those of a point. The columns of ``axes`` are the body's axes; ``angular_velocity`` is in rad/s,
    ``angle`` in rad, in the plane.

    >>> sim.pose("crank").position
    """

    position: Array  # m, centre of mass
    axes: Array  # columns: the body's axes
    velocity: Array  # m/s, centre of mass
    angular_velocity: Array  # rad/s
    angle: float  # rad, in the plane


@dataclass(frozen=True, eq=False)
class Load(ByValue):
    """What a joint exerts on the body ``body``, at the joint's place: ``force``, N, and ``torque``, N.m, in world axes.

    >>> for load in sim.reaction("guide").loads:
    ...     print(load.body, load.force, load.torque)
    """

    body: str
    force: Array  # N
    torque: Array  # N.m


@dataclass(frozen=True, eq=False)
class Reaction(ByValue):
    """What a joint, driver or end-stop exerts. ``loads`` has that on each body; of two bodies, on the first that moves. ``effort`` (N or
    N.m) acts along the coordinate of a driver or coupler; NaN if there is none. If ``known`` is False the equations cannot be solved here,
    and the numbers mean nothing. ``not_unique`` lists components that redundant constraints leave open; if ``examined`` is False,
    there are too many constraints to tell.

    >>> sim.reaction("guide").force
    """

    loads: tuple[Load, ...]  # of two bodies the first that moves; of three or more, each
    effort: float  # N or N.m along the coordinate that a driver or coupler acts on; NaN: none
    known: bool  # False: the equations cannot be solved here, and the numbers mean nothing
    not_unique: tuple[str, ...]  # components that redundant constraints leave open
    examined: bool  # False: too many constraints to tell which are unique

    @property
    def force(self) -> Array:
        """The force on the first body, N.

        >>> sim.reaction("guide").force[1]
        """
        return self.loads[0].force

    @property
    def torque(self) -> Array:
        """The torque on the first body, N.m.

        >>> sim.reaction("guide").torque[2]
        """
        return self.loads[0].torque

    @property
    def unique(self) -> bool:
        """Whether the motion determines all of it.

        >>> sim.reaction("guide").unique
        True
        """
        return self.examined and not self.not_unique


@dataclass(frozen=True)
class Energy:
    """Energies in J; ``balance`` is constant in an exact solution.

    >>> sim.energy.kinetic
    """

    kinetic: float
    potential: float
    work: float  # done since the start by drivers and by forces without a potential

    @property
    def balance(self) -> float:
        """kinetic + potential − work.

        >>> sim.energy.balance - m.simulation().energy.balance
        """
        return self.kinetic + self.potential - self.work


@dataclass(frozen=True, repr=False)
class State:
    """The complete state of a motion, with the parameters that were changed since the model was read. It is immutable
    and can be pickled. It belongs to simulations of one model in one kind of coordinates.

    >>> before = sim.state
    >>> sim.advance(1)
    >>> sim.state = before
    """

    t: float  # s
    _data: bytes
    _parameters: tuple[tuple[str, float], ...]  # changed since the model was read
    _model: str  # a digest of the model, and the coordinates

    def __repr__(self) -> str:
        changed = "".join(f", {name} = {value:.6g}" for name, value in self._parameters)
        return f"<State at t = {self.t:g} s{changed}>"


class Inputs(MutableMapping[str, float]):
    """The inputs of a model by name: ``sim.inputs["u"] = 2``."""

    def __init__(self, core: _core.Simulation | _core.Moment, names: list[str]) -> None:
        self._core = core
        self._names = names

    def __getitem__(self, name: str) -> float:
        if name not in self._names:
            raise unknown("input", name, self._names, "there is no input")
        return self._core.inputs()[self._names.index(name)]

    def __setitem__(self, name: str, value: float) -> None:
        if name not in self._names:
            raise unknown("input", name, self._names, "there is no input")
        self._core.set_input(name, number(f"input {name!r}", value))

    def __delitem__(self, name: str) -> None:
        raise TypeError("an input cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Parameters(MutableMapping[str, float]):
    """The parameters of a running model: after ``sim.parameters["mass"] = 2`` the motion continues from its present state."""

    def __init__(self, core: _core.Simulation, mechanism: Mechanism) -> None:
        self._core = core
        self._mechanism = mechanism

    def __getitem__(self, name: str) -> float:
        values = self._core.parameters()
        if not isinstance(name, str) or name not in values:
            raise unknown("parameter", name, values, "there is no parameter")
        return values[name]

    def __setitem__(self, name: str, value: float) -> None:
        self[name]  # an unknown one is refused
        given = number(f"parameter {name!r}", value)
        try:
            self._core.set_parameter(name, given)
        except ModelError as error:
            raise self._mechanism._placed(error) from None

    def __delitem__(self, name: str) -> None:
        raise TypeError("a parameter cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.parameters())

    def __len__(self) -> int:
        return len(self._core.parameters())

    def __repr__(self) -> str:
        return repr(dict(self))


def _named(read: Callable[[str], Read], what: str, name: Any) -> Read:
    """What the engine has under a name; it refuses unknown ones with the nearest."""
    if not isinstance(name, str):
        raise UnknownName(f"{name!r} is no name of a {what}; give a text")
    try:
        return read(name)
    except UnknownName:
        raise
    except ModelError as error:
        raise UnknownName(str(error)) from None


class Motion:
    """What can be read from a mechanism in motion, by name: every column of a result, as a joint's ``motion["hinge.angle"]``
    and ``motion["hinge.rate"]`` or a body's ``motion["crank.x"]``, and inputs; poses, points, reactions, energies.

    The function of an event is given one; it is of use within that function only.

    >>> m.run(events={"upright": lambda motion: motion["hinge.angle"] - 1.57})
    """

    def __init__(self, core: _core.Simulation | _core.Moment, inputs: list[str]) -> None:
        self._moment = core
        self._inputs = Inputs(core, inputs)

    @property
    def t(self) -> float:
        """The time, s.

        >>> sim.t
        0.0
        """
        return self._moment.t

    def __getitem__(self, name: str) -> float:
        """The present value of the result column of that name, or of an input. Reading a reaction costs as much
        as a row of a result; coordinates, bodies, points and states cost little.
        """
        return _named(self._moment.value, "value", name)

    @property
    def names(self) -> list[str]:
        """The names of all that ``[…]`` reads: the columns of a result, and inputs.

        >>> {name: sim[name] for name in sim.names if name.startswith("crank.")}
        """
        return list(self._moment.names())

    def keys(self) -> list[str]:
        """The same, so that ``dict(sim)`` reads everything.

        >>> dict(sim)["crank.x"]
        """
        return self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def pose(self, body: str) -> Pose:
        """Where a body is and how it moves.

        >>> sim.pose("crank").velocity
        """
        return Pose(**_named(self._moment.pose, "body", body))

    def point(self, name: str) -> tuple[Array, Array]:
        """Position and velocity of a point: ``"A"``, a body's own ``"crank.tip"``, or ``"crank.com"``.

        >>> position, velocity = sim.point("A")
        """
        return _named(self._moment.point, "point", name)

    def reaction(self, name: str) -> Reaction:
        """What a joint, driver or end-stop exerts now.

        >>> sim.reaction("motor").effort
        """
        found = _named(self._moment.reaction, "joint or driver", name)
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
        return Energy(*self._moment.energy())


class Controlled(Motion):
    """A motion that a controller reads, and whose inputs it sets.

    >>> def hold(motion): motion.inputs["u"] = -3 * motion["hinge.angle"]
    >>> m.run(controller=hold, every=0.01)
    """

    @property
    def inputs(self) -> Inputs:
        """The inputs by name, to be read and set.

        >>> motion.inputs["u"] = 1.5
        """
        return self._inputs


class Simulation(Controlled):
    """A mechanism in motion: it has a time ``t`` and is advanced from there.

    >>> sim = m.simulation(tolerance=1e-8)
    >>> while sim.t < 10:
    ...     sim.inputs["u"] = -3 * sim["hinge.angle"]
    ...     sim.advance(0.01)

    Numbers are read by name: every column of a result, as ``sim["hinge.angle"]``, ``sim["hinge.rate"]``, ``sim["crank.x"]``,
    ``sim["guide.force.y"]``, and inputs. Only one thread at a time may use a simulation; several simulations run in parallel.
    """

    def __init__(self, mechanism: Mechanism, **options: Any) -> None:
        """Closes the joints at the start. Options are the keys of ``simulate:``, as of ``Mechanism.run()``."""
        self.mechanism = check_mechanism("Simulation", mechanism)
        check_options(Mechanism.simulation, options)
        self._options = dict(options)
        self._core = _core.Simulation(mechanism._with_options(options))
        super().__init__(self._core, list(mechanism.inputs))
        self._parameters = Parameters(self._core, mechanism)

    def advance(
        self,
        by: float,
        *,
        events: Mapping[str, Callable[[Motion], float]] | None = None,
        until: Mapping[str, Callable[[Motion], float]] | None = None,
    ) -> list[Event]:
        """Advances by a time, s, in as many steps as the plan needs, and returns the events on the way. ``events`` and
        ``until`` are those of ``Mechanism.run()``; a function of ``until`` ends the call when it changes its sign.

        >>> sim.advance(0.01)
        []
        """
        by = number("the time to advance by", by)
        if by < 0:
            raise ModelError(f"advance by {by:g} s: time goes forwards; to go back, restore an earlier sim.state")
        return self.advance_to(self._core.t + by, events=events, until=until)

    def advance_to(
        self,
        t: float,
        *,
        events: Mapping[str, Callable[[Motion], float]] | None = None,
        until: Mapping[str, Callable[[Motion], float]] | None = None,
    ) -> list[Event]:
        """Advances to exactly this time, s.

        >>> sim.advance_to(2.5, until={"bottom": lambda motion: motion["hinge.rate"]})
        [Event(kind='crossing', …)]
        """
        t = number("the time to advance to", t)
        now = self._core.t
        if t < now - _ROUNDING * abs(now):
            raise ModelError(f"advance to {t:g} s from {now:g} s: time goes forwards; to go back, restore an earlier sim.state")
        if events or until:
            found = self._core.advance_to(t, watched_functions(events, until, list(self.mechanism.inputs)))
        else:
            found = self._core.advance_to(t)
        return [Event(*event) for event in found] if found else []

    def step(self, h: float) -> list[Event]:
        """Advances by one step of this size, s; with a tolerance, in as many steps as the tolerance needs.

        >>> sim.step(1e-3)
        []
        """
        events = self._core.step(number("the step", h))
        return [Event(*event) for event in events] if events else []

    @property
    def parameters(self) -> Parameters:
        """The parameters by name, to be read and set: the motion continues from its present state.

        >>> sim.parameters["L"] = 0.5
        """
        return self._parameters

    @property
    def now(self) -> Mechanism:
        """The mechanism as a model that starts with its present positions, velocities, inputs and parameters. Its time begins at 0: formulas
        have ``t + T`` for ``t``.

        >>> open("later.yaml", "w").write(sim.now.text)
        """
        assert self.mechanism.text  # a ModelError names what is written in Python
        return Mechanism(self._core.model_now(), file=self.mechanism._file)

    @property
    def state(self) -> State:
        """The complete state of the motion, with its parameters. Setting it restores both, and the motion continues with the
        same bits. A state can be set in another simulation of the same model and coordinates; others are refused.

        >>> sim.state = other.state
        """
        data, changed = self._core.state()
        return State(self._core.t, data, tuple(sorted(changed.items())), self._identity())

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, State):
            raise ModelError(f"{state!r} is no state; give what sim.state gave")
        if state._model != self._identity():
            raise ModelError(
                "this state is of another model, of other values in it, or of other coordinates; restore it in a simulation of the "
                "same mechanism (parameters that sim.parameters changed come back with it)"
            )
        self._core.restore(state._data, dict(state._parameters))

    def _identity(self) -> str:
        """What states must share to be of the same equations, but for changed parameters."""
        return f"{self.mechanism._digest} {self._core.coordinates()}"

    @property
    def independent(self) -> list[str]:
        """The names of the entries of ``y``: independent positions, their rates, the states of the model. Positions are chosen
        in the present state when they are first needed; set this attribute to choose them yourself. Then they are kept, after
        changes of parameters and in pickles too. If they no longer fit, their next use raises a ``ModelError``; ``[]`` has them chosen
        again.

        >>> sim.independent
        ['O.angle', 'O.angle.rate']
        >>> sim.independent = ["O.angle"]
        """
        return list(self._core.independent())

    @independent.setter
    def independent(self, names: Sequence[str]) -> None:
        self._core.choose_independent(text_names("independent", names))

    @property
    def y(self) -> Array:
        """The present motion in independent coordinates; setting it moves the mechanism there, at the same time t.

        >>> scipy.integrate.solve_ivp(sim.derivative, (0, 10), sim.y)
        """
        return np.asarray(self._core.y())

    @y.setter
    def y(self, y: Any) -> None:
        self._core.place(self.t, numbers("y", y, _WANTED_Y))

    def derivative(self, t: float, y: Any) -> Array:
        """ẏ of the equations of motion in independent coordinates, with the present inputs. The other coordinates follow
        from the constraints, starting from their values at the last call, or when ``y`` was read. A ``StepError`` is raised if
        the independent coordinates no longer determine the motion. The state of the simulation does not change.

        >>> sim.derivative(0, sim.y)
        """
        return np.asarray(self._core.derivative(number("the time t", t), numbers("y", y, _WANTED_Y)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.mechanism, self._options, self.state, self._core.kept_independent())

    def __repr__(self) -> str:
        try:
            where = f"at t = {self.t:g} s"
        except RuntimeError:  # another thread advances it
            where = "in use"
        except AttributeError:  # its joints did not close
            return "<Simulation that could not start>"
        return f"<Simulation of {self.mechanism.name!r}, {where}>"


Functions = Union[Mapping[str, Callable[[Motion], float]], None]


def watched_functions(events: Functions, until: Functions, inputs: list[str]) -> list[tuple[str, Any, bool]]:
    """Functions of a motion as the engine takes them: name, function, whether the motion is to end there."""

    def read(name: str, function: Callable[[Motion], float]) -> Callable[[_core.Moment], float]:
        def value(moment: _core.Moment) -> float:
            given: Any = function(Motion(moment, inputs))
            is_condition = isinstance(given, bool) or getattr(given, "dtype", None) == np.bool_
            try:
                number = np.nan if is_condition else float(given)
            except (TypeError, ValueError):
                number = np.nan
            if not np.isfinite(number):
                raise ModelError(
                    f"event {name!r} is {given!r} at t = {moment.t:.6g} s; "
                    + (
                        "instead of a condition let its function return a number that changes its sign there, as y + 0.5 for y < -0.5"
                        if is_condition
                        else "let its function return a finite number"
                    )
                )
            return number

        return value

    found = []
    for key, functions in (("events", events), ("until", until)):
        if not isinstance(functions, (Mapping, type(None))):
            raise ModelError(f"{key} is {functions!r}; give names with functions of the motion, as {key}={{'top': lambda motion: …}}")
        for name, function in (functions or {}).items():
            if not isinstance(name, str):
                raise ModelError(f"{key}: {name!r} is no name of an event; give a text")
            check_function(f"event {name!r}", "its function", function, "motion")
            found.append((name, read(name, function), key == "until"))
    return found


def controller_factory(given: Any, inputs: list[str]) -> Callable[[], Callable[[_core.Moment], None]]:
    """Makes a controller for each run; of a class, an object each."""
    if not isinstance(given, type):
        check_function("the controller", "it", given, "motion")

    def make() -> Callable[[_core.Moment], None]:
        controller = given() if isinstance(given, type) else given

        def act(moment: _core.Moment) -> None:
            controller(Controlled(moment, inputs))

        return act

    return make


def _unpickled(mechanism: Mechanism, options: dict[str, Any], state: State, independent: list[str]) -> Simulation:
    simulation = Simulation(mechanism, **options)
    simulation.state = state
    simulation._core.keep_independent(independent)
    return simulation
