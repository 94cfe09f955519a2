"""The cost of settlement faults, and late bets that were accepted: from an alert and its round's record.

Money is in minor units.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

GAVE_AWAY = frozenset({"payout.loser_paid", "payout.loser_kept"})
KEPT_BACK = frozenset({"payout.winner_unpaid", "payout.push_taken"})
WRONG_AMOUNT = "payout.wrong_amount"
LATE = "late_bet."
SAME_MOMENT_S = 0.001

Body = Mapping[str, Any]
"""An alert or a round record as stored."""


class Difference(NamedTuple):
    """The amount settled less the amount due."""

    overpaid_minor: float
    """Lost by the house: paid too much, or lost wagers that were not collected."""
    underpaid_minor: float
    """Lost by patrons: not paid out."""


def difference_of(alert: Body, record: Body | None) -> Difference:
    """The cost of a payout alert's fault; zero where the amount was not read, or for other alerts."""
    code, amount = alert["code"], alert.get("amount")
    if amount is None:
        return Difference(0.0, 0.0)
    if code in GAVE_AWAY:
        return Difference(float(amount), 0.0)
    if code in KEPT_BACK:
        return Difference(0.0, float(amount))
    owed = _owed(alert, record) if code == WRONG_AMOUNT else None
    if owed is None:
        return Difference(0.0, 0.0)
    more = float(amount - owed.amount)
    return Difference(max(-more, 0.0), max(more, 0.0)) if owed.is_lost else Difference(max(more, 0.0), max(-more, 0.0))


def is_accepted(alert: Body, record: Body | None) -> bool:
    """Whether a late bet was accepted: the rulebook's remedy was not seen to be carried out by the end of the round."""
    if not alert["code"].startswith(LATE):
        return False
    return not any(_is_of(remedy, alert) and remedy["state"] == "done" for remedy in (record or {}).get("remedies", ()))


def _is_of(remedy: Body, alert: Body) -> bool:
    same_place = remedy["code"] == alert["code"] and remedy.get("area") == alert.get("area")
    return same_place and abs(remedy["t"] - alert["t"]) <= SAME_MOMENT_S


class _Owed(NamedTuple):
    """The correct amount of a wager's settlement."""

    amount: Fraction
    is_lost: bool
    """Whether the patron owed it."""


def _owed(alert: Body, record: Body | None) -> _Owed | None:
    due = next((one for one in (record or {}).get("due", ()) if one["area"] == alert.get("area")), None)
    if due is None or due["pays"] is None:
        return None
    if due.get("outcome") != "lose":
        return _Owed(Fraction(due["pays"]), is_lost=False)
    if due.get("stake") is None:
        return None
    spared = Fraction(due.get("void_stake") or 0) + Fraction(due.get("excess_stake") or 0)
    return _Owed(due["stake"] - spared, is_lost=True)
