"""Mutants of code, by name: where a rule is not data, the engine is broken while the context is open."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

from thirdcard.rules import referee
from thirdcard.rules.cards import burn, card_judge, exposed_cards, handling, last_round
from thirdcard.rules.findings import findings
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game import hand
from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.notice import LimitChange, Range, TableNotice
from thirdcard.rules.game.words import Bet, Outcome
from thirdcard.rules.log.events import Event, HandlingDeclined, ReturnOrdered, RoundVoided
from thirdcard.rules.round.round import TAKERS
from thirdcard.rules.round.table_state import TableState
from thirdcard.rules.wagers import early_settlement, hand_ends, insurance, payouts

_END_OF = hand_ends.end_of
Replacement = tuple[Any, str, Any]
"""An object, the name of its attribute, and the temporary value."""


@contextmanager
def replaced(replacements: Sequence[Replacement]) -> Iterator[None]:
    """Replace attributes while the context is open."""
    old = [(owner, name, getattr(owner, name)) for owner, name, _ in replacements]
    try:
        for owner, name, value in replacements:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in old:
            setattr(owner, name, value)


@contextmanager
def patched(replacements: Sequence[Replacement]) -> Iterator[None]:
    """Replace code of the engine, and clear all cached results before and after."""
    try:
        with replaced(replacements):
            forget()
            yield
    finally:
        forget()


def forget() -> None:
    """Clear the engine's caches, except those of rulebooks."""
    for name, module in tuple(sys.modules.items()):
        if name.startswith("thirdcard.rules") and not name.startswith("thirdcard.rules.rulebook"):
            for key, value in vars(module).items():
                if key != "load_rulebook" and hasattr(value, "cache_clear"):
                    value.cache_clear()


@contextmanager
def counting(points: Callable[[Card], int]) -> Iterator[None]:
    """Change the points of cards."""
    old = [card.point_value for card in PACK]
    try:
        for card in PACK:
            object.__setattr__(card, "point_value", points(card))
        forget()
        yield
    finally:
        for card, value in zip(PACK, old, strict=True):
            object.__setattr__(card, "point_value", value)
        forget()


def untold(code: str) -> AbstractContextManager[None]:
    """Suppress all alerts of that code."""

    def alert_of(finding: Finding, *args: Any, **more: Any) -> Alert | None:
        return None if finding.code == code else findings.alert_of(finding, *args, **more)

    return patched([(referee, "alert_of", alert_of)])


def _everywhere(name: str, owner: ModuleType, value: Any) -> AbstractContextManager[None]:
    """Replace a name in all modules that imported it."""
    old = getattr(owner, name)
    modules = [one for key, one in sys.modules.items() if key.startswith("thirdcard.rules")]
    return patched([(one, name, value) for one in modules if vars(one).get(name) is old])


def _sum_of(change: Callable[[int], int]) -> AbstractContextManager[None]:
    """Change the points of a hand's first two cards, which are the last digit of the sum."""

    def known_point_count(cards: Iterable[Card | None]) -> int | None:
        points = [None if card is None else card.point_value for card in cards]
        return None if None in points else change(sum(one for one in points if one is not None))

    @contextmanager
    def broken() -> Iterator[None]:
        with (
            _everywhere("known_point_count", hand, known_point_count),
            _everywhere("two_card_points", hand, lambda first, second: known_point_count((first, second))),
        ):
            yield

    return broken()


def _errors_last() -> AbstractContextManager[None]:
    """Make an error of one round excuse settlements of the next."""
    close = payouts.PayoutJudge.close

    def closes(self: payouts.PayoutJudge, *args: Any) -> list[Finding]:
        may_return = self._may_return
        found = close(self, *args)
        self._may_return = may_return
        return found

    return patched([(payouts.PayoutJudge, "close", closes)])


def _range_without_minimum(self: TableNotice, bet: Bet, _seat: int | None = None) -> Range:
    own = self.bets.get(bet, (None, None))
    return None, self.maximum if own[1] is None else own[1]


