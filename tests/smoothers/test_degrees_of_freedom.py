import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin.smoothers.degrees_of_freedom import (
    Spectrum,
    choose_degrees,
    estimate_spectrum,
    solve_alpha,
)


@pytest.mark.parametrize("n_features", [2, 10])
def test_estimated_spectrum_gives_the_trace(random, n_features):
    K = rbf_kernel(random.randn(900, n_features), gamma=0.5 / n_features)
    eigenvalues = np.linalg.eigvalsh(K)
    spectrum = estimate_spectrum(K)
    assert len(spectrum.values) < 900
    for alpha in (0.01, 0.3, 5.0):
        exact = np.sum(eigenvalues / (eigenvalues + alpha))
        assert spectrum.trace_of_smoother(alpha) == pytest.approx(exact, rel=0.1)


def test_small_matrices_are_exact(random):
    K = rbf_kernel(random.randn(50, 3))
    np.testing.assert_allclose(
        estimate_spectrum(K).values, np.linalg.eigvalsh(K), atol=1e-12
    )


def test_alpha_follows_from_the_trace(random):
    spectrum = Spectrum(random.exponential(size=60), np.ones(60))
    for target in (0.5, 3.0, 20.0, 55.0):
        alpha = solve_alpha(target, spectrum)
        assert spectrum.trace_of_smoother(alpha) == pytest.approx(target, rel=1e-4)


def test_auto_leaves_room_when_the_kernel_has_low_rank():
    spectrum = Spectrum(np.r_[np.ones(4), np.zeros(96)], np.ones(100))
    assert choose_degrees("auto", spectrum, 100) == 2


def test_zero_kernel_is_refused():
    with pytest.raises(ValueError, match="kernel matrix is zero"):
        solve_alpha(1.0, Spectrum(np.zeros(5), np.ones(5)))
