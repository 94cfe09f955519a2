"""Single faults in the last round of a lawful table: the changed log, and the expected codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from tests.rules.builders import NZ
from tests.rules.lawful.acts import NOMINEES
from tests.rules.lawful.table import BOOKS, LawfulTable
from thirdcard.rules.game.words import Outcome, SettleAction, Side, seat_of
from thirdcard.rules.log.events import (
    CameraFaulted,
    CardBurned,
    CardDealt,
    CardMoved,
    CardPassed,
    CardShown,
    Event,
    HandlingDeclined,
    NomineeNamed,
    NoMoreBets,
    ResultAnnounced,
    ReturnOrdered,
    RoundClosed,
    ShoeOpened,
    VoidHandAnnounced,
    WagerChanged,
    WagerSettled,
    parse_event,
)

AnyEvent = TypeVar("AnyEvent", bound=Event)
ORDERLY = ("nsw", "tas", *NZ)
"""The texts with rules on replacing or removing a card."""
_PAID, _COLLECTED, _RETURNED = SettleAction


@dataclass(slots=True)
class FaultyLog:
    """A lawful table's log, in whose last round a fault is made."""

    table: LawfulTable
    events: list[Event]

    @property
    def is_camera_lost(self) -> bool:
        """Whether a camera was lost, so that unseen events are not reported."""
        return any(isinstance(event, CameraFaulted) for event in self.events)

    @property
    def start(self) -> int:
        """The index of the last round's first event."""
        closes = [i for i, event in enumerate(self.events) if isinstance(event, RoundClosed)]
        return closes[-2] + 1 if len(closes) > 1 else 0

    def last(self, kind: type[AnyEvent]) -> list[tuple[int, AnyEvent]]:
        """The last round's events of a type, with their indices."""
        found = enumerate(self.events[self.start :], start=self.start)
        return [(i, event) for i, event in found if isinstance(event, kind)]

    def one_of(self, found: list[tuple[int, AnyEvent]]) -> tuple[int, AnyEvent] | None:
        return self.table.random.choice(found) if found else None

    def settled(self, *actions: SettleAction) -> list[tuple[int, WagerSettled]]:
        """The settlements of ordinary wagers that were not ordered back."""
        ordered = {event.area for _, event in self.last(ReturnOrdered)}
        tokens = {event.area for event in self.events if isinstance(event, WagerChanged) and event.promotional}
        found = self.last(WagerSettled)
        return [(i, one) for i, one in found if one.action in actions and one.area not in ordered | tokens]

    def insert(self, i: int, kind: str, **fields: object) -> None:
        self.events.insert(i, parse_event({"t": self.events[i].t, "type": kind, **fields}))


Fault = Callable[[FaultyLog], list[str] | None]
"""Makes the fault in the log and returns the expected codes; None where the round does not allow it."""
FAULTS: dict[str, Fault] = {}
NEEDS: dict[str, frozenset[str]] = {}
"""The choices that a fault's round needs."""
WHERE: dict[str, tuple[str, ...]] = {}
"""The rulebooks in whose rounds a fault can be made."""


def fault(*needs: str, books: tuple[str, ...] = BOOKS) -> Callable[[Fault], Fault]:
    """A decorator that registers a fault."""

    def enter(spoil: Fault) -> Fault:
        name = spoil.__name__
        FAULTS[name], NEEDS[name], WHERE[name] = spoil, frozenset(needs), books
        return spoil

    return enter


@fault()
def winner_is_paid_another_amount(log: FaultyLog) -> list[str] | None:
    found = log.one_of(log.settled(_PAID))
    if found is None or found[1].amount is None:
        return None
    log.events[found[0]] = replace(found[1], amount=found[1].amount + log.table.random.choice([-1, 7, 100]))
    return ["payout.wrong_amount"]


