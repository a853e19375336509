"""GET /v1/bundles: what the server runs, and the files for clients that run it themselves."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, Response

from ..problem import ProblemError
from ..schema import BundlesOut
from ..services import ServicesOf, describe_problems

router = APIRouter()

# One range: bytes=0-99, bytes=100-, bytes=-100 (the last hundred).
RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})", re.ASCII)


@router.get("/bundles", response_model=BundlesOut, responses=describe_problems(), summary="List the bundles")
async def list_bundles(services: ServicesOf) -> Any:
    """With every file's size, SHA-256 and address."""
    served = services.engine.served
    return {
        "bundles": [
            {
                "name": name,
                "default": name == served.default,
                "glosses": bundle.lexicon.glosses,
                "grid": bundle.manifest.grid.model_dump(),
                "licence": bundle.manifest.licence,
                "files": [
                    {
                        "name": file,
                        "bytes": size,
                        "sha256": digest,
                        "url": f"/v1/bundles/{name}/{file}",
                    }
                    for file, size, digest in served.files[name]
                ],
            }
            for name, bundle in served.bundles.items()
        ]
    }


@router.api_route(
    "/bundles/{name}/{file:path}",
    methods=["GET"],
    response_class=FileResponse,
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
        206: {
            "description": "The part that Range asked for",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        },
        304: {"description": "Unchanged since If-None-Match"},
        **describe_problems("bundle-unknown", "range-unfit"),
    },
    summary="Download a file of a bundle",
)
async def send_file(name: str, file: str, request: Request, services: ServicesOf) -> Response:
    """Whole or in parts (Range), with the SHA-256 as ETag, so that a broken download goes on where it broke."""
    bundle = services.engine.find_bundle(name)
    # The name is looked up among those the bundle lists; it is never part of a path.
    known = {entry: (size, digest) for entry, size, digest in services.engine.served.files[bundle.manifest.name]}
    if file not in known:
        raise ProblemError("not-found", "The bundle has no file of that name.")
    etag = f'"{known[file][1]}"'
    # no-cache: keep it, but ask whether it is still the same, which costs one 304.
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    wanted = request.headers.get("if-none-match", "")
    if wanted == "*" or etag in [tag.strip().removeprefix("W/") for tag in wanted.split(",")]:
        return Response(status_code=304, headers=headers)
    check_range(request, known[file][0])
    return FileResponse(bundle.folder / file, headers=headers, media_type="application/octet-stream")


def check_range(request: Request, size: int) -> None:
    """Lets one range of bytes inside the file pass; ignores what is none, as RFC 9110 (14.2) allows.

    Raises:
        ProblemError: the range lies outside the file.
    """
    found = RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    first, last = (found[1], found[2]) if found else ("", "")
    if not (first or last) or (first and last and int(last) < int(first)):
        request.scope["headers"] = [pair for pair in request.scope["headers"] if pair[0] != b"range"]
    elif int(first or 0) >= size or (not first and int(last) == 0):
        detail = f"The file has {size} bytes, and none of them in that range."
        raise ProblemError("range-unfit", detail, content_range=f"bytes */{size}")
