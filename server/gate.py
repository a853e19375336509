"""What every request passes before it reaches a route: id, key, rate, limits of the upload, headers, log, metrics."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .keys import Key, KeyRing, RateLimiter
from .logs import request_id
from .metrics import Metrics
from .problem import MEDIA_TYPE, ProblemError
from .settings import ServerSettings

log = logging.getLogger("isyarat.request")

# What needs no key: whether the server lives, the document of the API, and the web app's own files.
OPEN_PATHS = ("/healthz", "/readyz")
DOCUMENT = "/v1/openapi.json"
GUARDED_PREFIXES = ("/v1", "/metrics")

# The API's answers are no pages; the web app loads from its own server alone, and camera pictures stay in it.
API_POLICY = "default-src 'none'; frame-ancestors 'none'"
WEB_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self' "
    "'unsafe-inline'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; object-src 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
}

# Subprotocol in which a browser, which cannot set headers on a WebSocket, states its key.
KEY_PROTOCOL = "isyarat.key."


class BodyRefused(HTTPException):
    """A problem found while the body comes in; an HTTPException, because FastAPI lets no other pass."""

    def __init__(self, problem: ProblemError) -> None:
        super().__init__(problem.kind.status, problem.detail)
        self.problem = problem


class Gate:
    """ASGI middleware.

    Arguments:
        app: what is behind it.
        ring: the keys; None: every client may call.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings, ring: KeyRing | None, metrics: Metrics) -> None:
        self.app, self.settings, self.ring, self.metrics = app, settings, ring, metrics
        self.limiter = RateLimiter()
        self.uploads = 0
        self.bytes_in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one connection."""
        if scope["type"] == "http":
            await Passage(self, scope, receive, send).run()
        elif scope["type"] == "websocket":
            await self._admit_websocket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _admit_websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id.set(secrets.token_hex(8))
        try:
            self.check_origin(scope)
            scope.setdefault("state", {})["client"] = self.admit(scope)
        except ProblemError as problem:
            self.metrics.problems.labels(problem.code).inc()
            await receive()
            await self._deny(scope, send, problem)
            return
        await self.app(scope, receive, send)

    async def _deny(self, scope: Scope, send: Send, problem: ProblemError) -> None:
        """Answers the handshake with the problem where the server can do that."""
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": problem.kind.title})
            return
        headers = [(k.lower().encode(), v.encode()) for k, v in {**problem.headers, "Content-Type": MEDIA_TYPE}.items()]
        body = json.dumps(problem.to_dict(request_id.get())).encode()
        status = problem.kind.status
        await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": body})

    def check_origin(self, scope: Scope) -> None:
        """Browsers do not keep pages of others from opening a WebSocket; this does.

        Raises:
            ProblemError: the page is neither the server's own nor on the list.
        """
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin in self.settings.origins:
            return
        if urlsplit(origin).netloc != headers.get("host"):
            raise ProblemError("origin-refused", "The page that asks for a stream is not this server's own.")

    def admit(self, scope: Scope) -> str:
        """Who the client is, for logs and for the rate.

        Raises:
            ProblemError: no key, an unknown one, or too many requests with it.
        """
        address = scope["client"][0] if scope.get("client") else "local"
        key = None
        if self.ring is not None:
            key = self._find_key(Headers(scope=scope), scope.get("subprotocols", ()))
            if key is None:
                raise ProblemError("key-missing", "The request carries no key, or one that is not known.")
        rate = key.rate_per_minute if key is not None and key.rate_per_minute is not None else None
        rate = self.settings.rate_per_minute if rate is None else rate
        client = f"key {key.name}" if key is not None else f"address {address}"
        if rate:
            wait_s = self.limiter.take(client, rate)
            if wait_s:
                raise ProblemError("rate-exceeded", f"More than {rate} requests a minute.", retry_after_s=wait_s + 0.5)
        return client

    def _find_key(self, headers: Headers, subprotocols: Iterable[str]) -> Key | None:
        assert self.ring is not None
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.ring.find(value.strip())
        for protocol in subprotocols:
            if protocol.startswith(KEY_PROTOCOL):
                return self.ring.find(protocol.removeprefix(KEY_PROTOCOL))
        return None


class Passage:
    """One HTTP request on its way through the gate."""

    def __init__(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        self.gate, self.scope, self._receive, self._send = gate, scope, receive, send
        self.id = secrets.token_hex(8)
        self.client = ""
        self.started = time.monotonic()
        self.bytes_in = 0
        self.status = 0
        self.is_uploading = False
        self.is_whole = False  # whether the body has come in

    async def run(self) -> None:
        """Lets the request through, or answers why not."""
        request_id.set(self.id)
        self.scope.setdefault("state", {})["request_id"] = self.id
        path = self.scope["path"]
        try:
            if path.startswith(GUARDED_PREFIXES) and path != DOCUMENT:
                self.client = self.scope["state"]["client"] = self.gate.admit(self.scope)
            self._check_length(Headers(scope=self.scope))
            await self.gate.app(self.scope, self.receive, self.send)
        except ProblemError as problem:
            await self._answer(problem)
        except ClientDisconnect:
            self.status = self.status or 499
        except Exception:
            log.exception("unexpected")
            await self._answer(ProblemError("internal", "The request met a fault of the server."))
        finally:
            if self.is_uploading:
                self.gate.uploads -= 1
            self.gate.bytes_in_flight -= self.bytes_in
            self._record()

    def _check_length(self, headers: Headers) -> None:
        length = headers.get("content-length", "")
        most = self.gate.settings.max_upload_bytes
        if length.isdecimal() and int(length) > most:
            raise ProblemError("body-too-large", f"The request has {length} bytes; {most} are accepted.")

    async def receive(self) -> Message:
        """The next part of the body, in time and within the size."""
        if self.is_whole:
            return await self._receive()
        settings = self.gate.settings
        if not self.is_uploading:
            if self.gate.uploads >= settings.max_uploads:
                raise BodyRefused(ProblemError("busy", f"{self.gate.uploads} requests are coming in.", retry_after_s=2))
            self.gate.uploads += 1
            self.is_uploading = True
        left_s = settings.upload_timeout_s - (time.monotonic() - self.started)
        try:
            message = await asyncio.wait_for(self._receive(), max(left_s, 0.001))
        except TimeoutError:
            detail = f"The request had not come in after {settings.upload_timeout_s:g} s."
            raise BodyRefused(ProblemError("upload-too-slow", detail)) from None
        size = len(message.get("body", b""))
        self.bytes_in += size
        self.gate.bytes_in_flight += size
        if self.bytes_in > settings.max_upload_bytes:
            detail = f"The request has more than the {settings.max_upload_bytes} bytes that are accepted."
            raise BodyRefused(ProblemError("body-too-large", detail))
        if self.gate.bytes_in_flight > settings.max_bytes_in_flight:
            raise BodyRefused(ProblemError("busy", "Too much is coming in at the moment.", retry_after_s=5))
        if message["type"] == "http.request" and not message.get("more_body", False):
            self.is_whole, self.is_uploading = True, False
            self.gate.uploads -= 1
        return message

    async def send(self, message: Message) -> None:
        """Puts the headers on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            is_api = self.scope["path"].startswith((*GUARDED_PREFIXES, *OPEN_PATHS))
            added: Mapping[str, str] = {
                **HEADERS,
                "content-security-policy": API_POLICY if is_api else WEB_POLICY,
                "x-request-id": self.id,
            }
            for name, value in added.items():
                headers[name] = value
            if is_api:
                headers.setdefault("cache-control", "no-store")
        await self._send(message)

    async def _answer(self, problem: ProblemError) -> None:
        if self.status:  # the answer had begun: all that can be done is to break it off
            return
        self.gate.metrics.problems.labels(problem.code).inc()
        body = json.dumps(problem.to_dict(self.id)).encode()
        headers = {**problem.headers, "Content-Type": MEDIA_TYPE, "Content-Length": str(len(body))}
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": problem.kind.status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": body})

    def _record(self) -> None:
        """Log and metrics; the route's template, never the path that was asked for."""
        seconds = time.monotonic() - self.started
        route: Any = self.scope.get("route")
        template = getattr(route, "path", None) or "unmatched"
        if route is not None and self.scope["path"].startswith("/v1") and not template.startswith("/v1"):
            template = "/v1" + template  # FastAPI gives the path within the router
        method = self.scope["method"] if self.scope["method"] in {"GET", "POST", "HEAD", "OPTIONS"} else "other"
        self.gate.metrics.requests.labels(method, template, str(self.status)).inc()
        self.gate.metrics.seconds.labels(template).observe(seconds)
        fields = {
            "method": method, "route": template, "status": self.status, "ms": round(seconds * 1e3, 1),
            "bytes_in": self.bytes_in, "key": self.client if self.client.startswith("key ") else None,
        }  # fmt: skip
        log.info("request", extra={"fields": fields})
