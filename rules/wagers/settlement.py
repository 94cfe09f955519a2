"""Build the record of a finished round, and settle its wagers exactly by the cards.

Money in minor units; winnings are fractions of it, after commission and without the stake. Where a card was not read, a
wager is settled if every possible face settles it alike, and left open otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, cast

from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.hand import winner_of
from thirdcard.rules.game.words import Bet, Outcome, Settling, Side
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.records import Due, OpenDue, RoundRecord
from thirdcard.rules.round.round import DealtCard, Round, Wager
from thirdcard.rules.round.table_state import TableState
from thirdcard.rules.rulebook.cases import choose
from thirdcard.rules.rulebook.model import Collected, Commission, Fee, PayCase
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.exact_pay import valid_part_of
from thirdcard.rules.wagers.excess import Excess, excess_of
from thirdcard.rules.wagers.hand_ends import HandEnd, end_of, ends_of, facts_of, loose_ends_of
from thirdcard.rules.wagers.insurance import INSURANCE, Promise

Endings = frozenset[frozenset[str]]
"""The possible sets of facts about a finished round: one where every card is known, none where nothing is known."""


class Settlement(NamedTuple):
    """The amounts due for the wagers of a round."""

    due: tuple[Due, ...] = ()
    open: tuple[OpenDue, ...] = ()
    """Wagers whose due amount is unknown."""


class Circumstances(NamedTuple):
    """The facts that affect all wagers of a round."""

    is_void: bool = False
    """Whether the round is played without wagers."""
    chips: tuple[int, ...] = ()
    """The values of the table's chips in minor units; empty where unknown."""
    promises: Mapping[str, Promise] = MappingProxyType({})
    """By area: what its insurance could pay, if bet while it was offered."""
    ordered_back: Collection[str] = ()
    """Areas whose wagers a supervisor ordered returned."""
    excess: Excess = MappingProxyType({})
    """By area: the part of the stake above a limit, which is not in play."""
    why_open: str = ""
    """The reason given for wagers that cannot be settled."""


class Pay(NamedTuple):
    """The result for one unit of stake."""

    outcome: Settling
    odds: Fraction | None
    """Winnings per unit; None where the wager wins, but the amount depends on an unread card."""


class Award(NamedTuple):
    """The result for a stake."""

    pay: Pay
    pays: Fraction | None
    """Winnings in minor units; None where they depend on something unread."""
    void_stake: int | None = None
    """The part that cannot be paid exactly and is void."""
    owed: Fraction = Fraction(0)
    """The commission that is paid out with the winnings and collected later."""


MOST_PAIRS = 20_000
"""The most pairs of the two hands' possible ends that are examined; beyond it wagers are left open. Bets on suits and
ranks can make that many."""
LOST = Pay(Settling.LOSE, Fraction(0))
VOID = Pay(Settling.VOID, Fraction(0))


@lru_cache(maxsize=16)
def possible_facts(player: frozenset[HandEnd], banker: frozenset[HandEnd]) -> Endings:
    """The possible facts about a finished round, from the possible ends of each hand.

    Two hands with no face read have 13,000 pairs of ends. Where faces are hard to read such rounds come in a row, so
    results are cached.
    """
    if len(player) * len(banker) > MOST_PAIRS:
        return frozenset()
    return frozenset(facts_of(one, other) for one in player for other in banker)


@lru_cache(maxsize=8192)
def certain_facts(player: HandEnd, banker: HandEnd) -> Endings:
    """The facts about a finished round with known hands."""
    return frozenset({facts_of(player, banker)})


def pay_case(bet: Bet, rules: Rules, facts: frozenset[str]) -> PayCase | None:
    """The case that pays or returns the bet; None where it loses."""
    return choose(rules.pay_cases(bet), facts)


def outcome_of(bet: Bet, rules: Rules, facts: frozenset[str]) -> Settling:
    """The bet's result."""
    case = pay_case(bet, rules, facts)
    return Settling.LOSE if case is None else case.outcome


def pay_of(bet: Bet, rules: Rules, endings: Endings) -> Pay | None:
    """The bet's result if it is the same in all these endings; None otherwise."""
    pays = {_pay(pay_case(bet, rules, facts)) for facts in endings}
    if len(pays) == 1:
        return pays.pop()
    outcomes = {pay.outcome for pay in pays}
    return Pay(outcomes.pop(), None) if len(outcomes) == 1 else None


