"""`thirdcard tables`: each step from a script, and what is wrong in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.service.setup.breakages import BREAKAGES
from tests.service.setup.broken import good_setup
from thirdcard.service.cli.entry import app


def run(*arguments: object) -> Result:
    """The command, as from a terminal."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A service's folder with the table B07."""
    (tmp_path / "mine").mkdir()
    good_setup().write(tmp_path / "mine")
    told = run("tables", "add", tmp_path / "mine", "--home", tmp_path / "room", "--why", "new")
    assert (told.exit_code, told.output) == (0, "B07: version 1\n")
    return tmp_path / "room"


def test_each_step_can_be_scripted(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("tables", "get", "B07", "--home", home, "--out", out).exit_code == 0
    text = (out / "table.yaml").read_text(encoding="utf-8")
    (out / "table.yaml").write_text(text.replace("maximum: 5000", "maximum: 9000"), encoding="utf-8")
    assert run("tables", "change", "B07", out, "--home", home, "--why", "the weekend").output == "B07: version 2\n"
    assert "maximum: 9000" in (home / "tables" / "B07" / "table.yaml").read_text(encoding="utf-8")
    assert run("tables", "restore", "B07", 1, "--home", home).output == "B07: version 3\n"
    told = json.loads(run("tables", "versions", "B07", "--home", home, "--json").output)
    assert [(one["version"], one["origin"], one["by"], one["why"], one["files"]) for one in told[:2]] == [
        (3, "restore of 1", "command line", "", ["table.yaml"]),
        (2, "change", "command line", "the weekend", ["table.yaml"]),
    ]
    assert run("tables", "stop", "B07", "--home", home).output == "B07: stopped\n"
    assert run("tables", "list", "--home", home).output.startswith("B07  stopped  3  command line  ")
    assert run("tables", "start", "B07", "--home", home).output == "B07: watched\n"
    assert run("tables", "reload", "--home", home).output == "Nothing has changed.\n"


def test_what_is_wrong_is_named_and_changes_nothing(home: Path, tmp_path: Path) -> None:
    setup = good_setup()
    BREAKAGES["a maximum below the minimum"].breaks(setup)
    setup.write(tmp_path / "mine")
    told = run("tables", "change", "B07", tmp_path / "mine", "--home", home)
    assert told.exit_code == 2
    first, *_, last = told.stderr.splitlines()
    assert first == "wrong: table.yaml: limits.maximum = 10; must not be below the minimum 25"
    assert last == "thirdcard: 3 wrong; nothing was changed"
    setup.write(home / "tables" / "B07")
    told = run("tables", "reload", "--home", home)
    assert (told.exit_code, told.stdout) == (1, "B07: stays as it was\n")
    assert "wrong: table.yaml: limits.maximum = 10" in told.stderr
    assert len(json.loads(run("tables", "versions", "B07", "--home", home, "--json").output)) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("stop", "B99"), "There is no such table."),
        (("versions", "B99"), "there is no such table"),
        (("restore", "B07", "9"), "no version 9"),
        (("change", "B07", "nowhere"), "nowhere: no such file"),
        (("get", "B07", "--out", "."), "--out = .; must not be there yet"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(arguments: tuple[str, ...], says: str, home: Path) -> None:
    told = run("tables", *arguments, "--home", home)
    assert told.exit_code == 2
    assert says in told.stderr
    assert told.stderr.count("\n") == 1


def test_versions_are_no_place_for_what_a_command_writes(home: Path) -> None:
    told = run("tables", "get", "B07", "--home", home, "--out", home / "setups" / "mine")
    assert told.exit_code == 2
    assert "service's own files" in told.stderr
