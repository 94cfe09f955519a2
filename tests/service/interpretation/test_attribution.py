"""Who reached over an area: the nearer of the dealer's edge and the players' places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from thirdcard.calibration.layout import load_layout
from thirdcard.service.interpretation.attribution import who_reached


@pytest.mark.parametrize(
    ("layout", "area", "entry_mm", "by"),
    [
        pytest.param("full-14", "s14-player", (3610.0, 360.0), "seat:14", id="end-of-a-long-table-beside-the-dealer"),
        pytest.param("full-14", "s14-player", (2450.0, -20.0), "dealer", id="dealer-leans-to-the-end"),
        pytest.param("full-14", "s1-player", (-10.0, 360.0), "seat:1", id="the-other-end"),
        pytest.param("mini-7", "s1-player", (450.0, 10.0), "dealer", id="dealer-leans-to-seat-1"),
        pytest.param("mini-7", "s1-player", (-10.0, 470.0), "seat:1", id="seat-1-of-a-small-table"),
        pytest.param("mini-7", "s4-player", (1065.0, 1075.0), "seat:4", id="opposite-the-dealer"),
        pytest.param("mini-7", "player-box", (1000.0, -20.0), "dealer", id="card-box-dealer"),
        pytest.param("mini-7", "player-box", (900.0, 1075.0), "unknown", id="card-box-somebody-else"),
    ],
)
def test_reach_belongs_to_the_nearer_place(layout: str, area: str, entry_mm: tuple[float, float], by: str) -> None:
    cloth = load_layout(layout, Path())
    assert who_reached([entry_mm], cloth.area(area), cloth) == by


@pytest.mark.parametrize(("entry_mm", "by"), [((900.0, -10.0), "dealer"), ((900.0, 1075.0), "unknown")])
def test_cloth_without_seats_has_somebody_opposite_the_dealer(entry_mm: tuple[float, float], by: str) -> None:
    whole = load_layout("mini-7", Path())
    cloth = replace(whole, areas=tuple(area for area in whole.areas if area.seat is None))
    assert who_reached([entry_mm], cloth.area("player-box"), cloth) == by
