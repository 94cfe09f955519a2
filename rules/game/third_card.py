"""The table of play: who draws a third card and who stands.

The table is data that a rulebook brings; nothing here names a rulebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thirdcard.rules.errors import DecisionError
from thirdcard.rules.game.hand import is_natural

POINTS = range(10)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a hand draws, and by which rule."""

    draws: bool
    rule: str | None
    """The rule that orders it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOfPlay:
    """When each hand draws a third card, with the rule for each part."""

    natural_rule: str | None
    player_draws: frozenset[int]
    player_rule: str | None
    banker_draws_after_stand: frozenset[int]
    banker_after_stand_rule: str | None
    banker_draws_after_draw: Mapping[int, frozenset[int]]
    """For each of the Banker's points: the points of the Player's third card on which the Banker draws."""
    banker_after_draw_rule: str | None
    single_card_rule: str | None
    """The rule that allows a hand at most one further card."""

    def player(self, player_points: int, banker_points: int) -> Decision:
        """The Player's decision after the initial deal."""
        if is_natural(player_points) or is_natural(banker_points):
            return Decision(False, self.natural_rule)
        return Decision(player_points in self.player_draws, self.player_rule)

    def banker(self, player_points: int, banker_points: int, third_points: int | None) -> Decision:
        """The Banker's decision.

        Args:
            player_points: The Player's two-card points.
            banker_points: The Banker's two-card points.
            third_points: Points of the Player's third card; None where the Player stands.

        Raises:
            DecisionError: A third card where the Player stands, or none where the Player draws.
        """
        if self.player(player_points, banker_points).draws != (third_points is not None):
            raise DecisionError(
                f"third card = {third_points} with Player {player_points} and Banker {banker_points}; "
                "allowed: a card just where the Player draws"
            )
        if is_natural(player_points) or is_natural(banker_points):
            return Decision(False, self.natural_rule)
        if third_points is None:
            return Decision(banker_points in self.banker_draws_after_stand, self.banker_after_stand_rule)
        draws = third_points in self.banker_draws_after_draw[banker_points]
        return Decision(draws, self.banker_after_draw_rule)
