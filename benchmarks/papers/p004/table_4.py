"""Table 4: the time that segmentation of a photo takes.

The paper's are wall clock minutes of iterSVR with LIBSVM on a PC of 2007, on all pixels
of other photos of about the same size. Ours are CPU seconds on one core: pixels of one
colour are one sample with a weight, and functions are spanned by at most 800 of them.
"""

from benchmarks.papers.p004.photos import METHODS, PHOTOS, load_photo, segment

TITLE = "Paper 004, Table 4: time for segmentation"
# photo of the paper: minutes, size
PRINTED = {
    "bird": (6.9, "240 x 160"),
    "palace": (19.5, "240 x 160"),
    "horse": (43.6, "240 x 160"),
    "zebra": (37.8, "214 x 160"),
    "squirrel": (58.5, "288 x 209"),
}


def run(store, page):
    """Measure and write the page."""
    page.text(__doc__.partition("\n")[2])
    columns = [f"{name}, s" for name in METHODS]
    ours = {}
    for every in store.pick((2, 1), (4,)):
        rows = {}
        for name in store.pick(PHOTOS, PHOTOS[:2]):
            for method, column in zip(METHODS, columns, strict=True):
                cell = store.cell(
                    f"{name}, every {every}, {method}",
                    lambda m=method, n=name, e=every: segment(m, n, e)[1],
                )
                if cell is None:
                    return
                height, width = load_photo(name, every)[0].shape[:2]
                rows[f"{name.replace('_', ' ')}, {width} x {height}"] = None
                ours[list(rows)[-1], column] = cell
        page.table(rows, columns, ours, corner="photo")
    page.text("The paper, iterSVR, minutes:")
    page.table(
        ["minutes"],
        [f"{name}, {size}" for name, (_, size) in PRINTED.items()],
        {
            ("minutes", f"{name}, {size}"): f"{minutes:.1f}"
            for name, (minutes, size) in PRINTED.items()
        },
    )
