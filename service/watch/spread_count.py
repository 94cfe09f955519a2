"""Count the decks of a spread: which cards are there, missing, doubled, foreign, or could not be seen.

A deck has four suits; suits are combined into decks in the order in which they lie. A card is reported missing only
where its place in the row was seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

SUITS, RANKS = "CDHS", ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
FULL_DECK = 52


class SpreadFinding(StrEnum):
    """The kinds of deviation of a card in a spread."""

    MISSING = "missing"
    DOUBLED = "doubled"
    ONE_TOO_MANY = "one_too_many"
    """There is one card too many, this one or a neighbour."""
    FOREIGN = "foreign"
    FACE_DOWN = "face_down"
    COULD_NOT_SEE = "could_not_see"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadPlace:
    """One place of a row, as detected."""

    card: str | None
    """None where no known face was read."""
    expected: str
    """The card that the sequence has there."""
    confidence: float
    corners_mm: tuple[tuple[float, float], ...]
    """The outline of its visible part."""
    is_sure: bool = True
    is_back: bool = False
    is_foreign: bool = False
    """Whether its face differs from that of the house's own card."""
    hides: bool = False
    """Whether another card may be hidden under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulCard:
    """A card that deviates or could not be seen."""

    finding: SpreadFinding
    card: str
    deck: int
    """The number of the deck from 1, in the order of the spread."""
    place: SpreadPlace | None = None
    """Where to look: the card itself, or the card before the gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckCount:
    """The count of one deck."""

    number: int
    found: int
    """The number of cards seen, including foreign ones."""
    doubts: tuple[DoubtfulCard, ...]

    def cards(self, finding: SpreadFinding) -> list[str]:
        """The cards with a finding."""
        return [doubt.card for doubt in self.doubts if doubt.finding is finding]

    @property
    def is_complete(self) -> bool:
        """Whether all 52 cards were seen without any finding."""
        return self.found == FULL_DECK and not self.doubts


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSpread:
    """The decks of one spread."""

    from_t: float
    to_t: float
    rows: tuple[tuple[SpreadPlace, ...], ...]
    decks: tuple[DeckCount, ...]
    is_ordered: bool
    """Whether all rows are in order of suit and rank."""
    still: str | None = None
    """The picture's file, relative to the output folder."""

    @property
    def doubts(self) -> tuple[DoubtfulCard, ...]:
        """The findings of all decks."""
        return tuple(doubt for deck in self.decks for doubt in deck.doubts)

    def with_still(self, name: str) -> CountedSpread:
        """The same with its picture."""
        return replace(self, still=name)


def count_decks(rows: Sequence[Sequence[SpreadPlace]]) -> tuple[DeckCount, ...]:
    """The decks of some rows, in order: a row with all suits is one deck, other rows are combined into decks."""
    decks: list[dict[str, list[SpreadPlace]]] = []
    for row in rows:
        own = _gathered(_blocks(row))
        if len(own) == len(SUITS):
            decks.append(own)
            continue
        for suit, block in _blocks(row):
            deck = next((deck for deck in decks if suit not in deck), None)
            if deck is None:
                deck = {}
                decks.append(deck)
            deck[suit] = block
    return tuple(_count(number, deck) for number, deck in enumerate(decks, start=1))


def _gathered(blocks: list[tuple[str, list[SpreadPlace]]]) -> dict[str, list[SpreadPlace]]:
    """The cards of a row by suit, where the row has all suits and so is one deck."""
    gathered: dict[str, list[SpreadPlace]] = {}
    for suit, block in blocks:
        gathered.setdefault(suit, []).extend(block)
    return gathered


def _blocks(row: Sequence[SpreadPlace]) -> list[tuple[str, list[SpreadPlace]]]:
    """The runs of one suit in a row; a single stray card does not end a run."""
    blocks: list[tuple[str, list[SpreadPlace]]] = []
    for n, card in enumerate(row):
        suit = card.expected[-1]
        following = row[n + 1].expected[-1] if n + 1 < len(row) else suit
        is_stray = card.card is None or following != suit
        if blocks and (suit == blocks[-1][0] or (is_stray and (following == blocks[-1][0] or n + 1 == len(row)))):
            blocks[-1][1].append(card)
        else:
            blocks.append((suit, [card]))
    return blocks


def _count(number: int, deck: dict[str, list[SpreadPlace]]) -> DeckCount:
    doubts: list[DoubtfulCard] = []
    for suit in SUITS:
        doubts += _doubts(number, suit, deck.get(suit, []), is_seen=suit in deck)
    return DeckCount(number=number, found=sum(len(block) for block in deck.values()), doubts=tuple(doubts))


