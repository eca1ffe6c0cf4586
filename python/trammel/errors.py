"""What can go wrong, and what to do about it."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["AssemblyError", "CostWarning", "Error", "ModelError", "Problem", "RunWarning", "StepError", "UnknownName", "advice", "unknown"]



def remedy_in(text: str) -> str:
    """The part of a message after its last semicolon."""
    head, separator, tail = text.rpartition("; ")
    return tail if separator and head else ""


class Error(Exception):
    """Base of all errors of Trammel.

    ``place`` is the place of the mistake (``"crank.yaml:4:12"``), ``joint`` the joint, body or driver concerned,
    ``remedy`` what to do. Each is empty if unknown.

    >>> try:
    ...     tr.load("crank.yaml", L=-1)
    ... except tr.Error as error:
    ...     print(error, error.remedy)
    """

    place: str = ""
    joint: str = ""

    @property
    def remedy(self) -> str:
        """What to do: the part of the message after its last semicolon. Of several problems, that of the first, as ``place`` is.

        >>> print(error.remedy)
        """
        return remedy_in(str(self))


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a model: where, what, and what to do about it.

    >>> [problem.line for problem in error.problems]
    """

    file: str
    line: int  # from 1; 0: the model as a whole, or an option
    column: int  # from 1; 0: only the line is known
    message: str
    remedy: str

    @property
    def place(self) -> str:
        """``file:line:column``; of an imported file ``file:line``.

        >>> error.problems[0].place
        'crank.yaml:4:12'
        """
        return ":".join([self.file, *(str(at) for at in (self.line, self.column) if self.line and at)])

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}; {self.remedy}" if self.remedy else text


class ModelError(Error, ValueError):
    """A model, an option or a name is wrong. ``problems`` has everything that is wrong with a model, in its order.

    >>> tr.loads("trammel: 1\\nbodies: {a: {mas: 1}}").check()
    """

    problems: tuple[Problem, ...] = ()

    @property
    def remedy(self) -> str:
        """What to do about the first problem, whose ``place`` it has.

        >>> print(error.remedy)
        """
        return self.problems[0].remedy if self.problems else remedy_in(str(self))

    @classmethod
    def of(cls, problems: list[tuple[str, int, int, str, str]]) -> ModelError:
        """All problems as one error.

        >>> raise tr.ModelError.of([("crank.yaml", 4, 12, "the mass is -1 kg", "give a positive mass")])
        """
        found = tuple(Problem(*problem) for problem in problems)
        error = cls("\n".join(str(problem) for problem in found))
        error.problems = found
        error.place = found[0].place
        return error


class AssemblyError(Error, RuntimeError):
    """The joints cannot be closed, or the start contradicts them; ``joint`` is the one with the largest gap.

    >>> try:
    ...     sim = m.simulation()
    ... except tr.AssemblyError as error:
    ...     print(error.joint)
    """


class StepError(Error, RuntimeError):
    """A step or an analysis failed. The simulation keeps its last state, at ``t``.

    >>> try:
    ...     sim.advance(1)
    ... except tr.StepError as error:
    ...     print(error.t, error.joint)
    """

    t: float = 0.0


class UnknownName(ModelError, KeyError):
    """There is no column, value, input, parameter, body, point, joint or driver of that name. It is a ``KeyError``;
    ``remedy`` has the nearest names.

    >>> r["crank.angel"]
    """

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would put it in quotes


def advice(name: object, known: Sequence[str]) -> str:
    """What to do about a name that is not there: the nearest one, and those of the same part; all of few."""
    from . import _core

    return _core.name_advice(str(name), list(known))


def warn(text: str, category: type[Warning], function: Any) -> None:
    """Warns at the line that called the package; in a thread of the engine, which nobody called, where the function stands."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1).f_back, 3
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    code = getattr(inspect.unwrap(function), "__code__", None)
    if frame is None and code is not None:
        warnings.warn_explicit(text, category, code.co_filename, code.co_firstlineno)
    else:
        warnings.warn(text, category, stacklevel=level)


def unknown(what: str, name: object, known: Iterable[str], missing: str, otherwise: str = "") -> UnknownName:
    """Of what is no name of a ``what``, or of a name that is not there, which ``missing`` says."""
    names = list(known)
    if not isinstance(name, str):
        return UnknownName(f"{name!r} is no name of a {what}; give one text" + (f", as {names[0]!r}" if names else "") + otherwise)
    return UnknownName(f"{missing} {name!r}; {advice(name, names)}")


class RunWarning(UserWarning):
    """A run has ended early, or its results cannot be trusted: the text says why.

    >>> warnings.simplefilter("error", tr.RunWarning)
    """


class CostWarning(UserWarning):
    """Something takes longer than necessary: the text says what to do.

    >>> warnings.simplefilter("ignore", tr.CostWarning)
    """
