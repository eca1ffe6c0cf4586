"""How far runs are: a line on a terminal, one that is rewritten in a notebook, nothing elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

_WAIT = 0.5  # s, before the first line: most runs are done by then
_EVERY = 0.1  # s, between two


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and shell.get_ipython() is not None and hasattr(shell.get_ipython(), "kernel")


def _notebook_line() -> Any:
    """A line of a notebook that can be rewritten; None elsewhere."""
    if not in_notebook():
        return None
    from IPython.display import display  # type: ignore[import]

    return display({"text/plain": ""}, raw=True, display_id=True)


def _on_terminal(text: str) -> None:
    """Puts a text into the present line of a terminal, in place of what is there; nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns - 1  # a line that is full would not be rewritten
    except OSError:  # of a terminal without a size
        width = 0
    if width > 0:
        text = text[:width]
    print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


class Progress:
    """A bar that is full at ``total``; ``text`` says what is done so far. Without a total there is the text alone."""

    def __init__(self, total: float | None, text: Callable[[float], str]) -> None:
        self._total = total
        self._text = text
        self._next = time.monotonic() + _WAIT
        self._line: Any = None
        self._drawn = False

    def show(self, reached: float) -> bool:
        """Called now and then."""
        now = time.monotonic()
        if now < self._next:
            return True
        self._next = now + _EVERY
        text = self._text(reached)
        if self._total is not None:
            done = min(1.0, reached / self._total)
            text = f"[{'#' * int(40 * done):<40}] {100 * done:3.0f}%  {text}"
        if not self._drawn:
            self._line = _notebook_line()
            self._drawn = True
        if self._line is not None:
            self._line.update({"text/plain": text}, raw=True)
        else:
            _on_terminal(text)
        return True

    def close(self) -> None:
        """Takes the line away."""
        if not self._drawn:
            return
        if self._line is not None:
            self._line.update({"text/plain": ""}, raw=True)
        else:
            _on_terminal("")


def of_run(end: float) -> Progress:
    """Of a run, whose second run follows at its end."""
    return Progress(end, lambda t: f"t = {t:.5g} s" if t < end else "checking by the second run")
