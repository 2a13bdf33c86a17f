"""``maxmargin compare``: several clustering methods on one table."""

import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import click
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering, progress
from maxmargin.cli.command_files import check_output_options, load_samples
from maxmargin.cli.console import print_json, print_notes, print_table, progress_bar
from maxmargin.compiled import compilation_told
from maxmargin.files import write_files
from maxmargin.plots.cluster_map import plot_maps
from maxmargin.published import CuttingPlaneMaxMarginClustering, RecursiveBisection
from maxmargin.report.layout import counted
from maxmargin.selection.stability import cluster_stability

MIN_ROWS = 10
MAX_STABILITY = 500  # rows of a part that all methods cluster again
N_PARTS = 3
# Equal sizes of more clusters take as long as all other methods together.
MAX_EQUAL = 20


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


def run(
    table: str,
    clusters: int | str,
    label: str | None,
    rows: int,
    seed: int,
    picture: str | None,
    force: bool,
    as_json: bool,
    **columns: Any,
) -> None:
    """Run the command; ``columns`` are passed to `load_samples`."""
    outputs = check_output_options(force, [table], picture=picture)
    samples = load_samples(table, label, **columns)
    random = np.random.RandomState(seed)
    X, truth, notes = samples.X, samples.labels, list(samples.notes)
    if len(X) < MIN_ROWS:
        raise click.ClickException(
            f"{table} must have at least {MIN_ROWS} rows: it has {len(X)}."
        )
    if len(X) > rows:
        drawn = np.sort(random.choice(len(X), rows, replace=False))
        X, truth = X[drawn], None if truth is None else truth[drawn]
        notes.append(f"{len(drawn):,} of {len(samples.X):,} rows, drawn at random")
    with compilation_told(lambda told: click.echo(f"note: {told}", err=True)):
        n_clusters = _count_clusters(X, clusters, seed)
        found = _evaluate_all(n_clusters, X, truth, seed, random)
    if n_clusters > MAX_EQUAL:
        notes.append(f"equal sizes are left out with more than {MAX_EQUAL} clusters")
    if picture:
        maps = {one.method: one.labels for one in found if one.labels is not None}
        figure = plot_maps(X, maps)
        write_files({picture: lambda file: figure.savefig(file, dpi=120)}, force)
    if as_json:
        data = [one.to_json() for one in found]
        print_json({"rows": len(X), "n_clusters": n_clusters, "methods": data,
                    "notes": notes, "files": outputs})  # fmt: skip
        return
    print_notes(notes)
    counts = {"rows": len(X), "features": X.shape[1], "clusters": n_clusters}
    click.echo(", ".join(counted(number, nouns) for nouns, number in counts.items()))
    _print(found, truth is not None)
    if picture:
        click.echo(f"picture: {picture}")


def _evaluate_all(
    n_clusters: int,
    X: np.ndarray,
    truth: np.ndarray | None,
    seed: int,
    random: np.random.RandomState,
) -> list[Comparison]:
    """Fit all methods and compute their scores."""
    methods, found = make_methods(n_clusters), []
    with progress_bar("comparing methods"):
        for number, (name, method) in enumerate(methods.items()):
            with progress.step(number, len(methods)):
                found.append(_evaluate(name, method, X, truth, seed, random))
    return found


def make_methods(n_clusters: int) -> dict[str, BaseEstimator]:
    """Return the methods by name, with default parameters.

    The preprocessor of the table has scaled its columns, for all of them alike.
    """
    ours = MaxMarginClustering(n_clusters, scale=False)
    equal = clone(ours).set_params(balance="equal")
    return {
        "max margin": ours,
        **({"max margin, equal": equal} if n_clusters <= MAX_EQUAL else {}),
        "cutting planes": CuttingPlaneMaxMarginClustering(
            n_clusters, formulation="adapted", balance=0.3, n_init=4
        ),
        "bisection": RecursiveBisection(clone(ours), n_clusters),
        "k-means": KMeans(n_clusters, n_init=10),
        "mixture": GaussianMixture(n_clusters, reg_covar=1e-3),
        "spectral": SpectralClustering(n_clusters, affinity="nearest_neighbors"),
        "Ward": AgglomerativeClustering(n_clusters),
        "HDBSCAN": HDBSCAN(copy=True),
    }


def _count_clusters(X: np.ndarray, clusters: int | str, seed: int) -> int:
    """Return the number of clusters.

    A small fit compiles the code before the methods are timed.
    """
    if clusters != "auto":
        MaxMarginClustering(2, random_state=seed).fit(X[: min(len(X), 200)])
        return int(clusters)
    with progress_bar("selecting the number of clusters"):
        fitted = MaxMarginClustering("auto", scale=False, random_state=seed).fit(X)
    return int(fitted.n_clusters_)


def _evaluate(
    name: str,
    method: BaseEstimator,
    X: np.ndarray,
    truth: np.ndarray | None,
    seed: int,
    random: np.random.RandomState,
) -> Comparison:
    """Fit a method and compute its scores."""

    def fit(X: np.ndarray, step: int = 0) -> np.ndarray:
        model = clone(method)
        if "random_state" in model.get_params():
            model.set_params(random_state=(seed + step) % 2**31)
        return model.fit_predict(X)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            with progress.step(0, 2):
                labels = fit(X)
        except ValueError as error:
            return Comparison(name, failed=" ".join(str(error).split()))
        seconds = round(time.perf_counter() - start, 3)
        with progress.step(1, 2):
            size = min(MAX_STABILITY / len(X), 0.5)
            stability = cluster_stability(
                lambda part, step: fit(X[part], step), labels, random, N_PARTS, size
            )
    inside = labels >= 0
    sizes = np.bincount(labels[inside])
    present = sizes > 0
    again = np.isfinite(stability)  # a few rows may be in no part
    scores: dict[str, float] = {}
    if present.sum() > 1:
        scores["silhouette"] = silhouette_score(X[inside], labels[inside])
        scores["stability"] = np.average(stability[again], weights=sizes[again])
    if truth is not None:
        scores["adjusted_rand_index"] = adjusted_rand_score(truth.astype(str), labels)
    scores = {name: float(score) for name, score in scores.items()}
    ordered = np.sort(sizes[present])[::-1].tolist()
    return Comparison(name, None, labels, seconds, ordered, **scores)


def _print(found: list[Comparison], with_truth: bool) -> None:
    header = ["method", "seconds", "silhouette", "stability"]
    header += ["ARI", "sizes"] if with_truth else ["sizes"]
    rows = []
    for one in found:
        if one.failed is not None:
            rows.append([one.method, "failed: " + one.failed[:40]])
            continue
        scores = [one.silhouette, one.stability]
        scores += [one.adjusted_rand_index] if with_truth else []
        texts = ["" if score is None else f"{score:.3f}" for score in scores]
        sizes = list(map(str, one.sizes or ()))
        shown = " ".join(sizes[:6] + ["..."] * (len(sizes) > 6))
        rows.append([one.method, f"{one.seconds:.2f}", *texts, shown])
    print_table(header, rows)
