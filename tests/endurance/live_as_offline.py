"""Watch recordings as a live table does, each frame at its time, and compare with the watch of the film.

`python -m tests.endurance.live_as_offline RECORDING...` prints the differences. No frame is skipped, as on a machine
that keeps up, and the clock is moved instead of waiting. `--twelve DIR` compares twelve more recordings: the first
rounds of shipped scripts, rendered into DIR. Those that are already there are not rendered again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import yaml

from tests.repository import ROOT
from thirdcard.datasets.script.render import render_script
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import CameraLost, Event
from thirdcard.rules.round.records import RoundRecord, format_round
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.live.camera import CameraState, Shot
from thirdcard.service.live.entries import Entries
from thirdcard.service.live.journal import EnteredAlert, News
from thirdcard.service.live.sight import Sight
from thirdcard.service.live.worker import Worker
from thirdcard.service.watch.film_watch import watch_table
from thirdcard.service.watch.pipeline import read_signals, start_watch
from thirdcard.vision.frames import Frame
from thirdcard.vision.video.video import VideoReader

BEGAN = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
OPENED_S = 3.37
"""The seconds from the beginning of the table's log to the beginning of the film."""
WITHIN_S = 0.25
"""The longest time, in seconds, between the alerts of one fault in the two watches. An alert's time is that of a look,
and the two watches may look at different frames."""

SCRIPTS = ROOT / "datasets" / "scripts" / "tuning"
TWELVE = (
    "01-tas-a", "03-sg-rws-lamp", "05-nz-secretary-a", "08-sg-rws-b", "09-nz-secretary-c-lamp", "10-nz-authority-b",
    "11-nsw-b-even-money", "12-tas-federal-full", "gesture-midi", "handled-nz", "payouts-nz", "sg-lamp",
)  # fmt: skip
"""Scripts whose decks are drawn by the program: every style of dealing, and calls by lamp, gesture and device."""
ROUNDS = 3
"""The number of rounds of each script."""


@dataclass(slots=True)
class Seen:
    """What a watch found."""

    alerts: list[Alert] = field(default_factory=list)
    rounds: list[RoundRecord] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


@dataclass(slots=True)
class FilmCamera:
    """Hands over a film's frames, and moves the clock to the time of each."""

    frames: Iterator[Any]
    clock: list[datetime]
    name: str
    is_played_again: bool = False
    state: CameraState = CameraState.PLAYING
    fault: str | None = None
    missed: int = 0

    def waited_s(self) -> float:
        """Return 0, since nobody waits for this camera."""
        return 0.0

    def take(self, _timeout_s: float) -> list[Shot]:
        """Return the next frame; none at the end."""
        opened = BEGAN + timedelta(seconds=OPENED_S)
        frame = next(self.frames, None)
        if not isinstance(frame, Frame):
            self.state = CameraState.ENDED
            return []
        at = opened + timedelta(seconds=frame.t)
        self.clock[0] = at + timedelta(seconds=0.05)
        return [Shot(at, frame, opened, 0.0, None)]


@dataclass(slots=True)
class KeptInMind:
    """Takes the place of the database: keeps what a table writes, and has no reports from devices."""

    seen: Seen
    began_at: datetime = BEGAN

    def write(self, news: News, _now: datetime, _note: object) -> list[EnteredAlert]:
        """Keep what was found; return no entered alert."""
        self.seen.events += news.events
        self.seen.alerts += news.alerts
        self.seen.rounds += news.rounds
        return []

    def take(self, _now_t: float) -> list[Event]:
        """Return nothing, since devices report only what was recorded."""
        return []

    def written_before(self, _t: float) -> list[int]:
        """Return nothing, since no report was taken."""
        return []

    def mark(self, _session: object, _numbers: object) -> None:
        """Do nothing, since no report is to be marked."""

    def forget(self, _numbers: object) -> None:
        """Do nothing, since no report is remembered."""


