"""Round by round, on digits 3 and 9: what Figures 1, 2, 4, 5 and 6 show.

The paper starts from normalised cuts that have 19.46 % errors (24.5 % in Figure 6), and
has some 390 samples of each digit. We have 363 samples of scikit-learn's part of the
same data, and take the width of the affinity whose cut, at zero, comes closest to that
error. C is 500 and the kernel's width 3 times s.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.papers.p004.methods import cut_at, width_to_gamma
from benchmarks.papers.protocol import load_pair
from maxmargin.metrics import clustering_error
from maxmargin.plots.style import COLORS
from maxmargin.published.hinge.function_solvers import SupportVectorSolver
from maxmargin.published.hinge.margin_loss import make_loss, search_bias

C = 500.0
WIDTH = 3  # in multiples of s
START_WIDTHS = np.geomspace(0.2, 0.3, 40)


def load_task():
    """Return samples, classes and the kernel matrix."""
    X, y = load_pair("3-9")
    return X, y, rbf_kernel(X, gamma=width_to_gamma(WIDTH, X))


def start(error):
    """Return the labels of the normalised cut whose error in per cent is closest."""
    X, y, _ = load_task()
    cuts = [cut_at(X, width, at_zero=True) for width in START_WIDTHS]
    errors = np.array([100 * clustering_error(y, labels) for labels in cuts])
    return cuts[np.abs(errors - error).argmin()]


def rounds(labels, loss, epsilon=0.0, balance=None, n_rounds=10):
    """Return each round's labels before it, values of f, and labels after it.

    Without a balance this is Algorithm 1 of the paper: the bias is that of the machine.
    With one it is Algorithm 2: the bias is searched within the limits.
    """
    _, _, K = load_task()
    n = len(K)
    weights, loss = np.ones(n), make_loss(loss, epsilon)
    solver = SupportVectorSolver(K, weights, loss, C)
    result = []
    for _ in range(n_rounds):
        function = solver.fit(np.where(labels == 1, 1.0, -1.0))
        if balance is None:
            values = function.values + function.bias
            new = (values > 0).astype(np.int64)
        else:
            limits = np.array(
                [2 * [n * (1 - balance) / 2], 2 * [n * (1 + balance) / 2]]
            )
            found = search_bias(function.values, weights, limits, loss)
            values, new = function.values + found.bias, found.labels
        result.append((labels, values, new))
        labels = new
    return result


def objective(labels):
    """Return the minimum of (2) for labels: that of a support vector machine."""
    _, _, K = load_task()
    hinge, y = make_loss("hinge"), np.where(labels == 1, 1.0, -1.0)
    found = SupportVectorSolver(K, np.ones(len(K)), hinge, C).fit(y)
    losses = hinge.of_margins(y * (found.values + found.bias))
    return float(found.norm + 2 * C * losses.sum())


def trace(begun, loss, epsilon=0.0, n_rounds=10):
    """Return objective and error in per cent, of the start and after each round."""
    _, y, _ = load_task()
    done = rounds(np.array(begun), loss, epsilon, n_rounds=n_rounds)
    labels = [np.array(begun), *(new for _, _, new in done)]
    return [
        [objective(these) for these in labels],
        [100 * clustering_error(y, these) for these in labels],
    ]


def margins(begun, loss, n_rounds=15):
    """Return y f of the last round's function, y being what it was fitted to."""
    labels, values, _ = rounds(np.array(begun), loss, n_rounds=n_rounds)[-1]
    return (np.where(labels == 1, 1.0, -1.0) * values).round(4).tolist()


def draw_traces(traces):
    """Return a picture of objectives and errors, a line for each method."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
    for (name, (objectives, errors)), color, mark in zip(
        traces.items(), COLORS, "os^Dv", strict=False
    ):
        for panel, values in zip(axes, (objectives, errors), strict=True):
            panel.plot(values, marker=mark, markersize=4, color=color, label=name)
    axes[0].set_ylabel("objective (2)")
    axes[1].set_ylabel("error, %")
    for panel in axes:
        panel.set(xlabel="round", ylim=(0, 1.1 * panel.dataLim.y1))
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.grid(alpha=0.3)
    if len(traces) > 1:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    return figure


def draw_margins(loss, found):
    """Return a picture of a loss, and of the margins of the samples."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    grid = np.linspace(-2, 4, 301)
    axes[0].plot(grid, make_loss(loss).of_margins(grid), color=COLORS[0], linewidth=2)
    axes[0].set_ylabel(f"{loss} loss")
    axes[1].hist(found, bins=40, color=COLORS[0])
    axes[1].set_ylabel("samples")
    for panel in axes:
        panel.set_xlabel("y f")
        panel.axvline(1, color=COLORS[2], linestyle=":", label="elbow, y f = 1")
        panel.grid(alpha=0.3)
    axes[0].legend(loc="upper center")
    return figure
