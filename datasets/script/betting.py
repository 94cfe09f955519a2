"""The patrons of a script: their wagers, changes of wagers in time or too late, and stacks that are straightened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from thirdcard.calibration.chips import ChipSet
from thirdcard.datasets.script.chronicle import Chronicle, DueAlert, ToleratedReading
from thirdcard.datasets.script.dealer import Dealer
from thirdcard.datasets.script.dealing_script import VoidHandWagered
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.manner import Habits
from thirdcard.datasets.script.patron import LaidWager, Patron
from thirdcard.datasets.script.places import Places, bets_known
from thirdcard.datasets.script.script import (
    Anchor,
    Limit,
    NoCall,
    Script,
    ScriptedChange,
    ScriptedNudge,
    ScriptedReach,
    ScriptedRound,
    Straighten,
)
from thirdcard.datasets.script.script import ScriptedWager as WagerSpec
from thirdcard.datasets.script.settlement import chips_for, payable
from thirdcard.datasets.script.stage import Stage
from thirdcard.rules.game.words import Bet
from thirdcard.rules.log.events import WagerChanged

FIRST_WAGER_S = 1.0
GIVEN_BACK = ("placed", "moved")
_Act = Callable[[ScriptedChange, float], float]
_Deed = ScriptedChange | ScriptedReach | ScriptedNudge
_SEATED = (ScriptedChange, ScriptedReach, ScriptedNudge, VoidHandWagered)
"""Happenings that name a seat."""


class Betting:
    """Every seat's patron, and every wager on the table."""

    def __init__(
        self, script: Script, stage: Stage, places: Places, chips: ChipSet, chronicle: Chronicle, habits: Habits
    ) -> None:
        self._script, self._stage, self._places, self._habits = script, stage, places, habits
        self.chips = chips
        self._chronicle = chronicle
        self.patrons = {seat: self._patron(seat) for seat in self._occupied()}
        self.wagers: dict[str, LaidWager] = {}
        self.left: dict[str, str] = {}
        """Areas that the dealer wrongly left unsettled, with the code of that fault."""
        self.staying: list[LaidWager] = []
        """Wagers that their patrons leave in place for the next round."""
        self._round = 0
        self._where = ""
        self._waiting: list[_Deed] = []
        self._limits: list[Limit] = []
        self._acts: Mapping[str, _Act] = {
            "placed": self._place,
            "increased": self._increase,
            "reduced": self._reduce,
            "removed": self._remove,
            "moved": self._move,
        }

    @property
    def table(self) -> tuple[str, Mapping[str, object]]:
        """The rulebook's name and its options."""
        return (self._script.table.rulebook, self._script.table.options)

    def begin(self, number: int, spec: ScriptedRound, opened: float, where: str) -> float:
        """Put down the round's wagers; return when the last one rests, in seconds.

        Raises:
            ScriptError: A happening refers to a call, and the round has none.
        """
        self._round, self._where = number, where
        self._take_left(opened)
        self.wagers = {wager.area.id: replace(wager, void=False) for wager in self.staying}
        self.staying = []
        self._waiting = [event for event in spec.happenings if isinstance(event, _Deed)]
        self._limits = [event for event in spec.happenings if isinstance(event, Limit)]
        if any(isinstance(event, NoCall) for event in spec.happenings) and self._due("call"):
            raise ScriptError(f"{where}.happenings", "when.after: call", "there is no call in a round with no_call")
        specs = self._drawn(spec) if spec.wagers is None else spec.wagers
        t, last = opened + FIRST_WAGER_S - 0.7, opened
        for wager in specs:
            t += self._stage.between(0.55, 0.95)
            wanted = opened + wager.seconds if wager.seconds is not None else t
            change = ScriptedChange(kind="change", action="placed", seat=wager.seat, bet=wager.bet, value=wager.value)
            last = max(last, self._place(change, wanted))
        last = max([last, *(self._do(event, opened + event.when.seconds) for event in self._due("opened"))])
        return last + self._stage.between(0.7, 1.1)

    def close(self, t: float) -> None:
        """End the round: what the dealer has not settled until now is a fault."""
        for area, code in self.left.items():
            self.blame(t, self.wagers[area], code)

    def blame(self, t: float, wager: LaidWager, code: str, amount: int | None = None) -> None:
        """Declare the alert for a wager that is placed or settled wrongly."""
        area = wager.area
        self._chronicle.raise_alert(
            DueAlert(t=t, round=self._round, code=code, seat=area.seat, bet=area.bet, area=area.id, amount=amount)
        )

    def _take_left(self, t: float) -> None:
        """Let the patrons take back what the dealer left in the previous round."""
        for area in self.left:
            wager = self.wagers[area]
            before, seat = self._measure(wager), int(wager.area.seat or 0)
            taken = self.patrons[seat].take(t + 0.3, wager)
            self.log_change(taken, wager, before, f"seat:{seat}")
        self.left = {}

    def at_call(self, t: float) -> float:
        """Play what happens just before and after the call; return when the call is made."""
        due = self._due("call")
        for event in due:
            if event.when.seconds < 0:
                done = self._do(event, t + 0.2)
                t = max(t, done - event.when.seconds)
        for event in due:
            if event.when.seconds >= 0:
                self._do(event, t + event.when.seconds)
        self._close_betting(t, bets_closed_by_call(self._script.table.rulebook))
        return t

    def at_card(self, number: int, t: float) -> None:
        """Play what happens after a card left the shoe."""
        self._close_betting(t, bets_closed_by_card(self._script.table.rulebook, number))
        for event in self._due("card"):
            if event.when.card == number:
                self._do(event, t + event.when.seconds)

    def _close_betting(self, t: float, bets: Sequence[Bet]) -> None:
        for event in self._limits:
            if event.bet in bets:
                self.blame(t, self._wager(event.seat, event.bet, there=True), f"limit.{event.kind}")

    def at_result(self, t: float) -> float:
        """Play what happens between result and settlement; return when all hands are away."""
        last = max((patron.free_at for patron in self.patrons.values()), default=t)
        for event in self._due("result"):
            self._do(event, t + event.when.seconds)
            last = max(last, *(patron.free_at for patron in self.patrons.values()))
        return max(t, last if last > t else t)

    def log_change(self, t: float, wager: LaidWager, before: tuple[int, int], by: str) -> None:
        """Log a changed wager; `before` is its value and its count of chips until then."""
        self._chronicle.add(
            WagerChanged(
                t=t,
                area=wager.area.id,
                seat=wager.area.seat,
                bet=Bet(str(wager.area.bet)),
                before=before[0],
                after=wager.value(self.chips),
                chips_before=before[1],
                chips_after=len(wager.chips),
                by=by,
            )
        )

    def _occupied(self) -> list[int]:
        named = {wager.seat for spec in self._script.rounds for wager in spec.wagers or ()}
        named |= {e.seat for spec in self._script.rounds for e in spec.happenings if isinstance(e, _SEATED)}
        count = min(len(self._places.seats), max(4, len(named) + 1))
        others = [seat for seat in self._places.seats if seat not in named]
        self._stage.rng.shuffle(others)
        seats = sorted(named | set(others[: max(0, count - len(named))]))
        for seat in seats:
            if seat not in self._places.seats:
                known = ", ".join(map(str, self._places.seats))
                raise ScriptError("rounds: seat", seat, f"layout {self._places.layout.name} has seats {known}")
        return seats

    def _patron(self, seat: int) -> Patron:
        place = self._places.seats[seat]
        return Patron(self._stage, self._places, place, self.chips, self._script.pace, self._habits)

    def _due(self, anchor: Anchor) -> list[_Deed]:
        return [event for event in self._waiting if event.when.after == anchor]

    def _do(self, event: _Deed, t: float) -> float:
        if isinstance(event, ScriptedReach):
            area = self._places.wager_area(event.seat, event.bet, self._where)
            return self.patrons[event.seat].wave(t, area)
        if isinstance(event, ScriptedNudge):
            return self.patrons[event.seat].nudge(t, self._wager(event.seat, event.bet, there=True))
        return self._acts[event.action](event, t)

    def _wager(self, seat: int, bet: str, *, there: bool) -> LaidWager:
        bets_known(bet, f"{self._where}: bet")
        area = self._places.wager_area(seat, bet, self._where)
        wager = self.wagers.setdefault(area.id, LaidWager(area))
        if bool(wager.stacks) != there:
            allowed = "a wager must lie there" if there else "no wager may lie there yet"
            raise ScriptError(f"{self._where}: seat {seat}", bet, allowed)
        return wager

    def _measure(self, wager: LaidWager) -> tuple[int, int]:
        return (wager.value(self.chips), len(wager.chips))

    def _place(self, event: ScriptedChange, t: float) -> float:
        wager = self._wager(event.seat, event.bet, there=False)
        chips = chips_for(event.value, self.chips, f"{self._where}: seat {event.seat} {event.bet}")
        t = self.patrons[event.seat].place(t, wager, chips)
        self.log_change(t, wager, (0, 0), f"seat:{event.seat}")
        self._judge(event, t, wager, event.value)
        return t

    def _increase(self, event: ScriptedChange, t: float) -> float:
        wager = self._wager(event.seat, event.bet, there=True)
        before = self._measure(wager)
        chips = chips_for(event.value, self.chips, f"{self._where}: seat {event.seat} {event.bet}")
        t = self.patrons[event.seat].add(t, wager, chips)
        self.log_change(t, wager, before, f"seat:{event.seat}")
        self._judge(event, t, wager, event.value)
        return t

    def _reduce(self, event: ScriptedChange, t: float) -> float:
        wager = self._wager(event.seat, event.bet, there=True)
        before, chips = self._measure(wager), wager.stacks[-1].chips
        count = 1
        while count < len(chips) and sum(self.chips.chips[c].value for c in chips[-count:]) < event.value:
            count += 1
        if count == len(chips) or sum(self.chips.chips[c].value for c in chips[-count:]) != event.value:
            raise ScriptError(f"{self._where}: seat {event.seat} value", event.value, "must be the stack's upper chips")
        t = self.patrons[event.seat].take_some(t, wager, chips[-count:])
        self.log_change(t, wager, before, f"seat:{event.seat}")
        self._judge(event, t, wager, event.value)
        return t

    def _remove(self, event: ScriptedChange, t: float) -> float:
        wager = self._wager(event.seat, event.bet, there=True)
        before = self._measure(wager)
        t = self.patrons[event.seat].take(t, wager)
        self.log_change(t, wager, before, f"seat:{event.seat}")
        self._judge(event, t, wager, before[0])
        return t

    def _move(self, event: ScriptedChange, t: float) -> float:
        if event.to is None:
            raise ScriptError(f"{self._where}: seat {event.seat} to", None, "must name the bet that chips are moved to")
        wager, target = (
            self._wager(event.seat, event.bet, there=True),
            self._wager(event.seat, event.to, there=False),
        )
        before = self._measure(wager)
        left, rests = self.patrons[event.seat].move(t, wager, target)
        self.log_change(left, wager, before, f"seat:{event.seat}")
        self.log_change(rests, target, (0, 0), f"seat:{event.seat}")
        self._judge(event, left, target, before[0])
        return rests

    def _judge(self, event: ScriptedChange, t: float, wager: LaidWager, amount: int) -> None:
        if event.kind != "late_bet":
            return
        wager.void = event.action in GIVEN_BACK
        self.blame(t, wager, f"late_bet.{event.action}", amount)
        self._chronicle.tolerate(
            ToleratedReading(code="payout.*", round=self._round, start=t, end=t + 40.0, seat=event.seat)
        )

    def _drawn(self, spec: ScriptedRound) -> tuple[WagerSpec, ...]:
        """Draw wagers from the seed, including those that the round's happenings need."""
        needed: list[WagerSpec] = []
        busy = {int(wager.area.seat or 0) for wager in self.wagers.values()}
        for event in self._waiting:
            busy.add(event.seat)
            if isinstance(event, ScriptedNudge) or (isinstance(event, ScriptedChange) and event.action != "placed"):
                halved = event.value if isinstance(event, ScriptedChange) and event.action == "reduced" else 0
                value = 2 * halved or self._stake(Bet(event.bet))
                if not any((w.seat, w.bet) == (event.seat, event.bet) for w in needed):
                    needed.append(WagerSpec(seat=event.seat, bet=event.bet, value=value))
        free = [seat for seat in self.patrons if seat not in busy]
        self._stage.rng.shuffle(free)
        count = min(len(free), max(0, int(self._stage.rng.integers(2, 5)) - len(needed)))
        for seat in free[:count]:
            bets = [bet for bet in MAIN_BETS if str(bet) in self._places.bets_of(seat)]
            bet = bets[int(self._stage.rng.integers(len(bets)))]
            if str(Bet.TIE) in self._places.bets_of(seat) and self._stage.rng.random() < 0.12:
                bet = Bet.TIE
            needed.append(WagerSpec(seat=seat, bet=str(bet), value=self._stake(bet)))
        order = self._stage.rng.permutation(len(needed))
        return tuple(needed[int(i)] for i in order)

    def _stake(self, bet: Bet) -> int:
        """Draw a wager's value within the limits that can be paid exactly."""
        limits = self._script.table.limits
        low, high = limits.get("minimum", 0), limits.get("maximum", 10**9)
        values = sorted(chip.value for chip in self.chips.chips)
        for _ in range(200):
            value = values[int(self._stage.rng.integers(len(values)))] * int(self._stage.rng.integers(1, 5))
            cheap = bet in MAIN_BETS or value <= 10 * low
            if low <= value <= min(high, 40 * low or high) and cheap and payable(bet, value, self.chips, self.table):
                return value
        choices = (value * count for count in range(1, 100) for value in values)
        return next(v for v in choices if v >= low and payable(bet, v, self.chips, self.table))


