"""Read a camera's smaller stream for the pictures that people view, only while somebody does.

The watch uses the camera's other stream. Times are UTC.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from thirdcard.service.live.entrance import Entrance
from thirdcard.service.live.load_shedding import NEVER
from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.frames import Frame

logger = logging.getLogger(__name__)

LOOKED_FOR = timedelta(seconds=10)
"""The time that the stream stays open after the last request for a picture: pages ask at least every second."""
FRESH = timedelta(seconds=1.5)
"""An older picture is not shown, since the watched stream's is newer."""
AGAIN_S = 10.0
"""The pause after a fault, seconds."""


@dataclass(slots=True)
class WallCamera:
    """The reader of one camera's smaller stream."""

    name: str
    """The camera's name."""
    entrance: Entrance
    now: Callable[[], datetime]
    _looked_at: datetime = NEVER
    _newest: tuple[datetime, Frame] | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def look(self) -> None:
        """Note that somebody views pictures now."""
        self._looked_at = self.now()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name=f"wall-{self.name}", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Close the stream."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=15)

    def picture(self) -> Frame | None:
        """The newest picture; None where there is no recent one."""
        newest = self._newest
        return newest[1] if newest is not None and self.now() - newest[0] <= FRESH else None

    @property
    def is_looked_at(self) -> bool:
        """Whether somebody views pictures."""
        return not self._stopping.is_set() and self.now() - self._looked_at <= LOOKED_FOR

    def _run(self) -> None:
        while self.is_looked_at:
            if not self.entrance.remaining():
                try:
                    self._play()
                except (UnreadableVideoError, VideoBreakError) as error:
                    self.entrance.note_nothing_sent()
                    logger.warning("camera %s, its smaller stream: %s", self.name, error)
            if self.is_looked_at:
                self._stopping.wait(AGAIN_S)
        self._newest = None

    def _play(self) -> None:
        with self.entrance.open() as reader:
            for frame in reader:
                self._newest = (self.now(), frame)
                if not self.is_looked_at:
                    return
