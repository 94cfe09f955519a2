"""How "No more bets" is known: by a device's signal, else the lamp, else the dealer's gesture, else the first card.

Each source has its confidence and the time within which it is sure. Seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.events import Event, NoMoreBets, Source
from service.table_state import TableState

SIGNAL_WITHIN_S = 0.1
"""Unless the device says more of it."""
LAMP_CONFIDENCE = 0.99
LAMP_WITHIN_S = 0.25
GESTURE_CONFIDENCE = 0.9
LOOK_S = 0.1
"""A gesture begins and ends between two looks."""
INFERRED_CONFIDENCE = 0.7
INFERRED_WITHIN_S = 1.5
"""The call came hardly longer before the first card, where nothing else tells of it."""


@dataclass(slots=True)
class Calls:
    """Which sources tell of the call at a table."""

    is_signalled: bool
    has_lamp: bool = False
    """Whether a lamp was ever lit: it says more than a gesture."""
    has_gesture: bool = False
    """Whether the call was ever made by a gesture that was seen."""

    @property
    def is_told(self) -> bool:
        """Whether a call that is made becomes known: then one that does not was not made."""
        return self.is_signalled or self.has_lamp or self.has_gesture

    def by_lamp(self, t: float, state: TableState) -> list[Event]:
        """The lamp was lit at `t`."""
        if state.is_called or self.is_signalled:
            return []
        self.has_lamp = True
        return [NoMoreBets(t=t, source=Source.CAMERA, confidence=LAMP_CONFIDENCE, within_s=LAMP_WITHIN_S)]

    def by_gesture(self, t: float, state: TableState, *, spread_s: float) -> list[Event]:
        """The dealer swept an arm over the wagering areas; a call where one is due: before any card of the round.

        `spread_s` is how far from `t` the gesture began or ended.
        """
        is_due = state.is_open and not state.is_called and not state.cards_dealt
        if not is_due or self.is_signalled or self.has_lamp:
            return []
        self.has_gesture = True
        within_s = round(spread_s + LOOK_S, 3)
        return [NoMoreBets(t=t, source=Source.CAMERA, confidence=GESTURE_CONFIDENCE, within_s=within_s)]

    def by_first_card(self, t: float, state: TableState) -> list[Event]:
        """The round's first card left the shoe at `t`: the call was made before, where nobody would have told of it."""
        if state.is_called or state.cards_dealt or self.is_told:
            return []
        return [NoMoreBets(t=t, source=Source.INFERRED, confidence=INFERRED_CONFIDENCE, within_s=INFERRED_WITHIN_S)]


def with_doubt(signal: Event) -> Event:
    """A device's signal, its call with the time within which it is sure."""
    if isinstance(signal, NoMoreBets) and signal.within_s is None:
        return replace(signal, within_s=SIGNAL_WITHIN_S)
    return signal
