"""Methods for mixed tables, with their usual preprocessing.

All but ours get missing numbers as medians, missing categories as the most frequent
value, and dates as numbers. Columns of text with a different value in more than half of
the rows are left out for them.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering


class Prepared(NamedTuple):
    """Standardised numbers and categories, without missing values."""

    numbers: pd.DataFrame
    categories: pd.DataFrame


def prepare(frame: pd.DataFrame) -> Prepared:
    """Return the columns of a table as the other methods need them."""
    numbers, categories = {}, {}
    for name, column in frame.items():
        if pd.api.types.is_datetime64_any_dtype(column):
            column = (column - column.min()) / pd.Timedelta(1, "D")
        if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
            column = column.fillna(column.median()).astype(float)
            numbers[name] = (column - column.mean()) / (column.std() or 1.0)
        elif 1 < column.nunique() <= len(column) / 2:
            categories[name] = column.fillna(column.mode()[0]).astype(str)
    return Prepared(
        pd.DataFrame(numbers, index=frame.index),
        pd.DataFrame(categories, index=frame.index),
    )


def maxmargin(frame: pd.DataFrame, n_clusters: int) -> np.ndarray:
    """Return our labels, of the table as it is."""
    return MaxMarginClustering(n_clusters, random_state=0).fit_predict(frame)


def one_hot_kmeans(frame: pd.DataFrame, n_clusters: int) -> np.ndarray:
    """Return the labels of k-means on standardised numbers and indicators."""
    numbers, categories = prepare(frame)
    parts = [numbers]
    if categories.shape[1]:
        parts.append(pd.get_dummies(categories).astype(float))
    X = pd.concat(parts, axis=1).to_numpy()
    return KMeans(n_clusters, n_init=10, random_state=0).fit_predict(X)


def k_prototypes(frame: pd.DataFrame, n_clusters: int) -> np.ndarray:
    """Return the labels of k-prototypes, or of k-modes without numbers."""
    from kmodes.kmodes import KModes
    from kmodes.kprototypes import KPrototypes

    numbers, categories = prepare(frame)
    if not numbers.shape[1]:
        return KModes(n_clusters, n_init=5, random_state=0).fit_predict(categories)
    if not categories.shape[1]:
        return KMeans(n_clusters, n_init=10, random_state=0).fit_predict(numbers)
    table = pd.concat([numbers, categories], axis=1).to_numpy(dtype=object)
    words = list(range(numbers.shape[1], table.shape[1]))
    model = KPrototypes(n_clusters, n_init=3, random_state=0)
    return model.fit_predict(table, categorical=words)


def gower_linkage(frame: pd.DataFrame, n_clusters: int) -> np.ndarray:
    """Return the labels of average linkage with the distance of Gower."""
    numbers, categories = prepare(frame)
    total = np.zeros((len(frame), len(frame)))
    for _, column in numbers.items():
        x = column.to_numpy()
        total += np.abs(x[:, None] - x) / (np.ptp(x) or 1.0)
    for _, column in categories.items():
        codes = pd.factorize(column)[0]
        total += codes[:, None] != codes
    np.fill_diagonal(total, 0.0)
    tree = linkage(squareform(total, checks=False), "average")
    return fcluster(tree, n_clusters, "maxclust")


def famd_mixture(frame: pd.DataFrame, n_clusters: int) -> np.ndarray:
    """Return the labels of a Gaussian mixture on five factors of mixed data."""
    import prince

    numbers, categories = prepare(frame)
    if not numbers.shape[1]:
        model = prince.MCA(n_components=5, random_state=0)
        table = categories
    elif not categories.shape[1]:
        model, table = prince.PCA(n_components=5, random_state=0), numbers
    else:
        model = prince.FAMD(n_components=5, random_state=0)
        table = pd.concat([numbers, categories], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = np.asarray(model.fit(table).row_coordinates(table), dtype=float)
        mixture = GaussianMixture(n_clusters, n_init=5, random_state=0, reg_covar=1e-4)
        return mixture.fit_predict(X)


METHODS: dict[str, Callable[[pd.DataFrame, int], np.ndarray]] = {
    "maxmargin": maxmargin,
    "one-hot + k-means": one_hot_kmeans,
    "k-prototypes": k_prototypes,
    "Gower + average linkage": gower_linkage,
    "FAMD + mixture": famd_mixture,
}
