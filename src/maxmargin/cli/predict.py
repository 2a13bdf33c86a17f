"""``maxmargin predict``: the clusters of new rows."""

import time
from typing import Any

import click

from maxmargin import progress
from maxmargin.cli import options


@click.command(name="predict")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.argument("table", type=options.INPUT)
@click.option("--id", "id_column", metavar="COLUMN", help="Column of names of rows.")
@click.option("--out", type=options.OUTPUT, help="Write the cluster of each row.")
@options.output_options
def command(
    model: str,
    table: str,
    id_column: str | None,
    out: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Label the rows of TABLE with a MODEL that cluster or classify wrote.

    The columns are found by name and treated by the rules of the model. Rows are read
    in blocks: a file may be larger than the memory.

    \b
    maxmargin predict model.npz new.csv --id customer --out new_clusters.csv
    """  # noqa: D301
    from maxmargin.cli.results import check_outputs, tell, write_labels
    from maxmargin.model_file import load_model

    files, writer = check_outputs({"out": out} if out else {}, force)
    try:
        saved = load_model(model)
    except ValueError as error:
        raise click.ClickException(f"{model}: {error}") from None
    if "rules" not in saved.about:
        raise click.ClickException(
            f"{model} does not know the columns of a table: write it with cluster."
        )
    start = time.perf_counter()
    ids, labels, notes = _label(saved, table, id_column)
    seconds = time.perf_counter() - start
    column = saved.about.get("column", "cluster")
    summary = _summary(table, saved, labels, notes, seconds)
    with files:
        if out is not None:
            named = labels
            if "classes" in saved.about:
                import numpy as np

                named = np.array(saved.about["classes"])[labels]
            write_labels(files, writer, out, id_column or "row", ids, column, named)
    summary["files"] = {"out": out} if out is not None else {}
    tell(summary, as_json, to_stderr=out == "-")


def _label(saved: Any, table: str, id_column: str | None) -> Any:
    """Return ids, labels and notes, a block of rows at a time."""
    import numpy as np

    from maxmargin.cli.console import working
    from maxmargin.tables.read import count_rows, read_table_blocks
    from maxmargin.tables.rules import Rules

    rules = Rules.from_json(saved.about["rules"])
    keep = [id_column] if id_column else []
    ids, labels = [], []
    n_rows = 0
    total = count_rows(table)
    with working("labelling"):
        for block in read_table_blocks(table, rules.columns, keep):
            size = len(block)
            X, rows = rules.apply(block)
            labels.append(saved.predict(X))
            ids.append(block.kept[id_column][rows] if id_column else n_rows + rows)
            n_rows += size
            if total:
                progress.update(n_rows / total)
    if not labels:
        raise click.ClickException(f"{table} has no rows: give a table with rows.")
    found = np.concatenate(labels)
    left_out = n_rows - len(found)
    notes = [f"{left_out} rows with gaps are left out"] if left_out else []
    return np.concatenate(ids), found, notes


def _summary(
    table: str, saved: Any, labels: Any, notes: list[str], seconds: float
) -> dict[str, Any]:
    import numpy as np

    classes = saved.about.get("classes")
    n_clusters = len(classes or saved.model.offsets)
    return {
        "table": table,
        "rows": len(labels),
        "features": [feature["name"] for feature in saved.about["rules"]["features"]],
        "n_clusters": n_clusters,
        "what": "classes" if classes else "clusters",
        "column": saved.about.get("column", "cluster"),
        "names": classes or list(range(n_clusters)),
        "sizes": np.bincount(labels, minlength=n_clusters).tolist(),
        "seconds": round(seconds, 3),
        "notes": notes,
    }
