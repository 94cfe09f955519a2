"""Cut corner indices out of labelled photographs: training samples for the index reader that are not drawn.

    python -m thirdcard.models.index.index_photos PHOTOGRAPHS --out build/index/photographs.npz

Detects indices with the registered finder. A detection in a labelled index box, or in a labelled card and likely enough
to be that card, becomes a sample with the label's name. Only pictures whose names begin with `ps_` or `am_` are used; a
sixth of them, grouped by the original of augmented copies, is kept for validation.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import CARDS
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.index_crops import index_crop
from thirdcard.vision.inference.index_finder import IndexFinder, Indices
from thirdcard.vision.inference.index_reader import IndexReader
from thirdcard.vision.photo.recognise import load_image

PATCH_WH_PX = (96, 128)
"""Twice the reader's crop; the index is upright in the middle, at half the size that it has in such a crop."""
PREFIXES = ("images/ps_", "images/am_")
FILES = ("annotations.json", "index_annotations.json")
LIKELY = {"card": 0.1, "index": 0.01}
"""Minimum probability of the labelled name: a card's polygon may hold another card's index, an index box rarely
does."""
_ONE_IN = 6

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class IndexPatches:
    """Patches with their classes; one row per index."""

    patches: Picture
    """(N, 128, 96, 3) RGB."""
    labels: npt.NDArray[np.int64]
    """(N,): index in `CARDS`."""
    kept: npt.NDArray[np.bool_]
    """(N,): whether the picture is kept for validation."""

    def part(self, *, validation: bool) -> IndexPatches:
        """Return the validation patches, or the training patches."""
        rows = self.kept == validation
        return IndexPatches(self.patches[rows], self.labels[rows], self.kept[rows])


def open_patches(path: Path) -> IndexPatches:
    """Load the file that `main` wrote."""
    with np.load(path) as file:
        return IndexPatches(file["patches"], file["labels"], file["kept"])


def lesson_of(patch: Picture, rng: np.random.Generator) -> Picture:
    """Return a crop (64, 48, 3) of a patch with the errors of an imperfect finder and in another light."""
    middle = np.array([(PATCH_WH_PX[0] - 1) / 2, (PATCH_WH_PX[1] - 1) / 2])
    turn = float(rng.normal(0, np.deg2rad(7)))
    size = np.array([34.0, 44.0]) * np.exp(rng.normal(0, 0.1) + rng.normal(0, 0.04, 2))
    shown = patch
    if rng.random() < 0.4:
        factor = float(rng.uniform(0.35, 0.9))
        small = cv2.resize(patch, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        shown = np.asarray(cv2.resize(small, PATCH_WH_PX, interpolation=cv2.INTER_LINEAR), np.uint8)
    crop = index_crop(shown, middle + rng.normal(0, 2, 2), np.array([np.sin(turn), -np.cos(turn)]), size)
    gain = np.exp(rng.normal(0, 0.2) + rng.normal(0, 0.05, 3))
    return np.asarray((crop * gain).clip(0, 255), np.uint8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect the indices of a folder's photographs and print how many there are; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.models.index.index_photos", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("photographs", type=Path, help="a folder with annotations.json or index_annotations.json")
    parser.add_argument("--out", type=Path, default=Path("build/index/photographs.npz"))
    told = parser.parse_args(arguments)
    rows = list(_collect(told.photographs, IndexFinder.open(), IndexReader.open()))
    patches, labels, kept = zip(*rows, strict=True)
    told.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez(told.out, patches=np.stack(patches), labels=np.array(labels, np.int64), kept=np.array(kept))
    sys.stdout.write(f"{told.out}: {len(rows)} indices, {sum(kept)} of them kept aside\n")
    return 0


def _collect(folder: Path, finder: IndexFinder, reader: IndexReader) -> Iterator[tuple[Picture, int, bool]]:
    for name in FILES:
        for record in json.loads((folder / name).read_text(encoding="utf-8")):
            if record["image"].startswith(PREFIXES):
                kept = is_for_validation(record["image"])
                picture = load_image(folder / record["image"])
                yield from ((patch, label, kept) for patch, label in _of_picture(picture, record, finder, reader))


def is_for_validation(image: str) -> bool:
    """Return whether a picture, with its augmented copies, belongs to the sixth kept for validation."""
    original = Path(image).stem.split(".rf")[0].split("_jpg")[0]
    return zlib.crc32(original.encode()) % _ONE_IN == 0


def _of_picture(
    picture: Image, record: dict[str, Any], finder: IndexFinder, reader: IndexReader
) -> Iterator[tuple[Picture, int]]:
    found = finder.find(picture)
    shares = np.exp(reader.read(picture, found).log_probs)
    for i in range(len(found)):
        names = [each for each in record["objects"] if each["label"] in CARDS and _holds(each, found.centres_px[i])]
        likely = [each for each in names if shares[i, CARDS.index(each["label"])] >= LIKELY[each.get("kind", "card")]]
        if likely:
            best = max(likely, key=lambda each: float(shares[i, CARDS.index(each["label"])]))
            yield _patch(picture, found, i), CARDS.index(best["label"])


def _holds(labelled: dict[str, Any], point_px: npt.NDArray[np.float64]) -> bool:
    x1, y1, x2, y2 = labelled["bbox"]
    corners = labelled.get("polygon") or [[x1, y1], [x2, y1], [x2, y2], [x1, y2]]
    x, y = (float(value) for value in point_px)
    return cv2.pointPolygonTest(np.array(corners, np.float32), (x, y), False) >= 0


def _patch(picture: Image, found: Indices, i: int) -> Picture:
    """Cut out an index with a margin, RGB: twice a crop's width and height, enlarged to the patch size."""
    height, width = PATCH_WH_PX[1], PATCH_WH_PX[0]
    size = found.sizes_px[i]
    step = max(float(size[0]) / 34.0, float(size[1]) / 44.0, 1e-3)
    right, down = np.array([-found.ups[i, 1], found.ups[i, 0]]) * step, -found.ups[i] * step
    origin = found.centres_px[i] - right * (width - 1) / 2 - down * (height - 1) / 2
    matrix = np.column_stack([right, down, origin])
    soft = cv2.GaussianBlur(picture, (0, 0), 0.45 * step) if step > 1.4 else picture
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    patch = cv2.warpAffine(soft, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(patch[..., ::-1], dtype=np.uint8)


if __name__ == "__main__":
    sys.exit(main())
