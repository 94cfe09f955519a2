"""Cards at rest, covered, turned, moved and gone, as looks of a made-up table tell them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.card_table import Table, kinds, sight
from thirdcard.vision.observations import CardFlipped, CardLeft, CardRead, CardRested, CardShifted


def test_card_that_comes_to_rest_is_told_once_with_its_face() -> None:
    table = Table()
    table.look(sight(100), looks=20)
    assert kinds(table.told) == [CardRested]
    rested = table.told[0]
    assert isinstance(rested, CardRested)
    assert (rested.region, rested.face_up, rested.reading.label, rested.t) == ("left", True, "7H", 0.0)


def test_card_that_moves_is_not_at_rest() -> None:
    table = Table()
    for step in range(12):
        table.look(sight(20 + 22 * step))
    assert table.told == []


def test_card_outside_all_regions_is_not_told() -> None:
    table = Table()
    table.look(sight(100, y_mm=500), looks=10)
    assert table.told == []


def test_face_that_cannot_be_read_is_told_as_none_after_waiting_and_read_later() -> None:
    table = Table(faces=lambda x: None)
    table.look(sight(100), looks=9)
    assert table.told == []
    table.look(sight(100), looks=6)
    assert [each.reading.label for each in table.told if isinstance(each, CardRested)] == [None]
    fresh = Table(faces=lambda x: None)
    fresh.look(sight(100), looks=3)
    fresh.faces = lambda x: "KS"
    fresh.look(sight(100), looks=30)
    labels = [each.reading.label for each in fresh.told if isinstance(each, CardRested | CardRead)]
    assert labels[-1] == "KS"


def test_what_showed_beside_a_cover_alone_and_could_not_be_read_is_no_card() -> None:
    table = Table(faces=lambda x: None, covered=lambda x: True)
    table.look(sight(100), looks=4)
    table.look(looks=8)
    table.covered = lambda x: False
    assert table.look(looks=12) == []
    assert kinds(table.look(sight(100), looks=16)) == [CardRested]


def test_covered_card_stays_and_is_not_told_again() -> None:
    table = Table()
    table.look(sight(100), looks=8)
    table.covered = lambda x: True
    table.look(looks=40)
    table.covered = lambda x: False
    table.look(sight(101), looks=10)
    assert kinds(table.told) == [CardRested]


def test_card_whose_place_is_empty_is_gone_since_it_was_missed_first() -> None:
    table = Table()
    table.look(sight(100), looks=8)
    missed_t = table.t
    table.look(looks=30)
    assert kinds(table.told) == [CardRested, CardLeft]
    assert table.told[1].t == missed_t


def test_single_missed_look_is_not_gone() -> None:
    table = Table()
    table.look(sight(100), looks=8)
    table.look()
    table.look(sight(100), looks=30)
    assert kinds(table.told) == [CardRested]


def test_card_turned_in_place_is_the_same_card() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=8)
    table.look(sight(104), looks=10)
    assert kinds(table.told) == [CardRested, CardFlipped]
    rested, turned = table.told
    assert isinstance(rested, CardRested) and isinstance(turned, CardFlipped)
    assert not rested.face_up
    assert turned.face_up and turned.reading.label == "7H"
    assert turned.track_id == rested.track_id


def test_back_that_flickers_to_a_face_for_one_look_is_not_turned() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=8)
    table.look(sight(100))
    table.look(sight(100, face_up=False), looks=20)
    assert kinds(table.told) == [CardRested]


def test_card_turned_elsewhere_in_its_region_is_the_same_card() -> None:
    table = Table()
    table.look(sight(50, face_up=False), looks=8)
    table.look(looks=2)
    table.look(sight(230), looks=20)
    assert kinds(table.told) == [CardRested, CardFlipped]


def test_same_face_in_another_region_was_moved() -> None:
    table = Table()
    table.look(sight(100), looks=8)
    table.look(looks=5)
    table.look(sight(500), looks=10)
    assert kinds(table.told) == [CardRested, CardShifted]
    assert isinstance(table.told[1], CardShifted) and table.told[1].region == "right"


def test_other_face_in_another_region_is_a_new_card() -> None:
    table = Table(faces=lambda x: "7H" if x < 300 else "KS")
    table.look(sight(100), looks=8)
    table.look(looks=5)
    table.look(sight(500), looks=30)
    assert kinds(table.told) == [CardRested, CardRested, CardLeft]


def test_card_dealt_while_the_same_face_lies_in_sight_is_a_new_card() -> None:
    table = Table()
    table.look(sight(60), looks=8)
    table.look(sight(60), sight(150), looks=10)
    assert kinds(table.told) == [CardRested, CardRested]


def test_back_dealt_while_a_hand_covers_another_back_is_a_new_card() -> None:
    table = Table()
    table.look(sight(60, face_up=False), looks=8)
    table.covered = lambda x: x < 100
    table.look(sight(170, face_up=False), looks=8)
    table.covered = lambda x: False
    table.look(sight(60, face_up=False), sight(170, face_up=False), looks=10)
    assert kinds(table.told) == [CardRested, CardRested]


def test_waiting_ends_when_all_is_told() -> None:
    table = Table()
    table.look(sight(100), looks=2)
    assert table.watch.waiting_since_t() == 0.0
    table.look(sight(100), looks=20)
    assert table.watch.waiting_since_t() is None


def test_face_that_the_detector_calls_a_back_is_a_face_where_the_reader_reads_it() -> None:
    table = Table(misseen=True)
    table.look(sight(100), looks=20)
    (rested,) = table.told
    assert isinstance(rested, CardRested)
    assert rested.face_up and rested.reading.label == "7H"


def test_back_is_told_without_a_label() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=20)
    (rested,) = table.told
    assert isinstance(rested, CardRested)
    assert not rested.face_up and rested.reading.label is None


@pytest.mark.parametrize("face_up", [True, False], ids=["face", "back"])
def test_card_that_comes_to_rest_beside_a_covered_one_is_not_taken_for_it(face_up: bool) -> None:
    table = Table(faces=lambda x: "7H" if x < 100 else "KS")
    table.look(sight(60), looks=8)
    table.covered = lambda x: x < 100
    table.look(looks=3)
    table.look(sight(128, face_up=face_up), looks=6)
    table.covered = lambda x: False
    table.look(sight(60), sight(128, face_up=face_up), looks=10)
    assert kinds(table.told) == [CardRested, CardRested]
    assert [each.face_up for each in table.told if isinstance(each, CardRested)] == [True, face_up]


def test_back_that_goes_to_another_region_under_a_hand_was_moved() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=8)
    table.covered = lambda x: x < 300
    table.look(sight(550, face_up=False), looks=8)
    table.covered = lambda x: False
    table.look(sight(550, face_up=False), looks=12)
    assert kinds(table.told) == [CardRested, CardShifted]


@pytest.mark.parametrize("x_mm", [210.0, 550.0], ids=["beside it", "in another region"])
def test_back_that_is_missed_where_the_cloth_is_not_bare_still_lies_there(x_mm: float) -> None:
    table = Table(left=lambda x: False)
    table.look(sight(100, face_up=False), looks=8)
    table.look(looks=5)
    table.look(sight(x_mm, face_up=False), looks=20)
    assert kinds(table.told) == [CardRested, CardRested]
    table.look(sight(x_mm, face_up=False), sight(102), looks=10)
    first, _, turned = table.told
    assert isinstance(first, CardRested) and isinstance(turned, CardFlipped)
    assert turned.track_id == first.track_id


def test_missed_back_is_gone_since_the_cloth_is_bare() -> None:
    table = Table(left=lambda x: False)
    table.look(sight(100, face_up=False), looks=8)
    table.look(looks=40)
    assert kinds(table.told) == [CardRested]
    bare_t = table.t
    table.left = lambda x: True
    table.look(looks=30)
    assert kinds(table.told) == [CardRested, CardLeft]
    assert table.told[1].t == pytest.approx(bare_t, abs=0.11)


def test_missed_back_is_not_gone_while_its_place_is_covered() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=8)
    table.look(looks=8)
    table.covered = lambda x: True
    table.look(looks=40)
    assert kinds(table.told) == [CardRested]
    table.covered = lambda x: False
    table.look(looks=20)
    assert kinds(table.told) == [CardRested, CardLeft]


@pytest.mark.parametrize(
    ("blends", "seen", "reported"),
    [(True, 0.65, 0.5), (False, 0.65, 0.65), (True, 0.85, 0.85)],
    ids=["neither", "differs from the cloth", "recognised"],
)
def test_back_that_is_hardly_recognised_and_hardly_differs_from_the_cloth_may_be_none(
    blends: bool, seen: float, reported: float
) -> None:
    table = Table(blends=blends)
    table.look(sight(100, face_up=False, score=seen), looks=20)
    (rested,) = table.told
    assert isinstance(rested, CardRested)
    assert rested.score == pytest.approx(reported)


def test_face_that_nobody_read_and_that_goes_to_another_region_was_moved() -> None:
    table = Table(faces=lambda x: "KS" if x > 300 else None)
    table.look(sight(100), looks=15)
    table.covered = lambda x: x < 300
    table.look(sight(550), looks=6)
    table.covered = lambda x: False
    table.look(sight(550), looks=12)
    told = [kind for kind in kinds(table.told) if kind is not CardRead]
    assert told[:2] == [CardRested, CardShifted]


def test_back_dealt_to_another_region_while_a_hand_covers_a_back_is_a_new_card() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=8)
    table.covered = lambda x: x < 300
    table.look(sight(550, face_up=False), looks=8)
    table.covered = lambda x: False
    table.look(sight(100, face_up=False), sight(550, face_up=False), looks=12)
    assert kinds(table.told) == [CardRested, CardRested]


@pytest.mark.parametrize("dim", [False, True], ids=["clear", "dim"])
def test_card_that_is_turned_as_soon_as_it_lies_was_laid_face_down(dim: bool) -> None:
    table = Table(dim=dim)
    table.look(sight(100, face_up=False), looks=2)
    table.look(sight(100), looks=15)
    assert kinds(table.told) == [CardRested, CardFlipped]
    assert [each.face_up for each in table.told if isinstance(each, CardRested | CardFlipped)] == [False, True]


def test_side_that_nobody_can_tell_turns_no_card() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=12)
    table.faces = lambda x: "unclear"
    table.look(sight(100), looks=6)
    assert kinds(table.told) == [CardRested]


def test_card_whose_back_was_glimpsed_was_laid_face_down() -> None:
    table = Table()
    table.look(sight(100, face_up=False))
    table.look(looks=6)
    table.look(sight(100), looks=15)
    rested, turned = table.told
    assert isinstance(rested, CardRested) and not rested.face_up
    assert isinstance(turned, CardFlipped) and turned.reading.label == "7H"


def test_card_whose_back_was_seen_on_its_way_alone_was_turned_up_before_it_lay() -> None:
    table = Table()
    table.look(sight(20, face_up=False))
    table.look(looks=2)
    table.look(sight(160), looks=15)
    assert [each.face_up for each in table.told if isinstance(each, CardRested)] == [True]


def test_face_that_cannot_be_told_long_after_its_card_rested_may_have_been_turned_up_by_then() -> None:
    table = Table(faces=lambda x: "unclear", covered=lambda x: True)
    table.look(sight(100), looks=6)
    table.faces, table.covered = lambda x: "7H", lambda x: False
    table.look(sight(100), looks=12)
    rested, turned = table.told
    assert isinstance(rested, CardRested) and not rested.face_up
    assert isinstance(turned, CardFlipped) and turned.t == pytest.approx(0.6)


def test_back_that_flies_over_a_card_at_rest_is_not_its_own() -> None:
    table = Table()
    table.look(sight(100), looks=2)
    table.look(sight(100), sight(106, face_up=False))
    table.look(sight(100), looks=12)
    (rested,) = table.told
    assert isinstance(rested, CardRested) and rested.face_up


def test_face_that_is_not_even_likely_is_told_once_with_what_it_may_be() -> None:
    doubtful = np.log([0.55, 0.43, 0.01, 0.01])
    table = Table(faces=lambda x: "7H")
    table._one = lambda label: doubtful  # type: ignore[method-assign]
    table.look(sight(100), looks=60)
    (rested,) = [each for each in table.told if isinstance(each, CardRested)]
    (read,) = [each for each in table.told if isinstance(each, CardRead)]
    for each in (rested, read):
        assert each.reading.label is None
        assert list(each.reading.alternatives)[:2] == ["7H", "KS"]


def test_face_that_is_only_likely_is_told_after_a_long_look() -> None:
    likely = np.log([0.7, 0.28, 0.01, 0.01])
    table = Table(faces=lambda x: "7H")
    table._one = lambda label: likely  # type: ignore[method-assign]
    table.look(sight(100), looks=15)
    assert [each.reading.label for each in table.told if isinstance(each, CardRested)] == [None]
    table.look(sight(100), looks=8)
    (read,) = [each for each in table.told if isinstance(each, CardRead)]
    assert read.reading.label == "7H" and read.reading.confidence < 0.99


def test_moved_card_waits_until_its_old_place_is_surely_empty() -> None:
    table = Table()
    table.look(sight(100), looks=12)
    table.covered = lambda x: x < 150
    table.look(looks=5)
    table.look(sight(500), looks=3)
    table.covered = lambda x: False
    table.look(sight(500), looks=12)
    assert kinds(table.told) == [CardRested, CardShifted]


def test_look_at_a_passing_card_does_not_pull_a_resting_one_to_its_neighbour() -> None:
    table = Table(faces=lambda x: "KS" if x < 150 else "7H")
    table.look(sight(200), looks=12)
    table.faces = lambda x: None
    table.look(sight(178))
    table.faces = lambda x: "KS" if x < 150 else "7H"
    table.look(sight(200), sight(131), looks=12)
    assert [each.reading.label for each in table.told if isinstance(each, CardRested)] == ["7H", "KS"]
    assert kinds(table.told) == [CardRested, CardRested]


def test_what_another_card_leaves_of_a_card_is_no_second_one() -> None:
    table = Table(faces=lambda x: "KS" if x > 220 else "7H")
    table.look(sight(200), looks=12)
    table.look(sight(168), sight(238), looks=15)
    assert [each.reading.label for each in table.told if isinstance(each, CardRested)] == ["7H", "KS"]


def test_resting_card_keeps_its_place_against_a_passing_one() -> None:
    table = Table()
    table.look(sight(100), looks=12)
    table.look(sight(102), sight(130))
    table.look(sight(130), looks=2)
    table.look(sight(103), looks=12)
    assert kinds(table.told) == [CardRested]


def test_back_that_passes_over_a_face_up_card_is_not_that_card() -> None:
    table = Table(faces=lambda x: "KS")
    table.look(sight(100), looks=12)
    table.covered = lambda x: True
    table.look(sight(71, face_up=False))
    table.look(sight(101), sight(30, face_up=False), looks=8)
    rested = [each for each in table.told if isinstance(each, CardRested)]
    assert [(each.face_up, round(each.at_mm[0])) for each in rested] == [(True, 100), (False, 30)]
    assert kinds(table.told) == [CardRested, CardRested]


def test_face_that_is_pushed_over_a_card_does_not_turn_it() -> None:
    table = Table(faces=lambda x: "KS")
    table.look(sight(100), sight(200, face_up=False), looks=12)
    table.covered = lambda x: True
    table.look(sight(200), looks=4)
    table.covered = lambda x: False
    table.look(looks=30)
    assert CardFlipped not in kinds(table.told)
    assert kinds(table.told).count(CardLeft) == 2


def test_passing_card_of_no_clear_side_does_not_pull_a_resting_one_along() -> None:
    table = Table(faces=lambda x: "unclear" if x == 126 else "7H")
    table.look(sight(100), looks=10)
    table.look(sight(126))
    table.covered = lambda x: True
    table.look(sight(100), looks=4)
    table.covered = lambda x: False
    table.look(sight(100), sight(250, face_up=False), looks=12)
    assert [each.face_up for each in table.told if isinstance(each, CardRested)] == [True, False]
    assert kinds(table.told) == [CardRested, CardRested]


@pytest.mark.parametrize(
    ("hidden_s", "on_its_way", "may_be_turned"),
    [
        pytest.param(0.5, None, True, id="hidden"),
        pytest.param(0.1, None, False, id="hardly hidden"),
        pytest.param(0.5, True, False, id="its face was seen on its way"),
        pytest.param(0.5, False, True, id="its back was seen on its way"),
    ],
)
def test_card_first_seen_open_under_a_hand_may_have_been_turned_there(
    hidden_s: float, on_its_way: bool | None, may_be_turned: bool
) -> None:
    table = Table(hidden_s=hidden_s)
    if on_its_way is not None:
        table.look(sight(20, face_up=on_its_way))
    table.look(looks=5)
    table.look(sight(160), looks=15)
    (rested,) = (each for each in table.told if isinstance(each, CardRested))
    assert rested.face_up and rested.may_be_turned == may_be_turned


def test_box_that_is_drawn_across_two_backs_now_and_then_is_no_third_card() -> None:
    table = Table()
    backs = [sight(x, face_up=False, score=0.8) for x in (100, 170)]
    across = sight(138, face_up=False, score=0.65)
    beside, instead = (*backs, across), (backs[0], across)
    table.look(*backs, looks=8)
    for look in (beside, instead, backs, instead, instead, beside):
        table.look(*look)
    table.look(*backs, looks=12)
    assert kinds(table.told) == [CardRested, CardRested]


@pytest.mark.parametrize("score", [0.6, 0.9])
def test_back_that_is_laid_partly_on_another_is_a_card_of_its_own(score: float) -> None:
    table = Table()
    backs = [sight(x, face_up=False, score=0.8) for x in (100, 170)]
    table.look(*backs, looks=8)
    third = sight(138, face_up=False, score=score)
    table.look(*backs, third, looks=2)
    table.look(backs[0], third)
    table.look(*backs, third, looks=9)
    assert kinds(table.told) == [CardRested, CardRested, CardRested]


def test_looks_at_a_card_before_it_lay_still_do_not_bring_it_to_rest() -> None:
    table = Table()
    for x_mm in (60, 90, 118):
        table.look(sight(x_mm))
    table.look(sight(126))
    table.look(looks=2)
    table.look(sight(126))
    assert table.watch.tracker.tracks[0].rested_t is None
