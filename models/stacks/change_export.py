"""Turn a trained comparer into the ONNX file that runs, set its temperature and how it is judged, and declare it.

    python -m thirdcard.models.stacks.change_export runs/comparer/last.pt --pairs build/comparer-validation

Takes the averaged network of the checkpoint, and with `--with` those of an earlier export beside
it; the pairs are of worlds that neither training nor the examination uses. The file is named by its hash. Imports
torch, which running never does.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.optimize
import torch

from thirdcard.models.registry import write_entry
from thirdcard.models.stacks.change_evaluate import ChangeExamination, examine, least_same, report
from thirdcard.models.stacks.change_net import ComparerNet, Ensemble
from thirdcard.models.stacks.change_school import fates_of
from thirdcard.models.stacks.height_export import HeightExportError
from thirdcard.models.warm_start import parts_of, start_from_onnx
from thirdcard.vision.chips.change_direction import FEWER, MORE
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import REGISTRY_PATH
from thirdcard.vision.inference.stack_change import CHANNELS, FATES, HEIGHT_PX, WIDTH_PX, Judging
from thirdcard.vision.inference.stack_height import StackGauge

INPUT, OUTPUT = "pairs", "logits"
OPSET = 17
ALLOWED_DIFFERENCE = 0.01
TEMPERATURES = np.exp(np.linspace(-0.5, 1.5, 81))


def load_network(checkpoint: Path) -> ComparerNet:
    """The averaged network of a checkpoint, ready to run."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)["average"]
    network = ComparerNet()
    weights = {name.removeprefix("module."): value for name, value in state.items() if name != "n_averaged"}
    network.load_state_dict(weights)
    network.eval()
    return network


def load_export(path: Path) -> list[ComparerNet]:
    """The networks of an ONNX file that one or several were exported to, ready to run."""
    pairs = torch.rand(8, CHANNELS, HEIGHT_PX, WIDTH_PX, generator=torch.Generator().manual_seed(0))
    networks = []
    for part in parts_of(path):
        network = ComparerNet()
        start_from_onnx(network, path, pairs, part=part)
        networks.append(network.eval())
    if compare(networks[0] if len(networks) == 1 else Ensemble(networks).eval(), path) > ALLOWED_DIFFERENCE:
        raise HeightExportError(f"{path}: differs from what was made of it")
    return networks


def export(network: torch.nn.Module, weights_dir: Path) -> Path:
    """Writes the ONNX file; raises ExportError where it differs from the network."""
    weights_dir.mkdir(parents=True, exist_ok=True)
    draft = weights_dir / "comparer-draft.onnx"
    torch.onnx.export(
        network,
        (torch.zeros(2, CHANNELS, HEIGHT_PX, WIDTH_PX),),
        str(draft),
        opset_version=OPSET,
        input_names=[INPUT],
        output_names=[OUTPUT],
        dynamic_axes={INPUT: {0: "batch"}, OUTPUT: {0: "batch"}},
        dynamo=False,
    )
    difference = compare(network, draft)
    if difference > ALLOWED_DIFFERENCE:
        raise HeightExportError(f"{draft.name}: differs by {difference:.4f}; allowed {ALLOWED_DIFFERENCE}")
    path = weights_dir / f"comparer-{hashlib.sha256(draft.read_bytes()).hexdigest()[:8]}.onnx"
    draft.replace(path)
    return path


def compare(network: torch.nn.Module, path: Path) -> float:
    """Largest difference between torch's and ONNX Runtime's answers over noise."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    pairs = np.random.default_rng(0).random((3, CHANNELS, HEIGHT_PX, WIDTH_PX), np.float32)
    with torch.no_grad():
        wanted = network(torch.from_numpy(pairs)).numpy()
    return float(np.abs(wanted - np.asarray(session.run([OUTPUT], {INPUT: pairs})[0])).max())


def logits_of(network: torch.nn.Module, pairs: Sequence[Image]) -> npt.NDArray[np.float64]:
    """What the network tells of pairs as the running code makes them, (N, 4)."""
    channels = np.stack(pairs)[..., [2, 1, 0, 5, 4, 3, 8, 7, 6]].transpose(0, 3, 1, 2)
    with torch.no_grad():
        told = network(torch.from_numpy(channels.astype(np.float32) / 255))
    return np.asarray(told.numpy(), np.float64)


def fit_temperature(found: ChangeExamination) -> float:
    """The divisor of the logits that makes what is true of the stacks likeliest."""
    fate = fates_of(found.truths["added"], found.truths["touch"])

    def surprise(temperature: float) -> float:
        fates = found.tempered(temperature).fates()
        return -float(np.log(fates[np.arange(len(fate)), fate] + 1e-9).mean())

    return float(min(TEMPERATURES, key=surprise))


def fit_judging(found: ChangeExamination) -> Judging:
    """How much comparer and gauge count for the direction: what makes the true ones of changed stacks likeliest."""
    way = np.sign(found.added)
    changed, fates = way != 0, found.fates()
    odds = np.log((fates[:, MORE] + 1e-9) / (fates[:, FEWER] + 1e-9))

    def surprise(weights: npt.NDArray[np.float64]) -> float:
        told = way * (weights[0] * odds + weights[1] * found.leanings)
        return float(np.logaddexp(0.0, -told[changed]).mean())

    comparison, leaning = scipy.optimize.minimize(surprise, [1.0, 0.0], method="Nelder-Mead").x
    judged = replace(found, judging=Judging(comparison=float(comparison), leaning=float(leaning)))
    return replace(judged.judging, least_same=least_same(judged))


def main(arguments: Sequence[str] | None = None) -> None:
    """Exports as the command line asks and says what it wrote."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.change_export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--with", dest="beside", type=Path, help="an export of one or several networks to average with")
    parser.add_argument("--pairs", type=Path, default=Path("build/comparer-validation"))
    parser.add_argument("--weights-dir", type=Path, default=REGISTRY_PATH.parent / "weights")
    parser.add_argument("--registry", type=Path, default=REGISTRY_PATH)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    network = load_network(options.checkpoint)
    if options.beside is not None:
        network = Ensemble([*load_export(options.beside), network]).eval()
    path = export(network, options.weights_dir)
    found = examine(options.pairs, lambda pairs: logits_of(network, pairs), StackGauge.open())
    temperature = fit_temperature(found)
    found = found.tempered(temperature)
    judging = fit_judging(found)
    entry = {
        "weights": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "input": {"name": INPUT, "shape": [None, CHANNELS, HEIGHT_PX, WIDTH_PX]},
        "output": {"name": OUTPUT, "shape": [None, len(FATES)]},
        "classes": list(FATES),
        "settings": {"temperature": round(temperature, 4)} | {k: round(v, 4) for k, v in asdict(judging).items()},
    }
    write_entry(options.registry, "comparer", entry)
    told = report(replace(found, judging=judging), judging.least_same)
    sys.stdout.write(f"{path}, temperature {temperature:.3f}, {judging}\n{told}\n")


if __name__ == "__main__":
    main()
