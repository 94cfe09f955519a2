"""Find chips that the detector missed or doubted, by comparing a region with its bare cloth.

A region's bare view is kept from when it was empty. A compact new piece as wide as a chip is a stack. Where chips were
certain a moment ago, less evidence is needed that they are still there. Where the picture matches the one that showed
them, and not the bare cloth, they are there, whatever covered them meanwhile. What looks like chips and exactly like
the bare cloth is print. Layout millimetres.
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
"""How many mm a view reaches beyond its region: a chip's radius and 10 mm of cloth, so that a chip whose centre lies
on the region's edge is wholly visible."""
DIFFERENT_LEVELS = 30.0
"""Grey levels of 255, in the channel that differs most, by which a pixel differs from the bare cloth. Lower, noise and
shadows pass for chips; higher, chips in the cloth's colour are missed. Chosen by hand."""
WIDTHS = (0.75, 1.35)
"""Allowed width of a piece, in chip diameters."""
LENGTHS = (0.75, 2.2)
JOINED = 0.2
"""Pieces less than this many diameters apart are one: parts of a chip may look like the print under it."""
FILLED = 0.68
"""Share of its surrounding rectangle that a piece must fill; a disc fills 0.785."""
CONFIRMED = 0.55
"""Share of a doubtful box that must differ from the bare cloth; a disc fills 0.785 of its box."""
CONFIRMED_AGAIN = 0.15
"""The same where chips were certain a moment ago: a grey chip on grey cloth differs in its rim and its shadow only."""
LATELY_S = 2.0
"""Seconds after certain chips, if nothing moved there, in which less evidence is needed. A grey chip on grey cloth
was missed in three consecutive looks; a longer time trusts older looks. Chosen by hand."""
APART = 0.7
"""A doubtful box within this many chip diameters of certain chips shows them again."""
STOOD_APART = 0.9
"""Two stacks never stand nearer to each other than about a diameter."""
SAME_PLACE = 0.3
"""Something within this many chip diameters of what was seen recently is the same; a stack's centre moves as chips
leave its top."""
FOUND_SCORE = 0.7
"""Score of chips that are found here, in place of the detector's: more than CHIPS_SCORE (0.65), so that they count
as seen."""
STOOD_LOOKS = 3
"""Consecutive looks that must find chips before they are known to stand there: as many as settle a stack
(stack_region.py). A shadow or a sleeve resembles chips in a single look."""
UNCHANGED = 0.5
"""Largest difference between the picture and the look that showed the chips, as a share of its difference from the
bare cloth: at 1 it resembles both equally. For a violet chip on violet cloth it was 0.07 where a hand had only
covered it, and 0.25 where the hand had pushed it."""
LEAST_APART = 4.0
"""Mean grey levels by which the picture must differ from the bare cloth: twice the difference of two looks at still
cloth in compressed video (1.8). A violet chip on violet cloth differs by 24. A smaller difference does not
distinguish chips from cloth."""
PUSHED_MM = 14.0
"""How far in mm chips are looked for from where they stood; farther away they count as standing elsewhere
(standings.py)."""
PRINT_LIKENESS = 0.92
"""Correlation of a box with the bare cloth from which it shows print. A lower value treats chips on print as print,
a higher one treats print in different light as chips. Chosen by hand."""
PRINT_DIFFERS = 0.03
"""And the largest share of the box that may differ: a chip may resemble print, but not in its colours."""
OVERLAPS = 1.2
"""Factor by which the boxes of other chips are enlarged before what they leave of a box is compared with print: they
are some mm too small at times, and chips cast shadows."""
LEAST_ALONE = 0.5
"""Share of a disc that the boxes of others must leave for the comparison with print. Where a number in a ring was taken
for chips beside a real one, they left 0.64 to 0.81."""
PRINT_LEVELS = 8.0
"""Least standard deviation in grey levels of print, which stands out from the cloth."""


@dataclass(frozen=True, slots=True)
class _Stood:
    """Chips, as the last look in plain sight showed them."""

    box: NDArray[np.float64]
    """(4, 2) mm corners."""
    picture: Image
    """The picture of the whole view."""
    looks: int
    """How many consecutive looks found them."""


def _apart(one: Image, other: Image, mask: NDArray[np.uint8]) -> float:
    """Return the mean difference, in grey levels, of two pictures inside a mask, in the channel that differs most."""
    return float(largest(np.asarray(cv2.absdiff(one, np.asarray(other, np.uint8)), np.uint8))[mask > 0].mean())


