"""What every request passes: keys, rates, sizes, times, headers."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.server.client import Client, ServerProblemError
from isyarat.server.keys import create_key
from live_server import LiveServer

Start = Callable[..., LiveServer]


def ask(
    server: LiveServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], Any]:
    """(status, headers in lower case, JSON or bytes)."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        data = response.read()
        found = {name.lower(): value for name, value in response.getheaders()}
        return response.status, found, json.loads(data) if "json" in found.get("content-type", "") else data
    finally:
        connection.close()


def test_headers_of_every_answer(server: LiveServer) -> None:
    for path, status in [("/healthz", 200), ("/v1/bundles", 200), ("/nothing", 404), ("/v1/nothing", 404)]:
        found, headers, _ = ask(server, "GET", path)
        assert found == status
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-embedder-policy"] == "require-corp"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src" in headers["content-security-policy"]
        assert len(headers["x-request-id"]) == 16
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers or "uvicorn" in headers["server"]  # `isyarat serve` names none


def test_ids_are_the_servers_own(server: LiveServer) -> None:
    _, first, _ = ask(server, "GET", "/healthz", X_Request_ID="evil\tid")
    _, second, _ = ask(server, "GET", "/healthz")
    assert len({first["x-request-id"], second["x-request-id"], "evil\tid"}) == 3


def test_problems_are_problem_details(server: LiveServer) -> None:
    status, headers, body = ask(server, "GET", "/v1/nothing")
    assert (status, headers["content-type"]) == (404, "application/problem+json")
    assert body["request_id"] == headers["x-request-id"]
    assert body["way_out"]
    status, headers, body = ask(server, "DELETE", "/v1/sentences")
    assert (status, body["type"]) == (405, "urn:isyarat:problem:method-unknown")
    assert headers["allow"] == "POST"


def test_keys(start_server: Start, tmp_path: Path, clip_bytes: bytes) -> None:
    key = create_key(tmp_path / "keys", "school")
    server = start_server(keys_file=tmp_path / "keys")
    status, headers, body = ask(server, "GET", "/v1/bundles")
    assert (status, body["type"]) == (401, "urn:isyarat:problem:key-missing")
    assert headers["www-authenticate"].startswith("Bearer")
    for wrong in (key + "x", "", "x"):
        assert ask(server, "GET", "/v1/bundles", Authorization=f"Bearer {wrong}")[0] == 401
    assert ask(server, "GET", "/v1/bundles", Authorization=f"Basic {key}")[0] == 401
    assert ask(server, "GET", "/v1/bundles", Authorization=f"Bearer {key}")[0] == 200
    assert ask(server, "GET", "/metrics")[0] == 401
    assert ask(server, "GET", "/healthz")[0] == 200, "a watchdog has no key"
    assert Client(server.url, key=key).translate(clip_bytes).sentence == "Saya makan."
    with pytest.raises(ServerProblemError, match="no key"):
        Client(server.url).translate(clip_bytes)


def test_rates(start_server: Start) -> None:
    server = start_server(rate_per_minute=30)
    statuses = [ask(server, "GET", "/v1/bundles")[0] for _ in range(7)]
    assert statuses[:5] == [200] * 5
    assert statuses[-1] == 429
    _, headers, body = ask(server, "GET", "/v1/bundles")
    assert body["type"] == "urn:isyarat:problem:rate-exceeded"
    assert 1 <= int(headers["retry-after"]) <= 4
    assert ask(server, "GET", "/healthz")[0] == 200


