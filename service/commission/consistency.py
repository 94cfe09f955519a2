"""Check each round's cards against evidence that does not depend on faces: their number, the announcement, the
payments.

A misread card shows when it makes the round contradict itself. The detectable share is counted exactly, by giving each
card the nine other point values in turn. Wrong suits, and faces of equal value, cannot be detected so. A contradiction
blames nobody: a card may have been misread, or the dealer may have erred. Times are stream time in seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.duty import NO_THIRD, DutyTable, Verdict
from thirdcard.rules.game.hand import winner_of
from thirdcard.rules.game.words import Bet, Outcome, SettleAction, Side
from thirdcard.rules.log.events import (
    UNSEEN,
    CardDealt,
    CardTurned,
    Event,
    ResultAnnounced,
    RoundVoided,
    ShoeOpened,
    WagerSettled,
)
from thirdcard.rules.round.round import INITIAL_CARDS
from thirdcard.service.evaluate.accounts import Incident
from thirdcard.service.evaluate.cards import FollowedCard, PlayedRound, split_rounds

MOST_OF_A_HAND = 3
POINTS = range(10)
_DEAL_ORDER = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER)
_WINNERS: Mapping[str, Outcome] = {Bet.PLAYER: Outcome.PLAYER, Bet.BANKER: Outcome.BANKER, Bet.TIE: Outcome.TIE}
"""The winner for each bet that is paid."""


class Contradiction(StrEnum):
    """The kinds of contradictions in a round."""

    DRAWING = "drawing"
    """By the faces, a third card was not due, or one is missing."""
    RESULT = "result"
    """The announced result differs from the cards."""
    SETTLEMENT = "settlement"
    """Wagers on Player, Banker or Tie were settled as if another side had won."""
    ORDER = "order"
    """The first four cards seem not to have come in order."""
    COUNT = "count"
    """A hand seems to have fewer than two cards, or more than three."""
    SHOE = "shoe"
    """A card occurs more often than in the shoe's decks."""
    LOOKS = "looks"
    """A card was read with two different faces."""


OF_FACES = frozenset({Contradiction.DRAWING, Contradiction.RESULT, Contradiction.SETTLEMENT, Contradiction.SHOE})
"""Contradictions that a misread face explains."""
OF_PLACES = frozenset({Contradiction.DRAWING, Contradiction.ORDER, Contradiction.COUNT})
"""Contradictions that an undetected card, or one seen in the wrong hand, explains."""


