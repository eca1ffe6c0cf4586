"""Parameters of a mechanism from measurements, and parameters for which an observation is least."""

from __future__ import annotations

import csv
import os
import pathlib
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import ModelError, RunWarning, StepError, unknown
from .given import ByValue, Named, finite, names, switch, text, whole
from .model import Mechanism, check_mechanism, check_options, loads
from .progress import Progress

__all__ = ["Fit", "FitColumn", "FittedParameter", "Optimum", "fit", "optimize"]

Array = NDArray[np.float64]
Values = Union[None, str, float, Sequence[float]]
_MOST_THREADS = 1024  # more than any machine has processors


@dataclass(frozen=True)
class FittedParameter:
    """A parameter that was fitted: its value, and the interval that holds it with the confidence that was asked for.

    >>> found.parameters["k"].low, found.parameters["k"].high
    """

    name: str
    unit: str
    start: float
    value: float
    error: float  # standard error; infinite: the measurements do not determine it
    low: float
    high: float
    at_bound: bool  # the value is a bound that was given


@dataclass(frozen=True, eq=False)
class FitColumn(ByValue):
    """A measured column beside the model's.

    >>> (found.columns["a.x"].measured - found.columns["a.x"].fitted).std()
    """

    name: str
    text: str  # the expression of the model's columns that it measures
    unit: str
    deviation: float  # of the measurements from the model: standard deviation
    t: Array
    measured: Array
    fitted: Array


