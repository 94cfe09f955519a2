"""Export a trained chip face reader to ONNX, calibrate its temperature, evaluate and register it.

    python -m thirdcard.models.stacks.chip_faces_export runs/chip_faces/last.pt --home DIR

The temperature is fitted on every second held-out world of `thirdcard.models.stacks.chip_faces_school`; the other
worlds measure the accuracy. Imports torch, which is not needed at run time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.models.errors import ModelExportError
from thirdcard.models.onnx_file import write_onnx
from thirdcard.models.publishing import Draft, add_destination, destination_of
from thirdcard.models.stacks.chip_faces_evaluate import draw_exam, exam_figures, figures_of, load_school
from thirdcard.models.stacks.chip_faces_net import ChipFacesNet
from thirdcard.models.stacks.chip_faces_train import told_of
from thirdcard.models.training_loop import load_average
from thirdcard.vision.inference.chip_faces import CHANNELS, CLASSES, ChipFaceReader
from thirdcard.vision.inference.chip_samples import ANGLES, RINGS
from thirdcard.vision.inference.model_spec import ModelSpec, TensorSpec
from thirdcard.vision.inference.stack_change import log_probabilities

TENSORS = (
    TensorSpec(name="shown", shape=(None, CHANNELS, RINGS, ANGLES)),
    TensorSpec(name="base", shape=(None, 1)),
)
TEMPERATURES = np.exp(np.linspace(-1.0, 1.5, 51))


def fit_temperature(told: Sequence[npt.NDArray[np.float64]], tops: Sequence[int]) -> float:
    """Return the divisor that maximises the likelihood of the labels."""

    def surprise(temperature: float) -> float:
        return -float(np.mean([log_probabilities(row / temperature)[top] for row, top in zip(told, tops, strict=True)]))

    return float(min(TEMPERATURES, key=surprise))


def measured(spec: ModelSpec) -> dict[str, float]:
    """Return the metrics of a reader on worlds that neither training nor the temperature used."""
    with tempfile.TemporaryDirectory() as folder:
        return exam_figures(draw_exam(Path(folder)), ChipFaceReader.open(spec))


def main(arguments: Sequence[str] | None = None) -> int:
    """Export with the options of the command line and print what was written; return 0.

    Raises ModelExportError if there are fewer than two held-out worlds.
    """
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.chip_faces_export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--school", type=Path, default=Path("build/chip_faces"))
    add_destination(parser)
    options = parser.parse_args(arguments)
    destination = destination_of(options)
    worlds = load_school(options.school, "held_out-*.npz")
    if len(worlds) < 2:
        raise ModelExportError(
            f"{options.school}: {len(worlds)} held-out worlds; must be 2 or more: see docs/training.md"
        )
    net = load_average(options.checkpoint, ChipFacesNet())
    halves = [[stack for world in worlds[k::2] for stack in world] for k in (0, 1)]
    told = [[told_of(net, stack) for stack in half] for half in halves]
    tops = [[stack.top for stack in half] for half in halves]
    temperature = round(fit_temperature(told[0], tops[0]), 4)
    with Draft("chip_faces", destination) as draft:
        write_onnx(net, draft.path, TENSORS)
        spec = draft.declare(TENSORS, CLASSES, {"temperature": temperature})
        figures = measured(spec) if destination.is_examined else None
        sys.stdout.write(f"{draft.publish(figures, 'chip_faces')}; temperature {temperature}\n")
    shares = [np.exp(log_probabilities(row / temperature)) for row in told[1]]
    sys.stdout.write(f"{figures_of(shares, tops[1])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