MAIN_BETS = (Bet.PLAYER, Bet.BANKER)
_BY_CALL = ("nz-authority", "sg-rws")
_BY_FIRST_CARD = ("nz-secretary", "nsw")


def bets_closed_by_call(rulebook: str) -> Sequence[Bet]:
    """Return the bets that the call closes under a rulebook."""
    return MAIN_BETS if rulebook in _BY_CALL else ()


def bets_closed_by_card(rulebook: str, number: int) -> Sequence[Bet]:
    """Return the bets that the round's first, second, ... card closes under a rulebook."""
    if rulebook in _BY_CALL:
        return ()
    if rulebook in _BY_FIRST_CARD:
        return MAIN_BETS if number == 1 else ()
    return MAIN_BETS[number - 1 : number]


class TidyingDirector(Protocol):
    """The part of a director that straightening needs."""

    clock: float
    dealer: Dealer
    betting: Betting


def tidy_stacks(director: TidyingDirector, spec: ScriptedRound) -> None:
    """Straighten a stack for each happening of the round that asks for it."""
    for event in spec.happenings:
        if not isinstance(event, Straighten) or event.kind != "straighten_stack":
            continue
        stacks = [
            wager.stacks[0]
            for wager in director.betting.wagers.values()
            if wager.stacks and event.seat in (0, wager.area.seat) and event.bet in ("", wager.area.bet)
        ]
        if stacks:
            director.clock = director.dealer.tidy(director.clock + 0.4, stacks[0])
            director.dealer.rest()
