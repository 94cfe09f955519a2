"""Loose cards, cutting cards and hands beside the card regions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.card_table import LABELS, LEFT, RIGHT, sight
from thirdcard.vision.cards.card_monitor import CardCustoms, PlaceLook, new_card_watch
from thirdcard.vision.cards.side_watch import SideLook, SideRegions, SideWatch, Visits
from thirdcard.vision.cards.tracker import CardSight
from thirdcard.vision.detections import CARD_FACE, CUT_CARD, Detections
from thirdcard.vision.observations import (
    CardBeside,
    CardBesideHidden,
    CutCardRested,
    LooseCardLeft,
    LooseCardRested,
    LooseCardTurned,
    Observation,
    RegionVisited,
)
from thirdcard.vision.plane.change_gate import GridFrame

GRID = GridFrame((-100.0, -100.0), (60, 120))
GROUND = np.array([[0.0, 0], [700, 0], [700, 400], [0, 400]])
RACK = np.array([[800.0, 0], [950, 0], [950, 200], [800, 200]])
SHOE = np.array([[500.0, 250], [600, 250], [600, 400], [500, 400]])
REGIONS = SideRegions(ground={"ground": GROUND}, kept={"shoe": SHOE}, visited={"rack": RACK})
CARD_MM = (63.0, 88.0)
NO_HAND = np.zeros(GRID.shape_hw, bool)


def thing(
    x_mm: float, y_mm: float, score: float = 0.9, label: int = CUT_CARD, size_mm: tuple[float, float] = CARD_MM
) -> Detections:
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * size_mm + np.array([x_mm, y_mm])
    return Detections(corners_mm=corners[None], label=np.array([label]), score=np.array([score]))


class Table:
    """Plays looks, ten a second."""

    def __init__(self, regions: SideRegions = REGIONS, *, label: int = 0) -> None:
        self.row = np.full(len(LABELS), np.log(0.001))
        self.row[label] = np.log(0.997)
        cards = new_card_watch({"left": LEFT, "right": RIGHT}, LABELS)
        self.watch, self.t = SideWatch(regions, cards, GRID, card_mm=CARD_MM), 0.0
        self.loose: list[Observation] = []
        """The reports about loose cards."""

    def look(
        self,
        *sights: CardSight,
        found: Detections | None = None,
        hands: NDArray[np.bool_] = NO_HAND,
        hidden_s: float = 0.5,
        looks: int = 12,
    ) -> list[Observation]:
        told: list[Observation] = []
        for _ in range(looks):
            look = SideLook(
                found=Detections.empty() if found is None else found,
                hands=hands,
                is_covered=lambda corners: False,
                read_faces=lambda places: [self.row for _ in places],
                hidden_s=lambda corners: hidden_s,
            )
            new = self.watch.update(sights, self.t, look)
            loose = [each for each in new if isinstance(each, LooseCardRested | LooseCardTurned | LooseCardLeft)]
            self.loose += loose
            told += [each for each in new if each not in loose]
            self.t = round(self.t + 0.1, 3)
        return told


def test_card_on_the_ground_is_told_once_with_its_face() -> None:
    told = Table().look(sight(150, y_mm=300))

    assert [(each.face_up, each.reading.label) for each in told if isinstance(each, CardBeside)] == [(True, "7H")]
    assert len(told) == 1


@pytest.mark.parametrize(
    ("x_mm", "y_mm"),
    [pytest.param(150, 75, id="in a box"), pytest.param(550, 300, id="in the shoe"), pytest.param(950, 350, id="off")],
)
def test_card_elsewhere_is_none_on_the_ground(x_mm: float, y_mm: float) -> None:
    assert Table().look(sight(x_mm, y_mm=y_mm)) == []


def test_card_that_was_hidden_and_lies_there_again_may_bear_another() -> None:
    table = Table()
    table.look(sight(150, y_mm=300))

    assert table.look(looks=1) == [], "missed for one look"
    assert table.look(sight(150, y_mm=300), looks=3) == []
    table.look(looks=3)
    assert table.look(sight(150, y_mm=300), looks=10) == [CardBesideHidden(t=2.5)]


def test_card_that_is_seen_for_a_moment_while_cards_are_gathered_bears_none() -> None:
    table = Table()
    table.look(sight(150, y_mm=300))
    table.look(looks=3)

    assert table.look(sight(150, y_mm=300), looks=4) + table.look(looks=20) == []


def test_no_card_is_told_where_no_ground_is_given() -> None:
    assert Table(SideRegions()).look(sight(150, y_mm=300)) == []


def test_clutter_that_nobody_can_read_is_not_waited_for_for_long() -> None:
    table = Table(label=LABELS.index("unclear"))

    assert table.look(sight(150, y_mm=300), looks=5) == []
    assert table.watch.waiting_since_t() == 0.0
    assert len(table.watch.asked_mm()) == 2, "it may be a loose card of either kind"
    assert table.look(sight(150, y_mm=300), looks=40) == []
    assert table.watch.waiting_since_t() is None
    assert table.watch.asked_mm() == []


def test_hand_over_a_place_is_told_when_it_comes() -> None:
    table, hand = Table(), GRID.mask_of(RACK)

    assert table.look(hands=hand) == [RegionVisited(region="rack", t=0.0)]
    assert table.look(looks=2) == []
    assert table.look(hands=hand, looks=3) == [], "it was hardly gone"
    table.look(looks=10)
    assert len(table.look(hands=hand)) == 1


def test_cutting_card_that_a_hand_laid_there_is_told_once() -> None:
    table = Table()
    table.look(looks=3)

    told = table.look(found=thing(300, 300), looks=50)

    assert told == [CutCardRested(t=0.3, at_mm=(300.0, 300.0))]
    assert table.watch.waiting_since_t() is None


@pytest.mark.parametrize(
    ("found", "hidden_s"),
    [
        pytest.param(thing(300, 300, 0.5), 0.5, id="doubtful"),
        pytest.param(thing(150, 75), 0.5, id="among the cards"),
        pytest.param(thing(550, 300), 0.5, id="in the shoe"),
        pytest.param(thing(300, 300), 0.0, id="no hand was there"),
        pytest.param(thing(300, 300, label=CARD_FACE), 0.5, id="a card"),
    ],
)
def test_what_only_looks_like_a_cutting_card_is_not_told(found: Detections, hidden_s: float) -> None:
    table = Table()
    table.look(looks=3)

    assert table.look(found=found, hidden_s=hidden_s, looks=30) == []


@pytest.mark.parametrize(("are_cards_away", "count"), [(True, 0), (False, 1)])
def test_plain_back_where_a_card_was_taken_is_no_cutting_card(are_cards_away: bool, count: int) -> None:
    table = Table()
    cards = new_card_watch(
        {"left": LEFT, "right": RIGHT}, LABELS, CardCustoms(handed={"near": LEFT + np.array([200.0, 200.0])})
    )
    cards.are_cards_away = are_cards_away
    table.watch = SideWatch(REGIONS, cards, GRID, card_mm=CARD_MM)
    table.look(looks=3)

    assert len(table.look(found=thing(300, 300), looks=50)) == count


class HandingTable:
    """A table whose cards are taken to a place beside the regions."""

    def __init__(self) -> None:
        customs = CardCustoms(handed={"near": LEFT + np.array([200.0, 200.0])}, is_handed_at_once=True)
        self.cards = new_card_watch({"left": LEFT, "right": RIGHT}, LABELS, customs)
        self.side, self.t = SideWatch(SideRegions(), self.cards, GRID, card_mm=CARD_MM), 0.0
        self.shown: tuple[CardSight, ...] = ()

    def look(self, *sights: CardSight, looks: int = 30) -> list[Observation]:
        """Show these cards; return what is reported beside the regions."""
        told: list[Observation] = []
        self.shown = sights
        for _ in range(looks):
            self.cards.update(sights, self.t, PlaceLook(is_covered=lambda corners: False), self.read)
            seen = SideLook(
                found=Detections.empty(),
                hands=NO_HAND,
                is_covered=lambda corners: False,
                read_faces=self.read,
                hidden_s=lambda corners: 0.5,
            )
            told += self.side.update(sights, self.t, seen)
            self.t = round(self.t + 0.1, 3)
        return told

    def read(self, places: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Read each card as the 7 of hearts where it lies open."""
        rows = []
        for corners in places:
            card = next(card for card in self.shown if np.array_equal(card.corners_mm, corners))
            row = np.full(len(LABELS), np.log(0.001))
            row[LABELS.index("7H" if card.face_up else "back")] = np.log(0.997)
            rows.append(row)
        return rows


