"""Turn observations of cards in the boxes and before the seats into log lines: dealt, turned, passed, taken away.

Each line states its doubts: every step of `_as_dealt` is one reason to doubt how a card came. Seconds of stream time,
millimetres of the layout.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

from thirdcard.calibration.layout import Layout
from thirdcard.rules.belief.tempo import ActInterval, duration
from thirdcard.rules.game.words import DEALER
from thirdcard.rules.log.events import UNSEEN, CardDealt, CardMoved, CardRemoved, Event, ResultAnnounced, Side, Source
from thirdcard.rules.round.round import INITIAL_CARDS
from thirdcard.service.interpretation.dealing import (
    IN_TWO_BOXES_S,
    TURNED_HIDDEN_S,
    SimultaneousCards,
    UnseenBacks,
    card_of,
    dealt_line,
    turned_line,
)
from thirdcard.service.interpretation.device_watchdog import ClothCleared
from thirdcard.service.interpretation.handovers import (
    DOUBTED,
    OFF_TABLE,
    given_back,
    hand_wagers_of,
    is_before_a_seat,
    passing_certainty,
    shifted_lines,
    taken_by,
    turned_by,
    was_taken_off,
)
from thirdcard.service.interpretation.loose_lines import LooseCard, LooseLines
from thirdcard.service.interpretation.reorder_buffer import WaitingItems
from thirdcard.service.interpretation.round_tracker import CardOnTable, RunningRound
from thirdcard.service.interpretation.sensors import LineKind, reliability
from thirdcard.service.interpretation.visibility import TRAVEL_S, Blindness
from thirdcard.vision import observations as seen

HIDDEN_S = 0.8
"""A card that a hand covered for longer before it was seen face up may have been turned under it, so how it was dealt
is unknown."""

Item: TypeAlias = Event | seen.Observation | ClothCleared
"""An item that waits to be logged."""
Signalled: TypeAlias = Collection[type[Event]]
"""The event types that devices at the table report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """The unknown facts about how a card came to its box."""

    is_blind: bool
    """Whether the camera could not see for some of the time in which it came."""
    was_hidden: bool
    """Whether a hand covered it for long before it was seen."""
    is_missed: bool
    """Whether it lay there before, with its back undetected."""
    is_moment_unseen: bool
    """Whether its moment was not seen, for any reason other than a blind camera."""


