"""The clip record and its CSV form."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from .errors import IsyaratError

GLOSS = re.compile(r"^[A-Z0-9]+(?:[_-][A-Z0-9]+)*$")


class ClipRecord(BaseModel):
    """What is known of one clip. Fields that a CSV lacks keep their defaults; columns it has beyond them are kept too.

    Attributes:
        path: the file; in a CSV relative to the folder of the CSV.
        gloss: what is signed, in capitals with `_` between words (TERIMA_KASIH); empty when nothing is.
        role: part of the data set it belongs to, e.g. "words" or "no_signing".
        system: sign system; SIBI is another one than BISINDO.
        variety: regional variety, where known.
        signer: pseudonym. Splits by signer rest on it.
        background: free word, e.g. "green" for a green screen.
        handedness: hand that leads.
        mirrored: whether the picture is a mirror image, as selfie recordings may be.
        licence, source: as stated by whoever published the clip.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    path: Path
    gloss: str = Field(default="", alias="label")
    role: str = ""
    system: Literal["bisindo", "sibi", "other"] = "bisindo"
    variety: str | None = None
    signer: str = "unknown"
    background: str = ""
    handedness: Literal["right", "left", "unknown"] = "unknown"
    mirrored: bool = False
    licence: str = "none stated"
    source: str = ""

    @field_validator("gloss", mode="before")
    @classmethod
    def normalise_gloss(cls, value: object) -> str:
        """`terima kasih` and `terima_kasih` mean TERIMA_KASIH."""
        gloss = re.sub(r"\s+", "_", str(value or "").strip()).upper()
        if gloss and not GLOSS.match(gloss):
            raise ValueError(f"{value!r} is not a gloss (letters and digits, joined by _ or -)")
        return gloss

    def describe(self, field: str) -> str:
        """The value of any field or extra column, as text."""
        return str(getattr(self, field, ""))


def read_clips(path: str | Path) -> list[ClipRecord]:
    """Reads a CSV with a header line; it needs the columns `path` and `label` (or `gloss`).

    Raises:
        IsyaratError: no such file, columns missing, or the first line that is wrong, with its number.
    """
    path = Path(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            columns = list(reader.fieldnames or [])
            rows = [(reader.line_num, row) for row in reader]  # rows may span lines, and blank lines are no rows
    except FileNotFoundError:
        raise IsyaratError(f"{path}: there is no such file; give a CSV with the columns path and label.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise IsyaratError(
            f"{path}: it cannot be read as a CSV ({error}); give a text file with a header line."
        ) from error
    if "path" not in columns or not {"label", "gloss"} & set(columns):
        raise IsyaratError(f"{path}: the columns path and label are needed, it has: {', '.join(columns) or 'none'}.")
    records = []
    for number, row in rows:
        if None in row:  # where csv puts values that have no column
            raise IsyaratError(
                f"{path}, line {number}: it has more values than the header has columns; "
                "put values that hold a comma in quotation marks."
            )
        values = {("label" if key == "gloss" else key): value for key, value in row.items() if key and value}
        try:
            record = ClipRecord.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise IsyaratError(f"{path}, line {number}, {where}: {first['msg']}; correct that line.") from error
        records.append(record.model_copy(update={"path": path.parent / record.path}))
    return records


def parse_conditions(conditions: Iterable[str]) -> dict[str, set[str]]:
    """`["role=words", "signer=A,B"]` to `{"role": {"words"}, "signer": {"A", "B"}}`.

    Raises:
        IsyaratError: a condition without `=`.
    """
    parsed: dict[str, set[str]] = {}
    for condition in conditions:
        field, equals, values = condition.partition("=")
        if not equals or not field:
            raise IsyaratError(f"{condition!r} is no condition; write it as FIELD=VALUE[,VALUE], e.g. role=words.")
        parsed.setdefault(field, set()).update(values.split(","))
    return parsed


def select_clips(clips: Sequence[ClipRecord], conditions: Mapping[str, set[str]]) -> list[ClipRecord]:
    """The clips that meet all conditions."""
    return [c for c in clips if all(c.describe(field) in values for field, values in conditions.items())]
