"""A house's settings for all commands: clock, address, who may read figures, log (`house.yaml`).

Environment variables override the file: `THIRDCARD_` and the key in capitals, with `__` before a nested key, as in
`THIRDCARD_LOG__LEVEL`. The value is written as in the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as VariableError

from thirdcard.calibration.documents import parse_yaml, read_document
from thirdcard.calibration.errors import MISSING, DocumentError
from thirdcard.service.config.alerts_file import AlertsFile
from thirdcard.service.config.house_file import HouseFileError, HouseSettings
from thirdcard.service.config.parse_errors import table_error_from, table_errors_from
from thirdcard.service.ports.errors import TableError

HOUSE = "house.yaml"
"""The file's name in the service's folder."""
PREFIX = "THIRDCARD_"
NESTED = "__"
ENVIRONMENT = "environment"
"""Used in messages in place of the file's name."""


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError) as error:
        raise ValueError("no such time zone") from error
    return name


class LogFile(HouseSettings):
    """How the service logs what it does."""

    level: Literal["debug", "info", "warning", "error"] | None = Field(
        default=None,
        description="one of debug, info, warning, error: the least that is logged; "
        "or null for warning, of tables' processes info",
    )
    format: Literal["text", "json"] = Field(
        default="text", description="one of text, json: lines for people, or a JSON object a line for programs"
    )


class VerifyFile(HouseSettings):
    """How often a running service checks itself, and with what."""

    every_h: Annotated[int, Field(ge=0, le=720)] = Field(
        default=24, description="hours from one `thirdcard verify` to the next, 0 to 720; 0: never"
    )
    key: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(
        default=None, description="the file of the signer's public key, or null: signatures are not checked"
    )
    anchors: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(
        default=None, description="the folder of anchored checkpoints, or null; needs key"
    )

    @model_validator(mode="after")
    def _check_key(self) -> VerifyFile:
        if self.anchors is not None and self.key is None:
            raise ValueError("anchors needs key")
        return self


class HouseFile(BaseSettings):
    """`house.yaml`. Making one reads no file and no environment: `load_house` does."""

    model_config = SettingsConfigDict(
        extra="forbid", frozen=True, strict=True, env_prefix=PREFIX, env_nested_delimiter=NESTED
    )

    time_zone: Annotated[str, AfterValidator(_check_zone)] = Field(
        default="UTC",
        description="an IANA name, such as Europe/Zurich: the house's clock, by which days and shifts begin",
    )
    host: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        default="127.0.0.1",
        description="the address where the service listens, a text of 1 to 255 characters; "
        "0.0.0.0 for other machines too",
    )
    port: int = Field(
        default=8333, ge=0, le=65535, description="a port, 0 to 65535, where the service listens; 0 for any free one"
    )
    metrics: Literal["open", "token"] = Field(
        default="open", description="one of open, token: whether anybody may read /metrics, or only who sends a token"
    )
    api_document: Literal["open", "token"] = Field(
        default="open",
        description="one of open, token: whether anybody may read /api/openapi.json, or only who sends a token",
    )
    log: LogFile = Field(default_factory=LogFile, description="a mapping with level, format")
    signer: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None,
        description="the socket of `thirdcard signer run`, a path of 1 to 100 characters; or null: nothing is signed",
    )
    verify: VerifyFile = Field(default_factory=VerifyFile, description="a mapping with every_h, key, anchors")
    alerts: AlertsFile = Field(
        default_factory=AlertsFile,
        description="a mapping with false_per_table_hour, codes, severities, fault_rates, for tables without their own",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only the given values: the environment is passed in explicitly."""
        return (init_settings,)


def load_house(folder: Path | None, environment: Mapping[str, str]) -> HouseFile:
    """The settings from the service's folder, if it has such a file, and from the environment.

    Raises:
        HouseFileError: The file is no YAML mapping.
        TableError: A value is not allowed, or a variable that holds a mapping is no JSON; names the file, or the
            variable.
    """
    path = None if folder is None else folder / HOUSE
    written = _read_file(path) if path is not None and path.exists() else {}
    given = _read_variables(environment)
    try:
        return HouseFile.model_validate(_joined(written, given))
    except ValidationError as error:
        refusal = table_error_from(error, HouseFile, ENVIRONMENT)
        variable = PREFIX + refusal.key.upper().replace(".", NESTED)
        raise TableError(ENVIRONMENT, variable, value=refusal.value, allowed=refusal.allowed) from error


def house_faults(path: Path) -> list[HouseFileError] | list[TableError]:
    """Every fault of a `house.yaml`, whatever the environment says instead of it."""
    try:
        HouseFile.model_validate(dict(read_document(path, may_be_empty=True)))
    except DocumentError as error:
        return [HouseFileError(str(error))]
    except ValidationError as error:
        return table_errors_from(error, HouseFile, str(path))
    return []


def _read_file(path: Path) -> Mapping[str, Any]:
    try:
        written = dict(read_document(path, may_be_empty=True))
        HouseFile.model_validate(written)
    except DocumentError as error:
        raise HouseFileError(str(error)) from error
    except ValidationError as error:
        raise table_error_from(error, HouseFile, str(path)) from error
    return written


def _read_variables(environment: Mapping[str, str]) -> Mapping[str, Any]:
    source = EnvSettingsSource(HouseFile)
    source.env_vars = {name.lower(): text for name, text in environment.items() if text}
    try:
        return {key: _plain(value) for key, value in source().items()}
    except VariableError as error:
        named = re.search(r'field "(\w+)"', str(error))
        variable = PREFIX + (named[1].upper() if named else "")
        value = environment.get(variable, MISSING)
        raise TableError(ENVIRONMENT, variable, value=value, allowed="must be a mapping, written as JSON") from error


def _plain(value: Any) -> Any:
    """A variable's value as the file would hold it."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if not isinstance(value, str):
        return value
    try:
        return parse_yaml(value, ENVIRONMENT)
    except DocumentError:
        return value


def _joined(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both mappings merged; values of `above` win."""
    joined = dict(below)
    for key, value in above.items():
        lower = below.get(key)
        joined[key] = _joined(lower, value) if isinstance(lower, Mapping) and isinstance(value, Mapping) else value
    return joined
