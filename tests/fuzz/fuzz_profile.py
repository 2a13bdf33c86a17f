"""How many inputs to generate, and from which seed."""

import os

from hypothesis import HealthCheck, Phase, settings

QUICK = 200
DEFAULTS = 0.75  # the share of inputs for estimators with default parameters
CHUNK = 40  # inputs of one test
# The estimators that users meet first have more of the inputs than one share.
SHARES = {
    "MaxMarginClustering": 6,
    "SemiSupervisedMaxMargin": 2,
    "EvolvingMaxMarginClustering": 2,
}

# What may decide about the labels: the graph, the radial kernel beside it, a kernel, or
# a method of its own.
ENGINES = ("graph", "radial", "kernel", "other")

N_INPUTS = int(os.environ.get("MAXMARGIN_FUZZ", QUICK))
# Interruptions of fits, and rounds of eight fits at once.
N_INTERRUPTIONS, N_ROUNDS = max(N_INPUTS // 10, 48), max(N_INPUTS // 100, 2)
SEED = int(os.environ.get("MAXMARGIN_FUZZ_SEED", 0))


def chunks(names):
    """Return (name, number of the chunk, inputs), by the shares of the estimators."""
    total = sum(SHARES.get(name, 1) for name in names)
    result = []
    for name in names:
        left, number = -(-N_INPUTS * SHARES.get(name, 1) // total), 0
        while left > 0:
            result.append((name, number, min(left, CHUNK)))
            left, number = left - CHUNK, number + 1
    return result


def profile(n_inputs):
    """Return the settings of hypothesis, which stops at the first finding."""
    return settings(
        max_examples=n_inputs,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
