"""Evaluate how well cards are read by their corner indices, with finder and reader together.

    python -m thirdcard.models.index.index_evaluate

Draws fans, rows, piles and hands of decks not used in training, and counts the results for the visible indices.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.models.index.index_bank import IndexBank, measure, open_index_banks
from thirdcard.models.index.index_reader_crops import CLASSES, HIDDEN, UNCLEAR, is_readable
from thirdcard.models.index.index_scenes import IndexScene, SceneLesson, SceneSchool
from thirdcard.models.reader import reader_evaluate
from thirdcard.vision.inference.index_finder import IndexFinder, Indices
from thirdcard.vision.inference.index_reader import IndexReader

EXAM = SceneLesson(side_px=384, index_px=(9.0, 60.0))
HEIGHT_BANDS_PX = ((7, 10), (10, 14), (14, 20), (20, 30), (30, 90))
CONFIDENCE_BANDS = ((0.5, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 1.01))
EXAM_SCENES, SURE = 60, 0.99
_NEAR = 0.4
_UPRIGHT = 0.8
NOT_ASKED = -1
"""Label of a half covered or blurred index: it may be read or not, and is not scored."""


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """Results of finder and reader on scenes; N detections, M readable indices."""

    labels: npt.NDArray[np.int64]
    """(N,): what each detection shows, a class or NOT_ASKED."""
    logits: npt.NDArray[np.float64]
    """(N, 53): log probabilities from the reader."""
    wanted_px: npt.NDArray[np.float64]
    """(M,): heights of the indices that a person could read."""
    found_px: npt.NDArray[np.float64]
    """(N,): height of the index that each detection shows; 0 if none."""


def read_out(scenes: Iterable[IndexScene], finder: IndexFinder, reader: IndexReader) -> Readout:
    """Run finder and reader on scenes as at run time."""
    labels, logits, wanted, heights = [], [], [], []
    for scene in scenes:
        image = np.ascontiguousarray(scene.picture[..., ::-1])
        found = finder.find(image)
        told, at = match(found, scene)
        labels.append(told)
        heights.append(np.where(at >= 0, scene.sizes_px[at, 1] if len(scene.labels) else 0.0, 0.0))
        logits.append(reader.read(image, found).log_probs)
        wanted.append(scene.sizes_px[is_readable(scene), 1])
    return Readout(np.concatenate(labels), np.concatenate(logits), np.concatenate(wanted), np.concatenate(heights))


def exam_bank() -> IndexBank:
    """Return the generated decks for the final evaluation, from `reader_evaluate.exam_bank`."""
    drawn = reader_evaluate.exam_bank()
    corners = np.array([len(each) for each in drawn.index_boxes_mm])
    return IndexBank(bank=drawn, boxes_mm=measure(drawn), corners=corners)


def exam_readout(finder: IndexFinder, reader: IndexReader) -> Readout:
    """Run finder and reader on the scenes of the final evaluation."""
    lesson = SceneLesson(index_px=(16.0, 40.0), strength=0.5, shrunk=0.0, backdrops=12)
    school = SceneSchool([exam_bank()], seed=31, lesson=lesson)
    return read_out([school.scene() for _ in range(EXAM_SCENES)], finder, reader)


def exam_figures(readout: Readout) -> dict[str, float]:
    """Return the metrics that `models/metrics.yaml` requires of the index finder and reader together."""
    said = is_said(readout.logits)
    is_right = readout.logits.argmax(axis=1) == readout.labels
    right, wrong = said & is_right, said & ~is_right & (readout.labels >= 0)
    sure = said & (readout.labels >= 0) & (np.exp(readout.logits.max(axis=1)) >= SURE)
    return {
        "recall": float(right.sum() / max(1, len(readout.wanted_px))),
        "precision": float(right.sum() / max(1, right.sum() + wrong.sum())),
        "right_when_sure": float(is_right[sure].mean()) if sure.any() else 0.0,
        "wanted": float(len(readout.wanted_px)),
        "sure": float(sure.sum()),
    }


def match(found: Indices, scene: IndexScene) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Match detections to the indices of a scene; each index is matched at most once.

    Returns:
        Per detection its class and the row of its index in the scene, -1 if it matches none.
    """
    labels, rows = np.full(len(found), UNCLEAR), np.full(len(found), -1)
    if not len(scene.labels):
        return labels, rows
    readable, taken = is_readable(scene), set[int]()
    for i in range(len(found)):
        away = np.linalg.norm(scene.centres_px - found.centres_px[i], axis=1) / scene.sizes_px[:, 1]
        near = np.flatnonzero((away < _NEAR) & (scene.ups @ found.ups[i] > _UPRIGHT) & (scene.shown >= HIDDEN))
        free = [int(j) for j in near if int(j) not in taken]
        if free:
            rows[i] = min(free, key=lambda j: (not readable[j], away[j]))
            taken.add(int(rows[i]))
            labels[i] = scene.labels[rows[i]] if readable[rows[i]] else NOT_ASKED
    return labels, rows


