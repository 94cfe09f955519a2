"""Cards grouped by what makes them hard to read (deck, size, tilt, light, occlusion, rotation) and by confidence.

Two figures for each group: the cards as reported after all looks, and single looks by themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from thirdcard.rules.log.events import Event
from thirdcard.service.evaluate.cards import CardCounts, FollowedCard, judge_pair, pair_cards
from thirdcard.service.evaluate.sights import REST_S, RecordingConditions

LONGEST_S = 30.0
"""The longest time that a card lies on the table, seconds."""
SURENESS = (
    (0.999, "99.9 % and more"),
    (0.99, "99 to 99.9 %"),
    (0.95, "95 to 99 %"),
    (0.8, "80 to 95 %"),
    (0.0, "under 80 %"),
)
"""Bands of confidence, each from its lower edge on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookCounts:
    """Counts of single looks at cards, each read by itself."""

    right: int = 0
    total: int = 0
    sure: int = 0
    """With a confidence of 99 % or more."""
    sure_wrong: int = 0

    def __add__(self, other: LookCounts) -> LookCounts:
        return LookCounts(
            right=self.right + other.right,
            total=self.total + other.total,
            sure=self.sure + other.sure,
            sure_wrong=self.sure_wrong + other.sure_wrong,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The counts under one condition."""

    kind: str
    """deck, size, tilt, light, cover, turned, or the reported confidence."""
    value: str
    cards: CardCounts = field(default_factory=CardCounts)
    looks: LookCounts = field(default_factory=LookCounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueCard:
    """A card whose face was shown, with its conditions."""

    card: FollowedCard
    conditions: Mapping[str, str]
    counts: CardCounts
    to_s: float
    """When the hand's round closed, seconds."""


def true_cards(truth: Iterable[Event], found: Iterable[Event], scene: RecordingConditions) -> list[TrueCard]:
    """The shown cards, each with its reading and its conditions."""
    told = []
    for true, said, closed in pair_cards(truth, found):
        if true is None or true.face is None or not true.was_shown:
            continue
        to_s = min(closed, true.t + LONGEST_S)
        sights = scene.of(true.face, true.t + REST_S, to_s)
        conditions = {**scene.conditions(sights), **_sureness(said)}
        told.append(TrueCard(card=true, conditions=conditions, counts=judge_pair(true, said), to_s=to_s))
    return told


def _sureness(said: FollowedCard | None) -> dict[str, str]:
    """The band of the face's confidence after all looks; empty where no face was read."""
    if said is None or said.face is None or said.confidence is None:
        return {}
    return {"confidence": next(name for least, name in SURENESS if said.confidence >= least)}


def by_condition(
    cards: Iterable[TrueCard], looks: Iterable[tuple[Mapping[str, str], LookCounts]] = ()
) -> tuple[Condition, ...]:
    """The counts of cards and looks for every condition, in order."""
    summed: dict[tuple[str, str], CardCounts] = defaultdict(CardCounts)
    looked: dict[tuple[str, str], LookCounts] = defaultdict(LookCounts)
    for card in cards:
        for key in card.conditions.items():
            summed[key] += card.counts
    for conditions, counts in looks:
        for key in conditions.items():
            looked[key] += counts
    keys = sorted({*summed, *looked}, key=_order)
    return tuple(Condition(kind=key[0], value=key[1], cards=summed[key], looks=looked[key]) for key in keys)


def join_conditions(many: Iterable[tuple[Condition, ...]]) -> tuple[Condition, ...]:
    """Several recordings' conditions summed."""
    cards: dict[tuple[str, str], CardCounts] = defaultdict(CardCounts)
    looks: dict[tuple[str, str], LookCounts] = defaultdict(LookCounts)
    for each in (condition for conditions in many for condition in conditions):
        cards[each.kind, each.value] += each.cards
        looks[each.kind, each.value] += each.looks
    keys = sorted(cards, key=_order)
    return tuple(Condition(kind=key[0], value=key[1], cards=cards[key], looks=looks[key]) for key in keys)


_KINDS = ("confidence", "size", "turned", "cover", "tilt", "light", "deck")


def _order(key: tuple[str, str]) -> tuple[int, int, float, str]:
    kind, value = key
    number = "".join(letter if letter in "0123456789." else " " for letter in value).split()
    is_least = value.startswith("under")
    return (_KINDS.index(kind), 0 if is_least else 1, float(number[0]) if number and kind != "deck" else 0.0, value)
