"""Analyses of a mechanism beside its motion."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import ModelError, RunWarning, UnknownName, advice
from .given import Units, finite, names, numbers, positive, switch, text, whole
from .model import Mechanism, check_mechanism, check_options
from .result import Columns

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

__all__ = [
    "Equilibria",
    "EquilibriumPath",
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


Array = NDArray[np.float64]


def _asked(function: Callable[..., Any], mechanism: Mechanism, options: Mapping[str, Any], any_option: bool = True) -> _core.Mechanism:
    """The mechanism with the options that are keys of ``simulate:``; others are refused."""
    check_mechanism(function.__name__, mechanism)
    check_options(function, options)
    return mechanism._with_options(options, any_option)


def _of_parameter(key: str, given: Any, mechanism: Mechanism, wanted: str) -> tuple[str, Array]:
    """A parameter and its values, of a mapping with one entry."""
    if not isinstance(given, Mapping) or len(given) != 1:
        raise ModelError(f"{key} is {given!r}; give one parameter with its values, as {wanted}")
    ((name, values),) = given.items()
    if name not in mechanism.parameters:
        raise UnknownName(f"{key}: there is no parameter {name!r}; {advice(str(name), list(mechanism.parameters))}")
    return str(name), _finite(f"{key} of {name!r}", values, wanted)


def _finite(what: str, values: Any, wanted: str) -> Array:
    array = numbers(what, values, f"finite numbers in SI units, as {wanted}")
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise ModelError(f"{what} is {values!r}; give finite numbers in SI units, as {wanted}")
    return array


class TableOfRows(Columns):
    """Columns by name, as those of a run; the first is the time, or a parameter."""

    def __init__(self, text: str, columns: list[str], units: list[str], rows: list[list[Any]]) -> None:
        super().__init__({name: k for k, name in enumerate(columns)}, np.array(rows, float).reshape(len(rows), len(columns)))
        self._text = text
        self.units: dict[str, str] = Units(zip(columns, units))

    @property
    def columns(self) -> list[str]:
        """Names of the columns.

        >>> tr.solve.kinematics(m).columns[:2]
        """
        return list(self._names)

    @property
    def table(self) -> Array:
        """The whole table, rows by columns.

        >>> tr.solve.kinematics(m).table.shape
        """
        return self._table

    def frame(self) -> pandas.DataFrame:
        """A pandas table with the first column as its index.

        >>> tr.solve.inverse(m).frame()["motor.effort"].max()
        """
        import pandas

        index = pandas.Index(self._table[:, 0], name=self.columns[0])
        return pandas.DataFrame(self._table[:, 1:], index=index, columns=self.columns[1:])

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


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
    text, figures = _core.stability(_asked(stability, mechanism, options, False))
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


class EquilibriumPath(TableOfRows):
    """Equilibria over a parameter, through limit points; it prints as ``trammel solve equilibrium --along`` does.

    Its columns are those of a run, with the parameter in place of the time.

    >>> path = tr.solve.equilibrium(m, along={"P": (0, 100)})
    >>> plt.plot(path["A.y"], path["P"])
    """

    def __init__(self, text: str, figures: Mapping[str, Any], message: str) -> None:
        super().__init__(text, figures["columns"], figures["units"], figures["rows"])
        self.parameter: str = figures["parameter"]
        self.kinds: NDArray[np.str_] = np.array(figures["kinds"])  # of each row: stable, unstable, neutral, …
        self.limits: Array = np.array(figures["limits"], float)  # values of the parameter where it turns back
        self.changes: Array = np.array(figures["changes"], float)  # and where the stability changes besides
        self.complete: bool = figures["complete"]
        self.message = message  # why it ends before the last value; empty if it does not


@overload
def equilibrium(
    mechanism: Mechanism, *, stable: bool = ..., starts: int = ..., seed: int = ..., along: None = ..., points: int = ..., **options: Any
) -> Equilibria: ...


@overload
def equilibrium(
    mechanism: Mechanism, *, along: Mapping[str, Sequence[float]], stable: bool = ..., points: int = ..., **options: Any
) -> EquilibriumPath: ...


def equilibrium(
    mechanism: Mechanism,
    *,
    stable: bool = False,
    starts: int = 0,
    seed: int = 1,
    along: Mapping[str, Sequence[float]] | None = None,
    points: int = 1000,
    **options: Any,
) -> Union[Equilibria, EquilibriumPath]:
    """The equilibrium nearest to the start, or a stable one downhill from it (``stable``); with ``starts`` also those found from
    that many random positions (``seed``), lowest first. ``along`` follows it over a parameter, from one value to another, in at most
    ``points`` points; if it cannot continue, it ends with a ``RunWarning``.

    >>> tr.solve.equilibrium(m, starts=50)
    >>> tr.solve.equilibrium(m, along={"P": (0, 100)}).limits
    """
    core = _asked(equilibrium, mechanism, options)
    stable, starts, points = switch("stable", stable), whole("starts", starts), whole("points", points)
    if starts and (stable or along):
        raise ModelError(f"give either starts or {'stable' if stable else 'along'}: from many positions all kinds are found")
    if along is None:
        if points != 1000:
            raise ModelError("points are those of a path; give along={'P': (0, 100)} too")
        text, figures = _core.equilibrium(core, stable, starts, whole("seed", seed))
        return Equilibria(text, json.loads(figures)["equilibria"])
    wanted = "along={'P': (0, 100)}"
    name, ends = _of_parameter("along", along, mechanism, wanted)
    if len(ends) != 2 or ends[0] == ends[1]:
        raise ModelError(f"along goes from one value of {name!r} to another; give two, as {wanted}")
    if points < 2:
        raise ModelError(f"a path of {points} points leads nowhere; give two or more")
    text, figures, message = _core.equilibrium_path(core, name, ends[0], ends[1], stable, points)
    path = EquilibriumPath(text, json.loads(figures)["path"], message)
    if not path.complete:
        warnings.warn(f"the path ends at {name} = {path[name][-1]:.6g}: {message}", RunWarning, stacklevel=2)
    return path


class Modes:
    """Small motions about rest or steady motion; it prints as ``trammel solve modes`` does.

    ``modes`` has a dictionary for each mode, as ``trammel solve modes --json``, and ``eigenvalues`` are in 1/s. ``A``, ``B``, ``C``, ``D`` lead
    from ``inputs`` to ``outputs``; ``states`` names the rows of ``A``. With ``vary=``, ``varied`` has the modes at each of ``values``, and ``locus`` their
    eigenvalues; with ``response=``, ``response`` has outputs by inputs by ``frequencies`` (Hz).

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
        self.parameter: str = figures.get("parameter", "")  # that was varied
        self.varied: list[dict[str, Any]] = figures.get("varied", [])  # at each value: "modes", or "error" with the reason
        self.frequencies: Array = np.array(figures.get("frequencies_hz", []), float)  # Hz, of the response
        gains = [np.array(one["real"], float) + 1j * np.array(one["imaginary"], float) for one in figures.get("response", [])]
        shape = (outputs, columns, len(self.frequencies))
        # Outputs by inputs by frequencies.
        self.response: NDArray[np.complex128] = np.array(gains, complex).reshape(shape if gains else (outputs, columns, 0))

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Of each mode, 1/s; of a conjugate pair the one with a positive imaginary part.

        >>> tr.solve.modes(m).eigenvalues.imag / (2 * np.pi)
        """
        return _eigenvalues(self.modes)

    @property
    def values(self) -> Array:
        """The values of the parameter that was varied.

        >>> tr.solve.modes(m, vary={"k": np.linspace(1, 10, 20)}).values
        """
        return np.array([one["value"] for one in self.varied], float)

    @property
    def locus(self) -> list[NDArray[np.complex128]]:
        """The eigenvalues at each value of the parameter, 1/s; none where there is no equilibrium.

        >>> [roots.real.max() for roots in modes.locus]
        """
        return [_eigenvalues(one.get("modes", [])) for one in self.varied]

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def _eigenvalues(modes: list[dict[str, Any]]) -> NDArray[np.complex128]:
    return np.array([complex(*mode["eigenvalue"]) for mode in modes], complex)


def modes(
    mechanism: Mechanism,
    *,
    at: Literal["equilibrium", "stable", "start"] = "equilibrium",
    vary: Mapping[str, Sequence[float] | Array] | None = None,
    response: Sequence[float] | Array | None = None,
    **options: Any,
) -> Modes:
    """Frequencies, damping and shapes about the equilibrium or steady motion nearest the start, about a stable equilibrium,
    or about the start itself. ``vary`` repeats the analysis for several values of a parameter; ``response`` computes the frequency
    response from ``inputs:`` to the columns of ``outputs:``, at these frequencies in Hz.

    >>> tr.solve.modes(m, at="stable")
    >>> tr.solve.modes(m, vary={"k": np.linspace(1, 10, 20)}).locus
    >>> abs(tr.solve.modes(m, response=np.geomspace(0.1, 100, 600)).response[0, 0])
    """
    if at not in ("equilibrium", "stable", "start"):
        raise ModelError(f"at: {at!r} is none of 'equilibrium', 'stable', 'start'")
    core = _asked(modes, mechanism, options)
    name, values, hertz = "", np.empty(0), np.empty(0)
    if vary is not None:
        name, values = _of_parameter("vary", vary, mechanism, "vary={'k': [1, 2, 3]}")
    if response is not None:
        hertz = _finite("response", response, "response=np.geomspace(0.1, 100, 600)")
        if not (hertz > 0).all():
            raise ModelError("response: frequencies are positive, in Hz; give them as np.geomspace(0.1, 100, 600)")
    text, figures = _core.modes(core, at, name, values, hertz)
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
    """The position nearest to the places in the model; with ``starts`` also the other assembly branches found from that many
    random starts, sorted by their ``distance`` from the first. The search does not guarantee that there are no others.

    >>> len(tr.solve.positions(m, starts=1000).branches)
    """
    core = _asked(positions, mechanism, options)
    told, figures = _core.positions(core, whole("starts", starts), whole("seed", seed))
    return Positions(told, json.loads(figures))


class _Motion(TableOfRows):
    """A table of a motion; the first column is the time."""

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        rows = [[t, *row] for t, row in zip(figures["times"], figures["rows"])]
        super().__init__(text, ["t", *figures["columns"]], ["s", *figures["units"]], rows)
        self.held: list[str] = figures["held"]  # freedoms that nothing drives, at their start values

    @property
    def t(self) -> Array:
        """The times of the rows, s.

        >>> tr.solve.kinematics(m).t[-1]
        """
        return self["t"]


class Kinematics(_Motion):
    """Positions, velocities and accelerations that drivers prescribe; it prints as ``trammel solve kinematics`` does.

    >>> k = tr.solve.kinematics(m, ratio_to="motor", curves=["P"])
    >>> k["P.curve.x"], k["P.curve.curvature"], k.singular
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        super().__init__(text, figures)
        self.singular: list[dict[str, Any]] = figures["singular"]
        # Times of rows next to a singular position, whose speeds are not known to 1e-6, s.
        self.doubtful: Array = np.array(figures["doubtful"], float)
        # Times next to which a singular position could be neither found nor excluded, s.
        self.undecided: Array = np.array(figures["undecided"], float)


