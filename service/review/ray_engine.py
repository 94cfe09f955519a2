"""Watch segments on a Ray cluster: a task for each, restarted elsewhere when its worker or node is lost.

Results come back to the caller, which alone writes: so nothing is stored twice, whatever ran twice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from thirdcard.service.cluster.ray_cluster import check_code, code_digest, joined
from thirdcard.service.cluster.ray_inference import served_eyes, start_servers
from thirdcard.service.review.engine import TRIES, EngineError, JobKey, Jobs, Told, watch_or_tell
from thirdcard.service.review.mirror import Cache, Fetched
from thirdcard.service.review.segment_watch import SegmentJob, SegmentResult
from thirdcard.service.watch.process_tuning import keep_to_one_thread
from thirdcard.vision.addresses import public_text
from thirdcard.vision.inference.session import Provider

LOOK_S = 0.5
NOTHING_FETCHED = Fetched()


@dataclass(frozen=True, slots=True)
class RayEngine:
    """The cores of a cluster."""

    address: str | None = None
    """HOST:PORT of its head node, or `auto`; None starts a cluster on this machine."""
    processes: int | None = None
    """The number of cores that a cluster started here uses."""
    fetched: Fetched = NOTHING_FETCHED
    """Footage at URLs: each node fetches it itself."""
    provider: Provider | None = None
    """The provider of models that tasks share; None: each has its own."""

    def watch(self, jobs: Jobs, told: Told) -> Iterator[tuple[JobKey, SegmentResult]]:
        """See `Engine.watch`."""
        if not jobs:
            return
        with joined(self.address, self.processes) as ray:
            servers = start_servers(ray, self.provider)
            try:
                yield from _watch_all(
                    ray, jobs, told, _Order(_beside_driver(ray).remote(), code_digest(), self.fetched, servers)
                )
            finally:
                for server in servers:
                    ray.kill(server)


def _watch_all(ray: Any, jobs: Jobs, told: Told, order: _Order) -> Iterator[tuple[JobKey, SegmentResult]]:
    task = ray.remote(_watch).options(num_cpus=1, max_retries=TRIES - 1, scheduling_strategy="SPREAD")
    keys = {task.remote(key, job, order): key for key, job in jobs}
    try:
        while keys:
            done, _ = ray.wait(list(keys), timeout=LOOK_S)
            for key, t in ray.get(order.board.take.remote()):
                told(key, t)
            for one in done:
                yield keys.pop(one), _result(ray, one)
    finally:
        for one in keys:
            ray.cancel(one, force=True)
        ray.kill(order.board)


def _result(ray: Any, done: Any) -> SegmentResult:
    try:
        result: SegmentResult = ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise EngineError(f"a segment could not be watched: {public_text(str(error.cause))}") from error
    except ray.exceptions.RayError as error:
        text = public_text(" ".join(str(error).split()))
        raise EngineError(f"a segment could not be watched, begun {TRIES} times: {text}") from error
    return result


def _beside_driver(ray: Any) -> Any:
    """The class of the board, kept on the caller's node, so that no other node's loss removes it."""
    here = ray.get_runtime_context().get_node_id()
    place = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(here, soft=False)
    return ray.remote(ProgressBoard).options(num_cpus=0, scheduling_strategy=place)


class ProgressBoard:
    """Where tasks write their progress."""

    def __init__(self) -> None:
        self._news: dict[JobKey, float] = {}

    def write(self, key: JobKey, t: float) -> None:
        """Note the progress of a segment's watch."""
        self._news[key] = t

    def take(self) -> list[tuple[JobKey, float]]:
        """The news since the last call."""
        news, self._news = list(self._news.items()), {}
        return news


@dataclass(frozen=True, slots=True)
class _Order:
    """The common facts of all tasks of a watch."""

    board: Any
    digest: str
    """The digest of the program that they must run."""
    fetched: Fetched
    servers: tuple[Any, ...] = ()
    """The servers of the models; none: each task has its own."""


def _watch(key: JobKey, job: SegmentJob, order: _Order) -> SegmentResult:
    check_code(order.digest)
    keep_to_one_thread()

    def tell(t: float) -> None:
        order.board.write.remote(key, t)

    with order.fetched.here(job, Cache.of(os.environ)) as here:
        eyes = served_eyes(order.servers[key.number % len(order.servers)]) if order.servers else None
        return watch_or_tell(here, tell, eyes)
