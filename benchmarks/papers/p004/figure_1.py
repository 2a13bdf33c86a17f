"""Figure 1: the iterative SVM goes nowhere.

The objective (2) and the error along the rounds of Algorithm 1 on digits 3 and 9, from
a normalised cut. The paper starts at 19.46 % and finds that both change little. It has
some 390 samples of each digit, we have 363 in all; C = 500, a width of 3 s.
"""

from benchmarks.papers.p004.rounds import draw_traces, start, trace

TITLE = "Paper 004, Figure 1: rounds of the iterative SVM"
ERROR = 19.46  # of the start, as printed


def run(store, page):
    """Measure, draw and write the page."""
    page.text(__doc__.partition("\n")[2])
    n_rounds = store.pick(15, 10)
    begun = store.cell("start", lambda: start(ERROR).tolist())
    found = store.cell("iterSVM", lambda: trace(begun, "hinge", 0.0, n_rounds))
    page.picture(draw_traces({"iterSVM": found}), "Objective and error of iterSVM")
    objectives, errors = found
    page.text(
        f"The start has {errors[0]:.2f} % errors (paper: {ERROR} %), the last round "
        f"{errors[-1]:.2f} %. The objective goes from {objectives[0]:.0f} to "
        f"{objectives[-1]:.0f}; Figure 5 has what the Laplacian loss makes of it."
    )
