"""Watch a table and write all results: log, alerts with pictures, rounds and the report.

Lines are written as they come, so an interrupted run keeps its results. Times are stream time in seconds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from thirdcard.calibration.history import CameraHistory
from thirdcard.calibration.layout import Area
from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.log.events import Event, format_event
from thirdcard.rules.round.records import RoundRecord, format_round
from thirdcard.rules.round.round import Wager
from thirdcard.service.config.output_files import refuse_inputs
from thirdcard.service.config.table_file import files_of, read_table_file
from thirdcard.service.media.alert_media import EvidenceKeeper, format_evidence
from thirdcard.service.media.change_pictures import CHANGES_FOLDER, write_picture
from thirdcard.service.media.clips import FilmFacts
from thirdcard.service.media.overlay import Outline, card_outlines
from thirdcard.service.media.overlay_memory import OverlayMemory, area_texts
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.watch.boards import Board, ShownWager
from thirdcard.service.watch.recordings import Recording
from thirdcard.service.watch.report import write_report
from thirdcard.service.watch.result import DAMAGED, Findings, WatchedAlert, WatchedTable, unseen_stretches
from thirdcard.service.watch.spread_count import CountedSpread
from thirdcard.service.watch.spread_output import SPREADS_NAME, SpreadKeeper
from thirdcard.service.watch.terminal import WatchView
from thirdcard.vision.addresses import public_address

if TYPE_CHECKING:
    from thirdcard.service.watch.film_watch import Progress

ZERO_AT = datetime(1970, 1, 1, tzinfo=UTC)
"""The nominal wall-clock time of a recording's first frame."""
STOPPED = "stopped by hand"
_LOGS = ("events", "alerts", "rounds", "doubtful", "withdrawn")

ProgressSource = Callable[[Recording], "Iterator[Progress]"]


class OutputError(ServiceError):
    """The output folder cannot be used."""


@dataclass(frozen=True, slots=True)
class _Output:
    """The output folder and its log files, with one line per result."""

    folder: Path
    spreads: SpreadKeeper
    events: TextIO
    alerts: TextIO
    rounds: TextIO
    doubtful: TextIO
    withdrawn: TextIO

    @staticmethod
    def open(recording: Recording, folder: Path, stack: ExitStack) -> _Output:
        """Open the log files, line-buffered, so that each line is written as soon as it is complete."""
        files = [(folder / f"{name}.jsonl").open("w", encoding="utf-8", buffering=1) for name in _LOGS]
        return _Output(folder, SpreadKeeper(recording, folder), *(stack.enter_context(file) for file in files))


@dataclass(slots=True)
class _Found:
    """The results to keep."""

    events: list[Event] = field(default_factory=list)
    alerts: list[WatchedAlert] = field(default_factory=list)
    rounds: list[RoundRecord] = field(default_factory=list)
    doubtful: list[Alert] = field(default_factory=list)
    spreads: list[CountedSpread] = field(default_factory=list)


