"""Live streams on the server's side: sessions with a transcript that outlives a dropped connection."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..data.errors import IsyaratError
from .channel import ChannelClosedError, Message, receive_message, send_message
from .grammar import Grammar
from .metrics import Metrics
from .problem import ProblemError
from .process import LARGEST_ANSWER, WorkerProcess
from .settings import ServerSettings

log = logging.getLogger("isyarat.stream")

# Rest after which what was signed is taken for a whole sentence, in seconds after the last sign.
PAUSE_S = 2.0

# Events kept for a client that comes back; an hour of signing without a pause is about 8,000.
MOST_EVENTS = 10_000

# Events that wait for a slow client; one that falls behind further is dropped, and can come back.
MOST_UNSENT = 512

# Events that a client must not miss.
TRANSCRIPT = {"gloss", "sentence", "error", "end"}

Event = dict[str, Any]


class LiveProcess:
    """A worker process for streams, with a thread that reads its events.

    Arguments:
        settings: as for WorkerProcess.
        on_event: called on the event loop with (stream, event).
        on_death: called on the event loop when the process has ended by itself.
    """

    def __init__(
        self,
        settings: dict[str, Any],
        loop: asyncio.AbstractEventLoop,
        on_event: Callable[[str, Event], None],
        on_death: Callable[[LiveProcess], None],
    ) -> None:
        self.worker = WorkerProcess(settings)
        self._loop, self._on_event, self._on_death = loop, on_event, on_death
        self._sender = ThreadPoolExecutor(1, thread_name_prefix="live-send")
        self._is_closing = False
        threading.Thread(target=self._read, name="live-read", daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                fields = receive_message(self.worker.connection, largest=LARGEST_ANSWER).fields
            except ChannelClosedError:
                break
            with contextlib.suppress(RuntimeError):  # the loop is closed: the server is ending
                self._loop.call_soon_threadsafe(self._on_event, fields.pop("stream"), fields)
        if not self._is_closing:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._on_death, self)

    async def send(self, message: Message) -> None:
        """Sends in order; what a dead worker is sent is lost, and its death is told by `on_death`."""
        with contextlib.suppress(ChannelClosedError, RuntimeError):
            await self._loop.run_in_executor(self._sender, send_message, self.worker.connection, message)

    def close(self) -> None:
        """Ends the process."""
        self._is_closing = True
        self._sender.shutdown(wait=False)
        self.worker.kill()


class Session:
    """One stream, connected or waiting for its client to come back.

    Attributes:
        token: the client's secret with which it resumes.
        client: who opened it; nobody else resumes it.
        unsent: events for the connection that is open now; None where there is none.
    """

    def __init__(self, hub: StreamHub, client: str, bundle: str, variety: str | None) -> None:
        self.hub, self.client, self.bundle, self.variety = hub, client, bundle, variety
        self.name = secrets.token_hex(8)
        self.token = secrets.token_urlsafe(24)
        self.process: LiveProcess | None = None
        self.transcript: deque[Event] = deque(maxlen=MOST_EVENTS)
        self.unsent: asyncio.Queue[Event | None] | None = None
        self.left_at = time.monotonic()
        self.is_over = False
        self._seq = 0
        self._last_time_s = -1.0
        self._glosses: list[str] = []
        self._last_end_s = 0.0
        self._dropped = 0
        self._frame: Message | None = None
        self._sending: asyncio.Task[None] | None = None
        self._inbox: asyncio.Queue[Event] = asyncio.Queue()
        self._pump = asyncio.create_task(self._handle_events())

    # From the client.

    def put_frame(self, time_s: float, picture: bytes) -> None:
        """A frame for the worker; it takes the place of one that has not been sent yet.

        Raises:
            ProblemError: its time does not lie after the last frame's.
        """
        if time_s <= self._last_time_s:
            raise ProblemError("invalid-request", f"The frame's time {time_s:g} s does not lie after the last one's.")
        self._last_time_s = time_s
        if self._frame is not None:
            self.hub.metrics.dropped.inc()
        self._frame = Message({"stream": self.name, "kind": "frame", "time_s": time_s}, [picture])
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_frames())

    async def _send_frames(self) -> None:
        while self._frame is not None and self.process is not None:
            message, self._frame = self._frame, None
            await self.process.send(message)

    async def put_grid(self, picture: bytes, start_s: float, end_s: float) -> None:
        """A motion grid that the client has drawn itself."""
        assert self.process is not None
        fields = {"stream": self.name, "kind": "grid", "start_s": start_s, "end_s": end_s}
        await self.process.send(Message(fields, [picture]))

    async def finish(self) -> None:
        """No frame comes any more; the worker answers with what is still open, and the end."""
        if self._sending is not None:
            await self._sending
        if self.process is not None:
            await self.process.send(Message({"stream": self.name, "kind": "close"}))

    # From the worker.

    def take(self, event: Event) -> None:
        """An event of the worker's."""
        self._inbox.put_nowait(event)

    async def _handle_events(self) -> None:
        while True:
            event = await self._inbox.get()
            try:
                await self._handle(event)
            except Exception:  # one bad event must not silence a stream
                log.exception("stream event")

    async def _handle(self, event: Event) -> None:
        kind = event["event"]
        if kind == "stage":
            self.hub.metrics.dropped.inc(event["dropped"] - self._dropped)
            self._dropped = event["dropped"]
        if kind == "end":
            await self._end_sentence()
            self.emit({"event": "end", "translation": event["translation"]})
            self.is_over = True
            if self.unsent is not None:
                self.unsent.put_nowait(None)
            return
        if kind == "gloss" and self._glosses and event["start_s"] - self._last_end_s >= PAUSE_S:
            await self._end_sentence()
        self.emit(event)
        if kind == "gloss":
            self._glosses.append(event["gloss"])
            self._last_end_s = event["end_s"]
            self.hub.metrics.signs.labels(self.bundle, str(not event["unknown"]).lower()).inc()
            self.emit(await self._compose(final=False))
        elif kind == "stage" and event["stage"] == "idle" and event["time_s"] - self._last_end_s >= PAUSE_S:
            await self._end_sentence()

    async def _compose(self, *, final: bool) -> Event:
        grammar, glosses = self.hub.grammar, list(self._glosses)
        result = await asyncio.to_thread(grammar.compose, glosses, variety=self.variety)
        return {"event": "sentence", "text": result.text, "glosses": glosses, "final": final}

    async def _end_sentence(self) -> None:
        if self._glosses:
            self.emit(await self._compose(final=True))
            self._glosses.clear()

    def restart(self) -> None:
        """The worker has died and the stream goes on in another: the sign being made is lost, and nothing else."""
        self._dropped = 0
        problem = ProblemError("stream-restarted", "The decoder of this stream was restarted.")
        self.take({"event": "error", "problem": problem.to_dict()})

    # To the client.

    def emit(self, event: Event) -> None:
        """Numbers an event of the transcript, keeps it, and hands it to the connection."""
        if event["event"] in TRANSCRIPT:
            self._seq += 1
            event = {**event, "seq": self._seq}
            self.transcript.append(event)
        if self.unsent is not None:
            if self.unsent.qsize() >= MOST_UNSENT:
                self.detach(self.unsent)
            else:
                self.unsent.put_nowait(event)

    def attach(self, after: int) -> asyncio.Queue[Event | None]:
        """A connection takes over, an older one is ended; it first gets the events of the transcript after `after`."""
        if self.unsent is not None:
            self.unsent.put_nowait(None)
        self.unsent = asyncio.Queue()
        for event in self.transcript:
            if event["seq"] > after:
                self.unsent.put_nowait(event)
        if self.is_over:
            self.unsent.put_nowait(None)
        return self.unsent

    def detach(self, queue: asyncio.Queue[Event | None]) -> None:
        """The connection has gone; if it still was the newest, the session waits for another."""
        if self.unsent is queue:
            queue.put_nowait(None)
            self.unsent = None
            self.left_at = time.monotonic()

    def close(self) -> None:
        """Stops handling events."""
        self._pump.cancel()


