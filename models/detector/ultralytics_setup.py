"""Make Ultralytics train offline, on a GPU or on a few CPU cores.

Imports torch, so it is for training only. With a GPU, nothing here changes what Ultralytics does by default.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from thirdcard.datasets.fonts.shipped import font_path


def prepare(*, threads: int) -> None:
    """Set up the environment; call it before anything imports Ultralytics or torchvision.

    Args:
        threads: Number of threads that torch may use on a CPU.
    """
    os.environ.setdefault("YOLO_OFFLINE", "1")
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    folder = Path(os.environ.setdefault("YOLO_CONFIG_DIR", str(Path(tempfile.gettempdir()) / "thirdcard-yolo")))
    _lay_font(folder / "Ultralytics" / "Arial.ttf")
    _import_torchvision()
    import torch
    import ultralytics.utils.torch_utils as torch_utils

    torch_utils.NUM_THREADS = threads
    torch.set_num_threads(threads)


def use_bfloat16_on_cpu() -> None:
    """Allow mixed precision on a CPU that computes bfloat16; the check of Ultralytics itself refuses every CPU."""
    import ultralytics.engine.trainer as trainer

    from thirdcard.models.precision import computes_bfloat16

    if computes_bfloat16("cpu"):
        trainer.check_amp = lambda model: True


def to_channels_last(trainer: Any) -> None:
    """Switch the model to the memory order in which convolutions are fastest on a CPU.

    A callback for the start of training.
    """
    import torch

    trainer.model = trainer.model.to(memory_format=torch.channels_last)


def _lay_font(path: Path) -> None:
    """Copy a font to where Ultralytics looks for one; otherwise it would download it."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(font_path("DejaVuSans").read_bytes())


def _import_torchvision() -> None:
    """Import torchvision; if it fails beside a CPU torch, declare its operators and use Ultralytics' own NMS."""
    try:
        import torchvision  # noqa: F401
    except (ImportError, RuntimeError):
        _import_without_operators()


def _import_without_operators() -> None:
    import torch

    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "FRAGMENT")
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _kept.append(library)  # the definitions are removed when the library object is deleted
    import torchvision

    torchvision.ops.nms = torchvision.ops.boxes.nms = _nms


_kept: list[Any] = []


def _nms(boxes: Any, scores: Any, iou_threshold: float) -> Any:
    from ultralytics.utils.nms import TorchNMS

    return TorchNMS.nms(boxes, scores, iou_threshold)
