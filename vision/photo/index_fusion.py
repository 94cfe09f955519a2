"""Combine readings of whole cards in a photograph with readings of corner indices.

A card's own indices and its reading as a whole are pooled; two indices of one card count as one card. What a fan shows
is identified by its indices, and a whole-card reading that contradicts them is dropped. Points are pixels of the
photograph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.inference.index_finder import Indices
from thirdcard.vision.inference.reader import BACK, UNCLEAR, Readings
from thirdcard.vision.photo.recognised import SURE, Recognised

_ROOM = 0.06
"""Share of a polygon's size by which a card is enlarged to decide what lies in it."""
_FAN = 2
"""Number of other cards' indices in a card's polygon from which the card counts as mostly covered."""
_OTHER_SURE = 0.8
"""Probability from which an index of another card within a whole card is accepted."""
_FLOOR = 0.002
"""Least probability of any face, whatever one look says: no look outvotes two others."""
_NEVER = 0.01
"""If a card has several indices of its own, one that gives its name a lower probability belongs to another card."""
_ALIKE_READ = 0.05
"""Least probability that two indices of one card name the same face, each drawn from its own probabilities."""
_OWN_PLACE = (0.28, 0.36)
"""The centre of a card's own index lies within these shares of the card's width and height from a corner."""
_OWN_HEIGHT = (0.06, 0.5)
"""Allowed height of a card's own index, relative to the card's height."""
_NEIGHBOURS, _NEAR = 4, 8.0
"""An index is compared with at most this many of its nearest others, at most this many of their heights away."""
_LEAST_OF_THEIRS = 0.45
"""An index smaller than this share of its neighbours' median height is print."""
_OPPOSITE = -0.75
"""Cosine of the angle between two indices: those of one card are upside down to each other (-1); here within 41
degrees, since a card may be seen obliquely. Chosen by hand."""
_REACH = (1.8, 11.0)
"""Allowed distance of a card's two indices, in heights of an index."""
_DOWN_DEG = (-15.0, 75.0)
"""Direction of a card's other index, seen from the first: from straight below towards its right."""
_ALIKE_HIGH = 1.7
"""Largest ratio of the heights of a card's two indices."""

Shares = NDArray[np.float64]
"""(faces,) the probability of each face; what is missing from 1 is the probability that none shows."""


@dataclass(frozen=True, slots=True, eq=False)
class WholeCard:
    """A card that was read as a whole."""

    card: Recognised
    shares: Shares


@dataclass(frozen=True, slots=True, eq=False)
class ReadIndex:
    """A corner index that shows some face, with the probabilities of the faces."""

    shares: Shares
    centre_px: NDArray[np.float64]
    up: NDArray[np.float64]
    height_px: float
    corners_px: NDArray[np.float64]
    """(4, 2), clockwise from its own top left corner."""


def read_indices(found: Indices, readings: Readings) -> list[ReadIndex]:
    """Return the indices that likely show a face, the most certain first.

    Very small ones count as print and are dropped.
    """
    shares = face_shares(readings)
    read = [
        ReadIndex(shares[i], found.centres_px[i], found.ups[i], float(found.sizes_px[i, 1]), found.corners_px[i])
        for i in np.flatnonzero(shares.sum(axis=1) >= SURE)
    ]
    cards = [index for index in read if not _is_small(index, read)]
    return sorted(cards, key=lambda each: -float(each.shares.max()))


def face_shares(readings: Readings) -> NDArray[np.float64]:
    """Return the probabilities of the faces, (N, faces), in the order of the readings' labels."""
    columns = [i for i, label in enumerate(readings.labels) if label not in (BACK, UNCLEAR)]
    shares: NDArray[np.float64] = np.exp(readings.log_probs[:, columns])
    return shares


def join(cards: Sequence[WholeCard], indices: Sequence[ReadIndex], faces: Sequence[str]) -> list[Recognised]:
    """Combine cards read as a whole with cards of which only an index is visible, so that each comes once.

    Args:
        cards: The readings of whole cards, including backs and faces that could not be read.
        indices: The readings of indices, the most certain first.
        faces: The names of the shares.
    """
    inside = [[index for index in indices if _holds(whole.card, index)] for whole in cards]
    claimed = {
        id(index)
        for whole, within in zip(cards, inside, strict=True)
        for index in within
        if faces[int(index.shares.argmax())] == whole.card.label
    }
    joined, used = list[Recognised](), set(claimed)
    for whole, within in zip(cards, inside, strict=True):
        told, taken = _weigh(whole, within, claimed, faces)
        used |= {id(index) for index in taken}
        joined += [] if told is None else [told]
    return [*joined, *_alone([index for index in indices if id(index) not in used], faces)]


