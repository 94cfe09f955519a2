"""Find cards where a region differs from its bare cloth and the detector's boxes do not explain it.

The view of each region is kept from when it was empty. A difference that lies under no well-fitting box is reported as
a card if a card's rectangle fits it. This corrects boxes at a wrong angle and adds cards that the detector missed. It
says nothing about which face a card shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.table_backs import FoundBack, TableBacks
from thirdcard.vision.cards.tracker import CLEAR_SCORE, ONE_CARD_MM, CardSight
from thirdcard.vision.detections import order_corners
from thirdcard.vision.frames import Image
from thirdcard.vision.plane.change_gate import Mask, Polygon, largest, light_gain
from thirdcard.vision.plane.rectify import Rectifier

RIM_MM = 75.0
"""How many mm a view reaches beyond its region: a card whose centre lies inside the region is wholly visible in it."""
OWN_RIM_MM = 25.0
"""How many mm outside its region the centre of a card may lie."""
DIFFERENT_LEVELS = 22.0
"""Grey levels of 255, in the channel that differs most, by which a pixel differs from the bare cloth. Lower, noise and
shadows pass for cards; higher, cards in the cloth's colour are missed. Chosen by hand."""
WELL_FILLED = 0.9
"""Share of a box that differs from the bare cloth where a card fills it."""
BARE_SHARE = 0.3
"""Where a smaller share of a box differs, no card lies there: the detector took print for one."""
BARE_WHOLLY = 0.12
"""Where a smaller share of a whole box differs, covered parts included, no card lies there. Below BARE_SHARE, since
what covers a box differs from the cloth as well. Chosen by hand."""
BLENDS = 0.67
"""A card of which a smaller share differs from the bare cloth hardly stands out from it. Of backs at two tables whose
cloth has their colours, 0.25 to 0.58 of a box differed, of those at two others 0.75 and more (some 30 cards each)."""
SHADOW_GAIN = (0.35, 1.05)
"""Range of the brightness of shaded cloth, relative to the same cloth in the light."""
SEEN_SHARE = 0.4
"""Share of a box that must be visible before BARE_SHARE is applied: a smaller part says little about the rest. Chosen
by hand."""
CARD_RIM_MM = 5.0
"""Width in mm of a card's white rim, which looks like pale cloth: 3 to 5 mm on the decks at hand."""
PRINT_PX = np.ones((5, 5), np.uint8)
"""Kernel that closes gaps in a card: print in the cloth's colour makes lines up to two pixels of the view (4 mm) wide.
"""
LEAST_SHARE = 0.55
"""A connected piece must have at least this share of a card's area."""
OWN_SHARE = 0.5
"""The piece must fill at least this share of each card found in it; the rest may be another card's."""
LEFTOVER_SCORE = 0.75
"""Score of a card that was found here, in place of the detector's: just above REAL_SCORE (0.7), from which a card is
reported even if it cannot be read."""
DRIFT_SHARE = 0.3
"""Below this share of a card's area, a difference from the bare view is attributed to drifting light."""
MOSTLY_TAKEN = 0.5
"""A box covered by better boxes to more than this share may consist of their parts."""
HIDES = 0.6
"""If less than this share of what better boxes leave of it differs from the bare cloth, it is made of their parts. The
rim of a box is off by a few millimetres, and so is the edge of a card in the picture: of a strip of 20 mm that shows of
a card, 12 mm differ at least. Chosen by hand: boxes of real cards half under others had 0.79 to 1.0 on one recording,
those with bare cloth 0.16 to 0.24."""
EXPLAINED = 0.7
"""A doubted box is dropped where more than this share of it is explained by backs that were matched by their picture.
Two cards share 0.59 at most: their centres lie 26 mm apart (candidates.py)."""
REPLACED_MM = 45.0
"""A badly fitting box is replaced by a card found within this distance; a box farther off shows another card."""
ROW_SLACK = 0.15
"""Relative tolerance of a row's length and breadth against those of its cards."""
ROW = 2
"""Least number of cards in a row."""

Pixel = TypeVar("Pixel", np.bool_, np.float32)


