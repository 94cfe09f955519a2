"""Report what could not be seen: camera faults, and cards of a round that could not be judged."""

from __future__ import annotations

from collections.abc import Iterator

from thirdcard.rules.cards.misdeals import is_borne_out
from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import CameraFaulted, CameraLost, CameraMoved, CameraObstructed
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.round import Round, confidence_of

_UNSEEN = ("misdeal.short_hand", "misdeal.third_card_missing", "procedure.no_call")
"""Codes of faults that may have happened while a camera was lost."""
_BY_FACES = ("misdeal.third_card_missing", "misdeal.third_card_not_due")


OVERLOADED = "overloaded"
"""The fault of a camera whose frames were not examined because the machine was overloaded."""


def note_doubts(running: Round, drawing: Drawing) -> None:
    """Add the doubts that unread cards and lost cameras leave to the round."""
    if not running.dealt.cards:
        return
    if running.was_camera_lost:
        for code in _UNSEEN:
            running.doubt(code, "a camera was lost")
    unread = [card.card_id for card in running.dealt.cards.values() if card.card is None]
    if unread:
        why = f"not read: {', '.join(unread)}"
        running.doubt("misdeal.foreign_card", why)
        if not drawing.is_settled:
            for code in _BY_FACES:
                running.doubt(code, why)
        is_open = None in (drawing.total(Side.PLAYER), drawing.total(Side.BANKER))
        if is_open and running.result is not None and is_borne_out(running.result, drawing):
            running.doubt("misdeal.wrong_result", why)
    elif running.result is not None and not drawing.can_judge:
        running.doubt("misdeal.wrong_result", "the cards lie where they do not belong")


_WHAT: dict[type[CameraFaulted], tuple[str, str]] = {
    CameraLost: ("camera.lost", "gives no picture"),
    CameraMoved: ("camera.moved", "no longer stands where it was calibrated"),
    CameraObstructed: ("camera.obstructed", "is covered"),
}
_WHY = {
    "frozen": "shows the same picture again and again",
    "dark": "sees too little: it is too dark",
    "glare": "is dazzled: parts of the cloth show nothing but white",
    "stopped": "is not watched any more: the watch was ended",
    "not_watched": "was not watched before: a round was under way",
    "blurred": "is out of focus or dirty: no card could be read",
}
"""Words for faults that say more than the event's type."""


def find_camera_fault(event: CameraLost | CameraMoved | CameraObstructed, _running: Round | None) -> Iterator[Finding]:
    """A finding when the camera is lost, moved or covered, or sees too little for another reason.

    An overloaded machine is logged but makes no finding: nobody at the table can act on it.
    """
    if event.fault == OVERLOADED:
        return
    code, what = _WHAT[type(event)]
    yield Finding(
        code=code,
        t=event.t,
        key=(code, event.camera, event.t),
        message=f"Camera {event.camera or 'of the table'} {_WHY.get(event.fault or '', what)}.",
        confidence=confidence_of(event),
    )
