"""The live board and the plain lines."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from tests.service.watch_fakes import cards, make_alert, make_round
from thirdcard.service.watch.boards import Board, ShownWager
from thirdcard.service.watch.result import WatchedAlert, WatchedTable
from thirdcard.service.watch.terminal import LiveView, PlainView, SilentView, choose_view, draw_board, draw_cards

TABLE = WatchedTable(id="T1", rulebook="tas", options={}, video="video.mp4")
BOARD = Board(
    t=30.0, duration_s=60.0, round=3, phase="dealing", player=cards("7H 2S"), banker=cards("KD ? 3H"),
    wagers=(ShownWager(place="Seat 3", bet="banker", amount=500), ShownWager(place="Seat 4", bet="tie", amount=None)),
    n_alerts=1, frames=900, wall_s=15.0,
)  # fmt: skip


def drawn(thing: object) -> str:
    console = Console(file=StringIO(), width=110, color_system=None)
    console.print(thing)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_board_shows_round_hands_totals_wagers_and_alerts() -> None:
    watched = WatchedAlert(alert=make_alert(), noticed_at=8.0)
    text = drawn(draw_board(TABLE, BOARD, (watched,)))
    for part in ("Round 3", "PLAYER   9", "Seat 3 Banker 500", "Seat 4 Tie chips", "Seat 3 placed 500", "tas 6.3"):
        assert part in text


def test_board_tells_progress_speed_and_time_left() -> None:
    text = drawn(draw_board(TABLE, BOARD, ()))
    for part in ("00:30.0 / 01:00", "60 frames/s", "2.0 x", "15 s left"):
        assert part in text


def test_board_before_the_first_report_says_so() -> None:
    assert "loading the models" in drawn(draw_board(TABLE, None, ()))


def test_board_of_an_unread_hand_shows_no_total() -> None:
    assert "BANKER ─" in drawn(draw_board(TABLE, BOARD, ()))


def test_cards_are_drawn_with_rank_and_suit_and_unread_ones_as_such() -> None:
    text = drawn(draw_cards(cards("10H KS ?")))
    for part in ("10", "♥", "K", "♠", "?"):
        assert part in text
    assert "no cards yet" in drawn(draw_cards(()))


def test_plain_view_tells_rounds_alerts_and_tenths() -> None:
    console = Console(file=StringIO(), width=200, color_system=None)
    with PlainView(console) as view:
        view.show(BOARD)
        view.show(BOARD)
        view.tell_alert(WatchedAlert(alert=make_alert(), noticed_at=8.0))
        view.tell_round(make_round(1, "7H 2S", "KD 6C 3H", winner="tie"))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 3
    assert lines[0].startswith("00:30.0  round 3")
    assert lines[1].startswith("ALERT  00:07.0 round 1, late_bet.placed (high): Seat 3 placed 500")
    assert "Player 7♥ 2♠ = 9, Banker K♦ 6♣ 3♥ = 9: Tie" in lines[2]


@pytest.mark.parametrize(
    ("is_terminal", "is_quiet", "is_plain", "kind"),
    [
        pytest.param(True, False, False, LiveView, id="terminal"),
        pytest.param(False, False, False, PlainView, id="pipe"),
        pytest.param(True, False, True, PlainView, id="plain"),
        pytest.param(True, True, False, SilentView, id="quiet"),
    ],
)
def test_choose_view(is_terminal: bool, is_quiet: bool, is_plain: bool, kind: type) -> None:
    console = Console(file=StringIO(), force_terminal=is_terminal)
    assert type(choose_view(console, TABLE, is_quiet=is_quiet, is_plain=is_plain)) is kind


def test_live_view_draws_what_it_is_told() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=110, color_system=None)
    with LiveView(console, TABLE) as view:
        view.show(BOARD)
        view.tell_alert(WatchedAlert(alert=make_alert(), noticed_at=8.0))
        view.tell_round(make_round(1, "7H 2S", "KD 6C"))
    assert "Seat 3 placed 500" in console.file.getvalue()  # type: ignore[attr-defined]
