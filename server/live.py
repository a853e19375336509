"""Live signing in a worker process: frames of several streams in, signs out while they are still being signed.

A stream is the same as a clip whose frames have not all arrived: each has a thread in which `translate_frames` pulls
from a slot that holds one frame. A newer frame takes the place of one that has not been looked at yet, so the delay
cannot grow; what is dropped is counted.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..data.segment import Segment, Segmenter, State
from ..data.video import Frame, Image
from .channel import ChannelClosedError, Message, receive_message, send_message
from .frames import decode_picture, shrink_picture
from .limits import DecodeLimits
from .problem import ProblemError
from .translation import SignResult, Translation
from .translator import Translator
from .worker import translate_grid

# Seconds of a stream after which the client is told again what stage it is in, so that it knows it is being seen.
BEAT_S = 1.0

# Faults of the program after which a stream is ended.
MOST_FAULTS = 10

Emit = Callable[[dict[str, Any]], None]


class FrameSlot:
    """A queue of one picture: the newest wins. Iterating it waits for pictures and decodes them.

    Attributes:
        dropped: pictures that were overtaken.
        origin_s: the client's time of the first picture, which counts as zero here as it does in a clip.

    Arguments:
        emit: told of pictures that cannot be read.
        before_next: called with the time of a frame once it has been worked on.
    """

    def __init__(self, emit: Emit, before_next: Callable[[float], None]) -> None:
        self.dropped = 0
        self.origin_s: float | None = None
        self._emit, self._before_next = emit, before_next
        self._waiting: tuple[float, bytes] | None = None
        self._is_closed = False
        self._change = threading.Condition()

    def put(self, time_s: float, picture: bytes) -> None:
        """Puts a picture in, in place of the one that waits."""
        with self._change:
            self.dropped += self._waiting is not None
            self._waiting = (time_s, picture)
            self._change.notify()

    def close(self) -> None:
        """No picture will come any more; one that waits is still looked at."""
        with self._change:
            self._is_closed = True
            self._change.notify()

    def __iter__(self) -> Iterator[Frame]:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting is not None or self._is_closed)
                if self._waiting is None:
                    return
                (time_s, picture), self._waiting = self._waiting, None
            image = decode_picture(picture)
            if image is None:
                self._emit(describe_problem(ProblemError("picture-unreadable", "A frame is no picture; send JPEG.")))
                continue
            if self.origin_s is None:
                self.origin_s = time_s
            yield Frame(time_s - self.origin_s, shrink_picture(image))
            self._before_next(time_s)


class WatchedSegmenter(Segmenter):
    """A segmenter that tells of every sign that has ended."""

    def __init__(self, on_segment: Callable[[Segment], None]) -> None:
        super().__init__()
        self._on_segment = on_segment

    def push(self, image: Image, time_s: float) -> list[Segment]:
        """As the parent."""
        return self._tell(super().push(image, time_s))

    def flush(self) -> list[Segment]:
        """As the parent."""
        return self._tell(super().flush())

    def _tell(self, segments: list[Segment]) -> list[Segment]:
        for segment in segments:
            self._on_segment(segment)
        return segments


class LiveStream:
    """One stream.

    Arguments:
        name: what the server calls it.
        translator: the bundle's.
        emit: takes the events: stage, segment, gloss, error, end.
    """

    def __init__(self, name: str, translator: Translator, variety: str | None, emit: Emit) -> None:
        self.name, self.translator, self.variety, self.emit = name, translator, variety, emit
        self.slot = FrameSlot(emit, self._look)
        self.segmenter = WatchedSegmenter(self._tell_segment)
        self._told: tuple[State | None, float] = (None, 0.0)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        translation = Translation(self.name, "", [], self.translator.recogniser.bundle.manifest.name, "")
        for _ in range(MOST_FAULTS):
            try:
                translation = self.translator.translate_frames(
                    self.slot, self.name, variety=self.variety, segmenter=self.segmenter, on_sign=self._tell_gloss
                )
                break
            except Exception:  # whatever it is, the other streams of this process and their clients go on
                self.segmenter = WatchedSegmenter(self._tell_segment)
                self.emit(describe_problem(ProblemError("stream-restarted", "The decoder has met a fault.")))
        translation.signs = [self._in_client_time(sign) for sign in translation.signs]
        self.emit({"event": "end", "translation": translation.to_dict()})

    def _look(self, time_s: float) -> None:
        """After a frame: tells the stage when it has changed, and now and then."""
        state, told_s = self._told
        if self.segmenter.state is not state or time_s - told_s >= BEAT_S:
            self._told = (self.segmenter.state, time_s)
            stage = self.segmenter.state.value
            self.emit({"event": "stage", "stage": stage, "time_s": round(time_s, 3), "dropped": self.slot.dropped})

    def _tell_segment(self, segment: Segment) -> None:
        origin_s = self.slot.origin_s or 0.0
        times = {"start_s": round(segment.start_s + origin_s, 3), "end_s": round(segment.end_s + origin_s, 3)}
        self.emit({"event": "segment", **times})

    def _tell_gloss(self, sign: SignResult) -> None:
        self.emit({"event": "gloss", **self._in_client_time(sign).to_dict()})

    def _in_client_time(self, sign: SignResult) -> SignResult:
        origin_s = self.slot.origin_s or 0.0
        return replace(sign, start_s=sign.start_s + origin_s, end_s=sign.end_s + origin_s)


class LiveWorker:
    """Serves streams with loaded bundles.

    Arguments:
        translators: by name of the bundle.
        limits: of one picture.
    """

    def __init__(self, translators: dict[str, Translator], limits: DecodeLimits) -> None:
        self.translators, self.limits = translators, limits
        self.streams: dict[str, LiveStream] = {}
        self._sending = threading.Lock()

    def serve(self, connection: socket.socket) -> None:
        """Takes messages until the server closes the socket."""

        def emit_from(name: str) -> Emit:
            def emit(event: dict[str, Any]) -> None:
                with self._sending:
                    try:
                        send_message(connection, Message({"stream": name, **event}))
                    except ChannelClosedError:
                        os._exit(0)

            return emit

        while True:
            try:
                message = receive_message(connection)
            except ChannelClosedError:
                return
            name = message.fields["stream"]
            self.take(message, name, emit_from(name))

    def take(self, message: Message, name: str, emit: Emit) -> None:
        """Does what one message says."""
        fields = message.fields
        match fields["kind"]:
            case "open":
                translator = self.translators[fields["bundle"]]
                self.streams[name] = LiveStream(name, translator, fields.get("variety"), emit)
            case "frame" if name in self.streams:
                self.streams[name].slot.put(fields["time_s"], message.blobs[0])
            case "grid" if name in self.streams:
                stream = self.streams[name]
                try:
                    translation = translate_grid(stream.translator, message.blobs[0], {"id": name, **fields})
                except ProblemError as problem:
                    emit(describe_problem(problem))
                    return
                for sign in translation.signs:
                    emit({"event": "gloss", **sign.to_dict()})
            case "close" if name in self.streams:
                self.streams.pop(name).slot.close()


def describe_problem(problem: ProblemError) -> dict[str, Any]:
    """A problem as an event."""
    return {"event": "error", "problem": problem.to_dict()}
