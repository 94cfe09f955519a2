"""Say what pydantic refused in a file, a line each: file, key, value, what is allowed."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from thirdcard.calibration.documents import KEYS_ARE_WORDS, allowed_by, unknown_key
from thirdcard.calibration.errors import MISSING, show_value
from thirdcard.service.ports.errors import TableError


def table_error_from(error: ValidationError, model: type[BaseModel], where: str) -> TableError:
    """The first error of a validation, in the words of the field's description."""
    return table_errors_from(error, model, where)[0]


def table_errors_from(error: ValidationError, model: type[BaseModel], where: str) -> list[TableError]:
    """Every error of a validation, one for each key."""
    found = [_told(complaint, model, where) for complaint in error.errors(include_url=False)]
    return list({one.key: one for one in reversed(found)}.values())[::-1]


def with_text_keys(
    document: Mapping[Any, object], where: str, *, whole: frozenset[str]
) -> tuple[dict[str, object], list[TableError]]:
    """A file's mapping without keys that are not text, and an error for each of them.

    Args:
        document: The mapping, which is not changed.
        where: The file, for messages.
        whole: Keys whose mappings may hold others further inside.
    """
    errors: list[TableError] = []

    def cleaned(value: object, way: tuple[int | str, ...]) -> object:
        if isinstance(value, list):
            return [cleaned(one, (*way, i)) for i, one in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        for key in value:
            if not isinstance(key, str):
                own = format_way((*way, show_value(key)))
                errors.append(TableError(where, own, value=value[key], allowed=KEYS_ARE_WORDS))
        kept = {key: one for key, one in value.items() if isinstance(key, str)}
        return kept if way and way[0] in whole else {key: cleaned(one, (*way, key)) for key, one in kept.items()}

    return {str(key): one for key, one in cleaned(document, ()).items()}, errors  # type: ignore[attr-defined]


def format_way(way: tuple[int | str, ...]) -> str:
    """A path as messages show it: `cameras[0].name`."""
    text = ""
    for step in way:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".") or "content"


def _told(complaint: ErrorDetails, model: type[BaseModel], where: str) -> TableError:
    way = complaint["loc"]
    value = MISSING if complaint["type"] == "missing" else complaint["input"]
    if complaint["type"] == "extra_forbidden":
        owner, _, _ = _walk(model, way[:-1])
        allowed = unknown_key(str(way[-1]), [*owner.model_fields] if owner is not None else [])
        return TableError(where, format_way(way), value=value, allowed=allowed)
    _, field, known_way = _walk(model, way)
    if way[-1] == "[key]":
        return TableError(where, format_way(known_way), value=value, allowed=allowed_by(complaint))
    allowed = f"must be {field.description}" if field is not None and field.description else allowed_by(complaint)
    if complaint["type"] == "string_too_long" and "characters" not in allowed:
        allowed += f"; it may have {complaint['ctx']['max_length']} characters at most"
    return TableError(where, format_way(known_way), value=value, allowed=allowed)


def _walk(
    model: type[BaseModel], way: tuple[int | str, ...]
) -> tuple[type[BaseModel] | None, FieldInfo | None, tuple[int | str, ...]]:
    """Follow an error's path: the model reached, the last field, and the path without pydantic's marks."""
    owner: type[BaseModel] | None = model
    field: FieldInfo | None = None
    known: list[int | str] = []
    is_key_next = False
    for step in way:
        if owner is not None and step in owner.model_fields:
            field = owner.model_fields[str(step)]
            owner = _model_within(field.annotation)
            is_key_next = get_origin(field.annotation) is dict
            known.append(step)
        elif isinstance(step, int) or is_key_next:
            is_key_next = False
            known.append(step)
    return owner, field, tuple(known)


def _model_within(annotation: Any) -> type[BaseModel] | None:
    """The model in a type annotation, also inside a list, mapping or union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (list, tuple, dict, Union, types.UnionType, Annotated):
        for part in get_args(annotation):
            found = _model_within(part)
            if found is not None:
                return found
    return None
