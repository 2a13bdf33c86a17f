"""The master problem against general solvers."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin.published.hinge.master_problem import (
    LinearConstraints,
    MasterProblem,
    Quadratic,
)


def primal_optimum(quadratic, constraints, C, slopes, offsets, solver):
    """Solve for (v, xi) with the rows ``slopes v - xi <= -offsets`` and constraints."""
    d = len(quadratic.linear)
    P = np.zeros((d + 1, d + 1))
    P[:d, :d] = (
        np.diag(quadratic.curvature)
        if quadratic.curvature.ndim == 1
        else quadratic.curvature
    )
    q = np.append(quadratic.linear, C)
    rows = np.zeros((len(slopes) + len(constraints.rows) + 1, d + 1))
    rows[: len(slopes), :d] = slopes
    rows[: len(slopes), d] = -1.0
    rows[len(slopes) : -1, :d] = constraints.rows
    rows[-1, d] = -1.0
    bounds = np.concatenate([-offsets, constraints.bounds, [0.0]])
    if solver == "piqp":
        piqp = pytest.importorskip("piqp")
        problem = piqp.DenseSolver()
        problem.settings.eps_abs = problem.settings.eps_rel = 1e-11
        problem.settings.max_iter = 1000
        low = np.full(len(bounds), -np.inf)
        problem.setup(P, q, None, None, rows, low, bounds)
        problem.solve()
        x = problem.result.x
    else:
        clarabel = pytest.importorskip("clarabel")
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        cone = [clarabel.NonnegativeConeT(len(bounds))]
        answer = clarabel.DefaultSolver(
            sparse.csc_matrix(np.triu(P)),
            q,
            sparse.csc_matrix(rows),
            bounds,
            cone,
            settings,
        ).solve()
        x = np.array(answer.x)
    return x[:d], 0.5 * x @ P @ x + q @ x


def model_value(quadratic, C, slopes, offsets, v):
    return quadratic.value(v) + C * max((offsets + slopes @ v).max(), 0.0)


def svm_quadratic(d):
    curvature = np.ones(d)
    curvature[-1] = 0.0
    return Quadratic(curvature, np.zeros(d))


def box_on_last(d, low, high):
    rows = np.zeros((2, d))
    rows[0, -1], rows[1, -1] = 1.0, -1.0
    return LinearConstraints(rows, np.array([high, -low]))


def full_rank(random, m, d):
    return random.randn(m, d), random.rand(m)


def rank_deficient(random, m, d):
    return random.randn(m, 3) @ random.randn(3, d), random.rand(m)


def nearly_parallel(random, m, d):
    slopes = random.randn(1, d) + 1e-7 * random.randn(m, d)
    return slopes, 1.0 + 1e-7 * random.rand(m)


def repeated(random, m, d):
    slopes, offsets = full_rank(random, (m + 2) // 3, d)
    return np.tile(slopes, (3, 1))[:m], np.tile(offsets, 3)[:m]


def without_slope(random, m, d):
    slopes, offsets = full_rank(random, m, d)
    slopes[::3] = 0.0
    return slopes, offsets


def large_and_small(random, m, d):
    slopes, offsets = full_rank(random, m, d)
    return slopes * np.logspace(-4, 2, m)[:, None], offsets


KINDS = [
    full_rank,
    rank_deficient,
    nearly_parallel,
    repeated,
    without_slope,
    large_and_small,
]


@pytest.mark.parametrize("solver", ["piqp", "clarabel"])
@pytest.mark.parametrize("make_planes", KINDS)
@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
def test_growing_problem_against_the_primal(make_planes, C, solver, random):
    """Planes are added one by one; the last coordinate has no curvature."""
    d = 8
    slopes, offsets = make_planes(random, 24, d)
    quadratic, constraints = svm_quadratic(d), box_on_last(d, -0.3, 0.2)
    master = MasterProblem(quadratic, constraints, C, np.zeros(d))
    for m in range(1, len(slopes) + 1):
        master.add(slopes[m - 1], offsets[m - 1])
        v, lower = master.solve()
        value = model_value(quadratic, C, slopes[:m], offsets[:m], v)
        assert constraints.satisfied_by(v)
        assert lower <= value + 1e-8 * (1 + abs(value))
        assert value - lower <= 1e-7 * (1 + abs(value))
        if m % 6 == 0:
            _, optimum = primal_optimum(
                quadratic, constraints, C, slopes[:m], offsets[:m], solver
            )
            assert value == pytest.approx(optimum, rel=1e-6, abs=1e-6)


def test_any_quadratic_and_any_constraints(random):
    """A full matrix, a linear term, several coordinates without curvature."""
    d = 10
    root = random.randn(d - 2, d - 2)
    P = np.zeros((d, d))
    P[: d - 2, : d - 2] = root @ root.T / d + 0.1 * np.eye(d - 2)
    quadratic = Quadratic(P, np.append(random.randn(d - 2), [0.0, 0.0]))
    rows = random.randn(5, d)
    constraints = LinearConstraints(
        np.concatenate([rows, np.eye(d)[-2:], -np.eye(d)[-2:]]),
        np.concatenate([random.rand(5), np.ones(4)]),
    )
    slopes, offsets = full_rank(random, 20, d)
    master = MasterProblem(quadratic, constraints, 5.0, np.zeros(d))
    for slope, offset in zip(slopes, offsets, strict=True):
        master.add(slope, offset)
        v, lower = master.solve()
    expected, optimum = primal_optimum(
        quadratic, constraints, 5.0, slopes, offsets, "piqp"
    )
    assert constraints.satisfied_by(v)
    assert lower == pytest.approx(optimum, abs=1e-6)
    assert model_value(quadratic, 5.0, slopes, offsets, v) == pytest.approx(
        optimum, abs=1e-6
    )
    np.testing.assert_allclose(v[: d - 2], expected[: d - 2], atol=1e-4)
