"""Put the judges of cards together over the running round."""

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
)
from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.duty import DutyTable
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
from thirdcard.rules.round.drawing import Drawing, follow
from thirdcard.rules.round.round import INITIAL_CARDS, Round
from thirdcard.rules.rulebook.options import Rules

NEWS = (CardTurned, CardMoved, ResultAnnounced, WagerSettled, RoundClosed, CardBurned, ShoeClosed)
"""The events besides a dealt card after which there may be news of the cards: of their faces or places, of the
deadline, or of the shoe's end."""


class CardJudge:
    """Follows the drawing of one round after another and tells what is wrong with it."""

    def __init__(self, rules: Rules, *, is_last: Callable[[int], bool]) -> None:
        self._rules = rules
        self._is_last = is_last
        """Whether the round of a number is the shoe's last."""
        self._duties = DutyTable(rules.rulebook.table)
        self._order = rules.rulebook.order
        self._hides_cards = bool(rules.style.face_down)
        self._round: Round | None = None
        self._drawing: Drawing | None = None
        self._followed = 0
        self._faces_read = 0

    def judge_deal(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """The faults that a card from the shoe brings; none while the first four come as they should."""
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
        """All faults of the cards as they lie after the event, told before or not, where there is news of them."""
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
        """Whether it is clear at a glance that nothing can be found."""
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

    def drawing_of(self, running: Round) -> Drawing:
        """The drawing so far; followed on from the last one where no face came to be known since."""
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
        return drawing

    def _after(self, running: Round, count: int, latest: Drawing) -> Drawing:
        """The drawing after so many placements, of which `latest` followed all."""
        placements = running.dealt.placements
        return latest if count == len(placements) else follow(placements[:count], self._duties, self._order)
