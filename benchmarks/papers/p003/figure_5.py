"""Figure 5 of paper 003: CPU times on subsets of MNIST.

The paper: the methods of Figure 4 on up to 8000 digits, on which UMC-RLS takes "a bit
over five minutes". Here: the same, and `MaxMarginClustering` with its defaults, which
searches on a part of the samples beyond 4000; one fit each, one thread.
"""

from benchmarks.data.suite import MissingData, load_dataset
from benchmarks.papers.p003.timing import METHODS, measure_times
from benchmarks.papers.times import add_times

TITLE = "Paper 003, Figure 5: CPU times on MNIST"


def run(store, page):
    """Measure and draw."""
    try:
        data = load_dataset("mnist")
    except MissingData as error:
        store.missing["mnist"] = str(error)
        return
    sizes = store.pick((500, 1000, 2000, 4000, 8000), (250, 500))
    largest = store.pick({"GMM": 4000}, {"GMM": 1})  # minutes beyond
    found = measure_times(store, data.X / 255.0, 10, sizes, largest)
    page.text(
        "CPU seconds of one fit on random subsets of MNIST with 10 clusters, one "
        "thread. k-means has one start. The paper prints curves, and for UMC-RLS at "
        "8000 samples a bit over five minutes."
    )
    add_times(page, found, METHODS, "CPU times on MNIST")
