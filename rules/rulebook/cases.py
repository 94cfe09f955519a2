"""Facts, and the choice among a rulebook's cases by them.

A fact is a short text such as `to_player`, `winner=tie` or an elected option, `banker_pay=six_half`. A case applies if
all its facts hold; the first that applies is used. A rulebook's file may only name facts that are defined here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from difflib import get_close_matches
from typing import Protocol, TypeVar

from thirdcard.rules.game.hand_marks import KINDS
from thirdcard.rules.game.words import Outcome, Side
from thirdcard.rules.rulebook.model import Option
from thirdcard.rules.rulebook.yaml_keys import TextsEntry
from thirdcard.rules.rulebook.yaml_reader import Node


class Case(Protocol):
    """Anything with a set of required facts."""

    @property
    def when(self) -> frozenset[str]: ...


AnyCase = TypeVar("AnyCase", bound=Case)

SITUATIONS = frozenset(
    {
        "to_player", "to_banker", "banker_due", "disclosed", "third_card", "outcome_established", "last_round",
        "losing", "frozen", "served_first", "undetermined", "void_ordered", "same_seat", "equal_wager", "no_handling",
        "collective", "insurance", "not_offered", "own_limit", "ordered_back", "before_result", "found_face_up",
        "kept_card_left", "both_hands", "round_voided", "personal_limit", "cards_to_come",
    }
)  # fmt: skip
"""The facts that the referee may state about a fault."""

_HAND_RESULTS: Mapping[str, tuple[str, ...]] = {
    "points": tuple(map(str, range(10))),
    "cards": ("2", "3"),
    "natural": ("true",),
    "pair": ("mixed", "coloured", "perfect", "any"),
    "triple": ("true",),
    **KINDS,
}
RESULTS: Mapping[str, tuple[str, ...]] = {
    "winner": tuple(map(str, Outcome)),
    "margin": tuple(map(str, range(10))),
    "cards": ("4", "5", "6"),
    "total_points": tuple(map(str, range(19))),
    "pairs_alike": ("true",),
    **{f"{side}_{kind}": values for side in Side for kind, values in _HAND_RESULTS.items()},
}
"""The facts that settlement may state about a finished round, as `key=value`; a file may name several values:
`key=0-5`, `key=J|Q`."""

BET = "bet"
"""The key of the fact that names a fault's bet, as in `bet=tie`."""

_OF_TWO_CARDS = ("pair", "natural", "suited", "pair_rank", *(f"{name}_{what}" for name in ("first", "second")
                 for what in ("rank", "suit", "colour", "points")))  # fmt: skip
FIRST_CARD_RESULTS: Mapping[str, frozenset[Side]] = {
    **{f"{side}_{kind}": frozenset({side}) for side in Side for kind in _OF_TWO_CARDS},
    "pairs_alike": frozenset(Side),
}
"""The facts that the first two cards of these hands already decide."""

AMOUNT = "amount"
"""The additional fact value of an option for which an amount was elected, as `key=amount`."""


def choose(cases: Iterable[AnyCase], facts: Set[str]) -> AnyCase | None:
    """The first case whose facts all hold; None where none does."""
    for case in cases:
        if case.when <= facts:
            return case
    return None


def option_fact(key: str, value: object) -> str:
    """The fact that an elected option states.

    >>> option_fact("federal", True)
    'federal=true'
    """
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return f"{key}={text}"


def values_of(fact: str) -> tuple[str, ...]:
    """Split a fact that names several values into one fact for each.

    >>> values_of("margin=6-7"), values_of("player_first_rank=J|Q"), values_of("disclosed")
    (('margin=6', 'margin=7'), ('player_first_rank=J', 'player_first_rank=Q'), ('disclosed',))
    """
    key, sign, text = fact.partition("=")
    if not sign or key not in RESULTS:
        return (fact,)
    found: list[str] = []
    for part in text.split("|"):
        low, dash, high = part.strip().partition("-")
        is_range = dash and low.isdecimal() and high.isdecimal() and len(low + high) <= 4
        found += map(str, range(int(low), int(high) + 1)) if is_range else [part.strip()]
    return tuple(f"{key}={value}" for value in found)


class KnownFacts:
    """The facts that a case in this rulebook's file may name."""

    def __init__(self, options: tuple[Option, ...], *, unread: frozenset[str] = frozenset()) -> None:
        """Collect the facts.

        Args:
            options: The rulebook's options.
            unread: Keys of options that could not be read; any fact about them is accepted.
        """
        self.keys = {option.key for option in options}
        self._elected = {option_fact(option.key, value) for option in options for value in option.values}
        self._elected |= {option_fact(option.key, AMOUNT) for option in options if option.takes_amount}
        self._options = options
        self._unread = unread

    def read(self, node: Node, when: TextsEntry) -> frozenset[str]:
        """The facts under that key, empty where it is missing; unknown facts are reported to the node and left out."""
        facts = frozenset(node.read(when))
        wrong = {fact: why for fact in sorted(facts) if (why := self._why_wrong(fact)) is not None}
        for fact, why in wrong.items():
            node.refuse(when.name, fact, why)
        return facts.difference(wrong)

    def _why_wrong(self, fact: str) -> str | None:
        key, sign, _ = fact.partition("=")
        if fact in SITUATIONS or fact in self._elected:
            return None
        if key in RESULTS:
            values = values_of(fact)
            is_one = values and all(value.partition("=")[2] in RESULTS[key] for value in values)
            return None if is_one and sign else f"{key}= and one of {', '.join(RESULTS[key])}"
        if key in self._unread or (key == BET and sign):
            return None
        for option in self._options:
            if option.key == key:
                texts = ", ".join(option_fact(key, value) for value in option.values)
                return texts + (f", {key}={AMOUNT}" if option.takes_amount else "")
        near = get_close_matches(key, [*RESULTS, *self.keys, *SITUATIONS], n=1)
        hint = f"; perhaps {near[0]}" if near else ""
        return f"a situation, an option's value or a result{hint}"
