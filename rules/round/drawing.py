"""Follow a round's cards through the table of play: which hand each lawfully belongs to, and what went wrong.

Pure: replays the placements in order with every face known by now, so that a card that is read late is judged late. A
total with an unread card is unknown, and no fault is reported that depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod
from typing import NamedTuple

from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.duty import NO_THIRD, NONE_TOLD, Duties, Duty, DutyTable, Situation, Verdict, duty_confidence
from thirdcard.rules.game.hand import known_point_count, two_card_points
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import UNSEEN
from thirdcard.rules.round.round import INITIAL_CARDS, DealtCard, Placement, value_confidence_of

UNKNOWN_DECK = 0.9
"""Confidence factor for a deck of which two open faces could not be read: its other faces may be misread, whatever the
reader's confidence."""
_DUE, _NOT_DUE, _ = Verdict
_PLAYER, _BANKER = Side


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFault:
    """A card that went to the wrong place, or came before another that was due."""

    code: str
    t: float
    card: DealtCard
    hand: Side
    """The hand that got it; for a missing card the hand that lacks it."""
    rule: str | None = None
    """The rule of the table of play, where that decided."""
    banker: Verdict = Verdict.NOT_DUE
    """Whether the Banker was due a card at that moment."""
    confidence: float = 1.0

    @property
    def key(self) -> tuple[str, str]:
        return (self.code, self.card.card_id)


class TwoCards(NamedTuple):
    """A hand's first two cards and their points."""

    faces: tuple[Card | None, ...]
    points: int | None
    """None where a face is unknown."""


class Reckoning(NamedTuple):
    """The totals of the lawful cards."""

    player: int | None
    """The point count of all lawful cards; None where a face is unknown."""
    banker: int | None
    is_settled: bool
    """Whether both hands are known to have exactly the cards they are due."""


