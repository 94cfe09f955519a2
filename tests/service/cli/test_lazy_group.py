"""Help, version and completion import no command; a command imports what it needs when it is called."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import thirdcard
from tests.repository import ROOT
from thirdcard.service.cli.entry import COMMANDS, app
from thirdcard.service.cli.lazy_group import LazyCommand

HEAVY = {"av", "cv2", "fastapi", "numpy", "onnxruntime", "pyarrow", "pydantic", "scipy", "sqlalchemy", "torch", "yaml"}
BY_TYPER = {"pydantic"}
"""What Typer imports by itself where it is installed, to check what was typed."""
TELL_MODULES = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
START = "from thirdcard.service.cli.entry import main; main()"


def imported_by(*arguments: str, code: str = START, environment: dict[str, str] | None = None) -> tuple[set[str], str]:
    """The modules that a process of its own imports, and what it prints."""
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    result = subprocess.run(
        [sys.executable, "-c", TELL_MODULES + code, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **(environment or {})},
    )
    return set(result.stderr.split()), result.stdout


def heavy(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules} & HEAVY


def commands_in(modules: set[str]) -> set[str]:
    return {name for name in modules if name.startswith("thirdcard.service.cli.commands.")}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["--help"], "corrections", id="help"),
        pytest.param(["--version"], f"thirdcard {thirdcard.__version__}\n", id="version"),
    ],
)
def test_the_start_imports_no_command_and_nothing_heavy(arguments: list[str], told: str) -> None:
    modules, output = imported_by(*arguments)
    assert told in output
    assert (commands_in(modules), heavy(modules)) == (set(), set())


@pytest.mark.parametrize("command", [pytest.param(name, id=name) for name in COMMANDS])
def test_the_help_of_a_command_imports_nothing_heavy(command: str) -> None:
    modules, output = imported_by(command, "--help")
    assert f"thirdcard {command}" in output
    assert commands_in(modules)
    assert heavy(modules) - BY_TYPER == set()


def test_importing_the_entry_imports_no_command() -> None:
    modules, _ = imported_by(code="import thirdcard.service.cli.entry")
    assert (commands_in(modules), heavy(modules)) == (set(), set())


def own_help(lazy: LazyCommand) -> str:
    """The first paragraph of what a command says of itself."""
    found = getattr(import_module(lazy.module), lazy.name_in_module)
    text = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found)
    return " ".join(str(text).split("\n\n")[0].split())


@pytest.mark.parametrize("command", [pytest.param(name, id=name) for name in COMMANDS])
def test_the_table_says_what_the_command_says(command: str) -> None:
    assert COMMANDS[command].help == own_help(COMMANDS[command])


def test_every_file_of_commands_is_in_the_table() -> None:
    folder = ROOT / "service" / "cli" / "commands"
    without = {"__init__", "enrol_chips", "rulebook_arguments", "training_scripts"}
    files = {path.stem for path in folder.glob("*.py")} - without
    assert {lazy.module.rsplit(".", 1)[1] for lazy in COMMANDS.values()} == files


def complete(words: str, position: int) -> tuple[set[str], list[str]]:
    """What bash is offered for the word at a position."""
    wish = {"_THIRDCARD_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    modules, output = imported_by(environment=wish)
    return modules, output.split()


def test_completion_offers_commands_without_importing_them() -> None:
    modules, offered = complete("thirdcard re", 1)
    assert offered == ["referee", "recognise", "render", "review"]
    assert commands_in(modules) == set()


@pytest.mark.parametrize(
    ("words", "position", "offered"),
    [
        pytest.param("thirdcard referee --rule", 2, ["--rulebook"], id="option"),
        pytest.param("thirdcard user ", 2, ["add", "password"], id="sub-command"),
        pytest.param("thirdcard train re", 2, ["reader"], id="value"),
    ],
)
def test_completion_goes_into_a_command(words: str, position: int, offered: list[str]) -> None:
    assert complete(words, position)[1] == offered


def test_a_mistyped_command_is_told_its_neighbours() -> None:
    result = CliRunner().invoke(app, ["refere"])
    assert result.exit_code == 2
    assert "Did you mean 'referee'" in result.stderr


def test_the_version_is_the_project_s() -> None:
    project = tomllib.loads(Path(ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "thirdcard.__version__"}
    assert CliRunner().invoke(app, ["--version"]).stdout == f"thirdcard {thirdcard.__version__}\n"
