"""Runs jobs on worker processes: a bounded queue, deadlines, cancellation, replacement of workers and of bundles."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..data.errors import IsyaratError
from ..data.split import hash_file
from ..export.bundle import Bundle
from .channel import Message
from .limits import DecodeLimits
from .problem import ProblemError
from .process import JobExpiredError, WorkerDiedError, WorkerProcess

log = logging.getLogger("isyarat.engine")

# A job whose worker was killed from outside is given to another one: a clip that kills three is at fault.
MOST_TRIES = 3


@dataclass(slots=True, eq=False)
class Job:
    """A message for a worker, and where the answer goes. It owns its file: whoever holds the job last closes it."""

    message: Message
    deadline: float  # by time.monotonic()
    answer: asyncio.Future[dict[str, Any]]
    cancelled: threading.Event = field(default_factory=threading.Event)
    tries: int = 0

    def close(self) -> None:
        """Closes the file."""
        if self.message.file is not None:
            os.close(self.message.file)
            self.message.file = None


@dataclass(slots=True)
class BundleSet:
    """The bundles that are served now.

    Attributes:
        bundles: by name; the first is the default.
        files: of each bundle: (name, bytes, SHA-256), bundle.json first.
        generation: counts the swaps.
    """

    bundles: dict[str, Bundle]
    files: dict[str, list[tuple[str, int, str]]] = field(default_factory=dict)
    generation: int = 0

    @property
    def default(self) -> str:
        """Name of the bundle that is used when a request names none."""
        return next(iter(self.bundles))


def open_bundles(folders: list[Path | None]) -> dict[str, Bundle]:
    """Opens and checks every bundle; None is the one shipped with isyarat.

    Raises:
        IsyaratError: one is missing or damaged, or two have the same name.
    """
    bundles: dict[str, Bundle] = {}
    for folder in folders:
        bundle = Bundle.open(folder)
        if faults := bundle.check_files():
            raise IsyaratError(f"{bundle.folder}: the bundle is damaged ({faults[0]}); install or export it again.")
        name = bundle.manifest.name
        if name in bundles:
            raise IsyaratError(f"Two bundles are named {name!r}; give one of them another name when exporting.")
        bundles[name] = bundle
    return bundles


def list_files(bundle: Bundle) -> list[tuple[str, int, str]]:
    """(name, bytes, SHA-256) of bundle.json and of every file that it lists."""
    manifest = bundle.folder / "bundle.json"
    own = ("bundle.json", manifest.stat().st_size, hash_file(manifest))
    return [own, *((name, entry.bytes, entry.sha256) for name, entry in bundle.manifest.files.items())]


class Engine:
    """A pool of workers behind one queue.

    Arguments:
        folders: of the bundles.
        workers: processes; each uses one core.
        queue_size: jobs that may wait; more are turned away.
        limits: of one job.
        grammar, precision: as for `isyarat translate`.
    """

    def __init__(
        self,
        folders: list[Path | None],
        *,
        workers: int,
        queue_size: int,
        limits: DecodeLimits,
        grammar: str = "rules",
        precision: str | None = None,
    ) -> None:
        self.folders, self.workers, self.queue_size = folders, workers, queue_size
        self.limits, self.grammar, self.precision = limits, grammar, precision
        self.served = BundleSet({})
        self.restarts = 0
        self._queue: deque[Job] = deque()
        self._arrival = asyncio.Condition()
        self._slots: list[asyncio.Task[None]] = []
        self._threads = ThreadPoolExecutor(2 * workers + 2, thread_name_prefix="worker")
        self._running: set[WorkerProcess] = set()
        self._busy_s = 0.2  # moving average of a job's time, for Retry-After
        self._swap = asyncio.Lock()

    @property
    def is_ready(self) -> bool:
        """Whether a worker is loaded and warm."""
        return any(worker.is_alive for worker in self._running)

    @property
    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self._queue)

    @property
    def process_ids(self) -> list[int]:
        """Of the workers that run."""
        return [worker.process.pid for worker in self._running]

    def worker_settings(self, bundles: dict[str, Bundle], role: str) -> dict[str, Any]:
        """First message to a worker."""
        return {
            "bundles": {name: str(bundle.folder) for name, bundle in bundles.items()},
            "grammar": self.grammar,
            "precision": self.precision,
            "limits": self.limits.model_dump(),
            "role": role,
        }

    async def start(self) -> None:
        """Loads the bundles into every worker.

        Raises:
            IsyaratError: a bundle cannot be loaded.
        """
        await self.swap()

    async def swap(self, folders: list[Path | None] | None = None) -> None:
        """Serves the bundles of `folders` (the same folders read anew when none are given) from now on.

        New workers are warm before the old ones are let go, and those finish what they are at: no request is dropped.

        Raises:
            IsyaratError: a bundle cannot be loaded; the old ones go on.
        """
        async with self._swap:
            loop = asyncio.get_running_loop()
            folders = folders if folders is not None else self.folders
            bundles = await loop.run_in_executor(None, open_bundles, folders)
            settings = self.worker_settings(bundles, "clip")
            started = await asyncio.gather(
                *(loop.run_in_executor(self._threads, WorkerProcess, settings) for _ in range(self.workers)),
                return_exceptions=True,
            )
            failed = [result for result in started if isinstance(result, BaseException)]
            fresh = [result for result in started if isinstance(result, WorkerProcess)]
            if failed:
                for worker in fresh:
                    worker.close()
                raise failed[0]
            old, self.folders = self._slots, folders
            files = {name: list_files(bundle) for name, bundle in bundles.items()}
            self.served = BundleSet(bundles, files, self.served.generation + 1)
            self._running |= set(fresh)
            self._slots = [asyncio.create_task(self._run_slot(w, settings, self.served.generation)) for w in fresh]
            async with self._arrival:
                self._arrival.notify_all()
            await asyncio.gather(*old)

    async def stop(self) -> None:
        """Ends all workers; what is under way is given up."""
        for job in list(self._queue):
            job.answer.cancel()
        for slot in self._slots:
            slot.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)
        for worker in list(self._running):
            worker.kill()
        self._running.clear()
        self._threads.shutdown(wait=False)

    def find_bundle(self, name: str | None) -> Bundle:
        """The bundle of that name, or the default.

        Raises:
            ProblemError: there is none.
        """
        name = name or (self.served.default if self.served.bundles else "")
        if name not in self.served.bundles:
            known = ", ".join(self.served.bundles)
            raise ProblemError("bundle-unknown", f"This server has no bundle of that name, but these: {known}.")
        return self.served.bundles[name]

    async def run(self, message: Message, timeout_s: float) -> dict[str, Any]:
        """Queues a job and waits for its result; cancel the caller to give the job up.

        Arguments:
            message: `fields["bundle"]` names the bundle, or is None for the default; its file stays the caller's.
            timeout_s: from now on, waiting in the queue included.

        Raises:
            ProblemError: the queue is full, the time is over, or the clip is at fault.
        """
        if not self.served.bundles:
            raise ProblemError("starting", "No worker is ready yet.", retry_after_s=1)
        if len(self._queue) >= self.queue_size:
            retry_s = (len(self._queue) + 1) * self._busy_s / self.workers
            raise ProblemError("busy", f"{len(self._queue)} requests are waiting already.", retry_after_s=retry_s)
        message.fields["bundle"] = self.find_bundle(message.fields.get("bundle")).manifest.name
        # The caller may be gone, and the number of its file taken by another, before a worker is sent the file.
        file = None if message.file is None else os.dup(message.file)
        message = Message(message.fields, message.blobs, file)
        job = Job(message, time.monotonic() + timeout_s, asyncio.get_running_loop().create_future())
        async with self._arrival:
            self._queue.append(job)
            self._arrival.notify()
        try:
            async with asyncio.timeout(timeout_s):
                answer = await job.answer
        except TimeoutError:
            raise ProblemError(
                "deadline", f"The request was not done within {timeout_s:g} s.", retry_after_s=self._busy_s
            ) from None
        finally:
            job.cancelled.set()
            if job in self._queue:  # else a slot has it
                self._queue.remove(job)
                job.close()
        if "problem" in answer:
            raise ProblemError(answer["problem"]["code"], answer["problem"]["detail"])
        result: dict[str, Any] = answer["result"]
        return result

    async def _run_slot(self, worker: WorkerProcess | None, settings: dict[str, Any], generation: int) -> None:
        """Feeds one worker; replaces it when it has died; returns when its bundles are no longer served."""
        loop = asyncio.get_running_loop()
        try:
            while self.served.generation == generation:
                if worker is None or not worker.is_alive:
                    worker = await self._replace(worker, settings)
                    continue
                job = await self._take(generation)
                if job is None:
                    continue
                # A dead client's or expired job is not begun.
                is_queued_again = False
                try:
                    if not (job.cancelled.is_set() or job.answer.done()):
                        is_queued_again = await self._do(loop, worker, job)
                finally:
                    if not is_queued_again:
                        job.close()
        finally:
            if worker is not None:
                self._running.discard(worker)
                # Closing waits for the process; a cancelled slot has no time for that.
                threading.Thread(target=worker.close, daemon=True).start()

    async def _take(self, generation: int) -> Job | None:
        """The next job; None when the bundles have been swapped meanwhile, or a worker should be looked after."""
        async with self._arrival:
            while not self._queue:
                if self.served.generation != generation:
                    return None
                try:
                    # Now and then a slot looks whether its idle worker still lives.
                    await asyncio.wait_for(self._arrival.wait(), 0.5)
                except TimeoutError:
                    return None
            return self._queue.popleft()

    async def _do(self, loop: asyncio.AbstractEventLoop, worker: WorkerProcess, job: Job) -> bool:
        """Has a worker do a job; True when it died of it and the job is in the queue again."""
        job.tries += 1
        started = time.monotonic()
        try:
            answer = await loop.run_in_executor(self._threads, worker.call, job.message, job.deadline, job.cancelled)
        except JobExpiredError:
            return False  # whoever waited has been told by the deadline, or has left
        except WorkerDiedError as death:
            log.warning("worker died", extra={"fields": {"signal": death.number, "tries": job.tries}})
            if death.number != signal.SIGXCPU and job.tries < MOST_TRIES and not job.answer.done():
                async with self._arrival:
                    self._queue.appendleft(job)
                    self._arrival.notify()
                return True
            detail = "Decoding this clip has ended the decoder" + (
                ": it takes too much processor time." if death.number == signal.SIGXCPU else f" {MOST_TRIES} times."
            )
            answer = {"problem": {"code": "clip-too-costly", "detail": detail}}
        self._busy_s += 0.1 * (time.monotonic() - started - self._busy_s)
        if not job.answer.done():
            job.answer.set_result(answer)
        return False

    async def _replace(self, dead: WorkerProcess | None, settings: dict[str, Any]) -> WorkerProcess | None:
        if dead is not None:
            self._running.discard(dead)
            dead.connection.close()
            self.restarts += 1
        try:
            fresh = await asyncio.get_running_loop().run_in_executor(self._threads, WorkerProcess, settings)
        except (IsyaratError, OSError) as error:
            log.error("worker did not start", extra={"fields": {"reason": str(error)}})
            await asyncio.sleep(1.0)
            return None
        self._running.add(fresh)
        return fresh


def count_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
