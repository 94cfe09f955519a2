"""The documents name every command, every option, and nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from tests.repository import ROOT
from thirdcard.rules.log.events import EVENT_TYPES
from thirdcard.rules.rulebook.cases import option_fact
from thirdcard.rules.rulebook.load import load_rulebook, rulebook_ids
from thirdcard.service.cli.entry import COMMANDS, app
from thirdcard.service.config.table_file import TableFile

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
OPTIONS = [
    pytest.param(name, option, id=f"{name} {option}")
    for name, command in get_command(app).load_all().items()  # type: ignore[attr-defined]
    for parameter in command.params
    for option in (*parameter.opts, *parameter.secondary_opts)
    if option.startswith("--")
]


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_is_in_the_documents(command: str) -> None:
    assert f"thirdcard {command}" in TEXT


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_every_option_is_in_the_documents(command: str, option: str) -> None:
    assert re.search(rf"{option}\b", TEXT), f"{command} {option}"


def test_documents_name_no_command_that_is_not_there() -> None:
    named = set(re.findall(r"`?thirdcard ([a-z]+)\b", TEXT)) - {"thirdcard"}
    assert named <= set(COMMANDS)


@pytest.mark.parametrize("kind", list(EVENT_TYPES))
def test_every_type_of_event_is_in_the_formats(kind: str) -> None:
    assert f"`{kind}`" in (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", list(TableFile.model_fields))
def test_every_key_of_a_table_is_in_the_formats(key: str) -> None:
    assert re.search(rf"^{key}:", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("rulebook_id", rulebook_ids())
def test_every_option_and_refusal_of_a_rulebook_is_in_the_formats(rulebook_id: str) -> None:
    book = load_rulebook(rulebook_id)
    lines = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if line.startswith(f"| `{rulebook_id}` | `dealing_style`")]
    options, refused = row.split(" | ")[1:]
    texts = []
    for option in book.options:
        values = [option_fact("", value)[1:] for value in option.values] + ["a whole amount"] * option.takes_amount
        texts.append(f"`{option.key}`: {', '.join(values)}")
    assert options == "; ".join(texts)
    for exclusion in book.exclusions:
        assert f"{' with '.join(f'`{key}`' for key in exclusion.keys)} ({exclusion.rule})" in refused
    for least in book.equipment.least_decks:
        assert f"fewer than {least.decks} decks ({least.rule})" in refused
    for demand in book.demands:
        assert f"another `{demand.option}` than {', '.join(map(str, demand.values))} with " in refused
        assert f"({demand.rule})" in refused
    assert bool(refused.strip(" |")) is bool(book.exclusions or book.demands or book.equipment.least_decks)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []
