"""Exact returns of insurance: what it wins and loses over all deals that reach the points at which it is offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from thirdcard.rules.game.words import Outcome
from thirdcard.rules.odds.enumeration import Plans, count_deals_of, plans_of
from thirdcard.rules.rulebook.model import InsuranceRow, Rulebook, WindowStart
from thirdcard.rules.wagers.insurance import INSURANCE

Situation = tuple[WindowStart, int, int]
"""After which cards, and the Player's and the Banker's points just then."""


def return_of_insurance(row: InsuranceRow, player: int, banker: int, rulebook: Rulebook, decks: int) -> Fraction:
    """Expected win for one unit of insurance bet at these points; a Tie that returns it counts 0.

    Counted over the deals in which at least one further card comes, as the windows ask.
    """
    counts = _count_situations(decks, plans_of(rulebook.table))[row.after, player, banker]
    insured = Outcome(INSURANCE[row.bet].value)
    won = Fraction(0)
    for winner, ways in counts.items():
        if winner is Outcome.TIE:
            won += ways * row.pays if row.wins_on_tie else 0
        else:
            won += -ways if winner is insured else ways * row.pays
    return won / sum(counts.values())


@lru_cache(maxsize=8)
def _count_situations(decks: int, plans: Plans) -> Mapping[Situation, Counter[Outcome]]:
    """How many deals that pass through each situation end how."""
    situations: dict[Situation, Counter[Outcome]] = {}
    for deal, ways in count_deals_of(decks, plans).items():
        further = (deal.player_third is not None, deal.banker_third is not None)
        passed: list[Situation] = []
        if any(further):
            passed.append((WindowStart.FOUR_CARDS, deal.player_points, deal.banker_points))
        if all(further):
            passed.append((WindowStart.PLAYER_THIRD, deal.player_total, deal.banker_points))
        for situation in passed:
            situations.setdefault(situation, Counter())[deal.winner] += ways
    return situations
