"""Measurements of a table without labels: cards, chips, rounds, unseen time, alerts.

Times are stream time in seconds; sizes are pixels in the camera's picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thirdcard.rules.game.duty import DutyTable
from thirdcard.rules.log.events import Event, WagerChanged
from thirdcard.service.commission.card_error import SURE, CardErrors, estimate_errors
from thirdcard.service.commission.consistency import CheckedRound, check_rounds
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.evaluate.accounts import Incident
from thirdcard.service.evaluate.cards import FollowedCard
from thirdcard.service.evaluate.matching import ratio
from thirdcard.service.setup.camera_grade import CameraGrade
from thirdcard.service.watch.recordings import Recording
from thirdcard.service.watch.result import Findings, Unseen, WatchedAlert

ENDLESS = "continuous_shuffler"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommissionFilm:
    """One film, or one stretch of a live table's log, with its findings."""

    name: str
    findings: Findings
    recording: Recording | None = None
    """None for a log from the store."""
    folder: Path | None = None
    """The watch's output folder, with the alerts' evidence below it; None for a log from the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCount:
    """Counts of the cards that lay open."""

    shown: int
    told: int
    sure: int
    """With a confidence of `SURE` or more."""

    @property
    def unread(self) -> int:
        """Open cards whose face was not read."""
        return self.shown - self.told

    @property
    def sure_share(self) -> float | None:
        """The share that was read with certainty; None where no card lay open."""
        return ratio(self.sure, self.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipCount:
    """Counts of the observed changes of wagers."""

    changes: int
    counted: int
    """Changes after which the number of chips was reported."""
    valued: int
    """Changes after which their value was reported, exactly or within bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelSizes:
    """The smallest sizes of things in the picture; None where the camera's calibration does not give them."""

    card_px: float | None
    """A card's shorter side, in the card boxes, pixels."""
    chip_px: float | None
    """A chip's diameter, on the wagering areas, pixels."""
    card_px_per_mm: float | None
    chip_px_per_mm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMeasures:
    """All measurements of a table."""

    films: tuple[CommissionFilm, ...]
    rounds: tuple[tuple[CheckedRound, ...], ...]
    """For each film."""
    cards: CardCount
    chips: ChipCount
    sizes: PixelSizes
    errors: CardErrors
    familiarity: float | None
    """How well the reader knows the deck, 0 to 1: the lowest of all films; None where it was not measured."""

    @property
    def all_rounds(self) -> tuple[CheckedRound, ...]:
        """The rounds of all films."""
        return tuple(one for rounds in self.rounds for one in rounds)

    @property
    def duration_s(self) -> float:
        """The watched time in seconds."""
        return sum(film.findings.duration_s for film in self.films)

    @property
    def unseen(self) -> tuple[tuple[str, Unseen], ...]:
        """The stretches in which the table could not be watched, each with its film."""
        return tuple((film.name, one) for film in self.films for one in film.findings.unseen)

    @property
    def unseen_s(self) -> float:
        """The total unseen time in seconds."""
        return sum(one.to_s - one.from_s for _, one in self.unseen)

    @property
    def alerts(self) -> tuple[tuple[CommissionFilm, WatchedAlert], ...]:
        """All alerts by code, then by film and time."""
        found = [(film, one) for film in self.films for one in film.findings.alerts]
        return tuple(sorted(found, key=lambda pair: pair[1].alert.code))

    @property
    def alerts_by_code(self) -> Mapping[str, int]:
        """The number of alerts by code."""
        return Counter(one.alert.code for _, one in self.alerts)


def measure(table: TableConfig, films: Sequence[CommissionFilm], camera: CameraGrade | None) -> TableMeasures:
    """Measure a table by the findings of its films."""
    duties = DutyTable(table.rules.rulebook.table)
    decks = None if table.shoe.device == ENDLESS else table.shoe.decks
    rounds = tuple(
        tuple(check_rounds(film.findings.events, duties, decks=decks, findings=findings_of(film.findings)))
        for film in films
    )
    cards = [card for checked in rounds for one in checked for card in one.cards]
    known = [film.findings.familiarity for film in films if film.findings.familiarity is not None]
    return TableMeasures(
        films=tuple(films),
        rounds=rounds,
        cards=_count_cards(cards),
        chips=_count_chips(event for film in films for event in film.findings.events),
        sizes=_sizes(table, camera),
        errors=estimate_errors([one for checked in rounds for one in checked]),
        familiarity=min(known, default=None),
    )


def percent(share: float, digits: int = 0) -> str:
    """`75 %` for 0.75; a share just below 1 is never shown as 100 %."""
    most = 100.0 - 10.0**-digits
    return f"more than {most:.{digits}f} %" if most < 100.0 * share < 100.0 else f"{100.0 * share:.{digits}f} %"


def findings_of(findings: Findings) -> list[Incident]:
    """Alerts and doubtful findings, in the form that the checks of rounds need."""
    found = [*(watched.alert for watched in findings.alerts), *findings.doubtful]
    return [Incident(code=one.code, t=one.t, confidence=one.confidence) for one in found]


def _count_cards(cards: Iterable[FollowedCard]) -> CardCount:
    shown = [card for card in cards if card.was_shown]
    return CardCount(
        shown=len(shown),
        told=sum(card.face is not None for card in shown),
        sure=sum(card.face is not None and (card.confidence or 0.0) >= SURE for card in shown),
    )


def _count_chips(events: Iterable[Event]) -> ChipCount:
    changes = [event for event in events if isinstance(event, WagerChanged) and event.chips_after != 0]
    return ChipCount(
        changes=len(changes),
        counted=sum(event.chips_after is not None for event in changes),
        valued=sum(event.after is not None or event.after_high is not None for event in changes),
    )


def _sizes(table: TableConfig, camera: CameraGrade | None) -> PixelSizes:
    scales = {
        kind: min((p.px_per_mm for p in camera.places if p.kind == kind and p.is_within), default=None)
        if camera is not None
        else None
        for kind in ("hand", "wager")
    }
    hand, wager = scales["hand"], scales["wager"]
    return PixelSizes(
        card_px=None if hand is None else hand * min(table.card_size_mm),
        chip_px=None if wager is None else wager * table.chips.diameter_mm,
        card_px_per_mm=hand,
        chip_px_per_mm=wager,
    )
