"""Settle wagers exactly: what each bet gets by the cards.

Money in the smallest unit; winnings are fractions of it, after commission and without the stake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from rules.cards import Card
from rules.cases import choose
from rules.hand import is_natural, is_triple_match, pair_kind, point_count
from rules.misdeals import winner_of
from rules.options import Rules
from rules.records import Due, Settling
from rules.round import Wager
from rules.rulebook_model import PayCase
from rules.words import Bet, Side


def result_facts(hands: dict[Side, Sequence[Card]]) -> frozenset[str]:
    """What a finished round states, for the pay cases; both hands complete and known."""
    totals = {side: point_count(cards) for side, cards in hands.items()}
    facts = {
        f"winner={winner_of(totals[Side.PLAYER], totals[Side.BANKER])}",
        f"margin={abs(totals[Side.PLAYER] - totals[Side.BANKER])}",
    }
    for side, cards in hands.items():
        facts |= {f"{side}_points={totals[side]}", f"{side}_cards={len(cards)}"}
        if is_natural(point_count(cards[:2])):
            facts.add(f"{side}_natural=true")
        kind = pair_kind(cards[0], cards[1])
        if kind is not None:
            facts |= {f"{side}_pair=any", f"{side}_pair={kind}"}
        if is_triple_match(cards):
            facts.add(f"{side}_triple=true")
    return frozenset(facts)


def pay_case(bet: Bet, rules: Rules, facts: frozenset[str]) -> PayCase | None:
    """The case that pays or returns the bet; None where it loses."""
    return choose(rules.rulebook.bets[bet].cases, facts | rules.facts)


def outcome_of(bet: Bet, rules: Rules, facts: frozenset[str]) -> Settling:
    """What becomes of the bet."""
    case = pay_case(bet, rules, facts)
    return Settling.LOSE if case is None else case.outcome


def due_of(wager: Wager, rules: Rules, facts: frozenset[str], *, is_void: bool) -> Due:
    """What one wager is owed."""
    case = pay_case(wager.bet, rules, facts)
    outcome = Settling.VOID if is_void else Settling.LOSE if case is None else case.outcome
    odds = case.pays if case is not None and outcome is Settling.WIN else Fraction(0)
    pays = None if wager.value is None else wager.value * odds
    return Due(area=wager.area, seat=wager.seat, bet=wager.bet, stake=wager.value, outcome=outcome, pays=pays)


def due_of_all(wagers: Iterable[Wager], rules: Rules, facts: frozenset[str], *, is_void: bool) -> tuple[Due, ...]:
    """What the wagers of a round are owed; bets that the elections do not offer are left out."""
    return tuple(
        due_of(wager, rules, facts, is_void=is_void)
        for wager in wagers
        if not wager.is_empty and rules.offers(wager.bet)
    )
