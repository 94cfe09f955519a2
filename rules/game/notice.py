"""The limits on a table's notice, and those agreed with single players. Money in minor units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from thirdcard.rules.game.words import HANDS_AND_TIE, Bet

Range = tuple[int | None, int | None]
"""A minimum and a maximum; None where there is none."""
_NONE: Range = (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitChange:
    """A change of limits; None leaves a limit as it was."""

    minimum: int | None = None
    maximum: int | None = None
    differential: int | None = None
    collective: int | None = None
    bets: Mapping[Bet, Range] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether it changes no limit."""
        return not self.bets and self == LimitChange()

    def then(self, later: LimitChange) -> LimitChange:
        """This change followed by a later one, as one change."""
        return LimitChange(
            minimum=_later(self.minimum, later.minimum),
            maximum=_later(self.maximum, later.maximum),
            differential=_later(self.differential, later.differential),
            collective=_later(self.collective, later.collective),
            bets=_merged(self.bets, later.bets),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableNotice:
    """The limits of a table's notice in minor units; None: no limit."""

    minimum: int | None = None
    maximum: int | None = None
    differential: int | None = None
    collective: int | None = None
    bets: Mapping[Bet, Range] = field(default_factory=dict)
    """Minimum and maximum of single bets; they override the table's own."""
    players: Mapping[int, LimitChange] = field(default_factory=dict)
    """By seat: limits agreed with its player; they override the table's."""
    mains: frozenset[Bet] = frozenset(HANDS_AND_TIE)
    """The bets to which the table's own minimum and maximum apply."""

    def range_of(self, bet: Bet, seat: int | None = None) -> Range:
        """The minimum and maximum of a bet for the player at that seat, in minor units; None: no limit."""
        own = self.players.get(seat) if self.players and seat is not None else None
        if own is not None:
            return self._with(own).range_of(bet)
        general = (self.minimum, self.maximum) if bet in self.mains else _NONE
        low, high = self.bets.get(bet, _NONE)
        return (general[0] if low is None else low, general[1] if high is None else high)

    def changed(self, change: LimitChange, *, seat: int | None) -> TableNotice:
        """The notice after a change of the table's limits, or of one player's; an empty change ends the
        player's own."""
        if seat is None:
            return self._with(change)
        players = dict(self.players)
        agreed = players.pop(seat, LimitChange())
        if not change.is_empty:
            players[seat] = agreed.then(change)
        return replace(self, players=players)

    def _with(self, change: LimitChange) -> TableNotice:
        return TableNotice(
            minimum=_later(self.minimum, change.minimum),
            maximum=_later(self.maximum, change.maximum),
            differential=_later(self.differential, change.differential),
            collective=_later(self.collective, change.collective),
            bets=_merged(self.bets, change.bets),
            players=self.players,
            mains=self.mains,
        )


def _later(before: int | None, after: int | None) -> int | None:
    return before if after is None else after


def _merged(before: Mapping[Bet, Range], after: Mapping[Bet, Range]) -> Mapping[Bet, Range]:
    merged = dict(before)
    for bet, (low, high) in after.items():
        was = merged.get(bet, _NONE)
        merged[bet] = (_later(was[0], low), _later(was[1], high))
    return merged
