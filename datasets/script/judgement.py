"""The alerts that a script declares, with rule and remedy in the referee's words.

The script decides what counts as a fault; the referee, given the true table log, only adds severity, rule, message and
remedy. If the two disagree, the recording cannot serve as a reference, so that is an error of the script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch

from thirdcard.datasets.script.chronicle import Chronicle
from thirdcard.datasets.script.dealing_script import VoidHandWagered
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.script import Payout, Script
from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.log.events import parse_event
from thirdcard.rules.referee import Referee
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.rules.rulebook.options import elect

SCOPE = (
    "misdeal.",
    "late_bet.",
    "exposed_card.",
    "procedure.no_call",
    "procedure.wrong_handler",
    "procedure.both_hands_out",
    "procedure.card_off_table",
    "procedure.burn",
    "limit.",
)
"""The codes, or the beginnings of codes, that a script can declare."""
PAYOUTS = "payout."
"""Declared if a script asks for a mistake in settling; otherwise settlements are not checked."""
VOID_HANDS = "procedure.void_hand_wagered"
"""Declared if a script asks for it. A card in excess also voids the next hand, which scripts may ignore."""
_WHERE_WANTED = ((Payout, PAYOUTS), (VoidHandWagered, VOID_HANDS))
_TIME_S = 0.02

Line = Mapping[str, object]


def judged_alerts(script: Script, chronicle: Chronicle) -> list[Line]:
    """Return the declared alerts in order of time.

    Raises:
        ScriptError: The referee's verdict on what happened differs.
    """
    declared = chronicle.due(script.table.rulebook)
    events = [event for spec in script.rounds for event in spec.happenings]
    scope = (*SCOPE, *(code for kind, code in _WHERE_WANTED if any(isinstance(event, kind) for event in events)))
    alerts = [alert for alert in referee_alerts(script, chronicle) if alert.code.startswith(scope)]
    found = [format_alert(alert) for alert in alerts if not _is_tolerated(alert, chronicle)]
    missing = [line for line in declared if _match(line, found) is None]
    surplus = [line for line in found if _match(line, declared) is None]
    if missing or surplus:
        raise ScriptError(
            "rounds", _names(missing or surplus), "must be what the referee " + _verdict(missing, surplus)
        )
    return [{**line, **(_match(line, found) or {}), "confidence": 1.0} for line in declared]


def referee_alerts(script: Script, chronicle: Chronicle) -> list[Alert]:
    """Return the referee's alerts for the true table log."""
    table = script.table
    rules = elect(load_rulebook(table.rulebook), table.options, where="table.options")
    referee = Referee(rules, decks=table.shoe.decks, device=table.shoe.device, limits=table.limits)
    alerts: list[Alert] = []
    for line in chronicle.truth():
        alerts += referee.observe(parse_event(line)).alerts
    return [*alerts, *referee.finish().alerts]


def _is_tolerated(alert: Alert, chronicle: Chronicle) -> bool:
    return any(
        fnmatch(alert.code, line.code) and line.round == alert.round and line.seat in (None, alert.seat)
        for line in chronicle.tolerances
    )


def _match(line: Line, others: Sequence[Line]) -> Line | None:
    for other in others:
        same = all(line[key] == other[key] for key in ("round", "code", "seat", "bet", "area"))
        same &= None in (line["hand"], other["hand"]) or line["hand"] == other["hand"]
        if same and abs(float(str(line["t"])) - float(str(other["t"]))) < _TIME_S:
            return other
    return None


def _names(lines: Sequence[Line]) -> str:
    return ", ".join(f"{line['code']} in round {line['round']} at {line['t']}" for line in lines)


def _verdict(missing: Sequence[Line], surplus: Sequence[Line]) -> str:
    return "finds too; it does not" if missing else "finds; it is not declared" if surplus else ""
