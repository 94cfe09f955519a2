"""What people read beside a section's number: the rulebook's own short words of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from thirdcard.rules.rulebook.load import Rulebook, load_rulebook, rulebook_ids
from thirdcard.service.config.rulebook_files import kept_text
from thirdcard.service.config.table_file import TableConfig


class RuleWords:
    """The words of all sections: of the rulebooks that come with the program, and of a house's own."""

    def __init__(self, own: Iterable[Rulebook] = ()) -> None:
        self._own = {book.id: book for book in own}

    @classmethod
    def of_table(cls, table: TableConfig) -> RuleWords:
        """Those that hold at a table, which may be played by a rulebook of the house's own."""
        return cls(() if kept_text(table.rulebook_reference) is None else (table.rules.rulebook,))

    @classmethod
    def joined(cls, several: Iterable[RuleWords]) -> RuleWords:
        """Those of several tables."""
        return cls(book for words in several for book in words._own.values())

    def of(self, section: str | None, rulebook: str) -> str:
        """What a section of the rulebook of an id says; empty where nothing is known of it."""
        book = self._own.get(rulebook) or _shipped(rulebook)
        return "" if book is None or section is None else book.words_of(section) or ""


@lru_cache
def _shipped(name: str) -> Rulebook | None:
    return load_rulebook(name) if name in rulebook_ids() else None
