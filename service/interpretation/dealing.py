"""Turn observed cards into log lines on dealing: that a card came, how, and the confidence in its face.

Three questions are decided here:

- Did two cards leave the shoe together? From the earliest and latest time at which each can have come to rest.
- Was a card dealt face up, or does the camera not see backs at this table? A dealer shows one card by mistake at times.
  If card after card is open when first seen, though all come face down, their backs are not detected: plain ones on a
  cloth of their colour, in little light. When and in which order such cards left the shoe was not seen.
- Was a card dealt face up under a hand, or turned there? Where cards come face down nobody turns one before the first
  four lie on the table, and turning a card takes time. One of these four was dealt face up if its face shows soon, no
  look showed its back, and no other face of the round showed before.

Seconds of stream time.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace

from thirdcard.rules.belief.tempo import ActInterval, duration
from thirdcard.rules.game.cards import Card, parse_card
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import CardDealt, CardTurned, Event, RoundClosed
from thirdcard.rules.round.round import INITIAL_CARDS
from thirdcard.rules.rulebook.model import Phase
from thirdcard.vision import observations as seen

IN_TWO_BOXES_S = 0.3
"""Cards that came into different boxes within this time left the shoe together; one box is farther from the shoe."""


@dataclass(slots=True)
class SimultaneousCards:
    """The previous card, as it was dealt."""

    _before: CardDealt | None = None
    _side: Side | None = None
    _from_t: float = 0.0
    """The earliest time at which it can have come to rest."""
    _to_t: float = 0.0

    def joined(self, dealt: CardDealt, from_t: float, to_t: float) -> CardDealt:
        """The card with the one that left the shoe together with it, if any.

        It came to rest between the two times. If its place was covered they are far apart: then the time between two
        cards is unknown, and nothing is reported.
        """
        partner = self.partner_of(dealt.hand, from_t, to_t)
        joined = dealt if partner is None else replace(dealt, together_with=partner)
        self._before, self._side, self._from_t, self._to_t = joined, dealt.hand, from_t, to_t
        return joined

    def partner_of(self, side: Side | None, from_t: float, to_t: float) -> str | None:
        """The id of the card that seems to have left the shoe together with one of this hand; None if there is none."""
        before = self._before
        if before is None or before.together_with is not None:
            return None
        within_s = duration(ActInterval.CARD_TO_CARD).least_s if self._side is side else IN_TWO_BOXES_S
        return before.card_id if max(to_t, self._to_t) - min(from_t, self._from_t) < within_s else None


logger = logging.getLogger(__name__)

OPEN_BY_MISTAKE = 1
"""The most cards of one round that a dealer shows by mistake."""
_ORDER = (Side.PLAYER, Side.BANKER)


@dataclass(slots=True)
class UnseenBacks:
    """How face-down cards came at one table, and whether the camera detects backs."""

    face_down: frozenset[Phase] = frozenset()
    """The phases whose cards come face down."""
    are_unseen: bool = field(default=False, init=False)
    """Whether this camera does not detect backs, by the last rounds."""
    _are_proven: bool = field(default=False, init=False)
    """Whether any back was detected so far."""
    _are_seen_well: bool = field(default=False, init=False)
    """Whether enough backs were detected in one round that backs are surely seen."""
    _open: int = field(default=0, init=False)
    _backs: int = field(default=0, init=False)
    """Cards of the running round that were first seen face up, and face down in due order."""
    _has_turned: bool = field(default=False, init=False)
    """Whether one of them was turned up."""

    def is_missed(self, side: Side | None, dealt: int, since_call_s: float = 0.0) -> bool:
        """Whether a card that is face up at first sight lay there before, with its back undetected.

        Nobody turns a card before the first four lie on the table, so one of them that is found after a turn was there.
        And where no back was ever detected, a round's first card that is found late lay there too.

        Args:
            side: The hand in which it lies.
            dealt: How many cards of the round were logged before.
            since_call_s: Seconds since betting closed, as far as known.
        """
        if not self.come_face_down(dealt):
            return False
        if dealt == 0 and not self._are_proven and since_call_s > duration(ActInterval.CALL_TO_CARD).most_s:
            return True
        return self.are_unseen or self._open >= OPEN_BY_MISTAKE or self._is_out_of_order(side, dealt)

    def _is_out_of_order(self, side: Side | None, dealt: int) -> bool:
        """Whether the next card is one of the first four and found after a turn, or in the wrong hand: then it, or one
        before it, lay there undetected."""
        return dealt < INITIAL_CARDS and (self._has_turned or side is not _ORDER[dealt % 2])

    def may_have_missed_one(self, side: Side | None, dealt: int) -> bool:
        """Whether an undetected back may lie in the other hand: the round's first card seems to be in the wrong one.

        Until most backs of a round were detected, that points to the detector rather than the dealer.
        """
        return dealt == 0 and side is not _ORDER[0] and self.come_face_down(dealt) and not self._are_seen_well

    def note(self, side: Side | None, dealt: int, *, face_up: bool) -> None:
        """Note how a card of the round lay when it was first clearly seen."""
        if not self.come_face_down(dealt):
            return
        if face_up:
            self._open += 1
        else:
            self._backs += not self._is_out_of_order(side, dealt)
            self._are_proven = True

    def apply(self, line: Event) -> None:
        """Apply a written line."""
        self._has_turned |= isinstance(line, CardTurned) and line.face_up
        if not isinstance(line, RoundClosed):
            return
        if self._open > OPEN_BY_MISTAKE:
            if not self.are_unseen:
                logger.warning(
                    "the backs of cards are not seen: how and in what order they left the shoe is not alleged"
                )
            self.are_unseen = True
        elif self._backs >= INITIAL_CARDS - OPEN_BY_MISTAKE:
            self.are_unseen, self._are_seen_well = False, True
        self._open, self._backs, self._has_turned = 0, 0, False

    def come_face_down(self, dealt: int) -> bool:
        """Whether the next card comes face down, by the number of cards dealt in the round."""
        return (Phase.INITIAL if dealt < INITIAL_CARDS else Phase.THIRD) in self.face_down


TURNED_HIDDEN_S = 2.0
"""Under a longer cover cards may have been dealt and turned."""


def dealt_line(t: float, card_id: str, side: Side | None, card: seen.CardRested | seen.LooseCardRested) -> CardDealt:
    """The line for a card that left the shoe."""
    return CardDealt(
        t=t,
        card_id=card_id,
        hand=side,
        card=card_of(card.reading),
        face_up=card.face_up,
        confidence=rounded(certainty_of(card)),
        value_confidence=_value_confidence(card.reading) if card.face_up else None,
        alternatives=_alternatives(card.reading) if card.face_up else None,
        source=Source.CAMERA,
    )


def turned_line(t: float, card_id: str, reading: seen.Reading, *, face_up: bool, by: str) -> CardTurned:
    """The line for a card that was turned, or whose face was read at last."""
    return CardTurned(
        t=t,
        card_id=card_id,
        card=card_of(reading),
        face_up=face_up,
        by=by,
        confidence=rounded(reading.confidence),
        value_confidence=_value_confidence(reading),
        alternatives=_alternatives(reading),
        source=Source.CAMERA,
    )


def card_of(reading: seen.Reading) -> Card | None:
    """The card in a reading; None where no face was read."""
    return None if reading.label is None else parse_card(reading.label)


def certainty_of(card: seen.CardRested | seen.CardBeside | seen.LooseCardRested) -> float:
    """The confidence of the face; without a face, that a card lies there."""
    return card.reading.confidence if card.face_up and card.reading.label else max(card.score, card.reading.confidence)


def rounded(confidence: float) -> float:
    """The confidence as logged: 0 to 1, four decimals."""
    return round(min(max(confidence, 0.0), 1.0), 4)


def _value_confidence(reading: seen.Reading) -> float | None:
    """The confidence of the point value, where it is higher than that of the face; else None."""
    if reading.label is None or reading.value_confidence is None:
        return None
    sure = rounded(reading.value_confidence)
    return sure if sure > rounded(reading.confidence) else None


def _alternatives(reading: seen.Reading) -> dict[str, float] | None:
    """The possible faces other than the one that was read, with their probabilities; None where no face was read and
    none is likelier than others."""
    return None if reading.label is None and not reading.alternatives else dict(reading.alternatives)
