"""The hypotheses that one line of the log leaves open: which face a card shows, and who moved chips.

- A card's line names the likeliest face, and the others with their probabilities. Faces of the same point value make
  one hypothesis, since no rule distinguishes them.
- Where the probabilities of a card's faces add up to less than 1, it may be any card of a pack for the rest.
- The line of a card that shows a face, but none that could be named, gives the probabilities of those it may be. A
  later line that names its face, or gives them anew, takes its place.
- A face-down card that nobody saw come may not exist: it may be a shadow, or the print when the light changes. Nor may
  one that seems to have come with another: two backs side by side may look like three. The line's confidence is the
  probability that it exists. If it does not, nothing that the log says about that card happened, until it seems to move
  to another box: then a card came there, and the shadow was taken for it.
- A card that seems to lie face up, though no face could be read, may show a back that the reader does not know.
- Chips on a wager may have become more, or fewer: the line names the likelier direction, and the other with its
  probability.
- Chips that a camera saw the dealer pay or take may have been placed or taken by the player; the line's confidence says
  how likely the dealer is. Chips that somebody unknown moved once the cards are out may have been paid or taken by the
  dealer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from thirdcard.rules.game.cards import PACK, Card, parse_card
from thirdcard.rules.log.events import (
    DEALER,
    UNKNOWN,
    UNSEEN,
    CardDealt,
    CardMoved,
    CardTurned,
    Event,
    SettleAction,
    Source,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.round.round import value_confidence_of

VALUES = range(10)


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to read a line."""

    lines: tuple[Event, ...]
    """The lines as this hypothesis reads them; what was chosen is certain in them."""
    probability: float
    is_players: bool = False
    """Whether the player, not the dealer, made the reported act."""
    absent: str | None = None
    """The id of the card that does not exist in this reading."""
    moved: str | None = None
    """The id of the card that this one is, moved from the other hand."""


def choices_of(event: Event, *, are_cards_out: bool = False) -> Sequence[Choice]:
    """The ways to read a line, the likeliest first; one alone where nothing is open.

    Probabilities add up to 1. Other doubts of the line, such as how a card came, stay in each reading.

    Args:
        event: The line.
        are_cards_out: Whether the round's first four cards have left the shoe, so that wagers may be settled.
    """
    match event:
        case CardDealt() | CardTurned() if event.card is not None:
            return _faces(event, event.card)
        case CardDealt() | CardTurned() if is_unread(event):
            return _unread_faces(event)
        case CardDealt() if event.face_up and event.source is Source.CAMERA and 0.0 < value_of(event) < 1.0:
            sure = value_of(event)
            choices = [
                Choice((replace(event, confidence=1.0),), sure),
                Choice((replace(event, face_up=False, confidence=1.0),), 1.0 - sure),
            ]
            return sorted(choices, key=_probability, reverse=True)
        case CardDealt() if _may_be_none(event) and 0.0 < value_of(event) < 1.0:
            sure = value_of(event)
            return (Choice((event,), sure), Choice((), 1.0 - sure, absent=event.card_id))
        case WagerSettled() if event.source is Source.CAMERA and 0.0 < value_of(event) < 1.0:
            sure = value_of(event)
            choices = [Choice((event,), sure), Choice((), 1.0 - sure, is_players=event.seat is not None)]
            return sorted(choices, key=_probability, reverse=True)
        case WagerChanged() if is_direction_open(event) and event.by != UNKNOWN:
            return _directions(event, sum((event.alternatives or {}).values()))
        case WagerChanged() if event.source is Source.CAMERA and event.by == UNKNOWN and are_cards_out:
            acts = _acts_of_dealer(event)
            share = UNSEEN / len(acts)
            return (Choice((event,), 1.0 - UNSEEN), *(Choice(lines, share) for lines in acts))
    return (Choice((event,), 1.0),)


def is_unread(event: Event) -> bool:
    """Whether the line is about a card that shows a face which could not be named, and gives the likely ones."""
    return (
        isinstance(event, CardDealt | CardTurned)
        and event.face_up is True
        and event.card is None
        and any((event.alternatives or {}).values())
    )


def _may_be_none(dealt: CardDealt) -> bool:
    """Whether what was seen may be no card: a back that nobody saw come, or that seems to have come with another."""
    return not dealt.face_up and (dealt.order_unseen or dealt.together_with is not None)


def read_anew(lines: Sequence[Event]) -> frozenset[int]:
    """The indices of the lines about a face that could not be named of which a later line tells more."""
    last = {
        line.card_id: i
        for i, line in enumerate(lines)
        if isinstance(line, CardDealt | CardTurned) and (line.card is not None or is_unread(line))
    }
    return frozenset(
        i
        for i, line in enumerate(lines)
        if isinstance(line, CardDealt | CardTurned) and is_unread(line) and last[line.card_id] != i
    )


def is_direction_open(event: Event) -> bool:
    """Whether the line is about a wager that a camera saw change, but may have taken for a change in the other
    direction."""
    return isinstance(event, WagerChanged) and event.source is Source.CAMERA and bool(event.alternatives)


def value_of(event: Event) -> float:
    """A line's confidence, 0 to 1; a line without one counts as certain (1)."""
    return 1.0 if event.confidence is None else event.confidence


def laid_where_moved(event: CardMoved) -> CardDealt:
    """The card dealt to where it seems to have been moved: what lay elsewhere before was no card."""
    return CardDealt(
        t=event.t, card_id=event.card_id, hand=event.hand, face_up=False, confidence=1.0, source=event.source
    )


def by_player(event: WagerChanged) -> WagerChanged:
    """The same change, made by the player at that seat."""
    return replace(event, by=f"seat:{event.seat}")


