"""Figure 4 of paper 003: CPU times on subsets of COIL.

The paper: spectral clustering, mixtures, k-means and UMC-RLS on random subsets. Here:
the same, and `MaxMarginClustering` with its defaults; one fit each, one thread.
"""

from benchmarks.data.suite import MissingData
from benchmarks.papers.p003.data import load
from benchmarks.papers.p003.timing import METHODS, measure_times
from benchmarks.papers.times import add_times

TITLE = "Paper 003, Figure 4: CPU times on COIL"


def run(store, page):
    """Measure and draw."""
    try:
        data = load("Coil")
    except MissingData as error:
        store.missing["Coil"] = str(error)
        return
    sizes = store.pick((200, 400, 800, 1440), (100, 200))
    found = measure_times(
        store, data.X, data.n_clusters, sizes, store.pick({}, {"GMM": 1})
    )
    page.text(
        "CPU seconds of one fit on random subsets of COIL with 20 clusters, one "
        "thread. k-means has one start. The paper prints curves only; there, UMC-RLS "
        "is the fastest of the four at these sizes. Today's k-means is faster, and so "
        "is spectral clustering once the inverse of the kernel matrix takes most of "
        "the time of UMC-RLS."
    )
    add_times(page, found, METHODS, "CPU times on COIL")
