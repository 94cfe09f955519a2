"""When two ways to write a name are one person's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

ALIKE = 0.84
"""Share of letters in common from which two names may be one, misspelled: a letter of six that is wrong or missing."""


def tidy(name: str) -> str:
    """A name as it is shown: without blanks that do not count."""
    return " ".join(name.split())


def fold(name: str) -> str:
    """A name without case, accents, punctuation and the order of its words: `Tan, Ben` is `ben tan`."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(sorted(re.findall(r"\w+", letters.replace("_", " ")))) or tidy(name).casefold()


def looks_like(name: str, others: Iterable[str]) -> str | None:
    """Of other names that which may be the same, misspelled, and is nearest to it."""
    here = fold(name)
    near = [(SequenceMatcher(None, here, fold(other)).ratio(), other) for other in others if fold(other) != here]
    likeness, other = max(near, default=(0.0, ""))
    return other if likeness >= ALIKE else None
