"""Export a trained reader, calibrate its confidence, evaluate it and register it.

    python -m thirdcard.models.reader.reader_export runs/reader/last.pt --home DIR

Exports the network's average with batch norm folded in. The temperature that calibrates the confidence is fitted on
validation decks and photographs. With `--with` the weights are averaged with those of the export from which the
training started: this keeps what both have learned and halves what each has memorised (Wortsman et al., "Model soups",
2022), without extra cost at run time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize_scalar

from thirdcard.datasets.decks.deck import VALIDATION_SEEDS
from thirdcard.models.onnx_file import fold, write_onnx
from thirdcard.models.publishing import Draft, add_destination, destination_of
from thirdcard.models.reader.reader_bank import build_bank, holds, open_bank
from thirdcard.models.reader.reader_crops import CLASSES, CROP_SIZE_WH_PX, CropDifficulty, ReaderSchool
from thirdcard.models.reader.reader_evaluate import (
    LessonBook,
    draw_lessons,
    exam_bank,
    exam_figures,
    judge,
    onnx_reader,
)
from thirdcard.models.reader.reader_net import ReaderNet
from thirdcard.models.reader.reader_photos import read_photographs
from thirdcard.models.training_loop import load_average
from thirdcard.models.warm_start import start_from_onnx
from thirdcard.vision.inference.model_spec import TensorSpec

TENSORS = (
    TensorSpec(name="crops", shape=(None, 3, *CROP_SIZE_WH_PX[::-1])),
    TensorSpec(name="logits", shape=(None, len(CLASSES))),
)
VALIDATION_COUNT = 4000
LOWEST_TEMPERATURE = 1.0
"""Minimum temperature: validation decks are easier than a casino's, so confidence is never raised."""


def main(arguments: list[str] | None = None) -> int:
    """Export, calibrate, evaluate and register; print what was written; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.reader.reader_export", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--with", dest="beside", type=Path, help="the export that the training began with (--from)")
    parser.add_argument("--share", type=float, default=0.5, help="how much the new weights count beside those, 0 to 1")
    parser.add_argument("--photos", type=Path, help="optional: a folder with annotations.json and images/")
    parser.add_argument("--banks", type=Path, default=Path("build/reader"), help="where drawn decks are kept")
    parser.add_argument("--most-decks", type=int, help="draw no more decks than this, for a trial")
    parser.add_argument("--validation", type=int, default=VALIDATION_COUNT, help="crops that set the temperature")
    add_destination(parser)
    told = parser.parse_args(arguments)
    destination = destination_of(told)
    net = load_average(told.checkpoint, ReaderNet())
    if told.beside is not None:
        net = averaged(load_export(told.beside), net, told.share)
    decks = [f"machine:{seed}" for seed in VALIDATION_SEEDS][: told.most_decks]
    book = draw_validation(told.banks / "validation.npy", decks, told.photos, told.validation)
    with Draft("reader", destination) as draft:
        write_onnx(net, draft.path, TENSORS)
        logits = onnx_reader(draft.path)(book.pictures)
        temperature = fit_temperature(logits, book.labels)
        draft.declare(TENSORS, CLASSES, {"temperature": round(temperature, 4)})
        figures = exam_figures(onnx_reader(draft.path), exam_bank()) if destination.is_examined else None
        sys.stdout.write(f"{draft.publish(figures, 'reader')}; temperature {temperature:.3f}\n")
    sys.stdout.write(f"{judge(logits / temperature, book).text()}\n")
    return 0


def load_export(path: Path) -> ReaderNet:
    """Load the network of an exported file, in evaluation mode."""
    net, (width, height) = ReaderNet(), CROP_SIZE_WH_PX
    start_from_onnx(net, path, torch.rand(48, 3, height, width, generator=torch.Generator().manual_seed(0)))
    net.eval()
    return net


def averaged(first: ReaderNet, second: ReaderNet, share: float) -> ReaderNet:
    """Return a network with the weighted mean of two networks' weights; both have their batch norms folded afterwards.

    Args:
        first: The network from which the training of `second` started; the mean of unrelated networks is useless. It is
            overwritten with the result.
        second: A network in evaluation mode, like the first.
        share: Weight of the second network, 0 to 1.
    """
    fold(first)
    fold(second)
    new = second.state_dict()
    first.load_state_dict({name: (1 - share) * old + share * new[name] for name, old in first.state_dict().items()})
    return first


def draw_validation(bank_path: Path, decks: Sequence[str], photos: Path | None, count: int) -> LessonBook:
    """Draw crops of decks that neither training nor the final evaluation uses, and of validation photographs."""
    if not holds(bank_path, decks):
        build_bank(bank_path, decks, artwork=None, photos=None)
    book = draw_lessons(open_bank(bank_path), seed=5, count=count)
    if photos is None:
        return book
    kept = read_photographs(photos / "annotations.json", validation=True)
    school = ReaderSchool(open_bank(bank_path), seed=6, lesson=CropDifficulty(photos=1.0, unclear=0.0), photos=kept)
    second = LessonBook(*school.batch(count // 2))
    return LessonBook(
        np.concatenate([book.pictures, second.pictures]),
        np.concatenate([book.labels, second.labels]),
        np.concatenate([book.told, second.told]),
    )


def fit_temperature(logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]) -> float:
    """Return the divisor of the logits that maximises the likelihood of the labels, at least 1."""

    def surprise(log_temperature: float) -> float:
        scaled = logits.astype(np.float64) / np.exp(log_temperature)
        scaled -= scaled.max(axis=1, keepdims=True)
        likelihood = scaled[np.arange(len(labels)), labels] - np.log(np.exp(scaled).sum(axis=1))
        return -float(likelihood.mean())

    found = minimize_scalar(surprise, bounds=(-1.0, 2.0), method="bounded")
    return max(LOWEST_TEMPERATURE, float(np.exp(found.x)))


if __name__ == "__main__":
    sys.exit(main())
