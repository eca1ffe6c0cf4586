"""Numbers that carry their derivatives, for forces and constraints written with NumPy.

A ``Dual`` is an array f with ∂f/∂p for k variables p along a first axis of its own. NumPy's functions act on it by
the chain rule, so that a function of arrays has exact derivatives without being changed:

    sin(f) → sin(f), cos(f) ∂f          f g → f g, g ∂f + f ∂g

Its parts may be Duals again: then second derivatives follow as well.

Where |x| = 0, the absolute value, the norm and hypot have derivatives from one side only. They are computed from both
sides: if those of the whole function agree, as for |x| x or |x|², they are its derivatives. The derivative of √f at f = 0
is infinite, or does not follow from that of f: it is NaN.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["Dual", "NotDifferentiable", "derivative", "second_derivative"]

_ONE = 1.0  # a slope that need not be multiplied with
_ROUNDING = 1e-9  # of derivatives from two sides that are one


class NotDifferentiable(Exception):
    """A function has no derivative at a place; the text is the function of NumPy that is the cause."""


class _Side(threading.local):
    """From which side derivatives are computed, and what has none there of its own."""

    sign = 1.0
    met = ""  # the first function that has derivatives from one side only
    root = False  # a root of zero was met


_side = _Side()


def _root_slope(f: Any) -> Any:
    """½/√f."""
    _side.root = _side.root or bool(np.any(value_of(f) == 0))
    return 0.5 / np.sqrt(f)


def _power_slope(x: Any, y: Any) -> Any:
    """y x^(y − 1); of a constant, y = 0, it is 0 also at x = 0."""
    if type(y) is Dual:
        return y * np.power(x, y - 1)  # type: ignore[operator]
    constant = np.equal(y, 0)
    return np.where(constant, 0.0, y * np.power(x, np.where(constant, 1.0, np.subtract(y, 1))))


def _log_slope(x: Any, y: Any) -> Any:
    positive = value_of(x) > 0
    return np.power(x, y) * np.log(np.where(positive, x, 1.0))


# The derivative by each argument.
_SLOPES: dict[Any, tuple[Callable[..., Any], ...]] = {
    np.add: (lambda x, y: _ONE, lambda x, y: _ONE),
    np.subtract: (lambda x, y: _ONE, lambda x, y: -1.0),
    np.multiply: (lambda x, y: y, lambda x, y: x),
    np.true_divide: (lambda x, y: 1.0 / y, lambda x, y: -x / (y * y)),
    np.power: (_power_slope, _log_slope),
    np.float_power: (_power_slope, _log_slope),
    np.arctan2: (lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y)),
    np.hypot: (lambda x, y: x / np.hypot(x, y), lambda x, y: y / np.hypot(x, y)),
    # Of the larger or smaller of two; where they are equal, of the first.
    np.maximum: (lambda x, y: np.where(value_of(x) >= value_of(y), 1.0, 0.0), lambda x, y: np.where(value_of(x) >= value_of(y), 0.0, 1.0)),
    np.minimum: (lambda x, y: np.where(value_of(x) <= value_of(y), 1.0, 0.0), lambda x, y: np.where(value_of(x) <= value_of(y), 0.0, 1.0)),
    np.heaviside: (lambda x, y: 0.0, lambda x, y: 0.0),
    np.negative: (lambda x: -1.0,),
    np.positive: (lambda x: _ONE,),
    np.absolute: (lambda x: np.sign(value_of(x)),),
    np.sign: (lambda x: 0.0,),
    np.floor: (lambda x: 0.0,),
    np.ceil: (lambda x: 0.0,),
    np.sin: (np.cos,),
    np.cos: (lambda x: -np.sin(x),),
    np.tan: (lambda x: 1 + np.tan(x) ** 2,),
    np.arcsin: (lambda x: 1 / np.sqrt(1 - x * x),),
    np.arccos: (lambda x: -1 / np.sqrt(1 - x * x),),
    np.arctan: (lambda x: 1 / (1 + x * x),),
    np.sinh: (np.cosh,),
    np.cosh: (np.sinh,),
    np.tanh: (lambda x: 1 - np.tanh(x) ** 2,),
    np.exp: (np.exp,),
    np.expm1: (np.exp,),
    np.log: (lambda x: 1 / x,),
    np.log10: (lambda x: 1 / (x * np.log(10.0)),),
    np.log1p: (lambda x: 1 / (1 + x),),
    np.sqrt: (_root_slope,),
    np.cbrt: (lambda x: 1 / (3 * np.cbrt(x) ** 2),),
    np.exp2: (lambda x: np.log(2.0) * np.exp2(x),),
    np.log2: (lambda x: 1 / (x * np.log(2.0)),),
    np.arcsinh: (lambda x: 1 / np.sqrt(x * x + 1),),
    np.arccosh: (lambda x: 1 / np.sqrt(x * x - 1),),
    np.arctanh: (lambda x: 1 / (1 - x * x),),
    np.degrees: (lambda x: 180 / np.pi,),
    np.rad2deg: (lambda x: 180 / np.pi,),
    np.radians: (lambda x: np.pi / 180,),
    np.deg2rad: (lambda x: np.pi / 180,),
    np.remainder: (lambda x, y: _ONE, lambda x, y: -np.floor(x / y)),
    np.square: (lambda x: 2 * x,),
    np.reciprocal: (lambda x: -1 / (x * x),),
}
# Those that look at values alone.
_COMPARISONS = {
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
    np.isfinite, np.isnan, np.isinf, np.signbit, np.logical_not, np.logical_and, np.logical_or,
}  # fmt: skip


def value_of(x: Any) -> Any:
    """The number itself, without derivatives."""
    while isinstance(x, Dual):
        x = x.f
    return x


class Dual:
    """An array with derivatives. Functions of NumPy take it; see the module.

    >>> x = Dual(np.array([1.0, 2.0]), np.eye(2))
    >>> (x[0] * np.sin(x[1])).d
    """

    __slots__ = ("d", "f")
    __array_priority__ = 1000.0

    def __init__(self, f: Any, d: Any) -> None:
        self.f = f  # shape S
        self.d = d  # shape (k,) + S

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the value."""
        return self.f.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of axes of the value."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape))

    @property
    def T(self) -> Dual:
        """Its transpose."""
        return self.transpose()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs and ufunc in _SLOPES:
            return _applied(ufunc, *inputs)
        name = ufunc.__name__ + ("" if method == "__call__" else "." + method)
        if method == "reduce" and ufunc in REDUCTIONS:
            return _called(name, REDUCTIONS[ufunc], inputs, {"axis": 0, **kwargs})
        if method != "__call__" or (ufunc not in _SLOPES and ufunc not in _COMPARISONS and ufunc is not np.matmul):
            raise TypeError(f"no derivative of NumPy's {name} is known")
        if ufunc in _COMPARISONS:
            return ufunc(*[value_of(x) for x in inputs], **kwargs)
        if ufunc is np.matmul:
            return _called(name, _matmul, inputs, kwargs)
        return _called(name, functools.partial(_applied, ufunc), inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func not in _FUNCTIONS:
            raise TypeError(f"no derivative of NumPy's {func.__name__} is known")
        return _called(func.__name__, _FUNCTIONS[func], args, kwargs)

    def __getitem__(self, index: Any) -> Dual:
        parts = index if isinstance(index, tuple) else (index,)
        return Dual(self.f[index], self.d[(slice(None), *parts)])

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a number has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Dual]:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        return bool(value_of(self))

    def __float__(self) -> float:
        raise TypeError("a number with derivatives cannot become a plain one; use NumPy's functions instead of math's")

    def __repr__(self) -> str:
        return f"Dual({self.f!r}, {self.d!r})"

    def sum(self, axis: Any = None, **more: Any) -> Any:
        """As NumPy's."""
        if more or isinstance(axis, tuple):
            return _called("sum", REDUCTIONS[np.add], (self,), {"axis": axis, **more})
        if axis is None:
            return self.reshape(-1).sum(0) if self.ndim else self
        at = axis % self.ndim
        return Dual(self.f.sum(axis=at), self.d.sum(axis=at + 1))

    def mean(self, axis: Any = None, **more: Any) -> Any:
        """As NumPy's."""
        return _called("mean", _FUNCTIONS[np.mean], (self,), {"axis": axis, **more})

    def max(self, axis: Any = None, **more: Any) -> Any:
        """As NumPy's."""
        return _called("max", REDUCTIONS[np.maximum], (self,), {"axis": axis, **more})

    def min(self, axis: Any = None, **more: Any) -> Any:
        """As NumPy's."""
        return _called("min", REDUCTIONS[np.minimum], (self,), {"axis": axis, **more})

    def prod(self, axis: Any = None, **more: Any) -> Any:
        """As NumPy's."""
        return _called("prod", REDUCTIONS[np.multiply], (self,), {"axis": axis, **more})

    def dot(self, other: Any) -> Any:
        """As NumPy's."""
        return _dot(self, other)

    def reshape(self, *shape: Any) -> Dual:
        """As NumPy's."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        full = np.empty(self.shape).reshape(wanted).shape
        return Dual(self.f.reshape(full), self.d.reshape((self.d.shape[0], *full)))

    def ravel(self) -> Dual:
        """As NumPy's."""
        return self.reshape(-1)

    def flatten(self) -> Dual:
        """As NumPy's."""
        return self.reshape(-1)

    def transpose(self) -> Dual:
        """As NumPy's, without arguments."""
        axes = list(range(self.ndim))[::-1]
        return Dual(np.transpose(self.f), _moved(self.d, [0, *(at + 1 for at in axes)]))

    def copy(self) -> Dual:
        """Itself: it does not change."""
        return self


