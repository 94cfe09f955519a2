"""Train a network for a given time from batches that other processes draw.

The learning rate follows the clock, checkpoints are written every minute, and an interrupted run can be resumed. It may
start from another run's checkpoint or from the shipped ONNX file. What is trained is a `Subject`. Needs the `train`
extra (torch).
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty
from typing import Any, Protocol

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from thirdcard.models.precision import mixed_precision
from thirdcard.models.warm_start import start_from_onnx

WARM_UP = 0.03
"""Share of the time over which the learning rate rises."""
MEASURED_ROWS = 384
"""Rows on which the batch-norm statistics are measured if a network starts from an ONNX file."""
JUDGED_EVERY_S = 600.0

Batch = tuple[npt.NDArray[Any], ...]
Tensors = tuple[torch.Tensor, ...]


class TimeSpent(Protocol):
    """Share of the time that is spent, 0 to 1, shared with the processes that draw."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a subject is trained, apart from the command line's settings."""

    weight_decay: float = 0.02
    average_decay: float = 0.998
    """Weight of the running average at each step, after the first steps."""
    replay: int = 40
    """Number of batches after which each batch is repeated once, varied; 0 for never. Drawing a batch costs about as
    much as training on it."""


class Subject(Protocol):
    """What the training loop trains: a network, its recipe, and where its batches come from."""

    net: nn.Module
    recipe: Recipe

    def batches(self, seed: int, count: int, progress: TimeSpent) -> Iterator[Batch]:
        """Yield fresh batches of `count` rows without end; called in another process."""

    def again(self, batch: Batch) -> Batch:
        """Return a variation of an older batch, which costs almost nothing."""

    def pictures(self, batch: Tensors) -> torch.Tensor:
        """Return the network's input for a batch."""

    def loss(self, net: nn.Module, batch: Tensors) -> torch.Tensor:
        """Return the loss of a batch, to be minimised."""

    def judge(self, net: nn.Module) -> str:
        """Return a line of figures on data that is never trained on; empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """The command line's settings for any subject."""

    device: str
    minutes: float
    batch: int
    threads: int
    workers: int
    out: Path
    rate: float
    start: Path | None
    """An earlier run's checkpoint, or an ONNX file exported from such a network."""
    seed: int
    resume: bool
    part: str = ""
    """Which network of that file, if it contains several."""

    @property
    def checkpoint(self) -> Path:
        """The file to which the run saves itself."""
        return self.out / "last.pt"


def add_arguments(
    parser: argparse.ArgumentParser, *, out: Path, batch: int, rate: float, minutes: float = 60.0, seed: int = 1
) -> None:
    """Add the options that `loop_settings` reads."""
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--minutes", type=float, default=minutes, help="time to spend in all, over all resumed runs")
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--threads", type=int, default=1, help="torch threads")
    parser.add_argument("--workers", type=int, default=1, help="processes that draw")
    parser.add_argument("--out", type=Path, default=out)
    parser.add_argument("--rate", type=float, default=rate, help="highest learning rate")
    parser.add_argument("--from", dest="start", type=Path, help="a checkpoint or an exported ONNX file to begin with")
    parser.add_argument("--seed", type=int, default=seed, help="other seeds draw other lessons")
    parser.add_argument("--resume", action="store_true")


def loop_settings(told: argparse.Namespace) -> LoopSettings:
    """Return the settings of parsed arguments."""
    names = [name for name in LoopSettings.__dataclass_fields__ if hasattr(told, name)]
    return LoopSettings(**{name: getattr(told, name) for name in names})


def teach(subject: Subject, settings: LoopSettings) -> None:
    """Train until the time is spent; `<out>/last.pt` then holds the network and its running average."""
    torch.set_num_threads(settings.threads)
    cv2.setNumThreads(1)
    torch.manual_seed(settings.seed)
    settings.out.mkdir(parents=True, exist_ok=True)
    _Training(subject, settings).run()


def load_average(checkpoint: Path, net: nn.Module) -> nn.Module:
    """Load the running average of a checkpoint into `net`, and return it ready to run."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)["average"]
    net.load_state_dict({key.removeprefix("module."): value for key, value in state.items() if key != "n_averaged"})
    return net.eval()


class DrawingError(Exception):
    """No more batches are drawn."""


def say(text: str) -> None:
    """Write a line of the log, with the time."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stdout.flush()


