"""Say at the end of a round what of its cards could not be judged, and why."""

from __future__ import annotations

from thirdcard.rules.game.words import Side
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.round import Round

_UNSEEN = ("misdeal.short_hand", "misdeal.third_card_missing", "procedure.no_call")
"""What may have happened while a camera was lost."""
_BY_FACES = ("misdeal.third_card_missing", "misdeal.third_card_not_due")


def note_doubts(running: Round, drawing: Drawing) -> None:
    """Add to the round's doubts those that its unread cards and lost cameras leave."""
    if not running.cards:
        return
    if running.was_camera_lost:
        for code in _UNSEEN:
            running.doubt(code, "a camera was lost")
    unread = [card.card_id for card in running.cards.values() if card.card is None]
    if unread:
        why = f"not read: {', '.join(unread)}"
        running.doubt("misdeal.foreign_card", why)
        if not drawing.is_settled:
            for code in _BY_FACES:
                running.doubt(code, why)
        if running.result is not None and None in (drawing.total(Side.PLAYER), drawing.total(Side.BANKER)):
            running.doubt("misdeal.wrong_result", why)
    elif running.result is not None and not drawing.can_judge:
        running.doubt("misdeal.wrong_result", "the cards lie where they do not belong")