def settle_wagers(
    wagers: Collection[Wager], rules: Rules, endings: Endings, circumstances: Circumstances
) -> Settlement:
    """The amounts due for the wagers of a round; bets that the house does not offer are left out."""
    due: list[Due] = []
    undecided: list[OpenDue] = []
    void_areas: Collection[str] = circumstances.ordered_back
    if rules.fees:
        void_areas = areas_without_fee(wagers, rules).union(void_areas)
    for wager in wagers:
        if wager.value == 0 or (wager.bet not in rules.offered and not _is_offered_insurance(wager.bet, rules)):
            continue
        is_void = circumstances.is_void or wager.area in void_areas
        settled = _due_in(wager, rules, endings, circumstances, is_void=is_void)
        if isinstance(settled, Due):
            due.append(settled)
        else:
            undecided.append(settled)
    return Settlement(tuple(due), tuple(undecided))


def _is_offered_insurance(bet: Bet, rules: Rules) -> bool:
    return rules.insurance is not None and bet in INSURANCE


def _due_in(
    wager: Wager, rules: Rules, endings: Endings, circumstances: Circumstances, *, is_void: bool
) -> Due | OpenDue:
    if is_void:
        return Due(wager.area, wager.seat, wager.bet, wager.value, Settling.VOID, Fraction(0))
    if not endings:
        return _open(wager, circumstances.why_open)
    if wager.bet in INSURANCE:
        return _insurance_due(wager, circumstances, endings)
    award = award_of(wager.bet, wager.value, rules, endings, circumstances.chips)
    if award is None:
        return _open(wager, circumstances.why_open)
    (outcome, _), pays, void_stake, owed = award
    due = Due(wager.area, wager.seat, wager.bet, wager.value, outcome, pays, void_stake, None, owed)
    if wager.area not in circumstances.excess:
        return due
    return _less_excess(due, award.pay, circumstances.excess, rules.commissions.get(wager.bet))


def _less_excess(due: Due, pay: Pay, excess: Excess, commission: Commission | None) -> Due:
    """The due of the wager without the part that neither wins nor loses."""
    if due.outcome not in (Settling.WIN, Settling.LOSE) or due.pays is None or pay.odds is None:
        return due
    beyond = excess[due.area]
    if beyond is None:
        return due if due.outcome is Settling.LOSE else due._replace(pays=None)
    if commission is None or due.stake is None:
        return due._replace(pays=due.pays - beyond * pay.odds, excess_stake=beyond)
    gross = (due.stake - (due.void_stake or 0) - beyond) * pay.odds
    kept = commission.of(gross)
    if commission.collected is Collected.OWED:
        return due._replace(pays=gross, owed=kept, excess_stake=beyond)
    return due._replace(pays=gross - kept, excess_stake=beyond)


def _insurance_due(wager: Wager, circumstances: Circumstances, endings: Endings) -> Due | OpenDue:
    """The due of an insurance wager: it wins if its hand loses; a Tie returns it, or pays it if that was promised."""
    side, promise = INSURANCE[wager.bet], circumstances.promises.get(wager.area)
    winners = {outcome for outcome in Outcome for facts in endings if f"winner={outcome}" in facts}
    if len(winners) != 1:
        return _open(wager, circumstances.why_open)
    winner = winners.pop()
    if winner == side.value:
        return _insured(wager, Settling.LOSE, Fraction(0))
    if winner is Outcome.TIE:
        on_tie = Fraction(0) if promise is None else promise.on_tie
        if on_tie is None:
            return _open(wager, "a card or the stake was not read when it was bet")
        return _insured(wager, Settling.WIN if on_tie else Settling.PUSH, on_tie)
    if promise is None:
        return _open(wager, "no insurance is known to have been offered when it was bet")
    return _insured(wager, Settling.WIN, promise.on_loss)


def _insured(wager: Wager, outcome: Settling, pays: Fraction | None) -> Due:
    return Due(area=wager.area, seat=wager.seat, bet=wager.bet, stake=wager.value, outcome=outcome, pays=pays)


@lru_cache(maxsize=8192)
def award_of(bet: Bet, stake: int | None, rules: Rules, endings: Endings, chips: tuple[int, ...] = ()) -> Award | None:
    """The result of a stake if it is the same in all these endings, less the part that cannot be paid exactly; else
    None.

    The stake is in minor units; None where its chips were not read. Results are cached.
    """
    pay = pay_of(bet, rules, endings)
    if pay is None:
        return None
    is_whole = stake is None or pay.outcome is Settling.VOID
    void = 0 if stake is None or is_whole else stake - valid_part_of(bet, stake, rules, chips)
    if void and void == stake:
        pay = VOID
    gross = _winnings(stake, void, pay)
    commission = rules.commissions.get(bet)
    if gross is None or commission is None:
        return Award(pay, gross, void or None)
    kept = commission.of(gross)
    if commission.collected is Collected.OWED:
        return Award(pay, gross, void or None, kept)
    return Award(pay, gross - kept, void or None)


