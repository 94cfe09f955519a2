"""Draw worlds full of chips for the gauge and the comparer, with the labels of a stack in a crop.

Stacks are cut out as by a detector with an error. Lengths are in mm of the layout or px of a crop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.calibration.camera import Calibration
from thirdcard.datasets.decks.deck import load_deck
from thirdcard.datasets.scene.model import ChipStack, World
from thirdcard.datasets.scene.renderer import RenderedObject, SceneRenderer
from thirdcard.datasets.scene.worlds import Split, random_world
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.stack_height import HEIGHT_PX, WIDTH_PX, CropFrame, crop_frame, stack_crop

MARGIN_PX = 5
LEAST_VISIBLE = 0.5
NEAR_PX_PER_MM = (0.9, 1.5)
"""Range of the scale of a zoomed-in camera at the cloth."""
TRUTH = (
    "displacement_px", "foot_x_px", "foot_y_px", "chip_px", "count", "visible", "distance_mm", "camera_height_mm",
    "tilt_deg", "px_per_mm",
)  # fmt: skip
"""Columns of the labels; `chip_px` is the displacement by one chip, averaged over the stack."""


@dataclass(frozen=True, slots=True, eq=False)
class HeightLesson:
    """One crop and its labels."""

    crop: Image
    truth: npt.NDArray[np.float32]
    """(len(TRUTH),)."""


class Eye:
    """The geometry of one world's camera that matters for stacks."""

    def __init__(self, world: World) -> None:
        centre = world.camera.camera_centre_mm
        assert centre is not None, "worlds have cameras with a pose"
        self.centre_mm: npt.NDArray[np.float64] = np.asarray(centre, np.float64)
        self.camera: Calibration = world.camera
        self.chips = world.chips
        self.tilt_deg = tilt_deg(world.camera)

    def truth(self, stack: ChipStack, frame: CropFrame, visible: float) -> npt.NDArray[np.float32]:
        """Return the labels of a stack in a crop, (len(TRUTH),)."""
        foot = np.array(stack.at_mm)
        away = foot - self.centre_mm[:2]
        tall, height = -self.centre_mm[2], len(stack.chips) * self.chips.thickness_mm
        distance = float(np.linalg.norm(away))
        displacement = distance * height / (tall - height) * frame.px_per_mm
        foot_px = frame.crop_from_layout(foot[None])[0]
        row = [displacement, *foot_px, displacement / len(stack.chips), len(stack.chips), visible, distance, tall]
        return np.array([*row, self.tilt_deg, frame.px_per_mm], np.float32)

    def px_per_mm(self, at_mm: tuple[float, float]) -> float:
        """Return the image scale at a point of the cloth."""
        around = np.array([at_mm, (at_mm[0] + 5.0, at_mm[1]), (at_mm[0], at_mm[1] + 5.0)])
        points = self.camera.image_from_layout(around)
        return float(np.sqrt(abs(np.linalg.det((points[1:] - points[0]) / 5.0))))

    def frame(self, outline_mm: npt.NDArray[np.float64], error_mm: npt.NDArray[np.float64]) -> CropFrame:
        """Return the crop of a stack that is detected with an error."""
        middle = np.array(cv2.minAreaRect(outline_mm.astype(np.float32))[0])
        return crop_frame(middle + np.clip(error_mm, -4, 4), self.centre_mm, self.chips.diameter_mm)


def tilt_deg(camera: Calibration) -> float:
    """Return the angle between a camera's axis and the vertical."""
    assert camera.rvec is not None
    return float(np.degrees(np.arccos(np.clip(cv2.Rodrigues(camera.rvec)[0][2, 2], -1, 1))))


def lesson(
    eye: Eye, thing: RenderedObject, stack: ChipStack, image: Image,
    *, error_mm: npt.NDArray[np.float64], margin_px: int = 0,
) -> HeightLesson | None:  # fmt: skip
    """Return the crop of a stack as from a detector with an error; None if too little of it is visible."""
    if thing.visible < LEAST_VISIBLE or not np.isfinite(thing.layout_polygon_mm).all():
        return None
    frame = eye.frame(thing.layout_polygon_mm, error_mm)
    size = (WIDTH_PX + 2 * margin_px, HEIGHT_PX + 2 * margin_px)
    crop = stack_crop(image, eye.camera, frame, size_wh_px=size)
    return None if crop is None else HeightLesson(crop, eye.truth(stack, frame, thing.visible))


def recorded(image: Image, quality: int | None) -> Image:
    """Compress and decompress a picture as a recorder does; None leaves it unchanged."""
    if quality is None:
        return image
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8) if done else image


def random_quality(rng: np.random.Generator) -> int | None:
    """Draw a recorder's JPEG quality, high or low; sometimes None for no compression."""
    return None if rng.random() < 0.15 else int(rng.integers(35, 94))


def open_world(rng: np.random.Generator, split: Split, *, near: float = 0.0) -> tuple[World, SceneRenderer]:
    """Draw a world of a split with a generated deck; `near` is the share with a zoomed-in camera."""
    seed = int(rng.integers(9000, 9900)) if split == "held_out" else int(rng.integers(1, 8999))
    world = random_world(rng, split, [f"machine:{seed}"])
    if near and rng.random() < near:
        world = zoomed(world, rng)
    return world, SceneRenderer(world, deck=load_deck(world.deck))


def zoomed(world: World, rng: np.random.Generator) -> World:
    """Return the world with a lens that shows only a part of the table, at 0.9 to 1.5 px/mm."""
    camera = world.camera
    width, depth = world.layout.size_mm
    aim = np.array([[rng.uniform(0.2, 0.8) * width, rng.uniform(0.35, 0.75) * depth]])
    near = Eye(world).px_per_mm((float(aim[0, 0]), float(aim[0, 1])))
    factor = max(float(rng.uniform(*NEAR_PX_PER_MM)) / near, 1.0)
    size = np.array(camera.image_size_wh_px)
    size_wh_px = (1920, 1080) if size[0] > 1920 else (int(size[0]), int(size[1]))
    matrix = camera.camera_matrix.copy()
    matrix[:2, :2] *= factor
    ray = (camera.image_from_layout(aim)[0] - camera.camera_matrix[:2, 2]) * factor
    matrix[:2, 2] = np.array(size_wh_px) / 2 - ray
    return replace(world, camera=replace(camera, image_size_wh_px=size_wh_px, camera_matrix=matrix))
