"""Judge a table log as it comes: events in, alerts and round records out.

A fault is told as soon as it is certain. The same log gives the same alerts, whether in pieces or at once. What was
not read is undetermined and never alleged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rules.alerts import Alert
from rules.cameras import find_camera_fault
from rules.drawing import Drawing, follow
from rules.events import (
    BetsOpened,
    CardDealt,
    CardMoved,
    CardPassed,
    Event,
    NoMoreBets,
    RoundClosed,
    VoidHandAnnounced,
    WagerChanged,
    WagerSettled,
)
from rules.exposed_cards import find_face_up_deal, find_shown_excess
from rules.findings import Finding, alert_of
from rules.misdeals import find_card_faults, find_missing_cards, find_simultaneous, find_unplaced, find_wrong_result
from rules.options import Rules
from rules.procedure import find_missing_call
from rules.records import RoundRecord
from rules.round import Round, RoundState
from rules.round_records import record_of
from rules.table_state import TableState
from rules.wagering import Wagering
from rules.words import DEALER

_BEGINNERS = (BetsOpened, WagerChanged, NoMoreBets, VoidHandAnnounced, CardDealt, CardMoved)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became certain with one event."""

    alerts: tuple[Alert, ...] = ()
    rounds: tuple[RoundRecord, ...] = ()


class Referee:
    """Holds one table's log against its rulebook."""

    def __init__(
        self,
        rules: Rules,
        *,
        decks: int = 8,
        device: str = "shoe",
        limits: Mapping[str, object] | None = None,
    ) -> None:
        self._rules = rules
        self._decks = decks
        self._device = device
        self._limits = dict(limits or {})
        minimum = self._limits.get("minimum")
        self._table = TableState()
        self._wagering = Wagering(rules, self._table, minimum=minimum if isinstance(minimum, int) else None)
        self._told: set[tuple[object, ...]] = set()
        self._judged = 0
        """How much of the running round has been judged."""
        self._drawing: Drawing | None = None
        self._followed = 0
        self._faces_read = 0

    @property
    def state(self) -> RoundState:
        """The running round and the wagers, as they stand."""
        return self._table.snapshot()

    def observe(self, event: Event) -> Judgement:
        """Take the next event; returns what became certain with it."""
        running = self._table.running
        is_end = running is not None and isinstance(event, RoundClosed)
        alerts = self._let_pass(None if is_end else event.t)
        if running is None and isinstance(event, _BEGINNERS):
            running = self._table.begin(event.t)
        self._table.note(event)
        alerts += self._alerts(find_camera_fault(event), self._table.rounds_begun, event.t)
        if running is None:
            self._note_idle(event)
            return Judgement(tuple(alerts))
        findings = self._judge(event, running)
        alerts += self._alerts(findings, running.number, event.t)
        if not isinstance(event, RoundClosed):
            return Judgement(tuple(alerts))
        return Judgement(tuple(alerts), (self._close(running),))

    def advance(self, t: float) -> Judgement:
        """Let time pass without an event: what was held back for a possible second half may become certain."""
        return Judgement(tuple(self._let_pass(t)))

    def finish(self) -> Judgement:
        """The log ends here: what is left becomes certain; a round that never closed gets its record."""
        alerts = self._let_pass(None)
        running = self._table.running
        rounds = () if running is None else (self._close(running),)
        return Judgement(tuple(alerts), rounds)

    def _let_pass(self, t: float | None) -> list[Alert]:
        return self._alerts(self._wagering.let_pass(t), self._table.rounds_begun, None)

    def _note_idle(self, event: Event) -> None:
        if isinstance(event, WagerSettled):
            self._wagering.settle(event)

    def _judge(self, event: Event, running: Round) -> list[Finding]:
        findings: list[Finding] = []
        if isinstance(event, WagerChanged):
            return self._wagering.change(event, running)
        running.take(event, self._table.faces)
        if isinstance(event, CardPassed) and event.to != DEALER:
            running.note_seen(event.t)
        if isinstance(event, WagerSettled):
            self._wagering.settle(event)
        if isinstance(event, CardDealt):
            findings += find_missing_call(event, running, self._rules)
        if running.changes != self._judged:
            self._judged = running.changes
            findings += self._judge_cards(event, running)
        return findings

    def _judge_cards(self, event: Event, running: Round) -> Iterable[Finding]:
        is_last = self._table.is_last_round
        drawing = self._drawing_of(running)
        if isinstance(event, CardDealt):
            yield from find_face_up_deal(event, running, drawing, self._rules)
        yield from find_simultaneous(running)
        yield from find_card_faults(drawing, is_last_round=is_last)
        yield from find_shown_excess(drawing, running, is_last_round=is_last)
        if running.deadline_t is not None:
            at_deadline = drawing
            if running.deadline_placements != len(running.placements):
                at_deadline = self._follow(running, running.deadline_placements)
            yield from find_missing_cards(at_deadline, running)
            yield from find_wrong_result(at_deadline, running)
            yield from find_unplaced(drawing, running, is_last_round=is_last)

    def _drawing_of(self, running: Round) -> Drawing:
        """The drawing so far; followed on from the last one where no face came to be known since."""
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

    def _alerts(self, findings: Iterable[Finding], number: int, now: float | None) -> list[Alert]:
        alerts: list[Alert] = []
        for finding in findings:
            if finding.key in self._told:
                continue
            self._told.add(finding.key)
            alert = alert_of(finding, self._rules, round_number=number, now=finding.t if now is None else now)
            if alert is not None:
                alerts.append(alert)
        return alerts

    def _close(self, running: Round) -> RoundRecord:
        drawing = self._drawing_of(running)
        record = record_of(running, drawing, self._rules, self._table)
        self._table.end()
        self._told.clear()
        self._judged, self._drawing = 0, None
        return record


def judge(events: Iterable[Event], referee: Referee, tell: Callable[[Judgement], None]) -> None:
    """Run a whole log through a referee, telling each judgement as it comes."""
    for event in events:
        tell(referee.observe(event))
    tell(referee.finish())
