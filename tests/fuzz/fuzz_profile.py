"""How many inputs to generate, and from which seed."""

import os

from hypothesis import HealthCheck, Phase, settings

QUICK = 260
CHUNK = 50  # inputs of one test

N_INPUTS = int(os.environ.get("MAXMARGIN_FUZZ", QUICK))
SEED = int(os.environ.get("MAXMARGIN_FUZZ_SEED", 0))


def chunks(names):
    """Return (name, number of the chunk, inputs) so that the inputs add up."""
    share, more = divmod(N_INPUTS, len(names))
    result = []
    for position, name in enumerate(names):
        left, number = share + (position < more), 0
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
