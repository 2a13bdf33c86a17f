"""Write the pages of the reference from ``__all__`` of each module."""

from importlib import import_module
from pathlib import Path

# The public modules and their descriptions.
MODULES = {
    "maxmargin": "The estimators.",
    "maxmargin.selection": "The number of clusters, and their stability.",
    "maxmargin.questions": "Pairs of samples that are worth a question.",
    "maxmargin.published": "The methods of the five papers, as printed.",
    "maxmargin.similarities": "The similarities of samples, in one table.",
    "maxmargin.distributed": "Data on many machines, with Dask or Spark.",
    "maxmargin.segmentation": "Image segmentation.",
    "maxmargin.plots": "Plots of clusters, as Display objects.",
    "maxmargin.metrics": "Agreement with known labels, cost and change over time.",
    "maxmargin.datasets": "Generators of data, and networks as samples.",
    "maxmargin.tables": "Tables in files.",
    "maxmargin.texts": "Texts as features, and keywords of clusters.",
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

All public names. The tests run their examples.

.. toctree::
   :maxdepth: 2

{names}
"""


def write_api_pages(folder: Path) -> None:
    """Write a page for each module and an index of them."""
    pages = {}
    seen: list[object] = []  # objects that have a page
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
