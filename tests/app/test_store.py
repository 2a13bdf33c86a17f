"""The folder of the app: what the user has there is never removed or altered."""

import gc
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin.app.home import MARKER, SUBFOLDER
from maxmargin.app.store import InUse, Missing, Store, read_arrays, write_arrays

FILES = {
    "notes.txt": "mine",
    "datasets/table.csv": "x,y\n1,2\n",
    "datasets/raw/deep/down/table.csv": "x,y\n3,4\n",
    "datasets/0123456789ab/photo.png": "pixels",
    "datasets/ba9876543210/about.json": "{}",
    "datasets/aaaaaaaaaaaa/about.json": json.dumps({"id": "aaaaaaaaaaaa", "name": "n"}),
    "datasets/bbbbbbbbbbbb/about.json": "[" * 100_000,
    "datasets/raw/.maxmargin-notes.part": "mine as well",
    "datasets/about.json/file": "a folder of this name",
    "works/thesis/chapter.tex": "text",
    "works/0123456789ab": "a file",
    "works/cccccccccccc/2024.csv": "1",
}


def write_files(folder, files=FILES):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "works" / "empty").mkdir(parents=True)
    (folder / "works" / "dddddddddddd").mkdir()


def content(folder, *left_out):
    """Return each path below a folder, with the bytes and the time of each file."""
    return {
        path.relative_to(folder): (path.read_bytes(), path.stat().st_mtime_ns)
        if path.is_file()
        else None
        for path in folder.rglob("*")
        if path.relative_to(folder).parts[0] not in left_out
    }


def add_dataset(store, name="a"):
    number = store.new("datasets")
    path = store.path("datasets", number) / "data.csv"
    path.write_text("x,y\n1,2\n")
    about = {"id": number, "name": name, "file": path.name, "kind": "table"}
    store.write("datasets", number, about)
    return number


def test_a_folder_of_the_user_is_unchanged_after_ten_starts(tmp_path):
    write_files(tmp_path)
    before = content(tmp_path)
    for _ in range(10):
        Store(tmp_path).close()
    assert content(tmp_path, SUBFOLDER) == before
    assert set(os.listdir(tmp_path / SUBFOLDER)) == {MARKER, "datasets", "works"}


def test_the_command_leaves_a_folder_of_the_user_alone(tmp_path):
    write_files(tmp_path)
    before = content(tmp_path)
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-m", "maxmargin", "app", "--no-browser", "--folder", "."],
            stdout=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        with process:
            assert process.stdout.readline().startswith("maxmargin app: http://")
            process.terminate()
            said = process.stdout.read()
        assert said.endswith(
            ". has other content, which is left alone: the work is kept in "
            f"{SUBFOLDER}.\n"
        )
    assert content(tmp_path, SUBFOLDER) == before


def test_what_the_user_adds_to_the_folder_of_the_app_is_left_alone(tmp_path):
    own = add_dataset(Store(tmp_path / "new"))
    folder = tmp_path / "new"
    write_files(folder)
    before = content(folder)
    for _ in range(10):
        store = Store(folder)
        store.close()
    assert content(folder) == before
    assert store.folder == folder
    assert len(store.notes) == 1
    assert store.notes[0].startswith("Not written by the app, and left alone: ")
    assert [about["id"] for about in store.list("datasets")] == [own]
    for kind in ("datasets", "works"):
        for path in (folder / kind).iterdir():
            if path.name != own:
                with pytest.raises(Missing):
                    store.remove(kind, path.name)
                with pytest.raises(Missing):
                    store.read(kind, path.name)
    assert content(folder) == before


@pytest.mark.parametrize("name", [".", "a/b"])
def test_a_new_or_empty_folder_becomes_that_of_the_app(tmp_path, name):
    folder = tmp_path / name
    store = Store(folder)
    assert (store.folder, store.notes) == (folder, [])
    number = add_dataset(store)
    store.close()
    assert Store(folder).read("datasets", number)["name"] == "a"
    store.remove("datasets", number)
    assert set(os.listdir(folder)) == {MARKER, "datasets", "works"}
    assert not os.listdir(folder / "datasets")


def test_a_subfolder_of_the_user_is_not_taken(tmp_path):
    write_files(tmp_path, {f"{SUBFOLDER}/file": "mine", f"{SUBFOLDER}/{MARKER}": ""})
    before = content(tmp_path)
    with pytest.raises(FileExistsError, match="not made by maxmargin app: give a new"):
        Store(tmp_path)
    with pytest.raises(NotADirectoryError, match="is no folder"):
        Store(tmp_path / SUBFOLDER / "file")
    assert content(tmp_path) == before