BESIDE = sight(300, y_mm=300)
"""A card at the place to which cards are taken."""


def test_card_where_cards_are_taken_is_loose_once_all_others_lie_open() -> None:
    table = HandingTable()
    table.look(sight(150), sight(550), looks=20)

    (told,) = table.look(sight(150), sight(550), BESIDE)
    assert isinstance(told, LooseCardRested)
    assert told.at_mm == (300.0, 300.0)


def test_back_that_was_turned_in_its_region_is_not_on_its_way() -> None:
    table = HandingTable()
    table.look(sight(150), looks=20)
    table.look(sight(150), sight(550, face_up=False), looks=4)
    table.look(sight(150), sight(550), looks=6)

    (told,) = table.look(sight(150), sight(550), BESIDE, looks=14)
    assert isinstance(told, LooseCardRested)


def test_back_that_lies_where_none_belongs_shows_the_table_s_back() -> None:
    table = HandingTable()
    table.look(sight(150), looks=20)
    assert table.side.loose_backs() == []
    beside = sight(300, y_mm=300, face_up=False)
    table.look(sight(150), beside)
    (back,) = table.side.loose_backs()
    assert np.array_equal(back.sight.at_mm, beside.at_mm)


def test_card_where_cards_are_taken_may_be_one_of_the_regions_while_a_back_lies_there() -> None:
    table = HandingTable()
    table.look(sight(150), sight(550, face_up=False), looks=20)

    assert table.look(sight(150), sight(550, face_up=False), BESIDE) == []


