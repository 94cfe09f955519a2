"""Hold a found account against the true one: incidents, cards, rounds, wagers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.events import Event, WagerChanged
from service.evaluate.accounts import Account, RoundAccount
from service.evaluate.cards import CardCounts, compare_cards, pair_by_time
from service.evaluate.matching import Matching, join, match

WAGER_WINDOW_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerCounts:
    """Changes of wagering areas."""

    true: int = 0
    found: int = 0
    false: int = 0
    by_right: int = 0
    """Found ones of which it is rightly told who made them."""

    def __add__(self, other: WagerCounts) -> WagerCounts:
        return WagerCounts(
            true=self.true + other.true,
            found=self.found + other.found,
            false=self.false + other.false,
            by_right=self.by_right + other.by_right,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One recording, or several together."""

    name: str
    incidents: Matching
    cards: CardCounts
    rounds: int
    rounds_exact: int
    """Rounds with both hands' cards and the winner as they were."""
    wagers: WagerCounts
    length_s: float
    unseen_s: float
    frames_per_s: float | None = None


def compare(name: str, truth: Account, found: Account, *, frames_per_s: float | None = None) -> Comparison:
    """Everything that is counted of one recording."""
    return Comparison(
        name=name,
        incidents=match(truth.incidents, found.incidents, truth.tolerated),
        cards=compare_cards(truth.events, found.events),
        rounds=len(truth.rounds),
        rounds_exact=count_exact_rounds(truth.rounds, found.rounds),
        wagers=compare_wagers(truth.events, found.events),
        length_s=found.end_s,
        unseen_s=sum(stretch.to_s - stretch.from_s for stretch in found.unseen),
        frames_per_s=frames_per_s,
    )


def combine(comparisons: Sequence[Comparison]) -> Comparison:
    """All recordings together."""
    cards, wagers = CardCounts(), WagerCounts()
    for each in comparisons:
        cards, wagers = cards + each.cards, wagers + each.wagers
    return Comparison(
        name="all",
        incidents=join([each.incidents for each in comparisons]),
        cards=cards,
        rounds=sum(each.rounds for each in comparisons),
        rounds_exact=sum(each.rounds_exact for each in comparisons),
        wagers=wagers,
        length_s=sum(each.length_s for each in comparisons),
        unseen_s=sum(each.unseen_s for each in comparisons),
    )


def count_exact_rounds(truth: Sequence[RoundAccount], found: Sequence[RoundAccount]) -> int:
    """True rounds of which exactly one was found, with the same cards in the same order and the same winner."""
    partners = pair_by_time(
        [(each.opened, each.closed) for each in truth], [(each.opened, each.closed) for each in found]
    )
    played = [[found[j] for j in partner if found[j].player or found[j].banker] for partner in partners]
    return sum(
        len(alike) == 1 and _result(alike[0]) == _result(true) for true, alike in zip(truth, played, strict=True)
    )


def compare_wagers(truth: Iterable[Event], found: Iterable[Event]) -> WagerCounts:
    """Changes of the same area in the same direction, no further apart than the window."""
    true_changes = [event for event in truth if isinstance(event, WagerChanged)]
    found_changes = [event for event in found if isinstance(event, WagerChanged)]
    pairs = sorted(
        (abs(one.t - other.t), i, j)
        for i, one in enumerate(true_changes)
        for j, other in enumerate(found_changes)
        if one.area == other.area and abs(one.t - other.t) <= WAGER_WINDOW_S and _directions_agree(one, other)
    )
    taken_true: dict[int, int] = {}
    taken_found: set[int] = set()
    for _, i, j in pairs:
        if i not in taken_true and j not in taken_found:
            taken_true[i] = j
            taken_found.add(j)
    by_right = sum(true_changes[i].by == found_changes[j].by for i, j in taken_true.items())
    return WagerCounts(
        true=len(true_changes),
        found=len(taken_true),
        false=len(found_changes) - len(taken_found),
        by_right=by_right,
    )


def _result(account: RoundAccount) -> tuple[object, ...]:
    return account.player, account.banker, account.winner


def _directions_agree(one: WagerChanged, other: WagerChanged) -> bool:
    first, second = _direction(one), _direction(other)
    return first is None or second is None or first == second


def _direction(change: WagerChanged) -> int | None:
    for before, after in ((change.before, change.after), (change.chips_before, change.chips_after)):
        if before is not None and after is not None and before != after:
            return 1 if after > before else -1
    if change.after == 0:
        return -1
    return 1 if change.before == 0 else None
