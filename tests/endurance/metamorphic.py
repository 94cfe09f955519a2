"""Watch copies of a recording that show the same play, and compare the rounds and alerts that are found.

    python -m tests.endurance.metamorphic RECORDING... [--only darker] [--to 30] [--out FOLDER]

The copies have other frame rates or a third of the bit rate, are brighter, darker, warmer, noisier, 1.5 times as fast
or shifted by half a pixel, or play a still stretch forwards, backwards and forwards again. Each watch is compared with
that of the recording itself, not with the truth: an error that both watches make does not count. Exit status 1 means
that a share is below its floor in `models/metrics.yaml`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import yaml
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from tests.repository import ROOT
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.round.records import RoundRecord, format_round
from thirdcard.service.config.table_file import load_table
from thirdcard.service.evaluate.accounts import Incident
from thirdcard.service.evaluate.matching import match
from thirdcard.service.watch.film_watch import watch_table
from thirdcard.vision.video.video import VideoReader

Image = NDArray[np.uint8]
Paint = Callable[[Image, np.random.Generator], Image]
FAST = 1.5
NOISE = 8.0
"""The standard deviation of the noise, in grey levels."""
STILL_LEVELS = 1.5
"""Nothing moves between two frames if, at a quarter of the size, they differ by fewer grey levels on average."""
LONGEST_STILL_S = 2.0
"""At most so many seconds of the longest still stretch are played back and forth."""
CRF = "16"
METRICS = ROOT / "models" / "metrics.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a copy differs from its recording."""

    name: str
    rate_hz: float | None = None
    paint: Paint | None = None
    speed: float = 1.0
    bit_rate_share: float | None = None
    is_longer: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """A still stretch that is played forwards, backwards and forwards again; times of the recording, in seconds."""

    from_s: float
    to_s: float

    def later(self, t: float) -> float:
        """Return the time at which the copy shows what the recording shows at `t`."""
        return t if t <= self.to_s else t + 2.0 * (self.to_s - self.from_s)


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watch found."""

    rounds: tuple[RoundRecord, ...]
    alerts: tuple[Alert, ...]


@dataclass(frozen=True, slots=True)
class Same:
    """How many rounds and alerts are the same in two watches, and how many there are."""

    rounds: int = 0
    of_rounds: int = 0
    alerts: int = 0
    of_alerts: int = 0

    def __add__(self, other: Same) -> Same:
        return Same(
            self.rounds + other.rounds,
            self.of_rounds + other.of_rounds,
            self.alerts + other.alerts,
            self.of_alerts + other.of_alerts,
        )


def lit(gain: float, *, warm: float = 0.0) -> Paint:
    """Return a paint that multiplies the light by `gain`; `warm` adds red and takes away blue."""
    gains = np.array([gain * (1.0 - warm), gain, gain * (1.0 + warm)])
    return lambda image, _: np.clip(image * gains, 0, 255).astype(np.uint8)


def noisy(image: Image, dice: np.random.Generator) -> Image:
    """Return the image with grain in every pixel, as of a small sensor at night."""
    grain = dice.standard_normal(image.shape, np.float32) * NOISE
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def shifted(image: Image, _: np.random.Generator) -> Image:
    """Return the image shifted by half a pixel to the right and down."""
    move = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])
    size = (image.shape[1], image.shape[0])
    return np.asarray(cv2.warpAffine(image, move, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


CHANGES = (
    *(Change(name=f"{rate} frames/s", rate_hz=rate) for rate in (8, 10, 15, 25, 30)),
    Change(name="brighter", paint=lit(1.25)),
    Change(name="darker", paint=lit(0.7)),
    Change(name="warmer", paint=lit(1.0, warm=0.12)),
    Change(name="noisier", paint=noisy),
    Change(name="a third of the bit rate", bit_rate_share=1 / 3),
    Change(name="a still stretch longer", is_longer=True),
    Change(name="1.5 times as fast", speed=FAST),
    Change(name="half a pixel aside", paint=shifted),
)


def still_stretch(video: Path, to_s: float) -> Stretch:
    """Return the longest stretch in which nothing moves, at most two seconds of it; else the first frame alone."""
    best, began, last = (0.0, 0.0), 0.0, None
    for t, image in pictures(video, to_s):
        small = cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA).astype(np.int16)
        if last is not None and float(np.abs(small - last).mean()) >= STILL_LEVELS:
            began = t
        last = small
        if t - began > best[1] - best[0]:
            best = (began, t)
    return Stretch(best[0], min(best[1], best[0] + LONGEST_STILL_S))


def pictures(video: Path, to_s: float) -> Iterator[tuple[float, Image]]:
    """Yield the frames with their times; images are (h, w, 3) uint8 BGR."""
    with VideoReader(str(video)) as reader:
        for frame in reader:
            if frame.t > to_s:
                return
            yield frame.t, np.asarray(frame.image, np.uint8)


def at_rate(frames: Iterator[tuple[float, Image]], rate_hz: float) -> Iterator[tuple[float, Image]]:
    """Yield, for each time at that rate, the frame that was shown last by then."""
    i = 0
    shown: Image | None = None
    for t, image in frames:
        while shown is not None and i / rate_hz < t - 1e-6:
            yield i / rate_hz, shown
            i += 1
        shown = image
    if shown is not None:
        yield i / rate_hz, shown


def back_and_forth(frames: Iterator[tuple[float, Image]], stretch: Stretch) -> Iterator[tuple[float, Image]]:
    """Yield the frames with the stretch played forwards, backwards and forwards again."""
    kept: list[tuple[float, Image]] = []
    lasts_s = stretch.to_s - stretch.from_s
    for t, image in frames:
        if kept and t > stretch.to_s:
            yield from ((2.0 * stretch.to_s - at, one) for at, one in kept[-2:0:-1])
            yield from ((at + 2.0 * lasts_s, one) for at, one in kept)
            kept = []
        if stretch.from_s <= t <= stretch.to_s:
            kept.append((t, image))
        yield (t + 2.0 * lasts_s if t > stretch.to_s else t), image


def write_copy(recording: Path, out: Path, change: Change, to_s: float) -> Stretch | None:
    """Write a recording that shows the same play; return the stretch that was made longer, if any."""
    out.mkdir(parents=True)
    table = load_table(recording / "table.yaml")
    video = Path(table.cameras[0].source)
    for path in recording.iterdir():
        if path.suffix in (".yaml", ".jsonl") and path.is_file():
            shutil.copy(path, out)
    stretch = still_stretch(video, to_s) if change.is_longer else None
    frames = pictures(video, to_s)
    if change.rate_hz is not None:
        frames = at_rate(frames, change.rate_hz)
    if stretch is not None:
        frames = back_and_forth(frames, stretch)
    encode(frames, out / video.name, change, video)
    lines = [json.loads(line) for line in (recording / "signals.jsonl").read_text(encoding="utf-8").splitlines()]
    moved = [{**line, "t": round(moment(line["t"], change, stretch), 3)} for line in lines]
    (out / "signals.jsonl").write_text("".join(json.dumps(line) + "\n" for line in moved), encoding="utf-8")
    return stretch


def moment(t: float, change: Change, stretch: Stretch | None) -> float:
    """Return the time at which a copy shows what the recording shows at `t`."""
    return (t if stretch is None else stretch.later(t)) / change.speed


def encode(frames: Iterator[tuple[float, Image]], path: Path, change: Change, source: Path) -> None:
    """Write frames as H.264, each at its time."""
    dice = np.random.default_rng(5)
    with av.open(str(source)) as film, av.open(str(path), "w") as out:
        rate = film.streams.video[0].average_rate or Fraction(15)
        stream = out.add_stream("libx264", rate=Fraction(change.rate_hz or rate))
        stream.width, stream.height, stream.pix_fmt = (
            film.streams.video[0].width,
            film.streams.video[0].height,
            "yuv420p",
        )
        stream.time_base = stream.codec_context.time_base = Fraction(1, 90_000)
        stream.options = {"preset": "veryfast", "crf": CRF}
        if change.bit_rate_share is not None:
            stream.options = {"preset": "veryfast"}
            stream.bit_rate = int((film.bit_rate or 2_000_000) * change.bit_rate_share)
        for t, image in frames:
            picture = VideoFrame.from_ndarray(image if change.paint is None else change.paint(image, dice), "bgr24")
            picture.pts, picture.time_base = round(t / change.speed * 90_000), Fraction(1, 90_000)
            out.mux(stream.encode(picture))
        out.mux(stream.encode())


def watch(recording: Path) -> Watched:
    """Return what a watch of the recording finds."""
    rounds: list[RoundRecord] = []
    alerts: list[Alert] = []
    for progress in watch_table(load_table(recording / "table.yaml"), signals=recording / "signals.jsonl"):
        rounds += progress.rounds
        alerts += progress.alerts
        alerts = [one for one in alerts if not any(one.is_same_as(other) for other in progress.withdrawn)]
    return Watched(tuple(rounds), tuple(alerts))


def watch_beginning(recording: Path, to_s: float, folder: Path) -> Watched:
    """Return what a watch of the recording finds if it ends at `to_s`, as the copies do."""
    out = folder / f"{recording.name}-as-it-is"
    shutil.rmtree(out, ignore_errors=True)
    write_copy(recording, out, Change(name="as it is"), to_s)
    return watch(out)


def same(first: Watched, copy: Watched, when: Callable[[float], float]) -> Same:
    """Return how much is the same: rounds, in order, by cards and winner; alerts that match, of all found."""
    rounds = [_cards(one) == _cards(other) for one, other in zip(first.rounds, copy.rounds, strict=False)]
    paired = match([_incident(one, when) for one in first.alerts], [_incident(one, lambda t: t) for one in copy.alerts])
    return Same(
        sum(rounds),
        max(len(first.rounds), len(copy.rounds)),
        len(paired.hits),
        len(paired.hits) + len(paired.missed) + len(paired.false),
    )


def try_change(recording: Path, change: Change, first: Watched, to_s: float, folder: Path) -> Same:
    """Write a copy, watch it, and return how much is the same."""
    out = folder / f"{recording.name}-{change.name.replace(' ', '-').replace('/', '-')}"
    shutil.rmtree(out, ignore_errors=True)
    stretch = write_copy(recording, out, change, to_s)
    return same(first, watch(out), lambda t: moment(t, change, stretch))


def below(floors: dict[str, float], name: str, found: Same) -> list[str]:
    """Return one line for each share that is below its floor."""
    shares = {"rounds": _share(found.rounds, found.of_rounds), "alerts": _share(found.alerts, found.of_alerts)}
    return [
        f"{name}: {what} {shares[what]:.2f}, floor {floors[what]}" for what in shares if shares[what] < floors[what]
    ]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _cards(record: RoundRecord) -> tuple[str, ...]:
    told = format_round(record)
    return tuple(str(told[name]) for name in ("player", "banker", "winner"))


def _incident(alert: Alert, when: Callable[[float], float]) -> Incident:
    hand = None if alert.hand is None else str(alert.hand)
    return Incident(code=alert.code, t=when(alert.t), seat=alert.seat, hand=hand, confidence=alert.confidence)


def main(arguments: Sequence[str] | None = None) -> int:
    """Watch the copies and print the shares; return exit status 1 if one is below its floor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="+", type=Path, help="folders of recordings")
    parser.add_argument("--only", action="append", choices=[each.name for each in CHANGES], help="this kind of copy")
    parser.add_argument("--to", type=float, default=float("inf"), help="watch only so many seconds of each recording")
    parser.add_argument("--out", type=Path, help="a folder in which the copies are kept")
    given = parser.parse_args(arguments)
    floors = yaml.safe_load(METRICS.read_text(encoding="utf-8")).get("metamorphic", {"rounds": 0.0, "alerts": 0.0})
    changes = [each for each in CHANGES if given.only is None or each.name in given.only]
    found = {each.name: Same() for each in changes}
    with tempfile.TemporaryDirectory() as temporary:
        folder: Path = given.out or Path(temporary)
        for recording in given.recordings:
            first = watch(recording) if given.to == float("inf") else watch_beginning(recording, given.to, folder)
            for change in changes:
                one = try_change(recording, change, first, given.to, folder)
                found[change.name] += one
                print(f"{recording.name}: {change.name}: {one}", file=sys.stderr, flush=True)
    print("| copy | same rounds | same alerts |\n| --- | ---: | ---: |")
    for name, one in found.items():
        print(f"| {name} | {one.rounds} of {one.of_rounds} | {one.alerts} of {one.of_alerts} |")
    lines = [line for name, one in found.items() for line in below(floors, name, one)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    raise SystemExit(main())
