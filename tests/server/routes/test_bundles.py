"""GET /v1/bundles: downloads go on where they broke, and reach nothing else on the disk."""

from __future__ import annotations

import hashlib
import http.client
from pathlib import Path

import pytest
from isyarat.export.bundle import SHIPPED, Bundle
from isyarat.server.translator import Translator
from live_server import LiveServer

SIZE = (SHIPPED / "tokenizer.json").stat().st_size


def fetch(server: LiveServer, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def test_the_list_names_every_file(server: LiveServer, shipped: Translator) -> None:
    (bundle,) = server.client.list_bundles()
    assert bundle.default
    assert bundle.glosses == shipped.recogniser.bundle.lexicon.glosses
    assert {file.name for file in bundle.files} == {"bundle.json", *shipped.recogniser.bundle.manifest.files}
    for file in bundle.files:
        status, headers, body = fetch(server, file.url)
        assert (status, len(body), hashlib.sha256(body).hexdigest()) == (200, file.bytes, file.sha256)
        assert headers["etag"] == f'"{file.sha256}"'


def test_parts_and_unchanged_files(server: LiveServer) -> None:
    url = "/v1/bundles/nano/tokenizer.json"
    _, headers, whole = fetch(server, url)
    etag = headers["etag"]
    status, headers, part = fetch(server, url, Range="bytes=10-19")
    assert (status, part, headers["content-range"]) == (206, whole[10:20], f"bytes 10-19/{len(whole)}")
    assert fetch(server, url, Range="bytes=10-19", If_Range=etag)[2] == whole[10:20]
    assert fetch(server, url, Range="bytes=10-19", If_Range='"other"')[2] == whole
    assert fetch(server, url, If_None_Match=etag)[::2] == (304, b"")
    assert fetch(server, url, If_None_Match='"other"')[0] == 200
    assert fetch(server, url, Range="bytes=-5")[2] == whole[-5:]


@pytest.mark.parametrize(
    "text", ["bytes=", "bytes=-", "bytes=9-3", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4", "x" * 999]
)
def test_what_is_no_range_is_ignored(server: LiveServer, text: str) -> None:
    status, _, body = fetch(server, "/v1/bundles/nano/tokenizer.json", Range=text)
    assert (status, len(body)) == (200, SIZE)


@pytest.mark.parametrize("text", [f"bytes={SIZE}-", "bytes=99999999999-", "bytes=-0"])
def test_a_range_outside_the_file(server: LiveServer, text: str) -> None:
    status, headers, body = fetch(server, "/v1/bundles/nano/tokenizer.json", Range=text)
    assert (status, headers["content-range"]) == (416, f"bytes */{SIZE}")
    assert b"urn:isyarat:problem:range-unfit" in body


@pytest.mark.parametrize(
    "path",
    [
        "nano/../../pyproject.toml", "nano/%2e%2e/%2e%2e/pyproject.toml", "nano//etc/passwd", "nano/litert",
        "nano/", "other/bundle.json", "../nano/bundle.json", "nano/bundle.json%00.txt", "nano/golden/../bundle.json",
    ],
)  # fmt: skip
def test_nothing_else_is_given_away(server: LiveServer, path: str) -> None:
    status, headers, body = fetch(server, f"/v1/bundles/{path}")
    assert (status, headers["content-type"]) == (404, "application/problem+json"), body[:100]


def test_a_download_is_a_bundle_and_goes_on_where_it_broke(server: LiveServer, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    (folder / "litert").mkdir(parents=True)
    _, _, model = fetch(server, "/v1/bundles/nano/litert/model_int8.tflite")
    (folder / "litert" / "model_int8.tflite.partial").write_bytes(model[:1_000_000])
    server.client.download_bundle("nano", folder)
    assert Bundle.open(folder).check_files() == []
    assert not list(folder.rglob("*.partial"))
    changed = (folder / "bundle.json").stat().st_mtime_ns
    server.client.download_bundle("nano", folder)
    assert (folder / "bundle.json").stat().st_mtime_ns == changed, "what is there already is downloaded again"
