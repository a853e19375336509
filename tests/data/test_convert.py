"""Colour, size and the cheap way to small pictures."""

from __future__ import annotations

import pickle
import threading
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.reformatter import ColorPrimaries, ColorTrc
from isyarat.data.convert import Converter, find_space, halve, halve_image
from isyarat.data.video import Frame, Image, VideoReader

from .conftest import Film, paint_quarters
from .recorder import TO_2020, Format, grade_hdr, quiet, record

COLOURS = paint_quarters(64, 48)


def shade(width: int, height: int) -> Image:
    """A smooth picture without repeats, which survives any way of scaling."""
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    return np.stack([40 + 170 * x, 40 + 170 * y, 220 - 90 * x - 90 * y], axis=-1).astype(np.uint8)


def make_frame(image: Image, pix_fmt: str) -> av.VideoFrame:
    return av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format=pix_fmt)


def middles(image: Image) -> list[list[int]]:
    return [image[y, x].tolist() for y in (12, 36) for x in (16, 48)]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("space", [6, 1, 9])
@pytest.mark.parametrize(
    ("codec", "pix_fmt"),
    [("libx264", "yuv420p"), ("libx264", "yuv422p"), ("ffv1", "yuv444p"), ("libx265", "yuv420p10le")],
)
def test_matrix_and_range(tmp_path: Path, codec: str, pix_fmt: str, space: int, full: bool) -> None:
    options = quiet() if codec == "libx265" else {"crf": "4"} if codec == "libx264" else {}
    form = Format(codec, pix_fmt, space=space, full=full, options=options)
    path = record(tmp_path / "a.mkv", [COLOURS] * 2, [0, 40], form)
    for image in (
        next(iter(VideoReader(path))).image,
        next(iter(VideoReader(path, max_side=32))).image.repeat(2, 0).repeat(2, 1),
    ):
        assert np.abs(np.array(middles(image)) - middles(COLOURS)).max() <= 5


@pytest.mark.parametrize(("height", "space"), [(480, 6), (720, 1)])
def test_matrix_that_is_not_named_goes_by_the_height(tmp_path: Path, height: int, space: int) -> None:
    picture = paint_quarters(640, height)
    form = Format(space=space, tagged=False, options={"crf": "4", "preset": "ultrafast"})
    path = record(tmp_path / "a.mp4", [picture], [0], form)
    for max_side in (640, 160):  # the guess is that of the file, not of a smaller picture made from it
        image = next(iter(VideoReader(path, max_side=max_side))).image
        assert np.abs(image[10, 10].astype(int) - picture[10, 10]).max() <= 5


@pytest.mark.parametrize("primaries", [ColorPrimaries.BT2020, ColorPrimaries.SMPTE432])
def test_wide_gamut_has_the_colours_of_sdr(tmp_path: Path, primaries: ColorPrimaries) -> None:
    """The same colour in BT.2020 or Display P3 (SMPTE EG 432-1), which phones record in."""
    picture = np.full((48, 64, 3), (170, 100, 70), np.uint8)
    to_p3 = np.array([[0.8225, 0.1774, 0.0], [0.0332, 0.9669, 0.0], [0.0171, 0.0724, 0.9108]])
    matrix = TO_2020 if primaries is ColorPrimaries.BT2020 else to_p3
    signal = ((picture / 255) ** 2.4 @ matrix.T) ** (1 / 2.4)
    wide = np.round(65535 * signal).astype(np.uint16)
    form = Format("ffv1", "yuv444p", space=9, trc=ColorTrc.BT709, primaries=primaries)
    image = next(iter(VideoReader(record(tmp_path / "a.mkv", [wide], [0], form)))).image
    assert np.abs(image.astype(int) - picture[0, 0]).max() <= 3
    assert np.abs((wide[0, 0] >> 8).astype(int) - picture[0, 0]).max() > 5  # what it would be without


def test_find_space_of_unknown_numbers() -> None:
    frame = av.VideoFrame(64, 48, "yuv420p")
    for number in (0, 2, 3, 8, 14, 99):
        frame.colorspace = number
        assert find_space(frame) == 6


@pytest.mark.parametrize("trc", [ColorTrc.SMPTE2084, ColorTrc.ARIB_STD_B67])
@pytest.mark.parametrize("max_side", [640, 32])
def test_hdr_has_the_colours_of_sdr(tmp_path: Path, trc: ColorTrc, max_side: int) -> None:
    picture = np.full((48, 64, 3), (170, 120, 100), np.uint8)
    name = {ColorTrc.SMPTE2084: "smpte2084", ColorTrc.ARIB_STD_B67: "arib-std-b67"}[trc]
    options = quiet(colorprim="bt2020", transfer=name, colormatrix="bt2020nc")
    form = Format("libx265", "yuv420p10le", space=9, trc=trc, primaries=ColorPrimaries.BT2020, options=options)
    path = record(tmp_path / "a.mp4", [grade_hdr(picture, trc)], [0], form)
    frame = next(iter(VideoReader(path, max_side=max_side)))
    for image in (frame.image, frame.reduce(16)):
        assert np.abs(image.astype(int) - picture[0, 0]).max() <= 4


