"""The subcommands: their arguments, options and help texts.

Each of them is run by a module of its own. It is imported when the command is called,
so that ``--help`` does not load numpy.
"""

from importlib import import_module
from typing import Any

import click

from maxmargin.cli import options


def _run(name: str, **parameters: Any) -> None:
    import_module(f"maxmargin.cli.{name}").run(**parameters)


@click.command()
@options.table
@options.clusters
@options.columns
@options.label
@options.value(
    "--kernel",
    options.SimilarityName(),
    "auto",
    "Similarity of rows: auto, neighbors, rbf, linear, ...",
)
@options.choice(
    "--balance", ["free", "equal"], "Sizes of the clusters: unconstrained or equal."
)
@options.seed
@options.output("--out", "Write the cluster of each row.")
@options.keep
@options.model
@options.report
@options.force_and_json
def cluster(**parameters: Any) -> None:
    """Find clusters in TABLE.

    \b
    maxmargin cluster customers.csv -k 5 --id customer --out clusters.csv
    maxmargin cluster data.parquet -k auto --report page.html --model model.npz
    """  # noqa: D301
    _run("cluster", **parameters)


@click.command()
@click.argument("model", type=options.FILE)
@options.table
@options.id_column
@click.option(
    "--missing",
    type=click.Choice(options.MISSING),
    help="Handling of missing values, by default as in the table of the model; median: "
    "replace numbers by that of the three nearest rows of that table, or of all if it "
    "had no missing values; text needs no value.",
)
@options.reading
@options.output("--out", "Write the cluster or class of each row.")
@options.keep
@options.force_and_json
def predict(**parameters: Any) -> None:
    """Predict the clusters or classes of the rows of TABLE.

    MODEL is a file written by cluster, evolve or classify with --model. The columns are
    found by name and preprocessed as in the table of the model. Rows are read in
    blocks, so that the table may be larger than the memory.

    \b
    maxmargin predict model.npz new.csv --id customer --out new_clusters.csv
    """  # noqa: D301
    _run("predict", **parameters)


@click.command()
@options.table
@click.option("--time", required=True, metavar="COLUMN", help="Column of times.")
@options.choice(
    "--order",
    ["auto", "file"],
    "Order of the times: by value if they are numbers, dates or text with numbers, or "
    "as in the file.",
)
@options.value(
    "-k --clusters",
    options.parse_cluster_count,
    2,
    "Number of clusters; auto estimates it for each snapshot.",
    metavar="N|AUTO",
)
@options.choice(
    "--strategy",
    ["cohort", "individual", "model"],
    "What changes little over time: the data as a whole, the cluster of each object, "
    "or the decision functions.",
)
@options.value(
    "--weight",
    click.FloatRange(0, 1, min_open=True),
    0.7,
    "Weight of the current snapshot; the rest is the weight of the past.",
)
@options.value(
    "--half-life",
    options.parse_half_life,
    "auto",
    "Number of snapshots after which a row of an object counts half; 0: no memory.",
    metavar="N|AUTO",
)
@options.columns
@options.label
@options.seed
@options.output("--out", "Write the cluster and event of each row.")
@options.output("--events", "Write what happened to clusters: born, split, merged...")
@options.keep
@options.model
@options.report
@options.force_and_json
def evolve(**parameters: Any) -> None:
    """Cluster TABLE, in which objects occur at several times.

    The rows with the same time are a snapshot; --id is the column of the objects.
    Clusters keep their numbers from one snapshot to the next, and change little.

    \b
    maxmargin evolve sales.csv --time month --id customer -k 4 --report page.html
    """  # noqa: D301
    _run("evolve", **parameters)


@click.command()
@options.table
@click.option("--label", required=True, metavar="COLUMN", help="Column of classes.")
@options.choice(
    "--method",
    ["auto", "semi", "reduced"],
    "semi: semi-supervised, for few labels; reduced: a support vector machine with few "
    "support vectors; auto: semi if labels are missing, else reduced.",
)
@options.columns
@options.seed
@options.output("--out", "Write the class of each row.")
@options.keep
@options.model
@options.force_and_json
def classify(**parameters: Any) -> None:
    """Fit a classifier to TABLE, and predict missing labels.

    \b
    maxmargin classify customers.csv --label segment --out segments.csv
    maxmargin classify iris.csv --label species --model model.npz
    """  # noqa: D301
    _run("classify", **parameters)


