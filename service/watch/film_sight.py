"""Pass a film's frames and failures to a table's watch: the same in a live watch and in a review.

Times are stream time in seconds.
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
"""Below this frame rate the table cannot be judged: down to this rate the shipped recording gives no false alert
(docs/endurance.md, few looks)."""
ENOUGH_RATE_HZ = 3.0
"""From this frame rate on the table can be judged again."""
DAMAGED = str(SightFault.DAMAGED)
"""The fault of film that cannot be decoded."""


@dataclass(frozen=True, slots=True)
class LostStretch:
    """A part of a film in which nothing was seen, and why."""

    from_t: float
    to_t: float
    fault: str


@dataclass(slots=True)
class FilmSight:
    """One watch of one film."""

    watch: TableWatch
    camera: str
    stretches: list[LostStretch] = field(default_factory=list)
    """The finished stretches."""
    are_few: bool = False
    """Whether the frame rate is too low to judge; frames are processed all the same."""
    _since: SightLost | None = None

    @property
    def is_damaged(self) -> bool:
        """Whether part of the film could not be decoded."""
        return any(one.fault == SightFault.DAMAGED for one in self.stretches)

    def take(self, item: Frame | SightLost, step_s: float | None = None) -> bool:
        """Process the next item of the film; returns whether it was a frame.

        Args:
            item: A frame, or the notice that no frame can be decoded from some time on.
            step_s: The recorded interval between frames in seconds; None where it is unknown.
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
        """Record that nothing is seen from now on."""
        if self._since is None:
            self._since = lost
            if not self.are_few:
                self.watch.lose_sight(lost.t, self.camera, fault=str(lost.fault))

    def end(self, t: float) -> None:
        """Record the end of the film."""
        if self._since is not None:
            self.stretches.append(LostStretch(self._since.t, max(t, self._since.t), str(self._since.fault)))
            self._since = None

    def _found_again(self, t: float) -> None:
        self.end(t)
        if not self.are_few:
            self.watch.regain_sight(t, self.camera)

    def _count(self, t: float, step_s: float | None) -> None:
        """Check the frame rate: what happens between two frames far apart cannot be judged."""
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
    """What part of a film could not be decoded, in a few words; None where all could."""
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
