"""Judge a table log with uncertain lines: keep the hypotheses that it leaves open, and weigh each.

While the likeliest hypothesis shows no fault, no other is examined: faults are rare, so a hypothesis with a fault
weighs almost nothing beside one without. From the first fault of a round on, the round is judged under all hypotheses
that its lines leave open; the heaviest are kept (a beam; Reid, An algorithm for tracking multiple targets, 1979). A
hypothesis weighs the probability of its readings times how often such rounds happen. An alert's confidence is the share
of the weight of the hypotheses that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from enum import StrEnum

from thirdcard.rules.belief.backs import Backs
from thirdcard.rules.belief.beam import LEAST_WEIGHT, MOST_HYPOTHESES, likeliest_paths
from thirdcard.rules.belief.choices import (
    Choice,
    by_player,
    choices_of,
    is_direction_open,
    is_unread,
    laid_where_moved,
    read_anew,
)
from thirdcard.rules.belief.missed_cards import (
    cards_laid,
    is_handled_early,
    missed_before,
    share_not_dealt,
    share_with_backs_seen,
    weight_of_lack,
    with_missed,
)
from thirdcard.rules.belief.moves import taken_for_new, with_moved
from thirdcard.rules.belief.order import ORDER_AS_LOGGED, LawfulOrder, is_order_open, settled, shown_where_laid
from thirdcard.rules.belief.priors import WRONG_RESULT, Priors, shipped_priors
from thirdcard.rules.belief.setup_doubt import SetupDoubt
from thirdcard.rules.belief.sight import CameraSight
from thirdcard.rules.belief.table_reading import Reading, announced, faces_of
from thirdcard.rules.belief.touches import may_be_touched_twice, with_touched_twice
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import Source
from thirdcard.rules.log.events import (
    UNSEEN,
    CardDealt,
    CardMoved,
    CardTurned,
    Event,
    RoundClosed,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.referee import Judgement, Referee
from thirdcard.rules.round.records import Hand, Otherwise, PointsEvidence, RoundRecord
from thirdcard.rules.round.round import INITIAL_CARDS, ROUND_OPENERS, RoundState, value_confidence_of
from thirdcard.rules.rulebook.model import Phase

EXCESS_CODES = ("misdeal.third_card_not_due", "misdeal.extra_card", "exposed_card.excess")
"""Findings about a card that was not due; their keys name it."""
WORTH_TELLING = 0.01
"""A round's record lists other readings of the round from this probability on."""


class Telling(StrEnum):
    """Where a finding goes: to the alerts, to the doubtful list, or nowhere."""

    ALERT = "alert"
    REVIEW = "review"
    """Doubtful: somebody looks at it when there is time."""
    NOTHING = "nothing"


Tell = Callable[[Alert], Telling]
Calibrate = Callable[[Alert], float]