@dataclass(slots=True)
class Drawing:
    """The lawful state of a round's cards after some placements."""

    duties: DutyTable
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
    """Whether cards came after an uncorrected fault, so that nothing more can be judged."""
    faults: list[CardFault] = field(default_factory=list)
    is_astray: bool = False
    """Whether one of the first four cards lies in the wrong box now."""
    is_swapped: bool = False
    """Whether the only cards in wrong boxes left the shoe together, so that their order is unknown."""
    _partners: frozenset[str] = frozenset()
    has_served: bool = False
    """Whether a card beyond the first four was placed; its verdict rests on the faces known at that time."""
    _two: tuple[TwoCards, TwoCards] | None = None
    """The cached first two cards of the Player and the Banker; None when they changed."""
    _reckoning: Reckoning | None = None
    """The cached totals; None after a placement."""

    @property
    def has_initial(self) -> bool:
        return len(self.initial) == INITIAL_CARDS

    @property
    def can_judge(self) -> bool:
        is_whole = not (self.is_astray or self.is_broken or self.out_of_turn)
        return is_whole and len(self.initial) == INITIAL_CARDS

    def two_cards(self, side: Side) -> list[DealtCard]:
        """The first two cards that lawfully belong to the hand."""
        if self.is_swapped:
            return [card for card in self.initial if self.places[card.card_id] is side]
        return [card for card, owner in zip(self.initial, self.order, strict=False) if owner is side]

    def faces(self, side: Side) -> tuple[Card | None, ...]:
        """The faces of all cards that lawfully belong to the hand; None: not read."""
        third, two = self.third.get(side), self._first_two()[side is _BANKER].faces
        return two if third is None else (*two, third.card)

    def hand(self, side: Side) -> list[DealtCard]:
        """All cards that lawfully belong to the hand."""
        third = self.third.get(side)
        return self.two_cards(side) if third is None else [*self.two_cards(side), third]

    def reckon(self) -> Reckoning:
        """The totals of the lawful cards, computed once after each placement."""
        if self._reckoning is None:
            self._reckoning = self._reckon()
        return self._reckoning

    def _reckon(self) -> Reckoning:
        (_, player), (_, banker) = self._first_two()
        due = self.due()
        third, other = self.third.get(_PLAYER), self.third.get(_BANKER)
        is_settled = due.player.verdict is (_NOT_DUE if third is None else _DUE) and (
            due.banker.verdict is (_NOT_DUE if other is None else _DUE)
        )
        return Reckoning(
            player if third is None else _with_third(player, third),
            banker if other is None else _with_third(banker, other),
            is_settled,
        )

    def due(self) -> Duties:
        """Whether each hand draws, as far as the known cards decide it."""
        return self.duties[self._situation()] if self.can_judge else NONE_TOLD

    def _situation(self) -> Situation:
        (_, player), (_, banker) = self._first_two()
        third = self.third.get(_PLAYER)
        drawn = NO_THIRD if third is None else None if third.card is None else third.card.point_value
        return player, banker, drawn

    def _first_two(self) -> tuple[TwoCards, TwoCards]:
        if self._two is None:
            initial = self.initial
            if self.is_swapped:
                self._two = _two_of_each(initial, [self.places[card.card_id] for card in initial])
            elif len(initial) < INITIAL_CARDS:
                self._two = _two_of_each(initial, self.order)
            else:
                (i, j), (k, m) = _turns_of(self.order)
                self._two = _both(initial[i].card, initial[j].card), _both(initial[k].card, initial[m].card)
        return self._two

    def points(self, side: Side) -> int | None:
        """The two-card point count; None where a face is unknown."""
        return self._first_two()[side is _BANKER].points

    def total(self, side: Side) -> int | None:
        """The point count of all lawful cards; None where a face is unknown."""
        return self.reckon()[side is _BANKER]

    def missing(self) -> tuple[Side, Duty] | None:
        """The hand that is due a card and has none, the Player's first; None where no card is missing."""
        player, banker = self.due()
        if player.verdict is _DUE and _PLAYER not in self.third:
            return _PLAYER, player
        if banker.verdict is _DUE and _BANKER not in self.third:
            return _BANKER, banker
        return None

    @property
    def is_settled(self) -> bool:
        """Whether both hands are known to have exactly the cards they are due."""
        return self.reckon().is_settled

    @property
    def is_orderly(self) -> bool:
        """Whether both hands have exactly the cards they are due, each card in its box, and no other cards lie
        there."""
        is_apart = not self.surplus and not self.unplaced and tuple(self.places.values()) == self.order
        return is_apart and self.reckon().is_settled

    def confidence(self) -> float:
        """The confidence in the point values of all lawful cards, 0 to 1."""
        return prod(card.confidence for card in (*self.initial, *self.third.values()))

    def duty_confidence(self, side: Side) -> float:
        """A lower bound of the confidence in whether the hand is due a third card; see `rules/game/duty.py`."""
        thirds = [card for hand, card in self.third.items() if hand is _PLAYER]
        hands = (self.two_cards(_PLAYER), self.two_cards(_BANKER), thirds)
        sure = [prod(card.confidence for card in hand if card.card is not None) for hand in hands]
        return _trust((*self.initial, *self.third.values())) * duty_confidence(
            self.duties, self._situation(), sure, side
        )

    def begin(self, placements: Sequence[Placement]) -> None:
        """Place the first four cards, each of which was dealt to the hand whose turn it was."""
        self.initial = [card for card, _ in placements]
        self.places = dict(zip([event.card_id for _, event in placements], self.order, strict=True))

    def place(self, placement: Placement) -> None:
        """Apply one more placement."""
        self._reckoning = None
        card = placement[0]
        waiting = None
        if card.together_with is not None:
            self._partners |= {card.together_with}
            self.faults = [fault for fault in self.faults if fault.card.card_id != card.together_with]
            if self.out_of_turn is not None and self.out_of_turn.card_id == card.together_with:
                waiting, self.out_of_turn = self.out_of_turn, None
        self._put(placement)
        if waiting is not None:
            self._serve((waiting, waiting.came), is_fresh=True)

    def _put(self, placement: Placement) -> None:
        card, event = placement
        card_id = event.card_id
        is_deal = event is card.came
        if is_deal and len(self.initial) < INITIAL_CARDS:
            self._place_initial(placement)
            return
        was_unplaced = card_id in self.unplaced
        if card_id in self.places:
            first_box = self.places[card_id] is None
            self.places[card_id] = event.hand
            if first_box:
                self._check_order(placement)
            self._look_at_boxes()
        else:
            if not is_deal or was_unplaced or card_id in self.surplus:
                self._take_back(card)
            self._serve(placement, is_fresh=is_deal or was_unplaced)

    def forget(self) -> None:
        """Drop cached values, since a face of the first four cards became known."""
        self._two = self._reckoning = None

    def _place_initial(self, placement: Placement) -> None:
        (card, event), expected = placement, self.order[len(self.initial)]
        self.initial.append(card)
        self.places[event.card_id] = event.hand
        self._two = None
        is_clear = not self.is_astray and not self.is_swapped and len(self.places) == len(self.initial)
        if event.hand is not expected or not is_clear:
            self._check_order(placement)
            self._look_at_boxes()

    def _check_order(self, placement: Placement) -> None:
        card, event = placement
        index, side = next(i for i, one in enumerate(self.initial) if one is card), event.hand
        if side is None or side is self.order[index] or self._is_half_of_pair(card):
            return
        if any(fault.code == "misdeal.order" for fault in self.faults):
            return
        sure = min([value_confidence_of(event), *map(_seen_to_come, self.initial[:index])])
        fault = CardFault(code="misdeal.order", t=event.t, card=card, hand=side, confidence=sure)
        self.faults.append(fault)

    def _is_half_of_pair(self, card: DealtCard) -> bool:
        return card.together_with is not None or card.card_id in self._partners

    def _look_at_boxes(self) -> None:
        """Check whether the first four cards lie in their boxes, as far as their order is known."""
        wrong = [
            card
            for card, side in zip(self.initial, self.order, strict=False)
            if self.places[card.card_id] not in (None, side)
        ]
        self.is_swapped = len(wrong) == 2 and all(self._is_half_of_pair(card) for card in wrong)
        self.is_astray = bool(wrong) and not self.is_swapped
        self.forget()

    def _take_back(self, card: DealtCard) -> None:
        """Remove the card from where it stood before it was moved."""
        self.surplus.pop(card.card_id, None)
        self.unplaced.pop(card.card_id, None)
        for side, third in tuple(self.third.items()):
            if third is card:
                del self.third[side]
        if self.out_of_turn is card:
            self.out_of_turn = None

    def _serve(self, placement: Placement, *, is_fresh: bool) -> None:
        self.has_served = True
        card, side = placement[0], placement[1].hand
        if side is None:
            self.unplaced[card.card_id] = card
        elif not self.can_judge:
            self.is_broken = self.is_broken or self.out_of_turn is not None
            self.third.setdefault(side, card)
        elif side in self.third:
            self._note_surplus(placement, side, is_fresh=is_fresh, rule=self.duties.table.single_card_rule)
        else:
            player, banker = self.due()
            duty = player if side is _PLAYER else banker
            waits = side is _BANKER and player.verdict is _DUE and _PLAYER not in self.third
            if waits and not self._is_half_of_pair(card):
                self._note_out_of_turn(placement, player.rule, is_fresh=is_fresh)
            elif duty.verdict is _NOT_DUE:
                self._note_surplus(placement, side, is_fresh=is_fresh, rule=duty.rule)
            else:
                self.third[side] = card

    def _note_out_of_turn(self, placement: Placement, rule: str | None, *, is_fresh: bool) -> None:
        card, event = placement
        sure = self.duty_confidence(_PLAYER) * value_confidence_of(event)
        self.out_of_turn = card
        if is_fresh:
            code = "misdeal.third_card_missing"
            self.faults.append(CardFault(code=code, t=event.t, card=card, hand=_PLAYER, rule=rule, confidence=sure))

    def _note_surplus(self, placement: Placement, side: Side, *, is_fresh: bool, rule: str | None) -> None:
        card, event = placement
        is_third = side not in self.third and all(fault.hand is not side for fault in self.surplus.values())
        banker = Verdict.NOT_DUE if Side.BANKER in self.third else self.due().banker.verdict
        sure = self.duty_confidence(side) if is_third else _trust((*self.initial, *self.third.values()))
        fault = CardFault(
            code="misdeal.third_card_not_due" if is_third else "misdeal.extra_card",
            t=event.t,
            card=card,
            hand=side,
            rule=rule,
            banker=banker,
            confidence=sure * value_confidence_of(event),
        )
        self.surplus[card.card_id] = fault
        if is_fresh:
            self.faults.append(fault)


