"""Where many cards may be others, the reading that makes up the announced points is examined too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.belief.test_belief import judged, telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.beam import MOST_HYPOTHESES, likeliest_paths
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.belief.choices import choices_of
from thirdcard.rules.game.hand import known_point_count
from thirdcard.rules.log.events import CardDealt, Event
from thirdcard.rules.referee import Referee

RULES = rules_of("nsw")
DEALT = (("player", "10C"), ("banker", "6S"), ("player", "AD"), ("banker", "7D"), ("player", "5D"), ("banker", "5S"))
"""Player 6 and Banker 8 as read; the Player's third card is a 9."""


def round_with(*points: int, doubt: float) -> list[Event]:
    """Each card may be the next one with that probability, and any other with 0.1 %."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for number, (hand, card) in enumerate(DEALT):
        after = "2" if card[0] == "A" else "A" if card[0] == "1" else str(int(card[0]) + 1)
        shares = {f"{rank}{card[-1]}": doubt if rank == after else 0.001 for rank in "A23456789" if rank != card[0]}
        sure: dict[str, Any] = {"confidence": 1.0 - sum(shares.values()), "alternatives": shares}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, source="camera", **sure)
    return log.result(*points).add("round_closed").events


def totals(events: Sequence[Event], path: Sequence[int]) -> tuple[int | None, int | None]:
    """The totals of both hands in a reading."""
    lines = [choices_of(event)[i].lines[0] for event, i in zip(events, path, strict=True)]
    cards = [line for line in lines if isinstance(line, CardDealt)]
    player, banker = ([card.card for card in cards if card.hand == side] for side in ("player", "banker"))
    return known_point_count(player), known_point_count(banker)


def unnamed(events: Sequence[Event]) -> list[Event]:
    """The same round, with no card's face certain enough to be named."""
    blank = []
    for event in events:
        if isinstance(event, CardDealt) and event.alternatives is not None and event.confidence is not None:
            shares = {str(event.card): event.confidence, **event.alternatives}
            event = replace(event, card=None, confidence=1.0, alternatives=shares)
        blank.append(event)
    return blank


@pytest.mark.parametrize("read", [list, unnamed])
def test_reading_of_the_announced_points_is_examined_however_many_are_likelier(
    read: Callable[[Sequence[Event]], list[Event]],
) -> None:
    events = read(round_with(0, 8, doubt=0.4))
    paths = likeliest_paths(events, [choices_of(event) for event in events])
    explaining = [weight for weight, path in paths if totals(events, path) == (0, 8)]
    assert len(paths) - len(explaining) == MOST_HYPOTHESES
    assert explaining
    assert sum(weight for weight, _ in paths) == pytest.approx(1.0)


def test_without_announced_points_the_likeliest_readings_are_examined() -> None:
    events = [event for event in round_with(0, 8, doubt=0.4) if event.type != "result_announced"]
    assert len(likeliest_paths(events, [choices_of(event) for event in events])) == MOST_HYPOTHESES


@pytest.mark.parametrize("doubt", [0.01, 0.1, 0.4])
def test_more_doubt_about_the_cards_makes_a_wrong_result_no_surer(doubt: float) -> None:
    belief = Belief(Referee(RULES), telling, lambda alert: alert.confidence)
    judged(round_with(0, 8, doubt=doubt), belief)
    assert next((one.confidence for one in belief.found if one.code == "misdeal.wrong_result"), 0.0) < 0.85
