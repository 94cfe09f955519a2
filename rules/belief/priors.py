"""How rare faults are: the prior probabilities that readings are weighed with.

The rates stand in `priors.yaml`, with their sources.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import yaml

PRIORS = Path(__file__).with_name("priors.yaml")
WRONG_RESULT = "misdeal.wrong_result"


@dataclass(frozen=True, slots=True)
class Priors:
    """How often faults and wrong set-ups happen; rates per round."""

    rates: Mapping[str, float]
    """Rate by code, or by the part of the code before the dot."""
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By code: its rate in rounds with another code's fault."""
    setups: Mapping[str, float] = field(default_factory=dict)
    """The probability that a table is set up wrongly, by what is wrong."""
    print_odds: float = 1.0
    """How many times likelier the print of the cloth reads as swapped if the set-up has it swapped."""
    again: float = 1.0
    """The probability that a fault happens again in the same round."""
    hint_odds: float = 2.0
    """How many times likelier a round must be under another set-up to speak for that, or against it."""
    hint_after_rounds: int = 3
    """A fault found in this many rounds in a row is probably an error of the set-up, not of the dealer."""
    misread_winner: float = 1.0
    """The share of rounds in which the cards are read to have another winner than they have."""
    missed_card: float = 0.0
    """The share of dealt cards that leave no line in the log."""
    missed_back: float = 0.0
    """The same share for cards that lie face down, in rounds in which other cards came unseen."""
    unseen_backs: float = 0.0
    """The share of tables at which cards are dealt face down, and a camera sees no back in its first round."""
    poor_backs: float = 0.0
    """The share of tables at which the camera sees some backs and misses others."""
    turned_unseen: float = 1.0
    """Elsewhere: the share of cards dealt face down that were first seen after they were turned, or dealt face up."""

    wrong_points: float = 1.0
    """The probability of the points that are announced for a hand, if they are wrong."""
    touched_twice: float = 0.0
    """The probability that a stack which seems to have changed at the dealer's hand since the call, and back at the
    player's, was only touched."""

    needless_move: float = 1.0
    """The share of rounds in which a card of the right hand is moved to the other, or seems to be."""
    unseen_turn: float = 1.0
    """The share of the cards that are turned which the log never has open."""

    @property
    def missed_share(self) -> float:
        """The probability that a card was missed when a hand was passed or turned before the log had four cards."""
        handled_early = self.rate("procedure.sequence")
        return self.missed_card / (self.missed_card + (1.0 - self.missed_card) * handled_early)

    def with_rates(self, rates: Mapping[str, float]) -> Priors:
        """A copy with a house's own rates, by code or by the part of the code before the dot."""
        return replace(self, rates={**self.rates, **rates})

    def rate(self, code: str, others: Collection[str] = ()) -> float:
        """The share of rounds in which the fault happens, given the other faults of the round."""
        family = code.partition(".")[0]
        rate = self.rates.get(code, self.rates.get(family, 1.0))
        consequences = self.given.get(code, {})
        return max((consequences[other] for other in others if other in consequences), default=rate)

    def share_of_wrong_points(self, hands: int) -> float:
        """The probability of the points announced for so many hands, if they are wrong."""
        return self.wrong_points**hands


@cache
def shipped_priors() -> Priors:
    """The priors of `priors.yaml`."""
    written = yaml.safe_load(PRIORS.read_text(encoding="utf-8"))
    return Priors(**written)
