"""``maxmargin segment``: the segments of an image."""

from pathlib import Path

import click
import numpy as np

from maxmargin.cli.command_files import check_output_options
from maxmargin.cli.console import print_json, print_notes, print_shares, run_task
from maxmargin.segmentation.image_files import segment_file


def run(
    photo: str,
    clusters: int | str,
    features: list[str],
    mode: str,
    scribbles: str | None,
    seed: int,
    mask: str | None,
    overlay: str | None,
    boundaries: str | None,
    matte: str | None,
    path: str | None,
    labels: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Run the command."""
    inputs = [photo, scribbles] if scribbles else [photo]
    named = {
        "mask": mask,
        "overlay": overlay,
        "boundaries": boundaries,
        "matte": matte,
        "path": path,
        "labels": labels,
    }
    outputs = check_output_options(force, inputs, **named)
    if not outputs:
        outputs = {"overlay": str(Path(photo).with_suffix("")) + "_segments.png"}
    try:
        with run_task("segmenting") as task:
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
    height, width = segmenter.labels_.shape
    names = segmenter.classes_.tolist()
    sizes = np.bincount(segmenter.labels_.ravel(), minlength=len(names)).tolist()
    if as_json:
        data = {
            "photo": photo,
            "height": height,
            "width": width,
            "n_clusters": len(names),
            "names": names,
            "sizes": sizes,
            "parameters": segmenter.get_params(),
            "seconds": task.seconds,
            "written": outputs,
            "notes": task.notes,
        }
        print_json(data)
        return
    print_notes(task.notes)
    print_shares(["segment", "pixels"], names, sizes)
    for name, written in outputs.items():
        click.echo(f"{name}: {written}")
