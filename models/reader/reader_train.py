"""Teach the reader: `python -m thirdcard.models.reader.reader_train --device cpu --minutes 75 --out runs/reader`.

Draws the texture bank once, then crops without end in a worker process, and trains for a given time; checkpoints every
few minutes, goes on where it stopped with `--resume`. Needs the `train` extra (torch).
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from thirdcard.datasets.decks.deck import PHOTO_FOLDERS, deck_names
from thirdcard.models.precision import mixed_precision
from thirdcard.models.reader.reader_bank import build_bank, holds, open_bank
from thirdcard.models.reader.reader_crops import CropDifficulty, ReaderSchool
from thirdcard.models.reader.reader_evaluate import LessonBook, draw_lessons, evaluate, onnx_reader
from thirdcard.models.reader.reader_mining import deck_weights
from thirdcard.models.reader.reader_net import ReaderNet
from thirdcard.models.reader.reader_photos import read_photographs
from thirdcard.models.training_loop import lean_average, say
from thirdcard.models.warm_start import start_from_onnx

SEED = 20
PEAK_RATE = 3e-3
WEIGHT_DECAY = 0.02
WARM_UP = 0.03
EASY_UNTIL = 0.15
"""Share of the time over which crops grow from clean to hard."""
REPLAY = 40
"""After so many batches each comes back once, turned by half a turn: drawing costs about as much as learning."""

OTHER_INKS = 0.12
"""Share of the crops whose card is printed in inks of another deck, any for any suit."""

ARTWORK_WEIGHT = 10.0
"""How much oftener an artwork or photographed deck is drawn than a machine-made one."""

Batch = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]
Weights = npt.NDArray[np.float64]
"""(decks,) how often each deck of the bank is drawn."""


class SharedProgress(Protocol):
    """Share of the time that is spent, 0 to 1, told to the workers."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderTrainSettings:
    """What the command line says."""

    device: str
    minutes: float
    batch: int
    threads: int
    workers: int
    out: Path
    decks: Path | None
    photos: Path | None
    resume: bool
    rate: float
    start: Path | None
    """An earlier run's checkpoint, or an ONNX file that one was exported to."""
    seed: int
    mine: int
    """Crops of each deck that the beginning is tried on, so that decks which it misreads are drawn oftener; 0: none."""


def main(arguments: list[str] | None = None) -> int:
    """Train, evaluating and saving now and then; returns 0."""
    settings = _parse(arguments)
    torch.set_num_threads(settings.threads)
    cv2.setNumThreads(1)
    torch.manual_seed(settings.seed)
    settings.out.mkdir(parents=True, exist_ok=True)
    train_bank, held_out_bank = _banks(settings)
    lessons = draw_lessons(open_bank(held_out_bank), seed=99, count=2000)
    _Training(settings, lessons).run(train_bank)
    return 0


