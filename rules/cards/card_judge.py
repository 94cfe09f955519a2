"""Run all judges of the cards over the running round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from thirdcard.rules.cards.exposed_cards import find_face_up_deal, find_shown_excess, is_outcome_established
from thirdcard.rules.cards.misdeals import (
    find_card_faults,
    find_exhausted_shoe,
    find_missing_cards,
    find_simultaneous,
    find_unplaced,
    find_wrong_result,
    is_borne_out,
    points_evidence,
)
from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.duty import DutyTable
from thirdcard.rules.game.words import Source
from thirdcard.rules.log.events import (
    CardBurned,
    CardDealt,
    CardMoved,
    CardTurned,
    Event,
    ResultAnnounced,
    RoundClosed,
    ShoeClosed,
    WagerSettled,
)
from thirdcard.rules.round.drawing import Drawing, follow, put_right
from thirdcard.rules.round.records import PointsEvidence
from thirdcard.rules.round.round import INITIAL_CARDS, Round
from thirdcard.rules.rulebook.options import Rules

NEWS = (CardTurned, CardMoved, ResultAnnounced, WagerSettled, RoundClosed, CardBurned, ShoeClosed)
"""The events, besides dealt cards, that can change the verdict on the cards: a face, a place, the deadline, or the
shoe's end."""


class CardJudge:
    """Follows the drawing round after round and finds its faults."""

    def __init__(self, rules: Rules, *, is_last: Callable[[int], bool]) -> None:
        self._rules = rules
        self._is_last = is_last
        """Whether the round with this number is the shoe's last."""
        self._duties = DutyTable(rules.rulebook.table)
        self._order = rules.rulebook.order
        self._hides_cards = bool(rules.style.face_down)
        self._round: Round | None = None
        self._drawing: Drawing | None = None
        self._followed = 0
        self._faces_read = 0

    def judge_deal(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """The faults that a dealt card brings; returns early while the first four come in order."""
        dealt = running.dealt
        count = len(dealt.placements)
        if (
            count <= INITIAL_CARDS
            and dealt.orderly == count - 1
            and len(dealt.cards) == count
            and event.hand is self._order[count - 1]
            and running.deadline is None
            and dealt.shoe_empty_t is None
            and not dealt.has_pairs
            and not (event.face_up and (event.found_face_up or self._hides_cards))
        ):
            dealt.orderly = count
            dealt.has_news = False
            return ()
        return self.judge(event, running)

    def judge(self, event: Event, running: Round) -> Iterable[Finding]:
        """All faults of the cards after the event, reported before or not; empty when nothing about them changed."""
        dealt = running.dealt
        if not dealt.has_news:
            return ()
        dealt.has_news = False
        drawing = self.drawing_of(running)
        if self._is_faultless(event, running, drawing):
            return ()
        findings = self._find(event, running, drawing)
        declared_t = running.void.declared_t
        if declared_t is not None:
            findings = (finding for finding in findings if finding.t < declared_t)
        return findings

    def _is_faultless(self, event: Event, running: Round, drawing: Drawing) -> bool:
        """Whether a quick check already excludes every fault."""
        dealt = running.dealt
        dealt.is_faultless = False
        if drawing.faults or drawing.surplus or dealt.has_pairs or dealt.shoe_empty_t is not None:
            return False
        if isinstance(event, CardDealt) and event.face_up and (event.found_face_up or self._hides_cards):
            return False
        if running.deadline is None:
            return True
        if running.deadline.placements != len(dealt.placements) or not drawing.is_orderly:
            return False
        if running.result is not None and not is_borne_out(running.result, drawing):
            return False
        player, banker, _ = drawing.reckon()
        dealt.is_faultless = player is not None and banker is not None
        return True

    def _find(self, event: Event, running: Round, drawing: Drawing) -> Iterator[Finding]:
        is_last_round = self._is_last(running.number)
        if isinstance(event, CardDealt):
            yield from find_face_up_deal(event, running, drawing, self._rules)
        yield from find_simultaneous(running)
        if drawing.faults or drawing.surplus:
            is_established = is_outcome_established(drawing, self._rules)
            yield from find_card_faults(drawing, running, is_last_round=is_last_round, is_established=is_established)
            yield from find_shown_excess(drawing, running, is_last_round=is_last_round, is_established=is_established)
        yield from find_exhausted_shoe(drawing, running)
        if running.deadline is not None:
            yield from find_missing_cards(self._after(running, running.deadline.placements, drawing), running)
            if running.result is not None:
                yield from find_wrong_result(self._after(running, running.deadline.at_result, drawing), running)
            yield from find_unplaced(drawing, running, is_last_round=is_last_round)

    def points_evidence(self, running: Round) -> PointsEvidence:
        """What the announced points say about the cards; nothing where none were announced."""
        result, deadline = running.result, running.deadline
        if result is None or deadline is None or result.source is Source.INFERRED:
            return PointsEvidence()
        drawing = self._after(running, deadline.at_result, self.drawing_of(running))
        return points_evidence(result, drawing, running)

    def drawing_of(self, running: Round) -> Drawing:
        """The drawing so far; continued from the previous one unless a face became known since."""
        dealt = running.dealt
        if self._round is not running:
            self._round, self._drawing, self._followed = running, None, 0
        drawing, placements = self._drawing, dealt.placements
        if self._faces_read != dealt.faces_read:
            self._faces_read = dealt.faces_read
            if drawing is not None and drawing.has_served:
                drawing = None
            elif drawing is not None:
                drawing.forget()
        if drawing is None:
            self._drawing = drawing = Drawing(self._duties, self._order)
            self._followed = 0
            if dealt.orderly == INITIAL_CARDS:
                drawing.begin(placements[:INITIAL_CARDS])
                self._followed = INITIAL_CARDS
        if self._followed < len(placements):
            for placement in placements[self._followed :]:
                drawing.place(placement)
            self._followed = len(placements)
            if drawing.is_broken and isinstance(placements[-1][1], CardMoved):
                self._drawing = drawing = put_right(drawing, placements)
        return drawing

    def _after(self, running: Round, count: int, latest: Drawing) -> Drawing:
        """The drawing after the first `count` placements; `latest` has followed all of them."""
        placements = running.dealt.placements
        return latest if count == len(placements) else follow(placements[:count], self._duties, self._order)
