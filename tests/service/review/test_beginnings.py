"""A watch begins where the cloth is clear, if it can."""

from __future__ import annotations

import pytest

from tests.repository import DEMO
from thirdcard.service.config.table_file import load_table
from thirdcard.service.review.segment_start import begun_at_rest
from thirdcard.service.review.segments import FilmSource, Segment
from thirdcard.service.watch.factory import open_eyes

CLOSED_T, WAGERED_T = 15.7, 17.1
"""The demo's first round closed, and the next wager came: of the moments that are looked at the only one between."""


def segment(core_from_t: float, *, is_after_gap: bool = False) -> Segment:
    source = FilmSource(path=str(DEMO / "video.mp4"), from_s=0.0, to_s=79.0, at_t=0.0)
    return Segment(
        number=1, core_from_t=core_from_t, core_to_t=79.0, sources=(source,), is_after_gap=is_after_gap,
        is_before_gap=True,
    )  # fmt: skip


@pytest.mark.parametrize("core_from_t", [61.0, 72.0])
def test_segment_begins_between_rounds_where_no_wager_lies(core_from_t: float) -> None:
    begun = begun_at_rest(load_table(DEMO / "table.yaml"), segment(core_from_t), open_eyes())
    (source,) = begun.sources
    assert CLOSED_T < source.at_t < WAGERED_T
    assert source.from_s == pytest.approx(source.at_t, abs=0.01)
    assert begun.core_from_t == core_from_t


def test_film_that_begins_is_watched_from_its_first_frame() -> None:
    first = segment(0.0, is_after_gap=True)
    assert begun_at_rest(load_table(DEMO / "table.yaml"), first, open_eyes()) == first
