"""NumPy's functions of whole arrays on dual numbers: sums, extremes, products, shapes, linear equations.

Each is written by indexing and arithmetic, which have derivatives already, or by its own rule:

    x = A⁻¹ b → ∂x = A⁻¹ (∂b − ∂A x)          Σ a_i b_i → Σ (∂a_i b_i + a_i ∂b_i)

Arguments are named as NumPy's. An argument that a function here does not have is refused (``Dual.__array_function__``).
"""

from __future__ import annotations

import functools
import string
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dual
from .dual import Dual

__all__ = ["FUNCTIONS", "REDUCTIONS"]


def _line(x: Any, axis: int | None) -> tuple[Any, int]:
    """An array and the axis that a function goes along; none: it goes along all of them."""
    return (np.ravel(x), 0) if axis is None else (x, axis % np.ndim(x))


def _kept(found: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """With the axes that were reduced, of length one."""
    gone = range(len(shape)) if axis is None else [at % len(shape) for at in np.atleast_1d(axis)]
    return np.reshape(found, tuple(1 if at in gone else size for at, size in enumerate(shape)))


def _sum(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None) -> Any:
    x = a if where is None else np.where(where, a, 0.0)
    if isinstance(axis, tuple):
        found = x
        for at in sorted((k % x.ndim for k in axis), reverse=True):
            found = found.sum(at)
    else:
        found = x.sum(axis)
    found = found if initial is None else found + initial
    return _kept(found, x.shape, axis) if keepdims else found


def _mean(a: Any, axis: Any = None, keepdims: bool = False, where: Any = None) -> Any:
    counted = np.ones(a.shape) if where is None else np.broadcast_to(dual.value_of(where), a.shape) * 1.0
    count = np.sum(counted, axis=axis, keepdims=keepdims)
    return _sum(a, axis, keepdims, where=where) / count


def _folded(two: Callable[[Any, Any], Any], a: Any, axis: int | None, keepdims: bool, initial: Any) -> Any:
    if isinstance(axis, tuple):
        raise TypeError("no derivative along several axes is known; give one axis")
    x, at = _line(a, axis)
    pieces = dual.pieces(x, at)
    found = functools.reduce(two, pieces if initial is None else [initial, *pieces])
    return _kept(found, a.shape, axis) if keepdims else found


def _prod(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None) -> Any:
    return _folded(np.multiply, a if where is None else np.where(where, a, 1.0), axis, keepdims, initial)


def _max(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None) -> Any:
    return _folded(np.maximum, a if where is None else np.where(where, a, -np.inf), axis, keepdims, initial)


def _min(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None) -> Any:
    return _folded(np.minimum, a if where is None else np.where(where, a, np.inf), axis, keepdims, initial)


def _cumsum(a: Any, axis: int | None = None) -> Any:
    x, at = _line(a, axis)
    sums: list[Any] = []
    for piece in dual.pieces(x, at):
        sums.append(sums[-1] + piece if sums else piece)
    return np.stack(sums, axis=at)


def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    for _ in range(n):
        before = (slice(None),) * (axis % a.ndim)
        a = a[(*before, slice(1, None))] - a[(*before, slice(None, -1))]
    return a


def _roll(a: Any, shift: int, axis: int | None = None) -> Any:
    x, at = _line(a, axis)
    return x[(slice(None),) * at + (np.roll(np.arange(x.shape[at]), shift),)].reshape(a.shape)


def _flip(m: Any, axis: int | None = None) -> Any:
    turned = range(m.ndim) if axis is None else (axis % m.ndim,)
    return m[tuple(slice(None, None, -1 if at in turned else 1) for at in range(m.ndim))]


def _outer(a: Any, b: Any) -> Any:
    return np.ravel(a)[:, None] * np.ravel(b)[None, :]


def _trace(a: Any) -> Any:
    if a.ndim != 2:
        raise TypeError("no derivative of the trace of several matrices is known; give one matrix")
    at = np.arange(min(a.shape))
    return a[at, at].sum(0)


def _einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    if not isinstance(subscripts, str) or "." in subscripts:
        raise TypeError("no derivative of this einsum is known; give subscripts as a text, without an ellipsis")
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    if not arrow:
        right = "".join(sorted(letter for letter in set(left) - {","} if left.count(letter) == 1))
    terms = left.split(",")
    by = next(letter for letter in string.ascii_letters if letter not in left)  # numbers the variables
    values = [x.f if isinstance(x, Dual) else x for x in operands]
    d: Any = None
    for k, x in enumerate(operands):
        if isinstance(x, Dual):
            inputs = ",".join([*terms[:k], by + terms[k], *terms[k + 1 :]])
            part = np.einsum(f"{inputs}->{by}{right}", *values[:k], x.d, *values[k + 1 :])
            d = part if d is None else d + part
    return Dual(np.einsum(f"{left}->{right}", *values), d)


def _interp(x: Any, xp: Any, fp: Any) -> Any:
    if isinstance(xp, Dual) or isinstance(fp, Dual) or not isinstance(x, Dual):
        raise TypeError("no derivative of interp by its table is known")
    at, values = np.asarray(xp, dtype=np.float64), np.asarray(fp, dtype=np.float64)
    # Level before the first and after the last place.
    slopes = np.concatenate([[0.0], np.diff(values) / np.diff(at), [0.0]])
    segment = np.searchsorted(at, dual.value_of(x), side="right")
    from_ = np.maximum(segment - 1, 0)
    return values[from_] + slopes[segment] * (x - at[from_])


def _polyval(p: Any, x: Any) -> Any:
    return functools.reduce(lambda y, coefficient: y * x + coefficient, p, 0.0 * x)


def _solve(a: Any, b: Any) -> Any:
    if np.ndim(b) == np.ndim(a) - 1:
        return np.linalg.solve(a, b[..., None])[..., 0]
    af, bf = (z.f if isinstance(z, Dual) else z for z in (a, b))
    x = np.linalg.solve(af, bf)
    rest: Any = 0.0
    if isinstance(b, Dual):
        rest = dual.raised(b.d, b.ndim, np.ndim(x))
    if isinstance(a, Dual):
        rest = rest - np.matmul(dual.raised(a.d, a.ndim, np.ndim(x)), x)
    return Dual(x, np.linalg.solve(af, rest))


def _inv(a: Any) -> Any:
    return _solve(a, np.eye(a.shape[-1]))


def _squeeze(a: Any, axis: Any = None) -> Any:
    return a.reshape(np.squeeze(np.empty(a.shape), axis).shape)


def _clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    above = a if a_min is None else np.maximum(a, a_min)
    return above if a_max is None else np.minimum(above, a_max)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _sum,
    np.mean: _mean,
    np.prod: _prod,
    np.max: _max,
    np.amax: _max,
    np.min: _min,
    np.amin: _min,
    np.cumsum: _cumsum,
    np.diff: _diff,
    np.roll: _roll,
    np.flip: _flip,
    np.outer: _outer,
    np.trace: _trace,
    np.einsum: _einsum,
    np.interp: _interp,
    np.polyval: _polyval,
    np.linalg.solve: _solve,
    np.linalg.inv: _inv,
    np.squeeze: _squeeze,
    np.broadcast_to: lambda array, shape: dual.broadcast(array, shape),
    np.clip: _clip,
    np.copy: lambda a: a,
    np.argmax: lambda a, axis=None: np.argmax(dual.value_of(a), axis=axis),
    np.argmin: lambda a, axis=None: np.argmin(dual.value_of(a), axis=axis),
}
# By the function of two that they repeat.
REDUCTIONS: dict[Any, Callable[..., Any]] = {np.add: _sum, np.multiply: _prod, np.maximum: _max, np.minimum: _min}
