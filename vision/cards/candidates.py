"""Turn detections into card sights: true size, one for each place, without print, and with missed cards added.

Where a deck's backs are plain, known cards show whether an apparent cutting card is a back. Knows where cards may lie,
not what they mean. Layout millimetres.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.background_difference import Leftovers, true_rectangle
from thirdcard.vision.cards.first_looks import FirstLooks
from thirdcard.vision.cards.label_fusion import NO_FACE
from thirdcard.vision.cards.static_clutter import StaticClutter
from thirdcard.vision.cards.table_backs import TableBacks
from thirdcard.vision.cards.tracker import ONE_CARD_MM, CardSight, CardTrack
from thirdcard.vision.detections import CARD_BACK, CARD_FACE, CUT_CARD, Detections, have_sides
from thirdcard.vision.frames import Frame
from thirdcard.vision.plane.change_gate import Change, GridFrame, Polygon
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.plane.rectify import Rectifier
from thirdcard.vision.plane.tiling import Rect

CARD_SCORE = 0.25
"""Least detector score, 0 to 1, of a card. Low, since the reader rejects what is not a card."""
ONE_PLACE_MM = 26.0
"""Least distance between the centres of two cards, even where they overlap."""
NEIGHBOUR_MM = 110.0
"""Cards farther apart than this cannot overlap: the diagonal of a card of 63 x 88 mm is 108 mm."""
MADE_OF_OTHERS = 0.85
"""A box covered by better boxes to a larger share than this consists of their parts."""
FOLLOW_LIGHT_S = 5.0
"""The bare view of an empty region is renewed at most this often, in seconds."""
FACE_SCORE = 0.6
"""From this detector score on, an open card is accepted as one."""
CARD_SIDES = (0.62, 1.45)
"""Allowed range of a box's sides, relative to a card's true sides."""
PLAIN_LOOKS = 5
"""Number of looks at known backs, detected as cutting cards, from which on the backs count as plain."""
ACROSS, DOWN = (shares.reshape(-1, 1) for shares in np.meshgrid(np.linspace(0.06, 0.94, 7), np.linspace(0.06, 0.94, 9)))
"""A grid of points over a box, in shares of its sides."""

Read = Callable[[Sequence[Polygon]], Sequence[NDArray[np.float64] | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLook:
    """The inputs of one look."""

    frame: Frame
    change: Change
    cover: Cover
    looked_mm: Sequence[Rect]
    """Boxes, in mm, that the detector examined at this look."""
    read: Read
    """Returns log probabilities over the labels for each place in the frame; None where it cannot be read."""


class CardSights:
    """The cards visible in some regions."""

    def __init__(
        self,
        regions: Mapping[str, Polygon],
        rectifier: Rectifier,
        grid: GridFrame,
        *,
        card_mm: tuple[float, float],
        labels: tuple[str, ...],
        backs: TableBacks | None = None,
    ) -> None:
        """Take the regions, the reader's labels and the backs to look for; backs may also be learned later."""
        self._regions, self._card_mm, self._labels = regions, card_mm, labels
        self._grid, self._print = grid, StaticClutter(grid)
        self._leftovers = Leftovers(regions, rectifier, card_mm, backs)
        self._cells = {region: grid.cells_of_box(*self._leftovers.box_mm(region)) for region in regions}
        self._refined: dict[str, list[CardSight]] = {}
        self._trued: tuple[Detections, list[CardSight], list[CardSight]] | None = None
        """The last detections, their card sights, and their cutting cards as sights of backs: unchanged detections are
        not computed again."""
        self._followed_t: dict[str, float] = {}
        self._first = FirstLooks()
        """What is assumed about things that lay there at the first look."""
        self.learnt_t: float | None = None
        """Stream time in seconds at which print and bare cloth were last relearned. What counted as either before
        may have been cards."""

    def of(self, found: Detections, look: CardLook) -> list[CardSight]:
        """Return the visible cards, given everything that the detector last found."""
        cards, _ = self._all_of(found)
        if not self._print.is_made:
            self._remember_first(cards, look)
        if self._first.are_doubted:
            self._doubt_first(cards, look)
        sights = self._without_print(cards, look)
        in_sight = [
            sight
            for sight in sights
            if not self._is_own(sight) and not self._print.is_bare(sight.corners_mm, look.change, look.cover.mask)
        ]
        for region in self._regions:
            in_sight += self._refine(region, sights, look)
        return in_sight

    @property
    def may_hide_cards(self) -> bool:
        """Whether what counted as print at the first look may be cards that lie there."""
        return self._first.may_be_cards

    def is_laid(self, sight: CardSight, frame: Frame) -> bool:
        """Whether a sight wholly hides the cloth that was bare there before, so that it cannot be print."""
        return any(
            self._leftovers.is_known(region)
            and self._leftovers.is_own(region, sight)
            and self._leftovers.is_hidden(region, sight.corners_mm, frame.image)
            for region in self._regions
        )

    def blends(self, sight: CardSight, frame: Frame) -> bool:
        """Whether a sight hardly differs from the bare cloth that is known there."""
        return any(
            self._leftovers.blends(region, sight.corners_mm, frame.image)
            for region in self._regions
            if self._leftovers.is_known(region) and self._leftovers.is_own(region, sight)
        )

    def is_left(self, old: CardSight, others: Sequence[CardSight], frame: Frame) -> bool:
        """Whether bare cloth shows where a card lay, and where no other is seen; True where no bare cloth is known."""
        others_mm = [other.corners_mm for other in others]
        return all(
            self._leftovers.is_left(region, old.corners_mm, others_mm, frame.image)
            for region in self._regions
            if self._leftovers.is_known(region) and self._leftovers.is_own(region, old)
        )

    def _remember_first(self, sights: list[CardSight], look: CardLook) -> None:
        """Treat what the first look shows and cannot be read as print; where cards belong, keep it in doubt."""
        rows = look.read([sight.corners_mm for sight in sights])
        unread = [
            sight
            for sight, row in zip(sights, rows, strict=True)
            if row is None or self._labels[int(row.argmax())] in NO_FACE
        ]
        self._print.remember([sight.corners_mm for sight in unread], look.change)
        self._first.begin(
            faces=sum(self._is_own(sight) for sight in sights) - sum(self._is_own(sight) for sight in unread),
            unread=sum(self._is_own(sight) for sight in unread),
            is_covered=self._is_covered(look),
        )

    def _doubt_first(self, sights: list[CardSight], look: CardLook) -> None:
        """Check the first look's assumption once faces have gone and nothing covers the regions.

        If it was wrong, print and bare cloth are relearned.
        """
        own = [sight for sight in sights if self._is_own(sight)]
        is_face = any(sight.face_up and sight.score >= FACE_SCORE for sight in own)
        if not self._first.is_cleared(look.frame.t, is_face=is_face, is_covered=self._is_covered(look)):
            return
        mask = look.cover.mask
        is_as_before = all(
            self._print.is_print(sight.corners_mm, look.change, mask)
            or self._print.is_bare(sight.corners_mm, look.change, mask)
            for sight in own
        ) and self._print.looks_as_before(look.change, self._cells.values())
        if not self._first.is_learnt_anew(is_as_before=is_as_before):
            return
        self._print.remember([sight.corners_mm for sight in sights if not sight.face_up], look.change)
        self._leftovers.forget()
        self._refined.clear()
        self.learnt_t = look.frame.t

    def _is_own(self, sight: CardSight) -> bool:
        return any(self._leftovers.is_own(region, sight) for region in self._regions)

    def _is_covered(self, look: CardLook) -> bool:
        return any(look.cover.mask[cells].any() for cells in self._cells.values())

    def _refine(self, region: str, sights: list[CardSight], look: CardLook) -> list[CardSight]:
        """Return the region's own sights, corrected by its bare view where that is known."""
        covered = look.cover.mask[self._cells[region]]
        box = self._leftovers.box_mm(region)
        is_looked_at = any(_overlap(box, looked) for looked in look.looked_mm)
        if region in self._refined and not is_looked_at and not covered.any():
            return self._refined[region]
        own = [sight for sight in sights if self._leftovers.is_own(region, sight)]
        if not own and not covered.any() and not self._leftovers.is_known(region):
            self._leftovers.keep_bare(region, look.frame.image)
        if self._leftovers.is_known(region):
            mended = self._leftovers.refine(region, sights, look.frame.image, covered)
            own = [sight for sight in mended if self._leftovers.is_own(region, sight)]
            self._follow_light(region, own, look, is_covered=bool(covered.any()))
        self._refined[region] = own
        return own

    def _follow_light(self, region: str, own: list[CardSight], look: CardLook, *, is_covered: bool) -> None:
        if own or is_covered or look.frame.t - self._followed_t.get(region, -FOLLOW_LIGHT_S) < FOLLOW_LIGHT_S:
            return
        self._followed_t[region] = look.frame.t
        self._leftovers.follow_light(region, look.frame.image)

    def like_cut_cards(self, found: Detections) -> list[CardSight]:
        """Return detected cutting cards as sights that may be plain backs."""
        return self._all_of(found)[1]

    def _all_of(self, found: Detections) -> tuple[list[CardSight], list[CardSight]]:
        if self._trued is None or self._trued[0] is not found:
            cut = self._true(found, CUT_CARD)
            like_cut_cards = [replace(sight, face_up=False, is_like_cut_card=True) for sight in cut]
            self._trued = found, self._true(found, CARD_FACE, CARD_BACK), like_cut_cards
        return self._trued[1:]

    def _true(self, found: Detections, *labels: int) -> list[CardSight]:
        cards = found.of(*labels)
        cards = cards.take(have_sides(cards.corners_mm, self._card_mm, CARD_SIDES))
        cards = _one_a_place(cards.take(cards.score >= CARD_SCORE))
        return [
            CardSight(
                corners_mm=true_rectangle(corners, self._card_mm), face_up=int(label) == CARD_FACE, score=float(score)
            )
            for corners, label, score in zip(cards.corners_mm, cards.label, cards.score, strict=True)
        ]

    def _without_print(self, sights: list[CardSight], look: CardLook) -> list[CardSight]:
        """Drop print, and also backs for as long as it is not yet known what is print."""
        return [
            sight
            for sight in sights
            if not (self._first.is_unlearnt and not sight.face_up and self._is_own(sight))
            and not self._print.is_print(sight.corners_mm, look.change, look.cover.mask)
        ]


