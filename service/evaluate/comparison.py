"""Compare a found account with the true one: incidents, cards, rounds, wagers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from thirdcard.rules.log.events import Event, WagerChanged
from thirdcard.service.evaluate.accounts import RoundAccount, TableAccount
from thirdcard.service.evaluate.camera_faults import CameraFaultOutcome, camera_fault_outcomes
from thirdcard.service.evaluate.cards import CardCounts, compare_cards, pair_by_time
from thirdcard.service.evaluate.chips import ChipCounts, count_chips
from thirdcard.service.evaluate.conditions import Condition, join_conditions
from thirdcard.service.evaluate.matching import Matching, join, match
from thirdcard.service.evaluate.rates import HourlyRate
from thirdcard.service.evaluate.reliability import PredictedPlay, Predictions, claims_of
from thirdcard.service.evaluate.spreads import SpreadCounts, compare_spreads

WAGER_WINDOW_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerCounts:
    """Counts of changes on wagering areas."""

    true: int = 0
    found: int = 0
    false: int = 0
    by_right: int = 0
    """Found changes with the right author."""

    def __add__(self, other: WagerCounts) -> WagerCounts:
        return WagerCounts(
            true=self.true + other.true,
            found=self.found + other.found,
            false=self.false + other.false,
            by_right=self.by_right + other.by_right,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The comparison of one recording, or of several together."""

    name: str
    incidents: Matching
    cards: CardCounts
    rounds: int
    rounds_exact: int
    """Rounds with exactly the true cards of both hands and the true winner."""
    wagers: WagerCounts
    length_s: float
    unseen_s: float
    frames_per_s: float | None = None
    chips: ChipCounts = field(default_factory=ChipCounts)
    conditions: tuple[Condition, ...] = ()
    clean: HourlyRate = field(default_factory=HourlyRate)
    """False alerts, and rounds, of recordings without any fault."""
    clean_s: float = 0.0
    """The length of those recordings in seconds."""
    camera_faults: tuple[CameraFaultOutcome, ...] = ()
    spreads: SpreadCounts = field(default_factory=SpreadCounts)
    claims: Predictions = field(default_factory=Predictions)
    """Findings and rounds with their confidence and whether they were true."""

    @property
    def predicted(self) -> PredictedPlay:
        """The predictions with the amount of play that they are about."""
        return PredictedPlay(
            predictions=self.claims,
            n_true=self.incidents.n_true,
            clean_rounds=self.clean.rounds,
            rounds=self.rounds,
        )


def compare(name: str, truth: TableAccount, found: TableAccount, *, frames_per_s: float | None = None) -> Comparison:
    """Compare all aspects of one recording."""
    incidents = match(truth.incidents, found.incidents, truth.tolerated)
    is_clean = not truth.incidents
    exact = exact_rounds(truth.rounds, found.rounds)
    return Comparison(
        name=name,
        incidents=incidents,
        cards=compare_cards(truth.events, found.events),
        rounds=len(truth.rounds),
        rounds_exact=len(exact),
        wagers=compare_wagers(truth.events, found.events),
        length_s=found.end_s,
        unseen_s=sum(stretch.to_s - stretch.from_s for stretch in found.unseen),
        frames_per_s=frames_per_s,
        chips=count_chips(pair_changes(truth.events, found.events)),
        clean=HourlyRate(count=len(incidents.false) * is_clean, rounds=len(truth.rounds) * is_clean),
        clean_s=found.end_s * is_clean,
        camera_faults=camera_fault_outcomes(truth, found, incidents.false, exact),
        spreads=compare_spreads(truth.spreads, found.spreads),
        claims=claims_of(name, truth, found, incidents),
    )


def combine(comparisons: Sequence[Comparison]) -> Comparison:
    """The sum over all recordings."""
    cards, wagers, chips, claims = CardCounts(), WagerCounts(), ChipCounts(), Predictions()
    for each in comparisons:
        cards, wagers, chips = cards + each.cards, wagers + each.wagers, chips + each.chips
        claims += each.claims
    return Comparison(
        name="all",
        incidents=join([each.incidents for each in comparisons]),
        cards=cards,
        rounds=sum(each.rounds for each in comparisons),
        rounds_exact=sum(each.rounds_exact for each in comparisons),
        wagers=wagers,
        length_s=sum(each.length_s for each in comparisons),
        unseen_s=sum(each.unseen_s for each in comparisons),
        chips=chips,
        conditions=join_conditions(each.conditions for each in comparisons),
        clean_s=sum(each.clean_s for each in comparisons),
        claims=claims,
        clean=HourlyRate(
            count=sum(each.clean.count for each in comparisons), rounds=sum(each.clean.rounds for each in comparisons)
        ),
    )


def exact_rounds(truth: Sequence[RoundAccount], found: Sequence[RoundAccount]) -> list[RoundAccount]:
    """True rounds that were found exactly once, with the same cards in the same order and the same winner."""
    partners = pair_by_time(
        [(each.opened, each.closed) for each in truth], [(each.opened, each.closed) for each in found]
    )
    played = [[found[j] for j in partner if found[j].player or found[j].banker] for partner in partners]
    return [
        true
        for true, alike in zip(truth, played, strict=True)
        if len(alike) == 1 and _result(alike[0]) == _result(true)
    ]


def compare_wagers(truth: Iterable[Event], found: Iterable[Event]) -> WagerCounts:
    """Count the changes that were found, and their authors."""
    truth, found = list(truth), list(found)
    pairs = pair_changes(truth, found)
    n_found = sum(isinstance(event, WagerChanged) for event in found)
    return WagerCounts(
        true=sum(isinstance(event, WagerChanged) for event in truth),
        found=len(pairs),
        false=n_found - len(pairs),
        by_right=sum(true.by == said.by for true, said in pairs),
    )


def pair_changes(truth: Iterable[Event], found: Iterable[Event]) -> list[tuple[WagerChanged, WagerChanged]]:
    """Pairs of changes of the same area in the same direction within the time window; nearest in time first."""
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
    return [(true_changes[i], found_changes[j]) for i, j in taken_true.items()]


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
