"""The settlement after the result: losing wagers are collected, winning ones paid, and the patrons take their chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from thirdcard.datasets.script.betting import Betting
from thirdcard.datasets.script.chronicle import Chronicle
from thirdcard.datasets.script.dealer import Dealer
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.mistakes import chosen_mistakes
from thirdcard.datasets.script.patron import LaidWager
from thirdcard.datasets.script.places import Places
from thirdcard.datasets.script.plan import Announce, Hands, Step
from thirdcard.datasets.script.script import ScriptedRound, Settle
from thirdcard.datasets.script.settlement import chips_for, odds_of, small_chips_for
from thirdcard.datasets.script.stage import Stage
from thirdcard.rules.game.words import DEALER, Bet, SettleAction
from thirdcard.rules.log.events import WagerSettled

ABSENCES = ("winner_unpaid", "loser_kept")
"""Mistakes of omission: they show when the round closes."""
WRONG_SHARE = 2
"""Factor from the due amount to a wrong one."""


class SettlingDirector(Protocol):
    """The part of a director that a settlement needs."""

    clock: float
    stage: Stage
    places: Places
    dealer: Dealer
    betting: Betting
    chronicle: Chronicle


def settle(director: SettlingDirector, hands: Hands, last: Step, spec: ScriptedRound) -> float:
    """Settle every wager by the cards, or wrongly if the script asks for it; return when everything is done."""
    assert isinstance(last, Announce)
    betting, end = director.betting, director.clock
    wagers = [wager for wager in betting.wagers.values() if wager.stacks]
    odds = {wager.area.id: _odds(wager, hands, last, betting) for wager in wagers}
    where = f"round {len(director.chronicle.starts)}"
    wrong, other = chosen_mistakes(spec, wagers, odds, where), _other_ways(spec, wagers, odds, where)
    for wager in sorted(wagers, key=lambda wager: (odds[wager.area.id] is not None, -wager.area.centre_mm[0])):
        share = odds[wager.area.id]
        if wager.area.id in wrong:
            t = _settle_wrongly(director, wager, share, wrong[wager.area.id])
        elif wager.area.id in other:
            t = _settle_otherwise(director, wager, share, other[wager.area.id])
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


def give_all_back(director: SettlingDirector) -> float:
    """Return every wager of a round without a result; return when everything is done."""
    for wager in [wager for wager in director.betting.wagers.values() if wager.stacks]:
        director.clock = max(director.clock, _return(director, wager)) + 0.25
    director.dealer.rest()
    return max([director.clock, *(patron.free_at - 0.5 for patron in director.betting.patrons.values())])


def _odds(wager: LaidWager, hands: Hands, last: Announce, betting: Betting) -> Fraction | None:
    """Return the winnings per unit; 0: given back; None: lost."""
    odds = odds_of(Bet(str(wager.area.bet)), hands, last.truly, betting.table)
    return Fraction(0) if wager.void else odds


def _other_ways(
    spec: ScriptedRound, wagers: Sequence[LaidWager], odds: Mapping[str, Fraction | None], where: str
) -> dict[str, str]:
    """Return the way of each wager that is settled lawfully, but unusually, by area.

    Raises:
        ScriptError: No wager of the round can be settled so.
    """
    ways: dict[str, str] = {}
    for event in spec.happenings:
        if not isinstance(event, Settle):
            continue
        areas = [wager.area.id for wager in wagers if (wager.area.seat, wager.area.bet) == (event.seat, event.bet)]
        share = odds[areas[0]] if areas else None
        if share is None or (share == 0 and event.kind == "change_given"):
            raise ScriptError(f"{where}: happenings", event.kind, "no wager of the round can be settled so")
        ways[areas[0]] = event.kind
    return ways


def _settle_otherwise(director: SettlingDirector, wager: LaidWager, share: Fraction | None, way: str) -> float:
    """Settle a wager that did not lose in an unusual way; return when it is done."""
    if way == "change_given":
        return _pay_with_change(director, wager, share or Fraction(0))
    director.betting.staying.append(wager)
    return _pay(director, wager, share) if share else director.clock


def _settle_wrongly(director: SettlingDirector, wager: LaidWager, share: Fraction | None, mistake: str) -> float:
    """Make a mistake in settling; return when it is made."""
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


def _collect(director: SettlingDirector, wager: LaidWager) -> float:
    before = (wager.value(director.betting.chips), len(wager.chips))
    t = director.dealer.collect(director.clock, wager.stacks)
    wager.stacks.clear()
    _log(director, t, wager, SettleAction.COLLECTED, before[0])
    director.betting.log_change(t, wager, before, DEALER)
    return t


def _return(director: SettlingDirector, wager: LaidWager) -> float:
    before, chips = (wager.value(director.betting.chips), len(wager.chips)), wager.chips
    patron = director.betting.patrons[int(wager.area.seat or 0)]
    t = director.dealer.push_back(director.clock, wager.stacks, patron.bank_mm())
    wager.stacks.clear()
    patron.receive(t + 0.6, chips)
    _log(director, t, wager, SettleAction.RETURNED, before[0])
    director.betting.log_change(t, wager, before, DEALER)
    return t


def _pay(director: SettlingDirector, wager: LaidWager, odds: Fraction) -> float:
    """Put the winnings beside the stake; the patron takes both, or only the winnings if his stake stays."""
    betting = director.betting
    winnings = _winnings(director, wager, odds)
    chips = chips_for(winnings, betting.chips, f"{wager.area.id}: winnings")
    t = _put(director, wager, chips, winnings)
    before = (wager.value(betting.chips), len(wager.chips))
    seat = int(wager.area.seat or 0)
    taken_t, patron = t + director.stage.between(0.6, 1.3), betting.patrons[seat]
    if any(wager is staying for staying in betting.staying):
        taken = patron.take_some(taken_t, wager, chips)
        wager.stacks.pop()
    else:
        taken = patron.take(taken_t, wager)
    betting.log_change(taken, wager, before, f"seat:{seat}")
    return t


def _pay_with_change(director: SettlingDirector, wager: LaidWager, odds: Fraction) -> float:
    """Take the stake to the tray and bring it back with the winnings in small chips, which the patron takes."""
    betting = director.betting
    winnings = _winnings(director, wager, odds)
    before = (wager.value(betting.chips), len(wager.chips))
    t = director.dealer.collect(director.clock, wager.stacks)
    wager.stacks.clear()
    betting.log_change(t, wager, before, DEALER)
    director.clock = t
    where = f"{wager.area.id}: winnings"
    t = _put(director, wager, small_chips_for(before[0] + winnings, betting.chips, where), winnings)
    before = (wager.value(betting.chips), len(wager.chips))
    seat = int(wager.area.seat or 0)
    taken = betting.patrons[seat].take(t + director.stage.between(0.6, 1.3), wager)
    betting.log_change(taken, wager, before, f"seat:{seat}")
    return t


def _put(director: SettlingDirector, wager: LaidWager, chips: tuple[int, ...], winnings: int) -> float:
    """Pay a wager with chips from the tray; return when they rest."""
    betting = director.betting
    before = (wager.value(betting.chips), len(wager.chips))
    spot = director.places.spot_in(wager.area, director.stage.rng, [stack.at_mm for stack in wager.stacks])
    stack, t = director.dealer.pay(director.clock, chips, spot, wager.area.id)
    wager.stacks.append(stack)
    _log(director, t, wager, SettleAction.PAID, winnings)
    betting.log_change(t, wager, before, DEALER)
    return t


def _winnings(director: SettlingDirector, wager: LaidWager, odds: Fraction) -> int:
    winnings = odds * wager.value(director.betting.chips)
    if winnings.denominator != 1:
        where = f"{wager.area.id}: winnings"
        raise ScriptError(where, str(winnings), "must be a whole number; choose another value for the wager")
    return int(winnings)


def _log(director: SettlingDirector, t: float, wager: LaidWager, action: SettleAction, amount: int) -> None:
    bet = Bet(str(wager.area.bet))
    director.chronicle.add(
        WagerSettled(t=t, area=wager.area.id, seat=wager.area.seat, bet=bet, action=action, amount=amount)
    )
