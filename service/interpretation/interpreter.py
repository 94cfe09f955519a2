"""Turn observations and device signals into the table log: the only place where seeing and meaning meet.

Facts are logged as they were seen, legal or not, in order of time. What is still being looked at holds the log back;
what cannot be told becomes a null. Seconds of stream time, layout millimetres.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from thirdcard.calibration.layout import Layout
from thirdcard.rules.log.events import (
    BetsOpened,
    CameraBack,
    CardDealt,
    CardMoved,
    CardRemoved,
    CutCardDrawn,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    Side,
    Source,
)
from thirdcard.rules.round.round import INITIAL_CARDS
from thirdcard.service.interpretation.betting_close import LAMP_WITHIN_S, Calls, with_doubt
from thirdcard.service.interpretation.burns import Burns
from thirdcard.service.interpretation.chip_values import Amounts
from thirdcard.service.interpretation.dealing import DEALT_OPEN_CONFIDENCE as DEALT_OPEN
from thirdcard.service.interpretation.dealing import (
    IN_TWO_BOXES_S,
    SimultaneousCards,
    UnseenBacks,
    as_dealt_open,
    card_of,
    certainty_of,
    dealt_line,
    turned_line,
)
from thirdcard.service.interpretation.device_watchdog import DEVICE_EVENTS, UNREPORTED_S, ClothCleared, Silence
from thirdcard.service.interpretation.handovers import (
    DOUBTED,
    OFF_TABLE,
    SURE,
    given_back,
    hand_wagers_of,
    is_before_a_seat,
    passing_certainty,
    shifted_lines,
    taken_by,
    turned_by,
    was_taken_off,
)
from thirdcard.service.interpretation.reorder_buffer import WaitingItems
from thirdcard.service.interpretation.round_tracker import CardOnTable, RunningRound
from thirdcard.service.interpretation.visibility import Blindness
from thirdcard.service.interpretation.wagers import WagerLines
from thirdcard.vision import observations as seen

TRAVEL_S = 0.6
"""From the shoe's mouth to rest."""
HOLD_S = 0.7
"""How long the log waits for what may still come in with an earlier time."""
CLOSE_AFTER_S = 0.1
HIDDEN_S = 0.8
"""A card that a hand covered for longer before it was seen face up may have been turned under it: nobody saw it dealt
so."""

UNSEEN_ORDER_CONFIDENCE = 0.5
"""Where a card's place was hidden, or not looked at, while another was dealt, nobody saw which came first."""

Item = Event | seen.Observation | ClothCleared