def _called(name: str, rule: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """A function's rule with NumPy's arguments. One that the rule does not have is refused unless it says nothing."""
    code = getattr(rule, "__code__", None)
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code is not None else ()
    given = {}
    for key, value in kwargs.items():
        if key in known:
            given[key] = value
        elif value is not None and not (key == "where" and value is True) and not (key == "dtype" and value in (float, np.float64)):
            raise TypeError(f"no derivative of NumPy's {name} with {key}= is known")
    return rule(*args, **given)


def _moved(x: Any, axes: list[int]) -> Any:
    if isinstance(x, Dual):
        return Dual(_moved(x.f, axes), _moved(x.d, [0, *(at + 1 for at in axes)]))
    return np.transpose(x, axes)


def raised(d: Any, ndim: int, wanted: int) -> Any:
    """Derivatives of an array of ``ndim`` axes, beside one of so many."""
    return d if wanted <= ndim else d.reshape((d.shape[0],) + (1,) * (wanted - ndim) + d.shape[1:])


def broadcast(d: Any, shape: tuple[int, ...]) -> Any:
    """An array of that shape. Duals have no writable parts."""
    if isinstance(d, Dual):
        inner = d.d.reshape((d.d.shape[0],) + (1,) * (len(shape) - d.ndim) + d.d.shape[1:])
        return Dual(broadcast(d.f, shape), broadcast(inner, (d.d.shape[0], *shape)))
    return np.broadcast_to(d, shape)


def _applied(ufunc: Any, *inputs: Any) -> Dual:
    """A function of NumPy by the chain rule."""
    inputs = tuple([x if isinstance(x, (Dual, float, int)) else _gathered(x) for x in inputs])
    if ufunc in _SIZES and np.any(ufunc(*[value_of(x) for x in inputs]) == 0):
        shape = np.broadcast_shapes(*(np.shape(value_of(x)) for x in inputs))
        return _size(_stack([broadcast(x, shape) for x in inputs]), 0, _SIZES[ufunc])  # type: ignore[no-any-return]
    values = [x.f if isinstance(x, Dual) else x for x in inputs]
    f = ufunc(*values)
    d: Any = None
    for x, slope in zip(inputs, _SLOPES[ufunc]):
        if isinstance(x, Dual):
            by_x, k = raised(x.d, len(x.f.shape), len(f.shape)), slope(*values)
            part = by_x if k is _ONE else k * by_x
            d = part if d is None else d + part
    if d.shape[1:] != f.shape:
        d = broadcast(d, (d.shape[0], *f.shape))
    return Dual(f, d)


def _operator(ufunc: Any, swapped: bool = False) -> Callable[[Dual, Any], Any]:
    if ufunc not in _SLOPES:
        return (lambda self, other: ufunc(other, self)) if swapped else (lambda self, other: ufunc(self, other))
    return (lambda self, other: _applied(ufunc, other, self)) if swapped else (lambda self, other: _applied(ufunc, self, other))


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "pow": np.power, "mod": np.remainder,
    "matmul": np.matmul,
}.items():  # fmt: skip
    setattr(Dual, f"__{_name}__", _operator(_ufunc))
    setattr(Dual, f"__r{_name}__", _operator(_ufunc, True))
