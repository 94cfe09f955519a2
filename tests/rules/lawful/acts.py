"""Lawful acts at a table besides the basic game: each knows when and where the text permits it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from tests.rules.lawful.dealing import LawfulDeal
from tests.rules.lawful.pays import insurance_odds
from tests.rules.lawful.settling import LawfulSettlement
from tests.rules.lawful.table import HANDS, SEATS, UNIT, LawfulTable, Stake

NOMINEES = (6, 7)
"""The seats of nominees, who have no wagers of their own."""


class Moment(StrEnum):
    """The times in a round at which an act can happen."""

    BETWEEN = "between rounds"
    BETTING = "wagers lie and betting is open"
    CALLED = "the call came, no card is out"
    ONE_CARD = "the first card is out"
    FOUR_CARDS = "four cards are out; where they come face down none is open"
    OPEN = "four cards are open, no further one is out"
    THIRD = "the Player's third card is open, the Banker has two"
    PLAYED = "all cards are open"
    ANNOUNCED = "the result is announced, nothing is settled"
    SETTLED = "all wagers are settled"


_WITH_WAGERS = (Moment.CALLED, Moment.ONE_CARD, Moment.FOUR_CARDS)


@dataclass(frozen=True, slots=True)
class Act:
    """An act that is lawful at one time in some rounds."""

    moment: Moment
    is_lawful: Callable[[LawfulTable, LawfulDeal], bool]
    do: Callable[[LawfulTable, LawfulDeal], None]


Do = Callable[[LawfulTable, LawfulDeal], None]
ACTS: dict[str, Act] = {}
CHOICES = (
    "bets_opened", "person_reports", "void_hand", "no_call", "new_shoe", "shoe_closed", "burn_looked_at",
    "found_face_up", "moved_into_its_box", "banker_first", "handled", "both_hands_out", "declined", "round_voided",
    "cut_before_1", "cut_before_3", "cut_before_5", "left_lying", "taken_back_by_player", "chips_put_there",
    "commission_apart", "paid_in_two",
)  # fmt: skip
"""The choices within the basic game: dealing, opening, settlement and end."""


def act(moment: Moment, is_lawful: Callable[[LawfulTable], bool] = lambda _table: True) -> Callable[[Do], Do]:
    """A decorator that registers an act, with the tables at which it is lawful."""

    def enter(do: Do) -> Do:
        ACTS[do.__name__] = Act(moment, lambda table, _deal: is_lawful(table), do)
        return do

    return enter


def happen(moment: Moment, table: LawfulTable, deal: LawfulDeal) -> None:
    """Do the chosen acts of that time which are lawful here."""
    if table.does("void_hand") and moment in _WITH_WAGERS:
        return
    names = [name for name, one in ACTS.items() if one.moment is moment and name in table.chosen]
    table.random.shuffle(names)
    for name in names:
        if ACTS[name].is_lawful(table, deal):
            ACTS[name].do(table, deal)


def _is_open_game(table: LawfulTable) -> bool:
    """Whether players may change their wagers while betting is open; in a competition they may not (16.5.6)."""
    return not table.is_competition


@act(Moment.BETWEEN)
def dealer_changed(table: LawfulTable, _deal: LawfulDeal) -> None:
    table.log.add("dealer_changed", dealer=table.random.choice(["Kim", "Aroha"]))


@act(Moment.BETWEEN)
def camera_overloaded(table: LawfulTable, _deal: LawfulDeal) -> None:
    """The machine was too busy to process frames: nothing happened at the table meanwhile."""
    table.log.add("camera_lost", camera="overhead", fault="overloaded").add("camera_back", camera="overhead")


@act(Moment.BETWEEN)
def camera_away(table: LawfulTable, _deal: LawfulDeal) -> None:
    """A camera was unreliable for a while, which is reported and affects nothing else."""
    what = table.random.choice(["lost", "moved", "obstructed"])
    table.log.add(f"camera_{what}", camera="overhead").add("camera_back", camera="overhead")
    table.expected.append(f"camera.{what}")


@act(Moment.BETWEEN)
def limits_changed(table: LawfulTable, _deal: LawfulDeal) -> None:
    """The table's notice changes (tas 7.6)."""
    notice, random = table.notice, table.random
    notice.low, notice.high = random.choice([UNIT, 2 * UNIT]), random.choice([6 * UNIT, 10 * UNIT, 20 * UNIT])
    notice.differential, notice.tie = random.choice([6 * UNIT, 30 * UNIT]), random.choice([3 * UNIT, 5 * UNIT])
    table.log.add("limits_changed", seat=None, **notice.as_limits)