def test_sizes(start_server: Start) -> None:
    server = start_server(max_upload_bytes=10_000)
    status, _, body = ask(server, "POST", "/v1/sentences", b"x" * 10_001, Content_Type="application/json")
    assert (status, body["type"]) == (413, "urn:isyarat:problem:body-too-large")
    # Without a length it is counted while it comes in.
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(
            b"POST /v1/translations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        )
        for _ in range(4):
            connection.sendall(b"FA0\r\n" + b"x" * 4000 + b"\r\n")
        assert b" 413 " in connection.recv(100)
    assert ask(server, "GET", "/healthz")[0] == 200


def test_slow_uploads_are_ended(start_server: Start) -> None:
    server = start_server(upload_timeout_s=0.5)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(
            b"POST /v1/translations HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
        )
        started = time.monotonic()
        answer = connection.recv(4000)
        assert b" 408 " in answer
        assert time.monotonic() - started < 3


def test_uploads_at_the_same_time_are_limited(start_server: Start) -> None:
    server = start_server(max_uploads=2)
    head = (
        b"POST /v1/translations HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
    )
    connections = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(3)]
    try:
        for connection in connections[:2]:
            connection.sendall(head)
        time.sleep(0.3)
        connections[2].sendall(head)
        assert b" 429 " in connections[2].recv(4000)
    finally:
        for connection in connections:
            connection.close()
    time.sleep(0.3)
    status, _, _ = ask(server, "POST", "/v1/sentences", b'{"glosses": ["SAYA"]}', Content_Type="application/json")
    assert status == 200, "the places of clients that left are free again"


def test_other_pages_may_not_call(server: LiveServer) -> None:
    _, headers, _ = ask(server, "OPTIONS", "/v1/bundles", Origin="https://evil.example")
    assert "access-control-allow-origin" not in headers


def test_listed_pages_may(start_server: Start) -> None:
    server = start_server(origins=["https://app.example"])
    _, headers, _ = ask(server, "GET", "/v1/bundles", Origin="https://app.example")
    assert headers["access-control-allow-origin"] == "https://app.example"
    _, headers, _ = ask(server, "GET", "/v1/bundles", Origin="https://evil.example")
    assert "access-control-allow-origin" not in headers
    status, headers, _ = ask(
        server, "OPTIONS", "/v1/sentences", Origin="https://app.example", Access_Control_Request_Method="POST"
    )
    assert (status, headers["access-control-allow-methods"]) == (200, "GET, POST")


def test_logs_name_the_route_and_not_what_was_asked_for(
    server: LiveServer, caplog: pytest.LogCaptureFixture, clip_bytes: bytes
) -> None:
    with caplog.at_level("INFO", "isyarat.request"):
        server.client.translate(clip_bytes)
        ask(server, "GET", "/v1/bundles/nano/secret-name?token=abc")
        time.sleep(0.1)
    fields = [record.fields for record in caplog.records if hasattr(record, "fields")]
    assert [f["route"] for f in fields] == ["/v1/translations", "/v1/bundles/{name}/{file:path}"]
    assert "secret" not in str(fields)
    assert "MAKAN" not in str(fields)


def test_a_fault_of_the_program_is_a_problem_without_its_text(
    start_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_server()

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("inner secret")

    monkeypatch.setattr(server.services.grammar, "compose", fail)
    status, _, body = ask(server, "POST", "/v1/sentences", b'{"glosses": ["SAYA"]}', Content_Type="application/json")
    assert (status, body["type"]) == (500, "urn:isyarat:problem:internal")
    assert "secret" not in json.dumps(body)


def test_the_web_app(start_server: Start, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>isyarat</title>", encoding="utf-8")
    (tmp_path / "app.js").write_text("1", encoding="utf-8")
    server = start_server(web=tmp_path)
    status, headers, body = ask(server, "GET", "/")
    assert (status, body) == (200, b"<title>isyarat</title>")
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-embedder-policy"] == "require-corp"
    assert "script-src 'self'" in headers["content-security-policy"]
    assert ask(server, "GET", "/app.js")[0] == 200
    for path in ("/../pyproject.toml", "/%2e%2e/pyproject.toml", "/..%2fpyproject.toml"):
        assert ask(server, "GET", path)[0] == 404


def test_a_folder_without_a_web_app(start_server: Start, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=r"no index\.html"):
        start_server(web=tmp_path)
