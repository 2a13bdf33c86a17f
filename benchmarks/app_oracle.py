"""An oracle at the page: answers choose a labelling first, then refine it.

``python -m benchmarks.app_oracle`` uploads tables to ``maxmargin app`` and uses its API
as someone who knows the classes and nothing else would: the default fit, other
labellings, the questions of *Choose*, the labelling that the page calls best, and then
the doubtful pairs. Printed is the adjusted Rand index after 0, 5, 10 and 20 answers.
The first `N_CHOOSE` of them choose, and some more where several labellings are best.
With the argument ``refine`` all of them are about doubtful pairs.
"""

import sys
import time
from typing import Any

import httpx
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from benchmarks.data.suite import load_dataset
from benchmarks.served import served
from benchmarks.time_tables import FOLDER

RAW_IRIS = "iris, raw columns"  # two clusters are found for its three species
DATASETS = ("iris", RAW_IRIS, "wine", "digits")
TABLES = ("yeast", "mfeat_morphological", "statlog_image_segmentation", "zoo")
N_ANSWERS = (0, 5, 10, 20)
N_CHOOSE, MOST_CHOOSE = 5, 8
MAX_ROWS = 2000


class Visitor:
    """A user of the page who knows the class of each row.

    Attributes
    ----------
    client : httpx.Client
    y : ndarray of shape (n_samples,)
        The classes.
    refused : set of (int, int)
        Pairs that the clusters cannot meet.
    """

    def __init__(self, client: Any, y: np.ndarray) -> None:
        self.client, self.y = client, y
        self.refused: set[tuple[int, int]] = set()
        self.path = ""

    def wait(self, answer: Any) -> dict[str, Any]:
        """Return a job when it has ended."""
        answer.raise_for_status()
        job = answer.json()
        while job["state"] in ("waiting", "running"):
            time.sleep(0.02)
            job = self.client.get(f"/api/jobs/{job['id']}").json()
        return job

    def begin(self, X: np.ndarray) -> None:
        """Upload rows, cluster them as the page does, and find other labellings."""
        names = [f"x{j}" for j in range(X.shape[1])]
        content = pd.DataFrame(X, columns=names).to_csv(index=False)
        files = {"file": ("table.csv", content)}
        dataset = self.client.post("/api/datasets", files=files).json()["id"]
        path = f"/api/datasets/{dataset}/works"
        job = self.wait(self.client.post(path, json={"kind": "table"}))
        self.path = f"/api/works/{job['work']}"
        self.wait(self.client.post(f"{self.path}/alternatives"))

    def index(self) -> float:
        """Return the adjusted Rand index of the clusters that the page shows."""
        content = self.client.get(f"{self.path}/labels").content
        labels = np.frombuffer(content, "<i4", count=len(self.y))
        return float(adjusted_rand_score(self.y, labels))

    def same(self, pair: Any) -> bool:
        """Answer truthfully."""
        return bool(self.y[pair[0]] == self.y[pair[1]])

    def correct(self, **action: Any) -> bool:
        """Return False if the page refuses what is said."""
        answer = self.client.post(f"{self.path}/corrections", json=action)
        return answer.is_success and self.wait(answer)["state"] == "done"

    def choose(self) -> int:
        """Answer questions of *Choose*, use the best labelling; return how many.

        If several agree with most of the answers, the page names none, and the clusters
        stay as they are.
        """
        path = f"{self.path}/alternatives/question"
        answers: list[tuple[int, int, bool]] = []
        while True:
            asked = self.client.post(path, json={"answers": answers}).json()
            best = np.flatnonzero(np.array(asked["agree"]) == max(asked["agree"]))
            most = N_CHOOSE if len(best) == 1 else MOST_CHOOSE
            if asked["pair"] is None or len(answers) >= most:
                break
            answers.append((*asked["pair"], self.same(asked["pair"])))
        pairs = {"together": [a[:2] for a in answers if a[2]],
                 "apart": [a[:2] for a in answers if not a[2]]}  # fmt: skip
        number = int(best[0]) if len(best) == 1 else 0
        action = {"kind": "choose", "number": number}
        if not self.correct(**action, **pairs):
            self.correct(**action)
        return len(answers)

    def refine(self) -> bool:
        """Answer the most doubtful pair; return False if there is none."""
        found = self.client.get(f"{self.path}/pairs").json()
        for one in found:
            pair = (one["first"], one["second"])
            if pair not in self.refused:
                kind = "together" if self.same(pair) else "apart"
                if not self.correct(kind=kind, rows=pair):
                    self.refused.add(pair)
                return True
        return False


def visit(
    client: Any,
    X: np.ndarray,
    y: np.ndarray,
    n_answers: int = max(N_ANSWERS),
    choose: bool = True,
) -> list[float]:
    """Return the index after each number of answers."""
    visitor = Visitor(client, y)
    visitor.begin(X)
    scores = [visitor.index()]
    n_given = visitor.choose() if choose else 0
    scores += [scores[0]] * (n_given - 1) + [visitor.index()] * (n_given > 0)
    while len(scores) <= n_answers and visitor.refine():
        scores.append(visitor.index())
    return scores + [scores[-1]] * (n_answers + 1 - len(scores))


def load_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the classes of a public table, at most `MAX_ROWS`."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as arrays:
        X, y = np.asarray(arrays["X"], dtype=float), np.asarray(arrays["y"])
    kept = np.random.RandomState(0).permutation(len(X))[:MAX_ROWS]
    return X[kept], y[kept]


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the classes of any of the sets."""
    if name == RAW_IRIS:
        return load_iris(return_X_y=True)
    if name in TABLES:
        return load_table(name)
    data = load_dataset(name).prepared(MAX_ROWS)
    return data.X, data.y


def main() -> None:
    """Print the table."""
    print("| data set | " + " | ".join(map(str, N_ANSWERS)) + " |")
    print("|---" * (1 + len(N_ANSWERS)) + "|")
    with served() as (url, _), httpx.Client(base_url=url, timeout=600) as client:
        for name in (*DATASETS, *TABLES):
            try:
                X, y = load(name)
            except FileNotFoundError:
                print(f"{name}: left out, its file is missing")
                continue
            scores = visit(client, X, y, choose="refine" not in sys.argv)
            cells = " | ".join(f"{scores[n]:.3f}" for n in N_ANSWERS)
            print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
