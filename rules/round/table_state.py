"""The state of a table between rounds: remaining wagers, faces of kept cards, cameras, the shoe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.notice import LimitChange, TableNotice
from thirdcard.rules.game.words import Bet, Side
from thirdcard.rules.log.events import (
    BetsOpened,
    CameraBack,
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardDealt,
    CardMoved,
    Event,
    LimitsChanged,
    NoMoreBets,
    RoundClosed,
    ShoeOpened,
    VoidHandAnnounced,
)
from thirdcard.rules.round.round import (
    NOT_VOID,
    DealtCard,
    DealtCards,
    Round,
    RoundBetting,
    RoundPhase,
    RoundSight,
    RoundState,
    Void,
    Wager,
    freed_wager,
)

NOTED = (ShoeOpened, VoidHandAnnounced, CameraLost, CameraMoved, CameraObstructed, CameraBack)
"""The events that change the table's own state."""
_GIVES_OPTIONS = ("misdeal.", "exposed_card.")
"""Prefixes of the irregularities after which players may have options."""
NEXT_ROUND = (BetsOpened, NoMoreBets, CardDealt)
"""The events that, after a result and a gap in sight, show that another round has begun."""


@dataclass(slots=True)
class SightGaps:
    """When cameras were lost; times are stream time in seconds."""

    lost: dict[str, float] = field(default_factory=dict)
    """The cameras that are lost, each since when."""
    last_t: float | None = None
    """When one was last lost; None where none was."""
    is_new: bool = False
    """Whether one was lost since the last round ended: the next one may have begun unseen."""
    is_long: bool = False
    """Whether the gap that ended last was longer than a whole round: another shoe may have come."""
    round_s: float = 0.0
    """How long the last whole round took; 0 before the first."""

    def begin(self, event: CameraLost | CameraMoved | CameraObstructed) -> None:
        """Note that a camera is lost."""
        self.lost.setdefault(event.camera or "", event.t)
        self.last_t, self.is_new = event.t, True

    def end(self, event: CameraBack) -> None:
        """Note that a camera sees again."""
        self.is_long = event.t - self.lost.pop(event.camera or "", event.t) > self.round_s

    def sight_from(self, event: Event) -> RoundSight:
        """What may be unseen of a round that begins with this event."""
        is_under_way = self.is_new and isinstance(event, CardDealt | CardMoved)
        self.is_new = bool(self.lost)
        return RoundSight(lost_t=event.t if self.lost or is_under_way else None, last_lost_t=self.last_t)


