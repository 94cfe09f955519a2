"""Follow a round's cards through the table of play: whose they lawfully are and what went wrong.

Pure: replays the placements in order with every face that is known by now, so that a card read late is judged
late. A total with an unread card is unknown, and nothing is alleged that depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod

from rules.duty import (
    NOT_TOLD,
    Duty,
    Verdict,
    banker_duty_after_draw,
    banker_duty_after_stand,
    natural_duty,
    player_duty,
)
from rules.hand import NATURALS, known_point_count
from rules.round import INITIAL_CARDS, DealtCard, Placement
from rules.third_card import TableOfPlay
from rules.words import Side

_DUE, _NOT_DUE, _UNKNOWN = Verdict
_PLAYER, _BANKER = Side


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFault:
    """One card went where it should not have gone, or the wrong hand was served first."""

    code: str
    t: float
    card: DealtCard
    hand: Side
    """The hand that got it; for a missing card the hand that lacks it."""
    rule: str | None = None
    """Of the table of play, where that decided."""
    banker: Verdict = Verdict.NOT_DUE
    """Whether the Banker was due a card just then."""
    confidence: float = 1.0

    @property
    def key(self) -> tuple[str, str]:
        return (self.code, self.card.card_id)


@dataclass(slots=True)
class Drawing:
    """Where a round's cards lawfully stand after some placements."""

    table: TableOfPlay
    order: tuple[Side, ...]
    initial: list[DealtCard] = field(default_factory=list)
    places: dict[str, Side | None] = field(default_factory=dict)
    third: dict[Side, DealtCard] = field(default_factory=dict)
    surplus: dict[str, CardFault] = field(default_factory=dict)
    """Cards that no hand was due, by id."""
    unplaced: dict[str, DealtCard] = field(default_factory=dict)
    """Cards beyond the first four that lie in no box yet."""
    out_of_turn: DealtCard | None = None
    """The Banker's card that was dealt while the Player's was due."""
    is_broken: bool = False
    """Whether cards came after an uncorrected fault, so that no more can be said."""
    faults: list[CardFault] = field(default_factory=list)
    is_astray: bool = False
    """Whether one of the first four lies in the wrong box now."""
    is_swapped: bool = False
    """Whether the only cards in wrong boxes left the shoe together, so that their order is unknown."""
    _partners: set[str] = field(default_factory=set)
    has_served: bool = False
    """Whether a card beyond the first four was followed; what became of it rests on the faces known by then."""
    _points: dict[Side, int | None] = field(default_factory=dict)
    _duties: dict[Side, Duty] = field(default_factory=dict)
    _is_settled: bool | None = None
    """What was worked out since the last placement."""

    @property
    def has_initial(self) -> bool:
        return len(self.initial) == INITIAL_CARDS

    @property
    def can_judge(self) -> bool:
        is_begun = len(self.initial) == INITIAL_CARDS and self.out_of_turn is None
        return is_begun and not self.is_astray and not self.is_broken

    def two_cards(self, side: Side) -> tuple[DealtCard, ...]:
        """The first two cards that are lawfully the hand's."""
        if self.is_swapped:
            return tuple(card for card in self.initial if self.places[card.card_id] is side)
        return tuple([card for card, owner in zip(self.initial, self.order, strict=False) if owner is side])

    def hand(self, side: Side) -> tuple[DealtCard, ...]:
        """All cards that are lawfully the hand's."""
        return self.two_cards(side) + ((self.third[side],) if side in self.third else ())

    def points(self, side: Side) -> int | None:
        """The two-card point count, None where a face is not known."""
        points = self._points
        if side not in points:
            points[side] = known_point_count([card.card for card in self.two_cards(side)])
        return points[side]

    def total(self, side: Side) -> int | None:
        """The point count of all lawful cards, None where a face is not known."""
        points, third = self.points(side), self.third.get(side)
        if third is None or points is None:
            return points
        return None if third.card is None else (points + third.card.point_value) % 10

    def player_duty(self) -> Duty:
        """Whether the Player draws."""
        duty = self._duties.get(_PLAYER)
        if duty is None:
            duty = player_duty(self.points(_PLAYER), self.points(_BANKER), self.table) if self.can_judge else NOT_TOLD
            self._duties[_PLAYER] = duty
        return duty

    def banker_duty(self) -> Duty:
        """Whether the Banker draws; unknown while the Player's due card is missing."""
        duty = self._duties.get(_BANKER)
        if duty is None:
            duty = self._duties[_BANKER] = self._banker_duty()
        return duty

    def _banker_duty(self) -> Duty:
        player, points = self.player_duty(), self.points(_BANKER)
        if (points in NATURALS or self.points(_PLAYER) in NATURALS) and self.can_judge:
            return natural_duty(self.table)
        if player.verdict is _UNKNOWN or points is None:
            return NOT_TOLD
        if player.verdict is _NOT_DUE:
            return banker_duty_after_stand(points, self.table)
        third = self.third.get(_PLAYER)
        return NOT_TOLD if third is None else banker_duty_after_draw(points, third.card, self.table)

    def missing(self) -> tuple[Side, Duty] | None:
        """The hand that is due a card and has none, the Player's first."""
        player = self.player_duty()
        if player.verdict is _DUE and _PLAYER not in self.third:
            return _PLAYER, player
        banker = self.banker_duty()
        if banker.verdict is _DUE and _BANKER not in self.third:
            return _BANKER, banker
        return None

    def count(self, side: Side) -> int:
        """How many cards lie in the hand's box, lawfully or not."""
        others = sum(1 for fault in self.surplus.values() if fault.hand is side) + (side in self.third)
        if self.out_of_turn is not None and side is Side.BANKER:
            others += 1
        return others + sum(1 for place in self.places.values() if place is side)

    @property
    def is_settled(self) -> bool:
        """Whether it is known that both hands have just the cards they are due."""
        if self._is_settled is None:
            third = self.third
            self._is_settled = (
                self.can_judge
                and self.player_duty().verdict is (_DUE if _PLAYER in third else _NOT_DUE)
                and self.banker_duty().verdict is (_DUE if _BANKER in third else _NOT_DUE)
            )
        return self._is_settled

    @property
    def is_orderly(self) -> bool:
        """Whether both hands are known to have just the cards they are due, each in its box and none beside them."""
        return self.is_settled and not self.surplus and not self.unplaced and tuple(self.places.values()) == self.order

    @property
    def is_all_shown(self) -> bool:
        """Whether every lawful card has been seen by all."""
        return all(card.shown_t is not None for side in Side for card in self.hand(side))

    def confidence(self) -> float:
        """How sure the faces are on which the drawing rests."""
        return prod(card.confidence for card in (*self.initial, *self.third.values()))

    def place(self, placement: Placement) -> None:
        """Follow one more placement."""
        card = placement.card
        if card.together_with is not None:
            self._partners.add(card.together_with)
        if placement.is_deal and len(self.initial) < INITIAL_CARDS:
            self._place_initial(placement)
            self.forget()
            return
        was_unplaced = card.card_id in self.unplaced
        if card.card_id in self.places:
            first_box = self.places[card.card_id] is None
            self.places[card.card_id] = placement.side
            if first_box:
                self._check_order(placement)
            self._look_at_boxes()
        else:
            self._take_back(card)
            self._serve(placement, is_fresh=placement.is_deal or was_unplaced)
            self._forget_duties()

    def forget(self) -> None:
        """Drop what was worked out; a card of the first four that was read since may tell more."""
        self._points.clear()
        self._forget_duties()

    def _forget_duties(self) -> None:
        self._duties.clear()
        self._is_settled = None

    def _place_initial(self, placement: Placement) -> None:
        expected = self.order[len(self.initial)]
        self.initial.append(placement.card)
        self.places[placement.card.card_id] = placement.side
        is_clear = not self.is_astray and not self.is_swapped and len(self.places) == len(self.initial)
        if placement.side is not expected or not is_clear:
            self._check_order(placement)
            self._look_at_boxes()

    def _check_order(self, placement: Placement) -> None:
        index = next(i for i, card in enumerate(self.initial) if card is placement.card)
        if placement.side in (None, self.order[index]) or any(fault.code == "misdeal.order" for fault in self.faults):
            return
        if self._is_half_of_pair(placement.card):
            return
        side = placement.side or self.order[index]
        t, card = placement.t, placement.card
        self.faults.append(CardFault(code="misdeal.order", t=t, card=card, hand=side, confidence=placement.confidence))

    def _is_half_of_pair(self, card: DealtCard) -> bool:
        return card.together_with is not None or card.card_id in self._partners

    def _look_at_boxes(self) -> None:
        """Tell whether the first four lie where they belong, as far as their order is known."""
        wrong = [
            card
            for card, side in zip(self.initial, self.order, strict=False)
            if self.places[card.card_id] not in (None, side)
        ]
        self.is_swapped = len(wrong) == 2 and all(self._is_half_of_pair(card) for card in wrong)
        self.is_astray = bool(wrong) and not self.is_swapped
        self.forget()

    def _take_back(self, card: DealtCard) -> None:
        """Forget where the card stood before it was moved."""
        self._forget_duties()
        self.surplus.pop(card.card_id, None)
        self.unplaced.pop(card.card_id, None)
        for side, third in tuple(self.third.items()):
            if third is card:
                del self.third[side]
        if self.out_of_turn is card:
            self.out_of_turn = None

    def _serve(self, placement: Placement, *, is_fresh: bool) -> None:
        self.has_served = True
        card, side = placement.card, placement.side
        if side is None:
            self.unplaced[card.card_id] = card
        elif not self.can_judge:
            self.is_broken = self.is_broken or self.out_of_turn is not None
            self.third.setdefault(side, card)
        elif side in self.third:
            self._note_surplus(placement, side, is_fresh=is_fresh, rule=self.table.single_card_rule)
        elif (
            side is _BANKER
            and self.player_duty().is_due
            and _PLAYER not in self.third
            and not self._is_half_of_pair(card)
        ):
            self._note_out_of_turn(placement, is_fresh=is_fresh)
        else:
            duty = self.player_duty() if side is _PLAYER else self.banker_duty()
            if duty.verdict is _NOT_DUE:
                self._note_surplus(placement, side, is_fresh=is_fresh, rule=duty.rule)
            else:
                self.third[side] = card

    def _note_out_of_turn(self, placement: Placement, *, is_fresh: bool) -> None:
        rule, confidence = self.player_duty().rule, self.confidence() * placement.confidence
        self.out_of_turn = placement.card
        if is_fresh:
            code, t, card = "misdeal.third_card_missing", placement.t, placement.card
            fault = CardFault(code=code, t=t, card=card, hand=Side.PLAYER, rule=rule, confidence=confidence)
            self.faults.append(fault)

    def _note_surplus(self, placement: Placement, side: Side, *, is_fresh: bool, rule: str | None) -> None:
        is_third = side not in self.third and all(fault.hand is not side for fault in self.surplus.values())
        banker = Verdict.NOT_DUE if Side.BANKER in self.third else self.banker_duty().verdict
        fault = CardFault(
            code="misdeal.third_card_not_due" if is_third else "misdeal.extra_card",
            t=placement.t,
            card=placement.card,
            hand=side,
            rule=rule,
            banker=banker,
            confidence=self.confidence() * placement.confidence,
        )
        self.surplus[placement.card.card_id] = fault
        if is_fresh:
            self.faults.append(fault)


def follow(placements: Iterable[Placement], table: TableOfPlay, order: tuple[Side, ...]) -> Drawing:
    """The drawing after these placements, in order of time."""
    drawing = Drawing(table, order)
    for placement in placements:
        drawing.place(placement)
    return drawing
