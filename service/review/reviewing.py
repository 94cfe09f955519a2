"""Review recorded shifts: watch their segments, join and judge them, make the evidence, store everything.

Nothing is watched twice: a review that was stopped or killed is resumed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.log.events import Event, format_event
from thirdcard.rules.round.records import format_round
from thirdcard.service.config.data_folder import Home
from thirdcard.service.review.camera_moves import move_texts
from thirdcard.service.review.engine import Engine, JobKey, Jobs
from thirdcard.service.review.entering import Reviewed, enter, entered_log
from thirdcard.service.review.evidence_pictures import PictureOrder, ShiftPictures, picture_orders
from thirdcard.service.review.gallery import Gallery, picture_pool
from thirdcard.service.review.joining import join
from thirdcard.service.review.judging import JudgedRound, LogVerdict, judge
from thirdcard.service.review.lost_sight import LostSight, lost_notes, lost_sights
from thirdcard.service.review.seen_film import LEAST_S, TimeSpan, without
from thirdcard.service.review.segment_watch import SegmentJob, SegmentResult
from thirdcard.service.review.segments import Segment, cut_segments
from thirdcard.service.review.shift import Shift
from thirdcard.service.review.shift_notes import Note, NoteKind
from thirdcard.service.review.work_folder import WorkFolder, write_whole
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database
from thirdcard.service.watch.factory import build_belief

SAME_ALERT_S = 2.0
"""An alert of the same code within this many seconds of one from an earlier review of the same film is the same."""


class Onlooker(Protocol):
    """Receives the progress of a review."""

    def begin(self, shift: Shift, segments: Sequence[Segment], done: Collection[int]) -> None:
        """A shift's review begins; the segments with these numbers were watched before."""

    def advance(self, shift: Shift, number: int, t: float) -> None:
        """A segment's watch has come that far, in the shift's time."""

    def finish(self, shift: Shift, outcome: ShiftOutcome) -> None:
        """A shift is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftOutcome:
    """The outcome of a shift's review."""

    log_id: int | None
    """None where a stretch could not be seen the second time either: nothing was stored."""
    was_there: bool
    """Whether it was stored before, so that nothing was done."""
    rounds: int = 0
    alerts: int = 0
    decoded: int = 0
    passed: int = 0
    faults: tuple[str, ...] = ()
    """Stretches that could not be watched, in words."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A shift that must be watched."""

    shift: Shift
    segments: Sequence[Segment]
    work: WorkFolder
    gallery: Gallery

    def jobs(self, number: int) -> Jobs:
        """The segments that were not watched yet."""
        lines = tuple(dict(format_event(event)) for event in self.shift.signals)
        opening = self.segments[0].sources[0] if self.segments else None
        return [
            (
                JobKey(number, segment.number),
                SegmentJob(table=self.shift.table.path, segment=segment, signals=lines, opening=opening),
            )
            for segment in self.segments
            if self.work.done(segment) is None
        ]

    def found(self) -> Found:
        """The findings up to the first segment that is not watched yet."""
        results = list(self._results())
        shift = self.shift
        log = join(self.segments[: len(results)], results, shift.table.cameras[0].name)
        verdict = without_known(judge(log, build_belief(shift.table), shift.table.layout), shift)
        is_all = len(results) == len(self.segments)
        to_t = math.inf if is_all else results[-1].to_t if results else -math.inf
        return Found(self, results, log, verdict, picture_orders(shift, results, verdict, to_t=to_t))

    def _results(self) -> Iterator[SegmentResult]:
        for segment in self.segments:
            result = self.work.done(segment)
            if result is None:
                return
            yield result

    def forget_lost(self) -> None:
        """Have segments watched again that an earlier review could not see completely, if that is wanted."""
        for segment in self.segments if self.shift.completes else ():
            result = self.work.done(segment)
            if result is not None and (result.fault is not None or result.lost):
                self.work.drop(segment)


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a shift's segments, joined and judged."""

    plan: Plan
    results: Sequence[SegmentResult]
    log: Sequence[Event]
    verdict: LogVerdict
    orders: Sequence[PictureOrder]
    """Orders for pictures of alerts that no later segment can change."""

    @property
    def lost(self) -> Sequence[LostSight]:
        """The stretches that could not be seen."""
        return lost_sights(self.plan.segments, self.results)

    @property
    def is_in_vain(self) -> bool:
        """Whether the stretch to be seen again was lost again."""
        shift = self.plan.shift
        lost = [_span(shift, one) for one in self.lost if one.kind is NoteKind.BROKEN]
        return bool(shift.completes) and not any(span.lasts_s >= LEAST_S for span in without(shift.completes, lost))

    def begin_pictures(self) -> None:
        """Start making the pictures."""
        self.plan.gallery.begin(self.orders)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """Reviews shifts into one home."""

    home: Home
    database: Database
    engine: Engine
    now: Callable[[], datetime]
    evidence_url: str | None = None
    """Where the evidence is sent; None: it stays in the home's folder."""
    processes: int = 2
    """The number of processes that make alerts' pictures."""

    def review(self, shifts: Sequence[Shift], onlooker: Onlooker) -> None:
        """Review all shifts; each is stored soon after its last segment is watched.

        Raises:
            EngineError: Segments cannot be watched.
            EvidenceStoreError: The store at the URL does not accept evidence.
        """
        with picture_pool(self.processes) as pool:
            plans = [self._plan(shift, pool) for shift in shifts]
            judged: list[Found] = []
            for found in self._watch(plans, onlooker):
                if found is not None:
                    found.begin_pictures()
                    judged.append(found)
                for ready in [one for one in judged if one.plan.gallery.is_done]:
                    judged.remove(ready)
                    self._enter(ready, onlooker)
            for found in judged:
                self._enter(found, onlooker)

    def _watch(self, plans: Sequence[Plan], onlooker: Onlooker) -> Iterator[Found | None]:
        """Watch the shifts; yields the findings of each finished one, and None in between."""
        jobs: list[tuple[JobKey, SegmentJob]] = []
        left: dict[int, int] = {}
        for number, plan in enumerate(plans):
            if self._is_there(plan.shift, onlooker):
                continue
            plan.forget_lost()
            own = plan.jobs(number)
            wanted = {key.number for key, _ in own}
            onlooker.begin(plan.shift, plan.segments, {one.number for one in plan.segments} - wanted)
            if not own:
                yield plan.found()
                continue
            left[number] = len(own)
            jobs += own
        for key, result in self.engine.watch(
            jobs, lambda key, t: onlooker.advance(plans[key.shift].shift, key.number, t)
        ):
            plan = plans[key.shift]
            plan.work.keep(plan.segments[key.number], result)
            onlooker.advance(plan.shift, key.number, result.to_t)
            left[key.shift] -= 1
            if left[key.shift] and sum(left.values()) < self.processes:
                plan.found().begin_pictures()  # a core is idle
            yield None if left[key.shift] else plan.found()

    def _plan(self, shift: Shift, pool: Executor) -> Plan:
        work = WorkFolder(self.home.folder / "reviews" / f"{shift.table.id.replace('/', '_')}-{shift.key[:16]}")
        work.make()
        evidence = EvidenceStore(self.home.evidence, self.evidence_url)
        return Plan(shift, cut_segments(shift.timeline), work, Gallery(ShiftPictures.of(shift, evidence), pool))

    def _is_there(self, shift: Shift, onlooker: Onlooker) -> bool:
        log_id = entered_log(self.database, shift.key)
        if log_id is None:
            return False
        onlooker.finish(shift, ShiftOutcome(log_id=log_id, was_there=True))
        return True

    def _enter(self, found: Found, onlooker: Onlooker) -> None:
        plan, log, verdict = found.plan, found.log, found.verdict
        if found.is_in_vain:
            onlooker.finish(plan.shift, _outcome(None, found))
            return
        pictures = plan.gallery.pictures(found.orders)
        _write_logs(plan.work.path, log, verdict)
        notes = [*lost_notes(plan.shift.timeline, found.lost), *_setup_notes(plan.shift, verdict, found.results)]
        reviewed = Reviewed(shift=plan.shift, log=log, verdict=verdict, evidence=pictures, lost=notes)
        log_id = enter(self.database, reviewed, self.now())
        onlooker.finish(plan.shift, _outcome(log_id, found))


