"""Exact odds and returns of a rulebook's bets and insurance, from every possible deal of a full shoe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from thirdcard.rules.game.hand import is_natural
from thirdcard.rules.game.hand_marks import marks_asked
from thirdcard.rules.game.words import Bet, Outcome, Settling
from thirdcard.rules.odds.enumeration import DealClass, Plans, count_deals_of, plans_of
from thirdcard.rules.odds.faces import count_facts_of_faces
from thirdcard.rules.rulebook.cases import choose
from thirdcard.rules.rulebook.model import InsuranceRow, Rulebook, WindowStart
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.hand_ends import HandEnd, facts_of
from thirdcard.rules.wagers.insurance import INSURANCE

NOT_LISTED = frozenset({Bet.ANTE, Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER})
"""Bets without a return of their own: a fee, and bets that are placed once cards are out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """The odds of a full shoe's first round."""

    rulebook: str
    decks: int
    outcomes: Mapping[Outcome, int]
    """The number of ordered deals of six cards for each outcome."""
    returns: Mapping[Bet, Fraction]
    """The expected win per unit staked, exact. A stand-off counts 0; a commission counts at its rate, without rounding
    or minimum."""


def reckon_odds(rules: Rules, decks: int) -> Odds:
    """The odds of a rulebook's offered bets, counted over every deal."""
    plans = plans_of(rules.rulebook.table)
    offered = [bet for bet in rules.rulebook.bets if bet not in NOT_LISTED and rules.offers(bet)]
    return Odds(
        rulebook=rules.rulebook.id,
        decks=decks,
        outcomes=_count_outcomes(decks, plans),
        returns={bet: _return_of(bet, rules, decks, plans) for bet in offered},
    )


def return_of(bet: Bet, rules: Rules, decks: int) -> Fraction:
    """The expected win per unit staked on a bet, whether or not the house offers it."""
    return _return_of(bet, rules, decks, plans_of(rules.rulebook.table))


def _return_of(bet: Bet, rules: Rules, decks: int, plans: Plans) -> Fraction:
    cases, commission = rules.pay_cases(bet), rules.commissions.get(bet)
    part = 1 if commission is None else 1 - commission.rate
    asked = frozenset[str]().union(*(case.when for case in cases))
    won, total = Fraction(0), 0
    for facts, ways in _count_asked(decks, plans, asked).items():
        case = choose(cases, facts)
        total += ways
        if case is None or case.outcome is Settling.LOSE:
            won -= ways
        elif case.outcome is Settling.WIN:
            won += ways * case.pays * part
    return won / total


@lru_cache(maxsize=1024)
def _count_asked(decks: int, plans: Plans, asked: frozenset[str]) -> Mapping[frozenset[str], int]:
    """The number of deals for each subset of the asked facts that holds in them."""
    if marks_asked(asked):
        return count_facts_of_faces(decks, plans, asked)
    counts: Counter[frozenset[str]] = Counter()
    for facts, ways in _count_facts(decks, plans).items():
        counts[facts & asked] += ways
    return counts


@lru_cache(maxsize=8)
def _count_facts(decks: int, plans: Plans) -> Mapping[frozenset[str], int]:
    """The number of ordered deals of six cards for each set of facts."""
    counts: Counter[frozenset[str]] = Counter()
    for deal, ways in count_deals_of(decks, plans).items():
        counts[facts_of_deal(deal)] += ways
    return counts


@lru_cache(maxsize=16)
def _count_outcomes(decks: int, plans: Plans) -> Mapping[Outcome, int]:
    counts = dict.fromkeys((Outcome.BANKER, Outcome.PLAYER, Outcome.TIE), 0)
    for outcome in counts:
        counts[outcome] = _count_asked(decks, plans, frozenset({f"winner={outcome}"}))[frozenset({f"winner={outcome}"})]
    return counts


def facts_of_deal(deal: DealClass) -> frozenset[str]:
    """The facts that a deal states, for the pay cases."""
    player = HandEnd(
        total=deal.player_total,
        cards=2 if deal.player_third is None else 3,
        is_natural=is_natural(deal.player_points),
        pair=deal.player_pair,
        is_triple=deal.player_triple,
    )
    banker = HandEnd(
        total=deal.banker_total,
        cards=2 if deal.banker_third is None else 3,
        is_natural=is_natural(deal.banker_points),
        pair=deal.banker_pair,
        is_triple=deal.banker_triple,
    )
    return facts_of(player, banker)


Situation = tuple[WindowStart, int, int]
"""After which cards insurance is offered, and the Player's and the Banker's points then."""


def return_of_insurance(row: InsuranceRow, player: int, banker: int, rulebook: Rulebook, decks: int) -> Fraction:
    """The expected win per unit of insurance bet at these points; a Tie that returns it counts 0.

    Counted over the deals in which at least one further card comes, as the insurance window requires.
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
    """The number of deals through each situation, by outcome."""
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
