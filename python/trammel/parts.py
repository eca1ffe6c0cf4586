"""Forces and constraints written in Python."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .dual import NotDifferentiable, derivative, second_derivative
from .errors import CostWarning, ModelError, UnknownName, advice, warn
from .given import text
from .own_derivatives import compared, second, slope, slopes

__all__ = ["Constraint", "Force", "Points", "check_function"]

Array = NDArray[np.float64]
Points = Sequence[tuple[str, Sequence[float]]]
Law = Callable[[float, Array, Array], Any]
Value = Callable[[float, Array], Any]


class Own(NamedTuple):
    """A force or constraint as the engine has it, with its functions, which the engine refers to weakly: only here the garbage
    collector sees that a function may belong to an object that has the mechanism.
    """

    core: _core.Part
    functions: tuple[Any, ...]


def check_function(owner: str, what: str, function: Any, arguments: str) -> None:
    """Refuses what cannot be called with these arguments, before anything runs."""
    wanted = f"give a function of ({arguments})"
    if not callable(function):
        raise ModelError(f"{owner}: {what} is {function!r}, no function; {wanted}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of a function that is not written in Python
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        raise ModelError(f"{owner}: {what} takes {signature}; {wanted}") from None


def _places(owner: str, points: Any, planar: bool, bodies: Sequence[str]) -> list[tuple[str, list[float]]]:
    sizes, told = ((2, 3), "two or three") if planar else ((3,), "three")
    wanted = "give pairs of a body and a place in its axes, as [('arm', (0.5, 0, 0))]"
    if isinstance(points, (str, Mapping)) or not isinstance(points, Iterable):
        raise ModelError(f"{owner}: points are {points!r}; {wanted}")
    places = []
    for point in points:
        if isinstance(point, str) or not isinstance(point, Sequence) or len(point) != 2 or not isinstance(point[0], str):
            raise ModelError(f"{owner}: {point!r} is no point; {wanted}")
        body, at = point
        if body not in (*bodies, "ground"):
            raise UnknownName(f"{owner}: there is no body {body!r}; {advice(body, [*bodies, 'ground'])}")
        try:
            numbers = [float(x) for x in at]
        except (TypeError, ValueError):
            numbers = []
        if len(numbers) not in sizes:
            raise ModelError(f"{owner}: {at!r} is no place on {body!r}; give {told} coordinates in m, in the body's axes")
        places.append((body, numbers + [0.0] * (3 - len(numbers))))
    return places


def _sizes(owner: str, **sizes: Any) -> None:
    for name, size in sizes.items():
        if not (isinstance(size, (int, float, np.number)) and 0 < size < np.inf):
            raise ModelError(f"{owner}: {name} is {size!r}; give a positive number")


def _copied(points: Any) -> Any:
    """As they are now: who gave a list may change it. What are no points is refused later."""
    if isinstance(points, (str, Mapping)) or not isinstance(points, Iterable):
        return points
    return tuple(copy.deepcopy(point) for point in points)


class _Automatic:
    """Derivatives by dual numbers, while the function takes them; then by differences."""

    def __init__(self, owner: str, calls: str, function: Any) -> None:
        self._owner = owner
        self._function = function
        self._calls = calls
        self._works = True

    def __call__(self, compute: Callable[[], Any]) -> Any:
        if not self._works:
            return None
        try:
            return compute()
        except (TypeError, ValueError, AttributeError) as error:
            # What the function raises of itself it raises again when it is called with numbers.
            self._works = False
            warn(
                f"derivatives of {self._owner} are found by differences, {self._calls} calls for each: its function does not "
                f"take dual numbers ({error}); write it with NumPy's functions, or give its derivatives",
                CostWarning,
                self._function,
            )
            return None


@dataclass(frozen=True)
class Force:
    """Forces on points of bodies, given by a function; ``Mechanism.with_force()`` adds one."""

    name: str
    points: Points
    force: Law
    derivatives: Union[str, Callable[[float, Array, Array], tuple[Any, Any]]] = "automatic"
    length_scale: float = 1.0
    speed_scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _copied(self.points))

    def own(self, planar: bool, bodies: Sequence[str]) -> Own:
        """As the engine takes it."""
        owner = f"force {text('the name of a force', self.name)!r}"
        check_function(owner, "its function", self.force, "t, x, v")
        places = _places(owner, self.points, planar, bodies)
        _sizes(owner, length_scale=self.length_scale, speed_scale=self.speed_scale)
        given: Any = self.derivatives
        axes = 2 if planar else 3
        if given == "automatic":
            automatic = _Automatic(owner, str(12 * len(places)), self.force)

            def given(t: float, x: Array, v: Array) -> Any:
                def both() -> Any:
                    found = derivative(lambda p, u: self.force(t, p, u), x, v, average=True)[1]
                    return [d.reshape(x.size, x.size) for d in found]

                try:
                    return automatic(both)
                except NotDifferentiable:  # here, by differences
                    return None

        elif given == "differences":
            given = None
        elif isinstance(given, str) or not callable(given):
            raise ModelError(f"{owner}: derivatives cannot be {given!r}; give 'automatic', 'differences' or a function")
        else:
            check_function(owner, "the function of its derivatives", given, "t, x, v")

            def both_differences(t: float, x: Array, v: Array) -> Any:
                def force(p: Any, u: Any) -> Any:
                    return np.asarray(self.force(t, p, u), float).reshape(x.size)

                by_x = slopes(lambda p: force(p, v), x, self.length_scale, axes)
                by_v = slopes(lambda u: force(x, u), v, self.speed_scale, axes)
                return tuple(np.stack(each).reshape(2, x.size, x.size) for each in zip(by_x, by_v))

            given = compared(owner, "the entry of its derivatives", given, both_differences)
        # There are weak references to a partial, but not to every function.
        functions = (partial(self.force), None if given is None else partial(given))
        return Own(_core.force(self.name, places, *functions, self.length_scale, self.speed_scale, planar), functions)


@dataclass(frozen=True)
class Constraint:
    """One equation Φ(t, x) = 0 of points of bodies, given by a function; ``Mechanism.with_constraint()`` adds one."""

    name: str
    points: Points
    value: Value
    scale: float = 1.0
    gradient: Value | None = None
    time_derivative: Value | None = None
    gamma: Law | None = None
    derivatives: str = "automatic"
    length_scale: float = 1.0
    time_scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _copied(self.points))

    def own(self, planar: bool, bodies: Sequence[str]) -> Own:
        """As the engine takes it."""
        owner = f"constraint {text('the name of a constraint', self.name)!r}"
        check_function(owner, "its function", self.value, "t, x")
        places = _places(owner, self.points, planar, bodies)
        for name, function, arguments in (
            ("gradient", self.gradient, "t, x"),
            ("time_derivative", self.time_derivative, "t, x"),
            ("gamma", self.gamma, "t, x, v"),
        ):
            if function is not None:
                check_function(owner, name, function, arguments)
        _sizes(owner, scale=self.scale, length_scale=self.length_scale, time_scale=self.time_scale)
        if self.derivatives not in ("automatic", "differences"):
            raise ModelError(f"{owner}: derivatives cannot be {self.derivatives!r}; give 'automatic' or 'differences'")
        automatic = _Automatic(owner, f"up to {12 * len(places)}", self.value)
        by_dual = self.derivatives == "automatic"

        def smooth(t: float, compute: Callable[[], Any]) -> Any:
            try:
                return automatic(compute)
            except NotDifferentiable as cause:
                raise ModelError(
                    f"{owner} has no derivative at t = {t:.6g} s, where the argument of its {cause} is 0; write it without {cause}, "
                    f"as x**2 or x @ x, keep the argument away from 0, or give gradient=, time_derivative= and gamma="
                ) from None

        asked: list[Any] = [None, (None, None)]  # both derivatives are asked for at the same place

        def first(t: float, x: Array) -> Any:
            place = (t, x.tobytes())
            if asked[0] != place:
                found = smooth(t, lambda: derivative(self.value, t, x)[1]) if by_dual else None
                asked[:] = place, found or (None, None)
            return asked[1]

        def gradient(t: float, x: Array) -> Any:
            found = first(t, x)[1]
            return None if found is None else found.reshape(x.shape)

        def time_derivative(t: float, x: Array) -> Any:
            return first(t, x)[0]

        def gamma(t: float, x: Array, v: Array) -> Any:
            return smooth(t, lambda: second_derivative(self.value, [t, x], [1.0, v])) if by_dual else None

        functions = (
            partial(self.value),
            partial(self._given(owner, "gradient", 2 if planar else 3) or gradient),
            partial(self._given(owner, "time_derivative") or time_derivative),
            partial(self._given(owner, "gamma") or gamma),
        )
        return Own(_core.constraint(self.name, places, functions, self.scale, self.length_scale, self.time_scale), functions)

    def _given(self, owner: str, name: str, axes: int = 3) -> Law | Value | None:
        """A derivative that was given, compared with differences; None if it was not."""

        def value(t: float, x: Any) -> float:
            return float(np.asarray(self.value(t, x), float).reshape(()))

        def differences(t: float, x: Any, v: Any = None) -> Any:
            if name == "gradient":
                return slopes(lambda p: value(t, p), x, self.length_scale, axes)
            if name == "time_derivative":
                return slope(lambda s: value(t + s, x), self.time_scale)
            fastest = max(np.abs(v).max(initial=0.0), self.length_scale / self.time_scale)
            return second(lambda s: value(t + s, x + s * v), self.length_scale / fastest)

        given = getattr(self, name)
        return None if given is None else compared(owner, name, given, differences)


Part = Union[Force, Constraint]
