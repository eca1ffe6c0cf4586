"""How far a run is: a line on a terminal, one that is rewritten in a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .simulation import Simulation

_WAIT = 0.5  # s, before the first line: most runs are done by then
_EVERY = 0.1  # s, between two


def _notebook_line() -> Any:
    """A line of a notebook that can be rewritten; None elsewhere."""
    shell = sys.modules.get("IPython")
    if shell is None or shell.get_ipython() is None or not hasattr(shell.get_ipython(), "kernel"):
        return None
    from IPython.display import display  # type: ignore[import]

    return display({"text/plain": ""}, raw=True, display_id=True)


class Progress:
    """The bar of one run."""

    def __init__(self, simulation: Simulation) -> None:
        self._duration = simulation._core.duration()
        self._next = time.monotonic() + _WAIT
        self._line: Any = None
        self._drawn = False

    def show(self, t: float) -> bool:
        """Called with the time now and then."""
        now = time.monotonic()
        if now < self._next:
            return True
        self._next = now + _EVERY
        done = min(1.0, t / self._duration)
        text = f"[{'#' * int(40 * done):<40}] {100 * done:3.0f}%  " + (
            f"t = {t:.5g} s" if done < 1 else "checking by the second run"
        )
        if not self._drawn:
            self._line = _notebook_line()
            self._drawn = True
        if self._line is not None:
            self._line.update({"text/plain": text}, raw=True)
        elif sys.stderr is not None and sys.stderr.isatty():
            print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)
        return True

    def close(self) -> None:
        """Takes the line away."""
        if not self._drawn:
            return
        if self._line is not None:
            self._line.update({"text/plain": ""}, raw=True)
        elif sys.stderr is not None and sys.stderr.isatty():
            print(f"\r{'':78}\r", end="", file=sys.stderr, flush=True)
