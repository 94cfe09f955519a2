"""Turn a rulebook's file into values, refusing one that is incomplete, names unknown facts or cites no section."""

from __future__ import annotations

from collections.abc import Mapping

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.third_card import POINTS, TableOfPlay
from thirdcard.rules.game.words import Bet, Remedy, Side
from thirdcard.rules.rulebook.cases import KnownFacts
from thirdcard.rules.rulebook.check import check_rulebook
from thirdcard.rules.rulebook.file_keys import (
    OTHER_FAULTS,
    REQUIRED_FAULTS,
    ROWS,
    AfterTieKeys,
    BettingKeys,
    ClosingKeys,
    DealKeys,
    DecksKeys,
    DemandKeys,
    DevicesKeys,
    DrawKeys,
    DrawRowsKeys,
    ExclusionKeys,
    FaultKeys,
    FrozenKeys,
    LeastDecksKeys,
    OptionKeys,
    PlainKeys,
    RemedyKeys,
    RulebookKeys,
    SeatsKeys,
    StyleKeys,
    TableOfPlayKeys,
    TopUpKeys,
)
from thirdcard.rules.rulebook.model import (
    ClosingCase,
    Demand,
    DeviceCase,
    Equipment,
    Exclusion,
    FaultCase,
    LeastDecks,
    Option,
    Rulebook,
    SeatsCase,
    Style,
)
from thirdcard.rules.rulebook.sections import (
    parse_burn,
    parse_handling,
    parse_insurance,
    parse_last_round,
    parse_limits,
    read_bets,
)
from thirdcard.rules.rulebook.yaml_reader import Node

RULE_SOURCES = frozenset({"table of play", "closing", "pay table", "void order", "own limit"})
"""What a fault's `rule` may name instead of a section: the entry that decided, with its own rule."""


