"""Compare the spellings of names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

LONGEST_NAME = 200
HALF = 0.5
"""A share of common letters: of shorter names, as in Chinese, one sign may have changed."""
ALIKE = 0.84
"""The least share of common letters of two spellings of one name: one letter of six may be wrong or missing."""


def tidy(name: str) -> str:
    """A name for display: without superfluous blanks."""
    return " ".join(name.split())


def fold(name: str) -> str:
    """A name without case, accents, punctuation and order of words: `Tan, Ben` becomes `ben tan`.

    What holds a digit, as a number or a badge, or no letter, keeps its signs and its order.
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = re.findall(r"\w+", letters.replace("_", " "))
    is_name = any(letter.isalpha() for letter in letters) and not any(letter.isdigit() for letter in letters)
    return (" ".join(sorted(words)) if is_name else tidy(name).casefold())[:LONGEST_NAME]


def is_one_person(name: str, other: str) -> bool:
    """Whether a name may be the other after a change: they share a word, or most of their letters."""
    one, two = fold(name), fold(other)
    return bool(set(one.split()) & set(two.split())) or SequenceMatcher(None, one, two).ratio() > HALF


def looks_like(name: str, others: Iterable[str]) -> str | None:
    """The most similar of the other names, if it may be a misspelling of this one; else None."""
    here = fold(name)
    near = [(SequenceMatcher(None, here, fold(other)).ratio(), other) for other in others if fold(other) != here]
    likeness, other = max(near, default=(0.0, ""))
    return other if likeness >= ALIKE else None
