"""Teach the comparer: `python -m thirdcard.models.stacks.change_train --device cpu --minutes 25 --out runs/comparer
--seed 1`.

Learns from the files of `thirdcard.models.stacks.change_school`, also from those written while it runs; checkpoints
every minute and goes on where it stopped with `--resume`; `--from` begins with the weights that are shipped. Needs the
`train` extra (torch).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from thirdcard.models.precision import mixed_precision
from thirdcard.models.stacks import height_school
from thirdcard.models.stacks.change_net import CHANGE_UNIT_PX, ComparerNet
from thirdcard.models.stacks.change_school import MARGIN_PX, TRUTH, fates_of
from thirdcard.models.warm_start import start_from_onnx
from thirdcard.vision.inference import stack_height
from thirdcard.vision.inference.alignment import pulled_back
from thirdcard.vision.inference.stack_change import HEIGHT_PX, WIDTH_PX

PEAK_RATE = 4e-3
WEIGHT_DECAY = 0.02
WARM_UP = 0.03
EMA_DECAY = 0.99
CHANGE_WEIGHT = 0.3
_POOL = 4
"""Batches of noise that are kept."""
_RIM_PX = (stack_height.HEIGHT_PX - HEIGHT_PX) // 2 + height_school.MARGIN_PX - MARGIN_PX
"""What the looks before are larger on every side."""
_SHARED_GAIN, _SHARED_TINT, _OWN_GAIN, _OWN_TINT = 0.15, 0.05, 0.06, 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTrainSettings:
    """What the command line says."""

    device: str
    minutes: float
    batch: int
    threads: int
    school: Path
    out: Path
    seed: int
    resume: bool
    rate: float
    start: Path | None
    """An ONNX file that such a network was exported to."""
    part: str
    """Which of its networks."""


class Looks(NamedTuple):
    """One pair, each look (height + 2 margin, width + 2 margin, 3) uint8, BGR."""

    before: npt.NDArray[np.uint8]
    after: npt.NDArray[np.uint8]
    moved: npt.NDArray[np.uint8]


class PairFolder:
    """The pairs of one split; those that came since the last look are read too."""

    def __init__(self, folder: Path, split: str) -> None:
        self._folder, self._split = folder, split
        self._names: set[str] = set()
        self._parts: list[tuple[npt.NDArray[np.uint8], ...]] = []
        self._truths: list[npt.NDArray[np.float32]] = []
        self._starts = [0]

    def look(self) -> int:
        """Reads what is new and says how many pairs there are."""
        for path in sorted(self._folder.glob(f"{self._split}-*.npz")):
            if path.name not in self._names:
                self._names.add(path.name)
                with np.load(path) as file:
                    if not len(file["truths"]):
                        continue
                    before = np.ascontiguousarray(file["before"][:, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX])
                    self._parts.append((before, file["after"], file["moved"]))
                    self._truths.append(file["truths"])
                self._starts.append(self._starts[-1] + len(self._truths[-1]))
        if not self._parts:
            raise FileNotFoundError(
                f"{self._folder}: no {self._split}-*.npz; thirdcard.models.stacks.change_school writes them"
            )
        return self._starts[-1]

    def take(self, rows: npt.NDArray[np.int64]) -> tuple[list[Looks], npt.NDArray[np.float32]]:
        """Some pairs and their truths."""
        parts = np.searchsorted(self._starts, rows, side="right") - 1
        places = [(int(part), int(row) - self._starts[part]) for part, row in zip(parts, rows, strict=True)]
        pairs = [Looks(*(looks[i] for looks in self._parts[part])) for part, i in places]
        return pairs, np.stack([self._truths[part][i] for part, i in places])


class ChangeTraining:
    """The network, its average, and how far it has come."""

    def __init__(self, settings: ChangeTrainSettings) -> None:
        self._settings = settings
        self._rng = np.random.default_rng(settings.seed)
        self._light = PairLight(self._rng)
        self._net = ComparerNet().to(settings.device, memory_format=torch.channels_last)
        self._average = torch.optim.swa_utils.AveragedModel(
            self._net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(EMA_DECAY), use_buffers=True
        )
        self._optimizer = torch.optim.AdamW(self._net.parameters(), PEAK_RATE, weight_decay=WEIGHT_DECAY)
        self._spent_s, self._seen = 0.0, 0
        if settings.resume and self._path.exists():
            self._load()

    @property
    def _path(self) -> Path:
        return self._settings.out / "last.pt"

    def run(self) -> None:
        """Learn until the time is spent."""
        total_s, folder = self._settings.minutes * 60, PairFolder(self._settings.school, "train")
        if self._settings.start is not None and not self._seen:
            self._begin_with(self._settings.start, folder)
        started, before_s, saved_s = time.perf_counter(), self._spent_s, self._spent_s
        losses: list[tuple[float, float]] = []
        while self._spent_s < total_s:
            count = folder.look()
            for rows in self._orders(count):
                losses.append(self._learn(folder, rows, self._spent_s / total_s))
                self._spent_s = before_s + time.perf_counter() - started
                if self._spent_s >= total_s:
                    break
                if self._spent_s - saved_s > 60:
                    surprise, right = np.mean(losses, axis=0)
                    _say(f"{self._spent_s:.0f} s, {self._seen} of {count}, loss {surprise:.4f}, right {right:.3f}")
                    self._save()
                    saved_s, losses = self._spent_s, []
        self._save()
        _say(f"done: {self._seen} pairs in {self._spent_s:.0f} s")

    def _begin_with(self, path: Path, folder: PairFolder) -> None:
        """Takes an exported network's weights, its norms' statistics from pairs as training shows them."""
        rows = self._rng.integers(folder.look(), size=8 * self._settings.batch)
        start_from_onnx(self._net, path, self._drawn(folder, rows)[0], part=self._settings.part)
        self._average.module.load_state_dict(self._net.state_dict())

    def _orders(self, count: int) -> Iterator[npt.NDArray[np.int64]]:
        order = self._rng.permutation(count)
        batch = self._settings.batch
        for start in range(0, max(len(order) - batch, 0) + 1, batch):
            yield order[start : start + batch]

    def _learn(self, folder: PairFolder, rows: npt.NDArray[np.int64], done: float) -> tuple[float, float]:
        for group in self._optimizer.param_groups:
            group["lr"] = (
                self._settings.rate * min(1.0, done / WARM_UP + 0.02) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
            )
        images, fate, moved = self._drawn(folder, rows)
        self._net.train()
        with mixed_precision(self._settings.device):
            logits, told = self._net.told(images)
        error = (told - moved).abs() / CHANGE_UNIT_PX
        loss = torch.nn.functional.cross_entropy(logits.float(), fate)
        self._optimizer.zero_grad(set_to_none=True)
        (loss + CHANGE_WEIGHT * error.mean()).backward()
        torch.nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        self._optimizer.step()
        self._average.update_parameters(self._net)
        self._seen += len(rows)
        return float(loss.detach()), float((logits.argmax(dim=1) == fate).float().mean())

    def _drawn(self, folder: PairFolder, rows: npt.NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Some pairs, varied and in another light, and what became of them: fates, and what the change shows as."""
        pairs, truths = folder.take(rows)
        pictures, change = varied(pairs, truths, self._rng)
        device = self._settings.device
        images = self._light.relit(torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float())
        return images, *(torch.from_numpy(column).to(device) for column in change)

    def _save(self) -> None:
        settings = {"minutes": self._settings.minutes, "batch": self._settings.batch, "seed": self._settings.seed}
        state = {
            "net": self._net.state_dict(),
            "average": self._average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "spent_s": self._spent_s,
            "seen": self._seen,
            "settings": json.dumps(settings),
        }
        torch.save(state, self._path.with_suffix(".new"))
        self._path.with_suffix(".new").replace(self._path)

    def _load(self) -> None:
        state = torch.load(self._path, map_location=self._settings.device, weights_only=True)
        self._net.load_state_dict(state["net"])
        self._average.load_state_dict(state["average"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._spent_s, self._seen = state["spent_s"], state["seen"]


def varied(
    pairs: list[Looks], truths: npt.NDArray[np.float32], rng: np.random.Generator
) -> tuple[npt.NDArray[np.uint8], tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
    """Shift each pair within its margin, mirror half, turn time round in half, let colour channels change places.

    Args:
        pairs: As the school wrote them.
        truths: (N, len(TRUTH)).
        rng: Where chance comes from.

    Returns:
        (N, height, width, 9) uint8, RGB before, after, and after where the stack was pushed to; which of FATES each
        is; and what the change shows as, pixels.
    """
    count = len(pairs)
    pictures = np.empty((count, HEIGHT_PX, WIDTH_PX, 9), np.uint8)
    shifts = rng.integers(0, 2 * MARGIN_PX + 1, (count, 2))
    channels = np.array([[2, 1, 0]] * 5 + [[0, 1, 2], [1, 2, 0], [0, 2, 1]])[rng.integers(8, size=count)]
    is_mirrored, is_reversed = rng.random((2, count)) < 0.5
    for i, (dx, dy) in enumerate(shifts):
        before, after, moved = pairs[i]
        if is_reversed[i]:
            before, after, moved = moved, _pushed_back(before, truths[i]), before
        for k, look in enumerate((before, after, moved)):
            cut = look[dy : dy + HEIGHT_PX, dx : dx + WIDTH_PX]
            pictures[i, :, :, 3 * k : 3 * k + 3] = (cut[:, ::-1] if is_mirrored[i] else cut)[:, :, channels[i]]
    added = truths[:, TRUTH.index("added")] * np.where(is_reversed, -1, 1)
    fate = fates_of(added, truths[:, TRUTH.index("touch")])
    return pictures, (fate, (added * truths[:, TRUTH.index("chip_px")]).astype(np.float32))


def _pushed_back(before: npt.NDArray[np.uint8], truth: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """The look before in the frame that is centred on the stack after."""
    push = float(truth[TRUTH.index("push_x_px")]), float(truth[TRUTH.index("push_y_px")])
    return pulled_back(before, push, size_wh_px=(before.shape[1], before.shape[0]))


class PairLight:
    """Changes the light of pairs, a little differently before and after, and adds noise, which it keeps for a while."""

    _RENEWED_EVERY = 400

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._noise = torch.empty(0)
        self._used = 0

    def relit(self, images: torch.Tensor) -> torch.Tensor:
        """Pairs, (N, 9, height, width) of 0 to 255, in another light, 0 to 1; the argument is overwritten."""
        count = len(images)
        if self._noise.shape[1:] != images.shape[1:] or self._used >= self._RENEWED_EVERY:
            wanted = (_POOL * count, *images.shape[1:])
            self._noise = torch.randn(wanted).to(images.device, memory_format=torch.channels_last)
            self._used = 0
        self._used += 1
        gain, offset, strength = (torch.from_numpy(each).float().to(images.device) for each in self._drawn(count))
        first = int(self._rng.integers((_POOL - 1) * count + 1))
        noise = self._noise[first : first + count]
        return images.mul_(gain).add_(offset).addcmul_(noise, strength).clamp_(0, 1)

    def _drawn(self, count: int) -> list[npt.NDArray[np.float64]]:
        """Gains, offsets and strengths of noise, (count, 9, 1, 1) each; both looks after have the same."""
        rng = self._rng
        log_gain = np.tile(rng.normal(0, _SHARED_GAIN, (count, 1)) + rng.normal(0, _SHARED_TINT, (count, 3)), (1, 2))
        log_gain += np.repeat(rng.normal(0, _OWN_GAIN, (count, 2)), 3, axis=1) + rng.normal(0, _OWN_TINT, (count, 6))
        offset = np.repeat(rng.normal(0, 0.03, (count, 1)) + rng.normal(0, 0.012, (count, 2)), 3, axis=1)
        strength = np.repeat(rng.random((count, 2)) ** 3 * 0.02, 3, axis=1)
        each_after = (
            np.concatenate([each, each[:, 3:]], axis=1) for each in (np.exp(log_gain) / 255, offset, strength)
        )
        return [each[:, :, None, None] for each in each_after]


def _say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Train as the command line says; returns 0."""
    settings = _parse(arguments)
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    settings.out.mkdir(parents=True, exist_ok=True)
    ChangeTraining(settings).run()
    return 0


def _parse(arguments: list[str] | None) -> ChangeTrainSettings:
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.stacks.change_train", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--minutes", type=float, default=25.0, help="time to spend in all, over all resumed runs")
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--threads", type=int, default=1, help="torch threads")
    parser.add_argument("--school", type=Path, default=Path("build/comparer"))
    parser.add_argument("--out", type=Path, default=Path("runs/comparer"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--rate", type=float, default=PEAK_RATE, help="highest learning rate")
    parser.add_argument("--from", dest="start", type=Path, help="an exported ONNX file to begin with")
    parser.add_argument("--part", default="", help="which of the file's networks, where it holds several: networks.1")
    return ChangeTrainSettings(**vars(parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main())