@dataclass(slots=True)
class Hypothesis:
    """One possible reading of a round."""

    referee: Referee
    evidence: float
    """The probability of its readings, relative to the other hypotheses."""
    order: LawfulOrder | None = None
    """The order in which unseen first cards are assumed to have come; None: the order of the log."""
    players: set[tuple[str, float]] = field(default_factory=set)
    """Areas and stream times in seconds at which the player, not the dealer, moved chips."""
    backs: Backs = field(default_factory=Backs)
    """Its cards that lie face down, and what it takes for no cards of their own."""
    faces: dict[str, Card] = field(default_factory=dict)
    """The faces of the cards in this hypothesis, by card id."""
    record: RoundRecord | None = None
    """The round's record, once it has closed."""
    points: PointsEvidence = field(default_factory=PointsEvidence)
    """What the announced points say about the cards of this hypothesis."""
    is_settled: bool = False
    """Whether a wager of the round was settled, or the round has closed: by then the cards that count lie open."""

    def copy(self, evidence: float) -> Hypothesis:
        """An independent copy with another evidence."""
        order, players, faces = deepcopy(self.order), set(self.players), dict(self.faces)
        referee, backs = self.referee.copy(), self.backs.copy()
        return Hypothesis(referee, evidence, order, players, backs, faces, self.record, self.points, self.is_settled)

    def observe(self, event: Event, choice: Choice) -> Judgement:
        """Apply the next line, read as `choice` says."""
        if choice.absent is not None:
            self.backs.leave_out(event)
        if choice.moved is not None and isinstance(event, CardDealt):
            self.backs.moved[event.card_id] = choice.moved
        if self.backs.is_about_none(event):
            if isinstance(event, CardMoved) and event.card_id in self.backs.absent:
                self.backs.absent.discard(event.card_id)
                return self._observe(laid_where_moved(event))
            if not isinstance(event, CardTurned) or event.card is None:
                return self.take(self.referee.advance(event.t))
            if not self.backs.recognise(event):
                self.evidence *= 1.0 - value_confidence_of(event)
                return self.take(self.referee.advance(event.t))
        if choice.is_players and isinstance(event, WagerSettled):
            self.players.add((event.area, event.t))
        lines = [self.backs.renamed(line) for line in choice.lines]
        self.faces.update(faces_of(lines))
        judgement = Judgement()
        for line in lines:
            judgement = self._observe(line)
        return judgement

    def _observe(self, line: Event) -> Judgement:
        self.backs.lay(line)
        self.is_settled = self.is_settled or isinstance(line, WagerSettled | RoundClosed)
        if isinstance(line, WagerChanged) and (line.area, line.t) in self.players:
            line = by_player(line)
        judgement = Judgement()
        for one in (settled(line),) if self.order is None else self.order.take(line):
            judgement = self.take(self.referee.observe(one))
        return judgement

    def take(self, judgement: Judgement) -> Judgement:
        """Keep the round's record if the judgement closes the round, and weigh the announced points; returns the
        judgement."""
        if judgement.rounds:
            self.record = judgement.rounds[-1]
        else:
            self.points = self.referee.points_evidence()
        return judgement

    def weight(self, priors: Priors) -> float:
        """The evidence times how often rounds with these faults happen."""
        standing = self.referee.standing.values()
        named = priors.share_of_wrong_points(self.points.hands_wrong)
        of_lack, weighed = weight_of_lack(standing, priors, named)
        moved = 0 if self.order is None else len(self.order.moved)
        weight = self.evidence * of_lack * self.points.chance * priors.needless_move**moved
        if self._is_card_left_closed():
            weight *= priors.unseen_turn
        codes: list[str] = []
        for alert in sorted((one for one in standing if one not in weighed), key=lambda alert: alert.t):
            rate = (
                self._rate_of_wrong_result(priors, codes)
                if alert.code == WRONG_RESULT
                else priors.rate(alert.code, codes)
            )
            weight *= alert.confidence * rate + 1.0 - alert.confidence
            codes.append(alert.code)
        if self.points.is_misdealt and self.points.hands_wrong:
            weight *= self._rate_of_wrong_result(priors, codes)
        return weight

    def _is_card_left_closed(self) -> bool:
        """Whether a card that counts was not seen open when the wagers were settled. One in excess is left face down.

        Several count like one: where the camera missed that one was turned, it may have missed the others with it.
        """
        excess = {key[1] for key, alert in self.referee.standing.items() if alert.code in EXCESS_CODES}
        return self.is_settled and any(card_id not in excess for card_id in self.backs.down)

    def _rate_of_wrong_result(self, priors: Priors, others: Sequence[str]) -> float:
        """The share of rounds in which this wrong result is announced, given the other faults.

        A dealer who deals a card too many, or too few, counts the cards as they lie. Other points are not explained by
        that.
        """
        if self.points.hands_wrong == 0:
            return priors.rate(WRONG_RESULT, others)
        return priors.rate(WRONG_RESULT) * priors.share_of_wrong_points(self.points.hands_wrong)


