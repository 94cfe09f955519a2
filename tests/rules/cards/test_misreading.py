"""One misread card explains two faults of a round."""

from __future__ import annotations

import pytest

from tests.rules.builders import TableLog, rules_of, run
from thirdcard.rules.cards.misreading import COINCIDENCE
from thirdcard.rules.round.drawing import UNSEEN


def round_of(source: str, player: int, banker: int) -> TableLog:
    """The Banker's third card is not due after the Player's, as it was read."""
    log = TableLog(rules_of("nsw")).open()
    for hand, card in zip(("player", "banker") * 3, ("10H", "9D", "QS", "5D", "9D", "7C"), strict=True):
        log.deal(hand, card, face_up=True, source=source)
    return log.result(player, banker).close()


@pytest.mark.parametrize(
    ("source", "player", "banker", "sure"),
    [
        pytest.param("camera", 7, 1, UNSEEN, id="the result that a 7 makes"),
        pytest.param("person", 7, 1, 1.0, id="a person read it"),
        pytest.param("camera", 8, 4, 1.0, id="a result that no card makes"),
    ],
)
def test_result_that_one_card_would_make_is_doubted_after_a_card_not_due(
    source: str, player: int, banker: int, sure: float
) -> None:
    log = round_of(source, player, banker)
    told = {alert.code: alert.confidence for alert in run(log.rules, log.events)[0]}
    assert (told["misdeal.third_card_not_due"], told["misdeal.wrong_result"]) == (1.0, sure)


@pytest.mark.parametrize(
    ("totals", "sure"),
    [
        pytest.param((9, 4), 0.9 / (0.9 + 0.1 * COINCIDENCE), id="as the cards were read"),
        pytest.param((9, 3), 0.9, id="another total"),
    ],
)
def test_card_not_due_is_surer_where_the_announcement_bears_the_cards_out(totals: tuple[int, int], sure: float) -> None:
    log = doubtful_round(*totals)
    told = {
        alert.code: alert for alert in run(log.rules, log.events, is_alleged=lambda alert: alert.confidence < 1.0)[0]
    }
    assert told["misdeal.third_card_not_due"].confidence == pytest.approx(0.9)
    later = run(log.rules, log.events, is_alleged=lambda alert: alert.confidence > 0.95)[0]
    assert [alert.confidence for alert in later] == ([pytest.approx(sure)] if sure > 0.95 else [])


def doubtful_round(player: int, banker: int) -> TableLog:
    """The Player stands on 9; one of its cards was read at 90 %, and a third came for it, face down."""
    log = TableLog(rules_of("tas")).open()
    sure = (0.9, None, None, None)
    for hand, card, read in zip(("player", "banker") * 2, ("9H", "4D", "QS", "KD"), sure, strict=True):
        log.deal(hand, card, face_up=True, source="camera", **({} if read is None else {"confidence": read}))
    return log.deal("player", None, face_up=False, source="camera").result(player, banker).close()
