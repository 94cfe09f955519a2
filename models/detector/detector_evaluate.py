"""Evaluate the detector that runs, on tiles that were never trained on.

    python -m thirdcard.models.detector.detector_evaluate SCHOOL [--json FILE] [--worst FOLDER]

The tiles of held-out worlds are in `images/val`. Objects whose centre lies outside their tile do not count: at run time
another tile contains them. Uses the run-time detector itself (no torch): average precision per class at an overlap of
0.5, recall and precision at the score it runs with, the error of boxes in millimetres, and pictures of the worst
mistakes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.datasets.decks.deck import deck_names, load_deck
from thirdcard.datasets.scene.random_scene import random_scene
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.datasets.scene.tiles import label_lines, school_tiles
from thirdcard.datasets.scene.worlds import random_world
from thirdcard.models.detector.detector_school import taught_lines
from thirdcard.models.publishing import flattened
from thirdcard.vision.detections import LABELS, Detections, order_corners, polygon_iou
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.plane.rectify import PX_PER_MM
from thirdcard.vision.plane.tiling import holds

OVERLAP = 0.5
LOWEST_SCORE = 0.01
EXAM_WORLDS, EXAM_SCENES, EXAM_TILES, EXAM_SEED = 14, 2, 4, 77
_COLOURS = ((255, 255, 255), (255, 160, 0), (0, 220, 255), (200, 0, 255), (0, 255, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A tile with its truth, in the tile's pixels."""

    path: Path
    image: Image
    truth: Detections


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One tile's detections compared with its truth."""

    sample: Sample
    found: Detections
    truth_of: NDArray[np.int64]
    """(found,) the row of the truth that matches each detection, -1 for none."""
    found_of: NDArray[np.int64]
    """(truth,) the row of the detection that matches each object, -1 for none."""


def read_samples(school: Path) -> Iterator[Sample]:
    """Yield the held-out tiles of a training set, from `images/val` and `labels/val` in Ultralytics' layout."""
    for path in sorted((school / "images" / "val").glob("*.jpg")):
        image = cv2.imread(str(path))
        if image is not None:
            lines = (school / "labels" / "val" / f"{path.stem}.txt").read_text(encoding="utf-8").splitlines()
            picture = np.asarray(image, np.uint8)
            yield Sample(path, picture, parse_labels(taught_lines(lines), picture.shape[1], picture.shape[0]))


def parse_labels(lines: Sequence[str], width_px: int, height_px: int) -> Detections:
    """Parse truth from lines of `class x1 y1 x2 y2 x3 y3 x4 y4`, in shares of the picture's width and height."""
    rows = np.array([line.split() for line in lines if line.strip()], np.float64).reshape(-1, 9)
    corners = rows[:, 1:].reshape(-1, 4, 2) * (width_px, height_px)
    return Detections(order_corners(corners), rows[:, 0].astype(np.int64), np.ones(len(rows)))


def match(sample: Sample, found: Detections) -> Match:
    """Match each detection, best first, to the free object of its class that it overlaps most."""
    truth_of = np.full(len(found), -1)
    found_of = np.full(len(sample.truth), -1)
    for i in np.argsort(-found.score, kind="stable"):
        best, overlap = -1, OVERLAP
        for j in np.flatnonzero((found_of < 0) & (sample.truth.label == found.label[i])):
            here = polygon_iou(_single(found, int(i)), _single(sample.truth, int(j)))
            best, overlap = (int(j), here) if here > overlap else (best, overlap)
        if best >= 0:
            truth_of[i], found_of[best] = best, i
    return Match(sample, found, truth_of, found_of)