def kinematics(
    mechanism: Mechanism,
    *,
    rows: int = 0,
    ratio_to: str = "",
    curves: Sequence[str] = (),
    drive: tuple[str, float, float, int] | None = None,
    **options: Any,
) -> Kinematics:
    """The motion that drivers prescribe, without masses; after a dead position time runs backwards, in another branch.

    ``drive=(name, start, end, count)`` sweeps the coordinate of a driver, joint or planar body instead of time: everything
    else stays as at t = 0, and speeds are derivatives with respect to the coordinate. ``count`` is then the number of rows; ``rows`` and
    ``duration`` are refused.

    >>> tr.solve.kinematics(m, rows=360, duration=1)["coupler.omega"]
    >>> tr.solve.kinematics(m, drive=("crank", 0, 2 * math.pi, 361))["rocker.angle"]
    """
    if drive is not None and rows:
        raise ModelError(f"drive=(…, count) has the number of rows, and rows is {rows!r}; leave out rows")
    if drive is not None and "duration" in options:
        raise ModelError("drive sweeps a coordinate instead of time; leave out duration")
    core = _asked(kinematics, mechanism, options)
    sweep = None if drive is None else _sweep(drive)
    told, figures = _core.kinematics(core, whole("rows", rows), text("ratio_to", ratio_to), names("curves", curves), sweep)
    return Kinematics(told, json.loads(figures))


