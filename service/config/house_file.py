"""Load settings from a YAML file of the service's folder, and secrets from the environment.

Without the file every setting has its default. Secrets are never in a file: it names the environment variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import DocumentError
from thirdcard.service.config.parse_errors import table_error_from
from thirdcard.service.ports.errors import ServiceError, TableError

LEAST_SECRET = 16
NAME_FORM = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
NAME_DESCRIPTION = "a name of 1 to 64 letters, digits, or any of - _ ."
VARIABLE_DESCRIPTION = "the name of an environment variable, such as THIRDCARD_SECRET"

Name = Annotated[str, Field(strict=True, pattern=f"^{NAME_FORM}$")]
Variable = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
Settings = TypeVar("Settings", bound=BaseModel)


class HouseFileError(ServiceError):
    """A settings file exists but cannot be read."""


class HouseSettings(BaseModel):
    """The base of all settings files: unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def load_house_file(path: Path, model: type[Settings]) -> Settings:
    """The settings in a file; defaults where there is no such file.

    Raises:
        HouseFileError: The file is no YAML mapping.
        TableError: A value is not allowed; names file, key, value and what is allowed.
    """
    if not path.exists():
        return model()
    try:
        return model.model_validate(dict(read_document(path, may_be_empty=True)))
    except DocumentError as error:
        raise HouseFileError(str(error)) from error
    except ValidationError as error:
        raise table_error_from(error, model, str(path)) from error


def read_secret(environment: Mapping[str, str], variable: str, *, where: str, key: str, least: int = 1) -> str:
    """The secret in the environment variable that a setting names.

    Args:
        environment: Of the process.
        variable: The variable's name.
        where: The settings file, for messages.
        key: The setting, for messages.
        least: The fewest characters.

    Raises:
        TableError: The variable is missing, or its value too short.
    """
    secret = environment.get(variable, "").strip()
    if not secret:
        raise TableError(where, key, value=variable, allowed="must name a variable that the environment holds")
    if len(secret) < least:
        raise TableError(where, key, value=variable, allowed=f"must hold a secret of {least} characters or more")
    return secret
