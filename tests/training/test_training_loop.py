"""The loop that every training runs in: it learns, goes on where it stopped, and ends what it began."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from thirdcard.models.training_loop import (
    Batch,
    DrawingError,
    LoopSettings,
    Recipe,
    Tensors,
    TimeSpent,
    load_average,
    teach,
)


class Doubling:
    """To be learned: twice the number that is shown."""

    def __init__(self, batches: int = 10**9) -> None:
        self.net: nn.Module = nn.Conv2d(1, 1, 1)
        self.recipe = Recipe(replay=2)
        self._batches = batches

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        rng = np.random.default_rng(seed)
        for _ in range(self._batches):
            numbers = rng.random((count, 1, 1, 1), np.float32)
            yield numbers, 2 * numbers

    def again(self, batch: Batch) -> Batch:
        return batch

    def pictures(self, batch: Tensors) -> torch.Tensor:
        return batch[0]

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        return ((net(self.pictures(batch)) - batch[1]) ** 2).mean()

    def judge(self, net: nn.Module) -> str:
        return f"weight {net.weight.item():.2f}"


@pytest.fixture
def settings(tmp_path: Path) -> LoopSettings:
    return LoopSettings(
        device="cpu",
        minutes=0.05,
        batch=32,
        threads=1,
        workers=1,
        out=tmp_path,
        rate=0.1,
        start=None,
        seed=1,
        resume=False,
    )


def seen(settings: LoopSettings) -> int:
    return int(torch.load(settings.checkpoint, weights_only=True)["seen"])


def test_average_learns_goes_on_and_begins_another_run(settings: LoopSettings, tmp_path: Path) -> None:
    teach(Doubling(), settings)
    first = seen(settings)
    assert load_average(settings.checkpoint, nn.Conv2d(1, 1, 1)).weight.item() == pytest.approx(2.0, abs=0.2)

    teach(Doubling(), replace(settings, minutes=0.06, resume=True))
    assert seen(settings) > first

    begun = replace(settings, minutes=0.0, out=tmp_path / "next", start=settings.checkpoint)
    teach(Doubling(), begun)
    assert seen(begun) == 0
    assert load_average(begun.checkpoint, nn.Conv2d(1, 1, 1)).weight.item() == pytest.approx(2.0, abs=0.2)


def test_processes_that_draw_end_with_the_run(settings: LoopSettings) -> None:
    teach(Doubling(), replace(settings, minutes=0.01, workers=2))
    assert multiprocessing.active_children() == []


def test_run_without_more_lessons_ends_in_an_error(settings: LoopSettings) -> None:
    with pytest.raises(DrawingError, match="the processes that draw have ended"):
        teach(Doubling(batches=1), replace(settings, minutes=1.0))
