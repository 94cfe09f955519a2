"""Find this table's back, by its picture, on things that came to lie where no card belongs.

The detector hardly recognises some backs. In the card regions they are found where the bare cloth is hidden
(`background_difference.py`); elsewhere the cloth is not kept, and only what has just come to lie there is compared, at
any angle. What was found once is looked for again where it lay. What the detector takes for a cutting card is compared
as well. Layout millimetres.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.background_difference import LEFTOVER_SCORE, true_rectangle
from thirdcard.vision.cards.card_reading import IsCovered
from thirdcard.vision.cards.loose_cards import BACK_SCORE
from thirdcard.vision.cards.table_backs import TableBacks
from thirdcard.vision.cards.tracker import ONE_CARD_MM, CardSight
from thirdcard.vision.frames import Image
from thirdcard.vision.plane.change_gate import Polygon, Polygons
from thirdcard.vision.plane.rectify import Rectifier

TURNS_DEG = (0.0, -4.0, 4.0, -8.0, 8.0, -12.0, 12.0)
"""By how much a thing may be turned against the rectangle about its cells. Their outline gives a card's angle to
some 10 degrees, and 2 degrees more or less cost the picture's likeness nothing."""
REACH_MM = 80.0
"""Half the side of the square that is compared: a card's half diagonal (54 mm), its place uncertain by two cells, and
the rim that the search needs."""
LOST_LOOKS = 5
"""Looks at a free place, one after the other, that must not show a back before it is no longer looked for there."""
PILE_S = 3.0
"""Interval in seconds at which a pile's uppermost card is looked at: it changes once in a round."""

CropOf = Callable[[Polygon], Image | None]
"""Returns the reader's crop of a place, (4, 2) mm; None where it is outside the picture."""


@dataclass(slots=True, eq=False)
class _Lying:
    """A back that was found."""

    corners_mm: Polygon
    turn_deg: float
    missed: int = 0


@dataclass(slots=True)
class LooseBacks:
    """The backs that lie where no card belongs."""

    backs: TableBacks
    rectifier: Rectifier
    card_mm: tuple[float, float]
    _lying: list[_Lying] = field(default_factory=list)

    def update(self, image: Image, things_mm: Sequence[Polygon], is_covered: IsCovered) -> list[CardSight]:
        """Take one look and return the backs in sight.

        Args:
            image: The camera's whole picture.
            things_mm: (4, 2) each: rectangles about what has come to lie there and is not named.
            is_covered: Whether something lies over a place, (4, 2) mm.
        """
        if not self.backs.are_known:
            return []
        told = []
        for one in list(self._lying):
            if is_covered(one.corners_mm):
                continue
            again = self._found(image, one.corners_mm.mean(axis=0), (one.turn_deg,))
            one.missed = one.missed + 1 if again is None else 0
            if again is not None:
                told.append(self._sight(again.corners_mm))
            elif one.missed >= LOST_LOOKS:
                self._lying.remove(one)
        for thing in things_mm:
            if not self._is_lying_at(thing.mean(axis=0)):
                side = thing[1] - thing[0]
                about_deg = float(np.degrees(np.arctan2(side[1], side[0])))
                found = self._found(image, thing.mean(axis=0), [about_deg + turn for turn in TURNS_DEG])
                if found is not None:
                    self._lying.append(found)
                    told.append(self._sight(found.corners_mm))
        return told

    @property
    def places_mm(self) -> list[Polygon]:
        """Where backs lie, (4, 2) each. Nothing hides their pictures, or did when they were last in sight."""
        return [one.corners_mm for one in self._lying]

    def _is_lying_at(self, at_mm: NDArray[np.float64]) -> bool:
        near_mm = min(self.card_mm) / 2
        return any(float(np.linalg.norm(one.corners_mm.mean(axis=0) - at_mm)) < near_mm for one in self._lying)

    def _found(self, image: Image, at_mm: NDArray[np.float64], turns_deg: Sequence[float]) -> _Lying | None:
        """Return the back about a point, at the angle at which it is most like a known one; None if there is none."""
        scale, best, best_likeness = self.rectifier.px_per_mm, None, 0.0
        origin = self.rectifier.snapped_mm((float(at_mm[0]) - REACH_MM, float(at_mm[1]) - REACH_MM))
        side_px = round(2 * REACH_MM * scale)
        tile, everywhere = self.rectifier.tile(image, origin, (side_px, side_px)), np.ones((side_px, side_px), bool)
        for turn_deg in turns_deg:
            turn = cv2.getRotationMatrix2D(((side_px - 1) / 2, (side_px - 1) / 2), turn_deg, 1.0)
            upright = cv2.warpAffine(tile, turn, (side_px, side_px), borderMode=cv2.BORDER_REPLICATE)
            backs = self.backs.find(np.asarray(cv2.blur(upright, (3, 3)), np.float32), everywhere)
            if backs and backs[0].likeness > best_likeness:
                corners_px = cv2.transform(backs[0].corners_px[None], cv2.invertAffineTransform(turn))[0]
                corners_mm = true_rectangle(corners_px / scale + np.array(origin), self.card_mm)
                best, best_likeness = _Lying(corners_mm, turn_deg), backs[0].likeness
        return best

    def _sight(self, corners_mm: Polygon) -> CardSight:
        return CardSight(corners_mm=corners_mm, face_up=False, score=LEFTOVER_SCORE, log_probs=self.backs.log_probs)


def joined(sights: Sequence[CardSight], backs: Sequence[CardSight]) -> list[CardSight]:
    """Return the backs and those of the detector's sights that show other cards: the picture is surer than the box."""
    others = [each for each in sights if all(np.linalg.norm(back.at_mm - each.at_mm) >= ONE_CARD_MM for back in backs)]
    return [*others, *backs]


@dataclass(slots=True)
class Piles:
    """Where cards lie face down on each other: the uppermost shows the table's back before any card is turned."""

    backs: TableBacks
    places: Polygons
    _learnt_t: dict[str, float] = field(default_factory=dict)

    def update(self, sights: Sequence[CardSight], t: float, crop_of: CropOf, is_covered: IsCovered) -> None:
        """Note the uppermost card of each pile that is in plain sight and was not looked at for a while."""
        for name, polygon in self.places.items():
            if t - self._learnt_t.get(name, -np.inf) < PILE_S:
                continue
            tops = [one for one in sights if _lies_in(one, polygon) and not is_covered(one.corners_mm)]
            top = max(tops, key=lambda sight: sight.score, default=None)
            crop = None if top is None else crop_of(top.corners_mm)
            if crop is not None:
                self.backs.lies_uppermost(name, crop)
                self._learnt_t[name] = t


def _lies_in(sight: CardSight, polygon: Polygon) -> bool:
    """Whether a back lies in a place, beyond doubt."""
    at = (float(sight.at_mm[0]), float(sight.at_mm[1]))
    is_inside = cv2.pointPolygonTest(polygon.astype(np.float32), at, False) >= 0
    return is_inside and not sight.face_up and sight.score >= BACK_SCORE


def own_backs(sights: Sequence[CardSight], crop_of: CropOf, backs: TableBacks) -> list[CardSight]:
    """Return the apparent cutting cards that look like the table's own back, as backs."""
    crops = [crop_of(sight.corners_mm) for sight in sights]
    return [
        replace(sight, is_like_cut_card=False, log_probs=backs.log_probs)
        for sight, crop in zip(sights, crops, strict=True)
        if crop is not None and backs.is_one(crop)
    ]
