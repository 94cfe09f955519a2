"""Whatever stands in a table's files or is typed as an option: one line, exit status 2, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.service.watch_fakes import write_table
from thirdcard.calibration.documents import LONGEST_FILE
from thirdcard.service.cli.entry import LONGEST_MESSAGE, app

BOMB = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(15)
)
TEXTS = {
    "levels": "a: " + "[" * 20_000 + "]" * 20_000,
    "open-levels": "a: " + "{a: " * 20_000,
    "levels-of-lines": "a:\n" + "- " * 20_000 + "x",
    "indented": "\n".join(" " * i + "a:" for i in range(200)),
    "names-that-multiply": BOMB,
    "holds-itself": "a: &a [*a]",
    "name-of-nothing": "a: *b",
    "no-day": "a: 2026-02-30",
    "no-moment": "a: !!timestamp x",
    "no-truth": "a: !!bool x",
    "no-number": "a: !!int x",
    "no-float": "a: !!float x",
    "no-set": "a: !!set [x]",
    "python": "a: !!python/object/apply:os.getcwd []",
    "5000-digits": "a: " + "9" * 5000,
    "6000-hexadecimal-digits": "a: 0x" + "f" * 6000,
    "half-a-pair": 'a: "\\ud800"',
    "list-as-key": "? [a]\n: 1",
    "twice": "id: a\nid: b",
    "list": "[1, 2]",
    "nothing": "",
    "zeros": "\0" * 100,
    "long": "a: " + "x" * LONGEST_FILE,
    "tabs": "\t\t",
    "two-documents": "id: a\n---\nid: b\n",
}
VALUES = {
    "400-digits": "9" * 400,
    "5000-digits": "9" * 5000,
    "below-0": "-1",
    "nan": ".nan",
    "infinity": ".inf",
    "large": "1.0e+300",
    "true": "true",
    "null": "null",
    "list": "[]",
    "mapping": "{}",
    "mapping-of-numbers": "{1: 2}",
    "levels": "[" * 40 + "]" * 40,
    "zero-character": '"a\\0b"',
    "long": "x" * 5000,
    "other-digits": "\N{ARABIC-INDIC DIGIT THREE}",
    "up": '"../../../.."',
    "day": "2026-01-01",
    "binary": "!!binary aGk=",
}
KEYS = (
    "id", "rulebook", "options", "options.dealing_style", "shoe", "shoe.decks", "shoe.device", "limits",
    "limits.minimum", "limits.differential", "limits.bets", "limits.bets.tie", "limits.bets.tie.maximum", "layout",
    "chips", "chips.diameter_mm", "chips.chips", "cards", "cards.size_mm", "cards.deck", "cameras", "gestures", "loop",
)  # fmt: skip


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def check_refused(result: Result) -> None:
    assert result.exit_code == 2, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    assert len(lines[0]) < LONGEST_MESSAGE + 100
    assert lines[0].isprintable()


@pytest.mark.parametrize("name", TEXTS)
def test_table_that_is_none_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    log, table = tmp_path / "events.jsonl", tmp_path / "table.yaml"
    log.write_text("", encoding="utf-8")
    table.write_text(TEXTS[name], encoding="utf-8")
    check_refused(run("referee", log, "--table", table))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("file", ["layout.yaml", "overhead.yaml", "chips.yaml"])
def test_file_of_a_table_that_is_none_is_refused_in_one_line(name: str, file: str, tmp_path: Path) -> None:
    write_table(tmp_path)
    table = tmp_path / "table.yaml"
    text = table.read_text(encoding="utf-8")
    if file == "chips.yaml":
        table.write_text(text + "chips: chips.yaml\n" if "chips:" not in text else text, encoding="utf-8")
    (tmp_path / file).write_text(TEXTS[name], encoding="utf-8")
    (tmp_path / "video.mp4").write_bytes(b"")
    check_refused(run("watch", tmp_path, "--out", tmp_path / "out"))


def yaml_of(key: str, value: str) -> str:
    """A table's file with that value under a key, which may lie within others."""
    outer, _, inner = key.partition(".")
    if inner:
        return f"{outer}: {{{yaml_of(inner, value)}}}"
    return f"{outer}: {value}"


@pytest.mark.parametrize("key", KEYS)
def test_any_value_in_a_table_is_taken_or_refused_in_one_line(key: str, tmp_path: Path) -> None:
    log, table = tmp_path / "events.jsonl", tmp_path / "table.yaml"
    log.write_text("", encoding="utf-8")
    for value in VALUES.values():
        outer = key.partition(".")[0]
        rest = "".join(f"{name}: {text}\n" for name, text in (("id", "T"), ("rulebook", "tas")) if name != outer)
        table.write_text(f"{rest}{yaml_of(key, value)}\n", encoding="utf-8")
        result = run("referee", log, "--table", table)
        if result.exit_code != 0:
            check_refused(result)


@pytest.mark.parametrize("command", [("odds",), ("referee", "-")])
@pytest.mark.parametrize(
    "option",
    [
        "ante=" + "9" * 5000,
        "ante=" + "9" * 400,
        "ante=-1",
        "ante=\N{ARABIC-INDIC DIGIT THREE}",
        "ante=0x" + "f" * 6000,
        "ante=" + "[" * 20_000,
        "ante=*a",
        "dealing_style=2026-02-30",
        "dealing_style=!!bool x",
        "dealing_style=\x1b[2J",
        "tie_pays=.nan",
        "x" * 10_000 + "=1",
        "=1",
        "x" * 10_000,
    ],
)
def test_any_option_is_refused_in_one_line(command: tuple[str, ...], option: str) -> None:
    check_refused(run(*command, "--rulebook", "nz-secretary", "--option", option))


@pytest.mark.parametrize(
    "number", ["9" * 5000, "\N{ARABIC-INDIC DIGIT THREE}", "\N{FULLWIDTH DIGIT EIGHT}", "1e400", "8_0", "nan"]
)
def test_any_count_is_refused_in_one_line(number: str) -> None:
    check_refused(run("odds", "--rulebook", "tas", "--decks", number))


@pytest.mark.parametrize("number", ["\N{ARABIC-INDIC DIGIT THREE}", "nan", "inf", "1_0", "-" + "9" * 5000])
def test_any_measure_is_refused_in_one_line(number: str, tmp_path: Path) -> None:
    check_refused(run("watch", tmp_path, "--rate", number))
    check_refused(run("spoil", tmp_path, "--begin", number))


@pytest.mark.parametrize("name", ["x" * 100_000, "\x1b[2J", "../tas", "tas.yaml", "TAS", ""])
def test_any_rulebook_is_refused_in_one_line(name: str) -> None:
    check_refused(run("odds", "--rulebook", name))


@pytest.mark.parametrize("name", TEXTS)
def test_rulebook_s_file_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(TEXTS[name], encoding="utf-8")
    check_refused(run("odds", "--rulebook", path))
    check_refused(run("referee", "-", "--rulebook", path))
    assert run("rulebooks", "check", path).exit_code == 2
