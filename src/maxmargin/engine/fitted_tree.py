"""The tree of clusters of a fit, of which its labels are one level."""

from dataclasses import replace

import numpy as np

from maxmargin.engine.choice import Clusters
from maxmargin.rows.sample import Sample, indicators
from maxmargin.selection.cluster_tree import ClusterTree, tree_above, tree_of_clusters
from maxmargin.smoothers.spectral_smoother import SpectralGraph


def make_tree(
    graph: SpectralGraph | None,
    sample: Sample,
    clusters: Clusters,
    labels: np.ndarray | None,
) -> ClusterTree:
    """Return the tree of clusters, of which the labelling of a fit is one level.

    Parameters
    ----------
    graph : SpectralGraph or None
        The graph of the samples. Without it there are no levels finer than the clusters
        that were found, and coarser ones come from the smoother of the kernel.
    sample : Sample
        The samples of the fit.
    clusters : Clusters
    labels : ndarray of shape (n_rows,) or None
        The labels of all rows; None if they stay where the rows are.
    """
    known = sample.complete and labels is not None
    if graph is None or not (known or clusters.candidate.graph is not None):
        return _kernel_tree(clusters)
    if not known:
        return tree_of_clusters(graph.graph, clusters.labels, sample.weights)[0]
    assert labels is not None
    of_samples = labels[sample.indices]
    tree, leaves = tree_of_clusters(graph.graph, of_samples, sample.weights)
    if not np.array_equal(labels[sample.rows], of_samples[sample.groups]):
        return tree  # size limits separate equal rows
    return replace(tree, leaves=_leaves_of_rows(tree, leaves, sample, labels))


def _leaves_of_rows(
    tree: ClusterTree, leaves: np.ndarray, sample: Sample, labels: np.ndarray
) -> np.ndarray:
    """Return the leaf of each row; rows without weight are in one of their cluster."""
    some = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    some[tree.clusters] = np.arange(len(tree.clusters))
    result = some[labels]
    result[sample.rows] = leaves[sample.groups]
    return result.astype(np.int32)


def _kernel_tree(clusters: Clusters) -> ClusterTree:
    """Return the tree above clusters, whose similarity is that of the smoother."""
    candidate, labels = clusters.candidate, clusters.labels
    targets = indicators(labels, clusters.n_clusters)
    between = np.maximum(targets.T @ candidate.smoother.dot(targets), 0.0)
    return tree_above((between + between.T) / 2, labels, candidate.sample.weights)
