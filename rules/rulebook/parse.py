"""Turn a rulebook's file into values, refusing one that is incomplete, names unknown facts or cites no section."""

from __future__ import annotations

from collections.abc import Mapping

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.third_card import POINTS, TableOfPlay
from thirdcard.rules.game.words import Bet, Remedy, Side
from thirdcard.rules.rulebook.cases import KnownFacts
from thirdcard.rules.rulebook.check import check_rulebook
from thirdcard.rules.rulebook.model import ClosingCase, Exclusion, FaultCase, Moment, Option, Phase, Rulebook, Style
from thirdcard.rules.rulebook.sections import (
    parse_burn,
    parse_handling,
    parse_insurance,
    parse_last_round,
    parse_least_decks,
    parse_limits,
    read_bet_names,
    read_bets,
)
from thirdcard.rules.rulebook.yaml_reader import Node

ACTIONS = frozenset(
    {
        "reconstruct", "card_to_banker", "first_card_of_next_round", "void_next_hand", "void_round", "void_wager",
        "player_options", "stand", "supervisor",
    }
)  # fmt: skip

RULE_SOURCES = frozenset({"table of play", "closing", "pay table", "void order"})
"""What a fault's `rule` may name instead of a section: the entry that decided, with its own rule."""

REQUIRED_FAULTS = (
    "misdeal.order", "misdeal.third_card_not_due", "misdeal.third_card_missing", "misdeal.extra_card",
    "misdeal.short_hand", "misdeal.simultaneous", "misdeal.wrong_result",
    "late_bet.placed", "late_bet.increased", "late_bet.reduced", "late_bet.removed", "late_bet.moved",
    "exposed_card.face_up_deal", "exposed_card.excess",
    "payout.loser_paid", "payout.winner_unpaid", "payout.wrong_amount", "payout.loser_kept", "payout.push_taken",
    "camera.lost", "camera.moved", "camera.obstructed",
)  # fmt: skip
OTHER_FAULTS = frozenset(
    {
        "misdeal.foreign_card", "misdeal.after_last_round", "misdeal.shoe_exhausted", "exposed_card.first_card",
        "procedure.no_call", "procedure.void_hand_wagered", "procedure.burn", "procedure.both_hands_out",
        "procedure.wrong_handler", "procedure.card_off_table",
        "limit.below_minimum", "limit.above_maximum", "limit.differential",
    }
)  # fmt: skip


def parse_rulebook(content: object, name: str) -> Rulebook:
    """The rulebook that a file's content describes.

    Args:
        name: the file's name, for messages.

    Raises:
        RulebookError: something is missing, unknown or contradicts itself; names the place.
    """
    root = Node(content, name)
    options = tuple(_option(node) for node in root.nodes("options"))
    known = KnownFacts(options)
    exclusions = tuple(_exclusion(node, known) for node in root.nodes("exclusions")) if root.has("exclusions") else ()
    deal = root.node("initial_deal")
    betting = root.node("betting")
    deck_rule = root.node("decks")
    rulebook = Rulebook(
        id=root.text("id"),
        title=root.text("title"),
        source=root.text("source"),
        options=options,
        exclusions=exclusions,
        least_decks=parse_least_decks(deck_rule, known),
        decks=_decks(deck_rule),
        order=_order(deal),
        styles=_styles(root.node("styles"), options),
        table=_table(root.node("table_of_play")),
        closings=tuple(_closing(node, known) for node in betting.nodes("closes")),
        call_rule=_section(betting.node("call")),
        frozen=tuple(_frozen(node, known) for node in betting.nodes("frozen")) if betting.has("frozen") else (),
        push_is_free=_push(betting.node("after_tie")),
        first_card_face_up_is_found=root.flag("first_card_face_up_is_found"),
        burn=parse_burn(root, known),
        last_round=parse_last_round(root.node("last_round")),
        handling=parse_handling(root, known),
        limits=parse_limits(root.node("limits"), known),
        insurance=parse_insurance(root.node("insurance"), known) if root.has("insurance") else None,
        faults=_faults(root.node("faults"), known),
        bets=read_bets(root.node("bets"), known.read, known.keys),
        notes=_notes(root.node("notes")),
    )
    for node in (betting, root):
        node.end()
    _check_closings(rulebook, name)
    check_rulebook(rulebook, name)
    return rulebook


def _section(node: Node) -> str | None:
    node.text("text")
    rule = node.rule()
    node.end()
    return rule


def _option(node: Node) -> Option:
    values = node.raw("values")
    if not isinstance(values, list) or not values:
        raise RulebookError(f"{node.place}.values = {values}; allowed: a list, the default first")
    option = Option(
        key=node.text("key"),
        rule=node.rule(),
        text=node.text("text"),
        values=tuple(values),
        takes_amount=node.flag("takes_amount") if node.has("takes_amount") else False,
    )
    node.end()
    return option


def _exclusion(node: Node, known: KnownFacts) -> Exclusion:
    keys = node.texts("keys")
    for key in keys:
        if key not in known.keys:
            raise RulebookError(f"{node.place}.keys = {key}; allowed: {', '.join(sorted(known.keys))}")
    exclusion = Exclusion(keys=keys, rule=node.rule(), text=node.text("text"))
    node.end()
    return exclusion


