"""Read the sections of a rulebook's file: bets, shoe, handling of cards, the table's notice, insurance."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.words import Bet, Settling
from thirdcard.rules.rulebook.cases import Case, KnownFacts
from thirdcard.rules.rulebook.file_keys import (
    REQUIRED_BETS,
    BetKeys,
    BurnKeys,
    CutDepthKeys,
    ExactKeys,
    ExcessKeys,
    FeeKeys,
    HandlingKeys,
    InsuranceKeys,
    InsuranceRowKeys,
    LastRoundKeys,
    LimitsKeys,
    OwnLimitKeys,
    PayKeys,
    ReturnKeys,
    RulebookKeys,
    WhenKeys,
)
from thirdcard.rules.rulebook.model import (
    BetRule,
    BurnCase,
    CutDepth,
    ExactPay,
    ExcessRule,
    Fee,
    HandlingCase,
    InsuranceRow,
    InsuranceRule,
    LastRoundRule,
    LimitKind,
    LimitRule,
    OwnLimitRule,
    PayCase,
    ReturnRule,
    WindowStart,
)
from thirdcard.rules.rulebook.yaml_keys import TextEntry
from thirdcard.rules.rulebook.yaml_reader import Node

_RANGE = re.compile(r"(\w+)=(\d)-(\d)")


def read_bets(node: Node, known: KnownFacts) -> Mapping[Bet, BetRule]:
    """Every bet of the file.

    Raises:
        RulebookError: a bet is missing, unknown or not whole; names the place.
    """
    names = node.names()
    for name in names:
        if name not in Bet.__members__.values():
            raise RulebookError(f"{node.place}: {name}; allowed: {', '.join(Bet)}")
    for bet in REQUIRED_BETS:
        node.raw(bet.value)
    return {Bet(name): _bet(node.node_at(name), Bet(name), known) for name in names}


def _bet(node: Node, bet: Bet, known: KnownFacts) -> BetRule:
    offered = tuple(_election(case, known) for case in node.nodes(BetKeys.offered))
    cases = tuple(case for entry in node.nodes(BetKeys.cases) for case in _pays(entry, known))
    exact_pay = _exact_pay(node.node(BetKeys.paid_exactly), known) if node.has(BetKeys.paid_exactly) else None
    fee = _fee(node.node(BetKeys.fee), bet, known.keys) if node.has(BetKeys.fee) else None
    if not cases and fee is None:
        raise RulebookError(f"{node.place}: cases is missing")
    node.end()
    return BetRule(bet=bet, offered=offered or (frozenset[str](),), cases=cases, exact_pay=exact_pay, fee=fee)


def _election(node: Node, known: KnownFacts) -> frozenset[str]:
    facts = known.read(node, WhenKeys.when)
    node.end()
    return facts


def _pays(node: Node, known: KnownFacts) -> Iterator[PayCase]:
    """The entry's cases: one for each value of the ranges in it."""
    outcome = node.read(PayKeys.outcome)
    pays = node.read_at(PayKeys.pays.name, PayKeys.pays) if outcome is Settling.WIN else Fraction(0)
    rule = node.read(PayKeys.rule)
    for facts in product(*(_spread(fact, node) for fact in sorted(known.read(node, PayKeys.when)))):
        yield PayCase(when=frozenset(facts), outcome=outcome, pays=pays, rule=rule)
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


def _exact_pay(node: Node, known: KnownFacts) -> ExactPay:
    rule = ExactPay(
        when=known.read(node, ExactKeys.when), rule=node.read(ExactKeys.rule), text=node.read(ExactKeys.text)
    )
    node.end()
    return rule


def _fee(node: Node, bet: Bet, options: Collection[str]) -> Fee:
    fee = Fee(
        bet=bet,
        amount_option=_option(node, FeeKeys.amount, options),
        waived_from_option=_option(node, FeeKeys.waived_from, options) if node.has(FeeKeys.waived_from) else None,
        wagers=frozenset(node.read(FeeKeys.wagers)),
        most=node.read(FeeKeys.most) or None,
        most_rule=node.read(FeeKeys.most_rule),
        rule=node.read(FeeKeys.rule),
        text=node.read(FeeKeys.text),
    )
    node.end()
    return fee


def _option(node: Node, key: TextEntry, options: Collection[str]) -> str:
    name = node.read(key)
    if name not in options:
        raise RulebookError(f"{node.place}.{key.name} = {name}; allowed: {', '.join(sorted(options))}")
    return name


def parse_burn(root: Node, known: KnownFacts) -> tuple[BurnCase, ...]:
    """How many cards are burned; the last case holds without conditions.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    cases = tuple(_burn(node, known) for node in root.nodes(RulebookKeys.burn))
    _check_last(cases, f"{root.place}.burn")
    return cases


def _burn(node: Node, known: KnownFacts) -> BurnCase:
    case = BurnCase(
        when=known.read(node, BurnKeys.when),
        count=node.read(BurnKeys.count),
        rule=node.read(BurnKeys.rule),
        text=node.read(BurnKeys.text),
    )
    node.end()
    return case


def parse_last_round(node: Node) -> LastRoundRule:
    """When a shoe ends.

    Raises:
        RulebookError: something is missing or unknown; names the place.
    """
    depth = LastRoundKeys.cut_depth
    rule = LastRoundRule(
        after_cut_card=node.read(LastRoundKeys.after_cut_card),
        is_announced=node.read(LastRoundKeys.announced),
        cut_depth=_cut_depth(node.node(depth)) if node.has(depth) else None,
        rule=node.read(LastRoundKeys.rule),
        text=node.read(LastRoundKeys.text),
    )
    node.end()
    return rule


def _cut_depth(node: Node) -> CutDepth:
    depth = CutDepth(
        least=node.read(CutDepthKeys.least),
        most=node.read(CutDepthKeys.most),
        rule=node.read(CutDepthKeys.rule),
        text=node.read(CutDepthKeys.text),
    )
    node.end()
    return depth


def parse_handling(root: Node, known: KnownFacts) -> tuple[HandlingCase, ...]:
    """Who may handle cards; the last case holds without conditions.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    cases = tuple(_handling(node, known) for node in root.nodes(RulebookKeys.handling))
    _check_last(cases, f"{root.place}.handling")
    return cases


