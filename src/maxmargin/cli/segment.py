"""``maxmargin segment``: the segments of a photo."""

import time
from typing import Any

import click

from maxmargin.cli import options

OUTPUTS = ("mask", "overlay", "boundaries", "labels")
PLACE = click.Path(dir_okay=False)


@click.command(name="segment")
@click.argument("photo", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-k",
    "--clusters",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Number of segments.",
)
@click.option(
    "--features",
    type=options.Names(),
    default="auto",
    show_default=True,
    help="What tells pixels apart, some of rgb, lab, texture, position; auto: lab and "
    "texture, and position with scribbles.",
)
@click.option(
    "--mode",
    type=click.Choice(["direct", "recursive"]),
    default="direct",
    show_default=True,
    help="All segments at once, or by parting in two again and again.",
)
@click.option(
    "--scribbles",
    type=click.Path(exists=True, dir_okay=False),
    help="A picture of the same size with a few strokes, a colour for each segment, "
    "on a plain or transparent ground.",
)
@options.seed_option
@click.option("--mask", type=PLACE, help="Write the smaller segment in white.")
@click.option("--overlay", type=PLACE, help="Write the photo in colours of segments.")
@click.option("--boundaries", type=PLACE, help="Write the photo with outlines.")
@click.option("--labels", type=PLACE, help="Write the label of each pixel, as .npy.")
@options.output_options
def command(photo: str, **wishes: Any) -> None:
    """Find the segments of PHOTO, an image file.

    Without a place to write to, an overlay is written beside the photo.

    \b
    maxmargin segment photo.jpg -k 2
    maxmargin segment photo.jpg -k 4 --mode recursive --boundaries outlines.png
    maxmargin segment photo.jpg --scribbles strokes.png --mask mask.png
    """  # noqa: D301
    from pathlib import Path

    from maxmargin.cli.console import (
        note,
        print_json,
        print_table,
        warnings_as_notes,
        working,
    )

    outputs = {name: wishes[name] for name in OUTPUTS if wishes[name]}
    if not outputs:
        outputs = {"overlay": str(Path(photo).with_suffix("")) + "_segments.png"}
    features = wishes["features"]
    notes: list[str] = []
    start = time.perf_counter()
    try:
        from maxmargin.segmentation.files import segment_file

        with warnings_as_notes(notes), working("segmenting"):
            found = segment_file(
                photo,
                wishes["clusters"],
                scribbles=wishes["scribbles"],
                outputs=outputs,
                force=wishes["force"],
                features="auto" if features == ["auto"] else features,
                mode=wishes["mode"],
                random_state=wishes["seed"],
            )
    except ImportError as error:
        raise click.ClickException(str(error)) from None
    summary = _summary(found, time.perf_counter() - start)
    if wishes["as_json"]:
        print_json({"photo": photo, **summary, "written": outputs, "notes": notes})
        return
    for text in notes:
        note(text)
    rows = [
        [str(h), f"{size:,}", f"{size / found.labels_.size:.1%}"]
        for h, size in zip(summary["names"], summary["sizes"], strict=True)
    ]
    print_table(["segment", "pixels", "share"], rows)
    for name, path in outputs.items():
        click.echo(f"{name}: {path}")


def _summary(found: Any, seconds: float) -> dict[str, Any]:
    import numpy as np

    n_segments = len(found.classes_)
    return {
        "height": found.labels_.shape[0],
        "width": found.labels_.shape[1],
        "n_clusters": n_segments,
        "names": found.classes_.tolist(),
        "sizes": np.bincount(found.labels_.ravel(), minlength=n_segments).tolist(),
        "parameters": found.get_params(),
        "seconds": round(seconds, 3),
    }