@dataclass(slots=True)
class Interpreter:
    """The log of one table, as it grows."""

    layout: Layout
    signalled: frozenset[type[Event]] = frozenset()
    """What devices at this table report by themselves."""
    blindness: Blindness = field(default_factory=Blindness)
    """When the camera could not see."""
    amounts: Amounts = field(default_factory=Amounts)
    """What lies on each area, as it was logged last."""
    burns: Burns = field(default_factory=Burns)
    backs: UnseenBacks = field(default_factory=UnseenBacks)
    together: SimultaneousCards = field(default_factory=SimultaneousCards)
    silence: Silence = field(default_factory=Silence)
    state: RunningRound = field(default_factory=RunningRound)
    waiting: WaitingItems[Item] = field(default_factory=WaitingItems)
    _card_numbers: Iterator[int] = field(default_factory=lambda: count(1))
    calls: Calls = field(init=False)
    wagers: WagerLines = field(init=False)
    known_until_t: float = 0.0
    """Nothing earlier than this will be logged any more."""

    def __post_init__(self) -> None:
        self.calls = Calls(is_signalled=NoMoreBets in self.signalled, is_opening_signalled=BetsOpened in self.signalled)
        self.wagers = WagerLines(self.layout, self.state, self.blindness, self.amounts)

    @property
    def camera(self) -> str | None:
        """The camera's name."""
        return self.blindness.camera

    @property
    def first_waiting_t(self) -> float:
        """Of what is not logged yet; infinite where nothing waits."""
        return self.waiting.first_t

    def begin(self, t: float) -> None:
        """The watch begins at `t`: what lies on the table then came unseen."""
        self.blindness.began_t = t

    def lose_sight(self, t: float) -> None:
        """From now on nothing can be seen."""
        self.blindness.begin(t)

    def regain_sight(self, t: float) -> None:
        """The camera sees again."""
        self.blindness.end(t)

    def see_calm(self, areas: Iterable[str], t: float) -> None:
        """These areas are in plain sight."""
        self.state.see_calm(areas, t)

    def forget_left_over(self, t: float) -> list[int]:
        """Take out the cards of a round that has ended, where others may lie in their places; gives their tracks."""
        return self.state.forget_left_over(t)

    def signal(self, event: Event) -> None:
        """Take in what a device reported."""
        if event.source in (None, Source.SIGNAL):
            event = replace(event, source=Source.SIGNAL)
            self.hear_of(type(event))
        self.waiting.put(event.t, self.burns.with_doubt(with_doubt(event)))

    def hear_of(self, kind: type[Event]) -> None:
        """Devices report this kind by themselves: it is not concluded from what is seen any more."""
        if kind in DEVICE_EVENTS:
            self.signalled |= {kind}

    def skip(self, event: Event) -> None:
        """Note a line that was written before this watch began: what comes is later, and cards have other names."""
        self.waiting.last_t = self.known_until_t = max(self.waiting.last_t, event.t)
        self.state.apply(event)
        if isinstance(event, CardDealt):
            next(self._card_numbers)

    def observe(self, observation: seen.Observation) -> None:
        """Take in what the camera saw."""
        if isinstance(observation, seen.PictureFaulted):
            self.blindness.begin(observation.t)
        elif isinstance(observation, seen.PictureCleared):
            self.blindness.end(observation.t)
        elif isinstance(observation, seen.CardRested) and _came_by(observation, self.blindness.began_t + TRAVEL_S):
            for line in self.blindness.begin_amid_play(TRAVEL_S):
                self.waiting.put(line.t, line)
        self.waiting.put(observation.t - _lead_s(observation), observation)

    def release(self, now_t: float, waiting_since_t: float | None = None) -> list[Event]:
        """The log's next lines: all that nothing earlier can precede any more.

        Args:
            now_t: the present.
            waiting_since_t: the earliest moment of which the camera may still tell something.
        """
        limit = now_t - HOLD_S
        if waiting_since_t is not None:
            limit = min(limit, waiting_since_t - TRAVEL_S - 0.01)
        self.known_until_t = max(self.known_until_t, limit)
        return self._write_until(limit)

    def finish(self) -> list[Event]:
        """All that is left, when nothing more will come."""
        self.silence.expect_nothing()
        return self._write_until(float("inf"))

    def _write_until(self, limit_t: float) -> list[Event]:
        return [line for t, item in self.waiting.take_until(limit_t) for line in self._write(t, item)]

    def _write(self, t: float, item: Item) -> list[Event]:
        t = round(max(t, 0.0), 3)
        lines = self._lines_of(t, item)
        for line in lines:
            self.state.apply(line)
            self.blindness.apply(line)
            self.burns.apply(line)
            self.backs.apply(line)
            self.signalled = self.silence.after(line, self.signalled)
        self.calls.is_signalled = NoMoreBets in self.signalled
        return lines

    def _lines_of(self, t: float, item: Item) -> list[Event]:
        match item:
            case seen.CardRested():
                return self._card_rested(t, item)
            case seen.CardFlipped() | seen.CardRead():
                return self._card_turned(t, item)
            case seen.CardShifted():
                return self._card_shifted(t, item)
            case seen.CardLeft():
                return self._card_left(t, item)
            case seen.CardTakenOff():
                return self._card_taken_off(t, item)
            case seen.CardBeside() | seen.CardBesideHidden() | seen.RegionVisited() | seen.CutCardRested():
                return _beside_the_boxes(t, item, self)
            case seen.StacksChanged():
                return self.wagers.changed(t, item, self.signalled)
            case seen.LampChanged():
                (self.calls.lit.add if item.lit else self.calls.lit.discard)(item.region)
                return self.calls.by_lamp(t, self.state, hidden_s=_lead_s(item)) if item.lit else []
            case seen.LampCovered():
                (self.calls.hidden.add if item.covered else self.calls.hidden.discard)(item.region)
                return []
            case seen.RegionsSwept():
                spread_s = max(item.t - item.t_began, item.t_ended - item.t)
                return self.calls.by_gesture(t, self.state, spread_s=spread_s)
            case seen.PictureFaulted():
                return [self.blindness.fault_line(t, str(item.fault))]
            case seen.PictureCleared():
                return [CameraBack(t=t, camera=self.blindness.camera, source=Source.CAMERA)]
            case ClothCleared() | BetsOpened() | ResultAnnounced() | RoundClosed():
                return _about_the_round(t, item, self)
        return [replace(item, t=t)]

    def _card_rested(self, t: float, card: seen.CardRested) -> list[Event]:
        side = _side_of(self.layout, card.region)
        face = card_of(card.reading)
        if self.burns.are_due and not self.state.is_open:
            return self.burns.by_card(t, face if card.face_up else None, certainty_of(card))
        lost = self.state.lost_card(side, face)
        if lost is not None:
            return self._found_again(t, lost, card.track_id, side)
        if self.state.is_decided(ResultAnnounced in self.signalled) and self.state.is_collected(side, face):
            return []
        closing = self.silence.close_before(t, self.state)
        opened = self._as_dealt_open(card)
        card = card if opened is None else opened
        card_id = f"c{next(self._card_numbers)}"
        self.state.cards[card.track_id] = CardOnTable(card_id=card_id, side=side, card=face, face_up=card.face_up)
        dealt = self._as_dealt(t, dealt_line(t, card_id, side, card), card, is_open=opened is not None)
        if card.face_up and not dealt.face_up:
            turned = seen.CardFlipped(track_id=card.track_id, t=card.t, face_up=True, reading=card.reading)
            self.waiting.put(card.t, turned)
        return [*closing, *self.calls.by_first_card(t, self.state), dealt]

    def _as_dealt_open(self, card: seen.CardRested) -> seen.CardRested | None:
        """One of the first cards that came face up under a hand, though all come face down; None for any other."""
        are_down = self.backs.come_face_down(self.state.cards_dealt) and not self.backs.are_unseen
        is_plain = card.face_up and card.hidden_s <= HIDDEN_S
        if is_plain or not are_down or self.state.cards_dealt >= INITIAL_CARDS or self.state.shows_a_face:
            return None
        return as_dealt_open(card, self.waiting)

    def _as_dealt(self, t: float, dealt: CardDealt, card: seen.CardRested, *, is_open: bool) -> CardDealt:
        """The line with what is doubtful of it: when the card came, with which other, and which side was up.

        After the result nobody deals: what lies there then and cannot be read is one of those that lay there.
        """
        from_t = card.t - card.hidden_s
        left_t = from_t - TRAVEL_S
        untold_since_t = self.state.untold_since_t(self.signalled)
        dealt = self.blindness.doubted(dealt, left_t, max(card.t, t), untold_since_t=untold_since_t)
        is_blind, was_hidden = self.blindness.was_blind(left_t, card.t), card.hidden_s > HIDDEN_S
        since_call_s = 0.0 if self.state.called_t is None else card.t - self.state.called_t
        is_missed = card.face_up and self.backs.is_missed(dealt.hand, self.state.cards_dealt, since_call_s)
        if not is_blind and not was_hidden:
            self.backs.note(self.state.cards_dealt, face_up=card.face_up)
        is_moment_unseen = is_missed or self.backs.are_unseen or (self.state.has_result and dealt.card is None)
        is_moment_unseen |= self.backs.may_have_missed_one(dealt.hand, self.state.cards_dealt)
        if not is_blind and not is_moment_unseen:
            dealt = self.together.joined(dealt, from_t, card.t)
        if dealt.together_with is None and (is_moment_unseen or self._is_order_unseen(card)):
            sure = min(dealt.confidence or 0.0, UNSEEN_ORDER_CONFIDENCE)
            dealt = replace(dealt, confidence=sure, value_confidence=None)
        if is_open and not is_missed:
            dealt = replace(dealt, confidence=min(dealt.confidence or 0.0, DEALT_OPEN), value_confidence=None)
        elif card.face_up and (was_hidden or is_missed):
            dealt = replace(dealt, card=None, face_up=False, value_confidence=None)
        return dealt

    def _is_order_unseen(self, card: seen.CardRested) -> bool:
        """Whether another card came while this one's place was not seen, or was first seen elsewhere with it.

        Of two that one look shows at first, and that cannot be told to have come at once, neither is known to be first.
        """
        if self.state.last_dealt_t > card.t - card.hidden_s - TRAVEL_S:
            return True
        later = [each for each in self.waiting if isinstance(each, seen.CardRested) and each.region != card.region]
        return any(each.t == card.t and max(each.hidden_s, card.hidden_s) >= IN_TWO_BOXES_S for each in later)

    def _found_again(self, t: float, lost: CardOnTable, track_id: int, side: Side) -> list[Event]:
        self.state.cards[track_id] = replace(lost, side=side, lost_t=None)
        if lost.side is side:
            return []
        return [CardMoved(t=t, card_id=lost.card_id, hand=side, source=Source.CAMERA)]

    def _card_turned(self, t: float, turned: seen.CardFlipped | seen.CardRead) -> list[Event]:
        card = self.state.cards.get(turned.track_id)
        if card is None:
            return []
        face = card_of(turned.reading)
        if card.is_left_over and card.card is not None and face not in (None, card.card):
            return [self.state.remove(t, card), *self._card_rested(t, _as_new(turned, card, self.layout))]
        face_up = turned.face_up if isinstance(turned, seen.CardFlipped) else True
        entries_mm = turned.entries_mm if isinstance(turned, seen.CardFlipped) else ()
        self.state.cards[turned.track_id] = replace(card, card=face or card.card, face_up=face_up)
        by = turned_by(card, t, entries_mm, self.layout)
        return [turned_line(t, card.card_id, turned.reading, face_up=face_up, by=by)]

    def _card_shifted(self, t: float, shifted: seen.CardShifted) -> list[Event]:
        card = self.state.cards.get(shifted.track_id)
        if card is None:
            return []
        if is_before_a_seat(shifted.region):
            now = taken_by(card, shifted.region)
        else:
            now = given_back(card, _side_of(self.layout, shifted.region), t)
        self.state.cards[shifted.track_id] = now
        are_seen = self.state.was_in_sight(hand_wagers_of(self.layout, shifted.region))
        sure = passing_certainty(shifted.margin_mm, now, self.state.cards.values(), are_wagers_seen=are_seen)
        return shifted_lines(t, card, now, sure)

    def _card_taken_off(self, t: float, taken: seen.CardTakenOff) -> list[Event]:
        card = self.state.cards.get(taken.track_id)
        if card is None or not self.state.is_out(card) or self.blindness.was_blind(t - TRAVEL_S, t):
            return []
        if not was_taken_off(taken.region, taken.entries_mm, self.layout):
            return []
        now = replace(taken_by(card, taken.region), lost_t=t)
        self.state.cards[taken.track_id] = now
        passed = shifted_lines(t, card, now, DOUBTED)
        return [*passed, CardRemoved(t=t, card_id=card.card_id, to=OFF_TABLE, confidence=SURE, source=Source.CAMERA)]

    def _card_left(self, t: float, left: seen.CardLeft) -> list[Event]:
        card = self.state.cards.get(left.track_id)
        if card is None:
            return []
        others = [other for track, other in self.state.cards.items() if track != left.track_id and other.lost_t is None]
        is_decided = self.state.is_decided(ResultAnnounced in self.signalled)
        is_out = self.state.is_out(card) and not self.blindness.was_blind(t - TRAVEL_S, t)
        if self.state.is_open and not card.is_left_over and (is_out or (others and not is_decided)):
            self.state.cards[left.track_id] = replace(card, lost_t=t)
            return []
        del self.state.cards[left.track_id]
        lines: list[Event] = [self.state.remove(t, card)]
        if not others:
            lines = [*self.state.remove_overdue(t), *lines, *self._close(t)]
        return lines

    def _close(self, t: float) -> list[Event]:
        if RoundClosed not in self.signalled:
            return self.state.close(t + CLOSE_AFTER_S)
        self.waiting.put(t + UNREPORTED_S, self.silence.expect_close(t))
        return []


