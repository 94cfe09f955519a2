"""Date the first frames of a live source: what it hands over at once was filmed before.

A source that is opened gives the group of pictures that it has kept, as fast as the network carries it. Only the first
frame that had to be waited for says when all of them were filmed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from thirdcard.service.live.source_clock import SourceClock
from thirdcard.vision.frames import Frame

PACED = 0.5
"""A frame that was waited for so much of its distance to the one before is no longer of what had been kept."""
LONGEST = timedelta(seconds=2)
"""A frame is held back no longer than this: by then the one with the least delay gives the delay of the others."""
HELD_FRAMES = 25
"""Older ones are let go: nobody looks at what lies so far back."""


@dataclass(slots=True)
class FirstFrames:
    """The frames of a source that has just been opened, until their moments are known."""

    began: datetime
    """When it was opened."""
    _held: deque[tuple[Frame, float]] = field(default_factory=lambda: deque(maxlen=HELD_FRAMES))
    _prompt: datetime | None = None
    _last_t: float | None = None

    def take(
        self, frame: Frame, arrived: datetime, waited_s: float
    ) -> tuple[SourceClock, list[tuple[Frame, float]]] | None:
        """Hold a frame, or tell that all moments are known now.

        Args:
            frame: As it came.
            arrived: When.
            waited_s: How long the source was waited for before it.

        Returns:
            None while it is not known; then the source's clock and what was held, each with the wait before it.
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
