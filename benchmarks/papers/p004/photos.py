"""The photos of section 4.4, and how they are segmented.

The paper has a bird, a palace, a horse, a zebra and a squirrel, most of 240 x 160
pixels, and does not say which files. We have five photos of the Berkeley data at every
second pixel, which is the same size. Colours, from 0 to 255, are the features, and the
kernel's width is 500, as in the paper; C = 500 and l = 0.3 n are its other values. It
does not say which l it has for photos, whose objects are often smaller than that: 0.8 n
is tried as well. A pixel is a sample, and those of one colour are one with its weight.
"""

import base64
import os
import time
import zlib
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from benchmarks.data.suite import MissingData
from maxmargin import ImageSegmenter
from maxmargin.published import IterativeMaxMarginClustering
from maxmargin.segmentation.image_files import read_image

PHOTOS = ("bird_on_branch", "vase", "horse", "zebras", "leopard")
ITERATIVE = IterativeMaxMarginClustering(
    C=500.0, gamma=1 / 500**2, balance=0.3, random_state=0
)


def load_photo(name, every=2):
    """Return the colours of a photo, and where people saw the object."""
    folder = Path(os.environ.get("MAXMARGIN_DATA", "")) / "images"
    files = sorted(folder.glob(f"bsds_*_{name}.jpg"))
    if not files:
        raise MissingData(f"images: no photo {name} in the folder MAXMARGIN_DATA.")
    with np.load(files[0].with_name(files[0].stem + "_seg.npz")) as drawn:
        foreground = drawn["foreground"].astype(bool)
    return read_image(files[0])[::every, ::every], foreground[::every, ::every]


def k_means(image):
    """Return the segments of k-means, the best of ten starts."""
    return KMeans(2, n_init=10, random_state=0).fit_predict(pixels(image))


def mixture(image):
    """Return the segments of a mixture of two normal distributions, found by EM."""
    return GaussianMixture(2, random_state=0).fit_predict(pixels(image))


def iterative(image, balance=0.3):
    """Return the segments of iterSVR."""
    return clone(ITERATIVE).set_params(balance=balance).fit_predict(pixels(image))


def wide_iterative(image):
    """Return the segments of iterSVR with wide limits of sizes."""
    return iterative(image, 0.8)


def default(image):
    """Return the segments of an estimator that is told nothing."""
    return ImageSegmenter(random_state=0).fit_predict(image)


def pixels(image):
    """Return the colours as samples."""
    return image.reshape(-1, 3).astype(np.float64)


METHODS = {
    "k-means": k_means,
    "EM": mixture,
    "iterSVR, l = 0.3 n": iterative,
    "iterSVR, l = 0.8 n": wide_iterative,
    "`ImageSegmenter()`": default,
}


def segment(method, name, every=2):
    """Return the segments as text, and CPU seconds."""
    image, _ = load_photo(name, every)
    METHODS[method](image[::8, ::8])  # to compile
    start = time.process_time()
    labels = METHODS[method](image)
    return [pack(labels), time.process_time() - start]


def pack(labels):
    """Return labels below 256 as text."""
    return base64.b64encode(
        zlib.compress(np.asarray(labels, np.uint8).tobytes())
    ).decode()


def unpack(text, shape):
    """Return labels of a shape from text."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8).reshape(
        shape
    )
