"""Pair found alerts with true incidents.

A pair has the same code, the same seat and hand where both give one, and times within the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from thirdcard.service.evaluate.accounts import Incident, Tolerance

WINDOW_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A true incident and the alert for it."""

    truth: Incident
    found: Incident

    @property
    def delay_s(self) -> float | None:
        """Seconds from the fault to the alert; None where unknown."""
        return None if self.found.noticed_at is None else max(0.0, self.found.noticed_at - self.truth.t)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The pairing of found alerts and true incidents."""

    hits: tuple[Hit, ...] = ()
    missed: tuple[Incident, ...] = ()
    false: tuple[Incident, ...] = ()
    tolerated: tuple[Incident, ...] = ()

    @property
    def n_true(self) -> int:
        """The number of true incidents."""
        return len(self.hits) + len(self.missed)

    @property
    def precision(self) -> float | None:
        """The share of hits among counted alerts; None where there were none."""
        return ratio(len(self.hits), len(self.hits) + len(self.false))

    @property
    def recall(self) -> float | None:
        """The share of incidents that were found; None where there were none."""
        return ratio(len(self.hits), self.n_true)

    @property
    def median_delay_s(self) -> float | None:
        """Median delay in seconds; None without a hit of known delay."""
        delays = self.delays_s
        return median(delays) if delays else None

    @property
    def delays_s(self) -> tuple[float, ...]:
        """The known delays in seconds."""
        return tuple(hit.delay_s for hit in self.hits if hit.delay_s is not None)

    @property
    def codes(self) -> list[str]:
        """Every code in the pairing, sorted."""
        told = [*(hit.truth for hit in self.hits), *self.missed, *self.false, *self.tolerated]
        return sorted({incident.code for incident in told})

    def of(self, code: str) -> Matching:
        """The part of the pairing for one code."""
        return Matching(
            hits=tuple(hit for hit in self.hits if hit.truth.code == code),
            missed=tuple(each for each in self.missed if each.code == code),
            false=tuple(each for each in self.false if each.code == code),
            tolerated=tuple(each for each in self.tolerated if each.code == code),
        )


def match(
    truth: Sequence[Incident],
    found: Sequence[Incident],
    tolerated: Sequence[Tolerance] = (),
    *,
    window_s: float = WINDOW_S,
) -> Matching:
    """Pair incidents and alerts, nearest in time first; the rest is missed, tolerated or false."""
    pairs = sorted(
        (abs(one.t - other.t), i, j)
        for i, one in enumerate(truth)
        for j, other in enumerate(found)
        if _go_together(one, other, window_s)
    )
    taken_truth: set[int] = set()
    taken_found: set[int] = set()
    hits = []
    for _, i, j in pairs:
        if i not in taken_truth and j not in taken_found:
            taken_truth.add(i)
            taken_found.add(j)
            hits.append(Hit(truth=truth[i], found=found[j]))
    left = [incident for j, incident in enumerate(found) if j not in taken_found]
    allowed = [incident for incident in left if any(each.covers(incident) for each in tolerated)]
    return Matching(
        hits=tuple(sorted(hits, key=lambda hit: hit.truth.t)),
        missed=tuple(incident for i, incident in enumerate(truth) if i not in taken_truth),
        false=tuple(incident for incident in left if incident not in allowed),
        tolerated=tuple(allowed),
    )


def join(matchings: Sequence[Matching]) -> Matching:
    """The pairings of several recordings joined."""
    return Matching(
        hits=tuple(hit for each in matchings for hit in each.hits),
        missed=tuple(incident for each in matchings for incident in each.missed),
        false=tuple(incident for each in matchings for incident in each.false),
        tolerated=tuple(incident for each in matchings for incident in each.tolerated),
    )


def ratio(part: float, whole: int) -> float | None:
    """The quotient; None where the whole is 0."""
    return part / whole if whole else None


def _go_together(truth: Incident, found: Incident, window_s: float) -> bool:
    is_seat = truth.seat is None or found.seat is None or truth.seat == found.seat
    is_hand = truth.hand is None or found.hand is None or truth.hand == found.hand
    return truth.code == found.code and is_seat and is_hand and abs(truth.t - found.t) <= window_s
