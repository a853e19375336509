"""POST /v1/translations: a clip, frames, or a motion grid to a sentence."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from ..channel import Message
from ..schema import GlossOut, TranslationOut
from ..services import RequestId, Services, ServicesOf, describe_problems
from ..uploads import read_files, read_form, read_grid, read_job, read_text, run_while_connected

router = APIRouter()

BINARY = {"type": "string", "format": "binary"}
COMMON = {
    "bundle": {"type": "string", "maxLength": 50, "description": "One of /v1/bundles; the default when not given."},
    "variety": {"type": "string", "maxLength": 50, "description": "Regional variety of the signer."},
}


def describe_form(*alternatives: dict[str, Any]) -> dict[str, Any]:
    """OpenAPI's `requestBody` of a form that holds one of the alternatives."""
    schema = alternatives[0] if len(alternatives) == 1 else {"oneOf": list(alternatives)}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def describe_fields(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """A form as JSON schema."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


VIDEO = {"video": {**BINARY, "description": "One clip: MP4, MOV, WebM, MKV, AVI, MPEG, GIF."}}
GRID = {"grid": {**BINARY, "description": "The motion grid of one sign, PNG, drawn as /v1/bundles says."}}
FRAMES = {
    "frames": {
        "type": "array",
        "items": BINARY,
        "minItems": 1,
        "maxItems": 3600,
        "description": "JPEG pictures in order.",
    },
    "times_s": {
        "type": "string",
        "description": "Their presentation times: a JSON list of increasing seconds.",
        "examples": ["[0, 0.04, 0.08]"],
    },
}
SECONDS = {"type": "number", "minimum": 0, "maximum": 86400}


@router.post(
    "/translations",
    response_model=TranslationOut,
    responses=describe_problems(
        "clip-unreadable", "unsupported-media", "body-too-large", "upload-too-slow", "busy", "deadline",
        "disk-full", "bundle-unknown",
    ),
    openapi_extra=describe_form(
        describe_fields(VIDEO, **COMMON),
        describe_fields(FRAMES, **COMMON),
        describe_fields(GRID, start_s=SECONDS, end_s=SECONDS, **COMMON),
    ),
    summary="Translate a clip",
)  # fmt: skip
async def translate(request: Request, services: ServicesOf, identifier: RequestId) -> Any:
    """Send one `video`, or `frames` with `times_s`, or one `grid`. Nothing of it is kept."""
    async with read_form(request) as form:
        bundle = services.engine.find_bundle(read_text(form, "bundle"))
        size = bundle.manifest.grid.image_size
        job = await read_job(form, identifier, services.settings.limits, size)
        return await run_job(request, services, job)


@router.post(
    "/glosses",
    response_model=GlossOut,
    responses=describe_problems(
        "picture-unreadable", "body-too-large", "upload-too-slow", "busy", "deadline", "disk-full", "bundle-unknown"
    ),
    openapi_extra=describe_form(describe_fields(GRID, bundle=COMMON["bundle"])),
    summary="Name the sign of a motion grid",
)
async def name_sign(request: Request, services: ServicesOf, identifier: RequestId) -> Any:
    """For clients that cut and draw signs themselves, like the web app."""
    from ..problem import ProblemError

    async with read_form(request) as form:
        bundle = services.engine.find_bundle(read_text(form, "bundle"))
        grids = read_files(form, "grid")
        if len(grids) != 1:
            raise ProblemError("invalid-request", "The form must hold one grid.")
        data = await read_grid(grids[0], bundle.manifest.grid.image_size)
        fields = {"kind": "grid", "id": identifier, "bundle": bundle.manifest.name, "start_s": 0.0, "end_s": 0.0}
        result = await run_job(request, services, Message(fields, [data]))
    if not result["glosses"]:
        return {"gloss": None, "confidence": 0.0, "unknown": False, "alternatives": [], "bundle": result["bundle"]}
    sign = result["glosses"][0]
    return {name: sign[name] for name in ("gloss", "confidence", "unknown", "alternatives")} | {
        "bundle": result["bundle"]
    }


async def run_job(request: Request, services: Services, job: Message) -> dict[str, Any]:
    """Runs a job as long as the client waits for it."""
    work = services.engine.run(job, services.settings.request_timeout_s)
    result = await run_while_connected(request, work)
    services.metrics.count_signs(result)
    return result
