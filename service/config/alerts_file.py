"""Which alerts a house wants: how many false alerts per hour of clean play it accepts.

The key `alerts` is in a table's file, or in `house.yaml` for all tables whose files have none.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError

from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import DocumentError
from thirdcard.rules.rulebook.file_keys import OTHER_FAULTS, REQUIRED_FAULTS
from thirdcard.service.config.house_file import HouseFileError, HouseSettings
from thirdcard.service.config.parse_errors import table_error_from
from thirdcard.service.config.rulebook_files import homes_of

KEY = "alerts"
HOUSE = "house.yaml"
FALSE_PER_TABLE_HOUR = 0.05
"""One false alert in twenty hours of play."""
_RATE = "a number of false alerts an hour of clean play, 0.001 to 1000"
_SHARE = "the share of rounds in which it happens, 0.000001 to 1"
Rate = Annotated[float, Field(ge=0.001, le=1000.0)]
Share = Annotated[float, Field(ge=1e-6, le=1.0)]
SeverityName = Literal["info", "low", "medium", "high", "critical"]

_CODES = frozenset({*REQUIRED_FAULTS, *OTHER_FAULTS})
_FAMILIES = frozenset(code.partition(".")[0] for code in _CODES)


def _known_code(code: str) -> str:
    if code not in _CODES:
        near = get_close_matches(code, _CODES, n=1)
        raise ValueError(f"no such alert code{f'; perhaps {near[0]}' if near else ''}")
    return code


def _known_fault(name: str) -> str:
    return name if name in _FAMILIES else _known_code(name)


class AlertsFile(HouseSettings):
    """How many false alerts are accepted; the confidence threshold for an alert follows from it."""

    false_per_table_hour: Rate = Field(default=FALSE_PER_TABLE_HOUR, description=_RATE)
    codes: dict[Annotated[str, AfterValidator(_known_code)], Rate] = Field(
        default_factory=dict, description=f"a mapping of alert codes, each to {_RATE}, of that code alone"
    )
    severities: dict[SeverityName, Rate] = Field(
        default_factory=dict, description=f"a mapping of severities, each to {_RATE}, of a code not named itself"
    )
    fault_rates: dict[Annotated[str, AfterValidator(_known_fault)], Share] = Field(
        default_factory=dict,
        description=f"a mapping of alert codes, or of what stands before their dot, each to {_SHARE}; "
        "what was seen is weighed against it",
    )


def find_house(table: Path) -> Path | None:
    """The `house.yaml` above the `tables` or `setups` that hold a table's file; None without one."""
    place = table.resolve()
    folders = [folder for folder in homes_of(place) if folder in place.parents[:4]]
    return next((folder / HOUSE for folder in folders if (folder / HOUSE).is_file()), None)


def house_alerts(table: Path) -> AlertsFile:
    """The house's settings for the table of that file: from `house.yaml` above its `tables` or `setups`, else defaults.

    Raises:
        HouseFileError: The house's file is no YAML mapping.
        TableError: A value is not allowed.
    """
    path = find_house(table)
    if path is None:
        return AlertsFile()
    try:
        return AlertsFile.model_validate(dict(read_document(path, may_be_empty=True)).get(KEY, {}))
    except DocumentError as error:
        raise HouseFileError(str(error)) from error
    except ValidationError as error:
        raise table_error_from(error, AlertsFile, str(path)) from error
