"""The tests with a paragraph's number, to be run with a rule broken.

Witnesses and scenarios are found by their paragraph; functions by their name, `test_rule_nz_5_13_...`, each with all
values of its parametrize marks that concern the rulebook.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.repository import ROOT
from tests.rules.builders import NZ, TableLog, run
from tests.rules.remedies import remedy_of
from tests.rules.scenarios import Build, Scenario
from tests.rules.test_scenarios import SCENARIOS
from tests.rules.witness import Witness
from tests.rules.witnesses_cards import WITNESSES as OF_CARDS
from tests.rules.witnesses_nz import WITNESSES as OF_NZ
from tests.rules.witnesses_pays import WITNESSES as OF_PAYS
from tests.rules.witnesses_secretary import WITNESSES as OF_SECRETARY
from tests.rules.witnesses_sg import WITNESSES as OF_SG
from tests.rules.witnesses_tas import WITNESSES as OF_TAS
from thirdcard.rules.findings.alerts import Alert

HERE = Path(__file__).parents[1]
Said = str | Mapping[str, str | list[str]]
WITNESSED = "witnessed"
WITNESSES = [*OF_NZ, *OF_SECRETARY, *OF_SG, *OF_TAS, *OF_CARDS, *OF_PAYS]
BOOKS = {"nz": NZ, "nz_authority": NZ[:1], "nz_secretary": NZ[1:], "sg": ("sg-rws",), "nsw": ("nsw",), "tas": ("tas",)}
"""The rulebooks by their name in test functions."""


@dataclass(frozen=True, slots=True)
class NumberedTest:
    """A test with its id and its call."""

    id: str
    call: Callable[[], None]


@cache
def paragraphs(rulebook_id: str) -> dict[str, Said]:
    """The entry of each paragraph in the rulebook's paragraphs' file."""
    content = yaml.safe_load((HERE / "paragraphs" / f"{rulebook_id}.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def is_witnessed(said: Said) -> bool:
    """Whether a paragraph is marked as witnessed, with or without named mutants."""
    return said == WITNESSED if isinstance(said, str) else set(said) == {WITNESSED}


def mutants_named(said: Said) -> list[str]:
    """The mutants that a paragraph names besides those found by its section."""
    if isinstance(said, str):
        return []
    names = said[WITNESSED]
    return [names] if isinstance(names, str) else list(names)


@cache
def content_of(rulebook_id: str) -> dict[str, Any]:
    """The parsed file of the rulebook."""
    text = (ROOT / "rules" / "rulebooks" / f"{rulebook_id}.yaml").read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    assert isinstance(content, dict)
    return content


def is_part(number: str, rule: str) -> bool:
    """Whether the paragraph is that rule or a part of it."""
    return number == rule or number.startswith((f"{rule}(", f"{rule}."))


def alerts_of(witness: Witness, build: Build) -> list[Alert]:
    """The referee's alerts for a log of the witness."""
    built = build(TableLog(witness.rules))
    return run(built.rules, built.events, **witness.table)[0]


def check_broken(witness: Witness) -> None:
    """Check that the fault is reported with the expected code and citation."""
    assert witness.fault is not None
    told = [alert for alert in alerts_of(witness, witness.fault) if alert.code == witness.code]
    assert told
    cited = {"rule": {alert.rule for alert in told}, "remedy": {alert.remedy.rule for alert in told}}
    assert witness.cites == "other" or any(is_part(witness.paragraph, one or "?") for one in cited[witness.cites])
    assert witness.action is None or witness.action in {alert.remedy.action for alert in told}


def check_kept(witness: Witness) -> None:
    """Check that there is no alert for the near miss; for a wager no alert of any settlement."""
    code = witness.code or ""
    family = "payout." if code.startswith("payout.") else code
    assert [one.code for one in alerts_of(witness, witness.near) if one.code.startswith(family)] == []


