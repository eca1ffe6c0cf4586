"""Many runs of one mechanism, from a plan of its parameters to a table of observations on the disk."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import ModelError, RunWarning, unknown
from .given import Table, Units, numbers, switch, text, whole
from .given import names as text_names
from .model import Mechanism, check_mechanism, check_options
from .progress import Progress

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

__all__ = ["Sweep", "SweepResult", "read_sweep", "sweep"]

Array = NDArray[np.float64]
Vary = Union[Mapping[str, Any], Sequence[str]]
_MOST_THREADS = 1024  # more than any machine has processors


class SweepResult(Table):
    """A sweep.h5, read: parameters and observations by name, one value for each run, or one row of values.

    >>> r = tr.sweep(m, vary={"L": "0.2:0.4:50"}, observe=["peak(A.force)"]).run("results/lengths")
    >>> r["L"][r["peak(A.force)"].argmax()]
    """

    def __init__(self, folder: pathlib.Path | None, table: Mapping[str, Any], summary: Mapping[str, Any] | None = None) -> None:
        self.folder = folder  # None: it was temporary, and is gone
        self.summary = dict(summary or {})
        self._parameters: dict[str, Array] = table["parameters"]
        self._observations: dict[str, Array] = table["observations"]
        self._columns = {name: (text, unit, points, point_unit) for name, text, unit, points, point_unit in table["columns"]}
        self._status: list[str] = table["status"]
        self._messages: list[str] = table["messages"]
        self._time: Array = table["time"]

    def __getitem__(self, name: str) -> Array:
        for columns in (self._parameters, self._observations):
            if isinstance(name, str) and name in columns:
                return columns[name]
        raise unknown("column", name, self, "the sweep has no column")

    def __iter__(self) -> Iterator[str]:
        return iter([*self._parameters, *self._observations])

    def __len__(self) -> int:
        return len(self._parameters) + len(self._observations)

    @property
    def parameters(self) -> dict[str, Array]:
        """The values of each parameter.

        >>> r.parameters["L"][r.failed]
        """
        return dict(self._parameters)

    @property
    def observations(self) -> dict[str, Array]:
        """The values of each observation; NaN where a run failed, or has none.

        >>> list(r.observations)
        """
        return dict(self._observations)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each observation, empty where it is not known.

        >>> r.units["peak(A.force)"]
        'N'
        """
        return Units({name: unit for name, (_, unit, _, _) in self._columns.items()})

    def points(self, name: str) -> Array:
        """The times or frequencies of a curve or spectrum; empty for an observation with one value.

        >>> r.points("curve(B.x)")
        """
        if not isinstance(name, str) or name not in self._columns:
            raise unknown("column", name, self._columns, "the sweep has no observation")
        points: Array = self._columns[name][2]
        return points

    @property
    def status(self) -> NDArray[np.str_]:
        """The status of each run: ``ok``, ``marked``, ``failed``, …

        >>> (r.status == "ok").all()
        """
        return np.array(self._status)

    @property
    def messages(self) -> list[str]:
        """Why runs failed, or what is doubtful about them.

        >>> r.messages[3]
        """
        return list(self._messages)

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which runs failed.

        >>> r["L"][r.failed]
        """
        return np.array([status == "failed" for status in self._status])

    @property
    def time(self) -> Array:
        """How far each run came, s.

        >>> r.time.min()
        """
        return self._time

    def frame(self) -> pandas.DataFrame:
        """A pandas table with one row for each run; curves are left out.

        >>> r.frame().groupby("L").mean(numeric_only=True)
        """
        import pandas

        data: dict[str, Any] = {name: self[name] for name in self if self[name].ndim == 1}
        return pandas.DataFrame({**data, "status": self.status, "message": self.messages})

    def __repr__(self) -> str:
        return f"<SweepResult: {len(self._status)} runs ({int(self.failed.sum())} failed), {', '.join(self)}>"


class Sweep:
    """A plan of runs and what is observed of each; ``tr.sweep()`` makes one. It can be pickled, as its mechanism can.

    >>> len(tr.sweep(m, sample={"m": "normal(1, 0.1)"}, runs=1000, observe=["peak(A.force)"]))
    1000
    """

    def __init__(self, mechanism: Mechanism, options: Mapping[str, Any], spec: tuple[Any, ...]) -> None:
        self.mechanism = mechanism
        self._given = (mechanism, dict(options), spec)
        self._core = _core.Sweep(mechanism._with_options(self._given[1]), *spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return Sweep, self._given

    def __len__(self) -> int:
        return self._core.runs

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters that differ between runs.

        >>> s.parameters
        ['L']
        """
        return self._core.parameters

    @property
    def observations(self) -> list[str]:
        """Names of the observations.

        >>> s.observations
        ['peak(A.force)']
        """
        return [name for name, _, _, _, _ in self._core.observations]

    def values(self, run: int) -> dict[str, float]:
        """The parameters of a run, from 0. They depend on the plan and the number alone.

        >>> s.values(17)
        """
        return dict(zip(self.parameters, self._core.values(whole("run", run)).tolist()))

    def run(
        self,
        out: str | os.PathLike[str] | None = None,
        *,
        threads: int | None = None,
        executor: Executor | None = None,
        resume: bool = False,
        progress: bool = True,
    ) -> SweepResult:
        """Computes the missing runs of the folder ``out`` and reads its sweep.h5; without ``out``, in a temporary folder,
        which is deleted at the end (``folder`` of the result is None) and kept if the runs are interrupted.

        Runs use threads of this process, or chunks on any ``Executor``: of ``concurrent.futures``, of dask
        (``client.get_executor()``), of ``mpi4py.futures``. Its workers must have access to the folder. The file is the same to the bit.
        If a worker dies, its chunk is assigned again, as long as other chunks return. Ctrl-C or a kill keeps finished runs:
        ``resume=True`` continues.

        >>> s.run("results/lengths", executor=client.get_executor())
        """
        resume = switch("resume", resume)
        if threads is not None:
            threads = whole("threads", threads, 1, _MOST_THREADS)
        if out is not None:
            return self._run(pathlib.Path(out), threads, executor, resume, progress)
        folder = tempfile.mkdtemp(prefix="trammel-sweep-")
        kept = False
        try:
            found = self._run(pathlib.Path(folder) / "sweep", threads, executor, resume, progress)
        except KeyboardInterrupt:
            kept = True  # to go on with
            raise
        finally:
            if not kept:
                shutil.rmtree(folder, ignore_errors=True)
        found.folder = None
        return found

    def _run(self, folder: pathlib.Path, threads: int | None, executor: Executor | None, resume: bool, progress: bool) -> SweepResult:
        bar = Progress(len(self), lambda done: f"{done:.0f} of {len(self)} runs") if switch("progress", progress) else None
        try:
            if executor is None:
                count = min(threads or len(os.sched_getaffinity(0)), self._core.chunks)
                summary = self._core.run(str(folder), resume, count, bar.show if bar else None)
            else:
                self._core.prepare(str(folder), resume)
                _spread(executor, folder, self._core.chunks, len(self), bar)
                summary = _core.merge_sweep(str(folder))
        finally:
            if bar:
                bar.close()
        if not summary["merged"]:
            raise KeyboardInterrupt(f"{summary['done'] + summary['failed']} of {len(self)} runs are kept in {str(folder)!r}; run({str(folder)!r}, resume=True) goes on")
        result = SweepResult(folder, _core.read_sweep(str(folder / "sweep.h5")), summary)
        result._messages = [self.mechanism._told(message) for message in result._messages]
        if result.failed.any():
            first = int(np.flatnonzero(result.failed)[0])
            warnings.warn(f"{int(result.failed.sum())} of {len(self)} runs failed; the first, run {first}: {result.messages[first]}", RunWarning, stacklevel=3)
        return result

    def __repr__(self) -> str:
        return f"<Sweep of {self.mechanism.name!r}: {len(self)} runs over {', '.join(self.parameters)}>"


