"""Read one camera in a thread: store its packets, decode them, and report when it cannot be read.

A source that ends or breaks is reopened after growing pauses; a file is played at its own pace, in a loop if the table
says so. Frames do not wait: a slow reader misses some. Times are UTC.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from thirdcard.service.config.table_file import CameraConfig
from thirdcard.service.live.door import words_of_refusal
from thirdcard.service.live.entrance import Entrance
from thirdcard.service.live.first_frames import FirstFrames
from thirdcard.service.live.waiting import CameraWaits
from thirdcard.service.media.ring import RingWriter
from thirdcard.vision.errors import SignInRefusedError, UnreadableVideoError, VideoBreakError
from thirdcard.vision.frames import Frame, SightFault, SightLost
from thirdcard.vision.video.video import VideoReader

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.stream import VideoStream

logger = logging.getLogger(__name__)

BACK_OFF_S = (0.5, 1.0, 2.0, 5.0, 10.0)
STEADY = timedelta(seconds=30)
"""A source that was open for this long failed by chance: it is reopened soon."""
WAITING_FRAMES = 20
"""The most frames that wait for processing."""
BEHIND_S = 1.0
"""A file that is this many seconds late continues from the present: it does not catch up."""
DAMAGED = "what it sends is damaged; where packets are lost on the way, `transport: tcp` keeps them"
"""The state's text while no intact picture comes."""
TRY_TCP = "too many packets are lost over UDP; asks for TCP"
LOOK_AGAIN_S = 1.0
"""Seconds between updates of the displayed state while a camera is left alone."""

Now = Callable[[], datetime]


class CameraState(StrEnum):
    """Whether pictures come."""

    CONNECTING = "connecting"
    PLAYING = "playing"
    LOST = "lost"
    ENDED = "ended"
    """A file that is not played again."""
    RESTING = "resting"
    """Pictures come, but are not examined for a while."""
    OVERLOADED = "overloaded"
    """The machine is overloaded: whether pictures come is unknown."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame and its time."""

    at: datetime
    frame: Frame
    began: datetime
    """When its source was opened: at its first frame."""
    waited_s: float | None = None
    """Seconds of waiting for the camera before it; None where not measured."""
    lost: SightFault | None = None
    """Why the frames before it could not be seen; None where all could."""


@dataclass(slots=True)
class WaitingShots:
    """Frames that are not taken yet; the oldest are dropped where there are too many."""

    _shots: deque[Shot] = field(default_factory=lambda: deque(maxlen=WAITING_FRAMES))
    _arrived: threading.Condition = field(default_factory=threading.Condition)

    def add(self, shot: Shot) -> bool:
        """Add a frame; returns whether an older one was dropped."""
        with self._arrived:
            is_full = len(self._shots) == WAITING_FRAMES
            self._shots.append(shot)
            self._arrived.notify()
        return is_full

    def take(self, timeout_s: float) -> list[Shot]:
        """Wait for a frame and return all, the oldest first."""
        with self._arrived:
            if not self._shots:
                self._arrived.wait(timeout_s)
            taken = list(self._shots)
            self._shots.clear()
        return taken

    def wake(self) -> None:
        """Wake the waiting reader, so that it checks the camera's state."""
        with self._arrived:
            self._arrived.notify()


