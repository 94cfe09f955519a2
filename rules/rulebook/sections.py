"""Read the sections of a rulebook's file: bets, shoe, handling of cards, the table's notice, insurance."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, product
from typing import TypeVar

from thirdcard.rules.errors import RulebookPlaceError
from thirdcard.rules.game.words import HANDS_AND_TIE, Bet, Settling, is_bet_name
from thirdcard.rules.rulebook.cases import Case, KnownFacts, values_of
from thirdcard.rules.rulebook.file_keys import (
    BetKeys,
    BetMomentKeys,
    BurnKeys,
    CommissionKeys,
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
    RoundingKeys,
    RulebookKeys,
    WhenKeys,
)
from thirdcard.rules.rulebook.model import (
    AreaKind,
    BetMoment,
    BetRule,
    BurnCase,
    BurnCount,
    Commission,
    CutDepth,
    Entitled,
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
    Rounding,
    TieBreak,
    WindowStart,
)
from thirdcard.rules.rulebook.yaml_keys import TextEntry
from thirdcard.rules.rulebook.yaml_reader import Node

_UNNAMED = Bet("unnamed")
"""Stands for a bet whose name is not allowed, so that its other faults are reported too."""


def read_bets(node: Node, known: KnownFacts) -> Mapping[Bet, BetRule]:
    """All bets of the file; unusable ones are reported to the node."""
    found: dict[Bet, BetRule] = {}
    for name in node.names():
        bet = Bet(str(name)) if is_bet_name(str(name)) else _UNNAMED
        rule = node.report.attempt(lambda: _bet(node.node_at(name), bet, known))  # noqa: B023
        if rule is not None:
            found[rule.bet] = rule
    return found


def _bet(node: Node, bet: Bet, known: KnownFacts) -> BetRule:
    offered = node.each(BetKeys.offered, lambda case: _election(case, known))
    cases = tuple(chain(*node.each(BetKeys.cases, lambda entry: tuple(_pays(entry, known)))))
    exact_pay = _exact_pay(node.node(BetKeys.paid_exactly), known) if node.has(BetKeys.paid_exactly) else None
    fee = _fee(node.node(BetKeys.fee), bet, known.keys) if node.has(BetKeys.fee) else None
    if not node.has(BetKeys.cases) and fee is None:
        node.report.add(node.place, ": cases is missing; allowed: what it gets, or a fee")
    area = node.read(BetKeys.area)
    return BetRule(
        bet=bet,
        name=node.read(BetKeys.name) or bet.replace("_", " "),
        is_main=bet in HANDS_AND_TIE if area is None else area is AreaKind.MAIN,
        closes=_moment(node.node(BetKeys.closes)) if node.has(BetKeys.closes) else None,
        taken_back=_moment(node.node(BetKeys.taken_back)) if node.has(BetKeys.taken_back) else None,
        commissions=node.each(BetKeys.commission, lambda case: _commission(case, known)),
        offered=offered or (frozenset[str](),),
        cases=cases,
        exact_pay=exact_pay,
        fee=fee,
    )


def _moment(node: Node) -> BetMoment:
    return BetMoment(
        moment=node.read(BetMomentKeys.moment), rule=node.read(BetMomentKeys.rule), text=node.read(BetMomentKeys.text)
    )


def _commission(node: Node, known: KnownFacts) -> Commission:
    rounding = node.node(CommissionKeys.rounding) if node.has(CommissionKeys.rounding) else None
    rate = node.read(CommissionKeys.rate)
    if rate > 1:
        node.refuse(CommissionKeys.rate.name, rate, "a part of the winnings, 1 at most")
    return Commission(
        when=known.read(node, CommissionKeys.when),
        rate=rate,
        collected=node.read(CommissionKeys.collected),
        round_to=None if rounding is None else rounding.read(RoundingKeys.to),
        rounding=Rounding.NEAREST if rounding is None else rounding.read(RoundingKeys.direction),
        minimum=node.read(CommissionKeys.minimum),
        rule=node.read(CommissionKeys.rule),
        text=node.read(CommissionKeys.text),
    )


def _election(node: Node, known: KnownFacts) -> frozenset[str]:
    return known.read(node, WhenKeys.when)


def _pays(node: Node, known: KnownFacts) -> Iterator[PayCase]:
    """The entry's cases, one for each value of its ranges."""
    outcome = node.read(PayKeys.outcome)
    if outcome is Settling.WIN and not node.has(PayKeys.pays):
        what = ": pays is missing; allowed: winnings for one unit of stake such as 8 to 1, or another outcome than win"
        raise RulebookPlaceError(node.place, what, PayKeys.pays.name)
    pays = node.read_at(PayKeys.pays.name, PayKeys.pays) if outcome is Settling.WIN else Fraction(0)
    rule = node.read(PayKeys.rule)
    for facts in product(*(values_of(fact) for fact in sorted(known.read(node, PayKeys.when)))):
        yield PayCase(when=frozenset(facts), outcome=outcome, pays=pays, rule=rule)


