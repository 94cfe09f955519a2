"""The data flow of one table: video and signals in; log, alerts and round records out.

Frames go to the observer, its observations and the devices' signals to the interpreter, the log's lines to the referee.
Times are stream time in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from thirdcard.calibration.history import CameraHistory
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import (
    UNSEEN,
    CameraBack,
    CameraLost,
    CardBurned,
    Event,
    RoundClosed,
    ShoeOpened,
    Source,
    WagerChanged,
)
from thirdcard.rules.log.reader import read_log_file
from thirdcard.rules.referee import Judgement
from thirdcard.rules.round.records import RoundRecord
from thirdcard.rules.round.round import RoundPhase, RoundState
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.interpretation.burns import Burns
from thirdcard.service.interpretation.chip_values import Amounts
from thirdcard.service.interpretation.dealing import UnseenBacks
from thirdcard.service.interpretation.device_watchdog import device_events_of
from thirdcard.service.interpretation.interpreter import Interpreter
from thirdcard.service.interpretation.visibility import Blindness
from thirdcard.service.media.change_pictures import ChangePictures
from thirdcard.service.watch.factory import build_belief, build_observer, dealt_face_down, open_eyes, watches_burns
from thirdcard.service.watch.spread_output import ShownSpread, shown_spreads
from thirdcard.vision.frames import Frame
from thirdcard.vision.observations import CameraRefitted, CardInSight, Observation, PictureCleared, StacksChanged
from thirdcard.vision.observer import Eyes, Observer

SharedEyes = Eyes
"""Open models that several watches may share."""
STOPPED = "stopped"
"""The fault of a camera whose watch was ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchNews:
    """The findings of a watch since the last call of `take`."""

    events: tuple[Event, ...]
    alerts: tuple[Alert, ...]
    rounds: tuple[RoundRecord, ...]
    withdrawn: tuple[Alert, ...]
    """Earlier alerts that are withdrawn."""
    doubtful: tuple[Alert, ...]
    """Findings of closed rounds whose confidence stayed too low for an alert."""


@dataclass(slots=True)
class _Found:
    """The findings of a watch since the last call of `take`."""

    events: list[Event] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    rounds: list[RoundRecord] = field(default_factory=list)
    withdrawn: list[Alert] = field(default_factory=list)
    doubtful: list[Alert] = field(default_factory=list)

    def keep(self, judgement: Judgement, now_t: float) -> None:
        """Add a judgement that was made at `now_t`."""
        self.alerts += [replace(alert, noticed_at=round(now_t, 3)) for alert in judgement.alerts]
        self.rounds += judgement.rounds
        self.doubtful += judgement.doubtful
        self.withdrawn += judgement.withdrawn

    def news(self) -> WatchNews:
        """All findings as a value."""
        return WatchNews(
            events=tuple(self.events),
            alerts=tuple(self.alerts),
            rounds=tuple(self.rounds),
            withdrawn=tuple(self.withdrawn),
            doubtful=tuple(self.doubtful),
        )


