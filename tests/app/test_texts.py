"""Texts on the page: clusters, keywords, a correction, model and report."""

import numpy as np
import pytest

from maxmargin.app.inspect_task import inspect_file
from maxmargin.app.records import read_step
from maxmargin.app.tasks import Tasks
from maxmargin.table_model import load_table_model

WORDS = ["bread cheese apple soup oven", "goal match player coach ball"]


def test_texts_from_the_file_to_the_model(tmp_path, random):
    topics = random.randint(2, size=60)
    lines = [" ".join(random.permutation(WORDS[t].split())[:4]) for t in topics]
    path = tmp_path / "comments.csv"
    path.write_text("id,comment\n" + "\n".join(f"{i},{t}" for i, t in enumerate(lines)))
    columns = {one["name"]: one for one in inspect_file(str(path), tmp_path)["columns"]}
    assert columns["comment"]["used"]
    assert not columns["id"]["used"]
    tasks = Tasks()
    place = {"work": "w", "file": str(path), "path": str(tmp_path)}
    place["settings"] = {"clusters": 2}

    def run(task, **arguments):
        return tasks.run(task, {"place": dict(place), **arguments}, lambda event: None)

    first = run("fit")
    profiles = read_step(tmp_path, first["result"])["profiles"]
    found = [{one["name"] for one in cluster["profile"]} for cluster in profiles]
    assert all(words <= set(" ".join(WORDS).split()) for words in found)
    assert not found[0] & found[1]
    action = {"kind": "apart", "rows": np.flatnonzero(topics == 0)[:2].tolist()}
    run("correct", step=first["result"], action=action, name="0001")
    for what, name in (("model", "m.npz"), ("report", "r.html")):
        target = str(tmp_path / name)
        run("download", step="0000", what=what, target=target, title="comments")
    model = load_table_model(str(tmp_path / "m.npz"))
    assert model.preprocessor.columns == ["comment"]
    assert "Keywords" in (tmp_path / "r.html").read_text()
    place["settings"] = {"clusters": 2, "method": "mixture"}
    with pytest.raises(ValueError, match="choose another method for texts"):
        run("fit")