def check_scenario(scenario: Scenario) -> None:
    """Check that the fault is reported with its rule and remedy, and the near miss is not."""
    ordered = remedy_of(scenario)
    for build, rules in ((scenario.fault, [scenario.rule]), (scenario.near, [])):
        built = build(TableLog(scenario.rules))
        alerts = [one for one in run(built.rules, built.events, **scenario.table)[0] if one.code == scenario.code]
        assert [alert.rule for alert in alerts] == rules
        assert ordered is None or all((one.remedy.action, one.remedy.rule) == ordered for one in alerts)


@cache
def calls_of(rulebook_id: str, number: str) -> tuple[NumberedTest, ...]:
    """The tests of a paragraph, the quickest first."""
    tests = [
        NumberedTest(f"{one.id}-{check.__name__}", partial(check, one))
        for one in WITNESSES
        if (one.rulebook, one.paragraph) == (rulebook_id, number)
        for check in ((check_kept,) if one.fault is None else (check_broken, check_kept))
    ]
    tests += [
        NumberedTest(one.id, partial(check_scenario, one))
        for one in SCENARIOS
        if one.rulebook == rulebook_id and number in _numbers(one)
    ]
    for module, name in _functions().get((rulebook_id, number), ()):
        tests += _calls(getattr(import_module(module), name), rulebook_id)
    return tuple(tests)


def _numbers(scenario: Scenario) -> set[str]:
    """The paragraphs that a scenario's alert cites: the rule and the remedy."""
    ordered = remedy_of(scenario)
    return {one for one in (scenario.rule, None if ordered is None else ordered[1]) if one is not None}


@cache
def named() -> frozenset[tuple[str, str]]:
    """The rulebooks and paragraphs with tests: by a case's id, or by the function's name."""
    found = {(one.rulebook, one.paragraph) for one in WITNESSES}
    found |= {(one.rulebook, number) for one in SCENARIOS for number in _numbers(one)}
    return frozenset(found | set(_functions()))


@cache
def _functions() -> dict[tuple[str, str], list[tuple[str, str]]]:
    """The modules and names of test functions, by rulebook and paragraph."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for path in sorted(HERE.rglob("test_*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for name in re.findall(r"^def test_rule_(\w+)\(", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            for numbered in _of_function(name):
                found.setdefault(numbered, []).append((module, f"test_rule_{name}"))
    return found


def _of_function(name: str) -> Iterable[tuple[str, str]]:
    for prefix, books in BOOKS.items():
        rest = name.removeprefix(f"{prefix}_")
        if rest == name or (prefix == "nz" and rest.startswith(("authority_", "secretary_"))):
            continue
        for book in books:
            fitting = [one for one in paragraphs(book) if rest.startswith(f"{_in_a_name(one)}_")]
            if fitting:
                yield book, max(fitting, key=len)


def _in_a_name(paragraph: str) -> str:
    return re.sub(r"[^0-9a-z]+", "_", paragraph.lower()).strip("_")


def _calls(function: Callable[..., None], rulebook_id: str) -> Iterator[NumberedTest]:
    """The function with each set of its parameters, without those of other rulebooks; none where hypothesis
    draws them."""
    if hasattr(function, "hypothesis"):
        return
    marks = [mark for mark in getattr(function, "pytestmark", ()) if mark.name == "parametrize"]
    for values in product(*(_values(mark) for mark in marks)):
        given = {name: value for one in values for name, value in one.items()}
        if given.get("rulebook_id", rulebook_id) != rulebook_id or set(given) != set(_parameters(function)):
            continue
        shown = "-".join(str(value) for value in given.values() if isinstance(value, str | int))
        yield NumberedTest(f"{function.__name__}[{shown}]", partial(function, **given))


def _parameters(function: Callable[..., None]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _values(mark: pytest.Mark) -> Iterator[dict[str, Any]]:
    names, rows = mark.args[0], mark.args[1]
    keys = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
    for row in rows:
        values = getattr(row, "values", row) if not isinstance(row, dict) else row
        listed = list(values) if hasattr(row, "marks") or len(keys) > 1 else [row]
        yield dict(zip(keys, listed, strict=True))
