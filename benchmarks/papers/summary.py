"""The page that sums up: how many printed figures were matched, and why not where not.

It is made from what each script leaves behind, so that scripts can run one at a time.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.papers.page import CLASSIFICATION, CLUSTERING, EVOLVING, PEERS, Page

TITLES = {
    "000": "Gieseke, Pahikkala, Kramer: Fast Evolutionary Maximum Margin Clustering, "
    "ICML 2009",
    "001": "Zheng, Lu, Zheng, Xu: Unsupervised Clustering Based Reduced Support Vector "
    "Machines, 2003",
    "002": "Fan, Cao, Cui, Zhu, Ong: Maximum Margin Clustering on Evolutionary Data, "
    "CIKM 2012",
    "003": "Pahikkala, Airola, Gieseke, Kramer: On Unsupervised Training of "
    "Multi-Class Regularized Least-Squares Classifiers, 2014",
    "004": "Zhang, Tsang, Kwok: Maximum Margin Clustering Made Practical, ICML 2007",
}
COUNTS = ("agrees", "matched")  # two-sided and one-sided
INTRODUCTION = """
Each table and figure of the five papers on which this library is based, reproduced. A
page has our number, in brackets the number of the paper, and the difference. If a paper
chooses parameters with the labels, so does the table, and the page names them. It is
followed by the results of the default parameters, which are chosen without labels.

Papers do not print everything: which rows were drawn, which classes were joined, grids
of parameters. These had to be chosen, and the pages say where.

There are two counts. *Two-sided*: ours agrees with a printed number within the printed
spread, or, without one, within half of the last printed digit. *One-sided*: it is not
worse by more than that. A number far better than the printed one, such as an error of 7
in place of 18 per cent of k-means on letter, is no match but a sign of other data or
preparation: it counts one-sided alone, and pages have it in italics. Both counts are
strict:

- A number is counted once, on the page of the paper from which others copy it.
- A number that cannot be read in the copies at hand is not counted.
- Protocols are those of the papers, as far as they are printed. No grid is wider than
  the paper's, or, if it prints none, than that of our first run, and no point of it has
  more runs. To save time, some cells have a part of the paper's grid or fewer runs:
  EvoMMC on letter and satellite and pairs of MNIST digits in paper 000, CPMMC in paper
  003, and pairs of MNIST digits in paper 004. The pages say so.
- Where the best of several points of a grid has a single group of runs, other runs of
  the same point count.
- One reading holds for all cells of a table. Where a paper can be read in two ways, the
  other one is shown and not counted: the width of the kernel in paper 003, and the data
  of ACC in paper 002.

Every number is kept with fingerprints of the functions that its run reached, of what
these take unseen (compiled functions, constants, cached results), and of the statements
on which its call depends. A moved file, a comment, or an edit of another function of
the same file change nothing. `make papers-refresh` measures numbers whose code has
changed, a test names them and the function, and a page that shows some says so at its
end. With `ARGS=--at-settings` the parameters that were chosen on a grid before are
kept, which saves most of the time. `ARGS="--match REGEX"` measures some of them.

```
make papers            # all papers; continues where it was stopped
make papers-000        # one paper
make papers QUICK=1    # smaller problems and fewer repetitions, into papers/quick
make papers-refresh    # numbers that are older than the code
```

Any one number can be measured alone, at the parameters that its page names (in seconds,
for most), or with `--grid` with the parameters chosen anew. The names of the cells are
those of their row and column; a name that is not known lists those that are.

