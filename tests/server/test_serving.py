"""`isyarat serve` as a process: it starts, swaps bundles, and stops as an operator expects."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from isyarat.server.client import Client, encode_form
from live_server import BUNDLE

SERVE = [sys.executable, "-m", "isyarat", "serve"]


class Process:
    """A running `isyarat serve`."""

    def __init__(self, *options: str) -> None:
        command = [*SERVE, "--port", "0", "--workers", "1", "--bundle", str(BUNDLE), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.url = self.line.split()[3]
        self.log: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(json.loads(line))

    def wait_for(self, event: str) -> None:
        """Until the log has it."""
        deadline = time.monotonic() + 30
        while event not in [line["event"] for line in self.log]:
            assert time.monotonic() < deadline, self.log
            time.sleep(0.05)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, list[dict[str, Any]]]:
        """(exit status, log lines)."""
        self.process.send_signal(number)
        status = self.process.wait(30)
        self._reader.join(5)
        return status, self.log


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    running: list[Process] = []

    def begin(*options: str) -> Process:
        running.append(Process(*options))
        return running[-1]

    yield begin
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def test_a_life(start: Callable[..., Process], clip_bytes: bytes) -> None:
    server = start()
    assert server.line.startswith("isyarat answers at http://127.0.0.1:")
    client = Client(server.url)
    assert client.translate(clip_bytes).sentence == "Saya makan."
    server.process.send_signal(signal.SIGHUP)
    server.wait_for("bundles swapped")
    assert client.translate(clip_bytes).sentence == "Saya makan."
    status, log = server.stop()
    assert status == 0
    events = [line["event"] for line in log]
    assert events[0] == "ready"
    routes = [line.get("route") for line in log if line["event"] == "request"]
    assert routes.count("/v1/translations") == 2


def test_a_request_under_way_is_answered_when_the_server_stops(
    start: Callable[..., Process], clip_bytes: bytes
) -> None:
    server = start()
    body = b"".join(part for part in encode_form([("video", clip_bytes)], "b") if isinstance(part, bytes))
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), timeout=30) as connection:
        connection.sendall(
            b"POST /v1/translations HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
            + f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body[:1000]
        )
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        connection.sendall(body[1000:])
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b" 200 " in answer[:20]
    assert b"Saya makan." in answer
    assert server.process.wait(30) == 0


@pytest.fixture
def run(isyarat: Callable[..., Any]) -> Callable[..., Any]:
    """Calls `isyarat serve`, which is to fail before it serves."""
    return lambda *options: isyarat("serve", *options)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--host", "0.0.0.0"], "no keys"),
        (["--bundle", "/nowhere", "--port", "0"], "no bundle.json"),
        (["--web", "/nowhere", "--port", "0"], "no index.html"),
        (["--keys", "/nowhere/keys", "--port", "0"], "cannot be read"),
        (["--grammar", "none", "--port", "0"], "no grammar"),
        (["--database", "mysterydb://x", "--port", "0"], "database URL"),
        (["--database", "sqlite:////nowhere/x/y.db", "--port", "0"], "database cannot be used"),
        (["--environment", "production"], "production needs keys"),
    ],
)
def test_faults_of_the_setup_are_one_sentence(run: Callable[..., Any], options: list[str], reason: str) -> None:
    done = run(*options)
    assert done.status == 1
    (line,) = done.err.splitlines()
    assert line.startswith("isyarat: ")
    assert reason in line
    assert line.endswith(".")


def test_a_taken_port(run: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = run("--port", str(other.getsockname()[1]))
    assert done.status == 1
    assert "choose another" in done.err
    assert done.err.count("\n") == 1


def test_create_key(run: Callable[..., Any], tmp_path: Path) -> None:
    done = run("--create-key", "school", "--keys", str(tmp_path / "keys"))
    assert (done.status, done.out[:4]) == (0, "isy_")
    assert done.out.strip() not in (tmp_path / "keys").read_text(encoding="utf-8")
    assert run("--create-key", "school").status == 2
