"""Turn observations and device signals into the table log: the only place where vision and rules meet.

Facts are logged as they were seen, legal or not, in order of time. Unfinished observations delay the log; unknown
values are null. Seconds of stream time, millimetres of the layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from thirdcard.calibration.layout import Layout
from thirdcard.rules.log.events import (
    BetsOpened,
    CameraBack,
    CardDealt,
    CardRemoved,
    CutCardDrawn,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    Source,
)
from thirdcard.rules.wagers.change_times import shipped_change_times
from thirdcard.service.interpretation.betting_close import Calls, with_doubt
from thirdcard.service.interpretation.burns import Burns
from thirdcard.service.interpretation.card_lines import CardLines, Item
from thirdcard.service.interpretation.chip_values import Amounts
from thirdcard.service.interpretation.dealing import UnseenBacks, card_of, certainty_of
from thirdcard.service.interpretation.device_watchdog import DEVICE_EVENTS, UNREPORTED_S, ClothCleared, Silence
from thirdcard.service.interpretation.reorder_buffer import WaitingItems
from thirdcard.service.interpretation.round_tracker import RunningRound
from thirdcard.service.interpretation.visibility import TRAVEL_S, Blindness
from thirdcard.service.interpretation.wagers import WagerLines
from thirdcard.vision import observations as seen

HOLD_S = 0.7
"""The time that the log waits for observations with an earlier time."""


class Interpreter:
    """The growing log of one table."""

    def __init__(
        self,
        layout: Layout,
        signalled: frozenset[type[Event]] = frozenset(),
        blindness: Blindness | None = None,
        *,
        amounts: Amounts | None = None,
        burns: Burns | None = None,
        backs: UnseenBacks | None = None,
    ) -> None:
        """Start an empty log.

        Args:
            layout: The cloth.
            signalled: The event types that devices at this table report.
            blindness: When the camera could not see.
            amounts: The values of the house's chips.
            burns: Who reports burned cards.
            backs: Which cards come face down.
        """
        self.signalled = signalled
        self.blindness = Blindness() if blindness is None else blindness
        self.burns = Burns() if burns is None else burns
        self.silence = Silence()
        self.state = RunningRound()
        self.waiting: WaitingItems[Item] = WaitingItems()
        self.calls = Calls(is_signalled=NoMoreBets in signalled, is_opening_signalled=BetsOpened in signalled)
        self.wagers = WagerLines(layout, self.state, self.blindness, Amounts() if amounts is None else amounts)
        unseen = UnseenBacks() if backs is None else backs
        self.cards = CardLines(layout, self.state, self.blindness, self.waiting, unseen)
        self.known_until_t = 0.0
        """Nothing earlier than this will be logged any more."""

    @property
    def camera(self) -> str | None:
        """The camera's name."""
        return self.blindness.camera

    @property
    def first_waiting_t(self) -> float:
        """The time of the first unlogged item; infinite where nothing waits."""
        return self.waiting.first_t

    def begin(self, t: float) -> None:
        """Start watching at `t`: whatever lies on the table then came unseen."""
        self.blindness.began_t = t

    def lose_sight(self, t: float) -> None:
        """Note that from `t` on nothing can be seen."""
        self.blindness.begin(t)

    def regain_sight(self, t: float) -> None:
        """Note that the camera sees again."""
        self.blindness.end(t)

    def see_calm(self, areas: Iterable[str], t: float) -> None:
        """Note that these areas are clearly visible."""
        self.state.areas.see_calm(areas, t)

    def forget_left_over(self, t: float) -> list[int]:
        """Remove the cards of a finished round where others may lie in their places; returns their tracks."""
        return self.state.forget_left_over(t)

    def signal(self, event: Event) -> None:
        """Take a device's report."""
        if event.source in (None, Source.SIGNAL):
            event = replace(event, source=Source.SIGNAL)
            self.hear_of(type(event))
        self.waiting.put(event.t, self.burns.with_doubt(with_doubt(event)))

    def hear_of(self, kind: type[Event]) -> None:
        """Note that devices report this event type, so it is no longer inferred from the camera."""
        if kind in DEVICE_EVENTS:
            self.signalled |= {kind}

    def skip(self, event: Event) -> None:
        """Take a line from before this watch began: later lines follow it, and its card names are used."""
        self.waiting.last_t = self.known_until_t = max(self.waiting.last_t, event.t)
        self.state.apply(event)
        self.calls.remember(event)
        if isinstance(event, CardDealt):
            self.cards.skip_number()

    def observe(self, observation: seen.Observation) -> None:
        """Take an observation of the camera."""
        if isinstance(observation, seen.PictureFaulted):
            self.blindness.begin(observation.t)
        elif isinstance(observation, seen.PictureCleared):
            self.blindness.end(observation.t)
        elif isinstance(observation, seen.CardRested) and _came_by(observation, self.blindness.began_t + TRAVEL_S):
            is_lost = self.blindness.is_blind_at(self.waiting.last_t)  # the log says so already
            for line in self.blindness.begin_amid_play():
                if not is_lost:
                    self.waiting.put(line.t, line)
        self.waiting.put(observation.t - _lead_s(observation), observation)

    def release(self, now_t: float, waiting_since_t: float | None = None) -> list[Event]:
        """The next log lines: all that nothing earlier can precede any more.

        Args:
            now_t: The present stream time.
            waiting_since_t: The earliest time of an observation that the camera may still make.
        """
        limit = now_t - HOLD_S
        if waiting_since_t is not None:
            limit = min(limit, waiting_since_t - TRAVEL_S - 0.01)
        self.known_until_t = max(self.known_until_t, limit)
        return self._write_until(limit)

    def finish(self) -> list[Event]:
        """All remaining lines, when nothing more will come."""
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
            self.cards.apply(line)
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
                return self.cards.shifted(t, item)
            case seen.CardLeft():
                return self._card_left(t, item)
            case seen.CardTakenOff():
                return self.cards.taken_off(t, item)
            case seen.CardBeside() | seen.CardBesideHidden() | seen.RegionVisited() | seen.CutCardRested():
                return self._beside_the_boxes(t, item)
            case seen.LooseCardRested():
                return [] if self.burns.are_due else self.cards.rested_loose(t, item)
            case seen.LooseCardTurned():
                return self.cards.loose.turned(t, item)
            case seen.LooseCardLeft():
                return self.cards.loose.left(t, item)
            case CardRemoved() if item.source is Source.CAMERA:
                return self.cards.loose.removed(t, item)
            case seen.FirstLookDoubted():
                self.blindness.doubt_first_look(may_hide_cards=bool(self.cards.backs.face_down))
                return []
            case seen.StacksChanged():
                return self.wagers.changed(t, item, self.signalled)
            case seen.LampChanged():
                (self.calls.lit.add if item.lit else self.calls.lit.discard)(item.region)
                return self.calls.by_lamp(t, self.state, hidden_s=_lead_s(item)) if item.lit else []
            case seen.LampCovered():
                (self.calls.hidden.add if item.covered else self.calls.hidden.discard)(item.region)
                return []
            case seen.RegionsSwept(is_sure=False):
                self.calls.doubt(self.state)
                return []
            case seen.RegionsSwept():
                spread_s = max(item.t - item.t_began, item.t_ended - item.t)
                return self.calls.by_gesture(t, self.state, spread_s=spread_s)
            case seen.PictureFaulted():
                return [self.blindness.fault_line(t, str(item.fault))]
            case seen.PictureCleared():
                return [CameraBack(t=t, camera=self.blindness.camera, source=Source.CAMERA)]
            case ClothCleared() | BetsOpened() | ResultAnnounced() | RoundClosed():
                return self._about_the_round(t, item)
        return [replace(item, t=t)]

    def _card_rested(self, t: float, card: seen.CardRested) -> list[Event]:
        """The lines for a card that rests in a box: burned, if a shoe was just opened, else of the running or next
        round."""
        if self.burns.are_due and not self.state.is_open:
            face = card_of(card.reading) if card.face_up else None
            return self.burns.by_card(t, face, certainty_of(card))
        before = [*self.silence.close_before(t, self.state), *self.calls.by_first_card(t, self.state)]
        if self.blindness.may_be_amid_play and self.blindness.is_half_seen:
            unseen = self.blindness.begin_amid_play()
            before = [*(replace(line, t=t) for line in unseen), *before]
        lines = self.cards.rested(t, card, self.signalled)
        return [*before, *lines] if any(isinstance(line, CardDealt) for line in lines) else lines

    def _card_turned(self, t: float, turned: seen.CardFlipped | seen.CardRead) -> list[Event]:
        instead = self.cards.instead(turned)
        if instead is not None:
            old, new = instead
            return [self.state.remove(t, old), *self._card_rested(t, new)]
        return self.cards.turned(t, turned)

    def _card_left(self, t: float, left: seen.CardLeft) -> list[Event]:
        lines = self.cards.left(t, left, self.signalled)
        if not lines or self.state.cards:
            return lines
        if RoundClosed not in self.signalled:
            return [*lines, *self.state.close(t + shipped_change_times().look_s)]
        self.waiting.put(t + UNREPORTED_S, self.silence.expect_close(t))
        return lines

    def _about_the_round(
        self, t: float, item: ClothCleared | BetsOpened | ResultAnnounced | RoundClosed
    ) -> list[Event]:
        """The lines for an item that begins, decides or ends a round, or shows that nobody reported its end."""
        match item:
            case ClothCleared():
                return self.silence.close_late(t, item, self.state)
            case BetsOpened():
                return [*self.silence.close_before(t, self.state), replace(item, t=t)]
            case ResultAnnounced():
                return [replace(item, t=t), *self.state.remove_overdue(t)]
        if self.silence.is_late(self.state):
            return []
        return [*self.state.remove_overdue(t), replace(item, t=t, untouched=self.state.areas.untouched)]

    def _beside_the_boxes(
        self, t: float, item: seen.CardBeside | seen.CardBesideHidden | seen.RegionVisited | seen.CutCardRested
    ) -> list[Event]:
        match item:
            case seen.CardBeside():
                return self.burns.by_card(t, card_of(item.reading) if item.face_up else None, certainty_of(item))
            case seen.CardBesideHidden():
                return self.burns.by_cover(t)
            case seen.RegionVisited():
                return self.burns.by_visit(t)
        is_told = CutCardDrawn in self.signalled or not self.state.is_being_dealt
        return [] if is_told else [CutCardDrawn(t=t, source=Source.CAMERA)]


def _lead_s(observation: seen.Observation) -> float:
    """The number of seconds by which an event may precede its observation."""
    if isinstance(observation, seen.CardRested | seen.CardBeside | seen.LooseCardRested | seen.CutCardRested):
        return TRAVEL_S
    gap_s = observation.t - observation.t_earliest if isinstance(observation, seen.LampChanged) else 0.0
    return gap_s if gap_s > shipped_change_times().lamp_within_s else 0.0


def _came_by(card: seen.CardRested, t: float) -> bool:
    """Whether a card came, or may have come under cover, before `t`."""
    return card.t - card.hidden_s < t
