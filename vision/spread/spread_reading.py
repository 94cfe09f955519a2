"""Read all cards of a spread: find the rows, cut them into cards, and read each from its visible strip.

The reader of strips is passed in. Knows labels and their expected sequences, not what they mean. What cannot be seen is
marked: a card that something covers, and a stretch in which no edge was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.detections import CHIPS, HAND, Detections
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import RIM, WIDTH_PX, card_crop
from thirdcard.vision.inference.reader import BACK, UNCLEAR, Readings
from thirdcard.vision.spread.spread_decode import (
    STRANGE_LOG_PROB,
    Logs,
    RowPlace,
    Succession,
    any_order,
    cut_row,
    decode_row,
    emissions,
    succession,
)
from thirdcard.vision.spread.spread_rows import RowLine, find_rows, in_reading_order
from thirdcard.vision.spread.spread_strips import Edges, find_edges, followed, usual_pitch

WIDE = 1.75
"""A strip that is this many times as wide as usual may hide a card's edge."""
COVERED_SHARE = 0.12
"""A strip covered by a hand or chips to a larger share than this counts as hidden."""
LOOSE = 0.9
"""From this distance on, in widths, cards lie beside each other and do not overlap."""
LAST_OFF = 0.12
"""Tolerance for where the last card begins, in widths, given the row's end."""
WAY_SAMPLES = 24
"""Strips that are read both ways to find the direction in which the cards overlap: more are more reliable and take
longer. Chosen by hand."""
CLEAR_WAY = 0.6
"""Least advantage, in log probability, of the better direction."""
UNORDERED_GAIN = 6.0
"""Least advantage, in log probability, of reading a row as unordered."""
CLOTH_LEVEL = 0.88
"""Something unread that is darker than this share of the row's paper is cloth."""
RIM_PX = 12
"""Rows left out at either end of a crop's 112: 8 px of rim beyond the card and 4 px of its edge."""
BACK_FROM = 0.3
"""Probability from which something that is no face counts as a back: much of it is covered."""
READ_FROM = 0.9
"""Confidence below which a place is doubtful."""


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """A card of which a part is visible."""

    corners_mm: NDArray[np.float64]
    """(4, 2) the whole card, clockwise, beginning with a shorter side."""
    shown: tuple[float, float]
    """The part that no other card covers: from and to, in widths of the card from its left side."""
    is_cut: bool = False
    """Whether the visible part is known, not only assumed."""


class CropReader(Protocol):
    """Reads crops of whole cards."""

    labels: tuple[str, ...]

    def read(self, crops: Sequence[Image]) -> Readings:
        """Return the log probabilities of the labels, one row for each crop."""


class StripReader(Protocol):
    """Reads a card's face from a visible strip of it."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that it distinguishes."""

    def read(self, image: Image, calibration: Calibration, strips: Sequence[Strip]) -> Logs:
        """Return calibrated log probabilities, (N, labels); (0, labels) for no strips."""


@dataclass(frozen=True, slots=True)
class WholeCardReader:
    """Reads strips with the reader of whole cards, which also reads partly covered ones."""

    reader: CropReader

    @property
    def labels(self) -> tuple[str, ...]:
        """The reader's labels."""
        return self.reader.labels

    def read(self, image: Image, calibration: Calibration, strips: Sequence[Strip]) -> Logs:
        """Read each strip with its covering neighbours; where the visible part is known, again with the rest replaced.

        The covered part is replaced by the card's own visible paper, turned by 180 degrees, and both readings are
        averaged.
        """
        crops = [strip_crop(image, calibration, strip) for strip in strips]
        whole = [
            _mended(crop, strip.shown) if strip.is_cut else crop for crop, strip in zip(crops, strips, strict=True)
        ]
        seen = [n for n, crop in enumerate(crops) if crop is not None]
        logs = np.full((len(strips), len(self.labels)), -np.log(len(self.labels)))
        if seen:
            again = [n for n in seen if strips[n].is_cut]
            logs[seen] = self.reader.read([crop for crop in crops if crop is not None]).log_probs
            if again:
                mended = self.reader.read([crop for n in again if (crop := whole[n]) is not None]).log_probs
                logs[again] = 0.5 * (logs[again] + mended)
        return logs


def _mended(crop: Image | None, shown: tuple[float, float]) -> Image | None:
    """Replace the covered part of a crop by the rest turned by 180 degrees.

    Both ends of a face look much the same.
    """
    if crop is None:
        return None
    own, mended = shown_columns(shown), crop.copy()
    turned = crop[::-1, ::-1]
    mended[:, : own.start], mended[:, own.stop :] = turned[:, : own.start], turned[:, own.stop :]
    return mended


