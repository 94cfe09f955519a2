"""Train the chip face reader: `python -m thirdcard.models.stacks.chip_faces_train --minutes 8`.

Trains on the files of `thirdcard.models.stacks.chip_faces_school`. Needs the `train` extra (torch).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from thirdcard.models.stacks.chip_faces_evaluate import SchoolStack, figures_of, load_school
from thirdcard.models.stacks.chip_faces_net import ChipFacesNet
from thirdcard.models.training_loop import (
    Batch,
    Recipe,
    Tensors,
    TimeSpent,
    add_arguments,
    loop_settings,
    teach,
)
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.stack_change import log_probabilities

PEAK_RATE = 3e-3
LEVEL_ERROR, TINT_ERROR = 0.07, 0.025
"""Relative error of the paper's white: of its brightness, and of each colour channel."""
PLACE_ERROR_PX = 1.2


class ChipFaceReading:
    """The training task of classifying the top chip of a stack."""

    def __init__(self, stacks: Sequence[SchoolStack], exam: Sequence[SchoolStack]) -> None:
        self.net: nn.Module = ChipFacesNet()
        self.recipe = Recipe(average_decay=0.995, replay=0)
        self._stacks, self._exam = stacks, exam

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield batches.

        Each has faces beside each chip of their house, (M, 12, 32, 9) uint8; the number of chips per face, (N,); and
        the index of the true chip, (N,).
        """
        rng = np.random.default_rng(seed)
        while True:
            stacks = [varied(self._stacks[i], rng) for i in rng.integers(len(self._stacks), size=count)]
            rows = [stack.shown() for stack in stacks]
            shown = np.stack([picture for row in rows for picture in row])
            yield shown, np.array([len(row) for row in rows]), np.array([stack.top for stack in stacks])

    def again(self, batch: Batch) -> Batch:
        """Return the batch unchanged; the recipe replays nothing."""
        return batch

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return the pictures of a batch as network input, (M, 9, 12, 32), 0 to 1."""
        return as_input(batch[0])

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the mean negative log likelihood of the true chip among those of its house."""
        _, counts, tops = batch
        answers = torch.split(net(self.pictures(batch))[:, 0].float(), counts.tolist())
        return torch.stack(
            [torch.logsumexp(row, 0) - row[top] for row, top in zip(answers, tops.tolist(), strict=True)]
        ).mean()

    def judge(self, net: nn.Module) -> str:
        """Return the accuracy on the held-out worlds, as text; empty if there are none."""
        if not self._exam:
            return ""
        shares = [np.exp(log_probabilities(told_of(net, stack))) for stack in self._exam]
        return f"held out: {figures_of(shares, [stack.top for stack in self._exam])}"


def varied(stack: SchoolStack, rng: np.random.Generator) -> SchoolStack:
    """Augment a stack: shift its place and the paper's white slightly, sometimes permute the colour channels."""
    order = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
    error = np.exp(rng.normal(0, LEVEL_ERROR) + rng.normal(0, TINT_ERROR, 3))
    white = np.maximum(stack.white * error, 20.0)[order]
    middle = stack.middle + rng.normal(0, PLACE_ERROR_PX / 2, 2).astype(np.float32)
    crop = stack.crop if rng.random() < 0.5 else stack.crop[:, ::-1]
    middle = middle if crop is stack.crop else middle * np.array([-1, 1], np.float32)
    return SchoolStack(np.ascontiguousarray(crop[..., order]), middle, stack.top, stack.colours[:, order], white)


def as_input(shown: torch.Tensor) -> torch.Tensor:
    """Convert pictures (M, 12, 32, 9) uint8 BGR to the network's input."""
    rgb = shown[..., [2, 1, 0, 5, 4, 3, 8, 7, 6]]
    return rgb.permute(0, 3, 1, 2).float().div(255).contiguous(memory_format=torch.channels_last)


def told_of(net: nn.Module, stack: SchoolStack) -> npt.NDArray[np.float64]:
    """Return the network's scores for a stack, (K,), one per chip of the house."""
    shown: Sequence[Image] = stack.shown()
    device = next(net.parameters()).device
    with torch.no_grad():
        return np.asarray(net(as_input(torch.from_numpy(np.stack(shown)).to(device)))[:, 0].cpu().numpy(), np.float64)


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return 0.

    Raises FileNotFoundError if there are no training files.
    """
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.stacks.chip_faces_train", description=(__doc__ or "").splitlines()[0]
    )
    add_arguments(parser, out=Path("runs/chip_faces"), batch=40, rate=PEAK_RATE, minutes=8.0)
    parser.add_argument("--school", type=Path, default=Path("build/chip_faces"))
    told = parser.parse_args(arguments)
    stacks, exam = (
        [stack for world in load_school(told.school, f"{split}-*.npz") for stack in world]
        for split in ("train", "held_out")
    )
    if not stacks:
        raise FileNotFoundError(f"{told.school}: no train-*.npz; thirdcard.models.stacks.chip_faces_school writes them")
    teach(ChipFaceReading(stacks, exam), loop_settings(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