@dataclass(slots=True)
class TableWatch:
    """The watch of one table."""

    observer: Observer
    interpreter: Interpreter
    belief: Belief
    signals: list[Event]
    """Signals not yet passed to the interpreter, in order of time."""
    camera: CameraHistory
    """The camera's calibrations over time."""
    pictures: ChangePictures
    refits: list[CameraRefitted] = field(default_factory=list)
    """All refits since the watch began: the camera was moved and fitted again."""
    ends_with_round: bool = False
    """Whether the log ends with the current round: another watch continues with the next round."""
    ended_t: float | None = None
    """When that round was closed; after it, only the end of the watch is logged."""
    _found: _Found = field(default_factory=_Found)

    @property
    def state(self) -> RoundState:
        """The current round and the wagers, by the most probable hypothesis."""
        return self.belief.state

    @property
    def is_idle(self) -> bool:
        """Whether no round is open."""
        return self.state.phase is RoundPhase.IDLE

    @property
    def cards(self) -> tuple[CardInSight, ...]:
        """The cards now on the table."""
        return self.observer.cards

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds that the observer has spent since the start, by stage."""
        return dict(self.observer.stage_seconds)

    @property
    def unwritten_t(self) -> float:
        """All log lines before this time are written; infinite where nothing is pending."""
        if self.ended_t is not None:
            return math.nextafter(self.ended_t, math.inf)
        return self.interpreter.first_waiting_t

    @property
    def has_alerts(self) -> bool:
        """Whether there were alerts since the last call of `take`."""
        return bool(self._found.alerts)

    def is_looking_on(self, t: float) -> bool:
        """Whether an observation is pending for which the camera may still give more evidence."""
        return self.observer.waiting_since_t(t) is not None

    def begin(self, t: float) -> None:
        """Start the watch at `t`, the time of the first frame: what already lies on the table arrived unseen."""
        self.interpreter.begin(t)

    def see(self, frame: Frame) -> None:
        """Process one frame."""
        for observation in self.observer.update(frame):
            self._note(observation, frame)
        calm = self.observer.calm_stacks()
        self.interpreter.see_calm(calm, frame.t)
        self.pictures.look(frame, calm)
        self.hear(frame.t)
        self._judge(self.interpreter.release(frame.t, self.observer.waiting_since_t(frame.t)), frame.t)
        self._found.keep(self.belief.advance(self.interpreter.known_until_t), frame.t)

    def _note(self, observation: Observation | CameraRefitted, frame: Frame) -> None:
        """Process an observation from a frame."""
        if isinstance(observation, CameraRefitted):
            self.refits.append(observation)
            if observation.is_used:
                self.camera.change(observation.t, observation.calibration)
            return
        if isinstance(observation, StacksChanged) and observation.growth != 0:
            observation = replace(observation, picture=self.pictures.change(frame, observation.region))
        self.interpreter.observe(observation)
        if isinstance(observation, PictureCleared):
            self._forget_left_over(observation.t)

    def hear(self, t: float) -> None:
        """Process the devices' reports up to `t`."""
        while self.signals and self.signals[0].t <= t:
            self.interpreter.signal(self.signals.pop(0))

    def report(self, event: Event) -> None:
        """Process a device's report; from now on its kind counts as reported by devices."""
        self.interpreter.hear_of(type(event))
        self.interpreter.signal(event)

    def begin_shoe(self, t: float) -> None:
        """Log the start of a new shoe whose burn nobody watched."""
        self.interpreter.signal(ShoeOpened(t=t, confidence=UNSEEN, source=Source.CAMERA))

    def lose_sight(self, t: float, camera: str, fault: str = "no_picture") -> None:
        """Log that the picture is gone, or that the watch was ended; in the latter case with confidence 0."""
        confidence = 0.0 if fault == STOPPED else None
        lost = CameraLost(t=t, camera=camera, fault=fault, confidence=confidence, source=Source.CAMERA)
        self.interpreter.lose_sight(t)
        self.interpreter.signal(lost)

    def regain_sight(self, t: float, camera: str) -> None:
        """Log that the picture is back."""
        self.interpreter.regain_sight(t)
        self._forget_left_over(t)
        self.interpreter.signal(CameraBack(t=t, camera=camera, source=Source.CAMERA))

    def wait(self, t: float, *, ahead_s: float = 0.0) -> None:
        """Advance the time to `t` without a picture: devices' reports are still judged.

        With `ahead_s`, judge as if that much more time had passed, so that nothing stays pending.
        """
        self._judge(self.interpreter.release(t + ahead_s), t)
        self._found.keep(self.belief.advance(self.interpreter.known_until_t), t)

    def resume(self, events: Sequence[Event]) -> None:
        """Continue at the end of a log: nothing in it is reported again.

        A round that was open ends there unseen: what lies on the table at the start of the watch may be its cards.
        """
        for event in events:
            self.belief.observe(event)
            self.interpreter.skip(event)
        if events and not self.is_idle:
            self.lose_sight(events[-1].t, self.interpreter.camera or "", fault=STOPPED)
            self.interpreter.signal(RoundClosed(t=events[-1].t, source=Source.INFERRED))

    def finish(self, t: float) -> None:
        """Judge everything that is pending."""
        for observation in self.observer.finish():
            self.interpreter.observe(observation)
        self.hear(t)
        self._judge(self.interpreter.finish(), t)
        self._found.keep(self.belief.finish(), t)

    def take(self) -> WatchNews:
        """The findings since the last call."""
        news = self._found.news()
        self._found = _Found()
        return news

    def pictures_of(self, events: Sequence[Event]) -> dict[str, bytes]:
        """The pictures of changed wagers, by name."""
        names = [event.picture for event in events if isinstance(event, WagerChanged) and event.picture is not None]
        taken = {name: self.pictures.take(name) for name in names}
        return {name: picture for name, picture in taken.items() if picture is not None}

    def take_spreads(self) -> tuple[ShownSpread, ...]:
        """The decks that were spread over the table and taken away since the last call."""
        return shown_spreads(self.observer.take_spreads())

    def _forget_left_over(self, t: float) -> None:
        """Forget the left-over cards of an earlier round: cards now in their places came while nothing was seen."""
        self.observer.forget_cards(self.interpreter.forget_left_over(t))

    def _judge(self, lines: Sequence[Event], now_t: float) -> None:
        for line in lines:
            if self.ended_t is not None and line.t > self.ended_t and not _is_end(line):
                continue  # the next watch sees it itself, or hears of it from the same device
            self._found.events.append(line)
            self._found.keep(self.belief.observe(line), now_t)
            if self.ends_with_round and isinstance(line, RoundClosed):
                self.ended_t = line.t


def _is_end(line: Event) -> bool:
    return isinstance(line, CameraLost) and line.fault == STOPPED


def start_watch(
    table: TableConfig,
    signals: list[Event],
    *,
    reported: frozenset[type[Event]] | None = None,
    eyes: SharedEyes | None = None,
    keeps_pictures: bool = False,
) -> TableWatch:
    """A watch with all its parts, ready for the first frame.

    Args:
        table: The table to watch.
        signals: The devices' future reports, in order of time.
        reported: The event types that devices report; None for the types in `signals`.
        eyes: Open models, possibly shared with other watches; None to open its own.
        keeps_pictures: Whether pictures of changed stacks are kept; otherwise none are made or named.
    """
    reported = device_events_of(signals) if reported is None else reported
    camera = CameraHistory(table.cameras[0].calibration)
    interpreter = Interpreter(
        table.layout,
        reported,
        amounts=Amounts([chip.value for chip in table.chips.chips]),
        blindness=Blindness(table.cameras[0].name),
        burns=Burns(is_signalled=CardBurned in reported, is_watched=watches_burns(table)),
        backs=UnseenBacks(dealt_face_down(table)),
    )
    interpreter.calls.has_gesture = table.is_call_a_gesture
    return TableWatch(
        observer=build_observer(table, open_eyes() if eyes is None else eyes),
        interpreter=interpreter,
        belief=build_belief(table),
        signals=signals,
        camera=camera,
        pictures=ChangePictures(table.layout, camera, are_kept=keeps_pictures),
    )


def read_signals(table: TableConfig, path: Path | None) -> list[Event]:
    """The devices' reports in order of time; empty where there is no file."""
    if path is None:
        path = Path(table.cameras[0].source).with_name("signals.jsonl")
        if table.cameras[0].is_live or not path.is_file():
            return []
    return list(read_log_file(path))