def _about_the_round(
    t: float, item: ClothCleared | BetsOpened | ResultAnnounced | RoundClosed, table: Interpreter
) -> list[Event]:
    """What begins, decides or ends a round, or shows that nobody reported its end."""
    if isinstance(item, ClothCleared):
        return table.silence.close_late(t, item, table.state)
    if isinstance(item, BetsOpened):
        return [*table.silence.close_before(t, table.state), replace(item, t=t)]
    if isinstance(item, ResultAnnounced):
        return [item, *table.state.remove_overdue(t)]
    if table.silence.is_late(table.state):
        return []
    return [*table.state.remove_overdue(t), replace(item, t=t, untouched=table.state.untouched)]


def _beside_the_boxes(t: float, item: seen.Observation, table: Interpreter) -> list[Event]:
    if isinstance(item, seen.CardBeside):
        return table.burns.by_card(t, card_of(item.reading) if item.face_up else None, certainty_of(item))
    if isinstance(item, seen.CardBesideHidden):
        return table.burns.by_cover(t)
    if isinstance(item, seen.RegionVisited):
        return table.burns.by_visit(t)
    is_told = CutCardDrawn in table.signalled or not table.state.is_being_dealt
    return [] if is_told else [CutCardDrawn(t=t, source=Source.CAMERA)]


