"""Compare the reported opening spread with the true one.

Both are lines of `spread.jsonl`: the recording's names every card of each row with its deck; the watch's names the
cards it read, and the faults of each deck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from thirdcard.service.evaluate.sheets import Sheet, share_of
from thirdcard.service.watch.spread_count import RANKS, SUITS

Line = Mapping[str, Any]

PACK = tuple(rank + suit for suit in SUITS for rank in RANKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadCounts:
    """Counts over all spreads of a recording, or of several."""

    lays: int = 0
    lays_found: int = 0
    cards: int = 0
    """Genuine cards with their face up."""
    right: int = 0
    """Read at the right place in the row."""
    missing: int = 0
    missing_found: int = 0
    doubled: int = 0
    doubled_found: int = 0
    strange: int = 0
    """Foreign cards, jokers, and cards lying face down."""
    strange_found: int = 0
    false: int = 0
    """Reported faults of a deck that are not true."""
    could_not_see: int = 0

    def __add__(self, other: SpreadCounts) -> SpreadCounts:
        return SpreadCounts(
            **{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)}
        )


def compare_spreads(truth: Sequence[Line], found: Sequence[Line]) -> SpreadCounts:
    """Compare all spreads; one that was not reported has nothing found, one that did not exist is false."""
    counts, left = SpreadCounts(), list(found)
    for lay in truth:
        said = next((each for each in left if each["t"] < lay["to"] and each["to"] > lay["t"]), None)
        if said is not None:
            left.remove(said)
        counts += _compare_lay(lay, said)
    return counts + SpreadCounts(false=len(left))


def spreads_sheet(named: Sequence[tuple[str, SpreadCounts]]) -> Sheet:
    """A table with a row for each recording."""
    columns = ("recording", "lays found", "cards right", "missing found", "doubled found", "strange found",
               "wrongly reported", "could not see")  # fmt: skip
    return Sheet(title="Opening spreads", columns=columns, rows=tuple(_row(name, each) for name, each in named))


def _row(name: str, each: SpreadCounts) -> tuple[str, ...]:
    return (
        name,
        f"{each.lays_found} of {each.lays}",
        share_of(each.right, each.cards),
        f"{each.missing_found} of {each.missing}",
        f"{each.doubled_found} of {each.doubled}",
        f"{each.strange_found} of {each.strange}",
        f"{each.false}",
        f"{each.could_not_see}",
    )


def _compare_lay(lay: Line, said: Line | None) -> SpreadCounts:
    rows = [[card["card"] for card in row] for row in lay["rows"]]
    told = [[card["card"] for card in row] for row in said["rows"]] if said else []
    faces = [[face for face in row if face is not None] for row in rows]
    counts = SpreadCounts(
        lays=1,
        lays_found=int(said is not None),
        cards=sum(len(row) for row in faces),
        right=sum(max((_in_order(row, other) for other in told), default=0) for row in faces),
    )
    numbers = sorted({card["deck"] for row in lay["rows"] for card in row})
    decks = said["decks"] if said else []
    for i, number in enumerate(numbers):
        laid = [card for row in lay["rows"] for card in row if card["deck"] == number]
        counts += _compare_deck(laid, decks[i] if i < len(decks) else {})
    return counts


def _compare_deck(laid: Sequence[Line], said: Line) -> SpreadCounts:
    lying = Counter(card["card"] for card in laid if card["card"] is not None)
    absent, twice = {card for card in PACK if card not in lying}, {card for card in lying if lying[card] > 1}
    strange = sum(card["card"] is None for card in laid)
    said_missing, said_twice = set(said.get("missing", ())), set(said.get("doubled", ()))
    said_strange = {*said.get("foreign", ()), *said.get("face_down", ())}
    too_many = set(said.get("one_too_many", ()))
    near = {card for card in too_many if any(_are_neighbours(card, other) for other in twice)}
    strange_found = min(len(said_strange & absent), strange)
    false = len(said_missing - absent) + len(said_twice - twice) + len(too_many - near)
    return SpreadCounts(
        missing=len(absent) - strange,
        missing_found=len(said_missing & absent),
        doubled=len(twice),
        doubled_found=len(said_twice & twice) + len(near),
        strange=strange,
        strange_found=strange_found,
        false=false + len(said_strange) - strange_found,
        could_not_see=len(said.get("could_not_see", ())),
    )


def _are_neighbours(card: str, other: str) -> bool:
    return card[-1] == other[-1] and abs(RANKS.index(card[:-1]) - RANKS.index(other[:-1])) <= 1


def _in_order(truth: Sequence[str], told: Sequence[str | None]) -> int:
    """The number of cards in the same order: the length of the longest common subsequence."""
    best = [0] * (len(told) + 1)
    for face in truth:
        before = 0
        for i, other in enumerate(told, start=1):
            kept = best[i]
            best[i] = before + 1 if face == other else max(best[i], best[i - 1])
            before = kept
    return best[-1]
