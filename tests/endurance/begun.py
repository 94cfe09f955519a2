"""Begin a watch of a recording at each of many times, and count the false and the missed alerts.

    python -m tests.endurance.begun datasets/demo
    python -m tests.endurance.begun datasets/demo --gap 6 --every 3
    python -m tests.endurance.begun datasets/demo --restart 6 --every 3

All watches of a recording share one decoding of it. A frame that several watches look at is processed once. With
`--gap` a watch begins with the film instead, and sees nothing for so many seconds after its time. With `--restart` it
ends at its time, and another watch continues its log so many seconds later. Alerts of the round that is under way when
a watch begins may be missed. Every alert of a later round must be found, and no alert may be false.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.endurance.rests import as_incident
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import Event, RoundClosed
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.evaluate.accounts import Incident, TableAccount, load_truth
from thirdcard.service.evaluate.matching import Matching, match
from thirdcard.service.watch.factory import open_eyes
from thirdcard.service.watch.pipeline import SharedEyes, TableWatch, read_signals, start_watch
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.inference.batching import Session
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.session import ModelSession
from thirdcard.vision.video.video import VideoReader

LONGEST_S = 3600.0
KEPT_PICTURES = 4000


class RememberingSession:
    """A model that processes equal pictures only once."""

    takes_batches = False

    def __init__(self, session: Session) -> None:
        """Wrap an open model session."""
        self.spec = session.spec
        self._session = session
        self._told: dict[bytes, NDArray[np.float32]] = {}

    def run(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Return the model's output for each image, as `ModelSession.run` does."""
        keys = [_key_of(image) for image in images]
        new = {key: image for key, image in zip(keys, images, strict=True) if key not in self._told}
        if len(self._told) > KEPT_PICTURES:
            self._told = {key: self._told[key] for key in keys if key in self._told}
        for key, image in new.items():
            self._told[key] = self._session.run([image])[0]
        return np.stack([self._told[key] for key in keys]) if keys else self._session.run(images)


def _key_of(image: Image) -> bytes:
    return hashlib.blake2b(image.tobytes(), digest_size=16).digest() + str(image.shape).encode()


def remembering_eyes() -> SharedEyes:
    """Return the shipped models; detector and reader process equal pictures only once."""
    detector, reader = (RememberingSession(ModelSession.open(load_model_spec(name))) for name in ("detector", "reader"))
    return open_eyes(detector=detector, reader=reader)


@dataclass(slots=True, kw_only=True)
class Beginning:
    """One watch, with its own stream time: 0 is its first frame."""

    at_t: float
    """The time of the film, in seconds, at which it starts or is interrupted."""
    watch: TableWatch
    zero_t: float | None
    """The time of the film where its stream time is 0; None until its first frame."""
    gap_s: float = 0.0
    """The seconds after `at_t` in which nothing is seen."""
    log: Sequence[Event] | None = None
    """The log of the watch that ended at `at_t`. This watch continues it after the gap; it may grow until then."""
    from_t: float = field(init=False)
    """The time of the film from which it sees."""
    is_blind: bool = False
    seen_t: float = 0.0
    alerts: list[Alert] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.from_t = self.at_t + self.gap_s

    def see(self, frame: Frame, camera: str) -> None:
        """Process the film's next frame, if this watch sees it."""
        if self.log is not None:
            if frame.t < self.at_t + self.gap_s:
                return
            self.watch.resume([event for event in self.log if event.t <= self.at_t])
            self.watch.signals[:] = [event for event in self.watch.signals if event.t >= frame.t]
            self.watch.begin(frame.t)
            self.log, self.gap_s, self.is_blind = None, 0.0, True
        if self.zero_t is None:
            if frame.t < self.at_t - 1e-6:
                return
            self.zero_t = frame.t
            self.watch.signals[:] = _since(self.watch.signals, frame.t)
        t = frame.t - self.zero_t
        if self.gap_s and self.at_t <= frame.t < self.at_t + self.gap_s:
            if not self.is_blind:
                self.watch.lose_sight(self.seen_t, camera)
            self.is_blind = True
            self.watch.hear(t)
            self.watch.wait(t)
            return
        if self.is_blind:
            self.watch.regain_sight(t, camera)
        self.is_blind, self.seen_t = False, t
        self.watch.see(frame.at(t))
        self._take()

    def finish(self) -> None:
        """Finish the watch at the end of the film."""
        self.watch.finish(self.seen_t)
        self._take()

    def _take(self) -> None:
        news = self.watch.take()
        self.events += news.events
        kept = [alert for alert in self.alerts if not any(map(alert.is_same_as, news.withdrawn))]
        self.alerts = [*kept, *news.alerts]

    def incidents(self) -> list[Incident]:
        """Return the incidents of its alerts, except those about cameras, in the time of the film."""
        told = [as_incident(alert) for alert in self.alerts if not alert.code.startswith("camera.")]
        return [replace(each, t=round(each.t + (self.zero_t or 0.0), 3)) for each in told]


