"""Draw the training data of the chip face reader.

    python -m thirdcard.models.stacks.chip_faces_school --out build/chip_faces --worlds 300 --seed 1

Tables full of stacks, drawn as for the gauge. Each fully visible stack is cut out like the gauge's crop, with its top
chip, all chips of that house, and the white of the cards' paper there. One file per world; existing files are skipped.
Tables without a face-up card give no samples.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.datasets.scene.model import Scene
from thirdcard.datasets.scene.renderer import RenderedObject
from thirdcard.datasets.scene.worlds import Split
from thirdcard.models.recorder import random_recorder
from thirdcard.models.stacks.change_school import FRAME_S, FRAMES, NEAR, first_moment, mean_crop, shown
from thirdcard.models.stacks.height_school import Eye, open_world
from thirdcard.models.world_files import write_worlds
from thirdcard.vision.frames import Image
from thirdcard.vision.inference import stack_height
from thirdcard.vision.inference.chip_faces import white_of
from thirdcard.vision.inference.crops import card_crop

LEAST_VISIBLE = 0.97
BOX_ERROR_MM = 1.2
MOST_CHIPS = 6
"""Maximum number of chip kinds of a house."""


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A table in some frames."""

    scene: Scene
    objects: Sequence[RenderedObject]
    images: Sequence[Image]


def draw_world(split: Split, *, seed: int, index: int, moments: int) -> dict[str, npt.NDArray[np.generic]]:
    """Draw one world's stacks.

    Returns:
        `crops` (N, height, width, 3) uint8; `middles` (N, 2), middle of the top disc in px right of and below the
        crop's;
        `tops` (N,), index of the top chip; `colours` (N, MOST_CHIPS, 3) BGR, -1 for missing chips; `whites` (N, 3), the
        colour of paper.
    """
    rng = np.random.default_rng([seed, index, 7 if split == "train" else 8])
    world, renderer = open_world(rng, split, near=NEAR)
    eye, recorder = Eye(world), random_recorder(rng)
    rows = []
    for _ in range(moments):
        scene = shown(world, first_moment(world, rng), rng)
        rendered, shots = renderer.still(scene, shots=FRAMES, apart_s=FRAME_S)
        table = _Table(scene, rendered.objects, recorder.recorded(shots)[-int(rng.integers(1, FRAMES)) :])
        white = _white(eye, table)
        rows += [] if white is None else [(*row, white) for row in _stacks(eye, table, rng)]
    colours = np.full((MOST_CHIPS, 3), -1, np.int16)
    colours[: len(world.chips.chips)] = [chip.colour_rgb[::-1] for chip in world.chips.chips]
    size = (stack_height.HEIGHT_PX, stack_height.WIDTH_PX, 3)
    return {
        "crops": np.array([row[0] for row in rows], np.uint8).reshape(-1, *size),
        "middles": np.array([row[1] for row in rows], np.float32).reshape(-1, 2),
        "tops": np.array([row[2] for row in rows], np.int64),
        "whites": np.array([row[3] for row in rows], np.float32).reshape(-1, 3),
        "colours": np.repeat(colours[None], len(rows), axis=0),
    }


def _stacks(eye: Eye, table: _Table, rng: np.random.Generator) -> Iterator[tuple[Image, tuple[float, float], int]]:
    """Yield the crop, the middle of the top disc and the top chip of every fully visible stack."""
    outlines = {thing.object_id: thing for thing in table.objects if thing.visible >= LEAST_VISIBLE}
    for stack in table.scene.stacks:
        outline = outlines.get(stack.object_id)
        if outline is None or not np.isfinite(outline.layout_polygon_mm).all():
            continue
        frame = eye.frame(outline.layout_polygon_mm, rng.normal(0, BOX_ERROR_MM, 2))
        crop = mean_crop(eye, table.images, frame, (stack_height.WIDTH_PX, stack_height.HEIGHT_PX), 0)
        if crop is not None:
            displacement_px, foot_x, foot_y = eye.truth(stack, frame, outline.visible)[:3].tolist()
            yield crop, (foot_x, foot_y - displacement_px), stack.chips[-1]


def _white(eye: Eye, table: _Table) -> npt.NDArray[np.float64] | None:
    """Return the colour of paper from the fully visible cards, (3,) BGR; None if there are none."""
    quads = [
        thing.layout_polygon_mm
        for thing in table.objects
        if thing.kind == "card" and thing.face_up and thing.visible >= LEAST_VISIBLE
    ]
    seen = [card_crop(table.images[-1], eye.camera, quad) for quad in quads if np.isfinite(quad).all()]
    whites = [white_of(crop) for crop in seen if crop is not None]
    return np.median(whites, axis=0) if whites else None


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw worlds with the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.chip_faces_school", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/chip_faces"))
    parser.add_argument("--worlds", type=int, default=300)
    parser.add_argument("--first-world", type=int, default=0)
    parser.add_argument("--moments", type=int, default=2, help="pictures a world")
    parser.add_argument("--split", choices=("train", "held_out"), default="train")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    def draw(index: int) -> dict[str, npt.NDArray[np.generic]]:
        return draw_world(options.split, seed=options.seed, index=index, moments=options.moments)

    worlds = range(options.first_world, options.first_world + options.worlds)
    write_worlds(options.out, f"{options.split}-{options.seed}", worlds, draw)


if __name__ == "__main__":
    main()