@act(Moment.BETWEEN)
def own_limits_agreed(table: LawfulTable, _deal: LawfulDeal) -> None:
    """Other limits are agreed with one player (tas 7.2), with a personal maximum (nz 5.9(b))."""
    seat = table.random.choice(SEATS)
    low, high = table.notice.own[seat] = (UNIT, table.random.choice([3 * UNIT, 30 * UNIT]))
    table.log.add("limits_changed", seat=seat, minimum=low, maximum=high)


@act(Moment.BETWEEN)
def own_limits_ended(table: LawfulTable, _deal: LawfulDeal) -> None:
    for seat in list(table.notice.own):
        table.notice.own.pop(seat)
        table.log.add("limits_changed", seat=seat)


@act(Moment.BETWEEN)
def nominee_named(table: LawfulTable, _deal: LawfulDeal) -> None:
    """nz-secretary 2.3: a nominee acts for one player at a time; other texts have no nominees, so they handle
    no cards."""
    seat, nominee = table.random.choice(SEATS), table.random.choice(NOMINEES)
    table.log.add("nominee_named", seat=seat, nominee=nominee)
    if table.book == "nz-secretary":
        table.nominees = {one: other for one, other in table.nominees.items() if other != nominee} | {seat: nominee}


@act(Moment.BETWEEN)
def nominee_ceased(table: LawfulTable, _deal: LawfulDeal) -> None:
    """nz-secretary 2.3(e): a nominee stops acting."""
    for seat in list(table.nominees):
        table.nominees.pop(seat)
        table.log.add("nominee_named", seat=seat, nominee=None)


@act(Moment.BETWEEN)
def discard_seen(table: LawfulTable, _deal: LawfulDeal) -> None:
    """A card in the discard rack is seen; it was open before."""
    table.log.add("card_shown", card=table.random.choice([None, "7H"]), where="discard")


@act(Moment.BETWEEN)
def card_replaced(table: LawfulTable, _deal: LawfulDeal) -> None:
    """nsw 3.10, nz 7.9/7.10: cards are replaced while no round is in progress; the others do not forbid it."""
    table.log.add("card_replaced", card_id="c1", reason="marked")


@act(Moment.BETWEEN, lambda table: table.shoe.rounds_left is None and table.book in ("tas", "nsw", "sg-rws"))
def last_hand_said(table: LawfulTable, _deal: LawfulDeal) -> None:
    """A last hand is announced without the cutting card (in tas 14.1; nsw and sg-rws do not say when)."""
    table.shoe.rounds_left = 1
    table.shoe.announce()


@act(Moment.BETWEEN, lambda table: table.shoe.may_be_cut)
def cut_between(table: LawfulTable, _deal: LawfulDeal) -> None:
    """The cutting card comes next."""
    table.shoe.cut(is_first=True)


@act(Moment.BETWEEN, lambda table: not table.is_competition)
def lying_wagers_altered(table: LawfulTable, _deal: LawfulDeal) -> None:
    """Before the next round players change the wagers that they left (nz 5.16)."""
    for stake in list(table.stakes.values()):
        _alter(table, stake)


def _alter(table: LawfulTable, stake: Stake) -> None:
    """Change a wager to another amount, or remove it."""
    value = 0 if table.random.random() < 0.3 else table.amount(stake.seat, stake.bet)
    if not stake.is_token and stake.bet != "ante" and table.keeps_balance(stake.area, value):
        table.change(stake.area, value)


@act(Moment.BETTING, _is_open_game)
def wagers_altered(table: LawfulTable, _deal: LawfulDeal) -> None:
    """Wagers are raised, reduced or taken back in time."""
    _alter_all(table)


