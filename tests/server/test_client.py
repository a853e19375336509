"""The Python client: typed answers, faults in words, and files that cannot be misused."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.server.client import Client, ServerProblemError, encode_form
from isyarat.server.schema import (
    BundlesOut,
    FeedbackOut,
    GlossOut,
    SentenceOut,
    TranslationOut,
    WithdrawalOut,
)
from live_server import LiveServer

# What each method asks for and gets; test_every_operation holds it against the document.
OPERATIONS = {
    ("post", "/v1/translations"): TranslationOut,
    ("post", "/v1/glosses"): GlossOut,
    ("post", "/v1/sentences"): SentenceOut,
    ("get", "/v1/bundles"): BundlesOut,
    ("post", "/v1/feedback"): FeedbackOut,
    ("post", "/v1/withdrawals"): WithdrawalOut,
}
FILES = ("get", "/v1/bundles/{name}/{file}")


def test_every_operation_has_a_method_with_its_type(server: LiveServer) -> None:
    document = server.application.openapi()
    found = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if path.startswith("/v1/") and (method, path) != FILES:
                schema = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
                found[method, path] = document["components"]["schemas"][schema.rpartition("/")[2]]
    assert FILES[1] in document["paths"]
    assert set(found) == set(OPERATIONS)
    for key, model in OPERATIONS.items():
        assert set(found[key]["properties"]) == set(model.model_fields), key
        assert found[key]["title"] == model.model_json_schema()["title"]


def test_a_problem_is_an_error_with_its_way_out(server: LiveServer) -> None:
    with pytest.raises(ServerProblemError, match=r"not those of a video\. Send MP4") as caught:
        server.client.translate(b"PK\x03\x04" + bytes(600))
    assert caught.value.code == "unsupported-media"
    assert caught.value.retry_after_s is None
    assert isinstance(caught.value, IsyaratError)


def test_how_long_to_wait(start_server: Callable[..., LiveServer]) -> None:
    server = start_server(rate_per_minute=6)
    with pytest.raises(ServerProblemError) as caught:
        for _ in range(5):
            server.client.list_bundles()
    assert caught.value.code == "rate-exceeded"
    assert caught.value.retry_after_s is not None


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://x", "http://"])
def test_addresses(url: str) -> None:
    with pytest.raises(IsyaratError, match="no address"):
        Client(url)


def test_nobody_there() -> None:
    with pytest.raises(IsyaratError, match="cannot be reached"):
        Client("http://127.0.0.1:9", timeout_s=2).list_bundles()


def test_files_are_named_by_their_field(tmp_path: Path) -> None:
    clip = tmp_path / "Budi di rumah.mp4"
    clip.write_bytes(b"x")
    parts = encode_form([("video", clip), ("bundle", "nano")], "b")
    assert b"Budi" not in b"".join(part for part in parts if isinstance(part, bytes))
    assert clip in parts, "a file is read while it is sent, not before"


@pytest.fixture
def other_server() -> Iterator[Callable[[int, bytes], Client]]:
    """A server that answers everything alike."""
    running: list[http.server.HTTPServer] = []

    def start(status: int, body: bytes) -> Client:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        running.append(http.server.HTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return Client(f"http://127.0.0.1:{running[-1].server_port}")

    yield start
    for one in running:
        one.shutdown()
        one.server_close()


@pytest.mark.parametrize(("status", "body"), [(200, b"<html>"), (502, b"Bad Gateway"), (500, b"[]"), (200, b"{}")])
def test_another_kind_of_server(other_server: Callable[[int, bytes], Client], status: int, body: bytes) -> None:
    with pytest.raises(IsyaratError, match="none of an isyarat server"):
        other_server(status, body).list_bundles()


def test_a_server_that_names_files_elsewhere(other_server: Callable[[int, bytes], Client], tmp_path: Path) -> None:
    file = {"name": "../stolen", "bytes": 1, "sha256": "0" * 64, "url": "/"}
    bundle = {"name": "x", "default": True, "glosses": [], "grid": {}, "licence": "", "files": [file]}
    client = other_server(200, json.dumps({"bundles": [bundle]}).encode())
    with pytest.raises(IsyaratError, match="outside the bundle"):
        client.download_bundle("x", tmp_path / "folder")
    assert not (tmp_path / "stolen").exists()


def test_a_file_that_arrives_damaged(other_server: Callable[[int, bytes], Client], tmp_path: Path) -> None:
    file = {"name": "bundle.json", "bytes": 1, "sha256": "0" * 64, "url": "/"}
    bundle = {"name": "x", "default": True, "glosses": [], "grid": {}, "licence": "", "files": [file]}
    client = other_server(200, json.dumps({"bundles": [bundle]}).encode())
    with pytest.raises(IsyaratError, match="arrived damaged"):
        client.download_bundle("x", tmp_path / "folder")
    assert not list(tmp_path.rglob("*.*"))
