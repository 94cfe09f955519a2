"""Count how often each kind of log line from a watch is right, on recordings with known truth.

    python -m thirdcard.service.evaluate.fit_sensors RECORDINGS RUNS --write

RECORDINGS holds recordings at any depth, RUNS the outputs of watches at the same relative places. A line's kind is
recognised by its present confidence. Recordings used here are no longer blind.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from thirdcard.rules.log.events import (
    CardPassed,
    Event,
    NoMoreBets,
    SettleAction,
    Source,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.log.reader import read_log_file
from thirdcard.service.evaluate.fit_sureness import FINISHED
from thirdcard.service.interpretation.sensors import SENSORS, LineKind, reliability
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.errors import ServiceError

HEADING = """# How often lines of each kind were right. Written by python -m thirdcard.service.evaluate.fit_sensors.
# Hash: of the sorted hashes of all logs and truths.
"""
LOG, TRUTH = "events.jsonl", "truth.jsonl"
APART_S = 2.0
"""The largest distance in seconds between an act in the log and in the truth: an act lasts about a second."""


class SensorFitError(ServiceError):
    """There are no finished watches to count."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of lines of one kind."""

    of: int
    right: int


def kind_of(line: Event) -> LineKind | None:
    """The kind of line with this confidence; None where none has it."""
    kinds: Sequence[LineKind] = ()
    match line:
        case NoMoreBets(source=Source.CAMERA):
            kinds = (LineKind.LAMP, LineKind.GESTURE)
        case WagerChanged(source=Source.CAMERA):
            kinds = (LineKind.CHANGED,)
        case WagerSettled(source=Source.CAMERA) if line.action is not SettleAction.PAID:
            kinds = (LineKind.WAY,)
        case CardPassed(source=Source.CAMERA):
            kinds = (LineKind.PASSED,)
    return next((kind for kind in kinds if line.confidence == reliability(kind)), None)


def is_right(line: Event, truth: Sequence[Event]) -> bool:
    """Whether an event of the truth confirms the line."""
    return any(_is_borne_out(line, other) for other in truth if type(other) is type(line))


def _is_borne_out(line: Event, other: Event) -> bool:
    apart_s = abs(other.t - line.t)
    match line, other:
        case NoMoreBets(), NoMoreBets():
            return apart_s <= (line.within_s or 0.0)
        case WagerSettled(), WagerSettled():
            return (line.area, line.action) == (other.area, other.action) and apart_s <= APART_S
        case WagerChanged(), WagerChanged():
            is_then = line.t - (line.earlier_s or 0.0) <= other.t <= line.t + (line.later_s or 0.0)
            is_same_way = _way(line) is None or _way(line) == _way(other)
            return line.area == other.area and is_same_way and (is_then or apart_s <= APART_S)
        case CardPassed(), CardPassed():
            return line.to == other.to and apart_s <= APART_S
    return False


def _way(line: WagerChanged) -> bool | None:
    """Whether chips were added; None where the line does not say."""
    for before, after in ((line.chips_before, line.chips_after), (line.before, line.after)):
        if before is not None and after is not None and before != after:
            return after > before
    return None


def count_lines(runs: Iterable[tuple[Sequence[Event], Sequence[Event]]]) -> Mapping[LineKind, Counted]:
    """The number of lines of each kind in the logs, and of those that their truths confirm."""
    found, right = Counter[LineKind](), Counter[LineKind]()
    for log, truth in runs:
        for line in log:
            kind = kind_of(line)
            if kind is not None:
                found[kind] += 1
                right[kind] += is_right(line, truth)
    return {kind: Counted(found[kind], right[kind]) for kind in LineKind}


def find_logs(recordings: Path, runs: Path) -> list[tuple[Path, Path]]:
    """The log of each finished watch with the truth of its recording.

    Raises:
        SensorFitError: There is none.
    """
    folders = sorted(path.parent for path in runs.rglob(FINISHED))
    if not folders:
        raise SensorFitError(f"{runs}: no finished watch is in it; must hold folders with {FINISHED}")
    return [(left / LOG, recordings / left.relative_to(runs) / TRUTH) for left in folders]


def written(counted: Mapping[LineKind, Counted], files: Sequence[Path], *, recordings: int, date: str) -> str:
    """The text of `sensors.yaml`."""
    digests = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    fitted = {"date": date, "recordings": recordings, "sha256": hashlib.sha256("".join(digests).encode()).hexdigest()}
    rows = "".join(f"  {kind}: {{of: {one.of}, right: {one.right}}}\n" for kind, one in counted.items())
    return f"{HEADING}{yaml.safe_dump({'fitted': fitted}, sort_keys=False)}lines:\n{rows}"


def main(write: Callable[[str], object] = SENSORS.write_text) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path, help="folder of recordings")
    parser.add_argument("runs", type=Path, help="folder of what watches of them left")
    parser.add_argument("--write", action="store_true", help=f"write {SENSORS.name} anew")
    given = parser.parse_args()
    try:
        pairs = find_logs(given.recordings, given.runs)
    except SensorFitError as error:
        raise SystemExit(str(error)) from error
    counted = count_lines((list(read_log_file(log)), list(read_log_file(truth))) for log, truth in pairs)
    files = [file for pair in pairs for file in pair]
    text = written(counted, files, recordings=len(pairs), date=now_utc().date().isoformat())
    print(text, end="")
    if given.write:
        write(text)


if __name__ == "__main__":
    main()
