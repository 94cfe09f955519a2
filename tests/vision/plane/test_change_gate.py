"""Change, cover and freshness on small made-up pictures."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.detections import CARD_FACE, HAND, Detections
from thirdcard.vision.plane.change_gate import SMALL_WH_PX, ChangeGate, light_gain
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.plane.stale_regions import HAND_S, Freshness

SIZE_MM = (1800.0, 900.0)


def straight_down() -> Calibration:
    """One pixel is one millimetre; the cloth's corner lies at pixel (60, 90)."""
    return Calibration(
        image_size_wh_px=(1920, 1080),
        camera_matrix=np.array([[2000.0, 0, 960.0], [0, 2000.0, 540.0], [0, 0, 1]]),
        rvec=np.zeros(3),
        tvec=np.array([-900.0, -450.0, 2000.0]),
    )


def picture(level: int = 90) -> np.ndarray:
    return np.full((SMALL_WH_PX[1], SMALL_WH_PX[0], 3), level, np.uint8)


def with_box(x0_mm: float, y0_mm: float, x1_mm: float, y1_mm: float, level: int = 220) -> np.ndarray:
    small = picture()
    x0, x1 = round((x0_mm + 60) / 4), round((x1_mm + 60) / 4)
    y0, y1 = round((y0_mm + 90) / 4), round((y1_mm + 90) / 4)
    small[max(y0, 0) : y1, max(x0, 0) : x1] = level
    return small


def test_gate_sees_nothing_on_a_still_table() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    gate.update(picture(), 0.0)
    change = gate.update(picture(), 0.1)
    assert not change.moving.any()
    assert not change.foreground.any()


def test_gate_takes_a_common_change_of_light_for_nothing() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    gate.update(picture(90), 0.0)
    assert not gate.update(picture(120), 0.1).moving.any()


def test_gate_sees_motion_where_it_is_and_for_how_long_it_is_over() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    gate.update(picture(), 0.0)
    moved = with_box(400, 300, 500, 400)
    inside = gate.grid.mask_of(np.array([[420.0, 320], [480, 320], [480, 380], [420, 380]]))
    outside = gate.grid.mask_of(np.array([[900.0, 320], [980, 320], [980, 380], [900, 380]]))
    change = gate.update(moved, 0.1)
    assert change.moving[inside].all()
    assert not change.moving[outside].any()
    for step in range(2, 8):
        change = gate.update(moved, step / 10)
    assert change.still_s[inside].min() == pytest.approx(0.6)


def test_gate_takes_what_something_has_just_left_for_moving_and_not_for_strange() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    gate.update(picture(), 0.0)
    gate.update(with_box(400, 300, 500, 400), 0.1)
    change = gate.update(with_box(900, 300, 1000, 400), 0.2)
    left, came = (
        gate.grid.mask_of(np.array([[x, 320.0], [x + 60, 320], [x + 60, 380], [x, 380]])) for x in (420.0, 920.0)
    )
    assert change.moving[left].all() and not change.strange[left].any()
    assert change.moving[came].all() and change.strange[came].all()


def test_cover_finds_where_an_arm_comes_in() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    gate.update(picture(), 0.0)
    area = gate.grid.mask_of(np.array([[400.0, 500], [500, 500], [500, 600], [400, 600]]))
    from_below = gate.update(with_box(430, 540, 480, 990), 0.1)
    entry = Cover(gate.grid, from_below, np.zeros(gate.grid.shape_hw, bool)).entry_of(area)
    assert entry is not None
    assert entry[0] == pytest.approx(455, abs=15)
    assert entry[1] > 870
    nothing = Cover(gate.grid, from_below, np.zeros(gate.grid.shape_hw, bool))
    elsewhere = gate.grid.mask_of(np.array([[900.0, 500], [990, 500], [990, 600], [900, 600]]))
    assert nothing.entry_of(elsewhere) is None
    assert nothing.share_of(elsewhere) == 0.0


def test_cover_of_something_that_reaches_no_edge_has_no_entry() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    gate.update(picture(), 0.0)
    change = gate.update(with_box(400, 500, 460, 560), 0.1)
    area = gate.grid.mask_of(np.array([[400.0, 500], [500, 500], [500, 600], [400, 600]]))
    cover = Cover(gate.grid, change, np.zeros(gate.grid.shape_hw, bool))
    assert cover.share_of(area) > 0.3
    assert cover.entry_of(area) is None


