"""Compare what the dealer paid, collected and returned with what each wager was due. Money in minor units.

Judged when the round closes. What was not read is left open: an unknown amount, the winnings of an unknown stake, chips
that moved unseen. Of a wager that changed too late only the part placed in time counts: a higher payment is a fault,
the rest is left open. Counted chips of unknown value are still a wager, so leaving them unpaid or in place is reported.
For chips that only a camera saw, that is reported only if it also saw that nobody reached there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, inf, prod

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.hand_marks import kinds_of
from thirdcard.rules.game.words import Bet, SettleAction, Settling, Side, Source
from thirdcard.rules.log.events import UNSEEN, ResultAnnounced, WagerChanged, WagerSettled
from thirdcard.rules.round.records import DISPUTED, SETTLED_OTHERWISE, WINNERS_TAKEN, Due, RoundRecord
from thirdcard.rules.round.round import DealtCard, Round, Wager, confidence_of
from thirdcard.rules.rulebook.model import PayCase
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.acts import Acts, facts_about, fault_of, named, put_right, sum_of
from thirdcard.rules.wagers.advice import Advice
from thirdcard.rules.wagers.collection import AmountSpan, judge_loss, span_of
from thirdcard.rules.wagers.exact_pay import least_part_of
from thirdcard.rules.wagers.excess import rule_of_excess
from thirdcard.rules.wagers.hand_ends import end_of, facts_of
from thirdcard.rules.wagers.settlement import pay_case

_SETTLES_FREELY = ("misdeal.", "exposed_card.")
"""Prefixes of faults after which any wager of the round may be returned."""
_STANDS_OFF = (Settling.PUSH, Settling.VOID)
_WIN, _LOSE = Settling.WIN, Settling.LOSE
_HANDS = (Bet.PLAYER, Bet.BANKER)
_PAID, _COLLECTED = SettleAction.PAID, SettleAction.COLLECTED
_PUTS_DOWN = ("late_bet.placed", "late_bet.moved")
"""Late changes after which all chips on an empty area came too late."""


@dataclass(frozen=True, slots=True)
class _Chips:
    """The observed chips of an area."""

    staked: Wager | None
    """At the close of betting."""
    left: Wager | None
    """At the end of the round."""


class PayoutJudge:
    """Collects the settlements of the running round and judges them at its end."""

    def __init__(self, rules: Rules, *, chips: tuple[int, ...] = ()) -> None:
        self._rules = rules
        self._chips = chips
        """The values of the table's chips; empty where unknown."""
        self._settled: dict[str, list[WagerSettled]] = {}
        self._moved: set[str] = set()
        self._filmed: set[str] = set()
        """Areas whose chips a camera reports; they may stay from round to round."""
        self._late: dict[str, Alert] = {}
        """By area: its late change with the highest confidence."""
        self._advice = Advice(rules)
        self._may_return = False
        self._disputed: str | None = None
        """Why it is open which hand won; None where it is clear."""
        self._has_strange = False
        """Whether a bet that is not offered was settled."""
        self._seen_t: dict[str, float] = {}
        """By area: when its chips were last reported, seconds of stream time."""

    def settle(self, event: WagerSettled, running: Round) -> None:
        """Take a settlement in the running round; one of the round before is not judged."""
        if running.is_before_play and event.action is not SettleAction.RETURNED:
            return
        self._settled.setdefault(event.area, []).append(event)
        if event.bet not in self._rules.known:
            self._has_strange = True

    def change(self, event: WagerChanged, running: Round) -> None:
        """Take a change of a wager in the running round."""
        self._seen_t[event.area] = event.t
        if running.deadline is not None:
            self._moved.add(event.area)
        if event.source is Source.CAMERA:
            self._filmed.add(event.area)
        else:
            self._filmed.discard(event.area)

    def note(self, alert: Alert) -> None:
        """Take an alert of the round that affects what may be done with its wagers."""
        if alert.code == "misdeal.wrong_result":
            self._disputed = DISPUTED
        if alert.code.startswith(_SETTLES_FREELY):
            self._may_return = True
        elif alert.code.startswith("late_bet.") and alert.area is not None:
            known = self._late.get(alert.area)
            if known is None or known.confidence < alert.confidence:
                self._late[alert.area] = alert

    def close(self, running: Round, record: RoundRecord, wagers: Mapping[str, Wager]) -> list[Finding]:
        """Return the settlement faults of the round that closes, and reset for the next round."""
        findings: list[Finding] = []
        if running.closed_t is not None:
            rests_on_sight = running.result is None or (running.void.is_void and running.void.rule is not None)
            if self._disputed is None and rests_on_sight and self._is_opposed(record.due):
                self._disputed = SETTLED_OTHERWISE
            for due in record.due:
                if due.area in self._late:
                    findings += self._judge_late(due, running, record)
                elif self._disputed is not None or not _is_just_as_due(due, self._settled.get(due.area)):
                    chips = _Chips(running.betting.stakes.get(due.area), wagers.get(due.area))
                    findings += self._judge(due, running, record, chips)
            if self._late or self._has_strange:
                findings += self._judge_no_wagers(running, record)
            if self._advice.is_given:
                for acts in self._settled.values():
                    self._advice.note(running, acts)
        self._settled.clear()
        self._moved.clear()
        self._late.clear()
        self._may_return = self._has_strange = False
        self._disputed = None
        if not findings:
            return findings
        cards = running.dealt.cards.values()
        if running.result is None or not _is_confirmed(running.result, record):
            findings = _resting_on(cards, findings)
        return [self._resting_on_faces(cards, finding) for finding in findings]

    def _resting_on_faces(self, cards: Iterable[DealtCard], finding: Finding) -> Finding:
        """The finding with confidence reduced to that of the ranks and suits that decide its bet."""
        terms = None if finding.bet is None else self._rules.rulebook.bets.get(finding.bet)
        sides = frozenset() if terms is None else _sides_read(terms.cases)
        read = [card for card in cards if card.place in sides and card.card is not None]
        sure = prod(min(card.face_confidence / max(card.confidence, card.face_confidence), 1.0) for card in read)
        return finding if sure == 1.0 else replace(finding, confidence=finding.confidence * sure)

    def _is_opposed(self, due: Iterable[Due]) -> bool:
        """Whether more settlements that a camera saw contradict the cards than agree: then a card may be misread.

        Or, where nobody announced a void hand, the fault that voids it may be an error. A collected wager on neither
        hand is no evidence: most of them lose whoever wins.
        """
        clear = [_is_as_due(one, act) for one, act in self._telling(due) if not _is_unclear(one, act)]
        return clear.count(False) > clear.count(True)

    def _are_winners_taken(self, due: Iterable[Due]) -> bool:
        """Whether chips were seen to be taken from winning hands, and no settlement tells more."""
        telling = self._telling(due)
        return bool(telling) and all(
            one.bet in _HANDS and one.outcome is _WIN and _is_unclear(one, act) for one, act in telling
        )

    def _telling(self, due: Iterable[Due]) -> list[tuple[Due, WagerSettled]]:
        """The settlements that a camera saw, with what is due; a bet that loses whoever wins tells nothing."""
        acts = ((one, act) for one in due for act in self._settled.get(one.area, ()) if act.source is Source.CAMERA)
        return [(one, act) for one, act in acts if not _loses_anyway(one, act)]

    def _judge_no_wagers(self, running: Round, record: RoundRecord) -> Iterator[Finding]:
        """Payments where no wager counts: it was placed too late, or the bet is not offered."""
        stands = {one.area for one in record.due} | {one.area for one in record.due_open}
        for area in self._settled:
            paid = () if area in stands else self._acts_on(area, running).paid
            late = self._late.get(area)
            if not paid:
                continue
            if late is not None and late.code in _PUTS_DOWN:
                found = _paid_for_nothing(paid[-1], "which was placed after betting closed")
                yield replace(found, confidence=found.confidence * late.confidence)
            elif late is None and paid[-1].bet not in self._rules.known:
                yield _paid_for_nothing(paid[-1], "which is not offered")

    def _judge_late(self, due: Due, running: Round, record: RoundRecord) -> Iterator[Finding]:
        """Payments above what the wager wins as it lay when betting closed."""
        late, acts = self._late[due.area], self._acts_on(due.area, running)
        total = sum_of(acts.paid)
        if acts.paid and due.outcome is not _WIN:
            yield self._by_its_void(_paid_in_vain(due, acts), due, running)
        elif total is not None and due.pays is not None and total > self._rounded(due, due.pays).most:
            found = self._wrong_total(due, acts.paid[-1], total, record)
            yield replace(found, confidence=found.confidence * late.confidence)
        else:
            running.doubt("payout.wrong_amount", f"the wager on {due.area} changed after betting closed")

    def _judge(self, due: Due, running: Round, record: RoundRecord, chips: _Chips) -> Iterable[Finding]:
        """The faults in the settlement of one wager; unknown parts become doubts of the round."""
        acts = self._acts_on(due.area, running)
        why_open = self._why_open(due, acts, record)
        if why_open is not None:
            running.doubt(*why_open)
            return ()
        acts = put_right(_without_tokens(acts, due, chips.staked), due)
        misdone = _wrong_act(due, acts)
        if misdone is not None:
            return (self._by_its_void(misdone, due, running),)
        if acts.paid:
            return self._wrong_amount(due, acts, running, record)
        if due.outcome is _LOSE and acts.all:
            return self._wrong_loss(due, acts, running)
        if self._is_done_with(due, acts, running):
            return ()
        may_be_gone = running.was_camera_lost or self._is_stake_unsure(due.area, running)
        if may_be_gone or acts.is_return_filmed or not self._is_left(due, acts, chips, running.untouched):
            running.doubt(_absent_code(due), f"what became of the wager on {due.area} was not seen")
            return ()
        return (_absence(due, running, acts, chips),)

    def _by_its_void(self, finding: Finding, due: Due, running: Round) -> Finding:
        """The fault of a void wager with the rule that voids it, and the fact for the rulebook's cases."""
        if due.outcome is not Settling.VOID:
            return finding
        void, facts = running.void, finding.facts
        if void.is_void:
            rule, fact = void.rule, "round_voided" if void.rule is None else "void_ordered"
        elif due.area in running.betting.ordered_back:
            rule, fact = None, "ordered_back"
        else:
            rule, fact = self._rule_of_part(due) or self._rule_of_fee(due), "void_ordered"
        return replace(finding, facts=facts | {fact}, source_rule=rule)

    def _rule_of_fee(self, due: Due) -> str | None:
        """The rule by which the wager is void without a fee; None where there is none."""
        return next((fee.rule for fee in self._rules.fees if due.bet in fee.wagers), None)

    def _acts_on(self, area: str, running: Round) -> Acts:
        """The dealer's acts on a wager; once the house voided the round or ordered a return, only later acts count.

        The dealer may take back an earlier payment without a line in the log, and return collected chips as a change of
        the area.
        """
        acts, since_t = tuple(self._settled.get(area, ())), running.void.declared_t
        if since_t is None and self._rules.are_returns_honoured:
            since_t = running.betting.ordered_back.get(area)
        if since_t is None:
            return Acts(acts)
        later = tuple(act for act in acts if act.t >= since_t)
        if later or area in self._moved:
            return Acts(later)
        return Acts(tuple(act for act in acts if act.action is not _PAID))

    def _why_open(self, due: Due, acts: Acts, record: RoundRecord) -> tuple[str, str] | None:
        """The code and reason if the acts prove nothing about the wager; None if they do."""
        if self._disputed is not None and any(act.source is Source.CAMERA for act in acts.all):
            return "payout.loser_paid", self._disputed
        if due.outcome is not _LOSE and any(_is_unclear(due, act) for act in acts.all):
            unseen = f"what the dealer did with the wager on {due.area} was not seen"
            return "payout.winner_unpaid", WINNERS_TAKEN if self._are_winners_taken(record.due) else unseen
        return None

    def _is_done_with(self, due: Due, acts: Acts, running: Round) -> bool:
        """Whether an unpaid wager needed nothing more: it stood off, or was rightly returned."""
        return due.outcome in _STANDS_OFF or (bool(acts.returned) and not self._wrongly_returned(acts, running))

    def _wrongly_returned(self, acts: Acts, running: Round) -> tuple[WagerSettled, ...]:
        """The returns after the result that nothing allows."""
        result = running.result
        if result is None or self._may_return or running.void.is_void:
            return ()
        stakes = running.betting.stakes
        late = tuple(act for act in acts.returned if act.t >= result.t)
        return tuple(act for act in late if not self._advice.allows_return(stakes.get(act.area), running))

    def _wrong_loss(self, due: Due, acts: Acts, running: Round) -> Iterable[Finding]:
        """The fault of a losing wager that was returned, or of which a wrong amount was collected."""
        if acts.collected and self._is_stake_unsure(due.area, running):
            running.doubt("payout.wrong_amount", f"a camera was lost after the wager on {due.area} was last seen")
            return ()
        given_back = self._wrongly_returned(acts, running)
        found, why_open = judge_loss(due, acts, given_back, step=self._step(due), rule=self._rule_of_loss(due))
        if why_open is not None:
            running.doubt("payout.loser_kept", why_open)
        return () if found is None else (found,)

    def _rule_of_loss(self, due: Due) -> str | None:
        """The rule on how much of a losing wager is lost."""
        case = self._rules.fault("payout.loser_kept", facts_about(due.bet))
        return self._rule_of_part(due) or (None if case is None else case.rule)

    def _is_left(self, due: Due, acts: Acts, chips: _Chips, untouched: frozenset[str]) -> bool:
        """Whether the wager surely existed and was surely left unpaid or in place."""
        if acts.all:
            return True
        if due.area in self._moved or chips.staked is None or chips.left is None:
            return False
        if due.area in self._filmed:
            return due.area in untouched and not self._may_return and self._is_in_play(due, chips.staked.least or 0)
        is_counted = due.stake is not None or bool(chips.staked.chips)
        least = (chips.staked.chips or 0) * min(self._chips, default=0)
        return chips.left.is_seen and is_counted and self._is_in_play(due, least)

    def _is_in_play(self, due: Due, least: int) -> bool:
        """Whether at least a part of the wager can be paid exactly, by its value or its lower bound."""
        if due.stake is not None:
            return True
        part = least_part_of(due.bet, self._rules, self._chips)
        return part is None or least >= part

    def _wrong_amount(self, due: Due, acts: Acts, running: Round, record: RoundRecord) -> Iterator[Finding]:
        """A fault if the net payment differs from the winnings; chips taken from it, such as commission, are
        subtracted."""
        paid, taken = sum_of(acts.paid), sum_of(acts.collected)
        if self._is_stake_unsure(due.area, running):
            running.doubt("payout.wrong_amount", f"a camera was lost after the wager on {due.area} was last seen")
            return
        if due.pays is None or paid is None or taken is None:
            running.doubt("payout.wrong_amount", f"the wager on {due.area} or what it was paid was not read")
            return
        least, most = self._rounded(due, due.pays)
        if not least <= paid - taken <= most:
            last = max((*acts.paid, *acts.collected), key=lambda act: act.t)
            yield self._wrong_total(due, last, paid - taken, record)

    def _is_stake_unsure(self, area: str, running: Round) -> bool:
        """Whether chips may have come or gone unseen since the wager was last reported."""
        lost_t = running.sight.last_lost_t
        return lost_t is not None and self._seen_t.get(area, -inf) <= lost_t

    def _wrong_total(self, due: Due, act: WagerSettled, total: int, record: RoundRecord) -> Finding:
        assert due.pays is not None, "an amount is wrong only where it is known what is due"
        owed = str(due.pays) if due.pays.denominator > 1 else str(int(due.pays))
        text = f"{named(due)} was paid {total} instead of {owed}"
        return fault_of("payout.wrong_amount", due, act, text, amount=total, rule=self._pay_rule(due, record))

    def _rounded(self, due: Due, amount: Fraction) -> AmountSpan:
        return span_of(amount, self._step(due))

    def _step(self, due: Due) -> int:
        """The smallest amount for settling the wager, in minor units: proportional parts are rounded to the smallest
        chip."""
        return 1 if due.excess_stake is None else min(self._chips, default=1)

    def _rule_of_part(self, due: Due) -> str | None:
        """The rule that takes a part of the stake out of play; None where all of it is in play."""
        if due.excess_stake is not None:
            return rule_of_excess(due.bet, self._rules)
        terms = self._rules.rulebook.bets.get(due.bet)
        exact = None if terms is None or due.void_stake is None else terms.exact_pay
        return None if exact is None else exact.rule

    def _pay_rule(self, due: Due, record: RoundRecord) -> str | None:
        """The rule of the matching entry of the pay table, or the one that takes a part of the stake out of play."""
        of_part = self._rule_of_part(due)
        if of_part is not None:
            return of_part
        player = tuple(card for card in record.player if card is not None)
        banker = tuple(card for card in record.banker if card is not None)
        insurance = self._rules.insurance
        if due.bet not in self._rules.rulebook.bets:
            return None if insurance is None else insurance.rows[0].rule
        is_unread = len(player) < len(record.player) or len(banker) < len(record.banker)
        if is_unread or min(len(player), len(banker)) < 2:
            return None
        marks = self._rules.marks
        case = pay_case(due.bet, self._rules, facts_of(end_of(player, marks), end_of(banker, marks)))
        return None if case is None else case.rule


