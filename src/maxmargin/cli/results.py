"""The result of a command: fitting it to a table, and its summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from sklearn.base import BaseEstimator

from maxmargin.cli.commands import compare, predict
from maxmargin.cli.console import (
    print_json,
    print_notes,
    print_shares,
    print_table,
    run_task,
)
from maxmargin.cli.repeat import given_options
from maxmargin.report.descriptions import (
    feature_differences,
    one_per_column,
)
from maxmargin.report.layout import counted, counted_range
from maxmargin.report.pictures import picture_columns
from maxmargin.report.results import TableResult, agreement_with_classes
from maxmargin.tables.samples import TableSamples
from maxmargin.texts import find_keywords

N_KEYWORDS = 8  # shown for each cluster
N_ALTERNATIVES = 3  # next best numbers of clusters


def fit_samples(
    estimator: BaseEstimator, samples: TableSamples, text: str, **parameters: Any
) -> TableResult:
    """Fit an estimator to the samples of a table.

    ``text`` is shown with the progress bar, parameters are passed to ``fit``.
    """
    with run_task(text) as task:
        labels = estimator.fit(samples.X, **parameters).labels_
    score = agreement_with_classes(samples, labels)
    notes = (*samples.notes, *task.notes)
    this = click.get_current_context().command
    options = given_options(this, compare, predict)
    return TableResult(samples, estimator, labels, task.seconds, notes, score, options)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The result of a command, with the fields that ``--json`` prints.

    Fields that are None are not printed. ``snapshots`` are columns by name.
    """

    table: str
    rows: int
    labelled: int | None = None
    features: Sequence[str]
    scaled: bool | None = None
    missing: str | None = None
    n_clusters: int
    what: str | None = None  # "clusters" by default
    column: str | None = None  # "cluster" by default
    method: str | None = None
    names: Sequence[str | int] | None = None  # of the clusters
    sizes: Sequence[int]
    keywords: Sequence[Sequence[str]] | None = None  # of texts
    descriptions: Sequence[str] | None = None  # what distinguishes each cluster
    alternatives: Sequence[Mapping[str, float]] | None = None  # next best numbers
    objective: float | None = None
    snapshots: Mapping[str, Sequence[Any]] | None = None
    seconds: float
    parameters: Mapping[str, Any] | None = None
    notes: Sequence[str]
    adjusted_rand_index: float | None = None
    accuracy: float | None = None
    files: Mapping[str, str]


def summarize(
    result: TableResult, labels: np.ndarray, files: Mapping[str, str], **fields: Any
) -> Summary:
    """Return the summary of the clusters of a table, with the sizes of ``labels``."""
    samples, estimator = result.samples, result.estimator
    n_clusters = estimator.n_clusters_
    return Summary(
        table=samples.table,
        rows=samples.n_rows,
        features=samples.preprocessor.feature_names
        if samples.texts is None
        else samples.preprocessor.columns,
        keywords=keywords_of(samples, labels, n_clusters),
        scaled=samples.preprocessor.scaled,
        missing=samples.preprocessor.missing,
        n_clusters=n_clusters,
        sizes=np.bincount(labels, minlength=n_clusters).tolist(),
        seconds=result.seconds,
        parameters=estimator.get_params(),
        notes=result.notes,
        adjusted_rand_index=result.adjusted_rand_index,
        files=files,
        **fields,
    )


def keywords_of(
    samples: TableSamples, labels: np.ndarray, n_clusters: int
) -> list[list[str]] | None:
    """Return the keywords of each cluster, None if the rows are no texts."""
    if samples.texts is None:
        return None
    found = find_keywords(samples.texts, labels, n_words=N_KEYWORDS)
    return [found.get(h, []) for h in range(n_clusters)]


def descriptions_of(
    samples: TableSamples, labels: np.ndarray, n_clusters: int
) -> list[str] | None:
    """Return what distinguishes each cluster most, None for texts and pictures."""
    if samples.texts is not None or n_clusters < 2 or picture_columns(samples):
        return None
    found = [feature_differences(samples, labels == h) for h in range(n_clusters)]
    return [one_per_column(all_)[0].text if all_ else "" for all_ in found]


def alternative_rows(estimator: BaseEstimator) -> list[dict[str, float]] | None:
    """Return the next best numbers of clusters with their scores, None without any."""
    table = getattr(estimator, "count_table_", None)
    if table is None:
        return None
    others = [one for one in table.maxima if one.n_clusters != estimator.n_clusters_]
    return [
        {"n_clusters": one.n_clusters, "score": round(one.score, 4)}
        for one in others[:N_ALTERNATIVES]
    ] or None


def print_summary(summary: Summary, as_json: bool) -> None:
    """Print a summary as JSON or as text.

    If standard output is an output file, it is text on the error stream.
    """
    to_stderr = summary.files.get("out") == "-"
    if as_json and not to_stderr:
        fields = vars(summary).items()
        print_json({name: value for name, value in fields if value is not None})
        return
    print_notes(summary.notes)
    counts = {"rows": summary.rows}
    if summary.snapshots is not None:
        counts["snapshots"] = len(summary.snapshots["time"])
    counts["features" if summary.keywords is None else "columns"] = len(
        summary.features
    )
    parts = [counted(number, nouns) for nouns, number in counts.items()]
    numbers = (summary.snapshots or {}).get("n_clusters", [summary.n_clusters])
    parts.append(counted_range(numbers, summary.what or "clusters"))
    parts.append(f"{summary.seconds:.2f} s")
    click.echo(", ".join(parts), err=to_stderr)
    if summary.snapshots is None:
        names = summary.names or range(len(summary.sizes))
        header = [summary.column or "cluster", "rows"]
        about = {
            "keywords": [", ".join(words) for words in summary.keywords or ()],
            "what distinguishes it": summary.descriptions or (),
        }
        print_shares(header, names, summary.sizes, to_stderr, about)
    else:
        columns = ["time", "n_objects", "n_clusters", "stayed", "moved", "came", "left"]
        values = [map(str, summary.snapshots[name]) for name in columns]
        rows = list(zip(*values, strict=True))
        print_table([n.removeprefix("n_") for n in columns], rows, to_stderr)
    if summary.alternatives:
        others = [f"{a['n_clusters']} ({a['score']:.2f})" for a in summary.alternatives]
        text = f"next best numbers of clusters, with scores: {', '.join(others)}"
        click.echo(text, err=to_stderr)
    if summary.adjusted_rand_index is not None:
        score = summary.adjusted_rand_index
        click.echo(f"adjusted Rand index: {score:.3f}", err=to_stderr)
    if summary.accuracy is not None:
        click.echo(f"accuracy on held-out rows: {summary.accuracy:.3f}", err=to_stderr)
    for name, path in summary.files.items():
        if path != "-":
            click.echo(f"{name}: {path}", err=to_stderr)
