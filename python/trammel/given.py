"""What callers give: numbers, whole numbers, switches, names. What is of another kind is refused before the engine sees it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError, unknown

__all__ = ["ByValue", "Named", "Table", "Units", "finite", "frozen", "names", "number", "numbers", "positive", "switch", "text", "whole"]


Entry = TypeVar("Entry")


class Named(dict[str, Entry]):
    """Entries by name: a name that is not there is refused with the nearest."""

    _what = "column"

    def __getitem__(self, name: str) -> Entry:
        if not isinstance(name, str) or name not in self:
            raise unknown(self._what, name, self, f"there is no {self._what}")
        return super().__getitem__(name)


class Units(Named[str]):
    """Units by the names of columns."""


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, to which nobody may write from now on."""
    array.setflags(write=False)
    return array


class ByValue:
    """A dataclass that is equal to another with the same numbers, NaN included. Nobody may write to its arrays."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                frozen(value)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(_key(self) == _key(other))

    def __hash__(self) -> int:
        return hash(_key(self))


def _key(value: Any) -> Any:
    """What has equal keys is equal."""
    if isinstance(value, ByValue):
        return tuple(_key(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, np.ndarray):
        return (value.shape, *map(_key, value.ravel().tolist()))
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    return None if isinstance(value, float) and value != value else value


class Table(Mapping[str, NDArray[np.float64]]):
    """Arrays by name, equal to another with the same names and numbers, NaN included."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        try:
            return list(self) == list(other) and all(np.array_equal(self[name], other[name], equal_nan=True) for name in self)
        except TypeError:  # of entries that are no numbers
            return False

    __hash__ = None  # type: ignore[assignment]


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


def numbers(what: str, value: Any, wanted: str) -> NDArray[np.float64]:
    """An array of real numbers."""
    try:
        given = np.asarray(value)
        if given.dtype.kind in "biuf" or given.dtype.kind == "O" and not any(isinstance(one, (str, bytes, complex, type(None))) for one in given.flat):
            return given.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise ModelError(f"{what} is {value!r}; give {wanted}")


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
