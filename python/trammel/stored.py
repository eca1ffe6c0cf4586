"""Results in files: read again, gone on with, compared."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _core
from .errors import ModelError
from .given import Named, finite, switch
from .interrupt import stopped_a_run
from .model import check_readable
from .progress import Progress, of_run
from .result import Result
from .solve import TableOfRows

__all__ = ["Difference", "diff", "read_results", "resume"]


def _results_at(path: str | PathLike[str]) -> str:
    """A file of results, or a folder that has one."""
    file = fsdecode(path)
    if not os.path.isdir(file):
        if Path(check_readable(file)).suffix in (".yaml", ".yml"):
            raise ModelError(f"{file!r} is a model; tr.load() reads it, run() simulates it, and save() of its result writes a folder of results")
        return file
    if not any((Path(file) / name).exists() for name in ("results.h5", "results.log")):
        raise FileNotFoundError(errno.ENOENT, "there is neither results.h5 nor results.log in this folder", file)
    return file


def read_results(path: str | PathLike[str]) -> Result:
    """Reads the result of an earlier run: the folder that ``save()`` or ``trammel run`` has written, its ``results.h5``, or the
    ``results.log`` of a run. If the run was killed, ``status`` is ``killed``, and the rows are those in its log.

    >>> r = tr.read_results("results/crank")
    """
    file = _results_at(path)
    run = _core.read_run(file)
    summary = json.loads(run.summary_json())
    rows, columns = run.values.shape
    lines = [f"{file}: {rows} rows of {columns} columns", f"  {'status':<22}{summary['status']}"]
    if summary.get("message"):
        lines.append(f"  {'message':<22}{summary['message']}")
    return Result(run.channels, run.values, run.errors, summary, "\n".join(lines), run)


def resume(folder: str | PathLike[str], *, progress: bool = True) -> Result:
    """Goes on with a run of ``trammel run`` that was killed or stopped, to the bits that it would have had, and writes its files. A
    run that came to its end is read.

    >>> r = tr.resume("results/crank")
    """
    file = _results_at(folder)
    place = Path(file) if os.path.isdir(file) else Path(file).absolute().parent
    if not (place / "results.log").exists():
        raise FileNotFoundError(errno.ENOENT, "there is no results.log of a run that could go on in this folder", str(place))
    bar: Progress | None = None

    def show(t: float, end: float) -> bool:
        nonlocal bar
        bar = bar or of_run(end)
        return bar.show(t)

    try:
        text, remarks, stopped = _core.resume(str(place), show if switch("progress", progress) else None)
    finally:
        if bar is not None:
            bar.close()
    if stopped:
        stopped_a_run()
    result = read_results(place)
    if text:
        result._text = text
        result._warn(resume, remarks, stopped)
    return result


class Difference:
    """How two results differ, as ``diff()`` found it; it prints as ``trammel diff`` does.

    ``columns`` has for each column that both have the ``largest`` difference, ``of_range`` and ``of_errors``, the time of the largest and
    of the first (``at``, ``first``), and whether it is the ``same``. ``figures`` has everything, with the keys of ``trammel diff --json``.

    >>> tr.diff("results/before", "results/after").columns["crank.angle"]["largest"]
    """

    def __init__(self, text: str, figures: Mapping[str, Any]) -> None:
        self._text = text
        self.figures: dict[str, Any] = dict(figures)
        self.columns: dict[str, dict[str, Any]] = Named((column["name"], column) for column in figures["columns"])

    @property
    def same(self) -> bool:
        """Whether both have the same columns and rows, and no value differs by more than allowed.

        >>> tr.diff(m.run(), m.run()).same
        True
        """
        return bool(self.figures["same"])

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


_Results = Union[Result, TableOfRows, str, "PathLike[str]"]
_NONE = np.empty((0, 0))


def _table(name: str, given: Any) -> Any:
    """Names and units of columns, rows and errors; of files, the path."""
    if isinstance(given, (str, PathLike)):
        return _results_at(given)
    if not isinstance(given, (Result, TableOfRows)):
        raise TypeError(f"diff() compares results, not {given!r}; give what run() or an analysis returned, or the folder of a run")
    errors = given._errors if isinstance(given, Result) else _NONE
    return name, list(given.units.items()), given.table, errors


def diff(a: _Results, b: _Results, *, relative: float = 0.0, within_errors: bool = False) -> Difference:
    """How two results differ: which columns, by how much, since when. Each is a result or the folder of one. Rows are compared at the
    times that both have.

    By default values must be equal to the bit. ``relative`` allows a difference of that fraction of a column's range,
    ``within_errors`` the sum of the estimated errors of both.

    >>> print(tr.diff(m.run(), m.with_(L=0.31).run(), within_errors=True))
    """
    allowed = finite("relative", relative)
    if allowed < 0:
        raise ModelError(f"relative is {relative!r}; give 0 or more")
    text, figures = _core.difference(_table("a", a), _table("b", b), allowed, switch("within_errors", within_errors))
    return Difference(text, json.loads(figures))
