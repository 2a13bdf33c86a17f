"""Tables and lists in Markdown."""

from benchmarks.accuracy.plan import THREE
from benchmarks.accuracy.summary import entries

SHOWN = 3  # names of tasks in a list


def markdown(head, rows):
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value, digits=3):
    """Return a number as text, nothing for None."""
    return "" if value is None else f"{value:.{digits}f}"


def with_worst(found):
    """Return an agreement with its lowest value and the task that has it."""
    if found is None:
        return ""
    return f"{found.mean:.3f} ({found.worst:.2f}, {found.name})"


def failed_lines(results, methods, what):
    """Return a line for each method that failed on some tasks."""
    lines = []
    for method, (title, *_) in methods.items():
        failed = [
            name
            for suite in THREE
            for name, result in entries(results, suite, method, what).items()
            if "failed" in result
        ]
        if failed:
            names = "; ".join(failed[:SHOWN])
            if len(failed) > SHOWN:
                names += f"; and {len(failed) - SHOWN} more"
            lines.append(f"- `{title}` has no result for {names}.")
    return "\n".join(lines)
