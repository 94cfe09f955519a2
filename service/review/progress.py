"""Show how reviews go: bars with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from service.review.reviewing import Outcome
from service.review.segments import Segment
from service.review.shift import Shift
from service.wording import counted, duration

PLAIN_STEP = 0.1
"""How often plain output tells the progress: every tenth of a shift."""


@dataclass(slots=True)
class _Going:
    """How far a shift's review is."""

    shift: Shift
    reached_t: dict[int, float]
    """By segment; where it began at first."""
    segments: Sequence[Segment]
    task: TaskID
    began: float
    before_s: float
    """So much film was watched by reviews before this one."""
    told: float = field(init=False)
    """The share of the shift that was last told of."""
    watched_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.watched_s = self.before_s
        self.told = self.before_s / max(self.shift.lasts_s, 1e-9)

    def advance(self, number: int, t: float) -> float:
        """Take in how far a segment is; gives how many seconds of film are done."""
        segment = self.segments[number]
        reached_t = min(max(t, segment.core_from_t), segment.core_to_t)
        self.watched_s += max(reached_t - self.reached_t[number], 0.0)
        self.reached_t[number] = max(reached_t, self.reached_t[number])
        return self.watched_s


@dataclass(slots=True)
class ReviewProgress:
    """Tells a person; use it in a `with` block."""

    console: Console
    clock: Callable[[], float] = time.monotonic
    _bars: Progress = field(init=False)
    _going: dict[str, _Going] = field(default_factory=dict)

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
        )

    def __enter__(self) -> ReviewProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, shift: Shift, segments: Sequence[Segment], done: Collection[int]) -> None:
        """A shift's review begins, or goes on."""
        before_s = sum(one.core_to_t - one.core_from_t for one in segments if one.number in done)
        task = self._bars.add_task(shift.table.id, total=shift.lasts_s)
        self._bars.update(task, completed=before_s)
        reached = {one.number: one.core_to_t if one.number in done else one.core_from_t for one in segments}
        self._going[shift.key] = _Going(shift, reached, segments, task, self.clock(), before_s)
        for note in shift.notes:
            self.console.print(f"{shift.table.id}: {note.kind}: {note.text}", highlight=False)
        before = f", {len(done)} of {len(segments)} segments watched before" if done else ""
        parts = counted(len(shift.timeline.parts), "file")
        self.console.print(f"{shift.table.id}: {duration(shift.lasts_s)} in {parts}{before}", highlight=False)

    def advance(self, shift: Shift, number: int, t: float) -> None:
        """A segment's watch is that far."""
        going = self._going[shift.key]
        watched_s = going.advance(number, t)
        self._bars.update(going.task, completed=watched_s)
        share = watched_s / max(shift.lasts_s, 1e-9)
        if not self.console.is_terminal and share - going.told >= PLAIN_STEP:
            going.told = share
            each_s = (self.clock() - going.began) / (watched_s - going.before_s)
            left = duration(each_s * (shift.lasts_s - watched_s))
            self.console.print(f"{shift.table.id}: {100 * share:.0f} % watched, {left} left", highlight=False)

    def finish(self, shift: Shift, outcome: Outcome) -> None:
        """A shift is in the store."""
        if outcome.was_there:
            self.console.print(f"{shift.table.id}: was reviewed before, log {outcome.log_id}", highlight=False)
            return
        going = self._going[shift.key]
        self._bars.update(going.task, completed=shift.lasts_s)
        took_s = max(self.clock() - going.began, 1e-3)
        for fault in outcome.faults:
            self.console.print(f"{shift.table.id}: could not be watched whole: {fault}", highlight=False)
        speed = max(shift.lasts_s - going.before_s, 0.0) / took_s
        frames = outcome.decoded + outcome.passed
        self.console.print(
            f"{shift.table.id}: {counted(outcome.rounds, 'round')}, {counted(outcome.alerts, 'alert')} in log "
            f"{outcome.log_id}; {duration(took_s)}, {speed:.1f} x as fast as it was filmed; "
            f"{100 * outcome.passed / max(frames, 1):.0f} % of the frames showed nothing new",
            highlight=False,
        )
