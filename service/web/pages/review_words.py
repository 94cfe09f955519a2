"""Describe a log line, a round record or a correction in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thirdcard.rules.errors import RulesError
from thirdcard.rules.log.events import parse_event
from thirdcard.service.watch import wording

WINNERS = {"player": "Player wins", "banker": "Banker wins", "tie": "Tie"}


def event_words(body: Mapping[str, Any]) -> str:
    """A log line in words; a line of another version by its type."""
    try:
        return wording.event_text(parse_event(body))
    except RulesError:
        return str(body.get("type", "?")).replace("_", " ").capitalize()


def outcome_words(record: Mapping[str, Any]) -> str:
    """The outcome of a round: `Player 7H 2S = 9, Banker KD 6C = 6, Player wins`."""
    hands = []
    for side in ("player", "banker"):
        names, total = " ".join(name or "?" for name in record[side]) or "no cards", record[f"{side}_total"]
        hands.append(f"{side.capitalize()} {names} = {'?' if total is None else total}")
    ending = "void" if record["void"] else WINNERS.get(record["winner"], "no result")
    return ", ".join([*hands, ending])


def correction_words(body: Mapping[str, Any]) -> str:
    """A correction in words."""
    match body["kind"]:
        case "card":
            return f"line {body['line']} shows {body['card'] or 'a card that cannot be read'}"
        case "remove":
            return f"what line {body['line']} says did not happen"
        case "add":
            return f"this happened too: {event_words(body['event'])}"
    return f"alert {body['alert']} {'was right' if body['stands'] else 'was wrong'}"
