"""Watch segments on the cores of this machine, each in its own process."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.queues import Queue

from thirdcard.service.review.engine import TRIES, JobKey, Jobs, Told, unwatched, watch_or_tell
from thirdcard.service.review.segment_watch import SegmentJob, SegmentResult
from thirdcard.service.review.worker import worker_pool

LOOK_S = 0.5
_told: list[Queue[tuple[JobKey, float]]] = []


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Processes of this machine."""

    processes: int

    def watch(self, jobs: Jobs, told: Told) -> Iterator[tuple[JobKey, SegmentResult]]:
        """See `Engine.watch`. If a process is killed, all running segments are started again.

        Film that kills every process that watches it costs only its own segment.
        """
        waiting = dict(jobs)
        for _ in range(TRIES):
            for key, result in self._watch_once(list(waiting.items()), told):
                del waiting[key]
                yield key, result
            if not waiting:
                return
        for key, job in waiting.items():
            alone = list(self._watch_once([(key, job)], told))
            yield from alone or [(key, unwatched(job, f"the process that watched it ended {TRIES + 1} times"))]

    def _watch_once(self, jobs: Jobs, told: Told) -> Iterator[tuple[JobKey, SegmentResult]]:
        news: Queue[tuple[JobKey, float]] = get_context("spawn").Queue()
        with worker_pool(self.processes, _begin, news) as pool:
            futures: dict[Future[SegmentResult], JobKey] = {pool.submit(_watch, key, job): key for key, job in jobs}
            try:
                while futures:
                    done, _ = wait(futures, timeout=LOOK_S, return_when=FIRST_COMPLETED)
                    while not news.empty():
                        told(*news.get())
                    for future in done:
                        yield futures.pop(future), future.result()
            except BrokenProcessPool:
                return  # a process was killed: unfinished segments are started again


def _begin(news: Queue[tuple[JobKey, float]]) -> None:
    _told.append(news)


def _watch(key: JobKey, job: SegmentJob) -> SegmentResult:
    return watch_or_tell(job, lambda t: _told[-1].put((key, t)))
