"""`maxmargin segment`: from a photo to pictures, or one line that says why not."""

import json

import numpy as np
import pytest

testing = pytest.importorskip("click.testing")
Image = pytest.importorskip("PIL.Image")

from maxmargin.cli.main import main  # noqa: E402


@pytest.fixture
def photo(tmp_path):
    image = np.full((40, 50, 3), 200, dtype=np.uint8)
    image[10:25, 20:40] = (30, 60, 120)
    path = tmp_path / "photo.png"
    Image.fromarray(image).save(path)
    return path


def run(*arguments):
    return testing.CliRunner().invoke(main, ["segment", *map(str, arguments)])


def test_overlay_beside_the_photo(photo):
    result = run(photo, "-k", 2)
    assert result.exit_code == 0, result.output
    assert "1,700" in result.output and "300" in result.output
    assert photo.with_name("photo_segments.png").exists()
    again = run(photo)
    assert again.exit_code == 1
    assert "--force" in again.output
    assert run(photo, "--force").exit_code == 0


def test_json_and_mask(photo, tmp_path):
    mask = tmp_path / "mask.png"
    result = run(photo, "--features", "rgb", "--mask", mask, "--json")
    summary = json.loads(result.output)
    assert summary["sizes"] == [1700, 300]
    assert summary["written"] == {"mask": str(mask)}
    assert np.asarray(Image.open(mask)).sum() == 300 * 255


def test_the_photo_is_never_replaced(photo):
    content = photo.read_bytes()
    for option in ("--mask", "--overlay", "--boundaries", "--labels"):
        result = run(photo, option, photo, "--force")
        assert result.exit_code == 2
        assert "would replace the input" in result.output
    assert photo.read_bytes() == content


def test_errors_in_one_line(photo, tmp_path):
    text = tmp_path / "text.jpg"
    text.write_text("no image")
    for arguments, code in [
        ((text,), 1),
        ((photo, "-k", 0), 2),
        ((tmp_path / "none.jpg",), 2),
        ((photo, "--features", "colour"), 1),
        ((photo, "--mask", tmp_path / "mask"), 1),
    ]:
        result = run(*arguments)
        assert result.exit_code == code, arguments
        assert result.output.count("\n") == 1
        assert result.output.startswith("maxmargin: error:")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["photo.png", "text.jpg"]
