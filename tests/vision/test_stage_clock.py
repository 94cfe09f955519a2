"""How long stages take, and what is counted to which."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from thirdcard.vision.stage_clock import StageClock


@dataclass
class HandClock:
    t: float = 0.0

    def __call__(self) -> float:
        return self.t


def test_stage_inside_another_is_not_counted_to_the_outer_one() -> None:
    clock = HandClock()
    stages = StageClock(clock, ("read", "track"))
    with stages.stage("track"):
        clock.t = 1.0
        for _ in range(2):
            with stages.stage("read"):
                clock.t += 0.25
        clock.t += 2.0
    assert stages.seconds == {"read": 0.5, "track": 3.0}


def test_stages_add_up_over_looks() -> None:
    clock = HandClock()
    stages = StageClock(clock, ("read", "track"))
    for _ in range(3):
        with stages.stage("track"):
            clock.t += 1.0
            with stages.stage("read"):
                clock.t += 0.5
        clock.t += 10.0
    assert stages.seconds == {"read": 1.5, "track": 3.0}


def test_stage_that_fails_is_counted() -> None:
    clock = HandClock()
    stages = StageClock(clock, ("read",))
    with pytest.raises(ValueError, match="too dark"), stages.stage("read"):
        clock.t = 1.0
        raise ValueError("too dark")
    assert stages.seconds == {"read": 1.0}
