"""Show the progress of reviews: bars with the time left on a terminal, plain lines elsewhere; in total, per table and
per file."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from thirdcard.service.review.reach import FileReach, ShiftReach
from thirdcard.service.review.reviewing import ShiftOutcome
from thirdcard.service.review.segments import Segment
from thirdcard.service.review.shift import Shift, WantedShift
from thirdcard.service.watch.wording import counted, duration

PLAIN_STEP = 0.1
"""How often plain output reports progress: every tenth of a table's film, and of all."""
PACE_S = 300.0
"""The estimate of the time left uses this many recent seconds: still stretches pass fast, rounds slowly."""


@dataclass(slots=True)
class _Going:
    """A table's review and its bars."""

    reach: ShiftReach
    bar: TaskID
    file_bars: Mapping[str, TaskID]
    told: float
    """The share that was last reported."""
    shown: Mapping[str, FileReach] = field(default_factory=dict)
    """The files with visible bars."""
    is_finished: bool = False


@dataclass(slots=True)
class ReviewProgress:
    """Shows progress to a person; use it in a `with` block."""

    console: Console
    clock: Callable[[], float] = time.monotonic
    _bars: Progress = field(init=False)
    _all_bar: TaskID = field(init=False)
    _all_told: float = 0.0
    _began: float | None = None
    _going: dict[str, _Going] = field(default_factory=dict)
    _is_damaged: bool = False

    @property
    def is_damaged(self) -> bool:
        """Whether existing film could not be watched."""
        return self._is_damaged

    def __post_init__(self) -> None:
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.console.is_terminal,
            speed_estimate_period=PACE_S,
        )
        self._all_bar = self._bars.add_task("all tables", total=0.0, visible=False)

    def __enter__(self) -> ReviewProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()
        if self._going and all(one.is_finished for one in self._going.values()):
            self._tell_pace()

    def opening(self, tables: Sequence[WantedShift]) -> Iterator[WantedShift]:
        """Yield the tables while their files are read, which takes a while without an index."""
        bar = self._bars.add_task("reading files", total=sum(len(one.videos) for one in tables))
        for one in tables:
            yield one
            self._bars.advance(bar, len(one.videos))
        self._bars.remove_task(bar)

    def begin(self, shift: Shift, segments: Sequence[Segment], done: Collection[int]) -> None:
        """Begin or resume a table's review."""
        self._began = self.clock() if self._began is None else self._began
        reach = ShiftReach(shift=shift, segments=segments, done=done)
        bar = self._bar(shift.table.id, shift.lasts_s)
        file_bars = {file.name: self._bar(f"  {file.name}", file.lasts_s) for file in reach.files}
        going = _Going(reach, bar, file_bars, reach.watched_s / max(shift.lasts_s, 1e-9))
        self._going[shift.key] = going
        self._all_told = self._all_share
        self._bars.update(self._all_bar, total=self._all_lasts_s, visible=len(self._going) > 1)
        for one in self._going.values():
            self._draw(one)
        for note in shift.notes:
            self._tell(shift, f"{note.kind}: {note.text}")
        before = f", {len(done)} of {len(segments)} segments watched before" if done else ""
        self._tell(shift, f"{duration(shift.lasts_s)} in {counted(len(reach.files), 'file')}{before}")

    def advance(self, shift: Shift, number: int, t: float) -> None:
        """Note the progress of a segment's watch."""
        going = self._going[shift.key]
        going.reach.advance(number, t)
        self._draw(going)
        if not self.console.is_terminal:
            self._tell_steps(going)

    def finish(self, shift: Shift, outcome: ShiftOutcome) -> None:
        """Note that a shift is stored."""
        if outcome.was_there:
            self._tell(shift, f"was reviewed before, log {outcome.log_id}")
            return
        going = self._going[shift.key]
        going.is_finished = True
        for name in going.shown:
            self._bars.update(going.file_bars[name], visible=False)
        self._bars.update(going.bar, completed=shift.lasts_s, visible=len(self._going) == 1)
        self._is_damaged = self._is_damaged or bool(outcome.faults)
        for fault in outcome.faults:
            self._tell(shift, f"could not be watched whole: {fault}")
        if outcome.log_id is None:
            self._tell(shift, "what was lost could not be seen this time either: nothing is entered")
            return
        found = f"{counted(outcome.rounds, 'round')}, {counted(outcome.alerts, 'alert')} in log {outcome.log_id}"
        passed = 100 * outcome.passed / max(outcome.decoded + outcome.passed, 1)
        self._tell(shift, f"{found}; {passed:.0f} % of the frames showed nothing new")

    @property
    def _all_lasts_s(self) -> float:
        return sum(one.reach.shift.lasts_s for one in self._going.values())

    @property
    def _all_share(self) -> float:
        return sum(one.reach.watched_s for one in self._going.values()) / max(self._all_lasts_s, 1e-9)

    @property
    def _each_s(self) -> float:
        """Seconds per second of film, from all tables' watches so far."""
        watched_s = sum(one.reach.watched_s - one.reach.before_s for one in self._going.values())
        return (self.clock() - (self._began or 0.0)) / max(watched_s, 1e-3)

    def _tell_pace(self) -> None:
        took_s = max(self.clock() - (self._began or 0.0), 1e-3)
        film_s = sum(one.reach.shift.lasts_s - one.reach.before_s for one in self._going.values())
        speed = f", {film_s / took_s:.1f} x as fast as it was filmed" if film_s > 0.1 else ""
        self.say(f"reviewed in {duration(took_s)}{speed}")

    def _bar(self, text: str, film_s: float) -> TaskID:
        return self._bars.add_task(escape(text), total=film_s, start=False, visible=False)

    def _draw(self, going: _Going) -> None:
        under_way = {file.name: file for file in going.reach.under_way}
        for name, file in {**going.shown, **under_way}.items():
            self._move(going.file_bars[name], file.watched_s, is_shown=name in under_way)
        going.shown = under_way
        self._move(going.bar, going.reach.watched_s, is_shown=len(self._going) == 1 or bool(under_way))
        self._bars.update(self._all_bar, completed=self._all_share * self._all_lasts_s)

    def _move(self, bar: TaskID, watched_s: float, *, is_shown: bool) -> None:
        """Move a bar; its time runs from when it is first shown."""
        if is_shown:
            self._bars.start_task(bar)
        self._bars.update(bar, completed=watched_s, visible=is_shown)

    def _tell_steps(self, going: _Going) -> None:
        """Print a line for each further tenth of a table, and of all."""
        reach = going.reach
        share = reach.watched_s / max(reach.shift.lasts_s, 1e-9)
        if share - going.told >= PLAIN_STEP:
            going.told = share
            whole = sum(file.is_whole for file in reach.files)
            files = f"{whole} of {counted(len(reach.files), 'file')}"
            text = f"{100 * share:.0f} % watched, {files}, {self._left(self._left_until_s(going))}"
            self._tell(reach.shift, "; ".join([text, *self._files_under_way(reach)]))
        if len(self._going) > 1 and self._all_share - self._all_told >= PLAIN_STEP:
            self._all_told = self._all_share
            left = self._left(sum(one.reach.left_s for one in self._going.values()))
            self.say(f"all {len(self._going)} tables: {100 * self._all_share:.0f} % watched, {left}")

    def _left_until_s(self, going: _Going) -> float:
        """The film left until a table's end: tables are watched in order."""
        left_s = 0.0
        for one in self._going.values():
            left_s += one.reach.left_s
            if one is going:
                break
        return left_s

    def _files_under_way(self, reach: ShiftReach) -> list[str]:
        """Each running file with its time left; they share the cores."""
        under_way = reach.under_way
        return [
            f"{file.name} {100 * file.watched_s / file.lasts_s:.0f} %, {self._left(len(under_way) * file.left_s)}"
            for file in under_way
        ]

    def _left(self, film_s: float) -> str:
        return f"{duration(self._each_s * film_s)} left"

    def _tell(self, shift: Shift, text: str) -> None:
        self.say(f"{shift.table.id}: {text}")

    def say(self, text: str) -> None:
        """Print another message, beside the bars."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)