def _is_confirmed(result: ResultAnnounced, record: RoundRecord) -> bool:
    """Whether the announcement agrees with the cards, as far as both are known."""
    pairs = ((result.player, record.player_total), (result.banker, record.banker_total), (result.winner, record.winner))
    return all(said is None or read is None or said == read for said, read in pairs)


def _sides_read(cases: Iterable[PayCase]) -> frozenset[Side]:
    """The hands whose ranks or suits the cases ask for."""
    keys = {fact.partition("=")[0] for case in cases for fact in case.when}
    return frozenset(Side(side) for key in keys for side, _ in kinds_of(key))


def _resting_on(cards: Iterable[DealtCard], findings: list[Finding]) -> list[Finding]:
    """The findings with confidence reduced to that of the cards, since no result was announced."""
    sure = prod(card.confidence for card in cards if card.card is not None)
    return [replace(finding, confidence=finding.confidence * sure) for finding in findings]


def _wrong_act(due: Due, acts: Acts) -> Finding | None:
    """The fault of a wager that was paid though it did not win, or collected though it stood off; else None."""
    if acts.paid and due.outcome is not _WIN:
        return _paid_in_vain(due, acts)
    if acts.collected and due.outcome in _STANDS_OFF:
        text = f"{named(due)} was collected, though it stood off"
        return fault_of("payout.push_taken", due, acts.collected[-1], text)
    return None


