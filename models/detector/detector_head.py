"""Rewrite an exported detector: for pictures of any size that its coarsest grid divides, with raw output.

Ultralytics exports for one size and decodes every place of the picture in the network, which takes a tenth of its time;
nearly all places hold nothing. `vision/inference/oriented_boxes.py` decodes only those that hold something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

_HEAD_CONV = re.compile(r"/cv([234])\.(\d+)/cv\1\.\2\.2/Conv$")
"""The last convolutions of each grid: cv2 for the sides, cv3 for the classes, cv4 for the angle."""


def open_up(model: onnx.ModelProto, output: str) -> None:
    """Make the picture's size free, and end the network at the raw output that `oriented_boxes.decode` takes, in place.

    Args:
        model: An oriented-box network as Ultralytics exports it, for one picture size and any batch size.
        output: The name of its output.

    Raises:
        ValueError: The network has no such head.
    """
    graph = model.graph
    _free_attention(graph)
    _end_raw(graph, output)
    _drop_unused(graph)
    picture = graph.input[0].type.tensor_type.shape.dim
    picture[2].dim_param, picture[3].dim_param = "height", "width"
    del graph.value_info[:]
    onnx.checker.check_model(model)


def _free_attention(graph: Any) -> None:
    """Reshape attention maps by their own size instead of the size of the export."""
    shapes = {each.name: numpy_helper.to_array(each).tolist() for each in graph.initializer}
    nodes = [node for node in graph.node if node.op_type == "Reshape" and "/attn/" in node.name]
    added: list[Any] = []
    for block in sorted({node.name.split("/attn/")[0] for node in nodes}):
        own = [node for node in nodes if node.name.startswith(f"{block}/attn/")]
        flat = next(node for node in own if "/qkv/" in node.input[0])
        _, heads, depth, _ = shapes[flat.input[1]]
        folded = next(shapes[node.input[1]] for node in own if node is not flat)
        unfolded = flat.input[0]
        flat.input[1] = _constant(graph, f"{block}/attn/flat", [0, heads, depth, -1])
        ends = [f"{block}/attn/{end}" for end in ("size", "batch", "sides", "map")]
        added += [
            helper.make_node("Shape", [unfolded], [ends[0]], name=ends[0]),
            helper.make_node("Gather", [ends[0], _constant(graph, f"{ends[1]}/i", [0])], [ends[1]], name=ends[1]),
            helper.make_node("Gather", [ends[0], _constant(graph, f"{ends[2]}/i", [2, 3])], [ends[2]], name=ends[2]),
            helper.make_node(
                "Concat",
                [ends[1], _constant(graph, f"{ends[3]}/depth", folded[1:2]), ends[2]],
                [ends[3]],
                name=ends[3],
                axis=0,
            ),
        ]
        for node in own:
            if node is not flat:
                node.input[1] = ends[3]
    _insert(graph, added)


def _end_raw(graph: Any, output: str) -> None:
    """Join the last convolutions of each grid; everything after them is dropped."""
    found = {}
    for node in graph.node:
        name = _HEAD_CONV.search(node.name)
        if name is not None:
            found[int(name[2]), int(name[1])] = node.output[0]
    grids = sorted({grid for grid, _ in found})
    if not grids or len(found) != 3 * len(grids):
        raise ValueError(f"the network's last convolutions = {sorted(found)}; must be cv2, cv3 and cv4 of each grid")
    rows = sum(_outputs(graph, found[0, part]) for part in (2, 3, 4))
    added, flat = [], []
    for grid in grids:
        told, flattened = f"{output}/{grid}", f"{output}/{grid}/flat"
        added.append(helper.make_node("Concat", [found[grid, part] for part in (2, 3, 4)], [told], name=told, axis=1))
        size = _constant(graph, f"{flattened}/size", [0, rows, -1])
        added.append(helper.make_node("Reshape", [told, size], [flattened], name=flattened))
        flat.append(flattened)
    kept = [node for node in graph.node if output not in node.output]
    del graph.node[:]
    graph.node.extend([*kept, *added, helper.make_node("Concat", flat, [output], name=output, axis=2)])
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", rows, "places"]))


def _outputs(graph: Any, conv: str) -> int:
    """Return the number of output channels of a convolution."""
    node = next(node for node in graph.node if conv in node.output)
    weights = next(each for each in graph.initializer if each.name == node.input[1])
    return int(weights.dims[0])


def _insert(graph: Any, added: Sequence[Any]) -> None:
    """Insert nodes right behind the last node that produces one of their inputs."""
    for node in added:
        behind = max(i for i, other in enumerate(graph.node) if set(other.output) & set(node.input))
        graph.node.insert(behind + 1, node)


def _drop_unused(graph: Any) -> None:
    """Remove the nodes and constants that the outputs no longer need."""
    needed = {each.name for each in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed & set(node.output):
            needed |= set(node.input)
            kept.append(node)
    del graph.node[:]
    graph.node.extend(reversed(kept))
    constants = [each for each in graph.initializer if each.name in needed]
    del graph.initializer[:]
    graph.initializer.extend(constants)


def _constant(graph: Any, name: str, value: Sequence[int]) -> str:
    graph.initializer.append(numpy_helper.from_array(np.array(value, np.int64), name))
    return name
