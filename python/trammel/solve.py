"""Analyses of a mechanism beside its motion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core
from .model import Mechanism

__all__ = ["Equilibria", "Modes", "Stability", "equilibrium", "modes", "stability"]


class Stability:
    """Eigenvalues of one step of a method about a position of rest; it prints as ``trammel solve stability`` does.

    >>> tr.solve.stability(m).figures
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        self._text = text
        self.figures: dict[str, Any] = dict(figures)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def stability(mechanism: Mechanism, **options: Any) -> Stability:
    """Whether errors and motions grow from step to step; options are the keys of ``simulate:``.

    >>> tr.solve.stability(m, step=1e-3, formulation="lagrange", integrator="newmark")
    """
    text, figures = _core.stability(mechanism._with_options(options))
    return Stability(text, json.loads(figures)[0])


class Equilibria:
    """Positions in which forces balance; it prints as ``trammel solve equilibrium`` does.

    >>> tr.solve.equilibrium(m).found[0]["stable"]
    """

    def __init__(self, text: str, found: list[dict[str, Any]]) -> None:
        self._text = text
        self.found = found  # with the keys of ``trammel solve equilibrium --json``

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def equilibrium(mechanism: Mechanism, *, stable: bool = False, starts: int = 0, **options: Any) -> Equilibria:
    """The equilibrium nearest the start, or downhill of it (``stable``); with ``starts`` also those that are found from
    so many random positions, lowest first.

    >>> tr.solve.equilibrium(m, starts=50)
    """
    text, figures = _core.equilibrium(mechanism._with_options(options, True), stable, starts)
    return Equilibria(text, json.loads(figures)["equilibria"])


class Modes:
    """Small motions about rest or steady motion; it prints as ``trammel solve modes`` does.

    ``A``, ``B``, ``C``, ``D`` lead from ``inputs:`` to the columns of ``outputs:``; ``states`` names the rows of ``A``.

    >>> modes = tr.solve.modes(m)
    >>> scipy.signal.StateSpace(modes.A, modes.B, modes.C, modes.D).bode()
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        self._text = text
        self.figures: dict[str, Any] = dict(figures)  # everything, with the keys of ``trammel solve modes --json``
        self.modes: list[dict[str, Any]] = figures["modes"]
        self.states: list[str] = figures["states"]
        self.inputs: list[str] = figures["inputs"]
        self.outputs: list[str] = figures["outputs"]
        rows, columns, outputs = len(self.states), len(self.inputs), len(self.outputs)
        self.A: NDArray[np.float64] = np.array(figures["A"], float).reshape(rows, rows)
        self.B: NDArray[np.float64] = np.array(figures["B"], float).reshape(rows, columns)
        self.C: NDArray[np.float64] = np.array(figures["C"], float).reshape(outputs, rows)
        self.D: NDArray[np.float64] = np.array(figures["D"], float).reshape(outputs, columns)

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Of each mode, 1/s; of a conjugate pair the one with a positive imaginary part.

        >>> tr.solve.modes(m).eigenvalues.imag / (2 * np.pi)
        """
        return np.array([complex(*mode["eigenvalue"]) for mode in self.modes])

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def modes(
    mechanism: Mechanism, *, at: Literal["equilibrium", "stable", "start"] = "equilibrium", **options: Any
) -> Modes:
    """Frequencies, damping and shapes about the equilibrium or steady motion nearest the start, about a stable equilibrium,
    or about the start as it is.

    >>> tr.solve.modes(m, at="stable")
    """
    if at not in ("equilibrium", "stable", "start"):
        raise ValueError(f"at: {at!r} is none of 'equilibrium', 'stable', 'start'")
    text, figures = _core.modes(mechanism._with_options(options, True), at)
    return Modes(text, json.loads(figures))
