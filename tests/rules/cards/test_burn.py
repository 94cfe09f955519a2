"""A shoe's beginning that nobody watched: whether cards were burned is not told."""

from __future__ import annotations

import pytest

from tests.rules.builders import TableLog, codes_of, rules_of

ROUND = "P 6H KD | B 3S 4C"


@pytest.mark.parametrize(("confidence", "codes"), [(None, ["procedure.burn"]), (0.4, [])])
def test_missing_burn_is_alleged_where_the_shoe_was_watched(confidence: float | None, codes: list[str]) -> None:
    log = TableLog(rules_of("nz-authority")).add("shoe_opened", decks=8, confidence=confidence)
    assert codes_of(log.legal_round(ROUND)) == codes


def test_burned_cards_that_a_device_told_are_counted_all_the_same() -> None:
    log = TableLog(rules_of("nz-authority")).add("shoe_opened", decks=8, confidence=0.4)
    log.add("card_burned", card="2H").add("card_burned", card=None)
    assert codes_of(log.legal_round(ROUND)) == ["procedure.burn"]
