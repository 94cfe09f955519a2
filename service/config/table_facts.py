"""The settings of a table's file: for people, without camera passwords, and for the referee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from thirdcard.service.config.recorder_links import RecorderLink
from thirdcard.service.config.rule_words import RuleWords
from thirdcard.service.config.rulebook_files import kept_text
from thirdcard.service.config.table_file import RING, TableConfig
from thirdcard.vision.addresses import public_address


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """The settings of one table."""

    table_id: str
    file: str
    rulebook: str
    options: Mapping[str, object]
    shoe: str
    limits: Mapping[str, object]
    cameras: tuple[tuple[str, str], ...]
    """Name and source of each camera."""
    areas: tuple[str, ...] = ()
    """The ids of the layout's areas."""
    bets: tuple[str, ...] = ()
    """The bets of the game, and those of its rulebook."""
    rule_words: RuleWords = field(default_factory=RuleWords)
    """The paraphrases of its rulebook's sections."""
    kept: timedelta = RING
    """How much video of the camera is stored."""
    other_cameras: tuple[RecorderLink, ...] = ()
    """The cameras of the house's own recorder."""


def facts_of(table: TableConfig) -> TableFacts:
    """The facts of a table."""
    return TableFacts(
        table_id=table.id,
        file=table.path.name,
        rulebook=table.rulebook,
        options=dict(table.options),
        shoe=f"{table.shoe.decks} decks, {table.shoe.device.replace('_', ' ')}",
        limits={name: value for name, value in table.limits.model_dump(exclude_none=True).items() if value != {}},
        bets=table.bets,
        rule_words=RuleWords.of_table(table),
        kept=table.cameras[0].kept,
        other_cameras=table.other_cameras,
        areas=tuple(area.id for area in table.layout.areas),
        cameras=tuple((camera.name, shown_source(camera.source)) for camera in table.cameras),
    )


def rules_of(table: TableConfig) -> dict[str, object]:
    """The rules that a log of the table is judged by."""
    own = kept_text(table.rulebook_reference)
    return {
        "rulebook": table.rulebook,
        **({} if own is None else {"rulebook_text": own}),
        "options": dict(table.options),
        "shoe": table.shoe.model_dump(),
        "limits": table.limits.model_dump(exclude_none=True),
        "chips": list(table.chips.values),
        **({"alerts": wanted} if (wanted := table.alerts.model_dump(exclude_defaults=True)) else {}),
    }


def shown_source(source: str) -> str:
    """A camera's address without user and password; for a file its name."""
    if source.startswith("/dev/") or source.isdigit():
        return source
    if "://" not in source:
        return public_address(Path(source).name)
    return public_address(source)
