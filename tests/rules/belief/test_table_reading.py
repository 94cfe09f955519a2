"""A deck whose twos are taken for nines: announced points show it once, and the next nine is doubted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.belief.test_belief import alerts_of, belief_of, judged
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.table_reading import TableReading
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.log.events import CardDealt, Source

RULES = rules_of("tas")
UNSURE: dict[str, Any] = {"confidence": 0.92, "alternatives": {"2S": 0.08}}
SURE: dict[str, Any] = {"confidence": 0.9985, "alternatives": {"2S": 0.0002, "4S": 0.0013}}


def deal(log: TableLog, nine: dict[str, Any], *, banker: int | None) -> None:
    """Player 10 7, Banker K 2 (read as a 9), and the Banker's third card, which is due to a two alone."""
    log.add("bets_opened").add("no_more_bets")
    hands = ("player", "banker", "player", "banker", "banker")
    for number, (card, hand) in enumerate(zip(("10H", "KH", "7H", "9S", "9H"), hands, strict=True)):
        seen = nine if card == "9S" else {"confidence": 0.9999, "alternatives": {}}
        log.add("card_dealt", card_id=f"{log.t}-{number}", hand=hand, card=card, face_up=True, source="camera", **seen)
    if banker is not None:
        winner = "player" if banker < 7 else "banker"
        log.add("result_announced", player=7, banker=banker, winner=winner)
    log.add("round_closed")


def told_of_second(first: dict[str, Any], banker: int | None) -> set[str]:
    """The codes of the alerts in a round with a surely read nine, after one with that nine and announcement."""
    log = TableLog(RULES)
    deal(log, first, banker=banker)
    since = log.t
    deal(log, SURE, banker=1)
    return {alert.code for alert in alerts_of(judged(log.events, belief_of())) if alert.t > since}


def test_misreading_that_announced_points_showed_is_expected_again() -> None:
    assert told_of_second(UNSURE, 1) == set()


@pytest.mark.parametrize(
    ("first", "banker"),
    [
        pytest.param(UNSURE, None, id="nothing-is-announced"),
        pytest.param(SURE, 8, id="the-announced-points-bear-it-out"),
    ],
)
def test_surely_read_card_is_believed_where_nothing_showed_it_wrong(first: dict[str, Any], banker: int | None) -> None:
    assert "misdeal.third_card_not_due" in told_of_second(first, banker)


def nine(source: Source = Source.CAMERA) -> CardDealt:
    card = parse_card("9S")
    return CardDealt(t=1.0, card_id="c1", card=card, face_up=True, confidence=0.99, alternatives={}, source=source)


def alternatives_of(reading: TableReading) -> dict[str, float]:
    """The other faces that a nine may have at the table, rounded."""
    line = reading.doubted(nine())
    assert isinstance(line, CardDealt)
    return {face: round(share, 3) for face, share in (line.alternatives or {}).items()}


def test_share_of_misreadings_is_theirs_among_all_that_were_read_so() -> None:
    log, reading = TableLog(RULES), TableReading()
    deal(log, SURE, banker=1)
    (card_id,) = (line.card_id for line in log.events if isinstance(line, CardDealt) and line.card == nine().card)
    assert reading.doubted(nine()) == nine()
    reading.note(log.events, {card_id: parse_card("2S")})
    assert alternatives_of(reading) == {"2S": 0.333}, "the other nine of the round was one"
    for _ in range(2):
        reading.note(log.events, {})
    assert alternatives_of(reading) == {"2S": 0.143}
    assert reading.doubted(nine(Source.PERSON)) == nine(Source.PERSON)
