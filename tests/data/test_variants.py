"""One clip in every way it can be written: each gives the same motion grid, within the tolerance that stands beside it.

`pytest tests/data/test_variants.py -s` prints the table with the measured figures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from av.video.reformatter import ColorPrimaries, ColorTrc
from isyarat.data import synthetic
from isyarat.data.grid_spec import GridSpec
from isyarat.data.motion_grid import MotionGrid
from isyarat.data.rendering import find_rendering
from isyarat.data.sign import cut_signs
from isyarat.data.video import Image, VideoReader

from .recorder import Format, grade_hdr, quiet, record

SPEC = GridSpec()
ONE = 1 << 16
SCENE = synthetic.Scene(width=240, height=180, fps=25.0)
# Without B-frames this encoder writes the same bytes in every run.
QUICK = {"crf": "12", "preset": "ultrafast"}


@dataclass(frozen=True)
class Original:
    """The pictures of the clip, their times, and the motion grid of the clip as a phone writes it."""

    pictures: list[Image]
    times_ms: list[int]
    grid: MotionGrid


def draw(path: Path, **reader: Any) -> MotionGrid:
    """The grid of the one sign in a clip."""
    (sign,) = cut_signs(VideoReader(path, **reader), SPEC, find_rendering("pixels"))
    return sign.draw_grid(SPEC)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    show = synthetic.perform(["HALO"], rest_s=0.4, scene=SCENE)
    pictures = [image for _, image in show.frames()]
    times_ms = [40 * index for index in range(len(pictures))]
    path = record(tmp_path_factory.mktemp("original") / "a.mp4", pictures, times_ms, Format(options=QUICK))
    return Original(pictures, times_ms, draw(path))


Write = Callable[[Original, Path], "Path | tuple[Path, dict[str, Any]]"]


def as_is(name: str, **form: Any) -> Write:
    """The same pictures and times in another format."""
    form.setdefault("options", QUICK)
    return lambda original, folder: record(folder / name, original.pictures, original.times_ms, Format(**form))


def turned(turns: int, matrix: tuple[int, int, int, int], mirror: bool = False) -> Write:
    """Stored turned, with a display matrix that turns it back."""
    a, b, c, d = matrix
    numbers = [a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, 0, 0, 1 << 30]

    def write(original: Original, folder: Path) -> Path:
        pictures = [np.rot90(p, turns) for p in original.pictures]
        pictures = [np.ascontiguousarray(p[:, ::-1] if mirror else p) for p in pictures]
        return record(folder / "a.mp4", pictures, original.times_ms, Format(matrix=numbers, options=QUICK))

    return write


def variable_rate(original: Original, folder: Path) -> Path:
    """What a phone in dim light writes: one frame in four is missing, anywhere."""
    rng = np.random.default_rng(3)
    kept = [i for i in range(len(original.pictures)) if i == 0 or rng.random() < 0.75]
    return record(
        folder / "a.mp4",
        [original.pictures[i] for i in kept],
        [original.times_ms[i] for i in kept],
        Format(options=QUICK),
    )


def browser_recording(original: Original, folder: Path) -> Path:
    """MediaRecorder: WebM without a length, times in milliseconds that jitter, a rate that says 1000."""
    rng = np.random.default_rng(4)
    times_ms = [t + int(rng.integers(-8, 9)) if t else 0 for t in original.times_ms]
    form = Format("libvpx", options={"crf": "4", "b:v": "4M", "deadline": "realtime"}, muxer={"live": "1"})
    return record(folder / "a.webm", original.pictures, times_ms, form)


def retimed(original: Original, folder: Path) -> Path:
    """Times that start at 17 minutes, with every fifth frame written twice at the same time."""
    pictures, times_ms = [], []
    for index, picture in enumerate(original.pictures):
        for _ in range(2 if index % 5 == 0 else 1):
            pictures.append(picture)
            times_ms.append(1_000_000 + original.times_ms[index])
    return record(folder / "a.mkv", pictures, times_ms, Format("ffv1"))


def edit_list(original: Original, folder: Path) -> Path:
    """Ten frames of another scene before the clip, cut away by the edit list, as phones trim."""
    before = [np.full_like(original.pictures[0], 200)] * 10
    times_ms = [40 * (i - 10) for i in range(10)] + original.times_ms
    return record(folder / "a.mp4", before + original.pictures, times_ms, Format(options=QUICK))


def wrong_duration(original: Original, folder: Path) -> Path:
    """A recorder that gives a length 30 times too short everywhere it is written."""
    form = Format(options=QUICK, muxer={"use_editlist": "0"})
    path = record(folder / "a.mp4", original.pictures, original.times_ms, form)
    data = bytearray(path.read_bytes())
    for box, offset in ((b"mvhd", 20), (b"tkhd", 24), (b"mdhd", 20)):  # ISO/IEC 14496-12: fields of version 0
        at = data.index(box) + offset
        data[at : at + 4] = (int.from_bytes(data[at : at + 4], "big") // 30).to_bytes(4, "big")
    path.write_bytes(bytes(data))
    return path


def odd_size(original: Original, folder: Path) -> Path:
    """Neither side is even: 239 x 179."""
    pictures = [cv2.resize(p, (239, 179), interpolation=cv2.INTER_AREA) for p in original.pictures]
    return record(
        folder / "a.webm", pictures, original.times_ms, Format("libvpx-vp9", options={"crf": "10", "b:v": "0"})
    )


def large(original: Original, folder: Path) -> Path:
    """Larger than the reader lets through: halved and scaled. BT.709, which is what HD means when it says nothing."""
    pictures = [cv2.resize(p, (960, 720), interpolation=cv2.INTER_CUBIC) for p in original.pictures]
    form = Format(space=1, tagged=False, options=QUICK)
    return record(folder / "a.mp4", pictures, original.times_ms, form)


def hdr(trc: ColorTrc, name: str) -> Write:
    """HEVC of 10 bits in BT.2020, as phones write HDR."""

    def write(original: Original, folder: Path) -> Path:
        pictures = [grade_hdr(p, trc) for p in original.pictures]
        options = quiet(colorprim="bt2020", transfer=name, colormatrix="bt2020nc")
        form = Format("libx265", "yuv420p10le", space=9, trc=trc, primaries=ColorPrimaries.BT2020, options=options)
        return record(folder / "a.mov", pictures, original.times_ms, form)

    return write


def folder_of_frames(original: Original, folder: Path) -> tuple[Path, dict[str, Any]]:
    """PNG frames numbered without leading zeros."""
    for index, picture in enumerate(original.pictures):
        cv2.imwrite(str(folder / f"frame{index}.png"), picture[..., ::-1])
    return folder, {"fps": 25}


# Name: how it is written, and what it may differ by from the grid of the original: the mean over the grid and the
# 99.5th percentile in grey levels, and the time of a cell in milliseconds. Codecs, chroma at half size and palettes
# cost levels; frames that are missing or jitter move cells in time. Where nothing is encoded anew, nothing may differ.
VARIANTS: dict[str, tuple[Write, float, float, float]] = {
    "QuickTime": (as_is("a.mov"), 0, 0, 0),
    "Matroska": (as_is("a.mkv"), 0, 0, 1),
    "MPEG transport stream": (as_is("a.ts"), 0, 0, 1),
    "B-frames": (as_is("a.mp4", options={"crf": "12", "preset": "fast"}), 1, 6, 1),
    "fragmented MP4": (as_is("a.mp4", muxer={"movflags": "frag_keyframe+empty_moov"}), 0, 0, 0),
    "display matrix 90": (turned(1, (0, 1, -1, 0)), 1, 6, 1),
    "display matrix 180": (turned(2, (-1, 0, 0, -1)), 1, 6, 1),
    "display matrix 270": (turned(3, (0, -1, 1, 0)), 1, 6, 1),
    "display matrix mirror": (turned(0, (-1, 0, 0, 1), mirror=True), 1, 6, 1),
    "variable rate": (variable_rate, 1, 10, 81),
    "browser recording": (browser_recording, 1.5, 10, 49),
    "re-timed, duplicates": (retimed, 1, 6, 1),
    "edit list": (edit_list, 1, 6, 1),
    "wrong duration": (wrong_duration, 0, 0, 0),
    "MPEG-4": (as_is("a.avi", codec="mpeg4", options={"qscale": "2", "flags": "+qscale"}, in_frames=True), 1.2, 8, 0),
    "HEVC": (as_is("a.mp4", codec="libx265", options=quiet()), 1.2, 8, 1),
    "HEVC 10 bit": (as_is("a.mov", codec="libx265", pix_fmt="yuv420p10le", options=quiet()), 1.5, 8, 1),
    "VP8": (as_is("a.webm", codec="libvpx", options={"crf": "4", "b:v": "4M"}), 1.2, 8, 1),
    "VP9": (as_is("a.webm", codec="libvpx-vp9", options={"crf": "10", "b:v": "0", "cpu-used": "8"}), 1, 6, 1),
    "AV1": (as_is("a.mp4", codec="libsvtav1", options={"crf": "15", "preset": "10"}), 1.2, 8, 1),
    "BT.709": (as_is("a.mp4", space=1), 1, 6, 1),
    "BT.2020": (as_is("a.mp4", space=9), 1, 6, 1),
    "full range": (as_is("a.mp4", full=True), 1.2, 6, 1),
    "4:4:4": (as_is("a.mp4", pix_fmt="yuv444p"), 1.5, 8, 1),
    "4:2:2 10 bit (ProRes)": (as_is("a.mov", codec="prores", pix_fmt="yuv422p10le", options={}), 1, 6, 1),
    "odd size": (odd_size, 1.5, 10, 1),
    "960 x 720": (large, 1.5, 10, 1),
    "HLG": (hdr(ColorTrc.ARIB_STD_B67, "arib-std-b67"), 2, 12, 1),
    "PQ": (hdr(ColorTrc.SMPTE2084, "smpte2084"), 2, 16, 1),
    "GIF": (as_is("a.gif", codec="gif", pix_fmt="rgb8", options={}, in_frames=True), 2.5, 16, 1),
    "animated WebP": (as_is("a.webp", codec="libwebp_anim", pix_fmt="yuva420p", options={"quality": "90"}), 1.2, 8, 1),
    "animated PNG": (as_is("a.apng", codec="apng", pix_fmt="rgb24", options={}, in_frames=True), 1.5, 8, 1),
    "folder of frames": (folder_of_frames, 1.5, 8, 1),
}


def compare(grid: MotionGrid, original: MotionGrid) -> tuple[float, float]:
    """Mean and 99.5th percentile of the difference in grey levels."""
    levels = np.abs(grid.image.astype(int) - original.image)
    return float(levels.mean()), float(np.percentile(levels, 99.5))


@pytest.mark.parametrize("name", VARIANTS)
def test_same_grid(original: Original, tmp_path: Path, name: str) -> None:
    write, most_mean, most_rare, most_ms = VARIANTS[name]
    written = write(original, tmp_path)
    path, options = written if isinstance(written, tuple) else (written, {})
    grid = draw(path, **options)
    mean, rare = compare(grid, original.grid)
    late_ms = 1000 * np.abs(np.array(grid.times_s) - original.grid.times_s).max()
    print(
        f"\n{name:22} mean {mean:.2f} (of {most_mean}), 99.5 % {rare:.0f} ({most_rare}), {late_ms:.0f} ms ({most_ms})"
    )
    assert mean <= most_mean
    assert rare <= most_rare
    assert late_ms <= most_ms + 0.01


def test_tolerances_tell_signs_apart(original: Original, tmp_path: Path) -> None:
    """Another sign of the same signer differs by more than any tolerance allows."""
    show = synthetic.perform(["MAKAN"], rest_s=0.4, scene=SCENE)
    pictures = [image for _, image in show.frames()]
    form = Format(options=QUICK)
    mean, rare = compare(
        draw(record(tmp_path / "a.mp4", pictures, range(0, 40 * len(pictures), 40), form)), original.grid
    )
    print(f"\nanother sign: mean {mean:.2f}, 99.5 % {rare:.0f}")
    assert mean > max(most for _, most, _, _ in VARIANTS.values())
    assert rare > 2 * max(most for _, _, most, _ in VARIANTS.values())


def test_tolerances_tell_faults_apart(original: Original, tmp_path: Path) -> None:
    """What a reader without tone mapping would show of HLG: far outside the tolerance."""
    pictures = [(grade_hdr(p, ColorTrc.ARIB_STD_B67) >> 8).astype(np.uint8) for p in original.pictures]
    form = Format(options=QUICK)
    mean, rare = compare(draw(record(tmp_path / "a.mp4", pictures, original.times_ms, form)), original.grid)
    print(f"\nHLG without tone mapping: mean {mean:.2f}, 99.5 % {rare:.0f}")
    assert mean > 2 * VARIANTS["HLG"][1]
