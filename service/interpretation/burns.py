"""The burned cards that a camera sees when a shoe is opened, and whether it can see them at all.

It can if it sees the ground from the shoe to the discard rack: burned cards lie there for a while, or in the boxes
before bets are opened, and a hand goes to the rack. Only if no hand went there is it known that no card was burned.
Millimetres of the layout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.rules.game.cards import Card
from thirdcard.rules.log.events import UNSEEN, BetsOpened, CardBurned, CardDealt, Event, NoMoreBets, ShoeOpened, Source
from thirdcard.vision.cards.side_watch import SideRegions

GROUND = "ground"
DEPTH_MM = 200.0
"""How far the ground reaches from the boxes towards the seats."""
KEPT = ("shoe", "discard", "chip_tray")


def shows_burns(layout: Layout, calibration: Calibration) -> bool:
    """Whether the picture shows the shoe, the discard rack and both boxes completely."""
    shoe, rack, hands = (layout.of_kind(kind) for kind in ("shoe", "discard", "hand"))
    if not (shoe and rack and hands):
        return False
    width, height = calibration.image_size_wh_px
    points = calibration.image_from_layout(np.concatenate([area.polygon_mm for area in (*shoe, *rack, *hands)]))
    return bool(((points >= 0.0) & (points < (width, height))).all())


def side_regions(layout: Layout, *, are_burns_watched: bool) -> SideRegions:
    """The regions where cards are kept; if burned cards are watched, also where they lie and the rack they go to."""
    kept = {area.id: area.polygon_mm for kind in KEPT for area in layout.of_kind(kind)}
    racks = {area.id: area.polygon_mm for area in layout.of_kind("discard")}
    if not are_burns_watched:
        return SideRegions(kept=kept, piles=racks)
    return SideRegions(ground={GROUND: _ground(layout)}, kept=kept, piles=racks, visited=racks)


def _ground(layout: Layout) -> NDArray[np.float64]:
    """The ground from the shoe to the rack, and in front of the boxes on the side of the seats."""
    hands = [area.polygon_mm for area in layout.of_kind("hand")]
    wagers = [area.polygon_mm for area in layout.of_kind("wager")]
    middle = np.concatenate(hands).mean(axis=0)
    away = np.concatenate(wagers).mean(axis=0) - middle if wagers else np.array([0.0, 1.0])
    shift = DEPTH_MM * away / float(np.linalg.norm(away))
    ends = [area.polygon_mm for kind in ("shoe", "discard") for area in layout.of_kind(kind)]
    points = np.concatenate([*hands, *ends, *(polygon + shift for polygon in hands)])
    return np.asarray(cv2.convexHull(points.astype(np.float32)).reshape(-1, 2), np.float64)


@dataclass(slots=True, kw_only=True)
class Burns:
    """Who reports burned cards at a table, and what was seen since the shoe was opened."""

    is_signalled: bool = False
    """Whether a device reports each burned card."""
    is_watched: bool = False
    """Whether the camera sees the ground from the shoe to the discard rack."""
    are_due: bool = False
    """Whether a shoe was opened, with neither bets nor a card since."""
    count: int = 0
    """Cards burned since the shoe was opened."""

    def with_doubt(self, signal: Event) -> Event:
        """A device's signal; a shoe's opening gets low confidence where nobody can see what was burned."""
        if isinstance(signal, ShoeOpened) and not (self.is_signalled or self.is_watched):
            return replace(signal, confidence=UNSEEN)
        return signal

    def apply(self, line: Event) -> None:
        """Apply a written line."""
        if isinstance(line, ShoeOpened):
            self.are_due, self.count = True, 0
        elif isinstance(line, CardBurned):
            self.count += 1
        elif isinstance(line, BetsOpened | NoMoreBets | CardDealt):
            self.are_due = False

    def by_card(self, t: float, card: Card | None, sure: float) -> list[Event]:
        """The line for a card that came to rest, with its face if it showed, and the confidence."""
        if self.is_signalled or not self.are_due:
            return []
        return [CardBurned(t=t, card=card, confidence=round(min(sure, 1.0), 4), source=Source.CAMERA)]

    def by_visit(self, t: float) -> list[Event]:
        """The line for a hand at the rack: if no burned card was seen before, some may have gone there unseen."""
        return [] if self.count else self.by_cover(t)

    def by_cover(self, t: float) -> list[Event]:
        """The line for a burned card that was covered and still lies there: another may have been laid onto it."""
        if self.is_signalled or not self.are_due:
            return []
        return [CardBurned(t=t, confidence=UNSEEN, source=Source.CAMERA)]
