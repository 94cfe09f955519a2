"""The steps of a round: the lawful deal, changed by a script's happenings.

Knows nothing of motions or places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from thirdcard.calibration.layout import Area
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.script import (
    Extra,
    FaceUp,
    Happening,
    Missing,
    NotDue,
    Order,
    ScriptedRound,
    WrongResult,
)
from thirdcard.rules.errors import CardError
from thirdcard.rules.game.cards import PACK, Card, parse_card
from thirdcard.rules.game.words import Outcome, Side

DEAL_ORDER = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER)
_TRIES = 20_000


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """An alert that a perfect observer raises at the time of the step."""

    code: str
    hand: Side | None = None
    cards: tuple[Card, ...] = ()
    area: Area | None = None
    """The wagering area that it concerns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """A card leaves the shoe."""

    card: Card
    hand: Side | None
    face_up: bool
    faults: tuple[PlannedFault, ...] = ()
    kept: bool = False
    """Whether it stays for the next round."""
    void_next: bool = False
    is_along: bool = False
    """Whether it leaves the shoe together with the card before it."""
    at: str = "shoe"
    """Where it is laid if it belongs to no hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclose:
    """The dealer turns the last card dealt at its place."""

    faults: tuple[PlannedFault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The dealer turns a hand's cards that lie face down."""

    hand: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The last card dealt is moved into another hand's box."""

    hand: Side
    pause_s: float = 0.3
    """How many seconds the dealer waits afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announce:
    """The dealer announces the result."""

    player: int
    banker: int
    winner: Outcome
    truly: Outcome
    faults: tuple[PlannedFault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOut:
    """The cutting card comes out of the shoe."""

    is_first: bool
    """Whether it comes before any card of the round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOut:
    """The shoe is empty; the round ends without a result."""


Step = Deal | Turn | Disclose | Move | Announce | CutOut | RunOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """Both hands as the rules deal them."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]

    def of(self, hand: Side) -> tuple[Card, ...]:
        return self.player if hand is Side.PLAYER else self.banker


def total(cards: Iterable[Card]) -> int:
    """Return the point count of a hand, 0 to 9."""
    return sum(card.point_value for card in cards) % 10


def outcome_of(player: int, banker: int) -> Outcome:
    """Return the outcome for these point counts."""
    if player == banker:
        return Outcome.TIE
    return Outcome.PLAYER if player > banker else Outcome.BANKER


def player_draws(hands: Hands) -> bool:
    """Whether the table of play gives the Player a third card."""
    first, second = total(hands.player[:2]), total(hands.banker[:2])
    return first <= 5 and second <= 7


def banker_draws(hands: Hands) -> bool:
    """Whether the table of play gives the Banker a third card, after the Player's where that is due."""
    first, second = total(hands.player[:2]), total(hands.banker[:2])
    if first >= 8 or second >= 8:
        return False
    if not player_draws(hands):
        return second <= 5
    third = hands.player[2].point_value
    lowest, highest = {3: (0, 9), 4: (2, 7), 5: (4, 7), 6: (6, 7)}.get(second, (0, 9) if second <= 2 else (1, 0))
    return lowest <= third <= highest and not (second == 3 and third == 8)


def parse_hands(text: str, where: str) -> Hands:
    """Parse both hands from `P 8H 4D 2C | B KS 9D`; they must be what the table of play deals.

    Raises:
        ScriptError: The text cannot be read, or the rules deal other cards.
    """
    sides = [side.split() for side in text.split("|")]
    if len(sides) != 2 or not all(sides) or sides[0][0] != "P" or sides[1][0] != "B":
        raise ScriptError(where, text, "must read like 'P 8H 4D 2C | B KS 9D'")
    try:
        hands = Hands(player=tuple(map(parse_card, sides[0][1:])), banker=tuple(map(parse_card, sides[1][1:])))
    except CardError as error:
        raise ScriptError(where, text, str(error)) from error
    if min(len(hands.player), len(hands.banker)) < 2 or max(len(hands.player), len(hands.banker)) > 3:
        raise ScriptError(where, text, "must name two or three cards for each hand")
    due = player_draws(hands)
    if (len(hands.player) == 3) != due:
        raise ScriptError(where, text, f"must give the Player {'three' if due else 'two'} cards by the table of play")
    due = banker_draws(hands)
    if (len(hands.banker) == 3) != due:
        raise ScriptError(where, text, f"must give the Banker {'three' if due else 'two'} cards by the table of play")
    return hands


