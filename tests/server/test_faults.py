"""What goes wrong around a server: it answers the next good request, and keeps nothing of the bad one."""

from __future__ import annotations

import errno
import os
import random
import signal
import socket
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from isyarat.data import synthetic
from isyarat.server.client import ServerProblemError, encode_form
from isyarat.server.serving import raise_file_limit
from live_server import LiveServer

Start = Callable[..., LiveServer]


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of temporary files, in which nothing may ever be seen."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def short_clip(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """One second of nobody signing: quick to decode, so that many variants of it can be tried."""
    scene = synthetic.Scene(width=96, height=72, fps=15)
    show = synthetic.idle(1.0, behaviour="sway", scene=scene)
    return synthetic.write_clip(tmp_path_factory.mktemp("short") / "clip.mp4", show).read_bytes()


def build_request(clip: bytes) -> tuple[bytes, bytes]:
    """Head and body of a translation request, to be sent by hand."""
    body = b"".join(part for part in encode_form([("video", clip)], "b") if isinstance(part, bytes))
    head = (
        "POST /v1/translations HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode(), body


def assert_well(server: LiveServer, clip: bytes) -> None:
    """The next good request is answered, and nothing of others is under way."""
    assert server.client.translate(clip).sentence == "Saya makan."
    deadline = time.monotonic() + 10
    while server.services.engine.waiting:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_workers_killed_under_load(start_server: Start, clip_bytes: bytes) -> None:
    server = start_server(workers=2)
    with ThreadPoolExecutor(6) as clients:
        answers = [clients.submit(server.client.translate, clip_bytes) for _ in range(12)]
        for _ in range(2):
            time.sleep(0.4)
            for worker in server.services.engine.process_ids[:1]:
                os.kill(worker, signal.SIGKILL)
        sentences = [answer.result().sentence for answer in answers]
    assert sentences == ["Saya makan."] * 12
    assert server.services.engine.restarts >= 1


def test_the_only_worker_killed_and_a_request_at_once(start_server: Start, clip_bytes: bytes) -> None:
    server = start_server(workers=1)
    for _ in range(2):
        os.kill(server.services.engine.process_ids[0], signal.SIGKILL)
        assert server.client.translate(clip_bytes).sentence == "Saya makan."


def test_clients_that_leave(server: LiveServer, clip_bytes: bytes) -> None:
    head, body = build_request(clip_bytes)
    for sent in (head, head + body[:5000], head + body):  # before, in, and after the upload
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
                connection.sendall(sent)
                time.sleep(0.02)
    assert_well(server, clip_bytes)


def test_a_thousand_slow_uploads(start_server: Start, clip_bytes: bytes) -> None:
    raise_file_limit()
    server = start_server(max_uploads=1100, upload_timeout_s=60)
    head, body = build_request(clip_bytes)
    connections = []
    try:
        for _ in range(1000):
            connections.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            connections[-1].sendall(head + body[:200])
        started = time.monotonic()
        assert_well(server, clip_bytes)
        assert time.monotonic() - started < 10
        # One of them makes it after all.
        connections[500].sendall(body[200:])
        assert b" 200 " in connections[500].recv(100)
    finally:
        for connection in connections:
            connection.close()
    assert_well(server, clip_bytes)


def test_a_full_disk(server: LiveServer, clip_bytes: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(tempfile.SpooledTemporaryFile[bytes]):
        def write(self, data: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("starlette.formparsers.SpooledTemporaryFile", Full)
        with pytest.raises(ServerProblemError) as caught:
            server.client.translate(clip_bytes)
    assert (caught.value.code, caught.value.problem["status"]) == ("disk-full", 507)
    assert caught.value.retry_after_s
    assert_well(server, clip_bytes)


def test_a_disk_that_is_full_when_the_upload_moves_to_it(
    server: LiveServer, clip_bytes: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", fail)
        with pytest.raises(ServerProblemError) as caught:
            server.client.translate(clip_bytes)
    assert caught.value.code == "disk-full"
    assert_well(server, clip_bytes)


def build_png(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG whose header and data need not agree."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    header = width.to_bytes(4) + height.to_bytes(4) + b"\x08\x02\0\0\0"
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


BOMBS = {
    "zip": b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(2000),
    "gzip": b"\x1f\x8b\x08" + zlib.compress(bytes(50_000_000)),
    "gif of four gigapixels": b"GIF89a\xff\xff\xff\xff\x80\0\0"
    + bytes(6)
    + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;",
    "play list": b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
    "concat": b"ffconcat version 1.0\nfile '/etc/passwd'\n",
    "boxes in boxes": b"\0\0\0\x18ftypmp42\0\0\0\0mp42mp42" + b"\xff\xff\xff\xf0moov" * 5000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(server: LiveServer, clip_bytes: bytes, name: str) -> None:
    with pytest.raises(ServerProblemError) as caught:
        server.client.translate(BOMBS[name])
    assert caught.value.problem["status"] in {415, 422}
    assert_well(server, clip_bytes)


def test_a_png_that_unpacks_to_more_than_it_says(server: LiveServer, clip_bytes: bytes) -> None:
    try:
        server.client.name_sign(build_png(24, 24, bytes(200_000_000)))
    except ServerProblemError as problem:
        assert problem.code == "picture-unreadable"
    assert_well(server, clip_bytes)


def test_a_clip_longer_than_it_says(start_server: Start, short_clip: bytes, clip_bytes: bytes) -> None:
    server = start_server(limits={"max_frames": 100})
    with pytest.raises(ServerProblemError) as caught:
        server.client.translate(clip_bytes)
    assert caught.value.code == "clip-too-long"
    assert server.client.translate(short_clip).glosses == []


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, cut, doubled or left out."""
    mutated = bytearray(data)
    for _ in range(rng.choice([1, 4, 64])):
        position = rng.randrange(len(mutated))
        match rng.randrange(4):
            case 0:
                mutated[position] = rng.randrange(256)
            case 1:
                mutated[position : position + 4] = rng.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"])
            case 2:
                del mutated[position : position + rng.randrange(1, 64)]
            case 3:
                mutated[position:position] = mutated[position : position + rng.randrange(1, 64)]
    return bytes(mutated[: rng.randrange(1, len(mutated) + 1)] if rng.random() < 0.2 else mutated)