@dataclass(frozen=True, slots=True)
class _Box:
    """The pixels of a view that a card's rectangle covers, kept as a small cut-out for speed."""

    rows: slice
    columns: slice
    inside: Mask
    """(h, w), the rectangle's pixels within those rows and columns."""

    def of(self, pixels: NDArray[Pixel]) -> NDArray[Pixel]:
        """Return the values, (N, ...), of a view, (H, W, ...), at these pixels."""
        return pixels[self.rows, self.columns][self.inside]

    def share_of(self, mask: Mask) -> float:
        """Return the share of the rectangle, 0 to 1, that a view's mask covers; 0 outside the view."""
        pixels = self.of(mask)
        return float(np.count_nonzero(pixels) / len(pixels)) if len(pixels) else 0.0

    def take_from(self, mask: Mask) -> None:
        """Clear these pixels of a view's mask."""
        mask[self.rows, self.columns] &= ~self.inside


_Seen = tuple[CardSight, _Box, bool]
"""A sight, its pixels, and whether its centre lies in the region."""


@dataclass(slots=True)
class _Region:
    origin_mm: tuple[float, float]
    size_px: tuple[int, int]
    bare: NDArray[np.float32] | None = None
    backs: list[FoundBack] = field(default_factory=list)
    """The known backs that the last look found."""


