"""The parts of a page: one HTML file for screen, phone and paper."""

import shlex
from collections.abc import Iterable
from html import escape

import numpy as np
from sklearn.base import BaseEstimator

from maxmargin import __version__
from maxmargin.report.colors import color_style, color_variable
from maxmargin.report.results import TableResult

STYLE = """
:root { --text:#1c2126; --quiet:#5c6670; --line:#dde2e6; --back:#ffffff;
  --card:#f6f8f9; }
@media (prefers-color-scheme: dark) { :root { --text:#e8ebee; --quiet:#9aa5af;
  --line:#38414a; --back:#14181c; --card:#1d2329; } }
* { box-sizing:border-box; }
html { -webkit-text-size-adjust:100%; }
body { margin:0 auto; padding:1.5rem 1rem 3rem; max-width:62rem; color:var(--text);
  background:var(--back); font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif; }
h1 { font-size:1.7rem; line-height:1.2; margin:0 0 .3rem; overflow-wrap:anywhere; }
h2 { font-size:1.15rem; margin:2.2rem 0 .6rem; }
h3 { font-size:1rem; margin:0 0 .4rem; }
p { margin:.3rem 0; } .lead,.quiet { color:var(--quiet); }
.quiet { font-weight:400; font-size:.9em; }
svg { display:block; width:100%; height:auto; }
.map { background:var(--card); border:1px solid var(--line); border-radius:.5rem; }
.axis { fill:var(--quiet); font-size:11px; text-anchor:middle; }
.number rect { fill:var(--back); stroke-width:2.5; }
.number text { fill:var(--text); font-size:13px; font-weight:700; text-anchor:middle; }
svg line { stroke:var(--quiet); stroke-width:.5; }
.scores { max-width:40rem; } .scores polyline { fill:none; stroke:var(--c0);
  stroke-width:2; } .scores circle { fill:var(--c0); }
.scores text { fill:var(--quiet); font-size:12px; text-anchor:middle; }
.pictures { display:flex; gap:.4rem; } .pictures img { width:4.5rem; height:4.5rem;
  object-fit:contain; image-rendering:pixelated; border:1px solid var(--line);
  background:#fff; }
.small { width:7.5rem; }
.bar { width:4rem; height:.7rem; display:inline-block; vertical-align:middle;
  margin-right:.5rem; }
.scroll { overflow-x:auto; }
table { border-collapse:collapse; width:100%; font-variant-numeric:tabular-nums;
  font-size:.93rem; }
th { text-align:right; font-weight:600; color:var(--quiet); font-size:.85rem; }
td { text-align:right; }
th,td { padding:.25rem .5rem; border-bottom:1px solid var(--line); white-space:nowrap; }
th:first-child,td:first-child { text-align:left; padding-left:0; }
.card th,.card td { padding:.25rem .35rem; } .card .bar { width:2.5rem; }
.card td:not(:last-child) { white-space:normal; } .whole { white-space:nowrap; }
.card td:first-child { overflow-wrap:anywhere; }
td .small { margin-left:auto; }
.cards { display:grid; gap:1rem;
  grid-template-columns:repeat(auto-fill,minmax(min(25rem,100%),1fr)); }
.card { background:var(--card); border:1px solid var(--line); border-radius:.5rem;
  padding:.8rem 1rem; overflow-x:auto; }
.badge { display:inline-block; width:.8rem; height:.8rem; border-radius:50%;
  margin-right:.4rem; }
dl { display:grid; grid-template-columns:max-content 1fr; gap:.2rem 1rem; margin:0; }
dt { color:var(--quiet); } dd { margin:0; overflow-wrap:anywhere; }
code { background:var(--card); border:1px solid var(--line); border-radius:.25rem;
  padding:.05rem .3rem; font-size:.88em; overflow-wrap:anywhere; }
li { margin:.3rem 0; } ul { padding-left:1.2rem; }
footer { margin-top:2.5rem; color:var(--quiet); font-size:.85rem; }
@media (max-width:34rem) { dl { grid-template-columns:1fr; } dd { margin-bottom:.4rem; }
  .cards { grid-template-columns:1fr; } th:has(.wide),td:has(.wide) { display:none; }
  th,td { padding:.25rem .3rem; } }
@media print { :root { --text:#000; --quiet:#444; --line:#ccc; --back:#fff;
  --card:#fff; } html { font-size:11px; }
  body { max-width:none; padding:0; font-size:1rem; }
  .card,.map,tr { break-inside:avoid; } h2 { break-after:avoid; }
  .cards { grid-template-columns:1fr 1fr; }
  * { -webkit-print-color-adjust:exact; print-color-adjust:exact; } }
"""


