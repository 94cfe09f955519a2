"""Put into log lines what was seen of a card: that it came, that it was turned, and how sure its face and value are."""

from __future__ import annotations

from rules.cards import Card, parse_card
from rules.events import CardDealt, CardTurned
from rules.words import Side, Source
from vision import observations as seen


def dealt_line(t: float, card_id: str, side: Side, card: seen.CardRested) -> CardDealt:
    """A card left the shoe."""
    return CardDealt(
        t=t,
        card_id=card_id,
        hand=side,
        card=card_of(card.reading),
        face_up=card.face_up,
        confidence=rounded(certainty_of(card)),
        value_confidence=_value_confidence(card.reading) if card.face_up else None,
        source=Source.CAMERA,
    )


def turned_line(t: float, card_id: str, reading: seen.Reading, *, face_up: bool, by: str) -> CardTurned:
    """A card was turned, or the face of one that lay face up was read at last."""
    return CardTurned(
        t=t,
        card_id=card_id,
        card=card_of(reading),
        face_up=face_up,
        by=by,
        confidence=rounded(reading.confidence),
        value_confidence=_value_confidence(reading),
        source=Source.CAMERA,
    )


def card_of(reading: seen.Reading) -> Card | None:
    """The card that was read, where one was."""
    return None if reading.label is None else parse_card(reading.label)


def certainty_of(card: seen.CardRested | seen.CardBeside) -> float:
    """How sure the face is; of a card without one, how sure it is that a card lies there."""
    return card.reading.confidence if card.face_up and card.reading.label else max(card.score, card.reading.confidence)


def rounded(confidence: float) -> float:
    """As the log has it."""
    return round(min(max(confidence, 0.0), 1.0), 4)


def _value_confidence(reading: seen.Reading) -> float | None:
    """How sure it is what the card counts, where that is surer than its face."""
    if reading.label is None or reading.value_confidence is None:
        return None
    sure = rounded(reading.value_confidence)
    return sure if sure > rounded(reading.confidence) else None