@dataclass(slots=True)
class PlainBacks:
    """Detects backs of one colour without a rim, which the detector often takes for cutting cards.

    A deck has such backs if cards that were reported as backs look like cutting cards, look after look. From then on an
    apparent cutting card where cards belong is a back.
    """

    _looks: int = 0

    @property
    def are_plain(self) -> bool:
        """Whether an apparent cutting card may be a card."""
        return self._looks >= PLAIN_LOOKS

    def note(self, sights: Iterable[CardSight], backs: Sequence[CardTrack]) -> None:
        """Count the looks at which a known back is detected as a cutting card."""
        self._looks += sum(
            sight.is_like_cut_card and any(_are_one_card(sight, track.sight) for track in backs) for sight in sights
        )

    def told_apart(self, sights: Sequence[CardSight], is_card_place: Callable[[CardSight], bool]) -> list[CardSight]:
        """Return the sights; if backs are plain, apparent cutting cards where cards belong become backs."""
        if not self.are_plain:
            return list(sights)
        cards = [sight for sight in sights if not sight.is_like_cut_card]
        return [
            replace(sight, is_like_cut_card=False)
            if sight.is_like_cut_card and is_card_place(sight) and not any(_are_one_card(sight, card) for card in cards)
            else sight
            for sight in sights
        ]


