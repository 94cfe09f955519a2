"""Draw simple tiles of cards and chips on any surface: a second training set for the detector.

    python -m thirdcard.models.detector.detector_tabletop --out FOLDER --tiles 3000 [--artwork build/decks]

Made for photographs unlike the rendered table. Flat pictures are warped: wood, cloth, paper and clutter below; cards of
many decks scattered, in rows, fans and piles, seen from a slant. Less realistic than the rendered tiles but faster and
more varied. The folder is laid out as by `thirdcard.datasets.scene.write_school`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.datasets.decks.deck import Deck, deck_names, load_deck
from thirdcard.models.detector.detector_prints import printed
from thirdcard.vision.detections import CARD_BACK, CARD_FACE, CHIPS
from thirdcard.vision.frames import Image

TILE_PX = 320
TILES_PER_DECK = 25
FACES_PER_DECK = 14
LEAST_VISIBLE = 0.25
CARD_WIDTHS_PX = (20.0, 56.0)
LARGE_WIDTHS_PX = (130.0, 300.0)
LARGE_SHARE = 0.1
"""Share of tiles with cards so large that parts of them must not be detected as cards; these tiles have no labels."""
Corners = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """Some faces and the back of one deck, BGRA."""

    faces: list[Image]
    back: Image


@dataclass(slots=True)
class TileDrawing:
    """A tile that is being drawn; later objects lie above earlier ones."""

    image: NDArray[np.float32]
    owner: NDArray[np.int32] = field(default_factory=lambda: np.full((TILE_PX, TILE_PX), -1, np.int32))
    labels: list[int] = field(default_factory=list)
    corners: list[Corners] = field(default_factory=list)
    areas: list[float] = field(default_factory=list)

    def put(self, layers: Image, label: int, corners: Corners) -> None:
        """Draw a BGRA picture of the tile's size, with its shadow, over what is there."""
        picture, alpha = layers[:, :, :3].astype(np.float32), layers[:, :, 3].astype(np.float32) / 255
        shadow = cv2.GaussianBlur(np.roll(alpha, (2, 1), axis=(0, 1)), (0, 0), 2.2)
        self.image *= (1 - 0.35 * shadow * (1 - alpha))[:, :, None]
        self.image += (picture - self.image) * alpha[:, :, None]
        self.owner[alpha > 0.5] = len(self.labels)
        self.labels.append(label)
        self.corners.append(corners)
        self.areas.append(abs(float(cv2.contourArea(corners.astype(np.float32)))))

    def lines(self) -> list[str]:
        """Return the label lines of the objects of which at least `LEAST_VISIBLE` is visible."""
        lines = []
        for number, (label, corners, area) in enumerate(zip(self.labels, self.corners, self.areas, strict=True)):
            if area > 0 and (self.owner == number).sum() / area >= LEAST_VISIBLE:
                lines.append(f"{label} " + " ".join(f"{value:.6f}" for value in (corners / TILE_PX).ravel()))
        return lines


def draw_tile(rng: np.random.Generator, pack: Pack) -> tuple[Image, list[str]]:
    """Draw a tile.

    Returns:
        The picture, (320, 320, 3) uint8 BGR, and its label lines (none for very large cards).
    """
    drawing = TileDrawing(_surface(rng))
    tilt = _tilt(rng)
    is_large = rng.random() < LARGE_SHARE
    low, high = LARGE_WIDTHS_PX if is_large else CARD_WIDTHS_PX
    width = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    for _ in range(int(rng.integers(0, 3))):
        _put_clutter(drawing, rng)
    for centre, angle in _places(rng, width):
        if rng.random() < 0.12:
            _put_chip(drawing, rng, tilt, centre, width * 0.62)
        else:
            _put_card(drawing, rng, tilt, pack, (*centre, angle, width))
    return _photographed(drawing.image, rng), [] if is_large else drawing.lines()


def _places(rng: np.random.Generator, width: float) -> list[tuple[tuple[float, float], float]]:
    """Draw the centres in px and the angles in degrees of some cards: scattered, in a row, a fan or a pile."""
    kind = rng.choice(["scattered", "row", "fan", "pile"], p=[0.4, 0.25, 0.25, 0.1])
    turn = float(rng.uniform(0, 360))
    start = rng.uniform(0.25, 0.75, 2) * TILE_PX
    count = int(rng.integers(1, 8))
    if kind == "scattered":
        return [(tuple(rng.uniform(0, TILE_PX, 2)), float(rng.uniform(0, 360))) for _ in range(int(rng.integers(0, 9)))]
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    down = np.array([-along[1], along[0]])
    if kind == "row":
        step = width * rng.uniform(0.25, 1.4)
        return [
            (tuple(start + along * step * i + rng.normal(0, 1.5, 2)), turn + rng.normal(0, 3)) for i in range(count)
        ]
    if kind == "pile":
        return [(tuple(start + rng.normal(0, width * 0.4, 2)), float(rng.uniform(0, 360))) for _ in range(count)]
    spread, radius = rng.uniform(6, 22), width * rng.uniform(1.2, 2.5)
    fan = []
    for i in range(count):
        angle = turn + spread * (i - count / 2)
        up = np.array([np.sin(np.radians(angle)), -np.cos(np.radians(angle))])
        fan.append((tuple(start + down * radius + up * radius), angle))
    return fan


