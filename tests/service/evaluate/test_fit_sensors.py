"""How often lines of a kind are right is counted on recordings whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from thirdcard.rules.game.words import Bet, SettleAction, Source
from thirdcard.rules.log.events import UNSEEN, CardPassed, Event, NoMoreBets, WagerChanged, WagerSettled
from thirdcard.service.evaluate.fit_sensors import Counted, SensorFitError, count_lines, find_logs, kind_of, written
from thirdcard.service.interpretation.sensors import LineKind, reliability


def call(t: float, kind: LineKind = LineKind.LAMP, within_s: float | None = 0.25) -> NoMoreBets:
    return NoMoreBets(t=t, source=Source.CAMERA, confidence=reliability(kind), within_s=within_s)


def changed(t: float, before: int, after: int, confidence: float | None = None) -> WagerChanged:
    return WagerChanged(
        t=t,
        area="s1-player",
        seat=1,
        bet=Bet.PLAYER,
        chips_before=before,
        chips_after=after,
        confidence=reliability(LineKind.CHANGED) if confidence is None else confidence,
        source=Source.CAMERA,
    )


def settled(t: float, action: SettleAction) -> WagerSettled:
    return WagerSettled(
        t=t,
        area="s1-player",
        seat=1,
        bet=Bet.PLAYER,
        action=action,
        confidence=reliability(LineKind.WAY),
        source=Source.CAMERA,
    )


@pytest.mark.parametrize(
    ("line", "true", "kind", "is_right"),
    [
        pytest.param(call(4.0), NoMoreBets(t=4.2), LineKind.LAMP, True, id="a call within its time"),
        pytest.param(call(4.0), NoMoreBets(t=4.3), LineKind.LAMP, False, id="a call outside its time"),
        pytest.param(call(4.0, LineKind.GESTURE), NoMoreBets(t=4.1), LineKind.GESTURE, True, id="a gesture"),
        pytest.param(changed(4.0, 2, 3), changed(3.5, 1, 5), LineKind.CHANGED, True, id="chips came"),
        pytest.param(changed(4.0, 2, 3), changed(3.5, 3, 2), LineKind.CHANGED, False, id="chips went"),
        pytest.param(changed(4.0, 2, 3), changed(8.0, 2, 3), LineKind.CHANGED, False, id="at another time"),
        pytest.param(
            settled(4.0, SettleAction.RETURNED),
            settled(4.5, SettleAction.RETURNED),
            LineKind.WAY,
            True,
            id="given back",
        ),
        pytest.param(
            settled(4.0, SettleAction.RETURNED),
            settled(4.5, SettleAction.COLLECTED),
            LineKind.WAY,
            False,
            id="collected",
        ),
        pytest.param(
            CardPassed(t=4.0, card_id="c", to="seat:2", confidence=reliability(LineKind.PASSED), source=Source.CAMERA),
            CardPassed(t=4.4, card_id="x", to="seat:2"),
            LineKind.PASSED,
            True,
            id="to that seat",
        ),
    ],
)
def test_line_is_right_where_the_truth_bears_it_out(line: Event, true: Event, kind: LineKind, is_right: bool) -> None:
    assert count_lines([([line], [true])])[kind] == Counted(of=1, right=int(is_right))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(changed(4.0, 2, 3, confidence=UNSEEN), id="doubted"),
        pytest.param(NoMoreBets(t=4.0, source=Source.SIGNAL), id="a device's"),
        pytest.param(NoMoreBets(t=4.0, source=Source.INFERRED, confidence=UNSEEN), id="inferred"),
    ],
)
def test_line_that_bears_no_kind_s_confidence_is_not_counted(line: Event) -> None:
    assert kind_of(line) is None


def test_what_was_counted_is_written_with_the_hash_of_what_was_read(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.write_text("{}\n")
    counted = {kind: Counted(of=8, right=7) for kind in LineKind}

    known = yaml.safe_load(written(counted, [log], recordings=1, date="2026-11-26"))

    assert known["lines"]["lamp"] == {"of": 8, "right": 7}
    assert set(known["lines"]) == set(LineKind)
    assert len(known["fitted"]["sha256"]) == 64


def test_nothing_to_count_is_an_error_that_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(SensorFitError, match=str(tmp_path)):
        find_logs(tmp_path, tmp_path)


def test_each_kind_is_more_likely_right_than_not_as_shipped_and_none_is_certain() -> None:
    assert all(UNSEEN <= reliability(kind) < 1.0 for kind in LineKind)
