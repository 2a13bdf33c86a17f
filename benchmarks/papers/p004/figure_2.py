"""Figure 2: the hinge loss, and how sure of its labels the SVM is.

The loss of a margin y f, and the margins of the samples for the function that the last
round of Algorithm 1 fits on digits 3 and 9, from the start of Figure 1. Most lie right
of the elbow at 1, where to flip a label costs much.
"""

from benchmarks.papers.p004.figure_1 import ERROR
from benchmarks.papers.p004.rounds import draw_margins, margins, start

TITLE = "Paper 004, Figure 2: hinge loss and margins"


def run(store, page):
    """Measure, draw and write the page."""
    page.text(__doc__.partition("\n")[2])
    found = store.cell("margins", lambda: margins(start(ERROR), "hinge"))
    page.picture(draw_margins("hinge", found), "The hinge loss and the margins")
    right = sum(margin > 1.001 for margin in found) / len(found)
    page.text(f"{100 * right:.0f} % of the margins are right of the elbow.")
