"""The search terms of a round, each as `key:value` in lower case.

Computed from a round's record, log lines and alerts alone, without any input or output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thirdcard.rules.errors import CardError
from thirdcard.rules.game.cards import parse_card

LONGEST = 200
CARD_LINES = frozenset({"card_dealt", "card_turned", "card_burned"})
BLIND_LINES = frozenset({"camera_lost", "camera_moved", "camera_obstructed"})
SIDES = ("player", "banker")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchableRound:
    """The facts about a round from which its terms are made."""

    table_id: str
    dealer: str | None
    rulebook: str | None
    origin: str
    """`live` or `review`."""
    record: Mapping[str, Any]
    lines: Sequence[Mapping[str, Any]]
    """Its lines of the table log, with corrections applied."""
    alerts: Sequence[Mapping[str, Any]]
    """Its alerts that are still valid, in the form of CONTRACT.md."""
    is_corrected: bool = False


def terms_of(facts: SearchableRound) -> list[str]:
    """All terms of a round, without duplicates, sorted."""
    found = {*_about(facts), *_outcome(facts.record), *_cards(facts)}
    for line in facts.lines:
        found.update(_line(line))
    for alert in facts.alerts:
        found.update(_alert(alert))
    return sorted(term.casefold()[:LONGEST] for term in found)


def change_kind(line: Mapping[str, Any]) -> str:
    """The kind of change of a stack: placed, increased, reduced, removed, or changed where it is unknown."""
    for before, after in ((line.get("before"), line.get("after")), (line.get("chips_before"), line.get("chips_after"))):
        if before is None and after == 0:
            return "removed"
        if before == 0 and after != 0:
            return "placed"
        if before is not None and after is not None and before != after:
            return "removed" if after == 0 else "increased" if after > before else "reduced"
    return "changed"


def _about(facts: SearchableRound) -> Iterator[str]:
    yield f"table:{facts.table_id}"
    yield f"origin:{facts.origin}"
    if facts.dealer is not None:
        yield f"dealer:{facts.dealer}"
    if facts.rulebook is not None:
        yield f"rulebook:{facts.rulebook}"
    if facts.is_corrected:
        yield "is:corrected"


def _outcome(record: Mapping[str, Any]) -> Iterator[str]:
    yield f"winner:{record.get('winner') or 'unknown'}"
    if record.get("void"):
        yield "is:void"
    if not record.get("complete"):
        yield "is:incomplete"
    hands = {side: list(record.get(side) or ()) for side in SIDES}
    for side, hand in hands.items():
        if len(hand) > 2:
            yield f"third:{side}"
    if any(_two_card_total(hand) in (8, 9) for hand in hands.values()):
        yield "is:natural"
    if any(name is None for hand in hands.values() for name in hand):
        yield "is:unread"


def _two_card_total(hand: Sequence[str | None]) -> int | None:
    """The points of the first two cards; None where one is missing or was not read."""
    two = hand[:2]
    if len(two) < 2 or any(name is None for name in two):
        return None
    return sum(parse_card(str(name)).point_value for name in two) % 10


def _cards(facts: SearchableRound) -> Iterator[str]:
    named: Iterable[Any] = [name for side in SIDES for name in facts.record.get(side) or ()]
    seen = [line.get("card") for line in facts.lines if line.get("type") in CARD_LINES]
    for name in (*named, *seen):
        if isinstance(name, str):
            try:
                yield f"card:{parse_card(name)}"
            except CardError:
                continue  # a line of another version


def _line(line: Mapping[str, Any]) -> Iterator[str]:
    kind = line.get("type")
    if kind in BLIND_LINES:
        yield "is:unseen"
    if line.get("seat") is not None:
        yield f"seat:{line['seat']}"
    if kind == "wager_changed":
        change = change_kind(line)
        yield f"bet:{line.get('bet')}"
        yield f"changed:{change}"
        yield f"changed:{line.get('area')}"
        yield f"changed:{line.get('area')}:{change}"
        if line.get("seat") is not None:
            yield f"changed:seat:{line['seat']}:{change}"


def _alert(alert: Mapping[str, Any]) -> Iterator[str]:
    code = str(alert.get("code"))
    for name in {code, code.partition(".")[0]}:
        yield f"code:{name}"
        if alert.get("hand") is not None:
            yield f"code:{name}:{alert['hand']}"
        if alert.get("seat") is not None:
            yield f"code:{name}:seat:{alert['seat']}"
    yield f"severity:{alert.get('severity')}"
    if alert.get("hand") is not None:
        yield f"hand:{alert['hand']}"
    if alert.get("seat") is not None:
        yield f"seat:{alert['seat']}"