def sweep(
    mechanism: Mechanism,
    *,
    vary: Vary | None = None,
    sample: Vary | None = None,
    table: str | os.PathLike[str] | None = None,
    runs: int = 0,
    design: str = "random",
    seed: int = 1,
    observe: str | Sequence[str] | Mapping[str, str] = (),
    verify: bool = False,
    **options: Any,
) -> Sweep:
    """A plan of runs. ``vary`` maps parameters to values (``"0.2:0.4:50"``, a list, an array) and makes a grid; ``sample`` maps them to
    distributions (``"normal(1, 0.1)"``), with ``runs`` samples at each point of the grid; ``table`` is a CSV file of runs. Without
    any of them the plan is the model's ``sweep:`` section. Options are those of ``Mechanism.run()``. See docs/sweeps.md.

    >>> tr.sweep(m, vary={"L": np.linspace(0.2, 0.4, 50)}, observe=["peak(A.force)", "F=rms(A.force.x)"])
    """
    check_mechanism("sweep", mechanism)
    check_options(sweep, options)
    given = _core.sweep_section(mechanism._with_options(options))
    texts = _observed(observe)
    if vary is None and sample is None and table is None:
        spec = (*given[:6], texts or given[6], given[7])
    else:
        own = os.fspath(table) if table is not None else ""
        spec = (_texts("vary", vary, "="), own, _texts("sample", sample, "~"), whole("runs", runs), text("design", design), whole("seed", seed, 0, 2**63), texts or given[6], switch("verify", verify))
    return Sweep(mechanism, options, spec)


