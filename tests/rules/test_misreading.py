"""One misread card explains two faults of a round."""

from __future__ import annotations

import pytest

from rules.drawing import UNSEEN
from tests.rules.builders import TableLog, rules_of, run


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
