"""Which columns of a file are features, by their roles, and notes on the others."""

from collections.abc import Sequence
from dataclasses import replace

from maxmargin.tables.roles import CATEGORY, ID, TEXT
from maxmargin.tables.table import Table, TableError


def with_codes(table: Table, roles: dict[str, str], notes: list[str]) -> Table:
    """Return the table with integers that are codes as text, and add a note on them."""
    codes = [name for name in table.number_names if roles[name] == CATEGORY]
    if not codes:
        return table
    shown = ", ".join(map(repr, codes))
    notes.append(f"integers in {shown} are taken for codes, not numbers")
    kept = [j for j, name in enumerate(table.number_names) if name not in codes]
    return replace(
        table,
        number_names=tuple(table.number_names[j] for j in kept),
        numbers=table.numbers[:, kept],
        texts={**table.texts, **{name: table.text(name) for name in codes}},
    )


def choose_features(
    table: Table, roles: dict[str, str], named: Sequence[str], notes: list[str]
) -> list[str]:
    """Return the columns that are features, and add a note on each that is not."""
    names = []
    for name in table.names:
        if roles[name] == TEXT:
            notes.append(
                f"column {name!r} holds texts and is not used beside other columns: "
                f"cluster it alone with --features {name}"
            )
        elif roles[name] == ID and name not in named:
            notes.append(f"column {name!r} looks like ids and is not used as a feature")
        else:
            names.append(name)
    if not names:
        raise TableError("All columns look like ids: name features with --features.")
    return names
