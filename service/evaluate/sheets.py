"""Text tables, and the format of figures in them."""

from __future__ import annotations

from dataclasses import dataclass

from thirdcard.service.evaluate.matching import ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The first cell is a name, the others are figures."""


def share_of(part: int, whole: int) -> str:
    """`3 of 4 (75.0 %)`; without the share where the whole is 0."""
    share = ratio(part, whole)
    return f"{part} of {whole}" if share is None else f"{part} of {whole} ({percent(share)})"


def percent(share: float | None) -> str:
    """`75.0 %`; empty for None."""
    if share is None:
        return ""
    return f"{100 * share:.0f} %" if share in (0.0, 1.0) else f"{100 * share:.1f} %"
