"""Train the reader of printed words: `python -m thirdcard.models.words.word_train --minutes 20 --workers 2`.

Draws crops without end in worker processes. Needs the `train` extra (torch).
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from thirdcard.models.training_loop import (
    Batch,
    Recipe,
    Tensors,
    TimeSpent,
    add_arguments,
    loop_settings,
    teach,
)
from thirdcard.models.words.word_evaluate import TEMPERATURE_SEED, add_characters, draw_exam, figures_of
from thirdcard.models.words.word_net import WordNet
from thirdcard.models.words.word_prints import WordCrop, draw_crops
from thirdcard.models.words.word_texts import ALPHABET, LABELS, WordFonts, fonts_of
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.cloth_words import standing_out
from thirdcard.vision.inference.reader import log_softmax

PEAK_RATE = 2e-3
JUDGED_CROPS = 1000
EASY_UNTIL, HARD_FROM = 0.2, 0.8
"""Shares of the time: until the first all crops are clean, from the second on they are as difficult as they get."""
FRESH, POOL = 0.34, 20000
"""The share of a batch that is drawn anew, and the number of the latest crops from which the rest is taken, varied."""
MOST_TURN_DEG, MOST_SCALE, MOST_SHIFT_PX = 4.0, 0.1, 4.0
"""How far an older crop is turned, scaled and moved at most."""
SPELLING = 4.0
"""Weight of the letters: their mean over the alphabet is small."""
SOFT = 0.02
"""Label smoothing: print that nobody can read has a label too."""


class WordReading:
    """The training task of reading a crop's word."""

    def __init__(self, fonts: WordFonts) -> None:
        self.net: nn.Module = WordNet(len(LABELS), len(ALPHABET))
        self.recipe = Recipe(average_decay=0.998, replay=40)
        self._fonts = fonts

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield batches: the network's inputs (count, 48, 96, 3) uint8, their letters (count, len(ALPHABET)), and the
        indices of their labels, (count,)."""
        crops = draw_crops(np.random.default_rng(seed), self._fonts, lambda: hardness(progress.value))
        rng = np.random.default_rng([seed, 1])
        pool: deque[tuple[Image, WordCrop]] = deque(maxlen=POOL)
        while True:
            fresh = [(standing_out(crop.shown), crop) for crop in islice(crops, max(round(count * FRESH), 1))]
            pool.extend(fresh)
            older = [pool[i] for i in rng.integers(len(pool), size=count - len(fresh))]
            shown = np.stack([*(seen for seen, _ in fresh), *(varied(seen, rng) for seen, _ in older)])
            letters = np.stack([crop.letters for _, crop in (*fresh, *older)])
            yield shown, letters, np.array([crop.label for _, crop in (*fresh, *older)])

    def again(self, batch: Batch) -> Batch:
        """Return the batch a little aside, and with light letters for dark ones."""
        crops, letters, labels = batch
        rng = np.random.default_rng(int(crops[0].sum()))
        crops = np.roll(crops, tuple(rng.integers(-3, 4, 2)), axis=(1, 2))
        crops[..., 2] = 255 - crops[..., 2]
        return crops, letters, labels

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return the network's input for a batch, (N, 3, 48, 96), 0 to 1."""
        return as_input(batch[0])

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the cross entropy of the labels, and that of the letters."""
        features = net.features(self.pictures(batch))
        spelled = nn.functional.binary_cross_entropy_with_logits(net.spell(features).float(), batch[1])
        read = nn.functional.cross_entropy(net.read(features).float(), batch[2], label_smoothing=SOFT)
        return read + SPELLING * spelled

    def judge(self, net: nn.Module) -> str:
        """Return the accuracy on held-out fonts, as text."""
        crops, labels = draw_exam(fonts_of("held_out"), JUDGED_CROPS, TEMPERATURE_SEED)
        logits = logits_of(net, np.stack([standing_out(crop) for crop in crops]))
        return f"held out: {figures_of(np.exp(log_softmax(logits)), labels)}"


def hardness(done: float) -> float:
    """How difficult crops are, 0 to 1, after a share of the time."""
    return min(max((done - EASY_UNTIL) / (HARD_FROM - EASY_UNTIL), 0.0), 1.0)


def varied(shown: Image, rng: np.random.Generator) -> Image:
    """Return an input turned, scaled and moved a little, with its channels a little stronger or weaker."""
    turn_deg, scale = rng.uniform(-MOST_TURN_DEG, MOST_TURN_DEG), 1 + rng.uniform(-MOST_SCALE, MOST_SCALE)
    middle = (shown.shape[1] / 2, shown.shape[0] / 2)
    matrix = np.asarray(cv2.getRotationMatrix2D(middle, turn_deg, scale), np.float64)
    matrix[:, 2] += rng.uniform(-MOST_SHIFT_PX, MOST_SHIFT_PX, 2)
    moved = cv2.warpAffine(shown, matrix, shown.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.clip(moved * rng.uniform(0.8, 1.2, 3).astype(np.float32), 0, 255).astype(np.uint8)


def as_input(crops: torch.Tensor) -> torch.Tensor:
    """Convert what stands out in crops, (N, 48, 96, 3) uint8, to the network's input."""
    return crops.flip(3).permute(0, 3, 1, 2).float().div(255).contiguous(memory_format=torch.channels_last)


def logits_of(net: nn.Module, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Return the network's scores for what stands out in crops, (N, labels)."""
    device = next(net.parameters()).device
    with torch.no_grad():
        told = [net(as_input(part.to(device))).cpu().numpy() for part in torch.from_numpy(crops).split(128)]
    return np.concatenate(told).astype(np.float64)


def main(arguments: list[str] | None = None) -> int:
    """Train with the options of the command line; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.words.word_train", description=(__doc__ or "").splitlines()[0]
    )
    add_arguments(parser, out=Path("runs/cloth_words"), batch=32, rate=PEAK_RATE, minutes=20.0)
    add_characters(parser)
    told = parser.parse_args(arguments)
    teach(WordReading(fonts_of("train", told.characters)), loop_settings(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