def parse_rulebook(content: object, name: str) -> Rulebook:
    """The rulebook that a file's content describes.

    Args:
        name: the file's name, for messages.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    root = Node(content, name)
    options = tuple(_option(node) for node in root.nodes(RulebookKeys.options))
    known = KnownFacts(options)
    exclusions = tuple(_exclusion(node, known) for node in root.nodes(RulebookKeys.exclusions))
    deal = root.node(RulebookKeys.initial_deal)
    betting = root.node(RulebookKeys.betting)
    rulebook = Rulebook(
        id=root.read(RulebookKeys.id),
        title=root.read(RulebookKeys.title),
        source=root.read(RulebookKeys.source),
        options=options,
        exclusions=exclusions,
        demands=tuple(_demand(node, options, known) for node in root.nodes(RulebookKeys.demands)),
        equipment=_equipment(root, known),
        order=_order(deal),
        styles=_styles(root.node(RulebookKeys.styles), options),
        table=_table(root.node(RulebookKeys.table_of_play)),
        closings=tuple(_closing(node, known) for node in betting.nodes(BettingKeys.closes)),
        call_rule=_section(betting.node(BettingKeys.call)),
        frozen=tuple(_frozen(node, known) for node in betting.nodes(BettingKeys.frozen)),
        top_ups=tuple(_top_up(node, known) for node in betting.nodes(BettingKeys.top_ups)),
        promotional_rule=_promotional(betting),
        push_is_free=_push(betting.node(BettingKeys.after_tie)),
        first_card_face_up_is_found=root.read(RulebookKeys.first_card_face_up_is_found),
        burn=parse_burn(root, known),
        last_round=parse_last_round(root.node(RulebookKeys.last_round)),
        handling=parse_handling(root, known),
        limits=parse_limits(root.node(RulebookKeys.limits), known),
        insurance=parse_insurance(root.node(RulebookKeys.insurance), known)
        if root.has(RulebookKeys.insurance)
        else None,
        faults=_faults(root.node(RulebookKeys.faults), known),
        bets=read_bets(root.node(RulebookKeys.bets), known),
        notes=_notes(root.node(RulebookKeys.notes)),
    )
    for node in (deal, betting, root):
        node.end()
    _check_closings(rulebook, name)
    check_rulebook(rulebook, name)
    return rulebook


def _section(node: Node) -> str | None:
    node.read(PlainKeys.text)
    rule = node.read(PlainKeys.rule)
    node.end()
    return rule


def _option(node: Node) -> Option:
    values = node.read(OptionKeys.values)
    option = Option(
        key=node.read(OptionKeys.key),
        rule=node.read(OptionKeys.rule),
        text=node.read(OptionKeys.text),
        values=values,
        takes_amount=node.read(OptionKeys.takes_amount),
    )
    node.end()
    return option


def _exclusion(node: Node, known: KnownFacts) -> Exclusion:
    keys = node.read(ExclusionKeys.keys)
    for key in keys:
        if key not in known.keys:
            raise RulebookError(f"{node.place}.keys = {key}; allowed: {', '.join(sorted(known.keys))}")
    exclusion = Exclusion(keys=keys, rule=node.read(ExclusionKeys.rule), text=node.read(ExclusionKeys.text))
    node.end()
    return exclusion


def _demand(node: Node, options: tuple[Option, ...], known: KnownFacts) -> Demand:
    demand = Demand(
        when=known.read(node, DemandKeys.when),
        option=node.read(DemandKeys.option),
        values=node.read(DemandKeys.values),
        rule=node.read(DemandKeys.rule),
        text=node.read(DemandKeys.text),
    )
    bound = next((option for option in options if option.key == demand.option), None)
    if bound is None:
        raise RulebookError(f"{node.place}.option = {demand.option}; allowed: {', '.join(sorted(known.keys))}")
    for value in demand.values:
        if value not in bound.values:
            raise RulebookError(f"{node.place}.values = {value}; allowed: the values of {demand.option}")
    node.end()
    return demand


def _equipment(root: Node, known: KnownFacts) -> Equipment:
    node = root.node(RulebookKeys.decks)
    node.read(DecksKeys.text)
    equipment = Equipment(
        decks=node.read(DecksKeys.allowed),
        decks_rule=node.read(DecksKeys.rule),
        least_decks=tuple(_least_decks(case, known) for case in node.nodes(DecksKeys.least)),
        devices=tuple(_devices(case, known) for case in root.nodes(RulebookKeys.devices)),
        seats=tuple(_seats(case, known) for case in root.nodes(RulebookKeys.seats)),
    )
    node.end()
    return equipment


def _least_decks(node: Node, known: KnownFacts) -> LeastDecks:
    case = LeastDecks(
        decks=node.read(LeastDecksKeys.decks),
        when=known.read(node, LeastDecksKeys.when),
        rule=node.read(LeastDecksKeys.rule),
    )
    node.end()
    return case


def _devices(node: Node, known: KnownFacts) -> DeviceCase:
    case = DeviceCase(
        when=known.read(node, DevicesKeys.when),
        allowed=frozenset(node.read(DevicesKeys.allowed)),
        rule=node.read(DevicesKeys.rule),
        text=node.read(DevicesKeys.text),
    )
    node.end()
    return case


def _seats(node: Node, known: KnownFacts) -> SeatsCase:
    case = SeatsCase(
        when=known.read(node, SeatsKeys.when),
        most=node.read(SeatsKeys.most),
        rule=node.read(SeatsKeys.rule),
        text=node.read(SeatsKeys.text),
    )
    node.end()
    return case


def _order(node: Node) -> tuple[Side, ...]:
    node.read(DealKeys.text)
    sides = node.read(DealKeys.order)
    if sorted(sides) != [Side.BANKER, Side.BANKER, Side.PLAYER, Side.PLAYER]:
        raise RulebookError(f"{node.place}.order = {list(sides)}; allowed: two cards each for player and banker")
    node.read(DealKeys.rule)
    return sides


def _styles(node: Node, options: tuple[Option, ...]) -> Mapping[str, Style]:
    offered = next((option.values for option in options if option.key == "dealing_style"), ())
    if tuple(node.names()) != offered:
        raise RulebookError(f"{node.place} = {list(node.names())}; allowed: the values of dealing_style")
    return {name: _style(node.node_at(name)) for name in node.names()}


def _style(node: Node) -> Style:
    style = Style(
        face_down=frozenset(node.read(StyleKeys.face_down)),
        rule=node.read(StyleKeys.rule),
        players_handle=node.read(StyleKeys.players_handle),
        text=node.read(StyleKeys.text),
    )
    node.end()
    return style


def _table(node: Node) -> TableOfPlay:
    natural, single = node.node(TableOfPlayKeys.natural), node.node(TableOfPlayKeys.one_card_only)
    player, stand = node.node(TableOfPlayKeys.player), node.node(TableOfPlayKeys.banker_after_stand)
    draw = node.node(TableOfPlayKeys.banker_after_draw)
    grid = draw.node(DrawRowsKeys.draws)
    if set(grid.names()) != set(ROWS):
        raise RulebookError(f"{grid.place} = {list(grid.names())}; allowed: a row for each of the points 0 to 7")
    rows = {points: grid.read_at(points, DrawRowsKeys.draws.each) for points in ROWS}
    table = TableOfPlay(
        natural_rule=_section(natural),
        player_draws=player.read(DrawKeys.draws),
        player_rule=_section(player),
        banker_draws_after_stand=stand.read(DrawKeys.draws),
        banker_after_stand_rule=_section(stand),
        banker_draws_after_draw={points: rows.get(points, frozenset[int]()) for points in POINTS},
        banker_after_draw_rule=_section(draw),
        single_card_rule=_section(single),
    )
    node.end()
    return table


def _closing(node: Node, known: KnownFacts) -> ClosingCase:
    case = ClosingCase(
        moment=node.read(ClosingKeys.moment),
        when=known.read(node, ClosingKeys.when),
        bets=frozenset(node.read(ClosingKeys.bets)),
        rule=node.read(ClosingKeys.rule),
        text=node.read(ClosingKeys.text),
    )
    node.end()
    return case


def _check_closings(rulebook: Rulebook, name: str) -> None:
    for bet in Bet:
        if not any(bet in case.bets and not case.when for case in rulebook.closings):
            raise RulebookError(f"{name}.betting.closes: no case without conditions covers {bet}")


def _frozen(node: Node, known: KnownFacts) -> frozenset[str]:
    facts = known.read(node, FrozenKeys.when)
    _section(node)
    return facts


def _top_up(node: Node, known: KnownFacts) -> frozenset[str]:
    facts = known.read(node, TopUpKeys.when)
    _section(node)
    return facts


def _promotional(betting: Node) -> str | None:
    return _section(betting.node(BettingKeys.promotional)) if betting.has(BettingKeys.promotional) else None


def _push(node: Node) -> bool:
    is_free = node.read(AfterTieKeys.push_is_free)
    _section(node)
    return is_free


def _faults(node: Node, known: KnownFacts) -> Mapping[str, tuple[FaultCase, ...]]:
    for code in node.names():
        if code not in REQUIRED_FAULTS and code not in OTHER_FAULTS:
            raise RulebookError(f"{node.place}: {code} is no code of an alert")
    faults = {
        code: tuple(_fault(case, known) for case in node.nodes_at(code))
        for code in (*REQUIRED_FAULTS, *(code for code in node.names() if code in OTHER_FAULTS))
    }
    for code, cases in faults.items():
        if cases[-1].when and not code.startswith("procedure."):
            raise RulebookError(f"{node.place}.{code}: the last case must hold without conditions")
    return faults


def _fault(node: Node, known: KnownFacts) -> FaultCase:
    rule = node.read(FaultKeys.rule)
    remedy = node.node(FaultKeys.remedy)
    case = FaultCase(
        when=known.read(node, FaultKeys.when),
        rule=None if rule in RULE_SOURCES else rule,
        rule_source=rule if rule in RULE_SOURCES else None,
        remedy=_remedy(remedy),
    )
    node.end()
    return case


def _remedy(node: Node) -> Remedy:
    remedy = Remedy(node.read(RemedyKeys.action), node.read(RemedyKeys.rule), node.read(RemedyKeys.text))
    node.end()
    return remedy


def _notes(node: Node) -> Mapping[str, str]:
    return {section: node.read_at(section, RulebookKeys.notes.each) for section in node.names()}
