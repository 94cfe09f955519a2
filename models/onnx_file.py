"""Write a trained network as an ONNX file, and check that both compute the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from thirdcard.models.errors import ModelExportError
from thirdcard.vision.inference.model_spec import TensorSpec

OPSET = 17
ALLOWED_DIFFERENCE = 0.01


def write_onnx(net: nn.Module, path: Path, tensors: tuple[TensorSpec, TensorSpec]) -> None:
    """Write a network for any batch size.

    Args:
        net: The network in evaluation mode; its batch norms are folded into the convolutions that precede them.
        path: The file.
        tensors: Its input and its output; the first dimension of each is the batch.

    Raises:
        ModelExportError: The file's outputs differ from the network's.
    """
    taken, given = tensors
    fold(net)
    torch.onnx.export(
        net,
        (torch.zeros(2, *taken.shape[1:]),),
        str(path),
        input_names=[taken.name],
        output_names=[given.name],
        dynamic_axes={tensor.name: {0: "batch"} for tensor in tensors},
        opset_version=OPSET,
        dynamo=False,
    )
    difference = compare(net, path, taken.shape)
    if difference > ALLOWED_DIFFERENCE:
        raise ModelExportError(
            f"{path.name}: differs by {difference:.4f} from the network; allowed {ALLOWED_DIFFERENCE}"
        )


def compare(net: nn.Module, path: Path, shape: tuple[int | None, ...]) -> float:
    """Return the largest difference between torch's and ONNX Runtime's outputs for noise and dark noise."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (taken,) = session.get_inputs()
    pictures = np.random.default_rng(0).random((4, *(side or 1 for side in shape[1:])), np.float32)
    pictures[2:] *= 0.2
    with torch.no_grad():
        wanted = net(torch.from_numpy(pictures)).numpy()
    return float(np.abs(wanted - np.asarray(session.run(None, {taken.name: pictures})[0])).max())


def fold(net: nn.Module) -> None:
    """Fold every batch norm into the convolution before it."""
    for child in net.children():
        fold(child)
    if isinstance(net, nn.Sequential):
        for i in range(len(net) - 1):
            if isinstance(net[i], nn.Conv2d) and isinstance(net[i + 1], nn.BatchNorm2d):
                net[i] = fuse_conv_bn_eval(net[i], net[i + 1])
                net[i + 1] = nn.Identity()