class Leftovers:
    """The bare views of all card regions, and the cards that differ from them."""

    def __init__(
        self,
        regions: Mapping[str, Polygon],
        rectifier: Rectifier,
        card_mm: tuple[float, float],
        backs: TableBacks | None = None,
    ) -> None:
        """Take the regions, the card size and the backs to look for; backs may also be learned later."""
        self._rectifier, self._card_mm, self._backs = rectifier, card_mm, backs
        self._regions = {region: self._frame(polygon) for region, polygon in regions.items()}

    def box_mm(self, region: str) -> tuple[float, float, float, float]:
        """Return x0, y0, x1, y1, in mm, of the view that is compared."""
        view = self._regions[region]
        (x, y), (width, height) = view.origin_mm, view.size_px
        return (x, y, x + width / self._rectifier.px_per_mm, y + height / self._rectifier.px_per_mm)

    def is_own(self, region: str, sight: CardSight) -> bool:
        """Whether a sight's centre lies in the region, or within `OWN_RIM_MM` of it."""
        x0, y0, x1, y1 = self.box_mm(region)
        inner, (x, y) = RIM_MM - OWN_RIM_MM, sight.at_mm
        return bool(x0 + inner <= x <= x1 - inner and y0 + inner <= y <= y1 - inner)

    def keep_bare(self, region: str, image: Image) -> None:
        """Store the region's present view as its bare view; nothing may lie there."""
        self._regions[region].bare = self._view(region, image)

    def forget(self) -> None:
        """Forget all bare views."""
        for view in self._regions.values():
            view.bare = None

    def is_known(self, region: str) -> bool:
        """Whether the region was ever seen bare."""
        return self._regions[region].bare is not None

    def refine(self, region: str, sights: Sequence[CardSight], image: Image, covered: Mask) -> list[CardSight]:
        """Correct the sights of a region by the difference from its bare cloth.

        Args:
            region: One whose bare view is kept.
            sights: The detector's, all that may lie in the view; those of other regions are returned as they are.
            image: The camera's whole picture.
            covered: (h, w) bool of any resolution over the region's box: where something lies over it. No card is added
                there.

        Returns:
            The sights that fit the difference, and the cards that the detector missed.
        """
        covered = self._enlarged(region, covered)
        now = self._view(region, image)
        at_all = self._different(region, now)
        different = at_all & ~covered
        seen = [(sight, self._box(region, sight.corners_mm), self.is_own(region, sight)) for sight in sights]
        seen = [one for one in seen if not one[2] or not self._is_bare(region, one[1], at_all, covered, now)]
        seen = _without_gaps(seen, at_all, covered)
        fits = [
            not is_own or not box.inside.any() or bool(box.of(covered).any()) or _is_filled(box.of(different))
            for _, box, is_own in seen
        ]
        is_doubted = self._are_doubted(seen)
        is_sure = [fit and not (one[2] and doubt) for one, fit, doubt in zip(seen, fits, is_doubted, strict=True)]
        backs = self._backs_in(region, now, self._unexplained(seen, is_sure, different))
        if backs:
            explained = different & ~self._unexplained(backs, [True] * len(backs), different)
            is_another = self._are_others(region, now, seen, is_doubted, explained)
            is_another = [
                one and not (doubt and _is_one_of(backs, sight))
                for one, doubt, (sight, _, _) in zip(is_another, is_doubted, seen, strict=True)
            ]
            seen, fits = list(compress(seen, is_another)), list(compress(fits, is_another))
            whole = _without_gaps([*seen, *backs], at_all, covered)
            backs = [back for back in backs if any(back is one for one in whole)]
        rest = self._unexplained([*seen, *backs], [*fits, *(True for _ in backs)], different)
        cards = self._cards_in(region, rest, different)
        found = [*(sight for sight, _, _ in backs), *(card for card in cards if self.is_own(region, card))]
        kept = [
            sight
            for (sight, _, _), fitting in zip(seen, fits, strict=True)
            if fitting or not any(np.linalg.norm(sight.at_mm - card.at_mm) < REPLACED_MM for card in found)
        ]
        return [*kept, *found]

    def _are_others(
        self, region: str, now: NDArray[np.float32], seen: Sequence[_Seen], is_doubted: Sequence[bool], explained: Mask
    ) -> list[bool]:
        """Whether each sight is another card than the backs that were matched by their picture and `explained`.

        A doubted box is none where those backs explain it. Nor is one of which better boxes and those backs take more
        than half, if its own place does not look like a back: the detector drew it across two cards.
        """
        assert self._backs is not None, "backs were matched"
        view, is_another, taken = self._regions[region], [True] * len(seen), explained.copy()
        for i in sorted(range(len(seen)), key=lambda i: -seen[i][0].score):
            sight, box, _ = seen[i]
            if is_doubted[i] and box.share_of(explained) >= EXPLAINED:
                is_another[i] = False
            elif is_doubted[i] and box.share_of(taken) >= MOSTLY_TAKEN:
                place_px = (sight.corners_mm - np.array(view.origin_mm)) * self._rectifier.px_per_mm
                is_another[i] = sight.face_up or self._backs.lies_at(now, place_px)
            if is_another[i]:
                taken[box.rows, box.columns] |= box.inside
        return is_another

    def _are_doubted(self, seen: Sequence[_Seen]) -> list[bool]:
        """Whether each sight may be misplaced: the detector hardly recognises it, or backs overlap.

        Of backs that lie side by side, such as striped ones, it cannot tell where one ends: it draws boxes across two.
        """
        backs = [sight for sight, _, is_own in seen if is_own and not sight.face_up]
        width_mm = min(self._card_mm)
        return [
            _is_weak(sight)
            or (not sight.face_up and any(0 < np.linalg.norm(sight.at_mm - back.at_mm) < width_mm for back in backs))
            for sight, _, _ in seen
        ]

    @staticmethod
    def _unexplained(seen: Sequence[_Seen], fits: Sequence[bool], different: Mask) -> Mask:
        """Return what differs from the bare cloth outside the boxes that fit."""
        rest = different.copy()
        for (_, box, _), fitting in zip(seen, fits, strict=True):
            if fitting:
                box.take_from(rest)
        return rest

    def is_hidden(self, region: str, corners_mm: Polygon, image: Image) -> bool:
        """Whether a card at these corners, (4, 2) mm, wholly hides the region's bare cloth."""
        return self._hides(region, corners_mm, self._different(region, self._view(region, image)))

    def blends(self, region: str, corners_mm: Polygon, image: Image) -> bool:
        """Whether a card at these corners, (4, 2) mm, would hardly differ from the region's bare cloth."""
        return self._box(region, corners_mm).share_of(self._different(region, self._view(region, image))) < BLENDS

    def is_left(self, region: str, corners_mm: Polygon, others_mm: Sequence[Polygon], image: Image) -> bool:
        """Whether the place of a card shows bare cloth, lit or in shadow, where no other card hides it.

        A back in the cloth's colours may be missed by the detector, but does not look like the cloth. The card's rim
        does not count: that of a neighbour may lie there. Where others hide most of the place, the card may be one of
        them, found again.

        Args:
            region: One whose bare view is kept.
            corners_mm: (4, 2), where the card lay.
            others_mm: (4, 2) each, the cards that are seen.
            image: The camera's whole picture.
        """
        now, box = self._view(region, image), self._box(region, self._without_rim(corners_mm))
        different = self._different(region, now)
        visible = np.ones_like(different)
        for other in others_mm:
            self._box(region, other).take_from(visible)
        seen_share = box.share_of(visible)
        if seen_share < SEEN_SHARE:
            return False
        is_bare = box.share_of(different & visible) < BARE_WHOLLY * seen_share
        return is_bare or _is_in_shadow(box.of(now), box.of(self._bare(region)))

    def _without_rim(self, corners_mm: Polygon) -> Polygon:
        """Return the corners of a card within its rim, (4, 2) mm."""
        middle = corners_mm.mean(axis=0)
        shares = 1.0 - 2.0 * CARD_RIM_MM / np.array(self._card_mm)
        across, down = corners_mm[1] - corners_mm[0], corners_mm[2] - corners_mm[1]
        signs = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * shares
        return np.asarray(middle + signs[:, :1] * across + signs[:, 1:] * down, np.float64)

    def _hides(self, region: str, corners_mm: Polygon, different: Mask) -> bool:
        """Whether the difference fills a card's place, apart from its rim and lines of print."""
        box = self._box(region, self._without_rim(corners_mm))
        if not box.inside.any():
            return False
        top, left, rim = (
            max(box.rows.start - len(PRINT_PX), 0),
            max(box.columns.start - len(PRINT_PX), 0),
            len(PRINT_PX),
        )
        around = different[top : box.rows.stop + rim, left : box.columns.stop + rim].astype(np.uint8)
        closed = np.asarray(cv2.morphologyEx(around, cv2.MORPH_CLOSE, PRINT_PX), bool)
        inner = closed[box.rows.start - top :, box.columns.start - left :]
        return _is_filled(inner[: box.inside.shape[0], : box.inside.shape[1]][box.inside])

    def _is_bare(self, region: str, box: _Box, different: Mask, covered: Mask, now: NDArray[np.float32]) -> bool:
        bare = self._bare(region)
        return _is_bare(box.of(different), box.of(covered)) or _is_in_shadow(box.of(now), box.of(bare))

    def follow_light(self, region: str, image: Image) -> None:
        """Update the bare view where the region shows no card and hardly differs: the light drifts."""
        card_px = self._card_mm[0] * self._card_mm[1] * self._rectifier.px_per_mm**2
        if np.count_nonzero(self._different(region, self._view(region, image))) < DRIFT_SHARE * card_px:
            self.keep_bare(region, image)

    def _backs_in(self, region: str, now: NDArray[np.float32], unexplained: Mask) -> list[_Seen]:
        """The known backs, also overlapping ones, in what no confident box explains."""
        view = self._regions[region]
        if self._backs is None or not self._backs.are_known:
            return []
        view.backs = self._backs.find(now, unexplained, view.backs)
        origin, scale = np.array(view.origin_mm), self._rectifier.px_per_mm
        sights = [
            CardSight(
                corners_mm=true_rectangle(back.corners_px / scale + origin, self._card_mm),
                face_up=False,
                score=LEFTOVER_SCORE,
                log_probs=self._backs.log_probs,
            )
            for back in view.backs
        ]
        return [(sight, self._box(region, sight.corners_mm), True) for sight in sights if self.is_own(region, sight)]

    def _cards_in(self, region: str, rest: Mask, different: Mask) -> list[CardSight]:
        card_px = self._card_mm[0] * self._card_mm[1] * self._rectifier.px_per_mm**2
        if np.count_nonzero(rest) < LEAST_SHARE * card_px:
            return []
        opened = cv2.morphologyEx(rest.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        count, pieces, stats, _ = cv2.connectedComponentsWithStats(opened)
        found = []
        for piece in range(1, count):
            left, top, width, height, area = stats[piece]
            is_cut = left == 0 or top == 0 or left + width == rest.shape[1] or top + height == rest.shape[0]
            if is_cut or area < LEAST_SHARE * card_px:
                continue
            own = pieces == piece
            for corners in rows_of_cards(self._around(region, own), self._card_mm):
                box = self._box(region, corners)
                if self._hides(region, corners, different) and box.share_of(own) >= OWN_SHARE:
                    found.append(CardSight(corners_mm=corners, face_up=True, score=LEFTOVER_SCORE, is_side_sure=False))
        return found

    def _around(self, region: str, piece: Mask) -> Polygon:
        """Return the smallest rectangle round a piece, (4, 2) mm, beginning with a shorter side."""
        rows, columns = np.nonzero(piece)
        around = cv2.boxPoints(cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32)))
        in_mm = around.astype(np.float64) / self._rectifier.px_per_mm + np.array(self._regions[region].origin_mm)
        return np.asarray(order_corners(in_mm[None])[0], np.float64)

    def _different(self, region: str, now: NDArray[np.float32]) -> Mask:
        bare = self._bare(region)
        gain = np.float32(light_gain(now[::4, ::4], bare[::4, ::4]))
        return np.asarray(largest(np.asarray(cv2.absdiff(now, bare * gain), np.float32)) > DIFFERENT_LEVELS, bool)

    def _bare(self, region: str) -> NDArray[np.float32]:
        bare = self._regions[region].bare
        assert bare is not None, "is_known() comes first"
        return bare

    def _enlarged(self, region: str, mask: Mask) -> Mask:
        size = self._regions[region].size_px
        return np.asarray(cv2.resize(mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST), bool)

    def _view(self, region: str, image: Image) -> NDArray[np.float32]:
        view = self._regions[region]
        tile = self._rectifier.tile(image, view.origin_mm, view.size_px)
        return np.asarray(cv2.blur(tile, (3, 3)), np.float32)

    def _box(self, region: str, corners_mm: Polygon) -> _Box:
        view = self._regions[region]
        points = np.round((corners_mm - np.array(view.origin_mm)) * self._rectifier.px_per_mm).astype(np.int32)
        width, height = view.size_px
        left, top, n_columns, n_rows = cv2.boundingRect(points)
        right, bottom = min(max(left + n_columns, 0), width), min(max(top + n_rows, 0), height)
        left, top = min(max(left, 0), right), min(max(top, 0), bottom)
        inside = np.zeros((bottom - top, right - left), np.uint8)
        if inside.size:
            cv2.fillPoly(inside, [points - np.array([left, top], np.int32)], 1)
        return _Box(slice(top, bottom), slice(left, right), inside.astype(bool))

    def _frame(self, polygon: Polygon) -> _Region:
        low, high = polygon.min(axis=0) - RIM_MM, polygon.max(axis=0) + RIM_MM
        width, height = np.ceil((high - low) * self._rectifier.px_per_mm).astype(int).tolist()
        return _Region(self._rectifier.snapped_mm((float(low[0]), float(low[1]))), (width, height))


