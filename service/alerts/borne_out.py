"""Whether alerts are false no more often than their confidences say, by what people decided about them.

Of alerts with the confidences c the number of false ones is a sum of independent draws with the chances 1 - c (a
Poisson binomial distribution). The confidences do not hold where so many, or more, come by chance once in a thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RARE = 0.001
"""One false warning on a page of a thousand tables whose confidences hold."""


@dataclass(frozen=True, slots=True)
class BorneOut:
    """Decided alerts whose confidence somebody estimated."""

    confidences: tuple[float, ...] = ()
    """0 to 1, below 1: what is entirely sure was not estimated."""
    false: int = 0
    """How many of them were dismissed as misread."""

    @property
    def expected_false(self) -> float | None:
        """As many would be false on the mean; None where there is none."""
        return sum(1.0 - confidence for confidence in self.confidences) if self.confidences else None

    @property
    def is_kept(self) -> bool:
        """Whether the number of false ones may have come by chance."""
        return chance_of(self.false, self.confidences) >= RARE


def chance_of(false: int, confidences: Sequence[float]) -> float:
    """How likely it is that so many or more are false, each being true with its confidence."""
    fewer = np.zeros(false)
    if false:
        fewer[0] = 1.0
    for confidence in confidences:
        fewer[1:] = fewer[1:] * confidence + fewer[:-1] * (1.0 - confidence)
        fewer[:1] *= confidence
    return float(1.0 - fewer.sum())
