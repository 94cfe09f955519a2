"""Crops of stacks by the camera's geometry, and growth estimated from displacements."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.cameras import tilted_camera
from thirdcard.calibration.camera import Calibration
from thirdcard.vision.chips.change_direction import GrowthOptics, averaged, growth_of, matching
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.stack_region import RegionLook, StackRegion
from thirdcard.vision.chips.standings import Standing
from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec, TensorSpec
from thirdcard.vision.inference.stack_height import (
    DISC_PX,
    HEIGHT_PX,
    WIDTH_PX,
    CropFrame,
    Gauging,
    HeightSureness,
    StackGauge,
    crop_frame,
    stack_crop,
)
from thirdcard.vision.observations import StacksChanged

OPTICS = GrowthOptics(
    camera_mm=(0.0, 0.0, -2000.0), thickness_mm=3.3, sureness=HeightSureness(floor_mm=0.8, scales=2.0)
)
WHITE = (255, 255, 255)


def stack_at(x_mm: float, chips: float, *, y_mm: float = 0.0) -> Gauging:
    """What a gauge without error says of a stack under `OPTICS`."""
    height = chips * OPTICS.thickness_mm
    distance = float(np.hypot(x_mm, y_mm))
    return Gauging(displacement_mm=distance * height / (2000.0 - height), scale_mm=0.2, foot_mm=(x_mm, y_mm))


def with_disc(camera: Calibration, centre_mm: tuple[float, float], *, height_mm: float) -> Image:
    """A camera's dark picture with a white chip of 40 mm at a height."""
    turn = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    rim = np.column_stack([np.cos(turn), np.sin(turn)]) * 20 + np.array(centre_mm)
    points_px = camera.image_from_layout(np.column_stack([rim, np.full(80, -height_mm)]))
    width, height = camera.image_size_wh_px
    image = np.zeros((height, width, 3), np.uint8)
    cv2.fillPoly(image, [np.round(points_px * 16).astype(np.int32)], WHITE, cv2.LINE_AA, shift=4)
    return image


def frame_at(camera: Calibration, centre_mm: tuple[float, float]) -> CropFrame:
    eye = camera.camera_centre_mm
    assert eye is not None
    return crop_frame(np.array(centre_mm), eye, 40.0)


def middle_of_white(crop: Image) -> NDArray[np.float64]:
    """Where the white's middle lies right of and below the crop's middle, in pixels."""
    moments = cv2.moments(crop[:, :, 0])
    place = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
    return np.asarray(place + 0.5 - np.array([WIDTH_PX, HEIGHT_PX]) / 2, np.float64)


def test_frame_maps_back_and_forth() -> None:
    frame = crop_frame(np.array([700.0, 300.0]), np.array([450.0, 900.0, -1500.0]), 39.0)
    points = np.array([[700.0, 300.0], [690.0, 333.0], [755.0, 280.0]])
    assert frame.layout_from_crop(frame.crop_from_layout(points)) == pytest.approx(points)


def test_frame_has_outward_up_and_is_not_mirrored() -> None:
    frame = crop_frame(np.array([0.0, 500.0]), np.array([0.0, 0.0, -2000.0]), 40.0)
    beyond, right_of_outward = frame.crop_from_layout(np.array([[0.0, 510.0], [-10.0, 500.0]]))
    assert beyond == pytest.approx([0.0, -10.0])
    assert right_of_outward == pytest.approx([10.0, 0.0])


@pytest.mark.parametrize("size", [(1280, 720), (3840, 2160)])
@pytest.mark.parametrize("place", [(520.0, 310.0), (900.0, 80.0)])
def test_crop_shows_a_chip_round_and_in_its_place(size: tuple[int, int], place: tuple[float, float]) -> None:
    camera = tilted_camera(size)
    frame = frame_at(camera, (place[0] + 6.0, place[1] - 4.0))
    crop = stack_crop(with_disc(camera, place, height_mm=0.0), camera, frame)
    assert crop is not None
    assert middle_of_white(crop) == pytest.approx(frame.crop_from_layout(np.array([place]))[0], abs=0.15)
    assert float(crop[:, :, 0].sum()) / 255 == pytest.approx(np.pi * DISC_PX**2 / 4, rel=0.1)


def test_crop_shows_a_raised_chip_displaced_outward() -> None:
    camera, place, height = tilted_camera(), (850.0, 120.0), 33.0
    eye = camera.camera_centre_mm
    assert eye is not None
    frame = frame_at(camera, place)
    crop = stack_crop(with_disc(camera, place, height_mm=height), camera, frame)
    assert crop is not None
    distance = float(np.hypot(place[0] - eye[0], place[1] - eye[1]))
    expected = -distance * height / (-eye[2] - height) * frame.px_per_mm
    assert middle_of_white(crop) == pytest.approx([0.0, expected], abs=0.2)


def test_crop_of_a_place_out_of_sight_is_none() -> None:
    camera = tilted_camera()
    assert stack_crop(np.zeros((720, 1280, 3), np.uint8), camera, frame_at(camera, (5000.0, 300.0))) is None


def test_gauge_with_other_columns_is_refused() -> None:
    tensor = TensorSpec(name="x", shape=(None, 3, HEIGHT_PX, WIDTH_PX))
    spec = ModelSpec(name="gauge", weights=__file__, sha256="", input=tensor, output=tensor, classes=("height",))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"gauge\.classes = \['height'\]; must be \['displacement'"):
        StackGauge.open(spec)