def _exact_pay(node: Node, known: KnownFacts) -> ExactPay:
    return ExactPay(
        when=known.read(node, ExactKeys.when), rule=node.read(ExactKeys.rule), text=node.read(ExactKeys.text)
    )


def _fee(node: Node, bet: Bet, options: Collection[str]) -> Fee:
    return Fee(
        bet=bet,
        amount_option=_option(node, FeeKeys.amount, options),
        waived_from_option=_option(node, FeeKeys.waived_from, options) if node.has(FeeKeys.waived_from) else None,
        wagers=frozenset(node.read(FeeKeys.wagers)),
        most=node.read(FeeKeys.most) or None,
        most_rule=node.read(FeeKeys.most_rule),
        rule=node.read(FeeKeys.rule),
        text=node.read(FeeKeys.text),
    )


def _option(node: Node, key: TextEntry, options: Collection[str]) -> str:
    name = node.read(key)
    if name not in options:
        node.refuse(key.name, name, ", ".join(sorted(options)))
    return name


def parse_burn(root: Node, known: KnownFacts) -> tuple[BurnCase, ...]:
    """How many cards are burned; the last case has no conditions. Problems are reported to the node."""
    if not root.has(RulebookKeys.burn):
        return (BurnCase(when=frozenset(), count=BurnCount.NONE, rule=None, text="No burn is ordered."),)
    return with_last(root, RulebookKeys.burn.name, root.each(RulebookKeys.burn, lambda node: _burn(node, known)))


def _burn(node: Node, known: KnownFacts) -> BurnCase:
    return BurnCase(
        when=known.read(node, BurnKeys.when),
        count=node.read(BurnKeys.count),
        rule=node.read(BurnKeys.rule),
        text=node.read(BurnKeys.text),
    )


def parse_last_round(node: Node) -> LastRoundRule:
    """When a shoe ends. Problems are reported to the node."""
    depth = LastRoundKeys.cut_depth
    return LastRoundRule(
        after_cut_card=node.read(LastRoundKeys.after_cut_card),
        is_announced=node.read(LastRoundKeys.announced),
        cut_depth=_cut_depth(node.node(depth)) if node.has(depth) else None,
        rule=node.read(LastRoundKeys.rule),
        text=node.read(LastRoundKeys.text),
    )


def _cut_depth(node: Node) -> CutDepth:
    return CutDepth(
        least=node.read(CutDepthKeys.least),
        most=node.read(CutDepthKeys.most),
        rule=node.read(CutDepthKeys.rule),
        text=node.read(CutDepthKeys.text),
    )


def parse_handling(root: Node, known: KnownFacts) -> tuple[HandlingCase, ...]:
    """Who may handle cards; the last case has no conditions. Problems are reported to the node."""
    if not root.has(RulebookKeys.handling):
        return (_NO_HANDLING,)
    cases = root.each(RulebookKeys.handling, lambda node: _handling(node, known))
    return with_last(root, RulebookKeys.handling.name, cases)


