"""Photos with segments drawn by people: agreement, time, and what strokes add.

k-means and the Gaussian mixture get the features of `ImageSegmenter` pixel by pixel;
the mixture is fitted to every ninth pixel, to save time. Felzenszwalb's method and
merged superpixels have the best of a few settings on the photos that are not held back.
Times are processor times of one run, so that other work on the machine counts little.

    python -m benchmarks.segmentation [photo names] [-k 2 4] [--strokes]
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from scipy import ndimage
from skimage import graph
from skimage.segmentation import felzenszwalb, random_walker, slic
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks.region_metrics import (
    jaccard_overlap,
    probabilistic_rand_index,
    segmentation_covering,
)
from maxmargin import ImageSegmenter
from maxmargin.segmentation.cells import make_cells
from maxmargin.segmentation.features import check_features, check_image, pixel_features
from maxmargin.segmentation.image_files import read_image
from maxmargin.segmentation.render import PALETTE, draw_boundaries, overlay

# Drawn at random before any setting was chosen: settings are chosen on the other eight
# photos, and checked on these two.
HELD_BACK = ("eagle", "bird on branch")
COUNTS = (2, 3, 4, 5, 6)
# Strokes of the object and of the ground, half of their length in pixels, their least
# distance from the outline as a share of the largest, and directions to choose from.
KINDS = {"hasty": (3, 30, 0.5, 1), "careful": (5, 60, 0.9, 8)}


class Photo(NamedTuple):
    """A photo, what people drew into it, and what they took for the object."""

    name: str
    image: np.ndarray
    segmentations: np.ndarray
    foreground: np.ndarray


def load_photos(names: list[str]) -> list[Photo]:
    """Return the photos in the folder of data, or those whose names hold a word."""
    folder = Path(os.environ.get("MAXMARGIN_DATA", "")) / "images"
    files = sorted(folder.glob("*.jpg"))
    if not files:
        sys.exit("There are no photos: set MAXMARGIN_DATA to the folder of data.")
    photos = []
    for file in files:
        if names and not any(name in file.stem for name in names):
            continue
        with np.load(file.with_name(file.stem + "_seg.npz")) as drawn:
            photo = Photo(
                file.stem.split("_", 2)[2].replace("_", " "),
                read_image(file),
                drawn["segmentations"],
                drawn["foreground"].astype(bool),
            )
        photos.append(photo)
    return photos


def draw_strokes(
    foreground: np.ndarray, kind: str = "careful", seed: int = 0
) -> np.ndarray:
    """Return strokes by someone who knows the object, 1 ground, 2 object.

    Each goes through a random point among the farthest from the outline and from the
    strokes drawn before, three pixels wide: careful ones in the direction in which they
    stay inside for longest, hasty ones, fewer and shorter, in any direction.
    """
    random = np.random.RandomState(seed)
    number, half, near, n_angles = KINDS[kind]
    strokes = np.zeros(foreground.shape, dtype=np.int64)
    for label, region in ((1, ~foreground), (2, foreground)):
        inside = ndimage.binary_erosion(region, iterations=2)
        free = np.pad(region, 1)  # the rim of the photo counts as an outline
        for _ in range(number):
            depth = ndimage.distance_transform_edt(free)[1:-1, 1:-1]
            if depth.max() < 3:
                break
            points = np.argwhere(depth >= near * depth.max())
            middle = points[random.randint(len(points))]
            angles = np.pi * (random.rand() + np.arange(n_angles) / n_angles)
            lines = [_line(inside, middle, angle, half) for angle in angles]
            stroke = np.zeros(region.shape, dtype=bool)
            stroke[tuple(max(lines, key=len).T)] = True
            stroke = ndimage.binary_dilation(stroke, np.ones((3, 3))) & region
            strokes[stroke] = label
            free[1:-1, 1:-1][stroke] = False
    return strokes


def _line(
    inside: np.ndarray, middle: np.ndarray, angle: float, half: int
) -> np.ndarray:
    step = np.array([np.sin(angle), np.cos(angle)])
    points = [middle]
    for side in (1, -1):
        for length in range(half):
            point = np.rint(middle + side * length * step).astype(int)
            within = (point >= 0).all() and (point < inside.shape).all()
            if not within or not inside[tuple(point)]:
                break
            points.append(point)
    return np.array(points)


def timed(function):
    """Return what a function returns, and its processor and wall time."""
    wall, start = time.perf_counter(), time.process_time()
    value = function()
    return value, time.process_time() - start, time.perf_counter() - wall


def ways_with_count(photo: Photo, k: int) -> dict[str, Callable]:
    """Return the methods that are given the number of segments."""
    names = check_features("auto")
    shape = photo.image.shape[:2]
    pixels = pixel_features(check_image(photo.image), names)
    pixels = pixels.reshape(-1, pixels.shape[2])
    cells = make_cells(photo.image, names, 1000)

    def mixture(rows, every):
        model = GaussianMixture(k, random_state=0, reg_covar=1e-3)
        return model.fit(rows[::every]).predict(rows)

    def segmenter(mode):
        return ImageSegmenter(k, mode=mode, random_state=0).fit_predict(photo.image)

    return {
        "regions": lambda: segmenter("regions"),
        "direct": lambda: segmenter("direct"),
        "k-means": lambda: (
            KMeans(k, n_init=10, random_state=0).fit(pixels).labels_.reshape(shape)
        ),
        "mixture": lambda: mixture(pixels, 9).reshape(shape),
        "mixture of cells": lambda: mixture(cells.features, 1)[cells.inverse],
    }


def ways_without_count(photo: Photo) -> dict[str, Callable]:
    """Return the methods that find the number of segments."""
    return {
        "regions": lambda: ImageSegmenter("auto").fit_predict(photo.image),
        "felzenszwalb": lambda: felzenszwalb(
            photo.image, scale=1000, sigma=0.8, min_size=100
        ),
        "merged superpixels": lambda: merge_superpixels(photo.image, 40),
    }


def merge_superpixels(image: np.ndarray, largest: float) -> np.ndarray:
    """Return SLIC superpixels, merged by mean colour as in scikit-image's gallery."""

    def difference(rag, source, target, node):
        other = rag.nodes[node]["mean color"] - rag.nodes[target]["mean color"]
        return {"weight": np.linalg.norm(other)}

    def join(rag, source, target):
        one, two = rag.nodes[source], rag.nodes[target]
        for name in ("total color", "pixel count"):
            two[name] += one[name]
        two["mean color"] = two["total color"] / two["pixel count"]

    parts = slic(image, n_segments=400, compactness=30, start_label=0)
    return graph.merge_hierarchical(
        parts,
        graph.rag_mean_color(image, parts),
        thresh=largest,
        rag_copy=False,
        in_place_merge=True,
        merge_func=join,
        weight_func=difference,
    )


