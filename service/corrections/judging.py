"""Judge a whole log again, from its lines and the rules stored with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.errors import RulesError
from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.log.events import DealerChanged, parse_event
from thirdcard.rules.referee import Judgement, Referee
from thirdcard.rules.round.records import RoundRecord, format_round
from thirdcard.rules.rulebook.load import elect
from thirdcard.service.config.rulebook_files import rulebook_of_log
from thirdcard.service.interpretation.alert_policy import AlertPolicy, is_likely
from thirdcard.service.interpretation.alert_policy import belief_of as believing
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import chain

ASIDE = ("confidence", "noticed_at", "evidence")
"""Fields of an alert that may differ between two reports of the same fault."""


class UnjudgeableError(ServiceError):
    """A log cannot be judged with these rules or lines."""


@dataclass(slots=True, kw_only=True)
class Verdicts:
    """The referee's verdicts on a log."""

    rounds: dict[int, RoundRecord] = field(default_factory=dict)
    """Closed rounds, by number."""
    dealers: dict[int, str | None] = field(default_factory=dict)
    """The dealer, by number of the round."""
    alerts: list[Alert] = field(default_factory=list)

    @property
    def divisions(self) -> list[tuple[int, float | None]]:
        """The rounds and the time at which each closed."""
        return [(number, record.closed) for number, record in sorted(self.rounds.items())]


def belief_of(rules: Mapping[str, Any]) -> Belief:
    """The belief for the rules stored with a log: rulebook, options, shoe, limits and chips; the same as a watch has.

    Raises:
        UnjudgeableError: The rulebook is unknown, or the rules cannot be used.
    """
    try:
        elected = elect(rulebook_of_log(rules), rules.get("options", {}))
    except (RulesError, KeyError) as error:
        raise UnjudgeableError(f"the log's rules cannot be used: {error}") from error
    shoe = rules.get("shoe", {})
    referee = Referee(
        elected,
        decks=shoe.get("decks", 8),
        device=shoe.get("device", "shoe"),
        limits=rules.get("limits", {}),
        chips=_chips_of(rules),
        is_alleged=is_likely,
    )
    return believing(referee, AlertPolicy(**rules.get("alerts", {})))


def _chips_of(rules: Mapping[str, Any]) -> tuple[int, ...]:
    """The values of the table's chips in minor units; old rows store only the smallest."""
    smallest = rules.get("smallest_chip")
    return tuple(rules.get("chips", () if smallest is None else (smallest,)))


def judge_lines(rules: Mapping[str, Any], bodies: Iterable[Mapping[str, Any]]) -> Verdicts:
    """The referee's verdicts on a log's lines; a round that is not closed is left out.

    Raises:
        UnjudgeableError: A line cannot be judged.
    """
    verdicts, belief, dealer = Verdicts(), belief_of(rules), None
    try:
        for body in bodies:
            event = parse_event(body)
            if isinstance(event, DealerChanged):
                dealer = event.dealer
            _note(verdicts, belief.observe(event), dealer)
        _note(verdicts, belief.finish(), dealer)
    except RulesError as error:
        raise UnjudgeableError(f"the log cannot be judged like that: {error}") from error
    return verdicts


def _note(verdicts: Verdicts, judgement: Judgement, dealer: str | None) -> None:
    verdicts.alerts = [alert for alert in verdicts.alerts if not any(map(alert.is_same_as, judgement.withdrawn))]
    verdicts.alerts += judgement.alerts
    for record in judgement.rounds:
        if record.closed is not None:
            verdicts.rounds[record.round] = record
            verdicts.dealers[record.round] = dealer


def fault_key(body: Mapping[str, Any]) -> str:
    """A key for the fault that an alert reports, whenever it was noticed; alerts with the same key are the same."""
    return chain.canonical({name: value for name, value in body.items() if name not in ASIDE})


def alert_bodies(verdicts: Verdicts) -> dict[str, dict[str, Any]]:
    """Alerts by their fault's key."""
    bodies = [json.loads(chain.canonical(format_alert(alert))) for alert in verdicts.alerts]
    return {fault_key(body): body for body in bodies}


def record_body(record: RoundRecord) -> dict[str, Any]:
    """A round record as the store keeps it."""
    body: dict[str, Any] = json.loads(chain.canonical(format_round(record)))
    return body
