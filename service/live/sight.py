"""Say whether a table is seen, and why not: its camera may be gone or silent, or the machine may not keep up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime

from thirdcard.service.live.camera import CameraReader, CameraState
from thirdcard.service.live.load_shedding import Stamina, Strain
from thirdcard.service.watch.pipeline import TableWatch

SILENT_S = 4.0
"""A camera that sends nothing for so long is lost, whatever its connection says."""
BLIND_S = 2.0
"""Longer without a frame means that something may have happened unseen."""


@dataclass(slots=True)
class Sight:
    """One table's; the watch is told what it could not see."""

    camera: CameraReader
    watch: TableWatch
    stamina: Stamina = field(default_factory=Stamina)
    is_lost: bool = True
    frames: int = 0
    """That were looked at."""
    seen_t: float = 0.0
    """Of the last of them."""

    @property
    def is_live(self) -> bool:
        """Whether pictures come and are looked at."""
        return not self.is_lost and self.camera.state is CameraState.PLAYING

    def is_resting(self, now: datetime) -> bool:
        """Whether nothing is looked at for a while."""
        return bool(self.stamina.remaining(now))

    def rest(self, now: datetime) -> None:
        """Look at nothing for a while; a turn to rest that comes late is left."""
        if self.is_lost:
            self.stamina.rest(now)

    def mind_silence(self, now_t: float) -> None:
        """No frame comes: notice that the camera is gone, or says nothing though nobody said that it is gone."""
        if self.is_lost:
            return
        if self.camera.state in (CameraState.LOST, CameraState.ENDED):
            self._lose(now_t)
        elif self.frames and now_t - self.seen_t > SILENT_S:
            self._lose(self.seen_t)

    def begin_look(self, t: float, now: datetime) -> Strain:
        """A frame of `t` comes: the camera is back, paused, or was not looked at often enough.

        Gives the strain; at an overload the sight is lost, and the table has to ask for its turn to rest.
        """
        if not self.frames:
            self.watch.begin(t)
        if self.is_lost:
            self.stamina.begin()
            self._regain(t)
            return Strain.NONE
        strain = self.stamina.note(t, self.camera.missed, now)
        if strain is not Strain.NONE:
            self._lose(self.seen_t, fault="overloaded")
            if strain is Strain.OVERLOAD:
                self.stamina.take_breath(now)
            else:
                self._regain(t)
        elif self.frames and t - self.seen_t > BLIND_S:
            self._lose(self.seen_t)
            self._regain(t)
        return strain

    def end_look(self, t: float) -> None:
        """The frame was looked at."""
        self.seen_t = t
        self.frames += 1

    def state(self, now: datetime, now_t: float) -> tuple[CameraState, str | None]:
        """How it stands, and why nothing is seen."""
        if self.camera.state is CameraState.PLAYING and (rest := self.stamina.remaining(now)):
            return (
                CameraState.RESTING,
                f"the machine has too much to do: looks again in {math.ceil(rest.total_seconds())} s",
            )
        if self.camera.state is CameraState.PLAYING and self.is_lost and self.frames:
            return CameraState.LOST, f"no picture for {now_t - self.seen_t:.0f} s"
        return self.camera.state, self.camera.fault

    def _lose(self, t: float, fault: str = "no_picture") -> None:
        self.is_lost = True
        self.watch.lose_sight(t, self.camera.name, fault=fault)

    def _regain(self, t: float) -> None:
        self.is_lost = False
        self.watch.regain_sight(t, self.camera.name)
