"""Decide whether a table is seen, and if not why: the camera is gone or silent, or the machine is too slow."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime

from thirdcard.service.live.camera import CameraReader, CameraState
from thirdcard.service.live.load_shedding import Stamina, Strain
from thirdcard.service.watch.pipeline import TableWatch

SILENT_S = 4.0
"""A camera that sends nothing for this many seconds is lost, whatever its connection says."""
START_S = 15.0
"""A camera that has sent nothing this many seconds after the start of the watch is lost; before, it may still
connect."""
BLIND_S = 2.0
"""In a longer gap between frames something may have happened unseen, seconds."""
FIRST_SLACK_S = 0.5
"""The time of opening a source was judged as unseen; its first frame may lie so many seconds back in it. Less than the
log waits for late observations (`HOLD_S` of the interpreter)."""
OVERLOADED = "overloaded"


@dataclass(slots=True)
class Sight:
    """The sight of one table; tells its watch what it could not see."""

    camera: CameraReader
    watch: TableWatch
    stamina: Stamina = field(default_factory=Stamina)
    is_lost: bool = True
    frames: int = 0
    """The number of examined frames."""
    seen_t: float = 0.0
    """The stream time of the last one."""
    fault: str | None = None
    """Why the table is not seen; None while it is."""
    judged_t: float = 0.0
    """Up to this stream time the table was judged as unseen."""
    _awaited_t: float | None = None
    """Since when the first frame has been awaited; None where it is not."""
    _silent_s: float | None = 0.0
    """The longest single wait for the camera since the last look; None where unknown."""

    @property
    def is_live(self) -> bool:
        """Whether pictures come and are examined."""
        return not self.is_lost and self.camera.state is CameraState.PLAYING

    def is_resting(self, now: datetime) -> bool:
        """Whether no frames are examined for a while."""
        return bool(self.stamina.remaining(now))

    def rest(self, now: datetime) -> None:
        """Stop examining frames for a while, if the table is still overloaded."""
        if self.is_lost:
            self.stamina.rest(now)

    def mind_silence(self, now_t: float) -> None:
        """Without a frame, notice that the camera is gone or silent."""
        if self.is_lost:
            self._mind_start(now_t)
            return
        if self.camera.state in (CameraState.LOST, CameraState.ENDED):
            self._lose(now_t)
        elif self.frames and now_t - self.seen_t > SILENT_S:
            waited_s = self.camera.waited_s()
            if waited_s > SILENT_S:
                self._lose(self.seen_t)
            elif now_t - self.seen_t - waited_s > SILENT_S:
                self._lose(self.seen_t, fault=OVERLOADED)

    def _mind_start(self, now_t: float) -> None:
        """Report once that the camera has shown nothing since the start of the watch."""
        if self.frames or self.fault is not None:
            return
        if self._awaited_t is None:
            self._awaited_t = now_t
        is_dead = self.camera.state is CameraState.LOST or self.camera.waited_s() > SILENT_S
        if is_dead and now_t - self._awaited_t > START_S:
            self._lose(now_t)

    def wait(self, now_t: float) -> None:
        """Let time pass unseen until now."""
        self.judged_t = now_t
        self.watch.wait(now_t)

    def is_news(self, t: float) -> bool:
        """Whether a frame is later than everything judged so far.

        Frames that a camera buffered and sends when it is back belong to a time that was judged as unseen.
        """
        slack_s = 0.0 if self.frames else FIRST_SLACK_S
        return t > max(self.seen_t, self.judged_t - slack_s)

    def note_wait(self, waited_s: float | None) -> None:
        """Note how long the camera was waited for before a frame, examined or not."""
        is_known = waited_s is not None and self._silent_s is not None
        self._silent_s = max(waited_s or 0.0, self._silent_s or 0.0) if is_known else None

    def note_loss(self, fault: str) -> None:
        """Note that the camera's frames since the last look could not be seen, for example because they were
        damaged."""
        if not self.is_lost and self.frames:
            self.stamina.begin()
            self._lose(self.seen_t, fault=fault)

    def begin_look(self, t: float, now: datetime) -> Strain:
        """Begin a look at a frame of `t`; notices that the camera is back, paused, or was not examined often enough.

        Returns the strain; at an overload the table counts as unseen, and must ask to rest.
        """
        if not self.frames:
            self.watch.begin(t)
        if self.is_lost:
            self.stamina.begin()
            self._regain(t)
            return Strain.NONE
        if self.frames and t - self.seen_t > BLIND_S:
            if self._silent_s is None or self._silent_s > BLIND_S:
                self.stamina.begin()
                self._lose(self.seen_t)
                self._regain(t)
                return Strain.NONE
            self.camera.missed += 1  # the camera was not waited for: the machine skipped what it showed meanwhile
        strain = self.stamina.note(t, self.camera.missed, now)
        if strain is not Strain.NONE:
            self._lose(self.seen_t, fault=OVERLOADED)
            if strain is Strain.OVERLOAD:
                self.stamina.take_breath(now)
            else:
                self._regain(t)
        return strain

    def end_look(self, t: float) -> None:
        """End the look."""
        self.seen_t = t
        self.frames += 1
        self._silent_s = 0.0

    def state(self, now: datetime, now_t: float) -> tuple[CameraState, str | None]:
        """The camera's state, and why nothing is seen."""
        if self.camera.state is CameraState.PLAYING and (rest := self.stamina.remaining(now)):
            return (
                CameraState.RESTING,
                f"the machine has too much to do: looks again in {math.ceil(rest.total_seconds())} s",
            )
        if self.fault == OVERLOADED and self.camera.state in (CameraState.PLAYING, CameraState.CONNECTING):
            return CameraState.OVERLOADED, f"the machine has too much to do: no look for {now_t - self.seen_t:.0f} s"
        if self.camera.state is CameraState.PLAYING and self.is_lost and self.frames:
            why = f": {self.camera.fault}" if self.camera.fault else ""
            return CameraState.LOST, f"no picture for {now_t - self.seen_t:.0f} s{why}"
        return self.camera.state, self.camera.fault

    def _lose(self, t: float, fault: str = "no_picture") -> None:
        self.is_lost, self.fault = True, fault
        self.watch.lose_sight(t, self.camera.name, fault=fault)

    def _regain(self, t: float) -> None:
        self.is_lost, self.fault = False, None
        self.watch.regain_sight(t, self.camera.name)
