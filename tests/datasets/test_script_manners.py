"""Manners: hands that move otherwise change when things happen, never what happens; without them nothing changes."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

from tests.datasets.scenarios import clean_round, play, script_of
from thirdcard.datasets.script.director import Performance
from thirdcard.datasets.script.draw_scripts import draw_manners
from thirdcard.datasets.script.script import parse_script
from thirdcard.datasets.script.timeline import ArmSpan

MANNERS = ("tosses", "squares_up", "rests", "both_hands", "slides", "lingers")
STEP_S = 0.05


def played(**manner: float) -> Performance:
    return play(script_of(clean_round(), clean_round(), manner=manner))


def happened(performance: Performance) -> list[dict[str, Any]]:
    """What happened, without the moments; cards are removed in the order of their ids."""
    lines = [{**line, "t": 0} for line in performance.chronicle.truth()]
    removed = sorted((line for line in lines if line["type"] == "card_removed"), key=lambda line: line["card_id"])
    return [line for line in lines if line["type"] != "card_removed"] + removed


def arm(performance: Performance, name: str) -> ArmSpan:
    return next(span for span in performance.timeline.arms if span.object_id == name)


@pytest.mark.parametrize("manner", MANNERS)
def test_manner_changes_how_the_table_looks_but_not_what_happens(manner: str) -> None:
    plain, other = played(), played(**{manner: 1.0})

    assert happened(plain) == happened(other)
    looks = [performance.timeline.scene_at(t / 2) for performance in (plain, other) for t in range(60)]
    assert looks[:60] != looks[60:]


def test_tossed_card_leaves_the_hand_behind() -> None:
    def farthest_mm(performance: Performance) -> float:
        cards = [span for span in performance.timeline.cards if span.path.end.t - span.path.keys[0].t > STEP_S]
        dealt = cards[0]
        arms = [span for span in performance.timeline.arms if span.owner == "dealer"]
        times = [dealt.start + STEP_S * i for i in range(int((dealt.path.end.t - dealt.start) / STEP_S))]
        return max(min(math.dist(dealt.path.at(t).at_mm, span.path.at(t).at_mm) for span in arms) for t in times)

    assert farthest_mm(played()) < 60
    assert farthest_mm(played(tosses=1.0)) > 120


def test_hands_gather_at_the_same_time() -> None:
    def gap_s(performance: Performance) -> float:
        times = sorted({line["t"] for line in performance.chronicle.truth() if line["type"] == "card_removed"})[:2]
        return float(times[1] - times[0])

    assert gap_s(played(both_hands=1.0)) < 0.5 * gap_s(played())
    counts = [count for _, count in played(both_hands=1.0).timeline.discards]
    assert all(before < after for before, after in pairwise(counts))


def test_drawn_manners_differ_in_tempo_and_habits_and_hold_incidents() -> None:
    scripts = [parse_script(mapping, name) for name, mapping in draw_manners(3, count=4)]

    assert len({script.pace for script in scripts}) == 4
    assert len({script.manner for script in scripts}) == 4
    assert [any(spec.happenings for spec in script.rounds) for script in scripts][1::2] == [True, True]
