"""How rare faults are: what a reading is weighed against before it is believed.

The rates stand in `priors.yaml` with where they come from.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import yaml

PRIORS = Path(__file__).with_name("priors.yaml")


@dataclass(frozen=True, slots=True)
class Priors:
    """How often each fault happens, a round."""

    rates: Mapping[str, float]
    """By code, or by the part of it before the dot."""
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By code the rate in a round in which another code's fault happened."""
    setups: Mapping[str, float] = field(default_factory=dict)
    """How often a table is set up wrongly, by what is wrong."""
    again: float = 1.0
    """How often a fault that happened in a round happens in it again."""
    hint_after_rounds: int = 3
    """A fault that is found in so many rounds on end is rarely the dealer's."""
    missed_card: float = 0.0
    """The share of dealt cards that leave no line in the log."""

    missed_back: float = 0.0
    """The same of backs in rounds in which others came unseen."""

    @property
    def missed_share(self) -> float:
        """How likely it is that a card was missed, where a hand was passed or turned before the log had four cards."""
        handled_early = self.rate("procedure.sequence")
        return self.missed_card / (self.missed_card + (1.0 - self.missed_card) * handled_early)

    def with_rates(self, rates: Mapping[str, float]) -> Priors:
        """The same with a house's own rates, by code or the part of it before the dot."""
        return replace(self, rates={**self.rates, **rates})

    def rate(self, code: str, others: Collection[str] = ()) -> float:
        """The share of rounds in which that fault happens, in rounds with those other faults."""
        family = code.partition(".")[0]
        rate = self.rates.get(code, self.rates.get(family, 1.0))
        consequences = self.given.get(code, {})
        return max((consequences[other] for other in others if other in consequences), default=rate)


@cache
def shipped_priors() -> Priors:
    """Those of `priors.yaml`."""
    written = yaml.safe_load(PRIORS.read_text(encoding="utf-8"))
    return Priors(**written)
