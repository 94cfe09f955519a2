"""The true place of each card in the picture, from a recording's `objects.jsonl`, and the conditions of the scene.

Pixels of the camera's picture, seconds of stream time. Never read while watching.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import DocumentError
from thirdcard.rules.errors import LogError
from thirdcard.rules.log.reader import read_objects
from thirdcard.service.evaluate.accounts import TruthError

OBJECTS_NAME, SCRIPT_NAME = "objects.jsonl", "script.yaml"
UNKNOWN = "unknown"
SIZES_PX = (30.0, 40.0, 60.0, 90.0)
TILTS_DEG = (5.0, 10.0, 15.0)
LIGHTS = (0.8, 0.9)
COVERS = (0.02, 0.1, 0.3)
REST_S = 0.5
"""Seconds after leaving the shoe at which a card lies at its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardInFrame:
    """One card in one frame."""

    t: float
    face: str | None
    corners_px: NDArray[np.float64]
    """(4, 2) clockwise from the card's own top left; occlusion is ignored."""
    visible: float
    """The visible share of it, 0 to 1."""

    @property
    def width_px(self) -> float:
        """The length of its shorter side, pixels."""
        sides = np.linalg.norm(self.corners_px - np.roll(self.corners_px, -1, axis=0), axis=1)
        return float(min(sides[0] + sides[2], sides[1] + sides[3]) / 2)

    @property
    def turned_deg(self) -> float:
        """Its rotation in the picture, 0 to 360 degrees; 0 is upright."""
        along = self.corners_px[1] - self.corners_px[0]
        return float(np.degrees(np.arctan2(along[1], along[0])) % 360.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingConditions:
    """The known conditions of a recording."""

    sights: tuple[CardInFrame, ...]
    deck: str = UNKNOWN
    light: float | None = None
    tilt_deg: float | None = None

    def of(self, face: str, from_s: float, to_s: float) -> list[CardInFrame]:
        """The sights of a face within a stretch of time."""
        return [sight for sight in self.sights if sight.face == face and from_s <= sight.t <= to_s]

    def conditions(self, sights: Sequence[CardInFrame]) -> dict[str, str]:
        """The conditions of a card in words: deck, light and tilt of the scene; size, occlusion and rotation of the
        card."""
        told = {"deck": self.deck, "light": _bin(self.light, LIGHTS, ""), "tilt": _bin(self.tilt_deg, TILTS_DEG, "°")}
        if not sights:
            return {**told, "size": UNKNOWN, "cover": UNKNOWN, "turned": UNKNOWN}
        cover = 1.0 - float(np.mean([sight.visible for sight in sights]))
        turned = float(np.median([sight.turned_deg for sight in sights]))
        return {
            **told,
            "size": _bin(float(np.median([sight.width_px for sight in sights])), SIZES_PX, " px"),
            "cover": _bin(100 * cover, tuple(100 * each for each in COVERS), " %"),
            "turned": f"{round(turned / 90.0) % 4 * 90}°",
        }


def load_scene(folder: Path, calibration: Calibration) -> RecordingConditions | None:
    """Load `objects.jsonl` and `script.yaml` beside a recording; None without the former.

    Raises:
        TruthError: One of them cannot be read.
    """
    path = folder / OBJECTS_NAME
    if not path.is_file():
        return None
    try:
        sights = tuple(sight for _, line in read_objects(path) for sight in _sights(line))
        script = _script(folder / SCRIPT_NAME)
    except (LogError, DocumentError, ArithmeticError, ValueError, KeyError, TypeError) as error:
        raise TruthError(f"{path}: {type(error).__name__}: {error}") from error
    style = script.get("style") or {}
    return RecordingConditions(
        sights=sights,
        deck=str(script.get("deck", UNKNOWN)),
        light=None if "light" not in style else float(style["light"]),
        tilt_deg=tilt_of(calibration),
    )


def tilt_of(calibration: Calibration) -> float | None:
    """The angle in degrees between the camera's axis and the vertical; None where its pose is unknown.

    The axis meets the cloth at the picture's middle; cos(tilt) is the camera's height over the distance to there.
    """
    centre = calibration.camera_centre_mm
    if centre is None:
        return None
    width, height = calibration.image_size_wh_px
    foot = calibration.layout_from_image(np.array([[width / 2, height / 2]]))[0]
    way = np.asarray(centre, np.float64) - np.array([foot[0], foot[1], 0.0])
    return float(np.degrees(np.arccos(abs(way[2]) / np.linalg.norm(way))))


def _sights(line: Mapping[str, Any]) -> list[CardInFrame]:
    cards = [each for each in line["objects"] if each["kind"] == "card" and len(each["polygon"]) == 4]
    return [
        CardInFrame(
            t=float(line["t"]),
            face=card["card"] if card["face_up"] else None,
            corners_px=np.asarray(card["polygon"], np.float64),
            visible=float(card["visible"]),
        )
        for card in cards
    ]


def _script(path: Path) -> Mapping[str, Any]:
    return read_document(path) if path.is_file() else {}


def _bin(value: float | None, edges: Sequence[float], unit: str) -> str:
    if value is None:
        return UNKNOWN
    i = int(np.searchsorted(edges, value, side="right"))
    if i == 0:
        return f"under {edges[0]:g}{unit}"
    return f"{edges[-1]:g}{unit} and more" if i == len(edges) else f"{edges[i - 1]:g} to {edges[i]:g}{unit}"