def _tilt(rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a homography, (3, 3), about the tile's middle that shows the plane from a slant."""
    middle = TILE_PX / 2
    squeeze = rng.uniform(0.6, 1.0) if rng.random() < 0.5 else 1.0
    turn = rng.uniform(0, np.pi)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    linear = rotation.T @ np.diag([1.0, squeeze]) @ rotation
    matrix = np.eye(3)
    matrix[:2, :2] = linear
    matrix[2, :2] = rotation.T @ [0.0, (1 - squeeze) * rng.uniform(0, 0.003)]
    move = np.array([[1, 0, middle], [0, 1, middle], [0, 0, 1.0]])
    return np.asarray(move @ matrix @ np.linalg.inv(move), np.float64)


def _put_card(
    drawing: TileDrawing,
    rng: np.random.Generator,
    tilt: NDArray[np.float64],
    pack: Pack,
    place: tuple[float, float, float, float],
) -> None:
    x, y, angle, width = place
    face_up = rng.random() < 0.72
    texture = pack.faces[int(rng.integers(len(pack.faces)))] if face_up else pack.back
    corners = _rectangle((x, y), angle, (width, width * rng.uniform(1.36, 1.5)))
    seen = cv2.perspectiveTransform(corners[None], tilt)[0]
    small = cv2.resize(texture, (round(width * 2), round(width * 2.8)), interpolation=cv2.INTER_AREA)
    height, breadth = small.shape[:2]
    source = np.array([[0, 0], [breadth, 0], [breadth, height], [0, height]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
    warped = cv2.warpPerspective(small, matrix, (TILE_PX, TILE_PX), flags=cv2.INTER_LINEAR)
    drawing.put(np.asarray(warped, np.uint8), CARD_FACE if face_up else CARD_BACK, seen)


def _put_chip(
    drawing: TileDrawing,
    rng: np.random.Generator,
    tilt: NDArray[np.float64],
    centre: tuple[float, float],
    across: float,
) -> None:
    size = 48
    disc = np.zeros((size, size, 3), np.uint8)
    disc[:] = rng.integers(0, 256, 3)
    spots, phase = int(rng.integers(4, 9)), rng.uniform(0, 360)
    spot = tuple(int(value) for value in rng.integers(120, 256, 3))
    for i in range(spots):
        first = phase + 360 * i / spots
        cv2.ellipse(disc, (24, 24), (24, 24), 0, first, first + 180 / spots, spot, -1)
    cv2.circle(disc, (24, 24), 16, tuple(int(value) for value in rng.integers(0, 256, 3)), -1, cv2.LINE_AA)
    alpha = np.zeros((size, size), np.uint8)
    cv2.circle(alpha, (24, 24), 23, 255, -1, cv2.LINE_AA)
    seen = cv2.perspectiveTransform(_rectangle(centre, float(rng.uniform(0, 90)), (across, across))[None], tilt)[0]
    source = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
    layers = np.dstack([disc, alpha])
    warped = cv2.warpPerspective(layers, matrix, (TILE_PX, TILE_PX), flags=cv2.INTER_LINEAR)
    drawing.put(np.asarray(warped, np.uint8), CHIPS, seen)


def _put_clutter(drawing: TileDrawing, rng: np.random.Generator) -> None:
    """Draw a flat thing that is not a card, such as paper, a phone or a box."""
    middle = (float(rng.uniform(0, TILE_PX)), float(rng.uniform(0, TILE_PX)))
    size = (float(rng.uniform(15, 200)), float(rng.uniform(15, 200)))
    corners = _rectangle(middle, float(rng.uniform(0, 360)), size)
    layer = np.zeros((TILE_PX, TILE_PX), np.uint8)
    cv2.fillPoly(layer, [np.round(corners).astype(np.int32)], 255, cv2.LINE_AA)
    sheet = np.empty((TILE_PX, TILE_PX, 3), np.uint8)
    sheet[:] = rng.integers(0, 256, 3)
    if rng.random() < 0.5:
        origin = (int(middle[0]), int(middle[1]))
        ink = tuple(int(value) for value in rng.integers(0, 256, 3))
        cv2.putText(sheet, str(rng.integers(1000)), origin, int(rng.integers(0, 8)), rng.uniform(0.3, 1.5), ink, 1)
    drawing.image += (sheet - drawing.image) * (layer.astype(np.float32) / 255)[:, :, None]


def _rectangle(centre: tuple[float, float], angle_deg: float, size: tuple[float, float]) -> Corners:
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) / 2
    cosine, sine = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.asarray(half @ np.array([[cosine, sine], [-sine, cosine]]) + np.array(centre), np.float64)


def _surface(rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw cloth, wood, stone or a plain surface: noise of several grain sizes in one or two colours."""
    image = np.empty((TILE_PX, TILE_PX, 3), np.float32)
    image[:] = rng.uniform(10, 245, 3)
    other = rng.uniform(10, 245, 3).astype(np.float32)
    stretch = (int(rng.integers(2, 20)), 2) if rng.random() < 0.35 else (1, 1)
    for grain in (3, 12, 60):
        cells = (max(1, TILE_PX // grain // stretch[0]) + 1, max(1, TILE_PX // grain * stretch[1]) + 1)
        noise = rng.normal(0, 1, cells).astype(np.float32)
        share = cv2.resize(noise, (TILE_PX, TILE_PX), interpolation=cv2.INTER_CUBIC)[:, :, None]
        if rng.random() < 0.4:
            image += (other - image) * np.clip(share, 0, 1) * rng.uniform(0.1, 0.7)
        else:
            image += share * rng.uniform(0, 14)
    if rng.random() < 0.3:
        _draw_lines(image, rng)
    return np.clip(image if rng.random() < 0.5 else printed(image, rng), 0, 255)


def _draw_lines(image: NDArray[np.float32], rng: np.random.Generator) -> None:
    colour = tuple(float(value) for value in rng.integers(0, 256, 3))
    for _ in range(int(rng.integers(1, 12))):
        first, second = rng.integers(0, TILE_PX, (2, 2)).tolist()
        cv2.line(image, first, second, colour, int(rng.integers(1, 5)), cv2.LINE_AA)


def _photographed(image: NDArray[np.float32], rng: np.random.Generator) -> Image:
    """Simulate a camera: uneven light, a colour cast, blur, noise and compression."""
    light = cv2.resize(
        rng.uniform(0.55, 1.25, (2, 2)).astype(np.float32), (TILE_PX, TILE_PX), interpolation=cv2.INTER_LINEAR
    )
    cast = rng.uniform(0.9, 1.1, 3) * rng.uniform(0.6, 1.15)
    lit = np.asarray(image * light[:, :, None] * cast, np.float32)
    blurred = cv2.GaussianBlur(lit, (0, 0), float(rng.uniform(0.3, 1.3))) if rng.random() < 0.5 else lit
    picture = np.clip(blurred + rng.normal(0, rng.uniform(0.5, 7), lit.shape), 0, 255).astype(np.uint8)
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 96))])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _draw_pack(rng: np.random.Generator, deck: Deck) -> Pack:
    cards = rng.choice(deck.cards, FACES_PER_DECK, replace=False)
    faces, back = [deck.face(str(card)) for card in cards], deck.back()
    return Pack([_bgra(face) for face in faces], _bgra(back))


def _bgra(texture: Image) -> Image:
    return np.ascontiguousarray(texture[:, :, [2, 1, 0, 3]])


def write_tiles(out: Path, count: int, *, seed: int, artwork: Path | None) -> None:
    """Write tiles and their labels; each deck is used for `TILES_PER_DECK` tiles."""
    cv2.setNumThreads(1)
    for kind in ("images", "labels"):
        (out / kind / "train").mkdir(parents=True, exist_ok=True)
    names = deck_names("train", artwork)
    for number in range(count):
        world, tile = divmod(number, TILES_PER_DECK)
        if tile == 0:
            rng = np.random.default_rng([seed, world])
            pack = _draw_pack(rng, load_deck(str(rng.choice(names)), artwork))
        picture, lines = draw_tile(rng, pack)
        stem = f"train-{seed}-{world:06d}-000-{tile:02d}"
        cv2.imwrite(str(out / "images" / "train" / f"{stem}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
        text = "".join(f"{line}\n" for line in lines)
        (out / "labels" / "train" / f"{stem}.txt").write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="thirdcard.models.detector.detector_tabletop", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tiles", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--artwork", type=Path, help="the folder that thirdcard.datasets.decks.rasterise made")
    options = parser.parse_args(arguments)
    write_tiles(options.out, options.tiles, seed=options.seed, artwork=options.artwork)


if __name__ == "__main__":
    main()
