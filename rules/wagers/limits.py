"""Compare the wagers at the close of betting with the table's notice. Money in minor units."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.notice import Range, TableNotice
from thirdcard.rules.game.words import Bet, Side
from thirdcard.rules.log.events import Event, ResultAnnounced
from thirdcard.rules.round.round import Round, Wager
from thirdcard.rules.rulebook.model import ClosingCase, LimitKind, Moment
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.late_bets import Close, close_of, closers_of

_UNLIMITED: Range = (None, None)
_HANDS = frozenset({Bet.PLAYER, Bet.BANKER})


def parse_notice(limits: Mapping[str, object], mains: frozenset[Bet]) -> TableNotice:
    """The notice from a table's `limits`; values that are no whole numbers are ignored.

    Args:
        limits: The mapping of the table's file.
        mains: The bets to which the table's own minimum and maximum apply.
    """
    own = limits.get("bets")
    bets = {
        Bet(name): (_amount(mapping, "minimum"), _amount(mapping, "maximum"))
        for name, mapping in (own.items() if isinstance(own, Mapping) else ())
        if isinstance(mapping, Mapping)
    }
    return TableNotice(
        minimum=_amount(limits, "minimum"),
        maximum=_amount(limits, "maximum"),
        differential=_amount(limits, "differential"),
        collective=_amount(limits, "collective"),
        bets=bets,
        mains=mains,
    )


def _amount(limits: Mapping[str, object], key: str) -> int | None:
    value = limits.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def own_limit_rules(rules: Rules) -> Mapping[Bet, str | None]:
    """By bet: the section on its limits, where it has one of its own."""
    own = [case for case in rules.rulebook.limits.own if case.when <= rules.facts]
    return {bet: case.rule for case in reversed(own) for bet in case.bets}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Watch:
    """The limits to check at a table with a notice."""

    notice: TableNotice
    ranges: Mapping[Bet, Range]
    """The table's own minimum and maximum by bet."""
    limits_hands: bool
    """Whether the wagers on a hand are limited together."""
    groups: tuple[tuple[Bet, ...], ...]
    """The bets with limits, grouped by when they close."""

    @classmethod
    def of(cls, notice: TableNotice, rules: Rules) -> _Watch:
        bets = tuple(rules.closings)
        ranges = {bet: notice.range_of(bet) for bet in bets}
        limits_hands = notice.differential is not None or notice.collective is not None
        limited = {
            bet for bet in bets for seat in (None, *notice.players) if notice.range_of(bet, seat) != (None, None)
        }
        watched = [bet for bet in bets if bet in limited or (limits_hands and bet in _HANDS)]
        groups = tuple(_closing_together(watched, rules))
        return cls(notice=notice, ranges=ranges, limits_hands=limits_hands, groups=groups)

    def range_of(self, wager: Wager) -> Range:
        if self.notice.players:
            return self.notice.range_of(wager.bet, wager.seat)
        return self.ranges.get(wager.bet, _UNLIMITED)

    def is_personal(self, wager: Wager, end: int) -> bool:
        """Whether the player has an agreed minimum (`end` 0) or maximum (1) other than the table's."""
        if not self.notice.players:
            return False
        return self.range_of(wager)[end] != self.ranges.get(wager.bet, _UNLIMITED)[end]