def average_precision(matches: Sequence[Match], label: int) -> float:
    """Return the area under the precision envelope over recall, for one class; NaN if it has no objects."""
    count = sum(int((each.sample.truth.label == label).sum()) for each in matches)
    if not count:
        return float("nan")
    scores = np.concatenate([each.found.score[each.found.label == label] for each in matches])
    hits = np.concatenate([each.truth_of[each.found.label == label] >= 0 for each in matches])
    right = np.cumsum(hits[np.argsort(-scores, kind="stable")])
    precision = right / np.arange(1, len(right) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    steps = np.diff(np.concatenate([[0.0], right / count]))
    return float((steps * envelope).sum())


def summarise(matches: Sequence[Match], score: float) -> dict[str, Any]:
    """Return the figures per class and the mean average precision."""
    classes = {name: _figures(matches, label, score) for label, name in enumerate(LABELS)}
    precisions = [figures["ap50"] for figures in classes.values() if np.isfinite(figures["ap50"])]
    return {"tiles": len(matches), "score": score, "map50": float(np.mean(precisions)), "classes": classes}


def _figures(matches: Sequence[Match], label: int, score: float) -> dict[str, float]:
    objects = found = right = 0
    off_mm: list[float] = []
    for each in matches:
        is_told = (each.found.label == label) & (each.found.score >= score)
        is_right = is_told & (each.truth_of >= 0)
        objects += int((each.sample.truth.label == label).sum())
        found += int(is_told.sum())
        right += int(is_right.sum())
        middles = each.found.centres_mm[is_right] - each.sample.truth.centres_mm[each.truth_of[is_right]]
        off_mm.extend((np.linalg.norm(middles, axis=1) / PX_PER_MM).tolist())
    return {
        "ap50": average_precision(matches, label),
        "objects": objects,
        "recall": right / objects if objects else float("nan"),
        "precision": right / found if found else float("nan"),
        "median_off_mm": float(np.median(off_mm)) if off_mm else float("nan"),
        "p95_off_mm": float(np.percentile(off_mm, 95)) if off_mm else float("nan"),
    }


def draw(each: Match, score: float) -> Image:
    """Draw the tile twice: with its truth, and with the detections; mistakes have thick lines."""
    left, right = (
        np.asarray(cv2.resize(each.sample.image, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
        for _ in range(2)
    )
    for j, label in enumerate(each.sample.truth.label):
        is_missed = each.found_of[j] < 0 or each.found.score[each.found_of[j]] < score
        _outline(left, each.sample.truth.corners_mm[j], int(label), thick=bool(is_missed))
    for i, label in enumerate(each.found.label):
        if each.found.score[i] >= score:
            _outline(right, each.found.corners_mm[i], int(label), thick=bool(each.truth_of[i] < 0))
    return np.hstack([left, right])


def mistakes(each: Match, score: float) -> int:
    """Return the number of missed objects and of false detections, at the running score."""
    told = each.found.score >= score
    missed = sum(1 for i in each.found_of if i < 0 or not told[i])
    return missed + int((told & (each.truth_of < 0)).sum())


def evaluate(school: Path, *, worst: Path | None = None, worst_count: int = 24) -> dict[str, Any]:
    """Run the registry's detector over the held-out tiles and return its figures."""
    sharp, broad = Detector.open(), Detector.open(score=LOWEST_SCORE)
    side = float(sharp.tile_px)
    samples = list(read_samples(school))
    matches, spent_s = [], []
    for sample in samples:
        start = perf_counter()
        sharp.detect(sample.image, (0.0, 0.0), 1.0)
        spent_s.append(perf_counter() - start)
        found = broad.detect(sample.image, (0.0, 0.0), 1.0)
        matches.append(match(sample, found.take(holds((0.0, 0.0, side, side), found.centres_mm))))
    if worst is not None:
        worst.mkdir(parents=True, exist_ok=True)
        ranked = sorted(matches, key=lambda each: -mistakes(each, sharp.score))[:worst_count]
        for rank, each in enumerate(ranked):
            cv2.imwrite(str(worst / f"{rank:02d}-{each.sample.path.stem}.png"), draw(each, sharp.score))
    return {**summarise(matches, sharp.score), "median_ms": float(np.median(spent_s) * 1000)}


def exam_figures(detector: Detector) -> dict[str, float]:
    """Return the detector's figures for `models/metrics.yaml`, as `label.figure`, on tiles of held-out worlds."""
    matches = []
    for world_number in range(EXAM_WORLDS):
        rng = np.random.default_rng([EXAM_SEED, world_number])
        world = random_world(rng, "held_out", deck_names("held_out", None))
        deck = load_deck(world.deck)
        renderer = SceneRenderer(world, deck=deck)
        for _ in range(EXAM_SCENES):
            scene = random_scene(world, rng, faces=deck.cards)
            for tile in school_tiles(world, scene, rng, count=EXAM_TILES, renderer=renderer):
                truth = parse_labels(taught_lines(label_lines(tile.boxes).splitlines()), 320, 320)
                found = detector.detect(tile.image_hw3, (0.0, 0.0), 1.0)
                inside = holds((0.0, 0.0, 320.0, 320.0), found.centres_mm)
                matches.append(match(Sample(Path("drawn"), tile.image_hw3, truth), found.take(inside)))
    return flattened(summarise(matches, detector.score)["classes"])


def _single(boxes: Detections, row: int) -> NDArray[np.float32]:
    return np.asarray(boxes.corners_mm[row], np.float32)


def _outline(image: Image, corners: NDArray[np.float64], label: int, *, thick: bool) -> None:
    points = np.round(corners * 2).astype(np.int32)
    cv2.polylines(image, [points], True, _COLOURS[label], 3 if thick else 1, cv2.LINE_AA)


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate as the command line asks, and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="thirdcard.models.detector.detector_evaluate", description=__doc__)
    parser.add_argument("school", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--worst", type=Path, help="a folder for pictures of the worst tiles")
    options = parser.parse_args(arguments)
    text = json.dumps(evaluate(options.school, worst=options.worst), indent=1)
    print(text)
    if options.json is not None:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