for _name, _ufunc in {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}.items():  # fmt: skip
    setattr(Dual, f"__{_name}__", _operator(_ufunc))
for _name, _ufunc in {"neg": np.negative, "pos": np.positive, "abs": np.absolute}.items():
    setattr(Dual, f"__{_name}__", lambda self, ufunc=_ufunc: ufunc(self))
# For arrays of objects, whose functions NumPy calls as methods of these.
for _function in _SLOPES:
    if _function.nin == 1:
        setattr(Dual, _function.__name__, lambda self, ufunc=_function: ufunc(self))


def _matmul(a: Any, b: Any) -> Any:
    if np.ndim(b) == 1:
        return (a * b).sum(-1)
    if np.ndim(a) == 1:
        return (a[..., None] * b).sum(-2)
    return (a[..., :, :, None] * b[..., None, :, :]).sum(-2)


def _dot(a: Any, b: Any) -> Any:
    return a * b if not np.ndim(a) or not np.ndim(b) else _matmul(a, b)


# Norms of vectors of one and of two components.
_SIZES = {np.absolute: "abs", np.hypot: "hypot"}


def _size(x: Any, axis: int, name: str) -> Any:
    """|x| along an axis. With x = x' s + ½ x'' s² it is u·x for s → 0, where u has the direction of x' s, or of x''."""
    squares = (x * x).sum(axis)
    zero = value_of(squares) == 0
    if not np.any(zero):
        return np.sqrt(squares)
    _side.met = _side.met or name
    if not isinstance(x.f, Dual):
        at_zero = Dual(np.zeros(zero.shape), _side.sign * np.sqrt((x.d * x.d).sum(axis + 1)))
    else:
        if len(x.d) != 1 or isinstance(x.f.f, Dual):
            raise TypeError("no third derivative is known")
        first, second = x.f.d[0], x.d.d[0, 0]
        way = np.where((first != 0).any(axis, keepdims=True), _side.sign * first, second)
        length = np.sqrt((way * way).sum(axis, keepdims=True))
        at_zero = (x * (way / np.where(length == 0, 1.0, length))).sum(axis)
    return _where(zero, at_zero, np.sqrt(_where(zero, 1.0, squares)))


