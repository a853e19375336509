"""The server's side of a worker process: start it, give it a job, end it."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from ..data.errors import IsyaratError
from .channel import ChannelClosedError, Message, receive_message, send_message

# Importing, loading and warming took 0.6 s on 2 free cores; a loaded machine gets a hundred times as long.
START_S = 60.0

# A cancelled job stops at its next frame; a worker that has not answered by then is inside a decoder.
CANCEL_S = 2.0

# Answers are glosses and sentences.
LARGEST_ANSWER = 16 * 1024 * 1024

# What a worker may know of the server's environment: nothing that could be a secret.
ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "TMPDIR", "SYSTEMROOT")


class WorkerDiedError(Exception):
    """The process ended in the middle of a job.

    Arguments:
        signal: that ended it, if one did.
    """

    def __init__(self, number: int | None) -> None:
        super().__init__(f"signal {number}")
        self.number = number


class JobExpiredError(Exception):
    """The job was given up: its time was over, or nobody waited any more."""


class WorkerProcess:
    """One worker. Methods block; each worker is used by one thread at a time.

    Arguments:
        settings: first message to the worker: bundles, grammar, precision, limits, role.

    Raises:
        IsyaratError: it did not start, or a bundle cannot be loaded.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.connection, theirs = socket.socketpair()
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        # Arenas of malloc and threads of OpenBLAS reserve address space that the limit would count.
        environment |= {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        with theirs:
            self.process = subprocess.Popen(
                # -P: a folder named like a library in the working directory is not imported.
                [sys.executable, "-P", "-m", "isyarat.server.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment,
            )
        try:
            send_message(self.connection, Message(settings))
            answer = self._wait(time.monotonic() + START_S, None).fields
        except (ChannelClosedError, JobExpiredError) as error:
            self.kill()
            raise IsyaratError("A worker process did not start; look at the log above and try again.") from error
        if "error" in answer:
            self.kill()
            raise IsyaratError(str(answer["error"]))

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    def call(self, job: Message, deadline: float, cancelled: threading.Event) -> dict[str, Any]:
        """Gives the worker a job and waits for the answer.

        Arguments:
            deadline: by time.monotonic().
            cancelled: set when nobody waits any more.

        Raises:
            WorkerDiedError: the worker ended.
            JobExpiredError: given up; the worker may have been killed for it.
        """
        try:
            send_message(self.connection, job)
            return self._wait(deadline, cancelled).fields
        except ChannelClosedError as error:
            raise WorkerDiedError(self._bury()) from error

    def _wait(self, deadline: float, cancelled: threading.Event | None) -> Message:
        given_up = 0.0
        while True:
            readable, _, _ = select.select([self.connection], [], [], 0.05)
            if readable:
                self.connection.settimeout(10.0)  # a whole message comes at once, or the worker is broken
                answer = receive_message(self.connection, largest=LARGEST_ANSWER)
                self.connection.settimeout(None)
                if given_up:
                    raise JobExpiredError
                return answer
            now = time.monotonic()
            if given_up and now > given_up + CANCEL_S:
                self.kill()
                raise JobExpiredError
            if not given_up and (now > deadline or (cancelled is not None and cancelled.is_set())):
                given_up = now
                self.process.send_signal(signal.SIGUSR1)

    def _bury(self) -> int | None:
        """Collects a process that is ending; the signal that ended it."""
        self.connection.close()
        try:
            status = self.process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        return -status if status < 0 else None

    def close(self) -> None:
        """Ends an idle worker: it leaves when its socket closes."""
        self.connection.close()
        try:
            self.process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def kill(self) -> None:
        """Ends it at once."""
        self.process.kill()
        self.process.wait()
        self.connection.close()
