"""Find chips that the detector missed or doubted in an empty-looking region, by what differs from its bare cloth.

A region's bare view is kept from when it was empty. A compact piece as wide as a chip that was not there before is a
stack. Where chips were surely seen a moment ago less shows that they are there still; and where the picture is the one
that showed them, and not the bare cloth's, they are, whatever lay over them meanwhile. What looks like chips and just
like the bare cloth is its print. Layout millimetres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import CHIPS, Detections, concatenate, order_corners
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.plane.change_gate import GridFrame, Mask, largest, light_gain
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.plane.rectify import Rectifier
from thirdcard.vision.plane.tiling import Rect, holds

RIM_MM = 30.0
"""How far round its region a view reaches: a chip's radius and 10 mm of cloth, so that one whose middle lies on the
region's edge is wholly seen."""
DIFFERENT_LEVELS = 30.0
"""Grey levels of 255, in the channel that differs most, by which a pixel differs from the bare cloth. Lower, noise and
shadows pass for chips; higher, chips in the cloth's colour are missed. Chosen by hand."""
WIDTHS = (0.75, 1.35)
"""A piece's width in chip diameters."""
LENGTHS = (0.75, 2.2)
JOINED = 0.2
"""Pieces less than this many diameters apart are one: parts of a chip may look like the print that they lie on."""
FILLED = 0.68
"""Share of the rectangle round a piece that it fills; a disc fills 0.785."""
CONFIRMED = 0.55
"""Share of a doubtful box that must differ from the bare cloth; a disc fills 0.785 of its box."""
CONFIRMED_AGAIN = 0.15
"""Where chips were surely seen a moment ago: a grey chip on grey cloth differs in its rim and its shadow alone."""
LATELY_S = 2.0
"""Chips that were surely seen so lately, where nothing moved since, need less to be there still. A grey chip on grey
cloth was missed three looks in a row; longer trusts older looks. Chosen by hand."""
APART = 0.7
"""Chip diameters: a doubtful box so near to chips that are surely seen shows them again."""
STOOD_APART = 0.9
"""Nor did two stacks ever stand nearer to each other than about a diameter."""
SAME_PLACE = 0.3
"""Chip diameters: so near to what was seen lately it is the same; a stack's middle moves as chips go from its top."""
FOUND_SCORE = 0.7
"""Stands in for the detector's score of chips that are found here: more than CHIPS_SCORE (0.65), so that they count as
seen."""
STOOD_LOOKS = 3
"""Looks in a row that must find chips, before they are known to stand there: as many as settle a stack
(stack_region.py). A shadow or a sleeve passes for chips at one."""
UNCHANGED = 0.5
"""What the picture may differ by from the look that showed the chips, as a share of what it differs by from the bare
cloth: at 1 it is as much like the one as like the other. At a violet chip on violet cloth 0.07 where a hand had only
lain over it, 0.25 where the hand had pushed it."""
LEAST_APART = 4.0
"""Mean grey levels by which the picture must differ from the bare cloth there: twice what two looks at still cloth
differ by on compressed film (1.8). A violet chip on violet cloth differs by 24. Less does not tell chips from cloth."""
PUSHED_MM = 14.0
"""So far chips are looked for from where they stood: farther off they stand elsewhere (standings.py)."""
PRINT_LIKENESS = 0.92
"""Correlation of a box with the bare cloth from which it shows print. Lower takes chips on print for it, higher takes
print in other light for chips. Chosen by hand."""
PRINT_DIFFERS = 0.03
"""And the share of the box that may differ from it at most: a chip may look like print, but not in its colours."""
PRINT_LEVELS = 8.0
"""Print stands out from the cloth: its levels spread so much, or more."""


@dataclass(frozen=True, slots=True)
class _Stood:
    """Chips, as the last look in plain sight that found them showed them."""

    box: NDArray[np.float64]
    """(4, 2) mm."""
    picture: Image
    """Of the whole view."""
    looks: int
    """How many looks in a row found them."""


