"""What clients may send: settings of a fit, and corrections."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from maxmargin.app.limits import MAX_CLUSTERS, MAX_ROWS
from maxmargin.similarities import SIMILARITIES
from maxmargin.tables.samples import TableOptions
from maxmargin.tables.text import TextOptions

# The similarities that the page offers, with their labels.
OFFERED = {name: one.label for name, one in SIMILARITIES.items() if one.label}

Row = Annotated[int, Field(ge=0, lt=MAX_ROWS)]
Rows = Annotated[list[Row], Field(min_length=1, max_length=MAX_ROWS)]
Pairs = Annotated[list[tuple[Row, Row]], Field(max_length=1000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
ClusterId = Annotated[int, Field(ge=0, le=1_000_000)]
Count = Annotated[int, Field(ge=1, le=MAX_CLUSTERS)]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]


def _check_similarity(name: str) -> str:
    if name not in OFFERED:
        raise ValueError(f"{name!r} is not known: use one of {tuple(OFFERED)}.")
    return name


def _check_encoding(name: str) -> str:
    TextOptions(encoding=name)  # raises an error if it is not known
    return name


Encoding = Annotated[str, Field(max_length=50), AfterValidator(_check_encoding)]
Decimal = Literal[".", ","]
Role = Literal["number", "few values", "category", "text"]
SimilarityName = Annotated[
    str,
    AfterValidator(_check_similarity),
    Field(json_schema_extra={"enum": list(OFFERED)}),
]


class Strict(BaseModel):
    """A record without further fields."""

    model_config = ConfigDict(extra="forbid")


class Columns(Strict):
    """The columns of a table that a fit uses."""

    features: Annotated[list[Name], Field(min_length=1, max_length=10_000)] | None = (
        None
    )
    id_column: Name | None = None
    label: Name | None = None
    scale: Literal["auto", "on", "off"] = "auto"
    missing: Literal["error", "median", "drop"] = "median"
    encoding: Encoding | None = None  # of a text file; by default it is found out
    decimal: Decimal | None = None
    roles: dict[Name, Role] = {}  # of columns, in place of what they are taken for
    weights: dict[Name, Annotated[float, Field(ge=0.01, le=100)]] = {}

    def table_options(self) -> TableOptions:
        """Return how the table is read and encoded; known classes are no features."""
        drop = [self.label] if self.label and self.features is None else None
        return TableOptions(
            self.features,
            drop,
            self.id_column,
            self.scale,
            self.missing,
            TextOptions(encoding=self.encoding, decimal=self.decimal),
            self.roles,
            self.weights,
        )


class Settings(Columns):
    """A fit of the rows of a table."""

    kind: Literal["table"] = "table"
    method: Literal["maxmargin", "k-means", "mixture"] = "maxmargin"
    clusters: Count | Literal["auto"] = "auto"
    kernel: SimilarityName = "auto"
    balance: Literal["free", "equal"] = "free"
    min_size: Annotated[int, Field(ge=1, le=MAX_ROWS)] | None = None
    max_size: Annotated[int, Field(ge=1, le=MAX_ROWS)] | None = None
    seed: Seed = 0

    @field_validator("clusters", mode="before")
    @classmethod
    def check_number(cls, given: Any) -> Any:
        """Raise an error that a person understands if there is no such number."""
        if given == "auto" or _is_number(given, 1):
            return given
        raise ValueError(
            f"{given!r} is no number of clusters: give a whole number from 1 to "
            f"{MAX_CLUSTERS}, or auto."
        )

    @model_validator(mode="after")
    def check_sizes(self) -> "Settings":
        """Raise an error if the settings contradict each other."""
        given = self.min_size is not None or self.max_size is not None
        if self.balance == "equal" and given:
            raise ValueError("Give equal sizes or limits of the sizes, not both.")
        if self.min_size and self.max_size and self.min_size > self.max_size:
            raise ValueError("The least size is above the largest one.")
        if self.method != "maxmargin" and (given or self.balance == "equal"):
            raise ValueError("Only the maximum margin method takes limits of sizes.")
        if self.method != "maxmargin" and self.clusters == "auto":
            raise ValueError("Give the number of clusters for this method.")
        return self

    def sizes(self) -> Any:
        """Return the parameter ``balance`` of the estimator."""
        if self.min_size is None and self.max_size is None:
            return self.balance
        return (self.min_size, self.max_size)


def _is_number(given: Any, least: int) -> bool:
    """Return True for a number of clusters."""
    whole = isinstance(given, int) and not isinstance(given, bool)
    return whole and least <= given <= MAX_CLUSTERS


class TimeSettings(Columns):
    """A fit of the snapshots of a table with times."""

    kind: Literal["time"] = "time"
    time: Name
    clusters: Annotated[int, Field(ge=2, le=MAX_CLUSTERS)] = 2
    strategy: Literal["cohort", "individual", "model"] = "cohort"
    weight: Annotated[float, Field(gt=0, le=1)] = 0.7
    seed: Seed = 0

    @field_validator("clusters", mode="before")
    @classmethod
    def check_number(cls, given: Any) -> Any:
        """Raise an error that a person understands if there is no such number."""
        if _is_number(given, 2):
            return given
        raise ValueError(
            f"Clusters over time need a number: give a whole number from 2 to "
            f"{MAX_CLUSTERS} in place of {given!r}."
        )


class Stroke(Strict):
    """A line that was painted on an image, in pixels of the image."""

    segment: Annotated[int, Field(ge=1, le=8)]
    width: Annotated[float, Field(ge=1, le=200)]
    points: Annotated[list[tuple[float, float]], Field(min_length=1, max_length=5000)]


class ImageSettings(Strict):
    """The segmentation of an image."""

    kind: Literal["image"] = "image"
    clusters: Annotated[int, Field(ge=2, le=8)] = 2
    strokes: Annotated[list[Stroke], Field(max_length=500)] = []
    seed: Seed = 0


AnySettings = Annotated[
    Settings | TimeSettings | ImageSettings, Field(discriminator="kind")
]


class Assign(Strict):
    """Give rows a cluster; None is a new one."""

    kind: Literal["assign"]
    rows: Rows
    cluster: ClusterId | None = None


class Together(Strict):
    """Say that rows belong to one cluster."""

    kind: Literal["together"]
    rows: Annotated[list[Row], Field(min_length=2, max_length=1000)]


class Apart(Strict):
    """Say that two rows belong to different clusters."""

    kind: Literal["apart"]
    rows: Annotated[list[Row], Field(min_length=2, max_length=2)]


class Unsure(Strict):
    """Say that rows are doubtful: they do not take part in the fit."""

    kind: Literal["unsure"]
    rows: Rows


class Merge(Strict):
    """Make one cluster of several; the first one keeps its name."""

    kind: Literal["merge"]
    clusters: Annotated[list[ClusterId], Field(min_length=2, max_length=MAX_CLUSTERS)]


class Split(Strict):
    """Divide a cluster."""

    kind: Literal["split"]
    cluster: ClusterId
    into: Annotated[int, Field(ge=2, le=20)] = 2


class Recluster(Strict):
    """Cluster some rows anew."""

    kind: Literal["recluster"]
    rows: Rows
    into: Annotated[int, Field(ge=2, le=20)] | Literal["auto"] = 2


class Level(Strict):
    """Take another level of the tree of clusters; what was said of rows is dropped."""

    kind: Literal["level"]
    clusters: Count


class Choose(Strict):
    """Take another labelling, then keep what was answered about pairs of rows."""

    kind: Literal["choose"]
    number: Annotated[int, Field(ge=0, le=100)]  # 0 is that of the first fit
    together: Pairs = []
    apart: Pairs = []


class Rename(Strict):
    """Name or colour a cluster."""

    kind: Literal["rename"]
    cluster: ClusterId
    name: Annotated[str, Field(max_length=100)] | None = None
    color: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")] | None = None


AnyAction = Annotated[
    Assign
    | Together
    | Apart
    | Unsure
    | Merge
    | Split
    | Recluster
    | Level
    | Choose
    | Rename,
    Field(discriminator="kind"),
]


class CorrectionsFile(Strict):
    """Corrections that were saved, to be done again on the same table."""

    format: Literal["maxmargin corrections"]
    version: Literal[1]
    table: Annotated[str, Field(max_length=500)] = ""
    settings: Settings
    actions: Annotated[list[AnyAction], Field(max_length=10_000)]
