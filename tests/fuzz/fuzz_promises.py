"""What holds for every input: the checks of a fitted estimator."""

import io
import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from maxmargin.clustering.samples import validate_samples
from maxmargin.engine.model import MarginModel
from maxmargin.search.balance import make_balance
from maxmargin.smoothers.feature_map import PreparedFeatures
from maxmargin.smoothers.spectral_smoother import NeighborFeatures

ROUNDING = 1e-9  # of decision values, as a share of the largest


# Inputs that may be refused, by the beginnings of the messages: a new one is a finding.
REFUSALS = (
    "All samples are equal",
    "All samples with positive weight are of one class",
    "A precomputed kernel must be positive semidefinite",
    "Linear functions of the square loss",
    "No labelling with",
    "Normalised cuts need a kernel without negative values",
    "The image has",
    "The kernel matrix is not positive semidefinite",
    "The kernel matrix is zero",
    "The kernel matrix of the landmarks is not positive semidefinite",
    "balance=",
    "balance cannot be met",
    "balance gives clusters smaller than one sample",
    "init='spectral' needs a kernel without negative values",
    "cannot_link keeps",
    "degrees_of_freedom=",
    "landmark_selection=",
    "n_clusters='auto' needs the neighbours",
    "n_centers=",
    "must_link or equal features join",
    "n_samples=",
    "sample_weight is zero for all labels",
    "y has no label",
)


class Refused(Exception):
    """The input was refused with an error message."""


@contextmanager
def errors_of_warnings():
    """Turn warnings into errors, except those of searches that did not converge.

    Generated columns may be of very different sizes, and labels of one class, which is
    warned of.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Column . outweighs the other one")
        warnings.filterwarnings("ignore", "All labels are .*, so that all samples get")
        warnings.filterwarnings("ignore", "n_clusters=. is less than the . classes")
        yield


@contextmanager
def no_surprise():
    """Raise `Refused` for the errors above; others, and warnings, are findings."""
    with errors_of_warnings():
        try:
            yield
        except (ValueError, TypeError) as error:
            if str(error).startswith(REFUSALS):
                raise Refused(str(error)) from error
            raise


def check_labels(labels, n_rows, n_clusters):
    assert np.issubdtype(labels.dtype, np.integer)
    assert labels.shape == (n_rows,)
    assert labels.min() >= 0
    assert labels.max() < n_clusters


def check_decisions(decisions, labels):
    """Values are finite, except those of empty clusters; the largest one decides."""
    assert not np.isnan(decisions).any()
    infinite = np.isinf(decisions)
    np.testing.assert_array_equal(infinite.all(axis=0), infinite.any(axis=0))
    assert (decisions[infinite] < 0).all()
    assert not infinite.all()
    np.testing.assert_array_equal(decisions.argmax(axis=1), labels)


def cancellation(model, X):
    """Return the rounding error of decision values whose summands cancel out."""
    found = getattr(model, "_model", None)
    if not isinstance(found, MarginModel):
        return 0.0
    features = found.feature_map(validate_samples(model, X, reset=False))
    if not isinstance(features, np.ndarray):
        return 0.0
    summands = np.abs(features) @ np.abs(found.coefficients)
    largest = float(summands[np.isfinite(summands)].max(initial=0.0))
    return 4 * np.finfo(float).eps * features.shape[1] * largest


def check_same_labels(labels, others, decisions=None, rounding=0.0):
    """Labels are equal, except where two decision values are, up to rounding.

    Decision values are fits to targets of 0 and 1, so differences as small as the
    rounding of 1 mean nothing.
    """
    different = labels != others
    if different.any() and decisions is not None and decisions.shape[1] > 1:
        finite = decisions[:, np.isfinite(decisions).all(axis=0)]
        rows = np.arange(len(labels))
        gaps = np.abs(decisions[rows, labels] - decisions[rows, others])
        different &= gaps > max(ROUNDING * np.abs(finite).max(), rounding, 1e-14)
    assert not different.any(), f"labels {labels} and {others}"


def check_saved(model, X, methods):
    """A loaded estimator has the same parameters and the same results."""
    file = io.BytesIO()
    maxmargin.save_model(file, model)
    loaded = maxmargin.load_model(file)
    assert loaded.get_params().keys() == model.get_params().keys()
    for name in methods:
        saved, again = getattr(model, name)(X), getattr(loaded, name)(X)
        np.testing.assert_array_equal(again, saved, err_msg=name)
        assert again.dtype == saved.dtype
    for name in ("labels_", "classes_", "transduction_", "feature_names_in_"):
        assert hasattr(loaded, name) == hasattr(model, name)
        if hasattr(model, name):
            saved, again = getattr(model, name), getattr(loaded, name)
            np.testing.assert_array_equal(again, saved, err_msg=name)


def engine_of(model):
    """Return what has decided about the labels, see `fuzz_profile.ENGINES`."""
    outcome = getattr(model, "_outcome", None)
    found = getattr(model, "_model", None) if outcome is None else outcome.model
    kernel = getattr(model, "kernel", None)
    if not isinstance(found, MarginModel) or "published" in type(model).__module__:
        return "other"
    features = found.feature_map
    if isinstance(features, PreparedFeatures):
        features = features.features
    if isinstance(features, NeighborFeatures):
        return "graph"
    return "radial" if kernel == "auto" else "kernel"


def size_limits(balance, k, rows, weights):
    """Return the limits of the sizes, of samples of which equal ones are merged."""
    weights = np.ones(len(rows)) if weights is None else np.asarray(weights, float)
    kept = weights > 0
    _, groups = np.unique(rows[kept], axis=0, return_inverse=True)
    totals = np.bincount(groups.reshape(-1), weights[kept])
    if len(totals) < k:
        return None
    return make_balance(balance, k, totals).limits


def within(labels, weights, limits, k):
    """Tell whether sizes are within limits, up to rounding."""
    if limits is None:
        return True
    sizes = np.bincount(labels, weights, minlength=k)
    slack = ROUNDING * sizes.sum()
    return bool(
        (sizes >= limits[0] - slack).all() and (sizes <= limits[1] + slack).all()
    )