def _handling(node: Node, known: KnownFacts) -> HandlingCase:
    return HandlingCase(
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


def parse_limits(node: Node, known: KnownFacts) -> LimitRule:
    """The limits of the notice that the rulebook provides for. Problems are reported to the node."""
    kinds = frozenset(node.read(LimitsKeys.kinds))
    return LimitRule(
        kinds=kinds,
        own=node.each(LimitsKeys.own, lambda case: _own_limit(case, known)),
        excess=node.each(LimitsKeys.excess, lambda case: _excess(case, known, kinds)),
        returned=_return(node.node(LimitsKeys.returned), known) if node.has(LimitsKeys.returned) else None,
        rule=node.read(LimitsKeys.rule),
        text=node.read(LimitsKeys.text),
    )


def _return(node: Node, known: KnownFacts) -> ReturnRule:
    return ReturnRule(
        when=known.read(node, ReturnKeys.when), rule=node.read(ReturnKeys.rule), text=node.read(ReturnKeys.text)
    )


def _own_limit(node: Node, known: KnownFacts) -> OwnLimitRule:
    return OwnLimitRule(
        when=known.read(node, OwnLimitKeys.when),
        bets=frozenset(node.read(OwnLimitKeys.bets)),
        rule=node.read(OwnLimitKeys.rule),
        text=node.read(OwnLimitKeys.text),
    )


def _excess(node: Node, known: KnownFacts, kinds: Collection[LimitKind]) -> ExcessRule:
    over = node.read(ExcessKeys.over)
    if over not in kinds:
        node.refuse("over", over, "maximum, differential, where kinds has it")
    return ExcessRule(
        when=known.read(node, ExcessKeys.when),
        over=over,
        rule=node.read(ExcessKeys.rule),
        text=node.read(ExcessKeys.text),
    )


def parse_insurance(node: Node, known: KnownFacts) -> InsuranceRule:
    """When insurance may be bet. Problems are reported to the node."""
    offered = node.each(InsuranceKeys.offered, lambda case: _election(case, known))
    rows = node.each(InsuranceKeys.rows, _row)
    _check_rows(rows, node)
    return InsuranceRule(
        offered=offered,
        rows=rows,
        rule=node.read(InsuranceKeys.rule),
        closing_rule=node.read(InsuranceKeys.closing_rule),
        withdrawal_rule=node.read(InsuranceKeys.withdrawal_rule),
        waiver_rule=node.read(InsuranceKeys.waiver_rule),
        absence_rule=node.read(InsuranceKeys.absence_rule),
        text=node.read(InsuranceKeys.text),
    )


def _row(node: Node) -> InsuranceRow:
    return InsuranceRow(
        bet=node.read(InsuranceRowKeys.bet),
        after=node.read(InsuranceRowKeys.after),
        player=node.read(InsuranceRowKeys.player),
        banker=node.read(InsuranceRowKeys.banker),
        pays=node.read(InsuranceRowKeys.pays),
        wins_on_tie=node.read(InsuranceRowKeys.wins_on_tie),
        rule=node.read(InsuranceRowKeys.rule),
    )


def _check_rows(rows: Sequence[InsuranceRow], node: Node) -> None:
    seen: dict[tuple[Bet, WindowStart, int, int], int] = {}
    for i, row in enumerate(rows):
        for key in ((row.bet, row.after, player, banker) for player in row.player for banker in row.banker):
            if key in seen:
                node.report.add(
                    f"{node.place}.rows[{i}]",
                    f": Player {key[2]} and Banker {key[3]} stand in rows[{seen[key]}] too; "
                    "allowed: one row for a situation",
                )
                break
            seen[key] = i


AnyCase = TypeVar("AnyCase", bound=Case)


def with_last(node: Node, name: str, cases: tuple[AnyCase, ...]) -> tuple[AnyCase, ...]:
    """The cases; reports it if the last one has conditions."""
    if cases and cases[-1].when:
        node.report.add(node.place_of(name), ": the last case must hold without conditions")
    return cases


_NO_HANDLING = HandlingCase(
    when=frozenset(),
    entitled=Entitled.UNSAID,
    ties=TieBreak.ANY,
    anyone_where_none=False,
    nominee_rule=None,
    has_several_nominees=False,
    sharing_rule=None,
    rule=None,
    text="The rulebook does not say who handles the cards.",
)