def _since(signals: Sequence[Event], t: float) -> list[Event]:
    return [replace(event, t=round(event.t - t, 3)) for event in signals if event.t >= t]


def watch_from(
    folder: Path,
    moments: Sequence[float],
    *,
    gap_s: float = 0.0,
    is_restarted: bool = False,
    to_t: float = LONGEST_S,
    eyes: Callable[[], SharedEyes] = remembering_eyes,
) -> list[Beginning]:
    """Return the finished watches of a recording: one from each of these times on, or one with a gap at each.

    Args:
        folder: The recording.
        moments: Times of the film, in seconds.
        gap_s: The seconds after each time in which nothing is seen; with 0 the watch starts there.
        is_restarted: Whether the watch ends there, and another continues its log after the gap.
        to_t: The time of the film at which all watches end, in seconds.
        eyes: Opens the models.
    """
    table, opened = load_table(folder / "table.yaml"), eyes()
    begun = [_begin(table, opened, at_t, gap_s) for at_t in moments]
    whole = [_begin(table, opened, 0.0, 0.0)] if is_restarted else []
    for each in begun:
        each.log = whole[0].events if whole else None
    first_t = 0.0 if gap_s else min(moments)
    with VideoReader(table.cameras[0].source) as reader:
        for frame in reader:
            if frame.t >= to_t:
                break
            if frame.t < first_t:
                continue
            _ = frame.image  # converted once for all watches
            for each in [*whole, *begun]:
                each.see(frame, table.cameras[0].name)
    for each in begun:
        each.finish()
    return begun


def _begin(table: TableConfig, eyes: SharedEyes, at_t: float, gap_s: float) -> Beginning:
    signals = read_signals(table, None)
    watch = start_watch(table, signals if gap_s else [event for event in signals if event.t >= at_t], eyes=eyes)
    return Beginning(at_t=at_t, watch=watch, zero_t=0.0 if gap_s else None, gap_s=gap_s)


def round_ends(truth: TableAccount) -> list[float]:
    """Return the times at which the film's rounds end, in seconds."""
    return [event.t for event in truth.events if isinstance(event, RoundClosed)]


def judged(folder: Path, begun: Beginning, *, to_t: float = LONGEST_S) -> Matching:
    """Return the match of a watch's alerts with the recording's truth.

    In the round that is under way when the watch begins, true alerts count as hits, and missed alerts are not counted.
    """
    truth = load_truth(folder, load_table(folder / "table.yaml"))
    due_t = next((t for t in round_ends(truth) if t > begun.from_t), LONGEST_S)
    incidents = [each for each in truth.incidents if not each.code.startswith("camera.") and each.t < to_t]
    told = match(incidents, begun.incidents(), truth.tolerated)
    return replace(told, missed=tuple(each for each in told.missed if each.t > due_t))


def main() -> None:
    """Run the watches, and print a line for each false or missed alert and one for each recording."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.begun", description=__doc__)
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--at", type=float, nargs="+", help="begin at these times of the film, in seconds")
    parser.add_argument("--every", type=float, default=1.0, help="without --at: seconds from one beginning to the next")
    parser.add_argument(
        "--gap", type=float, default=0.0, help="begin with the film; after each time see nothing for so many seconds"
    )
    parser.add_argument(
        "--restart", type=float, default=0.0, help="end at each time, and let another continue so many seconds later"
    )
    parser.add_argument("--to", type=float, default=LONGEST_S, help="watch only so many seconds of each recording")
    options = parser.parse_args()
    for folder in options.recordings:
        truth = load_truth(folder, load_table(folder / "table.yaml"))
        length_s = min(max(round_ends(truth), default=0.0) + 1.0, options.to)
        moments = options.at or np.arange(0.0, length_s, options.every).tolist()
        gap_s, is_restarted = options.gap or options.restart, bool(options.restart)
        begun = watch_from(folder, moments, gap_s=gap_s, is_restarted=is_restarted, to_t=options.to)
        _tell(folder, [(each, judged(folder, each, to_t=options.to)) for each in begun])


def _tell(folder: Path, watched: Sequence[tuple[Beginning, Matching]]) -> None:
    for begun, told in watched:
        for kind, each in [("false", one) for one in told.false] + [("missed", one) for one in told.missed]:
            print(f"  from {begun.at_t:g}: {kind} {each.t:.1f} {each.code}: {each.message}", flush=True)
    hits, false, missed = (sum(len(getattr(told, kind)) for _, told in watched) for kind in ("hits", "false", "missed"))
    print(f"{folder.name}: {len(watched)} watches, {hits} found, {false} false, {missed} missed", flush=True)


if __name__ == "__main__":
    main()
