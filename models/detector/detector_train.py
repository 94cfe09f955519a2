"""Train the detector with Ultralytics, in hours on a CPU or in minutes on a GPU.

    python -m thirdcard.models.detector.detector_train --data FOLDER [--data MORE] --minutes 75 --out runs/detector

The data folders are written by `python -m thirdcard.datasets.scene.write_school`. The last line printed names the
checkpoint; `models/detector/detector_export.py` exports it to the file that is used. Imports torch and Ultralytics,
which are not needed at run time.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from thirdcard.models.detector.detector_school import lay_out
from thirdcard.models.detector.ultralytics_setup import prepare, to_channels_last, use_bfloat16_on_cpu

NET = Path(__file__).with_name("detector_net.yaml")

AUGMENTATION: dict[str, float] = {
    "degrees": 180.0,
    "translate": 0.1,
    "scale": 0.25,
    "fliplr": 0.5,
    "flipud": 0.5,
    "hsv_h": 0.02,
    "hsv_s": 0.5,
    "hsv_v": 0.35,
    "mosaic": 0.25,
    "erasing": 0.0,
}
"""Rotations and mirror images show a table from other sides; scales vary as camera heights do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """What to train on, for how long and on which device."""

    schools: Sequence[Path]
    out: Path
    device: str = "cpu"
    batch: int = 16
    image_px: int = 320
    minutes: float | None = None
    """Training time in minutes; if set, it overrides `epochs`."""
    epochs: int = 30
    rate: float = 0.002
    last_rate: float = 0.02
    """Final learning rate as a fraction of `rate`."""
    weights: Path | None = None
    """Checkpoint or shipped ONNX file to start from; of another network's checkpoint, the matching weights are used."""
    resume: bool = False
    threads: int = 1
    workers: int = 0
    seed: int = 0


class RateByTime:
    """A callback that lowers the learning rate over time: half a cosine from `rate` to its final fraction.

    Ultralytics itself changes the rate only once per epoch, and a short training has few epochs.
    """

    def __init__(self, plan: TrainingPlan) -> None:
        self._plan = plan
        self._started = monotonic()

    def __call__(self, trainer: Any) -> None:
        """Set the learning rate of every parameter group."""
        assert self._plan.minutes is not None
        share = min(1.0, (monotonic() - self._started) / (60 * self._plan.minutes))
        fall = self._plan.last_rate + (1 - self._plan.last_rate) * (1 + math.cos(math.pi * share)) / 2
        for group in trainer.optimizer.param_groups:
            group["lr"] = self._plan.rate * fall


def start_from_shipped(path: Path) -> Callable[[Any], None]:
    """Return a callback that loads the weights of an ONNX file written by `models/detector/detector_export.py`."""

    def begin(trainer: Any) -> None:
        from thirdcard.models.warm_start import start_from_onnx

        pictures = trainer.preprocess_batch(next(iter(trainer.train_loader)))["img"].float()
        start_from_onnx(trainer.model, path, pictures)
        trainer.ema.ema.load_state_dict(trainer.model.state_dict())

    return begin


def train(plan: TrainingPlan) -> Path:
    """Train, and return the checkpoint with the best score on the check pictures."""
    prepare(threads=plan.threads)
    from ultralytics import YOLO

    plan.out.mkdir(parents=True, exist_ok=True)
    last = plan.out / "run" / "weights" / "last.pt"
    model = YOLO(str(last if plan.resume else NET), task="obb")
    if plan.weights is not None and not plan.resume:
        if plan.weights.suffix == ".onnx":
            model.add_callback("on_pretrain_routine_end", start_from_shipped(plan.weights))
        else:
            model = model.load(str(plan.weights))
    if plan.device == "cpu":
        use_bfloat16_on_cpu()
        model.add_callback("on_train_start", to_channels_last)
    if plan.minutes is not None:
        model.add_callback("on_train_batch_start", RateByTime(plan))
    model.train(**_settings(plan))
    best = plan.out / "run" / "weights" / "best.pt"
    return best if best.exists() else last


def _settings(plan: TrainingPlan) -> dict[str, Any]:
    """Return all options for Ultralytics."""
    settings: dict[str, Any] = {
        "data": str(lay_out(plan.schools, plan.out)),
        "imgsz": plan.image_px,
        "batch": plan.batch,
        "nbs": plan.batch,
        "device": plan.device,
        "workers": plan.workers,
        "seed": plan.seed,
        "project": str(plan.out.resolve()),
        "name": "run",
        "exist_ok": True,
        "resume": plan.resume,
        "optimizer": "AdamW",
        "lr0": plan.rate,
        "lrf": plan.last_rate,
        "cos_lr": True,
        "warmup_epochs": 0.5,
        "warmup_bias_lr": 0.0,  # Ultralytics' 0.1 is meant for SGD: by AdamW it would undo the weights begun with
        "close_mosaic": 2,
        "plots": False,
        "cache": "ram",
        "patience": 1000,
        "epochs": plan.epochs,
        **AUGMENTATION,
    }
    if plan.minutes is not None:
        settings["time"] = plan.minutes / 60
    return settings


def parse_arguments(arguments: Sequence[str] | None = None) -> TrainingPlan:
    """Parse the command line into a training plan."""
    parser = argparse.ArgumentParser(prog="thirdcard.models.detector.detector_train", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True, help="a school's folder; may be repeated")
    parser.add_argument("--out", type=Path, default=Path("runs/detector"))
    parser.add_argument("--device", default="cpu", help="cpu, or a GPU's number")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--imgsz", type=int, default=320)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--minutes", type=float, help="train for so long instead of so many epochs")
    parser.add_argument("--rate", type=float, default=0.002, help="learning rate to begin with")
    parser.add_argument("--last-rate", type=float, default=0.02, help="the rate at the end, as a part of --rate")
    parser.add_argument("--weights", type=Path, help="a checkpoint or the shipped ONNX file to start from")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out that was interrupted")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = vars(parser.parse_args(arguments))
    return TrainingPlan(schools=options.pop("data"), image_px=options.pop("imgsz"), **options)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train with the options of the command line and print the path of the checkpoint."""
    print(f"checkpoint: {train(parse_arguments(arguments))}")


if __name__ == "__main__":
    main()
