"""Learn the back of one table's cards from its picture, and find cards by it.

The detector was trained on many backs but hardly recognises some, such as those with a picture of cards. This table's
back is learned from the cards themselves: what two cards that lie face down look like, and what lies uppermost where
cards are kept. An enrolled back is known from the beginning. A back of one colour has no picture to be found by; it
only tells a card from a cutting card, which the detector cannot. Knows pictures of backs, not where cards belong.
Pixels of the rectified view unless stated otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import HEIGHT_PX, RIM, WIDTH_PX
from thirdcard.vision.inference.reader import BACK
from thirdcard.vision.inference.similarity import likeness, prepared
from thirdcard.vision.plane.change_gate import Mask

SHOWN_BY = 2
"""Cards that must have shown the same back: one may be an open card that was misread, or lie in a hand's shadow."""
ONE_BACK = 0.7
"""Correlation of two crops from which on they show the same back. On drawn tables backs reached 0.71 in 95 % of the
cases, other things 0.56 at most. Fine stripes, which a shift of the box by a millimetre changes, may stay below."""
MOST_BACKS = 3
"""Largest number of backs that are kept: the decks that a table uses in turn, plus one. The last shown comes first."""
MOST_CROPS = 12
"""Crops that a back is averaged over. More reduce the noise no further, and preserve an earlier light."""
FOUND = 0.75
"""Correlation of the view with a back from which on it lies there. Backs that lay free had 0.92 to 0.98 on a drawn
table (eight looks), other things on cloth 0.56 at most. A few degrees of turn, or a finger over a corner, cost the
rest."""
CONTRAST = 14.0
"""Least standard deviation in grey levels of a back's own picture, in its most varied channel: a plain back
resembles any plain thing. Three times a camera's noise. Chosen by hand."""
GAIN = (0.6, 1.6)
"""Range of the brightness of a plain back, relative to where it was learned: the bottom of a rack had 0.8 of
the brightness of the open cloth on one drawn table. Twice as much each way, chosen by hand."""
ONE_COLOUR = 12.0
"""Grey levels by which two plain backs may differ, in any channel, once their brightness is equal. The same back in the
rack and on the cloth differed by 2; cutting cards have striking colours. Chosen by hand."""
COLOURS = 40.0
"""Grey levels by which the mean colour at a match may differ from the back's own, in any channel, through light and
shade; a deck of another colour differs by more. Chosen by hand."""
IN_SIGHT = 0.75
"""Share of a card's place that must be visible and unexplained for a back to be looked for there."""
CARD_PX = (32, 44)
"""Width and height in px of a card of 63 x 88 mm in the view that the detector was trained on, at half a pixel a
millimetre."""
SURELY = 0.999
"""Probability given to a match with the table's back. Chosen by hand: the reader gives most backs as much."""
RIM_X, RIM_Y = (round(side * RIM / (1 + 2 * RIM)) for side in (WIDTH_PX, HEIGHT_PX))

STAYED_PX = 2
"""A still card is found again within this many px: two pixels are 4 mm, more than the detector's noise."""
RIM_PX = 6
"""The difference from the cloth may end this many px inside a card whose rim has the cloth's colour."""
_Box = tuple[int, int, int, int]
"""First row, row after the last, first column, column after the last."""
View = NDArray[np.float32]
"""(H, W, 3) of the rectified view, blurred as the patches are."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundBack:
    """A back that was found in a view."""

    corners_px: NDArray[np.float64]
    """(4, 2) clockwise, beginning with a shorter side."""
    likeness: float
    """Correlation with the known back, -1 to 1."""


@dataclass(slots=True, eq=False)
class _Back:
    """One back: the mean of its crops, and the patches made from it."""

    crop: NDArray[np.float32]
    """(112, 80, 3), in the form of a reader's crop."""
    count: int
    small: NDArray[np.float32] | None = None
    """The crop prepared for comparison with others."""
    patches: tuple[View, ...] = ()
    """The card as the view shows it, turned by 0, 90, 180 and 270 degrees."""
    channel: int = 0
    """The channel in which it varies most."""


@dataclass(slots=True, eq=False)
class _PlainBack:
    """A back of one colour."""

    colour_bgr: NDArray[np.float64]
    count: int

    def is_like(self, colour_bgr: NDArray[np.float64]) -> bool:
        """Whether a colour is this back's in another light."""
        gain = float(colour_bgr @ self.colour_bgr / max(float(self.colour_bgr @ self.colour_bgr), 1.0))
        off = np.abs(colour_bgr - gain * self.colour_bgr).max()
        return GAIN[0] <= gain <= GAIN[1] and bool(off <= ONE_COLOUR)


