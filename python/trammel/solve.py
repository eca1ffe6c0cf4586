"""Analyses of a mechanism beside its motion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _core
from .model import Mechanism

__all__ = ["Stability", "stability"]


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
    text, figures = _core.stability(mechanism._with_options(options))
    return Stability(text, json.loads(figures)[0])