def measure(photos: list[Photo], k: int | None) -> None:
    """Print agreement with people, and time, of each method."""
    rows: dict[str, list] = {}
    for photo in photos:
        ways = ways_without_count(photo) if k is None else ways_with_count(photo, k)
        for name, way in ways.items():
            labels, cpu, wall = timed(way)
            rows.setdefault(name, []).append(
                (
                    probabilistic_rand_index(photo.segmentations, labels),
                    segmentation_covering(photo.segmentations, labels),
                    len(np.unique(labels)),
                    cpu,
                    wall,
                )
            )
    held = [photo.name in HELD_BACK for photo in photos]
    print(f"\n{'number found' if k is None else f'k = {k}'}; {len(photos)} photos")
    print("method               Rand  cover  held back     n  cpu s  most  wall s")
    for name, values in rows.items():
        table = np.array(values)
        rand, cover, n, cpu, _ = table.mean(axis=0)
        apart = table[held, :2].mean(axis=0) if any(held) else (np.nan, np.nan)
        print(
            f"{name:<19} {rand:.3f}  {cover:.3f} {apart[0]:.3f} {apart[1]:.3f} {n:5.1f}"
            f" {cpu:6.2f} {table[:, 3].max():5.2f} {table[:, 4].max():7.2f}",
            flush=True,
        )


def grab_cut(image: np.ndarray, strokes: np.ndarray, rest: int) -> np.ndarray:
    """Return the object that GrabCut finds if unmarked pixels start as ``rest``."""
    mask = np.full(strokes.shape, rest, dtype=np.uint8)
    mask[strokes == 1], mask[strokes == 2] = cv2.GC_BGD, cv2.GC_FGD
    cv2.setRNGSeed(0)
    colors = np.ascontiguousarray(image[..., ::-1])
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(colors, mask, None, *models, 5, cv2.GC_INIT_WITH_MASK)
    return (mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)


