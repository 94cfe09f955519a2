"""Decide which wagers a scripted dealer settles wrongly, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.patron import LaidWager
from thirdcard.datasets.script.script import Payout, ScriptedRound
from thirdcard.rules.game.words import Bet

HANDS = (Bet.PLAYER, Bet.BANKER)


def chosen_mistakes(
    spec: ScriptedRound, wagers: Sequence[LaidWager], odds: Mapping[str, Fraction | None], where: str
) -> dict[str, str]:
    """Return the mistake for each wager that is settled wrongly, by area.

    Args:
        spec: The round in the script.
        wagers: The wagers on the table.
        odds: What each pays per unit, by area; 0 for a stand-off, None for a lost wager.
        where: Names the round in messages.

    Raises:
        ScriptError: A mistake is possible with none of the wagers.
    """
    chosen: dict[str, str] = {}
    for event in spec.happenings:
        if not isinstance(event, Payout):
            continue
        fits = [
            wager.area.id
            for wager in wagers
            if wager.area.id not in chosen and not wager.void and _fits(event, wager, odds[wager.area.id])
        ]
        if not fits:
            raise ScriptError(f"{where}: happenings", event.mistake, "no wager of the round can be settled so")
        chosen[fits[0]] = event.mistake
    return chosen


def _fits(event: Payout, wager: LaidWager, share: Fraction | None) -> bool:
    if event.seat not in (None, wager.area.seat) or event.bet not in (None, wager.area.bet):
        return False
    if event.mistake in ("loser_paid", "loser_kept"):
        return share is None
    if event.mistake == "push_taken":
        return share == 0 and wager.area.bet in HANDS
    return bool(share)
