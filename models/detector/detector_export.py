"""Export a trained detector to the ONNX file that runs, check and evaluate it, and declare it.

    python -m thirdcard.models.detector.detector_export CHECKPOINT.pt --home DIR

Imports torch and Ultralytics, which the running service never does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from thirdcard.models.detector.detector_evaluate import exam_figures
from thirdcard.models.detector.detector_head import open_up
from thirdcard.models.detector.ultralytics_setup import prepare
from thirdcard.models.errors import ModelExportError
from thirdcard.models.publishing import Destination, Draft, add_destination, destination_of
from thirdcard.vision.detections import LABELS
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.model_spec import TensorSpec
from thirdcard.vision.inference.oriented_boxes import STEPS_PX

INPUT, BOXES, RAW = "images", "boxes", "raw"
OPSET = 17
ALLOWED_DIFFERENCE_PX = 0.02
SCORE, IOU = 0.3, 0.5


def export(network: Any, destination: Destination, *, image_px: int = 320) -> str:
    """Export, evaluate and declare a network; return a line for the user.

    Raises:
        ModelExportError: The file's boxes differ from the network's, or the model is below the floors.
    """
    with Draft("detector", destination) as draft:
        write_onnx(network, draft.path, image_px)
        difference_px = compare(network, draft.path, image_px)
        if difference_px > ALLOWED_DIFFERENCE_PX:
            raise ModelExportError(f"detector: differs by {difference_px:.4f} px; allowed {ALLOWED_DIFFERENCE_PX}")
        model = onnx.load(str(draft.path))
        open_up(model, RAW)
        onnx.save(model, str(draft.path))
        (raw,) = model.graph.output
        rows = raw.type.tensor_type.shape.dim[1].dim_value
        tensors = (
            TensorSpec(name=INPUT, shape=(None, 3, image_px, image_px)),
            TensorSpec(name=RAW, shape=(None, rows, places(image_px))),
        )
        spec = draft.declare(tensors, LABELS, {"score": SCORE, "iou": IOU, "step_px": STEPS_PX[-1]})
        figures = exam_figures(Detector.open(spec)) if destination.is_examined else None
        return draft.publish(figures, "detector")


def load_network(checkpoint: Path) -> Any:
    """Load the trained network, with its batch normalisation folded in, ready to run."""
    from ultralytics import YOLO

    network = YOLO(str(checkpoint)).model.float().eval().fuse(verbose=False)
    head = network.model[-1]
    head.export, head.format = True, "onnx"
    for module in network.modules():
        if hasattr(module, "forward_split"):  # a plain slice exports where chunking does not
            module.forward = module.forward_split
    return network


def places(image_px: int) -> int:
    """Return the number of places in a square picture's grids."""
    return sum((image_px // step_px) ** 2 for step_px in STEPS_PX)


def write_onnx(network: Any, path: Path, image_px: int) -> None:
    """Write a network for any batch size that decodes its boxes itself."""
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
    """Return the largest difference in pixels between torch's boxes and ONNX Runtime's, for noise and dark noise."""
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Export as the command line asks, and print the file's name."""
    parser = argparse.ArgumentParser(prog="thirdcard.models.detector.detector_export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    add_destination(parser)
    options = parser.parse_args(arguments)
    destination = destination_of(options)
    prepare(threads=1)
    sys.stdout.write(f"{export(load_network(options.checkpoint), destination)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
