"""Teach the gauge: `python -m thirdcard.models.stacks.height_train --device cpu --minutes 15 --out runs/gauge --seed
1`.

Learns from the looks before in the files of `thirdcard.models.stacks.change_school`, also from those written while it
runs; checkpoints every minute and goes on where it stopped with `--resume`. Needs the `train` extra (torch).
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

import numpy as np
import numpy.typing as npt
import torch

from thirdcard.models.precision import mixed_precision
from thirdcard.models.stacks.change_school import TRUTH
from thirdcard.models.stacks.height_net import CELL_PX, GRID_HW, GaugeNet
from thirdcard.models.stacks.height_school import MARGIN_PX
from thirdcard.vision.inference.stack_height import HEIGHT_PX, WIDTH_PX

PEAK_RATE = 4e-3
WEIGHT_DECAY = 0.01
WARM_UP = 0.03
EMA_DECAY = 0.99
DISPLACEMENT_WEIGHT, PLACE_WEIGHT, MAP_WEIGHT = 0.2, 0.2, 1.0
LEAST_LOG_SCALE, MOST_LOG_SCALE = -4.0, 4.0
_POOL = 4
"""Batches of noise that are kept."""
_TOLD = [TRUTH.index(name) for name in ("displacement_px", "foot_x_px", "foot_y_px")]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeightTrainSettings:
    """What the command line says."""

    device: str
    minutes: float
    batch: int
    threads: int
    school: Path
    out: Path
    seed: int
    resume: bool


class LookFolder:
    """The looks of one split; those that came since the last look at the folder are read too."""

    def __init__(self, folder: Path, split: str) -> None:
        self._folder, self._split = folder, split
        self._names: set[str] = set()
        self._crops: list[npt.NDArray[np.uint8]] = []
        self._truths: list[npt.NDArray[np.float32]] = []
        self._starts = [0]

    def look(self) -> int:
        """Reads what is new and says how many crops there are."""
        for path in sorted(self._folder.glob(f"{self._split}-*.npz")):
            if path.name not in self._names:
                self._names.add(path.name)
                with np.load(path) as file:
                    self._crops.append(file["before"])
                    self._truths.append(file["truths"][:, _TOLD])
                self._starts.append(self._starts[-1] + len(self._truths[-1]))
        if not self._crops:
            raise FileNotFoundError(
                f"{self._folder}: no {self._split}-*.npz; thirdcard.models.stacks.change_school writes them"
            )
        return self._starts[-1]

    def take(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
        """Some crops with their margin, and displacement, foot x and foot y of each."""
        parts = np.searchsorted(self._starts, rows, side="right") - 1
        places = [(int(part), int(row) - self._starts[part]) for part, row in zip(parts, rows, strict=True)]
        return np.stack([self._crops[part][i] for part, i in places]), np.stack(
            [self._truths[part][i] for part, i in places]
        )


class HeightTraining:
    """The network, its average, and how far it has come."""

    def __init__(self, settings: HeightTrainSettings) -> None:
        self._settings = settings
        self._rng = np.random.default_rng(settings.seed)
        self._light = LookLight(self._rng)
        self._net = GaugeNet().to(settings.device, memory_format=torch.channels_last)
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
        total_s, folder = self._settings.minutes * 60, LookFolder(self._settings.school, "train")
        started, before_s, saved_s = time.perf_counter(), self._spent_s, self._spent_s
        losses: list[float] = []
        while self._spent_s < total_s:
            count = folder.look()
            for rows in self._orders(count):
                losses.append(self._learn(folder, rows, self._spent_s / total_s))
                self._spent_s = before_s + time.perf_counter() - started
                if self._spent_s >= total_s:
                    break
                if self._spent_s - saved_s > 60:
                    _say(f"{self._spent_s:.0f} s, {self._seen} of {count}, loss {np.mean(losses):.4f}")
                    self._save()
                    saved_s, losses = self._spent_s, []
        self._save()
        _say(f"{self._spent_s:.0f} s, {self._seen} crops seen; {self._path}")

    def _orders(self, count: int) -> Iterator[npt.NDArray[np.int64]]:
        order = self._rng.permutation(count)
        for start in range(0, count - self._settings.batch + 1, self._settings.batch):
            yield order[start : start + self._settings.batch]

    def _learn(self, folder: LookFolder, rows: npt.NDArray[np.int64], done: float) -> float:
        for group in self._optimizer.param_groups:
            group["lr"] = PEAK_RATE * min(1.0, done / WARM_UP + 0.02) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
        pictures, told = varied(*folder.take(rows), self._rng)
        device = self._settings.device
        images = self._light.relit(torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float())
        self._net.train()
        with mixed_precision(device):
            found, maps = self._net.look(images)
        loss = gauge_loss(found, maps, torch.from_numpy(told).to(device))
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        self._optimizer.step()
        self._average.update_parameters(self._net)
        self._seen += len(rows)
        return float(loss.detach())

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


def gauge_loss(told: torch.Tensor, maps: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Laplace's negative log likelihood of the displacement, log b + |error| / b, and how well the places are found.

    Args:
        told: (N, 6) as the network answers.
        maps: (N, 2, cells) logarithms of its maps of the foot and the top.
        truth: (N, 3) displacement, foot x and foot y; the foot NaN where it is not known.
    """
    log_scale = told[:, 1].clamp(LEAST_LOG_SCALE, MOST_LOG_SCALE)
    error = (told[:, 0] - truth[:, 0]).abs()
    likelihood = (error * torch.exp(-log_scale) + log_scale).mean()
    is_known = truth[:, 1].isfinite().float()
    share = is_known.mean().clamp(min=1e-3)
    foot = truth[:, 1:3].nan_to_num()
    top = torch.stack([foot[:, 0], foot[:, 1] - truth[:, 0]], dim=1)
    places = ((told[:, 2:] - torch.cat([foot, top], dim=1)).abs().mean(dim=1) * is_known).mean() / share
    wanted = torch.stack([spread(foot), spread(top)], dim=1)
    surprise = -((wanted * maps).sum(dim=2).mean(dim=1) * is_known).mean() / share
    return likelihood + DISPLACEMENT_WEIGHT * error.mean() + PLACE_WEIGHT * places + MAP_WEIGHT * surprise


