"""Catalogues of clips: a CSV, a JSONL file, or a folder with one subfolder a gloss, read line by line.

Nothing is fatal here: every line gives a record or says what is wrong with it, so that a person who has typed 154 lines
into a spreadsheet sees all mistakes at once. `read_clips` is the strict form.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from .clip import ClipRecord
from .errors import IsyaratError

VIDEO_SUFFIXES = {
    ".mp4", ".mov", ".webm", ".mkv", ".avi", ".m4v", ".mpg", ".mpeg", ".wmv", ".flv", ".3gp", ".ogv", ".ts", ".gif",
    ".webp",
}  # fmt: skip

# Folder of clips in which nothing is signed.
NONE_FOLDER = "_none"

# Numbers that a spreadsheet with a decimal comma writes as "1,25".
NUMBERS = ("start_s", "end_s")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a catalogue.

    Attributes:
        line: its number in the file; 0 in a folder.
        name: the path as it is written there.
        record: the clip, its path resolved; None when the line is wrong.
        problem: what is wrong with it, beginning with ": " or, if one column is at fault, with ", COLUMN: ".
    """

    line: int
    name: str
    record: ClipRecord | None
    problem: str = ""

    @property
    def where(self) -> str:
        """For a report."""
        return f"line {self.line}" if self.line else self.name


def read_catalogue(source: Path) -> Iterator[Entry]:
    """Reads a CSV (comma, semicolon or tab; any byte order mark), JSONL, or a folder GLOSS/clip or GLOSS/SIGNER/clip.

    Memory does not grow with the length.

    Raises:
        IsyaratError: there is no such file, or it is no catalogue at all.
    """
    if source.is_dir():
        yield from read_folder(source)
        return
    try:
        with open_text(source) as file:
            first = file.read(1)
            file.seek(0)
            is_json = first == "{" or source.suffix.lower() in {".jsonl", ".ndjson"}
            yield from read_jsonl(source, file) if is_json else read_csv(source, file)
    except FileNotFoundError:
        raise IsyaratError(
            f"{source}: there is no such file; give a CSV with the columns path and label, or a folder."
        ) from None
    except (OSError, UnicodeError, csv.Error) as error:
        raise IsyaratError(
            f"{source}: it cannot be read as a CSV ({error}); give a text file with a header line."
        ) from error


def open_text(path: Path) -> TextIO:
    """Opens UTF-8 or, as spreadsheets export it, UTF-16, with or without a byte order mark."""
    with path.open("rb") as file:
        head = file.read(2)
    encoding = "utf-16" if head in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return path.open(newline="", encoding=encoding)


def read_csv(source: Path, file: TextIO) -> Iterator[Entry]:
    """Entries of a CSV with a header line."""
    header = file.readline()
    skipped = 0
    if re.fullmatch(r"sep=.\s*", header):  # a hint that some spreadsheets write and want
        header, skipped = file.readline(), 1
    delimiter = max(",;\t", key=header.count)
    columns = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    if "path" not in columns or not {"label", "gloss"} & set(columns):
        raise IsyaratError(f"{source}: the columns path and label are needed, it has: {', '.join(columns) or 'none'}.")
    reader = csv.reader(file, delimiter=delimiter)
    for values in reader:
        line = reader.line_num + 1 + skipped  # rows may span lines
        if not values:
            continue
        if len(values) > len(columns) and any(values[len(columns) :]):
            problem = (
                f": it has more values than the header has columns; put values that hold a {delimiter!r} in "
                "quotation marks"
            )
            yield Entry(line, values[0], None, problem)
            continue
        row: dict[str, Any] = {name: v for name, v in zip(columns, values, strict=False) if name and v.strip()}
        if delimiter != ",":
            row |= {name: row[name].replace(",", ".") for name in NUMBERS if name in row}
        yield make_entry(source.parent, line, row)


