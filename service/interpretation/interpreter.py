"""Turn observations and device signals into the table log: the only place where seeing and meaning meet.

Facts are logged as they were seen, legal or not, in order of time. What is still being looked at holds the log back;
what is unknown becomes a null. Seconds of stream time, layout millimetres.
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
from thirdcard.service.interpretation.betting_close import LAMP_WITHIN_S, Calls, with_doubt
from thirdcard.service.interpretation.burns import Burns
from thirdcard.service.interpretation.card_lines import TRAVEL_S, CardLines, Item
from thirdcard.service.interpretation.chip_values import Amounts
from thirdcard.service.interpretation.dealing import UnseenBacks, card_of, certainty_of
from thirdcard.service.interpretation.device_watchdog import DEVICE_EVENTS, UNREPORTED_S, ClothCleared, Silence
from thirdcard.service.interpretation.reorder_buffer import WaitingItems
from thirdcard.service.interpretation.round_tracker import RunningRound
from thirdcard.service.interpretation.visibility import Blindness
from thirdcard.service.interpretation.wagers import WagerLines
from thirdcard.vision import observations as seen

HOLD_S = 0.7
"""How long the log waits for what may still come in with an earlier time."""
CLOSE_AFTER_S = 0.1
"""The round's end comes after the last card's leaving in the log, by about a look."""


class Interpreter:
    """The log of one table, as it grows."""

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
        """Begin an empty log.

        Args:
            layout: The cloth.
            signalled: What devices at this table report by themselves.
            blindness: When the camera could not see.
            amounts: What the house's chips are worth.
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
        self.state.areas.see_calm(areas, t)

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
        self.calls.remember(event)
        if isinstance(event, CardDealt):
            self.cards.skip_number()

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
        """A card lies in a box: burned, where a shoe was just opened, else of the running round or the next one."""
        if self.burns.are_due and not self.state.is_open:
            face = card_of(card.reading) if card.face_up else None
            return self.burns.by_card(t, face, certainty_of(card))
        before = [*self.silence.close_before(t, self.state), *self.calls.by_first_card(t, self.state)]
        if self.blindness.may_be_amid_play and self.blindness.is_half_seen:
            unseen = self.blindness.begin_amid_play(TRAVEL_S)
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
            return [*lines, *self.state.close(t + CLOSE_AFTER_S)]
        self.waiting.put(t + UNREPORTED_S, self.silence.expect_close(t))
        return lines

    def _about_the_round(
        self, t: float, item: ClothCleared | BetsOpened | ResultAnnounced | RoundClosed
    ) -> list[Event]:
        """What begins, decides or ends a round, or shows that nobody reported its end."""
        match item:
            case ClothCleared():
                return self.silence.close_late(t, item, self.state)
            case BetsOpened():
                return [*self.silence.close_before(t, self.state), replace(item, t=t)]
            case ResultAnnounced():
                return [item, *self.state.remove_overdue(t)]
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
    """By how much what was seen may precede its being seen."""
    if isinstance(observation, seen.CardRested | seen.CardBeside | seen.LooseCardRested | seen.CutCardRested):
        return TRAVEL_S
    gap_s = observation.t - observation.t_earliest if isinstance(observation, seen.LampChanged) else 0.0
    return gap_s if gap_s > LAMP_WITHIN_S else 0.0


def _came_by(card: seen.CardRested, t: float) -> bool:
    """Whether a card may have come before `t`: it did, or was hidden then."""
    return card.t - card.hidden_s < t
