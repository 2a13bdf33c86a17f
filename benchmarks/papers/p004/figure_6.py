"""Figure 6: iterative SVR with and without the balance constraint.

Digits 3 and 9 from a poor normalised cut (the paper: 24.5 % errors). Samples stand
along the x-axis, first those of one digit, and the y-axis is the prediction: a perfect
one has one sign for each digit. Without the constraint (Algorithm 1, the bias of the
machine) the two are confused; with it (Algorithm 2, l = 0.03 n) they come apart.
"""

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.papers.p004.rounds import load_task, rounds, start
from maxmargin.metrics import clustering_error
from maxmargin.plots.style import COLORS

TITLE = "Paper 004, Figure 6: with and without the balance constraint"
ERROR = 24.5  # of the start, as printed
SHOWN = (1, 2, 4, 8)  # rounds
BALANCES = {"without": None, "with": 0.03}


def predictions(balance):
    """Return the values of f after each round that is shown, and all errors."""
    _, y, _ = load_task()
    done = rounds(start(ERROR), "laplacian", 0.0, balance, max(SHOWN))
    errors = [100 * clustering_error(y, done[0][0])]
    errors += [100 * clustering_error(y, new) for _, _, new in done]
    return [[done[r - 1][1].round(3).tolist() for r in SHOWN], errors]


def run(store, page):
    """Measure, draw and write the page."""
    page.text(__doc__.partition("\n")[2])
    found = {
        name: store.cell(f"{name} balance", lambda b=balance: predictions(b))
        for name, balance in BALANCES.items()
    }
    _, y, _ = load_task()
    order = np.argsort(y, kind="stable")
    figure, axes = plt.subplots(
        2, len(SHOWN), figsize=(11, 4.6), sharex=True, sharey=True, layout="constrained"
    )
    for row, (name, (values, errors)) in zip(axes, found.items(), strict=True):
        for panel, r, f in zip(row, SHOWN, values, strict=True):
            f = np.array(f)[order]
            for digit, color, mark in ((3, COLORS[0], "o"), (9, COLORS[6], "^")):
                own = y[order] == digit
                panel.scatter(
                    np.flatnonzero(own), f[own], s=7, color=color, marker=mark,
                    linewidths=0, label=f"digit {digit}",
                )  # fmt: skip
            panel.axhline(0, color="black", linewidth=0.8)
            panel.set_title(f"round {r}: error {errors[r]:.1f} %", fontsize=10)
        row[0].set_ylabel(f"f, {name} balance")
    for panel in axes[1]:
        panel.set_xlabel("sample")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right center")
    page.picture(figure, "Predictions along the rounds, without and with balance")
    for name, (_, errors) in found.items():
        page.text(
            f"Errors {name} balance: " + ", ".join(f"{e:.1f}" for e in errors) + " %."
        )
