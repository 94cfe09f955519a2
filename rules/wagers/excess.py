"""The part of a wager that neither wins nor loses, because it is above a limit that nobody enforced in time.

Money in minor units; proportional parts are exact fractions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from functools import cache

from thirdcard.rules.game.notice import TableNotice
from thirdcard.rules.game.words import Bet
from thirdcard.rules.round.round import Wager
from thirdcard.rules.rulebook.cases import choose
from thirdcard.rules.rulebook.model import ExcessRule, LimitKind
from thirdcard.rules.rulebook.options import Rules

Excess = Mapping[str, Fraction | None]
"""By area: the part of its stake that is not in play; None where that depends on something unread."""


@cache
def excess_rule(kind: LimitKind, rules: Rules) -> ExcessRule | None:
    """The rulebook's rule on stakes above that limit; None where they stay in play."""
    limits = rules.rulebook.limits
    if kind not in limits.kinds:
        return None
    return choose((case for case in limits.excess if case.over is kind), rules.facts)


def rule_of_excess(bet: Bet, rules: Rules) -> str | None:
    """The rule that takes a part of a wager on that bet out of play; None where there is none."""
    kinds = (LimitKind.MAXIMUM, LimitKind.DIFFERENTIAL) if bet in (Bet.PLAYER, Bet.BANKER) else (LimitKind.MAXIMUM,)
    cases = (excess_rule(kind, rules) for kind in kinds)
    return next((case.rule for case in cases if case is not None), None)


def excess_of(wagers: Collection[Wager], rules: Rules, notice: TableNotice) -> Excess:
    """The parts of the wagers that are not in play; only areas with such a part."""
    excess: dict[str, Fraction | None] = {}
    if excess_rule(LimitKind.MAXIMUM, rules) is not None:
        excess.update(_above_maximum(wagers, notice))
    if notice.differential is not None and excess_rule(LimitKind.DIFFERENTIAL, rules) is not None:
        excess.update(_above_differential(wagers, notice, notice.differential))
    return excess


def _above_maximum(wagers: Collection[Wager], notice: TableNotice) -> Iterator[tuple[str, Fraction]]:
    for wager in wagers:
        maximum = notice.range_of(wager.bet, wager.seat)[1]
        if maximum is not None and wager.value is not None and wager.value > maximum:
            yield wager.area, Fraction(wager.value - maximum)


def _above_differential(
    wagers: Collection[Wager], notice: TableNotice, most: int
) -> Iterator[tuple[str, Fraction | None]]:
    """The reductions of the heavier hand's wagers, in proportion to their values; none is cut below the minimum."""
    hands = {bet: [one for one in wagers if one.bet is bet and not one.is_empty] for bet in (Bet.PLAYER, Bet.BANKER)}
    totals = {bet: sum(one.value or 0 for one in own) for bet, own in hands.items()}
    heavy = max(totals, key=lambda bet: totals[bet])
    permitted = sum(totals.values()) - totals[heavy] + most
    if totals[heavy] <= permitted:
        return
    is_known = all(one.value is not None for own in hands.values() for one in own)
    for wager in hands[heavy]:
        least = notice.range_of(heavy, wager.seat)[0] or 0
        if wager.value is None or not is_known:
            yield wager.area, None
        elif wager.value > least:
            stands = max(Fraction(wager.value * permitted, totals[heavy]), Fraction(least))
            yield wager.area, wager.value - stands
