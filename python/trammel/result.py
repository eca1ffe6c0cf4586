"""What a run computed."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import Error, ModelError, RunWarning, unknown, warn
from .given import Table, Units, frozen
from .interrupt import stopped_a_run
from .model import Mechanism
from .progress import of_run
from .simulation import Simulation

if TYPE_CHECKING:
    import matplotlib.axes  # type: ignore[import]
    import pandas  # type: ignore[import]
    import xarray

__all__ = ["Columns", "Result"]

Array = NDArray[np.float64]
_SHOWN = 8  # names of columns, where there are many
_INLINE = 200_000  # values of a report within a notebook: with their errors, 2 MB


def _of_unit(unit: str) -> str:
    return unit or "none"


class Columns(Table):
    """Columns of a table by name, as read-only views without copying.

    >>> r.error["crank.angle"].max()
    """

    def __init__(self, names: Mapping[str, int], table: Array) -> None:
        self._names = names
        self._table: Array = frozen(table)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        frozen(self._table)  # pickle forgets that it was

    def __getitem__(self, name: str) -> Array:
        if not isinstance(name, str) or name not in self._names:
            raise unknown("column", name, self._names, "there is no column")
        return self._table[:, self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        names = list(self._names)
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        return f"<{len(names)} columns of {len(self._table)} rows: {shown}>"


class Result(Columns):
    """The result of a run: a table with one row for each output time, and its estimated errors.

    >>> r = m.run(duration=10)
    >>> r.t, r["crank.angle"], r.units["crank.angle"], r.error["crank.angle"]
    >>> r.status
    'ok'

    It is a mapping of names to NumPy arrays: ``r["B.x"]``, ``"B.x" in r``, ``for name in r``. docs/results.md describes the
    columns. ``summary`` has everything else that the run found out, with the keys of ``summary.json``.

    In a notebook a result shows its report with the motion in 3-D; ``print(r)`` prints the same as ``trammel run``.
    """

    def __init__(
        self,
        channels: list[tuple[str, str, str]],
        values: Array,
        errors: Array,
        summary: dict[str, Any],
        text: str,
        run: _core.Run | _core.StoredRun | None,
    ) -> None:
        super().__init__({name: k for k, (name, _, _) in enumerate(channels)}, values)
        self._channels = channels
        self._errors: Array = frozen(errors if len(errors) else np.full(values.shape, np.nan))
        self._run = run
        self._text = text
        self._mechanism: Mechanism | None = None  # owns functions that the run's report may call
        self.summary: dict[str, Any] = summary

    @classmethod
    def of(cls, simulation: Simulation, progress: bool, every: float, controller: Any, functions: list[Any]) -> Result:
        """Runs a simulation from its start to its end; ``Mechanism.run()`` calls it.

        >>> r = tr.Result.of(m.simulation(), True, 0.0, None, [])
        """
        bar = of_run(simulation._core.duration()) if progress else None
        try:
            run = _core.run(simulation._core, bar.show if bar else None, every, controller, functions)
        finally:
            if bar:
                bar.close()
        if run.stopped:
            stopped_a_run()
        result = cls(run.channels, run.values, run.errors, json.loads(run.summary_json()), run.summary_text(), run)
        result._mechanism = simulation.mechanism
        result._warn(Mechanism.run, run.remarks(), run.stopped)
        return result

    def _warn(self, function: Callable[..., Result], texts: list[str], stopped: bool) -> None:
        if self.status in ("failed", "stopped"):
            texts = [*texts, f"the run ended at t = {self.summary['simulated_seconds']:.6g} s: {self.message}"]
        elif stopped:
            texts = [*texts, "Ctrl-C stopped the second run, which tells the errors: they are NaN after its end; the rows are complete"]
        for text in texts:
            warn(text, RunWarning, function)

    @property
    def t(self) -> Array:
        """The times of the rows, s.

        >>> r.t[-1]
        """
        return self["t"]

    @property
    def table(self) -> Array:
        """The whole table, rows by columns, without a copy.

        >>> r.table.shape
        """
        return self._table

    @property
    def columns(self) -> list[str]:
        """Names of the columns.

        >>> r.columns[:2]
        """
        return list(self._names)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column, empty for none.

        >>> r.units["motor.effort"]
        'N.m'
        """
        return Units({name: unit for name, unit, _ in self._channels})

    @property
    def error(self) -> Columns:
        """The estimated error of each value; NaN if unknown.

        >>> r.error["B.x"].max()
        """
        return Columns(self._names, self._errors)

    @property
    def status(self) -> str:
        """The status of the run, see docs/results.md.

        ``ok``: every column is known to a thousandth of its range. ``limited``: some are known less well, or not to the end.
        ``marked``: steps met only a weaker criterion. ``doubtful``: energy or constraints drift. ``failed``, ``stopped``: it
        ended early, and ``message`` says why. ``killed``: ``read_results()`` found the log of a run that was killed.

        >>> r.status
        'ok'
        """
        return str(self.summary["status"])

    @property
    def message(self) -> str:
        """Why a run has failed or stopped; empty if it has not.

        >>> print(r.message)
        """
        return str(self.summary.get("message", ""))

    @property
    def events(self) -> list[dict[str, Any]]:
        """Impacts, releases, slips, jumps, and what ended the run.

        >>> [event["t"] for event in r.events]
        """
        return list(self.summary.get("events", []))

    def frame(self, errors: bool = False) -> pandas.DataFrame:
        """A pandas table with the time as its index; with ``errors=True``, of the errors.

        >>> r.frame()["crank.angle"].mean()
        """
        import pandas

        table = self._errors if errors else self._table
        return pandas.DataFrame(table[:, 1:], index=pandas.Index(self.t, name="t"), columns=self.columns[1:])

    def xarray(self, errors: bool = False) -> xarray.Dataset:
        """An xarray Dataset with the dimension t and units as attributes of each column; with ``errors=True``, of the errors.

        >>> r.xarray()["crank.angle"].sel(t=0.5, method="nearest")
        """
        import xarray

        table, units = (self._errors if errors else self._table), self.units
        data = {name: ("t", table[:, k], {"units": units[name]} if units[name] else {}) for name, k in self._names.items() if k}
        return xarray.Dataset(data, {"t": ("t", self.t, {"units": "s"})}, {"status": self.status})

    def plot(self, *names: str, ax: matplotlib.axes.Axes | None = None) -> Any:
        """Plots columns over time, with their errors as bands if these are visible. Each unit has its own panel.
        The first part of names, as ``"guide.force"``, stands for all columns with it: the components of the force.
        It returns the axes; for several panels, a list of them.

        >>> r.plot("guide.force", "crank.angle")
        """
        if not names:
            raise ModelError("plot() needs names of columns; columns lists them")
        groups: dict[str, list[str]] = {}
        for name in self._all_of(names):  # before a figure is opened
            groups.setdefault(self.units[name], []).append(name)
        if ax is not None and len(groups) > 1:
            raise ModelError(f"columns of the units {', '.join(map(_of_unit, groups))} do not fit into one ax; plot each unit by itself")
        if ax is not None:
            panels = [ax]
        else:
            import matplotlib.pyplot as plt  # type: ignore[import]

            panels = list(plt.subplots(len(groups), sharex=True, squeeze=False)[1][:, 0])
        for panel, (unit, columns) in zip(panels, groups.items()):
            self._draw(panel, unit, columns)
        panels[-1].set_xlabel("t [s]")
        return panels[0] if len(panels) == 1 else panels

    def _all_of(self, names: Sequence[str]) -> list[str]:
        """Columns, and those whose first part is named."""
        found: dict[str, None] = {}
        for name in names:
            parts = [each for each in self if isinstance(name, str) and each.startswith(f"{name}.")]
            if not parts or name in self:
                self[name]
                parts = [name, *parts]
            found.update(dict.fromkeys(parts))
        return list(found)

    def _draw(self, axes: matplotlib.axes.Axes, unit: str, names: list[str]) -> None:
        """Columns of one unit."""
        for name in names:
            (line,) = axes.plot(self.t, self[name], label=name)
            error = np.nan_to_num(self.error[name])
            axes.fill_between(self.t, self[name] - error, self[name] + error, alpha=0.3, color=line.get_color(), lw=0)
        axes.set_ylabel(" ".join([*(names if len(names) == 1 else []), *([f"[{unit}]"] if unit else [])]))
        if len(names) > 1:
            axes.legend()

    def save(self, folder: str | PathLike[str], csv: bool = False) -> Path:
        """Writes the files of ``trammel run``: ``results.h5``, ``summary.json``, ``report.html``; with ``csv`` also the tables
        as text.

        >>> r.save("results/crank")
        """
        run = self._of_this_process()
        if not str(folder):
            raise ModelError("save() needs a folder, and the name is empty; give one, as 'results/crank', or '.' for this one")
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        run.write_hdf5(str(path / "results.h5"))
        (path / "summary.json").write_text(json.dumps(self.summary, indent=2) + "\n")
        page = run.report()
        if page:
            (path / "report.html").write_text(page)
        if csv:
            run.write_csv(str(path / "results.csv"), False)
        if csv and len(run.errors):
            run.write_csv(str(path / "errors.csv"), True)
        return path

    def report(self) -> str:
        """The report as one page of HTML: summary, curves, the motion in 3-D.

        >>> open("report.html", "w").write(r.report())
        """
        return self._of_this_process().report()

    def _of_this_process(self) -> _core.Run | _core.StoredRun:
        if self._run is None:
            raise Error("this result came from another process, with its figures alone; save it there")
        return self._run

    def _repr_html_(self) -> str:
        page = self._run.report(_INLINE) if self._run is not None else ""
        if not page:
            return f"<pre>{html.escape(self._text)}</pre>"
        return f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 640px; border: 0"></iframe>'

    def __eq__(self, other: object) -> bool:
        """Whether both have the same columns with the same values, and the same errors; NaN equals NaN."""
        if not isinstance(other, Result):
            return NotImplemented
        return (
            self._channels == other._channels
            and np.array_equal(self._table, other._table, equal_nan=True)
            and np.array_equal(self._errors, other._errors, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Result, (self._channels, np.array(self._table), np.array(self._errors), self.summary, self._text, None)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")
