"""Derivatives that a person gives, compared with differences of the function that they belong to.

They are compared at the first call and at a few later ones. A difference counts if it is larger than the errors of the
differences, which two step sizes tell, and where the function has no kink.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import ModelError

__all__ = ["compared", "slope", "slopes", "second"]

_CALLS = (1, 10, 100, 1000)  # that are compared
_STEPS = (1e-5, 1e-4)  # of first derivatives, relative to the scale
_SECOND_STEPS = (1e-3, 2e-3)
_WRONG = 1e-3  # of the largest entry
_CLEAR = 10.0  # times the errors of the differences

Found = tuple[Any, Any]  # a derivative by differences, and its error


def slope(f: Callable[[float], Any], scale: float) -> Found:
    """df/ds at 0."""
    here, found = np.asarray(f(0.0), float), []
    for step in _STEPS:
        h = step * scale
        after, before = np.asarray(f(h), float), np.asarray(f(-h), float)
        found.append(((after - before) / (2 * h), (after + before - 2 * here) / h))
    (fine, kink), (coarse, _) = found
    # Where a function is smooth, the derivatives from both sides differ by a step times the second derivative.
    return fine, np.abs(fine - coarse) + np.where(np.abs(kink) > _WRONG * np.abs(fine).max(initial=0.0), np.abs(kink), 0.0)


def slopes(f: Callable[[Any], Any], x: Any, scale: float, axes: int) -> Found:
    """∂f/∂x by the first coordinates of each point: along the last two axes; NaN for the others."""
    found = np.full((*np.shape(f(x)), *x.shape), np.nan)
    error = found.copy()
    for at in np.ndindex(len(x), axes):
        unit = np.zeros_like(x)
        unit[at] = 1.0
        found[(..., *at)], error[(..., *at)] = slope(lambda s: f(x + s * unit), scale)  # noqa: B023
    return found, error


def second(f: Callable[[float], Any], scale: float) -> Found:
    """d²f/ds² at 0."""
    fine, coarse = (float((f(s) - 2 * f(0.0) + f(-s)) / s**2) for s in (step * scale for step in _SECOND_STEPS))
    return fine, np.abs(fine - coarse)


def compared(owner: str, what: str, given: Callable[..., Any], differences: Callable[..., Found]) -> Callable[..., Any]:
    """The function of a derivative, which is compared with ``differences`` of the same arguments. ``what`` names it."""
    calls = 0

    def call(t: float, *places: Any) -> Any:
        nonlocal calls
        calls += 1
        value = given(t, *places)
        if calls in _CALLS:
            _compare(f"{owner}: {what}", value, t, differences(t, *places))
        return value

    return call


def _compare(what: str, value: Any, t: float, found: Found) -> None:
    expected, error = (np.asarray(each, float) for each in found)
    try:
        numbers = np.asarray(value, float).reshape(expected.shape)
    except (TypeError, ValueError):
        return  # the engine says what is wrong with it
    size = np.nanmax(np.abs(expected), initial=0.0)
    with np.errstate(invalid="ignore"):
        wrong = np.abs(numbers - expected) > _WRONG * max(size, np.abs(numbers).max(initial=0.0)) + _CLEAR * error
    if not wrong.any():
        return
    at = tuple(int(k) for k in np.argwhere(wrong)[0])
    entry = f"[{', '.join(map(str, at))}]" if at else ""
    raise ModelError(
        f"{what}{entry} is {numbers[at]:.6g} at t = {t:.6g} s, and differences of its function give {expected[at]:.6g}; "
        "correct it, or leave it out to have it computed"
    )
