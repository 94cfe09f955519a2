"""Place distractors: papers, score cards, glasses, phones, pucks, pens, boxes; some look like cards from afar."""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.calibration.layout import Layout
from thirdcard.datasets.scene.cloth import text_mask
from thirdcard.datasets.scene.furniture import Backdrop, oriented, shaded
from thirdcard.datasets.scene.looks import Look
from thirdcard.datasets.scene.raster import Image, Points, bgr_from_hex

_KINDS = ("paper", "score", "phone", "puck", "glass", "pen", "box", "ticket", "mat", "note", "coaster")


def put_clutter(backdrop: Backdrop, layout: Layout, look: Look, *, outline: Points, rng: np.random.Generator) -> None:
    """Place things on free parts of the cloth, the more the higher the look's clutter."""
    count = int(rng.poisson(look.clutter * 5))
    shape = outline.astype(np.float32)[:, None]
    for _ in range(count):
        kind = str(rng.choice(_KINDS))
        at = rng.uniform([40, 60], [layout.size_mm[0] - 40, layout.size_mm[1] - 30])
        if cv2.pointPolygonTest(shape, (float(at[0]), float(at[1])), True) < 70:
            continue
        if _is_taken(layout, at) and kind not in ("puck", "ticket"):
            continue
        _put(backdrop, kind, (float(at[0]), float(at[1])), rng)
    if rng.random() < 0.6:
        edge = outline[int(rng.integers(1, len(outline) - 1))]
        outward = edge - np.array(layout.size_mm) / 2
        post = edge + outward / max(float(np.linalg.norm(outward)), 1.0) * look.rail_mm * 0.5
        if backdrop.projector.sees(post[None]):
            tone = bgr_from_hex(str(rng.choice(["#c8c8c0", "#3a6a4a", "#3a4a8a", "#8a2a2a", "#e8e0d0", "#604830"])))
            backdrop.cylinder(
                post, tone, radius_mm=float(rng.uniform(32, 44)), height_mm=float(rng.uniform(70, 140)), hollow=True
            )


def _is_taken(layout: Layout, at: Points) -> bool:
    for area in layout.areas:
        shape = area.polygon_mm.astype(np.float32)[:, None]
        if cv2.pointPolygonTest(shape, (float(at[0]), float(at[1])), True) > -45:
            return True
    return False


def _put(backdrop: Backdrop, kind: str, at: tuple[float, float], rng: np.random.Generator) -> None:
    angle = float(rng.normal(0, 14) if rng.random() < 0.5 else rng.uniform(0, 360))
    sizes = {
        "paper": (148.0, 210.0), "score": (95.0, 190.0), "phone": (74.0, 152.0), "ticket": (63.0, 140.0),
        "mat": (130.0, 90.0), "note": (74.0, 105.0), "coaster": (92.0, 92.0), "box": (70.0, 95.0),
    }  # fmt: skip
    if kind in ("puck", "glass"):
        tone = bgr_from_hex(str(rng.choice(["#f2f2ee", "#f0c020", "#101010", "#c02020", "#b8c8d0", "#e8e4d8"])))
        radius, tall = (float(rng.uniform(22, 45)), 9.0) if kind == "puck" else (float(rng.uniform(30, 40)), 95.0)
        backdrop.cylinder(at, tone, radius_mm=radius, height_mm=tall, hollow=kind == "glass")
        return
    if kind == "pen":
        body = oriented(at, (9.0, 138.0), angle)
        backdrop.prism(body, bgr_from_hex(str(rng.choice(["#101018", "#d0d0d0", "#203a90", "#a02020"]))), top_mm=8.0)
        return
    size = np.array(sizes[kind]) * rng.uniform(0.8, 1.15)
    corners = oriented(at, (float(size[0]), float(size[1])), angle)
    if kind == "box":
        tone = bgr_from_hex(str(rng.choice(["#a02020", "#204080", "#d8d0b8", "#202020", "#2a6a3a"])))
        backdrop.prism(corners, tone, top_mm=float(rng.uniform(18, 70)))
        backdrop.fill(
            backdrop.projector.px(oriented(at, (float(size[0]) * 0.7, float(size[1]) * 0.7), angle), 20),
            shaded(tone, 1.25),
        )
        return
    backdrop.sheet(corners, _picture(kind, rng), height_mm=8.0 if kind == "phone" else 0.6)


def _picture(kind: str, rng: np.random.Generator) -> Image:
    image = np.empty((300, 210, 3), np.uint8)
    pale = np.array(bgr_from_hex(str(rng.choice(["#f4f2ea", "#ffffff", "#e8e4d0", "#f0e8b8", "#dfe8f0"]))))
    if kind == "phone":
        image[:] = (18, 18, 20)
        inside = np.array(bgr_from_hex(str(rng.choice(["#000000", "#203850", "#e8eef4", "#101018", "#604080"]))))
        image[14:-14, 8:-8] = inside.astype(np.uint8)
        return image
    image[:] = pale.astype(np.uint8)
    ink = tuple(float(v) for v in rng.uniform(0, 110, 3))
    if kind == "score":
        for x in range(10, 200, 18):
            for y in range(12, 290, 18):
                if rng.random() < 0.55:
                    colour = (40, 40, 200) if rng.random() < 0.5 else (200, 90, 30)
                    cv2.circle(image, (x, y), 6, colour, 2, cv2.LINE_AA)
        return image
    if kind in ("mat", "coaster", "ticket"):
        image[:] = np.round(rng.uniform(20, 220, 3)).astype(np.uint8)
        cv2.rectangle(image, (10, 10), (199, 289), tuple(float(v) for v in rng.uniform(0, 255, 3)), 3)
    if rng.random() < 0.8:
        for y in range(30, 280, int(rng.integers(14, 40))):
            cv2.line(image, (20, y), (int(rng.integers(60, 195)), y), ink, 2, cv2.LINE_AA)
    if rng.random() < 0.5:
        mask = text_mask(
            str(rng.choice(["8", "RESERVED", "MIN 25", "A", "K", "777", "VIP", "LAST", "5", "10"])),
            60,
            int(rng.integers(99)),
        )
        mask = mask[:300, :200]
        y, x = (300 - mask.shape[0]) // 2, (210 - mask.shape[1]) // 2
        target = image[y : y + mask.shape[0], x : x + mask.shape[1]]
        share = mask[:, :, None].astype(np.float32) / 255
        target[:] = (target * (1 - share) + np.array(ink, np.float32) * share).astype(np.uint8)
    return image