class _Training:
    """The network, its average, and the progress of its training."""

    def __init__(self, subject: Subject, settings: LoopSettings) -> None:
        self._subject, self._settings = subject, settings
        self._net = subject.net.to(settings.device, memory_format=torch.channels_last)
        self._average = torch.optim.swa_utils.AveragedModel(
            self._net, multi_avg_fn=lean_average(subject.recipe.average_decay), use_buffers=True
        )
        decay = subject.recipe.weight_decay
        self._optimizer = torch.optim.AdamW(self._net.parameters(), settings.rate, weight_decay=decay)
        self._spent_s, self._seen = 0.0, 0
        if settings.resume and settings.checkpoint.exists():
            self._load()

    def run(self) -> None:
        """Train until the time is spent."""
        settings = self._settings
        total_s, before_s = settings.minutes * 60, self._spent_s
        progress = multiprocessing.Value("d", before_s / max(total_s, before_s, 1.0))
        with closing(_batches(self._subject, settings, progress, round(before_s))) as batches:
            if not self._seen:
                self._begin(batches)
            started, saved_s, judged_s = time.perf_counter(), before_s, before_s
            losses: deque[float] = deque(maxlen=200)
            while self._spent_s < total_s:
                losses.append(self._learn(next(batches), self._spent_s / total_s))
                self._spent_s = before_s + time.perf_counter() - started
                progress.value = self._spent_s / total_s
                if self._spent_s - saved_s > 60:
                    say(f"{self._spent_s:.0f} s, {self._seen} rows, loss {np.mean(losses):.4f}")
                    self._save()
                    saved_s = self._spent_s
                if self._spent_s - judged_s > JUDGED_EVERY_S:
                    self._judge()
                    judged_s = self._spent_s
        self._save()
        say(f"{self._spent_s:.0f} s, {self._seen} rows in all; {settings.checkpoint}")
        self._judge()

    def _begin(self, batches: Iterator[Batch]) -> None:
        """Load the weights to start from, if there are any."""
        start = self._settings.start
        if start is None:
            return
        if start.suffix == ".onnx":
            count = max(1, MEASURED_ROWS // self._settings.batch)
            shown = [self._subject.pictures(self._tensors(next(batches))) for _ in range(count)]
            start_from_onnx(self._net, start, torch.cat(shown), part=self._settings.part)
        else:
            load_average(start, self._net)
        self._average.module.load_state_dict(self._net.state_dict())

    def _judge(self) -> None:
        figures = self._subject.judge(self._average.module.eval())
        if figures:
            say(figures)

    def _tensors(self, batch: Batch) -> Tensors:
        return tuple(torch.from_numpy(part).to(self._settings.device) for part in batch)

    def _learn(self, batch: Batch, done: float) -> float:
        fade = 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.rate * min(1.0, done / WARM_UP + 0.01) * fade
        self._net.train()
        with mixed_precision(self._settings.device):
            loss = self._subject.loss(self._net, self._tensors(batch))
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        self._optimizer.step()
        self._average.update_parameters(self._net)
        self._seen += len(batch[-1])
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
        draft = self._settings.checkpoint.with_suffix(".new")
        torch.save(state, draft)
        draft.replace(self._settings.checkpoint)

    def _load(self) -> None:
        state = torch.load(self._settings.checkpoint, map_location=self._settings.device, weights_only=True)
        self._net.load_state_dict(state["net"])
        self._average.load_state_dict(state["average"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._spent_s, self._seen = state["spent_s"], state["seen"]


def lean_average(decay: float) -> Callable[[list[torch.Tensor], list[torch.Tensor], torch.Tensor], None]:
    """Return a function that moves an average towards the network: fast at first, by 1 - `decay` later."""

    def move(averaged: list[torch.Tensor], current: list[torch.Tensor], count: torch.Tensor) -> None:
        if torch.is_floating_point(averaged[0]):
            n = float(count)
            torch._foreach_lerp_(averaged, current, 1 - min(decay, (1 + n) / (10 + n)))
        else:
            torch._foreach_copy_(averaged, current)

    return move


def _batches(
    subject: Subject, settings: LoopSettings, progress: TimeSpent, spent_s: int
) -> Generator[Batch, None, None]:
    """Yield fresh batches from the workers, each followed by an older one; closing it ends the workers."""
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[Batch] = context.Queue(maxsize=12)
    workers = []
    for worker in range(settings.workers):
        told = (subject, settings.seed + spent_s + 100_000 * worker, settings.batch, queue, progress)
        workers.append(context.Process(target=_draw, args=told, daemon=True))
        workers[-1].start()
    older: deque[Batch] = deque()
    try:
        while True:
            fresh = _next(queue, workers)
            yield fresh
            if subject.recipe.replay:
                older.append(fresh)
            if len(older) > subject.recipe.replay:
                yield subject.again(older.popleft())
    finally:
        for process in workers:
            process.terminate()
            process.join()


def _next(queue: multiprocessing.Queue[Batch], workers: Sequence[BaseProcess]) -> Batch:
    """Return the next batch; raise DrawingError if the processes that draw have all ended."""
    while True:
        with suppress(Empty):
            return queue.get(timeout=5.0)
        if not any(process.is_alive() for process in workers):
            raise DrawingError("the processes that draw have ended; what they wrote above says why")


def _draw(subject: Subject, seed: int, count: int, queue: multiprocessing.Queue[Batch], progress: TimeSpent) -> None:
    """Fill the queue until the parent ends."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    for batch in subject.batches(seed, count, progress):
        queue.put(batch)