@dataclass(slots=True)
class Belief:
    """The hypotheses and alerts of one table; takes the log line by line."""

    referee: Referee
    """The referee of the likeliest hypothesis."""
    tell: Tell
    calibrate: Calibrate
    """Maps an alert to its confidence: the share of such findings that are right."""
    priors: Priors = field(default_factory=shipped_priors)
    found: tuple[Alert, ...] = ()
    """All findings of the round that closed last, reported or not, with their confidence at its end."""
    sight: CameraSight = field(default_factory=CameraSight)
    setup: SetupDoubt | None = None
    """Doubts about the table's set-up; None: the set-up is taken to be right."""
    _before: Referee | None = None
    """A copy of the referee from before the running round."""
    _lines: list[Event] = field(default_factory=list)
    """The lines of the running round."""
    _hypotheses: list[Hypothesis] = field(default_factory=list)
    """The hypotheses of the running round; empty while it shows no fault."""
    _told: dict[Hashable, Alert] = field(default_factory=dict)
    _doubtful: dict[Hashable, Alert] = field(default_factory=dict)

    @property
    def state(self) -> RoundState:
        """The running round and the wagers, in the likeliest hypothesis."""
        return self.referee.state

    @property
    def setup_hint(self) -> str | None:
        """What to check in the table's set-up, when a wrong set-up is likelier than a dealer's fault; else None."""
        return None if self.setup is None else self.setup.hint

    def doubt(self, setup: str) -> None:
        """Take evidence from outside play for another set-up, named as in `rules/belief/priors.yaml`."""
        if self.setup is not None:
            self.setup.weigh(setup)

    @property
    def round(self) -> int | None:
        """The number of the running round; None between rounds."""
        return self.referee.round

    def observe(self, event: Event) -> Judgement:
        """Take the next line; returns the alerts that became certain enough, and those to withdraw."""
        if self.referee.has_ended_unseen(event):
            return self._take(RoundClosed(t=event.t, source=Source.INFERRED)).followed_by(self._take(event))
        return self._take(event)

    def _take(self, event: Event) -> Judgement:
        if self.setup is not None:
            self.setup.observe(event)
        if self.referee.round is None and type(event) in ROUND_OPENERS:
            may_be_seen = self.sight.is_seen or self.referee.state.round == 0
            self.sight.begin()
            self._before, self._lines, self._told = self.referee.copy() if may_be_seen else None, [], {}
            self._hypotheses = []
        self.sight.observe(event, comes_face_down=self._comes_face_down(event))
        if self._before is not None:
            self._lines.append(event)
        if self._hypotheses:
            return self._judge(lambda: self._grow(event))
        return self._judge(lambda: self.referee.observe(event))

    def advance(self, t: float) -> Judgement:
        """Let time pass without an event, to `t` seconds of stream time."""
        return self._pass(lambda referee: referee.advance(t))

    def finish(self) -> Judgement:
        """End the log."""
        return self._pass(lambda referee: referee.finish())

    def _pass(self, act: Callable[[Referee], Judgement]) -> Judgement:
        """The judgement when time passes or the log ends, without a new line."""

        def each() -> Judgement:
            judgements = [hypothesis.take(act(hypothesis.referee)) for hypothesis in self._hypotheses]
            return judgements[0]

        return self._judge(each if self._hypotheses else lambda: act(self.referee), again=each)

    def _judge(self, act: Callable[[], Judgement], *, again: Callable[[], Judgement] | None = None) -> Judgement:
        """Carry out `act` and weigh the result.

        `again` repeats an act that is not a line, under the hypotheses that it made necessary.
        """
        judgement = act()
        is_open = bool(self.referee.standing or judgement.rounds or (self._lines and is_unread(self._lines[-1])))
        if self._before is not None and not self._hypotheses and is_open:
            branched = self._branch(is_needed=bool(self.referee.standing))
            if branched is not None:
                judgement = branched if again is None else again()
        closes = bool(judgement.rounds)
        if closes and self.sight.is_seen:
            wrong_points = self.priors.rate(WRONG_RESULT) * self.priors.share_of_wrong_points(1)
            self.sight.faces.note(self._lines, self._readings(), wrong_points=wrong_points)
        if not self._hypotheses and not judgement.alerts:
            self.found = () if closes else self.found
            unbelieved = self._doubt_setup(judgement.rounds) if closes else ()
            return judgement._replace(withdrawn=unbelieved) if unbelieved else judgement
        alerts, withdrawn = self._weigh(judgement)
        if self.setup is not None:
            self.setup.take_back(withdrawn)
            withdrawn += self._doubt_setup(judgement.rounds) if closes else ()
        rounds, doubtful = judgement.rounds, tuple[Alert, ...]()
        if closes:
            rounds, doubtful = self._close(judgement.rounds)
            self.sight.begin()
        return Judgement(tuple(alerts), rounds, tuple(withdrawn), tuple(doubtful))

    def _doubt_setup(self, rounds: Sequence[RoundRecord]) -> tuple[Alert, ...]:
        """Alerts to withdraw at the end of a round, because the set-up is likelier to be wrong."""
        if self.setup is None or not self.sight.is_seen:
            return ()
        return self.setup.close(tuple(self.referee.standing.values()), rounds[-1])

    def _branch(self, *, is_needed: bool) -> Judgement | None:
        """Judge the round so far under every hypothesis; returns the likeliest one's judgement of the last line.

        None where one hypothesis is enough. `is_needed`: branch in any case, since a fault was found.
        """
        options = self._options()
        orders = self._orders()
        may_be_other = any(
            len(some) > 1 and some[1].probability >= WORTH_TELLING and not is_direction_open(line)
            for line, some in zip(self._lines, options, strict=True)
        )
        if not is_needed and len(orders) == 1 and not may_be_other:
            return None
        assert self._before is not None
        beam = likeliest_paths(self._lines, options)
        last: list[Judgement] = []
        for order, share in orders:
            for weight, path in beam:
                hypothesis = Hypothesis(self._before.copy(), weight * share, deepcopy(order))
                judgement = Judgement()
                for line, some, i in zip(self._lines, options, path, strict=True):
                    judgement = hypothesis.observe(line, some[i])
                self._hypotheses.append(hypothesis)
                last.append(judgement)
        best = self._sort()
        return last[best]

    def _options(self) -> list[Sequence[Choice]]:
        """The readings of each line of the round so far; a card whose face was read where it lay surely existed."""
        shown = shown_where_laid(self._lines)
        return [
            (Choice((line,), 1.0),)
            if isinstance(line, CardDealt) and not line.face_up and line.card_id in shown
            else self._choices(i)
            for i, line in enumerate(self._lines)
        ]

    def _choices(self, number: int) -> Sequence[Choice]:
        """The readings of one line of the round."""
        line = self.sight.faces.doubted(self._lines[number])
        if number in read_anew(self._lines) and isinstance(line, CardDealt | CardTurned):
            line = replace(line, alternatives=None)
        choices = choices_of(line, are_cards_out=self._are_cards_out(number))
        if isinstance(line, CardDealt) and (moved := taken_for_new(self._lines).get(line.card_id)) is not None:
            choices = with_moved(choices, line, moved)
        if may_be_touched_twice(self._lines, number):
            choices = with_touched_twice(choices, self.priors.touched_twice)
        hand = missed_before(self._lines, number, self.referee.order, self.referee.face_down)
        return choices if hand is None else with_missed(choices, hand, self.priors.missed_share)

    def _are_cards_out(self, before: int) -> bool:
        """Whether the first four cards left the shoe before that line of the round."""
        return cards_laid(self._lines[:before]) >= INITIAL_CARDS

    def _comes_face_down(self, event: Event) -> bool:
        """Whether the line is about a card of the running round that the style deals face down."""
        if not isinstance(event, CardDealt):
            return False
        phase = Phase.INITIAL if cards_laid(self._lines) < INITIAL_CARDS else Phase.THIRD
        return phase in self.referee.face_down

    def _orders(self) -> list[tuple[LawfulOrder | None, float]]:
        """The orders in which unseen cards may have come, each with its probability; None: the order of the log."""
        if not is_order_open(self._lines):
            return [(None, 1.0)]
        return [
            (None, ORDER_AS_LOGGED),
            (LawfulOrder(self.referee.order, self.referee.face_down), 1.0 - ORDER_AS_LOGGED),
        ]

    def _grow(self, event: Event) -> Judgement:
        """Take the next line in every hypothesis, in each of its readings."""
        if isinstance(event, CardDealt) and event.order_unseen and not any(one.order for one in self._hypotheses):
            self._hypotheses = []
            return self._branch(is_needed=True) or Judgement()
        is_open_anew = any(
            holds(self._lines) and not holds(self._lines[:-1]) for holds in (is_handled_early, taken_for_new, announced)
        )
        if is_open_anew or len(read_anew(self._lines)) > len(read_anew(self._lines[:-1])):
            self._hypotheses = []
            return self._branch(is_needed=True) or Judgement()
        choices = self._choices(len(self._lines) - 1)
        if len(choices) == 1:
            judgements = [hypothesis.observe(event, choices[0]) for hypothesis in self._hypotheses]
            return judgements[self._sort()]
        pairs = [
            (hypothesis.weight(self.priors) * choice.probability, hypothesis, choice)
            for choice in choices
            for hypothesis in self._hypotheses
        ]
        pairs.sort(key=_weight, reverse=True)
        kept = [one for one in pairs[:MOST_HYPOTHESES] if one[0] >= pairs[0][0] * LEAST_WEIGHT]
        twins = [hypothesis.copy(hypothesis.evidence * choice.probability) for _, hypothesis, choice in kept]
        judgements = [twin.observe(event, choice) for twin, (_, _, choice) in zip(twins, kept, strict=True)]
        self._hypotheses = twins
        return judgements[self._sort()]

    def _sort(self) -> int:
        """Sort the hypotheses by weight and drop the negligible ones; returns the old index of the heaviest."""
        weights = [hypothesis.weight(self.priors) for hypothesis in self._hypotheses]
        order = sorted(range(len(weights)), key=lambda i: -weights[i])[:MOST_HYPOTHESES]
        least = weights[order[0]] * LEAST_WEIGHT
        self._hypotheses = [self._hypotheses[i] for i in order if weights[i] >= least]
        self.referee = self._hypotheses[0].referee
        return order[0]

    def _weigh(self, judgement: Judgement) -> tuple[list[Alert], list[Alert]]:
        """The alerts that became certain enough, and those that no longer are."""
        found = self._found(judgement)
        if judgement.rounds:
            self.found = tuple(found.values())
        alerts, withdrawn = [], []
        for key, alert in found.items():
            rivals = self._rivals(key, found)
            if key in self._told or any(rival in self._told for rival in rivals):
                self._doubtful.pop(key, None)
                continue
            telling = self._telling(alert, [found[rival] for rival in rivals])
            if telling is Telling.ALERT:
                self._told[key] = alert
                self._doubtful.pop(key, None)
                alerts.append(alert)
                if self.setup is not None:
                    self.setup.tell([alert])
            elif telling is Telling.REVIEW:
                self._doubtful[key] = alert
            else:
                self._doubtful.pop(key, None)
        if self._hypotheses:
            self._doubtful = {key: alert for key, alert in self._doubtful.items() if key in found}
            for key in list(self._told):
                now = found.get(key)
                lesser = [] if now is None else [found[rival] for rival in self._rivals(key, found)]
                if now is None or (_joint(now, lesser) < UNSEEN and self._telling(now, lesser) is not Telling.ALERT):
                    alert = self._told.pop(key)
                    withdrawn.append(replace(alert, confidence=0.0 if now is None else now.confidence))
        return alerts, withdrawn

    def _rivals(self, key: Hashable, found: Mapping[Hashable, Alert]) -> list[Hashable]:
        """The keys of the findings that other hypotheses have in a finding's place: of the same family and area, and
        never beside it."""
        alert = found[key]
        if alert.area is None or not self._hypotheses:
            return []
        family = alert.code.partition(".")[0]
        others = [
            other
            for other, one in found.items()
            if other != key and one.area == alert.area and one.code.partition(".")[0] == family
        ]
        standing = [hypothesis.referee.standing.keys() for hypothesis in self._hypotheses]
        return [other for other in others if not any(key in keys and other in keys for keys in standing)]

    def _telling(self, alert: Alert, rivals: Sequence[Alert]) -> Telling:
        """Where a finding goes: the likeliest of its rivals goes where all of them together go, the others nowhere.

        If it is certain that a wager was changed late, but not whether chips were added or taken, that is reported.
        """
        if any((rival.confidence, rival.code) > (alert.confidence, alert.code) for rival in rivals):
            return Telling.NOTHING
        return self.tell(replace(alert, confidence=_joint(alert, rivals)))

    def _found(self, judgement: Judgement) -> Mapping[Hashable, Alert]:
        """The findings of all hypotheses, each with the weight share of those that show it as confidence.

        Where hypotheses date a finding differently, it has the time that weighs most, the earlier of two.
        """
        if not self._hypotheses:
            return {
                (alert.code, alert.t, alert.area, alert.hand): self._calibrated(alert, alert.confidence)
                for alert in judgement.alerts
            }
        weights = [hypothesis.weight(self.priors) for hypothesis in self._hypotheses]
        total = sum(weights)
        found: dict[Hashable, dict[float, tuple[Alert, float]]] = {}
        for hypothesis, weight in zip(self._hypotheses, weights, strict=True):
            for key, alert in hypothesis.referee.standing.items():
                dated = found.setdefault(key, {})
                first, share = dated.get(alert.t, (alert, 0.0))
                dated[alert.t] = first, share + weight / total * alert.confidence
        return {
            key: self._calibrated(
                max(dated.values(), key=lambda one: (round(one[1], 6), -one[0].t))[0],
                sum(share for _, share in dated.values()),
            )
            for key, dated in found.items()
        }

    def _calibrated(self, alert: Alert, share: float) -> Alert:
        """The alert with a calibrated confidence; reports of devices and people alone keep theirs."""
        share *= share_not_dealt(alert, self._lines, self.referee.face_down, self.priors)
        missed = self.sight.backs.missed_share(self.priors)
        share *= share_with_backs_seen(alert, self._lines, self.referee.face_down, self.priors.rate(alert.code), missed)
        weighed = replace(alert, confidence=round(min(max(share, 0.0), 1.0), 6))
        if not self.sight.is_seen:
            return weighed
        sure = self.calibrate(weighed)
        if self.setup is not None:
            sure *= self.setup.share_of(alert, self.referee.standing.values())
        return replace(weighed, confidence=round(sure, 6))

    def _close(self, rounds: Sequence[RoundRecord]) -> tuple[tuple[RoundRecord, ...], tuple[Alert, ...]]:
        """Close the round with the likeliest hypothesis; returns its records and the alerts that stayed doubtful."""
        doubtful = tuple(self._doubtful.values())
        if self._hypotheses:
            rounds = [rounds[-1]._replace(otherwise=self._otherwise(rounds[-1]))]
        self._before, self._lines, self._hypotheses = None, [], []
        self._told, self._doubtful = {}, {}
        return tuple(rounds), doubtful

    def _readings(self) -> list[Reading]:
        """The faces in each hypothesis, with its share of the weight of all."""
        weights = [hypothesis.weight(self.priors) for hypothesis in self._hypotheses]
        return [(weight / sum(weights), one.faces) for weight, one in zip(weights, self._hypotheses, strict=True)]

    def _otherwise(self, likeliest: RoundRecord) -> tuple[Otherwise, ...]:
        """The other readings of the round's hands with their probability, the likeliest first."""
        weights = [hypothesis.weight(self.priors) for hypothesis in self._hypotheses]
        shares: dict[tuple[Hand, Hand], float] = {}
        for hypothesis, weight in zip(self._hypotheses, weights, strict=True):
            if hypothesis.record is not None:
                hands = (hypothesis.record.player, hypothesis.record.banker)
                shares[hands] = shares.get(hands, 0.0) + weight / sum(weights)
        shares.pop((likeliest.player, likeliest.banker), None)
        told = sorted(
            ((share, hands) for hands, share in shares.items() if share >= WORTH_TELLING), key=_weight, reverse=True
        )
        return tuple(Otherwise(*hands, round(share, 4)) for share, hands in told)


def _joint(alert: Alert, rivals: Iterable[Alert]) -> float:
    """The confidence that the finding or one of its rivals is true, 0 to 1."""
    return min(alert.confidence + sum(rival.confidence for rival in rivals), 1.0)


def _weight(one: tuple[float, *tuple[object, ...]]) -> float:
    return one[0]