@dataclass(frozen=True, slots=True, eq=False)
class SeenCard:
    """One place of a row and what is known of it."""

    strip: Strip
    label: str | None
    """The face; None where it is none of those expected, shows its back, or cannot be seen."""
    confidence: float
    """0 to 1, of the label, or of being none of the expected ones."""
    expected: str
    """The face that the sequence expects there."""
    is_back: bool = False
    is_hidden: bool = False
    """Whether a hand or chips cover it; then nothing is reported about it."""
    hides: bool = False
    """Whether the strip is so wide that a further card may lie in it without a visible edge."""
    likeness: float | None = None
    """Similarity to the other cards, or to the enrolled one, of the face it shows; None where there are none."""
    is_odd: bool = False
    """Whether that is far lower than its neighbours' similarity to theirs."""

    @property
    def is_sure(self) -> bool:
        """Whether the result is beyond doubt."""
        return not self.is_hidden and self.confidence >= READ_FROM


@dataclass(frozen=True, slots=True, eq=False)
class SeenRow:
    """One row, in the order in which its cards follow each other."""

    cards: tuple[SeenCard, ...]
    is_ordered: bool
    """Whether they follow the expected sequences at all."""
    pitch_mm: float


def read_spread(
    image: Image,
    calibration: Calibration,
    found: Detections,
    reader: StripReader,
    *,
    runs: Sequence[Sequence[str]],
    card_mm: tuple[float, float],
) -> list[SeenRow]:
    """Read all rows of a spread.

    Args:
        image: The camera's picture, or the mean of several of a still spread.
        calibration: The camera's.
        found: The detections in it, in layout mm.
        reader: Reads the visible strips of cards.
        runs: The labels in the sequences in which cards are expected.
        card_mm: A card's width and height.
    """
    given = succession([[reader.labels.index(label) for label in run] for run in runs])
    hiding = found.of(CHIPS, HAND)
    rows = []
    for row in in_reading_order(find_rows(found, card_mm)):
        made = _RowReader(image, calibration, followed(image, calibration, row, card_mm), reader, given, card_mm)
        rows.append(_read_row(made, hiding))
    return rows


def strip_crop(image: Image, calibration: Calibration, strip: Strip) -> Image | None:
    """Return the crop of the whole card's place, including what covers it; None where it is outside the picture."""
    return card_crop(image, calibration, strip.corners_mm)


def shown_columns(shown: tuple[float, float]) -> slice:
    """Return which columns of a crop show a card's own paper."""
    scale = WIDTH_PX / (1 + 2 * RIM)
    return slice(max(0, round((shown[0] + RIM) * scale)), min(WIDTH_PX, round((shown[1] + RIM) * scale)))


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """A row cut into cards that overlap in one direction.

    Each lies over the previous one, to the right (1) or to the left (-1).
    """

    side: int
    u_mm: NDArray[np.float64]
    """(N,) where each begins."""
    read: Logs
    """(N, labels) the readings there."""
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class _RowReader:
    """One row being read."""

    image: Image
    calibration: Calibration
    row: RowLine
    reader: StripReader
    given: Succession
    card_mm: tuple[float, float]

    def strips_at(
        self, u_mm: NDArray[np.float64], side: int, shown_mm: NDArray[np.float64], *, is_cut: bool = False
    ) -> list[Strip]:
        """Return cards that begin at u and extend to that side."""
        width = self.card_mm[0]
        parts = np.minimum(shown_mm / width, 1.0)
        return [
            Strip(
                self.row.card_mm(float(u + side * width / 2), self.card_mm),
                (0.0, float(part)) if side > 0 else (1.0 - float(part), 1.0),
                is_cut,
            )
            for u, part in zip(u_mm, parts, strict=True)
        ]

    def look(self, u_mm: NDArray[np.float64], side: int, shown_mm: float) -> Logs:
        """Return the readings of cards that would begin there."""
        strips = self.strips_at(u_mm, side, np.full(len(u_mm), shown_mm))
        return self.reader.read(self.image, self.calibration, strips)

    def ways(self, edges: Edges, pitch_mm: float) -> list[int]:
        """Return the directions in which the cards may overlap: only one, if a sample shows it."""
        if pitch_mm >= LOOSE * self.card_mm[0]:
            return [1]
        sample = np.linspace(0, len(edges.u_mm) - 1, min(WAY_SAMPLES, len(edges.u_mm))).astype(int)
        faces = [i for i, label in enumerate(self.reader.labels) if label not in (BACK, UNCLEAR)]
        clear = {side: self.look(edges.u_mm[sample], side, pitch_mm)[:, faces].max(axis=1).mean() for side in (1, -1)}
        if abs(clear[1] - clear[-1]) < CLEAR_WAY:
            return [1, -1]
        return [1 if clear[1] > clear[-1] else -1]

    def cut(self, edges: Edges, pitch_mm: float, side: int) -> _Cut:
        """Cut the row into cards that overlap in that direction."""
        width = self.card_mm[0]
        u, score = edges.u_mm[::side], edges.score[::side]
        read = self.look(u, side, min(pitch_mm, width))
        told = emissions(read, self.given, strange_log_probs(read, self.reader.labels))
        end = edges.to_mm if side > 0 else edges.from_mm
        is_last = np.abs(np.abs(end - u) - width) < LAST_OFF * width
        begins, total = cut_row(u, score, told, self.given, pitch_mm=pitch_mm, is_last=is_last)
        return _Cut(side, u[begins], read[begins], total)


