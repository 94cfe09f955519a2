"""The rulebook's short paraphrase of each section, shown to people beside its number."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from thirdcard.rules.rulebook.load import Rulebook, load_rulebook, rulebook_ids
from thirdcard.service.config.rulebook_files import kept_text
from thirdcard.service.config.table_file import TableConfig


class RuleWords:
    """The paraphrases of all sections: of the shipped rulebooks, and of a house's own."""

    def __init__(self, own: Iterable[Rulebook] = ()) -> None:
        self._own = {book.id: book for book in own}

    @classmethod
    def of_table(cls, table: TableConfig) -> RuleWords:
        """The paraphrases for a table, which may use a house's own rulebook."""
        return cls(() if kept_text(table.rulebook_reference) is None else (table.rules.rulebook,))

    @classmethod
    def joined(cls, several: Iterable[RuleWords]) -> RuleWords:
        """The paraphrases for several tables."""
        return cls(book for words in several for book in words._own.values())

    def of(self, section: str | None, rulebook: str) -> str:
        """The paraphrase of a section in the rulebook with that id; empty where there is none."""
        book = self._own.get(rulebook) or _shipped(rulebook)
        return "" if book is None or section is None else book.words_of(section) or ""


@lru_cache
def _shipped(name: str) -> Rulebook | None:
    return load_rulebook(name) if name in rulebook_ids() else None
