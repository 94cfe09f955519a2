"""How much a watch looks: all of a look where something moves or is waited for, hardly anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.config import load_table
from service.wiring import build_observer, open_eyes
from vision.card_sights import CardSights
from vision.frames import Frame
from vision.video import VideoReader

DEMO = Path(__file__).parents[2] / "datasets" / "demo"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When the cards in sight were asked for."""
    whole, times = CardSights.of, []

    def counted(self, found, look):  # type: ignore[no-untyped-def]
        times.append(look.frame.t)
        return whole(self, found, look)

    monkeypatch.setattr(CardSights, "of", counted)
    return times


def test_still_table_on_which_all_is_told_is_not_looked_over_again(looks: list[float]) -> None:
    observer = build_observer(load_table(DEMO / "table.yaml"), open_eyes())
    with VideoReader(DEMO / "video.mp4") as video:
        still = next(iter(video))
    for i in range(60):
        observer.update(still.at(i / 10))
    assert looks and looks[-1] < 3.0
    observer.update(_darker(still, 6.0))
    assert looks[-1] == 6.0


def _darker(frame: Frame, t: float) -> Frame:
    image = frame.image.copy()
    image[400:700, 700:1000] //= 3
    return Frame(0, t, image)
