"""The readings of a round's lines that are examined: the likeliest, and those that make up the announced points.

Readings are pruned before the round is judged, by how likely they are alone. Where many cards may be others, the one
that explains the announced points is among thousands and would be pruned; the points then would look wrong in all that
are left. So the readings that make up the points are examined apart, and those that are examined of them have the
probability of all of them, as the others have that of all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thirdcard.rules.belief.choices import Choice, is_unread, read_anew
from thirdcard.rules.belief.table_reading import announced
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import CardDealt, CardTurned, Event

MOST_HYPOTHESES = 48
"""How many hypotheses of a round are kept. Six cards with four likely faces each make 4,096 hypotheses; those beyond
the 48 heaviest weighed less than one in ten thousand together in the rounds that were drawn to measure it."""
LEAST_WEIGHT = 1e-6
"""A hypothesis that weighs less than this share of the heaviest is dropped."""

Path = tuple[int, ...]
"""The number of the choice for each line."""
Totals = tuple[int, int]
"""The points of all cards of the Player and of the Banker, as dealt, 0 to 9."""
Options = Sequence[tuple[Side | None, Sequence[Choice]]]
"""For each line: the hand to whose total it adds a card, and its choices."""
Found = tuple[float, Path, Totals]


def likeliest_paths(lines: Sequence[Event], options: Sequence[Sequence[Choice]]) -> list[tuple[float, Path]]:
    """The paths through the choices for each line that are examined, each with its probability.

    Args:
        lines: The lines of a round.
        options: The choices for each of them.
    """
    counted = list(zip(_counted(lines), options, strict=True))
    paths = _beam(counted, lambda _number, _totals: 1.0)
    result = announced(lines)
    if result is None or result.player is None or result.banker is None:
        return [(weight, path) for weight, path, _ in paths]
    points = result.player, result.banker
    share = _ahead(counted, points, lambda one, other: one + other)[0].get((0, 0), 0.0)
    if share == 0.0:
        return [(weight, path) for weight, path, _ in paths]
    ahead = _ahead(counted, points, max)
    explaining = _beam(counted, lambda number, totals: ahead[number].get(totals, 0.0))
    others = [one for one in paths if one[2] != points]
    return [*_scaled(explaining, share), *_scaled(others, 1.0 - share)]


def _beam(options: Options, rest: Callable[[int, Totals], float]) -> list[Found]:
    """The heaviest paths; `rest` is the probability of what may follow the first lines with these totals."""
    beam: list[Found] = [(1.0, (), (0, 0))]
    for number, (side, some) in enumerate(options, start=1):
        if len(some) == 1 and side is None:
            beam = [(weight * some[0].probability, (*path, 0), totals) for weight, path, totals in beam]
            continue
        grown = [
            (weight * choice.probability, (*path, i), _with(totals, side, choice))
            for weight, path, totals in beam
            for i, choice in enumerate(some)
        ]
        ranked = sorted(((one[0] * rest(number, one[2]), one) for one in grown), key=lambda one: -one[0])
        most = ranked[0][0]
        beam = [one for rank, one in ranked[:MOST_HYPOTHESES] if rank > 0.0 and rank >= most * LEAST_WEIGHT]
    return beam


def _ahead(options: Options, points: Totals, joined: Callable[[float, float], float]) -> list[dict[Totals, float]]:
    """For each number of lines, by the totals after them: the probability of what follows, if it leads to `points`.

    `joined` is the maximum, for the likeliest that follows, or the sum, for all that does.
    """
    after: list[dict[Totals, float]] = [{points: 1.0}]
    for side, some in reversed(options):
        before: dict[Totals, float] = {}
        for totals, share in after[-1].items():
            for choice in some:
                origin = _with(totals, side, choice, sign=-1)
                before[origin] = joined(before.get(origin, 0.0), share * choice.probability)
        after.append(before)
    return after[::-1]


def _scaled(paths: Sequence[Found], share: float) -> list[tuple[float, Path]]:
    """The paths, their probabilities in proportion so that they add up to `share`."""
    total = sum(weight for weight, _, _ in paths)
    return [(weight * share / total, path) for weight, path, _ in paths]


def _counted(lines: Sequence[Event]) -> list[Side | None]:
    """For each line: the hand to whose total it adds a card; None where it names no card of a hand and none that it may
    be, or the same again."""
    hands: dict[str, Side] = {}
    counted: set[str] = set()
    sides: list[Side | None] = []
    again = read_anew(lines)
    for i, line in enumerate(lines):
        side = None
        if isinstance(line, CardDealt) and line.hand is not None:
            hands[line.card_id] = line.hand
        if i in again or not isinstance(line, CardDealt | CardTurned):
            sides.append(None)
            continue
        if (line.card is not None or is_unread(line)) and line.card_id not in counted:
            side = hands.get(line.card_id)
            counted.add(line.card_id)
        sides.append(side)
    return sides


def _with(totals: Totals, side: Side | None, choice: Choice, *, sign: int = 1) -> Totals:
    """The totals with the card that this choice names; `sign`: -1 takes it away."""
    cards = (line.card for line in choice.lines if isinstance(line, CardDealt | CardTurned))
    card = next((card for card in cards if card is not None), None)
    if side is None or card is None:
        return totals
    player, banker = totals
    if side is Side.PLAYER:
        return (player + sign * card.point_value) % 10, banker
    return player, (banker + sign * card.point_value) % 10
