"""Cut training tiles for the detector from labelled photographs, if a folder of them is at hand.

    python -m thirdcard.models.detector.detector_photographs ANNOTATIONS.json --prefix ps_ --out SCHOOL

The file is a list of `{image, width, height, native_aspect_est, objects: [{label, polygon: [[x, y] × 4]}]}`; pictures
lie beside it. Stretched pictures are restored to their true shape. Some tiles show cards so large that their parts must
not be detected as cards: these tiles have no labels. The layout is that of `thirdcard.datasets.scene.write_school`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.models.detector.detector_school import taught_lines
from thirdcard.vision.detections import CARD_BACK, CARD_FACE
from thirdcard.vision.frames import Image

TILE_PX = 320
CARD_WIDTHS_PX = (22.0, 56.0)
LARGE_WIDTHS_PX = (130.0, 300.0)
LARGE_SHARE = 0.3


def cut_tile(
    image: Image, cards: NDArray[np.float64], is_back: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[Image, list[str]]:
    """Cut a tile, (320, 320, 3), round one of the cards, (N, 4, 2) px; return it with its label lines."""
    widths = np.linalg.norm(cards - np.roll(cards, 1, axis=1), axis=2).min(axis=1)
    is_large = rng.random() < LARGE_SHARE
    low, high = LARGE_WIDTHS_PX if is_large else CARD_WIDTHS_PX
    scale = float(np.exp(rng.uniform(np.log(low), np.log(high)))) / float(np.median(widths))
    turn = float(rng.uniform(0, 360))
    chosen = cards[int(rng.integers(len(cards)))].mean(axis=0)
    matrix = cv2.getRotationMatrix2D((float(chosen[0]), float(chosen[1])), turn, scale)
    matrix[:, 2] += rng.uniform(0.3, 0.7, 2) * TILE_PX - chosen
    smooth = cv2.GaussianBlur(image, (0, 0), 0.45 / scale) if scale < 0.7 else image
    tile = cv2.warpAffine(smooth, matrix, (TILE_PX, TILE_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lines = []
    for corners, back in zip(cards @ matrix[:, :2].T + matrix[:, 2], is_back, strict=True):
        numbers = " ".join(f"{value:.6f}" for value in (corners / TILE_PX).ravel())
        lines.append(f"{CARD_BACK if back else CARD_FACE} {numbers}")
    return np.asarray(tile, np.uint8), [] if is_large else taught_lines(lines)


def write_tiles(annotations: Path, out: Path, *, prefix: str, tiles: int, seed: int) -> int:
    """Write the tiles of all photographs whose names begin with `prefix`; return how many."""
    for kind in ("images", "labels"):
        (out / kind / "train").mkdir(parents=True, exist_ok=True)
    photographs = [each for each in json.loads(annotations.read_text("utf-8")) if _is_wanted(each, prefix)]
    for number, each in enumerate(photographs):
        rng = np.random.default_rng([seed, number])
        image, cards, is_back = _load(annotations.parent, each)
        for i in range(tiles):
            tile, lines = cut_tile(image, cards, is_back, rng)
            stem = f"train-{seed}-{number:06d}-000-{i:02d}"
            cv2.imwrite(str(out / "images" / "train" / f"{stem}.jpg"), tile, [cv2.IMWRITE_JPEG_QUALITY, 95])
            text = "".join(f"{line}\n" for line in lines)
            (out / "labels" / "train" / f"{stem}.txt").write_text(text, encoding="utf-8")
    return len(photographs) * tiles


def _is_wanted(entry: dict[str, Any], prefix: str) -> bool:
    has_shape = entry.get("native_aspect_est") is not None
    return Path(entry["image"]).name.startswith(prefix) and has_shape and any("polygon" in o for o in entry["objects"])


def _load(folder: Path, entry: dict[str, Any]) -> tuple[Image, NDArray[np.float64], NDArray[np.bool_]]:
    """Load a photograph in its true shape, with its cards' corners, and which of them show their backs."""
    image = cv2.imread(str(folder / entry["image"]))
    if image is None:
        raise FileNotFoundError(f"{folder / entry['image']}: cannot be read as a picture")
    aspect = float(entry["native_aspect_est"])
    stretch = np.array([aspect, 1.0]) if aspect > 1 else np.array([1.0, 1 / aspect])
    size = np.round(np.array([image.shape[1], image.shape[0]]) * stretch).astype(int)
    known = [each for each in entry["objects"] if "polygon" in each]
    cards = np.array([each["polygon"] for each in known], np.float64) * stretch
    shaped = cv2.resize(image, (int(size[0]), int(size[1])), interpolation=cv2.INTER_LINEAR)
    return np.asarray(shaped, np.uint8), cards, np.array([each["label"] == "BACK" for each in known])


def main(arguments: Sequence[str] | None = None) -> None:
    """Cut tiles as the command line asks."""
    parser = argparse.ArgumentParser(prog="thirdcard.models.detector.detector_photographs", description=__doc__)
    parser.add_argument("annotations", type=Path)
    parser.add_argument("--prefix", required=True, help="only pictures whose names begin so")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tiles", type=int, default=2, help="tiles a photograph")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    count = write_tiles(options.annotations, options.out, prefix=options.prefix, tiles=options.tiles, seed=options.seed)
    print(f"tiles: {count}")


if __name__ == "__main__":
    main()