def _lead_s(observation: seen.Observation) -> float:
    """By how much what was seen may precede its being seen."""
    if isinstance(observation, seen.CardRested | seen.CardBeside | seen.CutCardRested):
        return TRAVEL_S
    gap_s = observation.t - observation.t_earliest if isinstance(observation, seen.LampChanged) else 0.0
    return gap_s if gap_s > LAMP_WITHIN_S else 0.0


def _came_by(card: seen.CardRested, t: float) -> bool:
    """Whether a card may have come before `t`: it did, or was hidden then."""
    return card.t - card.hidden_s < t


def _as_new(turned: seen.CardFlipped | seen.CardRead, old: CardOnTable, layout: Layout) -> seen.CardRested:
    """A card that came where another of an earlier round seemed to lie: print that passed for its back, mostly."""
    box = next(area for area in layout.of_kind("hand") if area.hand == str(old.side))
    x_mm, y_mm = box.polygon_mm.mean(axis=0)
    return seen.CardRested(
        track_id=turned.track_id,
        t=turned.t,
        region=box.id,
        at_mm=(float(x_mm), float(y_mm)),
        face_up=True,
        reading=turned.reading,
        score=turned.reading.confidence,
    )


def _side_of(layout: Layout, region: str) -> Side:
    hand = layout.area(region).hand
    assert hand is not None, "card regions are hands"
    return Side(hand)
