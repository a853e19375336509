"""The clip record: what is known of one clip. Its schema is versioned, and its JSON Schema can be printed."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .errors import IsyaratError

SCHEMA_VERSION = 1
GLOSS = re.compile(r"^[A-Z0-9]+(?:[_-][A-Z0-9]+)*$")
UNKNOWN_SIGNER = "unknown"


class ClipRecord(BaseModel):
    """What is known of one clip. Fields that a file lacks keep their defaults; columns it has beyond them are kept too.

    All fields are flat, so that a line of CSV and a line of JSONL hold the same.
    """

    model_config = ConfigDict(extra="allow", frozen=True, title="isyarat clip record")

    path: Path = Field(description="the file; in a CSV or JSONL relative to the folder of that file")
    id: str = Field(default="", description="stable name of the clip; without one, its path is used")
    gloss: str = Field(
        default="",
        alias="label",
        description="what is signed, in capitals with _ between words (TERIMA_KASIH); empty when nothing is",
    )
    role: str = Field(default="", description='part of a collection it belongs to, e.g. "words" or "no_signing"')
    is_none: bool = Field(default=False, description="nothing is signed in it: a negative; it has no gloss")
    system: Literal["bisindo", "sibi", "other"] = Field(
        default="bisindo", description="sign system; SIBI is another one than BISINDO"
    )
    variety: str | None = Field(default=None, description="regional variety, e.g. Jakarta or Yogyakarta")
    signer: str = Field(default=UNKNOWN_SIGNER, description="pseudonym; splits by signer and withdrawal rest on it")
    signer_is_deaf: bool | None = Field(default=None, description="whether the signer is Tuli (deaf)")
    certified_by: str | None = Field(default=None, description="pseudonym of the Tuli reviewer who approved the form")
    handedness: Literal["right", "left", "unknown"] = Field(default="unknown", description="hand that leads")
    mirrored: bool = Field(default=False, description="the picture is a mirror image, as selfie recordings may be")
    two_handed: bool | None = Field(default=None, description="whether both hands take part")
    start_s: float | None = Field(default=None, ge=0, description="start of the sign in seconds since the first frame")
    end_s: float | None = Field(default=None, gt=0, description="end of the sign in seconds since the first frame")
    fps_mode: Literal["constant", "variable", "unknown"] = Field(
        default="unknown", description="whether frames come at a constant rate"
    )
    rotation: Literal[0, 90, 180, 270] | None = Field(
        default=None, description="display rotation in degrees as the recorder states it; decoding applies it anyway"
    )
    background: str = Field(default="", description='free word, e.g. "green" for a green screen')
    brows: str | None = Field(default=None, description="non-manual marker of the brows, e.g. raised")
    mouth: str | None = Field(default=None, description="mouth gesture, e.g. puffed")
    head: str | None = Field(default=None, description="movement of the head, e.g. shake")
    mouthing: str | None = Field(default=None, description="spoken word that the lips form")
    similar_group: str | None = Field(default=None, description="name of a group of signs that are easily confused")
    consent_scope: str | None = Field(default=None, description="what the signer agreed to, e.g. research")
    consent_date: datetime.date | None = Field(default=None, description="when, as YYYY-MM-DD")
    consent_revocable: bool | None = Field(default=None, description="whether the signer may withdraw it")
    licence: str = Field(default="none stated", description="as stated by whoever published the clip")
    source: str = Field(default="", description="where the clip comes from")
    sha256: str | None = Field(
        default=None, pattern="^[0-9a-f]{64}$", description="SHA-256 of the file; a build refuses another file"
    )
    split_group: str | None = Field(
        default=None, description="clips of one group stay on one side of every split, e.g. takes of one recording"
    )

    @field_validator("gloss", mode="before")
    @classmethod
    def normalise_gloss(cls, value: object) -> str:
        """`terima kasih` and `terima_kasih` mean TERIMA_KASIH."""
        gloss = re.sub(r"\s+", "_", str(value or "").strip()).upper()
        if gloss and not GLOSS.match(gloss):
            raise ValueError(f"{value!r} is not a gloss (letters and digits, joined by _ or -)")
        return gloss

    @field_validator("rotation", mode="before")
    @classmethod
    def read_rotation(cls, value: object) -> object:
        """A CSV holds text."""
        return int(value) if isinstance(value, str) and value.strip().isdigit() else value

    @field_validator("system", "handedness", "fps_mode", "sha256", mode="before")
    @classmethod
    def lower(cls, value: object) -> object:
        """`BISINDO` and `Right` are what people write."""
        return value.strip().lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def check_together(self) -> ClipRecord:
        """Fields that contradict each other."""
        if self.is_none and self.gloss:
            raise ValueError(f"is_none says that nothing is signed, but the gloss is {self.gloss}")
        if self.start_s is not None and self.end_s is not None and self.end_s <= self.start_s:
            raise ValueError(f"the sign ends at {self.end_s} s, before it starts at {self.start_s} s")
        return self

    def describe(self, field: str) -> str:
        """The value of any field or extra column, as text."""
        return str(getattr(self, field, ""))

    @property
    def unknown_fields(self) -> list[str]:
        """Columns beyond the schema."""
        return sorted(self.model_extra or {})

    def to_row(self) -> dict[str, Any]:
        """What differs from the defaults, for JSON; the gloss under its own name."""
        return self.model_dump(mode="json", exclude_defaults=True)


def export_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a clip record."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "version": SCHEMA_VERSION,
        **ClipRecord.model_json_schema(by_alias=True),
    }


def read_clips(path: str | Path) -> list[ClipRecord]:
    """Reads a CSV with a header line, or JSONL; it needs the columns `path` and `label` (or `gloss`).

    Raises:
        IsyaratError: no such file, columns missing, or the first line that is wrong, with its number.
    """
    from .catalogue import read_catalogue  # here, because the catalogue is made of clip records

    records = []
    for entry in read_catalogue(Path(path)):
        if entry.record is None:
            raise IsyaratError(f"{path}, line {entry.line}{entry.problem}; correct that line.")
        records.append(entry.record)
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


def parse_record(text: str, folder: Path) -> ClipRecord:
    """A record from the compact JSON of `to_row`, its path resolved against `folder`."""
    row = json.loads(text)
    row["label"] = row.pop("gloss", "")
    record = ClipRecord.model_validate(row)
    return record.model_copy(update={"path": folder / record.path})
