"""What became of chips that the dealer took, by how far his arm went."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thirdcard.calibration.layout import load_layout
from thirdcard.rules.game.words import SettleAction
from thirdcard.rules.log.events import UNSEEN
from thirdcard.service.interpretation.sensors import LineKind, reliability
from thirdcard.service.interpretation.wagers import way_of_chips

LAYOUT = load_layout("mini-7", Path(__file__).parent)
AREA = LAYOUT.area("s2-player")
AT = (430.0, 650.0)
MIDDLE = np.mean([hand.polygon_mm.mean(axis=0) for hand in LAYOUT.of_kind("hand")], axis=0)


def beyond(way_mm: float) -> tuple[float, float]:
    """A point so far beyond the chips, as seen from the dealer."""
    outward = AREA.polygon_mm.mean(axis=0) - MIDDLE
    x, y = np.array(AT) + way_mm * outward / np.linalg.norm(outward)
    return (float(x), float(y))


@pytest.mark.parametrize(
    ("ways_mm", "action", "sure"),
    [
        pytest.param((20.0, 40.0, -10.0), SettleAction.COLLECTED, reliability(LineKind.WAY), id="to the tray"),
        pytest.param((20.0, 130.0, 30.0), SettleAction.RETURNED, reliability(LineKind.WAY), id="to the player"),
        pytest.param((20.0, 85.0), SettleAction.COLLECTED, UNSEEN, id="between"),
        pytest.param((), SettleAction.COLLECTED, UNSEEN, id="not seen"),
    ],
)
def test_way_of_chips_is_told_by_the_arm_s_reach(ways_mm: tuple[float, ...], action: SettleAction, sure: float) -> None:
    assert way_of_chips(AT, [beyond(way) for way in ways_mm], AREA, LAYOUT) == (action, sure)


def test_way_that_one_look_does_not_show_is_doubtful() -> None:
    assert way_of_chips(AT, [beyond(20.0), None], AREA, LAYOUT) == (SettleAction.COLLECTED, UNSEEN)
