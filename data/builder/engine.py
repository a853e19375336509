"""Engines: where the shards are built. All give the same bytes; they differ in where the processes run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import cv2

from .. import video
from .shard import Row
from .work import Progress, ShardTask, build_shard, use_one_thread

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

# Seconds between two looks at how far the workers are.
LOOK_S = 0.25

_done: Synchronized[int]  # clips done by all workers of the pool; set in each worker when it starts


class Engine(Protocol):
    """Builds shards, in any order."""

    def run(self, tasks: Sequence[ShardTask], progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
        """Yields every task with the head of its shard, or with None when its worker was lost."""


class LocalEngine:
    """Processes of this machine.

    Arguments:
        workers: their number; with 1, this process does the work itself.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, tasks: Sequence[ShardTask], progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
        if self.workers == 1:
            with one_thread():
                for task in tasks:
                    yield task, build_shard(task, progress)
            return
        if tasks:
            yield from run_pool(tasks, self.workers, progress)


def run_pool(tasks: Sequence[ShardTask], workers: int, progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
    """A pool of processes; when one of them dies, the tasks in progress come back with None."""
    # Spawned, not forked: the threads of the decoder do not survive a fork.
    context = multiprocessing.get_context("spawn")
    done: Synchronized[int] = context.Value("q", 0)
    seen = 0
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(min(workers, len(tasks)), context, start_worker, (done,)) as pool:
        futures = {pool.submit(work, task): task for task in tasks}
        pending = set(futures)
        try:
            while pending:
                finished, pending = wait(pending, LOOK_S, FIRST_COMPLETED)
                progress(done.value - seen)
                seen = done.value
                for future in finished:
                    try:
                        yield futures[future], future.result()
                    except BrokenProcessPool:
                        yield futures[future], None
        except BaseException:  # Ctrl-C, a full disk: nobody waits for shards in progress; the next build resumes
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - others:
                child.kill()
            raise


def start_worker(done: Synchronized[int]) -> None:
    """Sets a worker of the pool up."""
    global _done  # noqa: PLW0603  the one way to hand a shared number to a worker
    _done = done
    use_one_thread()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the builder decides
    # A worker whose builder was killed would wait for ever; none may outlive it.
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def work(task: ShardTask) -> Row:
    """Runs in a worker."""

    def count(clips: int) -> None:
        with _done.get_lock():
            _done.value += clips

    return build_shard(task, count)


@contextmanager
def one_thread() -> Iterator[None]:
    """`use_one_thread` for a while."""
    threads, most = cv2.getNumThreads(), video.MAX_THREADS
    use_one_thread()
    try:
        yield
    finally:
        video.MAX_THREADS = most
        cv2.setNumThreads(threads)


def count_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