def _apart(one: Image, other: Image, mask: NDArray[np.uint8]) -> float:
    """Mean grey levels by which two pictures of one size differ inside a mask, in the channel that differs most."""
    return float(largest(np.asarray(cv2.absdiff(one, np.asarray(other, np.uint8)), np.uint8))[mask > 0].mean())


@dataclass(slots=True)
class _View:
    polygon: NDArray[np.float32]
    cells: Mask
    origin_mm: tuple[float, float]
    size_px: tuple[int, int]
    bare: Image | None = None
    found: list[NDArray[np.float64]] = field(default_factory=list)
    """What the last look at the region added."""
    sure: list[tuple[float, NDArray[np.float64]]] = field(default_factory=list)
    """When and in which boxes, (4, 2) mm, the detector was sure of chips lately."""
    now: Image | None = None
    """What the present look shows, once it was asked for."""
    stood: list[_Stood] = field(default_factory=list)
    """The chips that stand there, as far as looks in plain sight told."""
    print_mm: list[NDArray[np.float64]] = field(default_factory=list)
    """Where, (2,) mm, the last look in plain sight showed print that it was sure of."""


class BareChips:
    """The bare views of all stack regions."""

    def __init__(
        self, regions: Mapping[str, NDArray[np.float64]], rectifier: Rectifier, grid: GridFrame, diameter_mm: float
    ) -> None:
        self._rectifier, self._grid, self._diameter_mm = rectifier, grid, diameter_mm
        reach_px = round(JOINED * diameter_mm * rectifier.px_per_mm / 2)
        self._joint = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach_px + 1, 2 * reach_px + 1))
        self._views = [self._view_of(polygon, grid) for polygon in regions.values()]
        self._middles_mm = np.array([polygon.mean(axis=0) for polygon in regions.values()]).reshape(-1, 2)

    @property
    def print_mm(self) -> list[NDArray[np.float64]]:
        """Where print passes for chips, (2,) mm each."""
        return [at for view in self._views for at in view.print_mm]

    def add(
        self, chips: Detections, doubtful: Detections, frame: Frame, cover: Cover, looked_mm: Sequence[Rect]
    ) -> Detections:
        """The chips, and those that the detector did not see, or was not sure of.

        Args:
            chips: what counts as seen.
            doubtful: what may be chips: it counts where the cloth below it does not look bare.
            frame: the present one.
            cover: what lies over the cloth now: nothing is reported there.
            looked_mm: boxes that were looked at; elsewhere what was found before still holds.
        """
        is_looked_at = np.zeros(len(self._views), bool)
        for box in looked_mm:
            is_looked_at |= holds(box, self._middles_mm, slack_mm=RIM_MM)
        for view, looked in zip(self._views, is_looked_at, strict=True):
            if looked:
                self._note_print(view, chips, frame, cover)
        chips = chips.take(np.array([not self._is_print(middle) for middle in chips.centres_mm], bool))
        for view, looked in zip(self._views, is_looked_at, strict=True):
            if looked:
                view.found = self._look_again(view, chips, doubtful, frame, cover)
                view.now = None
        found = [corners for view in self._views for corners in view.found]
        if not found:
            return chips
        corners = order_corners(np.array(found, np.float64))
        count = len(found)
        return concatenate([chips, Detections(corners, np.full(count, CHIPS), np.full(count, FOUND_SCORE))])

    def _note_print(self, view: _View, chips: Detections, frame: Frame, cover: Cover) -> None:
        """Which of the chips that are surely seen look as the bare cloth does; as before where something lies there."""
        boxes = self._boxes_in(view, chips, RIM_MM / 2)
        if view.bare is None or not boxes:
            view.print_mm = []
            return
        now, is_covered = self._look(view, frame), bool((cover.mask & view.cells).any())
        different = self._different(view, now)
        view.print_mm = [
            middle
            for box, middle in boxes
            if (
                self._is_print(middle)
                if is_covered and (cover.mask & self._grid.mask_of(box)).any()
                else self._is_bare(view, box, now, different)
            )
        ]

    def _is_bare(self, view: _View, box: NDArray[np.float64], now: Image, different: NDArray[np.uint8]) -> bool:
        """Whether a box shows the print that is on the bare cloth, and nothing else."""
        differs = self._share(view, box, different)
        return differs <= PRINT_DIFFERS and self._likeness(view, box, now) >= PRINT_LIKENESS

    def _likeness(self, view: _View, corners_mm: NDArray[np.float64], now: Image) -> float:
        """Correlation of what a box shows with the bare view, -1 to 1."""
        points = (corners_mm - np.array(view.origin_mm)) * self._rectifier.px_per_mm
        x, y, width, height = cv2.boundingRect(np.round(points).astype(np.int32))
        part = (slice(max(y, 0), y + height), slice(max(x, 0), x + width))
        bare = view.bare
        assert bare is not None
        if bare[part].std(axis=(0, 1)).max() < PRINT_LEVELS:
            return 0.0
        return float(cv2.matchTemplate(now[part], bare[part], cv2.TM_CCOEFF_NORMED)[0, 0])

    def _is_print(self, at_mm: NDArray[np.float64]) -> bool:
        near_mm = SAME_PLACE * self._diameter_mm
        return any(float(np.linalg.norm(at - at_mm)) < near_mm for at in self.print_mm)

    def _look_again(
        self, view: _View, chips: Detections, doubtful: Detections, frame: Frame, cover: Cover
    ) -> list[NDArray[np.float64]]:
        seen = self._boxes_in(view, chips, RIM_MM / 2)
        lately = [(t, box) for t, box in view.sure if frame.t - t <= LATELY_S]
        view.sure = [*lately, *((frame.t, box) for box, _ in seen)]
        if (cover.mask & view.cells).any():
            return []
        if view.bare is None:
            view.bare = None if seen else self._look(view, frame)
            return []
        now = self._look(view, frame)
        unchanged = self._unchanged(view, [box for box, _ in seen], now)
        stayed = self._stayed(lately, [middle for _, middle in seen], frame.t, cover)
        doubted = [box for box, _ in self._boxes_in(view, doubtful, 0.0)]
        found: list[NDArray[np.float64]] = []
        if not seen or doubted or stayed or unchanged:
            found = self._found_by_picture(view, now, seen, doubted, stayed=stayed, unchanged=unchanged)
        self._note_standing(view, [*(box for box, _ in seen), *found], unchanged, now)
        return found

    def _found_by_picture(
        self,
        view: _View,
        now: Image,
        seen: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
        doubted: Sequence[NDArray[np.float64]],
        *,
        stayed: Sequence[NDArray[np.float64]],
        unchanged: Sequence[_Stood],
    ) -> list[NDArray[np.float64]]:
        """The boxes of the chips that a look shows beside those that are surely seen."""
        sure = [middle for _, middle in seen]
        different = self._different(view, now)
        confirmed = [box for box in doubted if self._share(view, box, different) >= self._wanted(view, box, sure)]
        told = [*sure, *(box.mean(axis=0) for box in confirmed)]
        confirmed += [
            box
            for box in stayed
            if not self._is_near(box.mean(axis=0), told, STOOD_APART)
            and self._share(view, box, different) >= CONFIRMED_AGAIN
        ]
        told += [box.mean(axis=0) for box in confirmed]
        confirmed += [stood.box for stood in unchanged if not self._is_near(stood.box.mean(axis=0), told, STOOD_APART)]
        return confirmed if confirmed or sure else self._pieces(view, different)

    def _unchanged(self, view: _View, seen: Sequence[NDArray[np.float64]], now: Image) -> list[_Stood]:
        """The chips that stood there, that this look is not sure of, and whose own picture is still there.

        What did not change in the picture did not change on the cloth: chips in the cloth's colour may not be found
        again after something lay over them, or pushed them a little. The look that showed them is compared with the
        bare cloth: they are where the picture is far nearer to that look.
        """
        middles = [box.mean(axis=0) for box in seen]
        there = [
            self._again(view, stood, now)
            for stood in view.stood
            if stood.looks >= STOOD_LOOKS and not self._is_near(stood.box.mean(axis=0), middles, SAME_PLACE)
        ]
        return [stood for stood in there if stood is not None]

    def _note_standing(
        self, view: _View, boxes: Sequence[NDArray[np.float64]], unchanged: Sequence[_Stood], now: Image
    ) -> None:
        """Take in where a look in plain sight shows chips; those that are known by their picture keep it."""
        kept = [stood for stood in unchanged if any(stood.box is box for box in boxes)]
        others = [box for box in boxes if not any(stood.box is box for stood in kept)]
        view.stood = [*kept, *(_Stood(box, now, self._looks_at(view, box) + 1) for box in others)]

    def _looks_at(self, view: _View, box: NDArray[np.float64]) -> int:
        """How many looks in a row showed chips at a box before."""
        there = [each for each in view.stood if self._is_near(each.box.mean(axis=0), [box.mean(axis=0)], SAME_PLACE)]
        return max((each.looks for each in there), default=0)

    def _again(self, view: _View, stood: _Stood, now: Image) -> _Stood | None:
        """Chips where they stood, or where something pushed them; None where their picture is not to be found."""
        points = (stood.box - np.array(view.origin_mm)) * self._rectifier.px_per_mm
        left, top, width, height = cv2.boundingRect(np.round(points).astype(np.int32))
        reach = round(PUSHED_MM * self._rectifier.px_per_mm)
        inside = np.zeros(now.shape[:2], np.uint8)
        cv2.ellipse(inside, cv2.minAreaRect(points.astype(np.float32)), 1, -1)
        mask = inside[max(top, 0) : top + height, max(left, 0) : left + width]
        chips = stood.picture[max(top, 0) : top + height, max(left, 0) : left + width]
        low_x, low_y = max(left - reach, 0), max(top - reach, 0)
        around = now[low_y : top + height + reach, low_x : left + width + reach]
        if not mask.any() or chips.shape[0] > around.shape[0] or chips.shape[1] > around.shape[1]:
            return None
        _, _, (x, y), _ = cv2.minMaxLoc(cv2.matchTemplate(around, chips, cv2.TM_SQDIFF, mask=cv2.merge([mask] * 3)))
        bare = view.bare
        assert bare is not None, "kept before chips are"
        place = (slice(low_y + y, low_y + y + chips.shape[0]), slice(low_x + x, low_x + x + chips.shape[1]))
        gain = light_gain(now[::4, ::4, 1], bare[::4, ::4, 1])
        apart = _apart(now[place], np.asarray(cv2.convertScaleAbs(bare[place], alpha=gain), np.uint8), mask)
        if apart < LEAST_APART or _apart(now[place], chips, mask) >= UNCHANGED * apart:
            return None
        pushed_mm = np.array([low_x + x - max(left, 0), low_y + y - max(top, 0)]) / self._rectifier.px_per_mm
        return replace(stood, box=stood.box + pushed_mm, picture=now) if pushed_mm.any() else stood

    def _stayed(
        self,
        lately: Sequence[tuple[float, NDArray[np.float64]]],
        sure: Sequence[NDArray[np.float64]],
        t: float,
        cover: Cover,
    ) -> list[NDArray[np.float64]]:
        """The boxes of what was surely seen lately and is not now, though nothing moved there since."""
        stayed: list[NDArray[np.float64]] = []
        for seen_t, box in reversed(lately):
            told = [*sure, *(each.mean(axis=0) for each in stayed)]
            if self._is_near(box.mean(axis=0), told, STOOD_APART):
                continue
            if float(cover.change.still_s[self._grid.mask_of(box)].min(initial=np.inf)) >= t - seen_t:
                stayed.append(box)
        return stayed

    def _wanted(self, view: _View, box: NDArray[np.float64], sure: Sequence[NDArray[np.float64]]) -> float:
        """The share of a doubtful box that must differ from the bare cloth so that it counts beside the sure ones."""
        middle = box.mean(axis=0)
        if self._is_near(middle, sure, APART):
            return np.inf
        if self._is_near(middle, [each.mean(axis=0) for _, each in view.sure], SAME_PLACE):
            return CONFIRMED_AGAIN
        return np.inf if sure else CONFIRMED

    def _is_near(self, at_mm: NDArray[np.float64], places: Sequence[NDArray[np.float64]], diameters: float) -> bool:
        """Whether one of some places is nearer than so many chip diameters."""
        return any(float(np.linalg.norm(each - at_mm)) < diameters * self._diameter_mm for each in places)

    def _different(self, view: _View, now: Image) -> NDArray[np.uint8]:
        """Where the region differs from its bare view, (h, w) of 0 and 1."""
        bare = view.bare
        assert bare is not None
        gain = light_gain(now[::4, ::4, 1], bare[::4, ::4, 1])
        change = cv2.absdiff(now, cv2.convertScaleAbs(bare, alpha=gain))
        return np.asarray(largest(np.asarray(change, np.uint8)) > DIFFERENT_LEVELS, np.uint8)

    def _share(self, view: _View, corners_mm: NDArray[np.float64], different: NDArray[np.uint8]) -> float:
        """Share of a box that differs from the bare view."""
        box = np.zeros_like(different)
        points = (corners_mm - np.array(view.origin_mm)) * self._rectifier.px_per_mm
        cv2.fillPoly(box, [np.round(points).astype(np.int32)], 1)
        return float(different[box > 0].mean()) if box.any() else 0.0

    def _boxes_in(
        self, view: _View, found: Detections, slack_mm: float
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The boxes whose middle lies in the region, or as little outside, each with its middle."""
        pairs = zip(found.corners_mm, found.centres_mm, strict=True)
        return [(box, middle) for box, middle in pairs if self._reaches(view, middle, slack_mm)]

    def _reaches(self, view: _View, at_mm: NDArray[np.float64], slack_mm: float = 0.0) -> bool:
        """Whether a point lies in the region, or as little outside."""
        return bool(cv2.pointPolygonTest(view.polygon, (float(at_mm[0]), float(at_mm[1])), True) >= -slack_mm)

    def _pieces(self, view: _View, different: NDArray[np.uint8]) -> list[NDArray[np.float64]]:
        if not different.any():
            return []
        joined = cv2.morphologyEx(different, cv2.MORPH_CLOSE, self._joint)
        count, pieces, stats, centres = cv2.connectedComponentsWithStats(joined)
        found = []
        for piece in range(1, count):
            at_mm = centres[piece] / self._rectifier.px_per_mm + np.array(view.origin_mm)
            area_px = int(stats[piece, cv2.CC_STAT_AREA])
            corners = self._stack(view, pieces == piece, area_px) if self._reaches(view, at_mm) else None
            found += [corners] if corners is not None else []
        return found

    def _stack(self, view: _View, piece: Mask, area_px: int) -> NDArray[np.float64] | None:
        """The rectangle in mm round a piece that has a stack's shape."""
        rows, columns = np.nonzero(piece)
        around = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
        width_px, length_px = sorted(side + 1.0 for side in around[1])
        diameter_px = self._diameter_mm * self._rectifier.px_per_mm
        is_stack = (
            WIDTHS[0] <= width_px / diameter_px <= WIDTHS[1]
            and LENGTHS[0] <= length_px / diameter_px <= LENGTHS[1]
            and area_px >= FILLED * width_px * length_px
        )
        if not is_stack:
            return None
        corners = cv2.boxPoints(around).astype(np.float64)
        return np.asarray(corners / self._rectifier.px_per_mm + np.array(view.origin_mm), np.float64)

    def _look(self, view: _View, frame: Frame) -> Image:
        if view.now is None:
            tile = self._rectifier.tile(frame.image, view.origin_mm, view.size_px)
            view.now = np.asarray(cv2.blur(tile, (3, 3)), np.uint8)
        return view.now

    def _view_of(self, polygon: NDArray[np.float64], grid: GridFrame) -> _View:
        low, high = polygon.min(axis=0) - RIM_MM, polygon.max(axis=0) + RIM_MM
        width, height = np.ceil((high - low) * self._rectifier.px_per_mm).astype(int).tolist()
        return _View(
            polygon=polygon.astype(np.float32),
            cells=grid.mask_of(polygon, grow_mm=10.0),
            origin_mm=self._rectifier.snapped_mm((float(low[0]), float(low[1]))),
            size_px=(width, height),
        )
