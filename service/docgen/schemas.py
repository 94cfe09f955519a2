"""The JSON Schema of each file that a house writes, made from its parser.

Editors use them to complete keys and to mark values that the program would refuse. Rules across several keys or files
are checked only by the program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from thirdcard.calibration.chips import BUILT_IN_CHIPS, ChipSetKeys
from thirdcard.calibration.layout import BET_PATTERN, BUILT_IN_LAYOUTS, LayoutKeys
from thirdcard.rules.rulebook.cases import option_fact
from thirdcard.rules.rulebook.file_keys import rulebook_schema
from thirdcard.rules.rulebook.load import load_rulebook, rulebook_ids
from thirdcard.rules.rulebook.model import Option
from thirdcard.rules.rulebook.options import LARGEST_AMOUNT
from thirdcard.service.config.house_yaml import HouseFile
from thirdcard.service.config.table_file import TableFile
from thirdcard.service.ports.errors import ServiceError

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class UnknownSchemaError(ServiceError):
    """There is no schema of that name."""


def schema_of(name: str) -> Schema:
    """The schema of a file.

    Raises:
        UnknownSchemaError: There is none of that name.
    """
    if name not in SCHEMAS:
        raise UnknownSchemaError(f"schema {name}: no such schema; allowed: {', '.join(SCHEMAS)}")
    title, description, make = SCHEMAS[name]
    heading = {"$schema": DIALECT, "$id": f"urn:thirdcard:schema:{name}", "title": title, "description": description}
    return heading | {key: value for key, value in make().items() if key not in heading}


def format_schema(name: str) -> str:
    """The text of a schema's file.

    Raises:
        UnknownSchemaError: There is none of that name.
    """
    return json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n"


def _table() -> Schema:
    schema = _of_model(TableFile)
    keys = schema["properties"]
    keys["rulebook"] |= {"anyOf": [{"enum": list(rulebook_ids())}, {"type": "string"}]}
    keys["layout"] |= {"anyOf": _file_or(BUILT_IN_LAYOUTS, "layout")}
    keys["chips"] |= {"anyOf": _file_or(BUILT_IN_CHIPS, "chips")}
    schema["$defs"]["Limits"]["properties"]["bets"] |= {"propertyNames": {"pattern": BET_PATTERN}}
    schema["$defs"] |= {"layout": LayoutKeys.schema(), "chips": ChipSetKeys.schema()}
    return schema | {"allOf": [_options_where(rulebook_id) for rulebook_id in rulebook_ids()]}


def _file_or(built_in: tuple[str, ...], part: str) -> list[Schema]:
    """The schema of a path, a built-in name, or an inline mapping."""
    named = {"enum": list(built_in), "description": "a built-in name"}
    path = {"type": "string", "pattern": "\\.ya?ml$", "description": "a path beside the table file"}
    return [named, path, {"type": "string"}, {"$ref": f"#/$defs/{part}"}, {"type": "null"}]


def _options_where(rulebook_id: str) -> Schema:
    """The allowed options for a table that names that rulebook."""
    options = {option.key: _option(option) for option in load_rulebook(rulebook_id).options}
    return {
        "if": {"properties": {"rulebook": {"const": rulebook_id}}, "required": ["rulebook"]},
        "then": {"properties": {"options": {"properties": options, "additionalProperties": False}}},
    }


def _option(option: Option) -> Schema:
    """An option's values, each also as the text of a command line."""
    texts = [option_fact("", value)[1:] for value in option.values]
    values = [*option.values, *(text for text in texts if text not in option.values)]
    default = f"{option.text} Without it {texts[0]}."
    if not option.takes_amount:
        return {"enum": values, "description": default}
    most = LARGEST_AMOUNT
    digits = f"^(0?[0-9]{{1,{len(str(most)) - 1}}}|{most})$"
    amounts = [{"type": "integer", "minimum": 0, "maximum": most}, {"type": "string", "pattern": digits}]
    return {"anyOf": [{"enum": values}, *amounts], "description": default}


def _of_model(model: type[BaseModel]) -> Schema:
    """A model's schema, without the titles that pydantic makes of keys."""
    schema: Schema = _without_titles(model.model_json_schema())
    return schema


def _without_titles(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_titles(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _without_titles(part) for key, part in schema.items() if key != "title" or not isinstance(part, str)}


SCHEMAS: Mapping[str, tuple[str, str, Callable[[], Schema]]] = {
    "table": ("table.yaml", "A table: its rulebook, layout, chips, cards and cameras.", _table),
    "layout": ("layout.yaml", "A printed cloth in millimetres: its areas, points and markers.", LayoutKeys.schema),
    "chips": ("chips.yaml", "A table's chips: size, values, colours and faces.", ChipSetKeys.schema),
    "house": ("house.yaml", "What a house settles for all commands.", lambda: _of_model(HouseFile)),
    "rulebook": ("a rulebook", "A game's rules as data.", rulebook_schema),
}
"""By name: the file, its description, and the function that makes its schema."""
