"""What stands beside a section's number: of the program's rulebooks and of the house's own."""

from __future__ import annotations

from dataclasses import replace

from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.service.config.rule_words import RuleWords


def test_words_are_those_of_the_rulebook_that_is_cited() -> None:
    words = RuleWords()
    assert words.of("6.3", "tas").startswith("No wager on a hand may be placed")
    assert words.of("6.3", "nz-authority") == ""
    assert words.of("5.10(a)", "nz-authority") == "A winning wager on the Player's Hand is paid 1 to 1."


def test_house_s_own_rulebook_has_its_own_words() -> None:
    book = replace(load_rulebook("ez"), id="lotus", sections={"6.3": "Nothing after the bell."})
    words = RuleWords.joined([RuleWords(), RuleWords([book])])
    assert (words.of("6.3", "lotus"), words.of("6.3", "tas")[:8]) == ("Nothing after the bell.", "No wager")


def test_nothing_is_said_where_nothing_is_known() -> None:
    words = RuleWords()
    assert [words.of(None, "tas"), words.of("99", "tas"), words.of("6.3", "nobody's"), words.of("1", "../ez")] == [
        ""
    ] * 4
