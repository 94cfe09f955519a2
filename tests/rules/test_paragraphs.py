"""Every numbered paragraph of the rulebooks: a test named by it where a log can witness it, or why none can."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.repository import ROOT
from tests.rules.builders import NZ, RULEBOOKS, TableLog, run
from tests.rules.scenarios import Build
from tests.rules.test_scenarios import SCENARIOS
from tests.rules.witness import Witness
from tests.rules.witnesses_nz import WITNESSES as OF_NZ
from tests.rules.witnesses_secretary import WITNESSES as OF_SECRETARY
from tests.rules.witnesses_sg import WITNESSES as OF_SG
from tests.rules.witnesses_tas import WITNESSES as OF_TAS
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.rulebook.load import load_rulebook

HERE = Path(__file__).parent
WITNESSED = "witnessed"
WITNESSES = [*OF_NZ, *OF_SECRETARY, *OF_SG, *OF_TAS]
BROKEN = [one for one in WITNESSES if one.fault is not None]
BOOKS = {"nz": NZ, "nz_authority": NZ[:1], "nz_secretary": NZ[1:], "sg": ("sg-rws",), "nsw": ("nsw",), "tas": ("tas",)}
"""How names of test functions call the rulebooks."""


@cache
def paragraphs(rulebook_id: str) -> dict[str, str]:
    """What is said of each paragraph."""
    content = yaml.safe_load((HERE / "paragraphs" / f"{rulebook_id}.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


@cache
def named() -> frozenset[tuple[str, str]]:
    """The rulebooks and paragraphs after which tests are named: by a case's id, or by the function's name."""
    found = {(one.rulebook, one.paragraph) for one in WITNESSES}
    found |= {(one.rulebook, one.rule) for one in SCENARIOS if one.rule is not None}
    for path in HERE.rglob("test_*.py"):
        for name in re.findall(r"^def test_rule_(\w+)\(", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            found |= set(_of_function(name))
    return frozenset(found)


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


def alerts_of(witness: Witness, build: Build) -> list[Alert]:
    built = build(TableLog(witness.rules))
    return run(built.rules, built.events, **witness.table)[0]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_paragraph_is_witnessed_or_says_why_not(rulebook_id: str) -> None:
    silent = [number for number, said in paragraphs(rulebook_id).items() if not isinstance(said, str) or not said]
    assert silent == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_witnessed_paragraph_has_a_test_named_by_it(rulebook_id: str) -> None:
    witnessed = [number for number, said in paragraphs(rulebook_id).items() if said == WITNESSED]
    assert [number for number in witnessed if (rulebook_id, number) not in named()] == []


def test_no_test_is_named_by_a_paragraph_that_cannot_be_witnessed() -> None:
    assert [one.id for one in WITNESSES if paragraphs(one.rulebook).get(one.paragraph) != WITNESSED] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_rule_that_the_rulebook_cites_is_a_paragraph(rulebook_id: str) -> None:
    content = yaml.safe_dump(yaml.safe_load((ROOT / "rules" / "rulebooks" / f"{rulebook_id}.yaml").read_text()))
    cited = set(re.findall(r"rule: ['\"]?(\d[\w.()]*)", content)) | set(load_rulebook(rulebook_id).notes)
    numbers = set(paragraphs(rulebook_id))
    assert {rule for rule in cited if not any(is_part(number, rule) for number in numbers)} == set()


def is_part(number: str, rule: str) -> bool:
    """Whether the paragraph is that rule or a part of it."""
    return number == rule or number.startswith((f"{rule}(", f"{rule}."))


@pytest.mark.parametrize("witness", [pytest.param(one, id=one.id) for one in BROKEN])
def test_paragraph_is_told_when_broken(witness: Witness) -> None:
    assert witness.fault is not None
    told = [alert for alert in alerts_of(witness, witness.fault) if alert.code == witness.code]
    assert told
    cited = {"rule": {alert.rule for alert in told}, "remedy": {alert.remedy.rule for alert in told}}
    assert witness.cites == "other" or any(is_part(witness.paragraph, one or "?") for one in cited[witness.cites])


@pytest.mark.parametrize("witness", [pytest.param(one, id=one.id) for one in WITNESSES])
def test_paragraph_is_not_told_when_kept(witness: Witness) -> None:
    alerts = alerts_of(witness, witness.near)
    assert [alert.code for alert in alerts if witness.code in (None, alert.code)] == []
