"""Watch a table's film from its first frame to its end, and report news on the way.

Times are stream time in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import Event
from thirdcard.rules.round.records import RoundRecord
from thirdcard.rules.round.round import RoundState
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.setup.print_check import print_warning
from thirdcard.service.setup.print_words import swapped_print
from thirdcard.service.watch.film_sight import LEAST_RATE_HZ, FilmSight, clock_text, damage_text, refit_text
from thirdcard.service.watch.pipeline import TableWatch, read_signals, start_watch
from thirdcard.service.watch.spread_output import ShownSpread
from thirdcard.vision.errors import VideoBreakError
from thirdcard.vision.frames import Frame, SightFault, SightLost
from thirdcard.vision.observations import CameraRefitted, CardInSight
from thirdcard.vision.video.video import VideoReader, measured_step_s

PROGRESS_S = 0.2
"""Stream seconds between two reports; an alert is reported at once."""
COMPARED_S = 3.0
"""Stream seconds before the print is compared: the first pictures of a stream may be grey or incomplete."""
MOST_CLOCK_WORDS = 5
"""The most notes on clock faults between two reports."""


@dataclass(frozen=True, slots=True)
class CardsInFrame:
    """The cards on the table in one frame."""

    t: float
    cards: tuple[CardInSight, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The news since the last report."""

    t: float
    frame_index: int
    duration_s: float | None
    """None where the source does not tell its length."""
    events: tuple[Event, ...]
    """The log's next lines, in order of time."""
    alerts: tuple[Alert, ...]
    rounds: tuple[RoundRecord, ...]
    state: RoundState
    stage_seconds: Mapping[str, float]
    """Seconds spent since the start: decode, gate, detect, read, track, interpret."""
    looks: tuple[CardsInFrame, ...] = ()
    """Where cards lay in each frame since the last report, in order of time."""
    broken: str | None = None
    """Why the video broke off before its end; only in the last report."""
    spreads: tuple[ShownSpread, ...] = ()
    """Decks that were spread over the table and taken away since the last report."""
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    """JPEG pictures of the wagers that changed in `events`, by the names used there."""
    notes: tuple[str, ...] = ()
    """All problems of the film noticed so far."""
    damaged: str | None = None
    """What part of the film could not be decoded; only in the last report."""
    withdrawn: tuple[Alert, ...] = ()
    """Alerts of earlier reports that are withdrawn."""
    doubtful: tuple[Alert, ...] = ()
    """Findings of closed rounds whose confidence stayed too low for an alert."""
    refits: tuple[CameraRefitted, ...] = ()
    """All refits so far: the camera was moved and fitted again."""
    setup_hint: str | None = None
    """What to check in the table's set-up, where an error in it is likelier than one of the dealer."""
    familiarity: float | None = None
    """The share of cards recognised with certainty from their looks alone, 0 to 1: how well the reader knows
    the deck."""


def watch_table(table: TableConfig, *, signals: Path | None = None, rate_hz: float | None = None) -> Iterator[Progress]:
    """Watch a table's first camera to the end of its video.

    Args:
        table: the table; the source of its first camera is watched.
        signals: the log of the devices' reports; None for `signals.jsonl` beside the video, where it exists.
        rate_hz: the frame rate of a film without time stamps; None to take the film's own.

    Yields:
        About five reports a second of video, one at once for every alert, and one at the end.

    Raises:
        UnreadableVideoError: The source cannot be opened.
        ImageSizeError: The calibration is for another size of picture.
        ModelError: A model file is missing, altered or of another shape.
        LogError: The signals cannot be read.
    """
    camera = table.cameras[0]
    size = camera.calibration.image_size_wh_px
    step_s = None if camera.is_live else measured_step_s(camera.source, size, rate_hz)
    with VideoReader(camera.source, size_wh_px=size, rate_hz=rate_hz, transport=camera.transport) as reader:
        watch = start_watch(table, read_signals(table, signals), keeps_pictures=True)
        yield from _FilmRun(watch, reader, table, step_s, is_rate_told=rate_hz is not None).reports()