@dataclass(slots=True)
class _Run:
    """The state of a running watch."""

    recording: Recording
    view: WatchView
    keeper: EvidenceKeeper | None
    output: _Output
    clock: Callable[[], float]
    memory: OverlayMemory = field(default_factory=OverlayMemory)
    """The recent readings, drawn over stills."""
    found: _Found = field(default_factory=_Found)
    last: Progress | None = None
    """The last report; None before the first."""
    was_stopped: bool = False

    def take(self, progress: Progress, started: float) -> None:
        """Write and display the news of a report."""
        told, moved = (0, 0) if self.last is None else (len(self.last.notes), len(self.last.refits))
        was_hinted = None if self.last is None else self.last.setup_hint
        self.last = progress
        if progress.setup_hint is not None and progress.setup_hint != was_hinted:
            self.view.tell_note(progress.setup_hint)
        texts = area_texts(self.recording.table.layout, progress.state)
        for look in progress.looks:
            self.memory.remember(_at(look.t), card_outlines(look.cards), texts)
        for refitted in progress.refits[moved:]:
            if refitted.is_used and self.keeper is not None:
                self.keeper.camera.change(refitted.t, refitted.calibration)
        for note in progress.notes[told:]:
            self.view.tell_note(note)
        for event in progress.events:
            self.found.events.append(event)
            _write(self.output.events, format_event(event))
        for name, picture in progress.pictures.items():
            write_picture(self.output.folder, name, picture)
        for alert in progress.alerts:
            self._take_alert(alert, progress.t)
        for alert in progress.withdrawn:
            self._withdraw(alert, progress.t)
        for alert in progress.doubtful:
            self.found.doubtful.append(alert)
            _write(self.output.doubtful, format_alert(alert))
        for shown in progress.spreads:
            self.found.spreads.append(self.output.spreads.keep(shown))
        for record in progress.rounds:
            self.found.rounds.append(record)
            _write(self.output.rounds, format_round(record))
            self.view.tell_round(record)
        self.view.show(self._board(progress, self.clock() - started))

    def findings(self, wall_s: float) -> Findings:
        """All results so far."""
        last = self.last
        return Findings(
            table=table_facts(self.recording),
            duration_s=0.0 if last is None else last.t,
            frames=0 if last is None else last.frame_index + 1,
            wall_s=wall_s,
            events=tuple(self.found.events),
            alerts=tuple(sorted(self.found.alerts, key=lambda watched: watched.alert.t)),
            rounds=tuple(self.found.rounds),
            doubtful=tuple(self.found.doubtful),
            spreads=tuple(self.found.spreads),
            stage_seconds={} if last is None else dict(last.stage_seconds),
            notes=() if last is None else last.notes,
            setup_hint=None if last is None else last.setup_hint,
            familiarity=None if last is None else last.familiarity,
            damaged=None if last is None else last.damaged,
            broken=STOPPED if self.was_stopped else None if last is None else last.broken,
        )

    def _take_alert(self, alert: Alert, now_t: float) -> None:
        evidence = None
        if self.keeper is not None:
            evidence = self.keeper.keep(alert, noticed_at=now_t, seen=self._seen_at)
        watched = WatchedAlert(alert=alert, noticed_at=now_t, evidence=evidence)
        self.found.alerts.append(watched)
        _write(self.output.alerts, format_watched(watched))
        self.view.tell_alert(watched)

    def _withdraw(self, alert: Alert, now_t: float) -> None:
        """Withdraw an alert: rewrite `alerts.jsonl`, which holds the valid alerts only."""
        self.found.alerts = [watched for watched in self.found.alerts if not watched.alert.is_same_as(alert)]
        _write(self.output.withdrawn, format_alert(replace(alert, noticed_at=round(now_t, 3))))
        self.output.alerts.seek(0)
        self.output.alerts.truncate()
        for watched in self.found.alerts:
            _write(self.output.alerts, format_watched(watched))

    def mend_clips(self) -> None:
        """Cut the clips again that overlap a part of the film that turned out to be damaged."""
        damaged = [one for one in unseen_stretches(self.found.events, 0.0) if one.reason == DAMAGED]
        for watched in self.found.alerts:
            evidence = watched.evidence
            if self.keeper is None or evidence is None:
                continue
            if any(one.from_s < evidence.to_s and evidence.from_s < one.to_s for one in damaged):
                self.keeper.mend(evidence)

    def _seen_at(self, t: float) -> tuple[Outline, ...]:
        return self.memory.seen_at(_at(t), self.recording.table.layout)

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
            n_alerts=len(self.found.alerts),
            frames=progress.frame_index + 1,
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
        recording: The recording to watch.
        out: The folder, which is created where missing.
        view: The display.
        source: The source of reports; the pipeline unless another is given.
        clock: A wall clock in seconds.
    """
    prepare_folder(out, recording)
    keeper = None
    camera = recording.table.cameras[0]
    if not camera.is_live:
        keeper = EvidenceKeeper(
            video=Path(camera.source),
            layout=recording.table.layout,
            camera=CameraHistory(camera.calibration),
            folder=out,
            film=FilmFacts(size_wh_px=camera.calibration.image_size_wh_px, rate_hz=recording.rate_hz),
        )
    with ExitStack() as stack:
        output = _Output.open(recording, out, stack)
        run = _Run(recording=recording, view=view, keeper=keeper, output=output, clock=clock)
        started = clock()
        try:
            with view:
                for progress in (source or _pipeline)(recording):
                    run.take(progress, started)
            run.mend_clips()
        except KeyboardInterrupt:
            run.was_stopped = True
    findings = run.findings(clock() - started)
    write_report(out / "report.html", findings)
    return findings


def table_facts(recording: Recording) -> WatchedTable:
    """The facts of the table for headings."""
    table = recording.table
    video = Path(recording.source).name if not table.cameras[0].is_live else public_address(recording.source)
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


def format_watched(watched: WatchedAlert) -> dict[str, object]:
    """An alert's line with its evidence."""
    mapping: dict[str, object] = {**format_alert(watched.alert), "noticed_at": round(watched.noticed_at, 3)}
    if watched.evidence is not None:
        mapping["evidence"] = format_evidence(watched.evidence)
    return mapping


def prepare_folder(out: Path, recording: Recording) -> None:
    """Create the folder and delete the pictures of an earlier watch.

    Raises:
        OutputError: It is not a folder, cannot be written, or holds the recording itself.
        OutputPathError: An output file would overwrite an input file.
    """
    if recording.folder is not None and out.resolve() == recording.folder.resolve():
        raise OutputError(f"--out = {out}; must not be the recording's own folder")
    read = _files_read(recording)
    written = [out / name for name in (*(f"{log}.jsonl" for log in _LOGS), "report.html", SPREADS_NAME)]
    refuse_inputs(written, option="--out", inputs=read)
    refuse_inputs([out / "clips", out / CHANGES_FOLDER], option="--out", inputs=[file.parent for file in read])
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


def _files_read(recording: Recording) -> list[Path]:
    """The input files of a watch, where they exist."""
    table = recording.table
    named = files_of(read_table_file(table.path), table.path) if table.path.is_file() else ()
    sources = [] if table.cameras[0].is_live else [Path(recording.source)]
    return [*named, *sources, *([] if recording.signals is None else [recording.signals])]


def _pipeline(recording: Recording) -> Iterator[Progress]:
    from thirdcard.service.watch.film_watch import watch_table

    return watch_table(recording.table, signals=recording.signals, rate_hz=recording.rate_hz)


def _at(t: float) -> datetime:
    """The nominal wall-clock time of a stream time; the real recording time is unknown."""
    return ZERO_AT + timedelta(seconds=t)


def _write(file: TextIO, mapping: Mapping[str, object]) -> None:
    file.write(json.dumps(mapping, ensure_ascii=False) + "\n")
