"""Faults put into a drawn clip are told where they begin and end; what is no fault is not."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import pytest

from tests.vision.drawn_clips import (
    CLOTH_MM,
    MM_PER_PX,
    Spoil,
    black,
    clip,
    cloth,
    covered,
    defocused,
    dimmed,
    frozen,
    glaring,
    moved,
    noisy,
    straight_down,
    table_at,
    veiled,
)
from thirdcard.vision.frames import Frame
from thirdcard.vision.health.calibration_drift import CameraFit
from thirdcard.vision.health.camera_health import CLEAR_S, CONFIRM_S, CameraHealth, FaultRun
from thirdcard.vision.observations import PictureCleared, PictureFault, PictureFaulted
from thirdcard.vision.plane.change_gate import SMALL_WH_PX

Told = list[tuple[float, PictureFaulted | PictureCleared]]


def watch(frames: Iterable[Frame]) -> Told:
    """What was told, and when."""
    health = CameraHealth(straight_down(), CLOTH_MM)
    return [(frame.t, told) for frame in frames for told in health.update(frame, frame.small(SMALL_WH_PX))]


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        pytest.param(covered, PictureFault.COVERED, id="hand_before_the_lens"),
        pytest.param(partial(covered, share=0.75), PictureFault.COVERED, id="most_of_the_lens"),
        pytest.param(partial(dimmed, factor=0.05), PictureFault.DARK, id="lights_out"),
        pytest.param(black, PictureFault.DARK, id="black_without_noise"),
        pytest.param(defocused, PictureFault.BLURRED, id="defocus"),
        pytest.param(veiled, PictureFault.BLURRED, id="light_into_the_lens"),
        pytest.param(glaring, PictureFault.WASHED_OUT, id="glare_on_the_cloth"),
        pytest.param(partial(moved, right_mm=6.0, down_mm=-3.0), PictureFault.MOVED, id="knocked_7_mm"),
        pytest.param(partial(moved, right_mm=70.0, down_mm=40.0), PictureFault.MOVED, id="pushed_80_mm"),
        pytest.param(partial(moved, right_mm=0.0, turn_deg=0.6), PictureFault.MOVED, id="turned_a_little"),
        pytest.param(partial(moved, right_mm=0.0, turn_deg=8.0), PictureFault.MOVED, id="turned_far"),
        pytest.param(frozen, PictureFault.FROZEN, id="same_picture_again"),
    ],
)
def test_fault_is_told_within_two_seconds_and_so_is_its_end(spoil: Spoil, fault: PictureFault) -> None:
    (begun_at, begun), (ended_at, ended) = watch(clip(13.0, spoil))
    assert isinstance(begun, PictureFaulted) and begun.fault is fault
    assert begun.t == pytest.approx(5.0, abs=0.45)
    assert begun_at < 5.0 + 2.0
    assert isinstance(ended, PictureCleared)
    assert ended.t == pytest.approx(9.0, abs=0.45)
    assert ended_at < 9.0 + 2.0


@pytest.mark.parametrize(
    ("spoil", "until_s"),
    [
        pytest.param(covered, 5.2, id="hand_over_the_lens_for_a_moment"),
        pytest.param(partial(covered, share=0.4), 9.0, id="people_leaning_over"),
        pytest.param(partial(dimmed, factor=0.45), 9.0, id="lamp_goes_out"),
        pytest.param(partial(moved, right_mm=2.0, down_mm=1.0), 9.0, id="camera_shifted_2_mm"),
        pytest.param(partial(defocused, sigma_px=0.6), 9.0, id="slightly_soft"),
        pytest.param(frozen, 5.8, id="picture_stalls_for_a_moment"),
        pytest.param(lambda image, t: noisy(cloth(), t), 9.0, id="nothing_moves_between_rounds"),
    ],
)
def test_near_miss_is_no_fault(spoil: Spoil, until_s: float) -> None:
    assert watch(clip(12.0, spoil, at=(5.0, until_s))) == []


def test_picture_without_noise_is_never_said_to_be_frozen() -> None:
    frames = [Frame(i, i / 10, table_at(i / 10 if i < 60 else 0.0).astype(np.uint8)) for i in range(140)]
    assert watch(frames) == []


def test_stream_that_begins_with_a_grey_picture_is_no_fault() -> None:
    assert watch(clip(8.0, lambda image, t: noisy(np.full_like(image, 128), t), at=(0.0, 1.0))) == []


def test_thing_put_on_the_cloth_is_taken_in_and_then_part_of_it() -> None:
    health = CameraHealth(straight_down(), CLOTH_MM)
    board = cloth().copy()
    board[60:480, 60:420] = np.rot90(cloth(), 2)[60:480, 60:420]
    for i in range(200):
        frame = Frame(i, i / 10, noisy(board if i >= 40 else cloth(), i / 10))
        assert health.update(frame, frame.small(SMALL_WH_PX)) == []
    hidden = board.copy()
    hidden[:, 480:] = 60
    frames = [Frame(i, i / 10, noisy(hidden, i / 10)) for i in range(200, 220)]
    assert [told for frame in frames for told in health.update(frame, frame.small(SMALL_WH_PX))] == []


def test_health_is_blind_from_the_first_bad_look_on() -> None:
    health = CameraHealth(straight_down(), CLOTH_MM)
    blind = []
    for frame in clip(12.0, covered):
        health.update(frame, frame.small(SMALL_WH_PX))
        blind += [frame.t] if health.is_blind else []
    assert blind[0] == pytest.approx(5.0, abs=0.2)
    assert blind[-1] == pytest.approx(9.0 + CLEAR_S, abs=0.3)
    assert health.waiting_since_t is None


@pytest.mark.parametrize("right_mm", [3.0, 8.0, 41.0])
def test_fit_measures_a_shift_in_millimetres(right_mm: float) -> None:
    fit = CameraFit(straight_down(), CLOTH_MM)
    then, now = (
        Frame(0, 0.0, image).small(SMALL_WH_PX)[:, :, 1]
        for image in (noisy(cloth(), 0.0), moved(cloth(), 1.0, right_mm))
    )
    missed_mm = fit.offset_mm(then, now, np.ones((9, 12), bool))
    assert missed_mm == pytest.approx(right_mm, abs=0.7)


def test_fit_says_nothing_where_nothing_of_the_print_is_seen() -> None:
    then, now = (Frame(0, 0.0, each).small(SMALL_WH_PX)[:, :, 1] for each in (cloth(), covered(cloth(), 0.0)))
    assert CameraFit(straight_down(), CLOTH_MM).offset_mm(then, now, np.ones((9, 12), bool)) is None


def run(*faults: PictureFault | None) -> list[PictureFaulted | PictureCleared]:
    """What a run tells of ten looks a second."""
    each = FaultRun()
    told = [each.update(fault, i / 10) for i, fault in enumerate(faults)]
    return [one for one in told if one is not None]


def test_run_bridges_a_moment_in_which_the_fault_seems_gone() -> None:
    covered_, good = PictureFault.COVERED, None
    told = run(*[covered_] * 6, good, good, *[covered_] * 6)
    assert told == [PictureFaulted(t=0.0, fault=covered_)]


def test_run_tells_of_another_fault_that_follows_the_first() -> None:
    told = run(*[PictureFault.COVERED] * 15, *[PictureFault.MOVED] * 15, *[None] * 12)
    assert [one.t for one in told] == [0.0, 1.5, 3.0]
    assert [one.fault for one in told if isinstance(one, PictureFaulted)] == [PictureFault.COVERED, PictureFault.MOVED]


def test_run_forgets_what_was_short() -> None:
    short = [PictureFault.COVERED] * round(CONFIRM_S * 5)
    assert run(*short, *[None] * 10, *short, *[None] * 10) == []


def test_pixel_of_the_drawn_camera_is_as_large_as_the_clips_say() -> None:
    at = straight_down().layout_from_image(np.array([[480.0, 270.0], [481.0, 270.0]]))
    assert float(np.linalg.norm(at[1] - at[0])) == pytest.approx(MM_PER_PX)


def test_camera_is_not_said_to_have_moved_where_little_of_the_cloth_is_left_to_see() -> None:
    """What is left of the picture beside a thing before the lens moved by a hair: no more is known of the rest."""
    then = cloth()[..., 1]
    now = then.copy()
    now[:, : int(0.8 * now.shape[1])] = 45
    rim = slice(int(0.8 * now.shape[1]), now.shape[1])
    now[:, rim] = np.roll(then, 3, axis=0)[:, rim]
    fit = CameraFit(straight_down(), CLOTH_MM)
    assert fit.offset_mm(then, now, np.ones((9, 12), bool)) is None
    assert fit.offset_mm(then, np.roll(then, 3, axis=0), np.ones((9, 12), bool)) == pytest.approx(6.0, abs=1.0)
