"""The steps of Figure 2 of paper 003 against equation (14)."""

from benchmarks.papers.p003.shaking_steps import draw_steps, shaking_steps
from sklearn.datasets import make_blobs


def test_claims_follow_equation_14(random):
    X, _ = make_blobs(90, centers=3, random_state=0)
    steps, titles = shaking_steps(X, 3, 2, random)
    assert len(steps) == len(titles) == 7
    for before, after, title in zip(steps, steps[1:], titles[1:], strict=False):
        d = int(title.split("cluster ")[1].split()[0])
        n_claims = int(title.split()[-1])
        changed = before != after
        assert changed.sum() == n_claims
        assert (after[changed] == d).all()
        i = int(title.split()[1][:-1]) - 1
        assert n_claims == int(30 / 2**i + 30 - (before == d).sum())
    panels = draw_steps(X, steps, titles).axes
    assert [ax.get_title() for ax in panels if ax.get_title()] == titles
