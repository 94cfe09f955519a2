"""How much of a video is cut around a fault and a round."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.service.hand_clock import NOON
from thirdcard.service.media.clip_span import LIVE_CLIP, LONGEST_ROUND, RECORDED_CLIP, AlertClip, round_span


@pytest.mark.parametrize(
    ("clip", "noticed_s", "span"),
    [
        pytest.param(RECORDED_CLIP, 0.5, (95.0, 105.0), id="noticed at once"),
        pytest.param(RECORDED_CLIP, 20.0, (95.0, 121.0), id="noticed later"),
        pytest.param(RECORDED_CLIP, 90.0, (95.0, 135.0), id="noticed too late"),
        pytest.param(LIVE_CLIP, 0.5, (92.0, 106.0), id="live, noticed at once"),
        pytest.param(LIVE_CLIP, 20.0, (92.0, 121.0), id="live, noticed later"),
        pytest.param(LIVE_CLIP, 90.0, (92.0, 137.0), id="live, noticed too late"),
    ],
)
def test_clip_shows_the_fault_and_where_it_showed_itself(
    clip: AlertClip, noticed_s: float, span: tuple[float, float]
) -> None:
    found = clip.span(100.0, noticed_at=100.0 + noticed_s)
    assert (found.from_s, found.to_s) == span
    moments = clip.around(NOON + timedelta(seconds=100), noticed_at=NOON + timedelta(seconds=100 + noticed_s))
    assert moments == (NOON + timedelta(seconds=span[0]), NOON + timedelta(seconds=span[1]))


def test_round_is_shown_whole_and_of_a_very_long_one_the_end() -> None:
    minute = timedelta(minutes=1)
    assert round_span(NOON, NOON + minute) == (NOON - timedelta(seconds=3), NOON + minute + timedelta(seconds=3))
    from_at, to_at = round_span(NOON, NOON + 30 * minute)
    assert (from_at, to_at) == (to_at - LONGEST_ROUND, NOON + 30 * minute + timedelta(seconds=3))
