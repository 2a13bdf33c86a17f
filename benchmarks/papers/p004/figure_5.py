"""Figure 5: iterative SVM against iterative SVR.

As Figure 1, for the hinge loss and for regression with a tolerance epsilon; epsilon = 0
is the Laplacian loss. The objective is that of (2) for the labels of each round, from a
support vector machine trained on them. The paper finds that the Laplacian loss leads to
better objectives and errors, and that a large epsilon does as poorly as the SVM.
"""

from benchmarks.papers.p004.figure_1 import ERROR
from benchmarks.papers.p004.rounds import draw_traces, start, trace

TITLE = "Paper 004, Figure 5: rounds of the iterative SVM and SVR"
EPSILONS = (0.0, 0.25, 0.5, 0.9)


def run(store, page):
    """Measure, draw and write the page."""
    page.text(__doc__.partition("\n")[2])
    n_rounds = store.pick(15, 10)
    begun = store.cell("start", lambda: start(ERROR).tolist())
    found = {"iterSVM": store.cell("hinge", lambda: trace(begun, "hinge", 0, n_rounds))}
    for epsilon in EPSILONS:
        found[f"iterSVR, epsilon {epsilon:g}"] = store.cell(
            f"epsilon {epsilon}",
            lambda e=epsilon: trace(begun, "epsilon_insensitive", e, n_rounds),
        )
    page.picture(draw_traces(found), "Objectives and errors of iterSVM and iterSVR")
    page.table(
        found,
        ["objective, first", "objective, last", "error, first", "error, last"],
        {
            (name, f"{what}, {when}"): f"{values[place]:.{digits}f}"
            for name, (objectives, errors) in found.items()
            for what, values, digits in (
                ("objective", objectives, 0),
                ("error", errors, 2),
            )
            for when, place in (("first", 0), ("last", -1))
        },
        corner="rounds",
    )