@click.command()
@options.table
@options.clusters
@options.columns
@options.label
@options.value(
    "--rows",
    click.IntRange(min=10),
    2000,
    "Largest number of rows, drawn at random: some methods need n^2 memory.",
)
@options.seed
@options.output("--picture", "Write a plot of all clusterings.")
@options.force_and_json
def compare(**parameters: Any) -> None:
    """Cluster TABLE with several methods and compare them.

    Silhouette and stability (the overlap of a cluster with the most similar one found
    in a random half of the rows, at most 500) need no labels.

    \b
    maxmargin compare customers.csv -k 5 --picture compare.png
    """  # noqa: D301
    _run("compare", **parameters)


@click.command()
@click.argument("photo", type=options.FILE)
@options.value(
    "-k --clusters",
    options.parse_cluster_count,
    2,
    "Number of segments.",
    metavar="N|AUTO",
)
@options.names(
    "--features",
    "auto",
    "Features of pixels, from rgb, lab, texture and position; auto: lab and texture.",
)
@options.choice(
    "--mode",
    ["regions", "direct", "recursive"],
    "Find connected regions, or clusters of pixels: all at once, or by bisection.",
)
@click.option(
    "--scribbles",
    type=options.FILE,
    help="An image of the same size with a few strokes on a plain or transparent "
    "background, in one colour for each segment.",
)
@options.seed
@options.output("--mask", "Write a mask of the smaller segment.")
@options.output("--overlay", "Write the photo with coloured segments.")
@options.output("--boundaries", "Write the photo with boundaries.")
@options.output("--matte", "Write the smaller segment with soft borders, as .png.")
@options.output("--path", "Write the outline of the smaller segment, as .svg.")
@options.output("--labels", "Write the label of each pixel, as .npy.")
@options.force_and_json
def segment(**parameters: Any) -> None:
    """Find the segments of PHOTO, an image file.

    Without an output option, an overlay is written to the folder of the photo.

    \b
    maxmargin segment photo.jpg -k 2
    maxmargin segment photo.jpg -k auto --boundaries outlines.png
    maxmargin segment photo.jpg --scribbles strokes.png --mask mask.png
    """  # noqa: D301
    _run("segment", **parameters)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False), default="maxmargin-demo")
@options.choice(
    "--data", ["wine", "iris", "digits", "cancer"], "Name of the example table."
)
@options.force_and_json
def demo(**parameters: Any) -> None:
    """Cluster an example table, with all outputs in FOLDER.

    The table is one of those that come with scikit-learn: nothing is downloaded. Its
    true classes are used for evaluation only.
    """
    _run("demo", **parameters)


@click.command()
@click.argument("file", type=options.TABLE, required=False)
@options.reading
@options.as_json
def info(**parameters: Any) -> None:
    """Show installed versions, or the content of FILE.

    FILE is a table or a model.

    \b
    maxmargin info
    maxmargin info customers.csv
    maxmargin info model.npz
    """  # noqa: D301
    _run("info", **parameters)


@click.command()
@click.argument("file", type=options.FILE, required=False)
@options.value("--port", click.IntRange(0, 65535), 0, "Port; 0 is any free one.")
@options.value("--host", str, "127.0.0.1", "Address to listen on.")
@click.option(
    "--token",
    help="Secret that each request must have. Addresses other than this machine need "
    "one; it is made and printed if it is not given.",
)
@click.option(
    "--browser/--no-browser", default=True, help="Whether to open the browser."
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False),
    help="Folder of the work that is kept, by default that of the user. In a folder "
    "with other content it is the subfolder maxmargin-app.",
)
@click.option(
    "--corrections",
    type=options.FILE,
    help="Apply corrections that were saved on the page to FILE, without a page.",
)
@options.output("--out", "With --corrections: write the cluster of each row.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def app(**parameters: Any) -> None:
    """Show a page on which clusters are seen, corrected and taken away.

    FILE is a table or an image. The page is on this machine only, unless --host is
    given. The work is kept on disk.

    \b
    maxmargin app
    maxmargin app customers.csv
    maxmargin app customers.csv --corrections corrections.json --out clusters.csv
    """  # noqa: D301
    _run("app", **parameters)


COMMANDS = [cluster, predict, evolve, classify, compare, segment, app, demo, info]
