"""POST /v1/sentences."""

from __future__ import annotations

import pytest
from isyarat.server.client import ServerProblemError
from live_server import LiveServer


def test_a_question(server: LiveServer) -> None:
    answer = server.client.compose(["KAMU", "SAKIT"], question=True)
    assert (answer.sentence, answer.glosses, answer.backend) == ("Kamu sakit?", ["KAMU", "SAKIT", "?"], "rules")


def test_names_and_unknown_signs(server: LiveServer) -> None:
    answer = server.client.compose(["SAYA", "NAMA", "B-U-D-I"])
    assert "Budi" in answer.sentence
    assert server.client.compose(["[?]"]).glosses == ["[?]"]


def test_what_is_no_gloss(server: LiveServer) -> None:
    with pytest.raises(ServerProblemError, match="glosses/0") as caught:
        server.client.compose(["<script>"])
    assert "script" not in str(caught.value.problem), "what was sent comes back in the answer"
    with pytest.raises(ServerProblemError):
        server.client.compose([])
    with pytest.raises(ServerProblemError):
        server.client.compose(["SAYA"] * 501)
