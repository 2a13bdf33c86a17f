"""How the km-cost of equation (20) is read, and the methods that it compares.

Equation (20) adds ``a`` times the squared distances of the present samples to the means
of their clusters, and ``1 - a`` times the same for the samples of the time before. It
does not say which labels the samples of the time before have. Three readings:

- *own labels*, those that the method gave at that time. Then both parts are what
  k-means minimises on each snapshot, IND has the smallest cost by construction, and the
  printed order is not possible.
- *carried labels*: an object has one label at both times. The paper says so of its
  peers: they "automatically assign the same label to current and previous time stamps"
  (section 2).
- *adaptive labels*: the function found at time t labels both snapshots. That is what
  Algorithm 1 returns, labels of time t and of time t - 1, and what the paper calls
  adaptive label allocation.

So in the paper's reading the three strategies have adaptive labels, the four peers
carried ones, and the printed order is possible: one labelling for both snapshots costs
0.3 per cent more than two at t = 1 and 0.03 per cent more at t = 12, and the printed
differences are of that size. All readings are measured.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.evolving.methods import METHODS, PEERS, STRATEGIES, make
from maxmargin import EvolvingMaxMarginClustering
from maxmargin.evolving.snapshots import stack_rows
from maxmargin.metrics import km_cost
from maxmargin.plots.style import COLORS
from maxmargin.published import EvolvingMMC

WEIGHT = 0.7
READINGS = ("paper", "carried", "own")
__all__ = ["METHODS", "PEERS", "STRATEGIES", "make"]


ALL = "ACC, all snapshots"


class TwoSnapshots:
    """k-means on the rows of this snapshot and the one before: ACC.

    ACC is k-means on accumulated historical data, as the paper says. On all snapshots
    so far (`ALL`) it loses the clusters when they cross: its NMI falls to 0.43, where
    the paper has no less than 0.57, and so has k-means on two snapshots, the data that
    all other methods of the paper have (section 4.2).
    """

    def __init__(self, n_clusters, seed):
        self.means = KMeans(n_clusters, n_init=1, random_state=seed)
        self.before = None

    def partial_fit(self, X, ids=None, time=None):
        """Cluster the next snapshot."""
        rows = X if self.before is None else stack_rows(X, self.before)
        self.labels_ = self.means.fit(rows).labels_[: X.shape[0]]
        self.before = X
        return self


def paper_method(name, n_clusters, seed, **settings):
    """Return a method as the paper has it; settings are for the three strategies."""
    if name == "ACC":
        return TwoSnapshots(n_clusters, seed)
    if name in STRATEGIES:
        return EvolvingMMC(
            n_clusters, strategy=STRATEGIES[name], random_state=seed, **settings
        )
    return make(name.partition(",")[0], n_clusters, seed)


def costs_over_time(model, steps):
    """Return costs of each reading, their parts in the paper's one, and the NMI.

    Every value is a list with one number for each time after the first.
    """
    adaptive = isinstance(model, EvolvingMaxMarginClustering)
    found = {name: [] for name in (*READINGS, "snapshot", "temporal", "nmi")}
    past = None
    for step in steps:
        model.partial_fit(step.X, ids=step.ids, time=step.time)
        labels = model.labels_
        if past is not None:
            before, before_labels = past
            _, now, then = np.intersect1d(step.ids, before.ids, return_indices=True)
            rows = before.X[then]  # of the objects of both snapshots
            carried = km_cost(step.X, labels, rows, labels[now], weight=WEIGHT)
            own = km_cost(step.X, labels, rows, before_labels[then], weight=WEIGHT)
            paper = carried
            if adaptive:
                seen = model.predict(rows)
                paper = km_cost(step.X, labels, rows, seen, weight=WEIGHT)
            for reading, cost in zip(READINGS, (paper, carried, own), strict=True):
                found[reading].append(cost.total)
            found["snapshot"].append(paper.snapshot)
            found["temporal"].append(paper.temporal)
            nmi = normalized_mutual_info_score(
                step.y, labels, average_method="geometric"
            )
            found["nmi"].append(float(nmi))
        past = step, labels
    return found


def mean_of_runs(runs):
    """Return the means over runs of what `costs_over_time` gives."""
    return {
        key: np.mean([run[key] for run in runs], axis=0).tolist() for key in runs[0]
    }


def scaled(steps):
    """Return snapshots with every feature in [0, 1] over all times."""
    low = np.min([step.X.min(axis=0) for step in steps], axis=0)
    high = np.max([step.X.max(axis=0) for step in steps], axis=0)
    return [step._replace(X=(step.X - low) / (high - low)) for step in steps]


def draw_lines(axes, places, values, label):
    """Draw one line for each method, ours solid and the peers dashed."""
    marks = "os^vDPX"
    for number, (name, line) in enumerate(values.items()):
        axes.plot(
            places[: len(line)],
            line,
            marks[number % len(marks)],
            linestyle="-" if name in STRATEGIES else "--",
            color=COLORS[number % len(COLORS)],
            label=name,
            markersize=4,
        )
    axes.set_ylabel(label)
