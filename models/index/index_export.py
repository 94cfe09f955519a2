"""Turn trained index networks into the weights that run, and declare them in the registry.

    python -m thirdcard.models.index.index_export --finder runs/index_finder/last.pt --reader runs/index_reader/last.pt

The reader's temperature is found on what the finder finds in scenes of validation decks, false finds among them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from thirdcard.models.index.index_bank import open_index_banks
from thirdcard.models.index.index_evaluate import EXAM, NOT_ASKED, Readout, read_out, reliability, table
from thirdcard.models.index.index_finder_net import IndexFinderNet
from thirdcard.models.index.index_reader_crops import CLASSES
from thirdcard.models.index.index_reader_train import index_reader_net
from thirdcard.models.index.index_scenes import SceneSchool
from thirdcard.models.onnx_file import write_onnx
from thirdcard.models.reader.reader_export import fit_temperature
from thirdcard.models.registry import write_entry
from thirdcard.models.training_loop import load_average
from thirdcard.vision.inference.index_crops import HEIGHT_PX, WIDTH_PX
from thirdcard.vision.inference.index_finder import CELL_PX, CHANNELS, IndexFinder
from thirdcard.vision.inference.index_reader import IndexReader
from thirdcard.vision.inference.model_spec import REGISTRY_PATH
from thirdcard.vision.inference.reader import log_softmax

WEIGHTS = Path("models/weights")
TILE_PX = 320
LEAST_SCORE = 0.3
VALIDATION_SCENES = 110


def main(arguments: Sequence[str] | None = None) -> int:
    """Export, calibrate, register; says what it wrote."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.index.index_export", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--finder", type=Path, help="a checkpoint of thirdcard.models.index.index_finder_train")
    parser.add_argument("--reader", type=Path, help="a checkpoint of thirdcard.models.index.index_reader_train")
    parser.add_argument("--registry", type=Path, default=REGISTRY_PATH)
    parser.add_argument("--score", type=float, default=LEAST_SCORE, help="finds below are dropped")
    told = parser.parse_args(arguments)
    if told.finder is not None:
        _register_finder(told.finder, told.registry, told.score)
    if told.reader is not None:
        _register_reader(told.reader, told.registry)
    return 0


def _register_finder(checkpoint: Path, registry: Path, score: float) -> None:
    net = load_average(checkpoint, IndexFinderNet())
    tensors = ("pictures", "told")
    path = write_onnx(net, WEIGHTS, "index_finder", size_hw_px=(TILE_PX, TILE_PX), tensors=tensors)
    cells = TILE_PX // CELL_PX
    entry = _entry(path, tensors, [None, 3, TILE_PX, TILE_PX], [None, len(CHANNELS), cells, cells], CHANNELS)
    write_entry(registry, "index_finder", {**entry, "settings": {"score": score}})
    sys.stdout.write(f"{path}\n")


def _register_reader(checkpoint: Path, registry: Path) -> None:
    net = load_average(checkpoint, index_reader_net())
    tensors = ("crops", "logits")
    path = write_onnx(net, WEIGHTS, "index_reader", size_hw_px=(HEIGHT_PX, WIDTH_PX), tensors=tensors)
    entry = _entry(path, tensors, [None, 3, HEIGHT_PX, WIDTH_PX], [None, len(CLASSES)], CLASSES)
    write_entry(registry, "index_reader", {**entry, "settings": {"temperature": 1.0}})
    raw = _validation()
    asked = raw.labels != NOT_ASKED
    temperature = fit_temperature(raw.logits[asked], raw.labels[asked])
    write_entry(registry, "index_reader", {**entry, "settings": {"temperature": round(temperature, 4)}})
    said = replace(raw, logits=log_softmax(raw.logits / temperature))
    lines = [f"{path}, temperature {temperature:.3f}", *table({"validation": said}), *reliability([said])]
    sys.stdout.write("\n".join(lines) + "\n")


def _validation() -> Readout:
    """What the registered models say of scenes of decks that neither training nor the final judgement uses."""
    banks = open_index_banks("validation", decks=None, photos=None, folder=Path("build/index"))
    school = SceneSchool(banks, seed=5, lesson=EXAM)
    scenes = (school.scene() for _ in range(VALIDATION_SCENES))
    return read_out(scenes, IndexFinder.open(), IndexReader.open())


def _entry(
    path: Path, tensors: tuple[str, str], taken: list[int | None], given: list[int | None], classes: Sequence[str]
) -> dict[str, Any]:
    return {
        "weights": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "input": {"name": tensors[0], "shape": taken},
        "output": {"name": tensors[1], "shape": given},
        "classes": list(classes),
    }


if __name__ == "__main__":
    sys.exit(main())