def table(readouts: dict[str, Readout]) -> list[str]:
    """Return a Markdown table with recall by index height; `wrong` and `false` are counts."""
    bands = [f"{low}-{high} px" for low, high in HEIGHT_BANDS_PX]
    lines = ["| scenes | indices | read rightly | wrong | false | precision | " + " | ".join(bands) + " |"]
    lines.append("| --- |" + " ---: |" * (5 + len(bands)))
    for name, readout in readouts.items():
        said = is_said(readout.logits)
        right = said & (readout.logits.argmax(axis=1) == readout.labels)
        wrong = said & ~right & (readout.labels >= 0)
        false = wrong & (readout.labels == UNCLEAR)
        shares = [_recall(readout, right, low, high) for low, high in HEIGHT_BANDS_PX]
        precision = right.sum() / max(1, right.sum() + wrong.sum())
        cells = [len(readout.wanted_px), _percent(_recall(readout, right, 0, 1e9)), wrong.sum() - false.sum()]
        cells += [false.sum(), _percent(precision), *map(_percent, shares)]
        lines.append(f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def reliability(readouts: Iterable[Readout]) -> list[str]:
    """Return a Markdown table of the accuracy of readings by confidence."""
    parts = list(readouts)
    labels = np.concatenate([part.labels for part in parts])
    logits = np.concatenate([part.logits for part in parts])
    confidence, asked = np.exp(logits.max(axis=1)), is_said(logits) & (labels >= 0)
    right = logits.argmax(axis=1) == labels
    lines = ["| confidence | indices | right |", "| --- | ---: | ---: |"]
    for low, high in CONFIDENCE_BANDS:
        band = asked & (confidence >= low) & (confidence < high)
        if band.any():
            lines.append(f"| {low} to {min(high, 1.0)} | {band.sum()} | {100 * right[band].mean():.2f} % |")
    return lines


def is_said(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which detections are reported as a card, (N,) bool: confidence 0.5 or more."""
    return np.asarray((logits.argmax(axis=1) != UNCLEAR) & (np.exp(logits.max(axis=1)) >= 0.5))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables of a model card; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.index.index_evaluate", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--decks", type=Path, default=Path("build/decks"), help="what thirdcard.datasets.decks.rasterise made"
    )
    parser.add_argument("--scenes", type=int, default=400, help="scenes per row")
    told = parser.parse_args(arguments)
    decks = told.decks if told.decks.is_dir() else None
    banks = open_index_banks("held_out", decks=decks, photos=None, folder=Path("build/index"))
    finder, reader = IndexFinder.open(), IndexReader.open()
    readouts = {}
    for kind, weight in (("machine-drawn decks", 0.0), ("artwork decks", 1e6))[: 1 if decks is None else 2]:
        for name, strength in (("all a camera does", 1.0), ("usual camera", 0.5)):
            school = SceneSchool(banks, seed=4711, lesson=replace(EXAM, artwork_weight=weight, strength=strength))
            scenes = (school.scene() for _ in range(told.scenes))
            readouts[f"{kind}, {name}"] = read_out(scenes, finder, reader)
    sys.stdout.write("\n".join([*table(readouts), "", *reliability(readouts.values()), ""]))
    for name, readout in readouts.items():
        read, said = readout.logits.argmax(axis=1), is_said(readout.logits)
        wrong = np.flatnonzero(said & (readout.labels >= 0) & (read != readout.labels))
        pairs = Counter((CLASSES[readout.labels[i]], CLASSES[read[i]]) for i in wrong)
        sys.stdout.write(f"{name}: " + ", ".join(f"{a} read {b} {n} x" for (a, b), n in pairs.most_common(12)) + "\n")
    return 0


def _recall(readout: Readout, right: npt.NDArray[np.bool_], low: float, high: float) -> float:
    wanted = (readout.wanted_px >= low) & (readout.wanted_px < high)
    hits = right & (readout.found_px >= low) & (readout.found_px < high)
    return float(hits.sum() / wanted.sum()) if wanted.any() else float("nan")


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{100 * share:.1f} %"


if __name__ == "__main__":
    sys.exit(main())