def _is_small(index: ReadIndex, all_read: Sequence[ReadIndex]) -> bool:
    """Whether an index is far smaller than those next to it: cards that lie together are of one size."""
    away = [
        (float(np.linalg.norm(other.centre_px - index.centre_px)) / other.height_px, other.height_px)
        for other in all_read
        if other is not index and other.shares.max() >= SURE
    ]
    near = [height for distance, height in sorted(away)[:_NEIGHBOURS] if distance < _NEAR]
    return bool(near) and index.height_px < _LEAST_OF_THEIRS * float(np.median(near))


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    """The indices within a whole card, sorted by what they may be, with the pooled result of its own ones."""

    agreeing: list[ReadIndex]
    """They name the card as the reading of the whole does."""
    own: list[ReadIndex]
    """They stand where an index of this card does and agree with it, or with no other card that was read as a whole."""
    others: list[ReadIndex]
    """Those of other cards, which lie over this one."""
    doubtful: list[ReadIndex]
    """Those of the others that are too uncertain to be accepted."""
    has_rivals: bool
    """Whether one of the others stands where an index of this card does."""
    label: str
    confidence: float
    """The face named by the whole card and its own indices, and its probability."""

    @property
    def shows_both_ends(self) -> bool:
        """Whether both indices that name the card are visible."""
        return _shows_both_ends([index for index in self.agreeing if index in self.own])

    @property
    def is_mostly_covered(self) -> bool:
        """Whether other cards cover it, or it is unclear which card the indices at its corners belong to."""
        sure_others = len(self.others) - len(self.doubtful)
        return sure_others >= _FAN or (self.has_rivals and self.confidence < SURE)


def _evidence(whole: WholeCard, within: Sequence[ReadIndex], claimed: set[int], faces: Sequence[str]) -> _Evidence:
    agreeing = [index for index in within if faces[int(index.shares.argmax())] == whole.card.label]
    free = [index for index in within if index not in agreeing and id(index) not in claimed]
    own = [index for index in (*agreeing, *free) if _is_at_own_place(whole.card, index)]
    pooled = _pooled([whole.shares, *(index.shares for index in own)])
    best = int(pooled.argmax())
    rivals = [index for index in own if len(own) > 1 and index.shares[best] < _NEVER]
    others = [index for index in free if index not in own or index in rivals]
    return _Evidence(
        agreeing=agreeing,
        own=own,
        others=others,
        doubtful=[index for index in others if index.shares.max() < _OTHER_SURE],
        has_rivals=bool(rivals),
        label=faces[best],
        confidence=float(pooled[best]),
    )


def _weigh(
    whole: WholeCard, within: Sequence[ReadIndex], claimed: set[int], faces: Sequence[str]
) -> tuple[Recognised | None, list[ReadIndex]]:
    """Return what becomes of a whole-card reading, None if it is dropped, and the indices that it explains."""
    card, seen = whole.card, _evidence(whole, within, claimed, faces)
    if seen.shows_both_ends:
        return _named(card, seen.confidence, seen.label), [*seen.agreeing, *seen.others]
    if seen.is_mostly_covered:
        return (_shrunk(card, seen.agreeing[0]) if seen.agreeing else None), []
    if card.label is None and _may_be_no_card(within, seen.own):
        return None, []
    if seen.own:
        mine = [index for index in seen.own if index not in seen.others]
        return _named(card, seen.confidence, seen.label), [*mine, *seen.doubtful]
    return card, [*seen.agreeing, *seen.doubtful]


def _may_be_no_card(within: Sequence[ReadIndex], own: Sequence[ReadIndex]) -> bool:
    """Whether something that could not be read as a whole shows indices, but none that is certainly its own."""
    if own:
        return bool(max(index.shares.max() for index in own) < _OTHER_SURE)
    return bool(within)


