"""How a watch handled its camera's faults: when it noticed them and their end, false alerts, and the rounds after.

Times are stream time in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thirdcard.rules.log.events import CameraBack, CameraFaulted, Event
from thirdcard.service.evaluate.accounts import Incident, RoundAccount, TableAccount
from thirdcard.service.evaluate.sheets import Sheet, share_of
from thirdcard.service.watch.wording import clock

WITHIN_S = 3.0
"""The largest distance in seconds between a true fault and its report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFaultOutcome:
    """A true fault of the camera, and what the watch made of it."""

    fault: str
    from_s: float
    to_s: float
    told: str | None = None
    """The fault's name in the log; None where it was not noticed."""
    noticed_s: float | None = None
    """Seconds from the fault to its report."""
    ended_off_s: float | None = None
    """Seconds from the fault's end to its end in the log."""
    false_alerts: int = 0
    """From the fault to the next one, or to the end."""
    rounds: int = 0
    """True rounds that opened after the fault began and closed before the next."""
    rounds_exact: int = 0


def camera_fault_outcomes(
    truth: TableAccount, found: TableAccount, false: Sequence[Incident], exact: Sequence[RoundAccount]
) -> tuple[CameraFaultOutcome, ...]:
    """All true faults in order.

    Args:
        truth: The true account.
        found: The found account.
        false: The false alerts.
        exact: The true rounds that were found exactly.
    """
    spells = _spells(truth.events, truth.end_s)
    outcomes = []
    for i, (begun, to_s) in enumerate(spells):
        until_s = spells[i + 1][0].t if i + 1 < len(spells) else float("inf")
        after = [each for each in truth.rounds if begun.t <= each.opened and to_s <= each.closed < until_s]
        said = next((one for one in found.events if _tells(one, begun.t)), None)
        back = next((one.t for one in found.events if isinstance(one, CameraBack) and one.t >= to_s - WITHIN_S), None)
        outcomes.append(
            CameraFaultOutcome(
                fault=begun.fault or begun.type,
                from_s=begun.t,
                to_s=to_s,
                told=said.fault or said.type if isinstance(said, CameraFaulted) else None,
                noticed_s=_noticed_s(found.incidents, begun.t),
                ended_off_s=None if back is None or said is None else back - to_s,
                false_alerts=sum(begun.t <= each.t < until_s for each in false),
                rounds=len(after),
                rounds_exact=sum(each in exact for each in after),
            )
        )
    return tuple(outcomes)


def camera_faults_sheet(named: Sequence[tuple[str, CameraFaultOutcome]]) -> Sheet:
    """A table with a row for each fault of each recording."""
    columns = ("recording", "fault", "from", "for", "reported as", "noticed after", "ended in the log", "false alerts",
               "rounds after it exact")  # fmt: skip
    return Sheet(title="Camera faults", columns=columns, rows=tuple(_row(name, each) for name, each in named))


def _row(name: str, each: CameraFaultOutcome) -> tuple[str, ...]:
    return (
        name,
        each.fault,
        clock(each.from_s),
        f"{each.to_s - each.from_s:.1f} s",
        each.told or "not noticed",
        "" if each.noticed_s is None else f"{each.noticed_s:.1f} s",
        "" if each.ended_off_s is None else f"{each.ended_off_s:+.1f} s",
        f"{each.false_alerts}",
        share_of(each.rounds_exact, each.rounds) if each.rounds else "",
    )


def _spells(events: Sequence[Event], end_s: float) -> list[tuple[CameraFaulted, float]]:
    spells: list[tuple[CameraFaulted, float]] = []
    begun: CameraFaulted | None = None
    for event in events:
        if isinstance(event, CameraFaulted) and begun is None:
            begun = event
        elif isinstance(event, CameraBack) and begun is not None:
            spells.append((begun, event.t))
            begun = None
    return [*spells, (begun, end_s)] if begun is not None else spells


def _tells(event: Event, t: float) -> bool:
    return isinstance(event, CameraFaulted) and abs(event.t - t) <= WITHIN_S


def _noticed_s(incidents: Sequence[Incident], t: float) -> float | None:
    told = [
        one.noticed_at - t
        for one in incidents
        if one.code.startswith("camera.") and one.noticed_at is not None and abs(one.t - t) <= WITHIN_S
    ]
    return min(told, default=None)