class LimitJudge:
    """Judges each bet once a round, as soon as betting on it has surely closed."""

    def __init__(self, rules: Rules, notice: TableNotice) -> None:
        self._rules = rules
        self._watch = _Watch.of(notice, rules)
        self._kinds = rules.rulebook.limits.kinds
        self._own_rules = own_limit_rules(rules)
        self._is_token_free = rules.rulebook.promotional_rule is not None
        """Whether a wager of promotional chips is exempt from the notice."""
        self._round = 0
        self._pending: tuple[tuple[Bet, ...], ...] = ()
        """Bets that have not closed yet, grouped by when they close."""

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The event types that may close betting, besides the round's first card, which is passed separately.

        Empty where the notice limits nothing; otherwise a result is always one of them.
        """
        closings = [self._rules.closings[bet] for bets in self._watch.groups for bet in bets]
        return closers_of(closings) | {ResultAnnounced} if closings else ()

    def change(self, notice: TableNotice, running: Round | None) -> None:
        """Apply a changed notice; a round in which betting has closed keeps the previous one."""
        if running is not None and running.betting.notice is not notice:
            return
        self._watch = _Watch.of(notice, self._rules)
        self._pending = self._watch.groups

    def observe(self, _event: Event, running: Round) -> Iterable[Finding]:
        """Take an event that may have closed betting; returns faults against the limits."""
        if self._round != running.number:
            self._begin(running)
        if not self._pending:
            return ()
        closed = self._closed(running)
        if not closed:
            return ()
        self._pending = tuple([bets for bets in self._pending if bets[0] not in closed])
        return () if running.void.is_void or self._is_faultless(running) else self._judge(closed, running)

    def _begin(self, running: Round) -> None:
        if self._watch.notice is not running.betting.notice:
            self._watch = _Watch.of(running.betting.notice, self._rules)
        self._round, self._pending = running.number, self._watch.groups

    def _is_faultless(self, running: Round) -> bool:
        """Whether a quick check already excludes every fault: all wagers were seen and are within their limits."""
        watch = self._watch
        if watch.limits_hands or watch.notice.players or running.camera_lost_t is not None:
            return False
        for wager in running.betting.stakes.values():
            (minimum, maximum), value = watch.ranges.get(wager.bet, _UNLIMITED), wager.value
            if value is None or (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
                return False
        return True

    def _judge(self, closed: Mapping[Bet, Close], running: Round) -> Iterator[Finding]:
        wagers = [one for one in running.betting.stakes.values() if one.bet in closed and not one.is_empty]
        if running.was_camera_lost:
            if wagers:
                running.doubt("limit.above_maximum", "the camera was lost while wagers were placed")
            return
        for wager in wagers:
            yield from self._single(wager, closed[wager.bet], running)
        if self._watch.limits_hands:
            yield from self._judge_hands(closed, running)

    def _judge_hands(self, closed: Mapping[Bet, Close], running: Round) -> Iterator[Finding]:
        stakes, open_bets = running.betting.stakes.values(), {bet for bets in self._pending for bet in bets}
        hands = {bet: [one for one in stakes if one.bet is bet and not one.is_empty] for bet in _HANDS}
        yield from self._collective({bet: hands[bet] for bet in sorted(_HANDS & set(closed))}, closed, running)
        if closed.keys() & _HANDS and not _HANDS & open_bets:
            close = max((closed[bet] for bet in closed if bet in _HANDS), key=lambda one: one.t)
            yield from self._differential(hands, close, running)

    def _closed(self, running: Round) -> dict[Bet, Close]:
        """The bets that have closed since the last check; an inferred close waits for the first card."""
        closed: dict[Bet, Close] = {}
        for bets in self._pending:
            close = close_of(bets[0], running, self._rules)
            if close is not None and not close.is_inferred:
                closed.update(dict.fromkeys(bets, close))
        return closed

    def _single(self, wager: Wager, close: Close, running: Round) -> Iterator[Finding]:
        minimum, maximum = self._watch.range_of(wager)
        if wager.promotional and wager.promotional == wager.value and self._is_token_free:
            return
        if wager.value is None or (wager.promotional is None and self._is_token_free):
            why = f"the wager on {wager.area} was not read"
            running.doubt("limit.below_minimum", why)
            running.doubt("limit.above_maximum", why)
        elif minimum is not None and wager.value < minimum and LimitKind.MINIMUM in self._kinds:
            yield self._beyond("limit.below_minimum", wager, close, f"below the minimum of {minimum}")
        elif maximum is not None and wager.value > maximum and LimitKind.MAXIMUM in self._kinds:
            yield self._beyond("limit.above_maximum", wager, close, f"above the maximum of {maximum}")

    def _beyond(self, code: str, wager: Wager, close: Close, what: str) -> Finding:
        whose = "A" if wager.seat is None else f"Seat {wager.seat}'s"
        has_own = wager.bet in self._own_rules
        facts = {"own_limit"} if has_own else set()
        if self._watch.is_personal(wager, 0 if code == "limit.below_minimum" else 1):
            facts.add("personal_limit")
        return Finding(
            code=code,
            t=close.t,
            key=(code, wager.area),
            message=f"{whose} wager of {wager.value} on {name_of(wager.bet)} is {what}.",
            facts=frozenset(facts),
            source_rule=self._own_rules[wager.bet] if has_own else None,
            seat=wager.seat,
            bet=wager.bet,
            area=wager.area,
            amount=wager.value,
            confidence=wager.confidence * close.confidence,
        )

    def _collective(
        self, hands: Mapping[Bet, list[Wager]], closed: Mapping[Bet, Close], running: Round
    ) -> Iterator[Finding]:
        most = self._watch.notice.collective
        if most is None or LimitKind.COLLECTIVE not in self._kinds:
            return
        for bet, wagers in hands.items():
            total, is_known = _total(wagers)
            if total > most:
                text = f"The wagers on {name_of(bet)} are {total}, above the collective maximum of {most}."
                yield _sum("limit.above_maximum", bet, total, closed[bet], wagers, text, "collective")
            elif not is_known:
                running.doubt("limit.above_maximum", f"not all wagers on {bet} were read")

    def _differential(self, hands: Mapping[Bet, list[Wager]], close: Close, running: Round) -> Iterator[Finding]:
        most = self._watch.notice.differential
        if most is None or LimitKind.DIFFERENTIAL not in self._kinds:
            return
        (player, knows_player), (banker, knows_banker) = _total(hands[Bet.PLAYER]), _total(hands[Bet.BANKER])
        heavy = Bet.PLAYER if player > banker else Bet.BANKER
        knows_lighter = knows_banker if heavy is Bet.PLAYER else knows_player
        if abs(player - banker) > most and knows_lighter:
            text = f"The wagers on the two hands differ by {abs(player - banker)}, above the differential of {most}."
            wagers = [*hands[Bet.PLAYER], *hands[Bet.BANKER]]
            yield _sum("limit.differential", heavy, abs(player - banker), close, wagers, text)
        elif not (knows_player and knows_banker):
            running.doubt("limit.differential", "not all wagers on the two hands were read")


def _closing_together(watched: Iterable[Bet], rules: Rules) -> Iterable[tuple[Bet, ...]]:
    """The bets grouped by when they close; where a hand's first card closes them, each by itself."""
    groups: dict[tuple[ClosingCase, Bet | None], list[Bet]] = {}
    for bet in watched:
        case = rules.closings[bet]
        groups.setdefault((case, bet if case.moment is Moment.HAND_FIRST_CARD else None), []).append(bet)
    return map(tuple, groups.values())


def _total(wagers: Iterable[Wager]) -> tuple[int, bool]:
    """The sum of the known values in minor units, and whether all were known."""
    values = [one.value for one in wagers]
    return sum(value for value in values if value is not None), None not in values


def _sum(code: str, bet: Bet, amount: int, close: Close, wagers: list[Wager], text: str, *facts: str) -> Finding:
    return Finding(
        code=code,
        t=close.t,
        key=(code, bet, "all"),
        message=text,
        facts=frozenset(facts),
        hand=Side(bet),
        bet=bet,
        amount=amount,
        confidence=min((one.confidence for one in wagers), default=1.0) * close.confidence,
    )
