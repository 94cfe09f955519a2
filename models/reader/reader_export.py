"""Turn a trained reader into the weights that run: `python -m thirdcard.models.reader.reader_export
runs/reader/last.pt`.

Writes `models/weights/reader-<hash>.onnx` (the network's average, batch norm folded in), finds the temperature that
makes its confidence true on validation decks and photographs, and enters both into `models/registry.yaml`. With
`--with` the weights are averaged with those of the export that the training began with: what both learned is kept, and
what each learned by heart is halved (Wortsman et al., "Model soups", 2022), at no cost to who reads.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize_scalar

from thirdcard.datasets.decks.deck import VALIDATION_SEEDS
from thirdcard.models.onnx_file import fold, write_onnx
from thirdcard.models.reader.reader_bank import build_bank, open_bank
from thirdcard.models.reader.reader_crops import CLASSES, CROP_SIZE_WH_PX, CropDifficulty, ReaderSchool
from thirdcard.models.reader.reader_evaluate import LessonBook, draw_lessons, judge, onnx_reader
from thirdcard.models.reader.reader_net import ReaderNet
from thirdcard.models.reader.reader_photos import read_photographs
from thirdcard.models.registry import write_entry
from thirdcard.models.training_loop import load_average
from thirdcard.models.warm_start import start_from_onnx

WEIGHTS = Path("models/weights")
VALIDATION_COUNT = 4000
LOWEST_TEMPERATURE = 1.0
"""Validation decks are kinder than a casino's: confidence is never raised above what the network says."""


def main(arguments: list[str] | None = None) -> int:
    """Export, calibrate, register; says what it wrote."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.reader.reader_export", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--with", dest="beside", type=Path, help="the export that the training began with (--from)")
    parser.add_argument("--share", type=float, default=0.5, help="how much the new weights count beside those, 0 to 1")
    parser.add_argument("--photos", type=Path, help="optional: a folder with annotations.json and images/")
    parser.add_argument("--registry", type=Path, default=Path("models/registry.yaml"))
    told = parser.parse_args(arguments)
    net = load_average(told.checkpoint, ReaderNet())
    path = export(net if told.beside is None else averaged(load_export(told.beside), net, told.share), WEIGHTS)
    book = draw_validation(told.photos)
    logits = onnx_reader(path)(book.pictures)
    temperature = fit_temperature(logits, book.labels)
    write_entry(told.registry, "reader", registry_entry(path, temperature))
    sys.stdout.write(f"{path}, temperature {temperature:.3f}\n{judge(logits / temperature, book).text()}\n")
    return 0


def load_export(path: Path) -> ReaderNet:
    """The network of an exported file, ready to run."""
    net, (width, height) = ReaderNet(), CROP_SIZE_WH_PX
    start_from_onnx(net, path, torch.rand(48, 3, height, width, generator=torch.Generator().manual_seed(0)))
    net.eval()
    return net


def averaged(first: ReaderNet, second: ReaderNet, share: float) -> ReaderNet:
    """A network with the mean of two networks' weights, their batch norms folded in; both are folded afterwards.

    Args:
        first: Where the training of `second` began: far from each other a mean computes nothing.
        second: In evaluation mode, as the first.
        share: How much the second counts, 0 to 1.
    """
    fold(first)
    fold(second)
    new = second.state_dict()
    first.load_state_dict({name: (1 - share) * old + share * new[name] for name, old in first.state_dict().items()})
    return first


def export(net: ReaderNet, folder: Path) -> Path:
    """Write the ONNX file, named by its hash, and return its path."""
    width, height = CROP_SIZE_WH_PX
    return write_onnx(net, folder, "reader", size_hw_px=(height, width), tensors=("crops", "logits"))


def draw_validation(photos: Path | None) -> LessonBook:
    """Crops of decks that neither training nor the final judgement uses, and of photographs kept aside."""
    bank_path = Path("build/reader/validation.npy")
    if not bank_path.with_suffix(".json").exists():
        build_bank(bank_path, [f"machine:{seed}" for seed in VALIDATION_SEEDS], artwork=None, photos=None)
    book = draw_lessons(open_bank(bank_path), seed=5, count=VALIDATION_COUNT)
    if photos is None:
        return book
    kept = read_photographs(photos / "annotations.json", validation=True)
    school = ReaderSchool(open_bank(bank_path), seed=6, lesson=CropDifficulty(photos=1.0, unclear=0.0), photos=kept)
    second = LessonBook(*school.batch(VALIDATION_COUNT // 2))
    return LessonBook(
        np.concatenate([book.pictures, second.pictures]),
        np.concatenate([book.labels, second.labels]),
        np.concatenate([book.told, second.told]),
    )


def fit_temperature(logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]) -> float:
    """The divisor of the logits that makes the labels likeliest, at least 1."""

    def surprise(log_temperature: float) -> float:
        scaled = logits.astype(np.float64) / np.exp(log_temperature)
        scaled -= scaled.max(axis=1, keepdims=True)
        likelihood = scaled[np.arange(len(labels)), labels] - np.log(np.exp(scaled).sum(axis=1))
        return -float(likelihood.mean())

    found = minimize_scalar(surprise, bounds=(-1.0, 2.0), method="bounded")
    return max(LOWEST_TEMPERATURE, float(np.exp(found.x)))


def registry_entry(path: Path, temperature: float) -> dict[str, object]:
    """What `vision/inference/model_spec.py` wants to know of the reader."""
    width, height = CROP_SIZE_WH_PX
    return {
        "weights": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "input": {"name": "crops", "shape": [None, 3, height, width]},
        "output": {"name": "logits", "shape": [None, len(CLASSES)]},
        "classes": list(CLASSES),
        "settings": {"temperature": round(temperature, 4)},
    }


if __name__ == "__main__":
    sys.exit(main())