def _is_weak(sight: CardSight) -> bool:
    """Whether the detector hardly recognises it as a card."""
    return sight.score < CLEAR_SCORE


def _without_gaps(seen: Sequence[_Seen], different: Mask, covered: Mask) -> list[_Seen]:
    """Drop sights that consist of parts of better ones and of the bare cloth between them.

    The visible part of a real card hides the cloth just as a whole card does.
    """
    kept, taken = [], np.zeros(different.shape, bool)
    for one in sorted(seen, key=lambda one: -one[0].score):
        _, box, is_own = one
        own = box.of(~taken & ~covered)
        is_mostly_taken = box.share_of(taken) >= MOSTLY_TAKEN
        if is_own and is_mostly_taken and (not own.any() or box.of(different)[own].mean() < HIDES):
            continue
        kept.append(one)
        taken[box.rows, box.columns] |= box.inside
    return [one for one in seen if any(one is each for each in kept)]


def _is_one_of(backs: Sequence[_Seen], sight: CardSight) -> bool:
    """Whether a back lies where one of these was matched by its picture, which a striped one fits some stripes off."""
    return not sight.face_up and any(np.linalg.norm(sight.at_mm - back.at_mm) < ONE_CARD_MM for back, _, _ in backs)


def _is_filled(different: Mask) -> bool:
    """Whether a card fills a box, given the mask, (N,), of its pixels that differ from the bare cloth."""
    return float(different.mean()) >= WELL_FILLED