def measure_strokes(photos: list[Photo], n_draws: int) -> None:
    """Print the overlap with the object that strokes choose."""
    rows: dict[str, dict] = {}
    for photo in photos:
        for kind in KINDS:
            for seed in range(n_draws):
                strokes = draw_strokes(photo.foreground, kind, seed)
                for name, way in ways_with_strokes(photo, strokes).items():
                    found, cpu, _ = timed(way)
                    rows.setdefault(name, {})[photo.name, kind, seed] = (
                        jaccard_overlap(photo.foreground, found),
                        cpu,
                    )
    print(
        "\noverlap             hasty  careful  mean   held   worst photo          "
        "draw   cpu s  most"
    )
    for name, values in rows.items():
        shown = [_mean(values, 1, (kind,)) for kind in KINDS]
        held = _mean(values, 0, HELD_BACK)
        worst = min((_mean(values, 0, (p.name,)), p.name) for p in photos)
        draw = min(overlap for overlap, _ in values.values())
        seconds = [cpu for _, cpu in values.values()]
        print(
            f"{name:<19} {shown[0]:.3f}  {shown[1]:.3f}  {np.mean(shown):.3f}  "
            f"{held:.3f}  {worst[0]:.3f} {worst[1]:<15} {draw:.3f} "
            f"{np.mean(seconds):6.2f} {max(seconds):5.2f}"
        )


def _mean(values: dict, place: int, names: tuple[str, ...]) -> float:
    return np.mean([v[0] for key, v in values.items() if key[place] in names])


def ways_with_strokes(photo: Photo, strokes: np.ndarray) -> dict[str, Callable]:
    """Return the methods that take strokes."""
    model = ImageSegmenter("auto")

    def walk():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = random_walker(
                photo.image, strokes, beta=130, mode="cg_j", channel_axis=-1
            )
        return found == 2

    return {
        "first strokes": lambda: model.fit(photo.image, scribbles=strokes).labels_ == 1,
        "the same again": lambda: model.refine(strokes).labels_ == 1,
        "GrabCut, ground": lambda: grab_cut(photo.image, strokes, cv2.GC_PR_BGD),
        "GrabCut, object": lambda: grab_cut(photo.image, strokes, cv2.GC_PR_FGD),
        "random walker": walk,
    }


def draw_gallery(photos: list[Photo], path: str) -> None:
    """Draw photos, their segments, and those that strokes choose."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    titles = ("photo", "2 segments", "4 segments", "strokes", "object by strokes")
    figure, axes = plt.subplots(
        len(photos), 5, figsize=(13, 1.78 * len(photos)), layout="constrained"
    )
    for row, photo in zip(np.atleast_2d(axes), photos, strict=True):
        strokes = draw_strokes(photo.foreground)
        marked = (0.6 * photo.image + 0.4 * 255).astype(np.uint8)
        for label, color in ((1, PALETTE[0]), (2, PALETTE[5])):
            marked[ndimage.binary_dilation(strokes == label, iterations=3)] = color
        chosen = ImageSegmenter(random_state=0).fit_predict(
            photo.image, scribbles=strokes
        )
        pictures = [photo.image]
        for k in (2, 4):
            labels = ImageSegmenter(k, random_state=0).fit_predict(photo.image)
            pictures.append(overlay(photo.image, labels, 0.6))
        cut = np.where(chosen[..., None] == 1, photo.image, 255)
        pictures += [marked, draw_boundaries(cut.astype(np.uint8), chosen, PALETTE[5])]
        for axis, picture in zip(row, pictures, strict=True):
            axis.imshow(picture)
            axis.set_axis_off()
    for axis, title in zip(np.atleast_2d(axes)[0], titles, strict=True):
        axis.set_title(title, fontsize=12)
    figure.savefig(path, dpi=75)


def main() -> None:
    """Measure, and draw if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="words in the names of photos")
    parser.add_argument("-k", "--clusters", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--strokes", action="store_true", help="measure strokes only")
    parser.add_argument("--draws", type=int, default=5, help="draws of strokes")
    parser.add_argument("--picture", help="draw a gallery into this file, and no more")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    photos = load_photos(arguments.names)
    if arguments.picture:
        draw_gallery(photos, arguments.picture)
        return
    strokes = draw_strokes(photos[0].foreground)
    ImageSegmenter("auto").fit(photos[0].image, scribbles=strokes)  # to compile
    ImageSegmenter(2, mode="direct").fit(photos[0].image[::6, ::6])
    for k in () if arguments.strokes else (None, *arguments.clusters):
        measure(photos, k)
    measure_strokes(photos, arguments.draws)


if __name__ == "__main__":
    main()
