"""Figures 6 to 8 of paper 002: km-cost, snapshot cost and historic cost on networks.

The paper: links among 407 blogs in eight time steps, two groups (303 about technology,
104 about politics), which are not public; the curves are not printed as numbers. Here
two networks with known groups: contacts of pupils in a high school on five days (nine
classes), and agreement of senators in 31 Congresses (two parties). Rows are those of
the normalised adjacency. Two groups are found with the hinge loss as in the paper, nine
with the square loss.
"""

import numpy as np
from matplotlib.figure import Figure

from benchmarks.data.evolving_sets import load_evolving
from benchmarks.papers.p002.costs import (
    METHODS,
    PEERS,
    STRATEGIES,
    TwoSnapshots,
    costs_over_time,
    draw_lines,
    make,
    mean_of_runs,
    paper_method,
)

TITLE = "Paper 002, Figures 6 to 8: costs on networks"

NETWORKS = {  # title: name, clusters, loss, steps in a quick run
    "high school": ("high_school_2013_contacts", 9, "squared", 3),
    "Senate": ("us_senate_rollcalls_80_110", 2, "hinge", 4),
}
PARTS = {"paper": "km-cost", "snapshot": "snapshot cost", "temporal": "historic cost"}


def measure(title, method, n_runs, n_steps):
    """Return the costs at each time, means over seeds."""
    name, n_clusters, loss, _ = NETWORKS[title]
    steps = load_evolving(name)[:n_steps]

    def build(seed):
        if loss == "hinge" and method in STRATEGIES:
            return paper_method(method, n_clusters, seed)
        if method == "ACC":
            return TwoSnapshots(n_clusters, seed)
        return make(method, n_clusters, seed, loss=loss, n_init=10)

    runs = [costs_over_time(build(seed), steps) for seed in range(n_runs)]
    return mean_of_runs(runs)


def run(store, page):
    """Measure both networks and draw the figures."""
    n_runs = store.pick(3, 1)
    for title, (_, n_clusters, loss, few) in NETWORKS.items():
        n_steps = store.pick(None, few)
        found = {
            method: store.cell(
                f"{title}, {method}",
                lambda title=title, method=method, n_steps=n_steps: measure(
                    title, method, n_runs, n_steps
                ),
            )
            for method in METHODS
        }
        if None in found.values():
            continue
        figure = Figure(figsize=(12, 3.6))
        for axes, (part, words) in zip(
            figure.subplots(1, 3), PARTS.items(), strict=True
        ):
            lines = {name: one[part] for name, one in found.items()}
            places = range(2, 2 + len(lines["IND"]))
            draw_lines(axes, places, lines, words)
            axes.set_xlabel("time step")
            axes.xaxis.get_major_locator().set_params(integer=True)
            top = max(max(line) for name, line in lines.items() if name != "ACC")
            low = min(map(min, lines.values()))
            axes.set_ylim(low - 0.1 * (top - low), top + 0.1 * (top - low))
        axes.legend(fontsize=8)
        figure.tight_layout()
        page.text(
            f"## {title}\n\n{n_clusters} clusters, {loss} loss, means of {n_runs} "
            "seeds. The historic cost is that of the labels that the function found "
            "last gives to the snapshot before, for the peers that of the labels "
            "carried back, of the objects of both snapshots. ACC has both snapshots."
        )
        page.picture(figure, f"km-cost, snapshot cost and historic cost: {title}")
        columns = [*PARTS.values(), "NMI"]
        cells = {
            (name, column): float(np.mean(one[part]))
            for name, one in found.items()
            for part, column in zip((*PARTS, "nmi"), columns, strict=True)
        }
        page.table(METHODS, columns, cells, corner="means over time")
        page.text(_order(found))


def _order(found):
    ours = np.array([found[name]["paper"] for name in STRATEGIES])
    peers = np.min([found[name]["paper"] for name in PEERS], axis=0)
    counts = [
        f"{name} at {int(np.sum(line <= peers))}"
        for name, line in zip(STRATEGIES, ours, strict=True)
    ]
    return (
        f"Below the km-cost of every peer, of {len(peers)} times: {', '.join(counts)}."
    )
