"""Compare the error that `thirdcard commission` states with the true error, on degraded copies of recordings.

    python -m tests.endurance.commission_trial RECORDING... --out FOLDER

Each recording is copied with a quality of its own (`QUALITIES`, in order), watched without its truth, and judged. Then
the truth is read. The stated interval must contain the true error, and its upper end may be at most three times that
error, or one percentage point if that is more. Copies and watches that are already in the folder are used again. Exit
status 1 means that fewer than 11 of 12 intervals were right and tight, or that a table that cannot be read was called
fit.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.datasets.script.spoil import KEPT, Copying
from thirdcard.datasets.script.video import write_video
from thirdcard.rules.log.reader import read_log_file
from thirdcard.service.commission.card_error import SURE, ErrorEstimate
from thirdcard.service.commission.commissioning import TableCommission, commission_table, judged_findings
from thirdcard.service.commission.fit_card_error import judge_cards
from thirdcard.service.commission.measures import CommissionFilm
from thirdcard.service.commission.verdict import LEAST_SHARE, Fitness
from thirdcard.service.evaluate.fit_sureness import FINISHED
from thirdcard.service.watch.recording_run import watch_recording
from thirdcard.service.watch.recordings import find_recording
from thirdcard.service.watch.terminal import SilentView
from thirdcard.vision.video.video import VideoReader

Image = NDArray[np.uint8]
VIDEO, TRUTH, SIGNALS = "video.mp4", "truth.jsonl", "signals.jsonl"
TIMES, POINT = 3.0, 0.01
"""The upper end may be at most `TIMES` times the true error, or `POINT` if that is more."""
NEEDED = 11 / 12
SEED = 5


@dataclass(frozen=True, slots=True)
class Quality:
    """How a copy of a recording is degraded."""

    name: str
    scale: float = 1.0
    """The share of the pixels of each side that is kept; the image is scaled up again."""
    blur_px: float = 0.0
    light: float = 1.0
    noise: float = 0.0
    """The standard deviation in grey levels."""


QUALITIES = (
    Quality("blurred, 2.5 px", blur_px=2.5),
    Quality("0.7 of the pixels a side", scale=0.7),
    Quality("as it is"),
    Quality("0.8 of the pixels a side", scale=0.8),
    Quality("blurred, 1.5 px", blur_px=1.5),
    Quality("0.6 of the pixels a side", scale=0.6),
    Quality("blurred, 1 px", blur_px=1.0),
    Quality("noisy, 12 levels", noise=12.0),
    Quality("0.3 of the pixels a side", scale=0.3),
    Quality("as it is"),
    Quality("0.65 of the pixels a side, dim, noisy", scale=0.65, light=0.8, noise=4.0),
    Quality("dark (0.45) and noisy", light=0.45, noise=6.0),
)
"""From unchanged to unreadable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The result for one recording."""

    name: str
    quality: str
    sure: tuple[int, int]
    """The number of wrong faces among those read with certainty, and the number read."""
    failed: tuple[int, int]
    """The number of cards that are wrong, unread or misplaced, and the number of cards."""
    said: TableCommission

    @property
    def is_right(self) -> bool:
        """Whether the card error's interval contains the truth and is tight. The interval for all cards is judged if no
        card was read with certainty."""
        errors = self.said.seen.errors
        return _is_right(errors.sure, self.sure) if self.sure[1] else _is_right(errors.cards, self.failed)

    @property
    def is_unreadable_called_fit(self) -> bool:
        """Whether less than half of the cards can be read, but the verdict is not "not fit"."""
        return self.sure[1] < LEAST_SHARE * self.failed[1] and self.said.verdict.fitness is not Fitness.NOT_FIT


def make_copy(recording: Path, out: Path, quality: Quality) -> None:
    """Write a degraded copy of a recording, with its truth."""
    out.mkdir(parents=True, exist_ok=True)
    for name in (*KEPT, TRUTH, SIGNALS):
        if (recording / name).is_file():
            shutil.copyfile(recording / name, out / name)
    video = recording / VIDEO
    with VideoReader(video, threads=1) as reader:
        info = reader.info
        rate = Fraction(info.rate_hz or 25.0).limit_denominator(1001)
        bits = 8 * video.stat().st_size / (info.duration_s or 1.0)
        images = _worse((frame.image for frame in reader), quality)
        write_video(out / f"part-{VIDEO}", Copying(fps=rate, mbit_s=bits / 1e6), images, info.size_wh_px)
    (out / f"part-{VIDEO}").rename(out / VIDEO)


def try_recording(recording: Path, out: Path, quality: Quality) -> Tried:
    """Copy a recording, watch the copy and judge it; return the result, for which the truth is read last."""
    copy, run = out / "copies" / recording.name, out / "runs" / recording.name
    if not (copy / VIDEO).is_file():
        make_copy(recording, copy, quality)
    found = find_recording(str(copy))
    if not (run / FINISHED).is_file():
        watch_recording(found, run, SilentView())
    events = list(read_log_file(run / "events.jsonl"))
    film = CommissionFilm(name=recording.name, findings=judged_findings(events, found.table))
    said = commission_table(copy / "table.yaml", [film])
    cards = judge_cards(read_log_file(copy / TRUTH), events)
    failed = cards.wrong()[0] + cards.unread + cards.misplaced
    return Tried(
        name=recording.name, quality=quality.name, sure=cards.wrong(SURE), failed=(failed, cards.shown), said=said
    )


def table_of(tried: Sequence[Tried]) -> str:
    """Return a Markdown table of all results."""
    columns = (
        "recording", "quality", "read surely", "true error", "stated, 95 %", "at most", "right", "any card: true",
        "stated", "right", "verdict",
    )  # fmt: skip
    lines = [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    for one in tried:
        errors = one.said.seen.errors
        sure = (_share(one.sure), _interval(errors.sure), _limit(one.sure), _yes(_is_right(errors.sure, one.sure)))
        cells = [
            one.name, one.quality, f"{one.sure[1]} of {one.failed[1]}", *(sure if one.sure[1] else ("", "", "", "")),
            _share(one.failed), _interval(errors.cards), _yes(_is_right(errors.cards, one.failed)),
            str(one.said.verdict.fitness),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _worse(images: Iterator[Image], quality: Quality) -> Iterator[Image]:
    dice = np.random.default_rng(SEED)
    for image in images:
        yield _worsened(image, quality, dice)


def _worsened(image: Image, quality: Quality, dice: np.random.Generator) -> Image:
    height, width = image.shape[:2]
    if quality.scale < 1.0:
        size = (round(width * quality.scale), round(height * quality.scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        image = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)
    if quality.blur_px:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), quality.blur_px), np.uint8)
    if quality.light == 1.0 and not quality.noise:
        return image
    grain = dice.standard_normal(image.shape, np.float32) * quality.noise
    return np.clip(image * quality.light + grain, 0, 255).astype(np.uint8)


def _is_right(estimate: ErrorEstimate, truth: tuple[int, int]) -> bool:
    true = truth[0] / max(truth[1], 1)
    return estimate.holds(true) and estimate.high <= max(TIMES * true, POINT) + 1e-9


def _share(of: tuple[int, int]) -> str:
    return f"{of[0]} of {of[1]}, {100 * of[0] / max(of[1], 1):.1f} %"


def _interval(estimate: ErrorEstimate) -> str:
    return f"{100 * estimate.low:.2f} to {100 * estimate.high:.2f} %"


def _limit(of: tuple[int, int]) -> str:
    return f"{100 * max(TIMES * of[0] / max(of[1], 1), POINT):.1f} %"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "**no**"


def main() -> None:
    """Try all recordings and print the results; exit status 1 as the module's text states."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="+", type=Path, help="folders of recordings with truth")
    parser.add_argument("--out", type=Path, required=True, help="folder for copies and watches")
    given = parser.parse_args()
    tried = [
        try_recording(recording, given.out, QUALITIES[i % len(QUALITIES)])
        for i, recording in enumerate(given.recordings)
    ]
    right, called_fit = sum(one.is_right for one in tried), [one.name for one in tried if one.is_unreadable_called_fit]
    print(table_of(tried))
    print(f"\n{right} of {len(tried)} right and tight; unreadable but called fit: {', '.join(called_fit) or 'none'}")
    sys.exit(right < NEEDED * len(tried) or bool(called_fit))


if __name__ == "__main__":
    main()
