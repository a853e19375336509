"""POST /v1/translations and /v1/glosses, over a real connection."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest
from isyarat.data import synthetic
from isyarat.data.video import VideoReader
from isyarat.server.client import Client, ServerProblemError, encode_form
from isyarat.server.translator import Translator
from live_server import LiveServer

TwoSigns = tuple[Path, synthetic.Performance]


def post(server: LiveServer, path: str, *fields: tuple[str, Any]) -> tuple[int, Any]:
    """Status and JSON of a form."""
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    status, _, body = Client(server.url)._request("POST", path, encode_form(fields, "b"), headers)
    return status, json.loads(body)


def test_a_clip_gives_what_the_command_gives(server: LiveServer, shipped: Translator, two_signs: TwoSigns) -> None:
    answer = server.client.translate(two_signs[0]).model_dump()
    expected = shipped.translate(two_signs[0]).to_dict()
    assert list(answer) == list(expected)
    for name in ("sentence", "glosses", "bundle", "grammar", "warnings"):
        assert answer[name] == expected[name], name


def test_frames_give_what_the_clip_gives(server: LiveServer, two_signs: TwoSigns) -> None:
    frames = list(VideoReader(two_signs[0]))
    jpegs = [cv2.imencode(".jpg", f.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes() for f in frames]
    answer = server.client.translate_frames(jpegs, [f.time_s for f in frames])
    assert [gloss.gloss for gloss in answer.glosses] == ["SAYA", "MAKAN"]
    assert answer.sentence == "Saya makan."


def test_a_grid(server: LiveServer, grid_png: bytes) -> None:
    status, answer = post(server, "/v1/translations", ("grid", grid_png), ("start_s", "1.5"), ("end_s", "2.75"))
    assert status == 200
    (gloss,) = answer["glosses"]
    assert (gloss["start_s"], gloss["end_s"]) == (1.5, 2.75)
    named = server.client.name_sign(grid_png)
    assert (named.gloss, named.confidence) == (gloss["gloss"], gloss["confidence"])
    assert named.alternatives[0].gloss == named.gloss


def test_a_grid_without_a_sign(server: LiveServer) -> None:
    import numpy as np

    still = cv2.imencode(".png", np.full((24, 24, 3), 128, np.uint8))[1].tobytes()
    answer = server.client.name_sign(still)
    assert answer.gloss is None or answer.unknown


def test_names_and_types_that_a_client_states_are_not_used(server: LiveServer, clip_bytes: bytes) -> None:
    form = [
        b'--b\r\nContent-Disposition: form-data; name="video"; filename="../../etc/passwd"\r\n',
        b"Content-Type: text/html\r\n\r\n", clip_bytes, b"\r\n--b--\r\n",
    ]  # fmt: skip
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    status, _, body = server.client._request("POST", "/v1/translations", form, headers)
    assert status == 200
    assert b"passwd" not in body


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ([], 422, "invalid-request"),
        ([("video", b"")], 422, "clip-unreadable"),
        ([("video", b"PK\x03\x04" + bytes(600))], 415, "unsupported-media"),
        ([("video", b"\0\0\0\x18ftypmp42" + bytes(600))], 422, "clip-unreadable"),
        ([("video", "text")], 422, "invalid-request"),
        ([("video", b"\x1a\x45\xdf\xa3"), ("video", b"\x1a\x45\xdf\xa3")], 422, "invalid-request"),
        ([("video", b"\x1a\x45\xdf\xa3"), ("bundle", "none")], 404, "bundle-unknown"),
        ([("video", b"\x1a\x45\xdf\xa3"), ("variety", "x" * 51)], 422, "invalid-request"),
        ([("grid", b"no picture")], 422, "picture-unreadable"),
        ([("grid", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xff\xff\0\xff\xff\xff" + bytes(20))], 422, "grid-unfit"),
        ([("grid", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x18\0\0\0\x18" + bytes(20))], 422, "picture-unreadable"),
        ([("frames", b"\xff\xd8\xff"), ("times_s", "[0]")], 422, "picture-unreadable"),
        ([("frames", b"x")], 422, "invalid-request"),
        ([("frames", b"x"), ("frames", b"x"), ("times_s", "[0]")], 422, "invalid-request"),
        ([("frames", b"x"), ("frames", b"x"), ("times_s", "[1, 1]")], 422, "invalid-request"),
        ([("frames", b"x"), ("times_s", "[NaN]")], 422, "invalid-request"),
        ([("frames", b"x"), ("times_s", "[" * 100_000)], 422, "invalid-request"),
    ],
)  # fmt: skip
def test_what_does_not_fit(server: LiveServer, fields: list[tuple[str, Any]], status: int, code: str) -> None:
    found, problem = post(server, "/v1/translations", *fields)
    assert (found, problem["type"]) == (status, f"urn:isyarat:problem:{code}")
    assert "/dev/fd" not in json.dumps(problem)


def test_no_form(server: LiveServer) -> None:
    for content in ("application/json", "multipart/form-data", "multipart/form-data; boundary=b"):
        status, _, body = server.client._request("POST", "/v1/glosses", [b"{}"], {"Content-Type": content})
        assert (status, json.loads(body)["type"]) == (422, "urn:isyarat:problem:invalid-request")


def test_a_cut_off_clip_says_so(server: LiveServer, clip_bytes: bytes) -> None:
    with pytest.raises(ServerProblemError, match="cut off") as caught:
        server.client.translate(clip_bytes[:4000])
    assert caught.value.code == "clip-unreadable"


def test_nobody_in_the_picture_gives_nothing(server: LiveServer, tmp_path: Path, small: synthetic.Scene) -> None:
    clip = synthetic.write_clip(tmp_path / "empty.mp4", synthetic.idle(2.0, behaviour="empty", scene=small))
    answer = server.client.translate(clip)
    assert (answer.sentence, answer.glosses) == ("", [])
    assert answer.warnings[-1].message


def test_limits_are_those_of_the_server(start_server: Callable[..., LiveServer], clip_bytes: bytes) -> None:
    server = start_server(limits={"max_duration_s": 1.0})
    with pytest.raises(ServerProblemError) as caught:
        server.client.translate(clip_bytes)
    assert caught.value.code == "clip-too-long"
