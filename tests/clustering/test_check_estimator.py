"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import MaxMarginClustering
from maxmargin.engine import probability

INSTANCES = [
    MaxMarginClustering(),
    MaxMarginClustering(n_clusters="auto"),
    MaxMarginClustering(n_clusters=3, kernel="neighbors"),
    MaxMarginClustering(n_clusters=2, probability=True),
    MaxMarginClustering(n_clusters=2, kernel="linear"),
    MaxMarginClustering(n_clusters=2, kernel="precomputed"),
    MaxMarginClustering(n_clusters=3, balance="equal"),
    MaxMarginClustering(n_clusters=3, balance=(0.5, 0.3, 0.2)),
]


def contradictions(estimator):
    """Return the checks that hand over what the estimator has to refuse."""
    if estimator.kernel == "precomputed":
        return {
            "check_clustering": "fits samples where a kernel matrix is asked for",
            "check_estimators_dtypes": "truncates a kernel, which is then indefinite",
            "check_positive_only_tag_during_fit": "shifts a kernel, likewise",
            "check_estimator_sparse_tag": "has samples without an edge in its graph",
            "check_estimator_sparse_array": "likewise",
            "check_estimator_sparse_matrix": "likewise",
        }
    if getattr(estimator, "probability", False):
        return {
            "check_estimator_sparse_array": "asks for the tags of a classifier",
            "check_estimator_sparse_matrix": "likewise, for its predict_proba",
        }
    if estimator.balance == (0.5, 0.3, 0.2):
        return {"check_methods_sample_order_invariance": "sets n_clusters to two"}
    return {}


@pytest.fixture(autouse=True)
def few_refits(monkeypatch):
    """The checks do not look at the probabilities, which take most of the time."""
    for name in ("MIN_REFITS", "MAX_REFITS"):
        monkeypatch.setattr(probability, name, 3)


# With eight clusters, some checks have fewer distinct samples than that, and linear
# functions leave some clusters empty.
@pytest.mark.filterwarnings(
    "ignore:Only .* distinct samples", "ignore:.* clusters are empty"
)
@parametrize_with_checks(INSTANCES, expected_failed_checks=contradictions)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
