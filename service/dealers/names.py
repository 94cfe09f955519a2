"""Compare the spellings of names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

ALIKE = 0.84
"""The least share of common letters of two spellings of one name: one letter of six may be wrong or missing."""


def tidy(name: str) -> str:
    """A name for display: without superfluous blanks."""
    return " ".join(name.split())


def fold(name: str) -> str:
    """A name without case, accents, punctuation and order of words: `Tan, Ben` becomes `ben tan`.

    What holds no letter, as a number, keeps its signs and its order.
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = re.findall(r"\w+", letters.replace("_", " "))
    has_letters = any(letter.isalpha() for letter in letters)
    return " ".join(sorted(words)) if has_letters else tidy(name).casefold()


def looks_like(name: str, others: Iterable[str]) -> str | None:
    """The most similar of the other names, if it may be a misspelling of this one; else None."""
    here = fold(name)
    near = [(SequenceMatcher(None, here, fold(other)).ratio(), other) for other in others if fold(other) != here]
    likeness, other = max(near, default=(0.0, ""))
    return other if likeness >= ALIKE else None