@dataclass(slots=True)
class CardLines:
    """The cards of one table, as they are logged."""

    layout: Layout
    state: RunningRound
    blindness: Blindness
    waiting: WaitingItems[Item]
    """Observations that are not in the log yet."""
    backs: UnseenBacks
    together: SimultaneousCards = field(default_factory=SimultaneousCards)
    loose: LooseLines = field(init=False)
    """The cards that lie outside the boxes."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.loose = LooseLines(self.state, self.waiting)

    def skip_number(self) -> None:
        """Skip a card number that the watch before this one used."""
        next(self._numbers)

    def apply(self, line: Event) -> None:
        """Apply a written line."""
        self.backs.apply(line)

    def rested(self, t: float, card: seen.CardRested, signalled: Signalled) -> list[Event]:
        """The lines for a card that rests in a box: usually dealt, else found again, collected too early or seen as
        two."""
        side, face = self._side_of(card.region), card_of(card.reading)
        loose = self.loose.take(card)
        if loose is not None:
            return self._moved_in(t, loose, card, side)
        lost = self.state.lost_card(side, face)
        if lost is not None:
            return self._found_again(t, lost, card.track_id, side)
        if self.state.is_known(side, face, result_is_reported=ResultAnnounced in signalled):
            return []
        opened = self._as_dealt_open(card)
        card = card if opened is None else opened
        card_id = f"c{next(self._numbers)}"
        self.state.cards[card.track_id] = CardOnTable(card_id=card_id, side=side, card=face, face_up=card.face_up)
        dealt = self._as_dealt(dealt_line(t, card_id, side, card), card, signalled, is_open=opened is not None)
        if card.face_up and not dealt.face_up:
            turned = seen.CardFlipped(track_id=card.track_id, t=card.t, face_up=True, reading=card.reading)
            self.waiting.put(card.t, turned)
        return [dealt]

    def instead(self, turned: seen.CardFlipped | seen.CardRead) -> tuple[CardOnTable, seen.CardRested] | None:
        """The card of an earlier round that seemed to lie there and the new one with another face; None where it is the
        same."""
        card, face = self.state.cards.get(turned.track_id), card_of(turned.reading)
        if card is None or not card.is_left_over or card.card is None or face in (None, card.card):
            return None
        return card, _as_new(turned, card, self.layout)

    def turned(self, t: float, turned: seen.CardFlipped | seen.CardRead) -> list[Event]:
        """The lines for a card that was turned, or whose face was read at last."""
        card = self.state.cards.get(turned.track_id)
        if card is None:
            return []
        face = card_of(turned.reading)
        face_up = turned.face_up if isinstance(turned, seen.CardFlipped) else True
        entries_mm = turned.entries_mm if isinstance(turned, seen.CardFlipped) else ()
        self.state.cards[turned.track_id] = replace(card, card=face or card.card, face_up=face_up)
        by = turned_by(card, t, entries_mm, self.layout)
        return [turned_line(t, card.card_id, turned.reading, face_up=face_up, by=by)]

    def shifted(self, t: float, shifted: seen.CardShifted) -> list[Event]:
        """The lines for a card that was moved before a seat or into a box."""
        card = self.state.cards.get(shifted.track_id)
        if card is None:
            return []
        if is_before_a_seat(shifted.region):
            now = taken_by(card, shifted.region)
        else:
            now = given_back(card, self._side_of(shifted.region), t)
        self.state.cards[shifted.track_id] = now
        are_seen = self.state.was_in_sight(hand_wagers_of(self.layout, shifted.region))
        sure = passing_certainty(shifted.margin_mm, now, self.state.cards.values(), are_wagers_seen=are_seen)
        return shifted_lines(t, card, now, sure)

    def taken_off(self, t: float, taken: seen.CardTakenOff) -> list[Event]:
        """The lines for a card that vanished: a player may have taken it off the table."""
        card = self.state.cards.get(taken.track_id)
        if card is None or not self.state.is_out(card) or self.blindness.was_blind(t - TRAVEL_S, t):
            return []
        if not was_taken_off(taken.region, taken.entries_mm, self.layout):
            return []
        now = replace(taken_by(card, taken.region), lost_t=t)
        self.state.cards[taken.track_id] = now
        passed = shifted_lines(t, card, now, DOUBTED)
        seen_so = reliability(LineKind.PASSED)
        return [*passed, CardRemoved(t=t, card_id=card.card_id, to=OFF_TABLE, confidence=seen_so, source=Source.CAMERA)]

    def left(self, t: float, left: seen.CardLeft, signalled: Signalled) -> list[Event]:
        """The lines for a card that left: into the rack, with the occluded ones if it was the last in sight."""
        card = self.state.cards.get(left.track_id)
        if card is None:
            return []
        is_last = self.state.is_last_in_sight(left.track_id)
        is_decided = self.state.is_decided(ResultAnnounced in signalled)
        is_out = self.state.is_out(card) and not self.blindness.was_blind(t - TRAVEL_S, t)
        if self.state.is_open and not card.is_left_over and (is_out or not (is_last or is_decided)):
            self.state.cards[left.track_id] = replace(card, lost_t=t)
            return []
        del self.state.cards[left.track_id]
        removed = self.state.remove(t, card)
        return [*self.state.remove_overdue(t), removed] if is_last else [removed]

    def rested_loose(self, t: float, card: seen.LooseCardRested) -> list[Event]:
        """The lines for a card that rests outside the boxes.

        Where cards come face down, one that is first seen open may have lain there unseen until it was turned.
        """
        if not self.loose.may_be_dealt(card):
            return []
        if card.face_up and self.backs.come_face_down(self.state.cards_dealt):
            turned = seen.LooseCardTurned(track_id=card.track_id, t=card.t, face_up=True, reading=card.reading)
            self.waiting.put(card.t, turned)
            card = replace(card, face_up=False, reading=seen.Reading(label=None, confidence=0.0))
        return self.loose.rested(t, card, f"c{next(self._numbers)}")

    def _moved_in(self, t: float, loose: LooseCard, card: seen.CardRested, side: Side) -> list[Event]:
        """The lines for a card that was moved from outside into a box, and turned on the way if its other side
        shows."""
        face = card_of(card.reading) or loose.card
        self.state.cards[card.track_id] = CardOnTable(card_id=loose.card_id, side=side, card=face, face_up=card.face_up)
        self.state.cards_dealt += 1
        lines: list[Event] = [CardMoved(t=t, card_id=loose.card_id, hand=side, source=Source.CAMERA)]
        if card.face_up != loose.face_up:
            lines.append(turned_line(t, loose.card_id, card.reading, face_up=card.face_up, by=DEALER))
        return lines

    def _found_again(self, t: float, lost: CardOnTable, track_id: int, side: Side) -> list[Event]:
        self.state.cards[track_id] = replace(lost, side=side, lost_t=None)
        if lost.side is side:
            return []
        return [CardMoved(t=t, card_id=lost.card_id, hand=side, source=Source.CAMERA)]

    def _as_dealt_open(self, card: seen.CardRested) -> seen.CardRested | None:
        """The same card as lying open from the start, if it was dealt open under a hand; else None.

        That holds for one of the first four cards of a round in which all come face down and none was turned yet, if no
        look showed its back and its face showed soon.
        """
        are_down = self.backs.come_face_down(self.state.cards_dealt) and not self.backs.are_unseen
        is_plain = card.face_up and card.hidden_s <= HIDDEN_S
        if is_plain or not are_down or self.state.cards_dealt >= INITIAL_CARDS or self.state.shows_a_face:
            return None
        if card.hidden_s > TURNED_HIDDEN_S or (card.is_back_seen and not card.face_up):
            return None
        if card.face_up:
            return card
        flips = [one for one in self.waiting if isinstance(one, seen.CardFlipped) and one.track_id == card.track_id]
        soon = [one for one in flips if one.face_up and one.t - card.t <= duration(ActInterval.CARD_TO_TURN).least_s]
        return replace(card, face_up=True, reading=soon[0].reading) if soon else None

    def _as_dealt(self, dealt: CardDealt, card: seen.CardRested, signalled: Signalled, *, is_open: bool) -> CardDealt:
        """The line with its doubts: when the card came, together with which other, and which side was up."""
        arrival = self._arrival(dealt, card)
        seen_dealt = self._while_blind(dealt, card, signalled)
        paired = self._with_partner(seen_dealt, card, arrival)
        in_order = self._in_order(paired, card, arrival)
        return _with_side(in_order, card, arrival, is_open=is_open)

    def _arrival(self, dealt: CardDealt, card: seen.CardRested) -> Arrival:
        """How the card came, and what that shows about backs at this table.

        After the result nobody deals: an unreadable card then is one of those that lay there. Nor did a back that is
        hardly recognised surely come when it was found, with another: two that overlap may look like three.
        """
        number = self.state.cards_dealt
        since_call_s = 0.0 if self.state.called_t is None else card.t - self.state.called_t
        is_blind = self.blindness.was_blind(card.t - card.hidden_s - TRAVEL_S, card.t)
        was_hidden = card.hidden_s > HIDDEN_S or self._is_turned_at_once(card)
        is_missed = card.face_up and self.backs.is_missed(dealt.hand, number, since_call_s)
        is_found_late = card.is_faint and not card.face_up
        if not (is_blind or was_hidden or is_found_late or self.blindness.is_half_seen):
            self.backs.note(dealt.hand, number, face_up=card.face_up)
        is_old = self.state.has_result and dealt.card is None
        is_moment_unseen = is_missed or is_old or self.backs.are_unseen
        is_moment_unseen |= self.backs.may_have_missed_one(dealt.hand, number)
        is_moment_unseen |= is_found_late and (number < INITIAL_CARDS or self._partner_of(dealt, card) is not None)
        return Arrival(is_blind=is_blind, was_hidden=was_hidden, is_missed=is_missed, is_moment_unseen=is_moment_unseen)

    def _is_turned_at_once(self, card: seen.CardRested) -> bool:
        """Whether it may be a third card that was dealt face down and turned by the same hand."""
        number = self.state.cards_dealt
        return card.may_be_turned and number >= INITIAL_CARDS and self.backs.come_face_down(number)

    def _while_blind(self, dealt: CardDealt, card: seen.CardRested, signalled: Signalled) -> CardDealt:
        """With lower confidence where the camera could not see."""
        left_t = card.t - card.hidden_s - TRAVEL_S
        untold_since_t = self.state.untold_since_t(signalled)
        return self.blindness.doubted(dealt, left_t, max(card.t, dealt.t), untold_since_t=untold_since_t)

    def _with_partner(self, dealt: CardDealt, card: seen.CardRested, arrival: Arrival) -> CardDealt:
        """With the card that left the shoe at the same time, if both moments were seen."""
        if arrival.is_blind or arrival.is_moment_unseen:
            return dealt
        return self.together.joined(dealt, card.t - card.hidden_s, card.t)

    def _partner_of(self, dealt: CardDealt, card: seen.CardRested) -> str | None:
        """The card that seems to have left the shoe at the same time."""
        return self.together.partner_of(dealt.hand, card.t - card.hidden_s, card.t)

    def _in_order(self, dealt: CardDealt, card: seen.CardRested, arrival: Arrival) -> CardDealt:
        """With lower confidence where the order of two cards was not seen, and they did not come together."""
        if dealt.together_with is not None or not (arrival.is_moment_unseen or self._is_order_unseen(card)):
            return dealt
        sure = min(dealt.confidence or 0.0, UNSEEN)
        return replace(dealt, confidence=sure, value_confidence=None, order_unseen=True)

    def _is_order_unseen(self, card: seen.CardRested) -> bool:
        """Whether another card came while this one's place was covered, or was first seen elsewhere at the same time.

        Of two cards that first appear in the same look, and did not provably come together, the order is unknown.
        """
        if self.state.last_dealt_t > card.t - card.hidden_s - TRAVEL_S:
            return True
        later = [each for each in self.waiting if isinstance(each, seen.CardRested) and each.region != card.region]
        return any(each.t == card.t and max(each.hidden_s, card.hidden_s) >= IN_TWO_BOXES_S for each in later)

    def _side_of(self, region: str) -> Side:
        hand = self.layout.area(region).hand
        assert hand is not None, "card regions are hands"
        return Side(hand)


def _with_side(dealt: CardDealt, card: seen.CardRested, arrival: Arrival, *, is_open: bool) -> CardDealt:
    """With lower confidence that it came open, where no look showed it come; face down, where it may have been turned
    unseen."""
    if is_open and not arrival.is_missed:
        return replace(dealt, confidence=min(dealt.confidence or 0.0, UNSEEN), value_confidence=None)
    if card.face_up and (arrival.was_hidden or arrival.is_missed):
        return replace(dealt, card=None, face_up=False, value_confidence=None, alternatives=None)
    return dealt


def _as_new(turned: seen.CardFlipped | seen.CardRead, old: CardOnTable, layout: Layout) -> seen.CardRested:
    """The observation of a new card in place of an old one: usually print that was detected as a back."""
    box = next(area for area in layout.of_kind("hand") if area.hand == str(old.side))
    x_mm, y_mm = box.polygon_mm.mean(axis=0)
    return seen.CardRested(
        track_id=turned.track_id,
        t=turned.t,
        region=box.id,
        at_mm=(float(x_mm), float(y_mm)),
        face_up=True,
        reading=turned.reading,
        score=turned.reading.confidence,
    )
