"""Ctrl-C ends a run, which keeps its rows. A second one soon after ends the program around it too."""

from __future__ import annotations

import time

_SOON = 1.0  # s, from one Ctrl-C to the next
_last = float("-inf")


def stopped_a_run() -> None:
    """Called where Ctrl-C has ended a run; raises KeyboardInterrupt if it is the second within a second."""
    global _last
    before, _last = _last, time.monotonic()
    if _last - before < _SOON:
        raise KeyboardInterrupt("the second Ctrl-C within a second")
