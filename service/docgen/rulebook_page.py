"""The rulebooks side by side, point by point with sections, as a Markdown page made only from their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from thirdcard.rules.game.words import Bet
from thirdcard.rules.rulebook.load import Rulebook, load_rulebook, rulebook_ids
from thirdcard.rules.rulebook.model import BetRule, FaultCase, PayCase

Point = Callable[[Rulebook], Iterable[str]]
"""Maps a rulebook to its lines on one point."""

_HEAD = """# The rulebooks side by side

Made by `thirdcard rulebooks page --write docs/rulebooks.md` from the files in `rules/rulebooks`; a test compares them.
The words are our own, short summaries; the sections are those of the published texts. "Silent" means that the text
says nothing.
"""


def rulebook_page() -> str:
    """The whole page."""
    rulebooks = [load_rulebook(name) for name in rulebook_ids()]
    parts = [_HEAD, _table("What they are", rulebooks, _identity), _equality(rulebooks)]
    parts += [_table(title, rulebooks, point) for title, point in _POINTS.items()]
    return "\n".join(parts)


def rulebook_in_words(book: Rulebook) -> str:
    """One rulebook, point by point."""
    points = {"What it is": _identity, "Table of play": _drawing, **_POINTS}
    parts = [f"# {book.title} (`{book.id}`)\n"]
    for title, point in points.items():
        lines = [f"- {line}" for line in point(book)] or ["- silent"]
        parts += [f"## {title}\n", *lines, ""]
    return "\n".join(parts)


def summary_of(book: Rulebook) -> str:
    """A summary of a rulebook in one line."""
    options = ", ".join(option.key for option in book.options)
    decks = ", ".join(str(n) for n in sorted(book.equipment.decks))
    return f"{book.id}: {book.title}; decks {decks}; options {options}; bets {', '.join(book.bets)}."


def _drawing(book: Rulebook) -> Iterable[str]:
    table = book.table
    yield _cited(f"The Player draws on {_points(table.player_draws)}", table.player_rule)
    yield _cited(
        f"Where the Player stands, the Banker draws on {_points(table.banker_draws_after_stand)}",
        table.banker_after_stand_rule,
    )
    for banker, thirds in table.banker_draws_after_draw.items():
        if thirds:
            what = f"The Banker draws on {banker} after a Player's third card of {_points(thirds)}"
            yield _cited(what, table.banker_after_draw_rule)


def _points(points: frozenset[int]) -> str:
    return ", ".join(str(one) for one in sorted(points)) or "nothing"


def _table(title: str, rulebooks: Sequence[Rulebook], point: Point) -> str:
    rows = [f"| `{book.id}` | {'<br>'.join(_escape(line) for line in point(book)) or 'silent'} |" for book in rulebooks]
    return "\n".join((f"## {title}\n", "| rulebook | |", "| --- | --- |", *rows, ""))


def _escape(line: str) -> str:
    return line.replace("|", "\\|")


def _cited(text: str, rule: str | None) -> str:
    return f"{text} ({rule or 'silent'})"


def _given(when: frozenset[str]) -> str:
    return f"*{', '.join(sorted(one.replace('_', ' ') for one in when))}:* " if when else ""


def _identity(book: Rulebook) -> Iterable[str]:
    yield f"{book.source}; {', '.join(str(count) for count in sorted(book.equipment.decks))} decks"
    for option in book.options:
        values = ", ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in option.values)
        amount = " or an amount" if option.takes_amount else ""
        yield f"`{option.key}`: {values}{amount} ({option.rule or 'silent'})"
    for exclusion in book.exclusions:
        yield _cited(exclusion.text, exclusion.rule)
    for demand in book.demands:
        yield _given(demand.when) + _cited(demand.text, demand.rule)
    for least in book.equipment.least_decks:
        yield f"{_given(least.when)}at least {least.decks} decks ({least.rule or 'silent'})"
    for device in book.equipment.devices:
        yield _given(device.when) + _cited(device.text, device.rule)
    for seats in book.equipment.seats:
        yield _given(seats.when) + _cited(seats.text, seats.rule)


def _equality(rulebooks: Sequence[Rulebook]) -> str:
    tables = {
        (
            book.table.player_draws,
            book.table.banker_draws_after_stand,
            tuple(book.table.banker_draws_after_draw.items()),
        )
        for book in rulebooks
    }
    verdict = "equal cell by cell" if len(tables) == 1 else "not all equal"
    where = "; ".join(
        f"`{book.id}` {book.table.player_rule or 'silent'}, {book.table.banker_after_stand_rule or 'silent'}, "
        f"{book.table.banker_after_draw_rule or 'silent'}"
        for book in rulebooks
    )
    return (
        f"## Table of play\n\nThe tables are {verdict} (Player, Banker after a stand, Banker after a draw): {where}.\n"
    )


def _styles(book: Rulebook) -> Iterable[str]:
    return (f"{name}: {_cited(style.text, style.rule)}" for name, style in book.styles.items())


def _closing(book: Rulebook) -> Iterable[str]:
    for case in book.closings:
        bets = "" if case.bets is None else f"{', '.join(sorted(case.bets))}: "
        yield _given(case.when) + _cited(f"{bets}{case.text}", case.rule)
    yield f"The call: {'ordered' if book.call_rule else 'not ordered'} ({book.call_rule or 'silent'})"


def _burn(book: Rulebook) -> Iterable[str]:
    return (_given(case.when) + _cited(case.text, case.rule) for case in book.burn)


def _last_round(book: Rulebook) -> Iterable[str]:
    rule = book.last_round
    yield _cited(rule.text, rule.rule)
    if rule.cut_depth is not None:
        yield _cited(rule.cut_depth.text, rule.cut_depth.rule)


def _handling(book: Rulebook) -> Iterable[str]:
    return (_given(case.when) + _cited(case.text, case.rule) for case in book.handling)


def _limits(book: Rulebook) -> Iterable[str]:
    yield _cited(book.limits.text, book.limits.rule)
    for own in book.limits.own:
        yield _given(own.when) + _cited(own.text, own.rule)
    for case in book.limits.excess:
        yield _given(case.when) + _cited(case.text, case.rule)
    returned = book.limits.returned
    if returned is not None:
        yield _given(returned.when) + _cited(returned.text, returned.rule)


def _insurance(book: Rulebook) -> Iterable[str]:
    rule = book.insurance
    if rule is None:
        return
    yield _cited(rule.text, rule.rule)
    yield _cited("Waived where the Banker's third card is handled or seen before the Player's", rule.waiver_rule)
    yield _cited("What was bet stays when the next card has come", rule.withdrawal_rule)
    for row in rule.rows:
        points = f"Player {_span(row.player)}, Banker {_span(row.banker)}"
        after = row.after.value.replace("_", " ")
        yield f"{row.bet}, after {after}, {points}: {row.pays} to 1 ({row.rule or 'silent'})"


def _span(points: frozenset[int]) -> str:
    return str(min(points)) if len(points) == 1 else f"{min(points)} to {max(points)}"


def _fault(code: str) -> Point:
    def point(book: Rulebook) -> Iterable[str]:
        return (_fault_line(case) for case in book.faults.get(code, ()))

    return point


def _fault_line(case: FaultCase) -> str:
    broken = case.rule or (f"by the {case.rule_source}" if case.rule_source else "silent")
    remedy = case.remedy
    return f"{_given(case.when)}{broken} → `{remedy.action}` {_cited(remedy.text, remedy.rule)}"


def _bets(book: Rulebook) -> Iterable[str]:
    for bet, rule in book.bets.items():
        yield from _bet_lines(bet, rule)


def _bet_lines(bet: Bet, rule: BetRule) -> Iterable[str]:
    name = rule.name
    for moment, what in ((rule.closes, "placed until"), (rule.taken_back, "taken back until")):
        if moment is not None:
            yield f"**{name}**, {what} {moment.moment.replace('_', ' ')}: {_cited(moment.text, moment.rule)}"
    for one in rule.commissions:
        yield f"**{name}**, commission {one.rate}: {_given(one.when)}{_cited(one.text, one.rule)}"
    if rule.fee is not None:
        yield f"**{name}**: {_cited(rule.fee.text, rule.fee.rule)}"
    if rule.cases:
        yield f"**{name}**: " + "; ".join(_pay(case) for case in rule.cases)
    if rule.exact_pay is not None:
        yield f"**{name}**, what cannot be paid: {_cited(rule.exact_pay.text, rule.exact_pay.rule)}"


def _pay(case: PayCase) -> str:
    result = f"{case.pays} to 1" if case.outcome == "win" else str(case.outcome.value)
    return f"{', '.join(sorted(case.when)).replace('_', ' ')} {result} ({case.rule or 'silent'})"


_POINTS: dict[str, Point] = {
    "Dealing styles": _styles,
    "Closing moment": _closing,
    "Burn": _burn,
    "Cutting card and last round": _last_round,
    "Handling of the cards": _handling,
    "Depth of the cutting card": _fault("procedure.cut_depth"),
    "The last hand's words": _fault("procedure.last_hand_unannounced"),
    "Burned cards shown": _fault("procedure.burn_shown"),
    "Sequence of opening and settling": _fault("procedure.sequence"),
    "A card replaced": _fault("procedure.card_replaced"),
    "Both hands out": _fault("procedure.both_hands_out"),
    "A card off the table": _fault("procedure.card_off_table"),
    "A card face down where cards come face up": _fault("procedure.face_down_deal"),
    "A third card before the hands are open": _fault("procedure.early_third_card"),
    "Order of the first four cards": _fault("misdeal.order"),
    "Third card dealt in error": _fault("misdeal.third_card_not_due"),
    "Third card left out": _fault("misdeal.third_card_missing"),
    "Excess card": _fault("misdeal.extra_card"),
    "Exposed card: face up from a face-down deal": _fault("exposed_card.face_up_deal"),
    "Exposed card: the round's first": _fault("exposed_card.first_card"),
    "Exposed card: in excess": _fault("exposed_card.excess"),
    "Cards that left the shoe together": _fault("misdeal.simultaneous"),
    "A card that the decks do not hold": _fault("misdeal.foreign_card"),
    "Too few cards": _fault("misdeal.shoe_exhausted"),
    "A hand without wagers": _fault("procedure.void_hand_wagered"),
    "Late wagers": _fault("late_bet.placed"),
    "Chips on a bet that is not offered": _fault("wager.not_offered"),
    "Limits": _limits,
    "Insurance": _insurance,
    "Bets, side bets and odds": _bets,
}
