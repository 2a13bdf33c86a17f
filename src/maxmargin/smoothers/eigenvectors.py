"""The smoothest eigenvectors of the normalised Laplacian of a graph.

They are the leading ones of ``A = D^-1/2 W D^-1/2``, with the edge weights ``W`` and
the degrees ``D``. Clusters that are hardly connected have eigenvalues close to one
another and to 1, where methods for a sparse matrix need many steps. So the graph is
coarsened first [1]_: pairs of strongly connected samples are merged, level by level,
until a dense solver takes no time. On the way back, the vectors of a level are the
start on the next finer one. What such a start lacks are oscillations within merged
groups; a Chebyshev polynomial of A removes them [2]_, and a Rayleigh-Ritz step finds
the best vectors of the space. With the indicators ``P`` of the groups, the coarse graph
``P' W P`` has the degrees ``P' D P``, and ``D^1/2 P (P' D P)^-1/2``, whose columns are
orthonormal, carries vectors back.

References
----------
.. [1] S. T. Barnard, H. D. Simon. Fast multilevel implementation of recursive spectral
   bisection for partitioning unstructured problems. Concurrency: Practice and
   Experience 6(2), 1994. doi:10.1002/cpe.4330060203
.. [2] Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky. Self-consistent-field
   calculations using Chebyshev-filtered subspace iteration. Journal of Computational
   Physics 219(1), 2006. doi:10.1016/j.jcp.2006.03.017
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array, vstack
from scipy.sparse.csgraph import connected_components

from maxmargin.compiled import compiled
from maxmargin.rows.threads import for_blocks, map_blocks

# Graphs with fewer samples than this, or than this number per vector, are solved with a
# dense solver.
DENSE_SIZE = 400
DENSE_PER_VECTOR = 5
N_MORE = 5  # additional vectors: the last ones converge slowly
N_REFINEMENTS = 2  # on each level
DEGREE = 10  # of the polynomial
MIN_EIGENVALUE = 1e-5  # of inner products in single precision, of the largest one
ROWS_PER_BLOCK = 8192


class Level(NamedTuple):
    """A graph, and the groups of the next finer graph that are its nodes."""

    graph: Any  # (n, n), edge weights
    degrees: np.ndarray  # (n,)
    components: np.ndarray  # (n,), the connected component of each node
    groups: np.ndarray | None  # of the nodes of the finer graph; None for the finest


def smoothest_vectors(graph, n_vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest eigenvalues of the normalised Laplacian and their vectors.

    They are in decreasing order of the eigenvalues, the smoothest last. Vectors of
    eigenvalue zero, one for each connected component, are exact, those of the largest
    components last. The others are approximate in graphs that are too large for a dense
    solver.
    """
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    degrees = np.maximum(degrees, np.finfo(np.float32).tiny)  # a sample alone has none
    if graph.shape[0] <= DENSE_SIZE or n_vectors >= graph.shape[0] - 1:
        similarity = _similarity(graph, degrees).toarray()
        size = graph.shape[0]
        last = (size - n_vectors, size - 1)
        values, vectors = eigh(similarity, subset_by_index=last, overwrite_a=True)
        return np.maximum(1.0 - values, 0.0), vectors
    _, components = connected_components(graph, directed=False)
    constant = _constant_vectors(degrees, components)
    largest = np.argsort(np.bincount(components), kind="stable")[-n_vectors:]
    constant = constant[:, largest].toarray()
    n_rest = n_vectors - constant.shape[1]
    if n_rest == 0:
        return np.zeros(n_vectors), constant
    levels = _coarsen(Level(graph, degrees, components, None), n_vectors)
    values, vectors = _solve_coarsest(levels[-1], n_rest + N_MORE)
    for level, coarser in zip(levels[-2::-1], levels[:0:-1], strict=True):
        vectors = _interpolate(vectors, level, coarser)
        for _ in range(N_REFINEMENTS):
            values, vectors = _refine(values, vectors, level)
    values, vectors = values[-n_rest:], vectors[:, -n_rest:]
    values = np.concatenate([np.maximum(1.0 - values, 0.0), np.zeros(len(largest))])
    return values, np.concatenate([vectors, constant], axis=1, dtype=np.float64)


def _similarity(graph, degrees: np.ndarray) -> Any:
    roots = diags_array((1.0 / np.sqrt(degrees)).astype(graph.dtype))
    return (roots @ graph @ roots).tocsr()


def _constant_vectors(degrees: np.ndarray, components: np.ndarray) -> Any:
    """Return the vectors of eigenvalue zero: on a component the roots of degrees."""
    lengths = np.sqrt(np.bincount(components, degrees))
    entries = np.sqrt(degrees) / lengths[components]
    starts = np.arange(len(degrees) + 1)
    return csr_array((entries, components, starts), shape=(len(degrees), len(lengths)))


def _coarsen(finest: Level, n_vectors: int) -> list[Level]:
    """Return the levels from the finest to one that a dense solver can take."""
    size = max(DENSE_SIZE, DENSE_PER_VECTOR * n_vectors)
    levels = [finest._replace(graph=finest.graph.astype(np.float32))]
    while levels[-1].graph.shape[0] > size:
        graph, degrees, components, _ = levels[-1]
        groups = np.full(len(degrees), -1, np.int32)
        n_groups = merge_nodes(graph.indptr, graph.indices, graph.data, degrees, groups)
        starts = np.arange(len(groups) + 1)
        ones = np.ones(len(groups), np.float32)
        members = csr_array((ones, groups, starts), shape=(len(groups), n_groups))
        coarse = merge_edges(members, graph)
        parts = np.empty(n_groups, components.dtype)
        parts[groups] = components
        levels.append(Level(coarse, np.bincount(groups, degrees), parts, groups))
    return levels