def _alter_all(table: LawfulTable, *, bets: tuple[str, ...] = ()) -> None:
    for stake in list(table.stakes.values()):
        if not bets or stake.bet in bets:
            _alter(table, stake)
    if not table.options.get("ante"):
        for bet in bets or table.offered:
            table.place(table.random.choice(SEATS), bet)
    table.keep_to_notice()
    table.pay_antes()


@act(Moment.BETTING, _is_open_game)
def placed_by_dealer(table: LawfulTable, _deal: LawfulDeal) -> None:
    """The dealer places wagers at a player's request (nz 5.4, 5.5; sg-rws 5.17)."""
    table.place(table.random.choice(SEATS), table.random.choice(HANDS), by="dealer")
    table.pay_antes()


@act(Moment.BETTING, lambda table: not table.is_competition and not table.options.get("ante"))
def promotional_chips(table: LawfulTable, _deal: LawfulDeal) -> None:
    """A promotional chip is one free wager of its own amount (nsw 1.1), which in nsw may be below the minimum."""
    seat, bet = table.random.choice(SEATS), table.random.choice([*HANDS, "tie"])
    value = 20 if table.book == "nsw" and table.random.random() < 0.5 else table.amount(seat, bet)
    if table.may_bet(seat, bet) and table.keeps_balance(f"s{seat}-{bet}", value):
        table.change(f"s{seat}-{bet}", value, promotional=True)
        table.stakes[f"s{seat}-{bet}"].is_token = True


@act(Moment.BETTING, _is_open_game)
def limits_changed_in_betting(table: LawfulTable, deal: LawfulDeal) -> None:
    """The limits change; wagers outside them are removed in time."""
    limits_changed(table, deal)
    table.keep_to_notice()


@act(Moment.BETTING)
def maximum_raised_in_betting(table: LawfulTable, _deal: LawfulDeal) -> None:
    table.notice.high += 5 * UNIT
    table.log.add("limits_changed", seat=None, maximum=table.notice.high)
    table.place(table.random.choice(SEATS), table.random.choice(HANDS))
    table.pay_antes()


@act(Moment.BETTING)
def nominee_named_in_betting(table: LawfulTable, deal: LawfulDeal) -> None:
    nominee_named(table, deal)


