"""Live signing inside the worker: one frame waits, the newest; times are the client's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.server.live import FrameSlot, LiveStream
from isyarat.server.translator import Translator

JPEG = cv2.imencode(".jpg", np.full((30, 40, 3), 90, np.uint8))[1].tobytes()


def test_the_newest_picture_wins_and_the_last_is_not_lost() -> None:
    slot = FrameSlot(lambda _: None, lambda _: None)
    for number in range(5):
        slot.put(10.0 + number, JPEG)
    slot.close()
    frames = list(slot)
    assert [frame.time_s for frame in frames] == [0.0]
    assert (slot.origin_s, slot.dropped) == (14.0, 4)
    assert frames[0].image.shape == (30, 40, 3)


def test_a_picture_that_cannot_be_read_is_told_and_passed_over() -> None:
    events: list[dict[str, Any]] = []
    slot = FrameSlot(events.append, lambda _: None)
    slot.put(0.0, b"rubbish")
    reader = threading.Thread(target=lambda: seen.extend(slot))
    seen: list[Any] = []
    reader.start()
    deadline = time.monotonic() + 5
    while not events and time.monotonic() < deadline:
        time.sleep(0.01)
    slot.put(1.0, JPEG)
    slot.close()
    reader.join(5)
    assert [event["problem"]["type"] for event in events] == ["urn:isyarat:problem:picture-unreadable"]
    assert len(seen) == 1


@pytest.mark.parametrize("origin_s", [0.0, 5000.0])
def test_signs_are_told_in_the_clients_time(
    script: Callable[..., Translator], small: synthetic.Scene, origin_s: float
) -> None:
    show = synthetic.perform(["SAYA"], scene=small)
    events: list[dict[str, Any]] = []
    stream = LiveStream("x", script("SAYA"), None, events.append)
    for time_s, image in show.frames():
        stream.slot.put(origin_s + time_s, cv2.imencode(".jpg", image[..., ::-1])[1].tobytes())
        deadline = time.monotonic() + 5
        while stream.slot._waiting is not None and time.monotonic() < deadline:
            time.sleep(0.0005)
    stream.slot.close()
    stream._thread.join(10)
    (gloss,) = [event for event in events if event["event"] == "gloss"]
    assert gloss["start_s"] - origin_s == pytest.approx(show.truth[0].start_s, abs=0.2)
    assert gloss["end_s"] - origin_s == pytest.approx(show.truth[0].end_s, abs=0.2)
    kinds = [event["event"] for event in events]
    assert kinds.index("segment") == kinds.index("gloss") - 1
    assert kinds[-1] == "end"
    assert events[-1]["translation"]["glosses"][0]["start_s"] == gloss["start_s"]


def test_a_fault_of_the_program_ends_neither_the_stream_nor_the_process(
    script: Callable[..., Translator], monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = script()
    calls = []

    def fail_once(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise ZeroDivisionError
        return Translator.translate_frames(translator, *arguments, **options)

    monkeypatch.setattr(translator, "translate_frames", fail_once)
    events: list[dict[str, Any]] = []
    stream = LiveStream("x", translator, None, events.append)
    stream.slot.close()
    stream._thread.join(10)
    assert [event["event"] for event in events] == ["error", "end"]
    assert events[0]["problem"]["type"] == "urn:isyarat:problem:stream-restarted"


def test_a_stream_that_only_fails_is_ended(script: Callable[..., Translator], monkeypatch: pytest.MonkeyPatch) -> None:
    translator = script()
    monkeypatch.setattr(translator, "translate_frames", lambda *_, **__: 1 / 0)
    events: list[dict[str, Any]] = []
    LiveStream("x", translator, None, events.append)._thread.join(10)
    assert [event["event"] for event in events] == ["error"] * 10 + ["end"]
    assert events[-1]["translation"]["glosses"] == []
