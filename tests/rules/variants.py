"""All variants of each rulebook, one elected option at a time, and Ante Up with and without a waiver."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.rules.builders import RULEBOOKS
from thirdcard.rules.errors import OptionError
from thirdcard.rules.rulebook.load import elect, load_rulebook

Elected = dict[str, Any]
ANTE_UP: list[Elected] = [{"ante": 5}, {"ante": 5, "ante_waived_from": 100}, {"ante": 5, "two_to_one": True}]
VARIANTS: list[tuple[str, Elected]] = [
    (name, {option.key: value})
    for name in RULEBOOKS
    for option in load_rulebook(name).options
    for value in option.values
]
VARIANTS += [("nz-secretary", elected) for elected in ANTE_UP]


def named(rulebook_id: str, elected: Elected) -> str:
    """The variant's name in a test's id."""
    return "-".join([rulebook_id, *(f"{key}-{value}" for key, value in elected.items())])


def variants_of(rulebook_id: str) -> st.SearchStrategy[Elected]:
    """Any variant of the rulebook except Ante Up, with any dealing style."""
    book = load_rulebook(rulebook_id)
    own = [elected for name, elected in VARIANTS if name == rulebook_id and not elected.get("ante")]
    styles = st.sampled_from(sorted(book.styles))
    elected = st.builds(lambda elected, style: {"dealing_style": style} | elected, st.sampled_from(own), styles)
    return elected.filter(lambda options: _is_allowed(rulebook_id, options))


def _is_allowed(rulebook_id: str, options: Elected) -> bool:
    try:
        elect(load_rulebook(rulebook_id), options)
    except OptionError:
        return False
    return True