class StreamHub:
    """All streams of a server and the process that serves them.

    Arguments:
        worker_settings: gives the first message to a worker of the bundles that are served now.
    """

    def __init__(
        self,
        settings: ServerSettings,
        grammar: Grammar,
        metrics: Metrics,
        worker_settings: Callable[[], dict[str, Any]],
    ) -> None:
        self.settings, self.grammar, self.metrics = settings, grammar, metrics
        self._worker_settings = worker_settings
        self.sessions: dict[str, Session] = {}  # by name
        self.process: LiveProcess | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._is_stopping = False

    async def start(self) -> None:
        """Loads the worker, when streams are offered at all.

        Raises:
            IsyaratError: a bundle cannot be loaded.
        """
        if self.settings.max_streams:
            self.process = await self._start_process()
            self._sweeper = asyncio.create_task(self._sweep())

    async def swap(self) -> None:
        """New streams use the bundles that are served now; those that are open end with the ones they began with."""
        if self.process is not None:
            old, self.process = self.process, await self._start_process()
            self._close_unused(old)

    async def stop(self) -> None:
        """Ends everything."""
        self._is_stopping = True
        if self._sweeper is not None:
            self._sweeper.cancel()
        for session in list(self.sessions.values()):
            self.remove(session)
        if self.process is not None:
            self.process.close()

    async def _start_process(self) -> LiveProcess:
        loop = asyncio.get_running_loop()
        settings = self._worker_settings()
        return await loop.run_in_executor(None, LiveProcess, settings, loop, self._take, self._bury)

    def _take(self, name: str, event: Event) -> None:
        if name in self.sessions:
            self.sessions[name].take(event)

    def _bury(self, dead: LiveProcess) -> None:
        dead.close()
        if not self._is_stopping:
            log.warning("stream worker died")
            self._revival = asyncio.create_task(self._revive(dead))

    async def _revive(self, dead: LiveProcess) -> None:
        """Opens the dead worker's streams in another one."""
        while dead is self.process:
            try:
                self.process = await self._start_process()
            except (IsyaratError, OSError) as error:
                log.error("stream worker did not start", extra={"fields": {"reason": str(error)}})
                await asyncio.sleep(1.0)
        for session in list(self.sessions.values()):
            if session.process is dead and not session.is_over:
                await self._open(session)
                session.restart()

    async def open(self, client: str, bundle: str, variety: str | None) -> Session:
        """A new session.

        Raises:
            ProblemError: there are too many, or no worker.
        """
        if self.process is None:
            raise ProblemError("starting", "This server offers no streams at the moment.", retry_after_s=5)
        if len(self.sessions) >= self.settings.max_streams:
            waiting = [s for s in self.sessions.values() if s.unsent is None]
            if not waiting:
                raise ProblemError("busy", f"{len(self.sessions)} streams are open already.", retry_after_s=10)
            self.remove(min(waiting, key=lambda s: s.left_at))
        session = Session(self, client, bundle, variety)
        self.sessions[session.name] = session
        self.metrics.streams.set(len(self.sessions))
        await self._open(session)
        return session

    async def _open(self, session: Session) -> None:
        assert self.process is not None
        session.process = self.process
        fields = {"stream": session.name, "kind": "open", "bundle": session.bundle, "variety": session.variety}
        await self.process.send(Message(fields))

    def resume(self, client: str, token: str) -> Session:
        """The session of that token.

        Raises:
            ProblemError: there is none (any more), or it is another client's.
        """
        found = None
        for session in self.sessions.values():
            if hmac.compare_digest(session.token.encode(), token.encode()) and session.client == client:
                found = session
        if found is None:
            raise ProblemError("stream-unknown", "The stream is over, or was never open.")
        return found

    def remove(self, session: Session) -> None:
        """Forgets a session and all of its transcript."""
        self.sessions.pop(session.name, None)
        self.metrics.streams.set(len(self.sessions))
        session.close()
        if session.unsent is not None:
            session.unsent.put_nowait(None)
        if session.process is not None:
            if not session.is_over and not self._is_stopping:
                self._closing = asyncio.create_task(session.finish())
            self._close_unused(session.process)

    def _close_unused(self, process: LiveProcess) -> None:
        if process is not self.process and all(s.process is not process for s in self.sessions.values()):
            process.close()

    async def _sweep(self) -> None:
        """Removes sessions whose client has not come back."""
        while True:
            await asyncio.sleep(min(1.0, max(0.05, self.settings.resume_s / 4)))
            for session in list(self.sessions.values()):
                if session.unsent is None and time.monotonic() - session.left_at > self.settings.resume_s:
                    self.remove(session)
