"""The referee's reading of one round for display: the cards, the duties of each hand, the payments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thirdcard.rules.errors import RulesError
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.duty import NO_THIRD, Duty, DutyTable, Verdict
from thirdcard.service.config.rulebook_files import rulebook_of_log
from thirdcard.service.rounds.corrections import CorrectedLine

SIDES = ("player", "banker")


@dataclass(frozen=True, slots=True, kw_only=True)
class FallenCard:
    """A card of the round, in order of dealing."""

    card_id: str
    t: float
    hand: str | None
    name: str | None
    """None where its face was not read."""
    line: int | None
    """The number of the log line that shows its face, or would."""
    turned_t: float | None
    """When it was turned, seconds; None where it was dealt face up, or never turned."""
    turned_by: str | None
    confidence: float | None
    is_corrected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDuty:
    """A hand's duty to draw by the table of play."""

    side: str
    two_card_total: int | None
    verdict: str
    """due, not_due or unknown."""
    rule: str | None
    got: bool
    """Whether it has a third card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerReading:
    """A wager, what it was due, and how it was settled."""

    area: str
    seat: int | None
    bet: str
    stake: int | None
    outcome: str | None
    pays: int | str | None
    why_open: str | None
    """Why its due amount is unknown."""
    settled: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReading:
    """The whole reading."""

    cards: Sequence[FallenCard]
    duties: Sequence[HandDuty]
    wagers: Sequence[WagerReading]
    announced: Mapping[str, Any] | None
    """The result that dealer or display announced."""


def read_round(record: Mapping[str, Any], lines: Sequence[CorrectedLine], rules: Mapping[str, Any]) -> RoundReading:
    """A round's reading, from its record and its lines after corrections."""
    judged = [line for line in lines if not line.is_removed]
    announced = [line.body for line in judged if line.body["type"] == "result_announced"]
    return RoundReading(
        cards=_cards(judged),
        duties=_duties(record, rules),
        wagers=_wagers(record, judged),
        announced=announced[-1] if announced else None,
    )


def _cards(lines: Sequence[CorrectedLine]) -> list[FallenCard]:
    hands = {line.body["card_id"]: line.body["hand"] for line in lines if line.body["type"] == "card_moved"}
    turned = {line.body["card_id"]: line for line in lines if line.body["type"] == "card_turned"}
    found = []
    for line in lines:
        body = line.body
        if body["type"] == "card_dealt":
            shown = turned.get(body["card_id"])
            face = line if shown is None else shown
            found.append(
                FallenCard(
                    card_id=body["card_id"],
                    t=body["t"],
                    hand=hands.get(body["card_id"], body.get("hand")),
                    name=face.body.get("card") or body.get("card"),
                    line=face.line,
                    turned_t=None if shown is None else shown.body["t"],
                    turned_by=None if shown is None else shown.body.get("by"),
                    confidence=face.body.get("confidence"),
                    is_corrected=face.corrected_by is not None,
                )
            )
    return found


def _duties(record: Mapping[str, Any], rules: Mapping[str, Any]) -> list[HandDuty]:
    """The duties by the rulebook's table of play; empty where the rulebook is unknown."""
    try:
        table = DutyTable(rulebook_of_log(rules).table)
    except (RulesError, KeyError):
        return []
    player, banker = (_total(record[side][:2]) for side in SIDES)
    third = _total(record["player"][2:3], least=1) if len(record["player"]) > 2 else NO_THIRD
    duties = table[player, banker, third]
    return [_duty(side, duty, record, total) for side, duty, total in zip(SIDES, duties, (player, banker), strict=True)]


def _duty(side: str, duty: Duty, record: Mapping[str, Any], total: int | None) -> HandDuty:
    is_told = duty.verdict is not Verdict.UNKNOWN
    return HandDuty(
        side=side,
        two_card_total=total,
        verdict=str(duty.verdict),
        rule=duty.rule if is_told else None,
        got=len(record[side]) > 2,
    )


def _total(names: Sequence[str | None], *, least: int = 2) -> int | None:
    known = [parse_card(name).point_value for name in names if name is not None]
    return sum(known) % 10 if len(known) == len(names) >= least else None


def _wagers(record: Mapping[str, Any], lines: Sequence[CorrectedLine]) -> list[WagerReading]:
    settled: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        if line.body["type"] == "wager_settled":
            settled.setdefault(line.body["area"], []).append(line.body)
    owed = [*record.get("due", ()), *record.get("due_open", ())]
    known = {due["area"] for due in owed}
    others = [rows[0] for area, rows in settled.items() if area not in known]
    found = [
        WagerReading(
            area=due["area"],
            seat=due.get("seat"),
            bet=due["bet"],
            stake=due.get("stake"),
            outcome=due.get("outcome"),
            pays=due.get("pays"),
            why_open=due.get("why"),
            settled=settled.get(due["area"], ()),
        )
        for due in (*owed, *others)
    ]
    return sorted(found, key=lambda wager: (wager.seat is None, wager.seat or 0, wager.area))
