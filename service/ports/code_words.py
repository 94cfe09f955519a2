"""What people read instead of an alert's code."""

from __future__ import annotations


def code_title(code: str) -> str:
    """`Late bet: increased` for `late_bet.increased`."""
    family, _, ending = code.partition(".")
    text = family.replace("_", " ").capitalize()
    return f"{text}: {ending.replace('_', ' ')}" if ending else text
