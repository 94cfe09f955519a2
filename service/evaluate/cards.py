"""Compare the cards of two logs: each true card with the one that was found in its place.

A card counts with its last known face and hand in the round; rounds of the two logs are paired by time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from thirdcard.rules.log.events import (
    CardDealt,
    CardMoved,
    CardTurned,
    Event,
    RoundClosed,
)
from thirdcard.rules.round.round import ROUND_OPENERS

GAP_COST = 0.9
"""The cost of a missed or a spurious card, compared with an unread face (0.5) and a wrong one (1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedCard:
    """A card as the log has it at the end of its round."""

    t: float
    hand: str | None
    face: str | None
    confidence: float | None
    was_shown: bool
    """Whether its face was ever up."""
    value_confidence: float | None = None
    """Confidence in its point value; None where it is no higher than for the face."""
    told_t: float | None = None
    """When its face was last reported, seconds; None where it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """The cards of one round, in the order in which they left the shoe."""

    opened: float
    closed: float
    cards: tuple[FollowedCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongCard:
    """A face that was read wrongly."""

    t: float
    truth: str | None
    said: str
    confidence: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCounts:
    """How the cards whose faces were shown were read."""

    right: int = 0
    unread: int = 0
    missed: int = 0
    """No card was found there."""
    extra: int = 0
    """Found where there was no card."""
    wrong: tuple[WrongCard, ...] = ()

    @property
    def total(self) -> int:
        """The number of shown cards."""
        return self.right + self.unread + self.missed + len(self.wrong)

    def __add__(self, other: CardCounts) -> CardCounts:
        return CardCounts(
            right=self.right + other.right,
            unread=self.unread + other.unread,
            missed=self.missed + other.missed,
            extra=self.extra + other.extra,
            wrong=self.wrong + other.wrong,
        )


def compare_cards(truth: Iterable[Event], found: Iterable[Event]) -> CardCounts:
    """Count right, wrong, unread and missed cards over all rounds."""
    counts = CardCounts()
    for true, said, _ in pair_cards(truth, found):
        counts += judge_pair(true, said)
    return counts


def pair_cards(
    truth: Iterable[Event], found: Iterable[Event]
) -> list[tuple[FollowedCard | None, FollowedCard | None, float]]:
    """Each true card with the card found in its place, and when its round closed; None where one is missing."""
    true_rounds, found_rounds = split_rounds(truth), split_rounds(found)
    partners = pair_by_time(
        [(each.opened, each.closed) for each in true_rounds], [(each.opened, each.closed) for each in found_rounds]
    )
    pairs: list[tuple[FollowedCard | None, FollowedCard | None, float]] = []
    for i, played in enumerate(true_rounds):
        cards = tuple(card for j in partners[i] for card in found_rounds[j].cards)
        for hand in ("player", "banker", None):
            aligned = _align(_of(played.cards, hand), _of(cards, hand))
            pairs += [(true, said, played.closed) for true, said in aligned]
    paired = {j for partner in partners for j in partner}
    for j, each in enumerate(found_rounds):
        pairs += [(None, card, each.closed) for card in each.cards if j not in paired]
    return pairs


def split_rounds(events: Iterable[Event]) -> list[PlayedRound]:
    """The rounds of a log with their cards in the last known state."""
    rounds: list[PlayedRound] = []
    cards: dict[str, FollowedCard] = {}
    opened: float | None = None
    last_t = 0.0
    for event in events:
        last_t = event.t
        if opened is None and isinstance(event, ROUND_OPENERS):
            opened = event.t
        _follow(cards, event)
        if isinstance(event, RoundClosed) and opened is not None:
            rounds.append(PlayedRound(opened=opened, closed=event.t, cards=tuple(cards.values())))
            cards, opened = {}, None
    if opened is not None:
        rounds.append(PlayedRound(opened=opened, closed=last_t, cards=tuple(cards.values())))
    return rounds


def pair_by_time(truth: Sequence[tuple[float, float]], found: Sequence[tuple[float, float]]) -> list[tuple[int, ...]]:
    """For each true stretch the found ones that overlap it more than any other."""
    partners: list[list[int]] = [[] for _ in truth]
    for j, (from_s, to_s) in enumerate(found):
        overlaps = [min(to_s, end_s) - max(from_s, start_s) for start_s, end_s in truth]
        best = max(range(len(truth)), key=lambda i: overlaps[i], default=None)
        if best is not None and overlaps[best] >= 0:
            partners[best].append(j)
    return [tuple(each) for each in partners]


def _follow(cards: dict[str, FollowedCard], event: Event) -> None:
    match event:
        case CardDealt():
            face = None if event.card is None else str(event.card)
            hand = None if event.hand is None else str(event.hand)
            cards[event.card_id] = FollowedCard(
                t=event.t,
                hand=hand,
                face=face,
                confidence=event.confidence,
                was_shown=bool(event.face_up),
                value_confidence=event.value_confidence,
                told_t=None if face is None else event.t,
            )
        case CardTurned() if event.card_id in cards:
            card = replace(cards[event.card_id], was_shown=cards[event.card_id].was_shown or event.face_up)
            if event.card is not None:
                face, sure = str(event.card), event.value_confidence
                card = replace(card, face=face, confidence=event.confidence, value_confidence=sure, told_t=event.t)
            cards[event.card_id] = card
        case CardMoved() if event.card_id in cards:
            cards[event.card_id] = replace(cards[event.card_id], hand=str(event.hand))


def _of(cards: Iterable[FollowedCard], hand: str | None) -> list[FollowedCard]:
    return [card for card in cards if card.hand == hand]


def judge_pair(true: FollowedCard | None, said: FollowedCard | None) -> CardCounts:
    """The counts for one pair of a true and a found card."""
    if true is None:
        return CardCounts(extra=1)
    if not true.was_shown or true.face is None:
        if said is None or said.face is None:
            return CardCounts()
        return CardCounts(wrong=(WrongCard(t=true.t, truth=None, said=said.face, confidence=said.confidence),))
    if said is None:
        return CardCounts(missed=1)
    if said.face is None:
        return CardCounts(unread=1)
    if said.face == true.face:
        return CardCounts(right=1)
    return CardCounts(wrong=(WrongCard(t=true.t, truth=true.face, said=said.face, confidence=said.confidence),))


def _align(
    truth: Sequence[FollowedCard], found: Sequence[FollowedCard]
) -> list[tuple[FollowedCard | None, FollowedCard | None]]:
    """The cheapest alignment of the two hands that keeps their order."""
    costs = [[0.0] * (len(found) + 1) for _ in range(len(truth) + 1)]
    for i in range(len(truth) + 1):
        for j in range(len(found) + 1):
            steps = []
            if i:
                steps.append(costs[i - 1][j] + GAP_COST)
            if j:
                steps.append(costs[i][j - 1] + GAP_COST)
            if i and j:
                steps.append(costs[i - 1][j - 1] + _cost(truth[i - 1], found[j - 1]))
            costs[i][j] = min(steps, default=0.0)
    pairs: list[tuple[FollowedCard | None, FollowedCard | None]] = []
    i, j = len(truth), len(found)
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + _cost(truth[i - 1], found[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((truth[i], found[j]))
        elif i and costs[i][j] == costs[i - 1][j] + GAP_COST:
            i -= 1
            pairs.append((truth[i], None))
        else:
            j -= 1
            pairs.append((None, found[j]))
    return pairs[::-1]


def _cost(true: FollowedCard, said: FollowedCard) -> float:
    if said.face == true.face:
        return 0.0
    return 0.5 if said.face is None or true.face is None else 1.0
