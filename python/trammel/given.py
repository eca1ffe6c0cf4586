"""What callers give: numbers, whole numbers, switches, names. What is of another kind is refused before the engine sees it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .errors import ModelError, UnknownName, advice

__all__ = ["Units", "finite", "names", "number", "positive", "switch", "text", "whole"]


class Units(dict[str, str]):
    """Units by the names of columns."""

    def __missing__(self, name: object) -> str:
        raise UnknownName(f"there is no column {name!r}; {advice(str(name), list(self))}")


def number(what: str, value: Any) -> float:
    """A real number."""
    if isinstance(value, float):
        return value
    if isinstance(value, (str, bytes, complex, np.complexfloating)):
        raise ModelError(f"{what} is {value!r}; give a number in SI units")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} is {value!r}; give a number in SI units") from None


def finite(what: str, value: Any) -> float:
    """A number that is neither infinite nor NaN."""
    given = number(what, value)
    if not np.isfinite(given):
        raise ModelError(f"{what} is {value!r}; give a finite number")
    return given


def positive(what: str, value: Any) -> float:
    """A finite number above zero."""
    given = finite(what, value)
    if given <= 0:
        raise ModelError(f"{what} is {value!r}; give a positive number")
    return given


def whole(what: str, value: Any, least: int = 0, most: int = 2**31 - 1) -> int:
    """A whole number in a range."""
    try:
        given = operator.index(value)
    except TypeError:
        raise ModelError(f"{what} is {value!r}; give a whole number") from None
    if isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} is {value!r}; give a whole number")
    if given < least:
        raise ModelError(f"{what} is {given}; give {least} or more")
    if given > most:
        raise ModelError(f"{what} is {given}; give at most {most}")
    return given


def switch(what: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} is {value!r}; give True or False")
    return bool(value)


def text(what: str, value: Any) -> str:
    """A name."""
    if not isinstance(value, str):
        raise ModelError(f"{what} is {value!r}; give a name in quotes")
    return value


def names(what: str, value: Any) -> list[str]:
    """Several names. One text is not taken for its letters."""
    if isinstance(value, str):
        raise ModelError(f"{what}={value!r} is one name; give a list, {what}=[{value!r}]")
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise ModelError(f"{what} is {value!r}; give a list of names")
    return [text(f"a name of {what}", entry) for entry in value]
