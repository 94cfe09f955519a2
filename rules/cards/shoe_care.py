"""Find faults in the care of a shoe: the cutting card's depth, faces that were shown, cards that were replaced.

The depth is a count of cards. It is known only if the shoe's opening was seen and no camera was lost since; each card
that a camera counted lowers its confidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from thirdcard.rules.cards.burn import was_watched
from thirdcard.rules.cards.shoe import Shoe
from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import HidingPlace
from thirdcard.rules.log.events import (
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardBurned,
    CardReplaced,
    CardShown,
    CutCardDrawn,
    Event,
    ShoeOpened,
)
from thirdcard.rules.round.round import Round, confidence_of
from thirdcard.rules.rulebook.model import BurnCount
from thirdcard.rules.rulebook.options import Rules

_SHOE = (ShoeOpened, CardBurned, CutCardDrawn, CardShown, CameraLost, CameraMoved, CameraObstructed)


class ShoeCareJudge:
    """Follows one shoe after another."""

    def __init__(self, rules: Rules, shoe: Shoe) -> None:
        self._depth = rules.rulebook.last_round.cut_depth
        self._is_first_shown = rules.burn.count is BurnCount.FACE_VALUE
        """Whether the first burned card is drawn face up."""
        self._shoe = shoe
        self._was_watched = False
        """Whether the shoe was watched without a gap since its opening."""
        self._burned: list[Card | None] = []
        self._was_cut = False

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The events of a shoe."""
        return _SHOE

    def observe(self, event: Event, _running: Round | None) -> Iterable[Finding]:
        """Take an event after the shoe counted it; returns its faults."""
        if isinstance(event, ShoeOpened):
            self._was_watched, self._was_cut = was_watched(event), False
            self._burned.clear()
        elif isinstance(event, CardBurned):
            self._burned.append(event.card)
        elif isinstance(event, CardShown):
            return self._show(event)
        elif isinstance(event, CutCardDrawn):
            return self._cut(event)
        else:
            self._was_watched = False
        return ()

    def _show(self, event: CardShown) -> Iterator[Finding]:
        """A finding for a burned card's face that was seen, unless it may be the first one, which is drawn face up."""
        if event.where is not HidingPlace.BURN or self._may_be_first(event.card):
            return
        yield Finding(
            code="procedure.burn_shown",
            t=event.t,
            key=("procedure.burn_shown", event.t),
            message="The face of a burned card was seen.",
            cards=() if event.card is None else (event.card,),
            confidence=confidence_of(event),
        )

    def _may_be_first(self, card: Card | None) -> bool:
        if not self._is_first_shown or not self._burned:
            return False
        first, is_alone = self._burned[0], len(self._burned) == 1
        return first is None or card == first or (card is None and is_alone)

    def _cut(self, event: CutCardDrawn) -> Iterator[Finding]:
        """A finding for the first cutting card from the shoe, if it lay at a wrong depth."""
        left, depth, was_cut = self._shoe.left, self._depth, self._was_cut
        self._was_cut = True
        if was_cut or depth is None or left is None or not self._was_watched or depth.least <= left <= depth.most:
            return
        wanted = f"{depth.least}" if depth.least == depth.most else f"at least {depth.least}"
        yield Finding(
            code="procedure.cut_depth",
            t=event.t,
            key=("procedure.cut_depth",),
            message=f"{left} cards lay behind the cutting card; the rules ask for {wanted}.",
            confidence=confidence_of(event) * self._shoe.sureness,
        )


def find_replaced(event: CardReplaced, running: Round) -> Iterator[Finding]:
    """A finding for a card that was replaced while its round ran.

    Chips on the table do not yet begin a coup. Its first card does (`nsw` 1.1), when all wagers are down (`nz-*` 8.2).
    """
    if not running.dealt.cards:
        return
    why = f": {event.reason}" if event.reason else ""
    yield Finding(
        code="procedure.card_replaced",
        t=event.t,
        key=("procedure.card_replaced", event.card_id),
        message=f"A card was replaced during the round{why}.",
        confidence=confidence_of(event),
    )
