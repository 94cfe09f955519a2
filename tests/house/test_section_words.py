"""Each section that a rulebook of the program cites, and so an alert can cite, has its words beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml

from thirdcard.rules.rulebook.load import load_rulebook, rulebook_ids, rulebook_text

SECTION = re.compile(r"\d")
MOST_LETTERS = 260
"""Words are short: the rulebook itself is elsewhere."""


@cache
def content_of(name: str) -> dict[str, Any]:
    found = yaml.safe_load(rulebook_text(name))
    assert isinstance(found, dict)
    return found


def cited_in(node: object) -> Iterator[str]:
    """Every section that stands under `rule` or a key such as `closing_rule`, wherever it is."""
    if isinstance(node, dict):
        for key, value in node.items():
            if (key == "rule" or str(key).endswith("_rule")) and isinstance(value, str) and SECTION.match(value):
                yield value
            yield from cited_in(value)
    elif isinstance(node, list):
        for one in node:
            yield from cited_in(one)


@pytest.mark.parametrize("name", rulebook_ids())
def test_every_section_that_can_be_cited_has_words(name: str) -> None:
    book = load_rulebook(name)
    assert sorted({section for section in cited_in(content_of(name)) if not book.words_of(section)}) == []


@pytest.mark.parametrize("name", rulebook_ids())
def test_every_alert_of_the_rulebook_leads_to_words(name: str) -> None:
    book = load_rulebook(name)
    cases = [case for cases in book.faults.values() for case in cases]
    rules = {rule for case in cases for rule in (case.rule, case.remedy.rule) if rule is not None}
    assert sorted(rule for rule in rules if not book.words_of(rule)) == []


@pytest.mark.parametrize("name", rulebook_ids())
def test_words_are_short_sentences_of_sections_that_are_cited(name: str) -> None:
    sections = load_rulebook(name).sections
    cited = set(cited_in(content_of(name)))
    assert sorted(set(sections) - cited) == []
    bad = {section: words for section, words in sections.items() if len(words) > MOST_LETTERS or words[-1] != "."}
    assert bad == {}