def _is_bare(different: Mask, covered: Mask) -> bool:
    """Whether a whole box, or its visible part, looks like the bare cloth with its print.

    Whatever just moved nearby counts as cover, so even a wholly covered box may show nothing but cloth.

    Args:
        different: (N,) which of the box's pixels differ from the bare cloth.
        covered: (N,) which of them lie under something.
    """
    if np.count_nonzero(different) < BARE_WHOLLY * len(different):
        return True
    seen = different[~covered]
    is_seen = len(seen) >= SEEN_SHARE * len(different)
    return bool(is_seen and np.count_nonzero(seen) < BARE_SHARE * len(seen))


def _is_in_shadow(now: NDArray[np.float32], bare: NDArray[np.float32]) -> bool:
    """Whether (N, 3) pixels show the bare cloth evenly darkened, as under an arm's shadow."""
    if not len(now):
        return False
    gain = np.float32(light_gain(now[:, 0] + now[:, 1] + now[:, 2], bare[:, 0] + bare[:, 1] + bare[:, 2]))
    if not SHADOW_GAIN[0] < gain < SHADOW_GAIN[1]:
        return False
    away = np.abs(now - bare * gain) > DIFFERENT_LEVELS * gain
    return float((away[:, 0] | away[:, 1] | away[:, 2]).mean()) < BARE_WHOLLY


