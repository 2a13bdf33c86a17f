"""Links from the HTML representation of an estimator to its page of the reference."""

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

# Whose estimators have their pages; those of the others are names of the package.
PUBLIC_FOLDERS = ("distributed", "published", "tables", "texts")


@cache
def documentation_url() -> str:
    """Return the address that the package declares for its documentation, or ""."""
    try:
        declared = metadata("maxmargin").get_all("Project-URL") or []
    except PackageNotFoundError:  # used from a folder
        return ""
    urls = dict(one.split(", ", 1) for one in declared)
    return str(urls.get("Documentation", "")).rstrip("/")


class DocumentedMixin:
    """An estimator with a page in the reference of the documentation.

    The names are those that :class:`sklearn.base.BaseEstimator` reads.
    """

    _doc_link_module = "maxmargin"

    @property
    def _doc_link_template(self) -> str:
        url = documentation_url()
        return f"{url}/api/generated/{{module}}.{{name}}.html" if url else ""

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        package, folder, *_ = type(self).__module__.split(".")
        module = f"{package}.{folder}" if folder in PUBLIC_FOLDERS else package
        return {"module": module, "name": type(self).__name__}
