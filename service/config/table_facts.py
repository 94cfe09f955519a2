"""What is set about a table, as its file says: for people, without any camera's password, and for the referee."""

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
    """Name and source of each."""
    areas: tuple[str, ...] = ()
    """The ids of the layout's areas."""
    bets: tuple[str, ...] = ()
    """Those of the game, and what else its rulebook has."""
    rule_words: RuleWords = field(default_factory=RuleWords)
    """What its rulebook's sections say."""
    kept: timedelta = RING
    """So much of the camera is kept."""
    other_cameras: tuple[RecorderLink, ...] = ()
    """What the house's own recorder shows."""


def facts_of(table: TableConfig) -> TableFacts:
    """What a table's file says."""
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
    """What a log of the table is judged by."""
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
    """A camera's address without the name and password in it; of a file its name."""
    if source.startswith("/dev/") or source.isdigit():
        return source
    if "://" not in source:
        return public_address(Path(source).name)
    return public_address(source)