def read_jsonl(source: Path, file: TextIO) -> Iterator[Entry]:
    """Entries of a file with one JSON object a line."""
    for line, text in enumerate(file, start=1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except ValueError as error:
            yield Entry(line, "", None, f": it is no JSON ({error})")
            continue
        if isinstance(row, dict):
            yield make_entry(source.parent, line, {k: v for k, v in row.items() if v is not None})
        else:
            yield Entry(line, "", None, ": it is no JSON object; write {...}")


def read_folder(source: Path) -> Iterator[Entry]:
    """Entries of GLOSS/clip.mp4 or GLOSS/SIGNER/clip.mp4, in the order of names; `_none` holds clips without signs."""
    found = False
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        parts = path.relative_to(source).parts
        name = "/".join(parts)
        if any(part.startswith(".") for part in parts):
            continue
        if path.suffix.lower() not in VIDEO_SUFFIXES:
            yield Entry(0, name, None, ": this is no video by its name; move it elsewhere")
        elif len(parts) not in (2, 3):
            yield Entry(
                0, name, None, ": it lies in no folder named after its gloss; use GLOSS/clip or GLOSS/SIGNER/clip"
            )
        else:
            found = True
            row: dict[str, Any] = {"path": name}
            row |= {"is_none": True} if parts[0] == NONE_FOLDER else {"label": parts[0]}
            row |= {"signer": parts[1]} if len(parts) == 3 else {}
            yield make_entry(source, 0, row)
    if not found:
        raise IsyaratError(f"{source}: there is no clip in it; put clips into folders named after their gloss.")


def make_entry(folder: Path, line: int, row: dict[str, Any]) -> Entry:
    """Validates one line."""
    if "gloss" in row:
        row["label"] = row.pop("gloss")
    name = str(row.get("path", ""))
    try:
        record = ClipRecord.model_validate(row)
    except ValidationError as error:
        parts = []
        for fault in error.errors():
            message = fault["msg"].removeprefix("Value error, ")
            place = ".".join(map(str, fault["loc"]))
            parts.append(f"{place}: {message}" if place else message)
        at_column = bool(error.errors()[0]["loc"])
        return Entry(line, name, None, (", " if at_column else ": ") + "; ".join(parts))
    return Entry(line, name, record.model_copy(update={"path": folder / record.path}))


def name_clip(record: ClipRecord, root: Path) -> str:
    """The id of a clip: the one it has, or its path below `root`."""
    if record.id:
        return record.id
    path = record.path
    if path.is_relative_to(root):
        path = path.relative_to(root)
    return path.as_posix()


@dataclass(slots=True)
class Report:
    """What is in a catalogue, and all that is wrong with it.

    Attributes:
        clips: lines that are right.
        problems: (where, path, what is wrong).
        hints: (where, path, what may be wrong).
        extra: columns beyond the schema, which are kept; a misspelled one shows here.
    """

    clips: int
    problems: list[tuple[str, str, str]]
    hints: list[tuple[str, str, str]]
    extra: list[str]


def review_catalogue(source: Path) -> Report:
    """Reads all of it: wrong lines, missing files, a clip or an id that comes twice, fields that are worth having."""
    report = Report(0, [], [], [])
    extra: set[str] = set()
    seen: dict[str, tuple[str, str]] = {}
    ids: dict[str, str] = {}
    root = source if source.is_dir() else source.parent
    for entry in read_catalogue(source):
        if entry.record is None:
            report.problems.append((entry.where, entry.name, entry.problem.lstrip(":, ")))
            continue
        record = entry.record
        extra.update(record.unknown_fields)
        problem = ""
        if not record.path.is_file():
            problem = "there is no such file"
        elif (before := seen.get(str(record.path))) is not None:
            same = before[1] == record.gloss
            problem = f"{before[0]} names the same file" + ("" if same else f" as {before[1] or 'no sign'}")
        elif (name := name_clip(record, root)) in ids:
            problem = f"{ids[name]} has the same id {name!r}"
        if problem:
            report.problems.append((entry.where, entry.name, problem))
            continue
        seen[str(record.path)] = (entry.where, record.gloss)
        ids[name_clip(record, root)] = entry.where
        report.clips += 1
        if not record.gloss and not record.is_none:
            report.hints.append((entry.where, entry.name, "it has no gloss; say is_none if nothing is signed in it"))
    report.extra = sorted(extra)
    return report
