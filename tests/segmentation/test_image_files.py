"""Image files in and out: the right pictures, or nothing and one sentence."""

import numpy as np
import pytest

from maxmargin.segmentation.image_files import read_image, segment_file
from maxmargin.segmentation.scribbles import labels_of_colors

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def photo(tmp_path):
    image = np.full((40, 50, 3), 200, dtype=np.uint8)
    image[10:25, 20:40] = (30, 60, 120)
    path = tmp_path / "photo.png"
    Image.fromarray(image).save(path)
    return path


def test_writes_what_is_asked_for(photo, tmp_path):
    names = {
        "mask": tmp_path / "mask.png",
        "overlay": tmp_path / "overlay.jpg",
        "boundaries": tmp_path / "boundaries.png",
        "labels": tmp_path / "labels.npy",
        "matte": tmp_path / "matte.png",
        "path": tmp_path / "path.svg",
    }
    model = segment_file(photo, 2, outputs=names, features="rgb", random_state=0)
    inside = np.zeros((40, 50), dtype=bool)
    inside[10:25, 20:40] = True
    assert np.array_equal(model.labels_, inside.astype(int))
    assert np.array_equal(np.load(names["labels"]), model.labels_)
    assert np.array_equal(np.asarray(Image.open(names["mask"])), 255 * inside)
    assert read_image(names["overlay"]).shape == (40, 50, 3)
    assert (read_image(names["boundaries"])[10, 20] == (255, 220, 0)).all()
    opacity = np.asarray(Image.open(names["matte"]))[..., 3]
    assert opacity[17, 30] == 255 and opacity[35, 5] == 0
    assert 'd="M20 10 L40 10 L40 25 L20 25 Z"' in names["path"].read_text()
    assert len(list(tmp_path.iterdir())) == 7


def test_existing_files_stay(photo, tmp_path):
    mask = tmp_path / "mask.png"
    mask.write_bytes(b"mine")
    outputs = {"labels": tmp_path / "labels.npy", "mask": mask}
    with pytest.raises(FileExistsError, match="exists"):
        segment_file(photo, outputs=outputs)
    assert mask.read_bytes() == b"mine"
    assert not (tmp_path / "labels.npy").exists()
    segment_file(photo, outputs=outputs, force=True, random_state=0)
    assert read_image(mask).shape == (40, 50, 3)


def test_scribbles_from_a_picture(photo, tmp_path):
    strokes = np.zeros((40, 50, 4), dtype=np.uint8)
    strokes[3:5, 5:45] = (255, 0, 0, 255)
    strokes[15:18, 24:36] = (0, 0, 255, 255)
    path = tmp_path / "strokes.png"
    Image.fromarray(strokes).save(path)
    model = segment_file(photo, scribbles=path, n_cells=200, random_state=0)
    # Labels in the order of the colours: blue, then red.
    assert np.array_equal(model.classes_, [1, 2])
    assert model.labels_[17, 30] == 0
    assert model.labels_[35, 5] == 1
    small = tmp_path / "small.png"
    Image.fromarray(strokes[:20]).save(small)
    with pytest.raises(ValueError, match="of that size"):
        segment_file(photo, scribbles=small)


def test_strokes_on_a_plain_ground():
    page = np.full((20, 30, 3), 255, dtype=np.uint8)
    page[2, 2:20] = page[9, 2:20] = (255, 0, 0)
    page[15, 2:12] = (0, 255, 0)
    page[18, 2:5] = (9, 9, 9)  # too few pixels for a stroke
    strokes = labels_of_colors(page)
    assert strokes[15, 5] == 1 and strokes[2, 5] == strokes[9, 5] == 2
    assert np.count_nonzero(strokes) == 18 + 18 + 10


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"mask": "mask"}, "suffix"),
        ({"labels": "labels.csv"}, "suffix"),
        ({"picture": "a.png"}, "not known"),
        ({"mask": "a.png", "overlay": "a.png"}, "same name"),
    ],
)
def test_bad_outputs(photo, outputs, message):
    with pytest.raises(ValueError, match=message):
        segment_file(photo, outputs=outputs)


def test_files_that_are_no_images(tmp_path):
    text = tmp_path / "text.jpg"
    text.write_text("no image")
    with pytest.raises(ValueError, match="cannot be read as an image"):
        segment_file(text)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        segment_file(tmp_path / "none.jpg")