def read_sweep(path: str | os.PathLike[str]) -> SweepResult:
    """The results of an earlier sweep: sweep.h5, or its folder.

    >>> tr.read_sweep("results/lengths")["peak(A.force)"]
    """
    given = pathlib.Path(path)
    folder, file = (given, given / "sweep.h5") if given.is_dir() else (given.parent, given)
    with open(file, "rb"):  # FileNotFoundError and the like, as everywhere in Python
        pass
    return SweepResult(folder, _core.read_sweep(str(file)))


def _observed(given: str | Sequence[str] | Mapping[str, str]) -> list[str]:
    if isinstance(given, Mapping):
        return [f"{text('a name of observe', name)}={text('an observation', what)}" for name, what in given.items()]
    return [given] if isinstance(given, str) else text_names("observe", given)


def _texts(what: str, given: Vary | None, sign: str) -> list[str]:
    """As the command line has them: numbers to the last bit."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        return [given] if isinstance(given, str) else text_names(what, given)
    texts = []
    for name, value in given.items():
        if not isinstance(value, str):
            found = np.atleast_1d(numbers(f"{what} of {name!r}", value, "a text or numbers in SI units")).ravel().tolist()
            value = ", ".join(repr(number) for number in found)
        texts.append(f"{name}{sign}{value}")
    return texts


def _chunk(folder: str, chunk: int) -> int:
    """What a worker does: one chunk, unless it is there."""
    _core.sweep_chunk(folder, chunk)
    return chunk


def _there(folder: pathlib.Path, chunk: int) -> bool:
    return (folder / "chunks" / f"{chunk:07d}.chunk").exists()


def _spread(executor: Executor, folder: pathlib.Path, chunks: int, runs: int, bar: Progress | None) -> None:
    """Gives out the chunks that are not there; again those whose worker died, while others come back."""
    path = str(folder.resolve())
    missing = [chunk for chunk in range(chunks) if not _there(folder, chunk)]
    while missing:
        error: BaseException | None = None
        for number, future in enumerate(as_completed([executor.submit(_chunk, path, chunk) for chunk in missing])):
            error = future.exception() or error
            if bar:
                bar.show((chunks - len(missing) + number + 1) / chunks * runs)
        left = [chunk for chunk in missing if not _there(folder, chunk)]
        if error is not None and len(left) == len(missing):
            raise error
        missing = left
