"""The same fit in memory and on a two-process Dask cluster; print the figures."""

import json
import sys
import time

import dask.array as da
from distributed import Client, LocalCluster
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering
from maxmargin.datasets import make_bent_clusters
from maxmargin.distributed import DaskMaxMarginClustering

if __name__ == "__main__":
    X, y = make_bent_clusters(int(sys.argv[1]), random_state=0)
    start = time.perf_counter()
    inside = MaxMarginClustering(10, random_state=0).fit(X).labels_
    memory_seconds = time.perf_counter() - start
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        Client(cluster),
    ):
        rows = da.from_array(X, chunks=(len(X) // 10, X.shape[1])).persist()
        start = time.perf_counter()
        model = DaskMaxMarginClustering(10, random_state=0).fit(rows)
        labels = model.labels_.compute()
        dask_seconds = time.perf_counter() - start
    figures = {
        "memory": memory_seconds,
        "dask": dask_seconds,
        "agreement": adjusted_rand_score(inside, labels),
        "ari": adjusted_rand_score(y, labels),
    }
    print(json.dumps(figures))
