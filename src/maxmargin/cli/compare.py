"""``maxmargin compare``: this package's methods and others on one table."""

import time
from typing import Any

import click

from maxmargin import progress
from maxmargin.cli import options


@click.command(name="compare")
@click.argument("table", type=options.INPUT)
@options.count_option
@options.table_options
@click.option("--label", metavar="COLUMN", help="True classes, for evaluation only.")
@click.option(
    "--rows",
    type=click.IntRange(min=10),
    default=2000,
    show_default=True,
    help="Largest number of rows, drawn at random: some methods need n^2 memory.",
)
@options.seed_option
@click.option("--picture", type=options.OUTPUT, help="Write maps of all clusterings.")
@options.output_options
def command(table: str, **wishes: Any) -> None:
    """Cluster TABLE by several methods and print them side by side.

    Silhouette and stability (the share of a cluster that comes back when half of the
    rows are clustered anew) need no labels.

    \b
    maxmargin compare customers.csv -k 5 --picture compare.png
    """  # noqa: D301
    import numpy as np

    from maxmargin.cli import data as tables
    from maxmargin.cli.console import note, print_json, working
    from maxmargin.cli.methods import make_methods
    from maxmargin.cli.results import check_outputs

    outputs = {"picture": wishes["picture"]} if wishes["picture"] else {}
    files, _ = check_outputs(outputs, wishes["force"])
    data = tables.load_wished(table, wishes)
    random = np.random.RandomState(wishes["seed"])
    X, truth = data.X, data.label
    if len(X) < 10:
        raise click.ClickException(f"{table} has {len(X)} rows: ten are needed.")
    if len(X) > wishes["rows"]:
        part = np.sort(random.choice(len(X), wishes["rows"], replace=False))
        X, truth = X[part], None if truth is None else truth[part]
        data.notes.append(f"{len(part):,} of {len(data.X):,} rows, drawn at random")
    n_clusters = _count(X, wishes["clusters"], wishes["seed"])
    methods = make_methods(n_clusters, wishes["seed"])
    found = []
    with working("comparing"):
        for number, (name, make) in enumerate(methods.items()):
            with progress.step(number, len(methods)):
                found.append(_measure(name, make, X, truth, random))
    with files:
        if outputs:
            files.add(wishes["picture"], lambda file: _draw(X, found, file))
    rows = [{k: v for k, v in row.items() if k != "labels"} for row in found]
    result = {"rows": len(X), "n_clusters": n_clusters, "methods": rows,
              "notes": data.notes, "files": outputs}  # fmt: skip
    if wishes["as_json"]:
        print_json(result)
        return
    for text in data.notes:
        note(text)
    click.echo(f"{len(X):,} rows, {X.shape[1]} features, {n_clusters} clusters")
    _print(rows, truth is not None)
    if outputs:
        click.echo(f"picture: {wishes['picture']}")


def _count(X: Any, wish: int | str, seed: int) -> int:
    """Return the number of clusters, and have all compiled before the clock runs."""
    from maxmargin import MaxMarginClustering
    from maxmargin.cli.console import working

    if wish != "auto":
        MaxMarginClustering(2, random_state=seed).fit(X[: min(len(X), 200)])
        return int(wish)
    with working("finding the number of clusters"):
        fitted = MaxMarginClustering("auto", random_state=seed).fit(X)
    return int(fitted.n_clusters_)


def _measure(name: str, make: Any, X: Any, truth: Any, random: Any) -> dict[str, Any]:
    """Cluster, and say how long it took and what is to be said of the clusters."""
    import warnings

    import numpy as np
    from sklearn.metrics import adjusted_rand_score, silhouette_score

    from maxmargin.selection.stability import cluster_stability

    row: dict[str, Any] = {"method": name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            with progress.step(0, 2):
                labels = make(0).fit_predict(X)
        except ValueError as error:
            return {**row, "failed": " ".join(str(error).split())}
        row["seconds"] = round(time.perf_counter() - start, 3)
        with progress.step(1, 2):
            stability = cluster_stability(
                lambda part, seed: make(seed).fit_predict(X[part]), labels, random
            )
    sizes = np.bincount(labels[labels >= 0])
    row["sizes"] = np.sort(sizes[sizes > 0])[::-1].tolist()
    in_cluster = labels >= 0
    if len(row["sizes"]) > 1:
        row["silhouette"] = float(silhouette_score(X[in_cluster], labels[in_cluster]))
        row["stability"] = float(
            np.average(stability[sizes > 0], weights=sizes[sizes > 0])
        )
    if truth is not None:
        row["adjusted_rand_index"] = float(
            adjusted_rand_score(truth.astype(str), labels)
        )
    row["labels"] = labels
    return row


def _print(rows: list[dict[str, Any]], with_truth: bool) -> None:
    from maxmargin.cli.console import print_table

    header = ["method", "seconds", "silhouette", "stability"]
    header += ["ARI", "sizes"] if with_truth else ["sizes"]
    cells = []
    for row in rows:
        if "failed" in row:
            cells.append([row["method"], "failed: " + row["failed"][:40]])
            continue
        numbers = [row["seconds"], row.get("silhouette"), row.get("stability")]
        if with_truth:
            numbers.append(row["adjusted_rand_index"])
        sizes = row["sizes"]
        shown = " ".join(str(size) for size in sizes[:6])
        cells.append(
            [
                row["method"],
                f"{numbers[0]:.2f}",
                *("" if x is None else f"{x:.3f}" for x in numbers[1:]),
                shown + (" ..." if len(sizes) > 6 else ""),
            ]
        )
    print_table(header, cells)


def _draw(X: Any, found: list[dict[str, Any]], file: Any) -> None:
    """Draw a map for each method, clusters coloured alike where they overlap most."""
    from maxmargin.plots.small_multiples import draw_maps

    shown = {row["method"]: row["labels"] for row in found if "labels" in row}
    draw_maps(X, shown).savefig(file, dpi=120)
