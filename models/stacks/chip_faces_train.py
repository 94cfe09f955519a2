"""Teach the reader of chips' faces and write the file that runs: `python -m thirdcard.models.stacks.chip_faces_train
--minutes 8`.

Learns from the files of `thirdcard.models.stacks.chip_faces_school`; the temperature is set on the worlds of the split
"held_out" with even numbers, and those with odd numbers are the examination, whose figures are printed. Needs torch.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from thirdcard.models.onnx_file import fold
from thirdcard.models.registry import write_entry
from thirdcard.models.stacks.chip_faces_evaluate import SchoolStack, figures_of, load_school
from thirdcard.models.stacks.chip_faces_net import ChipFacesNet
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import ANGLES, CHANNELS, CLASSES, RINGS
from thirdcard.vision.inference.model_spec import REGISTRY_PATH
from thirdcard.vision.inference.stack_change import log_probabilities

PEAK_RATE, WEIGHT_DECAY, EMA_DECAY = 3e-3, 0.02, 0.995
BATCH = 40
LEVEL_ERROR, TINT_ERROR = 0.07, 0.025
"""How far the white of paper is off, relatively: all of it, and each colour."""
PLACE_ERROR_PX = 1.2
TEMPERATURES = np.exp(np.linspace(-1.0, 1.5, 51))


def varied(stack: SchoolStack, rng: np.random.Generator) -> SchoolStack:
    """The same stack, its place and the paper's white a little off, colours at times exchanged."""
    order = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
    error = np.exp(rng.normal(0, LEVEL_ERROR) + rng.normal(0, TINT_ERROR, 3))
    white = np.maximum(stack.white * error, 20.0)[order]
    middle = stack.middle + rng.normal(0, PLACE_ERROR_PX / 2, 2).astype(np.float32)
    crop = stack.crop if rng.random() < 0.5 else stack.crop[:, ::-1]
    middle = middle if crop is stack.crop else middle * np.array([-1, 1], np.float32)
    return SchoolStack(np.ascontiguousarray(crop[..., order]), middle, stack.top, stack.colours[:, order], white)


def tensor_of(shown: Sequence[Image]) -> torch.Tensor:
    """Pictures as the network takes them."""
    rgb = np.stack(shown)[..., [2, 1, 0, 5, 4, 3, 8, 7, 6]]
    return torch.from_numpy(rgb.transpose(0, 3, 1, 2).astype(np.float32) / 255)


def told_of(net: torch.nn.Module, stack: SchoolStack) -> npt.NDArray[np.float64]:
    """(K,) the network's answers."""
    with torch.no_grad():
        return np.asarray(net(tensor_of(stack.shown()))[:, 0].numpy(), np.float64)


def learn(stacks: Sequence[SchoolStack], *, minutes: float, seed: int) -> torch.nn.Module:
    """A network that has learned for so long."""
    rng = np.random.default_rng(seed)
    net = ChipFacesNet().to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(EMA_DECAY), use_buffers=True
    )
    optimizer = torch.optim.AdamW(net.parameters(), PEAK_RATE, weight_decay=WEIGHT_DECAY)
    started, said, losses = time.perf_counter(), 0.0, []
    while (spent := time.perf_counter() - started) < minutes * 60:
        done = spent / (minutes * 60)
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * min(1.0, done / 0.05 + 0.02) * 0.5 * (1 + math.cos(math.pi * done))
        batch = [varied(stacks[i], rng) for i in rng.integers(len(stacks), size=BATCH)]
        rows = [stack.shown() for stack in batch]
        answers = net(tensor_of([picture for row in rows for picture in row]).contiguous())[:, 0]
        parts = torch.split(answers, [len(row) for row in rows])
        loss = torch.stack(
            [torch.logsumexp(part, 0) - part[s.top] for part, s in zip(parts, batch, strict=True)]
        ).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        average.update_parameters(net)
        losses.append(float(loss.detach()))
        if spent - said > 30:
            sys.stdout.write(f"{spent:.0f} s, {len(losses)} batches, loss {np.mean(losses[-200:]):.4f}\n")
            sys.stdout.flush()
            said = spent
    return average.module.eval()


def fit_temperature(told: Sequence[npt.NDArray[np.float64]], tops: Sequence[int]) -> float:
    """The divisor that makes what is true likeliest."""

    def surprise(temperature: float) -> float:
        return -float(np.mean([log_probabilities(row / temperature)[top] for row, top in zip(told, tops, strict=True)]))

    return float(min(TEMPERATURES, key=surprise))


def write(net: torch.nn.Module, folder: Path) -> Path:
    """Write the ONNX file, named by its hash."""
    for layer in net.body:
        fold(layer)
    draft = folder / "chip_faces-draft.onnx"
    names = {"input_names": ["shown"], "output_names": ["base"], "opset_version": 17, "dynamo": False}
    axes = {"shown": {0: "batch"}, "base": {0: "batch"}}
    torch.onnx.export(net, (torch.zeros(2, CHANNELS, RINGS, ANGLES),), str(draft), dynamic_axes=axes, **names)
    path = folder / f"chip_faces-{hashlib.sha256(draft.read_bytes()).hexdigest()[:8]}.onnx"
    return draft.replace(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains as the command line asks and declares what it wrote."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.chip_faces_train", description=__doc__)
    parser.add_argument("--school", type=Path, default=Path("build/chip_faces"))
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights-dir", type=Path, default=REGISTRY_PATH.parent / "weights")
    parser.add_argument("--registry", type=Path, default=REGISTRY_PATH)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    stacks = [stack for world in load_school(options.school, "train-*.npz") for stack in world]
    net = learn(stacks, minutes=options.minutes, seed=options.seed)
    worlds = load_school(options.school, "held_out-*.npz")
    halves = [[stack for world in worlds[k::2] for stack in world] for k in (0, 1)]
    told = [[told_of(net, stack) for stack in half] for half in halves]
    tops = [[stack.top for stack in half] for half in halves]
    temperature = round(fit_temperature(told[0], tops[0]), 4)
    path = write(net, options.weights_dir)
    entry = {
        "weights": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "input": {"name": "shown", "shape": [None, CHANNELS, RINGS, ANGLES]},
        "output": {"name": "base", "shape": [None, 1]},
        "classes": list(CLASSES),
        "settings": {"temperature": temperature},
    }
    write_entry(options.registry, "chip_faces", entry)
    shares = [np.exp(log_probabilities(row / temperature)) for row in told[1]]
    sys.stdout.write(f"{path}, temperature {temperature}\n{figures_of(shares, tops[1])}\n")


if __name__ == "__main__":
    main()
