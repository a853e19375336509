"""WS /v1/stream: frames or motion grids in, signs and sentences out while they are signed.

A binary message is one line of JSON, a line feed, and a picture: {"type": "frame", "time_s": 1.24} with a JPEG, or
{"type": "grid", "start_s": 0.8, "end_s": 2.3} with a PNG. The text message {"type": "end"} ends the stream. The server
sends events as JSON texts: open, stage, segment, gloss, sentence, error, end. Those of the transcript are numbered
(`seq`): a client that was cut off connects again with ?session=…&after=SEQ and misses none of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, WebSocket
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocketDisconnect

from ..gate import KEY_PROTOCOL
from ..logs import request_id
from ..problem import ProblemError
from ..services import Services
from ..stream import Event, Session
from ..uploads import check_frame, check_grid

router = APIRouter()

# Messages that make no sense, after which the connection is closed.
MOST_FAULTS = 20

# Seconds that the worker has to name what an ended stream still holds.
END_S = 10.0

# The line of JSON before a picture.
LONGEST_LINE = 512

# Close codes (RFC 6455, 7.4.1, and the registry): policy violated, too busy.
POLICY, TRY_AGAIN = 1008, 1013

PROTOCOL = "isyarat"

Seconds = Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)]


class FrameHead(BaseModel):
    """Before a JPEG."""

    model_config = ConfigDict(extra="forbid")

    type: Annotated[str, Field(pattern="^frame$")]
    time_s: Seconds


class GridHead(BaseModel):
    """Before a PNG."""

    model_config = ConfigDict(extra="forbid")

    type: Annotated[str, Field(pattern="^grid$")]
    start_s: Seconds
    end_s: Seconds


HEAD: TypeAdapter[FrameHead | GridHead] = TypeAdapter(FrameHead | GridHead)


@router.websocket("/stream")
async def stream(
    socket: WebSocket,
    bundle: Annotated[str | None, Query(max_length=50)] = None,
    variety: Annotated[str | None, Query(max_length=50)] = None,
    session: Annotated[str | None, Query(max_length=100)] = None,
    after: Annotated[int, Query(ge=0)] = 0,
) -> None:
    """See the module."""
    services: Services = socket.app.state.services
    offered = [protocol for protocol in socket.scope["subprotocols"] if not protocol.startswith(KEY_PROTOCOL)]
    await socket.accept(subprotocol=PROTOCOL if PROTOCOL in offered else None)
    client = socket.state.client
    try:
        if session is not None:
            opened = services.streams.resume(client, session)
        else:
            name = services.engine.find_bundle(bundle).manifest.name
            opened = await services.streams.open(client, name, variety)
    except ProblemError as problem:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await socket.send_text(dump(describe(problem)))
            await socket.close(TRY_AGAIN if problem.retry_after_s else POLICY, problem.kind.title)
        return
    await Connection(socket, services, opened).run(resumed=session is not None, after=after)


class Connection:
    """One connection to a session."""

    def __init__(self, socket: WebSocket, services: Services, session: Session) -> None:
        self.socket, self.services, self.session = socket, services, session
        self.faults = 0

    async def run(self, *, resumed: bool, after: int) -> None:
        """Passes messages both ways until one side has gone or the stream is over."""
        unsent = self.session.attach(after)
        opened = {
            "event": "open", "session": self.session.token, "bundle": self.session.bundle, "resumed": resumed,
        }  # fmt: skip
        sending = asyncio.create_task(self._send(unsent, opened))
        receiving = asyncio.create_task(self._receive())
        try:
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, receiving):
                task.cancel()
            await asyncio.gather(sending, receiving, return_exceptions=True)
            self.session.detach(unsent)
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.close(POLICY if self.faults >= MOST_FAULTS else 1000)

    async def _send(self, unsent: asyncio.Queue[Event | None], opened: Event) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.send_text(dump(opened))
            while (event := await unsent.get()) is not None:
                await self.socket.send_text(dump(event))

    async def _receive(self) -> None:
        idle_s = self.services.settings.stream_idle_s
        while self.faults < MOST_FAULTS:
            try:
                message = await asyncio.wait_for(self.socket.receive(), idle_s)
            except TimeoutError:
                await self.session.finish()
                await asyncio.sleep(END_S)  # the other task sends the end, which ends the connection
                return
            if message["type"] == "websocket.disconnect":
                return
            try:
                await self._take(message)
            except ProblemError as problem:
                self.faults += 1
                self.services.metrics.problems.labels(problem.code).inc()
                with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                    await self.socket.send_text(dump(describe(problem)))

    async def _take(self, message: Any) -> None:
        """One message of the client's.

        Raises:
            ProblemError: it makes no sense.
        """
        text, data = message.get("text"), message.get("bytes")
        if text is not None:
            if text.strip() != "" and parse(text) == {"type": "end"}:
                await self.session.finish()
                return
            raise ProblemError("invalid-request", 'The only text message is {"type": "end"}.')
        line, separator, picture = (data or b"").partition(b"\n")
        if not separator or len(line) > LONGEST_LINE:
            raise ProblemError("invalid-request", "A binary message is one line of JSON, a line feed, and a picture.")
        try:
            head = HEAD.validate_python(parse(line))
        except ValidationError:
            raise ProblemError(
                "invalid-request", 'The line must be like {"type": "frame", "time_s": 1.24}, or a grid\'s.'
            ) from None
        if isinstance(head, FrameHead):
            check_frame(picture, self.services.settings.limits, "A frame")
            self.session.put_frame(head.time_s, picture)
        else:
            # The bundle may have been swapped meanwhile; the stream goes on with the one it began with.
            served = self.services.engine.served.bundles.get(self.session.bundle)
            if served is not None:
                check_grid(picture, served.manifest.grid.image_size)
            await self.session.put_grid(picture, head.start_s, head.end_s)


def parse(text: str | bytes) -> Any:
    """JSON, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def describe(problem: ProblemError) -> Event:
    """A problem of this connection as an event."""
    return {"event": "error", "problem": problem.to_dict(request_id.get())}


def dump(event: Event) -> str:
    """An event as text."""
    return json.dumps(event, ensure_ascii=False)
