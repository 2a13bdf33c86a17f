"""`HistoryDisplay`: the objective of a search after each round."""

from typing import Any, Self

import numpy as np

from maxmargin.plots.style import COLORS, Display


class HistoryDisplay(Display):
    """The objective at the start of a search and after each of its rounds.

    Parameters
    ----------
    histories : mapping of str to array-like
        The objectives of each search, by name.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import MaxMarginClustering
    >>> from maxmargin.plots import HistoryDisplay
    >>> X, _ = load_iris(return_X_y=True)
    >>> clusters = MaxMarginClustering(3, kernel="rbf", random_state=0).fit(X)
    >>> display = HistoryDisplay.from_estimator(clusters)
    """

    def __init__(self, histories: Any) -> None:
        self.histories = histories

    @classmethod
    def from_estimator(
        cls, *estimators: Any, names: Any = None, ax: Any = None
    ) -> Self:
        """Plot the searches of fitted clusterers.

        Parameters
        ----------
        *estimators : object
            Fitted clusterers with ``history_``.
        names : sequence of str, default=None
            Names in the legend; by default the names of the classes.
        ax : matplotlib Axes, default=None
            New axes by default.

        Returns
        -------
        display : HistoryDisplay
        """
        if names is None:
            kinds = [type(estimator).__name__ for estimator in estimators]
            names = [
                kind if kinds.count(kind) == 1 else f"{kind} {j + 1}"
                for j, kind in enumerate(kinds)
            ]
        histories = {
            name: np.asarray(estimator.history_)
            for name, estimator in zip(names, estimators, strict=True)
        }
        return cls(histories).plot(ax=ax)

    def _draw(self, ax):
        styles = ("-", "--", ":", "-.")
        for j, (name, values) in enumerate(self.histories.items()):
            ax.plot(
                np.arange(len(values)), values, marker=".", label=name,
                color=COLORS[j % len(COLORS)], linestyle=styles[j % len(styles)],
            )  # fmt: skip
        ax.set(xlabel="round", ylabel="objective")
        ax.xaxis.get_major_locator().set_params(integer=True)
        if len(self.histories) > 1:
            ax.legend(frameon=False)
