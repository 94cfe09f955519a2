"""Watch segments with the cores of this machine, each in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.queues import Queue

from service.review.engine import TRIES, EngineError, JobKey, Jobs, Told, watch_or_tell
from service.review.segment_watch import SegmentJob, SegmentResult
from service.review.worker import begin_worker

LOOK_S = 0.5
_told: list[Queue[tuple[JobKey, float]]] = []


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Processes of this machine."""

    processes: int

    def watch(self, jobs: Jobs, told: Told) -> Iterator[tuple[JobKey, SegmentResult]]:
        """See `Engine.watch`. Where a process is killed, all begin anew that were under way."""
        waiting = dict(jobs)
        for _ in range(TRIES):
            for key, result in self._watch_once(list(waiting.items()), told):
                del waiting[key]
                yield key, result
            if not waiting:
                return
        raise EngineError(f"{len(waiting)} segments could not be watched: their processes were killed {TRIES} times")

    def _watch_once(self, jobs: Jobs, told: Told) -> Iterator[tuple[JobKey, SegmentResult]]:
        context = get_context("spawn")
        news: Queue[tuple[JobKey, float]] = context.Queue()
        pool = ProcessPoolExecutor(self.processes, context, initializer=_begin, initargs=(news, os.getpid()))
        try:
            futures: dict[Future[SegmentResult], JobKey] = {pool.submit(_watch, key, job): key for key, job in jobs}
            while futures:
                done, _ = wait(futures, timeout=LOOK_S, return_when=FIRST_COMPLETED)
                while not news.empty():
                    told(*news.get())
                for future in done:
                    yield futures.pop(future), future.result()
        except BrokenProcessPool:
            return  # a process was killed: what is not done is begun anew
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin(news: Queue[tuple[JobKey, float]], parent: int) -> None:
    begin_worker(parent)
    _told.append(news)


def _watch(key: JobKey, job: SegmentJob) -> SegmentResult:
    return watch_or_tell(job, lambda t: _told[-1].put((key, t)))
