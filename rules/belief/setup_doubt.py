"""Doubt the set-up before the dealer: faults in every round that another set-up would explain are not the dealer's.

The table is also judged as if the two card boxes were swapped, as if the Player's and the Banker's wagering areas were
swapped, and under each other dealing style. Each of these weighs its prior probability times how often rounds with its
faults, announced points and settlements happen; over the rounds one set-up prevails. An alert's confidence is
multiplied by the weight of the set-ups in which it is a fault.

Set-ups are compared by the likeliest reading of each line. What other readings show of the set-up as given, they show
of every set-up: a fault that the likeliest reading does not show speaks neither for nor against one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from thirdcard.rules.belief.order import LawfulOrder, settled
from thirdcard.rules.belief.priors import WRONG_RESULT, Priors
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import (
    UNSEEN,
    CardDealt,
    CardMoved,
    Event,
    HandlingDeclined,
    ReturnOrdered,
    Side,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.referee import Referee
from thirdcard.rules.round.records import PointsEvidence, RoundRecord
from thirdcard.rules.round.round import INITIAL_CARDS, ROUND_OPENERS
from thirdcard.rules.rulebook.model import Phase

SWAPPED_BETS = {"player": "banker", "banker": "player", "player_pair": "banker_pair", "banker_pair": "player_pair"}
PAYS = "payout."
NO_POINTS = PointsEvidence()
"""The evidence where no points were announced."""
SIDE = "exposed_card"
"""The family of codes whose rate says how often a card lies with the wrong side up."""
LOOK_AT: Mapping[str, str] = {
    "misdeal": "are the card boxes of the layout the right way round, and does the calibration hold?",
    "payout": "are the wagering areas those of the bets that are named, and the rulebook's options elected?",
    "late_bet": "is the call of no more bets reported, or seen, when it is made?",
    "exposed_card": "is the dealing style elected that is dealt here?",
    "procedure": "is the dealing style elected that is dealt here, and is each device connected that reports?",
    "limit": "are the limits those of the table's notice, in its smallest unit?",
    "wager": "are all bets elected that are offered here?",
}
"""By family of codes: what to check in a set-up that shows such faults round after round."""


def swap_boxes(event: Event) -> Event:
    """The line as it reads if the Player's box is really the Banker's."""
    if isinstance(event, CardDealt | CardMoved | HandlingDeclined) and event.hand is not None:
        return replace(event, hand=Side.BANKER if event.hand is Side.PLAYER else Side.PLAYER)
    return event


def swap_bets(event: Event) -> Event:
    """The line as it reads if the areas of Player and Banker bets are swapped."""
    if isinstance(event, WagerChanged | WagerSettled | ReturnOrdered) and str(event.bet) in SWAPPED_BETS:
        return replace(event, bet=type(event.bet)(SWAPPED_BETS[str(event.bet)]))
    return event


@dataclass(slots=True, kw_only=True)
class Suspect:
    """A possible set-up other than the one in the table's files."""

    name: str = ""
    """Its key among the prior probabilities (`rules/belief/priors.yaml`, `setups`)."""
    what: str
    """What would be wrong, in words for people."""
    referee: Referee
    """The referee that judges by this set-up."""
    weight: float
    """Its probability, relative to the other set-ups."""
    change: Callable[[Event], Event] = lambda event: event
    """Maps a line to how it reads in this set-up."""
    found: set[Hashable] = field(default_factory=set)
    """Keys of the alerts that are faults in this set-up too."""
    is_judged_by_sides: bool = False
    """Whether this is another dealing style: then cards that lie otherwise than it deals them count as evidence against
    it, whether or not its text forbids that."""
    _dealt: int = 0
    """How many cards of the running round came."""
    _order: LawfulOrder | None = None
    """Passes on the lines of a round in which some card's order was not seen; None before such a card."""
    _misfit: float = 0.0
    """The confidence, 0 to 1, that a card of the running round lies otherwise than the style deals."""
    record: RoundRecord | None = None
    """The record of the round that this line closes, in this set-up; None if it closes none."""
    points: PointsEvidence = NO_POINTS
    """What the announced points say about the cards of the running round, or of the one that this line closes."""

    def observe(self, event: Event) -> None:
        """Take the next line."""
        if self.referee.round is None and type(event) in ROUND_OPENERS:
            self._dealt, self._order, self._misfit, self.points = 0, None, 0.0, NO_POINTS
        self.record = None
        for line in self._lines_of(self.change(event)):
            judgement = self.referee.observe(line)
            if judgement.rounds:
                self.record = judgement.rounds[-1]
            else:
                self.points = self.referee.points_evidence()
        self.found.update(map(_key, self.referee.standing.values()))
        if isinstance(event, CardDealt) and event.hand is not None:
            self._dealt += 1
            if self.is_judged_by_sides:
                self._note_side(event)

    def _lines_of(self, event: Event) -> Iterable[Event]:
        """The lines that the referee is given for this one: cards whose order was not seen came in the lawful order."""
        if self._order is None and isinstance(event, CardDealt) and event.order_unseen:
            self._order = LawfulOrder(self.referee.order, self.referee.face_down, self._dealt)
        return (settled(event),) if self._order is None else self._order.take(event)

    def weight_of_round(self, found: Iterable[Alert], settling: float, given: Suspect, priors: Priors) -> float:
        """How often rounds like the running one happen in this set-up, relative.

        Its winner may be misread: wagers that are settled against the cards need be no faults.

        Args:
            found: The faults of the round in the set-up as given.
            settling: The weight there of how its wagers were settled.
            given: The set-up as given, by the likeliest reading of each line.
            priors: How rare faults are.
        """
        shared, own = self._faults(found, given)
        of_pays = [alert for alert in own if alert.code.startswith(PAYS)]
        others = [alert for alert in own if not alert.code.startswith(PAYS)]
        weight = fault_weight([*shared, *others], priors)
        weight *= max(fault_weight(of_pays, priors), priors.misread_winner)
        if settling_weight(given.record, priors) == settling:
            settling = settling_weight(self.record, priors)
        seldom = self._misfit * priors.rate(SIDE) + 1.0 - self._misfit
        return weight * seldom * settling * points_weight(self.points, priors)

    def _faults(self, found: Iterable[Alert], given: Suspect) -> tuple[list[Alert], list[Alert]]:
        """The faults of the running round: those that the set-up as given has too, and those of this one alone."""
        mine = {_key(alert): alert for alert in self.referee.standing.values()}
        as_given = {_key(alert) for alert in given.referee.standing.values()}
        shared = [alert for alert in found if _key(alert) in mine or _key(alert) not in as_given]
        own = [alert for key, alert in mine.items() if key not in as_given and key not in map(_key, shared)]
        return shared, own

    def _note_side(self, dealt: CardDealt) -> None:
        phase = Phase.INITIAL if self._dealt <= INITIAL_CARDS else Phase.THIRD
        if dealt.face_up == (phase in self.referee.face_down) and not dealt.order_unseen:
            self._misfit = max(self._misfit, 1.0 if dealt.confidence is None else dealt.confidence)

    def shows(self, alert: Alert, given: Suspect) -> bool:
        """Whether the alert is a fault in this set-up too, as far as the likeliest readings tell."""
        return _key(alert) in self.found or _key(alert) not in given.found


