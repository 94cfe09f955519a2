"""Whether a round's cards agree with what does not rest on their faces: how many there are, what was said and paid.

A misread card is noticed where the round contradicts itself with it. Counted exactly: a card is given each of the nine
other point values in turn. Suits, and faces that count alike, are never noticed so. A contradiction accuses nobody: the
card may have been misread, or the dealer may have erred. Times are stream time in seconds.
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
"""Who wins where a wager on it is paid."""


class Contradiction(StrEnum):
    """What a round contradicts itself in."""

    DRAWING = "drawing"
    """A third card that was not due by the faces read, or one missing."""
    RESULT = "result"
    """The result that was announced is another."""
    SETTLEMENT = "settlement"
    """Wagers on Player, Banker or Tie were paid or taken as if another hand had won."""
    ORDER = "order"
    """The first four cards seem not to have come in turn."""
    COUNT = "count"
    """A hand seems to have fewer cards than two, or more than three."""
    SHOE = "shoe"
    """More copies of a card than the shoe's decks hold."""
    LOOKS = "looks"
    """A card was reported with one face, and then with another."""


OF_FACES = frozenset({Contradiction.DRAWING, Contradiction.RESULT, Contradiction.SETTLEMENT, Contradiction.SHOE})
"""Those that a misread face explains."""
OF_PLACES = frozenset({Contradiction.DRAWING, Contradiction.ORDER, Contradiction.COUNT})
"""Those that a card explains which was not found, or seen in another hand."""


OF_CARDS = ("misdeal.", "payout.", "procedure.sequence", "exposed_card.excess")
"""Findings that a misread or misplaced card would explain as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRound:
    """One round, and what of it contradicts the rest."""

    number: int
    opened: float
    closed: float
    cards: tuple[FollowedCard, ...]
    """In the order in which they left the shoe."""
    contradictions: frozenset[Contradiction]
    is_judged: bool
    """Whether every face was read, so that drawing and result could be compared."""
    turns: tuple[float, ...]
    """For each card the share of the nine other point values with which the round would change: of one that agrees,
    to a contradiction; of one that does not, to agreement. 0 where nothing could be compared."""
    dealer: float
    """How sure the surest finding is that the dealer erred in the round; 0 where there is none."""

    @property
    def is_consistent(self) -> bool:
        """Whether nothing contradicts."""
        return not self.contradictions


@dataclass(frozen=True, slots=True)
class _Hands:
    """The point values of one round, and what was done with them."""

    player: tuple[int, ...]
    banker: tuple[int, ...]
    announced: ResultAnnounced | None
    winners: frozenset[Outcome]
    """Those that all settled wagers allow."""

    def contradictions(self, duties: DutyTable) -> set[Contradiction]:
        """What does not go together."""
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
        """The same with another value of one card."""
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
    """The rounds of a log with cards.

    Args:
        events: The log.
        duties: The rulebook's table of play.
        decks: How many are in the shoe; None where cards go back into it, so that none is counted.
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
    """Each card's hand and its number there."""
    counts: Counter[str | None] = Counter()
    found = []
    for card in cards:
        found.append((None if card.hand is None else Side(card.hand), counts[card.hand]))
        counts[card.hand] += 1
    return found


def _hands(cards: Sequence[FollowedCard], within: Sequence[Event]) -> _Hands | None:
    """None where a face was not read."""
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
    """Who may have won, by the wagers on the hands and on Tie; all of them where these do not go together."""
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
    """Whether the first four cards came in another order, as far as their order was seen."""
    dealt = [event for event in within if isinstance(event, CardDealt)][:INITIAL_CARDS]
    if len(dealt) < INITIAL_CARDS or any(one.order_unseen or one.together_with or one.hand is None for one in dealt):
        return False
    return tuple(one.hand for one in dealt) != _DEAL_ORDER


def _is_told_twice(within: Iterable[Event]) -> bool:
    """Whether a card was reported with two faces."""
    told: dict[str, object] = {}
    for event in within:
        if not isinstance(event, CardDealt | CardTurned) or event.card is None:
            continue
        if told.setdefault(event.card_id, event.card) != event.card:
            return True
    return False
