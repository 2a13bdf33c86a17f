"""The pages of the reference, written from what each module names as public."""

from importlib import import_module
from pathlib import Path

# Modules, and what a reader finds there.
MODULES = {
    "maxmargin": "The estimators.",
    "maxmargin.selection": "The number of clusters, and how stable they are.",
    "maxmargin.distributed": "Data on many machines, through Dask.",
    "maxmargin.segmentation": "Images in, label images out.",
    "maxmargin.plots": "Pictures of clusters.",
    "maxmargin.metrics": "How well labels agree with known ones.",
    "maxmargin.datasets": "Data to try things on.",
    "maxmargin.tables": "Files in, numbers out.",
}

MODULE_PAGE = """\
{name}
{line}

{text}

.. currentmodule:: {name}

.. autosummary::
   :toctree: generated
   :nosignatures:

{names}
"""

INDEX = """\
Reference
=========

Every public name, with an example that the tests run.

.. toctree::
   :maxdepth: 2

{names}
"""


def write_api_pages(folder: Path) -> None:
    """Write a page for each module and one that lists them."""
    pages = {}
    seen: list[object] = []  # what has a page already
    for name, text in MODULES.items():
        module = import_module(name)
        public = [
            one
            for one in module.__all__
            if one[0] != "_" and not any(getattr(module, one) is old for old in seen)
        ]
        seen += [getattr(module, one) for one in public]
        pages[name] = MODULE_PAGE.format(
            name=name, line="=" * len(name), text=text, names=_indented(public)
        )
    pages["index"] = INDEX.format(names=_indented(MODULES))
    folder.mkdir(exist_ok=True)
    for name, page in pages.items():
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text() != page:
            file.write_text(page)


def _indented(names) -> str:
    return "\n".join(f"   {name}" for name in names)
