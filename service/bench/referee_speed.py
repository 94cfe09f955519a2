"""Measure the referee's speed, in rounds per second on one core, and its memory growth.

The rounds are made up and legal: a wager, the call, four cards and, in every other round, third cards, the result, the
settlement and the close. Lines are made one at a time, so that only the referee's memory can grow.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from thirdcard.rules.log.reader import LogReader
from thirdcard.rules.referee import Referee
from thirdcard.rules.rulebook.load import elect, load_rulebook

Clock = Callable[[], float]
_FOUR = (("player", "7H"), ("banker", "KD"), ("player", "2S"), ("banker", "6C"))
_SIX = (("player", "KH"), ("banker", "3D"), ("player", "3C"), ("banker", "KS"), ("player", "2D"), ("banker", "4C"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeSpeed:
    """The measured speed and memory growth."""

    rounds: int
    events: int
    reading_s: float
    """Seconds of processor time spent reading lines into events."""
    judging_s: float
    """Seconds of processor time spent judging them."""
    alerts: int
    grown_kib: int
    """Growth of the process from the first tenth of the rounds to the end, KiB."""

    @property
    def judged_per_s(self) -> float:
        """Rounds per second from events to alerts and records."""
        return self.rounds / self.judging_s

    @property
    def whole_per_s(self) -> float:
        """Rounds per second from lines to alerts and records."""
        return self.rounds / (self.judging_s + self.reading_s)


def measure_referee(rulebook: str = "nz-authority", *, rounds: int, clock: Clock = time.process_time) -> RefereeSpeed:
    """Judge a number of rounds of a continuous shuffler.

    Args:
        rulebook: Its id or file.
        rounds: The number of rounds.
        clock: A clock of processor time, in seconds.
    """
    referee = Referee(elect(load_rulebook(rulebook), {}), device="continuous_shuffler", limits={"minimum": 25})
    reader = LogReader()
    reading_s = judging_s = 0.0
    events = alerts = early_kib = 0
    for number in range(rounds):
        lines = list(_lines(number))
        started = clock()
        read = [reader.read(line) for line in lines]
        between = clock()
        for event in read:
            if event is not None:
                alerts += len(referee.observe(event).alerts)
        judging_s += clock() - between
        reading_s += between - started
        events += len(lines)
        if number == rounds // 10:
            early_kib = _peak_kib()
    return RefereeSpeed(
        rounds=rounds,
        events=events,
        reading_s=reading_s,
        judging_s=judging_s,
        alerts=alerts,
        grown_kib=_peak_kib() - early_kib,
    )


def _lines(number: int) -> Iterator[str]:
    """The lines of one round; a wager on Banker that loses to 9, or wins with 7 over 5."""
    is_long = number % 2 == 1
    wager = {"area": "s3-banker", "seat": 3, "bet": "banker"}
    events: list[dict[str, object]] = [
        {"type": "bets_opened"},
        {"type": "wager_changed", **wager, "before": 0, "after": 100, "by": "seat:3"},
        {"type": "no_more_bets", "source": "signal"},
    ]
    for i, (hand, card) in enumerate(_SIX if is_long else _FOUR):
        card_id = f"c{number // 2 * 10 + 4 * is_long + i}"
        events.append({"type": "card_dealt", "card_id": card_id, "hand": hand, "card": card, "face_up": True})
    totals = (5, 7, "banker") if is_long else (9, 6, "player")
    events.append({"type": "result_announced", **dict(zip(("player", "banker", "winner"), totals, strict=True))})
    settled = {"action": "paid", "amount": 95} if is_long else {"action": "collected", "amount": 100}
    events.append({"type": "wager_settled", **wager, **settled})
    if is_long:
        events.append({"type": "wager_changed", **wager, "before": 100, "after": 0, "by": "seat:3"})
    events.append({"type": "round_closed"})
    for i, event in enumerate(events):
        yield json.dumps({"t": number * 30.0 + i, **event}) + "\n"


def _peak_kib() -> int:
    """The peak memory of the process so far, KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