@pytest.mark.parametrize(
    "pix_fmt",
    [
        "yuv420p",
        "yuvj420p",
        "yuv422p",
        "yuv444p",
        "yuv420p10le",
        "yuv422p10le",
        "rgb24",
        "gray",
        "nv12",
        "bgra",
        "gbrp",
    ],
)
def test_reduce_halves_down_to_the_least_side(pix_fmt: str) -> None:
    frame = make_frame(shade(320, 192), pix_fmt)
    converter = Converter(None, 640)
    wanted = converter.convert(make_frame(shade(320, 192), "gray" if pix_fmt == "gray" else "rgb24"))
    for least, size in (
        (193, (192, 320)),
        (192, (192, 320)),
        (96, (96, 160)),
        (50, (96, 160)),
        (24, (24, 40)),
        (1, (3, 5)),
    ):
        image = converter.reduce(frame, least)
        assert image.shape == (*size, 3)
        factor = 192 // size[0]
        mean = wanted.reshape(size[0], factor, size[1], factor, 3).mean((1, 3))
        assert np.abs(image - mean).max() <= 9  # a 4:2:0 picture shares its colour between 2x2 pixels
        assert np.abs(image - mean).mean() <= 3


@pytest.mark.parametrize("size", [(99, 75), (98, 74), (100, 75), (2, 2), (1, 1)])
def test_odd_sizes_are_not_halved_past_their_oddness(size: tuple[int, int]) -> None:
    image = Converter(None, 640).reduce(make_frame(shade(*size), "yuv420p"), 8)
    assert image.shape[1] in (size[0], size[0] // 2)


@pytest.mark.parametrize("max_side", [640, 300, 100])
def test_halving_on_the_way_does_not_change_the_picture(max_side: int) -> None:
    picture = make_frame(shade(1280, 720), "yuv420p")
    converter = Converter(None, max_side)
    image = converter.convert(picture)
    assert max(image.shape) == max_side
    plain = picture.reformat(image.shape[1], image.shape[0], format="rgb24", src_colorspace=1, interpolation="AREA")
    difference = np.abs(image.astype(int) - plain.to_ndarray())
    assert difference.max() <= 6
    assert difference.mean() <= 1.5
    small = converter.shrink(picture)
    assert small.width < 2 * max_side
    assert np.array_equal(converter.convert(small), image)
    assert np.array_equal(converter.reduce(small, 40), converter.reduce(picture, 40))


def test_pixel_aspect_is_applied_to_reduced_pictures() -> None:
    image = Converter(Fraction(2), 640).reduce(make_frame(shade(160, 160), "yuv420p"), 40)
    assert image.shape == (40, 80, 3)


def test_halve_keeps_what_the_stream_says() -> None:
    frame = make_frame(shade(64, 48), "yuv420p10le")
    frame.colorspace, frame.color_range, frame.color_trc, frame.color_primaries = 9, 1, 18, 9
    small = halve(frame, 8, 8)
    assert (small.width, small.height) == (16, 12)
    assert (small.colorspace, small.color_range, small.color_trc, small.color_primaries) == (9, 1, 18, 9)


def test_halve_image() -> None:
    image = shade(64, 48)
    assert halve_image(image, 49) is image
    assert halve_image(image, 12).shape == (12, 16, 3)
    assert halve_image(shade(63, 48), 12).shape == (48, 63, 3)


def test_frame_of_an_image() -> None:
    image = shade(64, 48)
    frame = Frame(0.5, image)
    frame.shed()
    assert frame.image is image
    assert frame.reduce(12).shape == (12, 16, 3)


def test_frames_are_converted_when_they_are_asked_for(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    converted = []
    convert = Converter.convert
    monkeypatch.setattr(Converter, "convert", lambda self, frame: converted.append(frame) or convert(self, frame))
    frames = list(VideoReader(film("a.mp4")))
    assert len(converted) == 1  # the first one proves that it can be done
    assert frames[5].image is frames[5].image
    assert len(converted) == 2


def test_frame_travels_between_processes(film: Film) -> None:
    frame = list(VideoReader(film("a.mp4")))[3]
    copy = pickle.loads(pickle.dumps(frame))
    assert copy.time_s == frame.time_s
    assert np.array_equal(copy.image, frame.image)


def test_threads_may_convert_at_once(film: Film) -> None:
    path = film("a.mp4", size=(640, 480), options={"preset": "ultrafast"})
    wanted = [frame.reduce(60) for frame in VideoReader(path)]
    frames = list(VideoReader(path))
    got: dict[int, Image] = {}

    def work(first: int) -> None:
        for index in range(first, len(frames), 4):
            got[index] = [frames[index].reduce(60) for _ in range(20)][-1]

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(got[index], image) for index, image in enumerate(wanted))
