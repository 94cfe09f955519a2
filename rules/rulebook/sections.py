"""Read the sections of a rulebook's file: bets, shoe, handling of cards, the table's notice, insurance."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import TypeVar

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.words import Bet, Settling
from thirdcard.rules.rulebook.cases import Case, KnownFacts
from thirdcard.rules.rulebook.model import (
    AfterCutCard,
    BetRule,
    BurnCase,
    BurnCount,
    Entitled,
    ExactPay,
    ExcessRule,
    Fee,
    HandlingCase,
    InsuranceRow,
    InsuranceRule,
    LastRoundRule,
    LeastDecks,
    LimitKind,
    LimitRule,
    PayCase,
    TieBreak,
    WindowStart,
)
from thirdcard.rules.rulebook.yaml_reader import Node

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


Word = TypeVar("Word", bound=StrEnum)


def parse_burn(root: Node, known: KnownFacts) -> tuple[BurnCase, ...]:
    """How many cards are burned; the last case holds without conditions.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    cases = tuple(_burn(node, known) for node in root.nodes("burn"))
    _check_last(cases, f"{root.place}.burn")
    return cases


def _burn(node: Node, known: KnownFacts) -> BurnCase:
    case = BurnCase(
        when=known.read(node), count=_word(node, "count", BurnCount), rule=node.rule(), text=node.text("text")
    )
    node.end()
    return case


def parse_least_decks(node: Node, known: KnownFacts) -> tuple[LeastDecks, ...]:
    """The elections that need more decks than the game.

    Raises:
        RulebookError: something is missing or unknown; names the place.
    """
    return tuple(_least_decks(case, known) for case in node.nodes("least")) if node.has("least") else ()


def _least_decks(node: Node, known: KnownFacts) -> LeastDecks:
    decks = node.raw("decks")
    if type(decks) is not int or not 1 <= decks <= 8:
        raise RulebookError(f"{node.place}.decks = {decks}; allowed: a number from 1 to 8")
    case = LeastDecks(when=known.read(node), decks=decks, rule=node.rule())
    node.end()
    return case


def parse_last_round(node: Node) -> LastRoundRule:
    """When a shoe ends.

    Raises:
        RulebookError: something is missing or unknown; names the place.
    """
    rule = LastRoundRule(
        after_cut_card=_word(node, "after_cut_card", AfterCutCard), rule=node.rule(), text=node.text("text")
    )
    node.end()
    return rule


def parse_handling(root: Node, known: KnownFacts) -> tuple[HandlingCase, ...]:
    """Who may handle cards; the last case holds without conditions.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    cases = tuple(_handling(node, known) for node in root.nodes("handling"))
    _check_last(cases, f"{root.place}.handling")
    return cases


def _handling(node: Node, known: KnownFacts) -> HandlingCase:
    case = HandlingCase(
        when=known.read(node),
        entitled=_word(node, "entitled", Entitled),
        ties=_word(node, "ties", TieBreak) if node.has("ties") else TieBreak.ANY,
        anyone_where_none=node.flag("anyone_where_none") if node.has("anyone_where_none") else False,
        nominee_rule=node.rule("nominee_rule") if node.has("nominee_rule") else None,
        rule=node.rule(),
        text=node.text("text"),
    )
    node.end()
    return case


def parse_limits(node: Node, known: KnownFacts) -> LimitRule:
    """Which of the notice's limits the rulebook knows.

    Raises:
        RulebookError: something is missing or unknown; names the place.
    """
    kinds = node.texts("kinds")
    for kind in kinds:
        if kind not in LimitKind.__members__.values():
            raise RulebookError(f"{node.place}.kinds = {kind}; allowed: {', '.join(LimitKind)}")
    rule = LimitRule(
        kinds=frozenset(LimitKind(kind) for kind in kinds),
        excess=tuple(_excess(case, known, kinds) for case in node.nodes("excess")) if node.has("excess") else (),
        rule=node.rule(),
        text=node.text("text"),
    )
    node.end()
    return rule


def _excess(node: Node, known: KnownFacts, kinds: Sequence[str]) -> ExcessRule:
    case = ExcessRule(
        when=known.read(node), over=_word(node, "over", LimitKind), rule=node.rule(), text=node.text("text")
    )
    if case.over not in (LimitKind.MAXIMUM, LimitKind.DIFFERENTIAL) or case.over not in kinds:
        raise RulebookError(f"{node.place}.over = {case.over}; allowed: maximum, differential, where kinds has it")
    node.end()
    return case


def parse_insurance(node: Node, known: KnownFacts) -> InsuranceRule:
    """When insurance may be bet.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    offered = tuple(known.read(case) for case in node.nodes("offered"))
    rows = tuple(_row(row) for row in node.nodes("rows"))
    rule = InsuranceRule(
        offered=offered,
        rows=rows,
        rule=node.rule(),
        closing_rule=node.rule("closing_rule"),
        waiver_rule=node.rule("waiver_rule"),
        absence_rule=node.rule("absence_rule"),
        text=node.text("text"),
    )
    node.end()
    seen: dict[tuple[Bet, WindowStart, int, int], int] = {}
    for i, row in enumerate(rows):
        for key in ((row.bet, row.after, player, banker) for player in row.player for banker in row.banker):
            if key in seen:
                raise RulebookError(
                    f"{node.place}.rows[{i}]: Player {key[2]} and Banker {key[3]} stand in rows[{seen[key]}] too; "
                    "allowed: one row for a situation"
                )
            seen[key] = i
    return rule


def _row(node: Node) -> InsuranceRow:
    bet = _word(node, "bet", Bet)
    if bet not in (Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER):
        raise RulebookError(f"{node.place}.bet = {bet}; allowed: insurance_player, insurance_banker")
    row = InsuranceRow(
        bet=bet,
        after=_word(node, "after", WindowStart),
        player=node.points("player"),
        banker=node.points("banker"),
        pays=node.fraction("pays"),
        wins_on_tie=node.flag("wins_on_tie") if node.has("wins_on_tie") else False,
        rule=node.rule(),
    )
    node.end()
    return row


def _word(node: Node, key: str, kind: type[Word]) -> Word:
    text = node.text(key)
    if text not in kind.__members__.values():
        raise RulebookError(f"{node.place}.{key} = {text}; allowed: {', '.join(kind)}")
    return kind(text)


def _check_last(cases: Sequence[Case], place: str) -> None:
    if cases[-1].when:
        raise RulebookError(f"{place}: the last case must hold without conditions")
