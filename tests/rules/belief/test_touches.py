"""A wager that seems to change at the dealer's hand after the call, and back at the player's, was only touched."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.belief.test_belief import RULES, alerts_of, judged
from tests.rules.builders import TableLog
from thirdcard.rules.log.events import Event

WAGER: dict[str, Any] = {"area": "s1-player", "seat": 1, "bet": "player", "source": "camera", "confidence": 0.9975}
DEALT = (("6C", "player"), ("5C", "banker"), ("AH", "player"), ("2C", "banker"))


def log_of(*changes: tuple[str, int, int]) -> list[Event]:
    """A clean round, in which these changed a wager after the first card: by whom, chips before and after."""
    log = TableLog(RULES).add("bets_opened")
    log.add("wager_changed", **WAGER, by="seat:1", chips_before=0, chips_after=3).add("no_more_bets")
    for number, (card, hand) in enumerate(DEALT):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, confidence=1.0, source="camera")
        for by, before, after in () if number else changes:
            log.add("wager_changed", **WAGER, by=by, chips_before=before, chips_after=after)
    return log.add("round_closed").events


def test_player_who_seems_to_undo_what_the_dealer_did_is_not_accused() -> None:
    assert alerts_of(judged(log_of(("dealer", 4, 2), ("seat:1", 3, 5)))) == []


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param([("seat:1", 3, 5)], id="nothing to undo"),
        pytest.param([("dealer", 0, 0), ("seat:1", 3, 5)], id="after the dealer changed nothing"),
        pytest.param([("seat:1", 3, 5), ("dealer", 5, 3), ("seat:1", 3, 5)], id="after the dealer gave chips back"),
    ],
)
def test_player_who_changes_a_wager_late_is_accused(changes: list[tuple[str, int, int]]) -> None:
    codes = [alert.code for alert in alerts_of(judged(log_of(*changes)))]
    assert codes == ["late_bet.increased"] * sum(by != "dealer" for by, _, _ in changes)
