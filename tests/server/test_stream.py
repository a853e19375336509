"""Live streams over a WebSocket, in real time: the same glosses as the file, and nothing lost with a connection."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest
from isyarat.data import synthetic
from isyarat.server.application import swap_bundles
from isyarat.server.client import Client, ServerProblemError, Stream
from isyarat.server.keys import create_key
from live_server import LiveServer
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

Start = Callable[..., LiveServer]
Frames = list[tuple[float, bytes]]


@pytest.fixture(scope="module")
def frames(small: synthetic.Scene) -> Frames:
    """SAYA, a rest, MAKAN: JPEG pictures with their times."""
    show = synthetic.perform(["SAYA", "MAKAN"], scene=small)
    return [(t, cv2.imencode(".jpg", image[..., ::-1])[1].tobytes()) for t, image in show.frames()]


def play(stream: Stream, frames: Frames, *, offset_s: float = 0.0, end: bool = True) -> None:
    """Sends the frames when they are due."""
    started = time.monotonic() - frames[0][0]
    for time_s, jpeg in frames:
        time.sleep(max(0.0, started + time_s - time.monotonic()))
        stream.send_frame(offset_s + time_s, jpeg)
    if end:
        stream.end()


def listen(stream: Stream, until: str) -> list[dict[str, Any]]:
    """Events up to the first of a kind, with the moment they came in `at`."""
    events = []
    for event in stream:
        events.append({**event, "at": time.monotonic()})
        if event["event"] == until:
            break
    return events


def of_kind(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == kind]


def test_signs_come_while_they_are_signed(server: LiveServer, frames: Frames) -> None:
    with server.client.stream() as stream:
        started = time.monotonic()
        sender = threading.Thread(target=play, args=(stream, frames), kwargs={"offset_s": 1000.0})
        sender.start()
        events = listen(stream, "end")
        sender.join()
    glosses = of_kind(events, "gloss")
    assert [g["gloss"] for g in glosses] == ["SAYA", "MAKAN"]
    # Times are on the client's clock, and no gloss waits long for the end of its sign.
    for gloss in glosses:
        assert 0 < gloss["at"] - (started + gloss["end_s"] - 1000.0) < 1.5
    assert [s["text"] for s in of_kind(events, "sentence")][-1] == "Saya makan."
    assert of_kind(events, "sentence")[-1]["final"]
    assert [(s["start_s"], s["end_s"]) for s in of_kind(events, "segment")] == [
        (g["start_s"], g["end_s"]) for g in glosses
    ]
    assert {"idle", "signing"} <= {s["stage"] for s in of_kind(events, "stage")}
    assert events[-1]["translation"]["sentence"] == "Saya makan."
    numbered = [event["seq"] for event in events if "seq" in event]
    assert numbered == list(range(1, len(numbered) + 1))


def test_a_dropped_connection_loses_nothing(server: LiveServer, frames: Frames) -> None:
    middle = next(i for i, (t, _) in enumerate(frames) if t > 3.0)  # between the signs
    with server.client.stream() as stream:
        sender = threading.Thread(target=play, args=(stream, frames[:middle]), kwargs={"end": False})
        sender.start()
        before = listen(stream, "gloss")
        sender.join()
        session = stream.session
        # Cut, not closed.
        stream._connection.socket.shutdown(socket.SHUT_RDWR)
    seen = before[-1]["seq"]
    with server.client.stream(session=session, after=seen) as again:
        assert again.session == session
        sender = threading.Thread(target=play, args=(again, frames[middle:]))
        sender.start()
        after = listen(again, "end")
        sender.join()
    assert [g["gloss"] for g in of_kind(before + after, "gloss")] == ["SAYA", "MAKAN"]
    assert of_kind(after, "sentence")[-1]["glosses"] == ["SAYA", "MAKAN"]
    # The whole transcript can be had again, also after the end.
    with server.client.stream(session=session) as replay:
        events = listen(replay, "end")
    assert [g["gloss"] for g in of_kind(events, "gloss")] == ["SAYA", "MAKAN"]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))


def test_a_killed_worker_loses_only_the_sign_at_hand(start_server: Start, frames: Frames) -> None:
    server = start_server(max_streams=2)
    middle = next(i for i, (t, _) in enumerate(frames) if t > 2.9)
    with server.client.stream() as stream:
        sender = threading.Thread(target=play, args=(stream, frames[:middle]), kwargs={"end": False})
        sender.start()
        events = listen(stream, "gloss")
        sender.join()
        assert server.services.streams.process is not None
        os.kill(server.services.streams.process.worker.process.pid, signal.SIGKILL)
        events += listen(stream, "error")
        assert events[-1]["problem"]["type"] == "urn:isyarat:problem:stream-restarted"
        sender = threading.Thread(target=play, args=(stream, frames[middle:]))
        sender.start()
        events += listen(stream, "end")
        sender.join()
    assert [g["gloss"] for g in of_kind(events, "gloss")] == ["SAYA", "MAKAN"]
    assert of_kind(events, "sentence")[-1]["glosses"] == ["SAYA", "MAKAN"], "the transcript is the server's"


def test_bundles_are_swapped_while_somebody_signs(start_server: Start, frames: Frames) -> None:
    server = start_server(max_streams=2)
    old = server.services.streams.process
    with server.client.stream() as stream:
        sender = threading.Thread(target=play, args=(stream, frames))
        sender.start()
        events = listen(stream, "gloss")
        server.call(swap_bundles(server.application))
        assert server.services.streams.process is not old
        events += listen(stream, "end")
        sender.join()
    assert [g["gloss"] for g in of_kind(events, "gloss")] == ["SAYA", "MAKAN"]
    assert of_kind(events, "error") == []


def test_the_newest_frame_wins(server: LiveServer, frames: Frames) -> None:
    """A thousand frames at once: memory and delay do not grow, the last one is looked at."""
    with server.client.stream() as stream:
        for number in range(1000):
            stream.send_frame(number * 0.04, frames[number % len(frames)][1])
        stream.end()
        events = listen(stream, "end")
    dropped = of_kind(events, "stage")[-1]["dropped"] if of_kind(events, "stage") else 0
    text = server.client._request("GET", "/metrics")[2].decode()
    counted = next(float(x.split()[1]) for x in text.splitlines() if x.startswith("isyarat_frames_dropped_total"))
    assert max(dropped, counted) > 100


def test_a_grid_that_the_client_has_drawn(server: LiveServer, grid_png: bytes) -> None:
    with server.client.stream() as stream:
        stream.send_grid(1.0, 2.0, grid_png)
        events = listen(stream, "sentence")
        assert (events[0]["gloss"], events[0]["start_s"]) == (server.client.name_sign(grid_png).gloss, 1.0)
        stream.send_grid(3.0, 4.0, grid_png[:100])
        assert listen(stream, "error")[-1]["problem"]["type"].endswith("picture-unreadable")
        stream.send_grid(9.0, 10.0, grid_png)
        events = listen(stream, "gloss")
        assert of_kind(events, "sentence")[-1]["final"], "a pause ends a sentence"


@pytest.mark.parametrize(
    "message",
    [
        "", "[]", "hello", '{"type": "dance"}', "{" * 100_000, b"", b"\n", b"x" * 600, b"{}\nabc",
        b'{"type": "frame", "time_s": NaN}\n\xff\xd8\xff', b'{"type": "frame", "time_s": -1}\n\xff\xd8\xff',
        b'{"type": "frame", "time_s": 0}\n\xff\xd8\xff', b'{"type": "frame", "time_s": 0, "path": "/etc"}\n',
        b'{"type": "grid", "start_s": 0, "end_s": 1}\n\x89PNG', b"\xff\xd8\xff" * 100,
    ],
)  # fmt: skip
def test_malformed_messages_are_answered_and_forgotten(
    server: LiveServer, frames: Frames, message: str | bytes
) -> None:
    with server.client.stream() as stream:
        stream._connection.send(message)
        problem = listen(stream, "error")[-1]["problem"]
        assert problem["status"] in {422}
        assert problem["way_out"]
        stream.send_frame(0.5, frames[0][1])
        assert listen(stream, "stage")[-1]["stage"] == "idle"
        stream.end()
        listen(stream, "end")


def test_who_sends_nothing_but_rubbish_is_sent_away(server: LiveServer) -> None:
    with server.client.stream() as stream:
        with pytest.raises(ConnectionClosed):
            for _ in range(40):
                stream._connection.send("rubbish")
                time.sleep(0.01)
            while True:
                stream._connection.recv(5)
        assert stream._connection.close_code == 1008


def test_a_frame_larger_than_any_picture(server: LiveServer, frames: Frames) -> None:
    with server.client.stream() as stream, pytest.raises(ConnectionClosed):
        stream.send_frame(0.0, bytes(5_000_000))
        while True:
            stream._connection.recv(5)
    with server.client.stream() as stream:
        stream.send_frame(0.0, frames[0][1])
        assert listen(stream, "stage")


def test_frames_that_go_back_in_time_are_refused(server: LiveServer, frames: Frames) -> None:
    with server.client.stream() as stream:
        stream.send_frame(1.0, frames[0][1])
        stream.send_frame(1.0, frames[0][1])
        assert "does not lie after" in listen(stream, "error")[-1]["problem"]["detail"]


def test_bytes_that_are_no_websocket(server: LiveServer, clip_bytes: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(
            b"GET /v1/stream HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert b" 101 " in connection.recv(4000)
        connection.sendall(os.urandom(5000))
        while connection.recv(4000):
            pass
    assert server.client.translate(clip_bytes).sentence == "Saya makan."


def test_too_many_streams(start_server: Start) -> None:
    server = start_server(max_streams=1, resume_s=30.0)
    with server.client.stream() as first:
        with pytest.raises(ServerProblemError, match="open already"), server.client.stream():
            pass
        session = first.session
    # One whose client has gone makes room for a new one.
    time.sleep(0.3)
    with server.client.stream() as second:
        assert second.session != session


def test_streams_that_nobody_comes_back_to_are_forgotten(start_server: Start) -> None:
    server = start_server(max_streams=2, resume_s=0.2)
    with server.client.stream() as stream:
        session = stream.session
    deadline = time.monotonic() + 10
    while server.services.streams.sessions:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with pytest.raises(ServerProblemError, match="over"), server.client.stream(session=session):
        pass


def test_an_idle_stream_is_ended(start_server: Start) -> None:
    server = start_server(max_streams=1, stream_idle_s=0.3)
    with server.client.stream() as stream:
        assert listen(stream, "end")[-1]["translation"]["glosses"] == []


def test_other_pages_and_other_clients_get_no_stream(start_server: Start, tmp_path: Path) -> None:
    keys = [create_key(tmp_path / "keys", name) for name in ("school", "clinic")]
    server = start_server(max_streams=2, keys_file=tmp_path / "keys")
    address = f"ws://127.0.0.1:{server.port}/v1/stream"
    with pytest.raises(InvalidStatus) as caught:
        connect(address)
    assert caught.value.response.status_code == 401
    headers = {"Authorization": f"Bearer {keys[0]}"}
    with pytest.raises(InvalidStatus) as caught:
        connect(address, additional_headers=headers, origin="https://evil.example")
    assert caught.value.response.status_code == 403
    # A browser states its key as a subprotocol, which does not come back.
    with connect(address, subprotocols=["isyarat", f"isyarat.key.{keys[0]}"]) as connection:
        assert connection.subprotocol == "isyarat"
        session = json.loads(connection.recv())["session"]
        other = Client(server.url, key=keys[1])
        with pytest.raises(ServerProblemError, match="never open"), other.stream(session=session):
            pass
        with Client(server.url, key=keys[0]).stream(session=session) as stream:
            assert stream.session == session
