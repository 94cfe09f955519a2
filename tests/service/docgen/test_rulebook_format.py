"""The page on the format of a house's own rulebook: each example can be used, and each key and fact stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.repository import ROOT
from thirdcard.rules.odds.odds import reckon_odds
from thirdcard.rules.rulebook.cases import RESULTS, SITUATIONS
from thirdcard.rules.rulebook.file_keys import ACTIONS, RulebookKeys
from thirdcard.rules.rulebook.load import elect
from thirdcard.rules.rulebook.parse import RULE_SOURCES, parse_rulebook, parse_yaml
from thirdcard.rules.rulebook.yaml_keys import EntryTable
from thirdcard.rules.rulebook.yaml_text import read_yaml

PAGE = (ROOT / "docs" / "rulebook-format.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
WHOLE, *PARTS = EXAMPLES


def tables() -> Iterator[type[EntryTable]]:
    waiting: list[type[EntryTable]] = [RulebookKeys]
    seen = set()
    while waiting:
        table = waiting.pop()
        if table not in seen:
            seen.add(table)
            yield table
            waiting += [inner for key in table.all() for inner in key.parts()]


KEYS = sorted({key.name for table in tables() for key in table.all()})


def test_first_example_is_a_whole_rulebook_with_the_published_edge() -> None:
    book = parse_yaml(read_yaml(WHOLE, "lotus-macau.yaml"), "lotus-macau.yaml")
    edges = {str(bet): round(-100 * float(n), 4) for bet, n in reckon_odds(elect(book, {}), 8).returns.items()}
    assert edges == {"player": 1.2351, "banker": 1.0579, "tie": 14.3596, "panda_8": 10.1876}


@pytest.mark.parametrize("part", [pytest.param(part, id=part.split(":")[0]) for part in PARTS])
def test_every_other_example_can_stand_in_it(part: str) -> None:
    content = read_yaml(WHOLE, "x").content | read_yaml(part, "x").content
    assert parse_rulebook(content, "lotus-macau.yaml").id


@pytest.mark.parametrize("key", KEYS)
def test_every_key_stands_in_an_example(key: str) -> None:
    assert re.search(rf"\b{key}:", "\n".join(EXAMPLES))


@pytest.mark.parametrize("word", sorted({*SITUATIONS, *ACTIONS, *RULE_SOURCES}))
def test_every_word_of_a_fault_stands_on_the_page(word: str) -> None:
    assert f"`{word}`" in PAGE


@pytest.mark.parametrize("fact", RESULTS)
def test_every_result_stands_on_the_page(fact: str) -> None:
    assert f"`{fact}`" in PAGE or f"`{fact.replace('banker', 'player')}`, " in PAGE
