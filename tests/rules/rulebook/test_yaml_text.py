"""A rulebook's YAML, read with its lines; what no rulebook needs is refused in one line."""

from __future__ import annotations

import pytest

from tests.rules.rulebook.test_parse import content_of
from thirdcard.rules.errors import RulebookError
from thirdcard.rules.rulebook.load import rulebook_ids, rulebook_text
from thirdcard.rules.rulebook.yaml_text import MOST_CHARACTERS, read_yaml


@pytest.mark.parametrize("rulebook_id", rulebook_ids())
def test_shipped_files_say_what_full_yaml_says(rulebook_id: str) -> None:
    assert read_yaml(rulebook_text(rulebook_id), "x").content == content_of(rulebook_id)


def test_plain_words_stay_what_was_written() -> None:
    found = read_yaml('a: 40:1\nb: "1"\nc: yes\nd: 0x10\ne: 2026-01-01\nf: [1, -2, .5, true, null, ~]', "x")
    expected = {"a": "40:1", "b": "1", "c": "yes", "d": "0x10", "e": "2026-01-01", "f": [1, -2, 0.5, True, None, None]}
    assert found.content == expected


def test_lines_are_those_of_the_keys_and_of_what_they_would_stand_in() -> None:
    found = read_yaml("a:\n  - {b: 1}\n  - c: 2\n    d: 3\n", "x")
    assert [found.line_of(place) for place in ("a", "a[0].b", "a[1].d", "a[1].e.f", "z")] == [1, 2, 4, 3, 1]


def test_what_a_name_stands_for_is_repeated() -> None:
    assert read_yaml("a: &x {b: 1}\nc: *x\nd: [&y 2, *y]", "x").content == {"a": {"b": 1}, "c": {"b": 1}, "d": [2, 2]}


BOMB = "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9) if i else 1}]" for i in range(9))
BAD = [
    pytest.param("a: [", "x:2: no YAML", id="open bracket"),
    pytest.param("title: Macau: high", "a text with a colon", id="colon in a text"),
    pytest.param("[" * 20_000, "more than 20 levels", id="deep list"),
    pytest.param("{a: " * 20_000, "more than 20 levels", id="deep mapping"),
    pytest.param("a: *b", "*b stands for nothing yet", id="unknown alias"),
    pytest.param("a: &b [*b]", "*b stands for nothing yet", id="alias within itself"),
    pytest.param("a: 1\n---\nb: 2", "x:2: a second document", id="two documents"),
    pytest.param("? [1]\n: 2", "a key that is no plain word", id="list as a key"),
    pytest.param("a: \x07", "no YAML", id="control character"),
    pytest.param("a" * (MOST_CHARACTERS + 1), "characters; allowed", id="long file"),
    pytest.param(BOMB, "more than 100000 values", id="bomb"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "what"), BAD)
def test_what_no_rulebook_needs_is_refused_in_one_line(text: str, what: str) -> None:
    with pytest.raises(RulebookError) as caught:
        read_yaml(text, "x")
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)