def _without_tokens(acts: Acts, due: Due, staked: Wager | None) -> Acts:
    """The acts without the collection of promotional chips, which are spent once they have won or stood off."""
    tokens, taken = 0 if staked is None else staked.promotional, sum_of(acts.collected)
    is_spent = (due.outcome is _WIN and acts.paid) or due.outcome is Settling.PUSH
    if tokens == 0 or not is_spent or not acts.collected:
        return acts
    if taken is not None and tokens is not None and taken < tokens:
        return acts
    rest = 0 if taken is None or tokens is None else taken - tokens
    others = tuple(act for act in acts.all if act.action is not _COLLECTED)
    return Acts((*others, replace(acts.collected[-1], amount=rest)) if rest else others)


def _paid_in_vain(due: Due, acts: Acts) -> Finding:
    return fault_of("payout.loser_paid", due, acts.paid[-1], f"{named(due)} was paid, though it did not win")


def _paid_for_nothing(act: WagerSettled, why: str) -> Finding:
    return fault_of("payout.loser_paid", act, act, f"{named(act)} was paid, {why}")


def _is_just_as_due(due: Due, acts: list[WagerSettled] | None) -> bool:
    """Whether a single act settled the wager exactly."""
    if acts is None or len(acts) != 1:
        return False
    action, outcome = acts[0].action, due.outcome
    if outcome is _LOSE:
        is_whole = acts[0].amount == due.stake and due.excess_stake is None and due.void_stake is None
        return action is _COLLECTED and is_whole
    return outcome is _WIN and action is _PAID and acts[0].amount is not None and acts[0].amount == due.pays


