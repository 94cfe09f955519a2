"""Cards that left the shoe without a line in the log, for example when two backs side by side look like one, and cards
whose backs were not seen.

Where the first four cards come face down, hands are passed and turned only once all four lie there. A hand that was
passed or turned earlier shows that a card was missed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from thirdcard.rules.belief.choices import VALUES, Choice
from thirdcard.rules.belief.priors import WRONG_RESULT, Priors
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.hand import share_worth
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import (
    UNSEEN,
    CardDealt,
    CardMoved,
    CardPassed,
    CardTurned,
    Event,
    ResultAnnounced,
)
from thirdcard.rules.round.round import INITIAL_CARDS
from thirdcard.rules.rulebook.model import Phase

_MISSING = {"misdeal.short_hand": Phase.INITIAL, "misdeal.third_card_missing": Phase.THIRD}
"""The phase of the card that each fault says is missing."""
_THIRD_MISSING = "misdeal.third_card_missing"
_SEEM_TO_BE_DEALT = ("exposed_card.first_card", "exposed_card.face_up_deal", "misdeal.order")
"""The faults that a missed back may make of a lawful deal."""


def cards_laid(lines: Sequence[Event]) -> int:
    """The number of cards that came to the hands: from the shoe, or from where they were kept or laid in excess."""
    return len({line.card_id for line in lines if isinstance(line, CardDealt | CardMoved) and line.hand is not None})


def is_handled_early(lines: Sequence[Event]) -> bool:
    """Whether a card was passed or turned before the log had four cards in the hands."""
    handled = next((i for i, line in enumerate(lines) if isinstance(line, CardPassed | CardTurned)), None)
    return handled is not None and cards_laid(lines[:handled]) < INITIAL_CARDS


def missed_before(
    lines: Sequence[Event], number: int, order: Sequence[Side], face_down: Collection[Phase]
) -> Side | None:
    """The hand of a card that was missed before this line; None where nothing shows that one was.

    Args:
        lines: Lines of the round.
        number: Index of the line among them.
        order: The hands of the first four cards.
        face_down: The phases whose cards the style deals face down.
    """
    event = lines[number]
    if not isinstance(event, CardDealt) or event.hand is None or event.source is not Source.CAMERA:
        return None
    if Phase.INITIAL not in face_down:
        return None
    dealt = cards_laid(lines[:number])
    if dealt >= INITIAL_CARDS or event.hand is order[dealt] or not is_handled_early(lines):
        return None
    return order[dealt]


def share_not_dealt(alert: Alert, lines: Sequence[Event], face_down: Collection[Phase], priors: Priors) -> float:
    """The probability that a missing card was really not dealt, rather than overlooked, 0 to 1.

    1 where such cards are surely seen. Where all cards lie open by then, a third card's face would have been overlooked
    too. Announced points that are those of the cards seen leave only cards that count nothing; others mean that a card
    was overlooked, or that the announcement was wrong as well.

    Args:
        alert: The fault.
        lines: Lines of its round.
        face_down: The phases whose cards the style deals face down.
        priors: How often cards are missed, and how often such faults happen.
    """
    phase = _MISSING.get(alert.code)
    came_unseen = any(
        isinstance(line, CardDealt) and line.source is Source.CAMERA and line.order_unseen and not line.face_up
        for line in lines
    )
    if phase not in face_down or not came_unseen:
        return 1.0
    rate, missed = priors.rate(alert.code), priors.missed_back
    if phase is Phase.THIRD and _lie_open(alert, lines):
        lacking = _points_lacking(alert, lines)
        missed = priors.missed_card * (1.0 if lacking is None else share_worth(lacking))
        rate *= priors.rate(WRONG_RESULT) * priors.share_of_wrong_points(1) if lacking else 1.0
    return rate / (rate + missed)


def weight_of_lack(standing: Collection[Alert], priors: Priors, named: float) -> tuple[float, Collection[Alert]]:
    """How often a round has the faults about a third card that a hand seems to lack, and which faults those are.

    Where the announced points are not those of the cards seen, the referee leaves open whether a third card is missing
    and the result is wrong, or the card that makes up the difference was overlooked. Cards are seldom overlooked, so
    such a round is hardly likelier than one with both faults.

    Args:
        standing: The faults of the round in one hypothesis.
        priors: How often cards are overlooked, and how often such faults happen.
        named: The probability of the announced points, if they are wrong.
    """
    lack = next((one for one in standing if one.code == _THIRD_MISSING and one.confidence <= UNSEEN), None)
    result = next((one for one in standing if one.code == WRONG_RESULT), None)
    if lack is None or result is None:
        return 1.0, ()
    wrong, overlooked = priors.rate(WRONG_RESULT), priors.missed_card * share_worth(1)
    if result.confidence > UNSEEN:  # it is wrong whatever the cards are
        return wrong * (priors.rate(_THIRD_MISSING) * named + overlooked), (lack, result)
    return wrong * named * priors.rate(_THIRD_MISSING) + overlooked, (lack, result)


def _lie_open(alert: Alert, lines: Sequence[Event]) -> bool:
    """Whether every card of the hands that came face down was turned before the fault was found."""
    before = [line for line in lines if line.t <= alert.t]
    down = {line.card_id for line in before if isinstance(line, CardDealt) and line.hand and not line.face_up}
    return down <= {line.card_id for line in before if isinstance(line, CardTurned) and line.face_up}


def _points_lacking(alert: Alert, lines: Sequence[Event]) -> int | None:
    """By how many points the hand's cards miss those that were announced, modulo ten; None where either is unknown."""
    told = next((line for line in reversed(lines) if isinstance(line, ResultAnnounced)), None)
    points = None if told is None else told.player if alert.hand is Side.PLAYER else told.banker
    ids = {line.card_id for line in lines if isinstance(line, CardDealt) and line.hand is alert.hand}
    faces = {
        line.card_id: line.card
        for line in lines
        if isinstance(line, CardDealt | CardTurned) and line.card_id in ids and line.card is not None
    }
    if points is None or set(faces) != ids:
        return None
    return (points - sum(card.point_value for card in faces.values())) % len(VALUES)


