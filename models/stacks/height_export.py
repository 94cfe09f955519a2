"""Turn a trained gauge into the ONNX file that runs, check it, and declare it in the registry.

    python -m thirdcard.models.stacks.height_export runs/gauge/last.pt [--weights-dir DIR] [--registry FILE]

Takes the averaged network of the checkpoint. The file is named by its hash. Imports torch, which running never does.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from thirdcard.models.registry import write_entry
from thirdcard.models.stacks.height_net import GaugeNet
from thirdcard.vision.inference.model_spec import REGISTRY_PATH
from thirdcard.vision.inference.stack_height import COLUMNS, HEIGHT_PX, WIDTH_PX, Sureness

INPUT, OUTPUT = "crops", "told"
OPSET = 17
ALLOWED_DIFFERENCE_PX = 0.01


class HeightExportError(Exception):
    """The exported network does not do what the trained one does."""


def load_network(checkpoint: Path) -> GaugeNet:
    """The averaged network of a checkpoint, ready to run."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)["average"]
    network = GaugeNet()
    weights = {name.removeprefix("module."): value for name, value in state.items() if name != "n_averaged"}
    network.load_state_dict(weights)
    network.eval()
    return network


def export(checkpoint: Path, weights_dir: Path, registry: Path, *, sureness: Sureness) -> Path:
    """Writes the ONNX file and its entry in the registry; raises ExportError where it differs from the checkpoint."""
    network = load_network(checkpoint)
    weights_dir.mkdir(parents=True, exist_ok=True)
    draft = weights_dir / "gauge-draft.onnx"
    write_onnx(network, draft)
    difference_px = compare(network, draft)
    if difference_px > ALLOWED_DIFFERENCE_PX:
        raise HeightExportError(f"{draft.name}: differs by {difference_px:.4f} px; allowed {ALLOWED_DIFFERENCE_PX}")
    digest = hashlib.sha256(draft.read_bytes()).hexdigest()
    path = weights_dir / f"gauge-{digest[:8]}.onnx"
    draft.replace(path)
    entry = {
        "weights": path.name,
        "sha256": digest,
        "input": {"name": INPUT, "shape": [None, 3, HEIGHT_PX, WIDTH_PX]},
        "output": {"name": OUTPUT, "shape": [None, len(COLUMNS)]},
        "classes": list(COLUMNS),
        "settings": {name: getattr(sureness, name) for name in ("floor_mm", "scales")},
    }
    write_entry(registry, "gauge", entry)
    return path


def write_onnx(network: nn.Module, path: Path) -> None:
    """Writes a network for any number of crops at once."""
    torch.onnx.export(
        network,
        (torch.zeros(2, 3, HEIGHT_PX, WIDTH_PX),),
        str(path),
        opset_version=OPSET,
        input_names=[INPUT],
        output_names=[OUTPUT],
        dynamic_axes={INPUT: {0: "batch"}, OUTPUT: {0: "batch"}},
        dynamo=False,
    )


def compare(network: nn.Module, path: Path) -> float:
    """Largest difference between torch's and ONNX Runtime's answers over noise and flat pictures."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    pictures = rng.random((4, 3, HEIGHT_PX, WIDTH_PX), np.float32)
    pictures[2:] *= 0.2
    with torch.no_grad():
        wanted = network(torch.from_numpy(pictures)).numpy()
    found = session.run([OUTPUT], {INPUT: pictures})[0]
    return float(np.abs(wanted - np.asarray(found)).max())


def main(arguments: Sequence[str] | None = None) -> None:
    """Exports as the command line asks and names the file."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.height_export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--weights-dir", type=Path, default=REGISTRY_PATH.parent / "weights")
    parser.add_argument("--registry", type=Path, default=REGISTRY_PATH)
    parser.add_argument(
        "--floor-mm", type=float, default=0.7, help="as thirdcard.models.stacks.height_evaluate finds it"
    )
    parser.add_argument("--scales", type=float, default=1.0, help="likewise")
    options = parser.parse_args(arguments)
    sureness = Sureness(floor_mm=options.floor_mm, scales=options.scales)
    path = export(options.checkpoint, options.weights_dir, options.registry, sureness=sureness)
    print(f"weights: {path}")


if __name__ == "__main__":
    main()