def _are_one_card(one: CardSight, other: CardSight) -> bool:
    return float(np.linalg.norm(one.at_mm - other.at_mm)) < ONE_CARD_MM


def _one_a_place(cards: Detections) -> Detections:
    """Drop boxes that are too near to a better one, or that consist of parts of better ones."""
    order = np.argsort(-cards.score, kind="stable")
    corners, centres = cards.corners_mm[order], cards.centres_mm[order]
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    kept: list[int] = []
    for i in range(len(order)):
        near = [j for j in kept if gaps[i, j] < NEIGHBOUR_MM]
        if all(gaps[i, j] >= ONE_PLACE_MM for j in near) and _share_under(corners[i], corners[near]) < MADE_OF_OTHERS:
            kept.append(i)
    return cards.take(order[kept])


def _share_under(box: Polygon, others: Polygon) -> float:
    """Return the share of a (4, 2) box that lies under (N, 4, 2) others, estimated on a grid of points."""
    if not len(others):
        return 0.0
    points = box[0] + ACROSS * (box[1] - box[0]) + DOWN * (box[3] - box[0])
    sides = np.roll(others, -1, axis=1) - others
    away = points[:, None, None] - others[None]
    is_inside = (sides[..., 0] * away[..., 1] - sides[..., 1] * away[..., 0] >= 0.0).all(axis=2)
    return float(is_inside.any(axis=1).mean())


def _overlap(one: Rect, other: Rect) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
