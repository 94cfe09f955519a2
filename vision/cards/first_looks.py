"""Question what the first look showed: it may be print, or cards that lay there with their backs up.

The two cannot be distinguished at one look, since printed slots are detected as backs, and backs lie on such slots.
Print stays when cards come and go. Each time faces were visible and all of them have gone, with nothing over the
regions, the cloth is bare. If something then looks different from what was remembered, it was a card, and everything is
relearned. What looks the same several times is confirmed. Seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass

BARE_S = 0.4
"""Seconds without a visible face or anything over the regions after which the cloth counts as bare. A card that was
not there before is reported after half a second."""
ENOUGH_CLEARINGS = 2
"""How often the cloth must have looked as remembered, after cards had come and gone, to be confirmed."""


@dataclass(slots=True)
class FirstLooks:
    """What is assumed about the first look, and whether that was confirmed so far."""

    are_doubted: bool = False
    """Whether it is still undecided which things are print."""
    is_unlearnt: bool = False
    """Whether the cloth was never seen bare, since the first look showed open cards: any back may be print."""
    may_be_cards: bool = False
    """Whether what could not be read at the first look may be cards."""
    _has_shown_faces: bool = False
    _clear_since_t: float | None = None
    _agreed: int = 0
    """How often in a row the cloth looked as remembered."""
    _disagreed: int = 0

    def begin(self, *, faces: int, unread: int, is_covered: bool) -> None:
        """Take the first look.

        Args:
            faces: Number of visible faces where cards belong.
            unread: Number of unread things there.
            is_covered: Whether more of them may be hidden.
        """
        self.are_doubted = bool(faces or unread or is_covered)
        self.is_unlearnt = self._has_shown_faces = faces > 0
        self.may_be_cards = bool(unread or is_covered)

    def is_cleared(self, t: float, *, is_face: bool, is_covered: bool) -> bool:
        """Return True once, each time the cloth has just been cleared of open cards."""
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
        """Take in a cleared cloth, and return whether its present look replaces the remembered one.

        What was confirmed before is replaced after two clearings that show something else.
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
