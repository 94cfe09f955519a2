"""Train the index finder.

python -m thirdcard.models.index.index_finder_train --device cpu --minutes 60 --out runs/index_finder
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from thirdcard.models.index.index_bank import (
    IndexBank,
    add_bank_arguments,
    banks_for_judging,
    banks_for_training,
)
from thirdcard.models.index.index_finder_evaluate import draw_scenes, judge_maps
from thirdcard.models.index.index_finder_net import IndexFinderNet
from thirdcard.models.index.index_finder_school import half_turned, target
from thirdcard.models.index.index_scenes import IndexScene, SceneLesson, SceneSchool
from thirdcard.models.training_loop import Batch, Recipe, Tensors, TimeSpent, add_arguments, loop_settings, teach

REST_WEIGHT = 1.0
JUDGED_SCENES = 150


class IndexFinding:
    """The training task of detecting corner indices."""

    def __init__(self, banks: Sequence[IndexBank], exam: Sequence[IndexScene]) -> None:
        self.net: nn.Module = IndexFinderNet()
        self.recipe = Recipe()
        self._banks, self._exam = banks, exam

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield batches: pictures (N, S, S, 3) uint8 and targets (N, 9, S / 4, S / 4)."""
        school = SceneSchool(self._banks, seed=seed, lesson=SceneLesson())
        while True:
            scenes = [school.scene() for _ in range(count)]
            yield np.stack([scene.picture for scene in scenes]), np.stack([target(scene) for scene in scenes])

    def again(self, batch: Batch) -> Batch:
        """Return the batch rotated by 180 degrees."""
        return half_turned(*batch)

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return the pictures of a batch as network input, (N, 3, S, S), 0 to 1."""
        return batch[0].permute(0, 3, 1, 2).float().div(255)

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the focal loss of the heat plus the smooth L1 loss of the other channels, both per index."""
        return finder_loss(net(self.pictures(batch)).float(), batch[1])

    def judge(self, net: nn.Module) -> str:
        """Return precision and recall on scenes of validation decks, as one line."""
        return judge_maps(net, self._exam)


def finder_loss(told: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Return the loss of maps (N, 7, h, w) against targets (N, 9, h, w).

    Negatives near an index have less weight, as in CenterNet.
    """
    heat, counts, weight = wanted[:, 0], wanted[:, 1], wanted[:, 2]
    logit = told[:, 0]
    chance = torch.sigmoid(logit)
    is_middle = heat >= 1.0
    hit = -functional.logsigmoid(logit) * (1 - chance) ** 2 * is_middle
    miss = -functional.logsigmoid(-logit) * chance**2 * (1 - heat) ** 4 * ~is_middle
    middles = is_middle.sum().clamp(min=1)
    rest = functional.smooth_l1_loss(told[:, 1:], wanted[:, 3:], beta=0.1, reduction="none").sum(dim=1) * weight
    return ((hit + miss) * counts).sum() / middles + REST_WEIGHT * rest.sum() / weight.sum().clamp(min=1)


def main(arguments: list[str] | None = None) -> int:
    """Train, evaluate and save at intervals; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.index.index_finder_train", description=(__doc__ or "").splitlines()[0]
    )
    add_arguments(parser, out=Path("runs/index_finder"), batch=16, rate=3e-3)
    add_bank_arguments(parser, judged=JUDGED_SCENES)
    told = parser.parse_args(arguments)
    exam = draw_scenes(banks_for_judging(told), seed=7, count=told.judged)
    banks = banks_for_training(told)
    teach(IndexFinding(banks, exam), loop_settings(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
