"""Stacks that were touched, and seem to have changed twice: one way, and back again.

The dealer straightens stacks, and players touch theirs. A comparison of the looks before and after then sees more chips
or fewer, at times. Between the call and the result a dealer takes no chips from a wager and adds none, except to undo
what a player did since the call. So where a stack seems to have changed at the dealer's hand, and then back again at
the player's, both may have touched it only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thirdcard.rules.belief.choices import Choice
from thirdcard.rules.game.words import DEALER, Source
from thirdcard.rules.log.events import Event, NoMoreBets, ResultAnnounced, WagerChanged, WagerSettled


def may_be_touched_twice(lines: Sequence[Event], number: int) -> bool:
    """Whether a line says that a player, or somebody unknown, undid what the dealer seems to have done to a wager since
    the call.

    Args:
        lines: The lines of a round.
        number: The index of the line among them.
    """
    line = lines[number]
    if not isinstance(line, WagerChanged) or line.source is not Source.CAMERA or line.by == DEALER:
        return False
    calls = [i for i, one in enumerate(lines[:number]) if isinstance(one, NoMoreBets)]
    since = lines[calls[-1] : number] if calls else ()
    if any(isinstance(one, ResultAnnounced | WagerSettled) for one in since):
        return False
    changes = [one for one in since if isinstance(one, WagerChanged) and one.area == line.area]
    if len(changes) != 1 or changes[0].by != DEALER or changes[0].source is not Source.CAMERA:
        return False
    return _added(changes[0]) * _added(line) < 0


def with_touched_twice(choices: Sequence[Choice], share: float) -> Sequence[Choice]:
    """The ways to read the line, and that the stack was only touched, which has the probability `share`."""
    told = [replace(one, probability=one.probability * (1.0 - share)) for one in choices]
    return sorted((*told, Choice((), share)), key=lambda one: -one.probability)


def _added(line: WagerChanged) -> int:
    """By how many chips the wager grew; 0 where it is unknown."""
    if line.chips_before is None or line.chips_after is None:
        return 0
    return line.chips_after - line.chips_before
