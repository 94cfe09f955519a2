"""Compare what the dealer took of a losing wager, and gave back of it, with what it loses.

Money in the smallest unit. A part that is void or lies beyond a limit is not lost: it may be given back and must not
be taken.
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
    """Between which whole amounts the dealer may settle what is an exact fraction."""

    least: int
    most: int


class LossFault(NamedTuple):
    """What is wrong with how a losing wager was dealt with."""

    finding: Finding | None = None
    why_open: str | None = None
    """Why it is unknown what became of the wager."""


NOTHING_WRONG = LossFault()


def span_of(amount: Fraction | int, step: int) -> AmountSpan:
    """The amount rounded down and up to whole steps.

    >>> span_of(Fraction(95, 2), 5)
    AmountSpan(least=45, most=50)
    """
    return AmountSpan(floor(amount / step) * step, ceil(amount / step) * step)


def spared_of(due: Due) -> Fraction:
    """The part of the stake that is void or beyond a limit."""
    return Fraction((due.void_stake or 0) + (due.excess_stake or 0))


def judge_loss(due: Due, acts: Acts, given_back: tuple[WagerSettled, ...], *, step: int, rule: str | None) -> LossFault:
    """What was done wrongly with a losing wager.

    Args:
        due: What it loses.
        acts: All that the dealer did with it.
        given_back: Those returns of it that nothing excuses.
        step: The least amount that the dealer can share out.
        rule: What more or less than the text allows breaks.
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
    """Whether more was given back than the part that is not in play."""
    spared, amount = spared_of(due), sum_of(given_back)
    return not spared if amount is None else amount > span_of(spared, step).most
