"""Catalogues as people write them: every mistake is named by its line, and none of them hides the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from isyarat.data.catalogue import Entry, name_clip, read_catalogue, review_catalogue
from isyarat.data.clip import ClipRecord, export_schema, parse_record, read_clips
from isyarat.data.errors import IsyaratError
from pydantic import ValidationError


def read(path: Path) -> list[Entry]:
    return list(read_catalogue(path))


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding=encoding)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_dialects_of_spreadsheets(tmp_path: Path, encoding: str, delimiter: str) -> None:
    text = "path,label,start_s,signer\r\na.mp4,terima kasih,1.25,Sitií\r\n".replace(",", delimiter)
    (entry,) = read(write(tmp_path / "clips.csv", text, encoding))
    assert entry.record is not None
    assert entry.record.gloss == "TERIMA_KASIH"
    assert (entry.record.start_s, entry.record.signer, entry.line) == (1.25, "Sitií", 2)


def test_decimal_comma_and_the_hint_of_a_separator(tmp_path: Path) -> None:
    path = write(tmp_path / "clips.csv", "sep=;\npath;label;start_s;end_s\na.mp4;saya;0,5;1,75\nb.mp4;apa?;;\n")
    first, second = read(path)
    assert first.record is not None
    assert (first.record.start_s, first.record.end_s) == (0.5, 1.75)
    assert (first.line, second.line) == (3, 4)
    assert "is not a gloss" in second.problem


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.mp4").write_bytes(b"x")
    path = write(
        tmp_path / "clips.csv",
        "path,label,handedness,start_s,end_s,is_none,consent_date,colour\n"
        "a.mp4,saya,right,,,,2026-05-01,red\n"
        "b.mp4,saya,both,,,,,\n"
        "b.mp4,saya,,2,1,,,\n"
        "b.mp4,saya,,,,true,,\n"
        "b.mp4,saya,,,,,yesterday,\n"
        "a.mp4,makan,,,,,,\n"
        "c.mp4,makan,,,,,,\n"
        "b.mp4,,,,,,,\n",
    )
    report = review_catalogue(path)
    assert (report.clips, report.extra) == (2, ["colour"])
    problems = {where: why for where, _, why in report.problems}
    assert set(problems) == {f"line {k}" for k in (3, 4, 5, 6, 7, 8)}
    for line, words in {3: "handedness: ", 4: "ends at 1.0 s, before", 5: "nothing is signed", 6: "consent_date",
                        7: "line 2 names the same file as SAYA", 8: "no such file"}.items():  # fmt: skip
        assert words in problems[f"line {line}"]
    assert [(where, "no gloss" in why) for where, _, why in report.hints] == [("line 9", True)]


def test_jsonl(tmp_path: Path) -> None:
    path = write(
        tmp_path / "clips.jsonl",
        '{"path": "a.mp4", "gloss": "halo", "two_handed": true, "rotation": 90, "variety": null}\n\n[1]\n{"path"\n',
    )
    first, second, third = read(path)
    assert first.record is not None
    assert (first.record.gloss, first.record.two_handed, first.record.rotation) == ("HALO", True, 90)
    assert (second.line, third.line) == (3, 4)
    assert "no JSON object" in second.problem
    assert "no JSON" in third.problem
    with pytest.raises(IsyaratError, match=r"line 3: it is no JSON object"):
        read_clips(path)


def test_folder_of_glosses(tmp_path: Path) -> None:
    for name in ("terima kasih/1.mp4", "SAYA/ani/1.MOV", "SAYA/ani/notes.txt", "_none/x.webm", "top.mp4", "a?/1.mp4",
                 ".hidden/1.mp4"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    entries = {entry.name: entry for entry in read(tmp_path)}
    records = {name: entry.record for name, entry in entries.items() if entry.record}
    assert {name: (r.gloss, r.signer, r.is_none) for name, r in records.items()} == {
        "terima kasih/1.mp4": ("TERIMA_KASIH", "unknown", False),
        "SAYA/ani/1.MOV": ("SAYA", "ani", False),
        "_none/x.webm": ("", "unknown", True),
    }
    assert "no video by its name" in entries["SAYA/ani/notes.txt"].problem
    assert "no folder named after its gloss" in entries["top.mp4"].problem
    assert "is not a gloss" in entries["a?/1.mp4"].problem


def test_ids(tmp_path: Path) -> None:
    assert name_clip(ClipRecord(path=tmp_path / "a" / "b.mp4"), tmp_path) == "a/b.mp4"
    assert name_clip(ClipRecord(path=tmp_path / "b.mp4", id="clip 7"), tmp_path) == "clip 7"
    (tmp_path / "a.mp4").write_bytes(b"x")
    (tmp_path / "b.mp4").write_bytes(b"x")
    path = write(tmp_path / "c.csv", "path,label,id\na.mp4,saya,one\nb.mp4,saya,one\n")
    assert [why for _, _, why in review_catalogue(path).problems] == ["line 2 has the same id 'one'"]


def test_records_survive_the_way_through_a_plan(tmp_path: Path) -> None:
    record = ClipRecord(
        path=Path("a.mp4"),
        label="saya",
        handedness="left",
        start_s=0.1,
        consent_date="2026-05-01",
        fps="25",
        rotation="90",
    )
    again = parse_record(record.model_dump_json(exclude_defaults=True), tmp_path)
    assert again == record.model_copy(update={"path": tmp_path / "a.mp4"})
    assert again.describe("fps") == "25"


def test_schema_describes_every_field() -> None:
    schema = export_schema()
    fields = set(schema["properties"])
    assert {
        "id", "label", "variety", "system", "signer", "signer_is_deaf", "certified_by", "handedness", "mirrored",
        "start_s", "end_s", "fps_mode", "rotation", "brows", "mouth", "head", "mouthing", "two_handed",
        "similar_group", "is_none", "consent_scope", "consent_date", "consent_revocable", "licence",
        "sha256", "split_group",
    } <= fields  # fmt: skip
    assert all("description" in field for field in schema["properties"].values())
    assert schema["required"] == ["path"]
    assert schema["version"] == 1


@pytest.mark.parametrize("values", [{"rotation": 45}, {"sha256": "abc"}, {"start_s": -1}, {"system": "asl"}])
def test_what_the_schema_refuses(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ClipRecord(path=Path("a"), **values)  # type: ignore[arg-type]
