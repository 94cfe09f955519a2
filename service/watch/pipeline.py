"""The way of the data at one table: video and signals in; log, alerts and round records out.

Frame by frame to the observer, its observations and the devices' signals to the interpreter, the log's lines to the
referee. Seconds of stream time.
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
    """What a watch found since it was asked last."""

    events: tuple[Event, ...]
    alerts: tuple[Alert, ...]
    rounds: tuple[RoundRecord, ...]
    withdrawn: tuple[Alert, ...]
    """Alerts of before that are not believed any more."""
    doubtful: tuple[Alert, ...]
    """Findings of the rounds that closed, never sure enough to be alerts."""


@dataclass(slots=True)
class _Found:
    """What a watch found since it was asked last."""

    events: list[Event] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    rounds: list[RoundRecord] = field(default_factory=list)
    withdrawn: list[Alert] = field(default_factory=list)
    doubtful: list[Alert] = field(default_factory=list)

    def keep(self, judgement: Judgement, now_t: float) -> None:
        """Add what was judged, noticed now."""
        self.alerts += [replace(alert, noticed_at=round(now_t, 3)) for alert in judgement.alerts]
        self.rounds += judgement.rounds
        self.doubtful += judgement.doubtful
        self.withdrawn += judgement.withdrawn

    def news(self) -> WatchNews:
        """All of it."""
        return WatchNews(
            events=tuple(self.events),
            alerts=tuple(self.alerts),
            rounds=tuple(self.rounds),
            withdrawn=tuple(self.withdrawn),
            doubtful=tuple(self.doubtful),
        )


@dataclass(slots=True)
class TableWatch:
    """One table being watched."""

    observer: Observer
    interpreter: Interpreter
    belief: Belief
    signals: list[Event]
    """Not yet given to the interpreter, in order of time."""
    camera: CameraHistory
    """How the camera hung when."""
    pictures: ChangePictures
    refits: list[CameraRefitted] = field(default_factory=list)
    """All since the watch began: the camera was moved and fitted anew."""
    ends_with_round: bool = False
    """Whether the log is to end with the round that is under way: another watch goes on with the next one."""
    ended_t: float | None = None
    """When that round was closed; nothing later is logged but that the watch was ended."""
    _found: _Found = field(default_factory=_Found)

    @property
    def state(self) -> RoundState:
        """The running round and the wagers, in the likeliest account."""
        return self.belief.state

    @property
    def is_idle(self) -> bool:
        """Whether no round is under way."""
        return self.state.phase is RoundPhase.IDLE

    @property
    def cards(self) -> tuple[CardInSight, ...]:
        """The cards on the table as they lie now."""
        return self.observer.cards

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds that the observer has spent since the start, by stage."""
        return dict(self.observer.stage_seconds)

    @property
    def unwritten_t(self) -> float:
        """The log's lines that are earlier than this are all written; infinite where nothing waits."""
        if self.ended_t is not None:
            return math.nextafter(self.ended_t, math.inf)
        return self.interpreter.first_waiting_t

    @property
    def has_alerts(self) -> bool:
        """Whether alerts were found since the last call of `take`."""
        return bool(self._found.alerts)

    def is_looking_on(self, t: float) -> bool:
        """Whether something is being looked at of which the camera may still tell more."""
        return self.observer.waiting_since_t(t) is not None

    def begin(self, t: float) -> None:
        """The first frame comes at `t`: what lies on the table then came unseen."""
        self.interpreter.begin(t)

    def see(self, frame: Frame) -> None:
        """Take one frame in."""
        for observation in self.observer.update(frame):
            self._note(observation, frame)
        calm = self.observer.calm_stacks()
        self.interpreter.see_calm(calm, frame.t)
        self.pictures.look(frame, calm)
        self.hear(frame.t)
        self._judge(self.interpreter.release(frame.t, self.observer.waiting_since_t(frame.t)), frame.t)
        self._found.keep(self.belief.advance(self.interpreter.known_until_t), frame.t)

    def _note(self, observation: Observation | CameraRefitted, frame: Frame) -> None:
        """Take in what was seen in a frame."""
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
        """Take in what the devices reported up to `t`."""
        while self.signals and self.signals[0].t <= t:
            self.interpreter.signal(self.signals.pop(0))

    def report(self, event: Event) -> None:
        """Take in what a device reported; from now on it is known to report such things by itself."""
        self.interpreter.hear_of(type(event))
        self.interpreter.signal(event)

    def begin_shoe(self, t: float) -> None:
        """Log that new cards are in use, though nobody watched what was burned of them."""
        self.interpreter.signal(ShoeOpened(t=t, confidence=UNSEEN, source=Source.CAMERA))

    def lose_sight(self, t: float, camera: str, fault: str = "no_picture") -> None:
        """Log that the picture is gone, or that nobody looks; of a watch that was ended nothing is alleged."""
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
        """Let time pass until `t` without a picture: what devices report is judged all the same.

        With `ahead_s` as if so much more had passed: nothing is waited for any longer.
        """
        self._judge(self.interpreter.release(t + ahead_s), t)
        self._found.keep(self.belief.advance(self.interpreter.known_until_t), t)

    def resume(self, events: Sequence[Event]) -> None:
        """Go on where a log ends: nothing of it is reported again.

        A round that was under way ends there unseen: what lies on the table when the watch begins may be its cards.
        """
        for event in events:
            self.belief.observe(event)
            self.interpreter.skip(event)
        if events and not self.is_idle:
            self.lose_sight(events[-1].t, self.interpreter.camera or "", fault=STOPPED)
            self.interpreter.signal(RoundClosed(t=events[-1].t, source=Source.INFERRED))

    def finish(self, t: float) -> None:
        """Judge what is left."""
        for observation in self.observer.finish():
            self.interpreter.observe(observation)
        self.hear(t)
        self._judge(self.interpreter.finish(), t)
        self._found.keep(self.belief.finish(), t)

    def take(self) -> WatchNews:
        """What is new since the last call."""
        news = self._found.news()
        self._found = _Found()
        return news

    def pictures_of(self, events: Sequence[Event]) -> dict[str, bytes]:
        """The pictures of the wagers that changed, by name."""
        names = [event.picture for event in events if isinstance(event, WagerChanged) and event.picture is not None]
        taken = {name: self.pictures.take(name) for name in names}
        return {name: picture for name, picture in taken.items() if picture is not None}

    def take_spreads(self) -> tuple[ShownSpread, ...]:
        """The decks that were spread over the table and taken away since the last call."""
        return shown_spreads(self.observer.take_spreads())

    def _forget_left_over(self, t: float) -> None:
        """What lies now where cards of an earlier round lay came while nothing was seen."""
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
    """All parts of a watch, ready for the first frame.

    Args:
        table: What is watched.
        signals: What the devices will report, in order of time.
        reported: What they report at all; None: the kinds of `signals`.
        eyes: Open models, shared with other watches perhaps; None: its own.
        keeps_pictures: Whether somebody keeps the pictures of stacks that changed; else none are made, nor named.
    """
    reported = device_events_of(signals) if reported is None else reported
    camera = CameraHistory(table.cameras[0].calibration)
    return TableWatch(
        observer=build_observer(table, open_eyes() if eyes is None else eyes),
        interpreter=Interpreter(
            table.layout,
            reported,
            amounts=Amounts([chip.value for chip in table.chips.chips]),
            blindness=Blindness(table.cameras[0].name),
            burns=Burns(is_signalled=CardBurned in reported, is_watched=watches_burns(table)),
            backs=UnseenBacks(dealt_face_down(table)),
        ),
        belief=build_belief(table),
        signals=signals,
        camera=camera,
        pictures=ChangePictures(table.layout, camera, are_kept=keeps_pictures),
    )


def read_signals(table: TableConfig, path: Path | None) -> list[Event]:
    """What the devices reported, in order of time; nothing where no file is there."""
    if path is None:
        path = Path(table.cameras[0].source).with_name("signals.jsonl")
        if table.cameras[0].is_live or not path.is_file():
            return []
    return list(read_log_file(path))
