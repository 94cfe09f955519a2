"""Mutants of code, by name: where a rule is not data, the engine is broken there for as long as the context is open."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from thirdcard.rules.game.cards import PACK, Card

Holding = Callable[[str], AbstractContextManager[None]]
Replacement = tuple[Any, str, Any]
"""Whose attribute, its name and what it is meanwhile."""


@contextmanager
def patched(replacements: Sequence[Replacement]) -> Iterator[None]:
    """Replace attributes for as long as the context is open; nothing that was worked out before or meanwhile stays."""
    old = [(owner, name, getattr(owner, name)) for owner, name, _ in replacements]
    try:
        for owner, name, value in replacements:
            setattr(owner, name, value)
        forget()
        yield
    finally:
        for owner, name, value in old:
            setattr(owner, name, value)
        forget()


def forget() -> None:
    """Empty what the engine remembers between rounds, but not the rulebooks."""
    for name, module in tuple(sys.modules.items()):
        if name.startswith("thirdcard.rules") and not name.startswith("thirdcard.rules.rulebook"):
            for value in vars(module).values():
                clear = getattr(value, "cache_clear", None)
                if clear is not None and value.__module__.startswith("thirdcard.rules") and value.__name__ != "load_rulebook":
                    clear()


@contextmanager
def counting(points: Callable[[Card], int]) -> Iterator[None]:
    """Let cards have other points."""
    old = [card.point_value for card in PACK]
    try:
        for card in PACK:
            object.__setattr__(card, "point_value", points(card))
        forget()
        yield
    finally:
        for card, value in zip(PACK, old, strict=True):
            object.__setattr__(card, "point_value", value)
        forget()


BROKEN_CODE: Mapping[str, Holding] = {}
