"""Train the gauge: `python -m thirdcard.models.stacks.height_train --minutes 15 --out runs/gauge --seed 1`.

Trains on the crops before in the files of `thirdcard.models.stacks.change_school`, including files written during
training. Needs the `train` extra (torch).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from thirdcard.models.stacks.change_school import TRUTH
from thirdcard.models.stacks.height_net import CELL_PX, GRID_HW, GaugeNet
from thirdcard.models.stacks.height_school import MARGIN_PX
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
from thirdcard.vision.inference.stack_height import HEIGHT_PX, WIDTH_PX

PEAK_RATE = 4e-3
DISPLACEMENT_WEIGHT, PLACE_WEIGHT, MAP_WEIGHT = 0.2, 0.2, 1.0
LEAST_LOG_SCALE, MOST_LOG_SCALE = -4.0, 4.0
_TOLD = [TRUTH.index(name) for name in ("displacement_px", "foot_x_px", "foot_y_px")]


class StackHeights:
    """The training task of estimating the displacement of a stack's top."""

    def __init__(self, school: Path, *, seed: int) -> None:
        self.net: nn.Module = GaugeNet()
        self.recipe = Recipe(weight_decay=0.01, average_decay=0.99, replay=0)
        self._school, self._light = school, Relight(look_light, seed)

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield batches: crops (N, height, width, 3) uint8 RGB, and displacement, foot x and foot y of each, (N, 3)."""
        folder, rng = looks_in(self._school, "train"), np.random.default_rng(seed)
        for rows in rows_in_turn(folder, rng, count):
            crops, truths = folder.take(rows)
            yield varied(crops, truths, rng)

    def again(self, batch: Batch) -> Batch:
        """Return the batch unchanged; the recipe replays nothing."""
        return batch

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return a batch as network input, (N, 3, height, width), 0 to 1, with other lighting."""
        return self._light.relit(batch[0])

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the loss of `gauge_loss`."""
        found, maps = net.look(self.pictures(batch))
        return gauge_loss(found, maps, batch[1])

    def judge(self, net: nn.Module) -> str:
        """Return the median error on the folder's held-out worlds, as text; empty if there are none."""
        folder = looks_in(self._school, "held_out")
        if not folder.has_files():
            return ""
        crops, truths = folder.take(np.arange(folder.look()))
        middle = crops[:, MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX, ::-1]
        device = next(net.parameters()).device
        with torch.no_grad():
            parts = np.array_split(np.ascontiguousarray(middle), max(1, len(middle) // 64))
            shown = (torch.from_numpy(part).to(device).permute(0, 3, 1, 2).float().div(255) for part in parts)
            told = np.concatenate([net(part)[:, 0].cpu().numpy() for part in shown])
        return f"held out: displacements are {np.median(np.abs(told - truths[:, 0])):.2f} px off at the median"


def looks_in(school: Path, split: str) -> WorldFolder:
    """Open a split's crops with their margin, with displacement, foot x and foot y of each."""

    def read(arrays: Mapping[str, npt.NDArray[np.generic]]) -> Batch:
        return arrays["before"], np.asarray(arrays["truths"])[:, _TOLD]

    return WorldFolder(school, f"{split}-*.npz", read, written_by="thirdcard.models.stacks.change_school")


def gauge_loss(told: torch.Tensor, maps: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Return Laplace's negative log likelihood of the displacement, log b + |error| / b, plus errors of the points.

    Args:
        told: The network's output, (N, 6).
        maps: Log probability maps of the foot and the top, (N, 2, cells).
        truth: Displacement, foot x and foot y, (N, 3); the foot is NaN if unknown.
    """
    log_scale = told[:, 1].clamp(LEAST_LOG_SCALE, MOST_LOG_SCALE)
    error = (told[:, 0] - truth[:, 0]).abs()
    likelihood = (error * torch.exp(-log_scale) + log_scale).mean()
    is_known = truth[:, 1].isfinite().float()
    share = is_known.mean().clamp(min=1e-3)
    foot = truth[:, 1:3].nan_to_num()
    top = torch.stack([foot[:, 0], foot[:, 1] - truth[:, 0]], dim=1)
    places = ((told[:, 2:] - torch.cat([foot, top], dim=1)).abs().mean(dim=1) * is_known).mean() / share
    wanted = torch.stack([spread(foot), spread(top)], dim=1)
    surprise = -((wanted * maps).sum(dim=2).mean(dim=1) * is_known).mean() / share
    return likelihood + DISPLACEMENT_WEIGHT * error.mean() + PLACE_WEIGHT * places + MAP_WEIGHT * surprise


def spread(places_px: torch.Tensor) -> torch.Tensor:
    """Return weights (N, cells) on the four cells round each point, (N, 2), whose weighted mean is that point."""
    height, width = GRID_HW
    x = (places_px[:, 0] + WIDTH_PX / 2) / CELL_PX - 0.5
    y = (places_px[:, 1] + HEIGHT_PX / 2) / CELL_PX - 0.5
    columns = torch.arange(width, device=places_px.device)
    rows = torch.arange(height, device=places_px.device)
    across = (1 - (x.clamp(0, width - 1)[:, None] - columns).abs()).clamp(min=0)
    down = (1 - (y.clamp(0, height - 1)[:, None] - rows).abs()).clamp(min=0)
    return (down[:, :, None] * across[:, None, :]).flatten(1)


def varied(crops: npt.NDArray[np.uint8], truth: npt.NDArray[np.float32], rng: np.random.Generator) -> Batch:
    """Augment crops: shift within the margin, mirror half of them, permute colour channels in some.

    Args:
        crops: (N, height + 2 margin, width + 2 margin, 3) uint8, BGR.
        truth: Displacement, foot x and foot y in px, (N, 3).
        rng: Source of randomness.

    Returns:
        (N, height, width, 3) uint8, RGB, and their labels, (N, 3).
    """
    drawn = Variation.draw(rng, len(crops), MARGIN_PX)
    pictures = np.stack([drawn.of(i, crop, (WIDTH_PX, HEIGHT_PX)) for i, crop in enumerate(crops)])
    moved = truth.copy()
    moved[:, 1:] += MARGIN_PX - drawn.shifts_px
    moved[:, 1] *= np.where(drawn.is_mirrored, -1, 1)
    return pictures, moved


def look_light(rng: np.random.Generator, count: int) -> Light:
    """Draw small changes of brightness, contrast and colour."""
    gain = np.exp(rng.normal(0, 0.18, (count, 1, 1, 1)) + rng.normal(0, 0.05, (count, 3, 1, 1))) / 255
    return gain, rng.normal(0, 0.03, (count, 1, 1, 1)), rng.random((count, 1, 1, 1)) ** 3 * 0.02


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.stacks.height_train", description=(__doc__ or "").splitlines()[0]
    )
    add_arguments(parser, out=Path("runs/gauge"), batch=48, rate=PEAK_RATE, minutes=15.0)
    parser.add_argument("--school", type=Path, default=Path("build/comparer"))
    told = parser.parse_args(arguments)
    looks_in(told.school, "train").check()
    teach(StackHeights(told.school, seed=told.seed), loop_settings(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