def test_mutated_uploads(server: LiveServer, short_clip: bytes, clip_bytes: bytes) -> None:
    """tests/benchmarks/serve_load.py tries ten thousand."""
    rng = random.Random(7)
    outcomes = set()
    for _ in range(150):
        try:
            server.client.translate(mutate(short_clip, rng))
            outcomes.add("answered")
        except ServerProblemError as problem:
            outcomes.add(problem.code)
    assert outcomes <= {
        "answered",
        "clip-unreadable",
        "unsupported-media",
        "clip-too-long",
        "clip-too-fine",
        "clip-too-costly",
    }
    assert {"clip-unreadable", "unsupported-media", "answered"} <= outcomes
    assert_well(server, clip_bytes)


def test_mutated_requests(server: LiveServer, short_clip: bytes, clip_bytes: bytes) -> None:
    """Not the clip but the HTTP around it."""
    rng = random.Random(11)
    head, body = build_request(short_clip)
    for _ in range(60):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(mutate(head + body[:300], rng))
            connection.shutdown(socket.SHUT_WR)
            try:
                answer = connection.recv(4000)
            except ConnectionResetError:
                continue
            assert not answer or answer.startswith(b"HTTP/1.1 ")
            assert b" 500 " not in answer[:20]
    assert_well(server, clip_bytes)


def test_nothing_of_an_upload_is_seen_on_the_disk(server: LiveServer, scratch: Path) -> None:
    """Not even while it is worked on: temporary files have no name."""
    seen: list[str] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            seen.extend(path.name for path in scratch.iterdir())

    watcher = threading.Thread(target=watch)
    watcher.start()
    with pytest.raises(ServerProblemError):
        server.client.translate(b"\0\0\0\x18ftypmp42" + os.urandom(8_000_000))
    done.set()
    watcher.join()
    assert seen == []
