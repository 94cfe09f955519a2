"""Decide from two hands' points whether each is due a third card, even where some points are unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple, Self

from thirdcard.rules.game.hand import NATURALS
from thirdcard.rules.game.third_card import POINTS, TableOfPlay
from thirdcard.rules.game.words import Side


class Verdict(StrEnum):
    """Whether a hand is due a third card."""

    DUE = "due"
    NOT_DUE = "not_due"
    UNKNOWN = "unknown"


_DUE, _NOT_DUE, _UNKNOWN = Verdict
_CHOICES = tuple(product((True, False), repeat=3))
"""Every choice of which of a situation's three parts are known."""


@dataclass(frozen=True, slots=True)
class Duty:
    """A verdict and the rule behind it."""

    verdict: Verdict
    rule: str | None = None


@cache
def _duty(verdict: Verdict, rule: str | None) -> Duty:
    return Duty(verdict, rule)


NOT_TOLD = Duty(_UNKNOWN)
"""The duty where it depends on unknown points."""
NO_THIRD = -1
"""The placeholder for the points of the Player's third card where there is none."""


class Duties(NamedTuple):
    """The duties of both hands."""

    player: Duty
    banker: Duty


NONE_TOLD = Duties(NOT_TOLD, NOT_TOLD)
Situation = tuple[int | None, int | None, int | None]
"""The points of the Player's and the Banker's first two cards and of the Player's third; None where unknown."""


class DutyTable(dict[Situation, Duties]):
    """A table of play with cached duties for each situation that was asked for; there are 1,452 at most."""

    def __init__(self, table: TableOfPlay) -> None:
        super().__init__()
        self.table = table

    def __deepcopy__(self, _memo: object) -> Self:
        """Itself: the cached duties hold for every copy."""
        return self

    def __missing__(self, situation: Situation) -> Duties:
        player, banker, third = situation
        duty = player_duty(player, banker, self.table)
        is_natural = player in NATURALS or banker in NATURALS
        other = duty if is_natural else _banker_duty(duty, banker, third, self.table)
        duties = self[situation] = Duties(duty, other)
        return duties


def duty_confidence(duties: DutyTable, situation: Situation, sure: Sequence[float], side: Side) -> float:
    """A lower bound of a verdict's confidence, 0 to 1, where each of the situation's points may be misread.

    A verdict may rest on some of the points alone: the Player stands on 7 whatever the Banker has. Of all sets of
    points that suffice, the one with the highest confidence counts.

    Args:
        duties: The table of play.
        situation: As it was read.
        sure: The confidence of each of its three parts, 0 to 1.
        side: Whose third card.
    """
    verdict, surest = duties[situation][side is Side.BANKER].verdict, 0.0
    for are_known in _CHOICES:
        player, banker, drawn = (
            part if is_known else None for part, is_known in zip(situation, are_known, strict=True)
        )
        third = NO_THIRD if situation[2] == NO_THIRD else drawn
        if duties[player, banker, third][side is Side.BANKER].verdict is verdict:
            surest = max(surest, prod(one for one, is_known in zip(sure, are_known, strict=True) if is_known))
    return surest


def player_duty(player: int | None, banker: int | None, table: TableOfPlay) -> Duty:
    """Whether the Player draws, by the points of both hands' first two cards; None where a face is unknown."""
    if player in NATURALS or banker in NATURALS:
        return _duty(_NOT_DUE, table.natural_rule)
    if player is not None and player not in table.player_draws:
        return _duty(_NOT_DUE, table.player_rule)
    return NOT_TOLD if player is None or banker is None else _duty(_DUE, table.player_rule)


def _banker_duty(player: Duty, banker: int | None, third: int | None, table: TableOfPlay) -> Duty:
    """Whether the Banker draws; unknown until the Player's due card has come."""
    if player.verdict is _UNKNOWN or banker is None:
        return NOT_TOLD
    if player.verdict is _NOT_DUE:
        return banker_duty_after_stand(banker, table)
    return NOT_TOLD if third == NO_THIRD else banker_duty_after_draw(banker, third, table)


def banker_duty_after_stand(banker: int, table: TableOfPlay) -> Duty:
    """Whether the Banker draws after the Player stands."""
    draws = banker in table.banker_draws_after_stand
    return _duty(_DUE if draws else _NOT_DUE, table.banker_after_stand_rule)


def banker_duty_after_draw(banker: int, third: int | None, table: TableOfPlay) -> Duty:
    """Whether the Banker draws after the Player's third card of these points; None where its face is unknown."""
    row, rule = table.banker_draws_after_draw[banker], table.banker_after_draw_rule
    if third is not None:
        return _duty(_DUE if third in row else _NOT_DUE, rule)
    if not row:
        return _duty(_NOT_DUE, rule)
    return _duty(_DUE, rule) if len(row) == len(POINTS) else NOT_TOLD
