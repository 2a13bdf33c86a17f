"""`ReducedSVC` with a tenth of the support vectors, beside `SVC(kernel="rbf")`.

Both at their defaults but for the number of centres. At most 10,000 rows of each data
set, of which three in ten are to be predicted; one thread, CPU seconds, the least of
five.
"""

import time

from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.data.suite import MissingData, load_dataset
from maxmargin.published import ReducedSVC

DATA = ("letter", "satellite", "mnist")


def seconds(function, repeats):
    """Return the least CPU seconds of some calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def compare(name):
    """Print a row for `SVC` and one for each kind of centres."""
    data = load_dataset(name).prepared(10_000)
    X, new, y, truth = train_test_split(
        data.X, data.y, test_size=0.3, stratify=data.y, random_state=0
    )
    svc = SVC(kernel="rbf")
    fit = seconds(lambda: svc.fit(X, y), 1)
    accuracy, vectors = 100 * svc.score(new, truth), len(svc.support_)
    predict = seconds(lambda: svc.predict(new), 5)
    print(f"{name:<11}SVC{accuracy:>20.2f}{vectors:>16}{fit:>8.2f}{predict:>11.3f}")
    for centers in ("leader", "k-means", "random"):
        model = ReducedSVC(centers, n_centers=vectors // 10, random_state=0)
        fit = seconds(lambda model=model: model.fit(X, y), 1)
        score = 100 * model.score(new, truth)
        ours = seconds(lambda model=model: model.predict(new), 5)
        print(
            f"{'':<11}{centers:<9}{score:>14.2f}{model.n_centers_:>16}"
            f"{fit:>8.2f}{ours:>11.3f}{predict / ours:>8.0f} times faster",
            flush=True,
        )


def report():
    """Print the table."""
    print("data       vectors      accuracy %       number   fit s   predict s")
    for name in DATA:
        try:
            with threadpool_limits(1):
                compare(name)
        except MissingData as error:
            print(f"skipped {error}")


if __name__ == "__main__":
    report()
