"""Lay out rendered tiles for Ultralytics: lists of training and check pictures, and labels that it accepts.

The source folder is not changed. A box whose middle lies outside its tile is not labelled: where the detector runs,
another tile holds that object, and Ultralytics would refuse the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import yaml

from thirdcard.vision.detections import LABELS

CHECK_EVERY = 20
"""One world in this many is kept for checking during training."""


def lay_out(schools: Sequence[Path], out: Path) -> Path:
    """Write links, labels, lists and the data file below `out`; return the path of the data file."""
    trained: list[Path] = []
    checked: list[Path] = []
    for number, school in enumerate(schools):
        for picture in _lay_out_one(school.resolve(), out.resolve() / f"school-{number}"):
            (checked if is_for_checking(picture.stem) else trained).append(picture)
    _write_list(out / "train.txt", trained)
    _write_list(out / "check.txt", checked)
    path = out / "data.yaml"
    document = {
        "path": str(out.resolve()),
        "train": "train.txt",
        "val": "check.txt",
        "names": dict(enumerate(LABELS)),
    }
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return path


def is_for_checking(stem: str) -> bool:
    """Return whether a tile named `<split>-<seed>-<world>-<scene>-<tile>` is of a world that is kept for checking."""
    return int(stem.split("-")[2]) % CHECK_EVERY == 0


def taught_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines of a label file whose boxes have their middle inside the tile."""
    kept = []
    for line in lines:
        corners = np.array(line.split()[1:], np.float64).reshape(-1, 2)
        if len(corners) and ((corners.mean(axis=0) > 0) & (corners.mean(axis=0) < 1)).all():
            kept.append(line)
    return kept


def _lay_out_one(school: Path, target: Path) -> list[Path]:
    labels = target / "labels" / "train"
    labels.mkdir(parents=True, exist_ok=True)
    link = target / "images"
    link.unlink(missing_ok=True)  # an earlier run may have laid out another source folder here
    link.symlink_to(school / "images", target_is_directory=True)
    pictures = []
    for source in sorted((school / "labels" / "train").glob("*.txt")):
        picture = link / "train" / f"{source.stem}.jpg"
        if picture.is_file():
            kept = taught_lines(source.read_text(encoding="utf-8").splitlines())
            (labels / source.name).write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
            pictures.append(picture)
    return pictures


def _write_list(path: Path, pictures: Sequence[Path]) -> None:
    path.write_text("".join(f"{picture}\n" for picture in pictures), encoding="utf-8")