def _doubts(number: int, suit: str, block: list[SpreadPlace], *, is_seen: bool) -> list[DoubtfulCard]:
    """All findings for one suit of a deck."""
    doubts = [
        DoubtfulCard(finding=_strangeness(card), card=card.expected, deck=number, place=card)
        for card in block
        if card.card is None or card.is_foreign
    ]
    lying = Counter(card.expected for card in block)
    for card, times in lying.items():
        twice = [each for each in block if each.expected == card]
        doubtful = SpreadFinding.ONE_TOO_MANY if len(lying) == len(RANKS) else SpreadFinding.COULD_NOT_SEE
        finding = SpreadFinding.DOUBLED if all(each.is_sure for each in twice) else doubtful
        doubts += [DoubtfulCard(finding=finding, card=card, deck=number, place=twice[-1])] * (times > 1)
    for rank in RANKS:
        if rank + suit not in lying:
            before = _before(rank, block)
            is_hidden = not is_seen or (before is not None and (before.hides or not before.is_sure))
            finding = SpreadFinding.COULD_NOT_SEE if is_hidden else SpreadFinding.MISSING
            doubts.append(DoubtfulCard(finding=finding, card=rank + suit, deck=number, place=before))
    told = {doubt.card for doubt in doubts}
    doubts += [
        DoubtfulCard(finding=SpreadFinding.COULD_NOT_SEE, card=card.expected, deck=number, place=card)
        for card in block
        if not card.is_sure and card.expected not in told
    ]
    return doubts


def _strangeness(card: SpreadPlace) -> SpreadFinding:
    if card.is_back:
        return SpreadFinding.FACE_DOWN
    return SpreadFinding.FOREIGN if card.is_foreign or card.is_sure else SpreadFinding.COULD_NOT_SEE


def _before(rank: str, block: list[SpreadPlace]) -> SpreadPlace | None:
    """The last card before the position of a rank in its run; the first card where there is none."""
    at = RANKS.index(rank)
    places = [RANKS.index(card.expected[:-1]) for card in block]
    if not places:
        return None
    falls = places[0] > places[-1]
    earlier = [n for n, place in enumerate(places) if (place > at if falls else place < at)]
    return block[earlier[-1]] if earlier else block[0]


def format_spread(spread: CountedSpread) -> dict[str, object]:
    """The spread as a line of `spread.jsonl`."""
    return {
        "t": round(spread.from_t, 3),
        "to": round(spread.to_t, 3),
        "ordered": spread.is_ordered,
        "decks": [
            {"deck": deck.number, "found": deck.found, **{str(each): deck.cards(each) for each in SpreadFinding}}
            for deck in spread.decks
        ],
        "rows": [[_format_card(card) for card in row] for row in spread.rows],
        "still": spread.still,
    }


def _format_card(card: SpreadPlace) -> dict[str, object]:
    middle = [round(sum(point[axis] for point in card.corners_mm) / len(card.corners_mm), 1) for axis in (0, 1)]
    return {"card": card.card, "expected": card.expected, "confidence": round(card.confidence, 4), "at": middle}


def spread_text(spread: CountedSpread) -> str:
    """One sentence, such as `Spread of 4 decks: deck 1 lacks 7C; deck 2 has QH twice.`"""
    count = len(spread.decks)
    head = f"Spread of {count} deck{'' if count == 1 else 's'}"
    parts = [text for deck in spread.decks if (text := deck_text(deck))]
    if not spread.is_ordered:
        parts.append("not laid by suit and sequence throughout")
    return f"{head}: {'; '.join(parts) if parts else 'every card is there once'}."


def deck_text(deck: DeckCount) -> str:
    """The findings of a deck in words; empty where it is complete."""
    words = {
        SpreadFinding.MISSING: "lacks {}",
        SpreadFinding.DOUBLED: "has {} twice",
        SpreadFinding.ONE_TOO_MANY: "has a card too many, {} or one beside it",
        SpreadFinding.FOREIGN: "has a foreign card in the place of {}",
        SpreadFinding.FACE_DOWN: "shows a back in the place of {}",
        SpreadFinding.COULD_NOT_SEE: "could not be seen at {}",
    }
    said = [text.format(", ".join(deck.cards(finding))) for finding, text in words.items() if deck.cards(finding)]
    return f"deck {deck.number} {', '.join(said)}" if said else ""