def test_loose_card_where_cards_are_taken_stays_when_another_card_comes_face_down() -> None:
    table = HandingTable()
    table.look(sight(150), looks=20)
    (rested,) = table.look(sight(150), BESIDE)
    assert isinstance(rested, LooseCardRested)

    assert table.look(sight(150), sight(550, face_up=False), BESIDE) == []
    (left,) = table.look(sight(150), sight(550, face_up=False))
    assert left == LooseCardLeft(track_id=rested.track_id, t=8.0)


def test_what_lay_there_from_the_first_look_on_is_furniture() -> None:
    table = Table()
    table.look(found=thing(300, 300, 0.3), looks=1)

    assert table.look(found=thing(302, 299), looks=30) == []


def test_cutting_card_that_moves_on_is_told_where_it_rests() -> None:
    table = Table()
    table.look(looks=3)
    for x in (200.0, 230.0, 260.0, 290.0):
        table.look(found=thing(x, 330), looks=1)

    told = table.look(found=thing(320, 330), looks=50)
    assert [each.at_mm for each in told if isinstance(each, CutCardRested)] == [(320, 330)]


@pytest.mark.parametrize(
    ("size_mm", "told"),
    [
        pytest.param((88, 63), 1, id="on-its-side"),
        pytest.param((70, 97), 1, id="box-too-large"),
        pytest.param((70, 126), 0, id="part-of-a-telephone"),
        pytest.param((45, 88), 0, id="too-narrow"),
    ],
)
def test_what_does_not_have_a_cards_size_is_no_cutting_card(size_mm: tuple[float, float], told: int) -> None:
    table = Table()
    table.look(looks=3)
    assert len(table.look(found=thing(300, 300, size_mm=size_mm), looks=50)) == told


def test_cutting_card_that_is_put_away_soon_is_told() -> None:
    table = Table()
    table.look(looks=3)
    assert table.look(found=thing(300, 300), looks=10) == []
    assert table.look(looks=40) == [CutCardRested(t=0.3, at_mm=(300.0, 300.0))]


def test_plain_back_that_was_taken_for_a_cutting_card_is_a_card_once_it_is_turned() -> None:
    table = Table()
    table.look(looks=3)
    table.look(found=thing(300, 300), looks=28)
    assert table.watch.waiting_since_t() == pytest.approx(0.3)

    table.loose.clear()
    told = table.look(sight(310, y_mm=310), found=thing(310, 310, label=CARD_FACE), looks=40)
    assert not any(isinstance(each, CutCardRested) for each in told)
    laid, turned = table.loose
    assert isinstance(laid, LooseCardRested) and isinstance(turned, LooseCardTurned)
    assert (laid.t, laid.face_up, laid.reading.label) == (0.3, False, None)
    assert (turned.t, turned.face_up, turned.reading.label) == (3.1, True, "7H")
    assert table.watch.waiting_since_t() is None


def test_what_is_waited_for_is_asked_for() -> None:
    table = Table()
    table.look(looks=3)
    table.look(found=thing(300, 300), looks=3)

    assert table.watch.waiting_since_t() == pytest.approx(0.3)
    assert [tuple(at) for at in table.watch.asked_mm()] == [(300.0, 300.0)]


SMALL_GRID = GridFrame((0.0, 0.0), (20, 20))
PLACE = np.array([[40.0, 40], [100, 40], [100, 120], [40, 120]])


@pytest.mark.parametrize(
    ("looks", "told"),
    [
        pytest.param([(0.0, True), (0.1, True), (0.2, True)], [0.0], id="stays"),
        pytest.param([(0.0, True), (0.2, False), (0.4, True)], [0.0], id="hardly-gone"),
        pytest.param([(0.0, True), (0.2, False), (0.8, True)], [0.0, 0.8], id="comes-back"),
        pytest.param([(0.0, True), (2.0, True), (6.0, True)], [0.0], id="rests-while-few-looks-are-had"),
    ],
)
def test_each_visit_is_told_once(looks: list[tuple[float, bool]], told: list[float]) -> None:
    visits = Visits({"shoe": PLACE}, SMALL_GRID)
    seen = [one for t, is_there in looks for one in visits.update(np.full(SMALL_GRID.shape_hw, is_there), t)]
    assert [one.t for one in seen] == told
