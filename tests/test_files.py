"""Files are complete, keep their permissions, or are not written at all."""

import errno
import io
import os
import stat
import sys
from types import SimpleNamespace

import pytest

from maxmargin.files import atomic_write, check_outputs, check_writable, write_files


@pytest.fixture
def umask():
    """Return a function that sets the umask until the end of the test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def permissions(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_content_appears_at_the_end(tmp_path):
    path = tmp_path / "file"
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    with atomic_write(str(path)) as file:
        file.write(b"newer")
        assert path.read_bytes() == b"new"
    assert path.read_bytes() == b"newer"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_open(tmp_path, umask, mask):
    umask(mask)
    with open(tmp_path / "plain", "wb"):
        pass
    with atomic_write(tmp_path / "file"):
        pass
    assert permissions(tmp_path / "file") == 0o666 & ~mask
    assert permissions(tmp_path / "file") == permissions(tmp_path / "plain")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_an_existing_file_keeps_its_permissions(tmp_path, umask, mode):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    with atomic_write(path) as file:
        file.write(b"new")
    assert permissions(path) == mode
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt])
@pytest.mark.parametrize("exists", [False, True])
def test_an_error_leaves_everything_as_it_was(tmp_path, error, exists):
    path = tmp_path / "file"
    if exists:
        path.write_bytes(b"old")
    with pytest.raises(error), atomic_write(path) as file:
        file.write(b"half")
        raise error
    assert list(tmp_path.iterdir()) == ([path] if exists else [])
    assert not exists or path.read_bytes() == b"old"


def test_files_of_killed_processes_are_removed(tmp_path):
    abandoned = tmp_path / ".maxmargin-0123456789abcdef.part"
    abandoned.write_bytes(b"half")
    os.utime(abandoned, (0, 0))
    other = tmp_path / ".other.part"
    other.write_bytes(b"of another program")
    with atomic_write(tmp_path / "one") as one, atomic_write(tmp_path / "two") as two:
        one.write(b"1")
        two.write(b"2")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".other.part",
        "one",
        "two",
    ]


def test_files_of_similar_names_are_kept(tmp_path):
    names = [".maxmargin-notes.part", ".maxmargin-0123456789ABCDEF.part"]
    for name in names:
        (tmp_path / name).write_bytes(b"of the user")
        os.utime(tmp_path / name, (0, 0))
    with atomic_write(tmp_path / "one") as one:
        one.write(b"1")
    assert sorted(os.listdir(tmp_path)) == sorted([*names, "one"])


@pytest.mark.parametrize("dangling", [False, True])
def test_a_symbolic_link_stays_a_link(tmp_path, dangling):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link = folder / "target", tmp_path / "link"
    if not dangling:
        target.write_bytes(b"old")
    link.symlink_to(target)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert list(folder.iterdir()) == [target]


def test_places_that_cannot_be_written(tmp_path):
    for path, error, message in [
        (tmp_path / "no" / "file", FileNotFoundError, "does not exist"),
        (tmp_path, FileExistsError, "not a file"),
        ("/dev/null", FileExistsError, "not a file"),
    ]:
        with pytest.raises(error, match=message):
            check_writable(path)
        with pytest.raises(error, match=message), atomic_write(path):
            pass


def test_several_files_are_written_together(tmp_path, monkeypatch):
    standard_output = SimpleNamespace(buffer=io.BytesIO())
    monkeypatch.setattr(sys, "stdout", standard_output)
    one, two = tmp_path / "one", tmp_path / "two"
    writers = {
        str(one): lambda file: file.write(b"1"),
        str(two): lambda file: file.write(b"2"),
        "-": lambda file: file.write(b"3"),
    }
    write_files(writers)
    assert (one.read_bytes(), two.read_bytes()) == (b"1", b"2")
    assert standard_output.buffer.getvalue() == b"3"


def test_if_one_fails_none_is_written(tmp_path):
    def fail(file):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    good = str(tmp_path / "good")
    for writers in (
        {good: lambda file: file.write(b"whole"), str(tmp_path / "bad"): fail},
        {str(tmp_path / "bad"): fail, good: lambda file: file.write(b"whole")},
    ):
        with pytest.raises(OSError, match="nothing was written"):
            write_files(writers)
        assert list(tmp_path.iterdir()) == []


def test_existing_files_are_kept_unless_forced(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    writers = {str(path): lambda file: file.write(b"new")}
    with pytest.raises(FileExistsError, match="--force"):
        write_files(writers)
    assert path.read_bytes() == b"old"
    write_files(writers, force=True)
    assert path.read_bytes() == b"new"


def test_a_file_that_appears_in_the_meantime_is_kept(tmp_path):
    path = tmp_path / "file"

    def slow(file):
        file.write(b"ours")
        path.write_bytes(b"theirs")

    with pytest.raises(FileExistsError):
        write_files({str(path): slow})
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_two_outputs_need_two_names(tmp_path):
    with pytest.raises(ValueError, match="same name"):
        check_outputs([tmp_path / "a", tmp_path / "b" / ".." / "a"])
