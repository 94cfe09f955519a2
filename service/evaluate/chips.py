"""Compare changes of wagers: which were found, the reported number and value of chips, and whose hand it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from thirdcard.rules.log.events import UNKNOWN, WagerChanged


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipCounts:
    """Counts over the wager changes that were found."""

    found: int = 0
    counted: int = 0
    """With a reported number of chips after the change; empty areas are not counted."""
    exact: int = 0
    within_one: int = 0
    off: int = 0
    """Sum of the absolute errors in chips, over those counted."""
    valued: int = 0
    """With a reported value after the change."""
    value_exact: int = 0
    spanned: int = 0
    """With reported bounds of the value; an exact value counts as both bounds."""
    held: int = 0
    """Of those, with the true value within the bounds."""
    width: float = 0.0
    """Sum of the widths of the bounds, as shares of the true value."""
    by_right: int = 0
    by_unknown: int = 0
    by_wrong: int = 0

    def __add__(self, other: ChipCounts) -> ChipCounts:
        names = ChipCounts.__slots__
        return ChipCounts(**{name: getattr(self, name) + getattr(other, name) for name in names})


def count_chips(pairs: Iterable[tuple[WagerChanged, WagerChanged]]) -> ChipCounts:
    """The counts over pairs of a true change and the one found for it."""
    counts = ChipCounts()
    for true, found in pairs:
        counts += _of_pair(true, found)
    return counts


def _of_pair(true: WagerChanged, found: WagerChanged) -> ChipCounts:
    off = None
    if true.chips_after and found.chips_after:
        off = abs(found.chips_after - true.chips_after)
    is_valued = bool(true.after) and bool(found.after)
    span = _span(found) if true.after else None
    return ChipCounts(
        found=1,
        counted=int(off is not None),
        exact=int(off == 0),
        within_one=int(off is not None and off <= 1),
        off=off or 0,
        valued=int(is_valued),
        value_exact=int(is_valued and true.after == found.after),
        spanned=int(span is not None),
        held=int(span is not None and span[0] <= (true.after or 0) <= span[1]),
        width=(span[1] - span[0]) / (true.after or 1) if span is not None else 0.0,
        by_right=int(found.by == true.by),
        by_unknown=int(found.by == UNKNOWN and true.by != UNKNOWN),
        by_wrong=int(found.by not in (true.by, UNKNOWN)),
    )


def _span(change: WagerChanged) -> tuple[int, int] | None:
    """The reported bounds of the value after the change."""
    if change.after:
        return change.after, change.after
    if change.after_low is None or change.after_high is None:
        return None
    return change.after_low, change.after_high
