"""A correct set-up of a table, and the ways in which tests break it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml

from tests.calibration.cameras import camera_over
from thirdcard.calibration.camera import format_calibration
from thirdcard.calibration.layout import LAYOUT_FOLDER, load_layout

Document = dict[str, Any]


@dataclass(slots=True)
class Setup:
    """The files of one table, before they are written."""

    table: Document
    layout: Document
    chips: Document
    camera: Document
    raw: dict[str, str] = field(default_factory=dict)
    """Texts that are written in place of a file."""

    def area(self, name: str) -> Document:
        """An area of the layout."""
        found: Document = next(area for area in self.layout["areas"] if area["id"] == name)
        return found

    def write(self, folder: Path) -> Path:
        """Write all files; returns the path of the table's."""
        documents = {
            "table.yaml": self.table,
            "layout.yaml": self.layout,
            "chips.yaml": self.chips,
            "overhead.yaml": self.camera,
        }
        for name, document in documents.items():
            (folder / name).write_text(yaml.safe_dump(document), encoding="utf-8")
        (folder / "video.mp4").write_bytes(b"")
        for i, level in enumerate((60, 200)):
            cv2.imwrite(str(folder / f"face{i}.png"), np.full((120, 120, 3), level, np.uint8))
        (folder / "copy.png").write_bytes((folder / "face0.png").read_bytes())
        cv2.imwrite(str(folder / "tiny.png"), np.full((8, 8, 3), 90, np.uint8))
        for name, text in self.raw.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder / "table.yaml"


def good_setup() -> Setup:
    """A correct mini table."""
    layout = load_layout("mini-7", Path())
    return Setup(
        table={
            "id": "B07",
            "rulebook": "nz-secretary",
            "options": {"dealing_style": "A", "version": "mini", "perfect_pair": "one"},
            "shoe": {"decks": 8, "device": "shoe"},
            "limits": {"minimum": 25, "maximum": 5000},
            "layout": "layout.yaml",
            "chips": "chips.yaml",
            "cards": {"size_mm": [63, 88]},
            "cameras": [{"name": "overhead", "source": "video.mp4", "calibration": "overhead.yaml"}],
        },
        layout=yaml.safe_load((LAYOUT_FOLDER / "mini-7.yaml").read_text(encoding="utf-8")),
        chips={
            "diameter_mm": 39,
            "thickness_mm": 3.3,
            "chips": [
                {"value": 25, "name": "green", "colour": "#1f7a3d"},
                {"value": 100, "name": "black", "colour": "#1c1c1c"},
                {"value": 500, "name": "violet", "colour": "#6b2fa0"},
            ],
        },
        camera=copy.deepcopy(dict(format_calibration(camera_over(layout)))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakage:
    """One way to break it, and the expected message of the check."""

    breaks: Callable[[Setup], object]
    where: str
    """The file's name."""
    key: str
    """A part of the path to the value."""
    says: str
    """A part of the message."""
    is_wrong: bool = True


def put(document: str, way: str, value: Any) -> Callable[[Setup], object]:
    """A function that sets a value at a path such as `a.b.0.c`; `...` deletes it."""

    def broken(setup: Setup) -> None:
        *parents, last = (int(step) if step.isdigit() else step for step in way.split("."))
        within = getattr(setup, document)
        for step in parents:
            within = within[step]
        if value is ...:
            del within[last]
        else:
            within[last] = value

    return broken


def put_area(name: str, key: str, value: Any, **others: Any) -> Callable[[Setup], object]:
    return lambda setup: setup.area(name).update({key: value, **others})


def moved(name: str, x: float, y: float) -> Callable[[Setup], object]:
    def broken(setup: Setup) -> None:
        area = setup.area(name)
        area["polygon"] = [[px + x, py + y] for px, py in area["polygon"]]

    return broken


def without(*names: str) -> Callable[[Setup], object]:
    def broken(setup: Setup) -> None:
        setup.layout["areas"] = [area for area in setup.layout["areas"] if area["id"] not in names]

    return broken


def swapped(one: str, other: str, *keys: str) -> Callable[[Setup], object]:
    def broken(setup: Setup) -> None:
        first, second = setup.area(one), setup.area(other)
        for key in keys:
            first[key], second[key] = second[key], first[key]

    return broken


def scaled(setup: Setup) -> None:
    for area in setup.layout["areas"]:
        area["polygon"] = [[x / 25.4, y / 25.4] for x, y in area["polygon"]]


def turned(setup: Setup) -> None:
    width, height = setup.layout["size_mm"]
    for area in setup.layout["areas"]:
        area["polygon"] = [[width - x, height - y] for x, y in area["polygon"]]


def in_one_line(setup: Setup) -> None:
    for i, point in enumerate(setup.layout["reference_points"]):
        point["at"] = [100 + 20 * i, 500]


def mirrored(setup: Setup) -> None:
    width = setup.layout["size_mm"][0]
    for key in ("rvec", "tvec"):
        del setup.camera[key]
    flip = np.array([[-1, 0, width], [0, 1, 0], [0, 0, 1]], float)
    setup.camera["homography"] = (flip @ np.array(setup.camera["homography"])).tolist()


def shrunk(factor: float) -> Callable[[Setup], object]:
    """A function that raises the camera by a factor, so that objects appear smaller."""

    def broken(setup: Setup) -> None:
        camera = np.array(setup.camera["camera_matrix"])
        camera[0, 0] /= factor
        camera[1, 1] /= factor
        setup.camera["camera_matrix"] = camera.tolist()
        setup.camera["distortion"] = [0.0] * 5

    return broken
