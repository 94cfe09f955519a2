"""Card textures with the measured positions of their corner indices.

Generated decks know the approximate position of their indices; for artwork and scans it was measured once. Both are
tightened to the ink. Boxes are (left, top, right, bottom) in mm of the upright card, round the rank and the suit sign
of the index at the top left. Decks with no suit sign in the index are left out: it cannot be read by itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import CARD_SIZE_MM, CARDS
from thirdcard.datasets.decks.deck import PHOTO_FOLDERS, deck_names, variety_of
from thirdcard.datasets.decks.faces import draw_face_style
from thirdcard.models.reader.reader_bank import TextureBank, build_bank, holds, open_bank

SHARP_SIZE_WH_PX = (252, 352)
"""4 px/mm, the resolution of a photograph from close up."""
SHARP_EVERY = 6
"""One in this many generated decks is also kept at the sharp size."""
INK = 48
"""Minimum difference from the paper, in grey levels of any channel, that counts as ink."""
MEASURED_MM = {
    "gnome:anglo_modern": (1.6, 5.3, 8.4, 22.0),
    "gnome:anglo_modern_4_color": (1.6, 5.3, 8.4, 22.0),
    "gnome:atlasnye": (1.4, 4.9, 8.3, 20.5),
    "gnome:neoclassical": (1.3, 2.6, 9.8, 22.5),
    "gnome:neoclassical_4_color": (1.3, 2.6, 9.8, 22.5),
    "gnome:dondorf": (2.6, 2.4, 11.2, 22.6),
    "gnome:orell": (2.2, 2.5, 9.2, 19.0),
    "gnome:plastic": (1.9, 2.6, 13.5, 25.8),
    "gnome:simplistic": (2.8, 4.5, 10.4, 22.0),
    "gnome:tango": (1.0, 4.2, 17.0, 33.2),
    "kde:standard": (1.2, 3.0, 10.9, 26.5),
    "kde:white": (2.2, 4.6, 16.6, 38.6),
    "kde:ornamental": (2.2, 4.6, 17.0, 38.6),
    "kde:jolly-royal": (0.9, 2.4, 12.2, 26.3),
    "photo:geaxgx": (1.4, 4.9, 8.4, 21.8),
}
"""Area of the index on all faces of a deck, in mm; `kde:oxygen-white` has no suit signs in its indices."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class IndexBank:
    """Textures with the index box of every face; arrays are memory-mapped or small."""

    bank: TextureBank
    boxes_mm: npt.NDArray[np.float32]
    """(D, 52, 4): the index at the top left; NaN for a deck without readable indices."""
    corners: npt.NDArray[np.int64]
    """(D,): number of corners with an index, 2 or 4."""

    @property
    def decks(self) -> npt.NDArray[np.int64]:
        """Indices of the decks that may be used."""
        return np.flatnonzero(np.isfinite(self.boxes_mm[:, :, 0]).all(axis=1))


def add_bank_arguments(parser: argparse.ArgumentParser, *, judged: int) -> None:
    """Add the options for the decks to train on and the number of pictures for evaluation."""
    parser.add_argument(
        "--decks", type=Path, default=Path("build/decks"), help="what thirdcard.datasets.decks.rasterise made"
    )
    parser.add_argument("--photos", type=Path, help="optional: a folder with faces/")
    parser.add_argument("--banks", type=Path, default=Path("build/index"), help="where drawn decks are kept")
    parser.add_argument("--most-decks", type=int, help="draw no more decks than this, for a trial")
    parser.add_argument("--judged", type=int, default=judged, help="pictures drawn to judge the run")


def banks_for_training(told: argparse.Namespace) -> list[IndexBank]:
    """Return the training banks for the options of `add_bank_arguments`."""
    decks, faces = told.decks if told.decks.is_dir() else None, told.photos / "faces" if told.photos else None
    return open_index_banks("train", decks=decks, photos=faces, folder=told.banks, most=told.most_decks)


