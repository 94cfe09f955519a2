"""Read the parts of a rulebook's file about the shoe, the handling of cards, the notice and insurance."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from rules.cases import Case
from rules.errors import RulebookError
from rules.rulebook_facts import KnownFacts
from rules.rulebook_model import (
    AfterCutCard,
    BurnCase,
    BurnCount,
    Entitled,
    ExcessRule,
    HandlingCase,
    InsuranceRow,
    InsuranceRule,
    LastRoundRule,
    LeastDecks,
    LimitKind,
    LimitRule,
    TieBreak,
    WindowStart,
)
from rules.words import Bet
from rules.yaml_reader import Node

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
