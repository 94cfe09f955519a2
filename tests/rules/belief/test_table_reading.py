"""A deck whose twos are taken for nines: announced points show it once, and each later nine is doubted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.belief.test_belief import alerts_of, belief_of, judged
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.table_reading import TableReading
from thirdcard.rules.game.cards import Card, parse_card
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


def dealt(face: str, source: Source = Source.CAMERA) -> CardDealt:
    card = parse_card(face)
    return CardDealt(t=1.0, card_id="c1", card=card, face_up=True, confidence=0.99, alternatives={}, source=source)


def nine(source: Source = Source.CAMERA) -> CardDealt:
    return dealt("9S", source)


WRONG_RESULTS = 0.002


def noted(*rounds: tuple[dict[str, Any], int | None]) -> TableReading:
    """What is learned from rounds of `deal` in which nothing was weighed."""
    reading = TableReading()
    for seen, banker in rounds:
        log = TableLog(RULES)
        deal(log, seen, banker=banker)
        reading.note(log.events, (), wrong_points=WRONG_RESULTS)
    return reading


def doubts_of(reading: TableReading, card: CardDealt) -> dict[str, float]:
    """The other faces that a card may have at the table, rounded."""
    line = reading.doubted(card)
    assert isinstance(line, CardDealt)
    return {face: round(share, 3) for face, share in (line.alternatives or {}).items()}


def test_share_of_misreadings_is_theirs_among_all_that_were_read_so() -> None:
    once = noted((UNSURE, 1))
    assert doubts_of(once, nine())["2S"] == pytest.approx(1 / 3, abs=0.01), "the other nine of the round was one"
    assert doubts_of(noted((UNSURE, 1), (SURE, 8)), nine())["2S"] == pytest.approx(1 / 5, abs=0.01)
    assert once.doubted(nine(Source.PERSON)) == nine(Source.PERSON)


def test_any_card_is_doubted_where_another_was_misread() -> None:
    doubts = doubts_of(noted((UNSURE, 1)), dealt("5H"))
    assert doubts["8H"] == pytest.approx(1 / 6 / 12, abs=0.001), "one of five was misread; this one may be as well"
    assert doubts["10H"] == pytest.approx(4 * doubts["8H"], abs=0.001), "sixteen cards of a pack count 0"
    later = doubts_of(noted((UNSURE, 1), *[(SURE, 8)] * 9), dealt("5H"))
    assert later["8H"] < doubts["8H"] / 5, "since then fifty were read rightly"


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param([(SURE, 8)], id="all-were-read-rightly"),
        pytest.param([(UNSURE, None)], id="nothing-was-announced"),
        pytest.param([(SURE, 1)], id="a-wrong-result-is-likelier-than-the-misreading"),
        pytest.param([(UNSURE, 5)], id="no-other-face-leads-to-the-points"),
    ],
)
def test_reading_is_as_sure_as_the_reader_says_where_no_card_was_shown_to_be_misread(
    rounds: list[tuple[dict[str, Any], int | None]],
) -> None:
    assert noted(*rounds).doubted(nine()) == nine()


def test_what_a_round_tells_counts_as_much_as_its_readings_weigh() -> None:
    log, reading = TableLog(RULES), TableReading()
    deal(log, UNSURE, banker=1)
    as_read: dict[str, Card] = {}
    nines = (line for line in log.events if isinstance(line, CardDealt) and line.card == parse_card("9S"))
    two = {line.card_id: parse_card("2S") for line in nines}
    reading.note(log.events, [(0.5, as_read), (0.5, two)], wrong_points=WRONG_RESULTS)
    assert doubts_of(reading, nine())["2S"] == pytest.approx(0.5 / 2, abs=0.01), "the other nine counts by half as well"


def test_hand_with_a_card_that_was_not_read_tells_nothing() -> None:
    log, reading = TableLog(RULES), TableReading()
    deal(log, UNSURE, banker=1)
    lines = [
        replace(line, card=None) if isinstance(line, CardDealt) and line.card == parse_card("KH") else line
        for line in log.events
    ]
    reading.note(lines, (), wrong_points=WRONG_RESULTS)
    assert reading.doubted(nine()) == nine()