def watch_as_live(table: TableConfig, *, until_s: float) -> Seen:
    """Return what the parts of a table's process find in a recording; nothing is written."""
    clock, seen, recorded = [BEGAN], Seen(), read_signals(table, None)
    watch = start_watch(table, recorded)
    watch.signals = []
    kept = cast(Any, KeptInMind(seen))
    nothing = cast(Any, SimpleNamespace(remember=lambda *_: None, offer=lambda *_: None, tell=lambda _message: None))
    with VideoReader(table.cameras[0].source, size_wh_px=table.cameras[0].calibration.image_size_wh_px) as reader:
        items = (item for item in reader.looks() if not isinstance(item, Frame) or item.t <= until_s)
        camera = FilmCamera(iter(items), clock, table.cameras[0].name)
        worker = Worker(
            table=table,
            watch=watch,
            camera=cast(Any, camera),
            sight=Sight(cast(Any, camera), watch),
            entries=Entries(table.id, kept, kept),
            evidence=nothing,
            pictures=nothing,
            link=nothing,
            now=lambda: clock[0],
            recorded=recorded,
        )
        while camera.state is CameraState.PLAYING:
            worker._step()
    return seen


def watch_offline(table: TableConfig, *, until_s: float) -> Seen:
    """Return what `thirdcard watch` finds in the film."""
    seen = Seen()
    for progress in watch_table(table):
        if progress.t > until_s:
            break
        seen.alerts += progress.alerts
        seen.rounds += progress.rounds
        seen.events += progress.events
    return seen


def differences(live: Seen, offline: Seen, *, until_s: float) -> list[str]:
    """Return what only one of two watches reports of the film up to a time in seconds."""
    found = []
    unmatched = [(alert.code, alert.round, alert.t - OPENED_S) for alert in live.alerts]
    for alert in offline.alerts:
        near = [one for one in unmatched if one[:2] == (alert.code, alert.round) and abs(one[2] - alert.t) <= WITHIN_S]
        if near:
            unmatched.remove(near[0])
        else:
            found.append(f"offline only: {alert.code} of round {alert.round} at {alert.t:.2f} s")
    found += [f"live only: {code} of round {n} at {t:.2f} s" for code, n, t in unmatched if t < until_s - 1.0]
    for mine, theirs in zip(live.rounds, offline.rounds, strict=False):
        if _cards(mine) != _cards(theirs):
            found.append(f"round {mine.round}: live {_cards(mine)}, offline {_cards(theirs)}")
    lost = [event for event in live.events if isinstance(event, CameraLost) and event.fault != "no_picture"]
    return found + [f"live saw nothing at {event.t - OPENED_S:.2f} s: {event.fault}" for event in lost]


def _cards(record: RoundRecord) -> tuple[object, ...]:
    said = format_round(record)
    return tuple(str(said[name]) for name in ("player", "banker", "winner", "void"))


def compare(table_file: Path, *, until_s: float = 3600.0) -> list[str]:
    """Return the differences between a live watch of a recording and the watch of its film; empty if there are none."""
    table = load_table(table_file)
    live, offline = watch_as_live(table, until_s=until_s), watch_offline(table, until_s=until_s)
    return differences(live, offline, until_s=until_s)


def drawn(name: str, folder: Path) -> Path:
    """Return the folder of the recording of a script's first rounds; render it if it is missing."""
    recording = folder / name
    if not recording.is_dir():
        script = yaml.safe_load((SCRIPTS / f"{name}.yaml").read_text(encoding="utf-8"))
        short = folder / f"{name}.yaml"
        short.write_text(yaml.safe_dump(script | {"rounds": script["rounds"][:ROUNDS]}, sort_keys=False), "utf-8")
        render_script(short, part := folder / f"{name}.part", objects=False)
        part.rename(recording)
    return recording


def main() -> int:
    """Compare the recordings; return exit status 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.live_as_offline", description=__doc__)
    parser.add_argument("recordings", type=Path, nargs="*", help="folders of recordings")
    parser.add_argument("--twelve", type=Path, default=None, help="a folder for twelve recordings that are rendered")
    options = parser.parse_args()
    recordings: list[Path] = options.recordings
    if options.twelve is not None:
        options.twelve.mkdir(parents=True, exist_ok=True)
        recordings += [drawn(name, options.twelve) for name in TWELVE]
    differ = 0
    for recording in recordings:
        found = compare(recording / "table.yaml")
        differ += bool(found)
        print(
            f"{recording}: {'the same' if not found else f'{len(found)} differences'}", *found, sep="\n  ", flush=True
        )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