def follow(placements: Iterable[Placement], duties: DutyTable, order: tuple[Side, ...]) -> Drawing:
    """The drawing after these placements, which are in order of time."""
    drawing = Drawing(duties, order)
    for placement in placements:
        drawing.place(placement)
    return drawing


def put_right(drawing: Drawing, placements: Sequence[Placement]) -> Drawing:
    """The drawing of cards that were moved after a fault: if they lie lawfully now, it goes on from there.

    The faults stay, since they happened.
    """
    cards = list(dict.fromkeys(card.card_id for card, _ in placements))
    first = {card.card_id: card for card, _ in reversed(placements)}
    moved = [
        card if card.place is None else replace(card, came=replace(card.came, hand=card.place))
        for card in map(first.__getitem__, cards)
    ]
    mended = follow([(card, card.came) for card in moved], drawing.duties, drawing.order)
    if mended.faults or mended.is_broken:
        return drawing
    mended.faults = drawing.faults
    return mended


def _trust(cards: Sequence[DealtCard]) -> float:
    """The confidence that all cards exist and came as logged, whatever their faces, 0 to 1.

    A face that was read proves that its card exists, but not how it came if nobody could see it. Lower where more than
    one card lies open and unread.
    """
    unread = [card for card in cards if card.card is None]
    is_deck_known = sum(card.shown_t is not None for card in unread) < 2
    unseen = [card for card in cards if card.card is not None and card.confidence <= UNSEEN]
    return prod(card.confidence for card in (*unread, *unseen)) * (1.0 if is_deck_known else UNKNOWN_DECK)


def _seen_to_come(card: DealtCard) -> float:
    """The confidence in when a card came; below 1 only where another card may have come unseen before it."""
    sure = value_confidence_of(card.came)
    return sure if sure <= UNSEEN else 1.0


def _two_of_each(cards: Iterable[DealtCard], owners: Iterable[Side | None]) -> tuple[TwoCards, TwoCards]:
    """The Player's and the Banker's first cards."""
    player: list[Card | None] = []
    banker: list[Card | None] = []
    for card, owner in zip(cards, owners, strict=False):
        if owner is _PLAYER:
            player.append(card.card)
        elif owner is _BANKER:
            banker.append(card.card)
    return TwoCards(tuple(player), known_point_count(player)), TwoCards(tuple(banker), known_point_count(banker))


@lru_cache
def _turns_of(order: tuple[Side, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The indices of the Player's and of the Banker's cards among the first four."""
    player, banker = (tuple(i for i, side in enumerate(order) if side is owner) for owner in Side)
    return player, banker


def _both(first: Card | None, second: Card | None) -> TwoCards:
    return TwoCards((first, second), two_card_points(first, second))


def _with_third(points: int | None, third: DealtCard) -> int | None:
    return None if points is None or third.card is None else (points + third.card.point_value) % 10