@fault()
def winner_is_collected(log: FaultyLog) -> list[str] | None:
    paid = [(i, one) for i, one in log.settled(_PAID) if not log.table.does("paid_in_two")]
    found = log.one_of(paid)
    if found is None or log.table.does("commission_apart"):
        return None
    log.events[found[0]] = replace(found[1], action=_COLLECTED)
    return ["payout.winner_unpaid"]


@fault()
def loser_is_left(log: FaultyLog) -> list[str] | None:
    found = log.one_of(log.settled(_COLLECTED))
    if found is None or log.table.does("commission_apart"):
        return None
    del log.events[found[0]]
    return ["payout.loser_kept"]


@fault()
def loser_is_paid(log: FaultyLog) -> list[str] | None:
    found = log.one_of(log.settled(_COLLECTED))
    if found is None or log.table.does("commission_apart"):
        return None
    log.events[found[0]] = replace(found[1], action=_PAID)
    return ["payout.loser_paid"]


@fault()
def loser_is_given_back(log: FaultyLog) -> list[str] | None:
    results, found = log.last(ResultAnnounced), log.one_of(log.settled(_COLLECTED))
    if found is None or log.table.does("commission_apart") or found[0] < results[0][0]:
        return None
    log.events[found[0]] = replace(found[1], action=_RETURNED)
    return ["payout.loser_kept"]


@fault()
def stand_off_is_taken(log: FaultyLog) -> list[str] | None:
    """A returned stake is collected; a void round's wagers stand off as well."""
    found = log.one_of(log.settled(_RETURNED))
    if found is None:
        return None
    log.events[found[0]] = replace(found[1], action=_COLLECTED)
    return ["payout.push_taken"]


@fault("return_ordered")
def wager_ordered_back_is_won_or_lost(log: FaultyLog) -> list[str] | None:
    ordered = {event.area for _, event in log.last(ReturnOrdered)}
    found = log.one_of([(i, one) for i, one in log.last(WagerSettled) if one.area in ordered])
    if found is None:
        return None
    action = log.table.random.choice([_PAID, _COLLECTED])
    log.events[found[0]] = replace(found[1], action=action)
    return ["payout.loser_paid" if action is _PAID else "payout.push_taken"]


@fault("promotional_chips")
def token_is_paid_short(log: FaultyLog) -> list[str] | None:
    tokens = {event.area for _, event in log.last(WagerChanged) if event.promotional}
    paid = [(i, one) for i, one in log.last(WagerSettled) if one.area in tokens and one.action is _PAID]
    found = log.one_of(paid)
    if found is None or found[1].amount is None:
        return None
    log.events[found[0]] = replace(found[1], amount=found[1].amount - 1)
    return ["payout.wrong_amount"]


@fault()
def another_winner_is_announced(log: FaultyLog) -> list[str] | None:
    found = log.one_of(log.last(ResultAnnounced))
    if found is None:
        return None
    others = [outcome for outcome in Outcome if outcome is not found[1].winner]
    log.events[found[0]] = replace(found[1], winner=log.table.random.choice(others))
    return None if found[1].winner is Outcome.TIE else ["misdeal.wrong_result"]


@fault()
def call_is_left_out(log: FaultyLog) -> list[str] | None:
    """The call is missing; nz 8.2, macau 4.1 and ez 4.1 order it."""
    found = log.one_of(log.last(NoMoreBets))
    if found is None:
        return None
    del log.events[found[0]]
    return ["procedure.no_call"] if log.table.book in (*NZ, "macau", "ez") else []


@fault("void_hand")
def void_hand_is_not_announced(log: FaultyLog) -> list[str] | None:
    """Without the announcement it is an ordinary hand, which needs its call."""
    found = log.one_of(log.last(VoidHandAnnounced))
    if found is None:
        return None
    del log.events[found[0]]
    return ["procedure.no_call"] if log.table.book in (*NZ, "macau", "ez") else []


