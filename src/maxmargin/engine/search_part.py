"""How many samples are searched, by time and memory."""

import numpy as np

from maxmargin.engine.options import Options
from maxmargin.resources import format_bytes

# With a kernel a search works on at most this many samples. On the graph it works on
# all up to the second number. Of those above it, one in so many is searched as costs
# as much as the labels of the others (benchmarks.scale.model). A first search takes the
# last number of them, which is enough if there are gaps between the clusters.
SEARCH_SAMPLES = 4000
MAX_GRAPH_SAMPLES = 150_000
LABELS_PER_SEARCH = 16
GRAPH_PART = 20_000
MIN_SAMPLES = 500  # the smallest number of samples for a search
UNKNOWN_CLUSTERS = 60  # that memory is kept for, if the number is to be found


def graph_size(n_samples: int) -> int:
    """Return the number of samples to search on the graph.

    All are searched up to ``MAX_GRAPH_SAMPLES``. Of those above it so many that their
    search costs about as much as the labels of the others: no number of samples is
    treated in another way than the next one.
    """
    more = max(n_samples - MAX_GRAPH_SAMPLES, 0)
    return min(n_samples, MAX_GRAPH_SAMPLES + more // LABELS_PER_SEARCH)


def part_sizes(n_samples: int, size: int, options: Options) -> list[int]:
    """Return the numbers of samples to search one after another, ``size`` at last.

    If there are gaps between the clusters of the first part, the others are the same.
    """
    some = size < n_samples and options.similarity.graph and np.isfinite(options.memory)
    some = some and not options.affinities
    return [GRAPH_PART, size] if some and GRAPH_PART < size else [size]


def search_size(n_samples: int, n_features: int, options: Options) -> int:
    """Return the number of samples to search, given the length of a row.

    With a kernel a search needs a matrix of all pairs, stored three times, and takes at
    most ``SEARCH_SAMPLES``. On the graph it takes `graph_size` samples, or all if the
    memory is infinite. Of a given graph it takes all, as parts of it are not connected.
    Memory may limit both.
    """
    memory = options.memory
    if options.similarity.graph:
        given = options.n_clusters
        n_clusters = UNKNOWN_CLUSTERS if isinstance(given, str) else given
        whole = options.affinities or np.isinf(memory)
        size = n_samples if whole else graph_size(n_samples)
        # The samples, also in single precision; lists and links; vectors and features.
        n_fitting = memory / (16 * n_features + 100 * n_clusters + 2000)
    else:
        size = SEARCH_SAMPLES
        n_fitting = np.sqrt(memory / (3 * 8))
    if n_fitting < min(n_samples, size, MIN_SAMPLES):
        raise ValueError(
            f"memory_limit={format_bytes(memory)} holds {int(n_fitting)} samples for "
            f"the search, which needs {MIN_SAMPLES}: raise memory_limit."
        )
    return int(min(size, n_fitting))
