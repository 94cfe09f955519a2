"""Engines that watch the segments of shifts: on the cores of this machine, or of a cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.review.segment_watch import SegmentJob, SegmentResult, Tell, watch_segment
from thirdcard.service.watch.pipeline import SharedEyes
from thirdcard.vision.errors import VisionError

logger = logging.getLogger(__name__)

TRIES = 4
"""The number of attempts for a segment whose process was killed."""


@dataclass(frozen=True, slots=True)
class JobKey:
    """A segment of a shift."""

    shift: int
    number: int


Told = Callable[[JobKey, float], None]
"""Receives the progress of a segment's watch, in the shift's time."""
Jobs = Sequence[tuple[JobKey, SegmentJob]]


class EngineError(ServiceError):
    """The segments cannot be watched."""


class Engine(Protocol):
    """Watches segments, as many at once as it can."""

    def watch(self, jobs: Jobs, told: Told) -> Iterator[tuple[JobKey, SegmentResult]]:
        """The results as they come, in no order.

        Raises:
            EngineError: A segment could not be watched after all tries.
        """


def watch_or_tell(job: SegmentJob, tell: Tell, eyes: SharedEyes | None = None) -> SegmentResult:
    """Watch a segment; one that cannot be watched gives a result too, so that the others continue."""
    try:
        return watch_segment(job, tell, eyes)
    except (VisionError, ServiceError) as error:
        return unwatched(job, str(error))
    except Exception as error:
        logger.exception("segment %d of %s", job.segment.number, job.table)
        return unwatched(job, f"{type(error).__name__}: {error}")


def unwatched(job: SegmentJob, fault: str) -> SegmentResult:
    """The result of a segment that cannot be watched."""
    at_t = max(job.segment.core_from_t, job.segment.sources[0].at_t)
    return SegmentResult(
        number=job.segment.number, from_t=at_t, to_t=at_t, lines=[], is_amid_round=False, fault=fault,
        decoded=0, passed=0,
    )  # fmt: skip
