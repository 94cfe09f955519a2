"""The schemas say what the parsers do: what is shipped passes both, and what one refuses the other refuses too."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import ValidationError
from typer.testing import CliRunner

from tests.repository import DEMO, ROOT
from thirdcard.calibration.chips import parse_chips
from thirdcard.calibration.errors import CalibrationError
from thirdcard.calibration.layout import parse_layout
from thirdcard.rules.errors import RulesError
from thirdcard.rules.rulebook.parse import parse_rulebook
from thirdcard.service.cli.entry import app
from thirdcard.service.config.house_yaml import HouseFile
from thirdcard.service.config.table_file import TableFile, check_table_file
from thirdcard.service.docgen.schemas import SCHEMAS, format_schema, schema_of
from thirdcard.service.ports.errors import TableError

Way = tuple[str | int, ...]

SHIPPED = [
    pytest.param(path, name, id=str(path.relative_to(ROOT)))
    for name, paths in {
        "table": [DEMO / "table.yaml"],
        "layout": [DEMO / "layout.yaml", *sorted((ROOT / "calibration" / "layouts").glob("*.yaml"))],
        "chips": [DEMO / "chips.yaml", *sorted((ROOT / "calibration" / "chipsets").glob("*.yaml"))],
        "rulebook": sorted((ROOT / "rules" / "rulebooks").glob("*.yaml")),
    }.items()
    for path in paths
]

TABLE = {
    "id": "B07",
    "rulebook": "nz-secretary",
    "options": {"dealing_style": "A", "tie_pays": "9", "two_to_one": True, "ante": 3},
    "shoe": {"decks": 8, "device": "shoe"},
    "limits": {"minimum": 25, "maximum": 5000, "differential": None, "bets": {"tie": {"minimum": 5, "maximum": None}}},
    "layout": "mini-7",
    "chips": "house",
    "cards": {"size_mm": [63, 88.5], "deck": None},
    "cameras": [{"name": "overhead", "source": "video.mp4", "calibration": "overhead.yaml", "loop": True}],
    "gestures": ["no_more_bets"],
    "loop": False,
}
LAYOUT = {
    "name": "small",
    "size_mm": [900, 600],
    "areas": [
        {"id": "player-box", "kind": "hand", "hand": "player", "polygon": [[0, 0], [340, 0], [340, 150]]},
        {
            "id": "a",
            "kind": "wager",
            "seat": 1,
            "name": "rail",
            "bet": "tie",
            "polygon": [[0, 300], [60, 300], [3, 60]],
        },
        {"id": "shoe", "kind": "shoe", "seat": None, "name": None, "polygon": [[0, 0], [340, 0], [340, 150]]},
    ],
    "reference_points": [{"name": "A", "at": [10, 20]}],
    "markers": {"dictionary": "DICT_4X4_50", "side_mm": 50, "at": {0: [40, 40]}},
}
CHIPS = {
    "diameter_mm": 39,
    "thickness_mm": 3.3,
    "chips": [{"value": 100, "name": "black", "colour": "#1c1c1c", "sample": None}],
}
HOUSE = {
    "time_zone": "Europe/Zurich",
    "host": "::1",
    "port": 80,
    "metrics": "token",
    "log": {"level": None, "format": "json"},
}
RULEBOOKS = ("tas", "nz-secretary", "sg-rws")

NAMED = ("faults", "bets", "styles", "notes", "draws")
"""Mappings of names to values of one shape."""
JUNK: tuple[Any, ...] = (None, "", "x y", -1, 0, 3, 10**13, 1.5, True, [], ["x"], [1, 2], {}, {"a": 1})
FEW: tuple[Any, ...] = (None, "", 3, True, ["x"], {"a": 1})
"""Enough for rulebooks, which are long."""

BEYOND = {
    "table": (
        r"shoe\.(decks|device) = .*; must be .* \(",
        r"must be at most \d+ where the minimum is",
        r"must not be below the minimum",
        r"must be \[width, height\], width smaller",
        r"must be unique among the cameras",
        r"unknown rulebook",
        r"limits\.bets\..* must be one of player, banker, tie",
        r"; allowed: .* where ",
    ),
    "layout": (r"ids must be unique", r"names must be unique", r"must have at least 3 points", r"must enclose an area"),
    "chips": (r"no such file",),
    "house": (r"no such time zone", r"must be normalized"),
    "rulebook": (
        r"; allowed: a situation, an option's value or a result",
        r"last case must hold without conditions",
        r"a case that no earlier one always goes before",
        r"earlier cases always go before it",
        r"no case without conditions covers",
        r"the values of dealing_style",
        r"allowed: the section that",
        r"faults\..* allowed: both",
        r"^rulebook.yaml: styles is missing",
        r"\.(bets|wagers) = .*; allowed: player, banker, tie",
        r"void_next_hand; allowed where",
        r"\.when = .*; allowed: ",
        r"where kinds has it",
        r"allowed: what handling says for it",
        r"allowed: one row for a situation",
        r"\.(keys|option|amount|waived_from) = .*; allowed: [a-z_]+(, [a-z_]+)*$",
        r"allowed: the values of [a-z_]+$",
    ),
}
"""What the program refuses and JSON Schema cannot express: what concerns several keys, other files, or a time zone."""


def _parse_table(content: Any) -> object:
    table = TableFile.model_validate(content)
    check_table_file(table, Path("table.yaml"))
    if isinstance(table.layout, dict):
        parse_layout(table.layout, "layout")
    if isinstance(table.chips, dict):
        parse_chips(table.chips, "chips", base=DEMO)
    return table


PARSERS: dict[str, Callable[[Any], object]] = {
    "table": _parse_table,
    "layout": lambda content: parse_layout(content, "layout.yaml"),
    "chips": lambda content: parse_chips(content, "chips.yaml", base=DEMO),
    "house": HouseFile.model_validate,
    "rulebook": lambda content: parse_rulebook(content, "rulebook.yaml"),
}


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema_of(name))


@cache
def part_validator(name: str) -> Draft202012Validator:
    """It takes documents with keys missing at the top."""
    return Draft202012Validator({key: value for key, value in schema_of(name).items() if key != "required"})


def as_json(content: object) -> Any:
    """A document as an editor sees it: every key a text."""
    return json.loads(json.dumps(content))


def refusal(name: str, content: object) -> str | None:
    """Why the parser refuses; None where it does not."""
    try:
        PARSERS[name](content)
    except (CalibrationError, RulesError, TableError, ValidationError) as error:
        return " ".join(str(error).split())
    return None


def ways(content: Any, way: Way = ()) -> Iterator[Way]:
    """The way to every value, of a list's entries the first two."""
    if way:
        yield way
    inner = (
        content.items() if isinstance(content, dict) else enumerate(content[:2]) if isinstance(content, list) else ()
    )
    for key, value in inner:
        yield from ways(value, (*way, key))


