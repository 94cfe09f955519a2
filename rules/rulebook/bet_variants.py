"""Find the elections under which a bet differs: every way in which a rulebook may offer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from thirdcard.rules.errors import OptionError
from thirdcard.rules.game.words import Bet
from thirdcard.rules.rulebook.model import OptionValue, Rulebook
from thirdcard.rules.rulebook.options import Rules, elect

Elections = Mapping[str, OptionValue]


def variants_of(bet: Bet, rulebook: Rulebook) -> Iterator[tuple[Elections, Rules]]:
    """Each choice of the options that bear on the bet under which it is offered, without those at their default."""
    rule = rulebook.bets[bet]
    asked = {fact.partition("=")[0] for facts in (*rule.offered, *(case.when for case in rule.cases)) for fact in facts}
    options = [option for option in rulebook.options if option.key in asked]
    for values in product(*(option.values for option in options)):
        chosen = {option.key: value for option, value in zip(options, values, strict=True) if value != option.values[0]}
        try:
            rules = elect(rulebook, chosen)
        except OptionError:  # options that exclude each other
            continue
        if rules.offers(bet):
            yield chosen, rules
