"""``maxmargin compare``: several clustering methods on one table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from maxmargin import progress
from maxmargin.cli import options

if TYPE_CHECKING:
    import numpy as np
    from sklearn.base import BaseEstimator

    from maxmargin.tables.preprocessing import TableOptions

Method = Callable[[int], "BaseEstimator"]  # takes a number that is added to the seed

MIN_ROWS = 10


class Comparison(NamedTuple):
    """The clusters of one method, and their scores."""

    method: str
    failed: str | None = None  # the reason
    labels: np.ndarray | None = None
    seconds: float | None = None
    sizes: Sequence[int] | None = None
    silhouette: float | None = None
    stability: float | None = None
    adjusted_rand_index: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return all fields except the labels, without those that are None."""
        values = {**self._asdict(), "labels": None}
        return {name: value for name, value in values.items() if value is not None}


@click.command()
@click.argument("table", type=options.INPUT)
@options.clusters_option
@options.table_options
@options.label_option
@click.option(
    "--rows",
    type=click.IntRange(min=MIN_ROWS),
    default=2000,
    show_default=True,
    help="Largest number of rows, drawn at random: some methods need n^2 memory.",
)
@options.seed_option
@click.option("--picture", type=options.OUTPUT, help="Write a plot of all clusterings.")
@options.output_options
def compare(
    table: str,
    table_options: TableOptions,
    clusters: int | str,
    label: str | None,
    rows: int,
    seed: int,
    picture: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Cluster TABLE with several methods and compare them.

    Silhouette and stability (the overlap of a cluster with the most similar one found
    in a random half of the rows) need no labels.

    \b
    maxmargin compare customers.csv -k 5 --picture compare.png
    """  # noqa: D301
    import numpy as np

    from maxmargin.cli.console import print_json, print_note
    from maxmargin.cli.files import check_outputs, load_samples
    from maxmargin.files import write_files

    outputs = check_outputs(force, picture=picture)
    samples = load_samples(table, table_options, label)
    random = np.random.RandomState(seed)
    X, truth, notes = samples.X, samples.labels, list(samples.notes)
    if len(X) < MIN_ROWS:
        raise click.ClickException(
            f"{table} has {len(X)} rows: at least {MIN_ROWS} are needed."
        )
    if len(X) > rows:
        drawn = np.sort(random.choice(len(X), rows, replace=False))
        X, truth = X[drawn], None if truth is None else truth[drawn]
        notes.append(f"{len(drawn):,} of {len(samples.X):,} rows, drawn at random")
    n_clusters = _count_clusters(X, clusters, seed)
    found = _compare(make_methods(n_clusters, seed), X, truth, random)
    if picture:
        write_files({picture: lambda file: _plot(X, found, file)}, force)
    if as_json:
        methods = [one.to_json() for one in found]
        result = {"rows": len(X), "n_clusters": n_clusters, "methods": methods,
                  "notes": notes, "files": outputs}  # fmt: skip
        print_json(result)
        return
    for text in notes:
        print_note(text)
    click.echo(f"{len(X):,} rows, {X.shape[1]} features, {n_clusters} clusters")
    _print(found, truth is not None)
    if picture:
        click.echo(f"picture: {picture}")


def make_methods(n_clusters: int, seed: int) -> dict[str, Method]:
    """Return the methods by name, with default parameters."""
    from sklearn.cluster import (
        HDBSCAN,
        AgglomerativeClustering,
        KMeans,
        SpectralClustering,
    )
    from sklearn.mixture import GaussianMixture

    from maxmargin import (
        CuttingPlaneMaxMarginClustering,
        MaxMarginClustering,
        RecursiveBisection,
    )

    def make(kind: Any, step: int, **parameters: Any) -> BaseEstimator:
        return kind(random_state=(seed + step) % 2**31, **parameters)

    def seeded(kind: Any, **parameters: Any) -> Method:
        return partial(make, kind, **parameters)

    return {
        "max margin": seeded(MaxMarginClustering, n_clusters=n_clusters),
        "max margin, equal": seeded(
            MaxMarginClustering, n_clusters=n_clusters, balance="equal"
        ),
        "cutting planes": seeded(
            CuttingPlaneMaxMarginClustering, n_clusters=n_clusters
        ),
        "bisection": seeded(RecursiveBisection, n_clusters=n_clusters),
        "k-means": seeded(KMeans, n_clusters=n_clusters, n_init=10),
        "mixture": seeded(GaussianMixture, n_components=n_clusters, reg_covar=1e-3),
        "spectral": seeded(
            SpectralClustering, n_clusters=n_clusters, affinity="nearest_neighbors"
        ),
        "Ward": lambda step: AgglomerativeClustering(n_clusters),
        "HDBSCAN": lambda step: HDBSCAN(copy=True),
    }


def _count_clusters(X: np.ndarray, clusters: int | str, seed: int) -> int:
    """Return the number of clusters.

    A small fit compiles the code before the methods are timed.
    """
    from maxmargin import MaxMarginClustering
    from maxmargin.cli.console import progress_bar

    if clusters != "auto":
        MaxMarginClustering(2, random_state=seed).fit(X[: min(len(X), 200)])
        return int(clusters)
    with progress_bar("selecting the number of clusters"):
        fitted = MaxMarginClustering("auto", random_state=seed).fit(X)
    return int(fitted.n_clusters_)


def _compare(
    methods: dict[str, Method],
    X: np.ndarray,
    truth: np.ndarray | None,
    random: np.random.RandomState,
) -> list[Comparison]:
    from maxmargin.cli.console import progress_bar

    found = []
    with progress_bar("comparing methods"):
        for number, (name, make) in enumerate(methods.items()):
            with progress.step(number, len(methods)):
                found.append(_evaluate(name, make, X, truth, random))
    return found


def _evaluate(
    name: str,
    make: Method,
    X: np.ndarray,
    truth: np.ndarray | None,
    random: np.random.RandomState,
) -> Comparison:
    """Fit a method and compute its scores."""
    import warnings

    import numpy as np
    from sklearn.metrics import adjusted_rand_score, silhouette_score

    from maxmargin.selection.stability import cluster_stability

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            with progress.step(0, 2):
                labels = make(0).fit_predict(X)
        except ValueError as error:
            return Comparison(name, failed=" ".join(str(error).split()))
        seconds = round(time.perf_counter() - start, 3)
        with progress.step(1, 2):
            stability = cluster_stability(
                lambda part, seed: make(seed).fit_predict(X[part]), labels, random
            )
    sizes = np.bincount(labels[labels >= 0])
    present, inside = sizes > 0, labels >= 0
    several = present.sum() > 1
    return Comparison(
        name,
        labels=labels,
        seconds=seconds,
        sizes=np.sort(sizes[present])[::-1].tolist(),
        silhouette=float(silhouette_score(X[inside], labels[inside]))
        if several
        else None,
        stability=float(np.average(stability[present], weights=sizes[present]))
        if several
        else None,
        adjusted_rand_index=None
        if truth is None
        else float(adjusted_rand_score(truth.astype(str), labels)),
    )


def _print(found: list[Comparison], with_truth: bool) -> None:
    from maxmargin.cli.console import print_table

    header = ["method", "seconds", "silhouette", "stability"]
    header += ["ARI", "sizes"] if with_truth else ["sizes"]
    rows = []
    for one in found:
        if one.failed is not None:
            rows.append([one.method, "failed: " + one.failed[:40]])
            continue
        scores = [one.silhouette, one.stability]
        scores += [one.adjusted_rand_index] if with_truth else []
        sizes = one.sizes or ()
        shown = " ".join(str(size) for size in sizes[:6])
        rows.append(
            [
                one.method,
                f"{one.seconds:.2f}",
                *("" if score is None else f"{score:.3f}" for score in scores),
                shown + (" ..." if len(sizes) > 6 else ""),
            ]
        )
    print_table(header, rows)


def _plot(X: np.ndarray, found: list[Comparison], file: Any) -> None:
    from maxmargin.plots.cluster_map import plot_maps

    maps = {one.method: one.labels for one in found if one.labels is not None}
    plot_maps(X, maps).savefig(file, dpi=120)
