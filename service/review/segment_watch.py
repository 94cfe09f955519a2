"""Watch one segment of a shift: the lines of its log, and where cards lay meanwhile.

A pure function of the table, the files and the signals: repeated runs give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from thirdcard.rules.log.events import Event, format_event, parse_event
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.interpretation.device_watchdog import device_events_of
from thirdcard.service.review.camera_moves import first_luma, told_move
from thirdcard.service.review.card_history import CardHistory
from thirdcard.service.review.frame_source import Film
from thirdcard.service.review.segment_start import begun_at_rest
from thirdcard.service.review.segments import FilmSource, Segment
from thirdcard.service.watch.factory import open_eyes
from thirdcard.service.watch.film_sight import FilmSight
from thirdcard.service.watch.pipeline import SharedEyes, TableWatch, start_watch

TELL_EVERY_S = 5.0
"""Seconds of the shift's time between two reports of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentJob:
    """A segment to watch."""

    table: Path
    """The table's file."""
    segment: Segment
    signals: tuple[dict[str, object], ...]
    """The devices' reports of the whole shift, as log lines in the shift's time."""
    opening: FilmSource | None = None
    """The shift's first film: the table's calibration belongs to its first picture."""


@dataclass(slots=True, kw_only=True)
class SegmentResult:
    """The findings of a segment; times are the shift's."""

    number: int
    from_t: float
    """The time of the first examined frame."""
    to_t: float
    """Up to here the segment's lines count: there no round was running, or the film ended."""
    lines: list[dict[str, object]]
    """In order of time, with those of the run-in."""
    is_amid_round: bool
    """Whether it had to end within a round."""
    fault: str | None
    """Why it could not be watched to its end; None where it could."""
    decoded: int
    passed: int
    """Frames that were skipped undecoded, since nothing moved."""
    sights: list[dict[str, object]] = field(default_factory=list)
    lost: list[list[object]] = field(default_factory=list)
    """`[from_t, to_t, fault]`: stretches of film that could not be watched, though the watch continued."""
    moves: list[dict[str, object]] = field(default_factory=list)
    """The camera's moves and refits (`camera_moves`)."""


Tell = Callable[[float], None]


def tell_nobody(_t: float) -> None:
    """Report no progress."""


def watch_segment(job: SegmentJob, tell: Tell = tell_nobody, eyes: SharedEyes | None = None) -> SegmentResult:
    """Watch a segment from its run-in to the first time after its end at which no round is running.

    Args:
        job: The segment.
        tell: Receives the progress, in the shift's time.
        eyes: Loaded models, maybe shared with other watches; None: its own.

    Raises:
        VisionError: Nothing of it can be watched.
        ServiceError: The table's files cannot be used.
    """
    table = load_table(job.table)
    eyes = open_eyes() if eyes is None else eyes
    segment = begun_at_rest(table, job.segment, eyes)
    zero_t = segment.sources[0].at_t
    heard = [parse_event(line) for line in job.signals]
    watch = start_watch(table, _of_segment(heard, segment), reported=device_events_of(heard), eyes=eyes)
    opening = None if job.opening is None or segment.number == 0 else first_luma(table, job.opening)
    if opening is not None:
        watch.observer.begin_from(opening)
    run = _Run(table=table, segment=segment, watch=watch, zero_t=zero_t, tell=tell)
    fault = run.watch_sources()
    return run.result(fault)


@dataclass(slots=True, kw_only=True)
class _Run:
    """The watch of one segment, in its own time: 0 is its first frame's."""

    table: TableConfig
    segment: Segment
    watch: TableWatch
    zero_t: float
    tell: Tell
    sights: CardHistory = field(default_factory=CardHistory)
    t: float = 0.0
    told_t: float = 0.0
    events: list[Event] = field(default_factory=list)
    film: Film = field(init=False)
    sight: FilmSight = field(init=False)
    step_s: float | None = None
    """The recorded time between frames, seconds."""

    def __post_init__(self) -> None:
        self.sight = FilmSight(self.watch, self.table.cameras[0].name)
        steps = [source.index.step_s for source in self.segment.sources if source.index is not None]
        self.step_s = max(steps, default=None)
        self.film = Film(self.table, self.segment, is_waited_for=self._is_waited_for, is_idle=self._is_idle)

    def watch_sources(self) -> str | None:
        """Watch until nothing more is needed; returns why some of it could not be read, or None."""
        for item in self.film.looks():
            is_frame = self.sight.take(item, self.step_s)
            self.t = max(self.t, item.t)
            if not is_frame:
                continue
            self.events += self.watch.take().events
            self.sights.note(item.t, self.watch.cards)
            if self.t + self.zero_t - self.told_t >= TELL_EVERY_S:
                self.told_t = self.t + self.zero_t
                self.tell(self.told_t)
            if self._is_enough():
                break
        self.sight.end(self.t)
        return "; ".join(self.film.faults) or None

    def result(self, fault: str | None) -> SegmentResult:
        """The findings, in the shift's time."""
        end_t, is_amid_round = self.t, not self._is_idle()
        self.watch.finish(end_t)
        self.events += self.watch.take().events
        lines = [replace(event, t=round(event.t + self.zero_t, 3)) for event in self.events]
        return SegmentResult(
            number=self.segment.number,
            from_t=self.zero_t,
            to_t=round(end_t + self.zero_t, 3),
            lines=[dict(format_event(line)) for line in lines],
            is_amid_round=is_amid_round,
            fault=fault,
            decoded=self.film.decoded,
            passed=self.film.passed,
            sights=self.sights.told(self.zero_t),
            lost=[
                [round(one.from_t + self.zero_t, 3), round(one.to_t + self.zero_t, 3), one.fault]
                for one in self.sight.stretches
            ],
            moves=[told_move(one, self.zero_t) for one in self.watch.refits],
        )

    def _is_idle(self) -> bool:
        return self.watch.is_idle

    def _is_waited_for(self) -> bool:
        return self.watch.is_looking_on(self.t)

    def _is_enough(self) -> bool:
        """Whether the watch may stop: it is past the segment's end, no round is running, and no observation is
        pending."""
        is_over = self.t + self.zero_t >= self.segment.core_to_t and not self.segment.is_before_gap
        return is_over and self._is_idle() and not self._is_waited_for()


def _of_segment(heard: Sequence[Event], segment: Segment) -> list[Event]:
    """The reports made while the segment was filmed, in its own time."""
    zero_t, last = segment.sources[0].at_t, segment.sources[-1]
    end_t = last.at_t + last.to_s - last.from_s
    return [replace(event, t=round(event.t - zero_t, 3)) for event in heard if zero_t <= event.t <= end_t]
