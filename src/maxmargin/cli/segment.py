"""``maxmargin segment``: the segments of an image."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from maxmargin.cli import options

if TYPE_CHECKING:
    from maxmargin import ImageSegmenter

FILE = click.Path(dir_okay=False)
EXISTING_FILE = click.Path(exists=True, dir_okay=False)


@click.command()
@click.argument("photo", type=EXISTING_FILE)
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
    type=options.NameList(),
    default="auto",
    show_default=True,
    help="Features of pixels, from rgb, lab, texture and position; auto: lab and "
    "texture, with scribbles also position.",
)
@click.option(
    "--mode",
    type=click.Choice(["direct", "recursive"]),
    default="direct",
    show_default=True,
    help="Find all segments at once, or by repeated bisection.",
)
@click.option(
    "--scribbles",
    type=EXISTING_FILE,
    help="An image of the same size with a few strokes on a plain or transparent "
    "background, in one colour for each segment.",
)
@options.seed_option
@click.option("--mask", type=FILE, help="Write a mask of the smaller segment.")
@click.option("--overlay", type=FILE, help="Write the photo with coloured segments.")
@click.option("--boundaries", type=FILE, help="Write the photo with boundaries.")
@click.option("--labels", type=FILE, help="Write the label of each pixel, as .npy.")
@options.output_options
def segment(
    photo: str,
    clusters: int,
    features: list[str],
    mode: str,
    scribbles: str | None,
    seed: int,
    mask: str | None,
    overlay: str | None,
    boundaries: str | None,
    labels: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find the segments of PHOTO, an image file.

    Without an output option, an overlay is written to the folder of the photo.

    \b
    maxmargin segment photo.jpg -k 2
    maxmargin segment photo.jpg -k 4 --mode recursive --boundaries outlines.png
    maxmargin segment photo.jpg --scribbles strokes.png --mask mask.png
    """  # noqa: D301
    from pathlib import Path

    from maxmargin.cli.console import progress_bar, warnings_as_notes

    named = {"mask": mask, "overlay": overlay, "boundaries": boundaries}
    outputs = {n: path for n, path in {**named, "labels": labels}.items() if path}
    if not outputs:
        outputs = {"overlay": str(Path(photo).with_suffix("")) + "_segments.png"}
    notes: list[str] = []
    start = time.perf_counter()
    try:
        from maxmargin.segmentation.files import segment_file

        with warnings_as_notes(notes), progress_bar("segmenting"):
            segmenter = segment_file(
                photo,
                clusters,
                scribbles=scribbles,
                outputs=outputs,
                force=force,
                features="auto" if features == ["auto"] else features,
                mode=mode,
                random_state=seed,
            )
    except ImportError as error:
        raise click.ClickException(str(error)) from None
    seconds = round(time.perf_counter() - start, 3)
    _print(photo, segmenter, seconds, outputs, notes, as_json)


def _print(
    photo: str,
    segmenter: ImageSegmenter,
    seconds: float,
    outputs: dict[str, str],
    notes: list[str],
    as_json: bool,
) -> None:
    import numpy as np

    from maxmargin.cli.console import print_json, print_note, print_table

    labels, names = segmenter.labels_, segmenter.classes_.tolist()
    sizes = np.bincount(labels.ravel(), minlength=len(names)).tolist()
    if as_json:
        data: dict[str, Any] = {
            "photo": photo,
            "height": labels.shape[0],
            "width": labels.shape[1],
            "n_clusters": len(names),
            "names": names,
            "sizes": sizes,
            "parameters": segmenter.get_params(),
            "seconds": seconds,
            "written": outputs,
            "notes": notes,
        }
        print_json(data)
        return
    for text in notes:
        print_note(text)
    rows = [
        [str(name), f"{size:,}", f"{size / labels.size:.1%}"]
        for name, size in zip(names, sizes, strict=True)
    ]
    print_table(["segment", "pixels", "share"], rows)
    for name, path in outputs.items():
        click.echo(f"{name}: {path}")
