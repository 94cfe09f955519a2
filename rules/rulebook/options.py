"""Apply a house's options to a rulebook: the rules of one table, and every variant in which a bet may be offered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Self

from thirdcard.rules.errors import OptionError, brief
from thirdcard.rules.game.hand_marks import marks_asked
from thirdcard.rules.game.words import GAME_BETS, HANDS_AND_TIE, Bet, Side
from thirdcard.rules.rulebook.cases import AMOUNT, FIRST_CARD_RESULTS, AnyCase, choose, option_fact
from thirdcard.rules.rulebook.file_keys import INSURANCES
from thirdcard.rules.rulebook.model import (
    BetMoment,
    BurnCase,
    ClosingCase,
    Commission,
    FaultCase,
    Fee,
    HandlingCase,
    InsuranceRule,
    Option,
    OptionValue,
    PayCase,
    Rulebook,
    Style,
)

LARGEST_AMOUNT = 10**12
Elections = Mapping[str, OptionValue]
"""The house's choice for each option."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rules:
    """A rulebook with all options chosen: the rules of one table. Hashed by identity."""

    rulebook: Rulebook
    options: Mapping[str, OptionValue]
    facts: frozenset[str]
    """The facts stated by the options, as `key=value`."""
    style: Style
    closings: Mapping[Bet, ClosingCase] = field(repr=False)
    cases_of_bets: Mapping[Bet, tuple[PayCase, ...]] = field(repr=False)
    burn: BurnCase
    handling: HandlingCase
    insurance: InsuranceRule | None
    """When insurance may be bet; None where it is not offered."""
    are_wagers_frozen: bool
    """Whether a placed wager may not be changed even before betting closes."""
    are_low_wagers_raised: bool
    """Whether a wager below the minimum may be raised to it at any time."""
    offered: frozenset[Bet]
    """The bets that the house offers, without insurance."""
    known: frozenset[Bet] = field(repr=False)
    """The same with the insurance bets, if insurance is offered."""
    first_card_bets: Mapping[Bet, frozenset[Side]] = field(repr=False)
    """The bets that the first two cards of these hands decide."""
    fees: tuple[Fee, ...]
    """The fees for some of the offered bets."""
    takings: Mapping[Bet, ClosingCase] = field(repr=False, default_factory=dict)
    """By bet: until when it may be reduced or taken back, if that differs from placing."""
    commissions: Mapping[Bet, Commission] = field(repr=False, default_factory=dict)
    """By bet: the house's commission, apart from reduced odds."""
    mains: frozenset[Bet] = frozenset(HANDS_AND_TIE)
    """The bets to which the table's own minimum and maximum apply."""
    marks: frozenset[str] = frozenset()
    """The kinds of facts about a hand that offered bets need, besides points, pair and number of cards."""

    def __deepcopy__(self, _memo: object) -> Self:
        """Itself: rules are immutable."""
        return self

    def fault(self, code: str, facts: frozenset[str] = frozenset()) -> FaultCase | None:
        """The case of that fault that applies; None where the rulebook has no rule against it."""
        return choose(self.rulebook.faults.get(code, ()), self.facts | facts)

    def pay_cases(self, bet: Bet) -> tuple[PayCase, ...]:
        """The cases of the bet that can apply under the house's options; they ask for results only."""
        return self.cases_of_bets[bet]

    @property
    def are_returns_honoured(self) -> bool:
        """Whether a supervisor may order a wager returned; not insurance where the house offers none."""
        return self.rulebook.insurance is None or self.insurance is not None

    def offers(self, bet: Bet) -> bool:
        """Whether the house offers the bet."""
        return bet in self.offered


def elect(rulebook: Rulebook, options: Mapping[str, object], *, where: str = "options") -> Rules:
    """The rulebook with these options; options that are not named keep their default.

    Values may be texts, as on a command line.

    Args:
        rulebook: The rulebook.
        options: The house's choices, by key.
        where: The file and place of the options, for messages.

    Raises:
        OptionError: The rulebook lacks a key or value, or options exclude each other.
    """
    known = {option.key: option for option in rulebook.options}
    for key in options:
        if key not in known:
            raise OptionError(
                key, f"{where}.{brief(key)} = {brief(options[key])}; allowed: {', '.join(known)} ({rulebook.id})"
            )
    elected = {
        key: _value(option, options[key], where) if key in options else option.values[0]
        for key, option in known.items()
    }
    _check_exclusions(rulebook, known, elected, where)
    _follow_demands(rulebook, elected, options, where)
    facts = _facts_of(elected, known)
    insurance = rulebook.insurance if rulebook.insurance and _any_holds(rulebook.insurance.offered, facts) else None
    offered = tuple(rule for rule in rulebook.bets.values() if _any_holds(rule.offered, facts))
    offered_bets = frozenset(rule.bet for rule in offered)
    cases_of_bets = {bet: _elected_cases(rule.cases, facts, known) for bet, rule in rulebook.bets.items()}
    deciders = {rule.bet: _deciders(cases_of_bets[rule.bet]) for rule in offered}
    return Rules(
        rulebook=rulebook,
        options=elected,
        facts=facts,
        style=rulebook.styles[str(elected["dealing_style"])],
        closings=_Closings(rulebook, facts),
        cases_of_bets=cases_of_bets,
        burn=_holding(rulebook.burn, facts),
        handling=_holding(rulebook.handling, facts),
        insurance=insurance,
        are_wagers_frozen=_any_holds(rulebook.frozen, facts),
        are_low_wagers_raised=_any_holds(rulebook.top_ups, facts),
        offered=offered_bets,
        known=offered_bets if insurance is None else offered_bets.union(INSURANCES),
        first_card_bets={bet: sides for bet, sides in deciders.items() if sides},
        fees=tuple(rule.fee for rule in offered if rule.fee is not None),
        takings={rule.bet: own_moment(rule.taken_back) for rule in offered if rule.taken_back is not None},
        commissions={bet: found for bet, rule in rulebook.bets.items() if (found := choose(rule.commissions, facts))},
        mains=frozenset(rule.bet for rule in rulebook.bets.values() if rule.is_main),
        marks=marks_asked(fact for rule in offered for case in rule.cases for fact in case.when),
    )