def _not_changing(*, players: bool) -> AbstractContextManager[None]:
    """Ignore changes of the limits of the table, or of its players."""
    change = TableNotice.changed

    def changed(self: TableNotice, later: LimitChange, *, seat: int | None) -> TableNotice:
        return self if (seat is not None) is players else change(self, later, seat=seat)

    return patched([(TableNotice, "changed", changed)])


def _pair_by_points(cards: Sequence[Card], *kinds: frozenset[str]) -> hand_ends.HandEnd:
    end = _END_OF(cards, *kinds)
    return end if end.pair or cards[0].point_value != cards[1].point_value else end._replace(pair="mixed")


def _lower_wins(player: int, banker: int) -> Outcome:
    return Outcome.TIE if player == banker else Outcome.BANKER if player > banker else Outcome.PLAYER


def _banker_wins_ties(player: int, banker: int) -> Outcome:
    return Outcome.PLAYER if player > banker else Outcome.BANKER


def _shoe_ends() -> AbstractContextManager[None]:
    """Treat a continuous shuffler as an ordinary shoe."""
    return patched([(last_round.LastRoundJudge, "listens_to", property(lambda _: last_round._OF_THE_END))])


def _not_declining() -> AbstractContextManager[None]:
    """Keep a player who declined the cards entitled to them."""
    observe = handling.HandlingJudge.observe

    def observes(self: handling.HandlingJudge, event: Any, running: Any) -> Iterator[Finding]:
        return iter(()) if isinstance(event, HandlingDeclined) else observe(self, event, running)

    return patched([(handling.HandlingJudge, "observe", observes)])


def _unheard(kind: type[Event]) -> AbstractContextManager[None]:
    """Make the current round ignore that kind of event."""
    return patched([(referee, "TAKERS", {one: take for one, take in TAKERS.items() if one is not kind})])


def _never(owner: Any, name: str) -> AbstractContextManager[None]:
    """Make a condition always false."""
    return patched([(owner, name, lambda *args: False)])


BROKEN_CODE: Mapping[str, Callable[[], AbstractContextManager[None]]] = {
    "points.aces": lambda: counting(lambda card: 2 if card.rank == "A" else card.point_value),
    "points.pips": lambda: counting(lambda card: card.point_value - (card.point_value > 2)),
    "points.tens": lambda: counting(lambda card: card.point_value or 1),
    "points.sums below ten": lambda: _sum_of(lambda total: (total - 1 if 0 < total < 10 else total) % 10),
    "points.sums from ten": lambda: _sum_of(lambda total: min(total, 9)),
    "naturals": lambda: _everywhere("NATURALS", hand, (9,)),
    "pairs": lambda: _everywhere("end_of", hand_ends, _pair_by_points),
    "winner": lambda: _everywhere("winner_of", hand, _lower_wins),
    "winner.tie": lambda: _everywhere("winner_of", hand, _banker_wins_ties),
    "burn.tens": lambda: patched([(burn, "face_value", lambda card: card.point_value)]),
    "shoe.continuous": _shoe_ends,
    "returns after an error": lambda: patched([(payouts, "_SETTLES_FREELY", ("none.",))]),
    "errors last": _errors_last,
    "declining": _not_declining,
    "voided rounds": lambda: _unheard(RoundVoided),
    "rounds given up": lambda: _never(TableState, "_was_given_up"),
    "return orders": lambda: _unheard(ReturnOrdered),
    "outcome established": lambda: _never(card_judge, "is_outcome_established"),
    "outcome established by face up": lambda: _never(exposed_cards, "is_outcome_established"),
    "decided early": lambda: _never(early_settlement.EarlySettlement, "_is_decided"),
    "insurance.fixed": lambda: patched([(insurance, "Fixed", lambda *args: insurance.NOT_FIXED)]),
    "shoe closed": lambda: patched([(last_round.LastRoundJudge, "_end", lambda *args: None)]),
    "nominees": lambda: patched([(handling.HandlingJudge, "name", lambda *_: None)]),
    "limits.changed": lambda: _not_changing(players=False),
    "limits.players": lambda: _not_changing(players=True),
    "excess.minimum": lambda: patched([(TableNotice, "range_of", _range_without_minimum)]),
}
"""The mutants that the paragraphs' files can name besides the rulebook's data and the codes of alerts."""
