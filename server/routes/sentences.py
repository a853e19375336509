"""POST /v1/sentences: glosses to a sentence."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter

from ...data.errors import IsyaratError
from ..grammar import parse_glosses
from ..problem import ProblemError
from ..schema import SentenceIn, SentenceOut
from ..services import ServicesOf, describe_problems

router = APIRouter()

# How a gloss line marks a question that the face asks.
QUESTION = "?"


@router.post(
    "/sentences",
    response_model=SentenceOut,
    responses=describe_problems("glosses-unfit", "body-too-large", "upload-too-slow", "busy"),
    summary="Put glosses into a sentence",
)
async def compose(body: SentenceIn, services: ServicesOf) -> Any:
    """The glosses come back with the sentence, as they were read."""
    try:
        glosses = parse_glosses(" ".join([*body.glosses, *([QUESTION] if body.question else [])]))
    except IsyaratError as error:
        raise ProblemError("glosses-unfit", str(error)) from None
    result = await asyncio.to_thread(services.grammar.compose, glosses, variety=body.variety)
    return {"glosses": result.glosses, "sentence": result.text, "backend": result.backend}
