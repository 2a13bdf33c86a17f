"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import SemiSupervisedMaxMargin

INSTANCES = [
    SemiSupervisedMaxMargin(),
    SemiSupervisedMaxMargin(kernel="rbf"),
    SemiSupervisedMaxMargin(kernel="precomputed"),
]


def contradictions(estimator):
    """Return the checks that hand over what the estimator has to refuse."""
    result = {"check_classifiers_classes": "takes -1 for a class"}
    if estimator.kernel == "precomputed":
        result |= {
            "check_classifiers_one_label_sample_weights": "fits samples",
            "check_estimators_dtypes": "truncates a kernel, which is then indefinite",
            "check_positive_only_tag_during_fit": "shifts a kernel, likewise",
        }
    return result


# The checks give one cluster or two, and labels of one class.
@pytest.mark.filterwarnings("ignore:n_clusters=. is less", "ignore:All labels are")
@parametrize_with_checks(INSTANCES, expected_failed_checks=contradictions)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
