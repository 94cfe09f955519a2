"""Export a trained reader of printed words to ONNX, calibrate its temperature, evaluate and register it.

    python -m thirdcard.models.words.word_export runs/cloth_words/last.pt --home DIR

The temperature is fitted on crops in fonts that training never saw; other such crops measure the accuracy. Imports
torch, which is not needed at run time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.models.onnx_file import write_onnx
from thirdcard.models.publishing import Draft, add_destination, destination_of
from thirdcard.models.training_loop import load_average
from thirdcard.models.words.word_evaluate import TEMPERATURE_SEED, add_characters, draw_exam, exam_figures
from thirdcard.models.words.word_net import WordNet
from thirdcard.models.words.word_texts import ALPHABET, LABELS, fonts_of
from thirdcard.models.words.word_train import logits_of
from thirdcard.vision.inference.cloth_words import HEIGHT_PX, WIDTH_PX, ClothWordReader, standing_out
from thirdcard.vision.inference.model_spec import TensorSpec
from thirdcard.vision.inference.reader import log_softmax

TENSORS = (
    TensorSpec(name="parts", shape=(None, 3, HEIGHT_PX, WIDTH_PX)),
    TensorSpec(name="words", shape=(None, len(LABELS))),
)
TEMPERATURES = np.exp(np.linspace(-1.0, 1.5, 51))
TEMPERATURE_CROPS = 1500


def fit_temperature(logits: npt.NDArray[np.float64], labels: npt.NDArray[np.int64]) -> float:
    """Return the divisor that maximises the likelihood of the labels."""

    def surprise(temperature: float) -> float:
        return -float(log_softmax(logits / temperature)[np.arange(len(labels)), labels].mean())

    return float(min(TEMPERATURES, key=surprise))


def main(arguments: Sequence[str] | None = None) -> int:
    """Export with the options of the command line and print what was written; return 0."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.words.word_export", description=__doc__)
    add_destination(parser)
    add_characters(parser)
    parser.add_argument("checkpoint", type=Path)
    options = parser.parse_args(arguments)
    destination = destination_of(options)
    net = load_average(options.checkpoint, WordNet(len(LABELS), len(ALPHABET)))
    crops, labels = draw_exam(fonts_of("held_out", options.characters), TEMPERATURE_CROPS, TEMPERATURE_SEED)
    logits = logits_of(net, np.stack([standing_out(crop) for crop in crops]))
    temperature = round(fit_temperature(logits, labels), 4)
    with Draft("cloth_words", destination) as draft:
        write_onnx(net, draft.path, TENSORS)
        spec = draft.declare(TENSORS, LABELS, {"temperature": temperature})
        figures = exam_figures(ClothWordReader.open(spec)) if destination.is_examined else None
        sys.stdout.write(f"{draft.publish(figures, 'cloth_words')}; temperature {temperature}; {figures}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