@dataclass(slots=True)
class TableState:
    """Everything that outlasts a round."""

    running: Round | None = None
    rounds_begun: int = 0
    wagers: dict[str, Wager] = field(default_factory=dict)
    cards: Mapping[str, DealtCard] = field(default_factory=dict)
    """The previous round's cards, which may be kept for this one."""
    chips: tuple[int, ...] = ()
    """The values of the table's chips in minor units; empty where unknown."""
    notice: TableNotice = field(default_factory=TableNotice)
    are_promotional_spent: bool = False
    """Whether promotional chips leave the area when they are settled."""
    have_players_options: bool = False
    """Whether the rulebook lets players take wagers back after an irregularity (`player_options`)."""
    does_call_close: bool = True
    """Whether "No more bets" closes betting; otherwise the first card does."""
    are_results_told: bool = False
    """Whether an earlier round's result was announced, so that one without an announcement is not decided yet."""
    gaps: SightGaps = field(default_factory=SightGaps)
    next_void: Void = NOT_VOID
    """Whether the next round is to be played without wagers."""

    def note(self, event: Event, _running: Round | None = None) -> None:
        """Apply an event about the shoe, a camera or a hand without wagers."""
        if isinstance(event, ShoeOpened):
            self.next_void = self.next_void._replace(is_void=False)
        elif isinstance(event, VoidHandAnnounced):
            if self.running is not None and self.running.is_decided:
                self.next_void = self.next_void._replace(is_void=True)
        elif isinstance(event, CameraLost | CameraMoved | CameraObstructed):
            self.gaps.begin(event)
        elif isinstance(event, CameraBack):
            self.gaps.end(event)
        running = self.running
        if running is not None and self.gaps.lost:
            running.note_blind(event.t)

    def note_end(self, _event: RoundClosed, running: Round | None) -> None:
        """Mark a misdealt round as void if it was abandoned."""
        if running is not None and running.is_misdealt and self._was_given_up(running):
            running.void = running.void._replace(is_void=True, is_annulled=True)

    def change_limits(self, event: LimitsChanged, running: Round | None) -> None:
        """Apply changed limits; to the running round only while betting is open."""
        self.notice = self.notice.changed(_change_of(event), seat=event.seat)
        if running is not None and self._is_betting_open(running):
            running.betting.notice = self.notice

    def _is_betting_open(self, running: Round) -> bool:
        """Whether no card has left the shoe, and no closing call is known other than by inference."""
        call = running.betting.call
        is_called = self.does_call_close and call is not None and not call.is_inferred
        return running.dealt.first is None and not running.is_decided and not is_called

    def has_ended_unseen(self, event: Event) -> bool:
        """Whether the running round's end was missed: a camera was lost after its result, and the next round begins."""
        running = self.running
        return running is not None and running.sight.may_have_ended and not self.gaps.lost and type(event) in NEXT_ROUND

    def begin(self, event: Event) -> Round:
        """Start the next round; cards may have come unseen if a camera was lost before and its first line is a card."""
        self.rounds_begun += 1
        self.running = Round(
            self.rounds_begun,
            event.t,
            DealtCards(self.cards),
            RoundBetting({area: wager for area, wager in self.wagers.items() if wager.value != 0}, notice=self.notice),
            self.next_void,
            sight=RoundSight() if self.gaps.last_t is None else self.gaps.sight_from(event),
        )
        self.next_void = NOT_VOID
        return self.running

    def end(self) -> None:
        """End the round: keep its faces, free its areas."""
        running = self.running
        if running is None:
            return
        if running.closed is not None:
            self.gaps.round_s = running.closed.t - running.opened_t
        if running.result is not None:
            self.are_results_told = True
        if running.void.declared_t is not None and self.next_void.rule is not None:
            self.next_void = NOT_VOID  # no card is left from a void round to begin the next one with
        self.cards = running.dealt.cards
        wagers: dict[str, Wager] = {}
        for area, wager in self.wagers.items():
            left = wager
            if wager.is_settled and wager.value != 0:
                left = freed_wager(wager, are_promotional_spent=self.are_promotional_spent)
            if left.value != 0:
                wagers[area] = left
        self.wagers = wagers
        self.running = None

    def follow_remedy(self, alert: Alert, *, is_established: bool) -> None:
        """Apply the alert's remedy to the running round: it may be void, or may be voided after a misdeal.

        `is_established`: whether the outcome is established, so that players have no options.
        """
        remedy, running = alert.remedy, self.running
        if running is None:
            return
        if self.have_players_options and not is_established and alert.code.startswith(_GIVES_OPTIONS):
            running.betting.may_be_taken_back = True
        is_misdeal, void = alert.code.startswith("misdeal."), running.void
        running.is_misdealt = running.is_misdealt or is_misdeal
        if remedy.action == "void_round":
            is_annulled = void.is_annulled or (not void.is_void and is_misdeal)
            running.void = void._replace(is_void=True, rule=remedy.rule, is_annulled=is_annulled)

    def _was_given_up(self, running: Round) -> bool:
        """Whether a misdealt round ended without a result, with no wager left, won or lost."""
        if running.is_decided or running.void.is_void:
            return False
        areas = [area for area, wager in running.betting.stakes.items() if not wager.is_empty]
        return all(area in self.wagers and self.wagers[area].is_empty for area in areas)

    def follow_later(self, alert: Alert, *, is_certain: bool) -> None:
        """Apply a remedy that orders the next hand to be played without wagers."""
        if alert.remedy.action == "void_next_hand" and is_certain:
            self.next_void = Void(True, alert.remedy.rule)

    def are_all_settled(self, running: Round) -> bool:
        """Whether there were wagers and the dealer has settled each."""
        stakes = [area for area, wager in running.betting.stakes.items() if not wager.is_empty]
        return bool(stakes) and all(area in self.wagers and self.wagers[area].is_settled for area in stakes)

    def snapshot(self) -> RoundState:
        """The present state for display."""
        running = self.running
        wagers: Mapping[str, Wager] = dict(self.wagers)
        if running is None:
            return RoundState(round=self.rounds_begun, phase=RoundPhase.IDLE, player=(), banker=(), wagers=wagers)
        hands = {side: tuple(card.card for card in running.dealt.hand(side)) for side in Side}
        return RoundState(
            round=running.number,
            phase=running.phase,
            player=hands[Side.PLAYER],
            banker=hands[Side.BANKER],
            wagers=wagers,
        )


def _change_of(event: LimitsChanged) -> LimitChange:
    own = {Bet(bet): (limits.get("minimum"), limits.get("maximum")) for bet, limits in (event.bets or {}).items()}
    return LimitChange(
        minimum=event.minimum,
        maximum=event.maximum,
        differential=event.differential,
        collective=event.collective,
        bets=own,
    )