def page(
    title: str,
    lead: str,
    sections: Iterable[str],
    details: dict[str, str],
    next_steps: Iterable[str],
    n_clusters: int,
) -> str:
    """Return a complete page. The title and the details are text, the rest is HTML."""
    title = escape(title)
    fields = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
        for name, value in details.items()
    )
    steps = "".join(f"<li>{text}</li>" for text in next_steps)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{STYLE}{color_style(n_clusters)}</style>
</head>
<body>
<h1>{title}</h1>
<p class="lead">{lead}</p>
{"".join(sections)}
<h2>Details</h2>
<dl>{fields}</dl>

<h2>Next steps</h2>
<ul>{steps}</ul>
<footer>maxmargin {__version__}</footer>
</body>
</html>
"""


def counted(number: int, nouns: str) -> str:
    """Return a number with a noun, which is given in the plural."""
    return f"{number:,} {nouns if number != 1 else nouns.removesuffix('s')}"


def counted_range(numbers: Iterable[int], nouns: str) -> str:
    """Return numbers with a noun: one of them if all are the same."""
    low, *_, high = sorted([*numbers] * 2)
    return counted(high, nouns) if low == high else f"{low:,} to {high:,} {nouns}"


def section(title: str, content: str, note: str = "") -> str:
    """Return a section with a note below its content."""
    below = f'<p class="quiet">{note}</p>\n' if note else ""
    return f"\n<h2>{title}</h2>\n{content}\n{below}"


def table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table of cells in HTML."""
    names = "".join(f"<th>{name}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{names}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def badge(h: int, name: str | None = None) -> str:
    """Return a dot in the colour of a cluster, and its name or number."""
    dot = f'<span class="badge" style="background:{color_variable(h)}"></span>'
    return dot + escape(str(h) if name is None else name)


def command(name: str, result: TableResult, *words: str) -> str:
    """Return a command with the options of the table, and further words."""
    options = result.options.get(name, ())
    return f"<code>{escape(shlex.join(['maxmargin', name, *words, *options]))}</code>"


def prediction_step(name: str, result: TableResult, what: str) -> str:
    """Return how to assign new rows to the clusters that a command found."""
    k = str(result.n_clusters)
    save = command(name, result, result.samples.table, "-k", k, "--model", "model.npz")
    use = command("predict", result, "model.npz", "new.csv", "--out", "labels.csv")
    return f"Assign new rows to the {what}: save a model with {save}, then run {use}."


def details_of(result: TableResult) -> dict[str, str]:
    """Return the table, the method and the preprocessing by name."""
    preprocessor = result.samples.preprocessor
    details = {
        "table": result.samples.table,
        "method": f"{type(result.estimator).__name__}({_parameters(result.estimator)})",
        "features": ", ".join(preprocessor.feature_names)
        if result.samples.texts is None
        else f"{len(preprocessor.feature_names):,} words",
        "scaled": "yes" if preprocessor.scaled else "no",
        "missing values": {
            "error": "none",
            "median": "numbers are the median of the three nearest rows that have them",
            "drop": "rows with missing values are left out",
        }[preprocessor.missing],
    }
    for number, text in enumerate(result.notes, 1):
        details[f"note {number}"] = text
    return details


def _parameters(estimator: BaseEstimator) -> str:
    """Return the parameters that do not have their default values.

    The columns are scaled by the preprocessor, not by the estimator.
    """
    defaults = type(estimator)().get_params()
    return ", ".join(
        f"{name}=..." if np.ndim(value) else f"{name}={value!r}"
        for name, value in estimator.get_params().items()
        if repr(value) != repr(defaults[name]) and name != "scale"
    )
