"""Watch one table for cards that are laid out in rows, and read them; also read such rows in still pictures.

Knows the sequences of labels in which cards are laid, not why. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from typing import Protocol

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.enrolled_deck import HouseDeck
from thirdcard.vision.plane.cloth_watch import ClothLook, ClothWatch
from thirdcard.vision.spread.spread_likeness import compared
from thirdcard.vision.spread.spread_reading import CropReader, SeenRow, WholeCardReader, read_spread
from thirdcard.vision.spread.spread_watch import SpreadSight, SpreadWatch

Runs = tuple[tuple[str, ...], ...]


class DeckReader(CropReader, Protocol):
    """Reads crops of cards, and may have an enrolled deck."""

    @property
    def deck(self) -> HouseDeck | None:
        """The enrolled deck; None without one."""
        ...


class TableSpread:
    """The cards that lie spread on one table."""

    def __init__(
        self,
        runs: Runs,
        cloth: ClothWatch,
        reader: DeckReader,
        calibration: Calibration,
        *,
        card_mm: tuple[float, float],
    ) -> None:
        """Take the sequences in which cards are spread; with none, no spread is looked for."""
        self._runs, self._cloth, self._reader, self._calibration = runs, cloth, reader, calibration
        self._card_mm = card_mm
        self._watch = SpreadWatch(cloth.grid, card_mm, self.read)

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: the camera moved, the rows did not."""
        self._calibration = calibration

    @property
    def is_lying(self) -> bool:
        """Whether a spread lies there, or is being laid out or gathered."""
        return self._watch.is_lying

    def update(self, look: ClothLook) -> bool:
        """Take one look; return True while a spread lies there, or is being laid out or gathered."""
        return bool(self._runs) and self._watch.update(look.frame, look.cover.change, look.found)

    def take(self) -> tuple[SpreadSight, ...]:
        """Return the spreads that were gathered up since the last call."""
        return self._watch.take()

    def finish(self, t: float) -> None:
        """End the watch at the end of the video."""
        self._watch.finish(t)

    def read(self, image: Image) -> list[SeenRow]:
        """Return all rows of a spread in a still picture."""
        found = self._cloth.detected(image)
        reader = WholeCardReader(self._reader)
        rows = read_spread(image, self._calibration, found, reader, runs=self._runs, card_mm=self._card_mm)
        return compared(rows, image, self._calibration, self._reader.deck)