def _handling(node: Node, known: KnownFacts) -> HandlingCase:
    case = HandlingCase(
        when=known.read(node, HandlingKeys.when),
        entitled=node.read(HandlingKeys.entitled),
        ties=node.read(HandlingKeys.ties),
        anyone_where_none=node.read(HandlingKeys.anyone_where_none),
        nominee_rule=node.read(HandlingKeys.nominee_rule),
        has_several_nominees=node.read(HandlingKeys.several_nominees),
        sharing_rule=node.read(HandlingKeys.sharing_rule),
        rule=node.read(HandlingKeys.rule),
        text=node.read(HandlingKeys.text),
    )
    node.end()
    return case


def parse_limits(node: Node, known: KnownFacts) -> LimitRule:
    """Which of the notice's limits the rulebook knows.

    Raises:
        RulebookError: something is missing or unknown; names the place.
    """
    kinds = frozenset(node.read(LimitsKeys.kinds))
    rule = LimitRule(
        kinds=kinds,
        own=tuple(_own_limit(case, known) for case in node.nodes(LimitsKeys.own)),
        excess=tuple(_excess(case, known, kinds) for case in node.nodes(LimitsKeys.excess)),
        returned=tuple(_return(case, known) for case in node.nodes(LimitsKeys.returned)),
        rule=node.read(LimitsKeys.rule),
        text=node.read(LimitsKeys.text),
    )
    node.end()
    return rule


def _return(node: Node, known: KnownFacts) -> ReturnRule:
    case = ReturnRule(
        when=known.read(node, ReturnKeys.when), rule=node.read(ReturnKeys.rule), text=node.read(ReturnKeys.text)
    )
    node.end()
    return case


def _own_limit(node: Node, known: KnownFacts) -> OwnLimitRule:
    case = OwnLimitRule(
        when=known.read(node, OwnLimitKeys.when),
        bets=frozenset(node.read(OwnLimitKeys.bets)),
        rule=node.read(OwnLimitKeys.rule),
        text=node.read(OwnLimitKeys.text),
    )
    node.end()
    return case


def _excess(node: Node, known: KnownFacts, kinds: Collection[LimitKind]) -> ExcessRule:
    case = ExcessRule(
        when=known.read(node, ExcessKeys.when),
        over=node.read(ExcessKeys.over),
        rule=node.read(ExcessKeys.rule),
        text=node.read(ExcessKeys.text),
    )
    if case.over not in kinds:
        raise RulebookError(f"{node.place}.over = {case.over}; allowed: maximum, differential, where kinds has it")
    node.end()
    return case


def parse_insurance(node: Node, known: KnownFacts) -> InsuranceRule:
    """When insurance may be bet.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    offered = tuple(_election(case, known) for case in node.nodes(InsuranceKeys.offered))
    rows = tuple(_row(row) for row in node.nodes(InsuranceKeys.rows))
    rule = InsuranceRule(
        offered=offered,
        rows=rows,
        rule=node.read(InsuranceKeys.rule),
        closing_rule=node.read(InsuranceKeys.closing_rule),
        withdrawal_rule=node.read(InsuranceKeys.withdrawal_rule),
        waiver_rule=node.read(InsuranceKeys.waiver_rule),
        absence_rule=node.read(InsuranceKeys.absence_rule),
        return_rule=node.read(InsuranceKeys.return_rule),
        text=node.read(InsuranceKeys.text),
    )
    node.end()
    _check_rows(rows, node.place)
    return rule


def _row(node: Node) -> InsuranceRow:
    row = InsuranceRow(
        bet=node.read(InsuranceRowKeys.bet),
        after=node.read(InsuranceRowKeys.after),
        player=node.read(InsuranceRowKeys.player),
        banker=node.read(InsuranceRowKeys.banker),
        pays=node.read(InsuranceRowKeys.pays),
        wins_on_tie=node.read(InsuranceRowKeys.wins_on_tie),
        rule=node.read(InsuranceRowKeys.rule),
    )
    node.end()
    return row


def _check_rows(rows: Sequence[InsuranceRow], place: str) -> None:
    seen: dict[tuple[Bet, WindowStart, int, int], int] = {}
    for i, row in enumerate(rows):
        for key in ((row.bet, row.after, player, banker) for player in row.player for banker in row.banker):
            if key in seen:
                raise RulebookError(
                    f"{place}.rows[{i}]: Player {key[2]} and Banker {key[3]} stand in rows[{seen[key]}] too; "
                    "allowed: one row for a situation"
                )
            seen[key] = i


def _check_last(cases: Sequence[Case], place: str) -> None:
    if cases[-1].when:
        raise RulebookError(f"{place}: the last case must hold without conditions")