def _is_as_due(due: Due, act: WagerSettled) -> bool:
    """Whether the act's kind is what the wager is due."""
    if due.outcome in _STANDS_OFF:
        return act.action is SettleAction.RETURNED
    return act.action is (_PAID if due.outcome is _WIN else _COLLECTED)


def _loses_anyway(due: Due, act: WagerSettled) -> bool:
    return due.bet not in _HANDS and due.outcome is _LOSE and act.action is _COLLECTED


def _is_unclear(due: Due, act: WagerSettled) -> bool:
    """Whether a camera saw chips leave without seeing why: they may be change for a winner."""
    is_seen_only = act.source in (Source.CAMERA, Source.INFERRED) and act.amount is None
    is_sure = act.confidence is not None and act.confidence > UNSEEN
    return is_seen_only and act.action is _COLLECTED and not (is_sure and due.outcome is not _WIN)


def _absent_code(due: Due) -> str:
    return "payout.winner_unpaid" if due.outcome is Settling.WIN else "payout.loser_kept"


def _absence(due: Due, running: Round, acts: Acts, chips: _Chips) -> Finding:
    """The fault of an unpaid winner or an uncollected loser, at the time it was cleared or at the round's end."""
    emptied = next((act for act in reversed(acts.all) if act.action is not _PAID), None)
    code, t = _absent_code(due), running.closed_t if emptied is None else emptied.t
    assert t is not None, "absences are judged when the round has closed"
    what = "won and was not paid" if due.outcome is Settling.WIN else "lost and was left in place"
    return Finding(
        code=code,
        t=t,
        key=(code, due.area),
        message=f"{named(due)} {what}.",
        facts=facts_about(due.bet),
        seat=due.seat,
        bet=due.bet,
        area=due.area,
        amount=due.stake if due.pays is None or due.outcome is Settling.LOSE else floor(due.pays),
        confidence=confidence_of(acts.all[-1]) if acts.all else 1.0 if chips.left is None else chips.left.confidence,
    )
