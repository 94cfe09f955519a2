"""Check whether the alerts' confidences hold, by the share that people dismissed as false.

If the confidences c hold, the number of false alerts is a sum of independent draws with probabilities 1 - c (a Poisson
binomial distribution). They are rejected where as many false alerts, or more, would occur by chance at most once in a
thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RARE = 0.001
"""The probability of a false warning: one on a page of a thousand tables whose confidences hold."""


@dataclass(frozen=True, slots=True)
class BorneOut:
    """Decided alerts with an estimated confidence."""

    confidences: tuple[float, ...] = ()
    """0 to 1, below 1; a confidence of 1 was not estimated."""
    false: int = 0
    """The number of them dismissed as misread."""

    @property
    def expected_false(self) -> float | None:
        """The expected number of false alerts; None where there are no alerts."""
        return sum(1.0 - confidence for confidence in self.confidences) if self.confidences else None

    @property
    def is_kept(self) -> bool:
        """Whether this number of false alerts may occur by chance."""
        return chance_of(self.false, self.confidences) >= RARE


def chance_of(false: int, confidences: Sequence[float]) -> float:
    """The probability of at least this many false alerts, if each is true with its confidence."""
    fewer = np.zeros(false)
    if false:
        fewer[0] = 1.0
    for confidence in confidences:
        fewer[1:] = fewer[1:] * confidence + fewer[:-1] * (1.0 - confidence)
        fewer[:1] *= confidence
    return float(1.0 - fewer.sum())
