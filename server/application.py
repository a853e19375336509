"""The ASGI application: routes, problems, life cycle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from ..data.errors import IsyaratError
from .engine import Engine
from .feedback.service import FeedbackService
from .gate import BodyRefused, Gate
from .grammar import load_grammar
from .keys import read_keys
from .metrics import Metrics
from .problem import MEDIA_TYPE, ProblemError
from .routes import bundles, feedback, health, sentences, stream, translations
from .schema import ProblemOut
from .services import Services
from .settings import ServerSettings
from .stream import StreamHub

log = logging.getLogger("isyarat.server")

DESCRIPTION = (
    "Video of sign language in, Indonesian sentence out. Live signing goes over the WebSocket /v1/stream, which "
    "OpenAPI cannot describe; see the module isyarat.server.routes.stream."
)

# What HTTPExceptions of the libraries mean here.
CODES = {404: "not-found", 405: "method-unknown", 413: "body-too-large", 416: "range-unfit"}


def create_application(settings: ServerSettings) -> FastAPI:
    """The application, not yet started: its workers are loaded when the server starts.

    Raises:
        IsyaratError: the keys or the web app's folder cannot be read.
    """
    ring = read_keys(settings.keys_file) if settings.keys_file is not None else None
    metrics, grammar = Metrics(), load_grammar(settings.grammar)
    engine = Engine(
        list(settings.bundles) or [None],
        workers=settings.worker_count,
        queue_size=settings.queue_size,
        limits=settings.limits,
        grammar=settings.grammar,
        precision=settings.precision,
    )
    hub = StreamHub(settings, grammar, metrics, lambda: engine.worker_settings(engine.served.bundles, "stream"))
    services = Services(settings, engine, grammar, metrics, hub, FeedbackService(settings))

    # No documentation pages: FastAPI's load scripts from strangers' servers.
    application = FastAPI(
        title="isyarat",
        version=version("isyarat"),
        description=DESCRIPTION,
        lifespan=run_services,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
    )
    application.state.services = services
    application.openapi = lambda: describe(application)  # type: ignore[method-assign]
    application.include_router(health.router)
    for module in (translations, sentences, bundles, feedback, stream):
        application.include_router(module.router, prefix="/v1")
    handlers: list[tuple[type[Exception], Any]] = [
        (ProblemError, answer_problem), (IsyaratError, answer_fault), (HTTPException, answer_http),
        (RequestValidationError, answer_validation),
    ]  # fmt: skip
    for kind, handler in handlers:
        application.add_exception_handler(kind, handler)
    if settings.web is not None:
        if not (settings.web / "index.html").is_file():
            raise IsyaratError(f"{settings.web}: there is no index.html in it; give the folder of the built web app.")
        application.mount("/", StaticFiles(directory=settings.web, html=True))
    if settings.origins:
        application.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "Range", "If-None-Match"],
            expose_headers=["X-Request-ID", "Retry-After", "ETag", "Content-Range"],
        )
    application.add_middleware(Gate, settings=settings, ring=ring, metrics=metrics)
    return application


@contextlib.asynccontextmanager
async def run_services(application: FastAPI) -> AsyncIterator[None]:
    """Starts the workers before the first request, ends them after the last."""
    services: Services = application.state.services
    await asyncio.to_thread(services.feedback.check)
    await asyncio.to_thread(services.grammar.compose, ["SAYA", "MAKAN"])  # loads the word lists
    await services.engine.start()
    await services.streams.start()
    log.info("ready", extra={"fields": {"bundles": list(services.engine.served.bundles)}})
    try:
        yield
    finally:
        await services.streams.stop()
        await services.engine.stop()
        services.feedback.close()


async def swap_bundles(application: FastAPI) -> None:
    """Reads the bundles' folders anew and serves what is in them; when they are at fault, the old go on."""
    services: Services = application.state.services
    try:
        await services.engine.swap()
        await services.streams.swap()
    except IsyaratError as error:
        log.error("bundles kept", extra={"fields": {"reason": str(error)}})
    else:
        served = services.engine.served
        fields = {"bundles": list(served.bundles), "generation": served.generation}
        log.info("bundles swapped", extra={"fields": fields})


def respond(request: Request, problem: ProblemError) -> Response:
    """A problem as an answer."""
    services: Services = request.app.state.services
    services.metrics.problems.labels(problem.code).inc()
    body = problem.to_dict(request.state.request_id)
    return JSONResponse(body, problem.kind.status, headers=problem.headers, media_type=MEDIA_TYPE)


async def answer_problem(request: Request, error: ProblemError) -> Response:
    """For problems that a route has found."""
    return respond(request, error)


async def answer_fault(request: Request, error: IsyaratError) -> Response:
    """For faults of the set-up that show only now, like a database that is away."""
    log.error("fault", extra={"fields": {"reason": str(error)}})
    return respond(request, ProblemError("store-down", "A part of the server cannot be reached.", retry_after_s=10))


async def answer_http(request: Request, error: HTTPException) -> Response:
    """For what Starlette and FastAPI refuse by themselves."""
    if isinstance(error, BodyRefused):
        return respond(request, error.problem)
    code = CODES.get(error.status_code, "invalid-request")
    problem = ProblemError(code, f"{request.method} is not answered at this address: {error.detail}.")
    response = respond(request, problem)
    for name, value in (error.headers or {}).items():  # Allow, with 405
        response.headers[name] = value
    return response


async def answer_validation(request: Request, error: RequestValidationError) -> Response:
    """For a body or a query that does not fit its schema: where and why, never what was sent."""
    faults = [{"at": "/".join(map(str, e["loc"])), "reason": e["msg"]} for e in error.errors()[:20]]
    first = f"{faults[0]['at']}: {faults[0]['reason']}" if faults else "it cannot be read"
    return respond(request, ProblemError("invalid-request", f"The request does not fit: {first}.", errors=faults))


def describe(application: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the problem's schema and the way to authenticate."""
    if application.openapi_schema is None:
        document = get_openapi(
            title=application.title,
            version=application.version,
            description=application.description,
            routes=application.routes,
        )
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas["Problem"] = ProblemOut.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        document["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        settings: ServerSettings = application.state.services.settings
        if settings.keys_file is not None:
            document["security"] = [{"key": []}]
        application.openapi_schema = document
    return application.openapi_schema
