"""Get into a camera's stream: over which transport, and not at all for a while where it refuses the password."""

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
"""Where the table's file leaves the transport open; the next one where the camera sent nothing over this one."""
LOSSY = timedelta(seconds=10)
"""Without a sound picture for so long, five groups of two seconds, UDP is losing packets all along."""
LEAVE_AT_MOST_EVERY = timedelta(minutes=10)
"""A camera that has UDP alone is interrupted for TCP no more often."""


@dataclass(slots=True)
class Entrance:
    """That of one stream."""

    source: str = field(repr=False)
    door: Door
    now: Callable[[], datetime]
    transports: deque[str]
    """Over which an RTSP camera is asked to send, the next one first."""
    size_wh_px: tuple[int, int] | None = None
    """The calibrated size: frames come in it; None: as they are sent."""
    _damaged_since: datetime | None = None
    _left_at: datetime | None = None
    """When UDP was last given up for its losses."""

    @property
    def is_lossy(self) -> bool:
        """Whether to open the camera again over TCP, which loses nothing; never where the transport is set."""
        if self._damaged_since is None or len(self.transports) == 1 or self.transports[0] != "udp":
            return False
        now = self.now()
        is_new = self._left_at is None or now - self._left_at >= LEAVE_AT_MOST_EVERY
        return is_new and now - self._damaged_since >= LOSSY

    def remaining(self) -> timedelta:
        """How long the camera is still to be left alone."""
        return self.door.remaining(self.now())

    def open(self, on_packet: Callable[[Packet[VideoStream]], None] | None = None) -> VideoReader:
        """The opened stream; of a camera that wants a user one table asks at a time, and none too soon.

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
        """A sound picture came, or what comes is damaged from now on."""
        if not is_damaged:
            self._damaged_since = None
        elif self._damaged_since is None:
            self._damaged_since = self.now()

    def note_nothing_sent(self) -> None:
        """Nothing, or nothing sound, came over this transport: the next opening asks for another."""
        if self.is_lossy:
            self._left_at = self.now()
        self._damaged_since = None
        self.transports.rotate(-1)


def entrance_of(
    source: str, transport: str, folder: Path, *, changed_at: datetime, now: Callable[[], datetime]
) -> Entrance:
    """The entrance of an address.

    Args:
        source: The address.
        transport: tcp, udp, or auto for both in turn.
        folder: Where refusals are noted.
        changed_at: When the address was changed last.
        now: The clock.
    """
    transports = deque(IN_TURN if transport == "auto" else (transport,))
    return Entrance(source, door_of(source, folder, changed_at), now, transports)