class DealingShoe:
    """The cards that are still in the shoe, drawn from a seed."""

    def __init__(self, decks: int, rng: np.random.Generator) -> None:
        self._left = dict.fromkeys(PACK, decks)
        self._rng = rng

    def draw(self) -> Card:
        """Return a random card that is left, without removing it."""
        cards = self._cards()
        return cards[int(self._rng.integers(len(cards)))]

    def _cards(self) -> list[Card]:
        return [card for card, count in self._left.items() for _ in range(count)]

    def is_spent(self, card: Card) -> bool:
        """Whether every copy of a card is out."""
        return self._left[card] == 0

    def take(self, cards: Iterable[Card], where: str) -> None:
        """Remove cards from the shoe.

        Raises:
            ScriptError: The shoe holds no further copy of one.
        """
        for card in cards:
            if self._left[card] == 0:
                raise ScriptError(where, str(card), "no copy of it is left in the shoe")
            self._left[card] -= 1

    def draw_hands(
        self, fits: Callable[[Hands], bool], first: Card | None, where: str, *, foreign: int | None = None
    ) -> Hands:
        """Draw random lawful hands that satisfy `fits`.

        Args:
            fits: Whether hands are suitable.
            first: The Player's first card, if one is kept.
            where: Names the round in messages.
            foreign: The index, from 0, of a card of which every copy is out.

        Raises:
            ScriptError: None of the draws fits.
        """
        left = self._cards()
        spent = [card for card in PACK if self.is_spent(card)] if foreign is not None else []
        for _ in range(_TRIES):
            cards = [left[i] for i in self._rng.integers(len(left), size=6)]
            cards[0] = first or cards[0]
            if foreign is not None and spent:
                cards[foreign] = spent[int(self._rng.integers(len(spent)))]
            hands = Hands(player=(cards[0], cards[2], cards[4]), banker=(cards[1], cards[3]))
            if not player_draws(hands):
                hands = Hands(player=hands.player[:2], banker=hands.banker)
            if banker_draws(hands):
                hands = Hands(player=hands.player, banker=(*hands.banker, cards[5]))
            if fits(hands):
                return hands
        raise ScriptError(where, "happenings", "no round was found in which all of them can happen")


def complaint(hands: Hands, happenings: Iterable[Happening], style: str) -> str | None:
    """Return why these happenings are impossible in a round with these hands; None if they are possible."""
    for event in happenings:
        if isinstance(event, NotDue):
            if len(hands.of(Side(event.hand))) == 3:
                return f"third_card_not_due: the {event.hand}'s third card is due"
            banker_due = len(hands.banker) == 3
            if event.hand == "player" and banker_due != (event.then == "banker"):
                return "third_card_not_due: then must be banker exactly where the Banker must draw"
            if event.hand == "banker" and event.then == "banker":
                return "third_card_not_due: then: banker is for a card dealt to the Player"
        if isinstance(event, Missing) and len(hands.of(Side(event.hand))) == 2:
            return f"third_card_missing: the {event.hand}'s third card is not due"
        if isinstance(event, Extra) and event.hand and len(hands.of(Side(event.hand))) == 2:
            return f"extra_card: the {event.hand}'s hand must have three cards"
        if isinstance(event, FaceUp) and style == "A":
            return "face_up_deal: in style A all cards are dealt face up"
        if isinstance(event, WrongResult) and event.winner == str(result_of(hands)):
            return f"wrong_result: {event.winner} is what the cards say"
    return None


def result_of(hands: Hands) -> Outcome:
    """Return the outcome by the cards."""
    return outcome_of(total(hands.player), total(hands.banker))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a round's plan depends on besides its cards."""

    style: str
    """The dealing style: A, B or C."""
    voids_next: bool
    """Whether the rulebook orders a hand without wagers after a card in excess was shown."""
    kept: bool = False
    """Whether the Player's first card lies there from the previous round."""
    voids_first: bool = False
    """Whether the rulebook orders a hand without wagers if the first card is found face up."""


