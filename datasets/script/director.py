"""Play a script: all rounds on one timeline, and everything that happens in the chronicle."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thirdcard.calibration.chips import ChipSet
from thirdcard.calibration.layout import Layout
from thirdcard.datasets.script.betting import Betting, tidy_stacks
from thirdcard.datasets.script.chronicle import Chronicle, DueAlert, ToleratedReading
from thirdcard.datasets.script.dealer import Dealer
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.handling import turned_by_players
from thirdcard.datasets.script.manner import habits_of
from thirdcard.datasets.script.motion import Pose
from thirdcard.datasets.script.places import Places
from thirdcard.datasets.script.plan import (
    Announce,
    CutOut,
    Deal,
    DealingShoe,
    Disclose,
    Hands,
    Move,
    PlannedFault,
    RunOut,
    Setting,
    Step,
    Turn,
    complaint,
    parse_hands,
    plan_round,
)
from thirdcard.datasets.script.rare_plan import foreign_card, foreign_index, with_rarities
from thirdcard.datasets.script.script import NoCall, Script, ScriptedRound, Straighten
from thirdcard.datasets.script.settling import give_all_back, settle
from thirdcard.datasets.script.shoe_acts import announce_last_round, draw_along, open_shoe, run_out, set_cut_card_aside
from thirdcard.datasets.script.spreading import Lay, Spreading
from thirdcard.datasets.script.stage import CardActor, Stage
from thirdcard.datasets.script.timeline import Timeline
from thirdcard.datasets.script.void_hands import replace_wagers, void_all, void_running_hand, wagers_put_down
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import DEALER, Side, Source
from thirdcard.rules.log.events import (
    BetsOpened,
    CardDealt,
    CardMoved,
    CardRemoved,
    CardTurned,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    VoidHandAnnounced,
)
from thirdcard.rules.rulebook.load import load_rulebook

LEAD_IN_S = 1.0
LEAD_OUT_S = 1.6
VOIDING = ("nz-authority", "nz-secretary", "tas")
"""Rulebooks that order a hand without wagers after a card in excess was shown."""
CALL_ORDERED = ("nz-authority", "nz-secretary")
RAISE_S = 1.4
"""Longest time in seconds that an arm takes from its home to where a sweep begins."""
CALL_SOURCES = {"signal": Source.SIGNAL, "lamp": Source.CAMERA, "gesture": Source.CAMERA, "none": Source.PERSON}
DEFAULT_STYLE = {"nsw": "B"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """The result of playing a script."""

    timeline: Timeline
    chronicle: Chronicle
    lays: tuple[Lay, ...] = ()
    """The decks as they were spread before play."""


def perform(script: Script, layout: Layout, chips: ChipSet) -> Performance:
    """Play all rounds of a script.

    Raises:
        ScriptError: Something in it cannot happen.
    """
    director = _Director(script, layout, chips)
    director.spread()
    for number, spec in enumerate(script.rounds, start=1):
        director.play(number, spec)
    return director.finish()


class _Director:
    def __init__(self, script: Script, layout: Layout, chips: ChipSet) -> None:
        width, height = script.table.cards.get("size_mm", [63.0, 88.0])
        self.script = script
        self.places = Places(layout, (width, height), chips.diameter_mm)
        self.stage = Stage(np.random.default_rng(script.seed))
        self.shoe = DealingShoe(script.table.shoe.decks, np.random.default_rng(script.seed + 1))
        self.habits = habits_of(script.manner, script.seed)
        self.dealer = Dealer(self.stage, self.places, self.habits, growth=script.growth, pace=script.pace)
        devices = [device for device in script.devices if device != "no_more_bets" or script.call == "signal"]
        self.chronicle = Chronicle(devices)
        self.betting = Betting(script, self.stage, self.places, chips, self.chronicle, self.habits)
        self.style = str(script.table.options.get("dealing_style", DEFAULT_STYLE.get(script.table.rulebook, "A")))
        self.clock = LEAD_IN_S
        self.kept: CardActor | None = None
        self.void = False
        self.number = 0
        self.cards: list[CardActor] = []
        self.lays: list[Lay] = []
        self.pending: list[PlannedFault] = []
        """Faults that are raised when the next card is dealt."""
        self.foreign: Card | None = None
        """A card of the round whose copies were all out already; None once its face was seen."""
        self.is_last_to_announce = False

    def spread(self) -> None:
        """Spread the decks before play, if the script asks for it."""
        if self.script.spread is not None:
            spreading = Spreading(self.script.spread, self.stage, self.places, self.dealer)
            self.lays, self.clock = spreading.perform(self.clock)

    def play(self, number: int, spec: ScriptedRound) -> None:
        self.number = number
        where = f"rounds[{number - 1}]"
        if spec.opening is not None:
            open_shoe(self, spec.opening)
        hands = self._hands(spec, where)
        rulebook = self.script.table.rulebook
        setting = Setting(
            style=self.style,
            voids_next=rulebook in VOIDING,
            kept=self.kept is not None,
            voids_first=load_rulebook(rulebook).first_card_face_up_is_found,
        )
        steps = with_rarities(plan_round(spec, hands, setting, self.shoe), spec)
        self.clock += spec.pause_s if number > 1 else 0.0
        self.chronicle.starts.append(self.clock)
        self.cards = []
        self._open(spec, where)
        self._bring_kept()
        for step in steps:
            self._step(step, spec)
        self.clock = give_all_back(self) if isinstance(steps[-1], RunOut) else settle(self, hands, steps[-1], spec)
        self._clear()
        self.clock += 0.15
        self.chronicle.add(RoundClosed(t=self.clock))
        if self.is_last_to_announce:
            announce_last_round(self)
        self.betting.close(self.clock)
        if self.timeline.lamp:
            self.timeline.lamp.append((self.clock, False))
        self.void = any(isinstance(step, Deal) and step.void_next for step in steps)

    @property
    def timeline(self) -> Timeline:
        return self.stage.timeline

    def finish(self) -> Performance:
        self.dealer.rest()
        self.timeline.end = self.clock + LEAD_OUT_S
        self.timeline.discards.sort()
        return Performance(timeline=self.timeline, chronicle=self.chronicle, lays=tuple(self.lays))

    def _hands(self, spec: ScriptedRound, where: str) -> Hands:
        first = self.kept.card if self.kept else None
        if spec.cards:
            hands = parse_hands(spec.cards, f"{where}.cards")
            trouble = complaint(hands, spec.happenings, self.style)
            if trouble:
                raise ScriptError(f"{where}.cards", spec.cards, trouble)
            if first and hands.player[0] != first:
                raise ScriptError(f"{where}.cards", spec.cards, f"must begin with the card kept from before, {first}")
        else:
            hands = self.shoe.draw_hands(
                lambda h: complaint(h, spec.happenings, self.style) is None, first, where, foreign=foreign_index(spec)
            )
        taken = [*hands.player[1 if first else 0 :], *hands.banker]
        self.foreign = foreign_card(spec, hands, self.shoe, where)
        if self.foreign is not None:
            taken.remove(self.foreign)
        self.shoe.take(taken, where)
        return hands

    def _open(self, spec: ScriptedRound, where: str) -> None:
        """Play from the opening of bets to their close."""
        calls = not any(isinstance(event, NoCall) for event in spec.happenings)
        opened = self.clock
        allowed = wagers_put_down(spec)
        if self.void or allowed:
            self.chronicle.add(VoidHandAnnounced(t=opened))
            placed = self.betting.begin(self.number, replace_wagers(spec, allowed), opened, where)
            self.clock = max(opened + 1.2, placed)
            self.pending += [PlannedFault("procedure.void_hand_wagered", area=area) for area in void_all(self.betting)]
        else:
            self.chronicle.add(BetsOpened(t=opened))
            self.clock = self.betting.begin(self.number, spec, opened, where)
        if not calls:
            self.clock = max(self.clock, opened + 1.0)
            return
        sweeps = self.script.gesture or self.script.call == "gesture"
        sweep_s = self.stage.between(0.7, 1.5) * self.script.pace if sweeps else 0.0
        if sweeps:
            self.clock = max(self.clock, self.dealer.free_at + 0.5 * sweep_s + RAISE_S)
        self.clock = self.betting.at_call(self.clock)
        self.chronicle.add(NoMoreBets(t=self.clock, source=CALL_SOURCES[self.script.call]))
        if sweeps:
            self.dealer.sweep(self.clock, sweep_s)
        if self.script.call == "lamp":
            self.timeline.lamp.append((self.clock, True))
        tidy_stacks(self, spec)
        self.clock += self.stage.between(0.75, 1.3) * self.script.pace

    def _bring_kept(self) -> None:
        if self.kept is None:
            return
        done = self.dealer.shift(self.clock, self.kept, hand=Side.PLAYER, slot=0)
        self.chronicle.add(CardMoved(t=done, card_id=self.kept.card_id, hand=Side.PLAYER))
        if not self.kept.face_up and self.style == "A":
            done = self.dealer.turn(done + 0.1, self.kept)
            self._log_turn(self.kept, done)
        self.kept.kept = False
        self.cards.append(self.kept)
        self.kept = None
        self.clock = done + 0.2

    def _step(self, step: Step, spec: ScriptedRound) -> None:
        if isinstance(step, Deal):
            self._deal(step, spec)
        elif isinstance(step, Move):
            actor = self.cards[-1]
            done = self.dealer.shift(self.clock + 0.8, actor, hand=step.hand, slot=self._free_slot(step.hand))
            self.chronicle.add(CardMoved(t=done, card_id=actor.card_id, hand=step.hand))
            self.clock = done + step.pause_s
        elif isinstance(step, Turn):
            if not turned_by_players(self, step.hand, spec):
                self._turn(step.hand)
        elif isinstance(step, Disclose):
            self._disclose(step)
        elif isinstance(step, CutOut):
            set_cut_card_aside(self, step)
        elif isinstance(step, RunOut):
            run_out(self)
        else:
            self._announce(step)

    def _deal(self, step: Deal, spec: ScriptedRound) -> None:
        dealt = len([actor for actor in self.cards if actor.span.start >= self.chronicle.starts[-1]]) + 1
        if dealt == 5 or (dealt == 6 and self.style == "A"):
            self.clock += self.stage.between(0.35, 0.8) * self.script.pace
        slot = self._free_slot(step.hand) if step.hand else 0
        if step.is_along:
            actor, t = draw_along(self, step, slot)
        else:
            place = self._place_of_loose(step.at) if step.hand is None else None
            actor, t = self.dealer.draw(
                self.clock, step.card, hand=step.hand, slot=slot, face_up=step.face_up, place=place
            )
        actor.kept = step.kept
        self.cards.append(actor)
        self.chronicle.add(
            CardDealt(
                t=t,
                card_id=actor.card_id,
                hand=step.hand,
                card=step.card if step.face_up else None,
                face_up=step.face_up,
                together_with=self.cards[-2].card_id if step.is_along else None,
            )
        )
        for fault in (*self.pending, *step.faults):
            self._raise(t, fault)
        self.pending = []
        if step.face_up:
            self._look_for_foreign(t, step.card)
        unheard = len(self.cards) == 1 and any(isinstance(event, NoCall) for event in spec.happenings)
        if unheard and self.script.table.rulebook in CALL_ORDERED:
            self._alert(t, "procedure.no_call")
        self.betting.at_card(len(self.cards), t)
        self.clock = t + self.script.card_gap_s * self.script.pace * self.stage.between(0.94, 1.08)
        if any(fault.code == "exposed_card.first_card" for fault in step.faults):
            void_running_hand(self)
        for event in spec.happenings:
            if isinstance(event, Straighten) and event.kind == "straighten_card" and event.card == len(self.cards):
                self.clock = self.dealer.straighten(self.clock, actor) + 0.15
        if step.hand is not None and self.habits.does(self.script.manner.rests):
            self.dealer.lean(self.clock, step.hand)

    def _place_of_loose(self, at: str) -> Pose:
        """Return the place of a card that belongs to no hand."""
        if at == "rail":
            return self.places.beside_rail()
        if at == "area":
            return self.places.bare_area(self.betting.wagers, self.stage.rng)
        return self.places.beside_shoe()

    def _disclose(self, step: Disclose) -> None:
        """Turn the last card dealt at its place, after a moment."""
        actor = self.cards[-1]
        self.dealer.rest()
        done = self.dealer.turn(self.clock + self.stage.between(1.8, 3.2) * self.script.pace, actor)
        self._log_turn(actor, done)
        for fault in step.faults:
            self._raise(done, fault)
        self.clock = done + 0.6

    def _raise(self, t: float, fault: PlannedFault) -> None:
        area = fault.area
        alert = DueAlert(t=t, round=self.number, code=fault.code, hand=fault.hand, cards=fault.cards)
        if area is not None:
            alert = replace(alert, seat=area.seat, bet=area.bet, area=area.id)
        self.chronicle.raise_alert(alert)
        if fault.code == "misdeal.simultaneous":
            self.chronicle.tolerate(ToleratedReading(code="payout.*", round=self.number, start=t, end=t + 40.0))

    def _look_for_foreign(self, t: float, card: Card) -> None:
        if card == self.foreign:
            self._alert(t, "misdeal.foreign_card", cards=(card,))
            self.foreign = None

    def _turn(self, hand: Side) -> None:
        self.clock += self.stage.between(0.0, 0.25)
        for actor in self.cards:
            if actor.hand is hand and not actor.face_up:
                done = self.dealer.turn(self.clock, actor)
                self._log_turn(actor, done)
                self.clock = done + 0.12

    def _log_turn(self, actor: CardActor, t: float) -> None:
        self.chronicle.add(CardTurned(t=t, card_id=actor.card_id, card=actor.card, face_up=True, by=DEALER))
        self._look_for_foreign(t, actor.card)

    def _announce(self, step: Announce) -> None:
        if self.habits.does(self.script.manner.squares_up):
            for actor in self.cards:
                if actor.hand is not None and not actor.gone:
                    self.clock = self.dealer.straighten(self.clock, actor)
        self.dealer.rest()
        self.clock += self.stage.between(0.35, 0.7) * self.script.pace
        t = self.clock
        self.chronicle.add(ResultAnnounced(t=t, player=step.player, banker=step.banker, winner=step.winner))
        for fault in step.faults:
            self._alert(t, fault.code, hand=fault.hand, cards=fault.cards)
            self.chronicle.tolerate(ToleratedReading(code="payout.*", round=self.number, start=t - 0.5, end=t + 15.0))
        self.clock = max(t + 0.7, self.betting.at_result(t) + 0.25)

    def _clear(self) -> None:
        """Collect the cards, the Player's hand first; a card that is kept for the next round stays."""
        self.clock += self.stage.between(0.2, 0.5) * self.script.pace
        both_at = self.clock + 0.1 if self.habits.does(self.script.manner.both_hands) else None
        for hand in (Side.PLAYER, Side.BANKER, None):
            lying = [actor for actor in self.cards if actor.hand is hand and not actor.gone]
            self.kept = next((actor for actor in lying if actor.kept), self.kept)
            swept = [actor for actor in lying if not actor.kept]
            if not swept:
                continue
            is_beside = hand is Side.BANKER and both_at is not None
            begun = both_at if is_beside and both_at is not None else self.clock
            done = self.dealer.gather(begun, swept, with_other=is_beside)
            for actor in swept:
                self.chronicle.add(CardRemoved(t=done, card_id=actor.card_id, to="discard"))
            self.clock = max(self.clock, done)
        self.dealer.rest()

    def _free_slot(self, hand: Side) -> int:
        taken = {actor.slot for actor in self.cards if actor.hand is hand and not actor.gone}
        return next(slot for slot in range(8) if slot not in taken)

    def _alert(self, t: float, code: str, *, hand: Side | None = None, cards: tuple[Card, ...] = ()) -> None:
        self.chronicle.raise_alert(DueAlert(t=t, round=self.number, code=code, hand=hand, cards=cards))
