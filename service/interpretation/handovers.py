"""Cards that are passed to players: the places before the seats, and the log lines of handing out and back.

Millimetres of the layout plane, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.layout import Layout
from thirdcard.rules.cards.sequence import SEEN_APART_S
from thirdcard.rules.game.words import DEALER, UNKNOWN, Side, Source
from thirdcard.rules.log.events import UNSEEN, CardMoved, CardPassed, Event
from thirdcard.service.interpretation.attribution import who_reached
from thirdcard.service.interpretation.round_tracker import CardOnTable
from thirdcard.service.interpretation.sensors import LineKind, reliability

INWARD_MM = 170.0
"""The largest distance of a seat's cards in front of its wagering areas."""
OUTWARD_MM = 140.0
"""The largest distance of a seat's cards behind its wagering areas."""
SURE_MARGIN_MM = 25.0
"""The least difference in depth by which a card belongs to one seat's place rather than to the next."""
OFF_TABLE = "off_table"
_PREFIX = "seat:"


def places_before_seats(layout: Layout) -> Mapping[str, NDArray[np.float64]]:
    """The place of each seat as a polygon, by `seat:n`: its wagering areas, and the space in front of and
    behind them."""
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
    """The ids of a seat's areas for wagers on the two hands; empty where it is no seat's place."""
    areas = [area for area in layout.of_kind("wager") if f"{_PREFIX}{area.seat}" == place]
    return [area.id for area in areas if area.bet in tuple(Side)]


def is_before_a_seat(region: str) -> bool:
    """Whether a region is a seat's place."""
    return region.startswith(_PREFIX)


def taken_by(card: CardOnTable, place: str) -> CardOnTable:
    """The card after it was laid before a seat."""
    return replace(card, holder=place, lost_t=None)


def given_back(card: CardOnTable, side: Side, t: float) -> CardOnTable:
    """The card after it came to a box, maybe back."""
    return replace(card, side=side, holder=None, given_back_t=t, lost_t=None)


def turned_by(card: CardOnTable, t: float, entries_mm: Sequence[tuple[float, float] | None], layout: Layout) -> str:
    """Who turned a card: its holder, else who reached over its box; unknown where it had just come back.

    Args:
        card: As it was before.
        t: When it was turned.
        entries_mm: Where arms came in while it was covered, one per look.
        layout: The cloth.
    """
    if card.holder is not None or t - card.given_back_t < SEEN_APART_S:
        return card.holder or UNKNOWN
    box = next(area for area in layout.of_kind("hand") if area.hand == str(card.side))
    return who_reached(entries_mm, box, layout)


def was_taken_off(place: str, entries_mm: Sequence[tuple[float, float] | None], layout: Layout) -> bool:
    """Whether a vanished card was taken off the table by the player before whom it lay.

    Args:
        place: The player's place.
        entries_mm: Where the last arms over the card came in, one per look.
        layout: The cloth.
    """
    areas = [area for area in layout.of_kind("wager") if f"{_PREFIX}{area.seat}" == place]
    return bool(areas) and who_reached(entries_mm, areas[0], layout) == place


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """The confidence of a handover, 0 to 1."""

    to_the_seat: float
    to_a_player: float
    """That it went to a player, whoever that is."""


DOUBTED = Certainty(to_the_seat=UNSEEN, to_a_player=UNSEEN)


def shifted_lines(t: float, before: CardOnTable, now: CardOnTable, certainty: Certainty) -> list[Event]:
    """The log lines for a card that now lies elsewhere."""
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
    """The confidence that a card was passed, and to that seat, while the other hand's cards were where the log says.

    A hand goes to one seat: a card before another seat than the rest of its hand is doubtful. So is one before a seat
    whose wagers were not visible, since the entitling wager may lie there.
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