def _norm(x: Any, ord: Any = None, axis: int | None = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and axis is None and x.ndim != 1):
        raise TypeError("no derivative of this norm is known")
    size = _size(x.reshape(-1), 0, "norm") if axis is None else _size(x, axis % x.ndim, "norm")
    if not keepdims:
        return size
    return size[..., None] if axis in (-1, x.ndim - 1) else size.reshape(np.sum(value_of(x), axis=axis, keepdims=True).shape)


def _where(condition: Any, x: Any, y: Any) -> Any:
    shape = np.broadcast_shapes(np.shape(value_of(condition)), np.shape(value_of(x)), np.shape(value_of(y)))
    return _selected(np.broadcast_to(value_of(condition), shape), x, y)


def _selected(chosen: Any, x: Any, y: Any) -> Any:
    if not isinstance(x, Dual) and not isinstance(y, Dual):
        return np.where(chosen, x, y)

    def parts(z: Any) -> tuple[Any, Any]:
        return (z.f, raised(z.d, z.ndim, chosen.ndim)) if isinstance(z, Dual) else (z, 0.0)

    (xf, xd), (yf, yd) = parts(x), parts(y)
    return Dual(_selected(chosen, xf, yf), _selected(chosen, xd, yd))


def _stack(arrays: Any, axis: int = 0) -> Any:
    arrays = list(arrays)
    ndim = np.ndim(value_of(arrays[0]))
    at = axis % (ndim + 1)
    dual = next((x for x in arrays if isinstance(x, Dual)), None)
    if dual is None:
        return np.stack(arrays, axis=at)
    k = dual.d.shape[0]
    parts = [(x.f, x.d) if isinstance(x, Dual) else (x, np.zeros((k, *np.shape(x)))) for x in arrays]
    return Dual(_stack([f for f, _ in parts], at), _stack([d for _, d in parts], at + 1))


def _concatenate(arrays: Any, axis: int = 0) -> Any:
    return _stack([piece for array in arrays for piece in pieces(array, axis)], axis)


def pieces(x: Any, axis: int) -> list[Any]:
    at = axis % np.ndim(value_of(x))
    return [x[(slice(None),) * at + (k,)] for k in range(np.shape(value_of(x))[at])]


def _cross(a: Any, b: Any, axis: int = -1) -> Any:
    if axis != -1:
        raise TypeError("no derivative of this cross product is known; let the last axis have the components")
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return _stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)