def _setup_notes(shift: Shift, verdict: LogVerdict, results: Sequence[SegmentResult]) -> list[Note]:
    """Notes that the table's set-up looks wrong, or its camera was moved."""
    began_at, to_at = shift.timeline.began_at, shift.timeline.parts[-1].to_at
    told = [(began_at + timedelta(seconds=t), text) for t, text in move_texts(results)]
    if verdict.setup_hint is not None:
        told.append((began_at, verdict.setup_hint))
    return [Note(kind=NoteKind.SETUP, from_at=from_at, to_at=to_at, text=text) for from_at, text in told]


def without_known(verdict: LogVerdict, shift: Shift) -> LogVerdict:
    """The verdict without alerts of rounds that earlier reviews saw completely, and without those they stored.

    People may have decided on the latter; the former would have been stored.
    """
    if not shift.completes:
        return verdict
    began_at = shift.timeline.began_at
    near = timedelta(seconds=SAME_ALERT_S)
    seen_before = {judged.record.round for judged in verdict.rounds if not _is_of(judged, shift)}

    def is_known(alert: Alert) -> bool:
        at = began_at + timedelta(seconds=alert.t)
        return any(code == alert.code and abs(known - at) <= near for code, known in shift.known_alerts)

    alerts = (one for one in verdict.alerts if one.round not in seen_before and not is_known(one))
    return replace(verdict, alerts=tuple(alerts))