def changed(content: object, way: Way, value: object) -> Any:
    """The document with one value another, or without it where it is `...`."""
    made: Any = copy.deepcopy(content)
    within = made
    for key in way[:-1]:
        within = within[key]
    if value is ...:
        del within[way[-1]]
    else:
        within[way[-1]] = value
    return made


def variants(content: Any, tried: set[tuple[Any, ...]], junks: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Documents that differ from a good one in one place; places of a shape that was tried are left out."""
    for way in ways(content):
        shape: tuple[Any, ...] = tuple(
            key if isinstance(key, str) and way[max(0, i - 1)] not in NAMED else "#" for i, key in enumerate(way)
        )
        shape = shape if len(way) > 2 else way
        if shape in tried:
            continue
        tried.add(shape)
        place = ".".join(map(str, way))
        yield f"{place} left out", changed(content, way, ...)
        for junk in junks:
            yield f"{place} = {junk!r}", changed(content, way, junk)
        value = content
        for key in way:
            value = value[key]
        if isinstance(value, dict):
            yield f"{place}.extra", changed(content, (*way, "extra"), "x")
    yield "extra", {**content, "extra": "x"}


def disagreements(name: str, content: Any, tried: set[tuple[Any, ...]]) -> Iterator[str]:
    """Where parser and schema judge differently."""
    for place, variant in variants(content, tried, FEW if name == "rulebook" else JUNK):
        told = refusal(name, variant)
        is_taken = is_valid(name, content, variant)
        if told is None and not is_taken:
            yield f"{place}: the schema alone refuses"
        if told is not None and is_taken and not any(re.search(reason, told) for reason in BEYOND[name]):
            yield f"{place}: the parser alone refuses: {told}"


def is_valid(name: str, content: Any, variant: Any) -> bool:
    """Whether a schema takes a variant of a good document; of a rulebook only the changed section."""
    schema = validator(name)
    if name == "rulebook" and variant.keys() == content.keys():
        variant = {key: value for key, value in variant.items() if json.dumps(value) != json.dumps(content[key])}
        schema = part_validator(name)
    return bool(schema.is_valid(as_json(variant)))


def rulebook_content(rulebook_id: str) -> Any:
    content = yaml.safe_load((ROOT / "rules" / "rulebooks" / f"{rulebook_id}.yaml").read_text(encoding="utf-8"))
    content["faults"] = {
        code: cases[:1] if "when" not in cases[0] else cases for code, cases in content["faults"].items()
    }
    return content


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_one_and_the_file_in_docs_is_it(name: str) -> None:
    Draft202012Validator.check_schema(schema_of(name))
    assert (ROOT / "docs" / "schemas" / f"{name}.json").read_text(encoding="utf-8") == format_schema(name), (
        "write them anew: thirdcard schema --out docs/schemas"
    )


def test_docs_hold_no_other_schema() -> None:
    assert {path.stem for path in (ROOT / "docs" / "schemas").iterdir()} == set(SCHEMAS)


@pytest.mark.parametrize(("path", "name"), SHIPPED)
def test_shipped_file_is_valid_and_names_its_schema(path: Path, name: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert [error.message for error in validator(name).iter_errors(as_json(yaml.safe_load(text)))] == []
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert named is not None
    assert (path.parent / named[1]).resolve() == ROOT / "docs" / "schemas" / f"{name}.json"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("table", TABLE, id="table"),
        pytest.param("layout", LAYOUT, id="layout"),
        pytest.param("chips", CHIPS, id="chips"),
        pytest.param("house", HOUSE, id="house"),
    ],
)
def test_parser_and_schema_refuse_the_same_files(name: str, content: Any) -> None:
    assert refusal(name, content) is None
    assert validator(name).is_valid(as_json(content))
    assert list(disagreements(name, content, set())) == []


def test_parser_and_schema_refuse_the_same_rulebooks() -> None:
    tried: set[tuple[Any, ...]] = set()
    for rulebook_id in RULEBOOKS:
        assert list(disagreements("rulebook", rulebook_content(rulebook_id), tried)) == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_says_what_it_means(name: str) -> None:
    def bare(schema: Any, place: str) -> Iterator[str]:
        if isinstance(schema, dict):
            for key, inner in schema.get("properties", {}).items():
                if isinstance(inner, dict) and not inner.get("description") and "const" not in inner:
                    yield f"{place}.{key}"
            for key, inner in schema.items():
                if key not in ("if", "then", "else"):
                    yield from bare(inner, f"{place}.{key}")
        elif isinstance(schema, list):
            for i, inner in enumerate(schema):
                yield from bare(inner, f"{place}[{i}]")

    assert list(bare(schema_of(name), name)) == []


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["schema", *arguments])


def test_command_prints_lists_and_writes(tmp_path: Path) -> None:
    assert json.loads(run("chips").stdout) == schema_of("chips")
    assert run().stdout.split() == run("--list").stdout.split() == list(SCHEMAS)
    assert run("--out", str(tmp_path / "all")).exit_code == 0
    assert {path.stem for path in (tmp_path / "all").iterdir()} == set(SCHEMAS)
    assert run("house", "--out", str(tmp_path / "one")).exit_code == 0
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["house.json"]


def test_schema_of_no_such_name_is_refused_in_one_line() -> None:
    result = run("deck")
    assert result.exit_code == 2
    assert result.stderr == "thirdcard: schema deck: no such schema; allowed: table, layout, chips, house, rulebook\n"
