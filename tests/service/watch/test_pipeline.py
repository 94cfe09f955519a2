"""What is sure enough to be alleged, and how a watch goes on where a log ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.repository import DEMO_TABLE
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.log.events import BetsOpened, CardDealt, Event, RoundClosed, Side
from thirdcard.service.config.table_file import load_table
from thirdcard.service.watch.pipeline import start_watch

HALF_A_ROUND: list[Event] = [
    BetsOpened(t=2.0),
    CardDealt(t=9.0, card_id="c1", hand=Side.PLAYER, card=parse_card("7H"), face_up=True),
]


@pytest.mark.parametrize(
    ("log", "told"),
    [
        pytest.param(HALF_A_ROUND, ["camera_lost", "round_closed"], id="amid-a-round"),
        pytest.param([*HALF_A_ROUND, RoundClosed(t=20.0)], [], id="between-rounds"),
        pytest.param([], [], id="no-log"),
    ],
)
def test_round_that_was_under_way_ends_unseen_where_a_watch_goes_on(log: list[Event], told: list[str]) -> None:
    watch = start_watch(load_table(DEMO_TABLE), [])
    watch.resume(log)
    watch.wait(60.0)

    news = watch.take()

    assert [event.type for event in news.events] == told
    assert news.alerts == ()
    assert len(news.rounds) == told.count("round_closed")


@pytest.mark.parametrize("gestures", [(), ("no_more_bets",)])
def test_table_set_up_with_the_gesture_lacks_it_from_its_first_round(gestures: tuple[str, ...]) -> None:
    """Where nothing says how the call is made, it may have been spoken."""
    table = replace(load_table(DEMO_TABLE), gestures=gestures)
    watch = start_watch(table, [])
    assert watch.interpreter.calls.is_told == bool(gestures)