OF_CARDS = ("misdeal.", "payout.", "procedure.sequence", "exposed_card.excess")
"""Prefixes of findings that a misread or misplaced card would explain too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRound:
    """One round and its contradictions."""

    number: int
    opened: float
    closed: float
    cards: tuple[FollowedCard, ...]
    """In order of dealing."""
    contradictions: frozenset[Contradiction]
    is_judged: bool
    """Whether every face was read, so that drawing and result could be checked."""
    turns: tuple[float, ...]
    """For each card: the share of the nine other point values with which an agreeing round would contradict itself, or
    a contradictory one would agree. 0 without a comparison."""
    dealer: float
    """The highest confidence of a finding that the dealer erred in the round; 0 without one."""

    @property
    def is_consistent(self) -> bool:
        """Whether there is no contradiction."""
        return not self.contradictions


@dataclass(frozen=True, slots=True)
class _Hands:
    """The point values of one round, and the evidence about its result."""

    player: tuple[int, ...]
    banker: tuple[int, ...]
    announced: ResultAnnounced | None
    winners: frozenset[Outcome]
    """The winners that agree with all settled wagers."""

    def contradictions(self, duties: DutyTable) -> set[Contradiction]:
        """The contradictions of these values."""
        totals = sum(self.player) % 10, sum(self.banker) % 10
        found: set[Contradiction] = set()
        if not self._is_drawing_lawful(duties):
            found.add(Contradiction.DRAWING)
        if self.announced is not None:
            said = (self.announced.player, self.announced.banker, self.announced.winner)
            read = (*totals, winner_of(*totals))
            if any(one is not None and one != other for one, other in zip(said, read, strict=True)):
                found.add(Contradiction.RESULT)
        if winner_of(*totals) not in self.winners:
            found.add(Contradiction.SETTLEMENT)
        return found

    def with_value(self, place: tuple[Side, int], value: int) -> _Hands:
        """The same hands with another value of one card."""
        side, number = place
        hand = self.player if side is Side.PLAYER else self.banker
        changed = (*hand[:number], value, *hand[number + 1 :])
        player, banker = (changed, self.banker) if side is Side.PLAYER else (self.player, changed)
        return _Hands(player, banker, self.announced, self.winners)

    def _is_drawing_lawful(self, duties: DutyTable) -> bool:
        third = self.player[2] if len(self.player) > 2 else NO_THIRD
        player, banker = duties[sum(self.player[:2]) % 10, sum(self.banker[:2]) % 10, third]
        if (player.verdict is Verdict.DUE) != (len(self.player) > 2):
            return False
        return (banker.verdict is Verdict.DUE) == (len(self.banker) > 2)


def check_rounds(
    events: Sequence[Event], duties: DutyTable, *, decks: int | None, findings: Iterable[Incident] = ()
) -> list[CheckedRound]:
    """The rounds of a log that have cards.

    Args:
        events: The log.
        duties: The rulebook's table of play.
        decks: Number of decks in the shoe; None for a shuffler that takes cards back, so that copies are not counted.
        findings: Alerts and doubtful findings of the same log.
    """
    dealt_wrongly = [one for one in findings if one.code.startswith(OF_CARDS)]
    copies: Counter[str] = Counter()
    checked, before_t = [], 0.0
    for number, played in enumerate(split_rounds(events), start=1):
        if not played.cards:
            continue
        if any(isinstance(event, ShoeOpened) and before_t < event.t <= played.closed for event in events):
            copies.clear()
        before_t = played.closed
        copies.update(card.face for card in played.cards if card.face is not None)
        within = [event for event in events if played.opened <= event.t <= played.closed]
        surplus = decks is not None and any(card.face and copies[card.face] > decks for card in played.cards)
        sure = [one.confidence or 0.0 for one in dealt_wrongly if played.opened <= one.t <= played.closed]
        one = _checked(number, played, within, duties, has_surplus=surplus)
        checked.append(replace(one, dealer=max(sure, default=0.0)))
    return checked


def _checked(
    number: int, played: PlayedRound, within: Sequence[Event], duties: DutyTable, *, has_surplus: bool
) -> CheckedRound:
    found = {Contradiction.SHOE} if has_surplus else set()
    places = _places(played.cards)
    counts = Counter(side for side, _ in places if side is not None)
    is_void = any(isinstance(event, RoundVoided) for event in within)
    if not is_void and any(not 2 <= counts[side] <= MOST_OF_A_HAND for side in Side):
        found.add(Contradiction.COUNT)
    if _is_out_of_turn(within):
        found.add(Contradiction.ORDER)
    if _is_told_twice(within):
        found.add(Contradiction.LOOKS)
    hands = None if is_void or Contradiction.COUNT in found else _hands(played.cards, within)
    turns = (0.0,) * len(played.cards)
    if hands is not None:
        own = hands.contradictions(duties)
        turns = tuple(_turns(hands, place, bool(own), duties) for place in places)
        found |= own
    return CheckedRound(
        number=number,
        opened=played.opened,
        closed=played.closed,
        cards=played.cards,
        contradictions=frozenset(found),
        is_judged=hands is not None,
        turns=turns,
        dealer=0.0,
    )


def _turns(hands: _Hands, place: tuple[Side | None, int], contradicts: bool, duties: DutyTable) -> float:
    side, number = place
    if side is None:
        return 0.0
    hand = hands.player if side is Side.PLAYER else hands.banker
    others = [value for value in POINTS if value != hand[number]]
    changed = [hands.with_value((side, number), value).contradictions(duties) for value in others]
    return sum(bool(each) != contradicts for each in changed) / len(others)


def _places(cards: Iterable[FollowedCard]) -> list[tuple[Side | None, int]]:
    """Each card's hand and its index in it."""
    counts: Counter[str | None] = Counter()
    found = []
    for card in cards:
        found.append((None if card.hand is None else Side(card.hand), counts[card.hand]))
        counts[card.hand] += 1
    return found


def _hands(cards: Sequence[FollowedCard], within: Sequence[Event]) -> _Hands | None:
    """The hands as values; None where a face was not read."""
    if any(card.face is None or card.hand is None for card in cards):
        return None
    values: dict[str, list[int]] = {side: [] for side in Side}
    for card in cards:
        values[str(card.hand)].append(parse_card(str(card.face)).point_value)
    announced = [event for event in within if isinstance(event, ResultAnnounced)]
    return _Hands(
        player=tuple(values[Side.PLAYER]),
        banker=tuple(values[Side.BANKER]),
        announced=announced[-1] if announced else None,
        winners=_winners(within),
    )


def _winners(within: Iterable[Event]) -> frozenset[Outcome]:
    """The winners that the settled wagers on the hands and on Tie allow; all of them where these disagree."""
    allowed = frozenset(Outcome)
    for event in within:
        if isinstance(event, WagerSettled) and (wins := _WINNERS.get(event.bet)) is not None:
            if (event.confidence or 1.0) <= UNSEEN:
                continue
            if event.action is SettleAction.PAID:
                allowed &= {wins}
            elif event.action is SettleAction.COLLECTED:
                allowed -= {wins, *(() if wins is Outcome.TIE else (Outcome.TIE,))}
            elif wins is not Outcome.TIE:
                allowed &= {Outcome.TIE}
    return allowed or frozenset(Outcome)


def _is_out_of_turn(within: Iterable[Event]) -> bool:
    """Whether the first four cards came in a wrong order, if their order was seen."""
    dealt = [event for event in within if isinstance(event, CardDealt)][:INITIAL_CARDS]
    if len(dealt) < INITIAL_CARDS or any(one.order_unseen or one.together_with or one.hand is None for one in dealt):
        return False
    return tuple(one.hand for one in dealt) != _DEAL_ORDER


def _is_told_twice(within: Iterable[Event]) -> bool:
    """Whether a card was read with two faces."""
    told: dict[str, object] = {}
    for event in within:
        if not isinstance(event, CardDealt | CardTurned) or event.card is None:
            continue
        if told.setdefault(event.card_id, event.card) != event.card:
            return True
    return False