def _decks(node: Node) -> frozenset[int]:
    values = node.raw("allowed")
    node.text("text")
    node.rule()
    node.end()
    if not isinstance(values, list) or not all(type(value) is int and 1 <= value <= 8 for value in values):
        raise RulebookError(f"{node.place}.allowed = {values}; allowed: a list of numbers from 1 to 8")
    return frozenset(values)


def _order(node: Node) -> tuple[Side, ...]:
    node.text("text")
    sides = node.texts("order")
    if sorted(sides) != [Side.BANKER, Side.BANKER, Side.PLAYER, Side.PLAYER]:
        raise RulebookError(f"{node.place}.order = {list(sides)}; allowed: two cards each for player and banker")
    node.rule()
    return tuple(Side(side) for side in sides)


def _styles(node: Node, options: tuple[Option, ...]) -> Mapping[str, Style]:
    offered = next((option.values for option in options if option.key == "dealing_style"), ())
    if tuple(node.names()) != offered:
        raise RulebookError(f"{node.place} = {list(node.names())}; allowed: the values of dealing_style")
    return {name: _style(node.node(name)) for name in node.names()}


def _style(node: Node) -> Style:
    face_down = node.texts("face_down")
    for phase in face_down:
        if phase not in Phase.__members__.values():
            raise RulebookError(f"{node.place}.face_down = {phase}; allowed: {', '.join(Phase)}")
    style = Style(
        rule=node.rule(),
        face_down=frozenset(Phase(phase) for phase in face_down),
        players_handle=node.flag("players_handle"),
        text=node.text("text"),
    )
    node.end()
    return style


def _table(node: Node) -> TableOfPlay:
    natural, player, single = node.node("natural"), node.node("player"), node.node("one_card_only")
    stand, draw = node.node("banker_after_stand"), node.node("banker_after_draw")
    grid = draw.node("draws")
    if set(grid.names()) != set(range(8)):
        raise RulebookError(f"{grid.place} = {sorted(grid.names())}; allowed: a row for each of the points 0 to 7")
    rows = {points: grid.points(points) if points < 8 else frozenset[int]() for points in POINTS}
    table = TableOfPlay(
        natural_rule=_section(natural),
        player_draws=player.points("draws"),
        player_rule=_section(player),
        banker_draws_after_stand=stand.points("draws"),
        banker_after_stand_rule=_section(stand),
        banker_draws_after_draw=rows,
        banker_after_draw_rule=_section(draw),
        single_card_rule=_section(single),
    )
    node.end()
    return table


def _closing(node: Node, known: KnownFacts) -> ClosingCase:
    moment = node.text("moment")
    if moment not in Moment.__members__.values():
        raise RulebookError(f"{node.place}.moment = {moment}; allowed: {', '.join(Moment)}")
    case = ClosingCase(
        when=known.read(node),
        bets=read_bet_names(node, "bets") if node.has("bets") else frozenset(Bet),
        moment=Moment(moment),
        rule=node.rule(),
        text=node.text("text"),
    )
    node.end()
    return case


def _check_closings(rulebook: Rulebook, name: str) -> None:
    for bet in Bet:
        if not any(bet in case.bets and not case.when for case in rulebook.closings):
            raise RulebookError(f"{name}.betting.closes: no case without conditions covers {bet}")


def _frozen(node: Node, known: KnownFacts) -> frozenset[str]:
    facts = known.read(node)
    _section(node)
    return facts


def _push(node: Node) -> bool:
    is_free = node.flag("push_is_free")
    _section(node)
    return is_free


def _faults(node: Node, known: KnownFacts) -> Mapping[str, tuple[FaultCase, ...]]:
    for code in node.names():
        if code not in REQUIRED_FAULTS and code not in OTHER_FAULTS:
            raise RulebookError(f"{node.place}: {code} is no code of an alert")
    faults = {
        code: tuple(_fault(case, known) for case in node.nodes(code))
        for code in (*REQUIRED_FAULTS, *(code for code in node.names() if code in OTHER_FAULTS))
    }
    for code, cases in faults.items():
        if cases[-1].when and not code.startswith("procedure."):
            raise RulebookError(f"{node.place}.{code}: the last case must hold without conditions")
    return faults


def _fault(node: Node, known: KnownFacts) -> FaultCase:
    rule = node.rule()
    remedy = node.node("remedy")
    case = FaultCase(
        when=known.read(node),
        rule=None if rule in RULE_SOURCES else rule,
        rule_source=rule if rule in RULE_SOURCES else None,
        remedy=_remedy(remedy),
    )
    node.end()
    return case


def _remedy(node: Node) -> Remedy:
    action = node.text("action")
    if action not in ACTIONS:
        raise RulebookError(f"{node.place}.action = {action}; allowed: {', '.join(sorted(ACTIONS))}")
    remedy = Remedy(action, node.rule(), node.text("text"))
    node.end()
    return remedy


def _notes(node: Node) -> Mapping[str, str]:
    return {section: node.text(section) for section in node.names()}