def _inner(a: Any, b: Any) -> Any:
    if np.ndim(a) > 1 and np.ndim(b) > 1:
        raise TypeError("no derivative of this inner product is known; use einsum")
    return (a * b).sum(-1)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.dot: _dot,
    np.inner: _inner,
    np.vdot: lambda a, b: (a * b).sum(),
    np.cross: _cross,
    np.linalg.norm: _norm,
    np.where: _where,
    np.stack: _stack,
    np.concatenate: _concatenate,
    np.hstack: lambda arrays: _concatenate(arrays, 0 if np.ndim(value_of(arrays[0])) == 1 else 1),
    np.vstack: lambda arrays: _stack(arrays) if np.ndim(value_of(arrays[0])) == 1 else _concatenate(arrays, 0),
    np.zeros_like: lambda a: np.zeros(a.shape),
    np.ones_like: lambda a: np.ones(a.shape),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x: x.size,
    np.ravel: lambda x: x.ravel(),
    np.reshape: lambda x, shape: x.reshape(shape),
    np.transpose: lambda a: a.transpose(),
}


def _gathered(x: Any) -> Any:
    """One Dual of a list, a tuple or an array of objects that holds some."""
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x
    if isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.ndim):
        return _stack([_gathered(part) for part in x])
    return x if isinstance(x, Dual) else np.float64(x.item() if isinstance(x, np.ndarray) else x)


@functools.lru_cache(maxsize=64)
def _seeds(*shapes: tuple[int, ...]) -> list[Any]:
    """The derivatives of arguments of these shapes by all their entries."""
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    unit = np.eye(ends[-1])
    return [unit[:, a:b].reshape((len(unit), *shape)) for a, b, shape in zip(ends, ends[1:], shapes)]


def _from_both_sides(compute: Callable[[], Any]) -> tuple[Any, Any, str]:
    """What ``compute`` gives from the right and from the left; a function of NumPy that has no derivative there of its own."""
    _side.sign, _side.met, _side.root = 1.0, "", False
    with np.errstate(divide="ignore", invalid="ignore"):
        right = left = _gathered(compute())
        if _side.met:
            _side.sign = -1.0
            try:
                left = _gathered(compute())
            finally:
                _side.sign = 1.0
    return right, left, _side.met or ("sqrt" if _side.root else "")


def _agreed(right: Any, left: Any, met: str, average: bool = False) -> Any:
    """A derivative from both sides as one."""
    if not met:
        return right
    if met == "sqrt" or _side.root:
        if not (np.isfinite(right).all() and np.isfinite(left).all()):
            raise NotDifferentiable("sqrt")
    size = np.abs(right).max(initial=0.0)
    if average or np.abs(right - left).max(initial=0.0) <= _ROUNDING * size:
        return (right + left) / 2
    raise NotDifferentiable(met)


def derivative(function: Callable[..., Any], *arguments: Any, average: bool = False) -> tuple[Any, list[Any]]:
    """What a function gives, and its derivatives by each argument, a number or an array: of the result's shape and
    that of the argument together. Where those from the two sides differ, there is none, or with ``average`` their mean.

    >>> derivative(lambda x: x[0] * x[1], np.array([2.0, 3.0]))
    (6.0, [array([3., 2.])])
    """
    values = [np.asarray(x, dtype=np.float64) for x in arguments]
    duals = list(map(Dual, values, _seeds(*(x.shape for x in values))))
    out, left, met = _from_both_sides(lambda: function(*duals))
    if not isinstance(out, Dual):  # it does not depend on them
        return out, [np.zeros(np.shape(out) + x.shape) for x in values]
    d = _agreed(out.d, left.d, met, average)
    parts, at = [], 0
    for x in values:
        parts.append(d[at : at + x.size].reshape(x.size, -1).T.reshape(out.shape + x.shape))
        at += x.size
    return out.f, parts


def second_derivative(function: Callable[..., Any], arguments: list[Any], directions: list[Any]) -> Any:
    """d²/ds² of function(x + s d, …) at s = 0.

    >>> second_derivative(lambda x: x ** 3, [2.0], [1.0])
    12.0
    """

    def along(x: Any, d: Any) -> Dual:
        value, way = np.asarray(x, dtype=np.float64), np.asarray(d, dtype=np.float64)[None]
        return Dual(Dual(value, way), Dual(way, np.zeros((1, *way.shape))))

    duals = [along(x, d) for x, d in zip(arguments, directions)]
    out, left, met = _from_both_sides(lambda: function(*duals))
    if not isinstance(out, Dual) or not isinstance(out.d, Dual):
        return np.zeros(np.shape(value_of(out)))
    _agreed(out.f.d, left.f.d, met)
    return _agreed(out.d.d, left.d.d, met)[0, 0]


# At the end: its functions are made of what stands above.
from .dual_arrays import FUNCTIONS, REDUCTIONS  # noqa: E402

_FUNCTIONS.update(FUNCTIONS)