def _is_of(judged: JudgedRound, shift: Shift) -> bool:
    """Whether some of a round lies in the stretches to be seen again."""
    record, began_at = judged.record, shift.timeline.began_at
    closed_t = record.opened if record.closed is None else record.closed
    own = TimeSpan(from_at=began_at + timedelta(seconds=record.opened), to_at=began_at + timedelta(seconds=closed_t))
    return any(own.touches(span) for span in shift.completes)


def _span(shift: Shift, lost: LostSight) -> TimeSpan:
    began_at = shift.timeline.began_at
    return TimeSpan(from_at=began_at + timedelta(seconds=lost.from_t), to_at=began_at + timedelta(seconds=lost.to_t))


def _outcome(log_id: int | None, found: Found) -> ShiftOutcome:
    broken = [one for one in found.lost if one.kind is NoteKind.BROKEN]
    return ShiftOutcome(
        log_id=log_id,
        was_there=False,
        rounds=len(found.verdict.rounds),
        alerts=len(found.verdict.alerts),
        decoded=sum(result.decoded for result in found.results),
        passed=sum(result.passed for result in found.results),
        faults=tuple(note.text for note in lost_notes(found.plan.shift.timeline, broken)),
    )


def _write_logs(folder: Path, log: Sequence[Event], verdict: LogVerdict) -> None:
    """Write `events.jsonl`, `alerts.jsonl`, `doubtful.jsonl` and `rounds.jsonl`, as a watch does."""
    _write_lines(folder / "events.jsonl", (format_event(event) for event in log))
    _write_lines(folder / "alerts.jsonl", map(format_alert, verdict.alerts))
    _write_lines(folder / "doubtful.jsonl", map(format_alert, verdict.doubtful))
    _write_lines(folder / "rounds.jsonl", (format_round(judged.record) for judged in verdict.rounds))


def _write_lines(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    write_whole(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