def _pay(case: PayCase | None) -> Pay:
    return LOST if case is None else Pay(case.outcome, case.pays)


def _winnings(stake: int | None, void: int, pay: Pay) -> Fraction | None:
    if pay.outcome is not Settling.WIN:
        return Fraction(0)
    return None if stake is None or pay.odds is None else (stake - void) * pay.odds


def _open(wager: Wager, why: str) -> OpenDue:
    return OpenDue(area=wager.area, seat=wager.seat, bet=wager.bet, stake=wager.value, why=why)


def areas_without_fee(wagers: Collection[Wager], rules: Rules) -> frozenset[str]:
    """The areas whose wagers are void because their seat did not pay the fee for them."""
    return frozenset(area for fee in rules.fees for area in _areas_without(fee, wagers, rules))


def _areas_without(fee: Fee, wagers: Collection[Wager], rules: Rules) -> Iterator[str]:
    amount = rules.options[fee.amount_option]
    waived_from = rules.options[fee.waived_from_option] if fee.waived_from_option else None
    for seat in {wager.seat for wager in wagers if wager.seat is not None}:
        own = [wager for wager in wagers if wager.seat == seat and not wager.is_empty]
        charged = [wager for wager in own if wager.bet in fee.wagers]
        staked = [wager.value for wager in charged]
        paid = [wager.value for wager in own if wager.bet is fee.bet]
        is_waived = isinstance(waived_from, int) and (None in staked or sum(one or 0 for one in staked) >= waived_from)
        is_paid = None in paid or sum(one or 0 for one in paid) >= int(amount or 0)
        if not is_waived and not is_paid:
            yield from (wager.area for wager in charged)


_PLAYER, _BANKER = Side
Faces = tuple[Card | None, ...]
Known = tuple[Card, ...]


def record_of(
    running: Round, drawing: Drawing, rules: Rules, table: TableState, *, promises: Mapping[str, Promise]
) -> RoundRecord:
    """The round's record; hands are the cards that lawfully belong to them, or after a misdeal those in the boxes."""
    is_lawful = drawing.can_judge
    cards = drawing.reckon()
    player, banker = cards.player, cards.banker
    hands = drawing.faces(_PLAYER), drawing.faces(_BANKER)
    in_boxes = hands if is_lawful else (_faces(running.dealt.hand(_PLAYER)), _faces(running.dealt.hand(_BANKER)))
    is_read = player is not None and banker is not None
    wagers = tuple(running.betting.stakes.values())
    why_open = "the hands are not known to be complete" if is_read else "a card was not read"
    excess = excess_of(wagers, rules, running.betting.notice) if rules.rulebook.limits.excess else {}
    ordered_back: Collection[str] = running.betting.ordered_back
    if ordered_back and not rules.are_returns_honoured:
        ordered_back = ()
    circumstances = Circumstances(running.void.is_void, table.chips, promises, ordered_back, excess, why_open)
    if is_read and cards.is_settled and not drawing.is_swapped:
        known = cast("tuple[Known, Known]", hands)
        endings = certain_facts(end_of(known[0], rules.marks), end_of(known[1], rules.marks))
    else:
        endings = _endings(drawing, *hands, rules.marks)
    settlement = settle_wagers(wagers, rules, endings, circumstances)
    totals = (player, banker) if is_lawful else (None, None)
    winner = winner_of(player, banker) if is_lawful and player is not None and banker is not None else None
    return RoundRecord(
        running.number,
        running.opened_t,
        running.closed_t,
        *in_boxes,
        *totals,
        winner,
        cards.is_settled,
        running.void.is_void,
        due=settlement.due,
        due_open=settlement.open,
    )


def _endings(drawing: Drawing, player: Faces, banker: Faces, marks: frozenset[str]) -> Endings:
    """The possible facts about the round; empty where a hand lacks a card or has one too many."""
    if drawing.is_swapped and any(len(drawing.two_cards(side)) != 2 for side in Side):
        return frozenset()
    if drawing.is_settled:
        return possible_facts(ends_of(player, marks), ends_of(banker, marks))
    if not drawing.can_judge or drawing.missing() is not None:
        return frozenset()
    two = _faces(drawing.two_cards(_PLAYER)), _faces(drawing.two_cards(_BANKER))
    return possible_facts(loose_ends_of(two[0], marks), loose_ends_of(two[1], marks))


def _faces(cards: Iterable[DealtCard]) -> Faces:
    return tuple([card.card for card in cards])