@fault("new_shoe", books=(*NZ, "macau", "ez"))
def burn_is_one_card_short(log: FaultyLog) -> list[str] | None:
    burned = log.last(CardBurned)
    if not burned or log.is_camera_lost:
        return None
    del log.events[burned[-1][0]]
    return ["procedure.burn"]


@fault()
def no_new_shoe_after_the_last_round(log: FaultyLog) -> list[str] | None:
    opened = log.last(ShoeOpened)
    if not opened or not log.table.shoe.was_spent or log.is_camera_lost:
        return None
    news = {id(event) for kind in (ShoeOpened, CardBurned, CardShown) for _, event in log.last(kind)}
    log.events[:] = [event for event in log.events if id(event) not in news]
    return ["misdeal.after_last_round"]


@fault()
def bet_comes_late(log: FaultyLog) -> list[str] | None:
    found = log.one_of(log.last(ResultAnnounced))
    if found is None or log.last(VoidHandAnnounced):
        return None
    bet = log.table.random.choice(log.table.offered)
    log.insert(found[0], "wager_changed", area=f"s9-{bet}", seat=9, bet=bet, before=0, after=100, by="seat:9")
    return ["late_bet.placed"]


@fault("void_hand")
def chips_lie_in_a_void_hand(log: FaultyLog) -> list[str] | None:
    found = log.one_of(log.last(VoidHandAnnounced))
    if found is None:
        return None
    log.insert(found[0], "wager_changed", area="s9-tie", seat=9, bet="tie", before=0, after=100, by="seat:9")
    return ["procedure.void_hand_wagered"] if log.table.book in (*NZ, "tas") else []


@fault()
def bet_is_not_offered(log: FaultyLog) -> list[str] | None:
    cards = log.last(CardDealt)
    if log.last(VoidHandAnnounced) or not log.last(NoMoreBets):
        return None
    bet = next(one for one in ("player_pair", "dragon_player", "lucky_9") if one not in log.table.offered)
    assert cards, "every round has cards"
    i = log.last(NoMoreBets)[0][0]
    log.insert(i, "wager_changed", area=f"s9-{bet}", seat=9, bet=bet, before=0, after=100, by="seat:9")
    return ["wager.not_offered"]


@fault()
def bet_is_beyond_the_maximum(log: FaultyLog) -> list[str] | None:
    if not log.last(NoMoreBets) or log.last(VoidHandAnnounced) or log.table.options.get("ante"):
        return None
    if log.table.book == "sg-rws" and log.last(CardPassed):
        return None  # 3.9: the highest bet on the table would handle the cards
    i, stake = log.last(NoMoreBets)[0][0], log.table.notice.tie + 100_000
    log.insert(i, "wager_changed", area="s9-tie", seat=9, bet="tie", before=0, after=stake, by="seat:9")
    results = log.last(ResultAnnounced)
    if results and (results[0][1].winner is Outcome.TIE or log.table.book == "tas"):
        return None  # the parts won and lost are tested elsewhere (tas 7.4)
    if results:
        act = {"action": "collected", "amount": stake}
        log.insert(log.last(RoundClosed)[0][0], "wager_settled", area="s9-tie", seat=9, bet="tie", **act)
    return ["limit.above_maximum"]


@fault()
def card_is_replaced_in_the_round(log: FaultyLog) -> list[str] | None:
    i, card = log.last(CardDealt)[1]
    log.insert(i + 1, "card_replaced", card_id=card.card_id, reason="damaged")
    return ["procedure.card_replaced"] if log.table.book in ORDERLY else []


@fault()
def card_leaves_the_table(log: FaultyLog) -> list[str] | None:
    i, card = log.last(RoundClosed)[0][0], log.last(CardDealt)[1][1]
    log.insert(i, "card_removed", card_id=card.card_id, to="off_table")
    return ["procedure.card_off_table"] if log.table.book in ORDERLY else []


