"""Analyses of a mechanism beside its motion."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core
from .model import Mechanism

__all__ = [
    "Equilibria",
    "Inverse",
    "Kinematics",
    "Modes",
    "Positions",
    "Stability",
    "Workspace",
    "equilibrium",
    "inverse",
    "kinematics",
    "modes",
    "positions",
    "stability",
    "workspace",
]


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
    if stable and starts:
        raise ValueError("give either stable or starts: from many positions both kinds are found")
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


class Positions:
    """Where the joints close; it prints as ``trammel solve positions`` does.

    >>> tr.solve.positions(m, starts=1000).branches[1]["bodies"]["coupler"]["angle"]
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        self._text = text
        self.figures: dict[str, Any] = dict(figures)  # everything, with the keys of ``trammel solve positions --json``
        self.branches: list[dict[str, Any]] = figures["branches"]
        self.held: list[str] = figures["held"]  # freedoms that nothing drives, at their start values

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def positions(mechanism: Mechanism, *, starts: int = 0, seed: int = 1, **options: Any) -> Positions:
    """The position nearest to the model's own places; with ``starts`` also the other assembly branches that so many random
    places lead to. That there are no others is not guaranteed.

    >>> len(tr.solve.positions(m, starts=1000).branches)
    """
    text, figures = _core.positions(mechanism._with_options(options, True), starts, seed)
    return Positions(text, json.loads(figures))


class _Motion:
    """A table of a motion; columns by name, as those of a run."""

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        self._text = text
        self.t: NDArray[np.float64] = np.array(figures["times"], float)
        self.columns: list[str] = figures["columns"]
        self.units: dict[str, str] = dict(zip(self.columns, figures["units"]))
        self.values: NDArray[np.float64] = np.array(figures["rows"], float).reshape(len(self.t), len(self.columns))
        self.held: list[str] = figures["held"]  # freedoms that nothing drives, at their start values
        self._index = {name: k for k, name in enumerate(self.columns)}

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name == "t":
            return self.t
        if name not in self._index:
            raise KeyError(f"there is no column {name!r}; there are: {', '.join(self.columns)}")
        return self.values[:, self._index[name]]

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


class Kinematics(_Motion):
    """Positions, velocities and accelerations that drivers prescribe; it prints as ``trammel solve kinematics`` does.

    >>> k = tr.solve.kinematics(m, ratio_to="motor", curves=["P"])
    >>> k["P.curve.x"], k["P.curve.curvature"], k.singular
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        super().__init__(text, figures)
        self.singular: list[dict[str, Any]] = figures["singular"]


def kinematics(
    mechanism: Mechanism, *, rows: int = 0, ratio_to: str = "", curves: Sequence[str] = (), **options: Any
) -> Kinematics:
    """The motion that drivers prescribe, without masses; after a dead position it goes back in time, in another branch.

    >>> tr.solve.kinematics(m, rows=360, duration=1)["coupler.omega"]
    """
    text, figures = _core.kinematics(mechanism._with_options(options, True), rows, ratio_to, list(curves))
    return Kinematics(text, json.loads(figures))


class Inverse(_Motion):
    """Efforts of drivers, and reactions, of a prescribed motion; it prints as ``trammel solve inverse`` does.

    >>> tr.solve.inverse(m)["motor.effort"]
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        super().__init__(text, figures)
        self.not_unique: list[str] = figures["not_unique"]  # reactions that are one choice of many


def inverse(
    mechanism: Mechanism,
    *,
    rows: int = 0,
    weights: Mapping[str, float] | None = None,
    idle: Sequence[str] = (),
    hold: bool = False,
    **options: Any,
) -> Inverse:
    """The efforts that a prescribed motion needs, without integration. Where several drivers hold one motion these are of
    least weighted squares; an idle driver exerts nothing; ``hold`` holds what nothing drives.

    >>> tr.solve.inverse(m, weights={"motor": 2}, idle=["brake"])["motor.effort"]
    """
    text, figures = _core.inverse(
        mechanism._with_options(options, True), rows, dict(weights or {}), list(idle), hold
    )
    return Inverse(text, json.loads(figures))


class Workspace:
    """Places that a point reaches; it prints as ``trammel solve workspace`` does.

    >>> w = tr.solve.workspace(m, "P")
    >>> plt.plot(*w.boundary[0].T)
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        self._text = text
        self.figures: dict[str, Any] = dict(figures)  # everything, with the keys of ``trammel solve workspace --json``
        self.points: NDArray[np.float64] = np.array(figures["points"], float)
        self.branches: NDArray[np.int64] = np.array(figures["branches"], np.int64)  # of each point
        self.area: float | None = figures["area"]  # None in space
        self.boundary: list[NDArray[np.float64]] = [np.array(loop, float) for loop in figures["boundary"]]

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def workspace(
    mechanism: Mechanism,
    point: str,
    *,
    spacing: float = 0,
    samples: int = 20000,
    starts: int = 20,
    seed: int = 1,
    **options: Any,
) -> Workspace:
    """Every place that a point reaches over all freedoms, without the drivers and within end-stops.

    >>> tr.solve.workspace(m, "P").area
    """
    text, figures = _core.workspace(mechanism._with_options(options, True), point, spacing, samples, starts, seed)
    return Workspace(text, json.loads(figures))
