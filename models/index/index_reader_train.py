"""Train the index reader.

python -m thirdcard.models.index.index_reader_train --device cpu --minutes 60 --out runs/index_reader
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
from thirdcard.models.index.index_photos import IndexPatches, lesson_of, open_patches
from thirdcard.models.index.index_reader_crops import CLASSES, IndexCropSchool, stacked
from thirdcard.models.index.index_reader_evaluate import IndexBook, judge, logits_of
from thirdcard.models.reader.reader_net import ReaderNet
from thirdcard.models.training_loop import Batch, Recipe, Tensors, TimeSpent, add_arguments, loop_settings, teach

PLACES = (4, 3)
JUDGED_CROPS = 3000
PHOTOGRAPHS = 0.12
"""Share of crops taken from photographs, if there are any."""


class IndexReading:
    """The training task of reading the card that an index names."""

    def __init__(self, banks: Sequence[IndexBank], exam: IndexBook, patches: IndexPatches | None) -> None:
        self.net: nn.Module = index_reader_net()
        self.recipe = Recipe()
        self._banks, self._exam, self._patches = banks, exam, patches
        self._rng = np.random.default_rng(3)

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield batches: crops (N, 64, 48, 3) uint8 and classes (N,)."""
        lessons = IndexCropSchool(self._banks, seed=seed).lessons()
        rng = np.random.default_rng([seed, 4])
        learned = None if self._patches is None else self._patches.part(validation=False)
        while True:
            pictures, labels, _ = stacked(lessons, count)
            if learned is not None:
                for row in np.flatnonzero(rng.random(count) < PHOTOGRAPHS):
                    i = int(rng.integers(len(learned.labels)))
                    pictures[row], labels[row] = lesson_of(learned.patches[i], rng), learned.labels[i]
            yield pictures, labels

    def again(self, batch: Batch) -> Batch:
        """Return the batch with other lighting."""
        pictures, labels = batch
        gain = np.exp(
            self._rng.normal(0, 0.15, (len(pictures), 1, 1, 3)) + self._rng.normal(0, 0.2, (len(pictures), 1, 1, 1))
        )
        return (pictures * gain).clip(0, 255).astype(np.uint8), labels

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return the crops of a batch as network input, (N, 3, 64, 48), 0 to 1."""
        return batch[0].permute(0, 3, 1, 2).float().div(255).contiguous(memory_format=torch.channels_last)

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the cross-entropy loss."""
        return functional.cross_entropy(net(self.pictures(batch)).float(), batch[1])

    def judge(self, net: nn.Module) -> str:
        """Return the shares read correctly and wrongly on validation decks and photographs, as text."""
        drawn = judge(logits_of(net, self._exam.pictures), self._exam)
        if self._patches is None:
            return drawn
        book = photographed(self._patches)
        return f"{drawn}\n  photographs: {judge(logits_of(net, book.pictures), book)}"


def photographed(patches: IndexPatches) -> IndexBook:
    """Return the indices of the validation photographs, as the finder cuts them; all count as 30 px high."""
    kept = patches.part(validation=True)
    rng = np.random.default_rng(2)
    pictures = np.stack([lesson_of(patch, rng) for patch in kept.patches])
    return IndexBook(pictures, kept.labels, np.full(len(kept.labels), 30.0, np.float32))


def index_reader_net() -> ReaderNet:
    """Return the network, untrained."""
    return ReaderNet(classes=len(CLASSES), places=PLACES)


def main(arguments: list[str] | None = None) -> int:
    """Train, evaluate and save at intervals; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.index.index_reader_train", description=(__doc__ or "").splitlines()[0]
    )
    add_arguments(parser, out=Path("runs/index_reader"), batch=96, rate=3e-3)
    add_bank_arguments(parser, judged=JUDGED_CROPS)
    parser.add_argument("--patches", type=Path, help="optional: what thirdcard.models.index.index_photos wrote")
    told = parser.parse_args(arguments)
    exam = IndexBook(*IndexCropSchool(banks_for_judging(told), seed=8).batch(told.judged))
    banks = banks_for_training(told)
    patches = open_patches(told.patches) if told.patches else None
    teach(IndexReading(banks, exam, patches), loop_settings(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
