"""The fifth step: the rulebook and its options, limits, and how the call "No more bets" is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from thirdcard.calibration.layout import Layout
from thirdcard.rules.game.words import GAME_BETS
from thirdcard.rules.rulebook.load import load_rulebook, rulebook_ids
from thirdcard.rules.rulebook.model import Rulebook
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.parse_errors import table_error_from
from thirdcard.service.config.rulebook_files import own_rulebooks
from thirdcard.service.config.table_file import TableFile, check_table_file
from thirdcard.service.guide.cloth_step import load_cloth
from thirdcard.service.guide.drafts import LAYOUT, HousePart, NewTable, in_words, refuse_wrong
from thirdcard.service.setup.problems import SetupProblem, wrong
from thirdcard.service.setup.table_check import TABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedOption:
    """An option of a rulebook."""

    key: str
    text: str
    rule: str | None
    values: tuple[bool | int | str | None, ...]
    """The default first."""
    takes_amount: bool
    """Whether any whole amount may be elected too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedRulebook:
    """A rulebook as offered to a person."""

    id: str
    title: str
    options: tuple[OfferedOption, ...]
    exclusions: tuple[str, ...]
    """Options that exclude or demand others; in words, with the rule."""
    bets: tuple[str, ...]


def offered_rulebooks(home: Home) -> list[OfferedRulebook]:
    """The shipped rulebooks and the house's own."""
    own = [path.stem for path in own_rulebooks(home.folder)]
    references = {name: name for name in rulebook_ids()}
    references |= {name: str(path) for name, path in zip(own, own_rulebooks(home.folder), strict=True)}
    return [_offered(name, load_rulebook(reference)) for name, reference in references.items()]


def settle_house(draft: NewTable, part: HousePart, home: Home) -> tuple[SetupProblem, ...]:
    """Save the house's choices; returns doubtful points.

    Raises:
        StepError: The rulebook lacks an option, two exclude each other, or a limit is not allowed.
    """
    with in_words():
        place = home.tables / draft.table_id / TABLE
        check_table_file(table_file_of(draft, part), place)
        problems = refuse_wrong(list(_bets_unknown(draft, part, home)))
    draft.change(house=part)
    return problems


def table_file_of(draft: NewTable, part: HousePart) -> TableFile:
    """The table's file from what is known so far.

    Raises:
        TableError: A value is not allowed.
    """
    try:
        return TableFile(
            id=draft.table_id,
            rulebook=part.rulebook,
            options=part.options,
            shoe=part.shoe,
            limits=part.limits,
            cards={"size_mm": part.card_mm},  # type: ignore[arg-type]
            gestures=part.gestures,
        )
    except ValidationError as error:
        raise table_error_from(error, TableFile, f"{draft.table_id}/{TABLE}") from error


def call_words(draft: NewTable, part: HousePart | None) -> list[str]:
    """Sentences on how the call "No more bets" is known at this table."""
    layout: Layout | None = load_cloth(draft) if draft.has(LAYOUT) else None
    words = []
    if layout is not None and layout.of_kind("no_more_bets_lamp"):
        words.append("The cloth has a lamp: the camera sees it light up.")
    if part is not None and "no_more_bets" in part.gestures:
        words.append("The dealer's sweep of the hand counts as the call.")
    words.append("A device that reports the call, such as a button, always counts.")
    if len(words) == 1:
        words.append("Without one, the first card that leaves the shoe stands in for the call.")
    return words


def _offered(name: str, book: Rulebook) -> OfferedRulebook:
    options = tuple(
        OfferedOption(
            key=one.key, text=one.text, rule=one.rule, values=tuple(one.values), takes_amount=one.takes_amount
        )
        for one in book.options
    )
    exclusions = [f"Not together: {_keys(one.keys)} ({one.rule}). {one.text}" for one in book.exclusions]
    for demand in book.demands:
        asking = ", ".join(sorted(fact.replace("=", " = ") for fact in demand.when))
        allowed = " or ".join(map(str, demand.values))
        exclusions.append(f"{asking} asks for {demand.option} = {allowed} ({demand.rule}). {demand.text}")
    bets = tuple(str(bet) for bet in dict.fromkeys((*GAME_BETS, *book.bets)))
    return OfferedRulebook(id=name, title=book.title, options=options, exclusions=tuple(exclusions), bets=bets)


def _keys(keys: Sequence[str]) -> str:
    return " and ".join(key.replace("_", " ") for key in keys)


def _bets_unknown(draft: NewTable, part: HousePart, home: Home) -> Iterator[SetupProblem]:
    if not draft.has(LAYOUT):
        return
    book = next(one for one in offered_rulebooks(home) if one.id == part.rulebook)
    for area in load_cloth(draft).of_kind("wager"):
        if area.bet not in book.bets:
            say = f"{part.rulebook} has no such bet: draw the area anew, or choose another rulebook"
            yield wrong(LAYOUT, f"areas.{area.id}.bet", value=area.bet, say=say)
