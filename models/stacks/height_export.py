"""Export a trained gauge to ONNX, check it, evaluate it, and register it.

    python -m thirdcard.models.stacks.height_export runs/gauge/last.pt --home DIR

Exports the averaged network of the checkpoint. Imports torch, which is not needed at run time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from thirdcard.models.onnx_file import write_onnx
from thirdcard.models.publishing import Draft, add_destination, destination_of
from thirdcard.models.stacks.change_school import draw_exam
from thirdcard.models.stacks.height_evaluate import exam_figures
from thirdcard.models.stacks.height_net import GaugeNet
from thirdcard.models.training_loop import load_average
from thirdcard.vision.inference.model_spec import ModelSpec, TensorSpec
from thirdcard.vision.inference.stack_height import COLUMNS, HEIGHT_PX, WIDTH_PX, StackGauge

TENSORS = (
    TensorSpec(name="crops", shape=(None, 3, HEIGHT_PX, WIDTH_PX)),
    TensorSpec(name="told", shape=(None, len(COLUMNS))),
)


def figures_of(spec: ModelSpec) -> dict[str, float]:
    """Return the metrics of a gauge on worlds not used in training."""
    with tempfile.TemporaryDirectory() as folder:
        draw_exam(Path(folder))
        return exam_figures(Path(folder), StackGauge.open(spec).read)


def main(arguments: Sequence[str] | None = None) -> int:
    """Export with the options of the command line and print the file's name; return 0."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.height_export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    add_destination(parser)
    parser.add_argument(
        "--floor-mm", type=float, default=0.7, help="as thirdcard.models.stacks.height_evaluate finds it"
    )
    parser.add_argument("--scales", type=float, default=1.0, help="likewise")
    told = parser.parse_args(arguments)
    destination = destination_of(told)
    with Draft("gauge", destination) as draft:
        write_onnx(load_average(told.checkpoint, GaugeNet()), draft.path, TENSORS)
        spec = draft.declare(TENSORS, COLUMNS, {"floor_mm": told.floor_mm, "scales": told.scales})
        figures = figures_of(spec) if destination.is_examined else None
        sys.stdout.write(f"{draft.publish(figures, 'gauge')}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