@dataclass(slots=True, kw_only=True)
class SetupDoubt:
    """The probabilities of one table's possible set-ups."""

    given: Suspect
    """The set-up of the table's files, by the likeliest reading of each line."""
    suspects: list[Suspect]
    priors: Priors
    hint: str | None = None
    """What to check, once the set-up is likely to be wrong; else None."""
    _seen: dict[str, float] = field(default_factory=dict)
    """By the name of a suspect for which something other than play speaks: its weight before that."""
    _as_set: float = field(init=False)
    """The probability that the set-up is right, relative to the suspects, after the closed rounds."""
    _told: list[Alert] = field(default_factory=list)
    _on_end: dict[str, int] = field(default_factory=dict)
    """By code: in how many rounds in a row it was found."""
    _shown: set[str] = field(default_factory=set)
    """By `Suspect.what`: the suspects for which a round spoke, and against which none spoke since."""
    _refuted: set[str] = field(default_factory=set)
    """By `Suspect.what`: the suspects against which any round spoke."""

    def __post_init__(self) -> None:
        self._as_set = 1.0 - sum(suspect.weight for suspect in self.suspects)

    def observe(self, event: Event) -> None:
        """Take the next line of the log."""
        for suspect in (self.given, *self.suspects):
            suspect.observe(event)

    def share_of(self, alert: Alert, standing: Iterable[Alert]) -> float:
        """The share of the total weight that set-ups have in which an alert is a fault, 0 to 1, including the running
        round."""
        as_set, others = self._weights(standing)
        shown = sum(
            weight for suspect, weight in zip(self.suspects, others, strict=True) if suspect.shows(alert, self.given)
        )
        return (as_set + shown) / (as_set + sum(others))

    def weigh(self, name: str) -> None:
        """Take evidence for a suspect that does not come from play, such as the words on the cloth.

        It is hinted at at once. Its weight grows by `print_odds`, so that the first fault that it explains counts for
        it. Nothing happens where there is no such suspect, or for the same evidence once more.
        """
        for suspect in self.suspects:
            if suspect.name == name and name not in self._seen:
                self._seen[name] = suspect.weight
                suspect.weight *= self.priors.print_odds
                self.hint = f"{suspect.what}: look at the set-up"
        total = self._as_set + sum(suspect.weight for suspect in self.suspects)
        self._as_set /= total
        for suspect in self.suspects:
            suspect.weight /= total

    def tell(self, alerts: Iterable[Alert]) -> None:
        """Note alerts that were reported."""
        self._told += alerts

    def take_back(self, alerts: Iterable[Alert]) -> None:
        """Forget alerts that were withdrawn already."""
        gone = set(map(_key, alerts))
        if not gone:
            return
        self._told = [alert for alert in self._told if _key(alert) not in gone]

    def close(self, found: Collection[Alert], record: RoundRecord | None = None) -> tuple[Alert, ...]:
        """Close a round; returns the reported alerts to withdraw because the set-up is likelier to be wrong.

        Args:
            found: The findings of the round under the set-up of the table's files.
            record: Its record under that set-up.
        """
        self._note_play(found, record)
        settling = settling_weight(record, self.priors)
        self._as_set, weights = self._weights(found, settling)
        self._as_set *= settling
        total = self._as_set + sum(weights)
        self._as_set /= total
        for suspect, weight in zip(self.suspects, weights, strict=True):
            suspect.weight = weight / total
        likely = [alert.code for alert in found if alert.confidence >= UNSEEN]
        self._on_end = {code: self._on_end.get(code, 0) + 1 for code in likely}
        if self._as_set >= UNSEEN:
            self._hint_at_repeats()
            return ()
        culprit = max(self.suspects, key=lambda suspect: suspect.weight)
        self.hint = f"{culprit.what}: look at the set-up"
        withdrawn = tuple(alert for alert in self._told if not culprit.shows(alert, self.given))
        self._told = [alert for alert in self._told if culprit.shows(alert, self.given)]
        return withdrawn

    def _note_play(self, found: Collection[Alert], record: RoundRecord | None) -> None:
        """Note for and against which suspects the round speaks.

        Two kinds of rounds are hinted at before they outweigh how rare a wrong set-up is: one that is settled against
        its cards, since it accuses nobody and nobody else would hear of it; and any round before the first that speaks
        against the suspect, since until then nothing shows that the table is set up rightly.
        """
        settling = settling_weight(record, self.priors)
        as_set = fault_weight(found, self.priors) * settling * points_weight(self.given.points, self.priors)
        for suspect in self.suspects:
            weight = suspect.weight_of_round(found, settling, self.given, self.priors)
            if weight * self.priors.hint_odds < as_set:
                self._shown.discard(suspect.what)
                self._refuted.add(suspect.what)
            elif weight > as_set * self.priors.hint_odds and (settling < 1.0 or suspect.what not in self._refuted):
                self._shown.add(suspect.what)

    def _hint_at_repeats(self) -> None:
        code, count = max(self._on_end.items(), key=lambda one: one[1], default=("", 0))
        look = LOOK_AT.get(code.partition(".")[0])
        if count >= self.priors.hint_after_rounds and look is not None:
            self.hint = f"{code} in {count} rounds on end: look at the set-up; {look}"
        else:
            shown = [suspect for suspect in self.suspects if self._is_shown(suspect)]
            likeliest = max(shown, key=lambda suspect: suspect.weight, default=None)
            self.hint = None if likeliest is None else f"{likeliest.what}: look at the set-up"

    def _is_shown(self, suspect: Suspect) -> bool:
        """Whether the words on the cloth or a round speak for a suspect, and play does not speak against it."""
        return suspect.what in self._shown or suspect.weight > self._seen.get(suspect.name, 1.0)

    def _weights(self, found: Iterable[Alert], settling: float = 1.0) -> tuple[float, list[float]]:
        """The weights of the given set-up and of each suspect, including the running round."""
        found = tuple(found)
        others = [one.weight * one.weight_of_round(found, settling, self.given, self.priors) for one in self.suspects]
        as_set = self._as_set * fault_weight(found, self.priors) * points_weight(self.given.points, self.priors)
        return as_set, others


