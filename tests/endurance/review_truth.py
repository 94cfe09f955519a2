"""Compare what a review found with the truth of a rendered shift: alerts, rounds and cards.

`python -m tests.endurance.review_truth SHIFT REVIEW`: SHIFT is the shift's folder, with `truth.jsonl` and
`alerts.jsonl`; REVIEW is the review's folder in HOME/reviews.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

NEAR_S = 3.0
"""An alert reports a fault if their times differ by at most so many seconds."""

Line = dict[str, Any]


def read(path: Path) -> list[Line]:
    """Return the parsed lines of a JSONL file."""
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def pair(truth: list[Line], found: list[Line]) -> tuple[list[Line], list[Line]]:
    """Return the faults that were missed and the alerts that are false; each alert reports at most one fault."""
    left, missed = list(found), []
    for fault in truth:
        fitting = [one for one in left if one["code"] == fault["code"] and abs(one["t"] - fault["t"]) <= NEAR_S]
        if fitting:
            left.remove(min(fitting, key=lambda one: abs(one["t"] - fault["t"])))
        else:
            missed.append(fault)
    return missed, left


def hands(log: list[Line]) -> list[tuple[float, list[str | None]]]:
    """Return, for each round, the time at which it closed and its cards, as last known."""
    rounds: list[tuple[float, list[str | None]]] = []
    cards: dict[str, str | None] = {}
    for line in log:
        if line["type"] in ("card_dealt", "card_turned"):
            cards[line["card_id"]] = line.get("card") or cards.get(line["card_id"])
        if line["type"] == "round_closed":
            rounds.append((line["t"], sorted(cards.values(), key=str)))
            cards = {}
    return rounds


def main() -> None:
    """Compare, and print the counts of alerts and rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shift", type=Path)
    parser.add_argument("review", type=Path)
    given = parser.parse_args()
    truth, found = read(given.shift / "alerts.jsonl"), read(given.review / "alerts.jsonl")
    missed, false = pair(truth, found)
    print(f"alerts: {len(truth) - len(missed)} of {len(truth)} found, {len(false)} false")
    for what, lines in (("missed", missed), ("false", false)):
        for code, count in sorted(Counter(line["code"] for line in lines).items()):
            print(f"  {what} {code}: {count}, at {[line['t'] for line in lines if line['code'] == code]}")
    played, seen = hands(read(given.shift / "truth.jsonl")), hands(read(given.review / "events.jsonl"))
    alike = 0
    for closed_t, cards in played:
        near = min(seen, key=lambda one: abs(one[0] - closed_t), default=(-1e9, []))
        alike += abs(near[0] - closed_t) <= NEAR_S and near[1] == cards
    print(f"rounds: {len(played)} played, {len(seen)} seen, {alike} with exactly their cards")


if __name__ == "__main__":
    main()