def share_with_backs_seen(
    alert: Alert, lines: Sequence[Event], face_down: Collection[Phase], rate: float, missed: float
) -> float:
    """The probability that a fault in the way cards were dealt is real, and no back was missed, 0 to 1.

    A card that seems to be dealt open, or after a later card, may have lain there before, with a back that the camera
    did not see. A card that a person or a device reports was dealt as reported.

    Args:
        alert: The fault.
        lines: Lines of its round.
        face_down: The phases whose cards the style deals face down.
        rate: How often such faults happen, per round.
        missed: The probability that the camera missed a back.
    """
    if alert.code not in _SEEM_TO_BE_DEALT or Phase.INITIAL not in face_down:
        return 1.0
    is_camera = any(
        isinstance(line, CardDealt) and line.source is Source.CAMERA and line.confidence is not None for line in lines
    )
    return rate / (rate + missed) if is_camera and rate else 1.0


def with_missed(choices: Sequence[Choice], hand: Side, share: float) -> Sequence[Choice]:
    """The ways to read a card's line, each also with an unseen card of `hand` before it (probability `share`)."""
    ways: list[Choice] = []
    for choice in choices:
        ways.append(replace(choice, probability=choice.probability * (1.0 - share)))
        dealt = next((line for line in choice.lines if isinstance(line, CardDealt)), None)
        if dealt is not None:
            missed = CardDealt(
                t=dealt.t,
                card_id=f"missed-{dealt.card_id}",
                hand=hand,
                face_up=False,
                confidence=1.0,
                source=dealt.source,
            )
            ways.append(replace(choice, lines=(missed, *choice.lines), probability=choice.probability * share))
    return sorted(ways, key=lambda way: -way.probability)
