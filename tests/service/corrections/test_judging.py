"""A corrected log is judged as a watch judges one."""

from __future__ import annotations

import pytest

from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.log.events import format_event
from thirdcard.service.corrections.judging import judge_lines


@pytest.mark.parametrize(("confidence", "told"), [(0.9, False), (1.0, True)])
def test_what_a_watch_would_not_allege_a_correction_does_not_either(confidence: float, told: bool) -> None:
    log = TableLog(rules_of("tas"), confidence=confidence).open()
    log.four("P 9H KD | B 7S KC").third("player", "2C").close()
    lines = [format_event(event) | {"source": "camera"} for event in log.events]
    verdicts = judge_lines({"rulebook": "tas"}, lines)
    assert ("misdeal.third_card_not_due" in [alert.code for alert in verdicts.alerts]) is told
