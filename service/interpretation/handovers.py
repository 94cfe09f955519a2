"""Cards that are passed to players: where before the seats they lie, and what the log says of their coming and going.

Millimetres of the layout plane, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.layout import Layout
from thirdcard.rules.game.words import DEALER, UNKNOWN, Side, Source
from thirdcard.rules.log.events import UNSEEN, CardMoved, CardPassed, Event
from thirdcard.service.interpretation.attribution import who_reached
from thirdcard.service.interpretation.round_tracker import CardOnTable
from thirdcard.service.interpretation.sensors import LineKind, reliability

INWARD_MM = 170.0
"""How far before a seat's wagering areas its cards may lie."""
OUTWARD_MM = 140.0
"""How far behind them."""
SURE_MARGIN_MM = 25.0
"""A card that lies so much deeper in one seat's place than in the next one's is that seat's."""
HANDOVER_S = 0.5
"""A card that was turned so shortly after it came back may have been turned on its way."""
OFF_TABLE = "off_table"
_PREFIX = "seat:"


def places_before_seats(layout: Layout) -> Mapping[str, NDArray[np.float64]]:
    """The place of each seat, by `seat:n`: its wagering areas, and what lies before and behind them."""
    hands = layout.of_kind("hand")
    if not hands:
        return {}
    corners: dict[int, list[NDArray[np.float64]]] = {}
    for area in layout.of_kind("wager"):
        if area.seat is not None:
            corners.setdefault(area.seat, []).append(area.polygon_mm)
    middle = np.mean([area.polygon_mm.mean(axis=0) for area in hands], axis=0)
    return {f"{_PREFIX}{seat}": _place(np.concatenate(polygons), middle) for seat, polygons in sorted(corners.items())}


def hand_wagers_of(layout: Layout, place: str) -> list[str]:
    """The areas of a seat's wagers on the two hands; none where it is no seat's place."""
    areas = [area for area in layout.of_kind("wager") if f"{_PREFIX}{area.seat}" == place]
    return [area.id for area in areas if area.bet in tuple(Side)]


def is_before_a_seat(region: str) -> bool:
    """Whether a region is such a place."""
    return region.startswith(_PREFIX)


def taken_by(card: CardOnTable, place: str) -> CardOnTable:
    """The card once it lies before a seat."""
    return replace(card, holder=place, lost_t=None)


def given_back(card: CardOnTable, side: Side, t: float) -> CardOnTable:
    """The card once it lies in a box, where it may have been before."""
    return replace(card, side=side, holder=None, given_back_t=t, lost_t=None)


def turned_by(card: CardOnTable, t: float, entries_mm: Sequence[tuple[float, float] | None], layout: Layout) -> str:
    """Who turned a card: whose it is, else who reached over its box; unknown where it had just come back.

    Args:
        card: as it was before.
        t: when it was turned.
        entries_mm: where arms came in while it was covered, look by look.
        layout: the cloth.
    """
    if card.holder is not None or t - card.given_back_t < HANDOVER_S:
        return card.holder or UNKNOWN
    box = next(area for area in layout.of_kind("hand") if area.hand == str(card.side))
    return who_reached(entries_mm, box, layout)


def was_taken_off(place: str, entries_mm: Sequence[tuple[float, float] | None], layout: Layout) -> bool:
    """Whether a card that is nowhere was taken off the table by the player before whom it lay.

    Args:
        place: of that player.
        entries_mm: where the last arms over the card came in, look by look.
        layout: the cloth.
    """
    areas = [area for area in layout.of_kind("wager") if f"{_PREFIX}{area.seat}" == place]
    return bool(areas) and who_reached(entries_mm, areas[0], layout) == place


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """How sure a passing is, 0 to 1."""

    to_the_seat: float
    to_a_player: float
    """Whoever that is."""


DOUBTED = Certainty(to_the_seat=UNSEEN, to_a_player=UNSEEN)


def shifted_lines(t: float, before: CardOnTable, now: CardOnTable, certainty: Certainty) -> list[Event]:
    """What the log says of a card that lies elsewhere now."""
    lines: list[Event] = []
    if now.holder != before.holder:
        is_surer = certainty.to_a_player > certainty.to_the_seat
        passed = CardPassed(
            t=t,
            card_id=now.card_id,
            to=now.holder or DEALER,
            confidence=certainty.to_the_seat,
            passing_confidence=certainty.to_a_player if is_surer else None,
            source=Source.CAMERA,
        )
        lines.append(passed)
    if now.side is not before.side:
        lines.append(CardMoved(t=t, card_id=now.card_id, hand=now.side, source=Source.CAMERA))
    return lines


def passing_certainty(
    margin_mm: float, now: CardOnTable, cards: Iterable[CardOnTable], *, are_wagers_seen: bool
) -> Certainty:
    """How sure it is that a card was passed, and to that seat, while the other hand's cards were where the log says.

    A hand goes to one seat: that a card before another seat than the rest of its hand went there is doubtful. So is it
    of one before a seat whose wagers were not in plain sight: what entitles to the hand may lie there.
    """
    held = [card for card in cards if card.holder is not None]
    is_unseen = any(card.lost_t is not None for card in held if card.side is not now.side)
    is_parted = any(card.holder != now.holder for card in held if card.side is now.side and now.holder is not None)
    is_sure = are_wagers_seen and not is_unseen and not is_parted and margin_mm >= SURE_MARGIN_MM
    seen = reliability(LineKind.PASSED)
    return Certainty(to_the_seat=seen if is_sure else UNSEEN, to_a_player=UNSEEN if is_unseen else seen)


def _place(corners: NDArray[np.float64], middle: NDArray[np.float64]) -> NDArray[np.float64]:
    inward = middle - corners.mean(axis=0)
    inward = inward / np.linalg.norm(inward)
    points = np.concatenate([corners, corners + INWARD_MM * inward, corners - OUTWARD_MM * inward])
    return np.asarray(cv2.convexHull(points.astype(np.float32)).reshape(-1, 2), np.float64)
