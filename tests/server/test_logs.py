"""Logs are JSON, carry the request's id, and let nothing of a request's content through."""

from __future__ import annotations

import json
import logging

from isyarat.server.logs import JsonFormatter, request_id


def format_record(message: str, error: BaseException | None = None, **fields: object) -> dict[str, object]:
    trace = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord("isyarat", logging.INFO, __file__, 1, message, (), trace)
    record.fields = fields
    line: dict[str, object] = json.loads(JsonFormatter().format(record))
    return line


def test_only_allowed_fields() -> None:
    line = format_record("request", status=200, key="key school", authorization="Bearer isy_x", sentence="Saya sakit.")
    assert line["status"] == 200
    assert not {"authorization", "sentence"} & set(line)


def test_request_id() -> None:
    token = request_id.set("abc123")
    try:
        assert format_record("request")["request_id"] == "abc123"
    finally:
        request_id.reset(token)
    assert "request_id" not in format_record("request")


def test_an_exceptions_text_is_left_out() -> None:
    try:
        raise ValueError("SAYA SAKIT KEPALA")
    except ValueError as error:
        line = format_record("unexpected", error)
    assert line["exception"] == "ValueError"
    assert str(line["at"]).startswith(__file__)
    assert "KEPALA" not in json.dumps(line)
