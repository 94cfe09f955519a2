"""Train the reader: `python -m thirdcard.models.reader.reader_train --device cpu --minutes 75 --out runs/reader`.

Draws the texture bank once, then crops without end in a worker process. Needs the `train` extra (torch).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from thirdcard.datasets.decks.deck import PHOTO_FOLDERS, deck_names
from thirdcard.models.reader.reader_bank import build_bank, holds, open_bank
from thirdcard.models.reader.reader_crops import CropDifficulty, ReaderSchool
from thirdcard.models.reader.reader_evaluate import LessonBook, deck_weights, draw_lessons, evaluate, onnx_reader
from thirdcard.models.reader.reader_net import ReaderNet
from thirdcard.models.reader.reader_photos import read_photographs
from thirdcard.models.training_loop import (
    Batch,
    Recipe,
    Tensors,
    TimeSpent,
    add_arguments,
    loop_settings,
    say,
    teach,
)

SEED = 20
PEAK_RATE = 3e-3
EASY_UNTIL = 0.15
"""Share of the training time over which crops go from clean to difficult."""
OTHER_INKS = 0.12
"""Share of the crops whose card is printed in other inks, any ink for any suit."""

ARTWORK_WEIGHT = 10.0
"""Weight of an artwork or photographed deck against a generated one."""
JUDGED_CROPS = 2000

Weights = npt.NDArray[np.float64]
"""Relative frequency of each deck of the bank, (decks,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLessons:
    """The sources of the training crops."""

    bank: Path
    """File with the textures of the decks."""
    weights: Weights
    photos: Path | None
    """A folder of labelled photographs."""
    is_hard_at_once: bool
    """Whether the network can read already, so that crops are difficult from the start."""


class CardFaceSubject:
    """The training task of reading the card that a crop shows."""

    def __init__(self, lessons: CardLessons, exam: LessonBook) -> None:
        self.net: nn.Module = ReaderNet()
        self.recipe = Recipe()
        self._lessons, self._exam = lessons, exam

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield batches: crops (N, 112, 80, 3) uint8 and classes (N,); crops go from clean to difficult over time."""
        told = self._lessons
        photos = read_photographs(told.photos / "annotations.json", validation=False) if told.photos else None
        lesson = CropDifficulty(other_inks=OTHER_INKS)
        school = ReaderSchool(open_bank(told.bank), seed=seed, lesson=lesson, photos=photos)
        school.weigh(told.weights)
        while True:
            hardness = 1.0 if told.is_hard_at_once else min(1.0, 0.35 + 0.65 * progress.value / EASY_UNTIL)
            smallest_px = 42.0 if hardness < 0.7 else lesson.width_px[0]
            school.lesson = replace(lesson, strength=hardness, width_px=(smallest_px, lesson.width_px[1]))
            pictures, labels, _ = school.batch(count)
            yield pictures, labels

    def again(self, batch: Batch) -> Batch:
        """Return the batch rotated by 180 degrees."""
        pictures, labels = batch
        return np.ascontiguousarray(pictures[:, ::-1, ::-1]), labels

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return the crops of a batch as network input, (N, 3, 112, 80), 0 to 1."""
        return batch[0].permute(0, 3, 1, 2).float().div_(255).contiguous(memory_format=torch.channels_last)

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the cross-entropy loss."""
        return functional.cross_entropy(net(self.pictures(batch)).float(), batch[1])

    def judge(self, net: nn.Module) -> str:
        """Return the accuracy on held-out decks, as text."""
        return evaluate(net, self._exam).text()


def main(arguments: list[str] | None = None) -> int:
    """Train, evaluate and save at intervals; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.reader.reader_train", description=(__doc__ or "").splitlines()[0]
    )
    add_arguments(parser, out=Path("runs/reader"), batch=96, rate=PEAK_RATE, minutes=75.0, seed=SEED)
    parser.add_argument(
        "--decks", type=Path, default=Path("build/decks"), help="what thirdcard.datasets.decks.rasterise made"
    )
    parser.add_argument("--photos", type=Path, help="optional: a folder with annotations.json, images/ and faces/")
    parser.add_argument("--mine", type=int, default=0, help="crops a deck to find those that --from misreads")
    parser.add_argument("--banks", type=Path, default=Path("build/reader"), help="where drawn decks are kept")
    parser.add_argument("--most-decks", type=int, help="draw no more decks than this, for a trial")
    parser.add_argument("--judged", type=int, default=JUDGED_CROPS, help="crops drawn to judge the run")
    told = parser.parse_args(arguments)
    train_bank, held_out_bank = (_bank(split, told) for split in ("train", "held_out"))
    lessons = CardLessons(
        bank=train_bank,
        weights=_deck_weights(train_bank, told),
        photos=told.photos,
        is_hard_at_once=told.start is not None,
    )
    exam = draw_lessons(open_bank(held_out_bank), seed=99, count=told.judged)
    teach(CardFaceSubject(lessons, exam), loop_settings(told))
    return 0


def _deck_weights(bank_path: Path, told: argparse.Namespace) -> Weights:
    """Return how often each deck is drawn: artwork more often, and decks that the initial network misreads."""
    bank = open_bank(bank_path)
    weights = np.array([1.0 if name.startswith("machine:") else ARTWORK_WEIGHT for name in bank.names])
    if told.mine and told.start is not None and told.start.suffix == ".onnx":
        mined = deck_weights(bank, onnx_reader(told.start), seed=told.seed, crops=told.mine)
        hardest = [bank.names[i] for i in np.argsort(-mined)[:12]]
        say(f"{(mined > 1.5).sum()} of {len(mined)} decks drawn oftener, among them {', '.join(hardest)}")
        weights = weights * mined
    return weights


def _bank(split: str, told: argparse.Namespace) -> Path:
    """Return the path of a split's texture bank; draw it if it is missing or the list of decks has changed."""
    path, decks = Path(told.banks) / f"{split}.npy", told.decks if told.decks.is_dir() else None
    names = deck_names("train" if split == "train" else "held_out", decks)
    if split == "train" and told.photos:
        names += [f"photo:{title}" for title in PHOTO_FOLDERS]
    names = names[: told.most_decks]
    if not holds(path, names):
        say(f"drawing {len(names)} decks into {path}")
        build_bank(path, names, artwork=decks, photos=told.photos / "faces" if told.photos else None)
    return path


if __name__ == "__main__":
    sys.exit(main())
