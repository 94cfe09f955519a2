"""Doubt what the first look showed: it may be print, or cards that lay there with their backs up.

Nobody can tell one from the other at a look, since printed slots are read as backs, and backs come to lie on them.
What is print stays when cards come and go: each time that faces were in sight and all of them have gone, nothing lying
over the regions, the cloth is bare. What looks otherwise then than it was remembered was a card, and all is learnt
anew; what looks the same for several times is believed. Seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass

BARE_S = 0.4
"""So long no face must be in sight, and nothing over the regions, before the cloth is taken for bare. A card that was
not there before is reported after half a second."""
ENOUGH_CLEARINGS = 2
"""So often the cloth must have looked as it was remembered, cards having come and gone, to be believed."""


@dataclass(slots=True)
class FirstLooks:
    """What is assumed of the first look, and whether that held so far."""

    are_doubted: bool = False
    """Whether it is still open what is print."""
    is_unlearnt: bool = False
    """Whether the cloth was never seen bare, as open cards at the first look show: any back may be print."""
    may_be_cards: bool = False
    """Whether what nobody could read at the first look may be cards."""
    _has_shown_faces: bool = False
    _clear_since_t: float | None = None
    _agreed: int = 0
    """How often in turn the cloth looked as it was remembered."""
    _disagreed: int = 0

    def begin(self, *, faces: int, unread: int, is_covered: bool) -> None:
        """Take the first look in: how many faces and unread things lay where cards belong, and whether more may."""
        self.are_doubted = bool(faces or unread or is_covered)
        self.is_unlearnt = self._has_shown_faces = faces > 0
        self.may_be_cards = bool(unread or is_covered)

    def is_cleared(self, t: float, *, is_face: bool, is_covered: bool) -> bool:
        """Whether the cloth was just cleared of open cards: told once of each time."""
        self._has_shown_faces |= is_face
        if is_face or is_covered or not self._has_shown_faces:
            self._clear_since_t = None
            return False
        self._clear_since_t = t if self._clear_since_t is None else self._clear_since_t
        if t - self._clear_since_t < BARE_S:
            return False
        self._has_shown_faces, self._clear_since_t = False, None
        return True

    def is_learnt_anew(self, *, is_as_before: bool) -> bool:
        """The cloth was cleared: whether what it shows now is to be learnt in the place of what was remembered.

        What was confirmed before gives way to two clearings that show something else.
        """
        self.may_be_cards = False
        if is_as_before and not self.is_unlearnt:
            self._agreed, self._disagreed = self._agreed + 1, 0
            self.are_doubted = self._agreed < ENOUGH_CLEARINGS
            return False
        self._disagreed += 1
        if self._agreed and self._disagreed < ENOUGH_CLEARINGS:
            return False
        self.is_unlearnt, self._agreed, self._disagreed = False, 0, 0
        return True
