"""What a review found is found again for the same segment, and for no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from thirdcard.service.review.segment_watch import SegmentResult
from thirdcard.service.review.segments import Segment
from thirdcard.service.review.work_folder import WorkFolder

SEGMENT = Segment(number=14, core_from_t=2400.0, core_to_t=4800.0, sources=(), is_after_gap=False, is_before_gap=False)
RESULT = SegmentResult(
    number=14, from_t=2380.0, to_t=4801.0, lines=[{"t": 2500.0, "type": "round_closed"}], is_amid_round=False,
    fault=None, decoded=10, passed=20,
)  # fmt: skip


def test_segment_is_known_by_its_bounds(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / "T01")
    work.make()
    assert work.done(SEGMENT) is None
    work.keep(SEGMENT, RESULT)
    assert work.done(SEGMENT) == RESULT
    assert work.done(replace(SEGMENT, core_to_t=3600.0)) is None
