"""The tolerance study of docs/guides/tolerances.md: a one-way clutch whose spread is published.

R. Cvetko, K. W. Chase, S. P. Magleby, New metrics for evaluating Monte Carlo tolerance analysis of assemblies, ASME International
Mechanical Engineering Congress, 1998: moments of the pressure angle from 10^9 samples, quoted from memory (see the guide).
"""

import pathlib

import numpy as np

import trammel as tr

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guides" / "tolerances.md"
RUNS = 1 << 14
PUBLISHED = np.array([7.014953, 0.219668, -0.094419, 3.023816])
# Standard errors of moments of 10^9 nearly normal samples: σ/√n, σ/√(2n), √(6/n), √(24/n).
ERRORS = np.array([0.219668, 0.219668 / np.sqrt(2), np.sqrt(6), np.sqrt(24)]) / np.sqrt(1e9)


def moments(phi: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:  # type: ignore[type-arg]
    w = np.full(phi.shape, 1 / phi.size) if weights is None else weights
    mean = (w * phi).sum()
    deviation = np.sqrt((w * (phi - mean) ** 2).sum())
    z = (phi - mean) / deviation
    return np.array([mean, deviation, (w * z**3).sum(), (w * z**4).sum()])


def model() -> tr.Mechanism:
    return tr.loads(GUIDE.read_text().split("```yaml\n")[1].split("```")[0])


def exact() -> np.ndarray:  # type: ignore[type-arg]
    """φ = arccos((a + c)/(e − c)) integrated over the three normal distributions by Gauss and Hermite's rule."""
    x, w = np.polynomial.hermite_e.hermegauss(30)
    w = w / w.sum()
    a, c, e = np.meshgrid(27.645 + 0.05 / 3 * x, 11.43 + 0.01 / 3 * x, 50.8 + 0.0125 / 3 * x, indexing="ij")
    weights = w[:, None, None] * w[None, :, None] * w[None, None, :]
    return moments(np.degrees(np.arccos((a + c) / (e - c))), weights)


def test_the_published_figures_are_those_of_the_closed_form() -> None:
    assert (np.abs(exact() - PUBLISHED) < 3 * ERRORS).all()


def test_each_run_is_the_closed_form_and_moments_are_those_published() -> None:
    r = tr.sweep(model(), sample={"a": "normal(27.645 mm, 16.6666667 um)", "c": "normal(11.43 mm, 3.3333333 um)", "e": "normal(50.8 mm, 4.1666667 um)"},
                 design="sobol", runs=RUNS, observe={"phi": "90 - final(radius.angle)*180/pi"}).run(progress=False)  # fmt: skip
    np.testing.assert_allclose(r["phi"], np.degrees(np.arccos((r["a"] + r["c"]) / (r["e"] - r["c"]))), atol=1e-9)
    # A Sobol' sequence errs by about 10/n of a deviation; skewness and kurtosis by their powers of the tails.
    assert (np.abs(moments(r["phi"]) - PUBLISHED) < np.array([0.2, 0.2, 20, 100]) * 10 / RUNS + 3 * ERRORS).all()


def test_the_guide_has_this_plan() -> None:
    spread = tr.sweep(model())
    assert len(spread) == 8192 and spread.parameters == ["a", "c", "e"]
