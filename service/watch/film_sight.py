"""Tell a table's watch what a film shows, and when it shows nothing: the same in a watch and in a review.

Seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from thirdcard.rules.log.events import FEW_FRAMES
from thirdcard.service.watch.pipeline import TableWatch
from thirdcard.vision.frames import Frame, SightFault, SightLost
from thirdcard.vision.observations import CameraRefitted
from thirdcard.vision.video.film_clock import ClockFault

LEAST_RATE_HZ = 2.5
"""Fewer frames a second are too few to judge by: down to this the shipped recording gives no false alert
(docs/endurance.md, few looks)."""
ENOUGH_RATE_HZ = 3.0
"""From so many on they are enough again."""
DAMAGED = str(SightFault.DAMAGED)
"""The fault of film that cannot be decoded."""


@dataclass(frozen=True, slots=True)
class LostStretch:
    """A stretch of a film in which nothing was seen, and why."""

    from_t: float
    to_t: float
    fault: str


@dataclass(slots=True)
class FilmSight:
    """One watch of one film."""

    watch: TableWatch
    camera: str
    stretches: list[LostStretch] = field(default_factory=list)
    """Those that are over."""
    are_few: bool = False
    """Whether frames come too seldom to judge by; they are looked at all the same."""
    _since: SightLost | None = None

    @property
    def is_damaged(self) -> bool:
        """Whether part of the film could not be decoded."""
        return any(one.fault == SightFault.DAMAGED for one in self.stretches)

    def take(self, item: Frame | SightLost, step_s: float | None = None) -> bool:
        """The next thing that the film tells; gives whether it was a frame.

        Args:
            item: A frame, or that none can be seen from a moment on.
            step_s: From frame to frame as the film was recorded; None where that is not known.
        """
        if isinstance(item, SightLost):
            self.lose(item)
            return False
        self._count(item.t, step_s)
        if self._since is not None:
            self._found_again(item.t)
        self.watch.see(item)
        return True

    def lose(self, lost: SightLost) -> None:
        """Nothing is seen from now on."""
        if self._since is None:
            self._since = lost
            if not self.are_few:
                self.watch.lose_sight(lost.t, self.camera, fault=str(lost.fault))

    def end(self, t: float) -> None:
        """The film is over."""
        if self._since is not None:
            self.stretches.append(LostStretch(self._since.t, max(t, self._since.t), str(self._since.fault)))
            self._since = None

    def _found_again(self, t: float) -> None:
        self.end(t)
        if not self.are_few:
            self.watch.regain_sight(t, self.camera)

    def _count(self, t: float, step_s: float | None) -> None:
        """Mind how often frames come: what happens between two that lie far apart cannot be judged."""
        if step_s is None:
            return
        if not self.are_few and step_s * LEAST_RATE_HZ > 1.0:
            self.are_few = True
            if self._since is None:
                self.watch.lose_sight(t, self.camera, fault=FEW_FRAMES)
        elif self.are_few and step_s * ENOUGH_RATE_HZ < 1.0:
            self.are_few = False
            if self._since is None:
                self.watch.regain_sight(t, self.camera)


def damage_text(stretches: Iterable[LostStretch]) -> str | None:
    """What of a film could not be decoded, in a few words; None where all could."""
    damaged = [one for one in stretches if one.fault == SightFault.DAMAGED]
    if not damaged:
        return None
    lasts_s = sum(one.to_t - one.from_t for one in damaged)
    first = damaged[0]
    more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
    places = f"{first.from_t:.1f} to {first.to_t:.1f} s{more}"
    return f"{lasts_s:.1f} s of the film are damaged ({places}); the rest was watched"


def clock_text(t: float, fault: ClockFault, by_s: float) -> str:
    """What was wrong with a film's clock, in a sentence."""
    match fault:
        case ClockFault.STAMP:
            return f"{t:.1f} s: a frame's time is wrong by {by_s:+.1f} s; it is taken from its neighbours"
        case ClockFault.SET:
            return f"{t:.1f} s: the film's clock changes by {by_s:+.1f} s; time goes on"
        case ClockFault.PASSED:
            return f"{t:.1f} s: {by_s:.1f} s of film came twice or out of order; they are left out"
    return f"{t:.1f} s: the film's times follow nothing; time is counted by frames"


def refit_text(refitted: CameraRefitted) -> str:
    """That the camera was moved, and what was done about it, in a sentence."""
    moved = f"the camera was moved, and what it shows lies up to {refitted.moved_mm:.0f} mm elsewhere"
    if refitted.is_used:
        return f"{moved}; it was fitted anew from the cloth, to {refitted.within_mm:.1f} mm"
    return f"{moved}; that is too far to go on without a person: see `thirdcard calibrate --refit`"
