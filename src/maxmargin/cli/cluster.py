"""``maxmargin cluster``: find clusters in a table."""

import time
from typing import Any

import click

from maxmargin.cli import options


@click.command(name="cluster")
@click.argument("table", type=options.INPUT)
@options.count_option
@options.table_options
@click.option("--label", metavar="COLUMN", help="True classes, for evaluation only.")
@click.option(
    "--kernel",
    default="auto",
    show_default=True,
    help="What makes rows alike: auto, neighbors, rbf, linear, ...",
)
@click.option(
    "--balance",
    type=click.Choice(["free", "equal"]),
    default="free",
    show_default=True,
    help="Whether clusters must have equal sizes.",
)
@options.seed_option
@click.option("--out", type=options.OUTPUT, help="Write the cluster of each row.")
@click.option("--model", type=options.OUTPUT, help="Write a model for predict.")
@click.option("--report", type=options.OUTPUT, help="Write a page about the clusters.")
@options.output_options
def command(table: str, **wishes: Any) -> None:
    """Find clusters in TABLE.

    \b
    maxmargin cluster customers.csv -k 5 --id customer --out clusters.csv
    maxmargin cluster data.parquet -k auto --report page.html --model model.npz
    """  # noqa: D301
    from maxmargin.cli import data as tables
    from maxmargin.cli.console import warnings_as_notes, working
    from maxmargin.cli.results import check_outputs, tell, write_outputs

    outputs = {n: wishes[n] for n in ("out", "model", "report") if wishes[n]}
    files, writer = check_outputs(outputs, wishes["force"])
    data = tables.load_wished(table, wishes)
    if len(data.X) < 2:
        raise click.ClickException(f"{table} has one row: clusters need at least two.")
    from maxmargin import MaxMarginClustering

    estimator = MaxMarginClustering(
        wishes["clusters"],
        kernel=wishes["kernel"],
        balance=wishes["balance"],
        memory_limit=tables.memory_for(data.X),
        random_state=wishes["seed"],
    )
    start = time.perf_counter()
    with warnings_as_notes(data.notes), working(f"clustering {len(data.X):,} rows"):
        estimator.fit(data.X)
    seconds = time.perf_counter() - start
    summary = _summary(table, data, estimator, seconds)
    write_outputs(files, writer, outputs, data, estimator, summary)
    tell(summary, wishes["as_json"], to_stderr=wishes["out"] == "-")


def _summary(table: str, data: Any, estimator: Any, seconds: float) -> dict[str, Any]:
    import numpy as np

    labels = estimator.labels_
    summary = {
        "table": table,
        "rows": len(data.X),
        "features": data.rules.names,
        "scaled": data.rules.scaled,
        "missing": data.rules.missing,
        "n_clusters": estimator.n_clusters_,
        "sizes": np.bincount(labels, minlength=estimator.n_clusters_).tolist(),
        "objective": float(estimator.objective_),
        "seconds": round(seconds, 3),
        "parameters": estimator.get_params(),
        "notes": data.notes,
    }
    if data.label is not None:
        from sklearn.metrics import adjusted_rand_score

        truth = data.label.astype(str)
        summary["adjusted_rand_index"] = float(adjusted_rand_score(truth, labels))
    return summary
