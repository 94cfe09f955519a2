"""What is said in words."""

from __future__ import annotations

import pytest

from tests.service.watch_fakes import cards, make_alert, make_findings, make_round
from thirdcard.rules.game.words import Bet, Outcome, SettleAction
from thirdcard.rules.log.events import (
    BetsOpened,
    CameraBack,
    CameraLost,
    CameraObstructed,
    CardDealt,
    CardMoved,
    CardRemoved,
    CardTurned,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    Side,
    Source,
    WagerChanged,
    WagerSettled,
)
from thirdcard.service.watch import wording
from thirdcard.service.watch.result import WatchedAlert

SEVEN = cards("7H")[0]


@pytest.mark.parametrize(
    ("t", "text"),
    [(0.0, "00:00.0"), (59.96, "01:00.0"), (83.2, "01:23.2"), (3723.44, "1:02:03.4")],
)
def test_clock(t: float, text: str) -> None:
    assert wording.clock(t) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(63.4, "63 s"), (120, "2 min"), (725, "12 min 5 s"), (7380, "2 h 3 min")],
)
def test_duration(seconds: float, text: str) -> None:
    assert wording.duration(seconds) == text


@pytest.mark.parametrize(
    ("event", "text"),
    [
        pytest.param(
            CardDealt(t=1, card_id="a", hand=Side.PLAYER, card=SEVEN, face_up=True),
            "7♥ dealt to the Player",
            id="dealt",
        ),
        pytest.param(CardDealt(t=1, card_id="a", hand=None), "A card, face down, dealt to no hand", id="face-down"),
        pytest.param(CardTurned(t=1, card_id="a", card=SEVEN, by="dealer"), "7♥, turned by dealer", id="turned"),
        pytest.param(CardMoved(t=1, card_id="a", hand=Side.BANKER), "A card moved to the Banker", id="moved"),
        pytest.param(CardRemoved(t=1, card_id="a", to="off_table"), "A card taken to off the table", id="removed"),
        pytest.param(
            WagerChanged(t=1, area="x", seat=3, bet=Bet.PLAYER_PAIR, before=0, after=None, chips_after=2, by="seat:3"),
            "Seat 3 on Player pair: empty to 2 chips, by seat 3",
            id="wager",
        ),
        pytest.param(
            WagerSettled(t=1, area="x", seat=None, bet=Bet.TIE, action=SettleAction.PAID, amount=80),
            "x on Tie: paid 80",
            id="settled",
        ),
        pytest.param(
            ResultAnnounced(t=1, player=7, winner=Outcome.TIE), "Announced: Tie, Player 7, Banker ?", id="result"
        ),
        pytest.param(NoMoreBets(t=1, source=Source.INFERRED), "No more bets (inferred)", id="call"),
        pytest.param(BetsOpened(t=1), "Betting opens", id="opened"),
        pytest.param(RoundClosed(t=1), "The round closes", id="closed"),
        pytest.param(CameraLost(t=1), "Could not see from here on: no picture", id="camera"),
        pytest.param(
            CameraObstructed(t=1, fault="glare"), "Could not see from here on: glare", id="camera-with-its-fault"
        ),
        pytest.param(CameraBack(t=1), "The camera sees again", id="camera-back"),
    ],
)
def test_event_in_words(event: Event, text: str) -> None:
    assert wording.event_text(event) == text


@pytest.mark.parametrize(
    ("alternatives", "text"),
    [
        ({"9D": 0.3, "8D": 0.6, "2D": 0.01}, "A card, face not read (perhaps 8♦ or 9♦), turned by dealer"),
        (None, "A card, face not read, turned by dealer"),
    ],
)
def test_face_that_was_not_named_is_told_with_what_it_may_be(alternatives: dict[str, float] | None, text: str) -> None:
    turned = CardTurned(t=1.0, card_id="c1", card=None, face_up=True, by="dealer", alternatives=alternatives)
    assert wording.event_text(turned) == text


def test_alert_in_a_sentence_names_rule_and_remedy() -> None:
    text = wording.alert_text(WatchedAlert(alert=make_alert(), noticed_at=8.0))
    assert text.endswith("Rule tas 6.3. The wager is void (6.3).")


def test_alert_whose_rulebook_is_silent_says_so() -> None:
    text = wording.alert_text(WatchedAlert(alert=make_alert(rule=None), noticed_at=8.0))
    assert "Rule tas (no section covers this)." in text


def test_closing_words_count_rounds_and_alerts_and_tell_the_speed() -> None:
    rounds = [
        make_round(1, "7H 2S", "KD"),
        make_round(2, "2S", "9C", winner="banker"),
        make_round(3, "?", "", winner=None),
    ]
    lines = wording.closing_words(make_findings([make_alert()], rounds))
    assert lines[0] == ("Table T1 under tas: 3 rounds (Player 1, Banker 1, 1 without a result) and 1 alert in 14 s.")
    assert "late_bet.placed" in lines[1]
    assert lines[-1] == "Watched in 2.0 s: 70 frames/s, 7.0 x the table's own pace (detect 67 %, decode 33 %)."


def test_nothing_found_is_said_in_words() -> None:
    assert wording.found_text(make_findings()) == "No rounds and no alerts in 14 s."