class _Training:
    """The network, its average, and how far it has come."""

    def __init__(self, settings: ReaderTrainSettings, lessons: LessonBook) -> None:
        self._settings, self._lessons = settings, lessons
        self._net = ReaderNet().to(settings.device, memory_format=torch.channels_last)
        self._average = torch.optim.swa_utils.AveragedModel(self._net, multi_avg_fn=lean_average, use_buffers=True)
        self._optimizer = torch.optim.AdamW(self._net.parameters(), PEAK_RATE, weight_decay=WEIGHT_DECAY)
        self._spent_s, self._seen = 0.0, 0
        if settings.resume and self._path.exists():
            self._load()
        elif settings.start is not None and settings.start.suffix != ".onnx":
            self._begin_with(settings.start)

    @property
    def _path(self) -> Path:
        return self._settings.out / "last.pt"

    def run(self, bank: Path) -> None:
        """Learn until the time is spent."""
        total_s = self._settings.minutes * 60
        progress = multiprocessing.Value("d", self._spent_s / total_s)
        weights = _deck_weights(bank, self._settings)
        batches = _batches(bank, weights, self._settings, progress, seed=self._settings.seed + round(self._spent_s))
        if self._settings.start is not None and self._settings.start.suffix == ".onnx" and not self._seen:
            start_from_onnx(self._net, self._settings.start, self._pictures(next(batches)[0]))
        started, before_s, saved, judged = time.perf_counter(), self._spent_s, 0.0, self._spent_s
        losses: deque[float] = deque(maxlen=200)
        while self._spent_s < total_s:
            losses.append(self._learn(next(batches), self._spent_s / total_s))
            self._spent_s = before_s + time.perf_counter() - started
            progress.value = self._spent_s / total_s
            if self._spent_s - saved > 60:
                say(f"{self._spent_s:.0f} s, {self._seen} crops, loss {np.mean(losses):.4f}")
                self._save()
                saved = self._spent_s
            if self._spent_s - judged > 900:
                say(evaluate(self._average.module, self._lessons).text())
                judged = self._spent_s
        self._save()
        say(evaluate(self._average.module, self._lessons).text())

    def _learn(self, batch: Batch, done: float) -> float:
        for group in self._optimizer.param_groups:
            group["lr"] = (
                self._settings.rate * min(1.0, done / WARM_UP + 0.01) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
            )
        device = self._settings.device
        pictures = self._pictures(batch[0])
        labels = torch.from_numpy(batch[1]).to(device)
        self._net.train()
        with mixed_precision(device):
            logits = self._net(pictures.contiguous(memory_format=torch.channels_last))
        loss = functional.cross_entropy(logits.float(), labels)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        self._optimizer.step()
        self._average.update_parameters(self._net)
        self._seen += len(labels)
        return float(loss.detach())

    def _pictures(self, crops: npt.NDArray[np.uint8]) -> torch.Tensor:
        return torch.from_numpy(crops).to(self._settings.device).permute(0, 3, 1, 2).float().div_(255)

    def _save(self) -> None:
        state = {
            "net": self._net.state_dict(),
            "average": self._average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "spent_s": self._spent_s,
            "seen": self._seen,
            "settings": json.dumps(
                {"minutes": self._settings.minutes, "batch": self._settings.batch, "seed": self._settings.seed}
            ),
        }
        torch.save(state, self._path.with_suffix(".new"))
        self._path.with_suffix(".new").replace(self._path)

    def _begin_with(self, checkpoint: Path) -> None:
        """Take over the average of an earlier run, as a beginning."""
        state = torch.load(checkpoint, map_location=self._settings.device, weights_only=True)["average"]
        weights = {key.removeprefix("module."): value for key, value in state.items() if key != "n_averaged"}
        self._net.load_state_dict(weights)

    def _load(self) -> None:
        state = torch.load(self._path, map_location=self._settings.device, weights_only=True)
        self._net.load_state_dict(state["net"])
        self._average.load_state_dict(state["average"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._spent_s, self._seen = state["spent_s"], state["seen"]


def _deck_weights(bank_path: Path, settings: ReaderTrainSettings) -> Weights:
    """How often each deck is drawn: artwork oftener, and what the beginning misreads."""
    bank = open_bank(bank_path)
    weights = np.array([1.0 if name.startswith("machine:") else ARTWORK_WEIGHT for name in bank.names])
    if settings.mine and settings.start is not None and settings.start.suffix == ".onnx":
        mined = deck_weights(bank, onnx_reader(settings.start), seed=settings.seed, crops=settings.mine)
        hardest = [bank.names[i] for i in np.argsort(-mined)[:12]]
        say(f"{(mined > 1.5).sum()} of {len(mined)} decks drawn oftener, among them {', '.join(hardest)}")
        weights = weights * mined
    return weights


def _batches(
    bank: Path, weights: Weights, settings: ReaderTrainSettings, progress: SharedProgress, *, seed: int
) -> Iterator[Batch]:
    """Fresh batches from the workers, each followed by an older one turned by half a turn."""
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[Batch] = context.Queue(maxsize=12)
    for worker in range(settings.workers):
        context.Process(
            target=_work, args=(bank, weights, settings, seed + 100_000 * worker, queue, progress), daemon=True
        ).start()
    older: deque[Batch] = deque()
    while True:
        fresh = queue.get()
        yield fresh
        older.append(fresh)
        if len(older) > REPLAY:
            pictures, labels = older.popleft()
            yield np.ascontiguousarray(pictures[:, ::-1, ::-1]), labels


def _work(
    bank: Path,
    weights: Weights,
    settings: ReaderTrainSettings,
    seed: int,
    queue: multiprocessing.Queue[Batch],
    progress: SharedProgress,
) -> None:
    """Draw crops that grow from clean to hard over the first part of the time; runs until its parent ends."""
    cv2.setNumThreads(1)
    photos = read_photographs(settings.photos / "annotations.json", validation=False) if settings.photos else None
    lesson = CropDifficulty(other_inks=OTHER_INKS)
    school = ReaderSchool(open_bank(bank), seed=seed, lesson=lesson, photos=photos)
    school.weigh(weights)
    while True:
        hardness = 1.0 if settings.start else min(1.0, 0.35 + 0.65 * progress.value / EASY_UNTIL)
        smallest_px = 42.0 if hardness < 0.7 else lesson.width_px[0]
        school.lesson = replace(lesson, strength=hardness, width_px=(smallest_px, lesson.width_px[1]))
        pictures, labels, _ = school.batch(settings.batch)
        queue.put((pictures, labels))


def _banks(settings: ReaderTrainSettings) -> tuple[Path, Path]:
    """The texture banks of both splits; drawn on the first run and whenever the list of decks has changed."""
    made = []
    for split in ("train", "held_out"):
        path = Path("build/reader") / f"{split}.npy"
        names = deck_names("train" if split == "train" else "held_out", settings.decks)
        if split == "train" and settings.photos:
            names += [f"photo:{title}" for title in PHOTO_FOLDERS]
        if not holds(path, names):
            say(f"drawing {len(names)} decks into {path}")
            photos = settings.photos / "faces" if settings.photos else None
            build_bank(path, names, artwork=settings.decks, photos=photos)
        made.append(path)
    return made[0], made[1]


def _parse(arguments: list[str] | None) -> ReaderTrainSettings:
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.reader.reader_train", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--minutes", type=float, default=75.0, help="time to spend in all, over all resumed runs")
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--threads", type=int, default=1, help="torch threads")
    parser.add_argument("--workers", type=int, default=1, help="processes that draw crops")
    parser.add_argument("--out", type=Path, default=Path("runs/reader"))
    parser.add_argument(
        "--decks", type=Path, default=Path("build/decks"), help="what thirdcard.datasets.decks.rasterise made"
    )
    parser.add_argument("--photos", type=Path, help="optional: a folder with annotations.json, images/ and faces/")
    parser.add_argument("--rate", type=float, default=PEAK_RATE, help="highest learning rate")
    parser.add_argument("--from", dest="start", type=Path, help="a checkpoint or the shipped ONNX file to begin with")
    parser.add_argument("--seed", type=int, default=SEED, help="other seeds draw other crops")
    parser.add_argument("--mine", type=int, default=0, help="crops a deck to find those that --from misreads")
    parser.add_argument("--resume", action="store_true")
    told = vars(parser.parse_args(arguments))
    told["decks"] = told["decks"] if told["decks"].is_dir() else None
    return ReaderTrainSettings(**told)


if __name__ == "__main__":
    sys.exit(main())
