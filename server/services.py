"""What the routes work with, made once for a server and found through FastAPI's dependencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request

from .engine import Engine
from .grammar import Grammar
from .metrics import Metrics
from .settings import ServerSettings

if TYPE_CHECKING:
    from .feedback.service import FeedbackService
    from .stream import StreamHub


@dataclass(slots=True)
class Services:
    """The parts of one server."""

    settings: ServerSettings
    engine: Engine
    grammar: Grammar
    metrics: Metrics
    streams: StreamHub
    feedback: FeedbackService


def find_services(request: Request) -> Services:
    """The services of the application that a request has come to."""
    services: Services = request.app.state.services
    return services


def find_request_id(request: Request) -> str:
    """The id that the gate has given."""
    identifier: str = request.state.request_id
    return identifier


ServicesOf = Annotated[Services, Depends(find_services)]
RequestId = Annotated[str, Depends(find_request_id)]


def describe_problems(*codes: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's `responses` for problems of these kinds, besides those that every route can give."""
    from .problem import KINDS, MEDIA_TYPE

    always = ("invalid-request", "key-missing", "rate-exceeded", "internal")
    responses: dict[int | str, dict[str, Any]] = {}
    for code in (*codes, *always):
        kind = KINDS[code]
        seen = responses.setdefault(kind.status, {"description": "", "content": {}})
        seen["description"] = f"{seen['description']} / {kind.title}".removeprefix(" / ")
        seen["content"] = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return responses