def _read_row(made: _RowReader, hiding: Detections) -> SeenRow:
    width = made.card_mm[0]
    edges = find_edges(made.image, made.calibration, made.row, made.card_mm)
    pitch_mm = usual_pitch(edges, width)
    cut = max((made.cut(edges, pitch_mm, side) for side in made.ways(edges, pitch_mm)), key=lambda each: each.score)
    gaps = np.append(np.abs(np.diff(cut.u_mm)), width)
    strips = made.strips_at(cut.u_mm, cut.side, gaps, is_cut=True)
    labels = made.reader.labels
    read = made.reader.read(made.image, made.calibration, strips)
    strange = strange_log_probs(read, labels)
    places, total = decode_row(read, made.given, strange)
    loose, loose_total = decode_row(read, any_order(len(labels) - 2), strange)
    is_ordered = total >= loose_total - UNORDERED_GAIN
    hides = (gaps > WIDE * pitch_mm) & (np.arange(len(gaps)) < len(gaps) - 1) & (pitch_mm < LOOSE * width)
    cards = [
        _seen(strip, place, said, labels, is_hidden=_is_hidden(strip, hiding), hides=bool(wide))
        for strip, place, said, wide in zip(strips, places if is_ordered else loose, read, hides, strict=True)
    ]
    return SeenRow(tuple(_without_cloth(made, cards)), is_ordered, pitch_mm)


def _without_cloth(made: _RowReader, cards: list[SeenCard]) -> list[SeenCard]:
    """Drop cards at the row's ends that were not read and are darker than its paper: print of the cloth."""
    crops = [strip_crop(made.image, made.calibration, card.strip) for card in cards]
    light = np.array([_brightness(crop, card.strip) for crop, card in zip(crops, cards, strict=True)])
    sure = np.array([card.is_sure and card.label is not None for card in cards], bool)
    if not sure.any():
        return cards
    is_cloth = (light < CLOTH_LEVEL * float(np.median(light[sure]))) & ~sure
    first = next((n for n, cloth in enumerate(is_cloth) if not cloth), len(cards))
    last = next((n for n, cloth in enumerate(is_cloth[::-1]) if not cloth), 0)
    return cards[first : len(cards) - last]


def _brightness(crop: Image | None, strip: Strip) -> float:
    """Return the brightness of a card's visible part, in its darkest channel and its darker half."""
    columns = shown_columns(strip.shown)
    if crop is None or columns.stop - columns.start < 4:
        return 0.0
    middle = (columns.start + columns.stop) // 2
    level = crop[RIM_PX:-RIM_PX].min(axis=2)
    halves = (level[:, columns.start : middle], level[:, middle : columns.stop])
    return min(float(np.percentile(half, 65)) for half in halves)


def strange_log_probs(log_probs: Logs, labels: tuple[str, ...]) -> Logs:
    """Return the log probability of being none of the faces, (N,): a back, unreadable, or unlike any label."""
    back, unclear = log_probs[:, labels.index(BACK)], log_probs[:, labels.index(UNCLEAR)]
    return np.asarray(np.maximum(np.maximum(back, unclear - 1.0), STRANGE_LOG_PROB))


def _seen(
    strip: Strip, place: RowPlace, said: Logs, labels: tuple[str, ...], *, is_hidden: bool, hides: bool
) -> SeenCard:
    is_back = place.label is None and float(np.exp(said[labels.index(BACK)])) > BACK_FROM
    return SeenCard(
        strip=strip,
        label=None if place.label is None else labels[place.label],
        confidence=place.confidence,
        expected=labels[place.expected],
        is_back=is_back,
        is_hidden=is_hidden,
        hides=hides,
    )


def shown_corners_mm(strip: Strip) -> NDArray[np.float64]:
    """Return the corners of the card's visible part, (4, 2) mm."""
    corners = strip.corners_mm
    across = corners[1] - corners[0]
    left, right = strip.shown
    return np.array(
        [
            corners[0] + left * across,
            corners[0] + right * across,
            corners[3] + right * across,
            corners[3] + left * across,
        ]
    )


def _is_hidden(strip: Strip, hiding: Detections) -> bool:
    own = shown_corners_mm(strip).astype(np.float32)
    area = abs(cv2.contourArea(own))
    for corners in hiding.corners_mm:
        both, _ = cv2.intersectConvexConvex(own, corners.astype(np.float32))
        if both > COVERED_SHARE * area:
            return True
    return False