@dataclass(slots=True)
class CameraReader:
    """The reader of one camera."""

    camera: CameraConfig
    ring: Path
    now: Now
    entrance: Entrance
    state: CameraState = CameraState.CONNECTING
    fault: str | None = None
    """Why it cannot be read; None where it can."""
    missed: int = 0
    """Frames that were dropped unexamined."""
    disk_fault: str | None = None
    """Why packets cannot be stored; None where they can."""
    _shots: WaitingShots = field(default_factory=WaitingShots)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _waits: CameraWaits = field(default_factory=CameraWaits)

    @property
    def name(self) -> str:
        """The camera's name in the table's file."""
        return self.camera.name

    @property
    def is_played_again(self) -> bool:
        """Whether it is a file that is played in a loop."""
        return self.camera.is_played_again

    def start(self) -> None:
        """Start reading."""
        self._thread = threading.Thread(target=self._run, name=f"camera-{self.camera.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading; returns when the ring is closed."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=15)

    def take(self, timeout_s: float) -> list[Shot]:
        """Wait for frames, and return those since the last call, the oldest first."""
        return self._shots.take(timeout_s)

    def waited_s(self) -> float:
        """Seconds of waiting for the camera since its last frame, without the time of processing."""
        return self._waits.waited_s()

    def _run(self) -> None:
        attempts = 0
        while not self._stopping.is_set():
            self._keep_away()
            began = self.now()
            self._play()
            if self.state is CameraState.ENDED:
                return
            lasted = self.now() - began
            attempts = 1 if lasted > STEADY else attempts + 1
            if self.state is CameraState.LOST:
                self._stopping.wait(BACK_OFF_S[min(attempts, len(BACK_OFF_S)) - 1])

    def _keep_away(self) -> None:
        """Wait while the camera must be left alone, after it refused user or password."""
        while (left := self.entrance.remaining()) and not self._stopping.is_set():
            self.state, self.fault = CameraState.LOST, words_of_refusal(left)
            self._stopping.wait(min(left.total_seconds(), LOOK_AGAIN_S))

    def _play(self) -> None:
        """Play the source from its opening to its end or break."""
        ring = RingWriter(self.ring, keep=self.camera.kept)
        has_sent = False
        try:
            for shot in self._frames(ring):
                self.state, self.fault, has_sent = CameraState.PLAYING, None, True
                self.entrance.note_sight(is_damaged=False)
                self._hand_over(shot)
                if self._stopping.is_set():
                    return
            self.state = CameraState.CONNECTING if self.camera.loop else CameraState.ENDED
        except (UnreadableVideoError, VideoBreakError) as error:
            left = self.entrance.remaining()
            self.state, self.fault = CameraState.LOST, words_of_refusal(left) if left else str(error)
            logger.warning("camera %s: %s", self.camera.name, error)
            is_empty = not has_sent and not isinstance(error, SignInRefusedError)
            if is_empty or self.entrance.is_lossy:
                self.entrance.note_nothing_sent()
        finally:
            self._waits.end()
            ring.close()
            self._shots.wake()

    def _frames(self, ring: RingWriter) -> Iterator[Shot]:
        """The frames at their own pace; a live source sets it itself."""
        began: datetime | None = None

        def keep(packet: Packet[VideoStream]) -> None:
            self._waits.end()
            if self.entrance.is_lossy:
                raise VideoBreakError(self.camera.source, TRY_TCP, t=0.0, frames=0)
            try:
                ring.add(packet, reader.stream, self._moment(packet, began))
                self.disk_fault = None
            except OSError as error:
                self.disk_fault = error.strerror or str(error)

        if self.camera.is_live:
            self._waits.begin()
        self.entrance.size_wh_px = self.camera.calibration.image_size_wh_px
        with self.entrance.open(keep) as reader:
            began = pass_began = self.now()
            if self.camera.is_live:
                yield from self._live_shots(reader, pass_began)
                return
            self._waits.take()
            lost: SightFault | None = None
            for item in reader.looks():
                if isinstance(item, SightLost):
                    lost = item.fault
                    continue
                frame = item
                early_s = (began + timedelta(seconds=frame.t) - self.now()).total_seconds()
                if early_s < -BEHIND_S:
                    began -= timedelta(seconds=early_s)
                self._stopping.wait(max(early_s, 0.0))
                self._waits.add(max(early_s, 0.0))
                yield Shot(began + timedelta(seconds=frame.t), frame, pass_began, self._waits.take(), lost)
                lost = None

    def _live_shots(self, reader: VideoReader, pass_began: datetime) -> Iterator[Shot]:
        """Frames as they come; the first ones once it is known when they were filmed."""
        opening, clock = FirstFrames(pass_began), None
        items, lost = reader.looks(), None
        while True:
            self._waits.begin()
            item = next(items, None)
            self._waits.end()
            if item is None:
                return
            if isinstance(item, SightLost):
                lost = item.fault
                if lost is SightFault.SIZE:
                    self.state, self.fault = CameraState.LOST, "its pictures have another shape than the calibrated"
                elif lost is SightFault.DAMAGED:
                    self.fault = DAMAGED
                    self.entrance.note_sight(is_damaged=True)
                continue
            frame = item
            waited_s, arrived = self._waits.take(), self.now()
            if clock is not None:
                yield Shot(clock.moment(frame.t, arrived), frame, pass_began, waited_s, lost)
                lost = None
            elif (dated := opening.take(frame, arrived, waited_s)) is not None:
                clock, held = dated
                for kept, before_s in held:
                    yield Shot(clock.moment(kept.t, arrived), kept, pass_began, before_s)

    def _moment(self, packet: Packet[VideoStream], began: datetime | None) -> datetime:
        """When a packet was filmed; for a live source, when it arrives."""
        if self.camera.is_live or began is None or packet.pts is None or packet.time_base is None:
            return self.now()
        return began + timedelta(seconds=float(packet.pts * packet.time_base))

    def _hand_over(self, shot: Shot) -> None:
        self.missed += self._shots.add(shot)