```
python -m benchmarks.papers 000_table_1 --cell "3-8 EvoMMC"
python -m benchmarks.papers 003_table_1 --cell "Iris UMC-RLS" --grid
```
"""


def remember(
    results: Path,
    page: Page,
    missing: Mapping[str, str],
    shown: Mapping[tuple[str, str], str],
) -> None:
    """Keep what the summary, and the test of freshness, need of a page.

    ``shown`` has the table and the key of each number, and why it is older than the
    code, "" if it is not.
    """
    tables = dict.fromkeys(table for table, _ in shown)
    left = {
        "title": page.title,
        "verdicts": [verdict._asdict() for verdict in page.verdicts],
        "unmeasured": page.unmeasured,
        "missing": sorted(set(missing.values())),
        "older": {
            table: [key for (own, key), why in shown.items() if why and own == table]
            for table in tables
        },
        "fresh": {
            table: [
                key for (own, key), why in shown.items() if not why and own == table
            ]
            for table in tables
        },
    }
    path = results / "pages" / f"{page.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(left, indent=1))


def write_summary(docs: Path, results: Path) -> None:
    """Write ``index.md`` from all pages that there are."""
    pages = {
        path.stem: json.loads(path.read_text())
        for path in sorted((results / "pages").glob("*.json"))
    }
    verdicts = [verdict for page in pages.values() for verdict in page["verdicts"]]
    parts = ["# The papers, reproduced", INTRODUCTION.strip()]
    if (docs / "recipes.md").exists():  # a quick run has none
        parts.append("The complete call for each table: [recipes](recipes.md).")
        parts.append("```{toctree}\n:hidden:\n\nrecipes\n```")
    unmeasured = [kind for page in pages.values() for kind in page["unmeasured"]]
    parts.append(_headline(verdicts, unmeasured))
    for paper, title in TITLES.items():
        own = {name: page for name, page in pages.items() if name.startswith(paper)}
        if own:
            parts += [f"## Paper {paper}", title + ".", _table(own)]
            parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(own) + "\n```")
    parts += ["## Misses", _misses(pages)]
    docs.mkdir(parents=True, exist_ok=True)
    (docs / "index.md").write_text("\n\n".join(parts) + "\n")


def _headline(verdicts: list[dict[str, Any]], unmeasured: list[str]) -> str:
    lines = [
        "| printed figures | two-sided | one-sided | not measured |",
        "|---|---|---|---|",
    ]
    for kind in (CLUSTERING, PEERS, EVOLVING, CLASSIFICATION):
        own = [verdict for verdict in verdicts if verdict["kind"] == kind]
        both = (f"**{_share(own, count)}**" for count in COUNTS)
        lines.append(f"| {kind} | {' | '.join(both)} | {unmeasured.count(kind)} |")
    return "\n".join(lines)


def _share(verdicts: list[dict[str, Any]], count: str) -> str:
    if not verdicts:
        return "0 of 0"
    matched = sum(verdict[count] for verdict in verdicts)
    return f"{matched} of {len(verdicts)} ({100 * matched / len(verdicts):.0f} %)"


def _table(pages: Mapping[str, Any]) -> str:
    lines = [
        "| page | two-sided | one-sided | numbers older than the code |",
        "|---|---|---|---|",
    ]
    for name, page in pages.items():
        own = page["verdicts"]
        counted = [_share(own, count) if own else "" for count in COUNTS]
        older = sum(map(len, page["older"].values()))
        shown = older + sum(map(len, page["fresh"].values()))
        counted.append(f"{older} of {shown}" if older else "")
        lines.append(f"| [{page['title']}]({name}.md) | {' | '.join(counted)} |")
    return "\n".join(lines)


def _misses(pages: Mapping[str, Any]) -> str:
    blocks = []
    for name, page in pages.items():
        by_reason: dict[str, list[str]] = {}
        for verdict in page["verdicts"]:
            if not verdict["matched"]:
                place = f"{verdict['place']} {verdict['ours']:.4g} "
                place += f"(paper {verdict['printed']:.4g})"
                by_reason.setdefault(verdict["reason"], []).append(place)
        if by_reason:
            lines = [f"- {'; '.join(by_reason[one])}: {one}" for one in by_reason]
            blocks.append(f"### [{page['title']}]({name}.md)\n\n" + "\n".join(lines))
    return "\n\n".join(blocks) or "None."
