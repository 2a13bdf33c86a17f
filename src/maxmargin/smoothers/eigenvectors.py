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
from scipy.sparse import csr_array, diags_array

from maxmargin.compiled import compiled
from maxmargin.rows.threads import for_blocks, map_blocks
from maxmargin.search.eigenpairs import largest_eigenpairs
from maxmargin.smoothers.spanning_tree import connected_parts

# Graphs with fewer samples than this, or than this number per vector, are solved with a
# dense solver.
DENSE_SIZE = 400
DENSE_PER_VECTOR = 5
N_MORE = 5  # additional vectors: the last ones converge slowly
N_REFINEMENTS = 2  # on each level
DEGREE = 10  # of the polynomial
MIN_EIGENVALUE = 1e-5  # of inner products in single precision, of the largest one
ROWS_PER_BLOCK, MAX_BLOCKS = 1024, 64


class GraphLevel(NamedTuple):
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
        values, vectors = largest_eigenpairs(similarity, n_vectors)
        return np.maximum(1.0 - values, 0.0), vectors
    components = connected_parts(graph)
    constant = _constant_vectors(degrees, components)
    largest = np.argsort(np.bincount(components), kind="stable")[-n_vectors:]
    constant = constant[:, largest].toarray()
    n_rest = n_vectors - constant.shape[1]
    if n_rest == 0:
        return np.zeros(n_vectors), constant
    levels = _coarsen(GraphLevel(graph, degrees, components, None), n_vectors)
    values, vectors = _solve_coarsest(levels[-1], n_rest + N_MORE)
    for level, coarser in zip(levels[-2::-1], levels[:0:-1], strict=True):
        vectors = _interpolate(vectors, level, coarser)
        similarity = _Product(level)
        for _ in range(N_REFINEMENTS):
            values, vectors = _refine(values, vectors, similarity)
    values, vectors = values[-n_rest:], vectors[:, -n_rest:]
    values = np.concatenate([np.maximum(1.0 - values, 0.0), np.zeros(len(largest))])
    return values, _join_columns(vectors, constant)


