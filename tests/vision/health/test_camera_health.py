"""Faults put into a drawn clip are reported where they begin and end; what is no fault is not."""

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
from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.health.calibration_drift import CameraFit
from thirdcard.vision.health.camera_health import CLEAR_S, CONFIRM_S, CameraHealth, FaultRun
from thirdcard.vision.observations import CameraRefitted, PictureCleared, PictureFault, PictureFaulted
from thirdcard.vision.plane.change_gate import SMALL_WH_PX

Told = list[tuple[float, PictureFaulted | PictureCleared | CameraRefitted]]


def watch(frames: Iterable[Frame]) -> Told:
    """What was reported, and when."""
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


MOVES = [
    pytest.param(partial(moved, right_mm=0.8, down_mm=-0.3), 0.85, id="touched_1_mm"),
    pytest.param(partial(moved, right_mm=3.0, down_mm=-1.5), 3.35, id="knocked_3_mm"),
    pytest.param(partial(moved, right_mm=6.0, down_mm=-3.0), 6.7, id="knocked_7_mm"),
    pytest.param(partial(moved, right_mm=70.0, down_mm=40.0), 80.6, id="pushed_80_mm"),
    pytest.param(partial(moved, right_mm=0.0, turn_deg=0.6), 10.6, id="turned_a_little"),
    pytest.param(partial(moved, right_mm=0.0, turn_deg=8.0), 140.0, id="turned_far"),
]


@pytest.mark.parametrize(("spoil", "by_mm"), MOVES)
def test_moved_camera_is_told_within_two_seconds_and_fitted_anew(spoil: Spoil, by_mm: float) -> None:
    """It is moved at 5 s and back at 9 s: each time it is fitted anew, and then sees again."""
    told = watch(clip(13.0, spoil))
    assert [type(one) for _, one in told] == [PictureFaulted, CameraRefitted, PictureCleared] * 2
    for begun_t, one in ((5.0, told[:3]), (9.0, told[3:])):
        (begun_at, begun), (fitted_at, fitted), (ended_at, _) = one
        assert isinstance(begun, PictureFaulted) and begun.fault is PictureFault.MOVED
        assert isinstance(fitted, CameraRefitted) and fitted.is_used
        assert begun_at < begun_t + 2.0
        assert fitted_at < ended_at < begun_t + 3.0
        assert fitted.moved_mm == pytest.approx(by_mm, rel=0.05, abs=0.5)
        assert fitted.within_mm < 1.0
    back = told[4][1]
    assert isinstance(back, CameraRefitted)
    assert far_apart(back.calibration, straight_down()) < 1.0


def far_apart(one: Calibration, other: Calibration) -> float:
    """By how many mm two calibrations differ on the drawn cloth, at most."""
    x, y = (np.linspace(0.1, 0.9, 5) * side for side in CLOTH_MM)
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return float(np.linalg.norm(one.layout_from_image(other.image_from_layout(places)) - places, axis=1).max())


def test_camera_that_hangs_far_elsewhere_is_left_to_a_person() -> None:
    told = [one for _, one in watch(clip(13.0, partial(moved, right_mm=300.0)))]
    refits = [one for one in told if isinstance(one, CameraRefitted)]
    assert len(refits) <= 1 and not any(one.is_used for one in refits)
    faults = [one.fault for one in told if isinstance(one, PictureFaulted)]
    assert faults and set(faults) <= {PictureFault.MOVED, PictureFault.COVERED}


def test_camera_that_keeps_swinging_is_not_fitted() -> None:
    def swinging(image: Image, t: float) -> Image:
        return moved(image, t, right_mm=20.0 + 15.0 * float(np.sin(9.0 * t)))

    told = [one for _, one in watch(clip(9.0, swinging, at=(4.0, 9.0)))]
    assert [type(one) for one in told] == [PictureFaulted]


@pytest.mark.parametrize("since_mm", [0.0, 25.0])
def test_camera_moved_since_an_earlier_picture_is_noticed_at_the_beginning(since_mm: float) -> None:
    health = CameraHealth(straight_down(), CLOTH_MM)
    health.begin_from(Frame(0, 0.0, noisy(cloth(), 77.0)).luma)
    frames = clip(6.0, partial(moved, right_mm=since_mm), at=(0.0, 6.0))
    told = [one for frame in frames for one in health.update(frame, frame.small(SMALL_WH_PX))]
    assert [type(one) for one in told] == ([PictureFaulted, CameraRefitted, PictureCleared] if since_mm else [])


@pytest.mark.parametrize(
    ("spoil", "until_s"),
    [
        pytest.param(covered, 5.2, id="hand_over_the_lens_for_a_moment"),
        pytest.param(partial(covered, share=0.4), 9.0, id="people_leaning_over"),
        pytest.param(partial(dimmed, factor=0.45), 9.0, id="lamp_goes_out"),
        pytest.param(partial(moved, right_mm=0.2, down_mm=0.1), 9.0, id="camera_trembled"),
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
    """What a run says about ten looks a second."""
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
