"""POST /v1/feedback and /v1/withdrawals: nothing without consent, everything back on demand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from isyarat.server.client import ServerProblemError, encode_form
from live_server import LiveServer

Start = Callable[..., LiveServer]


@pytest.fixture
def keeper(start_server: Start, tmp_path: Path) -> LiveServer:
    """A server that keeps feedback in `tmp_path`."""
    return start_server(database_url=f"sqlite:///{tmp_path}/f.db", blobs_url=str(tmp_path / "blobs"))


def post(server: LiveServer, *fields: tuple[str, Any]) -> tuple[int, Any]:
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    status, _, body = server.client._request("POST", "/v1/feedback", encode_form(fields, "b"), headers)
    return status, json.loads(body)


def list_files(folder: Path) -> list[str]:
    return [path.name for path in (folder / "blobs").iterdir()]


def test_with_consent_and_back_again(keeper: LiveServer, grid_png: bytes, clip_bytes: bytes, tmp_path: Path) -> None:
    answer = keeper.client.translate(clip_bytes)
    first = keeper.client.give_feedback(
        consent=True, clip=answer.clip, answered=["SAYA", "MAKAN"], corrected=["SAYA", "TIDUR"], rating=2, grid=grid_png
    )
    assert first.stored
    assert first.withdrawal_token is not None
    again = keeper.client.give_feedback(consent=True, rating=4, token=first.withdrawal_token)
    assert again.withdrawal_token is None
    assert len(list_files(tmp_path)) == 1
    gone = keeper.client.withdraw(first.withdrawal_token)
    assert (gone.feedback, gone.files) == (2, 1)
    assert list_files(tmp_path) == []
    with pytest.raises(ServerProblemError, match="Nobody"):
        keeper.client.withdraw(first.withdrawal_token)


def test_without_consent_nothing_is_kept(keeper: LiveServer, grid_png: bytes, tmp_path: Path) -> None:
    before = (tmp_path / "f.db").read_bytes()
    answer = keeper.client.give_feedback(consent=False, corrected=["SAYA"], sentence="Saya Budi.", rating=3)
    assert (answer.stored, answer.id, answer.withdrawal_token) == (False, None, None)
    with pytest.raises(ServerProblemError, match="consent=false") as caught:
        keeper.client.give_feedback(consent=False, grid=grid_png)
    assert caught.value.code == "no-consent"
    assert (tmp_path / "f.db").read_bytes() == before
    assert list_files(tmp_path) == []
    assert b'isyarat_ratings_total{rating="3"} 1.0' in keeper.client._request("GET", "/metrics")[2]


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ([], 422, "invalid-request"),
        ([("consent", "yes")], 422, "invalid-request"),
        ([("consent", "true")], 422, "invalid-request"),
        ([("consent", "true"), ("rating", "6")], 422, "invalid-request"),
        ([("consent", "true"), ("rating", "true")], 422, "invalid-request"),
        ([("consent", "true"), ("corrected", "<b>")], 422, "glosses-unfit"),
        ([("consent", "true"), ("rating", "1"), ("token", "unknown")], 404, "withdrawal-unknown"),
        ([("consent", "true"), ("grid", b"no picture")], 422, "picture-unreadable"),
        ([("consent", "true"), ("video", b"PK\x03\x04")], 415, "unsupported-media"),
        ([("consent", "true"), ("grid", b"x"), ("video", b"x")], 422, "invalid-request"),
        ([("consent", "true"), ("sentence", "x" * 2001)], 422, "invalid-request"),
    ],
)
def test_what_does_not_fit_is_not_kept(
    keeper: LiveServer, tmp_path: Path, fields: list[tuple[str, Any]], status: int, code: str
) -> None:
    found, problem = post(keeper, *fields)
    assert (found, problem["type"]) == (status, f"urn:isyarat:problem:{code}")
    assert list_files(tmp_path) == []


def test_feedback_is_off_unless_wanted(server: LiveServer) -> None:
    with pytest.raises(ServerProblemError) as caught:
        server.client.give_feedback(consent=True, rating=1)
    assert (caught.value.code, caught.value.problem["status"]) == ("feedback-off", 503)
    with pytest.raises(ServerProblemError):
        server.client.withdraw("x")


def test_pictures_are_refused_where_there_is_no_place_for_them(
    start_server: Start, grid_png: bytes, tmp_path: Path
) -> None:
    server = start_server(database_url=f"sqlite:///{tmp_path}/f.db")
    assert server.client.give_feedback(consent=True, rating=1).stored
    with pytest.raises(ServerProblemError, match="keeps no pictures"):
        server.client.give_feedback(consent=True, grid=grid_png)


def test_without_its_packages_the_server_says_what_to_install() -> None:
    """As a base install, which has no SQLAlchemy, Alembic, fsspec or websockets."""
    code = """
import asyncio, sys
for name in ("sqlalchemy", "alembic", "fsspec", "websockets", "psycopg", "jax", "torch"):
    sys.modules[name] = None
from isyarat.server.application import create_application
from isyarat.server.client import Client
from isyarat.server.problem import ProblemError
from isyarat.server.settings import read_settings
application = create_application(read_settings(database_url="sqlite://"))
try:
    application.state.services.feedback.open()
except ProblemError as problem:
    print(problem.code, problem.detail)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("feedback-off"), done.stderr
    assert 'pip install "isyarat[server]"' in done.stdout
