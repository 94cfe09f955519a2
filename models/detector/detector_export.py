"""Turn a trained detector into the ONNX file that runs, check it, and declare it in the registry.

    python -m thirdcard.models.detector.detector_export CHECKPOINT.pt [--weights-dir DIR] [--registry FILE]

The file is named by its hash. Imports torch and Ultralytics, which running never does.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from thirdcard.models.detector.detector_head import open_up
from thirdcard.models.detector.ultralytics_setup import prepare
from thirdcard.models.registry import write_entry
from thirdcard.vision.detections import LABELS
from thirdcard.vision.inference.model_spec import REGISTRY_PATH
from thirdcard.vision.inference.oriented_boxes import STEPS_PX

INPUT, BOXES, RAW = "images", "boxes", "raw"
OPSET = 17
ALLOWED_DIFFERENCE_PX = 0.02
SCORE, IOU = 0.3, 0.5


class DetectorExportError(Exception):
    """The exported network does not do what the trained one does."""


def export(checkpoint: Path, weights_dir: Path, registry: Path, *, image_px: int = 320) -> Path:
    """Writes the ONNX file and its entry in the registry; raises ExportError where it differs from the checkpoint."""
    prepare(threads=1)
    network = load_network(checkpoint)
    weights_dir.mkdir(parents=True, exist_ok=True)
    draft = weights_dir / "detector-draft.onnx"
    write_onnx(network, draft, image_px)
    difference_px = compare(network, draft, image_px)
    if difference_px > ALLOWED_DIFFERENCE_PX:
        raise DetectorExportError(f"{draft.name}: differs by {difference_px:.4f} px; allowed {ALLOWED_DIFFERENCE_PX}")
    model = onnx.load(str(draft))
    open_up(model, RAW)
    onnx.save(model, str(draft))
    (raw,) = model.graph.output
    digest = hashlib.sha256(draft.read_bytes()).hexdigest()
    path = weights_dir / f"detector-{digest[:8]}.onnx"
    draft.replace(path)
    entry = {
        "weights": path.name,
        "sha256": digest,
        "input": {"name": INPUT, "shape": [None, 3, image_px, image_px]},
        "output": {"name": RAW, "shape": [None, raw.type.tensor_type.shape.dim[1].dim_value, places(image_px)]},
        "classes": list(LABELS),
        "settings": {"score": SCORE, "iou": IOU, "step_px": STEPS_PX[-1]},
    }
    write_entry(registry, "detector", entry)
    return path


def load_network(checkpoint: Path) -> Any:
    """The trained network, its batch normalisation folded in, ready to run."""
    from ultralytics import YOLO

    network = YOLO(str(checkpoint)).model.float().eval().fuse(verbose=False)
    head = network.model[-1]
    head.export, head.format = True, "onnx"
    for module in network.modules():
        if hasattr(module, "forward_split"):  # a plain slice exports where chunking does not
            module.forward = module.forward_split
    return network


def places(image_px: int) -> int:
    """How many places of a square picture's grids the network tells of."""
    return sum((image_px // step_px) ** 2 for step_px in STEPS_PX)


def write_onnx(network: Any, path: Path, image_px: int) -> None:
    """Writes a network for any number of pictures at once, which decodes its boxes itself."""
    import onnxslim
    import torch

    batch = {INPUT: {0: "batch"}, BOXES: {0: "batch"}}
    torch.onnx.export(
        network,
        (torch.zeros(1, 3, image_px, image_px),),
        str(path),
        opset_version=OPSET,
        input_names=[INPUT],
        output_names=[BOXES],
        dynamic_axes=batch,
        dynamo=False,
    )
    onnxslim.slim(str(path), str(path), verbose=False)


def compare(network: Any, path: Path, image_px: int) -> float:
    """Largest difference in pixels between torch's boxes and ONNX Runtime's, over noise and flat pictures."""
    import onnxruntime
    import torch

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    pictures = rng.random((2, 3, image_px, image_px), np.float32)
    pictures[1] *= 0.1
    with torch.no_grad():
        wanted = network(torch.from_numpy(pictures)).numpy()
    found = session.run([BOXES], {INPUT: pictures})[0]
    return float(np.abs(wanted - found).max())


def main(arguments: Sequence[str] | None = None) -> None:
    """Exports as the command line asks and names the file."""
    parser = argparse.ArgumentParser(prog="thirdcard.models.detector.detector_export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--weights-dir", type=Path, default=REGISTRY_PATH.parent / "weights")
    parser.add_argument("--registry", type=Path, default=REGISTRY_PATH)
    options = parser.parse_args(arguments)
    print(f"weights: {export(options.checkpoint, options.weights_dir, options.registry)}")


if __name__ == "__main__":
    main()