def test_only_folders_in_the_making_are_removed_at_the_start(tmp_path):
    store = Store(tmp_path)
    number = store.new("datasets")
    path = store.path("datasets", number)
    (path / "data.csv").write_text("x")
    assert not store.list("datasets")
    with pytest.raises(InUse):
        Store(tmp_path)  # a second app, while the first one writes
    assert path.is_dir()
    store.close()
    similar = path.with_name(".maxmargin-mine.new")
    similar.mkdir()
    Store(tmp_path)
    assert not path.exists()
    assert similar.is_dir()


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_a_link_is_not_followed(tmp_path):
    folder, mine = tmp_path / "app", tmp_path / "mine"
    mine.mkdir()
    (mine / "file").write_text("mine")
    Store(folder)
    (folder / "works" / ".maxmargin-0123456789ab.new").symlink_to(mine)
    (folder / "works" / "0123456789ab").symlink_to(mine)
    store = Store(folder)
    with pytest.raises(Missing):
        store.remove("works", "0123456789ab")
    assert (mine / "file").read_text() == "mine"


def test_one_app_at_a_time_uses_a_folder(tmp_path):
    first = Store(tmp_path)
    with pytest.raises(InUse, match=r"Another maxmargin app uses .*--folder\."):
        Store(tmp_path)
    first.close()
    Store(tmp_path)


def test_the_command_says_that_another_app_uses_the_folder(tmp_path):
    store = Store(tmp_path / "work")
    number = add_dataset(store)
    words = ["app", "--no-browser", "--folder", str(tmp_path / "work")]
    second = subprocess.run(
        [sys.executable, "-m", "maxmargin", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 1
    assert second.stderr.startswith("maxmargin: error: Another maxmargin app uses ")
    assert len(second.stderr.splitlines()) == 1
    assert store.read("datasets", number)


def write_work(store, **changes):
    number = store.new("works")
    about = {"id": number, "dataset": "0" * 12, "name": "a.csv", "kind": "table"}
    about |= {"settings": {}, "steps": [], "position": -1}
    store.write("works", number, about)
    path = store.path("works", number) / "about.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return number


def test_a_work_that_was_killed_in_its_first_fit_is_removed(tmp_path):
    store = Store(tmp_path)
    write_work(store)
    kept = write_work(store, steps=[{"result": "0000"}])
    assert len(store.list("works")) == 2
    store.close()
    assert [work["id"] for work in Store(tmp_path).list("works")] == [kept]


@pytest.mark.parametrize(
    "damage",
    [
        {"changed": "yesterday"},
        {"changed": None},
        {"changed": float("nan")},
        {"steps": 7},
        {"steps": [{"old": 1}]},
        {"settings": []},
        {"position": 99, "steps": []},
        {"name": None},
        {"kind": [1]},
    ],
)
def test_a_damaged_description_does_not_hide_the_others(server, damage):
    store = server.works.store
    number = write_work(store, **damage)
    dataset = add_dataset(store)
    broken = store.path("datasets", dataset) / "about.json"
    fields = {"name", "kind", "changed"} & damage.keys()
    broken.write_text(json.dumps(json.loads(broken.read_text()) | damage))
    other = server.fit(server.builtin("iris"), clusters=2, label="class")["id"]
    works = server.client.get("/api/works")
    assert works.status_code == 200
    assert other in [work["id"] for work in works.json()]
    listed = [one["id"] for one in server.client.get("/api/datasets").json()]
    assert (dataset in listed) == (not fields)
    assert server.client.get(f"/api/works/{number}").status_code in (200, 404, 422)
    server.client.delete(f"/api/works/{number}")


def test_arrays_are_read_in_many_threads(tmp_path):
    """NumPy parses headers of arrays, which Python 3.11 cannot in two threads at once.

    The collector of garbage lets another thread go on in the middle of that.
    """
    path = tmp_path / "a.npz"
    write_arrays(path, **{f"a{i}": np.full((3, 2), i) for i in range(20)})
    stop, errors, n_read = time.time() + 2.0, [], []

    def give_way(*args):
        time.sleep(0)

    def work():
        while time.time() < stop:
            try:
                found = read_arrays(path)
                assert len(found) == 20 and (found["a7"] == 7).all()
                n_read.append(1)
            except BaseException as error:
                errors.append(error)

    known = gc.get_threshold()
    gc.set_threshold(20)
    gc.callbacks.append(give_way)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.callbacks.remove(give_way)
        gc.set_threshold(*known)
    assert not errors and len(n_read) > 10
