"""Which facts the cases of one rulebook's file may ask for."""

from __future__ import annotations

from rules.cases import AMOUNT, RESULT_KEYS, SITUATIONS, option_fact
from rules.errors import RulebookError
from rules.rulebook_model import Option
from rules.yaml_reader import Node


class KnownFacts:
    """The facts that a case of this file may ask for."""

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.keys = {option.key for option in options}
        self._elected = {option_fact(option.key, value) for option in options for value in option.values}
        self._elected |= {option_fact(option.key, AMOUNT) for option in options if option.takes_amount}

    def read(self, node: Node) -> frozenset[str]:
        """The facts under `when`, none where there is no such key.

        Raises:
            RulebookError: a fact that is no situation, no option's value and no result.
        """
        facts = frozenset(node.texts("when")) if node.has("when") else frozenset[str]()
        for fact in facts:
            key, _, value = fact.partition("=")
            is_result = bool(value) and key in RESULT_KEYS
            if fact not in SITUATIONS and fact not in self._elected and not is_result:
                raise RulebookError(f"{node.place}.when = {fact}; allowed: a situation, an option's value or a result")
        return facts
