"""Export a trained comparer to ONNX, calibrate its temperature and thresholds, evaluate and register it.

    python -m thirdcard.models.stacks.change_export runs/comparer/last.pt --pairs build/comparer-validation --home DIR

Exports the averaged network of the checkpoint; with `--with`, together with the networks of an earlier export. The
pairs are from worlds that neither training nor the final evaluation uses. Imports torch, which is not needed at run
time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.optimize
import torch

from thirdcard.models.errors import ModelExportError
from thirdcard.models.onnx_file import ALLOWED_DIFFERENCE, compare, write_onnx
from thirdcard.models.publishing import Draft, add_destination, destination_of
from thirdcard.models.stacks.change_evaluate import ChangeExamination, exam_figures, examine, least_same, report
from thirdcard.models.stacks.change_net import ComparerNet, Ensemble
from thirdcard.models.stacks.change_school import draw_exam, fates_of
from thirdcard.models.training_loop import load_average
from thirdcard.models.warm_start import parts_of, start_from_onnx
from thirdcard.vision.chips.change_direction import FEWER, MORE
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec, TensorSpec
from thirdcard.vision.inference.stack_change import (
    CHANNELS,
    FATES,
    HEIGHT_PX,
    WIDTH_PX,
    Judging,
    StackComparer,
)
from thirdcard.vision.inference.stack_height import StackGauge

TENSORS = (
    TensorSpec(name="pairs", shape=(None, CHANNELS, HEIGHT_PX, WIDTH_PX)),
    TensorSpec(name="logits", shape=(None, len(FATES))),
)
TEMPERATURES = np.exp(np.linspace(-0.5, 1.5, 81))


def load_export(path: Path) -> list[ComparerNet]:
    """Load the networks of an ONNX file with one or several networks, in evaluation mode.

    Raises ModelExportError if their output differs from the file's.
    """
    pairs = torch.rand(8, CHANNELS, HEIGHT_PX, WIDTH_PX, generator=torch.Generator().manual_seed(0))
    networks = []
    for part in parts_of(path):
        network = ComparerNet()
        start_from_onnx(network, path, pairs, part=part)
        networks.append(network.eval())
    whole = networks[0] if len(networks) == 1 else Ensemble(networks).eval()
    if compare(whole, path, TENSORS[0].shape) > ALLOWED_DIFFERENCE:
        raise ModelExportError(f"{path}: differs from what was made of it")
    return networks


def logits_of(network: torch.nn.Module, pairs: Sequence[Image]) -> npt.NDArray[np.float64]:
    """Return the logits of a network, (N, 4), for pairs as the run-time code makes them."""
    channels = np.stack(pairs)[..., [2, 1, 0, 5, 4, 3, 8, 7, 6]].transpose(0, 3, 1, 2)
    with torch.no_grad():
        told = network(torch.from_numpy(channels.astype(np.float32) / 255))
    return np.asarray(told.numpy(), np.float64)


def fit_temperature(found: ChangeExamination) -> float:
    """Return the divisor of the logits that maximises the likelihood of the labels."""
    fate = fates_of(found.truths["added"], found.truths["touch"])

    def surprise(temperature: float) -> float:
        fates = found.tempered(temperature).fates()
        return -float(np.log(fates[np.arange(len(fate)), fate] + 1e-9).mean())

    return float(min(TEMPERATURES, key=surprise))


def fit_judging(found: ChangeExamination) -> Judging:
    """Return the weights of comparer and gauge for the direction, fitted on changed stacks, with the threshold."""
    way = np.sign(found.added)
    changed, fates = way != 0, found.fates()
    odds = np.log((fates[:, MORE] + 1e-9) / (fates[:, FEWER] + 1e-9))

    def surprise(weights: npt.NDArray[np.float64]) -> float:
        told = way * (weights[0] * odds + weights[1] * found.leanings)
        return float(np.logaddexp(0.0, -told[changed]).mean())

    comparison, leaning = scipy.optimize.minimize(surprise, [1.0, 0.0], method="Nelder-Mead").x
    judged = replace(found, judging=Judging(comparison=float(comparison), leaning=float(leaning)))
    return replace(judged.judging, least_same=least_same(judged))


def figures_of(spec: ModelSpec) -> dict[str, float]:
    """Return the metrics of a comparer on worlds that neither training nor the thresholds used."""
    comparer = StackComparer.open(spec)
    with tempfile.TemporaryDirectory() as folder:
        draw_exam(Path(folder))
        return exam_figures(examine(Path(folder), comparer.read, StackGauge.open(), comparer.judging))


def main(arguments: Sequence[str] | None = None) -> int:
    """Export with the options of the command line and print what was written; return 0."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.change_export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--with", dest="beside", type=Path, help="an export of one or several networks to average with")
    parser.add_argument("--pairs", type=Path, default=Path("build/comparer-validation"))
    add_destination(parser)
    told = parser.parse_args(arguments)
    torch.set_num_threads(1)
    destination = destination_of(told)
    network: torch.nn.Module = load_average(told.checkpoint, ComparerNet())
    if told.beside is not None:
        network = Ensemble([*load_export(told.beside), network]).eval()
    found = examine(told.pairs, lambda pairs: logits_of(network, pairs), StackGauge.open())
    temperature = fit_temperature(found)
    found = found.tempered(temperature)
    judging = fit_judging(found)
    settings = {"temperature": round(temperature, 4)} | {k: round(v, 4) for k, v in asdict(judging).items()}
    with Draft("comparer", destination) as draft:
        write_onnx(network, draft.path, TENSORS)
        spec = draft.declare(TENSORS, FATES, settings)
        figures = figures_of(spec) if destination.is_examined else None
        sys.stdout.write(f"{draft.publish(figures, 'comparer')}; temperature {temperature:.3f}, {judging}\n")
    sys.stdout.write(report(replace(found, judging=judging), judging.least_same) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
