"""What a round tells."""

from __future__ import annotations

from typing import Any

import pytest

from thirdcard.service.analytics.round_facts import LONGEST_IDLE_S, facts_of

PLAIN = [(10.0, "bets_opened"), (40.0, "no_more_bets"), (43.0, "card_dealt"), (60.0, "result_announced"),
         (85.0, "round_closed")]  # fmt: skip


def lines(*told: tuple[float, str]) -> list[dict[str, Any]]:
    return [{"t": t, "type": kind, "camera": "overhead"} for t, kind in told]


def test_phases_lie_between_what_was_said_and_done() -> None:
    facts = facts_of(lines(*PLAIN), 10.0, 85.0, before=4.0)
    assert facts.phases_s == (30.0, 20.0, 25.0, 6.0)
    assert facts.is_watched and facts.unseen == ()


def test_without_call_and_result_cards_stand_for_them() -> None:
    facts = facts_of(lines((10.0, "bets_opened"), (43.0, "card_dealt"), (50.0, "card_dealt")), 10.0, 85.0, before=4.0)
    assert facts.phases_s == (33.0, 7.0, 35.0, 6.0)


@pytest.mark.parametrize(
    ("told", "before"),
    [
        pytest.param(PLAIN, None, id="the first round of a log"),
        pytest.param(PLAIN, 10.0 - LONGEST_IDLE_S - 1, id="the table was closed"),
        pytest.param([PLAIN[0], PLAIN[-1]], 4.0, id="no card was dealt"),
        pytest.param([PLAIN[0], (20.0, "camera_lost"), (21.0, "camera_back"), *PLAIN[1:]], 4.0, id="a gap"),
    ],
)
def test_a_round_of_which_not_all_is_known_is_not_timed(told: list[tuple[float, str]], before: float | None) -> None:
    assert facts_of(lines(*told), 10.0, 85.0, before=before).phases_s is None


def test_a_gap_before_the_round_is_unseen_and_the_round_is_watched() -> None:
    facts = facts_of(lines((5.0, "camera_lost"), (8.0, "camera_back"), *PLAIN), 10.0, 85.0, before=4.0)
    assert facts.unseen == ((5.0, 8.0),)
    assert facts.is_watched


def test_a_gap_that_does_not_end_ends_with_the_round_and_goes_on_in_the_next() -> None:
    facts = facts_of(lines(*PLAIN[:2], (50.0, "camera_obstructed"), PLAIN[-1]), 10.0, 85.0, before=4.0)
    assert facts.unseen == ((50.0, 85.0),)
    assert not facts.is_watched and facts.ends_unseen
    told = lines((100.0, "camera_back"), (110.0, "round_closed"))
    later = facts_of(told, 90.0, 110.0, before=85.0, begins_unseen=True)
    assert later.unseen == ((85.0, 100.0),)


def test_two_cameras_are_both_needed() -> None:
    of_a = [{"t": 20.0, "type": "camera_lost", "camera": "a"}, {"t": 30.0, "type": "camera_back", "camera": "a"}]
    of_b = [{"t": 25.0, "type": "camera_moved", "camera": "b"}, {"t": 40.0, "type": "camera_back", "camera": "b"}]
    told = [of_a[0], of_b[0], of_a[1], of_b[1]]
    assert facts_of(told, 10.0, 85.0).unseen == ((20.0, 40.0),)
