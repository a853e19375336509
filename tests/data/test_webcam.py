"""Cameras, by a stand-in for the driver: a test machine has none."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from isyarat.data.commands import grid
from isyarat.data.errors import ClipError, IsyaratError
from isyarat.data.video import VideoReader
from isyarat.data.webcam import MAX_MISSES, parse_camera


class Driver:
    """Delivers blue pictures (OpenCV has blue first), with a miss here and there, and stops after `count`."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.settings: dict[int, float] = {}
        self.released = False

    def isOpened(self) -> bool:
        return self.left > 0

    def set(self, setting: int, value: float) -> bool:
        self.settings[setting] = value
        return True

    def read(self) -> tuple[bool, np.ndarray | None]:
        self.left -= 1
        if self.left < 0 or self.left % 3 == 1:
            return False, None
        time.sleep(0.002)
        image = np.zeros((48, 64, 3), np.uint8)
        image[:, :32, 0] = 250
        return True, image

    def release(self) -> None:
        self.released = True


@pytest.mark.parametrize(
    ("source", "number"), [("camera:0", 0), ("camera:12", 12), ("camera", None), ("camera:x", None), ("a.mp4", None)]
)
def test_parse_camera(source: str, number: int | None) -> None:
    assert parse_camera(source) == number


def test_frames_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(100)
    monkeypatch.setattr(cv2, "VideoCapture", lambda number: driver)
    reader = VideoReader("camera:0")
    frames = iter(reader)
    taken = list(itertools.islice(frames, 20))
    assert taken[0].time_s == 0.0
    assert all(0.001 < b.time_s - a.time_s < 1 for a, b in itertools.pairwise(taken))
    assert taken[0].image[10, 10].tolist() == [0, 0, 250]  # red first, and not mirrored
    assert taken[0].image[10, 50].tolist() == [0, 0, 0]
    assert driver.settings == {cv2.CAP_PROP_BUFFERSIZE: 1}
    frames.close()  # type: ignore[attr-defined]  # a generator
    assert driver.released


def test_camera_that_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(5)
    monkeypatch.setattr(cv2, "VideoCapture", lambda number: driver)
    with pytest.raises(ClipError, match="camera:0: the camera stopped delivering pictures; plug it in again"):
        list(VideoReader("camera:0"))
    assert driver.left == -MAX_MISSES
    assert driver.released


def test_no_such_camera(capfd: pytest.CaptureFixture[str]) -> None:
    """The real driver: there is no camera 97."""
    with pytest.raises(ClipError, match="camera:97: there is no such camera, or another program uses it"):
        list(VideoReader("camera:97"))
    assert capfd.readouterr().err == ""


def test_grid_of_a_camera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`isyarat grid camera:0 --seconds 0.1` watches that long; without --seconds it says that a camera never ends."""
    endless = CliRunner().invoke(grid, ["camera:0"])
    assert endless.exit_code == 2
    assert "say how long to watch it, e.g. --seconds 10" in endless.output
    driver = Driver(10_000)
    monkeypatch.setattr(cv2, "VideoCapture", lambda number: driver)
    started = time.monotonic()
    with pytest.raises(IsyaratError, match="no movement of a sign"):
        CliRunner().invoke(grid, ["camera:0", "--seconds", "0.1"], catch_exceptions=False)
    assert 0.1 <= time.monotonic() - started < 5
    assert driver.released
