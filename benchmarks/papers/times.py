"""Times of methods against the number of samples: curves, and the same as a table."""

from maxmargin.plots.style import COLORS


def add_times(page, found, methods, caption):
    """Add picture and table of ``{(method, n_samples): CPU seconds}`` to a page."""
    sizes = sorted({n_samples for _, n_samples in found})
    page.picture(draw_times(found, methods, sizes), caption)
    page.table(
        [str(n) for n in sizes],
        methods,
        {(str(n), method): f"{value:.3g}" for (method, n), value in found.items()},
        corner="samples",
    )


def draw_times(found, methods, sizes):
    """Return a figure with a curve for each method."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
    for color, mark, method in zip(COLORS, "osD^v", methods, strict=False):
        points = sorted((n, t) for (name, n), t in found.items() if name == method)
        if points:
            ax.plot(*zip(*points, strict=True), color=color, marker=mark, label=method)
    ax.set(xlabel="samples", ylabel="CPU seconds", xscale="log", yscale="log")
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.grid(alpha=0.3)
    return figure