@fault("moved_into_its_box")
def card_is_moved_into_the_other_box(log: FaultyLog) -> list[str] | None:
    first = {event.card_id for _, event in log.last(CardDealt)[:4]}
    found = log.one_of([(i, one) for i, one in log.last(CardMoved) if one.card_id in first])
    if found is None:
        return None
    other = Side.BANKER if found[1].hand is Side.PLAYER else Side.PLAYER
    log.events[found[0]] = replace(found[1], hand=other)
    log.insert(found[0] + 1, "card_moved", card_id=found[1].card_id, hand=str(found[1].hand))
    return ["misdeal.order"]


@fault("new_shoe", books=(*NZ, "macau", "ez"))
def burned_card_is_shown(log: FaultyLog) -> list[str] | None:
    """nz 7.7(a): the further cards are drawn face down; macau and ez have no such rule."""
    burned = log.last(CardBurned)
    if len(burned) < 2:
        return None
    first = burned[0][1].card
    other = "7H" if str(first) != "7H" else "8H"
    log.insert(burned[-1][0] + 1, "card_shown", card=other, where="burn")
    return ["procedure.burn_shown"] if log.table.book in NZ else []


@fault("handled", "declined", books=(*NZ, "tas"))
def nobody_declined(log: FaultyLog) -> list[str] | None:
    """nz 8.9, tas 9.3(b): the hand was passed to a lower wager though the higher had not declined."""
    table = log.table
    is_asked = table.book in (*NZ, "tas") and not table.options.get("international")
    log.events[:] = [event for event in log.events if not isinstance(event, HandlingDeclined)]
    is_told = is_asked and table.was_passed_over and not table.does("both_hands_out")
    return ["procedure.wrong_handler"] if is_told else None


@fault("handled", "nominee_named", "nominee_named_in_betting", books=("nz-secretary",))
def nominee_was_not_named(log: FaultyLog) -> list[str] | None:
    """nz-secretary 2.3(b): a nominee who was not named handles cards."""
    passed = [event for _, event in log.last(CardPassed) if seat_of(event.to) in NOMINEES]
    log.events[:] = [event for event in log.events if not isinstance(event, NomineeNamed)]
    is_told = bool(passed) and log.table.book == "nz-secretary"
    return ["procedure.wrong_handler"] if is_told and not log.table.options["international"] else None


@fault(books=NZ)
def result_comes_after_a_settlement(log: FaultyLog) -> list[str] | None:
    """nz 10.2: wagers are settled after the result is announced."""
    results = log.last(ResultAnnounced)
    settled = [(i, one) for i, one in log.settled(_PAID, _COLLECTED) if results and i == results[0][0] + 1]
    if log.table.book not in NZ or not settled:
        return None
    i, result = results[0]
    log.events[i], log.events[i + 1] = replace(settled[0][1], t=result.t), replace(result, t=settled[0][1].t)
    return ["procedure.sequence"]


@fault(books=("sg-rws",))
def insurance_comes_late(log: FaultyLog) -> list[str] | None:
    """sg-rws 5.3, 4.2.2: insurance is bet too late."""
    found = log.one_of(log.last(ResultAnnounced))
    if found is None or log.last(VoidHandAnnounced) or len(log.last(CardDealt)) < 6:
        return None
    area = "s9-insurance_player"
    log.insert(found[0], "wager_changed", area=area, seat=9, bet="insurance_player", before=0, after=20, by="seat:9")
    return ["late_bet.placed"]


@fault("insured_on_four_cards", "insured_on_the_third", books=("sg-rws",))
def insurance_is_settled_the_other_way(log: FaultyLog) -> list[str] | None:
    insured = [(i, one) for i, one in log.settled(_PAID, _COLLECTED) if one.bet.startswith("insurance")]
    found = log.one_of(insured)
    if found is None or log.table.does("paid_in_two"):
        return None
    is_won = found[1].action is _PAID
    log.events[found[0]] = replace(found[1], action=_COLLECTED if is_won else _PAID)
    return ["payout.winner_unpaid" if is_won else "payout.loser_paid"]
