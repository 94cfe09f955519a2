"""What is known of the cloth from look to look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.vision.drawn_clips import CLOTH_MM, cloth, straight_down
from thirdcard.vision.detections import CARD_FACE, HAND, Detections
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.plane.change_gate import SMALL_WH_PX
from thirdcard.vision.plane.cloth_watch import ClothLook, ClothWatch
from thirdcard.vision.plane.rectify import Rectifier
from thirdcard.vision.plane.tiling import Rect

SHAPE = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
CARD, ARM = (600.0, 300.0), (1100.0, 300.0)


def found(*things: tuple[int, tuple[float, float]]) -> Detections:
    corners = np.array([SHAPE + np.array(at) for _, at in things]).reshape(-1, 4, 2)
    return Detections(corners, np.array([label for label, _ in things], int), np.full(len(things), 0.9))


@dataclass
class Finder:
    """Finds what it is asked to, wherever it looks, and notes how often it looked."""

    things: Detections = field(default_factory=Detections.empty)
    looks: list[list[Rect]] = field(default_factory=list)
    shifts: list[tuple[float, float]] = field(default_factory=list)

    def detect_regions(
        self,
        image: Image,
        rectifier: Rectifier,
        rects_mm: Sequence[Rect],
        *,
        shift_mm: tuple[float, float] = (0.0, 0.0),
    ) -> Detections:
        self.looks.append(list(rects_mm))
        self.shifts.append(shift_mm)
        return self.things


def look(watch: ClothWatch, t: float, *asked_mm: tuple[float, float]) -> ClothLook:
    frame = Frame(round(t * 10), t, cloth())
    change = watch.changed(frame.small(SMALL_WH_PX), t)
    seen = watch.look(frame, change, [np.array(point) for point in asked_mm])
    watch.note_cover(seen.cover)
    return seen


def test_still_cloth_is_looked_at_once_and_what_was_found_stays_known() -> None:
    finder = Finder(found((CARD_FACE, CARD)))
    watch = ClothWatch(straight_down(), CLOTH_MM, finder)
    looks = [look(watch, t) for t in (0.0, 0.1, 0.2)]
    assert len(finder.looks) == 1
    assert [len(each.found) for each in looks] == [1, 1, 1]
    assert [bool(each.looked_mm) for each in looks] == [True, False, False]


def test_part_that_is_asked_for_is_looked_at_again_with_its_tiles_moved() -> None:
    finder = Finder()
    watch = ClothWatch(straight_down(), CLOTH_MM, finder)
    look(watch, 0.0)
    (box,) = look(watch, 0.1, CARD).looked_mm
    assert box[0] <= CARD[0] <= box[2] and box[1] <= CARD[1] <= box[3]
    assert finder.shifts[0] != finder.shifts[1]


def test_hands_cover_and_are_no_things_on_the_cloth() -> None:
    watch = ClothWatch(straight_down(), CLOTH_MM, Finder(found((CARD_FACE, CARD), (HAND, ARM))))
    seen = look(watch, 0.0)
    assert seen.found.label.tolist() == [CARD_FACE]
    assert seen.cover.share_of(watch.grid.mask_of(SHAPE + np.array(ARM))) == 1.0
    assert watch.hands[watch.grid.mask_of(SHAPE + np.array(ARM))].all()


def test_places_were_hidden_while_the_camera_did_not_see() -> None:
    watch = ClothWatch(straight_down(), CLOTH_MM, Finder())
    look(watch, 0.0)
    for t in (0.5, 0.7, 0.9):
        watch.look_blind(t)
    assert watch.hidden_s(SHAPE + np.array(CARD), 1.0) == 0.4


def test_still_picture_is_searched_whole_and_nothing_of_it_is_remembered() -> None:
    finder = Finder(found((CARD_FACE, CARD)))
    watch = ClothWatch(straight_down(), CLOTH_MM, finder)
    assert len(watch.detected(cloth())) == 1
    assert finder.looks == [[(0.0, 0.0, *CLOTH_MM)]]
    assert look(watch, 0.0).looked_mm
