"""Every command that the documentation shows does what it says, or is named with the reason why no test runs it.

Commands run in a shell in a prepared folder (`command_stage.py`), in the order of their page. The others stand in
`commands.yaml`, and are parsed instead.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.house.command_parsing import faults_of
from tests.house.command_stage import Stage, prepare_base
from tests.house.shown_commands import PAGES, ShownCommand, ShownFile, commands_of, languages_of, steps_of
from tests.repository import ROOT

LISTED = ROOT / "tests" / "house" / "commands.yaml"
LANGUAGES = {"", "text", "yaml", "json", "python", "sql"}
ANYTHING = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Command lines that no test runs as they stand, for one reason."""

    reason: str
    lines: tuple[str, ...]
    """As the pages show them; `…` stands for any text."""
    tests: tuple[str, ...] = ()
    """Test files that run such commands."""


@cache
def listed() -> tuple[Listed, ...]:
    """The groups of `commands.yaml`."""
    groups = yaml.safe_load(LISTED.read_text(encoding="utf-8"))["listed"]
    return tuple(
        Listed(reason=each["reason"], lines=tuple(each["lines"]), tests=tuple(each.get("tests", ()))) for each in groups
    )


@cache
def placeholders() -> dict[str, str]:
    """A value for each placeholder that stands where only certain words are allowed."""
    return dict(yaml.safe_load(LISTED.read_text(encoding="utf-8"))["stands_for"])


@cache
def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in line.split(ANYTHING)))


def is_listed(command: ShownCommand) -> bool:
    """Whether `commands.yaml` names the line."""
    return any(_pattern(line).fullmatch(command.text) for group in listed() for line in group.lines)


SHOWN = [command for page in PAGES for command in commands_of(page)]
RUN = [
    pytest.param(page, id=page.relative_to(ROOT).as_posix())
    for page in PAGES
    if not all(is_listed(command) for command in commands_of(page))
]
"""Pages with commands that are run."""


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every stage begins with."""
    return prepare_base(tmp_path_factory.mktemp("stage") / "base")


@pytest.mark.parametrize("page", RUN)
def test_commands_of_a_page_do_what_it_says(page: Path, base: Path, tmp_path: Path) -> None:
    stage = Stage.of(base, tmp_path / "stage")
    for step in steps_of(page):
        if isinstance(step, ShownFile):
            stage.save(step)
        elif not is_listed(step):
            done = stage.run(step.text)
            assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"


def test_commands_that_are_not_run_could_be(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Stage.of(base, tmp_path / "stage").folder)
    texts = {command.text: command for command in SHOWN if is_listed(command)}
    faults = [f"{command}: {fault}" for text, command in texts.items() for fault in faults_of(text, placeholders())]
    assert faults == []


def test_listed_commands_are_shown_once_each_and_for_a_reason() -> None:
    lines = [line for group in listed() for line in group.lines]
    assert [line for line, count in Counter(lines).items() if count > 1] == []
    assert [line for line in lines if not any(_pattern(line).fullmatch(command.text) for command in SHOWN)] == []
    assert [group.lines for group in listed() if len(group.reason.split()) < 3] == []


def test_tests_that_run_such_commands_exist() -> None:
    named = [name for group in listed() for name in group.tests]
    assert [name for name in named if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("page", [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in PAGES])
def test_only_blocks_of_commands_have_no_language(page: Path) -> None:
    assert languages_of(page) <= LANGUAGES


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        pytest.param("thirdcard wach mine", "no command wach", id="command"),
        pytest.param("thirdcard watch mine --ouch out", "No such option", id="option"),
        pytest.param("thirdcard tables ad mine --home room", "No such command", id="subcommand"),
        pytest.param("thirdcard analytics --home . --by dealers", "is not one of", id="choice"),
        pytest.param("thirdcard bench datasets/demo --runs many", "valid integer", id="number"),
        pytest.param("thirdcard watch", "Missing argument", id="argument"),
        pytest.param("thirdcard train reader -- --minute 5", "reader_train has no option --minute", id="script"),
        pytest.param("python -m tests.endurance.kill", "no module tests.endurance.kill", id="module"),
        pytest.param("python -m tests.endurance.kills --tabels 2", "has no option --tabels", id="module-option"),
        pytest.param("cd x && A=b make demos", "no target demos", id="target"),
    ],
)
def test_parsing_refuses_what_could_not_be_run(line: str, fault: str) -> None:
    (found,) = faults_of(line, {})
    assert fault in found
