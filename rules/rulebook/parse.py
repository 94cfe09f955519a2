"""Turn a rulebook's file into values, and report all its problems at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from thirdcard.rules.errors import RulebookError, RulebookPlaceError
from thirdcard.rules.game.third_card import POINTS, TableOfPlay
from thirdcard.rules.game.words import Remedy, Side
from thirdcard.rules.rulebook.cases import KnownFacts
from thirdcard.rules.rulebook.check import find_contradictions
from thirdcard.rules.rulebook.default_faults import with_default_faults
from thirdcard.rules.rulebook.file_keys import (
    OTHER_FAULTS,
    REQUIRED_FAULTS,
    ROWS,
    USUAL,
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
    UsualTableKeys,
)
from thirdcard.rules.rulebook.model import (
    AfterCutCard,
    ClosingCase,
    Demand,
    DeviceCase,
    Equipment,
    Exclusion,
    FaultCase,
    LastRoundRule,
    LeastDecks,
    LimitKind,
    LimitRule,
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
    with_last,
)
from thirdcard.rules.rulebook.yaml_keys import InnerEntry, NamedEntry
from thirdcard.rules.rulebook.yaml_reader import Node, Report, survey
from thirdcard.rules.rulebook.yaml_text import YamlText

Value = TypeVar("Value")

RULE_SOURCES = frozenset({"table of play", "closing", "pay table", "void order", "own limit", "kept card"})
"""The entries that a fault's `rule` may name instead of a section: the entry's own rule is cited."""

_FACE_UP = Option(key="dealing_style", rule="", text="All cards come face up.", values=("A",), takes_amount=False)
_OPEN = Style(rule=None, face_down=frozenset(), players_handle=False, text="All cards come face up.")
_NOTICE = LimitRule(
    kinds=frozenset({LimitKind.MINIMUM, LimitKind.MAXIMUM, LimitKind.DIFFERENTIAL}),
    own=(),
    excess=(),
    returned=None,
    rule=None,
    text="The table's notice says the limits.",
)
_NO_LAST_ROUND = LastRoundRule(
    after_cut_card=AfterCutCard.SILENT, rule=None, text="The rulebook does not mention the last round."
)
_NO_EQUIPMENT = Equipment(decks=frozenset(), decks_rule=None, least_decks=(), devices=(), seats=())
_DEALT_IN_TURN = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER)


def parse_rulebook(content: object, name: str) -> Rulebook:
    """The rulebook in a file's content.

    Args:
        content: The parsed YAML.
        name: The file's name, for messages.

    Raises:
        RulebookError: Something is missing, unknown or contradictory; names each place.
    """
    return parse_yaml(YamlText(content), name)


def parse_yaml(text: YamlText, name: str) -> Rulebook:
    """The rulebook in a file's text, with the line of each problem.

    Raises:
        RulebookError: Something is missing, unknown or contradictory; names each line and place.
    """
    report = Report()
    for place in text.twice:
        report.add(place, " stands twice; allowed: once")
    survey(text.content, RulebookKeys, "", report)
    rulebook = report.attempt(lambda: _rulebook(Node(text.content, "", report)))
    if rulebook is not None:
        find_contradictions(rulebook, report)
    if report.problems or rulebook is None:
        raise _refusal(report, text, name)
    return with_default_faults(rulebook)


def _refusal(report: Report, text: YamlText, name: str) -> RulebookError:
    lines = [
        (text.line_of(problem.place), problem.text if problem.text[:1] != " " else f"content{problem.text}")
        for problem in report.problems
    ]
    if text.lines:
        told = tuple(f"{name}:{line}: {what}" for line, what in sorted(lines, key=lambda one: one[0]))
    else:
        told = tuple(f"{name}: {what}" for _, what in lines)
    return RulebookError(told[0], told)


def _rulebook(root: Node) -> Rulebook:
    """The rulebook of the file; unusable parts are reported and left empty."""
    report = root.report
    options = _options(root)
    known = KnownFacts(options, unread=_unread_options(root, options))
    betting = _inner(root, RulebookKeys.betting) or Node({}, RulebookKeys.betting.name, report)
    return Rulebook(
        id=report.attempt(lambda: root.read(RulebookKeys.id)) or "",
        title=report.attempt(lambda: root.read(RulebookKeys.title)) or "",
        source=report.attempt(lambda: root.read(RulebookKeys.source)) or "",
        options=options,
        exclusions=root.each(RulebookKeys.exclusions, lambda node: _exclusion(node, known)),
        demands=root.each(RulebookKeys.demands, lambda node: _demand(node, options, known)),
        equipment=report.attempt(lambda: _equipment(root, known)) or _NO_EQUIPMENT,
        order=_read(root, RulebookKeys.initial_deal, _order, _DEALT_IN_TURN),
        styles=report.attempt(lambda: _styles(root, options)) or {},
        table=report.attempt(lambda: _table(root)) or usual_table(None),
        closings=betting.each(BettingKeys.closes, lambda node: _closing(node, known)),
        call_rule=_read(betting, BettingKeys.call, _section, None),
        frozen=betting.each(BettingKeys.frozen, lambda node: _frozen(node, known)),
        top_ups=betting.each(BettingKeys.top_ups, lambda node: _top_up(node, known)),
        promotional_rule=_read(betting, BettingKeys.promotional, _section, None),
        push_is_free=_read(betting, BettingKeys.after_tie, _push, True),
        first_card_face_up_is_found=bool(report.attempt(lambda: root.read(RulebookKeys.first_card_face_up_is_found))),
        burn=parse_burn(root, known),
        last_round=_read(root, RulebookKeys.last_round, parse_last_round, _NO_LAST_ROUND),
        handling=parse_handling(root, known),
        limits=_read(root, RulebookKeys.limits, lambda node: parse_limits(node, known), _NOTICE),
        insurance=_read(root, RulebookKeys.insurance, lambda node: parse_insurance(node, known), None),
        faults=_read(root, RulebookKeys.faults, lambda node: _faults(node, known), {}),
        bets=_read(root, RulebookKeys.bets, lambda node: read_bets(node, known), {}),
        sections=_read(root, RulebookKeys.sections, lambda node: _texts(node, RulebookKeys.sections), {}),
        notes=_read(root, RulebookKeys.notes, lambda node: _texts(node, RulebookKeys.notes), {}),
    )


def _inner(node: Node, key: InnerEntry | NamedEntry) -> Node | None:
    """The mapping under a key; None where it is missing or is no mapping."""
    return node.report.attempt(lambda: node.node(key)) if node.has(key) else None


def _read(node: Node, key: InnerEntry | NamedEntry, parse: Callable[[Node], Value], default: Value) -> Value:
    """The parsed mapping under a key; the default where it is missing or unusable."""
    within = _inner(node, key)
    found = None if within is None else node.report.attempt(lambda: parse(within))
    return default if found is None else found


def _section(node: Node) -> str | None:
    node.read(PlainKeys.text)
    return node.read(PlainKeys.rule)


def _options(root: Node) -> tuple[Option, ...]:
    options = root.each(RulebookKeys.options, _option)
    if any(option.key == _FACE_UP.key for option in options) or not root.report.is_sound("options"):
        return options
    return (_FACE_UP, *options)


def _unread_options(root: Node, options: tuple[Option, ...]) -> frozenset[str]:
    """The keys of options that are in the file but could not be read."""
    entries = root.raw(RulebookKeys.options.name) if root.has(RulebookKeys.options) else []
    named = [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []
    keys = {str(one.get(OptionKeys.key.name)) for one in named}
    return frozenset(keys - {option.key for option in options})


def _option(node: Node) -> Option:
    return Option(
        key=node.read(OptionKeys.key),
        rule=node.read(OptionKeys.rule),
        text=node.read(OptionKeys.text),
        values=node.read(OptionKeys.values),
        takes_amount=node.read(OptionKeys.takes_amount),
    )


def _exclusion(node: Node, known: KnownFacts) -> Exclusion:
    keys = node.read(ExclusionKeys.keys)
    for key in keys:
        if key not in known.keys:
            node.refuse("keys", key, ", ".join(sorted(known.keys)))
    return Exclusion(keys=keys, rule=node.read(ExclusionKeys.rule), text=node.read(ExclusionKeys.text))


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
        raise RulebookPlaceError(
            node.place_of("option"), f" = {demand.option}; allowed: {', '.join(sorted(known.keys))}"
        )
    for value in demand.values:
        if value not in bound.values:
            node.refuse("values", value, f"the values of {demand.option}")
    return demand


def _equipment(root: Node, known: KnownFacts) -> Equipment:
    node = root.node(RulebookKeys.decks)
    node.read(DecksKeys.text)
    return Equipment(
        decks=node.read(DecksKeys.allowed),
        decks_rule=node.read(DecksKeys.rule),
        least_decks=node.each(DecksKeys.least, lambda case: _least_decks(case, known)),
        devices=root.each(RulebookKeys.devices, lambda case: _devices(case, known)),
        seats=root.each(RulebookKeys.seats, lambda case: _seats(case, known)),
    )


def _least_decks(node: Node, known: KnownFacts) -> LeastDecks:
    return LeastDecks(
        decks=node.read(LeastDecksKeys.decks),
        when=known.read(node, LeastDecksKeys.when),
        rule=node.read(LeastDecksKeys.rule),
    )


def _devices(node: Node, known: KnownFacts) -> DeviceCase:
    return DeviceCase(
        when=known.read(node, DevicesKeys.when),
        allowed=frozenset(node.read(DevicesKeys.allowed)),
        rule=node.read(DevicesKeys.rule),
        text=node.read(DevicesKeys.text),
    )


def _seats(node: Node, known: KnownFacts) -> SeatsCase:
    return SeatsCase(
        when=known.read(node, SeatsKeys.when),
        most=node.read(SeatsKeys.most),
        rule=node.read(SeatsKeys.rule),
        text=node.read(SeatsKeys.text),
    )


def _order(deal: Node) -> tuple[Side, ...]:
    deal.read(DealKeys.text)
    sides = deal.read(DealKeys.order)
    if sorted(sides) != [Side.BANKER, Side.BANKER, Side.PLAYER, Side.PLAYER]:
        raise RulebookPlaceError(
            deal.place_of("order"), f" = {[str(side) for side in sides]}; allowed: two cards each for player and banker"
        )
    deal.read(DealKeys.rule)
    return sides


def _styles(root: Node, options: tuple[Option, ...]) -> Mapping[str, Style]:
    offered = next((option.values for option in options if option.key == _FACE_UP.key), ())
    if not root.has(RulebookKeys.styles) and offered == _FACE_UP.values:
        return {"A": _OPEN}
    if not root.has(RulebookKeys.styles):
        if not root.report.is_sound("options"):
            return {}
        allowed = f"an entry for each value of dealing_style: {', '.join(map(str, offered))}"
        raise RulebookPlaceError("", f": styles is missing; allowed: {allowed}", RulebookKeys.styles.name)
    node = root.node(RulebookKeys.styles)
    if tuple(node.names()) != offered and root.report.is_sound("options"):
        root.report.add(node.place, f" = {list(node.names())}; allowed: the values of dealing_style, {list(offered)}")
    styles = {name: node.report.attempt(lambda: _style(node.node_at(name))) for name in node.names()}  # noqa: B023
    return {name: style for name, style in styles.items() if style is not None}


def _style(node: Node) -> Style:
    return Style(
        face_down=frozenset(node.read(StyleKeys.face_down)),
        rule=node.read(StyleKeys.rule),
        players_handle=node.read(StyleKeys.players_handle),
        text=node.read(StyleKeys.text),
    )


def _table(root: Node) -> TableOfPlay:
    if root.raw(RulebookKeys.table_of_play.name) == USUAL:
        return usual_table(None)
    node = root.node(RulebookKeys.table_of_play)
    if node.has(UsualTableKeys.usual):
        node.read(UsualTableKeys.usual)
        return usual_table(node.read(UsualTableKeys.rule))
    natural, single = node.node(TableOfPlayKeys.natural), node.node(TableOfPlayKeys.one_card_only)
    player, stand = node.node(TableOfPlayKeys.player), node.node(TableOfPlayKeys.banker_after_stand)
    draw = node.node(TableOfPlayKeys.banker_after_draw)
    grid = draw.node(DrawRowsKeys.draws)
    if set(grid.names()) != set(ROWS):
        raise RulebookPlaceError(grid.place, f" = {list(grid.names())}; allowed: a row for each of the points 0 to 7")
    rows = {points: grid.read_at(points, DrawRowsKeys.draws.each) for points in ROWS}
    return TableOfPlay(
        natural_rule=_section(natural),
        player_draws=player.read(DrawKeys.draws),
        player_rule=_section(player),
        banker_draws_after_stand=stand.read(DrawKeys.draws),
        banker_after_stand_rule=_section(stand),
        banker_draws_after_draw={points: rows.get(points, frozenset[int]()) for points in POINTS},
        banker_after_draw_rule=_section(draw),
        single_card_rule=_section(single),
    )


def usual_table(rule: str | None) -> TableOfPlay:
    """The common table of play, cited by one section."""
    rows = {0: range(10), 1: range(10), 2: range(10), 3: (*range(8), 9), 4: range(2, 8), 5: range(4, 8), 6: (6, 7)}
    return TableOfPlay(
        natural_rule=rule,
        player_draws=frozenset(range(6)),
        player_rule=rule,
        banker_draws_after_stand=frozenset(range(6)),
        banker_after_stand_rule=rule,
        banker_draws_after_draw={points: frozenset(rows.get(points, ())) for points in POINTS},
        banker_after_draw_rule=rule,
        single_card_rule=rule,
    )


def _closing(node: Node, known: KnownFacts) -> ClosingCase:
    return ClosingCase(
        moment=node.read(ClosingKeys.moment),
        when=known.read(node, ClosingKeys.when),
        bets=frozenset(node.read(ClosingKeys.bets)) if node.has(ClosingKeys.bets) else None,
        rule=node.read(ClosingKeys.rule),
        text=node.read(ClosingKeys.text),
    )


def _frozen(node: Node, known: KnownFacts) -> frozenset[str]:
    _section(node)
    return known.read(node, FrozenKeys.when)


def _top_up(node: Node, known: KnownFacts) -> frozenset[str]:
    _section(node)
    return known.read(node, TopUpKeys.when)


def _push(node: Node) -> bool:
    _section(node)
    return node.read(AfterTieKeys.push_is_free)


def _faults(node: Node, known: KnownFacts) -> Mapping[str, tuple[FaultCase, ...]]:
    faults: dict[str, tuple[FaultCase, ...]] = {}
    for code in node.names():
        if code not in REQUIRED_FAULTS and code not in OTHER_FAULTS:
            continue  # reported by the survey already
        cases = node.each_at(code, lambda case: _fault(case, known))
        faults[code] = cases if code.startswith("procedure.") else with_last(node, code, cases)
    return faults


def _fault(node: Node, known: KnownFacts) -> FaultCase:
    rule = node.read(FaultKeys.rule)
    return FaultCase(
        when=known.read(node, FaultKeys.when),
        rule=None if rule in RULE_SOURCES else rule,
        rule_source=rule if rule in RULE_SOURCES else None,
        remedy=_remedy(node.node(FaultKeys.remedy)),
    )


def _remedy(node: Node) -> Remedy:
    return Remedy(node.read(RemedyKeys.action), node.read(RemedyKeys.rule), node.read(RemedyKeys.text))


def _texts(node: Node, key: NamedEntry) -> Mapping[str, str]:
    return {section: node.read_at(section, key.each) for section in node.names()}
