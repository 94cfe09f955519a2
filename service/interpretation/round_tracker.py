"""The state of the table by the log: enough to interpret the next observation.

What opens a round, and how many cards come before a result, is defined by the referee (`rules/round/round.py`); here
cards are known by the camera's tracks. Judges nothing. Seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from thirdcard.rules.belief.tempo import ActInterval, duration
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import seat_of
from thirdcard.rules.log.events import (
    BetsOpened,
    CardDealt,
    CardRemoved,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    Side,
    Source,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.round.round import INITIAL_CARDS, ROUND_OPENERS


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOnTable:
    """A card that was logged as dealt and not as removed."""

    card_id: str
    side: Side
    card: Card | None
    lost_t: float | None = None
    """Since when it has been occluded; None while it is visible."""
    face_up: bool = True
    holder: str | None = None
    """`seat:n` while that player holds it."""
    given_back_t: float = -1.0
    """When it came back from a player."""
    is_left_over: bool = False
    """Whether it seems to have lain there since a round that has closed."""


@dataclass(slots=True)
class WagerAreas:
    """Observations of the wagering areas, whatever lies on them."""

    visited: set[str] = field(default_factory=set)
    """Areas that the dealer reached over since the decision without a visible change."""
    reached: set[str] = field(default_factory=set)
    """Areas that anybody reached over since the decision."""
    with_chips: set[str] = field(default_factory=set)
    """Areas with chips when last seen; they may stay from round to round."""
    placed: set[str] = field(default_factory=set)
    """Areas that were empty before a player put the present chips there."""
    calm_t: dict[str, float] = field(default_factory=dict)
    """When each area was last clearly visible."""

    @property
    def untouched(self) -> tuple[str, ...]:
        """Areas on which a player was seen to put chips, and that nobody reached over since the decision.

        Print that is detected as chips lies there from the beginning: nobody is seen to put it down.
        """
        return tuple(sorted((self.with_chips & self.placed) - self.reached))

    def see_calm(self, areas: Iterable[str], t: float) -> None:
        """Note that these areas are clearly visible."""
        self.calm_t.update(dict.fromkeys(areas, t))

    def were_in_sight(self, areas: Iterable[str], since_t: float) -> bool:
        """Whether all of these areas were clearly visible since that time."""
        return all(self.calm_t.get(area, -1.0) >= since_t for area in areas)

    def see_chips(self, area: str, are_there: bool, is_decided: bool) -> None:
        """Note that something was over an area, and whether chips lie there now."""
        if is_decided:
            self.reached.add(area)
        (self.with_chips.add if are_there else self.with_chips.discard)(area)
        if not are_there:
            self.placed.discard(area)

    def forget_reaches(self) -> None:
        """Forget who reached where: before the decision that is no settling."""
        self.visited, self.reached = set(), set()


@dataclass(slots=True)
class RunningRound:
    """The state of the running round."""

    cards: dict[int, CardOnTable] = field(default_factory=dict)
    """By the camera's track id."""
    is_open: bool = False
    was_opening_seen: bool = False
    """Whether this round or an earlier one was seen to open."""
    called_t: float | None = None
    cards_dealt: int = 0
    cards_removed: int = 0
    last_dealt_t: float = -1.0
    """When the last card left the shoe, in any round."""
    has_result: bool = False
    has_settled: bool = False
    collected: list[CardOnTable] = field(default_factory=list)
    """Cards that were logged as removed since the last one was dealt."""
    areas: WagerAreas = field(default_factory=WagerAreas)
    """Observations of the wagers."""
    closed_t: float = -1.0
    """When the previous round closed."""

    @property
    def is_called(self) -> bool:
        """Whether betting was closed in this round."""
        return self.called_t is not None

    @property
    def is_being_dealt(self) -> bool:
        """Whether cards may still come: betting is closed or a card was dealt, and there is no result."""
        return (self.is_called or self.cards_dealt > 0) and not self.has_result

    @property
    def shows_a_face(self) -> bool:
        """Whether a card of the running round lies open."""
        return any(card.face_up and not card.is_left_over for card in self.cards.values())

    @property
    def are_initial_cards_out(self) -> bool:
        """Whether the first four cards are out."""
        return self.cards_dealt >= INITIAL_CARDS

    def is_last_in_sight(self, track_id: int) -> bool:
        """Whether no other card is visible."""
        return all(track == track_id or card.lost_t is not None for track, card in self.cards.items())

    def is_decided(self, result_is_reported: bool) -> bool:
        """Whether settling has begun: by the result where a device reports it, else by the number of cards."""
        if self.has_result:
            return True
        return not result_is_reported and self.are_initial_cards_out

    def is_out(self, card: CardOnTable) -> bool:
        """Whether an occluded card may be with a player: it was before, or was never seen to be turned up."""
        is_being_cleared = self.has_result or self.cards_removed > 0
        return not is_being_cleared and (card.holder is not None or not card.face_up)

    def lost_card(self, side: Side, face: Card | None) -> CardOnTable | None:
        """Remove and return an occluded card that may be the one that now lies in a hand; None where there is none."""
        for track, card in self.cards.items():
            if card.lost_t is not None and (card.card == face if face is not None else card.side is side):
                return self.cards.pop(track)
        return None

    def is_known(self, side: Side, face: Card | None, *, result_is_reported: bool) -> bool:
        """Whether a card that shows now has long lain in that hand: one with its face lies there once the result is
        known, or was wrongly logged as collected while a hand covered it."""
        if face is None or not self.is_decided(result_is_reported):
            return False
        lying = self.cards.values() if self.has_result or self.has_settled else ()
        return any(card.side is side and card.card == face for card in (*lying, *self.collected))

    def untold_since_t(self, signalled: Collection[type[Event]]) -> float | None:
        """Since when the running round may have ended unreported; None where devices report it, or bets are open.

        Args:
            signalled: The event types that devices report.
        """
        return None if BetsOpened in signalled or RoundClosed in signalled else self.called_t

    def was_in_sight(self, areas: Iterable[str]) -> bool:
        """Whether all of these areas were clearly visible since betting closed, or else since the previous round
        closed."""
        since_t = self.closed_t if self.called_t is None else self.called_t
        return self.areas.were_in_sight(areas, since_t)

    def remove(self, t: float, card: CardOnTable) -> CardRemoved:
        """The line for a card that was taken away into the rack."""
        self.collected.append(card)
        return CardRemoved(t=t, card_id=card.card_id, to="discard", source=Source.CAMERA)

    def forget_left_over(self, t: float) -> list[int]:
        """Remove the cards of a finished round where those of the next may lie in their places by now.

        Returns their tracks; how they went was not seen.
        """
        if not self.is_called and t - self.closed_t < duration(ActInterval.END_TO_CARD).least_s:
            return []
        tracks = [track for track, card in self.cards.items() if card.is_left_over]
        for track in tracks:
            del self.cards[track]
        return tracks

    def remove_overdue(self, t: float) -> list[CardRemoved]:
        """The lines for cards that were occluded before the result and did not reappear."""
        overdue = [track for track, card in self.cards.items() if card.lost_t is not None]
        return [self.remove(t, self.cards.pop(track)) for track in overdue]

    def close(self, t: float) -> list[Event]:
        """The line that the running round ends at `t`, by the state of the cloth; empty where none is running."""
        return (
            [RoundClosed(t=round(t, 3), untouched=self.areas.untouched, source=Source.INFERRED)] if self.is_open else []
        )

    def apply(self, line: Event) -> None:
        """Apply a written line."""
        if isinstance(line, ROUND_OPENERS):
            self.is_open = True
        match line:
            case BetsOpened():
                self.was_opening_seen = True
            case NoMoreBets():
                self.called_t = line.t
            case CardDealt() if line.hand is not None:
                self.cards_dealt += 1
                self.last_dealt_t = line.t
                self.collected = []
                if not (self.has_result or self.has_settled):
                    self.areas.forget_reaches()
            case CardRemoved() if line.to == "discard":
                self.cards_removed += 1
            case ResultAnnounced():
                self.has_result = True
            case WagerChanged() if line.before == 0 and seat_of(line.by) is not None:
                self.areas.placed.add(line.area)
            case WagerSettled():
                self.has_settled = True
            case RoundClosed():
                self.was_opening_seen = True
                self.closed_t = line.t
                self.is_open, self.called_t, self.cards_dealt = False, None, 0
                self.cards_removed = 0
                self.cards = {track: replace(card, is_left_over=True) for track, card in self.cards.items()}
                self.has_result = self.has_settled = False
                self.collected = []
                self.areas.forget_reaches()
