"""Date the first frames of a live source, which sends buffered frames at once.

A newly opened source sends its buffered group of pictures as fast as the network allows. Only the first frame that had
to be waited for shows when all of them were filmed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from thirdcard.service.live.source_clock import SourceClock
from thirdcard.vision.frames import Frame

PACED = 0.5
"""A frame with a wait of this share of its distance to the previous one was not buffered."""
LONGEST = timedelta(seconds=2)
"""The longest time that frames are held: by then the least delayed one gives the delay of the others."""
HELD_FRAMES = 25
"""The most frames that are held; older ones are dropped."""


@dataclass(slots=True)
class FirstFrames:
    """The first frames of a source, until their times are known."""

    began: datetime
    """When it was opened."""
    _held: deque[tuple[Frame, float]] = field(default_factory=lambda: deque(maxlen=HELD_FRAMES))
    _prompt: datetime | None = None
    _last_t: float | None = None

    def take(
        self, frame: Frame, arrived: datetime, waited_s: float
    ) -> tuple[SourceClock, list[tuple[Frame, float]]] | None:
        """Hold a frame, or return all held frames once their times are known.

        Args:
            frame: As it came.
            arrived: When.
            waited_s: Seconds of waiting before it.

        Returns:
            None while the times are unknown; then the source's clock and the held frames, each with the wait before it.
        """
        prompt = arrived - timedelta(seconds=frame.t)
        self._prompt = prompt if self._prompt is None else min(self._prompt, prompt)
        step_s = None if self._last_t is None else frame.t - self._last_t
        self._held.append((frame, waited_s))
        self._last_t = frame.t
        is_paced = step_s is not None and waited_s >= PACED * step_s > 0
        if not is_paced and arrived - self.began < LONGEST:
            return None
        return SourceClock(self._prompt), list(self._held)
