"""The call "No more bets": from a device's signal, else the lamp, else the dealer's gesture, else the first card.

Each source has its confidence and its uncertainty in time. Seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from thirdcard.rules.belief.tempo import ActInterval, duration
from thirdcard.rules.log.events import UNSEEN, Event, NoMoreBets, Source
from thirdcard.rules.wagers.change_times import shipped_change_times
from thirdcard.service.interpretation.round_tracker import RunningRound
from thirdcard.service.interpretation.sensors import LineKind, reliability


@dataclass(slots=True)
class Calls:
    """The sources that report the call at a table."""

    is_signalled: bool
    is_opening_signalled: bool = False
    """Whether a device also reports that betting opens."""
    has_lamp: bool = False
    """Whether a lamp was ever lit; it overrides gestures."""
    has_gesture: bool = False
    """Whether the dealer calls by a gesture: the table's set-up says so, or one was seen."""
    lit: set[str] = field(default_factory=set)
    """The lamps that are lit."""
    hidden: set[str] = field(default_factory=set)
    """The lamps over which something lies."""
    _were_unshown: tuple[bool, ...] = ()
    """For the first two rounds without a reported call: whether it surely had none, if calls are made by a lamp."""
    _may_be_gesture: bool = False
    """Whether what an arm did in the running round may have been the call."""

    @property
    def is_told(self) -> bool:
        """Whether calls are reported here: then a missing report means that no call was made."""
        return self.is_signalled or self.has_lamp or self.has_gesture

    def remember(self, line: Event) -> None:
        """Take in a line from before this watch began, to learn how calls are made."""
        if isinstance(line, NoMoreBets) and line.source is Source.CAMERA:
            self.has_gesture |= line.confidence == reliability(LineKind.GESTURE)
            self.has_lamp |= line.confidence == reliability(LineKind.LAMP)

    def by_lamp(self, t: float, state: RunningRound, *, hidden_s: float = 0.0) -> list[Event]:
        """The line for a lamp that was lit at `t`, or within `hidden_s` after it while something covered it.

        If one round was dealt before and no lamp was lit in it, the dealer did not call there. After more such rounds
        the lamp was probably not in use.
        """
        if state.is_called or self.is_signalled:
            return []
        was_missing = not self.is_told and self._were_unshown == (True,)
        self.has_lamp = True
        within_s = round(max(hidden_s, shipped_change_times().lamp_within_s), 3)
        sure = reliability(LineKind.LAMP)
        return [NoMoreBets(t=t, source=Source.CAMERA, confidence=sure, within_s=within_s, was_missing=was_missing)]

    def by_gesture(self, t: float, state: RunningRound, *, spread_s: float) -> list[Event]:
        """The line for a sweep of the dealer's arm over the wagering areas, if a call is due: before any card of the
        round.

        `spread_s` is how far from `t` the gesture began or ended.
        """
        if not self._is_due(state):
            return []
        self.has_gesture = True
        within_s = round(spread_s + shipped_change_times().look_s, 3)
        return [NoMoreBets(t=t, source=Source.CAMERA, confidence=reliability(LineKind.GESTURE), within_s=within_s)]

    def doubt(self, state: RunningRound) -> None:
        """Note that an arm crossed the wagering areas and may have made the call."""
        self._may_be_gesture |= self._is_due(state)

    def _is_due(self, state: RunningRound) -> bool:
        """Whether a gesture now would be the call."""
        is_due = state.is_open and not state.is_called and not state.cards_dealt
        return is_due and not self.is_signalled and not self.has_lamp

    def by_first_card(self, t: float, state: RunningRound) -> list[Event]:
        """The inferred call before the round's first card, which left the shoe at `t`, where no source would have
        reported it."""
        may_be_gesture, self._may_be_gesture = self._may_be_gesture, False
        if state.is_called or state.cards_dealt:
            return []
        may_be_unseen = may_be_gesture or self._may_be_unseen(t, state)
        if self.is_told and not may_be_unseen:
            return []
        self._were_unshown = (*self._were_unshown, not may_be_unseen)[:2]
        within_s = shipped_change_times().inferred_close_within_s
        return [NoMoreBets(t=t, source=Source.INFERRED, confidence=UNSEEN, within_s=within_s)]

    def _may_be_unseen(self, t: float, state: RunningRound) -> bool:
        """Whether a call may have been made unseen: under an arm, by a lamp that stays lit, or before the watch
        began."""
        if not self.is_signalled and (self.lit or self.hidden):
            return True
        is_begun = t < duration(ActInterval.CALL_TO_CARD).most_s
        return not state.was_opening_seen and (self.is_opening_signalled or is_begun)


def with_doubt(signal: Event) -> Event:
    """A device's signal; a call gets the uncertainty of its time."""
    if isinstance(signal, NoMoreBets) and signal.within_s is None:
        return replace(signal, within_s=shipped_change_times().device_within_s)
    return signal
