"""Find cards dealt face down that should come face up, and third cards dealt before the hands were open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.duty import Verdict
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import CardDealt, CardTurned, Event
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.round import INITIAL_CARDS, DealtCard, Round, value_confidence_of
from thirdcard.rules.rulebook.model import Phase
from thirdcard.rules.rulebook.options import Rules

_FACE_DOWN, _EARLY = "procedure.face_down_deal", "procedure.early_third_card"
SEEN_LATE_S = 3.0
"""Seconds by which a camera may see a turn too late, because the hand that turns the card covers it."""


class OpeningJudge:
    """Checks each dealt card: did it come face up, and were the first four open before a third card?

    A camera may not see a face because it was covered. So the alert waits until the card is seen to be turned: then it
    was surely not face up before.
    """

    def __init__(self, rules: Rules, *, drawing_of: Callable[[Round], Drawing]) -> None:
        self._drawing_of = drawing_of
        self._face_up = _face_up_phases(rules) if rules.fault(_FACE_DOWN) is not None else frozenset()
        self._is_third_watched = rules.fault(_EARLY) is not None
        self._hid_in = 0
        """The latest round in which a card came face down."""
        self._round = 0
        self._doubtful: dict[str, Finding] = {}
        """Findings from cameras that wait, by the id of the card that has yet to be seen turned."""

    @property
    def is_watching(self) -> bool:
        """Whether the rulebook has a rule on how cards come from the shoe."""
        return bool(self._face_up) or self._is_third_watched

    def deal(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """Take a card from the shoe; returns its faults."""
        if event.face_up:
            if self._hid_in != running.number or len(running.dealt.cards) <= INITIAL_CARDS:
                return ()
        else:
            self._hid_in = running.number
        return self._deal(event, running)

    def turn(self, event: CardTurned, running: Round) -> Iterable[Finding]:
        """Take a turned card; returns the faults that this confirms."""
        return self._turn(event, running) if self._doubtful else ()

    def _deal(self, event: CardDealt, running: Round) -> Iterator[Finding]:
        is_third = len(running.dealt.cards) > INITIAL_CARDS
        if event.face_up is False and event.card is None and self._comes_face_up(event, running, is_third=is_third):
            yield from self._tell(_face_down(event, is_third=is_third), event, (event.card_id,), running)
        if is_third and self._is_third_watched:
            down = [card for card in islice(running.dealt.cards.values(), INITIAL_CARDS) if _lies_hidden(card)]
            if down:
                source = next((card for card in down if not _is_filmed(card)), down[0]).came
                yield from self._tell(_early(event), source, [card.card_id for card in down], running)

    def _comes_face_up(self, event: CardDealt, running: Round, *, is_third: bool) -> bool:
        """Whether the style deals the card face up; among third cards only for one that is due."""
        if not is_third:
            return Phase.INITIAL in self._face_up
        if Phase.THIRD not in self._face_up or event.hand is None:
            return False
        drawing = self._drawing_of(running)
        third, due = drawing.third.get(event.hand), drawing.due()[event.hand is Side.BANKER]
        return third is not None and third.card_id == event.card_id and due.verdict is Verdict.DUE

    def _tell(self, finding: Finding, source: Event, card_ids: Collection[str], running: Round) -> Iterator[Finding]:
        if running.was_camera_lost:
            running.doubt(finding.code, "a camera was lost")
        elif source.source is not Source.CAMERA:
            yield finding
        else:
            if self._round != running.number:
                self._round = running.number
                self._doubtful.clear()
            for card_id in card_ids:
                self._doubtful.setdefault(card_id, finding)

    def _turn(self, event: CardTurned, running: Round) -> Iterator[Finding]:
        found = self._doubtful.pop(event.card_id, None) if self._round == running.number else None
        if found is not None and event.face_up and event.t - found.t > SEEN_LATE_S:
            yield found


def _face_up_phases(rules: Rules) -> frozenset[Phase]:
    return frozenset(Phase) - rules.style.face_down


def _lies_hidden(card: DealtCard) -> bool:
    """Whether the card's face is known not to have been seen by all."""
    came = card.came
    return card.shown_t is None and card.card is None and not (isinstance(came, CardDealt) and came.face_up is None)


def _is_filmed(card: DealtCard) -> bool:
    return card.came.source is Source.CAMERA


def _face_down(event: CardDealt, *, is_third: bool) -> Finding:
    whose = "A card" if event.hand is None else f"A card of the {name_of(event.hand)}"
    return Finding(
        code=_FACE_DOWN,
        t=event.t,
        key=(_FACE_DOWN, event.card_id),
        message=f"{whose} was dealt face down; at this table it comes face up.",
        facts=frozenset({"third_card"}) if is_third else frozenset(),
        hand=event.hand,
        confidence=value_confidence_of(event),
    )


def _early(event: CardDealt) -> Finding:
    return Finding(
        code=_EARLY,
        t=event.t,
        key=(_EARLY,),
        message="A third card left the shoe before the first four cards were open.",
        hand=event.hand,
        cards=() if event.card is None else (event.card,),
        confidence=value_confidence_of(event),
    )
