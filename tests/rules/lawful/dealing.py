"""The cards of a lawful round: dealt in the style, opened by those who may, drawn by the table of play."""

from __future__ import annotations

from typing import Any

from tests.rules.builders import NZ
from tests.rules.lawful.pays import Ended, points_of
from tests.rules.lawful.table import HANDS, INSURANCE, SEATS, LawfulTable
from thirdcard.rules.game.cards import Card

_THIRD_DRAWS = {3: (0, 1, 2, 3, 4, 5, 6, 7, 9), 4: (2, 3, 4, 5, 6, 7), 5: (4, 5, 6, 7), 6: (6, 7)}
"""By the Banker's points, the Player's third cards on which the Banker draws."""


def banker_draws(points: int, third: int | None) -> bool:
    """Whether the Banker draws by the table of play."""
    if third is None or points <= 2:
        return points <= 5
    return third in _THIRD_DRAWS.get(points, ())


class LawfulDeal:
    """One round's cards."""

    def __init__(self, table: LawfulTable) -> None:
        self.table = table
        self.cards: dict[str, list[tuple[str, Card]]] = {"player": [], "banker": []}
        """The ids and faces by hand, in the order of dealing."""
        self.has_cut = False
        self.is_seen = False
        """Whether a face was visible or a card was handled."""

    @property
    def count(self) -> int:
        return sum(map(len, self.cards.values()))

    @property
    def points(self) -> tuple[int, int]:
        player, banker = (points_of([face for _, face in self.cards[hand]]) for hand in HANDS)
        return player, banker

    @property
    def end(self) -> Ended:
        player, banker = ([face for _, face in self.cards[hand]] for hand in HANDS)
        return Ended(self.table.book, self.table.options, player, banker)

    @property
    def third(self) -> int | None:
        """The value of the Player's third card; None without one."""
        return self.cards["player"][2][1].point_value if len(self.cards["player"]) == 3 else None

    def is_down(self, count: int) -> bool:
        """Whether the round's card of that number is dealt face down in this style."""
        return self.table.style == "B" or (self.table.style == "C" and count <= 4)

    def deal(self, hand: str, **more: Any) -> str:
        """Deal the next card from the shoe; it may come to rest outside the boxes first."""
        table, shoe, number = self.table, self.table.shoe, self.count + 1
        if table.does(f"cut_before_{min(number, 5)}") and shoe.may_be_cut:
            shoe.cut(is_first=number == 1)
            self.has_cut = number > 1
        face = shoe.left.pop()
        if table.does("found_face_up") and self._may_be_found(number):
            more |= {"found_face_up": True, "face_up": True}
        is_astray = table.does("moved_into_its_box") and table.random.random() < 0.5
        table.log.deal(None if is_astray else hand, str(face), after_s=table.pause(), **more)
        name = f"c{sum(1 for event in table.log.events if event.type == 'card_dealt')}"
        if is_astray:
            table.log.add("card_moved", card_id=name, hand=hand)
        self.is_seen = self.is_seen or not self.is_down(number) or "found_face_up" in more
        self.cards[hand].append((name, face))
        if number == 1:
            shoe.begin_round()
        return name

    def _may_be_found(self, number: int) -> bool:
        """nz 12.4, tas 14.4: a card found face up in the shoe is used; in nz not as a round's first card (12.3)."""
        is_used = self.table.book == "tas" or (self.table.book in NZ and number > 1)
        return is_used and self.table.random.random() < 0.3

    def open_four(self) -> None:
        """Open the four cards, the Player's Hand first; nz 8.17 permits the Banker's first where players handle the
        cards."""
        self.is_seen = True
        order = list(HANDS)
        if self.table.style == "B" and self.table.does("banker_first"):
            order.reverse()
        if self.table.style == "A" or (self.table.style == "B" and self._are_both_out(order)):
            return
        for hand in order:
            self._open(hand, [name for name, _ in self.cards[hand][:2]])

    def deal_third(self, hand: str) -> None:
        name = self.deal(hand)
        if self.table.style == "B":
            self._open(hand, [name])

    def _open(self, hand: str, names: list[str]) -> None:
        """Turn face-down cards, by the player who may or by the dealer."""
        table = self.table
        seat = self.handler(hand) if table.style == "B" and table.does("handled") else None
        if seat is not None:
            for name in names:
                table.log.add("card_passed", card_id=name, to=f"seat:{seat}", after_s=table.pause())
        for name in names:
            table.log.turn(name)
        if seat is not None:
            for name in names:
                table.log.add("card_passed", card_id=name, to="dealer", after_s=table.pause())

    def _are_both_out(self, order: list[str]) -> bool:
        """Whether both hands are out at once: nz 8.16 forbids it, tas 9.3(f) for one player; the others have no
        rule."""
        if not self.table.does("both_hands_out") or self.table.book in NZ:
            return False
        seats = {hand: self.handler(hand) for hand in order}
        if None in seats.values() or (self.table.book == "tas" and len(set(seats.values())) < 2):
            return False
        names = [(name, seats[hand]) for hand in order for name, _ in self.cards[hand][:2]]
        for name, seat in names:
            self.table.log.add("card_passed", card_id=name, to=f"seat:{seat}")
        for name, _ in names:
            self.table.log.turn(name)
        return True

    def ranked(self, hand: str) -> list[int]:
        """The seats that are offered the hand, in order."""
        table = self.table
        bets = [*table.offered, *INSURANCE] if table.book == "sg-rws" else [hand]
        best = {seat: max(table.lying(bet).get(seat, 0) for bet in bets) for seat in SEATS}
        seats, order = [seat for seat in SEATS if best[seat]], list(table.stakes)
        if table.is_competition:
            seats.sort(key=lambda seat: order.index(f"s{seat}-{hand}"))  # tas 16.7.2: who placed first
        elif table.book in ("sg-rws", "macau"):
            table.random.shuffle(seats)  # these texts do not rank equal wagers
        return sorted(seats, key=lambda seat: -best[seat])

    def handler(self, hand: str) -> int | None:
        """The seat that gets the cards of a hand; None where the dealer keeps them."""
        table, ranked = self.table, self.ranked(hand)
        seats = list(ranked)
        if table.book == "sg-rws" and table.settled:
            return None  # 3.9 does not say whether a bet that was already settled still is the highest on the table
        if table.book == "nsw" and table.stakes:
            return table.random.choice(SEATS)  # the rule is in no published part (3.7)
        if not seats and table.options.get("international") and table.stakes:
            return table.random.choice(SEATS)  # nz-secretary 15.7
        while seats and table.does("declined") and table.random.random() < 0.6:
            table.log.add("handling_declined", seat=seats.pop(0), hand=hand)
        if not seats:
            return None
        table.was_passed_over = table.was_passed_over or seats[0] != ranked[0]
        return table.nominees.get(seats[0], seats[0])