class _FilmRun:
    """One film in one watch."""

    def __init__(
        self, watch: TableWatch, reader: VideoReader, table: TableConfig, step_s: float | None, *, is_rate_told: bool
    ) -> None:
        self._watch, self._reader, self._layout = watch, reader, table.layout
        self._sight = FilmSight(watch, table.cameras[0].name)
        self._step_s, self._is_rate_told = step_s, is_rate_told
        self._words = _FilmWords()
        self._reporter = _Reporter(watch, reader.info.duration_s)
        self._frame: Frame | None = None

    def reports(self) -> Iterator[Progress]:
        """The reports, as they come."""
        broken: str | None = None
        try:
            for item in self._items():
                with self._reporter.spend("interpret"):
                    self._sight.take(item, self._reader.step_s or self._step_s)
                if isinstance(item, Frame):
                    self._compare(item)
                    self._frame = item
                    self._reporter.saw(item.t)
                    if self._watch.has_alerts or item.t - self._reporter.reported_t >= PROGRESS_S:
                        yield self._reporter.report(item.t, item.index, notes=self._notes())
        except VideoBreakError as error:
            broken = str(error)
        yield self._end(broken)

    def _compare(self, frame: Frame) -> None:
        """Check once, early in the film, whether the print lies where the layout says, and reads as it says."""
        if frame.t < COMPARED_S or (self._frame is not None and self._frame.t >= COMPARED_S):
            return
        calibration = self._watch.camera.at(frame.t)
        warning = print_warning(frame.image, calibration, self._layout)
        if warning is not None:
            self._words.add(warning)
        for swap in swapped_print(frame.image, calibration, self._layout):
            self._watch.belief.doubt(swap.name)

    def _items(self) -> Iterator[Frame | SightLost]:
        items = self._reader.looks()
        while True:
            with self._reporter.spend("decode"):
                item = next(items, None)
            if item is None:
                return
            yield item

    def _notes(self) -> tuple[str, ...]:
        return self._words.all(self._reader, self._sight, is_rate_told=self._is_rate_told)

    def _end(self, broken: str | None) -> Progress:
        end_t, index = (self._frame.t, self._frame.index) if self._frame is not None else (0.0, 0)
        if broken is not None:
            self._sight.lose(SightLost(end_t, SightFault.NO_PICTURE))
        self._sight.end(end_t)
        self._watch.finish(end_t)
        damaged = damage_text(self._sight.stretches)
        return self._reporter.report(end_t, index, broken, notes=self._notes(), damaged=damaged)


class _FilmWords:
    """The problems of a film, each noted once."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}
        self._faults = 0

    def add(self, word: str) -> None:
        """Note a problem."""
        self._said[word] = None

    def all(self, reader: VideoReader, sight: FilmSight, *, is_rate_told: bool) -> tuple[str, ...]:
        """All problems noticed so far, in order."""
        words: list[str] = []
        if reader.has_no_times and reader.step_s is not None and not is_rate_told:
            rate = f"{1 / reader.step_s:.4g} frames a second"
            words.append(f"the film has no times: {rate} are assumed (--rate sets them)")
        if sight.are_few:
            words.append(
                f"the film has fewer than {LEAST_RATE_HZ} frames a second: too few to judge by; nothing is alleged"
            )
        words += (f"{one.t:.1f} s: {refit_text(one)}" for one in sight.watch.refits)
        words += (clock_text(*fault) for fault in reader.faults[self._faults :][:MOST_CLOCK_WORDS])
        self._faults = len(reader.faults)
        self._said |= dict.fromkeys(words)
        return tuple(self._said)


class _Reporter:
    """Measures the time of the stages and makes the reports."""

    def __init__(self, watch: TableWatch, duration_s: float | None) -> None:
        self.reported_t = 0.0
        self._watch = watch
        self._duration_s = duration_s
        self._clock = watch.observer.clock
        self._spent = {"decode": 0.0, "interpret": 0.0}
        self._looks: list[CardsInFrame] = []

    def saw(self, t: float) -> None:
        """Record the cards of a processed frame."""
        self._looks.append(CardsInFrame(t, self._watch.cards))

    @contextmanager
    def spend(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage, without the time that the observer measures itself."""
        started, observed = self._clock(), sum(self._watch.stage_seconds.values())
        try:
            yield
        finally:
            observed = sum(self._watch.stage_seconds.values()) - observed
            self._spent[stage] += self._clock() - started - observed

    def report(
        self, t: float, index: int, broken: str | None = None, *, notes: tuple[str, ...], damaged: str | None = None
    ) -> Progress:
        """The news since the last report."""
        self.reported_t = t
        news = self._watch.take()
        looks, self._looks = tuple(self._looks), []
        return Progress(
            t=t,
            frame_index=index,
            duration_s=self._duration_s,
            events=news.events,
            pictures=self._watch.pictures_of(news.events),
            alerts=news.alerts,
            withdrawn=news.withdrawn,
            doubtful=news.doubtful,
            rounds=news.rounds,
            state=self._watch.state,
            stage_seconds=self._spent | self._watch.stage_seconds,
            looks=looks,
            spreads=self._watch.take_spreads(),
            broken=broken,
            notes=notes,
            damaged=damaged,
            refits=tuple(self._watch.refits),
            setup_hint=self._watch.belief.setup_hint,
            familiarity=self._watch.observer.familiarity,
        )
