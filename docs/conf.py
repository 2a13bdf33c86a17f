"""Sphinx configuration of the documentation: ``make docs``."""

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
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "papers/quick",
]
templates_path = ["_templates"]

# Names in single backquotes in docstrings become links if they are public.
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
    # The documentation is built offline, without the pages of other projects.
    (r"py:.*", r"(sklearn|numpy|scipy|pandas|matplotlib|dask)\..*"),
    # Types in the docstrings of inherited methods of scikit-learn and Python.
    (r"py:.*", r"(object|tuple|Exception|ValueError)"),
    # Private modules that docstrings name.
    (r"py:.*", r"maxmargin\.(rows|neighbors|smoothers|search|engine)\..*"),
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
html_sidebars = {"*": []}  # no sidebar for pages of the top level
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_copy_source = False
copybutton_prompt_text = ">>> "

write_api_pages(HERE / "api")


def skip_inherited(app, what, name, obj, skip, options):
    """Skip methods that other libraries add to each estimator.

    These are those of scikit-learn for metadata routing, its ``score`` and
    ``set_output``, whose docstrings have links to its pages, and all of pyspark.
    """
    routing = re.fullmatch(r"set_\w+_request|get_metadata_routing", name)
    module = getattr(getattr(obj, "fget", obj), "__module__", None) or ""
    of_sklearn = name in ("score", "set_output") and module.startswith("sklearn")
    return skip or of_sklearn or module.startswith("pyspark") or bool(routing)


def quote_names(app, what, name, obj, options, lines):
    """Quote names with a trailing underscore in types, which would become links."""
    for j, line in enumerate(lines):
        attribute, colon, text = line.partition(" : ")
        if colon and attribute.isidentifier():
            text = re.sub(r"(?<![`\w])(\w+_)(?![`\w])", r"``\1``", text)
            lines[j] = attribute + colon + text


def setup(app):
    """Connect the hooks; `quote_names` must run before numpydoc."""
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("autodoc-process-docstring", quote_names, priority=400)