def _shows_both_ends(own: Sequence[ReadIndex]) -> bool:
    """Whether both of a card's indices are visible.

    Then nothing covers it, and other apparent indices are its print.
    """
    return any(first.up @ second.up < _OPPOSITE for first in own for second in own)


def _shrunk(card: Recognised, index: ReadIndex) -> Recognised:
    """Reduce a mostly covered card to the index that names it."""
    sure = max(card.confidence, float(index.shares.max()))
    return replace(card, confidence=sure, polygon_px=index.corners_px)


def _named(card: Recognised, confidence: float, label: str) -> Recognised:
    """Name a card by its own indices and its reading as a whole; unread where the probability is too low."""
    if confidence < SURE:
        return replace(card, label=None, face_up=True)
    return replace(card, label=label, face_up=True, confidence=confidence)


def _pooled(shares: Sequence[Shares]) -> Shares:
    """Pool several readings of one card: the product of their shares, each raised slightly, normalised to 1."""
    log_shares = np.sum([np.log(each + _FLOOR) for each in shares], axis=0)
    product = np.exp(log_shares - log_shares.max())
    pooled: Shares = product / product.sum()
    return pooled


def _alone(indices: Sequence[ReadIndex], faces: Sequence[str]) -> list[Recognised]:
    """Return the cards that were not read as a whole: both indices of a card are paired, and uncertain ones dropped."""
    left = list(indices)
    cards = []
    while left:
        first = left.pop(0)
        partner = next((other for other in left if _are_of_one_card(first, other)), None)
        shares, polygon = first.shares, first.corners_px
        if partner is not None:
            left.remove(partner)
            shares, polygon = _pooled([first.shares, partner.shares]), _spanned(first, partner)
        if shares.max() >= SURE:
            cards.append(Recognised("card", faces[int(shares.argmax())], True, float(shares.max()), polygon))
    return cards


def _are_of_one_card(first: ReadIndex, second: ReadIndex) -> bool:
    """Whether two indices may stand in opposite corners of one card, seen from not too oblique an angle."""
    if first.shares @ second.shares < _ALIKE_READ or first.up @ second.up > _OPPOSITE:
        return False
    height = (first.height_px + second.height_px) / 2
    ratio = max(first.height_px, second.height_px) / min(first.height_px, second.height_px)
    away = second.centre_px - first.centre_px
    distance = float(np.linalg.norm(away)) / height
    right = np.array([-first.up[1], first.up[0]])
    angle = np.rad2deg(np.arctan2(away @ right, away @ -first.up))
    return ratio < _ALIKE_HIGH and _REACH[0] < distance < _REACH[1] and _DOWN_DEG[0] < angle < _DOWN_DEG[1]


def _spanned(first: ReadIndex, second: ReadIndex) -> NDArray[np.float64]:
    """Return the rectangle, rotated as the first index, from its top left corner to the second one's."""
    start, end = first.corners_px[0], second.corners_px[0]
    right = np.array([-first.up[1], first.up[0]])
    across = right * float((end - start) @ right)
    return np.stack([start, start + across, end, end - across])


def _holds(card: Recognised, index: ReadIndex) -> bool:
    middle = card.polygon_px.mean(axis=0)
    grown = (middle + (card.polygon_px - middle) * (1 + 2 * _ROOM)).astype(np.float32)
    x, y = (float(value) for value in index.centre_px)
    return cv2.pointPolygonTest(grown, (x, y), False) >= 0


def _is_at_own_place(card: Recognised, index: ReadIndex) -> bool:
    """Whether an index lies in a corner of the card and stands along one of its sides."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(card.polygon_px.astype(np.float32), unit)
    points = np.stack([index.centre_px, index.centre_px + index.up * index.height_px / 2])
    middle, top = cv2.perspectiveTransform(points[None].astype(np.float32), matrix)[0].astype(np.float64)
    from_corner, reach = np.minimum(middle, 1 - middle), np.abs(top - middle) * 2
    is_upright = reach[1] > reach[0]
    limits = _OWN_PLACE if is_upright else _OWN_PLACE[::-1]
    return bool((from_corner < limits).all() and _OWN_HEIGHT[0] < reach.max() < _OWN_HEIGHT[1])
