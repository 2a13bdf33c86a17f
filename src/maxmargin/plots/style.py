"""What the displays share: positions, colours, markers, opacity and axes."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA

from maxmargin.engine.probability import decision_gaps

# M. A. Petroff. Accessible color sequences for data visualization. 2021,
# arXiv:2107.02270. Readers with colour vision deficiency can distinguish them.
COLORS = (
    "#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6",
    "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd",
)  # fmt: skip
# From the eleventh cluster on, colours are repeated with another marker.
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")
NOISE_COLOR = "#606060"  # of samples without a cluster, drawn as small crosses


def cluster_color(h: int) -> str:
    """Return the colour of a cluster."""
    return NOISE_COLOR if h < 0 else COLORS[h % len(COLORS)]


def cluster_marker(h: int) -> str:
    """Return the marker of a cluster."""
    return MARKERS[h // len(COLORS) % len(MARKERS)] if h >= 0 else "+"


class PrincipalPlane(NamedTuple):
    """Samples on the first two principal components."""

    positions: np.ndarray  # (n, 2)
    shares: np.ndarray  # of the variance


def principal_plane(X: Any) -> PrincipalPlane:
    """Return the first two principal components, and their shares of the variance.

    The largest weight of each component is positive, so that equal samples give equal
    plots. The second component of a single feature is zero.
    """
    if sp.issparse(X) and min(X.shape) <= 2:  # too small for a sparse solver
        X = X.toarray()
    if not sp.issparse(X):
        X = np.asarray(X, dtype=np.float64)
    if X.shape[1] == 1:
        X = np.column_stack([X, np.zeros(len(X))])
    n_components = min(2, *X.shape)
    solver = "arpack" if sp.issparse(X) else "full" if X.shape[1] < 50 else "auto"
    model = PCA(n_components, svd_solver=solver, random_state=0).fit(X)
    weights = model.components_
    largest = np.abs(weights).argmax(axis=1)
    signs = np.sign(weights[np.arange(n_components), largest])
    positions = model.transform(X) * np.where(signs == 0, 1.0, signs)
    shares = np.nan_to_num(model.explained_variance_ratio_)
    if n_components < 2:
        positions = np.column_stack([positions, np.zeros(len(X))])
        shares = np.array([shares[0], 0.0])
    return PrincipalPlane(positions, shares)


def margins(decisions: np.ndarray) -> np.ndarray:
    """Return the difference of the two largest decision values of each sample."""
    return np.abs(decisions) if decisions.ndim == 1 else decision_gaps(decisions)


def opacity_of(gaps: np.ndarray) -> np.ndarray:
    """Return opacities: 0.25 at margin zero, 1 from the median margin on."""
    median = np.median(gaps) if len(gaps) else 1.0
    return 0.25 + 0.75 * np.clip(gaps / max(median, np.finfo(float).tiny), 0.0, 1.0)


def new_figure() -> Any:
    """Return a new figure of pyplot."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Plots need matplotlib: pip install 'maxmargin[plot]'."
        ) from None

    return plt.figure(layout="constrained")


def get_axes(ax: Any) -> Any:
    """Return the given axes, or new ones if ``ax`` is None."""
    return new_figure().subplots() if ax is None else ax


class Display(ABC):
    """A plot on one pair of axes; subclasses draw on them."""

    def plot(self, *, ax: Any = None) -> Self:
        """Plot on axes.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New axes by default.

        Returns
        -------
        display : object
            This display.
        """
        ax = get_axes(ax)
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on the axes."""


def add_panels(
    figure: Any,
    n_panels: int,
    n_columns: int,
    size: tuple[float, float],
    **options: Any,
) -> np.ndarray:
    """Add axes to a figure, of a size in inches, in rows of at most ``n_columns``."""
    n_columns = min(n_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    figure.set_size_inches(size[0] * n_columns, size[1] * n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    for ax in axes.flat[n_panels:]:
        ax.set_axis_off()
    return axes


def scatter_clusters(
    ax: Any,
    positions: np.ndarray,
    labels: np.ndarray,
    opacity: np.ndarray | None = None,
    size: float = 18,
) -> None:
    """Draw samples in the colours of their clusters, each with its opacity."""
    for h in np.unique(labels):
        own = labels == h
        ax.scatter(
            positions[own, 0],
            positions[own, 1],
            s=size,
            color=cluster_color(h),
            marker=cluster_marker(h),
            alpha=None if opacity is None else opacity[own],
            linewidths=0 if h >= 0 else 0.5,
        )


def add_legend(ax: Any, labels: np.ndarray) -> None:
    """Add a legend of the clusters beside the axes."""
    from matplotlib.lines import Line2D

    clusters = np.unique(labels)
    handles = [
        Line2D(
            [], [], linestyle="", marker=cluster_marker(h), color=cluster_color(h),
            label=f"{h}" if h >= 0 else "none",
        )
        for h in clusters
    ]  # fmt: skip
    ax.legend(
        handles=handles,
        title="cluster",
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        ncols=1 + (len(clusters) - 1) // 15,
    )
