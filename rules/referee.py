"""Judge a table log as it comes: events in, alerts and round records out.

A fault is told as soon as it is certain. The same log gives the same alerts, whether in pieces or at once. What was
not read is undetermined and never alleged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rules.alerts import Alert
from rules.burn import BurnJudge
from rules.cameras import find_camera_fault
from rules.card_judge import CardJudge
from rules.certainty import note_doubts
from rules.events import (
    BetsOpened,
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardBurned,
    CardDealt,
    CardMoved,
    CardTurned,
    CutCardDrawn,
    Event,
    LastRoundAnnounced,
    NoMoreBets,
    RoundClosed,
    ShoeClosed,
    ShoeOpened,
    VoidHandAnnounced,
    WagerChanged,
    WagerSettled,
)
from rules.findings import UNDETERMINED, Finding, alert_of
from rules.handling import HandlingJudge
from rules.insurance import InsuranceJudge
from rules.last_round import LastRoundJudge
from rules.limits import LimitJudge, parse_notice
from rules.options import Rules
from rules.payouts import PayoutJudge
from rules.procedure import find_missing_call
from rules.records import Doubt, RoundRecord
from rules.remedies import RemedyBook
from rules.round import Round, RoundState
from rules.round_records import record_of
from rules.shoe import Shoe
from rules.table_state import TableState
from rules.void_hands import find_void_hand_wagered, find_wager_on_void_hand
from rules.wagering import Wagering

_OF_SHOE_OR_CAMERA = frozenset(
    {
        CameraLost, CameraMoved, CameraObstructed, ShoeOpened, ShoeClosed, CardBurned, CardDealt, CardTurned,
        CutCardDrawn, LastRoundAnnounced,
    }
)  # fmt: skip
"""The events that the judges of the shoe and the cameras look at."""
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
        smallest_chip: int | None = None,
    ) -> None:
        notice = parse_notice(limits or {})
        self._rules = rules
        self._table = TableState(smallest_chip=smallest_chip, notice=notice)
        self._shoe = Shoe(decks=decks, device=device)
        self._cards = CardJudge(rules)
        self._burn = BurnJudge(rules)
        self._last_round = LastRoundJudge(rules, device=device)
        self._handling = HandlingJudge(rules)
        self._limits = LimitJudge(rules, notice)
        self._insurance = InsuranceJudge(rules)
        self._wagering = Wagering(
            rules, self._table, minimum=notice.minimum, insurance=self._insurance, drawing_of=self._cards.drawing_of
        )
        self._remedies = RemedyBook()
        self._payouts = PayoutJudge(rules, smallest_chip=smallest_chip or 1)
        self._told: set[tuple[object, ...]] = set()

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
        self._remedies.observe(event)
        number = self._table.rounds_begun
        if type(event) in _OF_SHOE_OR_CAMERA:
            alerts += self._alerts(find_camera_fault(event), number, event.t)
            alerts += self._alerts(self._judge_shoe(event, running), number, event.t)
        if running is None:
            self._note_idle(event)
            return Judgement(tuple(alerts))
        alerts += self._alerts(self._judge(event, running), number, event.t)
        if not isinstance(event, RoundClosed):
            return Judgement(tuple(alerts))
        record = self._close(running, alerts)
        return Judgement(tuple(alerts), (record,))

    def advance(self, t: float) -> Judgement:
        """Let time pass without an event: what was held back for a possible second half may become certain."""
        return Judgement(tuple(self._let_pass(t)))

    def finish(self) -> Judgement:
        """The log ends here: what is left becomes certain; a round that never closed gets its record."""
        alerts = self._let_pass(None)
        running = self._table.running
        rounds = () if running is None else (self._close(running, alerts),)
        return Judgement(tuple(alerts), rounds)

    def _let_pass(self, t: float | None) -> list[Alert]:
        ripe = self._wagering.let_pass(t)
        return self._alerts(ripe, self._table.rounds_begun, None) if ripe else []

    def _judge_shoe(self, event: Event, running: Round | None) -> Iterator[Finding]:
        yield from self._shoe.observe(event, running)
        yield from self._burn.observe(event, running)
        yield from self._last_round.observe(event, running, self._table.rounds_begun)

    def _note_idle(self, event: Event) -> None:
        if isinstance(event, WagerSettled):
            self._wagering.settle(event)

    def _judge(self, event: Event, running: Round) -> Iterator[Finding]:
        self._payouts.observe(event, running)
        if isinstance(event, WagerChanged):
            yield from self._wagering.change(event, running)
            yield from find_wager_on_void_hand(event, running)
            return
        running.take(event, self._table.faces)
        if isinstance(event, WagerSettled):
            self._wagering.settle(event)
        if isinstance(event, CardDealt):
            yield from find_missing_call(event, running, self._rules)
            yield from find_void_hand_wagered(event, running, self._table.wagers.values())
        empty_t = self._shoe.empty_since(event)
        if empty_t is not None and running.first_card is not None:
            running.note_empty_shoe(empty_t)
        yield from self._handling.observe(event, running, self._table.stakes)
        yield from self._limits.observe(event, running, self._table.stakes)
        yield from self._insurance.observe(event, running, self._table.stakes)
        yield from self._cards.judge(event, running, is_last_round=self._last_round.is_last(running.number))

    def _alerts(self, findings: Iterable[Finding], number: int, now: float | None) -> list[Alert]:
        alerts: list[Alert] = []
        for finding in findings:
            if finding.key in self._told:
                continue
            alert = alert_of(finding, self._rules, round_number=number, now=finding.t if now is None else now)
            if alert is not None:
                self._told.add(finding.key)
                alerts.append(alert)
                self._remedies.order(finding, alert)
                self._payouts.note(alert)
                self._table.follow_remedy(alert.remedy, is_certain=UNDETERMINED not in finding.facts)
        return alerts

    def _close(self, running: Round, alerts: list[Alert]) -> RoundRecord:
        """End the round; what can be judged only now is added to the alerts."""
        drawing, promises = self._cards.drawing_of(running), self._insurance.promises(running)
        note_doubts(running, drawing)
        record = record_of(running, drawing, self._rules, self._table, promises=promises)
        payouts = self._payouts.close(running, record, self._table.wagers)
        alerts += self._alerts(payouts, running.number, running.closed_t)
        record = replace(
            record,
            remedies=self._remedies.close(running, drawing, self._table),
            undetermined=tuple(Doubt(code, why) for code, why in running.doubts),
        )
        self._table.end()
        self._shoe.end_round()
        self._told.clear()
        return record


def judge(events: Iterable[Event], referee: Referee, tell: Callable[[Judgement], None]) -> None:
    """Run a whole log through a referee, telling each judgement as it comes."""
    for event in events:
        tell(referee.observe(event))
    tell(referee.finish())
