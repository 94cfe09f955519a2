"""The titles of alert codes for people."""

from __future__ import annotations


def code_title(code: str) -> str:
    """The title of a code: `Late bet: increased` for `late_bet.increased`."""
    family, _, ending = code.partition(".")
    text = family.replace("_", " ").capitalize()
    return f"{text}: {ending.replace('_', ' ')}" if ending else text
