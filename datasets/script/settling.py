"""After the result: losing wagers are collected, winning ones paid, and the players take what is theirs."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from datasets.script.betting import Betting
from datasets.script.chronicle import Chronicle
from datasets.script.dealer import Dealer
from datasets.script.errors import ScriptError
from datasets.script.mistakes import chosen_mistakes
from datasets.script.patron import Wager
from datasets.script.places import Places
from datasets.script.plan import Announce, Hands, Step
from datasets.script.script import Round
from datasets.script.settlement import chips_for, odds_of
from datasets.script.stage import Stage
from rules.events import WagerSettled
from rules.words import DEALER, Bet, SettleAction

ABSENCES = ("winner_unpaid", "loser_kept")
"""Mistakes by doing nothing: they show when the round closes."""
WRONG_SHARE = 2
"""A wrong amount is so many times what is due."""


class Direction(Protocol):
    """What of a director a settlement needs."""

    clock: float
    stage: Stage
    places: Places
    dealer: Dealer
    betting: Betting
    chronicle: Chronicle


def settle(director: Direction, hands: Hands, last: Step, spec: Round) -> float:
    """Settle every wager by what the cards say, or wrongly as the script wants; gives when all is done."""
    assert isinstance(last, Announce)
    betting, end = director.betting, director.clock
    wagers = [wager for wager in betting.wagers.values() if wager.stacks]
    odds = {wager.area.id: _odds(wager, hands, last, betting) for wager in wagers}
    wrong = chosen_mistakes(spec, wagers, odds, f"round {len(director.chronicle.starts)}")
    for wager in sorted(wagers, key=lambda wager: (odds[wager.area.id] is not None, -wager.area.centre_mm[0])):
        share = odds[wager.area.id]
        if wager.area.id in wrong:
            t = _settle_wrongly(director, wager, share, wrong[wager.area.id])
        elif share is None:
            t = _collect(director, wager)
        elif share == 0:
            t = _return(director, wager)
        else:
            t = _pay(director, wager, share)
        director.clock = max(director.clock, t) + 0.25
        end = max(end, t)
    director.dealer.rest()
    busy = [patron.free_at for patron in betting.patrons.values()]
    return max([end, director.clock, *(t - 0.5 for t in busy if t < end + 5.0)])


def _odds(wager: Wager, hands: Hands, last: Announce, betting: Betting) -> Fraction | None:
    """Winnings per unit; 0: given back; None: lost."""
    odds = odds_of(Bet(str(wager.area.bet)), hands, last.truly, betting.table)
    return Fraction(0) if wager.void else odds


def _settle_wrongly(director: Direction, wager: Wager, share: Fraction | None, mistake: str) -> float:
    """Make that mistake; gives when it is made."""
    code = f"payout.{mistake}"
    if mistake in ABSENCES:
        director.betting.left[wager.area.id] = code
        return director.clock
    if mistake == "push_taken":
        t = _collect(director, wager)
    else:
        t = _pay(director, wager, Fraction(1) if share is None else share * WRONG_SHARE)
    director.betting.blame(t, wager, code)
    return t


def _collect(director: Direction, wager: Wager) -> float:
    before = (wager.value(director.betting.chips), len(wager.chips))
    t = director.dealer.collect(director.clock, wager.stacks)
    wager.stacks.clear()
    _log(director, t, wager, SettleAction.COLLECTED, before[0])
    director.betting.log_change(t, wager, before, DEALER)
    return t


def _return(director: Direction, wager: Wager) -> float:
    before, chips = (wager.value(director.betting.chips), len(wager.chips)), wager.chips
    patron = director.betting.patrons[int(wager.area.seat or 0)]
    t = director.dealer.push_back(director.clock, wager.stacks, patron.bank_mm())
    wager.stacks.clear()
    patron.receive(t + 0.6, chips)
    _log(director, t, wager, SettleAction.RETURNED, before[0])
    director.betting.log_change(t, wager, before, DEALER)
    return t


def _pay(director: Direction, wager: Wager, odds: Fraction) -> float:
    betting = director.betting
    before = (wager.value(betting.chips), len(wager.chips))
    winnings = odds * before[0]
    where = f"{wager.area.id}: winnings"
    if winnings.denominator != 1:
        raise ScriptError(where, str(winnings), "must be a whole number; choose another value for the wager")
    chips = chips_for(int(winnings), betting.chips, where)
    spot = director.places.spot_in(wager.area, director.stage.rng, [stack.at_mm for stack in wager.stacks])
    stack, t = director.dealer.pay(director.clock, chips, spot, wager.area.id)
    wager.stacks.append(stack)
    _log(director, t, wager, SettleAction.PAID, int(winnings))
    betting.log_change(t, wager, before, DEALER)
    before = (wager.value(betting.chips), len(wager.chips))
    seat = int(wager.area.seat or 0)
    patron = betting.patrons[seat]
    taken = patron.take(t + director.stage.between(0.6, 1.3), wager)
    betting.log_change(taken, wager, before, f"seat:{seat}")
    return t


def _log(director: Direction, t: float, wager: Wager, action: SettleAction, amount: int) -> None:
    bet = Bet(str(wager.area.bet))
    director.chronicle.add(
        WagerSettled(t=t, area=wager.area.id, seat=wager.area.seat, bet=bet, action=action, amount=amount)
    )
