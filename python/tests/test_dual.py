"""Derivatives of NumPy's functions by dual numbers, against differences."""

from typing import Any, Callable

import numpy as np
import pytest

from trammel.dual import Dual, NotDifferentiable, derivative, second_derivative

X = np.array([[0.3, -0.4, 0.5], [0.7, 0.2, -0.6]])
A = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.1], [2.0, 0.3, 1.0]])

B = 3 * np.eye(3) + 0.2 * A
ODD = np.array([True, False, True])

# Each with arguments of its own in (−1, 1).
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: (2 * x + 1 - x / 3) * x - 1 / (2 + x) + (-x),
    "powers": lambda x: x**2 + (2 + x) ** -1.5 + 2.0**x + (2 + x) ** x,
    "trigonometry": lambda x: np.sin(x) * np.cos(2 * x) + np.tan(x) + np.arctan2(x, 1 + x * x),
    "inverses": lambda x: np.arcsin(x) + np.arccos(x) + np.arctan(x),
    "hyperbolic": lambda x: np.tanh(3 * x) + np.sinh(x) * np.cosh(x),
    "exponentials": lambda x: np.exp(x) + np.log(2 + x) + np.log10(2 + x) + np.log1p(x) + np.expm1(x) + np.sqrt(2 + x),
    "kinks": lambda x: np.abs(x) + np.maximum(x, 0.1) * np.minimum(x, -x) + np.where(x > 0, x * x, 3 * x) + np.clip(x, -0.5, 0.45),
    "sizes": lambda x: np.linalg.norm(x) + np.linalg.norm(x, axis=1)[:, None] * x + np.linalg.norm(x, axis=1, keepdims=True),
    "products": lambda x: x @ A + np.dot(x, A) + (A @ x[0]) + np.cross(x, np.ones(3)) + np.hypot(x, 2 - x),
    "sums": lambda x: x.sum() * x + np.sum(x, axis=0) + x.mean(axis=1)[:, None] + np.mean(x) + (x[0] @ x[1]),
    "shapes": lambda x: x.T.reshape(2, 3) + np.stack([x[1], x[0]]) + np.concatenate([x[1:], x[:1]]) + x.ravel()[::-1].reshape(2, 3),
    "sums in part": lambda x: np.sum(x, where=x > 0.25) * x + np.sum(x * x, axis=0, initial=2.0, where=ODD) + np.add.reduce(x, axis=1, keepdims=True),
    "means": lambda x: np.mean(x, axis=1, keepdims=True, where=ODD) + x.mean(0) * x.mean() + np.sum(x, axis=(0, 1), keepdims=True),
    "extremes": lambda x: np.max(x) * x + np.min(x * x, axis=0) + x.max(axis=1, keepdims=True) + np.max(x, initial=0.6) + x.min(0, initial=0, where=ODD),
    "factors": lambda x: np.prod(1 + x) * x + np.prod(x, axis=0) + np.prod(x, axis=1, keepdims=True, where=ODD, initial=3.0) + np.multiply.reduce(x, axis=0),
    "rows": lambda x: np.diff(x * x, axis=0) + np.diff(x.ravel(), 3) + np.roll(x, 1, axis=1) * np.roll(x, -2) + np.cumsum(x, axis=1) + np.flip(x, 0) * np.flip(x),
    "tensors": lambda x: np.einsum("ij,jk->ik", x, A) + np.einsum("ij,kj", x, A) * np.einsum("ij,ij->i", x, x)[:, None] + np.outer(x[:, 0], x[0]) + np.trace(x @ x.T),
    "equations": lambda x: np.linalg.solve(B + np.outer(x[0], x[1]), x.T).T + np.linalg.solve(A, x[0]) + x @ np.linalg.inv(B + np.outer(x[1], x[1])),
    "tables": lambda x: np.interp(x, [-0.5, 0.0, 0.25, 0.65], [1.0, 2.0, 0.0, 4.0]) + np.polyval([1.0, -2.0, 3.0], x) + np.clip(x, a_min=None, a_max=0.45),
    "more functions": lambda x: np.cbrt(2 + x) + np.exp2(x) + np.log2(2 + x) + np.arcsinh(x) + np.arccosh(2 + x) + np.arctanh(x) + np.radians(x) * np.degrees(x),
    "remainders": lambda x: (4.3 * x) % 1.0 + np.mod(x, 0.35 + x * x) + x[0][np.argmax(x[0])] + np.squeeze(x[None]) + np.broadcast_to(x[1], (2, 3)) + x.flatten()[0],
    "lists": lambda x: [[x[0, 0] * x[1, 1], 0.0, 1.0], [x[0, 1], 2.0, np.sin(x[1, 2])]],
    "arrays": lambda x: np.array([[x[0, 0] * x[1, 1], 0.0, x[0, 2]], [x[0, 1], 2.0, np.exp(x[1, 2])]]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_derivatives(name: str) -> None:
    f = FUNCTIONS[name]
    value, (d,) = derivative(f, X)
    np.testing.assert_allclose(value, np.asarray(f(X), dtype=float), rtol=1e-14)
    h = 1e-5
    for i in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[i] = h
        by_differences = (np.asarray(f(X + step), dtype=float) - np.asarray(f(X - step), dtype=float)) / (2 * h)
        np.testing.assert_allclose(d[(..., *i)], by_differences, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_along_a_way(name: str) -> None:
    f, way, h = FUNCTIONS[name], np.array([[1.0, 0.5, -2.0], [0.3, 1.1, 0.7]]), 1e-4
    at = [np.asarray(f(X + s * h * way), dtype=float) for s in (-2, -1, 0, 1, 2)]
    by_differences = (16 * (at[1] + at[3]) - (at[0] + at[4]) - 30 * at[2]) / (12 * h * h)
    np.testing.assert_allclose(second_derivative(f, [X], [way]), by_differences, rtol=1e-6, atol=1e-6)


def test_several_arguments_have_derivatives_of_their_own() -> None:
    value, (by_t, by_x) = derivative(lambda t, x: t * x[0] + x[1] ** 2, 2.0, np.array([3.0, 4.0]))
    assert value == 22 and by_t == 3
    np.testing.assert_array_equal(by_x, [2, 8])


def test_the_size_of_nothing_has_no_slope() -> None:
    # −|v| v, as drag has it, is smooth at rest.
    _, (d,) = derivative(lambda v: -np.linalg.norm(v) * v, np.zeros((1, 3)))
    np.testing.assert_array_equal(d, np.zeros((1, 3, 1, 3)))


SIZES = {
    "abs": lambda x: np.abs(x[0]),
    "norm": lambda x: np.linalg.norm(x[:1]),
    "hypot": lambda x: np.hypot(x[0], 0.0),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_have_derivatives_at_zero_where_the_whole_is_smooth(name: str) -> None:
    size = SIZES[name]
    at = np.array([0.0, 0.7])
    _, (d,) = derivative(lambda x: x[1] - size(x) ** 2 + size(x) * x[1] ** 0 * x[0], at)
    np.testing.assert_array_equal(d, [0, 1])
    # d²/ds² of −(3 s)² is −18.
    assert second_derivative(lambda x: x[1] - size(x) ** 2, [at], [np.array([3.0, 5.0])]) == -18
    # |x| alone has none, and |x| x no second one.
    with pytest.raises(NotDifferentiable, match=name):
        derivative(size, at)
    with pytest.raises(NotDifferentiable, match=name):
        second_derivative(lambda x: size(x) * x[0], [at], [np.array([3.0, 5.0])])
    _, (d,) = derivative(size, at, average=True)
    np.testing.assert_array_equal(d, [0, 0])


def test_a_curved_way_through_zero() -> None:
    # With x = s + ½ s² · 4, |x|² = s² + 4 s³ + … and |x| (1 + s) − x (1 + s) = 0 for s > 0.
    way = [np.array(0.0)], [np.array(1.0)]
    assert second_derivative(lambda s: np.abs(s + 2 * s * s) ** 2, *way) == 2
    assert second_derivative(lambda s: np.linalg.norm(np.stack([s * s, 2 * s * s])), *way) == pytest.approx(2 * np.sqrt(5), rel=1e-15)


def test_the_root_of_nothing_has_no_derivative() -> None:
    for f in (lambda x: np.sqrt(x[0] ** 2), lambda x: np.sqrt(x[0]) ** 2):
        with pytest.raises(NotDifferentiable, match="sqrt"):
            derivative(f, np.array([0.0]))
    # In a branch that is not chosen it does not count.
    _, (d,) = derivative(lambda x: np.where(x[0] > 0, np.sqrt(x[0]), x[0]), np.array([0.0]))
    np.testing.assert_array_equal(d, [1])


def test_whole_powers_of_zero() -> None:
    for n in range(5):
        value, (d,) = derivative(lambda x: x**n, 0.0)
        assert value == (n == 0) and d == (n == 1)
        assert second_derivative(lambda x: x**n, [0.0], [1.0]) == 2 * (n == 2)
    _, (d,) = derivative(lambda x: x ** np.arange(3), 0.0)
    np.testing.assert_array_equal(d, [0, 1, 0])


def test_a_constant_has_no_derivative() -> None:
    _, (d,) = derivative(lambda x: np.array([[0.0, -9.81, 0.0]]), np.zeros((1, 3)))
    np.testing.assert_array_equal(d, np.zeros((1, 3, 1, 3)))


def test_what_would_lose_derivatives_is_refused() -> None:
    import math

    x = Dual(np.array(0.5), np.array([1.0]))
    with pytest.raises(TypeError, match="NumPy's functions instead of math's"):
        math.sin(x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="sort"):
        np.sort(Dual(X, np.zeros((2, 3, 1))))  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="gcd"):
        np.gcd(x, 2)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda x: np.add(x, 1, where=x > 0.5), "add with where="),
        (lambda x: np.add(x, 1, out=np.zeros((2, 3))), "add with out="),
        (lambda x: np.sum(x, dtype=int), "sum with dtype="),
        (lambda x: np.mean(x, out=np.zeros(())), "mean with out="),
        (lambda x: np.interp(x, [0, 1], [0, 1], left=3), "interp with left="),
        (lambda x: np.zeros_like(x, dtype=int), "zeros_like with dtype="),
        (lambda x: np.einsum("...j->...", x), "without an ellipsis"),
        (lambda x: np.inner(x, x), "use einsum"),
        (lambda x: np.std(x), "std is known"),
        (lambda x: np.multiply.outer(x, x), "multiply.outer"),
    ],
)
def test_arguments_without_a_rule_are_refused(call: Callable[[Any], Any], told: str) -> None:
    with pytest.raises(TypeError, match=f"no derivative of .*{told}|{told}"):
        derivative(call, X)


def test_a_kink_of_a_table_has_the_slope_behind_it() -> None:
    table = [0.0, 1.0, 3.0], [0.0, 2.0, 3.0]
    for at, slope in ((-1.0, 0), (0.0, 2), (0.5, 2), (1.0, 0.5), (3.0, 0), (4.0, 0)):
        value, (d,) = derivative(lambda x: np.interp(x, *table), at)
        assert value == np.interp(at, *table) and d == slope


def test_branches_look_at_values() -> None:
    value, (d,) = derivative(lambda x: x * x if x > 0 else -x, 3.0)
    assert (value, d) == (9, 6)
