"""Found alerts against true incidents, by hand."""

from __future__ import annotations

import pytest

from thirdcard.service.evaluate.accounts import Incident, Tolerance
from thirdcard.service.evaluate.matching import join, match

PLACED = "late_bet.placed"


def at(t: float, code: str = PLACED, **more: object) -> Incident:
    return Incident(code=code, t=t, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("truth", "found", "hits"),
    [
        pytest.param(at(10.0), at(11.9), 1, id="within-the-window"),
        pytest.param(at(10.0), at(12.1), 0, id="too-late"),
        pytest.param(at(10.0), at(7.9), 0, id="too-early"),
        pytest.param(at(10.0), at(10.0, "late_bet.increased"), 0, id="another-code"),
        pytest.param(at(10.0, seat=3), at(10.0, seat=4), 0, id="another-seat"),
        pytest.param(at(10.0, seat=3), at(10.0), 1, id="seat-not-told"),
        pytest.param(at(10.0, hand="player"), at(10.0, hand="banker"), 0, id="another-hand"),
        pytest.param(at(10.0), at(10.0, hand="banker"), 1, id="hand-not-told"),
    ],
)
def test_pair_needs_code_place_and_time(truth: Incident, found: Incident, hits: int) -> None:
    result = match([truth], [found])
    assert len(result.hits) == hits
    assert (len(result.missed), len(result.false)) == (1 - hits, 1 - hits)


def test_each_alert_counts_once() -> None:
    result = match([at(10.0)], [at(10.1), at(10.4)])
    assert [hit.found.t for hit in result.hits] == [10.1]
    assert [each.t for each in result.false] == [10.4]
    assert result.precision == 0.5


def test_nearest_pairs_come_first() -> None:
    result = match([at(10.0), at(11.5)], [at(11.4), at(10.2)])
    assert [(hit.truth.t, hit.found.t) for hit in result.hits] == [(10.0, 10.2), (11.5, 11.4)]


@pytest.mark.parametrize(
    ("tolerance", "is_tolerated"),
    [
        pytest.param(Tolerance(code="payout.*", from_s=9.0, to_s=20.0), True, id="any-ending"),
        pytest.param(Tolerance(code="payout.wrong_amount", from_s=9.0, to_s=20.0), True, id="that-code"),
        pytest.param(Tolerance(code="payout.loser_paid", from_s=9.0, to_s=20.0), False, id="another-code"),
        pytest.param(Tolerance(code="payout.*", from_s=11.0, to_s=20.0), False, id="before-its-time"),
        pytest.param(Tolerance(code="payout.*", from_s=1.0, to_s=9.9), False, id="after-its-time"),
        pytest.param(Tolerance(code="payout.*", from_s=9.0, to_s=20.0, seat=3), True, id="that-seat"),
        pytest.param(Tolerance(code="payout.*", from_s=9.0, to_s=20.0, seat=4), False, id="another-seat"),
        pytest.param(Tolerance(code="payout.*", from_s=9.0, to_s=20.0, hand="player"), True, id="hand-not-told"),
    ],
)
def test_tolerated_alert_is_neither_hit_nor_false(tolerance: Tolerance, is_tolerated: bool) -> None:
    result = match([], [at(10.0, "payout.wrong_amount", seat=3)], [tolerance])
    assert (len(result.tolerated), len(result.false)) == ((1, 0) if is_tolerated else (0, 1))


def test_a_tolerance_does_not_take_a_hit_away() -> None:
    result = match([at(10.0)], [at(10.0)], [Tolerance(code=PLACED, from_s=0.0, to_s=20.0)])
    assert (len(result.hits), len(result.tolerated)) == (1, 0)


def test_delay_counts_from_the_fault_to_when_it_was_told() -> None:
    result = match([at(10.0), at(20.0)], [at(10.3, noticed_at=11.0), at(19.5, noticed_at=22.0)])
    assert result.delays_s == pytest.approx((1.0, 2.0))
    assert result.median_delay_s == pytest.approx(1.5)


def test_nothing_true_and_nothing_found_has_no_ratio() -> None:
    empty = match([], [])
    assert (empty.precision, empty.recall, empty.median_delay_s) == (None, None, None)


def test_recordings_are_joined_and_parted_by_code() -> None:
    whole = join([match([at(1.0)], [at(1.0)]), match([at(5.0, "misdeal.order")], [])])
    assert (whole.n_true, whole.recall, whole.codes) == (2, 0.5, [PLACED, "misdeal.order"])
    assert whole.of("misdeal.order").recall == 0.0
