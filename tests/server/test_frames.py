"""Frames of a request stop at its limits, and come out the same by file and by pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.errors import ClipError
from isyarat.data.video import MAX_SIDE, Frame, Image, VideoReader
from isyarat.server.frames import JobCancelledError, LimitedFrames, explain_clip, open_clip, read_pictures
from isyarat.server.limits import DecodeLimits
from isyarat.server.problem import ProblemError

WriteFrames = Callable[[Path, Iterable[Image]], Path]
IMAGE = np.zeros((4, 4, 3), np.uint8)


def make_frames(count: int, rate: float = 10.0) -> list[Frame]:
    return [Frame(i / rate, IMAGE) for i in range(count)]


def limit(frames: Iterable[Frame], **limits: float) -> LimitedFrames:
    return LimitedFrames(frames, DecodeLimits(**limits), lambda: False)  # type: ignore[arg-type]


def test_within_the_limits_all_pass() -> None:
    assert len(list(limit(make_frames(50), max_duration_s=5.0, max_frames=50))) == 50


@pytest.mark.parametrize("limits", [{"max_duration_s": 1.0}, {"max_frames": 10}])
def test_too_long(limits: dict[str, float]) -> None:
    with pytest.raises(ProblemError) as caught:
        list(limit(make_frames(50), **limits))
    assert caught.value.code == "clip-too-long"


def test_too_costly() -> None:
    def burn() -> Iterable[Frame]:
        for frame in make_frames(10_000, 1000.0):
            sum(range(20_000))
            yield frame

    with pytest.raises(ProblemError) as caught:
        list(limit(burn(), cpu_s=0.02))
    assert caught.value.code == "clip-too-costly"


def test_nobody_waits() -> None:
    seen = []
    frames = LimitedFrames(make_frames(50), DecodeLimits(), lambda: len(seen) >= 3)
    with pytest.raises(JobCancelledError):
        for frame in frames:
            seen.append(frame)
    assert len(seen) == 3


def test_headers_are_believed_when_they_claim_much(two_signs: tuple[Path, synthetic.Performance]) -> None:
    with pytest.raises(ProblemError) as caught:
        open_clip(two_signs[0], DecodeLimits(max_pixels=1000))
    assert caught.value.code == "clip-too-fine"
    with pytest.raises(ProblemError) as caught:
        open_clip(two_signs[0], DecodeLimits(max_duration_s=1.0))
    assert caught.value.code == "clip-too-long"
    assert len(list(open_clip(two_signs[0], DecodeLimits()))) > 50


def test_a_gif_that_claims_four_gigapixels(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gif"
    path.write_bytes(b"GIF89a\xff\xff\xff\xff\x80\0\0" + bytes(6) + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;")
    with pytest.raises((ProblemError, ClipError)):
        list(open_clip(path, DecodeLimits()))


def test_pictures_give_the_frames_of_the_clip(two_signs: tuple[Path, synthetic.Performance]) -> None:
    frames = list(VideoReader(two_signs[0]))[:20]
    pictures = [cv2.imencode(".png", frame.image[..., ::-1])[1].tobytes() for frame in frames]
    again = list(read_pictures(pictures, [7 + frame.time_s for frame in frames]))
    assert [frame.time_s for frame in again] == pytest.approx([frame.time_s for frame in frames])
    for one, other in zip(frames, again, strict=True):
        assert np.array_equal(one.image, other.image)


def test_large_pictures_are_shrunk_as_clips_are() -> None:
    data = cv2.imencode(".jpg", np.zeros((960, 1280, 3), np.uint8))[1].tobytes()
    (frame,) = read_pictures([data], [0.0])
    assert frame.image.shape == (MAX_SIDE * 3 // 4, MAX_SIDE, 3)


def test_a_damaged_picture_is_named() -> None:
    good = cv2.imencode(".jpg", IMAGE)[1].tobytes()
    with pytest.raises(ProblemError, match="Frame 2"):
        list(read_pictures([good, b"\xff\xd8\xff rubbish"], [0.0, 0.1]))


def test_the_servers_name_for_the_file_stays_in_the_server() -> None:
    problem = explain_clip(ClipError("/dev/fd/9", "the file is cut off", "record it again"))
    assert problem.detail == "The file is cut off; record it again."
