"""Watch a table and keep all that is found: log, alerts with pictures, rounds and the report.

Lines are written as they come, so a run that is cut off leaves what it saw. Times are stream time in seconds.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from thirdcard.calibration.layout import Area, Layout
from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.game.hand import points
from thirdcard.rules.log.events import Event, format_event
from thirdcard.rules.round.records import RoundRecord, format_round
from thirdcard.rules.round.round import RoundState, Wager
from thirdcard.service.media.alert_media import EvidenceKeeper, format_evidence
from thirdcard.service.media.change_pictures import CHANGES_FOLDER, write_picture
from thirdcard.service.media.overlay import Outline, area_outline
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.watch.boards import Board, ShownWager
from thirdcard.service.watch.recordings import Recording
from thirdcard.service.watch.report import write_report
from thirdcard.service.watch.result import Findings, WatchedAlert, WatchedTable
from thirdcard.service.watch.spread_count import CountedSpread
from thirdcard.service.watch.spread_output import SPREADS_NAME, SpreadKeeper
from thirdcard.service.watch.terminal import WatchView

if TYPE_CHECKING:
    from thirdcard.service.watch.pipeline import Progress

REMEMBERED_S = 60.0
"""How far back it is known where the cards lay."""
JUDGED_AFTER_S = 1.0
"""How far the log is behind the picture."""
STOPPED = "stopped by hand"

ProgressSource = Callable[[Recording], "Iterator[Progress]"]


class OutputError(ServiceError):
    """The output folder cannot be used."""


@dataclass(slots=True)
class _Logs:
    """The three files, one line for each thing found."""

    events: TextIO
    alerts: TextIO
    rounds: TextIO

    @staticmethod
    def open(folder: Path, stack: ExitStack) -> _Logs:
        """Line-buffered, so that each line is on its way as soon as it is whole."""
        names = ("events", "alerts", "rounds")
        files = [(folder / f"{name}.jsonl").open("w", encoding="utf-8", buffering=1) for name in names]
        return _Logs(*(stack.enter_context(file) for file in files))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What lay on the table at one moment, to be drawn onto stills."""

    t: float
    cards: tuple[Outline, ...]
    hands: tuple[Outline, ...]


@dataclass(slots=True)
class _Run:
    """What a watch has found so far."""

    recording: Recording
    view: WatchView
    keeper: EvidenceKeeper | None
    logs: _Logs
    clock: Callable[[], float]
    pictures: SpreadKeeper
    folder: Path
    """Where everything goes."""
    events: list[Event] = field(default_factory=list)
    alerts: list[WatchedAlert] = field(default_factory=list)
    rounds: list[RoundRecord] = field(default_factory=list)
    spreads: list[CountedSpread] = field(default_factory=list)
    seen: deque[_Seen] = field(default_factory=deque)
    stages: Mapping[str, float] = field(default_factory=dict)
    t: float = 0.0
    frames: int = 0
    broken: str | None = None

    def take(self, progress: Progress, started: float) -> None:
        """Write what is new and show the rest."""
        self.t, self.frames = progress.t, progress.frame_index + 1
        self.stages, self.broken = progress.stage_seconds, progress.broken
        self._remember(progress)
        for event in progress.events:
            self.events.append(event)
            _write(self.logs.events, format_event(event))
        for name, picture in progress.pictures.items():
            write_picture(self.folder, name, picture)
        for alert in progress.alerts:
            self._take_alert(alert)
        for shown in progress.spreads:
            self.spreads.append(self.pictures.keep(shown))
        for record in progress.rounds:
            self.rounds.append(record)
            _write(self.logs.rounds, format_round(record))
            self.view.tell_round(record)
        self.view.show(self._board(progress, self.clock() - started))

    def _remember(self, progress: Progress) -> None:
        cards = tuple(
            Outline(polygon_mm=card.corners_mm, text=(card.label or "?") if card.face_up else "")
            for card in progress.cards
        )
        hands = hand_outlines(self.recording.table.layout, progress.state)
        self.seen.append(_Seen(t=progress.t, cards=cards, hands=hands))
        while self.seen[0].t < progress.t - REMEMBERED_S:
            self.seen.popleft()

    def _take_alert(self, alert: Alert) -> None:
        evidence = None
        if self.keeper is not None:
            evidence = self.keeper.keep(alert, noticed_at=self.t, seen=self._seen_at)
        watched = WatchedAlert(alert=alert, noticed_at=self.t, evidence=evidence)
        self.alerts.append(watched)
        _write(self.logs.alerts, format_watched(watched))
        self.view.tell_alert(watched)

    def _seen_at(self, t: float) -> tuple[Outline, ...]:
        """The cards as they lay nearest to `t`, and the hands as they were known as soon as that was judged."""
        if not self.seen:
            return ()
        nearest = min(self.seen, key=lambda entry: abs(entry.t - t))
        judged = next((entry for entry in self.seen if entry.t >= t + JUDGED_AFTER_S), self.seen[-1])
        return (*judged.hands, *nearest.cards)

    def _board(self, progress: Progress, wall_s: float) -> Board:
        state = progress.state
        return Board(
            t=progress.t,
            duration_s=progress.duration_s,
            round=state.round,
            phase=str(state.phase).replace("_", " "),
            player=tuple(state.player),
            banker=tuple(state.banker),
            wagers=shown_wagers(self.recording.table.layout.of_kind("wager"), state.wagers),
            n_alerts=len(self.alerts),
            frames=self.frames,
            wall_s=wall_s,
        )


