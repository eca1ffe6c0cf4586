"""Robots and machines from URDF, MJCF and SDF files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from os import PathLike, fsdecode
from pathlib import Path

from . import _core
from .errors import ModelError
from .given import switch
from .model import Mechanism, accepted, check_readable

__all__ = ["Imported", "LedgerEntry", "import_model"]

_MOVED = 1e-12  # m: rounding of the places in a file moves a start by less


@dataclass(frozen=True)
class LedgerEntry:
    """What became of an element or attribute of a file.

    ``outcome`` is ``used``, ``drawn`` (without influence on the motion), ``ignored`` or ``refused``; ``reason`` says why, or what the
    element became. ``matters`` is true if it is left out and the motion could be another with it.

    >>> [(entry.line, entry.element) for entry in tr.import_model("robot.urdf").ledger if entry.matters]
    """

    element: str
    file: str
    line: int
    outcome: str
    reason: str
    matters: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.element}: {self.outcome}" + (f": {self.reason}" if self.reason else "")


class Imported:
    """What ``import_model()`` has made of a file, and how it treated each element and attribute.

    ``ledger`` has the entries in the order of the file, ``notes`` what is left out and affects the motion. ``largest_move`` is how far
    assembly moves the start to close the loops, m; ``failure`` says why it cannot.

    >>> robot = tr.import_model("robot.urdf", base="free")
    >>> robot.mechanism.run(duration=1)
    >>> [str(entry) for entry in robot.ledger if entry.outcome == "ignored"]
    """

    def __init__(self, path: str, base: str, strict: bool, accept_inertia: bool, loops: str) -> None:
        self._given = (path, base, strict, accept_inertia, loops)
        (core, problems), _, ledger, notes, (move, failure) = _core.import_model(*self._given, "")
        self.ledger: list[LedgerEntry] = [LedgerEntry(*entry) for entry in ledger]
        self.notes: list[str] = notes
        self.largest_move: float = move
        self.failure: str = failure
        self._error = ModelError.of(problems) if core is None else None
        self._mechanism = Mechanism.of(core, path) if core is not None else None
        if self._error and not self.ledger:  # nothing could be read
            raise self._error

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism; a ``ModelError`` says why a file is refused.

        >>> tr.import_model("robot.urdf", strict=True).mechanism.check()
        """
        if self._mechanism is None:
            assert self._error is not None
            raise self._error
        return self._mechanism

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the model file. It names meshes relative to its own folder.

        >>> tr.import_model("robot.urdf").save("robot.yaml")
        """
        assert self.mechanism
        out = Path(path)
        out.write_text(_core.import_model(*self._given, str(out.absolute().parent))[1])
        return out

    def __repr__(self) -> str:
        counts = Counter(entry.outcome for entry in self.ledger)
        told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("used", "drawn", "ignored", "refused") if counts[outcome])
        lines = [f"{self._given[0]}: elements and attributes: {told}", *self.notes]
        if self._error is not None:
            lines.append(str(self._error))
        elif self.failure:
            lines.append(f"the start cannot be assembled: {self.failure}")
        elif self.largest_move > _MOVED:
            lines.append(f"assembly moves the start by at most {self.largest_move:.3g} m")
        return "\n".join(lines)


def import_model(
    path: str | PathLike[str],
    *,
    base: str = "as in file",
    strict: bool = False,
    accept_inertia: bool = False,
    loops: str | PathLike[str] = "",
) -> Imported:
    """Reads a URDF, MJCF or SDF file and lists how each element was treated; ``tr.load()`` reads such files too, with the
    defaults of these options.

    ``base`` is ``"fixed"`` if the root is fixed to ground, ``"free"`` if it floats. ``strict`` refuses the file if an ignored element
    affects the motion. ``accept_inertia`` replaces physically impossible inertias by the nearest possible ones. ``loops`` is the
    side file of a URDF file with ``closed_loop`` (default: the .yaml file beside it).

    >>> print(tr.import_model("robot.urdf", strict=True))
    """
    file, side = check_readable(path), fsdecode(loops)
    if base not in ("as in file", "fixed", "free"):
        raise ModelError(f"base is {base!r}; give 'fixed' or 'free', or leave it out")
    if side:
        check_readable(side)
    return Imported(file, base, switch("strict", strict), switch("accept_inertia", accept_inertia), side)
