"""Both hands with players at once, where it is not sure before which of two seats the cards lie."""

from __future__ import annotations

import pytest

from tests.rules.builders import TableLog, rules_of, run


def confidences(*seats: tuple[str, int], sure: float, passing: float | None) -> list[float]:
    """How sure `procedure.both_hands_out` is once cards went to these seats, the last as surely as said."""
    log = TableLog(rules_of("nz-authority", dealing_style="B")).open("s3-player", "s3-banker", "s5-banker")
    for hand, card in zip(("player", "banker") * 2, ("KH", "3D", "7C", "4H"), strict=True):
        log.deal(hand, card)
    *first, (card_id, seat) = seats
    for other_id, other in first:
        log.add("card_passed", card_id=other_id, to=f"seat:{other}")
    log.add("card_passed", card_id=card_id, to=f"seat:{seat}", confidence=sure, passing_confidence=passing)
    alerts, _ = run(log.rules, log.events)
    return [alert.confidence for alert in alerts if alert.code == "procedure.both_hands_out"]


@pytest.mark.parametrize(("passing", "told"), [(0.9, [0.9]), (None, [0.5])], ids=["sure-of-a-player", "not-sure"])
def test_rule_nz_authority_8_16_who_holds_the_other_hand_does_not_matter(
    passing: float | None, told: list[float]
) -> None:
    assert confidences(("c1", 3), ("c2", 5), sure=0.5, passing=passing) == told


def test_seat_matters_where_one_player_is_said_to_hold_both() -> None:
    assert confidences(("c1", 3), ("c2", 3), sure=0.7, passing=0.9) == [0.7]
