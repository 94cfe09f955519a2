"""Judge a table log line by line: events in, alerts and round records out.

A fault is reported as soon as it is certain. A log gives the same alerts whether it is read in pieces or at once. What
was not read is undetermined and never reported as a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from thirdcard.rules.cards.burn import BurnJudge
from thirdcard.rules.cards.card_judge import NEWS, CardJudge
from thirdcard.rules.cards.handling import HandlingJudge
from thirdcard.rules.cards.last_hand import LastHandJudge
from thirdcard.rules.cards.last_round import LastRoundJudge
from thirdcard.rules.cards.misdeals import ORDER_CODES
from thirdcard.rules.cards.opening import OpeningJudge
from thirdcard.rules.cards.remedies import RemedyBook
from thirdcard.rules.cards.sequence import SequenceJudge
from thirdcard.rules.cards.shoe import Shoe
from thirdcard.rules.cards.shoe_care import ShoeCareJudge, find_replaced
from thirdcard.rules.cards.undetermined import find_camera_fault, note_doubts
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.findings.findings import UNDETERMINED, Finding, alert_of
from thirdcard.rules.log.events import (
    EVENT_TYPES,
    CameraBack,
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardBurned,
    CardDealt,
    CardMoved,
    CardPassed,
    CardRemoved,
    CardReplaced,
    CardTurned,
    Event,
    HandlingDeclined,
    LimitsChanged,
    NomineeNamed,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    ShoeClosed,
    ShoeOpened,
    Side,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.round.records import Doubt, PointsEvidence, RoundRecord
from thirdcard.rules.round.round import ROUND_OPENERS, TAKERS, Round, RoundState
from thirdcard.rules.round.table_state import NOTED, TableState
from thirdcard.rules.rulebook.model import Moment, Phase
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.early_settlement import EarlySettlement
from thirdcard.rules.wagers.insurance import InsuranceJudge
from thirdcard.rules.wagers.late_bets import HeldChanges
from thirdcard.rules.wagers.limits import LimitJudge, parse_notice
from thirdcard.rules.wagers.offers import OfferJudge
from thirdcard.rules.wagers.payouts import PayoutJudge
from thirdcard.rules.wagers.procedure import ProcedureJudge, find_wager_on_void_hand
from thirdcard.rules.wagers.settlement import record_of
from thirdcard.rules.wagers.wagering import Wagering

Listener = Callable[[Any, Any], Iterable[Finding] | None]
"""Takes an event and the running round; returns the faults it finds."""
Hearing = Iterable[tuple[Listener, Collection[type[Event]]]]
"""The listeners in order, each with the event types it takes."""
Listeners = Mapping[type[Event], tuple[Listener, ...]]
"""The listeners for each event type."""


class Judgement(NamedTuple):
    """The alerts and round records that became certain with one event."""

    alerts: tuple[Alert, ...] = ()
    rounds: tuple[RoundRecord, ...] = ()
    withdrawn: tuple[Alert, ...] = ()
    """Alerts reported before that are no longer believed."""
    doubtful: tuple[Alert, ...] = ()
    """Findings that never became certain enough for an alert, but are worth a look."""

    def followed_by(self, later: Judgement) -> Judgement:
        """This judgement and that of the next event together."""
        return Judgement(
            (*self.alerts, *later.alerts),
            (*self.rounds, *later.rounds),
            (*self.withdrawn, *later.withdrawn),
            (*self.doubtful, *later.doubtful),
        )


_NOTHING = Judgement()
_NO_ALERTS: Sequence[Alert] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """The judges of one table, each for its own subject, and the state that several of them share."""

    burn: BurnJudge
    shoe: Shoe
    care: ShoeCareJudge
    last_round: LastRoundJudge
    last_hand: LastHandJudge
    sequence: SequenceJudge
    cards: CardJudge
    opening: OpeningJudge
    procedure: ProcedureJudge
    handling: HandlingJudge
    limits: LimitJudge
    offers: OfferJudge
    insurance: InsuranceJudge
    held: HeldChanges
    wagering: Wagering
    early: EarlySettlement
    payouts: PayoutJudge
    remedies: RemedyBook

    @classmethod
    def of(cls, rules: Rules, table: TableState, *, decks: int, device: str) -> Judges:
        """The judges of a table with these rules and notice."""
        burn = BurnJudge(rules)
        shoe = Shoe(decks=decks, device=device, find_at_first_card=burn.find)
        last_round = LastRoundJudge(rules, device=device, shoes_begun=shoe.count_begun)
        cards = CardJudge(rules, is_last=last_round.is_last)
        insurance, held = InsuranceJudge(rules), HeldChanges()
        limits, offers, remedies = LimitJudge(rules, table.notice), OfferJudge(rules), RemedyBook(rules)
        at_first_card = (limits.observe, offers.observe, remedies.find_kept_card_left)
        return cls(
            burn=burn,
            shoe=shoe,
            care=ShoeCareJudge(rules, shoe),
            last_round=last_round,
            last_hand=LastHandJudge(rules, device=device, shoes_begun=shoe.count_begun),
            sequence=SequenceJudge(rules),
            cards=cards,
            opening=OpeningJudge(rules, drawing_of=cards.drawing_of),
            procedure=ProcedureJudge(rules, table, at_first_card=at_first_card),
            handling=HandlingJudge(rules),
            limits=limits,
            offers=offers,
            insurance=insurance,
            held=held,
            wagering=Wagering(
                rules,
                table,
                insurance=insurance,
                drawing_of=cards.drawing_of,
                held=held,
            ),
            early=EarlySettlement(rules, cards.drawing_of),
            payouts=PayoutJudge(rules, chips=table.chips),
            remedies=remedies,
        )

    def hearing_at_table(self, table: TableState) -> Hearing:
        """The listeners that are active whether or not a round runs."""
        shoe = self.shoe
        return (
            (table.note, NOTED),
            (table.note_end, (RoundClosed,)),
            (self.remedies.observe, (WagerSettled, ShoeOpened)),
            (self.wagering.settle, (WagerSettled,)),
            (find_camera_fault, (CameraLost, CameraMoved, CameraObstructed)),
            (shoe.open, (ShoeOpened,)),
            (shoe.close, (ShoeClosed,)),
            (lambda _event, _running: shoe.doubt() if table.gaps.is_long else None, (CameraBack,)),
            (shoe.deal, (CardDealt,)),
            (shoe.burn, (CardBurned,)),
            (shoe.turn, (CardTurned,)),
            (self.burn.observe, self.burn.listens_to),
            (self.care.observe, self.care.listens_to),
            (self.handling.name, (NomineeNamed,)),
            (self.procedure.call, (NoMoreBets,)),
            (
                lambda event, running: self.last_round.observe(event, running, table.rounds_begun),
                self.last_round.listens_to,
            ),
            (
                lambda event, running: self.last_hand.observe(event, running, table.rounds_begun),
                self.last_hand.listens_to,
            ),
        )

    def hearing_in_round(self) -> Hearing:
        """The listeners that are active only while a round runs."""
        cards, shoe = self.cards, self.shoe
        return (
            *((take, (kind,)) for kind, take in TAKERS.items()),
            (self.early.settle, (WagerSettled,)),
            (shoe.end, () if shoe.is_endless else (ResultAnnounced, WagerSettled, RoundClosed)),
            (self.payouts.settle, (WagerSettled,)),
            (self.payouts.change, (WagerChanged,)),
            (self.wagering.change, (WagerChanged,)),
            (find_wager_on_void_hand, (WagerChanged,)),
            (self.procedure.deal, (CardDealt,)),
            (self.sequence.turn, self.sequence.turns),
            (self.sequence.announce, self.sequence.results),
            (find_replaced, (CardReplaced,)),
            (self.handling.observe, (CardPassed, CardTurned, CardMoved, CardRemoved, HandlingDeclined)),
            (self.limits.observe, self.limits.listens_to),
            (self.offers.observe, self.offers.listens_to),
            (self.insurance.observe, self.insurance.listens_to),
            (self.opening.deal, (CardDealt,) if self.opening.is_watching else ()),
            (self.opening.turn, (CardTurned,) if self.opening.is_watching else ()),
            (cards.judge_deal, (CardDealt,)),
            (cards.judge, NEWS),
        )


class Referee:
    """Judges one table's log by its rulebook."""

    def __init__(
        self,
        rules: Rules,
        *,
        decks: int = 8,
        device: str = "shoe",
        limits: Mapping[str, object] | None = None,
        chips: Iterable[int] = (),
        is_alleged: Callable[[Alert], bool] = lambda alert: True,
    ) -> None:
        """Take the rules and the table's notice.

        Args:
            rules: The rulebook and the options that the house elected.
            decks: Number of decks in the shoe.
            device: What deals, one of `Device`.
            limits: The table's notice.
            chips: The values of the table's chips in minor units; empty where unknown.
            is_alleged: Whether an alert is certain enough to be reported, and for its remedy to shape the next hand. An
                alert that is not may become so later in its round.
        """
        self._rules = rules
        self._table = TableState(
            chips=tuple(sorted(set(chips))),
            notice=parse_notice(limits or {}, rules.mains),
            are_promotional_spent=rules.rulebook.promotional_rule is not None,
            have_players_options=any(
                case.remedy.action == "player_options" for cases in rules.rulebook.faults.values() for case in cases
            ),
            does_call_close=any(rules.closings[bet].moment is Moment.CALL for bet in rules.mains),
        )
        self._judges = Judges.of(rules, self._table, decks=decks, device=device)
        self._held = self._judges.held
        self._is_alleged = is_alleged
        self._found: set[tuple[object, ...]] = set()
        """Keys of all faults of the round, reported or not."""
        self._told: set[tuple[object, ...]] = set()
        self.standing: dict[tuple[object, ...], Alert] = {}
        """The findings of the running round, or of the last one between rounds, with their present confidence."""
        self.hearing: Hearing = ()
        """The listeners while a round runs: those of the table before the round takes the event, the others
        after it."""
        self._in_round: Listeners = {}
        self._between: Listeners = {}
        """The listeners between rounds."""
        self._hear()

    @property
    def state(self) -> RoundState:
        """The present state of the running round and the wagers."""
        return self._table.snapshot()

    @property
    def order(self) -> tuple[Side, ...]:
        """The hands of the first four cards, in order of dealing."""
        return self._rules.rulebook.order

    @property
    def face_down(self) -> frozenset[Phase]:
        """The phases whose cards the style deals face down."""
        return self._rules.style.face_down

    @property
    def round(self) -> int | None:
        """The number of the running round; None between rounds."""
        running = self._table.running
        return None if running is None else running.number

    def points_evidence(self) -> PointsEvidence:
        """What the announced points say about the cards of the running round."""
        running = self._table.running
        return PointsEvidence() if running is None else self._judges.cards.points_evidence(running)

    def has_ended_unseen(self, event: Event) -> bool:
        """Whether the running round must have ended while a camera was lost, as the next event begins another."""
        return self._table.has_ended_unseen(event)

    def observe(self, event: Event) -> Judgement:
        """Take the next event; returns what became certain with it."""
        table, kind = self._table, type(event)
        running = table.running
        alerts: list[Alert] | None = None
        if self._held.changes:
            alerts = self._let_pass(None if kind is RoundClosed and running is not None else event.t)
        listeners = self._in_round
        if running is None:
            if kind in ROUND_OPENERS:
                running = table.begin(event)
                self.standing.clear()
            else:
                listeners = self._between
        for listen in listeners[kind]:
            findings = listen(event, running)
            if findings:
                alerts = [*(alerts or ()), *self._alerts(findings, event.t)]
        if kind is RoundClosed and running is not None:
            record, late = self._close(running)
            return Judgement((*alerts, *late) if alerts else tuple(late), (record,))
        if alerts is None:
            return _NOTHING
        if isinstance(event, CardDealt) and event.together_with is not None and running is not None:
            self._take_back_orders(running)  # not missed above: for such a card the judge of cards returns findings
        return Judgement(tuple(alerts)) if alerts else _NOTHING

    def advance(self, t: float) -> Judgement:
        """Let time pass without an event, to `t` seconds; held-back changes of wagers may become certain."""
        return Judgement(tuple(self._let_pass(t)))

    def finish(self) -> Judgement:
        """End the log: what was open becomes certain, and a round that never closed gets its record."""
        alerts = self._let_pass(None)
        running = self._table.running
        if running is None:
            return Judgement(tuple(alerts))
        record, late = self._close(running)
        return Judgement((*alerts, *late), (record,))

    def copy(self, *, is_alleged: Callable[[Alert], bool] | None = None) -> Referee:
        """An independent copy with the same state.

        Args:
            is_alleged: Replaces the rule for what is reported; None keeps it.
        """
        other = object.__new__(Referee)
        other._rules = self._rules
        known = (self._table, self._judges, self._found, self._told, self.standing)
        other._table, other._judges, other._found, other._told, other.standing = deepcopy(known)
        other._held = other._judges.held
        other._is_alleged = self._is_alleged if is_alleged is None else is_alleged
        other._hear()
        return other

    def _change_limits(self, event: LimitsChanged, running: Round | None) -> None:
        """Apply changed limits from now on; a table that had none may need its wagers checked from now on."""
        self._table.change_limits(event, running)
        self._judges.limits.change(self._table.notice, running)
        self._hear()

    def _hear(self) -> None:
        """Rebuild the lists of listeners."""
        at_table = (*self._judges.hearing_at_table(self._table), (self._change_limits, (LimitsChanged,)))
        self.hearing = (*at_table, *self._judges.hearing_in_round())
        self._in_round, self._between = _listeners(self.hearing), _listeners(at_table)

    def _take_back_orders(self, running: Round) -> None:
        """Drop findings about the order of cards that turn out to have come together."""
        held = {fault.code for fault in self._judges.cards.drawing_of(running).faults}
        for key, alert in tuple(self.standing.items()):
            if alert.code in ORDER_CODES and alert.code not in held:
                del self.standing[key]
                self._found.discard(key)
                self._told.discard(key)

    def _let_pass(self, t: float | None) -> list[Alert]:
        return self._alerts(self._held.release(t), None)

    def _alerts(self, findings: Iterable[Finding], now: float | None) -> list[Alert]:
        alerts: list[Alert] = []
        for finding in findings:
            standing = self.standing.get(finding.key)
            if standing is not None:
                self.standing[finding.key] = replace(standing, confidence=round(finding.confidence, 6))
            if finding.key in self._told:
                continue
            known_t = finding.t if now is None else now
            alert = alert_of(finding, self._rules, round_number=self._table.rounds_begun, now=known_t)
            if alert is not None and finding.key not in self._found:
                self._found.add(finding.key)
                self.standing[finding.key] = alert
                self._judges.payouts.note(alert)
                self._table.follow_remedy(alert, is_established="outcome_established" in finding.facts)
            if alert is not None and self._is_alleged(alert):
                self._told.add(finding.key)
                alerts.append(alert)
                self._judges.remedies.order(finding, alert)
                self._table.follow_later(alert, is_certain=UNDETERMINED not in finding.facts)
        return alerts

    def _close(self, running: Round) -> tuple[RoundRecord, Sequence[Alert]]:
        """End the round; returns its record, and the alerts that only its end makes certain."""
        drawing = self._judges.cards.drawing_of(running)
        promises = {} if self._rules.insurance is None else self._judges.insurance.promises(running)
        if not running.dealt.is_faultless or running.camera_lost_t is not None:
            note_doubts(running, drawing)
        record = record_of(running, drawing, self._rules, self._table, promises=promises)
        payouts = self._judges.payouts.close(running, record, self._table.wagers)
        alerts = self._alerts(payouts, running.closed_t) if payouts else _NO_ALERTS
        remedies = self._judges.remedies.close(running, drawing, self._table)
        if remedies or running.doubts:
            doubts = tuple(Doubt(code, why) for code, why in running.doubts)
            record = record._replace(remedies=remedies, undetermined=doubts)
        self._table.end()
        self._judges.shoe.end_round()
        self._told.clear()
        self._found.clear()
        return record, alerts


def _listeners(hearing: Hearing) -> Listeners:
    """The listeners for each event type, so that a judge is only called for events that concern it."""
    return {kind: tuple(one for one, kinds in hearing if kind in kinds) for kind in EVENT_TYPES.values()}


def judge(events: Iterable[Event], referee: Referee, tell: Callable[[Judgement], None]) -> None:
    """Run a whole log through a referee and pass each judgement to `tell`."""
    for event in events:
        tell(referee.observe(event))
    tell(referee.finish())