def plan_round(spec: ScriptedRound, hands: Hands, setting: Setting, shoe: DealingShoe) -> list[Step]:
    """Return the steps of a round, in order."""
    steps = _initial_deal(spec, hands, setting)
    if setting.style != "A":
        steps += [Turn(hand=Side.PLAYER), Turn(hand=Side.BANKER)]
    missing = [event.hand for event in spec.happenings if isinstance(event, Missing)]
    on_table = {Side.PLAYER: hands.player[:2], Side.BANKER: hands.banker[:2]}
    faults = [PlannedFault("misdeal.third_card_missing", hand=Side(hand)) for hand in missing]
    for hand in (Side.PLAYER, Side.BANKER):
        steps += _not_due(spec, hand, hands, setting, shoe)
        given_away = hand is Side.BANKER and any(isinstance(e, NotDue) and e.then == "banker" for e in spec.happenings)
        if len(hands.of(hand)) == 3:
            if "player" in missing or hand in missing:
                continue
            on_table[hand] = hands.of(hand)
            if not given_away:
                steps += _third(hands.of(hand)[2], hand, setting)
    steps += _extra(spec, setting, shoe)
    player, banker = total(on_table[Side.PLAYER]), total(on_table[Side.BANKER])
    winner = truly = outcome_of(player, banker)
    for event in spec.happenings:
        if isinstance(event, WrongResult):
            winner = Outcome(event.winner) if event.winner else _another(truly)
            faults.append(PlannedFault("misdeal.wrong_result"))
    return [*steps, Announce(player=player, banker=banker, winner=winner, truly=truly, faults=tuple(faults))]


def _initial_deal(spec: ScriptedRound, hands: Hands, setting: Setting) -> list[Step]:
    steps: list[Step] = []
    cards = [hands.player[0], hands.banker[0], hands.player[1], hands.banker[1]]
    for number, (card, hand) in enumerate(zip(cards, DEAL_ORDER, strict=True), start=1):
        if number == 1 and setting.kept:
            continue
        shown = any(isinstance(event, FaceUp) and event.card == number for event in spec.happenings)
        astray = any(isinstance(event, Order) and event.card == number for event in spec.happenings)
        code = "first_card" if number == 1 and setting.voids_first else "face_up_deal"
        faults = [PlannedFault(f"exposed_card.{code}", cards=(card,))] if shown else []
        if astray:
            faults.append(PlannedFault("misdeal.order", hand=hand.other, cards=(card,) if setting.style == "A" else ()))
        face_up = setting.style == "A" or shown
        steps.append(Deal(card=card, hand=hand.other if astray else hand, face_up=face_up, faults=tuple(faults)))
        if astray:
            steps.append(Move(hand=hand))
    return steps


def _third(card: Card, hand: Side, setting: Setting) -> list[Step]:
    face_up = setting.style != "B"
    deal = Deal(card=card, hand=hand, face_up=face_up)
    return [deal] if face_up else [deal, Turn(hand=hand)]


def _not_due(spec: ScriptedRound, hand: Side, hands: Hands, setting: Setting, shoe: DealingShoe) -> list[Step]:
    for event in spec.happenings:
        if not isinstance(event, NotDue) or Side(event.hand) is not hand:
            continue
        face_up = setting.style != "B"
        if event.then == "banker":
            card = hands.banker[2]
            fault = PlannedFault("misdeal.third_card_not_due", hand=hand, cards=(card,) if face_up else ())
            deal = Deal(card=card, hand=hand, face_up=face_up, faults=(fault,))
            return [deal, Move(hand=Side.BANKER), *([] if face_up else [Turn(hand=Side.BANKER)])]
        card = _chosen(event.card, shoe)
        faults = [PlannedFault("misdeal.third_card_not_due", hand=hand, cards=(card,) if face_up else ())]
        if face_up:
            faults.append(PlannedFault("exposed_card.excess", hand=hand, cards=(card,)))
        kept = event.then == "next"
        return [
            Deal(
                card=card,
                hand=hand,
                face_up=face_up,
                faults=tuple(faults),
                kept=kept,
                void_next=kept and face_up and setting.voids_next,
            )
        ]
    return []


def _extra(spec: ScriptedRound, setting: Setting, shoe: DealingShoe) -> list[Step]:
    for event in spec.happenings:
        if isinstance(event, Extra):
            card = _chosen(event.card, shoe)
            hand = Side(event.hand) if event.hand else None
            face_up = event.face_up and not event.turned
            is_shown = event.face_up or event.turned
            drawn = PlannedFault("misdeal.extra_card", hand=hand, cards=(card,) if is_shown else ())
            disclosed = PlannedFault("exposed_card.excess", hand=hand, cards=(card,))
            kept = event.then == "next"
            deal = Deal(
                card=card,
                hand=hand,
                face_up=face_up,
                faults=(drawn, disclosed) if face_up else (drawn,),
                kept=kept,
                void_next=kept and is_shown and setting.voids_next,
                at=event.at,
            )
            return [deal, Disclose(faults=(disclosed,))] if event.turned else [deal]
    return []


def _chosen(text: str | None, shoe: DealingShoe) -> Card:
    card = parse_card(text) if text else shoe.draw()
    shoe.take([card], "rounds")
    return card


def _another(truly: Outcome) -> Outcome:
    return Outcome.BANKER if truly is not Outcome.BANKER else Outcome.PLAYER
