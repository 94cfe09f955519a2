"""Score recognised cards against labelled photographs.

A labelled card is matched with the recognised card that overlaps it most. A labelled corner index is matched with the
recognised card that contains it; of several, with the one whose corner is nearest. Points are px of the evaluated
photograph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.photo.recognised import Recognised

LEAST_OVERLAP = 0.3
"""Minimum intersection over union of the upright boxes."""
SURE = 0.99
NO_FACE = frozenset({"BACK", "JOKER"})
INDEX = "index"

Box = tuple[float, float, float, float]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledCard:
    """One label of a photograph."""

    label: str
    box_px: Box
    """x1, y1, x2, y2."""
    kind: str = "card"
    """`card`: the box encloses the whole card; `index`: it encloses one corner index."""
    outline_px: tuple[Point, ...] = ()
    """The label's corners; if empty, those of the box."""

    @property
    def size_px(self) -> float:
        """The shorter side of the box."""
        return min(self.box_px[2] - self.box_px[0], self.box_px[3] - self.box_px[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingMistake:
    """A label that was not read correctly, or a reading without a label."""

    kind: str
    """`wrong`, `unread`, `not found` or `false`."""
    box_px: Box
    truth: str | None
    said: str | None
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts over labelled faces."""

    right: int = 0
    wrong: int = 0
    unread: int = 0
    not_found: int = 0
    false: int = 0
    """Readings where there is no face; counted only in completely labelled photographs."""
    sure_wrong: int = 0
    """Wrong and false readings with a confidence of 99 % or more."""
    mistakes: tuple[ReadingMistake, ...] = field(default=(), repr=False)

    @property
    def labelled(self) -> int:
        """Number of labelled faces."""
        return self.right + self.wrong + self.unread + self.not_found

    @property
    def precision(self) -> float | None:
        """Share of the reported faces that are right; None if none was reported."""
        said = self.right + self.wrong + self.false
        return self.right / said if said else None

    @property
    def recall(self) -> float | None:
        """Share of the labelled faces that are read right; None if there are none."""
        return self.right / self.labelled if self.labelled else None

    def __add__(self, other: Score) -> Score:
        return Score(
            right=self.right + other.right,
            wrong=self.wrong + other.wrong,
            unread=self.unread + other.unread,
            not_found=self.not_found + other.not_found,
            false=self.false + other.false,
            sure_wrong=self.sure_wrong + other.sure_wrong,
            mistakes=self.mistakes + other.mistakes,
        )


def score_photograph(labels: Sequence[LabelledCard], found: Sequence[Recognised], *, is_complete: bool) -> Score:
    """Score one photograph."""
    cards = [thing for thing in found if thing.kind == "card"]
    total, used = Score(), set[int]()
    for label, partner in zip(labels, pair(labels, cards), strict=True):
        if partner is not None:
            used.add(partner)
        total += _judge(label, None if partner is None else cards[partner])
    if is_complete:
        strays = [card for i, card in enumerate(cards) if i not in used and card.label is not None]
        total += sum((_stray(card) for card in strays), Score())
    return total


def pair(labels: Sequence[LabelledCard], cards: Sequence[Recognised]) -> list[int | None]:
    """Return for each label the index of the matched card, or None; a whole card is matched with one label only."""
    partners: list[int | None] = [None] * len(labels)
    ranked = sorted(
        (
            (_overlap(label, card), i, j)
            for i, label in enumerate(labels)
            for j, card in enumerate(cards)
            if _overlap(label, card) >= LEAST_OVERLAP
        ),
        key=lambda entry: -entry[0],
    )
    taken: set[int] = set()
    for _, i, j in ranked:
        if partners[i] is None and (j not in taken or labels[i].kind == INDEX):
            partners[i] = j
            taken.add(j)
    return partners


def turning(size_wh_px: tuple[int, int], degrees: float) -> tuple[NDArray[np.float64], tuple[int, int]]:
    """Return the affine map that rotates a picture counterclockwise into one that holds all of it.

    Returns:
        (2, 3), for points with (0, 0) at the picture's corner: x' = x cos t + y sin t + a, y' = y cos t - x sin t + b;
        and
        the new width and height.
    """
    width, height = size_wh_px
    turn = np.deg2rad(degrees)
    cosine, sine = round(float(np.cos(turn)), 12), round(float(np.sin(turn)), 12)
    axes = np.array([[cosine, sine], [-sine, cosine]])
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ axes.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    new_width, new_height = (int(side) for side in np.ceil(high - low - 1e-6))
    return np.column_stack([axes, (np.array([new_width, new_height]) - (low + high)) / 2]), (new_width, new_height)


def turn_labels(labels: Iterable[LabelledCard], size_wh_px: tuple[int, int], degrees: float) -> list[LabelledCard]:
    """Return the labels of a photograph rotated counterclockwise; boxes stay upright round the rotated outlines."""
    matrix, _ = turning(size_wh_px, degrees)
    return [_with_outline(each, _outline(each) @ matrix[:, :2].T + matrix[:, 2]) for each in labels]


def scale_labels(labels: Iterable[LabelledCard], scale: float) -> list[LabelledCard]:
    """Return the labels of a scaled photograph."""
    return [_with_outline(each, _outline(each) * scale) for each in labels]


def box_of(polygon_px: NDArray[np.float64]) -> Box:
    """Return the upright box round a polygon."""
    (x1, y1), (x2, y2) = polygon_px.min(axis=0), polygon_px.max(axis=0)
    return float(x1), float(y1), float(x2), float(y2)


def _judge(label: LabelledCard, card: Recognised | None) -> Score:
    said = None if card is None else card.label
    confidence = 0.0 if card is None else card.confidence
    if label.label in NO_FACE:
        return Score() if card is None or said is None else _stray(card)
    if said == label.label:
        return Score(right=1)
    kind = "not found" if card is None else "unread" if said is None else "wrong"
    mistake = ReadingMistake(kind=kind, box_px=label.box_px, truth=label.label, said=said, confidence=confidence)
    is_wrong = kind == "wrong"
    return Score(
        wrong=int(is_wrong),
        unread=int(kind == "unread"),
        not_found=int(kind == "not found"),
        sure_wrong=int(is_wrong and confidence >= SURE),
        mistakes=(mistake,),
    )


def _stray(card: Recognised) -> Score:
    mistake = ReadingMistake(
        kind="false", box_px=box_of(card.polygon_px), truth=None, said=card.label, confidence=card.confidence
    )
    return Score(false=1, sure_wrong=int(card.confidence >= SURE), mistakes=(mistake,))


def _overlap(label: LabelledCard, card: Recognised) -> float:
    if label.kind == INDEX:
        x1, y1, x2, y2 = label.box_px
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        if cv2.pointPolygonTest(card.polygon_px.astype(np.float32), middle, False) < 0:
            return 0.0
        return 1.0 + 1.0 / (1.0 + float(np.linalg.norm(card.polygon_px - np.array(middle), axis=1).min()))
    return _shared(label.box_px, box_of(card.polygon_px))


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return width * height / (sum(areas) - width * height)


def _outline(label: LabelledCard) -> NDArray[np.float64]:
    """Return a label's corners, (N, 2)."""
    x1, y1, x2, y2 = label.box_px
    return np.array(label.outline_px or ((x1, y1), (x2, y1), (x2, y2), (x1, y2)), np.float64)


def _with_outline(label: LabelledCard, outline: NDArray[np.float64]) -> LabelledCard:
    points = tuple((float(x), float(y)) for x, y in outline)
    return replace(label, box_px=box_of(outline), outline_px=points)
