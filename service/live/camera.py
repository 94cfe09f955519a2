"""Read one camera in a thread of its own: keep its packets, decode them, and say when it cannot be read.

A source that ends or breaks is opened again, waiting longer each time; a file is played at its own pace, over and over
where the table says so. Frames wait for nobody: who is late misses some. Moments are UTC.
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
"""A source that was open so long broke by chance: it is opened again soon."""
WAITING_FRAMES = 20
"""So many frames wait at most to be looked at."""
BEHIND_S = 1.0
"""A file that is so far behind its pace goes on from there: it does not hurry after."""
DAMAGED = "what it sends is damaged; where packets are lost on the way, `transport: tcp` keeps them"
"""Said while no sound picture comes."""
TRY_TCP = "too many packets are lost over UDP; asks for TCP"
LOOK_AGAIN_S = 1.0
"""How often the screen's words are renewed while a camera is left alone."""

Now = Callable[[], datetime]


class CameraState(StrEnum):
    """Whether pictures come."""

    CONNECTING = "connecting"
    PLAYING = "playing"
    LOST = "lost"
    ENDED = "ended"
    """A file that is not played again."""
    RESTING = "resting"
    """Pictures come, but for a while nobody looks at them."""
    OVERLOADED = "overloaded"
    """The machine has too much to do: whether pictures come is not known."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame and its moment."""

    at: datetime
    frame: Frame
    began: datetime
    """When its source was opened: at its first frame."""
    waited_s: float | None = None
    """How long the camera was waited for before it; None where that was not measured."""
    lost: SightFault | None = None
    """Why what was sent before it could not be seen; None where all could."""


@dataclass(slots=True)
class WaitingShots:
    """Those that nobody has taken yet; the oldest go where there are too many."""

    _shots: deque[Shot] = field(default_factory=lambda: deque(maxlen=WAITING_FRAMES))
    _arrived: threading.Condition = field(default_factory=threading.Condition)

    def add(self, shot: Shot) -> bool:
        """One more; gives whether another one had to go."""
        with self._arrived:
            is_full = len(self._shots) == WAITING_FRAMES
            self._shots.append(shot)
            self._arrived.notify()
        return is_full

    def take(self, timeout_s: float) -> list[Shot]:
        """All, the oldest first; waits for one."""
        with self._arrived:
            if not self._shots:
                self._arrived.wait(timeout_s)
            taken = list(self._shots)
            self._shots.clear()
        return taken

    def wake(self) -> None:
        """Let who waits look at how the camera stands."""
        with self._arrived:
            self._arrived.notify()


@dataclass(slots=True)
class CameraReader:
    """One camera."""

    camera: CameraConfig
    ring: Path
    now: Now
    entrance: Entrance
    state: CameraState = CameraState.CONNECTING
    fault: str | None = None
    """Why it cannot be read."""
    missed: int = 0
    """Frames that nobody looked at in time."""
    disk_fault: str | None = None
    """Why packets cannot be kept."""
    _shots: WaitingShots = field(default_factory=WaitingShots)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _waits: CameraWaits = field(default_factory=CameraWaits)

    @property
    def name(self) -> str:
        """As the table's file has it."""
        return self.camera.name

    @property
    def is_played_again(self) -> bool:
        """Whether it is a file that is played over and over."""
        return self.camera.is_played_again

    def start(self) -> None:
        """Begin to read."""
        self._thread = threading.Thread(target=self._run, name=f"camera-{self.camera.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End reading; returns when the ring is closed."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=15)

    def take(self, timeout_s: float) -> list[Shot]:
        """The frames that came since the last call, the oldest first; waits for one."""
        return self._shots.take(timeout_s)

    def waited_s(self) -> float:
        """How long the camera has been waited for since its last frame: what the machine did meanwhile left out."""
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
        """Ask nothing of a camera that has refused user or password, for as long as it takes."""
        while (left := self.entrance.remaining()) and not self._stopping.is_set():
            self.state, self.fault = CameraState.LOST, words_of_refusal(left)
            self._stopping.wait(min(left.total_seconds(), LOOK_AGAIN_S))

    def _play(self) -> None:
        """From opening the source to its end or break."""
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
        """Frames at the pace at which they were filmed; a live source has its own."""
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
        """Frames as they come; the first of them when it is known when they were filmed."""
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
        """When a packet was filmed: of a live source it is when it arrives."""
        if self.camera.is_live or began is None or packet.pts is None or packet.time_base is None:
            return self.now()
        return began + timedelta(seconds=float(packet.pts * packet.time_base))

    def _hand_over(self, shot: Shot) -> None:
        self.missed += self._shots.add(shot)
