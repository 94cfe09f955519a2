"""Cards that leave their region for a while are looked for at the places where they may be brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tests.vision.card_table import LABELS, LEFT, RIGHT, Table, kinds, sight
from thirdcard.vision.cards.card_monitor import CardCustoms, PlaceLook, new_card_watch
from thirdcard.vision.cards.handed_cards import HandedCards
from thirdcard.vision.observations import CardFlipped, CardLeft, CardRested, CardShifted

NEAR = LEFT + np.array([0.0, 500.0])
FAR = RIGHT + np.array([0.0, 500.0])
IN_NEAR = 575.0
CUSTOMS = CardCustoms(handed={"near": NEAR, "far": FAR}, is_handed_at_once=True)


def handed_table() -> Table:
    table = Table()
    table.watch = new_card_watch({"left": LEFT, "right": RIGHT}, LABELS, CUSTOMS)
    return table


def passed_table() -> Table:
    """A card whose back is up was taken from the left region to the place before it."""
    table = handed_table()
    table.look(sight(100, face_up=False), looks=8)
    table.look(looks=2)
    table.look(sight(150, face_up=False, y_mm=IN_NEAR), looks=12)
    return table


def test_back_that_leaves_its_region_and_rests_at_a_place_is_the_same_card() -> None:
    table = passed_table()
    rested, shifted = table.told
    assert isinstance(rested, CardRested) and isinstance(shifted, CardShifted)
    assert (shifted.track_id, shifted.region) == (rested.track_id, "near")
    assert shifted.margin_mm > 50


def test_card_is_turned_at_the_place_and_brought_back() -> None:
    table = passed_table()
    table.look(sight(152, y_mm=IN_NEAR), looks=8)
    table.look(looks=2)
    table.look(sight(90), looks=12)
    assert kinds(table.told) == [CardRested, CardShifted, CardFlipped, CardShifted]
    back = table.told[-1]
    assert isinstance(back, CardShifted) and back.region == "left"
    assert len({each.track_id for each in table.told if isinstance(each, CardRested | CardShifted | CardFlipped)}) == 1


def test_card_that_was_out_of_sight_for_long_and_comes_back_face_up_was_turned() -> None:
    table = handed_table()
    table.look(sight(100, face_up=False), looks=8)
    table.look(looks=60)
    table.look(sight(120), looks=12)
    assert kinds(table.told) == [CardRested, CardLeft, CardShifted, CardFlipped]


def test_back_that_comes_to_rest_long_after_another_was_taken_away_is_a_new_card() -> None:
    table = handed_table()
    table.look(sight(100, face_up=False), looks=8)
    table.look(looks=60)
    table.look(sight(120, face_up=False), looks=12)
    assert kinds(table.told) == [CardRested, CardLeft, CardRested]


def test_card_on_its_way_back_over_another_place_was_not_passed_there() -> None:
    table = passed_table()
    table.look(looks=4)
    table.look(sight(550, face_up=False, y_mm=IN_NEAR), looks=5)
    assert kinds(table.told) == [CardRested, CardShifted]


def test_nothing_begins_at_a_place() -> None:
    table = handed_table()
    table.look(sight(150, y_mm=IN_NEAR), looks=20)
    table.look(sight(100), sight(150, y_mm=IN_NEAR), looks=12)
    assert kinds(table.told) == [CardRested]
    assert table.watch.waiting_since_t() is None


def test_what_lay_at_a_place_before_a_card_left_is_not_that_card() -> None:
    table = handed_table()
    table.look(sight(100, face_up=False), sight(500, face_up=False, y_mm=IN_NEAR), looks=10)
    table.look(sight(500, face_up=False, y_mm=IN_NEAR), looks=30)
    assert kinds(table.told) == [CardRested, CardLeft]


def test_what_lay_at_a_place_is_no_furniture_any_more_once_that_is_forgotten() -> None:
    table = handed_table()
    table.look(sight(500, face_up=False, y_mm=IN_NEAR), looks=10)
    table.watch.handed.forget_furniture()
    table.look(sight(100, face_up=False), looks=10)
    table.look(sight(500, face_up=False, y_mm=IN_NEAR), looks=30)
    assert kinds(table.told) == [CardRested, CardShifted]


def test_face_up_card_that_leaves_its_region_is_looked_for_nowhere() -> None:
    table = handed_table()
    table.look(sight(100), looks=10)
    table.look(sight(150, y_mm=IN_NEAR), looks=30)
    assert kinds(table.told) == [CardRested, CardLeft]


def test_point_between_two_places_belongs_to_neither_by_much() -> None:
    places = HandedCards({"one": LEFT, "other": LEFT + np.array([280.0, 0.0])})
    assert places.place_of(np.array([100.0, 75.0])) == "one"
    assert places.margin_mm(np.array([100.0, 75.0])) > 50
    assert places.margin_mm(np.array([289.0, 75.0])) < 10
    assert places.place_of(np.array([100.0, 500.0])) is None


def test_two_backs_that_are_brought_together_keep_their_order() -> None:
    table = handed_table()
    table.look(sight(60, face_up=False), sight(130, face_up=False), looks=8)
    ids = {each.at_mm[0]: each.track_id for each in table.told if isinstance(each, CardRested)}
    table.look(looks=2)
    table.look(sight(620, face_up=False, y_mm=IN_NEAR), sight(550, face_up=False, y_mm=IN_NEAR), looks=12)
    at = {track.track_id: track.sight.at_mm[0] for track in table.watch.tracker.tracks}
    assert {each.track_id for each in table.told if isinstance(each, CardShifted)} == set(ids.values())
    assert at[ids[60.0]] < at[ids[130.0]]


def test_two_backs_keep_their_order_though_a_hand_lies_where_one_of_them_was() -> None:
    table = handed_table()
    table.look(sight(60, face_up=False), sight(130, face_up=False), looks=8)
    ids = {each.at_mm[0]: each.track_id for each in table.told if isinstance(each, CardRested)}
    brought = sight(550, face_up=False, y_mm=IN_NEAR), sight(620, face_up=False, y_mm=IN_NEAR)
    table.covered = lambda x: 40 < x < 80
    table.look(*brought, looks=7)
    table.covered = lambda x: False
    table.look(*brought, looks=8)
    at = {track.track_id: track.sight.at_mm[0] for track in table.watch.tracker.tracks}
    assert (at[ids[60.0]], at[ids[130.0]]) == (550.0, 620.0)


def test_stray_look_beside_two_backs_is_not_what_was_brought_with_them() -> None:
    table = handed_table()
    table.look(sight(60, face_up=False), sight(130, face_up=False), looks=8)
    ids = {each.at_mm[0]: each.track_id for each in table.told if isinstance(each, CardRested)}
    brought = sight(640, face_up=False, y_mm=IN_NEAR), sight(710, face_up=False, y_mm=IN_NEAR)
    table.look(*brought, looks=3)
    for x_mm in (612, 609):
        table.look(*brought, sight(x_mm, face_up=False, y_mm=IN_NEAR))
    table.look(*brought, looks=8)
    at = {track.track_id: track.sight.at_mm[0] for track in table.watch.tracker.tracks}
    assert (at[ids[60.0]], at[ids[130.0]]) == (640.0, 710.0)


def test_card_that_is_brought_back_under_a_hand_to_one_with_the_same_face_is_that_card() -> None:
    table = handed_table()
    table.look(sight(60, face_up=False), sight(130, face_up=False), looks=8)
    at_seat = sight(550, face_up=False, y_mm=IN_NEAR), sight(620, face_up=False, y_mm=IN_NEAR)
    table.look(*at_seat, looks=10)
    table.faces = lambda x: None
    table.look(*(replace(each, face_up=True) for each in at_seat), looks=14)
    table.faces, table.covered = lambda x: "7H", lambda x: 100 < x < 160
    table.look(sight(60), sight(130), looks=25)
    assert CardLeft not in kinds(table.told)
    assert [each.region for each in table.told if isinstance(each, CardShifted)][2:] == ["left", "left"]


def test_card_that_is_passed_on_before_it_rested_was_dealt_face_down() -> None:
    table = handed_table()
    table.look(sight(200), looks=10)
    for x_mm in (60.0, 70.0, 60.0):
        table.look(sight(200), sight(x_mm, face_up=False))
    table.look(sight(200), looks=2)
    table.look(sight(200), sight(150, face_up=False, y_mm=IN_NEAR), looks=12)
    _, dealt, shifted = table.told
    assert isinstance(dealt, CardRested) and isinstance(shifted, CardShifted)
    assert (dealt.region, dealt.face_up, dealt.at_mm[0], shifted.region) == ("left", False, 60.0, "near")
    assert dealt.track_id == shifted.track_id
    assert dealt.t < shifted.t


def test_back_that_rested_in_a_region_is_not_the_one_that_lies_at_a_place() -> None:
    table = handed_table()
    table.look(sight(200), looks=10)
    table.look(sight(200), sight(60, face_up=False), looks=8)
    table.look(sight(200), sight(60, face_up=False), sight(150, face_up=False, y_mm=IN_NEAR), looks=12)
    assert kinds(table.told) == [CardRested, CardRested]


def test_plain_back_that_looks_like_a_cutting_card_is_the_one_that_is_missing() -> None:
    table = handed_table()
    table.look(sight(100, face_up=False), looks=8)
    table.look(looks=2)
    table.look(replace(sight(150, face_up=False, y_mm=IN_NEAR), is_like_cut_card=True), looks=12)
    assert kinds(table.told) == [CardRested, CardShifted]


def test_cutting_card_in_a_region_is_no_card() -> None:
    table = handed_table()
    table.look(replace(sight(150, face_up=False), is_like_cut_card=True), looks=12)
    assert table.told == []


def test_card_that_is_turned_under_a_hand_is_not_one_of_another_hand() -> None:
    table = handed_table()
    table.look(sight(100, face_up=False), sight(500, face_up=False), looks=8)
    table.look(sight(500, face_up=False), looks=2)
    table.look(sight(500, face_up=False), sight(150, face_up=False, y_mm=IN_NEAR), looks=12)
    table.covered = lambda x: 100 < x < 200
    table.look(looks=12)
    table.look(sight(178, y_mm=IN_NEAR), looks=12)
    turned = [each.track_id for each in table.told if isinstance(each, CardFlipped)]
    assert turned == [each.track_id for each in table.told if isinstance(each, CardShifted)]


def test_cards_of_one_hand_go_to_one_place() -> None:
    table = handed_table()
    table.look(sight(60, face_up=False), sight(130, face_up=False), looks=8)
    table.look(sight(60, face_up=False), sight(150, face_up=False, y_mm=IN_NEAR), looks=12)
    table.look(sight(150, face_up=False, y_mm=IN_NEAR), sight(550, face_up=False, y_mm=IN_NEAR), looks=12)
    assert [each.region for each in table.told if isinstance(each, CardShifted)] == ["near"]


def test_back_seen_for_a_moment_while_another_is_out_may_be_that_one() -> None:
    table = handed_table()
    table.look(sight(200, face_up=False), sight(500), looks=10)
    for x_mm in (60.0, 70.0, 60.0):
        table.look(sight(500), sight(x_mm, face_up=False))
    table.look(sight(500), looks=2)
    near, far = sight(150, face_up=False, y_mm=IN_NEAR), sight(550, face_up=False, y_mm=IN_NEAR)
    table.look(sight(500), near, looks=12)
    table.look(sight(500), near, far, looks=12)
    assert kinds(table.told) == [CardRested, CardRested, CardShifted]


def test_card_that_hands_shake_is_at_rest_once_it_has_been_about_one_place() -> None:
    table = handed_table()
    for step in range(8):
        table.look(sight(100 + 10 * (step % 2), face_up=False))
    (rested,) = table.told
    assert isinstance(rested, CardRested)
    assert rested.t == 0.0


def test_back_is_read_until_it_is_sure() -> None:
    table, asked = handed_table(), []

    def read(places: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        asked.append(len(places))
        unsure, sure = np.log([0.01, 0.01, 0.2, 0.78]), np.log([0.001, 0.001, 0.997, 0.001])
        return [unsure if len(asked) <= 4 else sure for _ in places]

    for step in range(16):
        faint = replace(sight(100, face_up=False), score=0.5)
        table.told += table.watch.update([faint], 0.1 * step, PlaceLook(is_covered=lambda corners: False), read)
    assert kinds(table.told) == [CardRested]
    assert len(asked) > 5


def test_card_that_was_passed_on_at_once_and_is_first_known_by_its_face_was_turned_there() -> None:
    table = handed_table()
    table.look(sight(200), looks=10)
    for x_mm in (60.0, 70.0, 60.0):
        table.look(sight(200), sight(x_mm, face_up=False))
    table.look(sight(200), looks=2)
    table.look(sight(200), sight(150, y_mm=IN_NEAR), looks=12)
    _, dealt, shifted, turned = table.told
    assert isinstance(dealt, CardRested) and isinstance(shifted, CardShifted) and isinstance(turned, CardFlipped)
    assert (dealt.face_up, shifted.region, turned.face_up, turned.reading.label) == (False, "near", True, "7H")


def test_cutting_card_that_lay_at_a_place_before_a_card_left_is_not_that_card() -> None:
    table = handed_table()
    cut = replace(sight(150, face_up=False, y_mm=IN_NEAR), is_like_cut_card=True)
    table.look(cut, looks=4)
    table.look(sight(100, face_up=False), cut, looks=10)
    table.look(cut, looks=12)
    assert kinds(table.told) == [CardRested]


def test_back_that_is_cleared_after_open_cards_does_not_come_back_as_the_next_rounds_first_open_card() -> None:
    table = handed_table()
    table.look(sight(60), sight(130), sight(550, face_up=False), looks=10)
    table.look(sight(550, face_up=False), looks=20)
    table.look(looks=60)
    table.look(sight(540), looks=12)
    assert kinds(table.told) == [CardRested, CardRested, CardRested, CardLeft, CardLeft, CardLeft, CardRested]


def test_back_that_was_passed_on_unseen_and_comes_back_open_was_dealt_face_down() -> None:
    table = handed_table()
    table.faces = lambda x: "KS" if x > 100 else "7H"
    table.look(sight(60), looks=10)
    table.covered = lambda x: x > 100
    table.look(sight(60), sight(160, face_up=False, score=0.5), looks=3)
    table.look(sight(60), looks=40)
    table.covered = lambda x: False
    table.look(sight(60), sight(155), looks=12)
    dealt = table.told[1]
    assert isinstance(dealt, CardRested) and not dealt.face_up
    assert dealt.t < 1.5
    assert kinds(table.told) == [CardRested, CardRested, CardFlipped]
