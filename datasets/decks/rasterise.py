"""Turn the card artwork of Debian's packages into folders of PNG faces.

Reads the SVGZ decks of `gnome-cards-data` and `kdegames-card-data-kf5` with `rsvg-convert`, trims the transparent rim
and writes `<folder>/<family>-<name>/<card>.png` and `back.png`, 315 x 440 px RGBA, upright. The artwork stays out of
the repository: run `python -m thirdcard.datasets.decks.rasterise build/decks`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.artwork import ARTWORK, Artwork
from thirdcard.datasets.decks.cards import CARDS, TEXTURE_SIZE_WH_PX
from thirdcard.datasets.errors import DatasetsError

RANK_IDS = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
SUIT_IDS = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}


def rasterise(artwork: Artwork, folder: Path) -> Path:
    """Write the 52 faces and the back of one deck and return its folder; existing files are kept."""
    target = folder / artwork.name.replace(":", "-")
    target.mkdir(parents=True, exist_ok=True)
    for card in CARDS:
        save_element(artwork, _element_id(artwork, card), target / f"{card}.png")
    save_element(artwork, "back", target / "back.png")
    return target


def save_element(artwork: Artwork, element_id: str, target: Path) -> None:
    """Rasterise one element of a deck, trimmed to its opaque part and scaled to the size of a texture.

    Raises:
        DatasetsError: The element is empty, or too small for a card.
    """
    if target.exists():
        return
    picture = _render(artwork.path, element_id)
    rows, columns = (np.flatnonzero((picture[..., 3] > 127).any(axis=axis)) for axis in (1, 0))
    if rows.size < 100 or columns.size < 60:
        raise DatasetsError(f"{artwork.path}: {element_id} = empty picture; must be a card")
    trimmed = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    cv2.imwrite(str(target), cv2.resize(trimmed, TEXTURE_SIZE_WH_PX, interpolation=cv2.INTER_AREA))


def _element_id(artwork: Artwork, card: str) -> str:
    suit, rank = SUIT_IDS[card[-1]], RANK_IDS.get(card[:-1], card[:-1])
    return f"{suit}_{rank}" if artwork.family == "gnome" else f"{rank}_{suit}"


def _render(path: Path, element_id: str) -> npt.NDArray[np.uint8]:
    """Rasterise an element so large that the trimmed card is at least as large as its texture."""
    zoom = 2.0
    for _ in range(3):
        command = ["rsvg-convert", "--unlimited", "-i", element_id, "-z", f"{zoom:.2f}", str(path)]
        try:
            made = subprocess.run(command, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise DatasetsError(f"{path}: {element_id} = not rendered; needs rsvg-convert and that element") from error
        picture = cv2.imdecode(np.frombuffer(made.stdout, np.uint8), cv2.IMREAD_UNCHANGED)
        if picture is None or picture.ndim != 3:
            raise DatasetsError(f"{path}: {element_id} = no colour picture; must be a card")
        if picture.shape[2] == 3:
            picture = cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)
        if picture.shape[0] >= 2 * TEXTURE_SIZE_WH_PX[1]:
            break
        zoom *= max(1.5, 2.2 * TEXTURE_SIZE_WH_PX[1] / picture.shape[0])
    return np.asarray(picture, dtype=np.uint8)


def main(arguments: list[str] | None = None) -> int:
    """Rasterise every deck whose package is installed, and report what was made; return 1 if a package is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m thirdcard.datasets.decks.rasterise", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/decks"))
    folder = parser.parse_args(arguments).folder
    missing = 0
    for artwork in ARTWORK.values():
        if not artwork.path.exists():
            sys.stderr.write(f"{artwork.path}: not installed; {artwork.name} is left out\n")
            missing += 1
            continue
        sys.stdout.write(f"{artwork.name}: {rasterise(artwork, folder)}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
