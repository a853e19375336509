"""GET /healthz, /readyz and /metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from ..problem import ProblemError
from ..schema import HealthOut
from ..services import ServicesOf, describe_problems

router = APIRouter()


@router.get("/healthz", response_model=HealthOut, summary="Whether the server lives")
async def check_health() -> Any:
    """For the watchdog that restarts it."""
    return {"status": "ok"}


@router.get(
    "/readyz",
    response_model=HealthOut,
    responses={k: v for k, v in describe_problems("starting").items() if k == 503},
    summary="Whether the server can translate",
)
async def check_readiness(services: ServicesOf) -> Any:
    """For the load balancer: 200 once a worker is loaded and warm."""
    if not services.engine.is_ready:
        raise ProblemError("starting", "No worker is ready at the moment.", retry_after_s=1)
    return {"status": "ok"}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **describe_problems()},
    summary="Metrics for Prometheus",
)
async def render_metrics(services: ServicesOf) -> Response:
    """In Prometheus' text format; needs a key where the API does."""
    metrics, engine = services.metrics, services.engine
    metrics.waiting.set(engine.waiting)
    metrics.workers.set(len(engine.process_ids))
    metrics.restarts.set(engine.restarts)
    text, media_type = metrics.render()
    return Response(text, media_type=media_type)
