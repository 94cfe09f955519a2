"""Train the comparer: `python -m thirdcard.models.stacks.change_train --minutes 25 --out runs/comparer --seed 1`.

Trains on the files of `thirdcard.models.stacks.change_school`, including files written during training; `--from` starts
from the shipped weights. Needs the `train` extra (torch).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from thirdcard.models.stacks import height_school
from thirdcard.models.stacks.change_net import CHANGE_UNIT_PX, ComparerNet
from thirdcard.models.stacks.change_school import MARGIN_PX, TRUTH, fates_of
from thirdcard.models.stacks.stack_lessons import Light, Relight, Variation, rows_in_turn
from thirdcard.models.training_loop import (
    Batch,
    Recipe,
    Tensors,
    TimeSpent,
    add_arguments,
    loop_settings,
    teach,
)
from thirdcard.models.world_files import WorldFolder
from thirdcard.vision.inference import stack_height
from thirdcard.vision.inference.alignment import pulled_back
from thirdcard.vision.inference.stack_change import HEIGHT_PX, WIDTH_PX

PEAK_RATE = 4e-3
CHANGE_WEIGHT = 0.3
_RIM_PX = (stack_height.HEIGHT_PX - HEIGHT_PX) // 2 + height_school.MARGIN_PX - MARGIN_PX
"""How much larger the crops before are on every side."""
_SHARED_GAIN, _SHARED_TINT, _OWN_GAIN, _OWN_TINT = 0.15, 0.05, 0.06, 0.02


class Looks(NamedTuple):
    """The crops of one pair, each (height + 2 margin, width + 2 margin, 3) uint8, BGR."""

    before: npt.NDArray[np.uint8]
    after: npt.NDArray[np.uint8]
    moved: npt.NDArray[np.uint8]


class StackChanges:
    """The training task of telling what happened to a stack between two moments."""

    def __init__(self, school: Path, *, seed: int) -> None:
        self.net: nn.Module = ComparerNet()
        self.recipe = Recipe(average_decay=0.99, replay=0)
        self._school, self._light = school, Relight(pair_light, seed)

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield batches.

        Each has pairs (N, height, width, 9) uint8, indices in FATES (N,), and the change's shift in px (N,).
        """
        folder, rng = pairs_in(self._school, "train"), np.random.default_rng(seed)
        for rows in rows_in_turn(folder, rng, count):
            *looks, truths = folder.take(rows)
            yield varied([Looks(*row) for row in zip(*looks, strict=True)], truths, rng)

    def again(self, batch: Batch) -> Batch:
        """Return the batch unchanged; the recipe replays nothing."""
        return batch

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return a batch as network input, (N, 9, height, width), 0 to 1, with other lighting."""
        return self._light.relit(batch[0])

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the cross-entropy of the fates plus the weighted error of the change's shift."""
        _, fate, moved = batch
        logits, told = net.told(self.pictures(batch))
        error = (told - moved).abs() / CHANGE_UNIT_PX
        return nn.functional.cross_entropy(logits.float(), fate) + CHANGE_WEIGHT * error.mean()

    def judge(self, net: nn.Module) -> str:
        """Return the accuracy on the folder's held-out worlds, as text; empty if there are none."""
        folder = pairs_in(self._school, "held_out")
        if not folder.has_files():
            return ""
        *looks, truths = folder.take(np.arange(folder.look()))
        shown = np.concatenate([look[:, MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX, ::-1] for look in looks], axis=3)
        device = next(net.parameters()).device
        with torch.no_grad():
            parts = np.array_split(np.ascontiguousarray(shown), max(1, len(shown) // 64))
            rows = (torch.from_numpy(part).to(device).permute(0, 3, 1, 2).float().div(255) for part in parts)
            told = np.concatenate([net(part).argmax(dim=1).cpu().numpy() for part in rows])
        fate = fates_of(truths[:, TRUTH.index("added")], truths[:, TRUTH.index("touch")])
        return f"held out: {np.mean(told == fate):.1%} of {len(fate)} fates right"


def pairs_in(school: Path, split: str) -> WorldFolder:
    """Open a split's crops before, after and moved, all of one size, with the labels."""

    def read(arrays: Mapping[str, npt.NDArray[np.generic]]) -> Batch:
        before = np.ascontiguousarray(arrays["before"][:, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX])
        return before, arrays["after"], arrays["moved"], arrays["truths"]

    return WorldFolder(school, f"{split}-*.npz", read, written_by="thirdcard.models.stacks.change_school")


def varied(pairs: Sequence[Looks], truths: npt.NDArray[np.float32], rng: np.random.Generator) -> Batch:
    """Augment pairs: shift within the margin, mirror half, reverse time in half, permute colour channels in some.

    Args:
        pairs: Pairs as written by `change_school`.
        truths: Labels, (N, len(TRUTH)).
        rng: Source of randomness.

    Returns:
        (N, height, width, 9) uint8, RGB before, after, and after at the place to which the stack was pushed; indices in
        FATES, (N,); and the change's shift in px, (N,).
    """
    drawn, is_reversed = Variation.draw(rng, len(pairs), MARGIN_PX), rng.random(len(pairs)) < 0.5
    pictures = np.empty((len(pairs), HEIGHT_PX, WIDTH_PX, 9), np.uint8)
    for i, (before, after, moved) in enumerate(pairs):
        looks = (moved, _pushed_back(before, truths[i]), before) if is_reversed[i] else (before, after, moved)
        pictures[i] = np.dstack([drawn.of(i, look, (WIDTH_PX, HEIGHT_PX)) for look in looks])
    added = truths[:, TRUTH.index("added")] * np.where(is_reversed, -1, 1)
    fate = fates_of(added, truths[:, TRUTH.index("touch")])
    return pictures, fate, (added * truths[:, TRUTH.index("chip_px")]).astype(np.float32)


def _pushed_back(before: npt.NDArray[np.uint8], truth: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """Return the crop before, in the frame centred on the stack after the change."""
    push = float(truth[TRUTH.index("push_x_px")]), float(truth[TRUTH.index("push_y_px")])
    return pulled_back(before, push, size_wh_px=(before.shape[1], before.shape[0]))


def pair_light(rng: np.random.Generator, count: int) -> Light:
    """Draw the lighting of pairs: slightly different before and after; both crops after have the same."""
    log_gain = np.tile(rng.normal(0, _SHARED_GAIN, (count, 1)) + rng.normal(0, _SHARED_TINT, (count, 3)), (1, 2))
    log_gain += np.repeat(rng.normal(0, _OWN_GAIN, (count, 2)), 3, axis=1) + rng.normal(0, _OWN_TINT, (count, 6))
    offset = np.repeat(rng.normal(0, 0.03, (count, 1)) + rng.normal(0, 0.012, (count, 2)), 3, axis=1)
    strength = np.repeat(rng.random((count, 2)) ** 3 * 0.02, 3, axis=1)
    gain, offset, strength = (
        np.concatenate([each, each[:, 3:]], axis=1)[:, :, None, None]
        for each in (np.exp(log_gain) / 255, offset, strength)
    )
    return gain, offset, strength


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.stacks.change_train", description=(__doc__ or "").splitlines()[0]
    )
    add_arguments(parser, out=Path("runs/comparer"), batch=48, rate=PEAK_RATE, minutes=25.0)
    parser.add_argument("--school", type=Path, default=Path("build/comparer"))
    parser.add_argument("--part", default="", help="which of the file's networks, where it holds several: networks.1")
    told = parser.parse_args(arguments)
    pairs_in(told.school, "train").check()
    teach(StackChanges(told.school, seed=told.seed), loop_settings(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
