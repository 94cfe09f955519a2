"""Evaluate the reader of printed words: `python -m thirdcard.models.words.word_evaluate [--characters FONT]...`.

Draws crops in fonts that no training saw, and prints how many are read, how many surely, and how many of these rightly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.models.words.word_prints import draw_crops
from thirdcard.models.words.word_texts import LABELS, WordFonts, fonts_of
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.cloth_words import OTHER, ClothWordReader

SURE = 0.9
EXAM_CROPS, EXAM_SEED = 1500, 91
TEMPERATURE_SEED = 92
"""Crops for the temperature are others than those of the evaluation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordFigures:
    """Accuracy over crops."""

    crops: int
    right: float
    """Share of the crops whose likeliest label is right."""
    read: float
    """Share of the crops with a word that are read surely and rightly."""
    right_when_sure: float
    """Share of the surely read words that are right."""
    swapped_when_sure: float
    """Share of the surely read words that are another bet's word."""

    def __str__(self) -> str:
        return (
            f"{self.crops} crops: {self.right:.1%} right; words read surely {self.read:.1%}; of the sure ones right "
            f"{self.right_when_sure:.2%}, another bet's {self.swapped_when_sure:.2%}"
        )


def draw_exam(fonts: WordFonts, count: int, seed: int) -> tuple[list[Image], npt.NDArray[np.int64]]:
    """Draw crops; returns them and the indices of their labels."""
    drawn = list(islice(draw_crops(np.random.default_rng(seed), fonts), count))
    return [crop.shown for crop in drawn], np.array([crop.label for crop in drawn])


def figures_of(shares: npt.NDArray[np.float64], labels: npt.NDArray[np.int64]) -> WordFigures:
    """Compute the metrics from the probabilities of the labels, (N, labels), and the right labels, (N,)."""
    told, other = shares.argmax(axis=1), LABELS.index(OTHER)
    sure = (shares.max(axis=1) >= SURE) & (told != other)
    has_word, is_right = labels != other, told == labels
    return WordFigures(
        crops=len(labels),
        right=float(is_right.mean()),
        read=float((sure & is_right)[has_word].mean()) if has_word.any() else 1.0,
        right_when_sure=float(is_right[sure].mean()) if sure.any() else 1.0,
        swapped_when_sure=float((~is_right & has_word)[sure].mean()) if sure.any() else 0.0,
    )


def exam_figures(reader: ClothWordReader, characters: Sequence[Path] = ()) -> dict[str, float]:
    """Return the metrics that `models/metrics.yaml` requires of the reader, on crops in held-out fonts."""
    crops, labels = draw_exam(fonts_of("held_out", characters), EXAM_CROPS, EXAM_SEED)
    figures = figures_of(reader.shares(crops), labels)
    return {"right": figures.right, "read": figures.read, "right_when_sure": figures.right_when_sure}


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate with the options of the command line and print the metrics."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.words.word_evaluate", description=__doc__)
    add_characters(parser)
    parser.add_argument("--crops", type=int, default=EXAM_CROPS)
    options = parser.parse_args(arguments)
    reader = ClothWordReader.open()
    crops, labels = draw_exam(fonts_of("held_out", options.characters), options.crops, EXAM_SEED)
    sys.stdout.write(f"{figures_of(reader.shares(crops), labels)}\n")


def add_characters(parser: argparse.ArgumentParser) -> None:
    """Add the option that names fonts with Chinese characters."""
    parser.add_argument(
        "--characters", type=Path, action="append", default=[], metavar="FONT",
        help="a font with Chinese characters; may be given several times; without it none is drawn",
    )  # fmt: skip


if __name__ == "__main__":
    main()
