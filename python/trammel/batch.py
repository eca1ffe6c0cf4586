"""Many runs of one mechanism that differ in its parameters."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import ModelError, RunWarning, advice, unknown
from .given import names as text_names
from .given import Table, Units, frozen, numbers, switch, whole
from .interrupt import stopped_a_run
from .model import Mechanism, check_mechanism, check_options
from .progress import Progress

if TYPE_CHECKING:
    import pandas  # type: ignore[import]
    import xarray

__all__ = ["Batch", "BatchResult", "BatchRun", "batch"]

Array = NDArray[np.float64]
_MOST_THREADS = 1024  # more than any machine has processors; a larger number is a mistake
_ENGINES = ("tables", "compiled")
Parameters = Union[Mapping[str, Any], Sequence[Mapping[str, float]], NDArray[Any], "pandas.DataFrame"]


class BatchRun(Table):
    """One run of a batch: its columns by name.

    >>> r.results[3]["B.x"], r.results[3].status
    """

    def __init__(self, batch: BatchResult, index: int) -> None:
        self._batch = batch
        self.index = index

    def __getitem__(self, name: str) -> Array:
        column: Array = self._batch[name][self.index]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._batch)

    def __len__(self) -> int:
        return len(self._batch)

    @property
    def t(self) -> Array:
        """The output times, s.

        >>> r.results[3].t[-1]
        """
        return self._batch.t

    @property
    def parameters(self) -> dict[str, float]:
        """The values that it ran with.

        >>> r.results[3].parameters["L"]
        """
        return {name: float(values[self.index]) for name, values in self._batch.parameters.items()}

    @property
    def status(self) -> str:
        """As that of a single run: ``ok``, ``marked``, ``failed``, …

        >>> [run.index for run in r.results if run.status == "failed"]
        """
        return str(self._batch.status[self.index])

    @property
    def message(self) -> str:
        """Why it has failed or stopped; empty if it has not.

        >>> print(r.results[3].message)
        """
        return self._batch.messages[self.index]

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.parameters.items())
        return f"<run {self.index}: {values}; {self.status}{': ' if self.message else ''}{self.message}>"


class BatchResult(Table):
    """What a batch computed: each column is an array of runs by output times, NaN where a run ended earlier.

    >>> r = tr.batch(m, {"L": np.linspace(0.3, 0.5, 100)}, observe=["A.force.x"]).run()
    >>> r["A.force.x"].max(axis=1)
    """

    def __init__(self, parameters: dict[str, Array], core: _core.BatchResult, mechanism: Mechanism) -> None:
        self._channels = core.channels
        self._index = {name: k for k, (name, _, _) in enumerate(self._channels)}
        self._values, self._errors, self._last = core.values, core.errors, core.last
        self._t = core.times
        self._parameters = parameters
        self._runs = [(status, mechanism._told(message), time) for status, message, time in core.runs]
        self._engine = core.engine

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for array in (self._values, self._errors, self._last, self._t, *self._parameters.values()):
            if array is not None:
                frozen(array)  # pickle forgets that it was

    def __getitem__(self, name: str) -> Array:
        column: Array = self._values[self._at(name)]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def _at(self, name: str) -> int:
        if not isinstance(name, str) or name not in self._index:
            of_runs = f"; of the runs, results[{name}] is one" if isinstance(name, (int, np.integer)) else ""
            raise unknown("column", name, self._index, "the batch did not observe a column", of_runs)
        return self._index[name]

    @property
    def t(self) -> Array:
        """The output times, s, the same for all runs.

        >>> r.t[-1]
        """
        return self._t

    @property
    def columns(self) -> list[str]:
        """Names of the columns that were observed.

        >>> r.columns
        ['A.force.x']
        """
        return list(self._index)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column, empty for none.

        >>> r.units["A.force.x"]
        'N'
        """
        return Units({name: unit for name, unit, _ in self._channels})

    @property
    def parameters(self) -> dict[str, Array]:
        """The values of each parameter, one for each run.

        >>> r.parameters["L"][r.failed]
        """
        return dict(self._parameters)

    @property
    def status(self) -> NDArray[np.str_]:
        """The status of each run, as that of a single one.

        >>> (r.status == "ok").all()
        """
        return np.array([status for status, _, _ in self._runs])

    @property
    def messages(self) -> list[str]:
        """Why runs failed or stopped; empty for the others.

        >>> r.messages[3]
        """
        return [message for _, message, _ in self._runs]

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which runs have failed.

        >>> r["A.force.x"][~r.failed]
        """
        return np.array([status == "failed" for status, _, _ in self._runs])

    @property
    def engine(self) -> str:
        """What computed the steps, and why if another engine was asked for.

        >>> batch.run(engine="compiled", step=1e-3).engine
        """
        return self._engine

    @property
    def time(self) -> Array:
        """The time that each run reached, s.

        >>> r.time.min()
        """
        return np.array([time for _, _, time in self._runs])

    @property
    def results(self) -> list[BatchRun]:
        """The runs one by one.

        >>> r.results[0]["A.force.x"]
        """
        return [BatchRun(self, index) for index in range(len(self._runs))]

    def last(self, name: str) -> Array:
        """The last value of a column in each run, wherever the run ended; NaN where it has no row.

        >>> r.last("ball.y")
        """
        values: Array = self._last[self._at(name)]
        return values

    def error(self, name: str) -> Array:
        """The estimated error of each value, of a batch that ran with ``verify=True``; else NaN.

        >>> batch.run(verify=True).error("A.force.x").max()
        """
        values: Array = frozen(np.full_like(self[name], np.nan)) if self._errors is None else self._errors[self._at(name)]
        return values

    def __eq__(self, other: object) -> bool:
        """Whether both ran with the same parameters and have the same columns, errors and ends; NaN equals NaN."""
        if not isinstance(other, BatchResult):
            return super().__eq__(other)
        mine, others = ({**one._parameters, "": one._t, "values": one._values, "last": one._last, "errors": one._errors} for one in (self, other))
        return (
            self._channels == other._channels
            and self._runs == other._runs
            and list(mine) == list(others)
            and all(np.array_equal(_or_empty(mine[key]), _or_empty(others[key]), equal_nan=True) for key in mine)
        )

    __hash__ = None  # type: ignore[assignment]

    def frame(self) -> pandas.DataFrame:
        """A long pandas table: one row for each run and time, with the run's parameters.

        >>> r.frame().groupby("L")["A.force.x"].max()
        """
        import pandas

        runs, times = len(self._runs), len(self.t)
        data: dict[str, Any] = {"run": np.repeat(np.arange(runs), times), "t": np.tile(self.t, runs)}
        data.update({name: np.repeat(values, times) for name, values in self._parameters.items()})
        data.update({name: self[name].ravel() for name in self})
        return pandas.DataFrame(data)

    def xarray(self) -> xarray.Dataset:
        """An xarray Dataset with the dimensions run and t; parameters and status belong to run.

        >>> r.xarray()["A.force.x"].max("t")
        """
        import xarray

        dims = ("run", "t")
        data = {name: (dims, self[name], {"units": self.units[name]} if self.units[name] else {}) for name in self}
        coords: dict[str, Any] = {"run": np.arange(len(self._runs)), "t": ("t", self.t, {"units": "s"})}
        coords.update({name: ("run", values) for name, values in self._parameters.items()})
        coords["status"] = ("run", self.status)
        return xarray.Dataset(data, coords)

    def __repr__(self) -> str:
        count = {status: int((self.status == status).sum()) for status in dict.fromkeys(self.status)}
        found = ", ".join(f"{number} {status}" for status, number in count.items())
        return f"<BatchResult: {len(self._runs)} runs ({found}), {len(self.t)} times, {len(self)} columns>"


class Batch:
    """Runs of one mechanism with a table of parameters; ``tr.batch()`` makes one.

    >>> tr.batch(m, {"L": [0.3, 0.4]}).run(threads=2)
    """

    def __init__(self, mechanism: Mechanism, parameters: Parameters, observe: Sequence[str] = ()) -> None:
        self.mechanism = check_mechanism("batch", mechanism)
        self._parameters = _table(parameters)
        for name in self._parameters:
            if name not in mechanism.parameters:
                raise unknown("parameter", name, mechanism.parameters, "there is no parameter")
        self._observe = [observe] if isinstance(observe, str) else text_names("observe", observe)

    def __len__(self) -> int:
        return len(next(iter(self._parameters.values())))

    def run(
        self,
        *,
        threads: int | None = None,
        verify: bool = False,
        engine: str = "tables",
        progress: bool = True,
        **options: Any,
    ) -> BatchResult:
        """Computes all runs, on as many threads as there are processors unless ``threads`` says otherwise, but never on more than
        there are runs. The results are the same to the bit for any number of threads. Options are those of ``Mechanism.run()``; ``verify=True`` estimates errors.

        ``engine="compiled"`` generates code for the mechanism, compiles it with the system's C++ compiler, and runs 4 or 8
        instances side by side on each processor. It is for many steps of one size with few rows; what it does not support goes
        by tables, as ``BatchResult.engine`` and a ``RunWarning`` then say.

        If a run fails, the others continue. Ctrl-C keeps the finished runs. Both issue a ``RunWarning``. A second Ctrl-C within a
        second raises ``KeyboardInterrupt``.

        >>> r = batch.run(threads=2, tolerance=1e-8)
        >>> r = batch.run(engine="compiled", step=1e-3)
        """
        if engine not in _ENGINES:
            raise ModelError(f"there is no engine {engine!r}; {advice(str(engine), list(_ENGINES))}")
        if threads is not None:
            threads = whole("threads", threads, 1, _MOST_THREADS)
        verify = switch("verify", verify)
        check_options(Batch.run, options)
        names = list(self._parameters)
        values = np.column_stack([self._parameters[name] for name in names])
        bar = Progress(len(self), lambda done: f"{done:.0f} of {len(self)} runs") if switch("progress", progress) else None
        try:
            core = _core.batch(
                self.mechanism._with_options(options),
                names,
                values,
                self._observe,
                verify,
                engine == "compiled",
                threads or len(os.sched_getaffinity(0)),
                bar.show if bar else None,
            )
        finally:
            if bar:
                bar.close()
        result = BatchResult(self._parameters, core, self.mechanism)
        if (result.status == "stopped").any():
            stopped_a_run()
        if engine == "compiled" and not result.engine.startswith("compiled"):
            warnings.warn(f"the runs went by {result.engine}", RunWarning, stacklevel=2)
        for status in ("failed", "stopped"):
            found = np.flatnonzero(result.status == status)
            if len(found):
                first = f"run {found[0]}: {result.messages[found[0]]}"
                warnings.warn(f"{len(found)} of {len(self)} runs {status}; the first, {first}", RunWarning, stacklevel=2)
        return result

    def __repr__(self) -> str:
        return f"<Batch of {self.mechanism.name!r}: {len(self)} runs over {', '.join(self._parameters)}>"


def batch(mechanism: Mechanism, parameters: Parameters, observe: Sequence[str] = ()) -> Batch:
    """Runs of one mechanism with different parameters: a mapping from names to arrays (a number holds for all runs), a
    list of mappings, a structured array, or a pandas table. ``observe`` names the columns to keep (default: all);
    ``"A.force"`` keeps the components ``"A.force.x"`` and ``"A.force.y"``. Columns are looked up when the batch runs.

    >>> r = tr.batch(m, {"L": np.linspace(0.3, 0.5, 100), "m": 2}, observe=["A.force.x"]).run()
    """
    return Batch(mechanism, parameters, observe)


def _table(given: Parameters) -> dict[str, Array]:
    """One array for each parameter, all of one length."""
    columns: dict[str, Any]
    if isinstance(given, np.ndarray):
        if given.dtype.names is None:
            raise ModelError("an array of parameters needs names; give a structured array, or a mapping from names to arrays")
        columns = {name: given[name] for name in given.dtype.names}
    elif isinstance(given, Mapping):
        columns = dict(given)
    elif hasattr(given, "columns"):
        columns = {str(name): given[name].to_numpy() for name in given.columns}
    elif isinstance(given, Sequence) and all(isinstance(row, Mapping) for row in given):
        columns = _by_name(list(given))
    else:
        raise TypeError(f"parameters are {given!r}; give a mapping from names to arrays, as {{'L': [0.3, 0.4]}}, or a list of mappings")
    arrays = {name: _numbers(name, values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in arrays.items() if values.ndim == 1}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ModelError(f"the parameters have different numbers of values: {told}; give each run a value of each")
    runs = next(iter(lengths.values()), 1)
    if not arrays or runs == 0:
        raise ModelError("a batch needs at least one parameter and one run")
    # Copies: who gave the arrays may change them.
    return {name: frozen(np.array(np.broadcast_to(values, (runs,)))) for name, values in arrays.items()}


def _or_empty(array: Array | None) -> Array:
    return np.empty(0) if array is None else array


def _by_name(rows: list[Mapping[str, float]]) -> dict[str, list[float]]:
    names = list(rows[0]) if rows else []
    for run, row in enumerate(rows):
        if set(row) != set(names):
            odd = sorted(set(row) ^ set(names))
            raise ModelError(f"run {run} and run 0 do not have the same parameters: {', '.join(odd)}; give each run all of them")
    return {name: [row[name] for row in rows] for name in names}


def _numbers(name: str, values: Any) -> Array:
    array = numbers(f"parameter {name!r}", values, "an array of real numbers in SI units")
    if array.ndim > 1:
        raise ModelError(f"parameter {name!r} has {array.ndim} dimensions; give one value for each run")
    return array