@act(Moment.BETTING, lambda table: table.is_competition)
def brought_up_to_the_minimum(table: LawfulTable, _deal: LawfulDeal) -> None:
    """A wager is raised to the minimum (tas 16.5.12)."""
    seat = table.random.choice(SEATS)
    low = table.notice.span(seat, "player")[0]
    if table.may_bet(seat, "player"):
        table.change(f"s{seat}-player", low // 2)
        table.change(f"s{seat}-player", low)


@act(Moment.CALLED, lambda table: not table.is_competition and table.book in ("nz-secretary", "tas", "nsw"))
def wagers_altered_after_the_call(table: LawfulTable, _deal: LawfulDeal) -> None:
    """Wagers are changed until the first card leaves the shoe: nz-secretary 5.14, tas 6.3; also in the usual game of
    nsw."""
    _alter_all(table)


@act(Moment.CALLED)
def limits_changed_after_the_call(table: LawfulTable, deal: LawfulDeal) -> None:
    """The maximum rises after betting has closed, which affects nobody."""
    del deal
    table.notice.high += UNIT
    table.log.add("limits_changed", seat=None, maximum=table.notice.high)


@act(Moment.ONE_CARD, lambda table: table.book == "tas")
def banker_bet_before_its_first_card(table: LawfulTable, _deal: LawfulDeal) -> None:
    """tas 6.3: a hand's wagers are open until its own first card; in a competition none may be changed (16.5.6)."""
    if table.is_competition:
        table.place(table.random.choice(SEATS), "banker")
    else:
        _alter_all(table, bets=("banker",))


@act(Moment.FOUR_CARDS, lambda table: bool(table.options.get("international")) and table.style != "A")
def wagers_altered_before_a_card_is_seen(table: LawfulTable, deal: LawfulDeal) -> None:
    """nz-secretary 15.10: wagers are changed while none of the four cards was exposed or handled."""
    if not deal.is_seen:
        _alter_all(table)


@act(Moment.OPEN)
def limits_changed_in_the_deal(table: LawfulTable, deal: LawfulDeal) -> None:
    """The limits change for the following rounds."""
    limits_changed(table, deal)


def _insure(table: LawfulTable, deal: LawfulDeal) -> None:
    """sg-rws 3.11, 3.12: seats with a wager on a hand insure it, up to the amount that covers the original bet."""
    is_after_third = deal.third is not None
    for hand in HANDS:
        pays = insurance_odds(hand, *deal.points, is_after_third=is_after_third)
        for seat, original in table.lying(hand).items() if pays is not None else ():
            assert pays is not None
            area = f"s{seat}-insurance_{hand}"
            stake = table.stakes.get(area, Stake(area, 0))
            most = int((original - stake.promise) / pays) // 2 * 2
            if most < 2 or table.stakes[f"s{seat}-{hand}"].is_token:
                continue
            more = 2 * table.random.randint(1, most // 2)
            table.change(area, stake.value + more)
            stake = table.stakes[area]
            stake.promise += more * pays
            if (hand, is_after_third, deal.points[0]) == ("player", True, 9):
                stake.on_tie += more * pays  # 4.2.1


@act(Moment.OPEN, lambda table: bool(table.options.get("insurance")))
def insured_on_four_cards(table: LawfulTable, deal: LawfulDeal) -> None:
    if max(deal.points) < 8 and (deal.points[0] < 6 or deal.points[1] < 6):
        _insure(table, deal)


@act(Moment.THIRD, lambda table: bool(table.options.get("insurance")))
def insured_on_the_third(table: LawfulTable, deal: LawfulDeal) -> None:
    _insure(table, deal)


@act(Moment.OPEN, lambda table: table.book in ("sg-rws", "macau"))
def pairs_settled_at_once(table: LawfulTable, deal: LawfulDeal) -> None:
    """The first four cards decide a pair bet (sg-rws 3.10); unlike in nz, it need not wait for the result."""
    if table.does("round_voided"):
        return  # sg-rws 5.16: all bets are returned then
    settlement = LawfulSettlement(table, deal.end)
    for stake in list(table.stakes.values()):
        if stake.bet in ("player_pair", "banker_pair"):
            settlement.settle(stake)


def _may_order(table: LawfulTable) -> bool:
    """sg-rws 5.13 does not apply where the house offers no insurance."""
    return table.book != "sg-rws" or bool(table.options["insurance"])


def _order_back(table: LawfulTable) -> None:
    stakes = [stake for stake in table.stakes.values() if stake.bet in HANDS and not stake.is_token]
    if stakes:
        stake = table.random.choice(stakes)
        stake.is_ordered_back = True
        table.log.add("return_ordered", area=stake.area, seat=stake.seat, bet=stake.bet, reason="no_insurance_offer")


@act(Moment.PLAYED, _may_order)
def return_ordered(table: LawfulTable, _deal: LawfulDeal) -> None:
    """A return is ordered (sg-rws 5.13); other texts leave it to the supervisor."""
    _order_back(table)


@act(Moment.ANNOUNCED, _may_order)
def return_ordered_after_the_result(table: LawfulTable, _deal: LawfulDeal) -> None:
    _order_back(table)


@act(Moment.SETTLED, _is_open_game)
def bet_ahead(table: LawfulTable, _deal: LawfulDeal) -> None:
    """Players bet again on settled areas."""
    for area in sorted(table.settled):
        seat, bet = Stake(area, 0).seat, Stake(area, 0).bet
        if bet in table.offered and table.random.random() < 0.5:
            table.place(seat, bet)


@act(Moment.SETTLED)
def bets_asked_for_early(table: LawfulTable, _deal: LawfulDeal) -> None:
    """After the settlement the next wagers are requested while the cards still lie on the table."""
    table.log.add("bets_opened")
    if not table.options.get("ante"):
        table.place(table.random.choice(SEATS), table.random.choice(table.offered))


NAMES: tuple[str, ...] = (*CHOICES, *ACTS)
