"""Other labellings: small maps on the page, and answers that choose and refine."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin import MaxMarginClustering
from maxmargin.app.alternatives import Alternatives


def bars(n_rows=300, seed=0):
    """Two classes along y, which a wide x hides from most methods."""
    random = np.random.RandomState(seed)
    y = random.randint(2, size=n_rows)
    x = np.where(random.rand(n_rows) < 0.5, -3.0, 3.0)
    X = np.column_stack([x + random.randn(n_rows), 4.0 * y + random.randn(n_rows)])
    return X, y


def csv_of(X):
    lines = [",".join(f"{v:.5f}" for v in row) for row in X]
    return "\n".join([",".join(f"x{j}" for j in range(X.shape[1])), *lines])


@pytest.fixture(scope="module")
def work(server):
    X, y = bars()
    dataset = server.upload("bars.csv", csv_of(X)).json()["id"]
    found = server.fit(dataset, clusters=2)["id"]
    assert server.client.get(f"/api/works/{found}/alternatives/0").status_code == 409
    job = server.wait(server.client.post(f"/api/works/{found}/alternatives"))
    assert job["state"] == "done", job
    return found, y


def labels_of(server, work, number):
    answer = server.client.get(f"/api/works/{work}/alternatives/{number}")
    return np.frombuffer(answer.content, "<i4")


def test_labellings_are_those_of_the_estimator_with_ids_that_stay():
    X, _ = load_wine(return_X_y=True)
    model = MaxMarginClustering(3, random_state=0).fit(X)
    found = Alternatives.of(model, X)
    assert_array_equal(found.labels[0], model.labels_)
    others = model.find_alternatives(X)
    assert len(others) == len(found.labels) - 1 > 0
    for ids, labels, one in zip(found.ids[1:], found.labels[1:], others, strict=True):
        assert_array_equal(np.array(ids)[one.labels], labels)
        assert adjusted_rand_score(one.labels, labels) == 1.0
        # No other numbering of the clusters agrees with the fit on more rows.
        agree = (labels == model.labels_).sum()
        swapped = np.where(labels == 0, 1, np.where(labels == 1, 0, labels))
        assert agree >= (swapped == model.labels_).sum()
    again = Alternatives.from_arrays(found.arrays())
    assert_array_equal(again.labels, found.labels)
    assert (again.ids, again.descriptions) == (found.ids, found.descriptions)


def test_what_tells_labellings_apart_is_said_in_words(server, work):
    shown = server.client.get(f"/api/works/{work[0]}/numbers").json()["alternatives"]
    assert shown[0]["text"] == "the clusters of the fit"
    assert shown[0]["moved"] == 0 and shown[0]["agreement"] == 1.0
    for number, one in enumerate(shown):
        labels = labels_of(server, work[0], number)
        assert one["clusters"] == len(np.unique(labels))
        assert one["columns"] and set(one["columns"]) <= {"x0", "x1"}
        assert one["moved"] == (labels != labels_of(server, work[0], 0)).sum()


def test_an_oracle_chooses_and_refines_through_the_api(server, work):
    number, y = work
    path = f"/api/works/{number}/alternatives/question"
    answers = []
    for _ in range(6):
        found = server.client.post(path, json={"answers": answers}).json()
        if found["pair"] is None:
            break
        first, second = found["pair"]
        answers.append([first, second, bool(y[first] == y[second])])
    tally = server.client.post(path, json={"answers": answers}).json()["agree"]
    scores = [
        adjusted_rand_score(y, labels_of(server, number, i)) for i in range(len(tally))
    ]
    best = int(np.argmax(tally))
    assert scores[best] >= max(scores) - 0.05  # the answers chose a right one
    pairs = {
        "together": [a[:2] for a in answers if a[2]],
        "apart": [a[:2] for a in answers if not a[2]],
    }
    server.correct(number, kind="choose", number=best, **pairs)
    labels = server.labels(number)
    for first, second, together in answers:
        assert (labels[first] == labels[second]) == together
    assert scores[0] < 0.1 < 0.65 < adjusted_rand_score(y, labels)
    code = server.client.get(f"/api/works/{number}/code").json()["python"]
    assert "find_alternatives(X)" in code or best == 0
    server.client.post(f"/api/works/{number}/undo")


def test_skipped_questions_do_not_count_and_are_not_asked_again(server, work):
    path = f"/api/works/{work[0]}/alternatives/question"
    pair = server.client.post(path, json={"answers": []}).json()["pair"]
    skipped = server.client.post(path, json={"answers": [[*pair, None]]}).json()
    assert skipped["pair"] != pair
    assert set(skipped["agree"]) == {0}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("get", "alternatives/99", None, 422),
        ("post", "alternatives/question", {"answers": [[0, 10_000, True]]}, 422),
        ("post", "alternatives/question", {"answers": [[0, 1, "maybe"]]}, 422),
    ],
)
def test_wrong_requests_are_refused(server, work, method, path, body, status):
    more = {} if body is None else {"json": body}
    answer = getattr(server.client, method)(f"/api/works/{work[0]}/{path}", **more)
    assert answer.status_code == status


def test_other_methods_have_no_alternatives(server, iris):
    work = server.fit(iris, clusters=3, method="k-means")["id"]
    job = server.wait(server.client.post(f"/api/works/{work}/alternatives"))
    assert job["state"] == "failed"
    assert job["reason"] == "Only the maximum margin method has alternatives."
