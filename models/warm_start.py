"""Start a training from shipped weights: load the ONNX file into a network with batch norm.

The file holds convolutions with their batch norms folded in. Each norm is set up so that it undoes itself: its
statistics are measured on a batch, its scale is their spread, and its shift is their mean plus the folded bias. The
network then computes what the file does, in training as in use, and can be trained further.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn


class WarmStartError(Exception):
    """The file's weights do not belong to this network."""


def start_from_onnx(net: nn.Module, path: Path, pictures: torch.Tensor, *, part: str = "") -> None:
    """Load the weights of an ONNX file that was exported from such a network into `net`.

    Args:
        net: The network, with batch norm; changed in place and left in training mode. Frozen layers keep their weights.
        path: The exporter's file; its initializers or its nodes bear the names of the network's layers.
        pictures: A batch as in training, (N, channels, H, W); the norms' statistics are measured on it.
        part: The name of the wanted network in the file if it contains several, such as "networks.1".

    Raises:
        WarmStartError: A layer's weights are missing or of another shape.
    """
    named, before = _initializers(path), f"{part}." if part else ""
    weights = {name.removeprefix(before): value for name, value in named.items() if name.startswith(before)}
    norms = dict(_normed(net))
    biases: dict[str, torch.Tensor] = {}
    for name, module in net.named_modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)) and module.weight.requires_grad:
            module.weight.data.copy_(_taken(weights, f"{name}.weight", module.weight, path))
            if name in norms:
                biases[name] = _taken(weights, f"{name}.bias", norms[name].bias, path)
            elif module.bias is not None:
                module.bias.data.copy_(_taken(weights, f"{name}.bias", module.bias, path))
    _unfold(net, norms, biases, pictures)


def parts_of(path: Path) -> list[str]:
    """Return the names of the networks in a file, such as "networks.1"; one empty name if there is a single one."""
    names = {".".join(name.split(".")[:2]) for name in _initializers(path) if name.startswith("networks.")}
    return sorted(names) or [""]


def _unfold(
    net: nn.Module, norms: dict[str, nn.BatchNorm2d], biases: dict[str, torch.Tensor], pictures: torch.Tensor
) -> None:
    """Let every norm only add its bias, measure its inputs on a batch, and set it up for training."""
    met: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
    hooks = []
    for name, norm in norms.items():
        norm.running_mean.zero_()
        norm.running_var.fill_(1.0 - norm.eps)
        norm.weight.data.fill_(1.0)
        norm.bias.data.copy_(biases[name])
        hooks.append(norm.register_forward_pre_hook(_measure(met, name)))
    net.eval()
    with torch.no_grad():
        net(pictures)
    for hook in hooks:
        hook.remove()
    for name, norm in norms.items():
        mean, variance = met[name]
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.data.copy_(torch.sqrt(variance + norm.eps))
        norm.bias.data.copy_(biases[name] + mean)
    net.train()


def _measure(met: dict[str, tuple[torch.Tensor, torch.Tensor]], name: str) -> Any:
    def hook(_: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        met[name] = inputs[0].mean(dim=(0, 2, 3)), inputs[0].var(dim=(0, 2, 3), unbiased=False)

    return hook


def _normed(net: nn.Module, prefix: str = "") -> Iterator[tuple[str, nn.BatchNorm2d]]:
    """Yield every convolution's name with the norm that follows it among its siblings."""
    before: str | None = None
    for name, child in net.named_children():
        path = f"{prefix}{name}"
        if isinstance(child, nn.BatchNorm2d) and before is not None:
            yield before, child
        before = path if isinstance(child, nn.Conv2d) else None
        yield from _normed(child, f"{path}.")


def _initializers(path: Path) -> dict[str, torch.Tensor]:
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    named = {tensor.name: torch.from_numpy(np.array(numpy_helper.to_array(tensor))) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Conv":
            parts = zip(("weight", "bias"), node.input[1:], strict=False)
            named |= {f"{_layer(node.name)}.{part}": named[name] for part, name in parts if name in named}
    return named


def _layer(node: str) -> str:
    """Return the network's name of a node's layer: "/join/join.1/first/first.0/Conv" belongs to "join.1.first.0"."""
    scopes = node.split("/")[1:-1]
    inner = [scope for scope, after in zip(scopes, [*scopes[1:], ""], strict=True) if not after.startswith(f"{scope}.")]
    return ".".join(inner)


def _taken(weights: dict[str, torch.Tensor], name: str, like: torch.Tensor, path: Path) -> torch.Tensor:
    found = weights.get(name)
    if found is None or found.shape != like.shape:
        shape = "absent" if found is None else tuple(found.shape)
        raise WarmStartError(f"{path}: {name}: {shape}; the network has {tuple(like.shape)}")
    return found.to(like.device)
