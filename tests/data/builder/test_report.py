"""The card and the report: right numbers, self-contained, nothing that a name could break."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from isyarat.data.builder.build import build_dataset
from isyarat.data.builder.charts import draw_balance, draw_histogram
from isyarat.data.builder.engine import LocalEngine
from isyarat.data.builder.manifest import DataSet
from isyarat.data.builder.report import OF_GLOSS, choose_clips
from isyarat.data.builder.settings import BuildSettings
from isyarat.data.builder.stats import collect_stats

from .waver import draw_frames, write_frames, write_waver

EVIL = '<script>alert("x")</script>|ibu'


class Page(HTMLParser):
    """Tags, addresses and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One gloss, three signers, one with an evil name; a copy under another gloss; an outlier; a clip that is lost."""
    base = tmp_path_factory.mktemp("report")
    rows = []
    for k in range(12):
        write_waver(base / f"{k}.mp4", k)
        rows.append([f"{k}.mp4", "SAYA", EVIL if k < 8 else ("ani" if k < 11 else "budi")])
    write_frames(base / "copy.mp4", draw_frames(3), crf=38)
    rows.append(["copy.mp4", "MAKAN", "ani"])
    slow = [frame for frame in draw_frames(20) for _ in range(3)]
    write_frames(base / "slow.mp4", slow)
    rows.append(["slow.mp4", "SAYA", "ani"])
    rows.append(["lost.mp4", "SAYA", "ani"])
    with (base / "clips.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "label", "signer"])
        writer.writerows(rows)
    build_dataset(base / "clips.csv", base / "grids", BuildSettings(), LocalEngine(1))
    return base / "grids"


def test_the_page_is_self_contained(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert "script" not in page.tags
    assert all(address.startswith("data:image/jpeg;base64,") for address in page.addresses)
    assert not re.search(r"https?://|url\(|@import", text)
    assert EVIL in page.text
    assert page.tags.count("img") == OF_GLOSS + 1
    assert page.tags.count("figure") == OF_GLOSS + 1 + 4


def test_what_is_worth_a_look(folder: Path) -> None:
    doubts = dict(collect_stats(DataSet(folder)).count_doubts())
    assert doubts["the same movement under different glosses"] == ["3.mp4, copy.mp4 (MAKAN, SAYA)"]
    assert doubts["far shorter or longer than others of its gloss"][0].startswith("slow.mp4: 4.")
    page = Page((folder / "report.html").read_text(encoding="utf-8"))
    assert "there is no such file" in page.text
    assert "lost.mp4" in page.text


def test_the_card(folder: Path) -> None:
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("# Motion grids from clips.csv\n\n14 grids from 14 clips: 2 glosses, 3 signers.")
    assert "| signer: ani | 5 |" in card
    assert '| signer: &lt;script&gt;alert("x")&lt;/script&gt;\\|ibu | 8 |' in card
    assert "| licence: none stated | 14 |" in card
    assert "| could not be used (errors.csv) | 1 |" in card
    assert "1 of 2 glosses have one signer only (MAKAN)" in card


def test_contact_sheets_show_every_signer() -> None:
    clips = [("s", {"record": {"signer": signer}, "id": k}) for k, signer in enumerate("AAAAAAAABC")]
    assert {clip[1]["record"]["signer"] for clip in choose_clips(clips, 3)} == {"A", "B", "C"}
    assert len(choose_clips(clips, 20)) == 10


def test_charts() -> None:
    text = draw_histogram([1.0, 1.0, 2.0], "Length", "s", bins=2)
    assert text.count("<rect") == 2
    assert "median 1" in text
    assert draw_histogram([], "Length", "s") == ""
    assert "<rect" in draw_histogram([5.0], "Length", "s")
    bars = draw_balance({"SAYA": {"ani": 3, "budi": 1}, "MAKAN": {"budi": 2}}, ["ani", "budi"])
    assert bars.index("SAYA") < bars.index("MAKAN")
    assert "width:75.00%" in bars
