"""Problem details: every kind has a status, a title and a way out."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from isyarat.server.problem import KINDS, ProblemError


@pytest.mark.parametrize("code", KINDS)
def test_every_kind(code: str) -> None:
    kind = KINDS[code]
    assert 400 <= HTTPStatus(kind.status) < 600
    assert kind.way_out.endswith(".")
    assert kind.way_out[0].isupper()
    body = ProblemError(code, "It is so.").to_dict("abc")
    assert body["type"] == f"urn:isyarat:problem:{code}"
    assert (body["status"], body["detail"], body["request_id"]) == (kind.status, "It is so.", "abc")


def test_headers() -> None:
    assert ProblemError("busy", "So.", retry_after_s=0.2).headers == {"Retry-After": "1"}
    assert "WWW-Authenticate" in ProblemError("key-missing", "So.").headers
    assert ProblemError("internal", "So.").headers == {}


def test_further_members_do_not_hide_the_standard_ones() -> None:
    assert ProblemError("invalid-request", "So.", errors=[1]).to_dict()["errors"] == [1]
