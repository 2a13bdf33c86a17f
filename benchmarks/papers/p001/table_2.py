"""Table 2: the checkerboard with vectors drawn at random, the original reduced SVM.

As Table 1, with points of the sample drawn at random in place of centres. Beside them
we give centres of leader clustering of the same number, and how many vectors either
needs for 95 % on fresh points.
"""

from benchmarks.papers.p001.checkerboard import (
    COLUMNS,
    DRAWS,
    FRESH,
    PUBLISHED,
    as_cells,
    best_of_weights,
    fewest,
    measure,
    reason,
)
from benchmarks.papers.page import CLASSIFICATION, Printed

TITLE = "Paper 001, Table 2: reduced SVM with random vectors"
# vectors: seconds for (8), seconds in all, accuracy, as printed
PRINTED = {
    30: (4.31, 16.27, 78.5),
    40: (5.77, 21.28, 89.7),
    70: (9.67, 36.48, 95.2),
    150: (20.73, 80.09, 96.4),
    210: (30.17, 110.6, 96.9),
}
LEADERS = "fresh points, leaders of the same number"


def run(store, page):
    """Measure and write the page."""
    page.text(__doc__.partition("\n")[2])
    draws = store.pick(DRAWS, 3)
    rows = [f"{number} vectors" for number in PRINTED]
    ours, printed, reasons = {}, {}, {}
    for row, (number, numbers) in zip(rows, PRINTED.items(), strict=True):
        for name, options in (("random", {"centers": "random"}), ("leaders", {})):
            found = store.cell(
                f"{row}, {name}",
                lambda n=number, w=options: measure(
                    draws, n_centers=n, **w, **PUBLISHED
                ),
            )
            if name == "random":
                ours |= as_cells(row, found)
                tried = best_of_weights(store, row, centers="random", n_centers=number)
                reasons[row] = reason(found, numbers[2], tried)
            else:
                ours[row, LEADERS] = as_cells(row, found)[row, FRESH]
        ours[row, "in all, s, paper"] = f"{numbers[1]:.2f}"
        printed[row, FRESH] = Printed(numbers[2], digits=1)
    page.table(
        rows, [FRESH], ours, printed, "higher", reasons, "per cent", CLASSIFICATION
    )
    page.text("The accuracy of leader centres, that on the 1000 points, CPU seconds:")
    page.table(rows, [LEADERS, COLUMNS[2], "fit, s", "in all, s, paper"], ours)
    needed = {
        ("vectors for 95 %", name): str(
            store.cell(f"95 %, {name}", lambda n=name: fewest(n, 95.0, draws))
        )
        + f" (paper: {paper})"
        for name, paper in (("leader", 18), ("random", 70))
    }
    page.text("The paper has 95.3 % with 18 leader centres and 95.2 % with 70 random:")
    page.table(["vectors for 95 %"], ["leader", "random"], needed)
