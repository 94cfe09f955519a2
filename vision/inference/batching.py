"""Run one model for many tables: requests of their threads within a few milliseconds form one batch.

A GPU is busy only with batches; a CPU gains nothing by them. Pictures of one size go together, and each caller gets the
rows of its own pictures.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec

WAIT_S = 0.004
"""How many seconds the first caller waits for others."""
MOST_PICTURES = 64
"""Largest batch; the pictures of one call are never split."""


class Session(Protocol):
    """A model that can be run."""

    @property
    def spec(self) -> ModelSpec:
        """The model's declaration."""

    @property
    def takes_batches(self) -> bool:
        """Whether many pictures at once cost less than one by one."""

    def run(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Return the model's output for pictures of one size, (len(images), ...) float32."""


@dataclass(frozen=True, slots=True)
class _Asked:
    images: Sequence[Image]
    told: Future[NDArray[np.float32]] = field(default_factory=Future)


class BatchingSession:
    """A model that threads share; to be used in a `with` block."""

    takes_batches = True

    def __init__(self, session: Session, *, wait_s: float = WAIT_S, most_pictures: int = MOST_PICTURES) -> None:
        """Take an open model, the time to wait for others, in seconds, and the largest batch."""
        self.spec = session.spec
        self.batches: list[int] = []
        """How many pictures each batch had, the newest last."""
        self._session, self._wait_s, self._most = session, wait_s, most_pictures
        self._asked: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=f"batches of {session.spec.name}", daemon=True)

    def __enter__(self) -> BatchingSession:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asked.put(None)
        self._thread.join()

    def run(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Run the model as `ModelSession.run` does; blocks until the batch was run.

        Raises:
            ModelError: A picture has another size, or the session was closed.
        """
        for image in images:  # before queueing: a wrong picture must not spoil the others' batch
            self.spec.check_picture(image.shape)
        if not self._thread.is_alive():
            raise ModelError(f"{self.spec.name}: is closed; use it in a `with` block")
        asked = _Asked(images)
        self._asked.put(asked)
        return asked.told.result()

    def _serve(self) -> None:
        while (first := self._asked.get()) is not None:
            gathered, is_over = self._gather(first)
            for together in _by_size(gathered):
                self._answer(together)
            if is_over:
                break

    def _gather(self, first: _Asked) -> tuple[list[_Asked], bool]:
        """Return the requests that arrive within the wait, and whether the session ends after them."""
        gathered, count, deadline = [first], len(first.images), time.monotonic() + self._wait_s
        while count < self._most:
            try:
                asked = self._asked.get(timeout=max(deadline - time.monotonic(), 0.0))
            except queue.Empty:
                break
            if asked is None:
                return gathered, True
            gathered.append(asked)
            count += len(asked.images)
        return gathered, False

    def _answer(self, gathered: Sequence[_Asked]) -> None:
        images = [image for asked in gathered for image in asked.images]
        try:
            output = self._session.run(images)
        except Exception as error:  # onnxruntime raises classes that it does not export
            for asked in gathered:
                asked.told.set_exception(error)
            return
        self.batches.append(len(images))
        begin = 0
        for asked in gathered:
            asked.told.set_result(output[begin : begin + len(asked.images)])
            begin += len(asked.images)


def _by_size(gathered: Sequence[_Asked]) -> list[list[_Asked]]:
    """Group requests by picture size: a batch has one size."""
    sizes: dict[tuple[int, ...], list[_Asked]] = {}
    for asked in gathered:
        sizes.setdefault(asked.images[0].shape if asked.images else (), []).append(asked)
    return list(sizes.values())
