"""Watch recordings as a live table that rests at random, and count the alerts found and the false ones.

    python -m tests.endurance.rests datasets/demo --seeds 11 12 13

Between rests of 1 to 20 s it looks for 5 to 20 s. With `--silent` no device reports anything. A fault during a rest may
be missed, but no alert may be false.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thirdcard.rules.findings.alerts import Alert
from thirdcard.service.config.table_file import load_table
from thirdcard.service.evaluate.accounts import Incident, load_truth
from thirdcard.service.evaluate.matching import Matching, match
from thirdcard.service.watch.pipeline import TableWatch, read_signals, start_watch
from thirdcard.vision.video.video import VideoReader

SHORT_S, LONG_S = (1.0, 4.0), (4.0, 20.0)
SEEING_S = (5.0, 20.0)
LONGEST_S = 3600.0

Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """How a recording is watched."""

    rests: Sequence[Span]
    """Begin and end of each rest, in seconds of the video."""
    part: Span = (0.0, LONGEST_S)
    """Begin and end of the part that is watched, in seconds of the video."""
    is_silent: bool = False
    """Whether no device reports anything."""

    def is_watched(self, t: float) -> bool:
        """Return whether that time lies in the part that is watched, in a rest or not."""
        return self.part[0] <= t < self.part[1]

    def rests_at(self, t: float) -> bool:
        """Return whether the table rests at that time."""
        return any(begun <= t < ended for begun, ended in self.rests)


def random_rests(seed: int) -> list[Span]:
    """Return random rests over an hour, half of them short."""
    dice = random.Random(seed)
    rests, t = [], dice.uniform(*SEEING_S)
    while t < LONGEST_S:
        ended = t + dice.uniform(*dice.choice((SHORT_S, LONG_S)))
        rests.append((t, ended))
        t = ended + dice.uniform(*SEEING_S)
    return rests


def watch_resting(path: Path, resting: Resting) -> list[Alert]:
    """Return the alerts of a table that rests at these times, except those about its camera.

    Args:
        path: A recording's `table.yaml`.
        resting: How it is watched.
    """
    table = load_table(path)
    signals = [] if resting.is_silent else read_signals(table, None)
    watch = start_watch(table, [event for event in signals if resting.is_watched(event.t)])
    watch.begin(resting.part[0])
    _play(watch, table.cameras[0].source, table.cameras[0].name, resting)
    return [alert for alert in watch.take().alerts if not alert.code.startswith("camera.")]


def _play(watch: TableWatch, source: str, camera: str, resting: Resting) -> None:
    seen_t, is_resting = resting.part[0], False
    with VideoReader(source) as reader:
        for frame in reader:
            if not resting.is_watched(frame.t):
                continue
            if resting.rests_at(frame.t):
                if not is_resting:
                    watch.lose_sight(seen_t, camera, fault="overloaded")
                is_resting = True
                watch.hear(frame.t)
                watch.wait(frame.t)
                continue
            if is_resting:
                watch.regain_sight(frame.t, camera)
            watch.see(frame)
            is_resting, seen_t = False, frame.t
    watch.finish(seen_t)


def judged(folder: Path, alerts: Sequence[Alert]) -> Matching:
    """Return the match of alerts with the recording's truth."""
    truth = load_truth(folder, load_table(folder / "table.yaml"))
    incidents = [incident for incident in truth.incidents if not incident.code.startswith("camera.")]
    return match(incidents, [as_incident(alert) for alert in alerts], truth.tolerated)


def as_incident(alert: Alert) -> Incident:
    """Return an alert as an incident, with what the comparison needs."""
    hand = None if alert.hand is None else str(alert.hand)
    return Incident(code=alert.code, t=alert.t, seat=alert.seat, hand=hand, message=alert.message)


def main() -> None:
    """Run the watches, and print a line for each watch and each false alert."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.rests", description=__doc__)
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--to", type=float, default=LONGEST_S, help="watch only so many seconds of each recording")
    parser.add_argument("--silent", action="store_true", help="no device reports anything")
    options = parser.parse_args()
    for folder in options.recordings:
        for seed in options.seeds:
            rests = [rest for rest in random_rests(seed) if rest[0] < options.to]
            resting = Resting(rests=rests, part=(0.0, options.to), is_silent=options.silent)
            told = judged(folder, watch_resting(folder / "table.yaml", resting))
            print(f"{folder.name} {seed}: {len(told.hits)} found, {len(told.false)} false", flush=True)
            for each in told.false:
                print(f"  {each.t:.1f} {each.code}: {each.message}", flush=True)


if __name__ == "__main__":
    main()
