"""Write docs/odds.md: the exact odds of every bet of every rulebook, beside published figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from thirdcard.rules.game.words import Bet
from thirdcard.rules.odds.odds import NOT_LISTED, reckon_odds, return_of, return_of_insurance
from thirdcard.rules.rulebook.load import elect, load_rulebook, rulebook_ids
from thirdcard.rules.rulebook.model import InsuranceRow, Rulebook
from thirdcard.rules.rulebook.options import Rules, variants_of
from thirdcard.service.docgen.published_odds import USUAL, compare_all, name_of_bet, name_of_elections

DECKS = range(1, 9)
USUAL_DECKS = 8

_HEAD = """# Odds

Written by `thirdcard odds --page > docs/odds.md`; a test compares the page with the command. Every ordered deal of six
cards from a full shoe is counted; rounds of four and five cards count with every way in which the rest could have come.
Ranks and suits are distinguished if a bet needs them. Nothing is simulated, and nothing is rounded before it is
printed. A house edge is what a bet loses on average for each unit staked; a stand-off counts 0. For one rulebook's
figures, exact with `--json`: `thirdcard odds --rulebook tas --decks 6 --option federal=true`.
"""


def format_page() -> str:
    """The whole page."""
    return "\n".join((_HEAD, *_outcomes(), *_edges(), *_returns(), *_insurance(), *_published()))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]], *, texts: int, notes: int = 0) -> Iterator[str]:
    """A Markdown table: text columns first, then numbers, then columns of notes."""
    names = tuple(head)
    numbers = range(texts, len(names) - notes)
    yield f"| {' | '.join(names)} |"
    yield f"| {' | '.join('---:' if i in numbers else '---' for i in range(len(names)))} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _outcomes() -> Iterator[str]:
    rules = elect(load_rulebook(USUAL), {})
    rows = []
    for decks in DECKS:
        counts = reckon_odds(rules, decks).outcomes
        total = sum(counts.values())
        shares = (f"{100 * n / total:.4f} %" for n in counts.values())
        rows.append([str(decks), *(f"{n:,}" for n in counts.values()), f"{total:,}", *shares])
    yield "## Outcomes\n"
    yield "All rulebooks have the same table of play, so the outcomes are the same.\n"
    yield from _table(("decks", "Banker", "Player", "Tie", "all deals", "Banker", "Player", "Tie"), rows, texts=0)


def _edges() -> Iterator[str]:
    yield "## House edges in per cent, by decks\n"
    yield "Each line is one way in which the rulebook offers the bet; options at their default are not named.\n"
    for rulebook_id in rulebook_ids():
        rulebook = load_rulebook(rulebook_id)
        decks = ", ".join(str(n) for n in sorted(rulebook.equipment.decks))
        yield f"### {rulebook_id}\n"
        yield f"{rulebook.title}; it plays with {decks} decks.\n"
        rows = ([*names, *(_percent(return_of(bet, rules, n)) for n in DECKS)] for names, bet, rules in _bets(rulebook))
        yield from _table(("bet", "options", *(str(n) for n in DECKS)), rows, texts=2)


def _returns() -> Iterator[str]:
    yield f"## Exact returns, {USUAL_DECKS} decks\n"
    rows = (
        [rulebook_id, *names, f"`{return_of(bet, rules, USUAL_DECKS)}`"]
        for rulebook_id in rulebook_ids()
        for names, bet, rules in _bets(load_rulebook(rulebook_id))
    )
    yield from _table(("rulebook", "bet", "options", "return for one unit"), rows, texts=3)


def _bets(rulebook: Rulebook) -> Iterator[tuple[tuple[str, str], Bet, Rules]]:
    """Each bet in each variant: the names of both, and the arguments for `return_of`."""
    for bet in rulebook.bets:
        if bet not in NOT_LISTED:
            for chosen, rules in variants_of(bet, rulebook):
                yield (name_of_bet(bet), name_of_elections(dict(chosen))), bet, rules


def _insurance() -> Iterator[str]:
    yield f"## Insurance, {USUAL_DECKS} decks\n"
    yield "House edge in per cent at the points named, if a further card is due. Negative: the house loses.\n"
    for rulebook_id in rulebook_ids():
        rulebook = load_rulebook(rulebook_id)
        if rulebook.insurance is not None:
            rows = [_insurance_row(row, rulebook) for row in rulebook.insurance.rows]
            head = ("rulebook", "bet", "after", "pays", "Player : Banker, edge")
            yield from _table(head, ([rulebook_id, *row] for row in rows), texts=5)


def _insurance_row(row: InsuranceRow, rulebook: Rulebook) -> list[str]:
    edges = (
        f"{player} : {banker}, {_percent(return_of_insurance(row, player, banker, rulebook, USUAL_DECKS))}"
        for player in sorted(row.player)
        for banker in sorted(row.banker)
    )
    return [name_of_bet(row.bet), row.after.replace("_", " "), f"{row.pays} to 1", "; ".join(edges)]


def _published() -> Iterator[str]:
    comparisons = compare_all()
    head = ("figure", "decks", "printed by", "printed", "here")
    yield "## Compared with published figures\n"
    agreeing = [one for one in comparisons if one.agrees]
    rows = ([one.what, str(one.decks), one.source, one.printed, one.ours] for one in agreeing)
    yield from _table(head, rows, texts=3)
    yield "### Where published pages err\n"
    rows = (
        [one.what, str(one.decks), one.source, one.printed, one.ours, one.note or ""]
        for one in comparisons
        if not one.agrees
    )
    yield from _table((*head, "why"), rows, texts=3, notes=1)


def _percent(value: Fraction) -> str:
    return f"{-100 * float(value):.4f}"