@dataclass(slots=True)
class TableBacks:
    """The backs that the cards of a table have shown."""

    labels: tuple[str, ...]
    """The reader's labels."""
    size_px: tuple[int, int] = CARD_PX
    """A card's width and height in the view, in px."""
    log_probs: NDArray[np.float64] = field(init=False)
    """(n_labels,) what a reader would return for a known back."""
    _lain: set[int] = field(default_factory=set)
    """The ids of the tracks that were looked at."""
    _backs: list[_Back] = field(default_factory=list)
    """The known backs, the last shown first."""
    _plain: list[_PlainBack] = field(default_factory=list)
    """Backs of one colour, the last shown first."""
    _tops: dict[str, _Back | _PlainBack] = field(default_factory=dict)
    """What the uppermost card of each pile shows now. A cutting card that is put there is soon covered."""

    def __post_init__(self) -> None:
        is_back = np.array([label == BACK for label in self.labels])
        self.log_probs = np.log(np.where(is_back, SURELY, (1.0 - SURELY) / (len(self.labels) - 1)))

    @property
    def are_known(self) -> bool:
        """Whether there is a back to look for."""
        return any(back.patches for back in self._pictured())

    def is_one(self, crop: Image) -> bool:
        """Whether a crop, (112, 80, 3) uint8, shows a known back, either end up."""
        card = self._in_view(crop.astype(np.float32))
        if float(card.std(axis=(0, 1)).max()) < CONTRAST:
            colour = np.asarray(card.mean(axis=(0, 1)), np.float64)
            plain = (*self._plain, *(top for top in self._tops.values() if isinstance(top, _PlainBack)))
            return any(back.count >= SHOWN_BY and back.is_like(colour) for back in plain)
        return _shows_one(crop, self._pictured())

    def enrol(self, crop: Image) -> None:
        """Add an enrolled back, (112, 80, 3) uint8, as known."""
        self._show(crop, SHOWN_BY)

    def wants(self, track_id: int) -> bool:
        """Whether a card that lies face down was not looked at yet."""
        return track_id not in self._lain

    def lies(self, track_id: int, crop: Image) -> None:
        """Learn from a card that lies face down in plain sight on known cloth; `crop` is (112, 80, 3) uint8."""
        self._lain.add(track_id)
        self._show(crop, 1)

    def lies_uppermost(self, pile: str, crop: Image) -> None:
        """Note the uppermost card of a pile of cards that lie face down, (112, 80, 3) uint8; it replaces the last."""
        seen = crop.astype(np.float32)
        card = self._in_view(seen)
        self._tops.pop(pile, None)
        if float(card.std(axis=(0, 1)).max()) < CONTRAST:
            self._tops[pile] = _PlainBack(np.asarray(card.mean(axis=(0, 1)), np.float64), SHOWN_BY)
        elif not _shows_one(crop, self._backs):
            top = _Back(seen, SHOWN_BY)
            self._draw(top)
            self._tops[pile] = top

    def keep(self, track_ids: Collection[int]) -> None:
        """Forget all cards but these, which are still tracked."""
        self._lain &= set(track_ids)

    def find(self, view: View, where: Mask, near: Sequence[FoundBack] = ()) -> list[FoundBack]:
        """Find the known backs in a view.

        Args:
            view: (H, W, 3).
            where: (H, W) what is visible and not explained by anything else.
            near: What the last look found there; a card that lies still is not searched for.

        Returns:
            Those that were found before come first, then the others by decreasing correlation.
        """
        found: list[FoundBack] = []
        left = where.astype(np.float32)
        for one in near:
            again = self._best(view, left, _box_round(one.corners_px, STAYED_PX))
            if again is not None:
                found.append(again)
                cv2.fillPoly(left, [np.round(again.corners_px).astype(np.int32)], 0.0)
        while (best := self._best(view, left, _box_of(left))) is not None:
            found.append(best)
            cv2.fillPoly(left, [np.round(best.corners_px).astype(np.int32)], 0.0)
        return found

    def lies_at(self, view: View, corners_px: NDArray[np.float64]) -> bool:
        """Whether a known back is seen at a place, (4, 2) in px of the view, or up to `STAYED_PX` beside it."""
        return self._best(view, np.ones(view.shape[:2], np.float32), _box_round(corners_px, STAYED_PX)) is not None

    def _best(self, view: View, where: NDArray[np.float32], box: _Box) -> FoundBack | None:
        """Return the best match inside a box; None where nothing is similar enough."""
        top, bottom, left, right = box
        part, free = view[top:bottom, left:right], where[top:bottom, left:right]
        if float(free.sum()) < IN_SIGHT * self.size_px[0] * self.size_px[1]:
            return None
        best: tuple[float, int, int, int, int] | None = None
        for back in self._pictured():
            for patch in back.patches:
                place = _most_like(part, free, patch, back.channel)
                if place is not None and (best is None or place[0] > best[0]):
                    best = (*place, patch.shape[1], patch.shape[0])
        if best is None:
            return None
        like, x, y, width, height = best
        low, high = np.array([left + x, top + y], np.float64), np.array([width, height], np.float64)
        corners = low + np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * high
        return FoundBack(np.roll(corners, -1, axis=0) if width > height else corners, like)

    def _pictured(self) -> list[_Back]:
        """Return the backs with a picture, learnt or uppermost now."""
        return [*self._backs, *(top for top in self._tops.values() if isinstance(top, _Back))]

    def _show(self, crop: Image, count: int) -> None:
        """Add a crop to the known back that it shows, or as a new back."""
        seen = crop.astype(np.float32)
        card = self._in_view(seen)
        if float(card.std(axis=(0, 1)).max()) < CONTRAST:
            self._show_plain(np.asarray(card.mean(axis=(0, 1)), np.float64), count)
            return
        for back in self._backs:
            turned = max((seen, seen[::-1, ::-1]), key=lambda one: _alike(one, back.crop))
            if _alike(turned, back.crop) >= ONE_BACK:
                weight = 1.0 / min(back.count + 1, MOST_CROPS)
                back.crop = back.crop * np.float32(1.0 - weight) + turned * np.float32(weight)
                back.count += count
                self._backs.sort(key=lambda one: one is not back)
                break
        else:
            back = _Back(seen, count)
            self._backs = [back, *self._backs][:MOST_BACKS]
        if back.count >= SHOWN_BY:
            self._draw(back)

    def _show_plain(self, colour_bgr: NDArray[np.float64], count: int) -> None:
        """Count a showing of a back of one colour."""
        back = next((each for each in self._plain if each.is_like(colour_bgr)), None)
        if back is None:
            back = _PlainBack(colour_bgr, 0)
        back.count += count
        self._plain = [back, *(each for each in self._plain if each is not back)][:MOST_BACKS]

    def _in_view(self, crop: View) -> View:
        """Return a crop's card, without the rim, as the view shows it."""
        card = crop[RIM_Y:-RIM_Y, RIM_X:-RIM_X]
        return np.asarray(cv2.blur(cv2.resize(card, self.size_px, interpolation=cv2.INTER_AREA), (3, 3)), np.float32)

    def _draw(self, back: _Back) -> None:
        """Make the patches of a back; none if it is plain."""
        upright = self._in_view(back.crop)
        spread = upright.std(axis=(0, 1))
        back.small = prepared(np.asarray(back.crop, np.uint8))
        back.channel = int(spread.argmax())
        turns = (np.asarray(np.ascontiguousarray(np.rot90(upright, turn)), np.float32) for turn in range(4))
        back.patches = tuple(turns) if spread.max() >= CONTRAST else ()


