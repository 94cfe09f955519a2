"""Watch one table for cards that are laid out in rows, and read them; read such rows in still pictures too.

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
    """Reads crops of cards, and may know how the cards of one deck look."""

    @property
    def deck(self) -> HouseDeck | None:
        """The deck that it knows."""
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
        """Takes the sequences in which cards are spread; none: no spread is looked for."""
        self._runs, self._cloth, self._reader, self._calibration = runs, cloth, reader, calibration
        self._card_mm = card_mm
        self._watch = SpreadWatch(cloth.grid, card_mm, self.read)

    def recalibrate(self, calibration: Calibration) -> None:
        """The camera hangs otherwise; the rows lie where they lay."""
        self._calibration = calibration

    @property
    def is_lying(self) -> bool:
        """Whether a spread lies there, is being laid or gathered."""
        return self._watch.is_lying

    def update(self, look: ClothLook) -> bool:
        """Take one look in; True while a spread lies there, is being laid or gathered."""
        return bool(self._runs) and self._watch.update(look.frame, look.cover.change, look.found)

    def take(self) -> tuple[SpreadSight, ...]:
        """Cards that lay spread and were taken away since the last call."""
        return self._watch.take()

    def finish(self, t: float) -> None:
        """The video ended."""
        self._watch.finish(t)

    def read(self, image: Image) -> list[SeenRow]:
        """All rows of a spread in a still picture."""
        found = self._cloth.detected(image)
        reader = WholeCardReader(self._reader)
        rows = read_spread(image, self._calibration, found, reader, runs=self._runs, card_mm=self._card_mm)
        return compared(rows, image, self._calibration, self._reader.deck)
