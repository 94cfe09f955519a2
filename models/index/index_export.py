"""Export trained index networks, evaluate them, and register them.

    python -m thirdcard.models.index.index_export --finder runs/index_finder/last.pt --home DIR
    python -m thirdcard.models.index.index_export --reader runs/index_reader/last.pt --home DIR

The reader's temperature is fitted on what the finder detects in scenes of validation decks, including false detections.
Each network is evaluated together with the other one that is in use.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from thirdcard.models.index.index_bank import open_index_banks
from thirdcard.models.index.index_evaluate import (
    EXAM,
    NOT_ASKED,
    Readout,
    exam_figures,
    exam_readout,
    read_out,
    reliability,
    table,
)
from thirdcard.models.index.index_finder_net import IndexFinderNet
from thirdcard.models.index.index_reader_crops import CLASSES
from thirdcard.models.index.index_reader_train import index_reader_net
from thirdcard.models.index.index_scenes import SceneSchool
from thirdcard.models.onnx_file import write_onnx
from thirdcard.models.publishing import Destination, Draft, add_destination, destination_of
from thirdcard.models.reader.reader_export import fit_temperature
from thirdcard.models.training_loop import load_average
from thirdcard.vision.inference.index_crops import HEIGHT_PX, WIDTH_PX
from thirdcard.vision.inference.index_finder import CELL_PX, CHANNELS, IndexFinder
from thirdcard.vision.inference.index_reader import IndexReader
from thirdcard.vision.inference.model_spec import ModelSpec, TensorSpec
from thirdcard.vision.inference.reader import log_softmax

TILE_PX = 320
LEAST_SCORE = 0.3
VALIDATION_SCENES = 110
FINDER_TENSORS = (
    TensorSpec(name="pictures", shape=(None, 3, TILE_PX, TILE_PX)),
    TensorSpec(name="told", shape=(None, len(CHANNELS), TILE_PX // CELL_PX, TILE_PX // CELL_PX)),
)
READER_TENSORS = (
    TensorSpec(name="crops", shape=(None, 3, HEIGHT_PX, WIDTH_PX)),
    TensorSpec(name="logits", shape=(None, len(CLASSES))),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Export, calibrate, evaluate and register; print what was written; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.index.index_export", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--finder", type=Path, help="a checkpoint of thirdcard.models.index.index_finder_train")
    parser.add_argument("--reader", type=Path, help="a checkpoint of thirdcard.models.index.index_reader_train")
    parser.add_argument("--score", type=float, default=LEAST_SCORE, help="finds below are dropped")
    parser.add_argument("--banks", type=Path, default=Path("build/index"), help="where drawn decks are kept")
    parser.add_argument("--most-decks", type=int, help="draw no more decks than this, for a trial")
    parser.add_argument("--validation", type=int, default=VALIDATION_SCENES, help="scenes that set the temperature")
    add_destination(parser)
    told = parser.parse_args(arguments)
    if told.finder is None and told.reader is None:
        parser.error("give --finder, --reader or both")
    destination, finder = destination_of(told), IndexFinder.open()
    if told.finder is not None:
        finder = _export_finder(told.finder, destination, told.score)
    if told.reader is not None:
        _export_reader(told, destination, finder)
    return 0


def _export_finder(checkpoint: Path, destination: Destination, score: float) -> IndexFinder:
    """Export the finder and return it, so that a reader exported next is calibrated on its detections."""
    with Draft("index_finder", destination) as draft:
        write_onnx(load_average(checkpoint, IndexFinderNet()), draft.path, FINDER_TENSORS)
        finder = IndexFinder.open(draft.declare(FINDER_TENSORS, CHANNELS, {"score": score}))
        figures = _measured(finder, IndexReader.open(), destination)
        sys.stdout.write(f"{draft.publish(figures, 'index')}\n")
    return finder


def _export_reader(told: argparse.Namespace, destination: Destination, finder: IndexFinder) -> None:
    with Draft("index_reader", destination) as draft:
        write_onnx(load_average(told.reader, index_reader_net()), draft.path, READER_TENSORS)
        raw = _validation(draft.declare(READER_TENSORS, CLASSES, {"temperature": 1.0}), finder, told)
        asked = raw.labels != NOT_ASKED
        temperature = fit_temperature(raw.logits[asked], raw.labels[asked]) if asked.any() else 1.0
        spec = draft.declare(READER_TENSORS, CLASSES, {"temperature": round(temperature, 4)})
        figures = _measured(finder, IndexReader.open(spec), destination)
        sys.stdout.write(f"{draft.publish(figures, 'index')}; temperature {temperature:.3f}\n")
    said = replace(raw, logits=log_softmax(raw.logits / temperature))
    sys.stdout.write("\n".join([*table({"validation": said}), *reliability([said])]) + "\n")


def _measured(finder: IndexFinder, reader: IndexReader, destination: Destination) -> dict[str, float] | None:
    """Return the metrics of finder and reader on decks not used in training; None if no evaluation is wanted."""
    return exam_figures(exam_readout(finder, reader)) if destination.is_examined else None


def _validation(reader: ModelSpec, finder: IndexFinder, told: argparse.Namespace) -> Readout:
    """Run finder and reader on decks that neither training nor the final evaluation uses."""
    banks = open_index_banks("validation", decks=None, photos=None, folder=told.banks, most=told.most_decks)
    school = SceneSchool(banks, seed=5, lesson=EXAM)
    return read_out((school.scene() for _ in range(told.validation)), finder, IndexReader.open(reader))


if __name__ == "__main__":
    sys.exit(main())
