"""Forces and constraints written in Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .dual import derivative, second_derivative
from .errors import CostWarning, ModelError

__all__ = ["Constraint", "Force", "Points"]

Array = NDArray[np.float64]
Points = Sequence[tuple[str, Sequence[float]]]
Law = Callable[[float, Array, Array], Any]
Value = Callable[[float, Array], Any]


def _places(points: Points) -> list[tuple[str, list[float]]]:
    places = []
    for body, at in points:
        if len(at) not in (2, 3):
            raise ModelError(f"a point on {body!r} has {len(at)} coordinates; give two or three, in the body's axes")
        places.append((body, [float(x) for x in at] + [0.0] * (3 - len(at))))
    return places


class _Automatic:
    """Derivatives by dual numbers, while the function takes them; then by differences."""

    def __init__(self, owner: str, calls: str) -> None:
        self._owner = owner
        self._calls = calls
        self._works = True

    def __call__(self, compute: Callable[[], Any]) -> Any:
        if not self._works:
            return None
        try:
            return compute()
        except TypeError as error:
            self._works = False
            warnings.warn(
                f"derivatives of {self._owner} are found by differences, {self._calls} calls for each: its function does not "
                f"take dual numbers ({error}); write it with NumPy's functions, or give its derivatives",
                CostWarning,
                stacklevel=2,
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

    def core(self) -> _core.Part:
        """As the engine takes it."""
        given: Any = self.derivatives
        if given == "automatic":
            automatic = _Automatic(f"force {self.name!r}", str(12 * len(self.points)))

            def given(t: float, x: Array, v: Array) -> Any:
                def both() -> Any:
                    return [d.reshape(x.size, x.size) for d in derivative(lambda p, u: self.force(t, p, u), x, v)[1]]

                return automatic(both)

        elif given == "differences":
            given = None
        elif not callable(given):
            raise ModelError(f"derivatives cannot be {given!r}; give 'automatic', 'differences' or a function")
        return _core.force(self.name, _places(self.points), self.force, given, self.length_scale, self.speed_scale)


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

    def core(self) -> _core.Part:
        """As the engine takes it."""
        if self.derivatives not in ("automatic", "differences"):
            raise ModelError(f"derivatives cannot be {self.derivatives!r}; give 'automatic' or 'differences'")
        automatic = _Automatic(f"constraint {self.name!r}", f"up to {12 * len(self.points)}")
        by_dual = self.derivatives == "automatic"

        asked: list[Any] = [None, (None, None)]  # both derivatives are asked for at the same place

        def first(t: float, x: Array) -> Any:
            place = (t, x.tobytes())
            if asked[0] != place:
                found = automatic(lambda: derivative(self.value, t, x)[1]) if by_dual else None
                asked[:] = place, found or (None, None)
            return asked[1]

        def gradient(t: float, x: Array) -> Any:
            found = first(t, x)[1]
            return None if found is None else found.reshape(x.shape)

        def time_derivative(t: float, x: Array) -> Any:
            return first(t, x)[0]

        def gamma(t: float, x: Array, v: Array) -> Any:
            return automatic(lambda: second_derivative(self.value, [t, x], [1.0, v])) if by_dual else None

        functions = (
            self.value,
            self.gradient or gradient,
            self.time_derivative or time_derivative,
            self.gamma or gamma,
        )
        return _core.constraint(self.name, _places(self.points), functions, self.scale, self.length_scale, self.time_scale)


Part = Union[Force, Constraint]
