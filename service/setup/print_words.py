"""Compare a table's layout with the words on its cloth: are the Player's and the Banker's boxes or bets swapped?

A single word decides nothing. Swapped means that the words of both sides contradict the layout, and hardly one
agrees with it. A cloth without words, with unknown ones, covered by chips, or too small in the picture says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import get_coordinates, minimum_rotated_rectangle
from shapely.geometry import Polygon, box

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Area, Layout
from thirdcard.service.setup.problems import SetupProblem, doubtful
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.cloth_words import ClothWordReader

OTHER_SIDE: Mapping[str, str] = {"player": "banker", "banker": "player"}
LEAST_SHARE = 0.05
"""Probabilities below it are alike: so no single area decides."""
SURE = 0.6
"""The probability from which a word counts as read, for the counts in messages and the smallest number of words."""
LEAST_OF_BET, LEAST_OF_BOX = 3.0, 2.8
"""How much the areas of either bet, and either box, must speak for the other one: the sum of their log odds, of which a
word adds 3 at most. In 450 pictures of 225 rendered tables whose layout was right no bets passed the other conditions,
and no boxes had more than 2.42 (models/cards/cloth_words.md)."""
MOST_AGREEING = 0.25
"""The share of the read words of either side that may agree with the layout in spite of that."""
STRIP = 0.7
"""Words of card boxes stand inside, above or below them, within this share of their height."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwappedPrint:
    """A swap that the words on the cloth show."""

    name: str
    """`boxes_swapped` or `bets_swapped`, as in the priors of `rules/belief/priors.yaml`."""
    area: str
    """The area whose word contradicts the layout most."""
    key: str
    """The key of that area which is wrong: `hand` or `bet`."""
    value: str
    """What the layout says there."""
    contradicting: int
    """The number of areas that read as the other side's."""
    read: int
    """The number of areas whose word is read."""

    @property
    def say(self) -> str:
        """What is read there, and what to do."""
        word = OTHER_SIDE[self.value].upper()
        if self.key == "hand":
            return (
                f"the cloth reads {word} there, and {self.value.upper()} at the other box: the Player's and the "
                "Banker's card boxes look swapped"
            )
        return (
            f"the cloth reads {word} there: Player's and Banker's bets look swapped, in {self.contradicting} of "
            f"{self.read} areas whose word can be read"
        )


def word_problems(image: Image, calibration: Calibration, layout: Layout, where: str) -> Iterator[SetupProblem]:
    """Report boxes and bets that are swapped against the words on the cloth.

    Args:
        image: (H, W, 3) uint8, of the calibration's size.
        calibration: the camera's calibration.
        layout: the table's layout.
        where: the layout's file, for messages.
    """
    for swap in swapped_print(image, calibration, layout):
        yield doubtful(where, f"areas.{swap.area}.{swap.key}", value=swap.value, say=swap.say)


def swapped_print(image: Image, calibration: Calibration, layout: Layout) -> tuple[SwappedPrint, ...]:
    """The swaps that the words on the cloth show; empty where they show none, or cannot be read.

    Raises:
        ModelError: The reader's file is missing or altered.
    """
    boxes = [area for area in layout.of_kind("hand") if area.hand in OTHER_SIDE]
    wagers = [area for area in layout.of_kind("wager") if area.bet in OTHER_SIDE]
    shares = _shares(image, calibration, layout.size_mm, boxes, wagers)
    found = (
        _swapped("boxes_swapped", "hand", boxes, shares[: len(boxes)]),
        _swapped("bets_swapped", "bet", wagers, shares[len(boxes) :]),
    )
    return tuple(one for one in found if one is not None)


def _shares(
    image: Image,
    calibration: Calibration,
    size_mm: tuple[float, float],
    boxes: Sequence[Area],
    wagers: Sequence[Area],
) -> NDArray[np.float64]:
    """The probabilities of both sides' words at each box and wagering area, (N, 2)."""
    parts = [_parts_of_box(area, boxes, size_mm) for area in boxes]
    reader = ClothWordReader.open()
    groups = ([part for each in parts for part in each], [area.polygon_mm for area in wagers])
    of_boxes, of_wagers = reader.read(image, calibration, size_mm, groups)
    best = np.zeros((len(parts), of_boxes.shape[1]))
    for owner, row in zip(np.repeat(np.arange(len(parts)), [len(each) for each in parts]), of_boxes, strict=True):
        best[owner] = row if row.max() > best[owner].max() else best[owner]
    return np.concatenate([best, of_wagers])[:, [reader.labels.index(side) for side in OTHER_SIDE]]


def _swapped(name: str, key: str, areas: Sequence[Area], shares: NDArray[np.float64]) -> SwappedPrint | None:
    """The swap of some areas, (N, 2) with the probabilities of both sides' words; None without one."""
    told = [area.hand if key == "hand" else area.bet for area in areas]
    own = np.array([list(OTHER_SIDE).index(str(side)) for side in told], int)
    rows = np.arange(len(areas))
    agrees, contradicts = shares[rows, own], shares[rows, 1 - own]
    odds = np.log(np.maximum(contradicts, LEAST_SHARE) / np.maximum(agrees, LEAST_SHARE))
    least = LEAST_OF_BOX if key == "hand" else LEAST_OF_BET
    for side in range(len(OTHER_SIDE)):
        of_side = own == side
        against = int((contradicts[of_side] >= SURE).sum())
        for_it = int((agrees[of_side] >= SURE).sum())
        if not against or odds[of_side].sum() < least or for_it > MOST_AGREEING * (against + for_it):
            return None
    worst = int(odds.argmax())
    return SwappedPrint(
        name=name,
        area=areas[worst].id,
        key=key,
        value=str(told[worst]),
        contradicting=int((contradicts >= SURE).sum()),
        read=int(((contradicts >= SURE) | (agrees >= SURE)).sum()),
    )


def _parts_of_box(area: Area, boxes: Sequence[Area], size_mm: tuple[float, float]) -> list[NDArray[np.float64]]:
    """Where the word of a card box may stand: in it, above it, below it; as polygons in mm.

    Strips that leave the cloth or reach into another box or its strips are left out.
    """
    cloth = box(0, 0, *size_mm)
    others = [strip for other in boxes if other is not area for strip in (*_strips(other), Polygon(other.polygon_mm))]
    strips = [strip for strip in _strips(area) if strip.within(cloth) and not any(map(strip.intersects, others))]
    return [area.polygon_mm, *(get_coordinates(strip)[:4] for strip in strips)]


def _strips(area: Area) -> list[Polygon]:
    """The strips along the upper and the lower side of a box, as wide as it."""
    corners = get_coordinates(minimum_rotated_rectangle(Polygon(area.polygon_mm)))[:4]
    first = int(np.argmin(corners.sum(axis=1)))  # the corner at the top left, then once round
    top_left, b, bottom_right, d = np.roll(corners, -first, axis=0)
    top_right, bottom_left = (b, d) if b[0] - top_left[0] > d[0] - top_left[0] else (d, b)
    down = (bottom_left - top_left) * STRIP
    above = Polygon([top_left - down, top_right - down, top_right, top_left])
    return [above, Polygon([bottom_left, bottom_right, bottom_right + down, bottom_left + down])]
