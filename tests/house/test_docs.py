"""The documentation covers what people can type and write into files."""

from __future__ import annotations

import re
from functools import cache

import pytest
from pydantic import BaseModel
from typer.main import get_command

from tests.repository import ROOT
from thirdcard.service.cli.entry import app
from thirdcard.service.config.table_file import (
    CameraFile,
    CardsFile,
    Limits,
    OtherCameraFile,
    RecordingFile,
    ShoeFile,
    TableFile,
)

PAGES = sorted((ROOT / "docs").rglob("*.md"))
COMMANDS = dict(sorted(get_command(app).load_all().items()))  # type: ignore[attr-defined]
OPTIONS = [
    pytest.param(command, option, id=f"{command} {option}")
    for command, declared in COMMANDS.items()
    for parameter in declared.params
    for option in parameter.opts
    if option.startswith("--") and option != "--help"
]
KEYS = [
    pytest.param(key, id=f"{model.__name__}.{key}")
    for model in (TableFile, ShoeFile, Limits, CardsFile, CameraFile)
    for key in model.model_fields
]


@cache
def documentation() -> str:
    """All pages and the README as one text."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *PAGES))


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_documented(command: str) -> None:
    assert f"thirdcard {command}" in documentation()


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_option_is_documented_on_a_page_that_tells_of_its_command(command: str, option: str) -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *PAGES)]
    assert any(f"thirdcard {command}" in page and re.search(rf"{option}\b", page) for page in pages)


@pytest.mark.parametrize("key", KEYS)
def test_key_of_the_table_file_is_documented(key: str) -> None:
    assert re.search(rf"`?\b{key}\b", documentation())


@pytest.mark.parametrize("model", [TableFile, ShoeFile, Limits, CardsFile, CameraFile, RecordingFile, OtherCameraFile])
def test_every_key_of_the_table_file_says_what_is_allowed(model: type[BaseModel]) -> None:
    bare = [key for key, field in model.model_fields.items() if not field.description]
    assert bare == []


def test_links_between_pages_lead_somewhere() -> None:
    for path in (ROOT / "README.md", *PAGES):
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