def _shows_one(crop: Image, backs: Sequence[_Back]) -> bool:
    """Whether a crop shows one of these backs, either end up."""
    known = [back.small for back in backs if back.patches and back.small is not None]
    if not known:
        return False
    seen = prepared(crop)
    ends = (seen, np.ascontiguousarray(seen[::-1, ::-1]))
    return any(likeness(end, back) >= ONE_BACK for back in known for end in ends)


def _box_of(where: NDArray[np.float32]) -> _Box:
    """Return the box of all non-zero cells, grown by `RIM_PX`."""
    rows, columns = (np.nonzero(where.any(axis=axis))[0] for axis in (1, 0))
    if not len(rows):
        return 0, 0, 0, 0
    return _grown((rows[0], rows[-1] + 1, columns[0], columns[-1] + 1), RIM_PX)


def _box_round(corners_px: NDArray[np.float64], rim_px: int) -> _Box:
    """Return the box of a card and a rim round it."""
    (left, top), (right, bottom) = np.round(corners_px.min(axis=0)), np.round(corners_px.max(axis=0))
    return _grown((top, bottom, left, right), rim_px)


def _grown(box: Sequence[float], rim_px: int) -> _Box:
    top, bottom, left, right = (int(edge) for edge in box)
    return max(top - rim_px, 0), max(bottom + rim_px, 0), max(left - rim_px, 0), max(right + rim_px, 0)


def _alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the correlation of two crops, -1 to 1."""
    return likeness(prepared(np.asarray(one, np.uint8)), prepared(np.asarray(other, np.uint8)))


def _most_like(part: View, free: NDArray[np.float32], patch: View, channel: int) -> tuple[float, int, int] | None:
    """Return the best correlation of a patch with a part of the view and its first pixel; None where none is enough."""
    height, width = patch.shape[:2]
    if part.shape[0] < height or part.shape[1] < width:
        return None
    alike = cv2.matchTemplate(np.ascontiguousarray(part[:, :, channel]), patch[:, :, channel], cv2.TM_CCOEFF_NORMED)
    below = cv2.integral(free)
    share = below[height:, width:] - below[:-height, width:] - below[height:, :-width] + below[:-height, :-width]
    alike[(share < IN_SIGHT * width * height) | ~np.isfinite(alike)] = -1.0
    _, best, _, (x, y) = cv2.minMaxLoc(alike)
    if best < FOUND:
        return None
    colours = part[y : y + height, x : x + width].mean(axis=(0, 1)) - patch.mean(axis=(0, 1))
    return (float(best), int(x), int(y)) if float(np.abs(colours).max()) <= COLOURS else None
