"""The pictures of one shift's alerts, made in separate processes; those of certain alerts already during the watch.

These processes use the time that the watch leaves. If one is killed, the missing pictures are made here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from thirdcard.service.review.evidence_pictures import PictureOrder, ShiftPictures
from thirdcard.service.review.worker import worker_pool
from thirdcard.service.store.alert_writer import AlertEvidence


def picture_pool(processes: int) -> AbstractContextManager[Executor]:
    """Processes that make pictures; each starts when there is work."""
    return worker_pool(processes, _take_what_is_left)


def _take_what_is_left() -> None:
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


@dataclass(slots=True)
class Gallery:
    """The pictures of one shift."""

    maker: ShiftPictures
    pool: Executor
    _begun: dict[int, tuple[PictureOrder, Future[AlertEvidence] | None]] = field(default_factory=dict)
    """By the alert's number; no future where the pool is broken."""

    def begin(self, orders: Sequence[PictureOrder]) -> None:
        """Start making pictures that were not ordered before in the same way."""
        for order in orders:
            before, making = self._begun.get(order.number, (None, None))
            if before == order:
                continue
            if making is not None:
                wait([making])  # it writes to the same place
            self._begun[order.number] = order, self._submitted(order)

    @property
    def is_done(self) -> bool:
        """Whether all started pictures are finished."""
        return all(making is None or making.done() for _, making in self._begun.values())

    def pictures(self, orders: Sequence[PictureOrder]) -> list[AlertEvidence]:
        """The pictures of all alerts, in their order; waits for unfinished ones.

        Raises:
            EvidenceStoreError: The store at the URL does not accept them.
        """
        self.begin(orders)
        return [self._made(order) for order in orders]

    def _submitted(self, order: PictureOrder) -> Future[AlertEvidence] | None:
        try:
            return self.pool.submit(self.maker.keep, order)
        except BrokenProcessPool:
            return None

    def _made(self, order: PictureOrder) -> AlertEvidence:
        _, making = self._begun[order.number]
        try:
            return self.maker.keep(order) if making is None else making.result()
        except BrokenProcessPool:
            return self.maker.keep(order)