def box(x_mm: float, y_mm: float, label: int) -> Detections:
    corners = np.array([[[-30, -40], [30, -40], [30, 40], [-30, 40]]], np.float64) + np.array([x_mm, y_mm])
    return Detections(corners, np.array([label]), np.array([0.9]))


def test_freshness_asks_for_all_fields_first_then_only_for_those_that_changed() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    fresh = Freshness(SIZE_MM, gate.grid)
    change = gate.update(picture(), 0.0)
    fields = fresh.stale_fields(change)
    assert fields == list(range(len(fresh.fields)))
    fresh.renew(fields, Detections.empty(), change)
    assert fresh.stale_fields(gate.update(picture(), 0.1)) == []
    changed = fresh.stale_fields(gate.update(with_box(400, 300, 460, 380), 0.2))
    assert 0 < len(changed) <= 4
    assert all(fresh.fields[i].box_mm[0] < 460 and fresh.fields[i].box_mm[2] > 400 for i in changed)


def test_freshness_looks_again_at_a_hand_that_may_have_left_while_hardly_anything_changed() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    fresh = Freshness(SIZE_MM, gate.grid)
    change = gate.update(picture(), 0.0)
    fresh.renew(fresh.stale_fields(change), box(130, 130, HAND), change)
    assert fresh.stale_fields(gate.update(picture(), 2 * HAND_S)) == []
    hint = with_box(110, 110, 150, 150, 98)
    assert fresh.stale_fields(gate.update(hint, 2.2 * HAND_S)) == [0]
    change = gate.update(hint, 2.4 * HAND_S)
    fresh.renew([0], Detections.empty(), change)
    assert fresh.stale_fields(gate.update(picture(), 4 * HAND_S)) == []


def test_freshness_looks_again_beside_a_hand_that_left() -> None:
    """A corner of a hand that was seen over the next field once kept a wagering area covered for ten seconds."""
    gate = ChangeGate(straight_down(), SIZE_MM)
    fresh = Freshness(SIZE_MM, gate.grid)
    change = gate.update(with_box(150, 100, 220, 160), 0.0)
    fresh.renew(fresh.stale_fields(change), box(245, 130, HAND), change)
    held = [i for i, field in enumerate(fresh.fields) if fresh.hands[field.cells].any()]
    assert held == [0, 1]
    change = gate.update(picture(), HAND_S)
    assert fresh.stale_fields(change) == [0]
    fresh.renew([0], Detections.empty(), change)
    assert fresh.stale_fields(gate.update(picture(), HAND_S + 0.1))[-1] == 1


def test_freshness_keeps_what_stands_in_fields_that_were_not_looked_at() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    fresh = Freshness(SIZE_MM, gate.grid)
    change = gate.update(picture(), 0.0)
    fresh.renew(fresh.stale_fields(change), box(100, 100, CARD_FACE), change)
    asked = fresh.stale_fields(gate.update(picture(), 0.1), [np.array([1500.0, 700.0])])
    fresh.renew(asked, box(1500, 700, CARD_FACE), change)
    assert len(fresh.found.label) == 2
    fresh.renew(asked, Detections.empty(), change)
    assert fresh.found.corners_mm.mean(axis=1)[0].tolist() == [100.0, 100.0]


def test_freshness_keeps_hands_as_a_mask_that_a_new_look_clears() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    fresh = Freshness(SIZE_MM, gate.grid)
    change = gate.update(picture(), 0.0)
    fields = fresh.stale_fields(change)
    fresh.renew(fields, box(500, 400, HAND), change)
    assert fresh.hands.any()
    assert len(fresh.found.label) == 0
    fresh.renew(fields, Detections.empty(), change)
    assert not fresh.hands.any()


@pytest.mark.parametrize("shape", [(5, 7), (6, 8), (1,), (3, 4, 3)])
def test_the_gain_is_the_median_factor(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(3)
    now, before = (random.uniform(0, 255, shape).astype(np.float32) for _ in range(2))
    factors = (now + np.float32(4.0)) / (before + np.float32(4.0))
    assert light_gain(now, before) == float(np.median(factors))


def test_what_lies_on_less_than_half_of_a_view_changes_no_gain() -> None:
    before = np.full((10, 10), 96.0, np.float32)
    now = 1.1 * (before + 4.0) - 4.0
    now[:4] = 250.0
    assert light_gain(np.asarray(now, np.float32), before) == pytest.approx(1.1)
