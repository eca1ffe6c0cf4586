"""Source code for the steps of one mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import ModelError
from .model import Mechanism, check_mechanism

__all__ = ["Kernel"]


class Kernel:
    """Source code that makes the steps of one mechanism, as ``trammel export kernel`` writes it; docs/kernels.md describes its
    functions. ``Mechanism.kernel()`` makes one.

    >>> kernel = m.kernel(step=1e-3, others=[m.with_(L=0.4)])
    >>> open("crank.cpp", "w").write(kernel.text)
    >>> constants, state = kernel.instance(m.with_(L=0.35))
    """

    def __init__(self, mechanism: Mechanism, target: str, others: Sequence[Mechanism], options: Mapping[str, Any]) -> None:
        if target not in ("cpp", "cuda"):
            raise ModelError(f"target is {target!r}; give 'cpp' or 'cuda'")
        self._made = (mechanism, target, tuple(check_mechanism("kernel", other) for other in others), dict(options))
        self._core = _core.Kernel(mechanism._with_options(options), target, [other._core for other in self._made[2]])

    @property
    def text(self) -> str:
        """The source.

        >>> open("crank.cu", "w").write(m.kernel(target="cuda", step=1e-3).text)
        """
        return self._core.text

    @property
    def operations(self) -> int:
        """Operations in one iteration and both projections.

        >>> m.kernel(step=1e-3).operations
        """
        return self._core.operations

    @property
    def constants(self) -> int:
        """How many numbers of the model are inputs of each instance: those in which ``others`` differ.

        >>> m.kernel(step=1e-3).constants
        0
        """
        return self._core.constants

    def instance(self, mechanism: Mechanism) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Constants and assembled start of a model that differs from the kernel's in its inputs alone.

        >>> constants, state = m.kernel(step=1e-3, others=[m.with_(L=0.4)]).instance(m.with_(L=0.35))
        """
        return self._core.instance(check_mechanism("instance", mechanism)._core)

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, self._made

    def __repr__(self) -> str:
        return f"<Kernel of {self._made[0].name!r} for {self._made[1]}: {self.operations} operations, {self.constants} constants>"
