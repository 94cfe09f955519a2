"""The rulebook, options, shoe and limits for a command: from a table file or from its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer

from thirdcard.calibration.documents import parse_yaml
from thirdcard.calibration.errors import DocumentError
from thirdcard.rules.errors import brief
from thirdcard.service.config.alerts_file import AlertsFile, house_alerts
from thirdcard.service.config.rulebook_files import find_rulebook
from thirdcard.service.config.table_file import (
    OptionValue,
    check_seat_numbers,
    files_of,
    read_chip_values,
    read_layout,
    read_table_file,
)

DEFAULT_DECKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookChoice:
    """The facts about a table that a referee needs."""

    rulebook: str
    """An id, or the path of a file."""
    options: Mapping[str, OptionValue]
    decks: int = DEFAULT_DECKS
    device: str = "shoe"
    limits: Mapping[str, object] | None = None
    chips: tuple[int, ...] = ()
    """Values in minor units; empty where unknown."""
    files: tuple[Path, ...] = ()
    """All files that were read for this."""
    alerts: AlertsFile = field(default_factory=AlertsFile)
    """The rate of false alerts that the house accepts."""
    is_drill: bool = False
    """Whether dealers practise at the table, with decks other than the rulebook's."""


def choose_rulebook(
    table: Path | None, rulebook: str | None, options: Sequence[str], decks: int | None
) -> RulebookChoice:
    """The choice in a table file or in the arguments; arguments override the table file.

    Raises:
        typer.BadParameter: Neither is given, or an option is not KEY=VALUE.
    """
    typed = parse_options(options)
    if table is not None:
        file = read_table_file(table)
        own = find_rulebook(file.rulebook, table)
        is_same = rulebook is None or rulebook in (own, file.rulebook)
        layout = read_layout(file, table)
        if layout is not None:
            check_seat_numbers(file, layout, table)
        return RulebookChoice(
            rulebook=own if rulebook is None else rulebook,
            options={**(file.options if is_same else {}), **typed},
            decks=decks or file.shoe.decks,
            device=file.shoe.device,
            limits=file.limits.model_dump(exclude_none=True),
            chips=read_chip_values(file, table),
            files=files_of(file, table),
            alerts=house_alerts(table) if file.alerts is None else file.alerts,
            is_drill=file.drill,
        )
    if rulebook is None:
        raise typer.BadParameter("needs --table FILE or --rulebook ID, or a rulebook file's path")
    return RulebookChoice(rulebook=rulebook, options=typed, decks=decks or DEFAULT_DECKS)


def parse_options(options: Sequence[str]) -> dict[str, OptionValue]:
    """Options such as `tie_pays=9`, `federal=true`, with values parsed as YAML."""
    parsed: dict[str, OptionValue] = {}
    for option in options:
        key, sign, text = option.partition("=")
        if not sign or not key.strip():
            raise typer.BadParameter(f"--option = {brief(option)}; must be KEY=VALUE")
        try:
            value = parse_yaml(text, "--option") if text.strip() else ""
        except DocumentError:
            value = text
        parsed[key.strip()] = value if isinstance(value, bool | int | str) or value is None else text
    return parsed
