"""Write a trained network as the ONNX file that runs, named by its hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

OPSET = 17


def write_onnx(
    net: nn.Module, folder: Path, name: str, *, size_hw_px: tuple[int, int], tensors: tuple[str, str]
) -> Path:
    """Fold batch norm into the convolutions, write `<folder>/<name>-<hash>.onnx` and return its path.

    Args:
        net: The network, in evaluation mode; its batch norms are gone afterwards.
        folder: Made where it is not there.
        name: The model's name in the registry.
        size_hw_px: Height and width of the pictures it takes, any number of them.
        tensors: Names of its input and of its output.
    """
    fold(net)
    folder.mkdir(parents=True, exist_ok=True)
    unnamed = folder / f"{name}-unnamed.onnx"
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, *size_hw_px),),
        str(unnamed),
        input_names=[tensors[0]],
        output_names=[tensors[1]],
        dynamic_axes={tensor: {0: "batch"} for tensor in tensors},
        opset_version=OPSET,
        dynamo=False,
    )
    path = folder / f"{name}-{hashlib.sha256(unnamed.read_bytes()).hexdigest()[:8]}.onnx"
    unnamed.replace(path)
    return path


def fold(net: nn.Module) -> None:
    """Fold every batch norm into the convolution before it."""
    for child in net.children():
        fold(child)
    if isinstance(net, nn.Sequential):
        for i in range(len(net) - 1):
            if isinstance(net[i], nn.Conv2d) and isinstance(net[i + 1], nn.BatchNorm2d):
                net[i] = fuse_conv_bn_eval(net[i], net[i + 1])
                net[i + 1] = nn.Identity()
