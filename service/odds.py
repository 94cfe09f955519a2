"""Exact chances and returns of a rulebook's bets, from every deal that can come.

Integers and fractions throughout. Deals are told apart by points, so bets that depend on faces (pairs, matches) are
named but not reckoned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from rules.enumeration import DealClass, count_deals
from rules.options import Rules
from rules.records import Settling
from rules.settlement import pay_case
from rules.words import Bet, Outcome, Side

NOT_LISTED = frozenset({Bet.ANTE, Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER})
FACE_FACTS = ("_pair=", "_triple=")
NATURAL = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """What a shoe's first round brings."""

    rulebook: str
    decks: int
    outcomes: Mapping[Outcome, int]
    """Ordered deals of six cards."""
    returns: Mapping[Bet, Fraction]
    """Expected win for one unit staked; a stand-off counts 0."""
    not_reckoned: tuple[Bet, ...]
    """Offered, but dependent on faces."""


def reckon_odds(rules: Rules, decks: int) -> Odds:
    """Count every deal, and what each offered bet gets in it."""
    deals = count_deals(decks, rules.rulebook.table)
    offered = [bet for bet in Bet if bet not in NOT_LISTED and rules.offers(bet)]
    reckoned = [bet for bet in offered if not _depends_on_faces(bet, rules)]
    total = sum(deals.values())
    wins = dict.fromkeys(reckoned, Fraction(0))
    outcomes = dict.fromkeys((Outcome.BANKER, Outcome.PLAYER, Outcome.TIE), 0)
    for deal, weight in deals.items():
        outcomes[deal.winner] += weight
        facts = _facts(deal)
        for bet in reckoned:
            wins[bet] += weight * _win(bet, rules, facts)
    return Odds(
        rulebook=rules.rulebook.id,
        decks=decks,
        outcomes=outcomes,
        returns={bet: win / total for bet, win in wins.items()},
        not_reckoned=tuple(bet for bet in offered if bet not in wins),
    )


def format_odds(odds: Odds) -> dict[str, object]:
    """The mapping of the contract."""
    total = sum(odds.outcomes.values())
    return {
        "rulebook": odds.rulebook,
        "decks": odds.decks,
        "outcomes": {**{str(outcome): n for outcome, n in odds.outcomes.items()}, "total": total},
        "bets": {str(bet): {"return": str(value), "house_edge": float(-value)} for bet, value in odds.returns.items()},
    }


def _win(bet: Bet, rules: Rules, facts: frozenset[str]) -> Fraction:
    case = pay_case(bet, rules, facts)
    if case is None or case.outcome is Settling.LOSE:
        return Fraction(-1)
    return case.pays if case.outcome is Settling.WIN else Fraction(0)


def _depends_on_faces(bet: Bet, rules: Rules) -> bool:
    facts = (fact for case in rules.rulebook.bets[bet].cases for fact in case.when)
    return any(mark in fact for fact in facts for mark in FACE_FACTS)


def _facts(deal: DealClass) -> frozenset[str]:
    """What a deal states, for the pay cases."""
    totals = {Side.PLAYER: deal.player_total, Side.BANKER: deal.banker_total}
    initial = {Side.PLAYER: deal.player_points, Side.BANKER: deal.banker_points}
    thirds = {Side.PLAYER: deal.player_third, Side.BANKER: deal.banker_third}
    facts = {f"winner={deal.winner}", f"margin={abs(deal.player_total - deal.banker_total)}"}
    for side in Side:
        facts |= {f"{side}_points={totals[side]}", f"{side}_cards={2 if thirds[side] is None else 3}"}
        if initial[side] >= NATURAL:
            facts.add(f"{side}_natural=true")
    return frozenset(facts)
