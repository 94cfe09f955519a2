"""Tell from two hands' points whether each is due a third card, also where some of the points are not known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from rules.cards import Card
from rules.hand import NATURALS
from rules.third_card import POINTS, TableOfPlay


class Verdict(StrEnum):
    """Whether a hand is due a third card."""

    DUE = "due"
    NOT_DUE = "not_due"
    UNKNOWN = "unknown"


_DUE, _NOT_DUE, _UNKNOWN = Verdict


@dataclass(frozen=True, slots=True)
class Duty:
    """A verdict and the rule behind it."""

    verdict: Verdict
    rule: str | None = None

    @property
    def is_due(self) -> bool:
        return self.verdict is _DUE


@cache
def _duty(verdict: Verdict, rule: str | None) -> Duty:
    return Duty(verdict, rule)


NOT_TOLD = Duty(_UNKNOWN)
"""Where it rests on what is not known."""


def player_duty(player: int | None, banker: int | None, table: TableOfPlay) -> Duty:
    """Whether the Player draws; points of the first two cards, None where a face is not known."""
    if player in NATURALS or banker in NATURALS:
        return _duty(_NOT_DUE, table.natural_rule)
    if player is not None and player not in table.player_draws:
        return _duty(_NOT_DUE, table.player_rule)
    return NOT_TOLD if player is None or banker is None else _duty(_DUE, table.player_rule)


def natural_duty(table: TableOfPlay) -> Duty:
    """Neither hand draws to a natural."""
    return _duty(_NOT_DUE, table.natural_rule)


def banker_duty_after_stand(banker: int, table: TableOfPlay) -> Duty:
    """Whether the Banker draws where the Player stands."""
    draws = banker in table.banker_draws_after_stand
    return _duty(_DUE if draws else _NOT_DUE, table.banker_after_stand_rule)


def banker_duty_after_draw(banker: int, third: Card | None, table: TableOfPlay) -> Duty:
    """Whether the Banker draws after the Player's third card, None where its face is not known."""
    row, rule = table.banker_draws_after_draw[banker], table.banker_after_draw_rule
    if third is not None:
        return _duty(_DUE if third.point_value in row else _NOT_DUE, rule)
    if not row:
        return _duty(_NOT_DUE, rule)
    return _duty(_DUE, rule) if len(row) == len(POINTS) else NOT_TOLD