@dataclass(slots=True)
class _View:
    polygon: NDArray[np.float32]
    rect_mm: Rect
    """Round the polygon."""
    cells: Mask
    origin_mm: tuple[float, float]
    size_px: tuple[int, int]
    bare: Image | None = None
    found: list[NDArray[np.float64]] = field(default_factory=list)
    """Boxes that the last look at the region added."""
    sure: list[tuple[float, NDArray[np.float64]]] = field(default_factory=list)
    """Times and boxes, (4, 2) mm, of chips of which the detector was certain recently."""
    now: Image | None = None
    """The present view, once it was asked for."""
    stood: list[_Stood] = field(default_factory=list)
    """The chips that stand there, as looks in plain sight showed."""
    print_mm: list[NDArray[np.float64]] = field(default_factory=list)
    """Where, (2,) mm, the last look in plain sight showed certain print."""


class BareChips:
    """The bare views of all stack regions, and the chips found by them."""

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
        """Points, (2,) mm each, where print resembles chips."""
        return [at for view in self._views for at in view.print_mm]

    def add(
        self, chips: Detections, doubtful: Detections, frame: Frame, cover: Cover, looked_mm: Sequence[Rect]
    ) -> Detections:
        """Return the detected chips without print, and with chips that the detector missed or doubted.

        Args:
            chips: Detections that count as chips.
            doubtful: Possible chips: they count where the cloth below does not look bare.
            frame: The present frame.
            cover: What covers the cloth now: nothing is added there.
            looked_mm: Boxes that were examined; elsewhere the earlier result still holds.
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
        """Update which certain chips look like the bare cloth; what was print stays so where something covers it."""
        boxes = self._boxes_in(view, chips, RIM_MM / 2)
        if view.bare is None or not boxes:
            view.print_mm = []
            return
        now, is_covered = self._look(view, frame), bool((cover.mask & view.cells).any())
        different = self._different(view, now)
        view.print_mm = [
            middle
            for i, (box, middle) in enumerate(boxes)
            if self._is_bare(view, self._alone(view, boxes, i), now, different)
            or (is_covered and self._is_print(middle) and (cover.mask & self._grid.mask_of(box)).any())
        ]

    def _alone(
        self, view: _View, boxes: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], i: int
    ) -> NDArray[np.uint8]:
        """Return the part of a box that no other overlaps, (h, w) of 0 and 1: chips may lie half on print.

        It is empty where too little of a disc is left: the corners of a box show the cloth.
        """
        alone = self._filled(view, boxes[i][0])
        if len(boxes) == 1:
            return alone
        disc = np.zeros_like(alone)
        points = (boxes[i][0] - np.array(view.origin_mm)) * self._rectifier.px_per_mm
        cv2.ellipse(disc, cv2.minAreaRect(points.astype(np.float32)), 1, -1)
        whole = np.count_nonzero(disc)
        for j, (other, middle) in enumerate(boxes):
            if j != i:
                hidden = self._filled(view, middle + (other - middle) * OVERLAPS) > 0
                alone[hidden], disc[hidden] = 0, 0
        return alone if np.count_nonzero(disc) >= LEAST_ALONE * whole else np.zeros_like(alone)

    @staticmethod
    def _is_bare(view: _View, part: NDArray[np.uint8], now: Image, different: NDArray[np.uint8]) -> bool:
        """Whether a part of the view shows nothing but the print of the bare cloth."""
        bare, inside = view.bare, part > 0
        assert bare is not None, "kept before chips are"
        if np.count_nonzero(inside) < 2 or different[inside].mean() > PRINT_DIFFERS:
            return False
        was, shown = bare[inside].astype(np.float64), now[inside].astype(np.float64)
        if was.std(axis=0).max() < PRINT_LEVELS:
            return False
        was, shown = was - was.mean(axis=0), shown - shown.mean(axis=0)
        likeness = (was * shown).sum() / max(np.sqrt((was**2).sum() * (shown**2).sum()), 1e-9)
        return bool(likeness >= PRINT_LIKENESS)

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
        """Return the boxes of the chips that a look shows beside the certain ones."""
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
        """Return standing chips of which this look is not certain, but whose own picture is still there.

        What did not change in the picture did not change on the cloth. Chips in the cloth's colour may not be detected
        again after something covered them or pushed them a little. The look that showed them is compared with the bare
        cloth: they are there if the picture is far more similar to that look.
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
        """Update the standing chips by the boxes of a look in plain sight; chips known by their picture keep it."""
        kept = [stood for stood in unchanged if any(stood.box is box for box in boxes)]
        others = [box for box in boxes if not any(stood.box is box for stood in kept)]
        view.stood = [*kept, *(_Stood(box, now, self._looks_at(view, box) + 1) for box in others)]

    def _looks_at(self, view: _View, box: NDArray[np.float64]) -> int:
        """Return in how many consecutive looks chips were seen at a box before."""
        there = [each for each in view.stood if self._is_near(each.box.mean(axis=0), [box.mean(axis=0)], SAME_PLACE)]
        return max((each.looks for each in there), default=0)

    def _again(self, view: _View, stood: _Stood, now: Image) -> _Stood | None:
        """Return standing chips at their place, or where something pushed them; None if their picture is not found."""
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
        """Return the boxes of chips that were certain recently and are not now, though nothing moved there since."""
        stayed: list[NDArray[np.float64]] = []
        for seen_t, box in reversed(lately):
            told = [*sure, *(each.mean(axis=0) for each in stayed)]
            if self._is_near(box.mean(axis=0), told, STOOD_APART):
                continue
            if float(cover.change.still_s[self._grid.mask_of(box)].min(initial=np.inf)) >= t - seen_t:
                stayed.append(box)
        return stayed

    def _wanted(self, view: _View, box: NDArray[np.float64], sure: Sequence[NDArray[np.float64]]) -> float:
        """Return the share of a doubtful box that must differ from the bare cloth for it to count."""
        middle = box.mean(axis=0)
        if self._is_near(middle, sure, APART):
            return np.inf
        if self._is_near(middle, [each.mean(axis=0) for _, each in view.sure], SAME_PLACE):
            return CONFIRMED_AGAIN
        return np.inf if sure else CONFIRMED

    def _is_near(self, at_mm: NDArray[np.float64], places: Sequence[NDArray[np.float64]], diameters: float) -> bool:
        """Whether any of some places is nearer than `diameters` chip diameters."""
        return any(float(np.linalg.norm(each - at_mm)) < diameters * self._diameter_mm for each in places)

    def _different(self, view: _View, now: Image) -> NDArray[np.uint8]:
        """Return where the region differs from its bare view, (h, w) of 0 and 1."""
        bare = view.bare
        assert bare is not None
        gain = light_gain(now[::4, ::4, 1], bare[::4, ::4, 1])
        change = cv2.absdiff(now, cv2.convertScaleAbs(bare, alpha=gain))
        return np.asarray(largest(np.asarray(change, np.uint8)) > DIFFERENT_LEVELS, np.uint8)

    def _share(self, view: _View, corners_mm: NDArray[np.float64], different: NDArray[np.uint8]) -> float:
        """Return the share of a box that differs from the bare view."""
        box = self._filled(view, corners_mm)
        return float(different[box > 0].mean()) if box.any() else 0.0

    def _filled(self, view: _View, corners_mm: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return the view's pixels inside a box, (h, w) of 0 and 1."""
        width_px, height_px = view.size_px
        box = np.zeros((height_px, width_px), np.uint8)
        points = (corners_mm - np.array(view.origin_mm)) * self._rectifier.px_per_mm
        cv2.fillPoly(box, [np.round(points).astype(np.int32)], 1)
        return box

    def _boxes_in(
        self, view: _View, found: Detections, slack_mm: float
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the boxes, each with its centre, whose centre lies in the region or within `slack_mm` of it."""
        middles = found.centres_mm
        near = holds(view.rect_mm, middles, slack_mm=slack_mm + 1.0)  # most chips lie in other regions
        rows = [i for i in np.flatnonzero(near) if self._reaches(view, middles[i], slack_mm)]
        return [(found.corners_mm[i], middles[i]) for i in rows]

    def _reaches(self, view: _View, at_mm: NDArray[np.float64], slack_mm: float = 0.0) -> bool:
        """Whether a point lies in the region or within `slack_mm` of it."""
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
        """Return the rectangle, (4, 2) mm, round a piece that has a stack's shape; None for another shape."""
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
            rect_mm=(*polygon.min(axis=0).tolist(), *polygon.max(axis=0).tolist()),
            cells=grid.mask_of(polygon, grow_mm=10.0),
            origin_mm=self._rectifier.snapped_mm((float(low[0]), float(low[1]))),
            size_px=(width, height),
        )