def _value(option: Option, value: object, where: str) -> OptionValue:
    for offered in option.values:
        if type(offered) is type(value) and offered == value:
            return offered
        if isinstance(value, str) and option_fact("", offered) == f"={value}":
            return offered
    amount = _amount_of(value)
    if option.takes_amount and amount is not None:
        return amount
    allowed = ", ".join(option_fact("", offered)[1:] for offered in option.values)
    if option.takes_amount:
        allowed += ", a whole amount up to 10^12"
    raise OptionError(option.key, f"{where}.{option.key} = {brief(value)}; allowed: {allowed}")


def _amount_of(value: object) -> int | None:
    """The amount in an option's value, which may be a text of digits; None where it is no amount."""
    if isinstance(value, str):
        is_number = value.isascii() and value.isdecimal() and len(value) <= len(str(LARGEST_AMOUNT))
        value = int(value) if is_number else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_AMOUNT:
        return None
    return value


def _check_exclusions(
    rulebook: Rulebook, known: Mapping[str, Option], elected: Mapping[str, OptionValue], where: str
) -> None:
    for exclusion in rulebook.exclusions:
        chosen = [key for key in exclusion.keys if elected[key] != known[key].values[0]]
        if len(chosen) > 1:
            first, second = chosen[:2]
            raise OptionError(
                second,
                f"{where}.{second} = {elected[second]}; allowed: {known[second].values[0]} "
                f"where {first} = {elected[first]} ({rulebook.id} {exclusion.rule})",
            )


def _follow_demands(rulebook: Rulebook, elected: dict[str, OptionValue], named: Iterable[str], where: str) -> None:
    """Set the options that other options demand, unless the house named them; refuses a contradicting value."""
    for demand in rulebook.demands:
        value = elected[demand.option]
        if value in demand.values or not demand.when <= _facts_of(elected, {}):
            continue
        if demand.option in named:
            allowed = ", ".join(option_fact("", one)[1:] for one in demand.values)
            asking = ", ".join(sorted(fact.replace("=", " = ") for fact in demand.when))
            raise OptionError(
                demand.option,
                f"{where}.{demand.option} = {value}; allowed: {allowed} where {asking} ({rulebook.id} {demand.rule})",
            )
        elected[demand.option] = demand.values[0]


def _facts_of(elected: Elections, known: Mapping[str, Option]) -> frozenset[str]:
    """The facts that the options state; for an amount also that it is one."""
    facts = {option_fact(key, value) for key, value in elected.items()}
    facts |= {
        option_fact(key, AMOUNT) for key, value in elected.items() if key in known and value not in known[key].values
    }
    return frozenset(facts)


def _elected_cases(cases: Iterable[PayCase], facts: frozenset[str], options: Iterable[str]) -> tuple[PayCase, ...]:
    """The pay cases that can apply under these options, without their conditions on options."""
    keys = tuple(f"{key}=" for key in options)
    elected: list[PayCase] = []
    for case in cases:
        asked = frozenset(fact for fact in case.when if not fact.startswith(keys))
        if case.when - asked <= facts and not any(earlier.when <= asked for earlier in elected):
            elected.append(replace(case, when=asked))
    return tuple(elected)


def _deciders(cases: Iterable[PayCase]) -> frozenset[Side]:
    """The hands whose first two cards alone decide the cases; none where they ask for anything else."""
    asked = {fact.partition("=")[0] for case in cases for fact in case.when}
    if not asked <= FIRST_CARD_RESULTS.keys():
        return frozenset()
    return frozenset(side for key in asked for side in FIRST_CARD_RESULTS[key])


def own_moment(moment: BetMoment) -> ClosingCase:
    """A bet's own moment as a closing case."""
    return ClosingCase(when=frozenset(), bets=None, moment=moment.moment, rule=moment.rule, text=moment.text)


class _Closings(dict[Bet, ClosingCase]):
    """When betting closes, by bet; unknown bets close like those that no case names."""

    def __init__(self, rulebook: Rulebook, facts: frozenset[str]) -> None:
        bets = dict.fromkeys((*GAME_BETS, *rulebook.bets))
        super().__init__((bet, _closing(rulebook, bet, facts)) for bet in bets)
        self.update((bet, own_moment(rule.closes)) for bet, rule in rulebook.bets.items() if rule.closes is not None)
        self._of_others = _holding((case for case in rulebook.closings if case.bets is None), facts)

    def __missing__(self, bet: Bet) -> ClosingCase:
        return self._of_others


def _any_holds(alternatives: Iterable[frozenset[str]], facts: frozenset[str]) -> bool:
    return any(asked <= facts for asked in alternatives)


def _closing(rulebook: Rulebook, bet: Bet, facts: frozenset[str]) -> ClosingCase:
    return _holding((case for case in rulebook.closings if case.bets is None or bet in case.bets), facts)


def _holding(cases: Iterable[AnyCase], facts: frozenset[str]) -> AnyCase:
    fitting = choose(cases, facts)
    assert fitting is not None, "a rulebook's file ends each list with a case without conditions"
    return fitting


def variants_of(bet: Bet, rulebook: Rulebook) -> Iterator[tuple[Elections, Rules]]:
    """Each combination of options that affect the bet and under which it is offered; options at their default are left
    out."""
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