def watch_recording(
    recording: Recording,
    out: Path,
    view: WatchView,
    *,
    source: ProgressSource | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Findings:
    """Watch to the end and write everything into `out`; the report too, however the watch ends.

    Args:
        recording: What is watched.
        out: The folder, made where it is not there.
        view: Who looks on.
        source: What watches; the pipeline unless another is given.
        clock: Seconds of wall time.
    """
    prepare_folder(out, recording)
    keeper = None
    camera = recording.table.cameras[0]
    if not camera.is_live:
        keeper = EvidenceKeeper(
            video=Path(camera.source), layout=recording.table.layout, calibration=camera.calibration, folder=out
        )
    with ExitStack() as stack:
        logs = _Logs.open(out, stack)
        run = _Run(
            recording=recording,
            view=view,
            keeper=keeper,
            logs=logs,
            clock=clock,
            pictures=SpreadKeeper(recording, out),
            folder=out,
        )
        started = clock()
        try:
            with view:
                for progress in (source or _pipeline)(recording):
                    run.take(progress, started)
        except KeyboardInterrupt:
            run.broken = STOPPED
    findings = _findings(run, clock() - started)
    write_report(out / "report.html", findings)
    return findings


def table_facts(recording: Recording) -> WatchedTable:
    """What the headings say of the table."""
    table = recording.table
    video = Path(recording.source).name if not table.cameras[0].is_live else recording.source
    return WatchedTable(id=table.id, rulebook=table.rulebook, options=table.options, video=video)


def shown_wagers(areas: Iterable[Area], wagers: Mapping[str, Wager]) -> tuple[ShownWager, ...]:
    """The areas that are not empty, by seat, those of standing players last."""
    filled = [area for area in areas if area.id in wagers and not wagers[area.id].is_empty]
    filled.sort(key=lambda area: (area.seat is None, area.seat or 0))
    return tuple(
        ShownWager(
            place=f"Seat {area.seat}" if area.seat is not None else area.name or area.id,
            bet=area.bet or "",
            amount=wagers[area.id].value,
        )
        for area in filled
    )


def hand_outlines(layout: Layout, state: RoundState) -> tuple[Outline, ...]:
    """Each hand's box with its cards in letters and their point count: `7H 2S = 9`."""
    outlines = []
    for area in layout.of_kind("hand"):
        cards = state.player if area.hand == "player" else state.banker
        if cards:
            total = points(cards)
            text = " ".join("?" if card is None else str(card) for card in cards)
            outlines.append(area_outline(area, text=text if total is None else f"{text} = {total}"))
    return tuple(outlines)


def format_watched(watched: WatchedAlert) -> dict[str, object]:
    """An alert's line with its evidence."""
    mapping: dict[str, object] = {**format_alert(watched.alert), "noticed_at": round(watched.noticed_at, 3)}
    if watched.evidence is not None:
        mapping["evidence"] = format_evidence(watched.evidence)
    return mapping


def prepare_folder(out: Path, recording: Recording) -> None:
    """Make the folder and take away the pictures of a former watch.

    Raises:
        OutputError: It is no folder, cannot be written, or holds the recording itself.
    """
    if recording.folder is not None and out.resolve() == recording.folder.resolve():
        raise OutputError(f"--out = {out}; must not be the recording's own folder")
    try:
        (out / "clips").mkdir(parents=True, exist_ok=True)
        for old in (out / "clips").glob("[0-9][0-9][0-9][0-9]-*"):
            if old.suffix in (".mp4", ".jpg"):
                old.unlink()
        for old in (out / CHANGES_FOLDER).glob("*.jpg"):
            old.unlink()
        (out / SPREADS_NAME).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"--out = {out}; must be a folder that can be written: {error.strerror}") from error


def _pipeline(recording: Recording) -> Iterator[Progress]:
    from thirdcard.service.watch.pipeline import watch_table

    return watch_table(recording.table, signals=recording.signals)


def _findings(run: _Run, wall_s: float) -> Findings:
    return Findings(
        table=table_facts(run.recording),
        duration_s=run.t,
        frames=run.frames,
        wall_s=wall_s,
        events=tuple(run.events),
        alerts=tuple(sorted(run.alerts, key=lambda watched: watched.alert.t)),
        rounds=tuple(run.rounds),
        spreads=tuple(run.spreads),
        stage_seconds=dict(run.stages),
        broken=run.broken,
    )


def _write(file: TextIO, mapping: Mapping[str, object]) -> None:
    file.write(json.dumps(mapping, ensure_ascii=False) + "\n")
