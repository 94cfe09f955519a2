"""Copies of a recording: what they show at which time, and how two watches are compared."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.endurance.metamorphic import (
    CHANGES,
    Change,
    Image,
    Same,
    Stretch,
    Watched,
    at_rate,
    back_and_forth,
    below,
    lit,
    moment,
    noisy,
    pictures,
    same,
    shifted,
    still_stretch,
    write_copy,
)
from tests.repository import DEMO
from tests.service.watch_fakes import write_table, write_video
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.rules.log.events import Outcome
from thirdcard.rules.round.records import RoundRecord

ROUND = RoundRecord(1, 1.0, 9.0, (), (), 7, 6, Outcome.PLAYER, complete=True, void=False)
NOW = float("inf")


def at(*times: float) -> list[tuple[float, Image]]:
    return [(t, np.full((4, 6, 3), i, np.uint8)) for i, t in enumerate(times)]


def alert(t: float) -> Alert:
    remedy = Remedy(action="supervisor", rule=None, text="")
    return Alert(
        t=t,
        round=1,
        code="misdeal.order",
        severity=Severity.CRITICAL,
        rulebook="tas",
        rule=None,
        message="",
        remedy=remedy,
    )


def test_rate_shows_at_each_moment_what_was_shown_last() -> None:
    told = [(t, int(image[0, 0, 0])) for t, image in at_rate(iter(at(0.0, 0.5, 1.0)), 4.0)]
    assert told == [(0.0, 0), (0.25, 0), (0.5, 1), (0.75, 1), (1.0, 2)]


def test_stretch_is_played_forwards_back_and_forwards() -> None:
    frames = back_and_forth(iter(at(0.0, 1.0, 2.0, 3.0, 4.0)), Stretch(1.0, 3.0))
    assert [(t, int(image[0, 0, 0])) for t, image in frames] == [
        (0.0, 0), (1.0, 1), (2.0, 2), (3.0, 3), (4.0, 2), (5.0, 1), (6.0, 2), (7.0, 3), (8.0, 4),
    ]  # fmt: skip


def test_moments_move_with_the_copy() -> None:
    assert moment(6.0, Change(name="fast", speed=1.5), None) == 4.0
    assert [moment(t, Change(name="longer"), Stretch(1.0, 3.0)) for t in (2.0, 4.0)] == [2.0, 8.0]


def test_paints_change_what_they_say() -> None:
    grey, dice = np.full((8, 8, 3), 100, np.uint8), np.random.default_rng(1)
    assert lit(1.25)(grey, dice)[0, 0].tolist() == [125, 125, 125]
    assert lit(1.0, warm=0.12)(grey, dice)[0, 0].tolist() == [88, 100, 112]
    assert 5.0 < float(noisy(np.full((64, 64, 3), 100, np.uint8), dice).std()) < 11.0
    step = np.zeros((8, 8, 3), np.uint8)
    step[:, 4:] = 200
    assert shifted(step, dice)[4, 4, 0] == 100


def test_watches_are_the_same_by_cards_winners_and_moments() -> None:
    first = Watched((ROUND, ROUND), (alert(2.0), alert(8.0)))
    copy = Watched((ROUND, ROUND._replace(winner=Outcome.TIE)), (alert(4.0),))
    assert same(first, copy, lambda t: 2.0 * t) == Same(1, 2, 1, 2)
    assert same(first, first, lambda t: t) == Same(2, 2, 2, 2)


def test_share_below_its_floor_is_told() -> None:
    floors = {"rounds": 0.9, "alerts": 0.5}
    assert below(floors, "darker", Same(1, 2, 1, 2)) == ["darker: rounds 0.50, floor 0.9"]
    assert below(floors, "darker", Same()) == []


@pytest.mark.parametrize("change", CHANGES, ids=[each.name for each in CHANGES])
def test_copy_is_a_recording_of_its_own(tmp_path: Path, change: Change) -> None:
    recording = tmp_path / "shift"
    recording.mkdir()
    write_table(recording)
    write_video(recording / "video.mp4")
    (recording / "signals.jsonl").write_text(json.dumps({"t": 0.3, "type": "bets_opened"}) + "\n", encoding="utf-8")
    stretch = write_copy(recording, tmp_path / "copy", change, NOW)
    lasts_s = [max(t for t, _ in pictures(path / "video.mp4", NOW)) for path in (recording, tmp_path / "copy")]
    assert lasts_s[1] == pytest.approx(moment(lasts_s[0], change, stretch), abs=0.2)
    (line,) = (tmp_path / "copy" / "signals.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["t"] == pytest.approx(moment(0.3, change, stretch), abs=1e-3)


def test_still_stretch_is_found_between_what_moves(tmp_path: Path) -> None:
    stretch = still_stretch(DEMO / "video.mp4", 4.0)
    assert 0.0 <= stretch.from_s <= stretch.to_s <= 4.0
