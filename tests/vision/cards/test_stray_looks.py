"""Cards of which single looks show too little, or that stray looks beside them could be taken for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.card_table import LABELS, Table, kinds, sight
from thirdcard.vision.cards.card_monitor import new_card_watch
from thirdcard.vision.cards.tracker import CardTrack, Motion
from thirdcard.vision.observations import CardFlipped, CardLeft, CardRested


@pytest.mark.parametrize(
    ("looks", "face_up"), [pytest.param(1, True, id="one faint look"), pytest.param(2, False, id="two")]
)
def test_back_that_looks_little_like_a_card_is_believed_at_two_looks(looks: int, face_up: bool) -> None:
    table = Table()
    table.look(sight(112, face_up=False, score=0.45))
    table.look(*(sight(100, face_up=False, score=0.45),) * (looks - 1))
    table.look(looks=6)
    table.look(sight(100), looks=15)
    assert [each.face_up for each in table.told if isinstance(each, CardRested)] == [face_up]


def test_card_that_is_turned_is_not_the_stray_look_that_was_seen_at_its_place() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=10)
    table.faces = lambda x: None
    table.look(sight(100, face_up=False), sight(112, y_mm=66))
    table.covered, table.faces = lambda x: True, lambda x: "7H"
    table.look(sight(100, face_up=False), looks=6)
    table.look(looks=2)
    table.look(sight(104, y_mm=72), looks=4)
    table.covered = lambda x: False
    table.look(sight(104, y_mm=72), looks=12)
    assert kinds(table.told) == [CardRested, CardFlipped]


def test_back_that_lay_for_a_moment_under_the_hand_that_slid_it_is_one_card() -> None:
    table = Table(covered=lambda x: True)
    table.look(sight(100, face_up=False), looks=6)
    table.look(sight(128, face_up=False), looks=3)
    table.look(sight(100, face_up=False))
    table.look(sight(128, face_up=False), looks=4)
    table.covered = lambda x: False
    table.look(sight(128, face_up=False), looks=20)
    assert kinds(table.told) == [CardRested]


def test_backs_that_lie_over_each_other_and_were_seen_at_one_look_are_two() -> None:
    table = Table(covered=lambda x: True)
    table.look(sight(100, face_up=False), looks=6)
    table.look(sight(100, face_up=False), sight(128, face_up=False), looks=8)
    assert kinds(table.told) == [CardRested, CardRested]


def test_back_that_a_hand_parts_into_two_boxes_is_one_card() -> None:
    table = Table()
    table.look(sight(100, face_up=False, score=0.68), sight(131, face_up=False, score=0.45))
    table.look(sight(104, face_up=False), looks=2)
    table.look(sight(100, face_up=False, score=0.68), sight(131, face_up=False, score=0.45))
    table.look(sight(100, face_up=False), looks=3)
    table.look(sight(131), looks=30)
    assert kinds(table.told) == [CardRested, CardFlipped]
    assert [each.t for each in table.told] == [0.0, 0.7]


def test_card_that_was_dragged_aside_by_looks_at_its_rest_is_no_second_one_where_it_lay() -> None:
    table = Table()
    table.look(sight(100), looks=10)
    table.covered = lambda x: True
    for x_mm in (84, 76, 67):
        table.look(sight(x_mm, score=0.6))
    table.look(sight(98), looks=7)
    table.look(sight(67, score=0.72), sight(98))
    table.covered = lambda x: False
    table.look(sight(98), looks=20)
    assert kinds(table.told) == [CardRested]


@pytest.mark.parametrize(
    ("hidden_looks", "face_up"), [pytest.param(2, True, id="shortly"), pytest.param(7, False, id="for long")]
)
def test_faintest_back_is_believed_where_its_card_was_hidden_for_long(hidden_looks: int, face_up: bool) -> None:
    table = Table()
    table.look(sight(100, face_up=False, score=0.35))
    table.hidden_s = 0.1 * hidden_looks
    table.look(looks=hidden_looks)
    table.look(sight(100), looks=15)
    assert [each.face_up for each in table.told if isinstance(each, CardRested)] == [face_up]


def test_what_looks_like_an_open_card_for_long_is_told_with_doubt_though_nobody_can_read_it() -> None:
    table = Table(faces=lambda x: "unclear")
    table.look(sight(100, score=0.8), looks=18)
    assert table.told == []
    table.look(sight(100, score=0.8), looks=6)
    (rested,) = table.told
    assert isinstance(rested, CardRested)
    assert (rested.face_up, rested.reading.label, rested.score) == (True, None, 0.5)


def test_card_that_is_covered_in_part_is_not_lost_to_what_nobody_can_tell_beside_it() -> None:
    table = Table(faces=lambda x: "unclear" if x == 86.0 else "7H")
    table.look(sight(100), looks=10)
    table.covered = lambda x: True
    table.look(sight(86), sight(115))
    card = table.watch.tracker.tracks[0]
    assert (card.seen_t, card.sight.at_mm[0]) == (1.0, 115.0)


def test_covered_card_at_rest_is_not_dragged_along_by_one_that_is_slid_past_it() -> None:
    table = Table(covered=lambda x: True)
    table.look(sight(150, face_up=False), looks=10)
    table.look(sight(148, face_up=False), sight(216, face_up=False))
    table.look(sight(126, face_up=False), sight(158, face_up=False))
    assert [track.sight.at_mm[0] for track in table.watch.tracker.tracks] == [158.0, 216.0, 126.0]
    table.look(sight(153, face_up=False), sight(89, face_up=False), looks=8)
    assert [round(one.at_mm[0]) for one in table.told if isinstance(one, CardRested)] == [150, 89]


def test_card_keeps_its_place_from_what_a_hand_once_left_of_it_to_see() -> None:
    table = Table(faces=lambda x: "unclear" if x < 90 else "7H")
    table.look(sight(100), looks=10)
    table.covered = lambda x: True
    table.look(sight(81), sight(107))
    for x_mm in (81, 77, 86, 94, 94, 95, 96, 99):
        table.look(sight(x_mm))
    table.look(sight(100), looks=5)
    table.look(sight(110))
    table.look(sight(100), looks=5)
    table.covered = lambda x: False
    table.look(sight(100), looks=40)
    assert kinds(table.told) == [CardRested]


def test_nothing_is_waited_for_of_a_card_that_showed_its_other_side_as_it_was_taken() -> None:
    table = Table(faces=lambda x: None)
    table.look(sight(100, face_up=False), looks=10)
    table.look(sight(100), looks=2)
    assert table.watch.waiting_since_t() is not None
    table.look(looks=30)
    assert kinds(table.told) == [CardRested, CardLeft]
    assert table.watch.waiting_since_t() is None


def test_back_that_is_laid_over_an_open_card_is_another_card() -> None:
    table = Table()
    table.look(sight(100), looks=10)
    table.covered = lambda x: True
    table.look(sight(105, face_up=False, y_mm=95))
    table.look(sight(66, face_up=False, y_mm=97), looks=3)
    table.look(sight(66, face_up=False, y_mm=97), sight(103), looks=4)
    table.covered = lambda x: False
    table.look(sight(66, face_up=False, y_mm=97), sight(103), looks=12)
    assert [(each.face_up, each.at_mm[0]) for each in table.told if isinstance(each, CardRested)] == [
        (True, 100),
        (False, 66),
    ]
    assert CardFlipped not in kinds(table.told)


def test_card_that_is_turned_is_not_what_a_hand_once_left_of_it_to_see() -> None:
    tracker = new_card_watch({}, LABELS).tracker
    for number, shown in enumerate((sight(100, face_up=False), sight(101, y_mm=74)), start=1):
        track = CardTrack(
            track_id=number, sight=shown, first_t=0.0, still_since_t=0.0, seen_t=0.2, votes=tracker.new_votes()
        )
        tracker.tracks.append(replace(track, motion=Motion.RESTING))
    tracker.update([sight(100, y_mm=64)], 0.3, is_covered=lambda corners: True)
    assert [track.other_side_looks for track in tracker.tracks] == [1, 0]


def test_card_of_which_less_and_less_shows_beside_an_arm_is_the_same_where_it_was_seen_free() -> None:
    tracker = new_card_watch({}, LABELS).tracker
    for step in range(8):
        tracker.update([sight(100)], 0.1 * step, is_covered=lambda corners: False)
    for step, x_mm in enumerate((108, 120, 138, 143), start=8):
        tracker.update([sight(x_mm, score=0.4)], 0.1 * step, is_covered=lambda corners: True)
    for step in range(12, 16):
        tracker.update([], 0.1 * step, is_covered=lambda corners: True)
    tracker.update([sight(101)], 1.6, is_covered=lambda corners: True)
    assert [(track.track_id, track.sight.at_mm[0]) for track in tracker.tracks] == [(1, 101.0)]


def test_card_of_which_a_hand_leaves_a_part_still_lies_where_it_was_seen_free() -> None:
    """Its back was also found 19 mm beside it; that is no card, though the part that shows lies farther off."""
    table = Table()
    back, beside = sight(100, face_up=False), sight(107, face_up=False, y_mm=93, score=0.75)
    table.look(back, looks=8)
    table.look(back, beside, looks=12)
    table.covered = lambda x: True
    table.look(sight(88, face_up=False, y_mm=71, score=0.5), looks=2)
    table.covered = lambda x: False
    table.look(back, looks=8)
    assert [each.at_mm[0] for each in table.told if isinstance(each, CardRested)] == [100]


@pytest.mark.parametrize(
    ("reported", "since_t"),
    [
        pytest.param([], 0.8, id="never-reported"),
        pytest.param([1], 0.0, id="reported"),
        pytest.param(None, 0.0, id="all-are-reported"),
    ],
)
def test_card_that_comes_beside_the_empty_place_of_what_was_never_reported_is_new(
    reported: list[int] | None, since_t: float
) -> None:
    """A hand that passed looked like a card for three looks; the card came a second later, 20 mm beside."""
    tracker = new_card_watch({}, LABELS).tracker
    for step in range(3):
        tracker.update([sight(100)], 0.1 * step, is_covered=lambda corners: False, reported=reported)
    for step in range(3, 8):
        tracker.update([], 0.1 * step, is_covered=lambda corners: False, reported=reported)
    tracker.update([sight(120)], 0.8, is_covered=lambda corners: False, reported=reported)
    (track,) = tracker.tracks
    assert track.place_since_t == pytest.approx(since_t)
    assert track.hidden_s == pytest.approx(since_t), "it may have come since that was seen"


@pytest.mark.parametrize(
    ("face", "told"),
    [pytest.param("7H", [CardRested], id="its-own"), pytest.param("KS", [CardRested, CardRested], id="another")],
)
def test_parts_that_show_under_an_arm_in_turns_are_one_card_where_they_show_one_face(
    face: str, told: list[type]
) -> None:
    table = Table()
    table.look(sight(100), looks=20)
    table.covered, table.faces = lambda x: True, lambda x: None
    for x_mm in (56, 74, 74, 77, 78, 72):
        table.look(sight(x_mm, score=0.7))
    table.look(looks=2)
    table.look(sight(73, score=0.6))
    table.look()
    table.faces = lambda x: face
    table.look(sight(100), looks=4)
    table.covered = lambda x: False
    table.look(sight(100), looks=30)
    assert kinds([each for each in table.told if isinstance(each, CardRested)]) == told


@pytest.mark.parametrize(("beside_mm", "tracks"), [pytest.param(8, 1, id="a part"), pytest.param(0, 2, id="its place")])
def test_part_of_a_card_beside_an_arm_is_no_other_card_though_it_shows_other_pips(beside_mm: int, tracks: int) -> None:
    tracker = new_card_watch({}, LABELS).tracker
    own, other = (np.log([0.98 if label == face else 0.02 / len(LABELS) for label in LABELS]) for face in ("7H", "KS"))
    for step in range(8):
        tracker.update([sight(100)], 0.1 * step, is_covered=lambda corners: False)
        tracker.tracks[0].votes.add(own)
    tracker.update([sight(95 - beside_mm)], 0.8, is_covered=lambda corners: True)
    tracker.update([sight(85)], 0.9, is_covered=lambda corners: True)
    tracker.update([replace(sight(100 + beside_mm), log_probs=other)], 1.0, is_covered=lambda corners: True)
    assert len(tracker.tracks) == tracks


def test_first_look_that_surely_shows_a_card_s_side_counts_where_looks_before_only_guessed() -> None:
    """A third card was laid and turned in one movement: its back showed at two looks, after one that showed neither."""
    tracker = new_card_watch({}, LABELS).tracker
    tracker.update([replace(sight(100), is_side_sure=False)], 0.0, is_covered=lambda corners: True)
    tracker.update([sight(100, face_up=False)], 0.1, is_covered=lambda corners: True)
    (track,) = tracker.tracks
    assert not track.sight.face_up
    changes = [tracker.update([sight(100)], 0.1 * step, is_covered=lambda corners: False) for step in (2, 3)]
    assert [one.turned for one in changes] == [(), (track,)]


def test_card_that_was_lost_before_it_was_told_of_may_have_lain_there_ever_since() -> None:
    table = Table(faces=lambda x: "unclear")
    table.look(sight(100, score=0.45), looks=8)
    table.look(looks=8)
    assert table.told == []
    table.faces = lambda x: "7H"
    table.look(sight(102), looks=8)
    (rested,) = table.told
    assert isinstance(rested, CardRested)
    assert rested.hidden_s == pytest.approx(1.6)


def test_card_that_was_told_of_and_left_makes_no_doubt_of_the_next_one_there() -> None:
    table = Table()
    table.look(sight(100), looks=8)
    table.look(looks=22)
    table.look(sight(102), looks=8)
    rested = [each for each in table.told if isinstance(each, CardRested)]
    assert [each.hidden_s for each in rested] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("places_mm", "hidden_s"), [pytest.param((173, 100), 0.0, id="passing"), pytest.param((102, 100), 2.2, id="lying")]
)
def test_only_card_that_was_glimpsed_twice_at_one_place_may_have_lain_there(
    places_mm: tuple[int, ...], hidden_s: float
) -> None:
    """Under a hand two looks showed a back; 2 s later a face lies there."""
    tracker = new_card_watch({}, LABELS).tracker
    for step, x_mm in enumerate(places_mm):
        tracker.update([sight(x_mm, face_up=False, score=0.7)], 0.1 * step, is_covered=lambda corners: True)
    for step in range(2, 23):
        tracker.update([], 0.1 * step, is_covered=lambda corners: False)
    tracker.update([sight(101)], 2.3, is_covered=lambda corners: True)
    (track,) = tracker.tracks
    assert track.hidden_s == pytest.approx(hidden_s, abs=0.15)
