"""The Ray engine: the same shards on the cores of a cluster. Clips and data set lie in a file system all nodes see."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import IsyaratError
from .shard import Row
from .work import Progress, ShardTask, build_shard, read_plan_size, use_one_thread

# Ray starts a task again this often when its worker or its node dies.
RETRIES = 3


class RayEngine:
    """Tasks of Ray, one core each.

    Arguments:
        address: of the cluster ("auto", "HOST:6379", "ray://HOST:10001"); None starts one on this machine.
        workers: cores of the cluster that is started; ignored with an address.

    Raises:
        IsyaratError: Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, address: str | None, workers: int) -> None:
        # Ray asks its makers for nothing and tells them nothing: clips of people are none of their business.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            self.ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise IsyaratError(
                'The engine ray needs one more package; install it with: pip install "isyarat[cluster]".'
            ) from error
        self.address, self.workers = address, workers

    def run(self, tasks: Sequence[ShardTask], progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
        """See `Engine`; progress advances by whole shards."""
        ray, started = self.ray, False
        if not ray.is_initialized():
            try:
                if self.address is None:
                    ray.init(num_cpus=self.workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
                else:
                    ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, ValueError, RuntimeError) as error:
                reason = str(error).partition("\n")[0]
                raise IsyaratError(
                    f"There is no Ray cluster at {self.address} ({reason}); start one with: ray start --head."
                ) from error
            started = True
        try:
            remote = ray.remote(num_cpus=1, max_retries=RETRIES)(work)
            waiting = {remote.remote(task): task for task in tasks}
            while waiting:
                (reference,), _ = ray.wait(list(waiting), num_returns=1)
                task = waiting.pop(reference)
                try:
                    head: Row | None = ray.get(reference)
                except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError):
                    head = None
                if head is not None:
                    progress(read_plan_size(task))
                yield task, head
        finally:
            if started:
                ray.shutdown()


def work(task: ShardTask) -> Row:
    """Runs on a node."""
    use_one_thread()
    return build_shard(task)
