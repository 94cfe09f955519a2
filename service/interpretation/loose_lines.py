"""Turn observations of cards outside the boxes into log lines: dealt to no hand, turned, moved into a box, gone.

Such a card is logged only while a round is being dealt, and only while no card is missing from the boxes and none was
collected: otherwise it may be that one. It counts as moved into a box if a card comes to rest there within `LEAVE_S` of
the time at which its own place is seen empty. Seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import DEALER, Source
from thirdcard.rules.log.events import CardRemoved, Event
from thirdcard.service.interpretation.dealing import card_of, dealt_line, turned_line
from thirdcard.service.interpretation.device_watchdog import ClothCleared
from thirdcard.service.interpretation.reorder_buffer import WaitingItems
from thirdcard.service.interpretation.round_tracker import RunningRound
from thirdcard.vision import observations as seen
from thirdcard.vision.cards.card_monitor import LEAVE_S, WAIT_FOR_COVER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCard:
    """A card that was logged as dealt to no hand."""

    card_id: str
    card: Card | None
    face_up: bool
    left_t: float | None = None
    """Since when its place has been empty, seconds."""


@dataclass(slots=True)
class LooseLines:
    """The cards of one table that lie outside the boxes."""

    state: RunningRound
    waiting: WaitingItems[Event | seen.Observation | ClothCleared]
    """Observations that are not in the log yet."""
    _cards: dict[int, LooseCard] = field(default_factory=dict)
    """By the camera's track id."""

    def may_be_dealt(self, card: seen.LooseCardRested) -> bool:
        """Whether it came out of the shoe: a round is being dealt, and it is no card from the boxes."""
        if not (self.state.is_open and self.state.is_being_dealt) or self.state.collected:
            return False
        if any(one.lost_t is not None or one.holder is not None for one in self.state.cards.values()):
            return False
        left = [one.t for one in self.waiting if isinstance(one, seen.CardLeft)]
        return all(abs(card.t - t) > WAIT_FOR_COVER_S for t in left)

    def rested(self, t: float, card: seen.LooseCardRested, card_id: str) -> list[Event]:
        """The lines for a card that was laid outside the boxes."""
        face = card_of(card.reading) if card.face_up else None
        self._cards[card.track_id] = LooseCard(card_id=card_id, card=face, face_up=card.face_up)
        return [dealt_line(t, card_id, None, card)]

    def turned(self, t: float, turned: seen.LooseCardTurned) -> list[Event]:
        """The lines for such a card that was turned in place."""
        card = self._cards.get(turned.track_id)
        if card is None:
            return []
        face = card_of(turned.reading) or card.card
        self._cards[turned.track_id] = replace(card, card=face, face_up=turned.face_up)
        return [turned_line(t, card.card_id, turned.reading, face_up=turned.face_up, by=DEALER)]

    def left(self, t: float, left: seen.LooseCardLeft) -> list[Event]:
        """Note that it is gone: into a box, which will show soon, or into the rack."""
        card = self._cards.get(left.track_id)
        if card is not None:
            self._cards[left.track_id] = replace(card, left_t=t)
            removed = CardRemoved(t=t + LEAVE_S, card_id=card.card_id, to="discard", source=Source.CAMERA)
            self.waiting.put(removed.t, removed)
        return []

    def removed(self, t: float, line: CardRemoved) -> list[Event]:
        """The line that it was collected, if nothing more was seen of it."""
        track = next((key for key, card in self._cards.items() if card.card_id == line.card_id), None)
        if track is None:
            return []
        del self._cards[track]
        return [replace(line, t=t)]

    def take(self, rested: seen.CardRested) -> LooseCard | None:
        """Remove and return the loose card that now lies in a box; None where it is none of these."""
        face = card_of(rested.reading) if rested.face_up else None
        for track, card in self._cards.items():
            left_t = card.left_t
            if left_t is None:
                left = (one for one in self.waiting if isinstance(one, seen.LooseCardLeft) and one.track_id == track)
                left_t = next((one.t for one in left), None)
            is_near = left_t is not None and abs(left_t - rested.t) <= LEAVE_S
            is_same = None in (card.card, face) or card.card == face
            if is_near and is_same:
                return self._cards.pop(track)
        return None
