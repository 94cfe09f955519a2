"""Evaluate the chip face reader: `python -m thirdcard.models.stacks.chip_faces_evaluate --school build/chip_faces`.

Reads the stacks that `thirdcard.models.stacks.chip_faces_school --split held_out` drew, and prints how many top chips
are classified with confidence and how many of those correctly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.models.stacks.chip_faces_school import draw_world
from thirdcard.models.world_files import write_worlds
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import ChipFaceReader, beside_chips
from thirdcard.vision.inference.chip_samples import ChipLooks, sampled_face

SURE = 0.95
EXAM_WORLDS, EXAM_SEED = 6, 81


@dataclass(frozen=True, slots=True, eq=False)
class SchoolStack:
    """One drawn stack with its labels."""

    crop: Image
    middle: npt.NDArray[np.float32]
    top: int
    colours: npt.NDArray[np.float64]
    white: npt.NDArray[np.float64]

    @property
    def face(self) -> Image:
        """The top face as the run-time code samples it."""
        return sampled_face(self.crop, (float(self.middle[0]), float(self.middle[1])))

    def shown(self) -> list[Image]:
        """Return the network's inputs: one picture per chip of the house."""
        return beside_chips(self.face, self.colours, self.white)


def load_school(folder: Path, pattern: str) -> list[list[SchoolStack]]:
    """Load the stacks of each world."""
    worlds = []
    for path in sorted(folder.glob(pattern)):
        with np.load(path) as file:
            arrays = {name: file[name] for name in ("crops", "middles", "tops", "colours", "whites")}
        worlds.append([_stack(*row) for row in zip(*arrays.values(), strict=True)])
    return worlds


def _stack(crop: Image, middle: npt.NDArray[np.float32], top: int, colours: Image, white: Image) -> SchoolStack:
    house = colours[colours[:, 0] >= 0].astype(np.float64)
    return SchoolStack(crop, middle, int(top), house, white.astype(np.float64))


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceFigures:
    """Accuracy over chip faces."""

    faces: int
    right: float
    """Share of the faces whose most likely chip is right."""
    sure: float
    """Share reported with a confidence of SURE or more."""
    right_when_sure: float

    def __str__(self) -> str:
        sure = f"sure {self.sure:.1%}, of which right {self.right_when_sure:.2%}"
        return f"{self.faces} faces: {self.right:.2%} right; {sure}"


def figures_of(shares: Sequence[npt.NDArray[np.float64]], tops: Sequence[int]) -> FaceFigures:
    """Compute the metrics from the probabilities of the chips and the index of the right chip, per face."""
    right = np.array([int(row.argmax()) == top for row, top in zip(shares, tops, strict=True)])
    sure = np.array([row.max() >= SURE for row in shares])
    return FaceFigures(
        faces=len(right),
        right=float(right.mean()),
        sure=float(sure.mean()),
        right_when_sure=float(right[sure].mean()) if sure.any() else 1.0,
    )


def examine(stacks: Sequence[SchoolStack], reader: ChipFaceReader) -> FaceFigures:
    """Run the run-time code on drawn stacks and return its accuracy."""
    shares = [reader.read([stack.face], ChipLooks(stack.colours), stack.white)[0] for stack in stacks]
    return figures_of(shares, [stack.top for stack in stacks])


def draw_exam(folder: Path) -> list[list[SchoolStack]]:
    """Draw held-out worlds for the final evaluation; not for training or thresholds."""

    def draw(index: int) -> dict[str, npt.NDArray[np.generic]]:
        return draw_world("held_out", seed=EXAM_SEED, index=index, moments=1)

    write_worlds(folder, f"held_out-{EXAM_SEED}", range(EXAM_WORLDS), draw)
    return load_school(folder, "held_out-*.npz")


def exam_figures(worlds: Sequence[Sequence[SchoolStack]], reader: ChipFaceReader) -> dict[str, float]:
    """Return the metrics that `models/metrics.yaml` requires of the chip face reader."""
    figures = examine([stack for world in worlds for stack in world], reader)
    return {"right": figures.right, "sure": figures.sure, "right_when_sure": figures.right_when_sure}


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate with the options of the command line and print the metrics."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.chip_faces_evaluate", description=__doc__)
    parser.add_argument("--school", type=Path, default=Path("build/chip_faces"))
    options = parser.parse_args(arguments)
    stacks = [stack for world in load_school(options.school, "held_out-*.npz")[1::2] for stack in world]
    sys.stdout.write(f"{examine(stacks, ChipFaceReader.open())}\n")


if __name__ == "__main__":
    main()
