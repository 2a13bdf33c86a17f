"""Figure 7: the errors of all 45 pairs of digits, ordered by those of iterSVR.

The numbers are those of Table 2.
"""

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.papers.p004.digit_pairs import DATA, METHODS, best_errors, measure_all
from maxmargin.plots.style import COLORS

TITLE = "Paper 004, Figure 7: the errors of all pairs of digits"
STYLES = {"KM": ("s", 3), "NC": ("^", 1), "iterSVM": ("D", 0), "iterSVR": ("o", 2)}


def run(store, page):
    """Draw the numbers of Table 2 and write the page."""
    page.text(__doc__.partition("\n")[2])
    found = measure_all(store)
    shown = [data for data in DATA if any(d == data for d, _ in found)]
    figure, axes = plt.subplots(
        1, len(shown), figsize=(5 * len(shown), 4), layout="constrained", squeeze=False
    )
    for panel, data in zip(axes[0], shown, strict=True):
        errors = {name: best_errors(found, data, name) for name in METHODS}
        pairs = sorted(errors["iterSVR"], key=errors["iterSVR"].get)
        for name in METHODS:
            mark, color = STYLES[name]
            values = [errors[name][pair] for pair in pairs]
            panel.plot(
                np.arange(1, len(pairs) + 1),
                values,
                marker=mark,
                markersize=4,
                linewidth=2 if name == "iterSVR" else 0.8,
                color=COLORS[color],
                label=name,
            )
        panel.set(xlabel="pair, ordered by the error of iterSVR", ylabel="error, %")
        panel.set_title(f"{data} digits")
        panel.grid(alpha=0.3)
    axes[0, 0].legend(loc="upper left")
    page.picture(figure, "Errors of the 45 pairs of digits")
    for data in shown:
        errors = {name: best_errors(found, data, name) for name in METHODS}
        hardest = sorted(errors["iterSVR"], key=errors["iterSVR"].get)[-5:][::-1]
        others = [name for name in METHODS if name != "iterSVR"]
        best = sum(
            errors["iterSVR"][pair] <= min(errors[name][pair] for name in others)
            for pair in errors["iterSVR"]
        )
        page.text(
            f"{data}: iterSVR has the smallest error, or one as small, on {best} of "
            f"{len(errors['iterSVR'])} pairs. Its hardest: "
            + ", ".join(f"{pair} ({errors['iterSVR'][pair]:.1f} %)" for pair in hardest)
            + "."
        )
