"""Read the bets of a rulebook's file: when each is offered, what it pays, what becomes void."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from itertools import product

from rules.errors import RulebookError
from rules.records import Settling
from rules.rulebook_model import BetRule, ExactPay, Fee, PayCase
from rules.words import Bet
from rules.yaml_reader import Node

REQUIRED_BETS = (Bet.PLAYER, Bet.BANKER, Bet.TIE)

ReadFacts = Callable[[Node], frozenset[str]]
"""Reads a node's `when`, refusing facts that the file does not know."""

_RANGE = re.compile(r"(\w+)=(\d)-(\d)")


def read_bets(node: Node, read_facts: ReadFacts, options: Collection[str]) -> Mapping[Bet, BetRule]:
    """Every bet of the file.

    Args:
        options: the keys of the file's options.

    Raises:
        RulebookError: a bet is missing, unknown or not whole; names the place.
    """
    names = node.names()
    for name in names:
        if name not in Bet.__members__.values():
            raise RulebookError(f"{node.place}: {name}; allowed: {', '.join(Bet)}")
    for bet in REQUIRED_BETS:
        node.raw(bet.value)
    return {Bet(name): _bet(node.node(name), Bet(name), read_facts, options) for name in names}


def read_bet_names(node: Node, key: str) -> frozenset[Bet]:
    """The bets listed under a key."""
    names = node.texts(key)
    for name in names:
        if name not in Bet.__members__.values():
            raise RulebookError(f"{node.place}.{key} = {name}; allowed: {', '.join(Bet)}")
    return frozenset(Bet(name) for name in names)


def _bet(node: Node, bet: Bet, read_facts: ReadFacts, options: Collection[str]) -> BetRule:
    offered = [frozenset[str]()]
    if node.has("offered"):
        offered = [read_facts(case) for case in node.nodes("offered")]
    cases: list[PayCase] = []
    if node.has("cases"):
        cases = [case for entry in node.nodes("cases") for case in _pays(entry, read_facts)]
    exact_pay = _exact_pay(node.node("paid_exactly"), read_facts) if node.has("paid_exactly") else None
    fee = _fee(node.node("fee"), bet, options) if node.has("fee") else None
    if not cases and fee is None:
        raise RulebookError(f"{node.place}: cases is missing")
    node.end()
    return BetRule(bet=bet, offered=tuple(offered), cases=tuple(cases), exact_pay=exact_pay, fee=fee)


def _pays(node: Node, read_facts: ReadFacts) -> Iterator[PayCase]:
    """The entry's cases: one for each value of the ranges in it."""
    outcome = node.text("outcome") if node.has("outcome") else Settling.WIN
    if outcome not in Settling.__members__.values():
        raise RulebookError(f"{node.place}.outcome = {outcome}; allowed: {', '.join(Settling)}")
    pays = node.fraction("pays") if outcome == Settling.WIN else Fraction(0)
    rule = node.rule()
    for facts in product(*(_spread(fact, node) for fact in sorted(read_facts(node)))):
        yield PayCase(when=frozenset(facts), outcome=Settling(outcome), pays=pays, rule=rule)
    node.end()


def _spread(fact: str, node: Node) -> tuple[str, ...]:
    """`margin=6-7` as its two facts; any other fact alone."""
    found = _RANGE.fullmatch(fact)
    if found is None:
        return (fact,)
    key, low, high = found[1], int(found[2]), int(found[3])
    if low >= high:
        raise RulebookError(f"{node.place}.when = {fact}; allowed: a range from the lower to the higher")
    return tuple(f"{key}={value}" for value in range(low, high + 1))


def _exact_pay(node: Node, read_facts: ReadFacts) -> ExactPay:
    rule = ExactPay(when=read_facts(node), rule=node.rule(), text=node.text("text"))
    node.end()
    return rule


def _fee(node: Node, bet: Bet, options: Collection[str]) -> Fee:
    fee = Fee(
        bet=bet,
        amount_option=_option(node, "amount", options),
        waived_from_option=_option(node, "waived_from", options) if node.has("waived_from") else None,
        wagers=read_bet_names(node, "wagers"),
        rule=node.rule(),
        text=node.text("text"),
    )
    node.end()
    return fee


def _option(node: Node, key: str, options: Collection[str]) -> str:
    name = node.text(key)
    if name not in options:
        raise RulebookError(f"{node.place}.{key} = {name}; allowed: {', '.join(sorted(options))}")
    return name
