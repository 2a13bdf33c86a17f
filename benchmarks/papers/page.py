"""One table or figure as a page: our numbers, the printed ones, the difference.

Two counts stand beside each other. Two-sided: ours agrees with a printed number within
the printed spread, or within half of the last printed digit where no spread is printed.
One-sided: it is not worse by more than that. A number that is much better than printed
is a hint at other data rather than a match. Numbers that a paper copies from another
one, and those that cannot be read, are shown and not counted.
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# What is counted together in the summary.
CLUSTERING = "errors and adjusted Rand indices, methods of this library"
PEERS = "errors and adjusted Rand indices, methods of scikit-learn as peers"
EVOLVING = "km-cost and NMI at single times (paper 002, data drawn anew)"
CLASSIFICATION = "accuracy of classifiers"


class Printed(NamedTuple):
    """A number of a paper."""

    value: float
    spread: float = 0.0
    digits: int = 2  # behind the point, as printed


class Verdict(NamedTuple):
    """Our number beside a printed one."""

    place: str
    ours: float
    printed: float
    matched: bool  # one-sided: not worse
    agrees: bool  # two-sided
    reason: str  # of a miss
    kind: str  # what is counted together in the summary


class Page:
    """A page that grows from top to bottom; ``write`` puts it into a folder.

    Parameters
    ----------
    name : str
        Of the file, such as ``"000_table_1"``.
    title : str
        The heading.
    """

    def __init__(self, name: str, title: str):
        self.name = name
        self.title = title
        self.verdicts: list[Verdict] = []
        self.unmeasured: list[str] = []  # the kind of each printed number without ours
        self._parts: list[str] = []
        self._pictures: list[tuple[str, Any]] = []

    def text(self, markdown: str) -> None:
        """Add a paragraph, or several."""
        self._parts.append(markdown.strip())

    def table(
        self,
        rows: Iterable[str],
        columns: Iterable[str],
        ours: Mapping[tuple[str, str], Any],
        printed: Mapping[tuple[str, str], Printed] | None = None,
        better: str | None = None,
        reasons: Mapping[tuple[str, str], str] | None = None,
        corner: str = "",
        kind: str | Mapping[str, str] = CLUSTERING,
        uncounted: Collection[tuple[str, str]] = (),
    ) -> None:
        """Add a table with a cell "ours (paper, difference)" for each row and column.

        Parameters
        ----------
        rows, columns : iterables of str
            Their names.
        ours : mapping of (row, column) to a number, (mean, spread), str or None
            None where it was not measured.
        printed : mapping of (row, column) to Printed
            What the paper has; a cell without is only ours.
        better : {"lower", "higher"}, default=None
            Whether cells are counted in the summary, and which way is better.
        reasons : mapping of (row, column) to str
            Why a printed number is missed and what was tried, one line each. The key
            may also be a row or a column alone.
        corner : str
            The heading above the names of the rows.
        kind : str, or mapping of row or column to str
            What the numbers tell of; each kind is counted by itself in the summary.
        uncounted : collection of (row, column)
            Cells that are shown beside the printed number and not counted.
        """
        rows, columns, printed = list(rows), list(columns), printed or {}
        lines = [f"| {corner} | {' | '.join(columns)} |", "|---" * (1 + len(columns))]
        lines[1] += "|"
        misses = []
        for row in rows:
            cells = []
            for column in columns:
                value, paper = ours.get((row, column)), printed.get((row, column))
                counts = None if (row, column) in uncounted else better
                verdict = _judge(f"{row}, {column}", value, paper, counts)
                if verdict is not None:
                    reason = _reason(reasons or {}, row, column)
                    verdict = verdict._replace(
                        reason=reason, kind=_kind(kind, row, column)
                    )
                    self.verdicts.append(verdict)
                    if not verdict.matched:
                        misses.append(verdict)
                if counts is not None and paper is not None and value is None:
                    self.unmeasured.append(_kind(kind, row, column))
                cells.append(_cell(value, paper, verdict))
            lines.append(f"| {row} | {' | '.join(cells)} |")
        self._parts.append("\n".join(lines))
        if misses:
            by_reason: dict[str, list[str]] = {}
            for miss in misses:
                by_reason.setdefault(miss.reason, []).append(miss.place)
            listed = [f"- {'; '.join(by_reason[one])}: {one}" for one in by_reason]
            self._parts.append(
                "Missed (bold; better than printed in italics):\n\n" + "\n".join(listed)
            )

    def parameters(
        self,
        rows: Iterable[str],
        columns: Iterable[str],
        chosen: Mapping[tuple[str, str], Mapping[str, Any]],
    ) -> None:
        """Add the table of the parameters that the labels chose."""
        self.text("The parameters that the labels chose for each cell:")
        self.table(
            [row for row in rows if any(place[0] == row for place in chosen)],
            columns,
            {(row, column): "" for row in rows for column in columns}
            | {place: name_setting(setting) for place, setting in chosen.items()},
            corner="parameters",
        )

    def picture(self, figure: Any, caption: str) -> None:
        """Add a matplotlib figure."""
        number = len(self._pictures)
        file = f"{self.name}{'' if number == 0 else f'_{number + 1}'}.png"
        self._pictures.append((file, figure))
        self._parts.append(f"![{caption}]({file})")

    def write(self, folder: Path, footer: str = "") -> None:
        """Write the Markdown file and its pictures."""
        folder.mkdir(parents=True, exist_ok=True)
        for file, figure in self._pictures:
            figure.savefig(folder / file, dpi=110, bbox_inches="tight")
        parts = [f"# {self.title}", *self._parts, footer]
        text = "\n\n".join(part for part in parts if part) + "\n"
        (folder / f"{self.name}.md").write_text(text)


def name_setting(setting: Mapping[str, Any]) -> str:
    """Return parameters in words, such as ``"alpha 0.005, width 5"``."""
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in setting.items()
    )


def describe(value: Any) -> str:
    """Return a measured value in words, what a page shows of it first."""
    if isinstance(value, dict):
        parts = []
        if "errors" in value:  # groups of runs, of which the best counts
            best = np.min(value["errors"], axis=1)
            parts.append(f"{best.mean():.2f} ± {best.std():.2f}")
        if "indices" in value:
            found = value["indices"]
            parts.append(f"{np.mean(found):.2f} ± {np.std(found):.2f}")
            parts.append(f"largest {np.max(found):.2f}")
        for key in value.keys() - {"errors", "indices", "setting"}:
            parts.append(f"{key} {describe(value[key])}")
        if "setting" in value:
            parts.append(name_setting(value["setting"]))
        return ", ".join(parts)
    if isinstance(value, list | tuple):
        listed = [describe(one) for one in value[:6]]
        return "[" + ", ".join(listed) + (", ...]" if len(value) > 6 else "]")
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _judge(
    place: str, value: Any, paper: Printed | None, better: str | None
) -> Verdict | None:
    if better is None or paper is None or value is None or isinstance(value, str):
        return None
    ours = float(value[0] if isinstance(value, tuple | list) else value)
    room = max(paper.spread, 0.5 * 10.0**-paper.digits) + 1e-12
    excess = ours - paper.value if better == "lower" else paper.value - ours
    agrees = abs(ours - paper.value) <= room
    return Verdict(place, ours, paper.value, excess <= room, agrees, "", "")


def _kind(kind: str | Mapping[str, str], row: str, column: str) -> str:
    if isinstance(kind, str):
        return kind
    return kind.get(column, kind.get(row, CLUSTERING))


def _reason(reasons: Mapping[Any, str], row: str, column: str) -> str:
    for key in ((row, column), row, column):
        if key in reasons:
            return reasons[key]
    return "not explained"


def _cell(value: Any, paper: Printed | None, verdict: Verdict | None) -> str:
    """Return a cell; a miss is bold, what is better than printed in italics."""
    if value is None:
        return "not measured" if paper is None else f"not measured ({_print(paper)})"
    if isinstance(value, str):
        return value
    digits = 2 if paper is None else paper.digits
    if isinstance(value, tuple | list):
        number, text = value[0], f"{value[0]:.{digits}f} ± {value[1]:.{digits}f}"
    else:
        number, text = value, f"{value:.{digits}f}"
    if paper is None:
        return text
    if verdict is not None and not verdict.agrees:
        text = f"*{text}*" if verdict.matched else f"**{text}**"
    return f"{text} ({_print(paper)}, {number - paper.value:+.{digits}f})"


def _print(paper: Printed) -> str:
    spread = f" ± {paper.spread:.{paper.digits}f}" if paper.spread else ""
    return f"{paper.value:.{paper.digits}f}{spread}"
