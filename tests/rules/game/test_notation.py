"""A round's cards on one line, and the examples in the documentation."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from thirdcard import rules
from thirdcard.rules.errors import NotationError
from thirdcard.rules.game.notation import format_round_cards, parse_round

MODULES = [module.name for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")]


@pytest.mark.parametrize("text", ["P 8H 4D 2C | B KS 9D", "P ? 4D | B 10S ?", "P | B"])
def test_round_survives_being_read_and_written(text: str) -> None:
    assert format_round_cards(parse_round(text)).split() == text.split()


@pytest.mark.parametrize("text", ["", "P 8H", "B 8H | P 9D", "P 8H | B 1S", "P 8H | B 9D | P"])
def test_what_is_no_round_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="round = "):
        parse_round(text)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_documentation_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
