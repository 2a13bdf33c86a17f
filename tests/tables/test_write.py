import errno
import os
import stat

import numpy as np
import pytest

from maxmargin.tables import TableError, read_table
from maxmargin.tables.write import WholeFiles, columns_writer

COLUMNS = {
    "id": np.array(["a", 'b "x", y', "c"], object),
    "cluster": np.array([1, 0, 2]),
}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_what_is_written_is_read(tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    with WholeFiles() as files:
        files.add(path, lambda file: columns_writer(path)(COLUMNS, file))
    table = read_table(path, keep=["id"])
    assert table.kept["id"].tolist() == COLUMNS["id"].tolist()
    assert table.numbers.ravel().tolist() == [1, 0, 2]


def test_numpy_formats(tmp_path):
    for name in ("out.npy", "out.npz"):
        with WholeFiles() as files:
            files.add(tmp_path / name, lambda f, n=name: columns_writer(n)(COLUMNS, f))
    assert np.load(tmp_path / "out.npy").tolist() == [1, 0, 2]
    with np.load(tmp_path / "out.npz", allow_pickle=False) as archive:
        assert archive["id"].tolist() == COLUMNS["id"].tolist()


def test_plain_text_has_no_quotes_it_does_not_need(tmp_path):
    path = tmp_path / "out.csv"
    columns = {"id": np.array(["a", "b"], object), "cluster": np.array([0, 1])}
    with WholeFiles() as files:
        files.add(path, lambda file: columns_writer(path)(columns, file))
    assert path.read_text() == "id,cluster\na,0\nb,1\n"


def test_all_or_nothing(tmp_path):
    def fail(file):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="nothing was written"), WholeFiles() as files:
        files.add(tmp_path / "one", lambda file: file.write(b"whole"))
        files.add(tmp_path / "two", fail)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_unless_forced(tmp_path):
    path = tmp_path / "there"
    path.write_text("old")
    with pytest.raises(FileExistsError, match="--force"), WholeFiles() as files:
        files.add(path, lambda file: file.write(b"new"))
    assert path.read_text() == "old"
    with WholeFiles(force=True) as files:
        files.add(path, lambda file: file.write(b"new"))
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0o077 & ~_umask() & 0o066


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_places_that_cannot_be_written_to(tmp_path):
    files = WholeFiles(force=True)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        files.check(tmp_path / "no" / "file")
    with pytest.raises(FileExistsError, match="not a file"):
        files.check(tmp_path)
    with pytest.raises(TableError, match="no suffix"):
        columns_writer("labels")
