"""POST /v1/feedback and /v1/withdrawals: corrections with consent, and their end."""

from __future__ import annotations

import asyncio
import json
from typing import Any, BinaryIO

from fastapi import APIRouter, Request
from starlette.datastructures import FormData

from ...data.errors import IsyaratError
from ..grammar import parse_glosses
from ..problem import ProblemError
from ..schema import FeedbackOut, WithdrawalIn, WithdrawalOut
from ..services import Services, ServicesOf, describe_problems
from ..uploads import read_clip, read_files, read_form, read_grid, read_text
from .translations import BINARY, describe_fields, describe_form

router = APIRouter()

GLOSSES = {"type": "string", "maxLength": 2000, "examples": ["SAYA MAKAN"]}
FORM = describe_fields(
    {"consent": {"type": "string", "enum": ["true", "false"], "description": "Whether the person agrees to keep it."}},
    clip={"type": "string", "maxLength": 64, "description": "`clip` of the translation that it is about."},
    bundle={"type": "string", "maxLength": 50, "description": "`bundle` of that translation."},
    variety={"type": "string", "maxLength": 50, "description": "Regional variety of the signer."},
    answered={**GLOSSES, "description": "The glosses as they were answered."},
    corrected={**GLOSSES, "description": "The glosses as they should have been."},
    sentence={"type": "string", "maxLength": 2000, "description": "The sentence as it should have been."},
    rating={"type": "integer", "minimum": 1, "maximum": 5, "description": "1 useless .. 5 right."},
    token={"type": "string", "maxLength": 200, "description": "The withdrawal_token of the person's first feedback."},
    grid={**BINARY, "description": "The motion grid that was misread, PNG; only with consent."},
    video={**BINARY, "description": "The clip that was misread; only with consent."},
)


@router.post(
    "/feedback",
    response_model=FeedbackOut,
    responses=describe_problems(
        "no-consent", "unsupported-media", "body-too-large", "upload-too-slow", "busy", "bundle-unknown",
        "feedback-off", "disk-full",
    ),
    openapi_extra=describe_form(FORM),
    summary="Correct or rate a translation",
)  # fmt: skip
async def give_feedback(request: Request, services: ServicesOf) -> Any:
    """Without consent nothing is kept; the rating is counted. With it, the answer tells how to withdraw it."""
    async with read_form(request) as form:
        consent = read_text(form, "consent")
        if consent not in {"true", "false"}:
            raise ProblemError("invalid-request", "The field consent must be true or false.")
        rating = read_rating(form)
        if consent == "false":
            if form.getlist("grid") or form.getlist("video"):
                raise ProblemError("no-consent", "A picture or clip of a person was sent with consent=false.")
            count_rating(services, rating)
            return {"stored": False, "id": None, "withdrawal_token": None}
        services.feedback.require()
        receipt = await store(services, form, rating)
        count_rating(services, rating)
        return {"stored": True, "id": receipt.id, "withdrawal_token": receipt.token}


async def store(services: Services, form: FormData, rating: int | None) -> Any:
    """Keeps a feedback with consent."""
    await asyncio.to_thread(services.feedback.open)
    from ..feedback.store import Feedback

    feedback = Feedback(
        clip=read_text(form, "clip", longest=64),
        bundle=read_text(form, "bundle"),
        answered=read_glosses(form, "answered"),
        corrected=read_glosses(form, "corrected"),
        sentence=read_text(form, "sentence", longest=2000),
        variety=read_text(form, "variety"),
        rating=rating,
        media=await read_media(services, form),
    )
    if not (feedback.corrected or feedback.sentence or feedback.rating or feedback.media):
        raise ProblemError("invalid-request", "Give a correction, a sentence, a rating, or a picture.")
    return await services.feedback.add(feedback, read_text(form, "token", longest=200))


async def read_media(services: Services, form: FormData) -> tuple[BinaryIO, str] | None:
    """The picture or clip, looked at as those of translations are."""
    grids, videos = read_files(form, "grid"), read_files(form, "video")
    if len(grids) + len(videos) > 1:
        raise ProblemError("invalid-request", "Give one grid or one video.")
    if grids:
        bundle = services.engine.find_bundle(read_text(form, "bundle"))
        await read_grid(grids[0], bundle.manifest.grid.image_size)
    elif videos:
        await read_clip(videos[0])
    else:
        return None
    upload, kind = (grids[0], "grid") if grids else (videos[0], "video")
    await upload.seek(0)
    return upload.file, kind


def read_glosses(form: FormData, name: str) -> list[str]:
    """Glosses in a field."""
    try:
        return parse_glosses(read_text(form, name, longest=2000) or "")
    except IsyaratError as error:
        raise ProblemError("glosses-unfit", str(error)) from None


def read_rating(form: FormData) -> int | None:
    """The field rating: 1 .. 5."""
    text = read_text(form, "rating")
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 5:
        raise ProblemError("invalid-request", "The field rating must be a whole number from 1 to 5.")
    return value


def count_rating(services: Services, rating: int | None) -> None:
    """In the metrics, where it says nothing about anybody."""
    if rating is not None:
        services.metrics.ratings.labels(str(rating)).inc()


@router.post(
    "/withdrawals",
    response_model=WithdrawalOut,
    responses=describe_problems("withdrawal-unknown", "feedback-off", "body-too-large", "upload-too-slow", "busy"),
    summary="Delete everything of a person",
)
async def withdraw(body: WithdrawalIn, services: ServicesOf) -> Any:
    """All feedback, pictures and clips that the token's person has ever given."""
    entries, files = await services.feedback.withdraw(body.token)
    return {"feedback": entries, "files": files}