def spread(places_px: torch.Tensor) -> torch.Tensor:
    """(N, cells): weights on the four cells round each place, (N, 2), whose mean is that place."""
    height, width = GRID_HW
    x = (places_px[:, 0] + WIDTH_PX / 2) / CELL_PX - 0.5
    y = (places_px[:, 1] + HEIGHT_PX / 2) / CELL_PX - 0.5
    columns = torch.arange(width, device=places_px.device)
    rows = torch.arange(height, device=places_px.device)
    across = (1 - (x.clamp(0, width - 1)[:, None] - columns).abs()).clamp(min=0)
    down = (1 - (y.clamp(0, height - 1)[:, None] - rows).abs()).clamp(min=0)
    return (down[:, :, None] * across[:, None, :]).flatten(1)


def varied(
    crops: npt.NDArray[np.uint8], truth: npt.NDArray[np.float32], rng: np.random.Generator
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Shift each crop within its margin, mirror half of them, and let colour channels change places in some.

    Args:
        crops: (N, height + 2 margin, width + 2 margin, 3) uint8, BGR.
        truth: (N, 3) displacement, foot x and foot y in pixels.
        rng: Where chance comes from.

    Returns:
        (N, height, width, 3) uint8, RGB, and their (N, 3) truth.
    """
    pictures = np.empty((len(crops), HEIGHT_PX, WIDTH_PX, 3), np.uint8)
    moved = truth.copy()
    shifts = rng.integers(0, 2 * MARGIN_PX + 1, (len(crops), 2))
    channels = np.array([[2, 1, 0]] * 5 + [[0, 1, 2], [1, 2, 0], [0, 2, 1]])[rng.integers(8, size=len(crops))]
    for i, (dx, dy) in enumerate(shifts):
        crop = crops[i, dy : dy + HEIGHT_PX, dx : dx + WIDTH_PX]
        is_mirrored = rng.random() < 0.5
        pictures[i] = (crop[:, ::-1] if is_mirrored else crop)[:, :, channels[i]]
        moved[i, 1:] += (MARGIN_PX - dx, MARGIN_PX - dy)
        moved[i, 1] *= -1 if is_mirrored else 1
    return pictures, moved


class LookLight:
    """Changes brightness, contrast and colour of pictures a little, and adds noise; keeps its noise for a while."""

    _RENEWED_EVERY = 400

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._noise = torch.empty(0)
        self._used = 0

    def relit(self, images: torch.Tensor) -> torch.Tensor:
        """Pictures, (N, 3, height, width) of 0 to 255, in another light, 0 to 1; the argument is overwritten."""
        count, device = len(images), images.device
        gain = np.exp(self._rng.normal(0, 0.18, (count, 1, 1, 1)) + self._rng.normal(0, 0.05, (count, 3, 1, 1))) / 255
        offset = self._rng.normal(0, 0.03, (count, 1, 1, 1))
        strength = self._rng.random((count, 1, 1, 1)) ** 3 * 0.02
        images.mul_(torch.from_numpy(gain).float().to(device)).add_(torch.from_numpy(offset).float().to(device))
        if self._noise.shape[1:] != images.shape[1:] or self._used >= self._RENEWED_EVERY:
            wanted = (_POOL * count, *images.shape[1:])
            self._noise = torch.randn(wanted).to(device, memory_format=torch.channels_last)
            self._used = 0
        self._used += 1
        first = int(self._rng.integers((_POOL - 1) * count + 1))
        noise = self._noise[first : first + count]
        return images.addcmul_(noise, torch.from_numpy(strength).float().to(device)).clamp_(0, 1)


def _say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Train as the command line says; returns 0."""
    settings = _parse(arguments)
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    settings.out.mkdir(parents=True, exist_ok=True)
    HeightTraining(settings).run()
    return 0


def _parse(arguments: list[str] | None) -> HeightTrainSettings:
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.stacks.height_train", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--minutes", type=float, default=15.0, help="time to spend in all, over all resumed runs")
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--threads", type=int, default=1, help="torch threads")
    parser.add_argument("--school", type=Path, default=Path("build/comparer"))
    parser.add_argument("--out", type=Path, default=Path("runs/gauge"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    return HeightTrainSettings(**vars(parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main())