@pytest.mark.parametrize("chips", [1, 5, 20])
def test_optics_turn_a_displacement_into_chips(chips: int) -> None:
    stack = OPTICS.stack(stack_at(700.0, chips), least_chip_mm=0.7)
    assert stack.count == pytest.approx(chips)
    assert stack.height_mm == pytest.approx(3.3 * chips)


def test_optics_tell_no_count_where_chips_hardly_show() -> None:
    assert OPTICS.stack(stack_at(100.0, 4), least_chip_mm=0.7).count is None


@pytest.mark.parametrize("chips", [1, 8, 19])
def test_optics_know_one_chip_s_displacement(chips: int) -> None:
    here, above = stack_at(900.0, chips), stack_at(900.0, chips + 1)
    middle = (here.displacement_mm + above.displacement_mm) / 2
    gained = above.displacement_mm - here.displacement_mm
    assert OPTICS.chip_mm((900.0, 0.0), middle) == pytest.approx(gained, rel=1e-3)


def test_averaged_matches_stacks_by_their_feet() -> None:
    looks = [[stack_at(700.0, 3), stack_at(745.0, 8)], [stack_at(746.0, 8), stack_at(701.0, 3)]]
    first, second = averaged(looks)
    assert first.foot_mm == pytest.approx((700.5, 0.0))
    assert second.displacement_mm == pytest.approx(stack_at(745.5, 8).displacement_mm, rel=1e-3)


def test_matching_gives_each_stack_another() -> None:
    row = [stack_at(x, 2) for x in (700.0, 741.0, 782.0)]
    shifted = [stack_at(x + 30.0, 2) for x in (782.0, 700.0, 741.0)]
    assert sorted(matching(row, shifted)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("before", "after", "direction"),
    [
        pytest.param([(700, 3)], [(700, 3)], 0, id="same"),
        pytest.param([(700, 3)], [(700, 4)], 1, id="one-more"),
        pytest.param([(700, 12)], [(700, 11)], -1, id="one-less"),
        pytest.param([(700, 15)], [(735, 15)], 0, id="pushed-outward"),
        pytest.param([(700, 3), (745, 8)], [(745, 9), (700, 3)], 1, id="one-of-two-grew"),
        pytest.param([(700, 3), (745, 8)], [(700, 4), (745, 7)], 0, id="a-chip-moved-over"),
        pytest.param([(150, 3)], [(150, 3)], None, id="one-chip-would-not-show"),
        pytest.param([(150, 3)], [(150, 4)], None, id="one-chip-does-not-show"),
        pytest.param([(150, 3)], [(150, 9)], 1, id="many-chips-show-even-there"),
    ],
)
def test_growth_without_faces_is_told_where_it_shows(
    before: list[tuple[float, int]], after: list[tuple[float, int]], direction: int | None
) -> None:
    growth = growth_of([stack_at(*each) for each in before], [stack_at(*each) for each in after], OPTICS)
    assert growth.is_seen == (direction in (1, -1))
    assert growth.direction == direction


def test_growth_is_not_told_by_a_gauge_that_is_unsure() -> None:
    before, after = stack_at(700.0, 3), replace(stack_at(700.0, 5), scale_mm=2.0)
    assert growth_of([before], [after], OPTICS).direction is None
    assert growth_of([before], [replace(after, scale_mm=0.2)], OPTICS).direction == 1


class GaugedPlay:
    """Plays looks of one region with a gauge, ten a second."""

    def __init__(self, *first: tuple[float, int]) -> None:
        self.region, self.t, self.told = StackRegion("s1-player", OPTICS), 0.0, list[StacksChanged]()
        self.look(*first, looks=6)

    def look(self, *stacks: tuple[float, int], covered: bool = False, looks: int = 1) -> None:
        gaugings = tuple(stack_at(*each) for each in stacks)
        plain = StackOptics(camera_mm=None, diameter_mm=40.0, thickness_mm=3.3)
        square = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]], np.float64)
        boxes = [plain.measure(square + np.array(each.foot_mm)) for each in gaugings]
        standing = Standing(
            stacks=tuple(box[0] for box in boxes), lengths_mm=tuple(box[1] for box in boxes), gaugings=gaugings
        )
        for _ in range(looks):
            self.told += self.region.update(RegionLook(t=self.t, standing=standing, covered=covered))
            self.t = round(self.t + 0.1, 3)

    def after_cover(self, *stacks: tuple[float, int]) -> list[StacksChanged]:
        self.told = []
        self.look(covered=True, looks=4)
        self.look(*stacks, looks=6)
        return self.told


def test_region_tells_one_chip_more_with_counts() -> None:
    (change,) = GaugedPlay((700, 3)).after_cover((700, 4))
    assert change.growth == 1
    assert change.before is not None
    assert [change.before[0].count, change.after[0].count] == pytest.approx([3.0, 4.0])


def test_region_tells_a_visit_and_no_change_of_a_stack_nudged_by_a_hand() -> None:
    (visit,) = GaugedPlay((700, 9)).after_cover((706, 9))
    assert visit.growth == 0


def test_region_tells_a_visit_where_it_cannot_tell_a_chip() -> None:
    (visit,) = GaugedPlay((120, 3)).after_cover((122, 3))
    assert visit.growth == 0


def test_region_tells_no_counts_with_a_direction_it_does_not_know() -> None:
    (change,) = GaugedPlay((120, 3)).after_cover((160, 3))
    assert change.growth is None
    assert change.before is not None
    assert [stack.count for stack in (*change.before, *change.after)] == [None, None]
