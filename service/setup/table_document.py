"""Parse a table's own file completely: what is refused is recorded and left out, each value by itself."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from thirdcard.calibration.documents import read_document
from thirdcard.service.config.parse_errors import format_way, table_errors_from, with_text_keys
from thirdcard.service.config.table_file import INLINE, TableFile
from thirdcard.service.ports.errors import TableError

Way = tuple[int | str, ...]
_STAND_INS: Mapping[Way, str] = {
    ("id",): "table",
    ("rulebook",): "tas",
    ("cameras", "name"): "camera",
    ("cameras", "source"): "0",
    ("cameras", "calibration"): "none",
    ("other_cameras", "name"): "camera",
    ("other_cameras", "url"): "http://recorder/",
}
"""Values in place of those that are refused, where one is needed for the rest; nothing is checked by them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDocument:
    """What is left of a table's file, and what is refused of it."""

    table: TableFile
    errors: tuple[TableError, ...]
    refused: frozenset[str]
    """The keys of refused values: `cameras[0].source`. The table has stand-ins or defaults there."""


def read_table_document(path: Path) -> TableDocument:
    """Parse a table's file without the values that are refused.

    Raises:
        DocumentError: The file is missing or no YAML mapping.
    """
    where = str(path)
    document, errors = with_text_keys(read_document(path), where, whole=INLINE)
    kept, refused = copy.deepcopy(document), set[str]()
    while True:
        try:
            table = TableFile.model_validate(kept)
        except ValidationError as error:
            errors += [one for one in table_errors_from(error, TableFile, where) if not _is_known(one.key, refused)]
            gone: set[Way] = set()
            for way in sorted({_refused_way(kept, dict(one)) for one in error.errors(include_url=False)}, reverse=True):
                if not any(way[: len(one)] == one for one in gone):
                    gone |= {way} | _left_out(kept, way)
            refused |= {format_way(way) for way in gone}
        else:
            return TableDocument(table=table, errors=tuple(errors), refused=frozenset(refused))


def _is_known(key: str, refused: set[str]) -> bool:
    """Whether an error merely follows from another: at the same place, within it, or around it."""
    return any(_is_within(key, one) or _is_within(one, key) for one in refused)


def _is_within(key: str, outer: str) -> bool:
    return key == outer or key.startswith((f"{outer}.", f"{outer}["))


def _refused_way(document: Mapping[str, Any], complaint: Mapping[str, Any]) -> Way:
    """The path of a refused or missing value in the document, without pydantic's marks."""
    way: list[int | str] = []
    held: Any = document
    for step in complaint["loc"]:
        is_there = step in held if isinstance(held, dict) else isinstance(held, list) and step in range(len(held))
        if is_there:
            way.append(step)
            held = held[step]
    return (*way, complaint["loc"][-1]) if complaint["type"] == "missing" else tuple(way)


def _left_out(document: dict[str, Any], way: Way) -> set[Way]:
    """Replace or delete a value; returns the paths of what had to go with it."""
    *parents, last = way
    held: Any = document
    for step in parents:
        held = held[step]
    stand_in = _STAND_INS.get(tuple(step for step in way if not isinstance(step, int)))
    if stand_in is not None and (not isinstance(held, dict) or held.get(last) != stand_in):
        held[last] = stand_in
    elif isinstance(held, list) and any(isinstance(one, dict) for one in held):
        del held[int(last)]
    elif isinstance(held, list):  # such as a size: its other values mean nothing alone
        return {tuple(parents)} | _left_out(document, tuple(parents))
    elif last in held:
        del held[last]
    else:
        return {way[:-1]} | _left_out(document, way[:-1])
    return set()
