"""Put the judges of cards together over the running round."""

from __future__ import annotations

from collections.abc import Iterator

from rules.drawing import Drawing, follow
from rules.events import CardDealt, Event
from rules.exposed_cards import find_face_up_deal, find_shown_excess
from rules.findings import Finding
from rules.misdeals import (
    find_card_faults,
    find_exhausted_shoe,
    find_missing_cards,
    find_simultaneous,
    find_unplaced,
    find_wrong_result,
)
from rules.options import Rules
from rules.round import Round


class CardJudge:
    """Follows the drawing of one round after another and tells what is wrong with it."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._round: Round | None = None
        self._drawing: Drawing | None = None
        self._followed = 0
        self._faces_read = 0
        self._judged = 0

    def judge(self, event: Event, running: Round, *, is_last_round: bool) -> Iterator[Finding]:
        """All faults of the cards as they lie after the event, told before or not; none where nothing changed."""
        drawing = self.drawing_of(running)
        if running.changes == self._judged:
            return
        self._judged = running.changes
        if isinstance(event, CardDealt):
            yield from find_face_up_deal(event, running, drawing, self._rules)
        yield from find_simultaneous(running)
        yield from find_card_faults(drawing, is_last_round=is_last_round)
        yield from find_shown_excess(drawing, running, is_last_round=is_last_round)
        yield from find_exhausted_shoe(drawing, running)
        if running.deadline_t is not None:
            at_deadline = drawing
            if running.deadline_placements != len(running.placements):
                at_deadline = self._follow(running, running.deadline_placements)
            yield from find_missing_cards(at_deadline, running)
            yield from find_wrong_result(at_deadline, running)
            yield from find_unplaced(drawing, running, is_last_round=is_last_round)

    def drawing_of(self, running: Round) -> Drawing:
        """The drawing so far; followed on from the last one where no face came to be known since."""
        if self._round is not running:
            self._round, self._drawing, self._judged = running, None, 0
        if self._drawing is None or self._faces_read != running.faces_read:
            self._drawing = self._follow(running, len(running.placements))
        else:
            for placement in running.placements[self._followed :]:
                self._drawing.place(placement)
        self._followed, self._faces_read = len(running.placements), running.faces_read
        return self._drawing

    def _follow(self, running: Round, count: int) -> Drawing:
        rulebook = self._rules.rulebook
        return follow(running.placements[:count], rulebook.table, rulebook.order)
