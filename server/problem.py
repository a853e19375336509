"""What can go wrong with a request, as problem details (RFC 9457): each kind has a status, a title and a way out."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from ..data.errors import IsyaratError

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:isyarat:problem:"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem.

    Attributes:
        status: of the HTTP answer.
        title: the same for every problem of the kind.
        way_out: what the client, or whoever runs the server, can do.
    """

    status: int
    title: str
    way_out: str


KINDS: dict[str, Kind] = {
    "invalid-request": Kind(422, "The request does not fit its schema", "Compare it with /v1/openapi.json."),
    "clip-unreadable": Kind(422, "The clip cannot be read", "Record it again or convert it to MP4 (H.264)."),
    "clip-too-long": Kind(422, "The clip is too long", "Cut it into shorter clips."),
    "clip-too-fine": Kind(422, "The picture has too many pixels", "Scale the clip down, 720p is more than enough."),
    "clip-too-costly": Kind(422, "The clip takes too much to decode", "Convert it to MP4 (H.264, 30 fps, 720p)."),
    "picture-unreadable": Kind(422, "A picture cannot be read", "Send whole JPEG frames, or the grid as PNG."),
    "grid-unfit": Kind(422, "The motion grid does not fit the bundle", "Draw it with the geometry in /v1/bundles."),
    "glosses-unfit": Kind(422, "The glosses cannot be read", "Write them as SAYA MAKAN, TERIMA_KASIH, B-U-D-I."),
    "no-consent": Kind(422, "Nothing may be kept without consent", "Ask the person, then send consent=true."),
    "unsupported-media": Kind(415, "This is no video that is accepted", "Send MP4, MOV, WebM, MKV, AVI or MPEG."),
    "body-too-large": Kind(413, "The request is too large", "Send a shorter clip or one of fewer pixels."),
    "upload-too-slow": Kind(408, "The upload took too long", "Send a smaller clip or use a faster connection."),
    "key-missing": Kind(401, "An API key is needed", "Send it as Authorization: Bearer KEY; its owner makes keys."),
    "origin-refused": Kind(403, "This web page may not call the server", "Its owner can allow the page's origin."),
    "not-found": Kind(404, "There is nothing here", "See /v1/openapi.json for what there is."),
    "bundle-unknown": Kind(404, "There is no such bundle", "Choose one of /v1/bundles."),
    "withdrawal-unknown": Kind(404, "Nothing is kept under this token", "Check the token; perhaps it was used before."),
    "method-unknown": Kind(405, "This method is not offered here", "See /v1/openapi.json for the methods."),
    "range-unfit": Kind(416, "The range lies outside the file", "Ask for bytes inside its size."),
    "rate-exceeded": Kind(429, "Too many requests with this key", "Wait as long as Retry-After says."),
    "busy": Kind(429, "The server is at work on other requests", "Wait as long as Retry-After says."),
    "deadline": Kind(503, "There was no time left for the request", "Try again, with a shorter clip if it repeats."),
    "stream-restarted": Kind(503, "The decoder was restarted", "Make the last sign again; the transcript is kept."),
    "stream-unknown": Kind(404, "There is no such stream to go on with", "Open a new one, without session."),
    "starting": Kind(503, "The server is not ready yet", "Wait until /readyz answers 200."),
    "feedback-off": Kind(503, "Feedback is not kept on this server", "Its owner can switch it on."),
    "store-down": Kind(503, "The feedback store cannot be reached", "Try again later; nothing was kept."),
    "disk-full": Kind(507, "The server has no space for the upload", "Try again later; its owner must free space."),
    "internal": Kind(500, "The server has made a mistake", "Try again; report the request_id if it repeats."),
}


class ProblemError(IsyaratError):
    """A problem of one request.

    Arguments:
        code: a key of KINDS.
        detail: a full sentence about this very request.
        retry_after_s: seconds after which another try makes sense.
        content_range: HTTP header of that name.
        extra: further members of the answer.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        retry_after_s: float | None = None,
        content_range: str | None = None,
        **extra: Any,
    ) -> None:
        super().__init__(detail)
        self.code, self.detail, self.extra = code, detail, extra
        self.retry_after_s, self.content_range = retry_after_s, content_range

    @property
    def kind(self) -> Kind:
        """Status, title and way out."""
        return KINDS[self.code]

    @property
    def headers(self) -> dict[str, str]:
        """HTTP headers that belong to the problem."""
        headers = {}
        if self.retry_after_s is not None:
            headers["Retry-After"] = str(max(1, round(self.retry_after_s)))
        if self.content_range is not None:
            headers["Content-Range"] = self.content_range
        if self.kind.status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = 'Bearer realm="isyarat"'
        return headers

    def to_dict(self, request_id: str | None = None) -> dict[str, Any]:
        """The body of the answer."""
        kind = self.kind
        body: dict[str, Any] = {
            "type": PREFIX + self.code,
            "title": kind.title,
            "status": kind.status,
            "detail": self.detail,
            "way_out": kind.way_out,
        }
        if request_id is not None:
            body["request_id"] = request_id
        return body | self.extra
