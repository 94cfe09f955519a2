"""Draw random worlds for training: a layout, chips, a camera, an appearance.

The split "held_out" uses other palettes, prints, chip designs, decks and seeds than "train".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.chips import Chip, ChipSet
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS, Layout, load_layout
from thirdcard.datasets.scene.errors import CameraPoseError
from thirdcard.datasets.scene.model import World
from thirdcard.datasets.scene.random_layout import random_layout

Split = Literal["train", "held_out"]
FIRST_HELD_OUT_SEED = 2_000_000_000
_SIZES = ((1920, 1080), (1280, 720), (2560, 1440), (3840, 2160), (1600, 1200))
_SIZE_ODDS = (0.68, 0.14, 0.1, 0.04, 0.04)
_CHIP_COLOURS = {
    "train": (
        "#e8e6dd", "#b3202a", "#1e7a3c", "#1c1c1c", "#6a2a86", "#e0b020", "#2050b0", "#e07a20", "#d86a9a", "#7a5a3a",
        "#60b8d8", "#8a9098", "#7a9a30", "#3a2a70", "#c8486a", "#f0d8a0", "#148a8a", "#5a1a20",
    ),
    "held_out": ("#f8f0e0", "#d04040", "#208858", "#202838", "#8040a0", "#e8c040", "#3068d0", "#e88838"),
}  # fmt: skip
_VALUES = (
    (1, 5, 25, 100, 500),
    (5, 25, 100, 500, 1000),
    (10, 50, 100, 500, 1000, 5000),
    (2, 5, 20, 100),
    (25, 100, 1000, 5000, 25000),
)


def random_world(rng: np.random.Generator, split: Split, decks: Sequence[str]) -> World:
    """Draw a world whose cards come from one of these decks."""
    seed = int(rng.integers(1, FIRST_HELD_OUT_SEED - 1))
    if split == "held_out":
        seed += FIRST_HELD_OUT_SEED
    layout = _layout(rng)
    card = (57.0, 89.0) if rng.random() < 0.15 else (63.0, 88.0)
    return World(
        layout=layout,
        chips=_chips(rng, split),
        camera=random_camera(rng, layout.size_mm),
        deck=str(rng.choice(list(decks))),
        card_size_mm=card,
        style={"split": split},
        seed=seed,
    )


def _layout(rng: np.random.Generator) -> Layout:
    if rng.random() < 0.25:
        return load_layout(str(rng.choice(BUILT_IN_LAYOUTS)), Path())
    return random_layout(rng)


def _chips(rng: np.random.Generator, split: Split) -> ChipSet:
    values = _VALUES[int(rng.integers(len(_VALUES)))]
    colours = rng.permutation(list(_CHIP_COLOURS[split]))
    chips = tuple(
        Chip(value=value, name=str(value), colour_rgb=_rgb(str(colour), rng))
        for value, colour in zip(values, colours, strict=False)
    )
    return ChipSet(diameter_mm=float(rng.uniform(37, 43)), thickness_mm=float(rng.uniform(3.0, 3.6)), chips=chips)


def _rgb(colour: str, rng: np.random.Generator) -> tuple[int, int, int]:
    value = int(colour.lstrip("#"), 16)
    drawn = np.clip(np.array([value >> 16, value >> 8 & 255, value & 255]) + rng.normal(0, 8, 3), 0, 255).astype(int)
    return int(drawn[0]), int(drawn[1]), int(drawn[2])


def random_camera(rng: np.random.Generator, cloth_size_mm: tuple[float, float]) -> Calibration:
    """Draw an overhead camera that has the whole cloth in view.

    It is 1.5 to 3 m above, tilted 0 to 35 degrees from any side, slightly rolled, with k1 from -0.2 to 0.05.

    Raises:
        CameraPoseError: No drawn camera sees the whole cloth.
    """
    for _ in range(60):
        camera = _camera(rng, cloth_size_mm)
        if camera is not None:
            return camera
    raise CameraPoseError(f"layout: size_mm = {cloth_size_mm}; no camera can see all of it")


def _camera(rng: np.random.Generator, cloth_size_mm: tuple[float, float]) -> Calibration | None:
    size = _SIZES[int(rng.choice(len(_SIZES), p=_SIZE_ODDS))]
    width, height = cloth_size_mm
    tall = float(rng.uniform(1500, 3000)) * max(width / 2600, 1.0)
    tilt = np.radians(rng.uniform(0, 35) if rng.random() < 0.7 else rng.uniform(0, 12))
    side = rng.uniform(0, 2 * np.pi)
    target = np.array([width / 2, height / 2, 0.0]) + np.array([*rng.normal(0, 40, 2), 0])
    eye = target + np.array([np.cos(side) * np.tan(tilt), np.sin(side) * np.tan(tilt), -1.0]) * tall
    ahead = (target - eye) / np.linalg.norm(target - eye)
    roll = np.radians(rng.normal(0, 3.0) + (180 if rng.random() < 0.08 else 0))
    right = np.array([np.cos(roll), np.sin(roll), 0.0])
    right -= ahead * (right @ ahead)
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(ahead, right), ahead])
    k1 = float(rng.uniform(-0.2, 0.05))
    distortion = np.array([k1, float(rng.uniform(-0.02, 0.03)) if k1 < -0.05 else 0.0, *rng.normal(0, 2e-4, 2), 0.0])
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], float)
    margin = float(rng.uniform(0.02, 0.10))
    unit = np.eye(3)
    rays = np.column_stack([corners, np.zeros(4)])
    flat, _ = cv2.projectPoints(rays, cv2.Rodrigues(rotation)[0], -rotation @ eye, unit, distortion)
    reach = np.abs(flat[:, 0]).max(axis=0)
    focal = min(size[0] * (0.5 - margin) / reach[0], size[1] * (0.5 - margin) / reach[1])
    straight = (rays - eye) @ rotation.T
    if (np.hypot(straight[:, 0], straight[:, 1]) / straight[:, 2]).max() > 1.15:
        return None
    matrix = np.array(
        [[focal, 0, size[0] / 2 + rng.normal(0, 6)], [0, focal, size[1] / 2 + rng.normal(0, 6)], [0, 0, 1]]
    )
    camera = Calibration(
        image_size_wh_px=size,
        camera_matrix=matrix,
        distortion=distortion,
        rvec=np.asarray(cv2.Rodrigues(rotation)[0], np.float64).reshape(3),
        tvec=-rotation @ eye,
    )
    seen = camera.image_from_layout(corners)
    inside = np.isfinite(seen).all() and (seen > 2).all() and (seen < np.array(size) - 2).all()
    return camera if inside else None