def merge_edges(members, graph) -> Any:
    """Return ``P' W P``, a block of the groups in a thread."""
    groups = members.T.tocsr()

    def merge(block: slice) -> Any:
        return groups[block] @ graph @ members

    return vstack(map_blocks(merge, groups.shape[0], ROWS_PER_BLOCK), format="csr")


@compiled
def merge_nodes(starts, columns, weights, degrees, groups):
    """Pair each node with a free neighbour; return the number of groups.

    Of the free neighbours the one is taken with the largest weight per degree. A node
    without a free neighbour joins the group of one that is not free.
    """
    n_groups = 0
    for want_free in (True, False):
        for i in range(len(groups)):
            if groups[i] >= 0:
                continue
            best, strongest = -1, 0.0
            for e in range(starts[i], starts[i + 1]):
                j = columns[e]
                strength = weights[e] / degrees[j]
                if j != i and (groups[j] < 0) == want_free and strength > strongest:
                    best, strongest = j, strength
            if best < 0:
                if not want_free:  # a component of one node
                    groups[i] = n_groups
                    n_groups += 1
            elif want_free:
                groups[i] = groups[best] = n_groups
                n_groups += 1
            else:
                groups[i] = groups[best]
    return n_groups


def _solve_coarsest(level: Level, n_vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the leading eigenvalues and vectors, but for those of components."""
    similarity = _similarity(level.graph.astype(np.float64), level.degrees).toarray()
    constant = _constant_vectors(level.degrees, level.components).toarray()
    similarity -= 2.0 * constant @ constant.T  # from the largest to the smallest
    n_nodes = len(similarity)
    n_vectors = min(n_vectors, n_nodes)
    return eigh(similarity, subset_by_index=(n_nodes - n_vectors, n_nodes - 1))


def _interpolate(vectors: np.ndarray, level: Level, coarser: Level) -> np.ndarray:
    shares = np.sqrt(level.degrees / coarser.degrees[coarser.groups])
    return (
        vectors.astype(np.float32)[coarser.groups] * shares.astype(np.float32)[:, None]
    )


def _refine(
    values: np.ndarray, vectors: np.ndarray, level: Level
) -> tuple[np.ndarray, np.ndarray]:
    """Return better eigenvalues and vectors, the largest value last.

    The polynomial is small on the eigenvalues from -1 to the smallest one to be found,
    and grows beyond.
    """
    similarity = _Product(_similarity(level.graph, level.degrees))
    bound = float(np.clip(values[0], 0.0, 0.999))
    vectors = _filter(similarity, vectors, bound)
    constant = _constant_vectors(level.degrees, level.components).astype(np.float32)
    vectors -= constant @ (constant.T @ vectors)
    vectors = _orthonormal(vectors)
    outer = (vectors.T @ similarity(vectors)).astype(np.float64)
    values, turn = np.linalg.eigh((outer + outer.T) / 2)
    return values, vectors @ turn.astype(np.float32)


def _orthonormal(vectors: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the same space.

    With ``V'V = E diag(e) E'`` it is ``V E diag(e)^-1/2``. Where columns are dependent
    up to rounding, the basis has short vectors.
    """
    vectors /= np.maximum(np.linalg.norm(vectors, axis=0), np.finfo(np.float32).tiny)
    values, turn = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    scales = 1.0 / np.sqrt(np.maximum(values, MIN_EIGENVALUE * values[-1]))
    result: np.ndarray = vectors @ (turn * scales).astype(np.float32)
    return result


def _filter(similarity: "_Product", vectors: np.ndarray, bound: float) -> np.ndarray:
    """Return ``T(A) V / T(1)``, T the Chebyshev polynomial of [-1, bound].

    The recurrence ``T_q+1 = 2 s T_q - T_q-1`` is scaled by the values at 1, as
    otherwise numbers overflow.
    """
    center, radius = (bound - 1.0) / 2, (bound + 1.0) / 2
    first = radius / (1.0 - center)
    ratio = first
    previous = vectors
    current = similarity(vectors, shift=center)
    current *= np.float32(ratio / radius)
    for _ in range(DEGREE - 1):
        following = 1.0 / (2.0 / first - ratio)
        after = similarity(current, shift=center)
        after *= np.float32(2.0 * following / radius)
        previous *= np.float32(ratio * following)
        after -= previous
        previous, current, ratio = current, after, following
    return current


class _Product:
    """The product of a sparse matrix with dense columns, a block of rows a thread."""

    def __init__(self, matrix):
        n_rows = matrix.shape[0]
        self.blocks = [
            matrix[start : start + ROWS_PER_BLOCK]
            for start in range(0, n_rows, ROWS_PER_BLOCK)
        ]

    def __call__(self, columns: np.ndarray, shift: float = 0.0) -> np.ndarray:
        """Return ``(A - shift I) columns``."""
        result = np.empty_like(columns)

        def fill(rows: slice) -> None:
            product = self.blocks[rows.start // ROWS_PER_BLOCK] @ columns
            if shift:
                product -= np.float32(shift) * columns[rows]
            result[rows] = product

        for_blocks(fill, len(columns), ROWS_PER_BLOCK)
        return result
