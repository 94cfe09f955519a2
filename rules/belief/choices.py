"""The accounts that one line of the log leaves open: which face a card shows.

A line says the likeliest face and names the others with their probabilities. Faces that count alike make one account:
no duty, total or result tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from thirdcard.rules.game.cards import Card, parse_card
from thirdcard.rules.log.events import CardDealt, CardTurned, Event
from thirdcard.rules.round.round import value_confidence_of


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to read a line."""

    event: Event
    """The line as it stands in this account: what it chose is certain there."""
    probability: float


def choices_of(event: Event) -> Sequence[Choice]:
    """The ways to read a line, the likeliest first; one alone where it names no other.

    Probabilities add up to 1. What else the line leaves in doubt, as how the card came, it leaves so in each of them.
    """
    if not isinstance(event, CardDealt | CardTurned) or event.card is None or not event.alternatives:
        return (Choice(event, 1.0),)
    others = _by_value(event.alternatives, event.card)
    read = max(1.0 - sum(share for _, share in others), 0.0)
    sure = value_confidence_of(event)
    rest = min(sure / read, 1.0) if read > 0.0 else 1.0
    choices = [Choice(replace(event, value_confidence=rest, alternatives=None), read)]
    choices += [
        Choice(replace(event, card=card, confidence=share * rest, value_confidence=rest, alternatives=None), share)
        for card, share in others
    ]
    return sorted(choices, key=_probability, reverse=True)


def _by_value(alternatives: Mapping[str, float], read: Card) -> list[tuple[Card, float]]:
    """The likeliest other face of each point value, with the probability of that value."""
    shares: dict[int, float] = {}
    faces: dict[int, tuple[float, Card]] = {}
    for text, share in alternatives.items():
        card = parse_card(text)
        if share > 0.0 and card.point_value != read.point_value:
            shares[card.point_value] = shares.get(card.point_value, 0.0) + share
            likeliest = faces.get(card.point_value)
            if likeliest is None or share > likeliest[0]:
                faces[card.point_value] = share, card
    return [(faces[value][1], share) for value, share in shares.items()]


def _probability(choice: Choice) -> float:
    return choice.probability
