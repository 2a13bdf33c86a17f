"""The similarities of samples that estimators, command and page know, in one table.

The parameter ``kernel`` of an estimator is the name of one of them, or a function of
two samples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

__all__ = ["SIMILARITIES", "Similarity"]


@dataclass(frozen=True)
class Similarity:
    """How samples are compared.

    Attributes
    ----------
    name : str or callable
        The value of the parameter ``kernel``.
    label : str or None
        What the page calls it; None if the page does not offer it.
    graph : bool
        Whether samples are compared by the graph of their nearest neighbours.
    kernel : str, callable or None
        The kernel: without a graph the only one, with a graph one that is tried as
        well.
    transform : str or None
        What is done to each row first, a name in `maxmargin.rows.preparation`.
    counts : bool
        Whether rows of counts are compared as proportions.
    """

    name: str | Callable[..., float]
    label: str | None = None
    graph: bool = False
    kernel: str | Callable[..., float] | None = None
    transform: str | None = None
    counts: bool = False


KERNELS = (*sorted(PAIRWISE_KERNEL_FUNCTIONS), "precomputed")
_LABELS = {"rbf": "radial kernel", "linear": "linear kernel"}

SIMILARITIES = {
    str(one.name): one
    for one in (
        Similarity("auto", "automatic", graph=True, kernel="rbf", counts=True),
        Similarity("neighbors", "neighbour graph", graph=True),
        *(Similarity(name, _LABELS.get(name), kernel=name) for name in KERNELS),
    )
}


def similarity_of(kernel: Any) -> Similarity:
    """Return the similarity of the parameter ``kernel``, or raise an error."""
    if callable(kernel):
        return Similarity(kernel, kernel=kernel)
    if not isinstance(kernel, str) or kernel not in SIMILARITIES:
        raise ValueError(
            f"kernel={kernel!r} is not known: use one of {tuple(SIMILARITIES)} or a "
            "function of two samples."
        )
    return SIMILARITIES[kernel]
