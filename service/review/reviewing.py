"""Review recorded shifts: watch their segments, join and judge them, keep the evidence, enter all into the store.

What was watched once is not watched again: a review that was stopped, or killed, goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from rules.alerts import format_alert
from rules.events import Event, format_event
from rules.records import format_round
from service.evidence_store import EvidenceStore
from service.home import Home
from service.review.engine import Engine, JobKey, Jobs
from service.review.entering import Reviewed, enter, entered_log
from service.review.joining import join
from service.review.judging import Verdict, judge
from service.review.pictures import KeptPictures, ShiftPictures, sights_of
from service.review.segment_watch import SegmentJob, SegmentResult
from service.review.segments import Segment, cut_segments
from service.review.shift import Shift
from service.review.work_folder import WorkFolder, write_whole
from service.store.database import Database
from service.wiring import build_referee


class Onlooker(Protocol):
    """Who is told how a review goes."""

    def begin(self, shift: Shift, segments: Sequence[Segment], done: int) -> None:
        """A shift's review begins; so many of its segments were watched before."""

    def advance(self, shift: Shift, number: int, t: float) -> None:
        """A segment's watch is that far, in the shift's time."""

    def finish(self, shift: Shift, outcome: Outcome) -> None:
        """A shift is in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a shift."""

    log_id: int
    was_there: bool
    """It was entered before: nothing was done."""
    rounds: int = 0
    alerts: int = 0
    decoded: int = 0
    passed: int = 0
    faults: tuple[str, ...] = ()
    """Of segments that could not be watched to their ends."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A shift that is to be watched."""

    shift: Shift
    segments: Sequence[Segment]
    work: WorkFolder

    def jobs(self, number: int) -> Jobs:
        """The segments that were not watched yet."""
        lines = tuple(dict(format_event(event)) for event in self.shift.signals)
        return [
            (JobKey(number, segment.number), SegmentJob(table=self.shift.table.path, segment=segment, signals=lines))
            for segment in self.segments
            if self.work.done(segment.number) is None
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """Reviews shifts into one home."""

    home: Home
    database: Database
    engine: Engine
    now: Callable[[], datetime]
    evidence_url: str | None = None
    """Where the evidence is sent; None: it stays in the home's folder."""
    threads: int = 2
    """So many alerts' pictures are made at once."""

    def review(self, shifts: Sequence[Shift], onlooker: Onlooker) -> None:
        """Review them all; each is entered as soon as its last segment is watched.

        Raises:
            EngineError: Segments cannot be watched.
        """
        plans = [self._plan(shift) for shift in shifts]
        jobs: list[tuple[JobKey, SegmentJob]] = []
        left: dict[int, int] = {}
        for number, plan in enumerate(plans):
            if self._is_there(plan.shift, onlooker):
                continue
            own = plan.jobs(number)
            onlooker.begin(plan.shift, plan.segments, len(plan.segments) - len(own))
            left[number] = len(own)
            jobs += own
            if not own:
                self._finish(plan, onlooker)
        for key, result in self.engine.watch(
            jobs, lambda key, t: onlooker.advance(plans[key.shift].shift, key.number, t)
        ):
            plan = plans[key.shift]
            plan.work.keep(result)
            onlooker.advance(plan.shift, key.number, result.to_t)
            left[key.shift] -= 1
            if not left[key.shift]:
                self._finish(plan, onlooker)

    def _plan(self, shift: Shift) -> Plan:
        work = WorkFolder(self.home.folder / "reviews" / f"{shift.table.id.replace('/', '_')}-{shift.key[:16]}")
        work.make()
        return Plan(shift, cut_segments(shift.timeline), work)

    def _is_there(self, shift: Shift, onlooker: Onlooker) -> bool:
        log_id = entered_log(self.database, shift.key)
        if log_id is None:
            return False
        onlooker.finish(shift, Outcome(log_id=log_id, was_there=True))
        return True

    def _finish(self, plan: Plan, onlooker: Onlooker) -> None:
        results = [result for segment in plan.segments if (result := plan.work.done(segment.number)) is not None]
        camera = plan.shift.table.cameras[0].name
        log = join(plan.segments, results, camera)
        table = plan.shift.table
        verdict = judge(log, build_referee(table), table.layout)
        pictures = self._keep_pictures(plan.shift, verdict, results)
        _write_logs(plan.work.path, log, verdict)
        reviewed = Reviewed(shift=plan.shift, log=log, verdict=verdict, pictures=pictures)
        log_id = enter(self.database, reviewed, self.now())
        onlooker.finish(plan.shift, _outcome(log_id, verdict, results))

    def _keep_pictures(
        self, shift: Shift, verdict: Verdict, results: Sequence[SegmentResult]
    ) -> Sequence[KeptPictures]:
        evidence = EvidenceStore(self.home.evidence, self.evidence_url)
        maker = ShiftPictures(shift, sights_of(shift, results, verdict), evidence)
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(maker.keep, [judged.alert for judged in verdict.alerts], range(len(verdict.alerts))))


def _outcome(log_id: int, verdict: Verdict, results: Sequence[SegmentResult]) -> Outcome:
    return Outcome(
        log_id=log_id,
        was_there=False,
        rounds=len(verdict.rounds),
        alerts=len(verdict.alerts),
        decoded=sum(result.decoded for result in results),
        passed=sum(result.passed for result in results),
        faults=tuple(result.fault for result in results if result.fault is not None),
    )


def _write_logs(folder: Path, log: Sequence[Event], verdict: Verdict) -> None:
    """`events.jsonl`, `alerts.jsonl` and `rounds.jsonl`, as a watch writes them."""
    _write_lines(folder / "events.jsonl", (format_event(event) for event in log))
    _write_lines(folder / "alerts.jsonl", (format_alert(judged.alert) for judged in verdict.alerts))
    _write_lines(folder / "rounds.jsonl", (format_round(judged.record) for judged in verdict.rounds))


def _write_lines(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    write_whole(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
