"""Find limits of a table's notice that contradict each other or the chips. Money in the table's smallest unit."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from thirdcard.calibration.chips import ChipSet
from thirdcard.rules.game.notice import TableNotice
from thirdcard.rules.game.words import GAME_BETS, HANDS_AND_TIE, Bet
from thirdcard.rules.rulebook.options import Rules
from thirdcard.service.config.table_file import Limits
from thirdcard.service.setup.problems import SetupProblem, doubtful, wrong

_HANDS = (Bet.PLAYER, Bet.BANKER)


def limit_problems(limits: Limits, rules: Rules | None, chips: ChipSet | None, where: str) -> Iterator[SetupProblem]:
    """Find limits with which a lawful wager would be reported, or no wager would be lawful.

    Args:
        limits: The table's notice.
        rules: The table's rules; None where they are unknown.
        chips: The table's chips; None where they are unknown.
        where: The table's file, for messages.
    """
    known = {*GAME_BETS} if rules is None else {*GAME_BETS, *rules.rulebook.bets}
    notice = TableNotice(
        minimum=limits.minimum,
        maximum=limits.maximum,
        bets={Bet(name): (own.minimum, own.maximum) for name, own in limits.bets.items() if name in known},
        mains=frozenset(HANDS_AND_TIE) if rules is None else rules.mains,
    )
    yield from _crossed(notice, where)
    yield from _sums(limits, notice, where)
    smallest = None if chips is None else min(chips.values)
    if limits.minimum and smallest is not None and limits.minimum < smallest:
        say = f"less than the smallest chip, {smallest}; are both in the table's smallest unit?"
        yield doubtful(where, "limits.minimum", value=limits.minimum, say=say)
    elif chips is not None:
        yield from _payable(limits, gcd(*chips.values), where)
    if rules is not None:
        yield from _not_offered(limits, rules, where)


def _crossed(notice: TableNotice, where: str) -> Iterator[SetupProblem]:
    """Report a bet's own limit that contradicts the table's."""
    for bet, (own_minimum, own_maximum) in notice.bets.items():
        minimum, maximum = notice.range_of(bet)
        if minimum is None or maximum is None or minimum <= maximum:
            continue
        if own_maximum is None:
            say = f"must not be above the table's maximum {maximum}, which applies here too: no wager would be lawful"
            yield wrong(where, f"limits.bets.{bet}.minimum", value=minimum, say=say)
        elif own_minimum is None:
            say = f"must not be below the table's minimum {minimum}, which applies here too: no wager would be lawful"
            yield wrong(where, f"limits.bets.{bet}.maximum", value=maximum, say=say)


def _payable(limits: Limits, step: int, where: str) -> Iterator[SetupProblem]:
    """Report limits between which no sum of chips lies, or that no chips make; `step` divides every sum of chips."""
    least = -(-(limits.minimum or 0) // step) * step
    if limits.maximum is not None and least > limits.maximum:
        say = f"no sum of the table's chips lies between {limits.minimum} and it; the next is {least}"
        yield wrong(where, "limits.maximum", value=limits.maximum, say=say)
    elif limits.minimum and least != limits.minimum:
        say = f"no chips of this table make that sum; the next is {least}"
        yield doubtful(where, "limits.minimum", value=limits.minimum, say=say)


def _not_offered(limits: Limits, rules: Rules, where: str) -> Iterator[SetupProblem]:
    for name in limits.bets:
        if Bet(name) not in rules.known:
            say = f"the bet is not offered by {rules.rulebook.id} with these options"
            yield doubtful(where, f"limits.bets.{name}", say=say)


def _sums(limits: Limits, notice: TableNotice, where: str) -> Iterator[SetupProblem]:
    """Report limits of the hands' sums that a single wager of the minimum exceeds."""
    least = min(notice.range_of(bet)[0] or 0 for bet in _HANDS)
    for key in ("differential", "collective"):
        most = getattr(limits, key)
        if most is not None and most < least:
            say = f"must not be below the minimum {least}: a single wager of it would be reported"
            yield wrong(where, f"limits.{key}", value=most, say=say)