def _directions(event: WagerChanged, opposite: float) -> Sequence[Choice]:
    """The change as logged, and the change in the opposite direction; each as certain as that anything changed."""
    as_logged = value_of(event)
    changed = min(as_logged + opposite, 1.0)
    if not 0.0 < opposite <= changed:
        return (Choice((event,), 1.0),)
    plain = replace(event, confidence=changed, alternatives=None)
    turned = replace(
        plain,
        before=None,
        after=None,
        before_low=None,
        before_high=None,
        after_low=None,
        after_high=None,
        chips_before=event.chips_after,
        chips_after=event.chips_before,
    )
    share = opposite / (as_logged + opposite)
    choices = [Choice((plain,), 1.0 - share), Choice((turned,), share)]
    return sorted(choices, key=_probability, reverse=True)


def _acts_of_dealer(event: WagerChanged) -> list[tuple[Event, ...]]:
    """The dealer's possible acts: a payment if more lies there than before, else a collection; both if unknown."""
    before = event.chips_before if event.chips_before is not None else event.before
    after = event.chips_after if event.chips_after is not None else event.after
    if before is None and after != 0:
        actions = [SettleAction.PAID, SettleAction.COLLECTED]
    else:
        actions = [SettleAction.PAID if (after or 0) > (before or 0) else SettleAction.COLLECTED]
    changed = replace(event, by=DEALER)
    return [
        (
            WagerSettled(
                t=event.t, area=event.area, seat=event.seat, bet=event.bet, action=action, source=event.source
            ),
            changed,
        )
        for action in actions
    ]


def _faces(event: CardDealt | CardTurned, read: Card) -> Sequence[Choice]:
    """The face as read, and one of each other point value that it may have.

    Where the probabilities add up to less than 1, any card of a pack may lie there for the rest. That does not apply
    where the confidence was lowered because it was not seen how the card came.
    """
    others = {card.point_value: (card, share) for card, share in _others(event, read)}
    if not others:
        return (Choice((event,), 1.0),)
    sure = 1.0 if isinstance(event, CardDealt) and event.order_unseen else value_confidence_of(event)
    lacking = round(1.0 - sure - sum(share for _, share in others.values()), 4)
    if event.source is Source.CAMERA and sure != UNSEEN and lacking > 0.0:
        others = _with_any_card(others, lacking, besides=read.point_value)
        sure = 1.0 - sum(share for _, share in others.values())
    share_read = max(1.0 - sum(share for _, share in others.values()), 0.0)
    rest = min(sure / share_read, 1.0) if share_read > 0.0 else 1.0
    plain = replace(event, value_confidence=rest, alternatives=None)
    choices = [Choice((plain,), share_read)]
    choices += [Choice((replace(plain, card=card, confidence=share * rest),), share) for card, share in others.values()]
    return sorted(choices, key=_probability, reverse=True)


def _unread_faces(event: CardDealt | CardTurned) -> Sequence[Choice]:
    """A face of each point value, or a back that the reader does not know.

    Where the named faces do not add up, any card of a pack may lie there for the rest.
    """
    shares = {card.point_value: (card, share) for card, share in _by_value(event.alternatives or {})}
    named = sum(share for _, share in shares.values())
    face = max(value_of(event), named) if isinstance(event, CardDealt) else 1.0
    plain = replace(event, value_confidence=1.0, alternatives=None)
    choices = [
        Choice((replace(plain, card=card, confidence=share),), share)
        for card, share in _with_any_card(shares, face - named).values()
    ]
    if face < 1.0:
        back = replace(event, face_up=False, confidence=1.0, alternatives=None)
        choices.append(Choice((back,), 1.0 - face))
    return sorted(choices, key=_probability, reverse=True)


def _with_any_card(
    shares: Mapping[int, tuple[Card, float]], lacking: float, besides: int | None = None
) -> dict[int, tuple[Card, float]]:
    """By point value, a face with its probability: the given ones, and the rest as in a pack of cards."""
    told: dict[int, tuple[Card, float]] = {}
    for value in VALUES:
        if value != besides:
            alike = [card for card in PACK if card.point_value == value]
            card, share = shares.get(value, (alike[0], 0.0))
            told[value] = card, share + lacking * len(alike) / len(PACK)
    return told


def _others(event: CardDealt | CardTurned, read: Card) -> list[tuple[Card, float]]:
    """The other possible faces with their probabilities, one for each point value.

    Old logs name no alternatives: there each other value is equally likely.
    """
    if event.alternatives is not None:
        return _by_value(event.alternatives, read)
    sure = value_confidence_of(event)
    if event.source is not Source.CAMERA or not UNSEEN < sure < 1.0:
        return []
    faces = [card for card in PACK[: len(VALUES)] if card.point_value != read.point_value]
    return [(card, (1.0 - sure) / len(faces)) for card in faces]


def _by_value(alternatives: Mapping[str, float], read: Card | None = None) -> list[tuple[Card, float]]:
    """The likeliest face of each point value, other than that of `read`, with the probability of that value."""
    shares: dict[int, float] = {}
    faces: dict[int, tuple[float, Card]] = {}
    for text, share in alternatives.items():
        card = parse_card(text)
        if share > 0.0 and (read is None or card.point_value != read.point_value):
            shares[card.point_value] = shares.get(card.point_value, 0.0) + share
            likeliest = faces.get(card.point_value)
            if likeliest is None or share > likeliest[0]:
                faces[card.point_value] = share, card
    return [(faces[value][1], share) for value, share in shares.items()]


def _probability(choice: Choice) -> float:
    return choice.probability
