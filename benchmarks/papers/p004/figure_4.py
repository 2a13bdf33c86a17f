"""Figure 4: the Laplacian loss, and how sure of its labels the SVR is.

As Figure 2, with the loss |1 - y f|. It also pays for margins beyond 1, so that they
gather there, and labels are flipped more easily.
"""

from benchmarks.papers.p004.figure_1 import ERROR
from benchmarks.papers.p004.rounds import draw_margins, margins, start

TITLE = "Paper 004, Figure 4: Laplacian loss and margins"


def run(store, page):
    """Measure, draw and write the page."""
    page.text(__doc__.partition("\n")[2])
    found = store.cell("margins", lambda: margins(start(ERROR), "laplacian"))
    page.picture(draw_margins("laplacian", found), "The Laplacian loss and the margins")
    near = sum(abs(margin - 1) < 0.25 for margin in found) / len(found)
    page.text(f"{100 * near:.0f} % of the margins are within 0.25 of the elbow.")
