"""Limits of the table's notice: which section an alert cites."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import TableLog, alerts_of, rules_of
from tests.rules.witness import STANDS

PAIRS: dict[str, Any] = {"perfect_pair": "one", "dragon_bonus": "one"}
OWN: list[tuple[str, str, dict[str, Any], str]] = [
    ("tas", "player_pair", {"perfect_pair": True}, "15.3"),
    ("tas", "banker_pair", {"perfect_pair": True}, "15.3"),
    ("tas", "tie", {"perfect_pair": True}, "7.1"),
    ("nz-secretary", "player_pair", PAIRS, "11A.4"),
    ("nz-secretary", "banker_pair", {"perfect_pair": "three"}, "11A.4"),
    ("nz-secretary", "dragon_player", PAIRS, "11B.5"),
    ("nz-secretary", "dragon_banker", {"dragon_bonus": "two"}, "11B.5"),
    ("nz-secretary", "player_pair", {"any_pair": "one"}, "11C.5"),
    ("nz-secretary", "banker_pair", {"any_pair": "two"}, "11C.5"),
    ("nz-secretary", "match_player", {"lucky_match": "one"}, "11D.5"),
    ("nz-secretary", "match_banker", {"lucky_match": "two"}, "11D.5"),
    ("sg-rws", "super_six", {}, "3.5"),
    ("sg-rws", "player_pair", {}, "3.5"),
]


def beyond(log: TableLog, bet: str, stake: int, **limits: Any) -> list[tuple[str, str | None]]:
    """Code and section of what is told of a wager beside one of 100 on the Banker."""
    log.add("bets_opened").wager("s3-banker", 0, 100).wager(f"s3-{bet}", 0, stake).add("no_more_bets").four(STANDS)
    notice = {"minimum": 25, "maximum": 500, "bets": {bet: limits}}
    return [(alert.code, alert.rule) for alert in alerts_of(log, limits=notice) if alert.bet == bet]


@pytest.mark.parametrize(("rulebook_id", "bet", "options", "rule"), OWN)
def test_limit_alert_cites_the_section_of_its_bet(
    rulebook_id: str, bet: str, options: dict[str, Any], rule: str
) -> None:
    rules = rules_of(rulebook_id, **options)
    assert beyond(TableLog(rules), bet, 5, minimum=10) == [("limit.below_minimum", rule)]
    assert beyond(TableLog(rules), bet, 50, maximum=40) == [("limit.above_maximum", rule)]
    assert beyond(TableLog(rules), bet, 30, minimum=10, maximum=40) == []


def test_rule_nz_secretary_14_3_the_ante_is_that_of_the_sign() -> None:
    rules = rules_of("nz-secretary", ante=5)
    assert beyond(TableLog(rules), "ante", 9, minimum=5, maximum=5) == [("limit.above_maximum", "14.3")]
    assert beyond(TableLog(rules), "ante", 5, minimum=5, maximum=5) == []
