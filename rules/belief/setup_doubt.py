"""Doubt the set-up before the dealer: where each round shows a fault that another set-up would not, that one is wrong.

Beside the table as it was set up it is judged as it would be with the two card boxes swapped, with the Player's and the
Banker's wagering areas swapped, or with another dealing style elected. Each of these weighs how rarely it is the case
times how often rounds with the faults that it shows happen; over the rounds one of them is left. An alert is as sure as
the set-ups in which it holds weigh together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from thirdcard.rules.belief.order import settled
from thirdcard.rules.belief.priors import Priors
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
from thirdcard.rules.round.round import INITIAL_CARDS
from thirdcard.rules.rulebook.model import Phase

SWAPPED_BETS = {"player": "banker", "banker": "player", "player_pair": "banker_pair", "banker_pair": "player_pair"}
SIDE = "exposed_card"
"""The family of codes that says how often a card lies with the wrong side up."""
LOOK_AT: Mapping[str, str] = {
    "misdeal": "are the card boxes of the layout the right way round, and does the calibration hold?",
    "payout": "are the wagering areas those of the bets that are named, and the rulebook's options elected?",
    "late_bet": "is the call of no more bets reported, or seen, when it is made?",
    "exposed_card": "is the dealing style elected that is dealt here?",
    "procedure": "is the dealing style elected that is dealt here, and is each device connected that reports?",
    "limit": "are the limits those of the table's notice, in its smallest unit?",
    "wager": "are all bets elected that are offered here?",
}
"""By family of codes what may be wrong with a set-up that shows it round after round."""


def swap_boxes(event: Event) -> Event:
    """The line as it reads where the Player's box is the Banker's."""
    if isinstance(event, CardDealt | CardMoved | HandlingDeclined) and event.hand is not None:
        return replace(event, hand=Side.BANKER if event.hand is Side.PLAYER else Side.PLAYER)
    return event


def swap_bets(event: Event) -> Event:
    """The line as it reads where chips for the Player lie on what is called the Banker's area."""
    if isinstance(event, WagerChanged | WagerSettled | ReturnOrdered) and str(event.bet) in SWAPPED_BETS:
        return replace(event, bet=type(event.bet)(SWAPPED_BETS[str(event.bet)]))
    return event


@dataclass(slots=True, kw_only=True)
class Suspect:
    """Another set-up than the one in the table's files."""

    what: str
    """What is wrong then, in words."""
    referee: Referee
    """Who judges by it."""
    weight: float
    """How likely it is, beside the others."""
    change: Callable[[Event], Event] = lambda event: event
    """How a line reads then."""
    found: set[Hashable] = field(default_factory=set)
    """What is wrong in that set-up too."""
    is_judged_by_sides: bool = False
    """Whether it is another dealing style: cards that lie otherwise than it deals them speak against it, whether or not
    its text forbids that."""
    _number: int | None = None
    """Of the round that was seen last."""
    _dealt: int = 0
    _misfit: float = 0.0
    """How sure it is that a card of the running round lies otherwise than the style deals."""

    def observe(self, event: Event) -> None:
        """Take the next line."""
        self.referee.observe(self.change(settled(event)))
        self.found.update(map(_key, self.referee.standing.values()))
        if self.is_judged_by_sides and isinstance(event, CardDealt) and event.hand is not None:
            self._note_side(event)

    def weight_of_round(self, priors: Priors) -> float:
        """How often rounds like the running one happen in that set-up."""
        seldom = self._misfit * priors.rate(SIDE) + 1.0 - self._misfit
        return fault_weight(self.referee.standing.values(), priors) * seldom

    def _note_side(self, dealt: CardDealt) -> None:
        if self._number != self.referee.round:
            self._number, self._dealt, self._misfit = self.referee.round, 0, 0.0
        self._dealt += 1
        phase = Phase.INITIAL if self._dealt <= INITIAL_CARDS else Phase.THIRD
        if dealt.face_up == (phase in self.referee.face_down) and not dealt.order_unseen:
            self._misfit = max(self._misfit, 1.0 if dealt.confidence is None else dealt.confidence)

    def shows(self, alert: Alert) -> bool:
        """Whether it is a fault in that set-up too."""
        return _key(alert) in self.found


@dataclass(slots=True, kw_only=True)
class SetupDoubt:
    """What is believed of one table's set-up."""

    suspects: list[Suspect]
    priors: Priors
    hint: str | None = None
    """What to look at, once it is likely that the set-up is wrong."""
    _as_set: float = field(init=False)
    """How likely it is that the set-up is right, beside the suspects, after the rounds that have closed."""
    _told: list[Alert] = field(default_factory=list)
    _on_end: dict[str, int] = field(default_factory=dict)
    """By code in how many rounds on end it was found."""

    def __post_init__(self) -> None:
        self._as_set = 1.0 - sum(suspect.weight for suspect in self.suspects)

    def observe(self, event: Event) -> None:
        """Take the next line of the log."""
        for suspect in self.suspects:
            suspect.observe(event)

    def share_of(self, alert: Alert, standing: Iterable[Alert]) -> float:
        """The weight of the set-ups in which an alert holds, with what the running round shows so far."""
        as_set, others = self._weights(standing)
        shown = sum(weight for suspect, weight in zip(self.suspects, others, strict=True) if suspect.shows(alert))
        return (as_set + shown) / (as_set + sum(others))

    def tell(self, alerts: Iterable[Alert]) -> None:
        """These were reported."""
        self._told += alerts

    def take_back(self, alerts: Iterable[Alert]) -> None:
        """These are withdrawn already."""
        gone = set(map(_key, alerts))
        self._told = [alert for alert in self._told if _key(alert) not in gone]

    def close(self, found: Collection[Alert]) -> tuple[Alert, ...]:
        """A round is over; which alerts told before are withdrawn, since the set-up is likelier to be wrong.

        Args:
            found: what was found in the round, by the set-up as it is.
        """
        self._as_set, weights = self._weights(found)
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
        withdrawn = tuple(alert for alert in self._told if not culprit.shows(alert))
        self._told = [alert for alert in self._told if culprit.shows(alert)]
        return withdrawn

    def _hint_at_repeats(self) -> None:
        code, count = max(self._on_end.items(), key=lambda one: one[1], default=("", 0))
        look = LOOK_AT.get(code.partition(".")[0])
        if count >= self.priors.hint_after_rounds and look is not None:
            self.hint = f"{code} in {count} rounds on end: look at the set-up; {look}"
        elif self.hint is not None:
            self.hint = None

    def _weights(self, standing: Iterable[Alert]) -> tuple[float, list[float]]:
        """How much the set-up as it is and each suspect weigh with the running round."""
        others = [one.weight * one.weight_of_round(self.priors) for one in self.suspects]
        return self._as_set * fault_weight(standing, self.priors), others


def fault_weight(alerts: Iterable[Alert], priors: Priors) -> float:
    """How often rounds with these faults happen; one that happens again in a round may have the same cause."""
    weight = 1.0
    codes: list[str] = []
    for alert in sorted(alerts, key=lambda alert: alert.t):
        rate = priors.rate(alert.code, codes)
        rate = max(rate, priors.again) if alert.code in codes else rate
        weight *= alert.confidence * rate + 1.0 - alert.confidence
        codes.append(alert.code)
    return weight


def _key(alert: Alert) -> Hashable:
    return alert.code, alert.t