def _join_columns(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    result = np.empty((len(left), left.shape[1] + right.shape[1]))

    def fill(rows: slice) -> None:
        result[rows, : left.shape[1]] = left[rows]
        result[rows, left.shape[1] :] = right[rows]

    for_blocks(fill, len(left), ROWS_PER_BLOCK)
    return result


def _similarity(graph, degrees: np.ndarray) -> Any:
    roots = diags_array((1.0 / np.sqrt(degrees)).astype(graph.dtype))
    return (roots @ graph @ roots).tocsr()


def _constant_vectors(degrees: np.ndarray, components: np.ndarray) -> Any:
    """Return the vectors of eigenvalue zero: on a component the roots of degrees."""
    lengths = np.sqrt(np.bincount(components, degrees))
    entries = np.sqrt(degrees) / lengths[components]
    starts = np.arange(len(degrees) + 1)
    return csr_array((entries, components, starts), shape=(len(degrees), len(lengths)))


def _coarsen(finest: GraphLevel, n_vectors: int) -> list[GraphLevel]:
    """Return the levels from the finest to one that a dense solver can take."""
    size = max(DENSE_SIZE, DENSE_PER_VECTOR * n_vectors)
    levels = [finest._replace(graph=finest.graph.astype(np.float32))]
    while levels[-1].graph.shape[0] > size:
        graph, degrees, components, _ = levels[-1]
        groups = np.full(len(degrees), -1, np.int32)
        n_groups = merge_nodes(graph.indptr, graph.indices, graph.data, degrees, groups)
        coarse = merge_edges(groups, n_groups, graph)
        parts = np.empty(n_groups, components.dtype)
        parts[groups] = components
        levels.append(GraphLevel(coarse, np.bincount(groups, degrees), parts, groups))
    return levels


def merge_edges(groups: np.ndarray, n_groups: int, graph) -> Any:
    """Return ``P' W P``, a block of the groups in a thread.

    ``groups`` are those of the nodes. The columns of a row are in increasing order.
    """
    members, bounds = list_members(groups, n_groups)
    entries = (graph.indptr, graph.indices, graph.data)

    def merge(rows: slice) -> tuple[np.ndarray, ...]:
        merged: tuple[np.ndarray, ...] = merge_rows(
            entries, groups, n_groups, members, bounds, rows.start, rows.stop
        )
        return merged

    # Each block has an array of all groups, so that there must not be many blocks.
    size = max(ROWS_PER_BLOCK, -(-n_groups // MAX_BLOCKS))
    return csr_of_parts(map_blocks(merge, n_groups, size), n_groups)


def csr_of_parts(parts: list[tuple[np.ndarray, ...]], n_columns: int) -> Any:
    """Return a sparse matrix of blocks of rows, each copied in a thread.

    A block has the numbers of entries of its rows, their columns and their values.
    """
    counts = np.concatenate([part[0] for part in parts])
    ends = np.cumsum([len(part[1]) for part in parts])
    columns = np.empty(ends[-1], parts[0][1].dtype)
    values = np.empty(ends[-1], parts[0][2].dtype)

    def copy(one: slice) -> None:
        own = parts[one.start]
        place = slice(ends[one.start] - len(own[1]), ends[one.start])
        columns[place], values[place] = own[1], own[2]

    for_blocks(copy, len(parts), block_rows=1)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(columns.dtype)
    return csr_array((values, columns, starts), shape=(len(counts), n_columns))


@compiled
def list_members(groups, n_groups):
    """Return the nodes group by group in their order, and where each group begins."""
    bounds = np.zeros(n_groups + 1, np.int64)
    for group in groups:
        bounds[group + 1] += 1
    bounds = np.cumsum(bounds)
    members, free = np.empty(len(groups), np.int64), bounds.copy()
    for i in range(len(groups)):
        members[free[groups[i]]] = i
        free[groups[i]] += 1
    return members, bounds


@compiled
def merge_rows(entries, groups, n_groups, members, bounds, first, last):
    """Return the numbers of entries of some rows of ``P' W P``, columns and values."""
    starts, columns, values = entries
    total = 0
    for m in range(bounds[first], bounds[last]):
        total += starts[members[m] + 1] - starts[members[m]]
    counts = np.empty(last - first, np.int64)
    new_columns = np.empty(total, columns.dtype)
    new_values = np.empty(total, values.dtype)
    places = np.full(n_groups, -1)  # of the entry of a group, if in the present row
    end = 0
    for h in range(first, last):
        begin = end
        for m in range(bounds[h], bounds[h + 1]):
            for e in range(starts[members[m]], starts[members[m] + 1]):
                g = groups[columns[e]]
                if places[g] < begin:
                    places[g] = end
                    new_columns[end], new_values[end] = g, values[e]
                    end += 1
                else:
                    new_values[places[g]] += values[e]
        order = np.argsort(new_columns[begin:end])
        new_columns[begin:end] = new_columns[begin:end][order]
        new_values[begin:end] = new_values[begin:end][order]
        counts[h - first] = end - begin
    return counts, new_columns[:end], new_values[:end]


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


def _solve_coarsest(level: GraphLevel, n_vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the leading eigenvalues and vectors, but for those of components."""
    similarity = _similarity(level.graph.astype(np.float64), level.degrees).toarray()
    constant = _constant_vectors(level.degrees, level.components).toarray()
    similarity -= 2.0 * constant @ constant.T  # from the largest to the smallest
    return largest_eigenpairs(similarity, min(n_vectors, len(similarity)))


def _interpolate(
    vectors: np.ndarray, level: GraphLevel, coarser: GraphLevel
) -> np.ndarray:
    assert coarser.groups is not None
    groups, coarse = coarser.groups, vectors.astype(np.float32)
    shares = np.sqrt(level.degrees / coarser.degrees[groups]).astype(np.float32)
    result = np.empty((len(groups), vectors.shape[1]), np.float32)

    def fill(rows: slice) -> None:
        result[rows] = coarse[groups[rows]] * shares[rows, None]

    for_blocks(fill, len(groups), ROWS_PER_BLOCK)
    return result


def _refine(
    values: np.ndarray, vectors: np.ndarray, similarity: "_Product"
) -> tuple[np.ndarray, np.ndarray]:
    """Return better eigenvalues and vectors, the largest value last.

    The polynomial is small on the eigenvalues from -1 to the smallest one to be found,
    and grows beyond.
    """
    bound = float(np.clip(values[0], 0.0, 0.999))
    vectors = _filter(similarity, vectors, bound)
    similarity.remove_constant(vectors)
    vectors = _orthonormal(vectors)
    outer = _inner_products(vectors, similarity(vectors))
    values, turn = np.linalg.eigh((outer + outer.T) / 2)
    return values, _turn(vectors, turn)


def _orthonormal(vectors: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the same space.

    With the norms ``N`` of the columns and ``N^-1 V'V N^-1 = E diag(e) E'`` it is
    ``V N^-1 E diag(e)^-1/2``. Where columns are dependent up to rounding, the basis has
    short vectors.
    """
    products = _inner_products(vectors, vectors)
    norms = np.maximum(np.sqrt(np.diagonal(products)), np.finfo(np.float32).tiny)
    values, turn = np.linalg.eigh(products / norms / norms[:, None])
    scales = 1.0 / np.sqrt(np.maximum(values, MIN_EIGENVALUE * values[-1]))
    return _turn(vectors, turn * scales / norms[:, None])


def _inner_products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return those of the columns, the sum over blocks in double precision."""

    def multiply(rows: slice) -> np.ndarray:
        return (left[rows].T @ right[rows]).astype(np.float64)

    return np.asarray(sum(map_blocks(multiply, len(left), ROWS_PER_BLOCK)))


def _turn(vectors: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Return the product with a small matrix in single precision."""
    matrix = matrix.astype(np.float32)
    result = np.empty((len(vectors), matrix.shape[1]), np.float32)

    def fill(rows: slice) -> None:
        np.matmul(vectors[rows], matrix, out=result[rows])

    for_blocks(fill, len(vectors), ROWS_PER_BLOCK)
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
    current = similarity(vectors, center, ratio / radius)
    for _ in range(DEGREE - 1):
        following = 1.0 / (2.0 / first - ratio)
        after = similarity(
            current, center, 2.0 * following / radius, previous, ratio * following
        )
        previous, current, ratio = current, after, following
    return current


class _Product:
    """Products of ``A`` of a level with dense columns, a block of rows a thread."""

    def __init__(self, level: GraphLevel):
        graph, degrees = level.graph, level.degrees
        roots = (1.0 / np.sqrt(degrees)).astype(np.float32)

        def scale(rows: slice) -> Any:
            block = graph[rows]
            block.data *= np.repeat(roots[rows], np.diff(block.indptr))
            block.data *= roots[block.indices]
            return block

        self.blocks = map_blocks(scale, len(degrees), ROWS_PER_BLOCK)
        constant = _constant_vectors(degrees, level.components)
        self.constant = constant.astype(np.float32)

    def __call__(
        self,
        columns: np.ndarray,
        shift: float = 0.0,
        factor: float = 1.0,
        previous: np.ndarray | None = None,
        share: float = 0.0,
    ) -> np.ndarray:
        """Return ``factor (A - shift I) columns - share previous``."""
        result = np.empty_like(columns)

        def fill(rows: slice) -> None:
            product = self.blocks[rows.start // ROWS_PER_BLOCK] @ columns
            if shift:
                product -= np.float32(shift) * columns[rows]
            product *= np.float32(factor)
            if previous is not None:
                product -= np.float32(share) * previous[rows]
            result[rows] = product

        for_blocks(fill, len(columns), ROWS_PER_BLOCK)
        return result

    def remove_constant(self, columns: np.ndarray) -> None:
        """Project columns on what is orthogonal to the vectors of components, in place.

        A block has at least as many rows as there are components, so that adding up the
        products of blocks does not cost more than these.
        """
        constant = self.constant
        n_rows, size = constant.shape

        def multiply(rows: slice) -> np.ndarray:
            return np.asarray(constant[rows].T @ columns[rows])

        def subtract(rows: slice) -> None:
            columns[rows] -= constant[rows] @ products

        products = sum(map_blocks(multiply, n_rows, max(size, ROWS_PER_BLOCK)))
        for_blocks(subtract, n_rows, ROWS_PER_BLOCK)
