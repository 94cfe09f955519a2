"""The tempo of dealers is measured on true logs: the time between two acts, round by round."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.rules.builders import TableLog, rules_of
from thirdcard.datasets.script.draw_scripts import draw_clean
from thirdcard.datasets.script.fit_tempo import TempoCounter, measure, written
from thirdcard.datasets.script.render import prepare
from thirdcard.datasets.script.script import parse_script
from thirdcard.rules.belief.tempo import ActInterval, duration, shipped_tempo
from thirdcard.rules.log.events import Event


def round_of(*acts: tuple[float, str]) -> list[Event]:
    """Events of a round at these times; each card and wager is another one."""
    log = TableLog(rules_of("tas"))
    more: dict[str, dict[str, Any]] = {
        "card_dealt": {"hand": "player"},
        "card_turned": {"card": "7H", "face_up": True},
        "card_removed": {"to": "discard"},
        "result_announced": {"winner": "player"},
        "wager_settled": {"area": "s1-player", "seat": 1, "bet": "player", "action": "paid"},
    }
    for number, (t, kind) in enumerate(acts):
        given: dict[str, Any] = {"card_id": f"c{number}"} if kind.startswith("card_") else {}
        log.add(kind, t=t, **given, **more.get(kind, {}))
    return log.events


def test_intervals_run_from_act_to_act_within_their_round() -> None:
    counter = TempoCounter()
    deal = [(11.0, "card_dealt"), (12.1, "card_dealt"), (13.3, "card_dealt"), (14.6, "card_dealt")]
    acts = [(10.0, "no_more_bets"), *deal, (16.0, "card_turned"), (16.5, "card_turned"), (18.0, "card_dealt"),
            (20.0, "result_announced"), (21.0, "wager_settled"), (22.0, "wager_settled"), (25.0, "card_removed"),
            (25.5, "card_removed"), (26.0, "round_closed"), (31.0, "no_more_bets"), (32.0, "card_dealt")]  # fmt: skip
    for event in round_of(*acts):
        counter.observe(event)
    assert {str(one): [round(s, 3) for s in found] for one, found in counter.durations.items()} == {
        "call_to_card": [1.0, 1.0],
        "card_to_card": [1.1, 1.2, 1.3],
        "card_to_turn": [1.4],
        "result_to_settling": [1.0],
        "removal_to_removal": [0.5],
        "end_to_card": [6.0],
    }


def test_what_is_measured_is_written_and_read_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("draw")
    mappings = [mapping for _, mapping in draw_clean(8105, 2)]
    durations = measure(prepare(parse_script(mapping, "draw"), folder)[1] for mapping in mappings)
    rows = yaml.safe_load(written(durations, ["a", "b"], seed=8105))
    assert set(rows["intervals"]) == {str(interval) for interval in ActInterval}
    for name, row in rows["intervals"].items():
        assert row["of"] == len(durations[ActInterval(name)]) > 0
        assert row["least"] <= row["middle"] <= row["most"]


def test_shipped_tempo_knows_every_interval() -> None:
    assert set(shipped_tempo()) == set(ActInterval)
    assert all(duration(interval).most_s > 0.0 for interval in ActInterval)
