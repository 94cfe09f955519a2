"""What was found in segments becomes one log."""

from __future__ import annotations

from thirdcard.rules.log.events import format_event
from thirdcard.service.review.joining import join
from thirdcard.service.review.segment_watch import SegmentResult
from thirdcard.service.review.segments import Segment


def segment(number: int, core_from_t: float, core_to_t: float, *, after_gap: bool = False) -> Segment:
    return Segment(
        number=number, core_from_t=core_from_t, core_to_t=core_to_t, sources=(), is_after_gap=after_gap,
        is_before_gap=False,
    )  # fmt: skip


def found(number: int, from_t: float, to_t: float, *lines: dict[str, object], **changes: object) -> SegmentResult:
    values: dict[str, object] = {"is_amid_round": False, "fault": None, "decoded": 1, "passed": 0, **changes}
    return SegmentResult(number=number, from_t=from_t, to_t=to_t, lines=list(lines), **values)  # type: ignore[arg-type]


def opened(t: float) -> dict[str, object]:
    return {"t": t, "type": "bets_opened"}


def dealt(t: float, card_id: str) -> dict[str, object]:
    return {"t": t, "type": "card_dealt", "card_id": card_id, "hand": "player", "card": "7H", "face_up": True}


def told(segments: list[Segment], results: list[SegmentResult]) -> list[tuple[float, str]]:
    return [(event.t, event.type) for event in join(segments, results, "overhead")]


def test_what_two_segments_saw_counts_once() -> None:
    segments = [segment(0, 0, 600, after_gap=True), segment(1, 600, 1200)]
    first = found(0, 0.0, 640.0, opened(590.0), opened(639.0), opened(655.0))
    second = found(1, 570.0, 1200.0, opened(589.9), opened(639.1), opened(641.0))
    assert told(segments, [first, second]) == [(590.0, "bets_opened"), (639.0, "bets_opened"), (641.0, "bets_opened")]


def test_cards_of_different_segments_are_told_apart() -> None:
    segments = [segment(0, 0, 600, after_gap=True), segment(1, 600, 1200)]
    log = join(segments, [found(0, 0, 600, dealt(5, "c1")), found(1, 580, 1200, dealt(700, "c1"))], "overhead")
    assert [format_event(event)["card_id"] for event in log] == ["0-c1", "1-c1"]


def test_nobody_saw_what_lies_in_a_gap_and_the_round_ends_there() -> None:
    segments = [segment(0, 0, 300, after_gap=True), segment(1, 900, 1200, after_gap=True)]
    first = found(0, 0, 300, opened(290), is_amid_round=True)
    lines = told(segments, [first, found(1, 900, 1200, opened(950))])
    assert lines == [
        (290, "bets_opened"), (300, "camera_lost"), (300, "round_closed"), (900, "camera_back"), (950, "bets_opened"),
    ]  # fmt: skip


def test_segment_that_broke_is_unseen_until_the_next_begins() -> None:
    segments = [segment(0, 0, 600, after_gap=True), segment(1, 600, 1200)]
    broken = found(0, 0, 200, opened(100), fault="video.mp4: breaks")
    lines = told(segments, [broken, found(1, 580, 1200, opened(700))])
    assert lines == [(100, "bets_opened"), (200, "camera_lost"), (580, "camera_back"), (700, "bets_opened")]
