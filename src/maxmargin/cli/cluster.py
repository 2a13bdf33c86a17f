"""``maxmargin cluster``: the clusters of a table."""

from typing import Any

import click
import scipy.sparse as sp

from maxmargin import MaxMarginClustering
from maxmargin.cli import command_files
from maxmargin.cli.results import (
    alternative_rows,
    descriptions_of,
    fit_samples,
    print_summary,
    summarize,
)
from maxmargin.report.cluster_page import make_cluster_page
from maxmargin.table_model import save_table_model

MIN_MEMORY = 200e6  # bytes, for a fit of a few thousand samples


def run(
    table: str,
    clusters: int | str,
    label: str | None,
    kernel: str,
    balance: str,
    seed: int,
    out: str | None,
    keep: bool,
    model: str | None,
    report: str | None,
    force: bool,
    as_json: bool,
    **columns: Any,
) -> None:
    """Run the command; ``columns`` are passed to `load_samples`."""
    command_files.check_keep(keep, table, out)
    outputs = command_files.check_output_options(
        force, [table], model=model, report=report, out=out
    )
    samples = command_files.load_samples(table, label, words=True, **columns)
    if samples.n_rows < 2:
        raise click.ClickException(f"{table} has one row: at least two are needed.")
    estimator = MaxMarginClustering(
        clusters,
        kernel=kernel,
        balance=balance,
        scale=False,  # the preprocessor has done it
        memory_limit=memory_for(samples.X),
        random_state=seed,
    )
    result = fit_samples(estimator, samples, f"clustering {samples.n_rows:,} rows")
    labels, objective = result.labels, float(estimator.objective_)
    found = command_files.label_columns(samples, "cluster", labels, keep, columns)
    notes = command_files.write_outputs(
        outputs,
        force,
        found,
        model=lambda file: save_table_model(
            file, estimator, samples, labels=labels if balance != "free" else None
        ),
        report=lambda file: command_files.write_report(file, make_cluster_page, result),
    )
    result = result.with_notes(*notes)
    summary = summarize(
        result,
        labels,
        outputs,
        objective=objective,
        descriptions=descriptions_of(samples, labels, estimator.n_clusters_),
        alternatives=alternative_rows(estimator),
    )
    print_summary(summary, as_json)


def memory_for(X: Any) -> float:
    """Return the memory limit of a fit in bytes.

    It is 1.25 times the size of the samples, or the least that a fit needs, so that the
    command takes less than three times the size of the samples.
    """
    n_bytes = X.data.nbytes if sp.issparse(X) else X.nbytes
    return float(max(MIN_MEMORY, 1.25 * n_bytes))
