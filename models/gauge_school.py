"""Draw the gauge's school: `python -m models.gauge_school --out build/gauge --worlds 120 --split train --seed 1`.

One file a world: crops of its stacks, wider than the network takes by a margin to shift them in, and what is true of
each. A world whose file is there is skipped, so a broken run goes on where it stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Calibration
from datasets.decks.deck import load_deck
from datasets.scene.model import ChipStack, World
from datasets.scene.renderer import RenderedObject, SceneRenderer
from datasets.scene.worlds import Split, random_world
from models.gauge_scenes import stack_scene
from models.world_files import write_worlds
from vision.frames import Image
from vision.gauge import HEIGHT_PX, WIDTH_PX, CropFrame, crop_frame, stack_crop

MARGIN_PX = 5
BOX_ERROR_MM = 1.6
"""Spread of the error of a detected box's middle, along each axis."""
LEAST_VISIBLE = 0.5
TRUTH = (
    "displacement_px", "foot_x_px", "foot_y_px", "chip_px", "count", "visible", "distance_mm", "camera_height_mm",
    "tilt_deg", "px_per_mm",
)  # fmt: skip
"""Columns of a school's truth; `chip_px` is the displacement of one chip there, on average over the stack."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """One crop and its truth."""

    crop: Image
    truth: npt.NDArray[np.float32]
    """(len(TRUTH),)."""


class Eye:
    """One world's camera, as far as stacks go."""

    def __init__(self, world: World) -> None:
        centre = world.camera.camera_centre_mm
        assert centre is not None, "worlds have cameras with a pose"
        self.centre_mm: npt.NDArray[np.float64] = np.asarray(centre, np.float64)
        self.camera: Calibration = world.camera
        self.chips = world.chips
        self.tilt_deg = tilt_deg(world.camera)

    def truth(self, stack: ChipStack, frame: CropFrame, visible: float) -> npt.NDArray[np.float32]:
        """What is true of a stack in a crop."""
        foot = np.array(stack.at_mm)
        away = foot - self.centre_mm[:2]
        tall, height = -self.centre_mm[2], len(stack.chips) * self.chips.thickness_mm
        distance = float(np.linalg.norm(away))
        displacement = distance * height / (tall - height) * frame.px_per_mm
        foot_px = frame.crop_from_layout(foot[None])[0]
        row = [displacement, *foot_px, displacement / len(stack.chips), len(stack.chips), visible, distance, tall]
        return np.array([*row, self.tilt_deg, frame.px_per_mm], np.float32)

    def frame(self, outline_mm: npt.NDArray[np.float64], error_mm: npt.NDArray[np.float64]) -> CropFrame:
        """The crop of a stack, found with an error."""
        middle = np.array(cv2.minAreaRect(outline_mm.astype(np.float32))[0])
        return crop_frame(middle + np.clip(error_mm, -4, 4), self.centre_mm, self.chips.diameter_mm)


def tilt_deg(camera: Calibration) -> float:
    """How far a camera looks off the plumb line."""
    assert camera.rvec is not None
    return float(np.degrees(np.arccos(np.clip(cv2.Rodrigues(camera.rvec)[0][2, 2], -1, 1))))


def lesson(
    eye: Eye, thing: RenderedObject, stack: ChipStack, image: Image,
    *, error_mm: npt.NDArray[np.float64], margin_px: int = 0,
) -> Lesson | None:  # fmt: skip
    """The crop of a stack as a detector with an error would find it; None where too little of it is in sight."""
    if thing.visible < LEAST_VISIBLE or not np.isfinite(thing.layout_polygon_mm).all():
        return None
    frame = eye.frame(thing.layout_polygon_mm, error_mm)
    size = (WIDTH_PX + 2 * margin_px, HEIGHT_PX + 2 * margin_px)
    crop = stack_crop(image, eye.camera, frame, size_wh_px=size)
    return None if crop is None else Lesson(crop, eye.truth(stack, frame, thing.visible))


def recorded(image: Image, quality: int | None) -> Image:
    """The picture after a recorder's compression; None leaves it."""
    if quality is None:
        return image
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8) if done else image


def random_quality(rng: np.random.Generator) -> int | None:
    """A recorder's compression, light or heavy, at times none."""
    return None if rng.random() < 0.15 else int(rng.integers(35, 94))


def open_world(rng: np.random.Generator, split: Split) -> tuple[World, SceneRenderer]:
    """Draw a world of a split, with a machine-drawn deck."""
    seed = int(rng.integers(9000, 9900)) if split == "held_out" else int(rng.integers(1, 8999))
    world = random_world(rng, split, [f"machine:{seed}"])
    return world, SceneRenderer(world, deck=load_deck(world.deck))


def draw_world(
    split: Split, *, seed: int, index: int, scenes: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """One world's crops and truths: (N, height, width, 3) and (N, len(TRUTH))."""
    rng = np.random.default_rng([seed, index, 0 if split == "train" else 1])
    world, renderer = open_world(rng, split)
    eye = Eye(world)
    lessons: list[Lesson] = []
    for _ in range(scenes):
        scene = stack_scene(world, rng)
        picture = renderer.render([scene])
        image = recorded(picture.image_hw3, random_quality(rng))
        by_name = {stack.object_id: stack for stack in scene.stacks}
        for thing in picture.objects:
            stack = by_name.get(thing.object_id)
            if stack is not None:
                error = rng.normal(0, BOX_ERROR_MM, 2)
                drawn = lesson(eye, thing, stack, image, error_mm=error, margin_px=MARGIN_PX)
                lessons += [drawn] if drawn is not None else []
    return np.stack([each.crop for each in lessons]), np.stack([each.truth for each in lessons])


def main(arguments: Sequence[str] | None = None) -> None:
    """Draws as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m models.gauge_school", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gauge"))
    parser.add_argument("--worlds", type=int, default=120)
    parser.add_argument("--first-world", type=int, default=0)
    parser.add_argument("--scenes", type=int, default=7, help="pictures a world, about 60 stacks each")
    parser.add_argument("--split", choices=("train", "held_out"), default="train")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    def draw(index: int) -> dict[str, npt.NDArray[np.generic]]:
        crops, truths = draw_world(options.split, seed=options.seed, index=index, scenes=options.scenes)
        return {"crops": crops, "truths": truths}

    worlds = range(options.first_world, options.first_world + options.worlds)
    write_worlds(options.out, f"{options.split}-{options.seed}", worlds, draw)


if __name__ == "__main__":
    main()
