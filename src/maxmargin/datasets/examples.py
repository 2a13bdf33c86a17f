"""Example tables, which come with scikit-learn: nothing is downloaded."""

import numpy as np
from sklearn import datasets

EXAMPLES = {
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
    "digits": datasets.load_digits,
    "cancer": datasets.load_breast_cancer,
}


def load_example(name: str) -> dict[str, np.ndarray]:
    """Return the columns of an example by name; the last one is ``class``."""
    bunch = EXAMPLES[name]()
    columns = {
        str(column).replace(" (cm)", "").replace(" ", "_").replace("/", "_"): values
        for column, values in zip(bunch.feature_names, bunch.data.T, strict=True)
    }
    columns["class"] = bunch.target_names[bunch.target].astype(str)
    return columns
