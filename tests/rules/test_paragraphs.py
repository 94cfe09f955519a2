"""Every numbered paragraph of the rulebooks: a test that carries its number, or why there is none.

That such a test fails where the rule is broken in the engine is looked at in `test_mutants.py`.
"""

from __future__ import annotations

import re

import pytest
import yaml

from tests.repository import ROOT
from tests.rules.builders import RULEBOOKS
from tests.rules.mutation.numbered import (
    WITNESSES,
    check_broken,
    check_kept,
    content_of,
    is_part,
    is_witnessed,
    named,
    paragraphs,
)
from tests.rules.witness import Witness
from thirdcard.rules.rulebook.load import load_rulebook

AS_TEXT = "carried as text"
BROKEN = [one for one in WITNESSES if one.fault is not None]
WITNESSED = [(book, number) for book in RULEBOOKS for number, said in paragraphs(book).items() if is_witnessed(said)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_paragraph_is_witnessed_or_says_why_not(rulebook_id: str) -> None:
    said = paragraphs(rulebook_id)
    assert [number for number, one in said.items() if not one or not (isinstance(one, str) or is_witnessed(one))] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_paragraph_that_is_carried_as_text_is_cited_by_a_text_or_note(rulebook_id: str) -> None:
    content = content_of(rulebook_id)
    said = {key: value for key, value in content.items() if key != "sections"}
    texts = " ".join(str(one) for one in content["notes"].values()) + yaml.safe_dump(said, width=10_000)
    cited = set(re.findall(r"\d[\w.]*(?:\(\w\))?", texts)) | set(content["notes"])
    carried = [number for number, said in paragraphs(rulebook_id).items() if str(said).startswith(AS_TEXT)]
    assert [number for number in carried if not any(is_part(number, one.rstrip(".")) for one in cited)] == []


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
