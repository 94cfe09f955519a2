"""Checks of a table that concern several of its keys, or its files and a video. They read and never change anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibration.layout import BETS, HANDS
from rules.errors import OptionError, RulesError
from rules.options import Rules
from rules.rulebook import RULEBOOK_IDS, elect, load_rulebook
from service.errors import TableError

if TYPE_CHECKING:
    from service.config import TableConfig, TableFile


def check_table_file(table: TableFile, where: str) -> None:
    """All checks that need nothing but the table file.

    Raises:
        TableError: The first of them that fails.
    """
    check_decks(table, check_rulebook(table, where), where)
    check_limits(table, where)
    check_cards(table, where)
    check_camera_names(table, where)


def check_rulebook(table: TableFile, where: str) -> Rules:
    """The rulebook is known and the options are its own; returns what is elected."""
    if table.rulebook not in RULEBOOK_IDS:
        allowed = f"unknown rulebook; allowed: {', '.join(RULEBOOK_IDS)}"
        raise TableError(where, "rulebook", value=table.rulebook, allowed=allowed)
    try:
        return elect(load_rulebook(table.rulebook), table.options)
    except OptionError as error:
        value = table.options.get(error.key)
        allowed = str(error).partition("; ")[2] or str(error)
        raise TableError(where, f"options.{error.key}", value=value, allowed=allowed) from error
    except RulesError as error:
        raise TableError(where, "rulebook", value=table.rulebook, allowed=str(error)) from error


def check_decks(table: TableFile, rules: Rules, where: str) -> None:
    """The shoe holds as many decks as what is elected needs."""
    for least in rules.rulebook.least_decks:
        if least.when <= rules.facts and table.shoe.decks < least.decks:
            elected = ", ".join(sorted(fact.replace("=", " = ") for fact in least.when))
            allowed = f"must be at least {least.decks} where {elected} ({rules.rulebook.id} {least.rule})"
            raise TableError(where, "shoe.decks", value=table.shoe.decks, allowed=allowed)


def check_limits(table: TableFile, where: str) -> None:
    """No maximum lies below its minimum, and only bets of the game have limits."""
    for bet in table.limits.bets:
        if bet not in BETS:
            raise TableError(where, f"limits.bets.{bet}", value=bet, allowed=f"must be one of {', '.join(BETS)}")
    pairs = [("limits", table.limits.minimum, table.limits.maximum)]
    pairs += [(f"limits.bets.{bet}", limits.minimum, limits.maximum) for bet, limits in table.limits.bets.items()]
    for key, minimum, maximum in pairs:
        if minimum is not None and maximum is not None and maximum < minimum:
            raise TableError(where, f"{key}.maximum", value=maximum, allowed=f"must not be below the minimum {minimum}")


def check_cards(table: TableFile, where: str) -> None:
    """A card is taller than wide."""
    width, height = table.cards.size_mm
    if width >= height:
        raise TableError(
            where, "cards.size_mm", value=[width, height], allowed="must be [width, height], width smaller"
        )


def check_camera_names(table: TableFile, where: str) -> None:
    """No two cameras share a name."""
    names = [camera.name for camera in table.cameras]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise TableError(where, f"cameras[{i}].name", value=name, allowed="must be unique among the cameras")


def check_hand_areas(table: TableConfig) -> None:
    """The layout has a box for either hand."""
    hands = {area.hand for area in table.layout.of_kind("hand")}
    for hand in HANDS:
        if hand not in hands:
            raise TableError(
                str(table.path), "layout", value=table.layout.name, allowed=f"must have a {hand} hand area"
            )
