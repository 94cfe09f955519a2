"""The call before the first card, where a rulebook orders it."""

from __future__ import annotations

import pytest

from tests.rules.builders import NZ, RULEBOOKS, TableLog, alerts_of, codes_of, rules_of


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_nz_8_2_no_call_is_told_at_the_first_card(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").deal("player", "5H").deal("banker", "6D")
    alerts = alerts_of(log)
    expected = [("procedure.no_call", 2.0, "8.2")] if rulebook_id in NZ else []
    assert [(alert.code, alert.t, alert.rule) for alert in alerts] == expected


@pytest.mark.parametrize("rulebook_id", NZ)
@pytest.mark.parametrize("source", ["signal", "camera", "inferred"])
def test_rule_nz_8_2_a_call_however_known_is_a_call(rulebook_id: str, source: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("no_more_bets", source=source).deal("player", "5H")
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", NZ)
def test_no_call_is_asked_in_each_round(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").deal("player", "5H")
    assert [(alert.code, alert.round) for alert in alerts_of(log)] == [("procedure.no_call", 2)]


@pytest.mark.parametrize("rulebook_id", NZ)
def test_no_call_is_not_alleged_of_a_void_hand_or_a_lost_camera(rulebook_id: str) -> None:
    assert alerts_of(TableLog(rules_of(rulebook_id)).add("void_hand_announced").deal("player", "5H")) == []
    log = TableLog(rules_of(rulebook_id)).add("camera_lost", camera="overhead").deal("player", "5H")
    assert codes_of(log) == ["camera.lost"]
