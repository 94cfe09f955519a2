"""Recognise cards in labelled photographs, rotated and scaled, and count the results.

Run as `python -m thirdcard.models.photo.photo_evaluation ANNOTATIONS.json`. The file is a list of `{image, width,
height, complete, objects: [{label, bbox: [x1, y1, x2, y2], polygon?, kind?}]}`; the pictures are in the same folder.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from thirdcard.models.photo.photo_scoring import (
    LabelledCard,
    ReadingMistake,
    Score,
    pair,
    scale_labels,
    score_photograph,
    turn_labels,
    turning,
)
from thirdcard.vision.errors import VisionError
from thirdcard.vision.frames import Image
from thirdcard.vision.photo.recognise import PhotoModels, load_image, recognise
from thirdcard.vision.photo.recognised import Recognised

TURNS_DEG = (0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0)
SCALES = (1.0, 1 / 2, 1 / 3, 1 / 4)
SIZE_BOUNDS_PX = (25.0, 40.0, 60.0, 100.0)
SHOWN_PICTURES = 12
COLOURS_BGR = {"wrong": (40, 40, 255), "false": (200, 40, 255), "unread": (0, 170, 255), "not found": (0, 170, 255)}
RIGHT_BGR = (110, 200, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Photograph:
    """One labelled photograph."""

    path: Path
    size_wh_px: tuple[int, int]
    labels: tuple[LabelledCard, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """A photograph in one scale and rotation, with the recognised cards and the score."""

    photograph: Photograph
    turn_deg: float
    scale: float
    labels: tuple[LabelledCard, ...]
    found: tuple[Recognised, ...] = field(repr=False)
    score: Score


def load_photographs(path: Path, *, select: str = "") -> list[Photograph]:
    """Load the photographs of an annotation file whose names begin with `select`.

    Raises OSError, ValueError or KeyError for a file that is missing or not as described above.
    """
    entries = json.loads(path.read_text(encoding="utf-8"))
    chosen = [entry for entry in entries if Path(entry["image"]).name.startswith(select)]
    return [_photograph(entry, path.parent) for entry in chosen]


def evaluate(
    photographs: Iterable[Photograph], scales: Sequence[float], turns: Sequence[float], *, workers: int = 1
) -> list[Showing]:
    """Evaluate every photograph in every scale and rotation (degrees, counterclockwise)."""
    tasks = [(photograph, scale, turn) for photograph in photographs for scale in scales for turn in turns]
    if workers == 1:
        models = PhotoModels.open()
        return [show(models, *task) for task in tasks]
    with multiprocessing.get_context("spawn").Pool(workers, _open_models) as pool:
        return pool.starmap(_show_in_worker, tasks, chunksize=1)


def show(models: PhotoModels, photograph: Photograph, scale: float, turn_deg: float) -> Showing:
    """Evaluate one photograph in one scale and rotation (degrees, counterclockwise)."""
    image = turn_image(load_image(photograph.path), scale, turn_deg)
    found = tuple(recognise(image, models))
    size = _scaled(photograph.size_wh_px, scale)
    labels = tuple(turn_labels(scale_labels(photograph.labels, scale), size, turn_deg))
    score = score_photograph(labels, found, is_complete=photograph.is_complete)
    return Showing(photograph=photograph, turn_deg=turn_deg, scale=scale, labels=labels, found=found, score=score)


_in_worker: list[PhotoModels] = []
"""The models opened by a worker process at its start."""


def _open_models() -> None:
    cv2.setNumThreads(1)
    _in_worker.append(PhotoModels.open())


def _show_in_worker(photograph: Photograph, scale: float, turn_deg: float) -> Showing:
    return show(_in_worker[0], photograph, scale, turn_deg)


def turn_image(image: Image, scale: float, degrees: float) -> Image:
    """Scale a picture, then rotate it counterclockwise; new corners are filled with its mean colour."""
    if scale != 1.0:
        size = _scaled((image.shape[1], image.shape[0]), scale)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    if degrees % 90 == 0:
        return np.ascontiguousarray(np.rot90(image, int(degrees // 90)))
    matrix, size = turning((image.shape[1], image.shape[0]), degrees)
    matrix[:, 2] += matrix[:, :2] @ np.array([0.5, 0.5]) - 0.5
    ground = [float(value) for value in image.reshape(-1, 3).mean(axis=0)]
    turned = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC, borderValue=ground)
    return np.asarray(turned, np.uint8)


def tables(showings: Sequence[Showing]) -> str:
    """Return a Markdown table of the scores by rotation, by scale and by card size."""
    turns = sorted({showing.turn_deg for showing in showings})
    rotations = {f"turned {turn:.0f}°": [s for s in showings if s.turn_deg == turn] for turn in turns}
    scales = {f"at {100 * scale:.0f} %": [s for s in showings if s.scale == scale] for scale in _scales_of(showings)}
    rows = [_row(name, _total(part)) for name, part in {**rotations, **scales}.items() if part]
    rows += [_row(name, score, is_part=True) for name, score in by_card_size(showings).items() if score.labelled]
    head = "| shown | faces | right | wrong | unread | not found | false | wrong at 99 % | precision | recall |"
    return "\n".join([head, "|---|" + "---:|" * 9, *rows, _row("all", _total(showings))])


def by_card_size(showings: Sequence[Showing]) -> dict[str, Score]:
    """Return the scores by the shorter side of the labelled box; false readings have no label and are left out."""
    bounds = (0.0, *SIZE_BOUNDS_PX, float("inf"))
    scores: dict[str, Score] = {}
    for low, high in pairwise(bounds):
        name = (
            f"labelled boxes {low:.0f} to {high:.0f} px wide"
            if high < 1e9
            else f"labelled boxes over {low:.0f} px wide"
        )
        parts = [_score_labels(showing, low, high) for showing in showings]
        scores[name] = sum(parts, Score())
    return scores


def draw_mistakes(showing: Showing) -> Image:
    """Draw the correct labels thin and green, and the mistakes bright with the reading."""
    image = turn_image(load_image(showing.photograph.path), showing.scale, showing.turn_deg)
    wrong = {mistake.box_px for mistake in showing.score.mistakes}
    for label in showing.labels:
        if label.box_px not in wrong:
            _draw(image, label.box_px, RIGHT_BGR, "", 1)
    for mistake in showing.score.mistakes:
        _draw(image, mistake.box_px, COLOURS_BGR[mistake.kind], _words(mistake), 2)
    return image


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 0, or 2 if the file cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.photo.photo_evaluation", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("annotations", type=Path)
    parser.add_argument("--select", default="", help="only pictures whose names begin so")
    parser.add_argument("--scales", type=float, nargs="+", default=list(SCALES))
    parser.add_argument("--turns", type=float, nargs="+", default=list(TURNS_DEG), help="degrees, counterclockwise")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("out/photographs"), help="pictures of the worst mistakes")
    options = parser.parse_args(arguments)
    try:
        photographs = load_photographs(options.annotations, select=options.select)
        showings = evaluate(photographs, options.scales, options.turns, workers=options.workers)
    except (OSError, ValueError, KeyError, VisionError) as error:
        print(f"{options.annotations}: {error}", file=sys.stderr)
        return 2
    print(tables(showings))
    write_worst(showings, options.out)
    return 0


def write_worst(showings: Sequence[Showing], folder: Path) -> list[Path]:
    """Write pictures of the results with the most confident mistakes, the worst first; return their paths."""
    worst = sorted(showings, key=lambda showing: -_badness(showing.score))[:SHOWN_PICTURES]
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for rank, showing in enumerate((showing for showing in worst if showing.score.mistakes), start=1):
        name = f"{rank:02d}-{showing.photograph.path.stem}-{showing.turn_deg:.0f}-{100 * showing.scale:.0f}.jpg"
        cv2.imwrite(str(folder / name), draw_mistakes(showing), [cv2.IMWRITE_JPEG_QUALITY, 88])
        paths.append(folder / name)
    return paths


def _photograph(entry: dict[str, Any], folder: Path) -> Photograph:
    labels = tuple(
        LabelledCard(
            label=each["label"],
            box_px=tuple(each["bbox"]),
            kind=each.get("kind", "card"),
            outline_px=tuple((x, y) for x, y in each.get("polygon", ())),
        )
        for each in entry["objects"]
    )
    return Photograph(
        path=folder / entry["image"],
        size_wh_px=(entry["width"], entry["height"]),
        labels=labels,
        is_complete=bool(entry.get("complete", False)),
    )


def _score_labels(showing: Showing, low_px: float, high_px: float) -> Score:
    upright = scale_labels(showing.photograph.labels, showing.scale)
    cards = [thing for thing in showing.found if thing.kind == "card"]
    score = Score()
    for label, as_labelled, partner in zip(showing.labels, upright, pair(showing.labels, cards), strict=True):
        if not low_px <= as_labelled.size_px < high_px:
            continue
        score += score_photograph([label], [] if partner is None else [cards[partner]], is_complete=False)
    return score


def _total(showings: Iterable[Showing]) -> Score:
    return sum((showing.score for showing in showings), Score())


def _scales_of(showings: Sequence[Showing]) -> list[float]:
    return sorted({showing.scale for showing in showings}, reverse=True)


def _scaled(size_wh_px: tuple[int, int], scale: float) -> tuple[int, int]:
    return round(size_wh_px[0] * scale), round(size_wh_px[1] * scale)


def _badness(score: Score) -> float:
    said = sum(mistake.confidence for mistake in score.mistakes if mistake.kind in ("wrong", "false"))
    return 3 * said + len(score.mistakes)


def _row(name: str, score: Score, *, is_part: bool = False) -> str:
    false = "" if is_part else f"{score.false}"
    cells = (name, score.labelled, score.right, score.wrong, score.unread, score.not_found, false, score.sure_wrong)
    shares = (_percent(score.precision) if not is_part else "", _percent(score.recall))
    return "| " + " | ".join(str(cell) for cell in (*cells, *shares)) + " |"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _words(mistake: ReadingMistake) -> str:
    if mistake.said is None:
        return f"{mistake.truth} {mistake.kind}"
    return f"{mistake.truth or 'nothing'}: {mistake.said} {100 * mistake.confidence:.0f} %"


def _draw(
    image: Image, box_px: tuple[float, float, float, float], colour: tuple[int, int, int], text: str, width: int
) -> None:
    x1, y1, x2, y2 = (round(value) for value in box_px)
    cv2.rectangle(image, (x1, y1), (x2, y2), colour, width)
    if text:
        cv2.putText(image, text, (x1, max(12, y1 - 4)), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 3, cv2.LINE_AA)
        cv2.putText(image, text, (x1, max(12, y1 - 4)), cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)


if __name__ == "__main__":
    sys.exit(main())
