"""A binary tree of splits."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(eq=False)
class SplitNode:
    """A set of samples, and its split in two."""

    indices: np.ndarray  # row numbers of the samples
    margin: float = -np.inf  # of the split, if there is one
    children: "tuple[SplitNode, SplitNode] | None" = None  # None for a leaf
    estimator: Any = None  # the fitted clusterer that assigns samples to the children
    label: int | None = None  # the cluster of a leaf
    # A split that is not made yet: the fitted clusterer and its labels.
    candidate: tuple[Any, np.ndarray] | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Return the number of samples."""
        return len(self.indices)

    def split(self) -> "tuple[SplitNode, SplitNode]":
        """Make the stored split and return the parts."""
        assert self.candidate is not None
        self.estimator, labels = self.candidate
        self.candidate = None
        self.children = (
            SplitNode(self.indices[labels == 0]),
            SplitNode(self.indices[labels == 1]),
        )
        return self.children

    def describe(self) -> str:
        """Return the size, and the cluster or the margin, as text."""
        unit = "sample" if self.size == 1 else "samples"
        if self.children is None:
            return f"cluster {self.label}: {self.size} {unit}"
        return f"{self.size} {unit}, margin {self.margin:.2f}"

    def to_text(self) -> str:
        """Return the tree below the node, a line for each split and each cluster."""
        lines = [self.describe()]
        for position, child in enumerate(self.children or ()):
            first, later = ("├── ", "│   ") if position == 0 else ("└── ", "    ")
            head, *rest = child.to_text().splitlines()
            lines += [first + head, *(later + line for line in rest)]
        return "\n".join(lines)