class _Found(Mapping[str, float]):
    """Values of parameters by their names, and the mechanism that has them."""

    _what: str  # as messages call it

    def __init__(self, mechanism: Mechanism, values: Mapping[str, float], told: Mapping[str, Any]) -> None:
        self._given = mechanism
        self._values = dict(values)
        self.runs: int = told["runs"]
        self.resumed: int = told["resumed"]
        self.message: str = told["message"]
        self.model: str = told["model"]

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism with the values found.

        >>> found.mechanism.run()
        """
        return loads(self.model)

    def __getitem__(self, name: str) -> float:
        if not isinstance(name, str) or name not in self._values:
            raise unknown("parameter", name, self._values, f"the {self._what} has no parameter")
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class _Parameters(Named[FittedParameter]):
    _what = "parameter"


class Fit(_Found):
    """What ``tr.fit()`` found: values by the names of the parameters.

    >>> found["k"], found.parameters["k"].error, found.mechanism.run()
    """

    _what = "fit"

    def __init__(self, mechanism: Mechanism, told: Mapping[str, Any]) -> None:
        self.parameters = _Parameters({one[0]: FittedParameter(*one) for one in told["parameters"]})
        super().__init__(mechanism, {name: one.value for name, one in self.parameters.items()}, told)
        self.columns = Named({one[0]: FitColumn(*one) for one in told["columns"]})
        self.correlation: Array = np.reshape(told["correlation"], (len(self.parameters), len(self.parameters)))
        self.cost: float = told["cost"]
        self.measurements: int = told["measurements"]

    def __repr__(self) -> str:
        values = ", ".join(
            f"{one.name} = {one.value:.6g} ± {one.error:.2g}" if np.isfinite(one.error) else f"{one.name} is not determined"
            for one in self.parameters.values()
        )
        return f"<Fit of {self._given.name!r}: {values}>"


class Optimum(_Found):
    """What ``tr.optimize()`` found: values by the names of the parameters. ``objective`` is the value found, ``constraints`` are those of the
    conditions; if ``converged`` is False, the search ended before it met its accuracy, and ``message`` says why. ``history`` is the best value
    after each run, ``runs`` and ``failed`` count them.

    >>> best["L"], best.objective, best.mechanism.run()
    """

    _what = "optimum"

    def __init__(self, mechanism: Mechanism, told: Mapping[str, Any]) -> None:
        super().__init__(mechanism, dict(zip(told["names"], told["values"])), told)
        self.converged: bool = told["converged"]
        self.objective: float = told["objective"]
        self.constraints: list[float] = told["constraints"]
        self.history: Array = told["history"]
        self.failed: int = told["failed"]

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self._values.items())
        doubt = "" if self.converged else f"; not converged: {self.message}"
        return f"<Optimum of {self._given.name!r}: {self.objective:.6g} at {values}{doubt}>"


def _of_a_file(function: str, mechanism: Mechanism) -> None:
    """Both give the model that they found as a file."""
    if mechanism._parts:
        own = ", ".join(repr(part.name) for part in mechanism._parts)
        raise ModelError(
            f"{function}() gives a model file with the values found, which cannot say what is written in Python: {own}; write it as an "
            "expression of the model, or search with scipy.optimize over m.with_(…).run()"
        )


def fit(
    mechanism: Mechanism,
    data: str | os.PathLike[str] | Mapping[str, Any],
    parameters: Sequence[str] | Mapping[str, Values],
    *,
    compare: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    joint: bool = False,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: bool = True,
    **options: Any,
) -> Fit:
    """The parameters for which the model is nearest to measurements, by least squares, with confidence intervals.

    ``data`` is a CSV file, or a mapping or pandas table of columns: the time ``t``, then columns of the results; ``compare`` maps other
    names to what they measure. ``parameters`` are names, or map names to a start, or to start and bounds. Each interval holds its own
    value with the given confidence; with ``joint=True`` all together do. Forces and constraints in Python are refused. The runs are kept in the folder ``out``, and ``resume=True`` goes
    on with them. Options are those of ``Mechanism.run()``. docs/sweeps.md tells more.

    >>> found = tr.fit(m, {"t": t, "a.x": measured}, {"k": (50, 10, 100), "c": None})
    >>> found["k"], found.parameters["k"].low, found.parameters["k"].high
    """
    check_mechanism("fit", mechanism)
    _of_a_file("fit", mechanism)
    check_options(fit, options)
    core = mechanism._with_options(options)
    wanted = _parameters(parameters)
    if not isinstance(compare, (Mapping, type(None))):
        raise ModelError(f"compare is {compare!r}; give names of data with what they measure, as compare={{'tip': 'A.y'}}")
    compared = [f"{text('a column of compare', name)}={text('an expression of compare', what)}" for name, what in (compare or {}).items()]
    level = finite("confidence", confidence)
    if not 0.5 <= level < 1:
        raise ModelError(f"confidence is {confidence!r}; give a number from 0.5 to below 1")
    count = len(os.sched_getaffinity(0)) if threads is None else whole("threads", threads, 1, _MOST_THREADS)
    switches = switch("joint", joint), switch("resume", resume)

    with tempfile.TemporaryDirectory() as folder:
        file = _data_file(data, pathlib.Path(folder))
        told = _shown(
            progress,
            lambda show: _core.fit(core, wanted, str(file), compared, level, switches[0], os.fspath(out) if out is not None else "", switches[1], count, show),
        )
    if told["message"] == "stopped":
        raise KeyboardInterrupt(_stopped(told, out))
    if not told["converged"]:
        raise StepError(f"the fit of {mechanism.name!r} has not converged: {told['message']}")
    if told["message"]:
        warnings.warn(told["message"], RunWarning, stacklevel=2)
    return Fit(mechanism, told)


def optimize(
    mechanism: Mechanism,
    *,
    over: Mapping[str, tuple[float, float] | str] | Sequence[str],
    minimize: str = "",
    maximize: str = "",
    subject_to: Sequence[str] = (),
    method: str = "global",
    evaluations: int = 0,
    accuracy: float = 1e-6,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = True,
    **options: Any,
) -> Optimum:
    """The values within bounds for which an observation is least, or largest, by NLopt.

    ``over`` maps parameters to their bounds; ``subject_to`` are conditions. ``method`` is ``"global"``, or ``"local"`` from the model's
    values. ``evaluations`` bounds the runs; 0: 200 for each parameter. The runs are kept in the folder ``out``, and ``resume=True`` goes on
    with them. Forces and constraints in Python are refused. Options are those of ``Mechanism.run()``. docs/sweeps.md tells more.

    >>> best = tr.optimize(m, minimize="peak(A.force)", over={"L": (0.2, 0.4)}, subject_to=["peak(O.force) < 100"])
    >>> best["L"], best.objective
    """
    check_mechanism("optimize", mechanism)
    _of_a_file("optimize", mechanism)
    check_options(optimize, options)
    core = mechanism._with_options(options)
    least, most = text("minimize", minimize), text("maximize", maximize)
    ranges = names("over", over) if not isinstance(over, Mapping) else [_range(name, bounds) for name, bounds in over.items()]
    given = (names("subject_to", subject_to), text("method", method), whole("evaluations", evaluations), finite("accuracy", accuracy), whole("seed", seed, 0, 2**63))
    going_on = switch("resume", resume)
    told = _shown(
        progress,
        lambda show: _core.optimize(core, least, most, ranges, *given, os.fspath(out) if out is not None else "", going_on, show),
    )
    if told["message"] == "stopped":
        raise KeyboardInterrupt(_stopped(told, out))
    if not told["values"]:
        raise StepError(f"the optimization of {mechanism.name!r} found no values: {told['message']}")
    return Optimum(mechanism, told)


def _stopped(told: Mapping[str, Any], out: str | os.PathLike[str] | None) -> str:
    kept = f"they are kept in {os.fspath(out)!r}, and resume=True goes on" if out is not None else "none is kept, since out= names no folder"
    return f"stopped after {told['runs'] + told['resumed']} runs; {kept}"


def _shown(progress: bool, search: Callable[[Callable[[int], bool] | None], dict[str, Any]]) -> dict[str, Any]:
    """Counts runs while the search goes on; how many there will be nobody knows."""
    if not switch("progress", progress):
        return search(None)
    bar = Progress(None, lambda done: f"{done:.0f} runs")
    try:
        return search(bar.show)
    finally:
        bar.close()


def _parameters(given: Sequence[str] | Mapping[str, Values]) -> list[str]:
    """As the command line has them: numbers to the last bit."""
    if not isinstance(given, Mapping):
        return names("parameters", given)
    texts = []
    for name, start in given.items():
        if start is None:
            texts.append(name)
        elif isinstance(start, str):
            texts.append(f"{name}={start}")
        elif np.ndim(start) == 0:
            texts.append(f"{name}={finite(f'the start of {name!r}', start)!r}")
        elif np.shape(start) == (3,):
            texts.append(f"{name}=" + ":".join(repr(finite(f"a bound of {name!r}", one)) for one in np.asarray(start).tolist()))
        else:
            raise ModelError(f"the start of {name!r} is {start!r}; give None, a number, or (start, low, high)")
    return texts


def _range(name: str, bounds: tuple[float, float] | str) -> str:
    if isinstance(bounds, str):
        return f"{name}={bounds}"
    if np.shape(bounds) != (2,):
        raise ModelError(f"the bounds of {name!r} are {bounds!r}; give (low, high)")
    return f"{name}=" + ":".join(repr(finite(f"a bound of {name!r}", one)) for one in bounds)


def _check_columns(columns: Mapping[str, Array]) -> None:
    """What a file of data could not hold, in the words of who gave arrays."""
    t = columns["t"]
    if not len(t):
        raise ModelError("data has no rows; give one for each measurement")
    for name, values in columns.items():
        if not np.isfinite(values).all():
            first = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ModelError(f"data[{name!r}][{first}] is {values[first]}; give finite numbers, and leave out times without a measurement")
    if t[0] < 0 or (np.diff(t) <= 0).any():
        raise ModelError("the times data['t'] must be 0 or more and increase; sort the rows by their times")
    if t[-1] <= 0:
        raise ModelError("no time is after the start, t = 0; add measurements of the motion")


def _data_file(data: str | os.PathLike[str] | Mapping[str, Any], folder: pathlib.Path) -> pathlib.Path:
    """The measurements as a CSV file, to the last bit."""
    if isinstance(data, (str, os.PathLike)):
        with open(data, "rb"):  # FileNotFoundError and the like, as everywhere in Python
            return pathlib.Path(data)
    try:
        columns = {str(name): np.asarray(data[name], dtype=np.float64) for name in data}
    except (TypeError, ValueError, LookupError):
        raise ModelError("data is neither a path nor columns of numbers; give a CSV file, or {'t': times, 'a.x': values}") from None
    if "t" not in columns:
        raise ModelError(f"data has no column 't'; it has {', '.join(columns) or 'none'}: give the times of the measurements, in s")
    if len({column.shape for column in columns.values()}) > 1 or columns["t"].ndim != 1:
        raise ModelError("columns of data have different lengths; give one value of each for every time")
    _check_columns(columns)
    file = folder / "data.csv"
    order = ["t", *(name for name in columns if name != "t")]
    with open(file, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(order)
        writer.writerows([repr(value) for value in row] for row in zip(*(columns[name].tolist() for name in order)))
    return file
