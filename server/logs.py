"""Logs: one JSON object a line, with the request's id, without keys, names of files, sentences or addresses."""

from __future__ import annotations

import contextvars
import json
import logging
import sys
import time
from typing import Any

request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="")

# What may stand in a line. Everything else is left out, so that a new field cannot leak by being forgotten here.
ALLOWED = frozenset(
    {
        "method", "route", "status", "ms", "bytes_in", "key", "code", "signal", "tries", "reason", "bundles", "host",
        "port", "workers", "worker_pids", "kind", "generation",
    }
)  # fmt: skip


class JsonFormatter(logging.Formatter):
    """time, level, event, request_id, and the allowed fields."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if identifier := request_id.get():
            line["request_id"] = identifier
        fields: dict[str, Any] = getattr(record, "fields", {})
        line |= {name: value for name, value in fields.items() if name in ALLOWED}
        if record.exc_info and record.exc_info[0] is not None:
            # The place, not the message: an exception's text may quote what a client sent.
            line["exception"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            if trace is not None:
                line["at"] = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        return json.dumps(line, ensure_ascii=False)


def set_up_logs(level: str = "INFO") -> None:
    """Sends all logs of the server to standard error; libraries only when something is wrong."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("isyarat").setLevel(level)
