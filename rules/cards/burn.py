"""Find a shoe that began without the burn that the rulebook orders, or with a wrong number of burned cards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.log.events import (
    UNSEEN,
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardBurned,
    CardDealt,
    Event,
    ShoeOpened,
)
from thirdcard.rules.round.round import Round, confidence_of
from thirdcard.rules.rulebook.model import BurnCount
from thirdcard.rules.rulebook.options import Rules

_CODE = "procedure.burn"
_OF_THE_BEGINNING = (ShoeOpened, CardBurned, CameraLost, CameraMoved, CameraObstructed)


def was_watched(opened: ShoeOpened) -> bool:
    """Whether the shoe's opening was seen; only then is it known what was burned."""
    return confidence_of(opened) > UNSEEN


class BurnJudge:
    """Counts the burned cards of a shoe until its first card is dealt.

    Nothing is reported about a shoe whose opening is not in the log.
    """

    def __init__(self, rules: Rules) -> None:
        self._ordered = rules.burn.count
        self._burned: list[CardBurned] | None = None
        self._was_camera_lost = False
        self._was_watched = True

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The event types of a shoe's beginning; none where no burn is ordered."""
        return () if self._ordered is BurnCount.NONE else _OF_THE_BEGINNING

    def observe(
        self, event: ShoeOpened | CardBurned | CameraLost | CameraMoved | CameraObstructed, _running: Round | None
    ) -> None:
        """Take an event of the shoe's beginning."""
        if isinstance(event, ShoeOpened):
            self._burned, self._was_camera_lost = [], False
            self._was_watched = was_watched(event)
        elif not isinstance(event, CardBurned):
            self._was_camera_lost = True
        elif self._burned is not None:
            self._burned.append(event)

    def find(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """Faults of the burn, found when the shoe's first card is dealt."""
        burned, self._burned = self._burned, None
        return () if burned is None else self._judge(event, burned, running)

    def _judge(self, event: CardDealt, burned: list[CardBurned], running: Round) -> Iterator[Finding]:
        if self._was_camera_lost or running.was_camera_lost:
            running.doubt(_CODE, "the camera was lost while cards were burned")
            return
        if not self._was_watched and not burned:
            running.doubt(_CODE, "nobody watched whether cards were burned")
            return
        due = _due(self._ordered, burned)
        if due is None:
            if 1 < len(burned) <= 1 + max(map(face_value, PACK)):
                running.doubt(_CODE, "the first burned card was not read")
                return
        elif len(burned) == due:
            return
        yield Finding(
            code=_CODE,
            t=event.t,
            key=(_CODE,),
            message=_message(len(burned), due),
            cards=tuple(one.card for one in burned[:1] if one.card is not None),
            confidence=min(confidence_of(one) for one in (event, *burned)),
        )


def face_value(card: Card) -> int:
    """The value of a card for the burn: a ten or a court card 10, an ace 1."""
    return card.point_value or 10


def _due(ordered: BurnCount, burned: list[CardBurned]) -> int | None:
    """The number of cards to burn; None where the first one's face is unknown."""
    if ordered is BurnCount.ONE or not burned:
        return 1
    first = burned[0].card
    return None if first is None else 1 + face_value(first)


def _message(count: int, due: int | None) -> str:
    cards = "1 card was" if count == 1 else f"{count or 'No'} cards were"
    wanted = "a first card and as many as it counts" if due is None else f"{due}" if count else "a burn"
    return f"{cards} burned before the shoe's first round; the rules ask for {wanted}."