def banks_for_judging(told: argparse.Namespace) -> list[IndexBank]:
    """Return the banks of the validation decks, which neither training nor the final evaluation uses."""
    return open_index_banks("validation", decks=None, photos=None, folder=told.banks, most=told.most_decks)


def open_index_banks(
    split: str, *, decks: Path | None, photos: Path | None, folder: Path, most: int | None = None
) -> list[IndexBank]:
    """Open the usual bank of a split and a sharp one with fewer decks; draw them if they do not exist.

    Args:
        split: `train`, `validation` or `held_out`.
        decks: The output folder of `thirdcard.datasets.decks.rasterise`; None for generated decks only.
        photos: A folder with scanned decks.
        folder: The folder of the banks.
        most: Maximum number of decks; None for all.
    """
    from thirdcard.datasets.decks.deck import VALIDATION_SEEDS

    if split == "validation":
        names = [f"machine:{seed}" for seed in VALIDATION_SEEDS]
    else:
        names = deck_names("train" if split == "train" else "held_out", decks)
    names += [f"photo:{title}" for title in PHOTO_FOLDERS if photos is not None and split == "train"]
    names = names[:most]
    machine = [name for name in names if name.startswith("machine:")]
    others = [name for name in names if name in MEASURED_MM]
    sharp = machine[:: SHARP_EVERY if split == "train" else 2] + others
    usual = _open(folder / f"{split}.npy", names, decks, photos, None)
    return [usual, _open(folder / f"{split}-sharp.npy", sharp, decks, photos, SHARP_SIZE_WH_PX)]


def _open(
    path: Path, names: Sequence[str], decks: Path | None, photos: Path | None, size_wh_px: tuple[int, int] | None
) -> IndexBank:
    boxes = path.with_suffix(".indices.npy")
    if not holds(path, names):
        boxes.unlink(missing_ok=True)
        sizes = {} if size_wh_px is None else {"size_wh_px": size_wh_px}
        build_bank(path, names, artwork=decks, photos=photos, **sizes)
    bank = open_bank(path)
    if not boxes.exists():
        np.save(boxes, measure(bank))
    corners = np.array([len(each) for each in bank.index_boxes_mm])
    return IndexBank(bank=bank, boxes_mm=np.load(boxes), corners=corners)


def measure(bank: TextureBank) -> npt.NDArray[np.float32]:
    """Return the index box of every face, (D, 52, 4) in mm; NaN for decks without a readable index."""
    boxes = np.full((len(bank.names), len(CARDS), 4), np.nan, dtype=np.float32)
    for deck, name in enumerate(bank.names):
        room = room_of(name, bank.index_boxes_mm[deck][0])
        if room is None:
            continue
        for card in range(len(CARDS)):
            boxes[deck, card] = tight_box(bank.textures[deck, card], room)
    return boxes


def room_of(name: str, told_mm: Box) -> Box | None:
    """Return the box in mm in which a deck's indices may have ink; None if they have no suit sign."""
    family, _, title = name.partition(":")
    if family != "machine":
        return MEASURED_MM.get(name)
    seed = int(title)
    style = draw_face_style(np.random.default_rng([seed, 1]), variety_of(seed))
    return told_mm if style.index_pip > 0 else None


def tight_box(face: npt.NDArray[np.uint8], room_mm: Box) -> Box:
    """Return the box in mm round the ink within `room_mm` of a face, (H, W, 3) RGB.

    The result is `room_mm` itself if there is little ink.
    """
    scale = face.shape[1] / CARD_SIZE_MM[0]
    x0, y0, x1, y1 = (round(edge * scale) for edge in room_mm)
    part = face[max(0, y0) : y1 + 1, max(0, x0) : x1 + 1].astype(np.int64)
    paper = np.percentile(part.reshape(-1, 3), 85, axis=0)
    ink = np.abs(part - paper).max(axis=2) > INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if rows.size < 0.4 * part.shape[0]:
        return room_mm
    left, top = max(0, x0) + columns[0], max(0, y0) + rows[0]
    right, bottom = max(0, x0) + columns[-1] + 1, max(0, y0) + rows[-1] + 1
    return left / scale, top / scale, right / scale, bottom / scale
