"""Facts, and the choice among a rulebook's cases by them.

A fact is a short text such as `to_player`, `winner=tie` or an elected option, `banker_pay=six_half`. A case holds
where all its facts do; the first that holds counts. A rulebook's file may ask only for facts that are known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Protocol, TypeVar

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.words import Bet
from thirdcard.rules.rulebook.model import Option
from thirdcard.rules.rulebook.yaml_keys import TextsEntry
from thirdcard.rules.rulebook.yaml_reader import Node


class Case(Protocol):
    """Anything with the facts that it needs."""

    @property
    def when(self) -> frozenset[str]: ...


AnyCase = TypeVar("AnyCase", bound=Case)

SITUATIONS = frozenset(
    {
        "to_player", "to_banker", "banker_due", "disclosed", "third_card", "outcome_established", "last_round",
        "losing", "frozen", "served_first", "undetermined", "void_ordered", "same_seat", "equal_wager", "no_handling",
        "collective", "insurance", "not_offered", "own_limit", "before_result",
    }
)  # fmt: skip
"""What the referee may state of a fault."""

RESULT_KEYS = frozenset(
    {
        "winner", "player_points", "banker_points", "player_cards", "banker_cards", "player_natural",
        "banker_natural", "margin", "player_pair", "banker_pair", "player_triple", "banker_triple",
    }
)  # fmt: skip
"""What settlement may state of a finished round, as `key=value`; points and margins also as a range, `key=0-5`."""

BET = "bet"
"""What names the bet that a fault is about, as `bet=tie`."""

AMOUNT = "amount"
"""What an option states besides its value where a whole amount was elected, as `key=amount`."""


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


class KnownFacts:
    """The facts that a case of this file may ask for."""

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.keys = {option.key for option in options}
        self._elected = {option_fact(option.key, value) for option in options for value in option.values}
        self._elected |= {option_fact(option.key, AMOUNT) for option in options if option.takes_amount}

    def read(self, node: Node, when: TextsEntry) -> frozenset[str]:
        """The facts under that key, none where it is not there.

        Raises:
            RulebookError: a fact that is no situation, no option's value and no result.
        """
        facts = frozenset(node.read(when))
        for fact in facts:
            key, _, value = fact.partition("=")
            is_result = (bool(value) and key in RESULT_KEYS) or (key == BET and value in set(Bet))
            if fact not in SITUATIONS and fact not in self._elected and not is_result:
                raise RulebookError(
                    f"{node.place}.{when.name} = {fact}; allowed: a situation, an option's value, a result or a bet"
                )
        return facts
