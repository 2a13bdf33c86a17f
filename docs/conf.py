"""How the documentation is built: ``make docs``."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from api_pages import write_api_pages  # noqa: E402

import maxmargin  # noqa: E402

project = "maxmargin"
author = "the maxmargin authors"
version = release = maxmargin.__version__
html_title = f"maxmargin {version}"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = [
    "_build",
    "count_table.md",  # a part of accuracy.md
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "papers/quick",
]
templates_path = ["_templates"]

# Single backquotes in docstrings link to what they name, if that is public.
default_role = "autolink"

html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

nitpicky = True
nitpick_ignore_regex = [
    # The pages of other projects are not at hand when the documentation is built.
    (r"py:.*", r"(sklearn|numpy|scipy|pandas|matplotlib|dask)\..*"),
    # Where inherited methods of scikit-learn and Python are described, they name types
    # in their own words.
    (r"py:.*", r"(object|tuple|Exception|ValueError)"),
]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_\d\d_",
    "ignore_pattern": r"(__init__|demo)\.py",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"*": []}  # pages without others below them
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_copy_source = False
copybutton_prompt_text = ">>> "

write_api_pages(HERE / "api")


def skip_routing(app, what, name, obj, skip, options):
    """Leave out what scikit-learn adds to each estimator for metadata routing.

    Its ``score`` is left out, too: the docstring links to pages that are not here.
    """
    routing = re.fullmatch(r"set_\w+_request|get_metadata_routing", name)
    theirs = name == "score" and getattr(obj, "__module__", "").startswith("sklearn")
    return skip or theirs or bool(routing)


def quote_names(app, what, name, obj, options, lines):
    """Quote names that end in an underscore in types: they would be links."""
    for j, line in enumerate(lines):
        attribute, colon, text = line.partition(" : ")
        if colon and attribute.isidentifier():
            text = re.sub(r"(?<![`\w])(\w+_)(?![`\w])", r"``\1``", text)
            lines[j] = attribute + colon + text


def drop_missing(app, docname, source):
    """Keep a line ``page?`` of a list of pages only if the page has been written."""

    def keep(match):
        file = (HERE / docname).parent / f"{match[1]}.md"
        return f"{match[1]}\n" if file.exists() else ""

    text = re.sub(r"^(\S+)\?\n", keep, source[0], flags=re.MULTILINE)
    if text != source[0]:
        app.env.note_reread()  # the page may be there when we next build
    source[0] = text


def setup(app):
    """Connect the hooks; the second must come before numpydoc's."""
    app.connect("autodoc-skip-member", skip_routing)
    app.connect("autodoc-process-docstring", quote_names, priority=400)
    app.connect("source-read", drop_missing)
