"""Open a camera's stream: choose the transport, and pause after it refused the password."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from thirdcard.service.config.table_file import is_live_source
from thirdcard.service.live.door import Door, door_of
from thirdcard.vision.errors import SignInRefusedError
from thirdcard.vision.video.video import VideoReader

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.stream import VideoStream

IN_TURN = ("tcp", "udp")
"""The order of transports where the table's file leaves it open; the next one if the camera sent nothing."""
LOSSY = timedelta(seconds=10)
"""Without an intact picture for this long, five groups of two seconds, UDP is losing packets all the time."""
LEAVE_AT_MOST_EVERY = timedelta(minutes=10)
"""A camera that only supports UDP is interrupted to try TCP at most this often."""


@dataclass(slots=True)
class Entrance:
    """The way into one stream."""

    source: str = field(repr=False)
    door: Door
    now: Callable[[], datetime]
    transports: deque[str]
    """The transports for an RTSP camera, the next one first."""
    size_wh_px: tuple[int, int] | None = None
    """The calibrated size, to which frames are scaled; None: as sent."""
    _damaged_since: datetime | None = None
    _left_at: datetime | None = None
    """When UDP was last abandoned for its losses."""

    @property
    def is_lossy(self) -> bool:
        """Whether to reopen the camera over TCP, which loses nothing; never where the transport is fixed."""
        if self._damaged_since is None or len(self.transports) == 1 or self.transports[0] != "udp":
            return False
        now = self.now()
        is_new = self._left_at is None or now - self._left_at >= LEAVE_AT_MOST_EVERY
        return is_new and now - self._damaged_since >= LOSSY

    def remaining(self) -> timedelta:
        """How long the camera must still be left alone."""
        return self.door.remaining(self.now())

    def open(self, on_packet: Callable[[Packet[VideoStream]], None] | None = None) -> VideoReader:
        """Open the stream; if a login is needed, one table at a time, and not too soon after a refusal.

        Raises:
            SignInRefusedError: The camera refuses user or password, or has just refused another table.
            UnreadableVideoError: It cannot be opened for another reason.
        """
        reader = VideoReader(
            self.source, threads=1, size_wh_px=self.size_wh_px, on_packet=on_packet, transport=self.transports[0]
        )
        if not is_live_source(self.source):
            return reader.open()
        with self.door.alone():
            if self.remaining():
                raise SignInRefusedError(self.source)
            try:
                reader.open()
            except SignInRefusedError:
                self.door.note_refusal(self.now())
                raise
            self.door.note_opening()
        return reader

    def note_sight(self, *, is_damaged: bool) -> None:
        """Note that an intact picture came, or that pictures are damaged from now on."""
        if not is_damaged:
            self._damaged_since = None
        elif self._damaged_since is None:
            self._damaged_since = self.now()

    def note_nothing_sent(self) -> None:
        """Note that nothing intact came over this transport, so that the next opening tries another."""
        if self.is_lossy:
            self._left_at = self.now()
        self._damaged_since = None
        self.transports.rotate(-1)


def entrance_of(
    source: str, transport: str, folder: Path, *, changed_at: datetime, now: Callable[[], datetime]
) -> Entrance:
    """The way into an address.

    Args:
        source: The address.
        transport: tcp, udp, or auto for both in turn.
        folder: Where refusals are noted.
        changed_at: When the address last changed.
        now: The clock.
    """
    transports = deque(IN_TURN if transport == "auto" else (transport,))
    return Entrance(source, door_of(source, folder, changed_at), now, transports)
