"""Detect that cards are spread over a table, wait until they lie still, and read them.

A spread shows far more faces than usual. While it lies there, nothing else is reported about the table. Several frames
are averaged to reduce noise. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import CARD_BACK, CARD_FACE, Detections
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.plane.change_gate import Change, GridFrame
from thirdcard.vision.spread.spread_reading import SeenRow
from thirdcard.vision.spread.spread_rows import find_rows

LEAST_FACES = 10
"""Number of open cards in a row from which on they are a spread: otherwise fewer lie open at once."""
FACE_SCORE = 0.5
"""Least detector score of the counted faces, above the detector's own threshold of 0.3. Chosen by hand."""
STILL_S = 0.9
"""Seconds after which still cells are read. With a shorter time cards that are still being laid are read in vain.
Chosen by hand."""
UNREST_SHARE = 0.02
"""Share of the spread that may flicker while it still counts as still."""
FRAMES = 4
"""Frames whose mean is read: four halve the noise. Held-out spreads (docs/accuracy/special.md) were measured this
way."""
FRAME_GAP_S = 0.1
"""Least seconds between these frames: nearer ones share more of their noise. Looks at a spread are 0.24 s apart
anyway (vision/observer.py)."""
GATHERED_SHARE = 0.4
"""If a smaller share of the boxes that were read is left, the cards are being gathered."""
FEW_FACES = 3
"""Largest number of faces that may be left of a gathered spread, or be false detections. Chosen by hand."""
GONE_S = 1.2
"""Seconds with hardly a visible face before the table is watched as usual again."""

ReadRows = Callable[[Image], list[SeenRow]]


@dataclass(frozen=True, slots=True, eq=False)
class SpreadSight:
    """Cards that lay spread, as they were last read."""

    from_t: float
    """When they lay still, in stream seconds."""
    to_t: float
    """When they were taken away, or the video ended, in stream seconds."""
    rows: tuple[SeenRow, ...]
    image: Image
    """(H, W, 3) uint8 the picture that was read: the mean of some frames."""


@dataclass(slots=True)
class SpreadWatch:
    """Whether a spread lies there, and what it shows."""

    grid: GridFrame
    card_mm: tuple[float, float]
    read: ReadRows
    is_lying: bool = False
    done: list[SpreadSight] = field(default_factory=list)
    """Spreads that were gathered."""
    _frames: list[tuple[float, NDArray[np.uint8]]] = field(default_factory=list)
    _sight: SpreadSight | None = None
    _boxes_read: int = 0
    _is_fresh: bool = False
    """Whether nothing moved since the last reading."""
    _few_since_t: float | None = None

    def update(self, frame: Frame, change: Change, found: Detections) -> bool:
        """Take one look; return True while a spread lies there, or is being laid out or gathered."""
        cards = found.of(CARD_FACE, CARD_BACK)
        cards = cards.take(cards.score >= FACE_SCORE)
        faces = int((cards.label == CARD_FACE).sum())
        if not self.is_lying:
            self.is_lying = faces >= LEAST_FACES and bool(find_rows(cards, self.card_mm))
        if not self.is_lying:
            return False
        if self._sight is not None and len(cards) < GATHERED_SHARE * self._boxes_read:
            self._finish_lay(frame.t)
        self._watch_still(frame, change, cards)
        self._watch_end(faces, frame.t)
        return self.is_lying

    def take(self) -> tuple[SpreadSight, ...]:
        """Return the spreads that were gathered since the last call."""
        done, self.done = tuple(self.done), []
        return done

    def finish(self, t: float) -> None:
        """End the watch at the end of the video."""
        if self._sight is None and len(self._frames) > 0:
            self._read(t)
        self._finish_lay(t)

    def _watch_still(self, frame: Frame, change: Change, cards: Detections) -> None:
        area = np.zeros(self.grid.shape_hw, bool)
        for corners in cards.corners_mm:
            area |= self.grid.mask_of(corners)
        if not area.any():
            return
        unrest = float((change.still_s[area] < STILL_S).mean())
        if unrest > UNREST_SHARE:
            self._frames, self._is_fresh = [], False
            return
        if self._is_fresh or (self._frames and frame.t - self._frames[-1][0] < FRAME_GAP_S):
            return
        self._frames.append((frame.t, frame.image))
        if len(self._frames) >= FRAMES:
            self._boxes_read = len(cards)
            self._read(frame.t)

    def _read(self, t: float) -> None:
        mean = np.mean([image for _, image in self._frames], axis=0, dtype=np.float32)
        image = np.asarray(np.round(mean), np.uint8)
        from_t = self._frames[0][0] - STILL_S if self._sight is None else self._sight.from_t
        rows = self.read(image)
        if rows:
            self._sight = SpreadSight(from_t, t, tuple(rows), image)
        self._frames, self._is_fresh = [], True

    def _finish_lay(self, t: float) -> None:
        if self._sight is not None:
            self.done.append(SpreadSight(self._sight.from_t, t, self._sight.rows, self._sight.image))
        self._sight, self._boxes_read = None, 0

    def _watch_end(self, faces: int, t: float) -> None:
        if faces > FEW_FACES:
            self._few_since_t = None
            return
        self._few_since_t = t if self._few_since_t is None else self._few_since_t
        if t - self._few_since_t >= GONE_S:
            self._finish_lay(t)
            self.is_lying, self._few_since_t = False, None