def fault_weight(alerts: Iterable[Alert], priors: Priors) -> float:
    """How often rounds with these faults happen; a repeated fault in a round may have the same cause."""
    weight = 1.0
    codes: list[str] = []
    for alert in sorted(alerts, key=lambda alert: alert.t):
        rate = priors.rate(alert.code, codes)
        rate = max(rate, priors.again) if alert.code in codes else rate
        weight *= alert.confidence * rate + 1.0 - alert.confidence
        codes.append(alert.code)
    return weight


def points_weight(points: PointsEvidence, priors: Priors) -> float:
    """How often the points of a round are announced, relative to those of its cards.

    Where nobody can say which cards count, no fault says that points which are not theirs are a wrong result.
    """
    if not points.hands_wrong:
        return 1.0
    share = priors.share_of_wrong_points(points.hands_wrong)
    return share * priors.rate(WRONG_RESULT) if points.is_misdealt else share


def settling_weight(record: RoundRecord | None, priors: Priors) -> float:
    """How often the wagers of a round are settled as these were, relative to settlements that agree with the cards.

    Where no result is announced, settling against the cards accuses nobody, since a card may be misread; but that is
    rare, and a set-up in which the settling agrees with the cards round after round is likelier.
    """
    return priors.misread_winner if record is not None and record.is_settled_otherwise else 1.0


def _key(alert: Alert) -> Hashable:
    return alert.code, alert.t