def _sweep(drive: Any) -> tuple[str, float, float, int]:
    if isinstance(drive, (str, Mapping)) or not isinstance(drive, Sequence) or len(drive) != 4:
        raise ModelError(f"drive is {drive!r}; give (name, from, to, count), as drive=('crank', 0, 2 * math.pi, 361)")
    name, start, end, count = drive
    return (
        text("the coordinate of drive", name),
        finite("the first value of drive", start),
        finite("the last value of drive", end),
        whole("the count of drive", count, 2),
    )


class Inverse(_Motion):
    """Efforts of drivers, and reactions, of a prescribed motion; it prints as ``trammel solve inverse`` does.

    >>> tr.solve.inverse(m)["motor.effort"]
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        super().__init__(text, figures)
        self.not_unique: list[str] = figures["not_unique"]  # reactions that are one choice of many
        # Times of rows next to a singular position, whose reactions are not known to 1e-6, s.
        self.doubtful: Array = np.array(figures["doubtful"], float)


def inverse(
    mechanism: Mechanism,
    *,
    rows: int = 0,
    weights: Mapping[str, float] | None = None,
    idle: Sequence[str] = (),
    hold: bool = False,
    **options: Any,
) -> Inverse:
    """The efforts that a prescribed motion needs, without integration. If several drivers share a motion, the weighted sum
    of squared efforts is minimal; an idle driver has no effort; ``hold`` holds freedoms without a driver.

    >>> tr.solve.inverse(m, weights={"motor": 2}, idle=["brake"])["motor.effort"]
    """
    core = _asked(inverse, mechanism, options)
    if not isinstance(weights, (Mapping, type(None))):
        raise ModelError(f"weights is {weights!r}; give drivers with numbers, as weights={{'motor': 2}}")
    unused = names("idle", idle)
    for name in (*(weights or {}), *unused):
        if name not in mechanism.drivers:
            raise UnknownName(f"there is no driver {name!r}; {advice(str(name), mechanism.drivers)}")
    shares = {name: positive(f"the weight of {name!r}", weight) for name, weight in (weights or {}).items()}
    told, figures = _core.inverse(core, whole("rows", rows), shares, unused, switch("hold", hold))
    return Inverse(told, json.loads(figures))


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
        self.area: float | None = figures["area"]  # m²; None in space, and where the points do not cover what can be reached
        self.area_error: float | None = figures["area_error"]  # m², estimated; None where there is no area
        self.covered: bool = figures["covered"]  # False: so many samples were not enough
        self.boundary: list[NDArray[np.float64]] = [np.array(loop, float) for loop in figures["boundary"]]

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def workspace(
    mechanism: Mechanism,
    point: str = "",
    *,
    spacing: float = 0,
    samples: int = 20000,
    starts: int = 20,
    seed: int = 1,
    **options: Any,
) -> Workspace:
    """All places that a point can reach, without the drivers and within end-stops; by default the last point that moves, or the
    centre of mass of the last body. ``spacing`` is the distance of
    neighbouring positions, in sizes of the mechanism or in rad (0: automatic); ``samples`` is the largest number of positions,
    ``starts`` the number of random starts.

    >>> tr.solve.workspace(m, "P").area
    """
    core = _asked(workspace, mechanism, options)
    apart = finite("spacing", spacing)
    if apart < 0:
        raise ModelError(f"spacing is {spacing!r}; give a positive number in m, or 0 to have it chosen")
    told, figures = _core.workspace(
        core, text("point", point), apart, whole("samples", samples, 1), whole("starts", starts), whole("seed", seed)
    )
    return Workspace(told, json.loads(figures))