def rows_of_cards(around_mm: Polygon, size_mm: tuple[float, float]) -> list[Polygon]:
    """Split a rectangle into cards that lie side by side or end to end.

    Args:
        around_mm: (4, 2) clockwise, beginning with a shorter side.
        size_mm: A card's width and height.

    Returns:
        (4, 2) corners in mm of each card; one card where no row of them fits.
    """
    across, along = around_mm[1] - around_mm[0], around_mm[2] - around_mm[1]
    broad, length = float(np.linalg.norm(across)), float(np.linalg.norm(along))
    for width, height, is_side_by_side in ((*size_mm, True), (*size_mm[::-1], False)):
        count = round(length / width)
        if count < ROW or abs(broad - height) > ROW_SLACK * height:
            continue
        if abs(length - count * width) > ROW_SLACK * count * width:
            continue
        middles = [
            around_mm[0] + across / 2 + along * (width / 2 + k * (length - width) / (count - 1)) / length
            for k in range(count)
        ]
        turned = np.roll(around_mm, 1, axis=0) if is_side_by_side else around_mm
        one = true_rectangle(turned, size_mm)
        return [one - one.mean(axis=0) + middle for middle in middles]
    return [true_rectangle(around_mm, size_mm)]


def true_rectangle(corners_mm: Polygon, size_mm: tuple[float, float]) -> Polygon:
    """Return the rectangle of a card's true size at a box's centre and angle, (4, 2) mm.

    Args:
        corners_mm: (4, 2) clockwise, beginning with a shorter side.
        size_mm: The card's width and height.
    """
    middle = corners_mm.mean(axis=0)
    along = corners_mm[2] - corners_mm[1]
    down = along / max(float(np.linalg.norm(along)), 1e-6)
    right = np.array([down[1], -down[0]])
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
    return np.asarray(middle + signs[:, :1] * half_w * right + signs[:, 1:] * half_h * down, np.float64)
