"""Compare what the dealer collected of a losing wager, and returned of it, with what it loses.

Money in minor units. A part that is void or above a limit is not lost: it may be returned and must not be collected.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.words import Source
from thirdcard.rules.log.events import WagerSettled
from thirdcard.rules.round.records import Due
from thirdcard.rules.wagers.acts import Acts, fault_of, named, sum_of


class AmountSpan(NamedTuple):
    """The bounds of the whole amounts that settle an exact fraction."""

    least: int
    most: int


class LossFault(NamedTuple):
    """The fault in the settlement of a losing wager, if any."""

    finding: Finding | None = None
    why_open: str | None = None
    """Why it is unknown what happened to the wager."""


NOTHING_WRONG = LossFault()


def span_of(amount: Fraction | int, step: int) -> AmountSpan:
    """The amount rounded down and up to whole steps.

    >>> span_of(Fraction(95, 2), 5)
    AmountSpan(least=45, most=50)
    """
    return AmountSpan(floor(amount / step) * step, ceil(amount / step) * step)


def spared_of(due: Due) -> Fraction:
    """The part of the stake that is void or above a limit, in minor units."""
    return Fraction((due.void_stake or 0) + (due.excess_stake or 0))


def judge_loss(due: Due, acts: Acts, given_back: tuple[WagerSettled, ...], *, step: int, rule: str | None) -> LossFault:
    """The fault in the settlement of a losing wager, if any.

    Args:
        due: What it loses.
        acts: All the dealer's acts on it.
        given_back: Returns that nothing excuses.
        step: The smallest amount that the dealer can pay or take, in minor units.
        rule: The rule that a wrong amount breaks.
    """
    if given_back and _is_too_much(given_back, due, step):
        if any(act.source is Source.CAMERA for act in given_back):
            return LossFault(why_open=f"what became of the wager on {due.area} was not seen")
        return LossFault(fault_of("payout.loser_kept", due, given_back[0], f"{named(due)} lost and was given back"))
    taken, stake = sum_of(acts.collected), due.stake
    if not acts.collected or taken is None or stake is None:
        return NOTHING_WRONG
    least, most = span_of(stake - spared_of(due), step)
    is_short = taken < least and len(given_back) == len(acts.returned)
    if taken <= most and not is_short:
        return NOTHING_WRONG
    owed = least if least == most else f"{least} to {most}"
    text = f"{named(due)} lost {owed}; {taken} was collected"
    return LossFault(fault_of("payout.wrong_amount", due, acts.collected[-1], text, amount=taken, rule=rule))


def _is_too_much(given_back: tuple[WagerSettled, ...], due: Due, step: int) -> bool:
    """Whether more was returned than the part that is not in play."""
    spared, amount = spared_of(due), sum_of(given_back)
    return not spared if amount is None else amount > span_of(spared, step).most
