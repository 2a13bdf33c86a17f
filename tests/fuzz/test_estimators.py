"""Generated inputs of all kinds for all estimators."""

from functools import partial

import pytest
from fuzz_estimators import CLASSIFIERS, CLUSTERERS, EVOLVING, IMAGES
from fuzz_inputs import recipes
from fuzz_others import (
    check_evolving,
    check_image,
    check_reduced,
    check_semi_supervised,
)
from fuzz_profile import DEFAULTS, ENGINES, SEED, chunks, profile
from fuzz_promises import Refused, engine_of
from fuzz_relations import CHECKS, check_clusterer
from hypothesis import given, seed
from hypothesis import strategies as st

from maxmargin.engine.options import is_free


def fuzz(strategies, check, number, n_inputs, record_property):
    """Run a check on generated inputs; refused ones count, other errors are raised.

    There is one strategy for default parameters and one for others. The check returns
    the fitted estimator. Cases are also counted by what has decided about the labels,
    and those of the default engine with more than ten rows.
    """
    counts = dict.fromkeys(("inputs", "refused", "default", *ENGINES), 0)
    n_default = round(DEFAULTS * n_inputs)
    for strategy, n_drawn in zip(
        strategies, (n_default, n_inputs - n_default), strict=True
    ):
        if n_drawn:
            draw_cases(strategy, check, SEED + 1000 * number, n_drawn, counts)
    for name, count in counts.items():
        record_property(name, count)
    return counts


def draw_cases(strategy, check, number, n_inputs, counts):
    """Run a check on the cases of one strategy, and count them."""

    @seed(number)
    @profile(n_inputs)
    @given(strategy)
    def run(case):
        counts["inputs"] += 1
        try:
            model = check(*case)
        except Refused:
            counts["refused"] += 1
        except Exception as error:
            error.add_note(f"The input: {case}")
            raise
        else:
            counts[engine_of(model)] += 1
            counts["default"] += by_default(model)

    run()


def by_default(model):
    """Tell whether a fit has used the default engine on more than ten rows."""
    automatic = getattr(model, "kernel", None) == "auto"
    return automatic and is_free(model.balance) and len(model.labels_) > 10


def cases():
    """Return the inputs and the check of each estimator."""
    relation = st.sampled_from(tuple(CHECKS))
    share = st.sampled_from((0.0, 0.1, 0.5, 1.0))
    times = st.sampled_from((1, 2, 3))
    result = {}
    for name, (parameters, most) in CLUSTERERS.items():
        result[name] = parameters, (recipes(most=most), relation), check_clusterer
    for name, (parameters, most) in CLASSIFIERS.items():
        check = check_reduced if name == "ReducedSVC" else check_semi_supervised
        result[name] = parameters, (recipes(most=most), share), check
    for name, (parameters, most) in EVOLVING.items():
        tables = recipes(weights=("none",), most=most)
        result[name] = parameters, (tables, times), check_evolving
    for name, parameters in IMAGES.items():
        sizes = st.sampled_from(((6, 9), (20, 13), (1, 30)))
        kinds = st.sampled_from(("colour", "grey", "float", "few"))
        pictures = sizes, kinds, st.booleans(), st.integers(0, 99)
        result[name] = parameters, pictures, check_image
    return {
        name: ([st.tuples(one, *data) for one in parameters], partial(check, name))
        for name, (parameters, data, check) in result.items()
    }


ALL = cases()


@pytest.mark.parametrize(("name", "number", "n_inputs"), chunks(list(ALL)))
def test_inputs(name, number, n_inputs, record_property):
    """Of inputs for the main estimator, most reach what users run: the defaults."""
    counts = fuzz(*ALL[name], number, n_inputs, record_property)
    assert counts["refused"] < counts["inputs"]
    if name == "MaxMarginClustering" and n_inputs >= 20:
        # Over all of them it is 60 %; of the few of one test it may be less.
        assert counts["default"] >= 0.4 * counts["inputs"]
