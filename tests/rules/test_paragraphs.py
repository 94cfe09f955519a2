"""Every numbered paragraph of the rulebooks: a test that carries its number and fails where the rule is broken in the
engine, or why there is none."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.repository import ROOT
from tests.rules.builders import RULEBOOKS
from tests.rules.mutation.mutants import survivors, targets_of
from tests.rules.mutation.numbered import (
    WITNESSES,
    check_broken,
    check_kept,
    is_part,
    is_witnessed,
    mutants_named,
    named,
    paragraphs,
    tests_of,
)
from tests.rules.witness import Witness
from thirdcard.rules.rulebook.load import load_rulebook

BROKEN = [one for one in WITNESSES if one.fault is not None]
WITNESSED = [(book, number) for book in RULEBOOKS for number, said in paragraphs(book).items() if is_witnessed(said)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_paragraph_is_witnessed_or_says_why_not(rulebook_id: str) -> None:
    said = paragraphs(rulebook_id)
    assert [number for number, one in said.items() if not one or not (isinstance(one, str) or is_witnessed(one))] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_witnessed_paragraph_has_a_test_named_by_it(rulebook_id: str) -> None:
    witnessed = [number for book, number in WITNESSED if book == rulebook_id]
    assert [number for number in witnessed if (rulebook_id, number) not in named()] == []


def test_no_test_is_named_by_a_paragraph_that_cannot_be_witnessed() -> None:
    assert [one.id for one in WITNESSES if (one.rulebook, one.paragraph) not in WITNESSED] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_rule_that_the_rulebook_cites_is_a_paragraph(rulebook_id: str) -> None:
    content = yaml.safe_dump(yaml.safe_load((ROOT / "rules" / "rulebooks" / f"{rulebook_id}.yaml").read_text()))
    cited = set(re.findall(r"rule: ['\"]?(\d[\w.()]*)", content)) | set(load_rulebook(rulebook_id).notes)
    numbers = set(paragraphs(rulebook_id))
    assert {rule for rule in cited if not any(is_part(number, rule) for number in numbers)} == set()


@pytest.mark.parametrize("witness", [pytest.param(one, id=one.id) for one in BROKEN])
def test_paragraph_is_told_when_broken(witness: Witness) -> None:
    check_broken(witness)


@pytest.mark.parametrize("witness", [pytest.param(one, id=one.id) for one in WITNESSES])
def test_paragraph_is_not_told_when_kept(witness: Witness) -> None:
    check_kept(witness)


@pytest.mark.parametrize(("rulebook_id", "number"), [pytest.param(*one, id="-".join(one)) for one in WITNESSED])
def test_witnessed_paragraph_fails_when_its_rule_is_broken(rulebook_id: str, number: str) -> None:
    targets = list(targets_of(rulebook_id, number, mutants_named(paragraphs(rulebook_id)[number])))
    assert survivors(targets, tests_of(rulebook_id, number)) == []
