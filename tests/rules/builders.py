"""Build table logs for tests: a round takes a few lines, and is legal unless a test deviates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import Card, parse_card
from thirdcard.rules.game.notation import parse_round
from thirdcard.rules.game.words import Settling, Side
from thirdcard.rules.log.events import CardDealt, CardMoved, CardTurned, Event, RoundClosed, parse_event
from thirdcard.rules.referee import Referee
from thirdcard.rules.round.records import RoundRecord
from thirdcard.rules.rulebook.load import elect, load_rulebook
from thirdcard.rules.rulebook.model import Phase
from thirdcard.rules.rulebook.options import Rules

RULEBOOKS = ("nz-authority", "sg-rws", "nsw", "nz-secretary", "tas")
NZ = ("nz-authority", "nz-secretary")


def rules_of(rulebook_id: str, **options: Any) -> Rules:
    return elect(load_rulebook(rulebook_id), options)


class TableLog:
    """Collects events, by default one second apart."""

    def __init__(self, rules: Rules, *, confidence: float | None = None) -> None:
        self.rules = rules
        self.events: list[Event] = []
        self.t = 0.0
        self._dealt = 0
        self._faces: dict[str, str | None] = {}
        self._confidence = confidence

    def add(self, kind: str, *, after_s: float = 1.0, **fields: Any) -> TableLog:
        self.t = round(self.t + after_s, 3)
        mapping = {"t": self.t, "type": kind, **fields}
        if self._confidence is not None and kind in ("card_dealt", "card_turned"):
            mapping.setdefault("confidence", self._confidence)
        self.events.append(parse_event(mapping))
        return self

    def wager(self, area: str, before: int | None, after: int | None, **more: Any) -> TableLog:
        """Change a wager such as `s3-banker` from one value to another, by default by the player of its seat."""
        seat, bet = area.split("-", 1)
        number = int(seat[1:])
        fields: dict[str, Any] = {"seat": number, "bet": bet, "by": f"seat:{number}"} | more
        return self.add("wager_changed", area=area, before=before, after=after, **fields)

    def settle(self, area: str, action: str, amount: int | None, **more: Any) -> TableLog:
        seat, bet = area.split("-", 1)
        return self.add("wager_settled", area=area, seat=int(seat[1:]), bet=bet, action=action, amount=amount, **more)

    def open(self, *areas: str) -> TableLog:
        """Open betting, place 100 on each area, and make the call."""
        self.add("bets_opened")
        for area in areas:
            self.wager(area, 0, 100)
        return self.add("no_more_bets", source="signal")

    def deal(self, hand: str | None, card: str | None, *, face_up: bool | None = None, **more: Any) -> TableLog:
        """Deal a card in the elected style; `turn_all` turns those that come face down."""
        self._dealt += 1
        phase = Phase.INITIAL if self._in_round() < 4 else Phase.THIRD
        shows = phase not in self.rules.style.face_down if face_up is None else face_up
        name = f"c{self._dealt}"
        self._faces[name] = card
        seen = card if shows else None
        return self.add("card_dealt", card_id=name, hand=hand, card=seen, face_up=shows, **more)

    def turn(self, card_id: str, card: str | None = None) -> TableLog:
        face = self._faces[card_id] if card is None else card
        return self.add("card_turned", card_id=card_id, card=face, face_up=True, by="dealer")

    def turn_all(self) -> TableLog:
        """Turn the face-down cards of this round, the Player's Hand first."""
        shown = {event.card_id for event in self.events if isinstance(event, CardDealt | CardTurned) and event.face_up}
        banker = {event.card_id for event in self.events if isinstance(event, CardDealt) and event.hand is Side.BANKER}
        for name in sorted(self._ids(), key=banker.__contains__):
            if name not in shown:
                self.turn(name)
        return self

    def four(self, text: str) -> TableLog:
        """Deal and turn the first four cards of a text such as `P 8H 4D | B KS 9D`."""
        cards = parse_round(text)
        player, banker = ([str(card) if card else None for card in hand] for hand in (cards.player, cards.banker))
        for hand, card in zip(("player", "banker") * 2, (player[0], banker[0], player[1], banker[1]), strict=True):
            self.deal(hand, card)
        return self.turn_all()

    def third(self, hand: str | None, card: str | None, **more: Any) -> TableLog:
        """Deal and turn a further card."""
        return self.deal(hand, card, **more).turn_all()

    def result(self, player: int, banker: int, **more: Any) -> TableLog:
        winner = "tie" if player == banker else "player" if player > banker else "banker"
        fields: dict[str, Any] = {"player": player, "banker": banker, "winner": winner} | more
        return self.add("result_announced", **fields)

    def close(self) -> TableLog:
        return self.add("round_closed")

    def legal_round(self, text: str, *areas: str) -> TableLog:
        """Play a whole round with these cards, its result announced; wagers of 100 are settled as due."""
        cards = parse_round(text)
        self.open(*areas).four(_first_two(text))
        for hand, faces in (("player", cards.player), ("banker", cards.banker)):
            if len(faces) == 3:
                self.third(hand, str(faces[2]))
        totals = [sum(card.point_value for card in hand if card) % 10 for hand in (cards.player, cards.banker)]
        return self.result(*totals).settle_due().close()

    def settle_due(self) -> TableLog:
        """Settle the round's wagers as due; the players take theirs from the areas.

        The dealer returns stakes that stand off where players may not take them themselves.
        """
        due = run(self.rules, [*self.events, RoundClosed(t=self.t)])[1][-1].due
        for one in due:
            if one.outcome is Settling.WIN and one.pays is not None:
                self.settle(one.area, "paid", int(one.pays))
            if one.outcome is Settling.LOSE:
                self.settle(one.area, "collected", one.stake)
            elif one.outcome is Settling.PUSH and not self.rules.rulebook.push_is_free:
                self.settle(one.area, "returned", one.stake)
            else:
                self.wager(one.area, one.stake, 0)
        return self

    def face(self, card_id: str) -> Card:
        """The card's true face, seen or not."""
        face = self._faces[card_id]
        assert face is not None
        return parse_card(face)

    def _ids(self) -> list[str]:
        ids: list[str] = []
        for event in self.events:
            if isinstance(event, RoundClosed):
                ids.clear()
            elif isinstance(event, CardDealt) or (isinstance(event, CardMoved) and event.card_id not in ids):
                ids.append(event.card_id)
        return ids

    def _in_round(self) -> int:
        return len(self._ids())


def _first_two(text: str) -> str:
    player, banker = text.split("|")
    return f"{' '.join(player.split()[:3])} | {' '.join(banker.split()[:3])}"


def run(rules: Rules, events: Iterable[Event], **more: Any) -> tuple[list[Alert], list[RoundRecord]]:
    """The alerts and round records of a log."""
    referee = Referee(rules, **more)
    alerts: list[Alert] = []
    records: list[RoundRecord] = []
    for event in events:
        judgement = referee.observe(event)
        alerts += judgement.alerts
        records += judgement.rounds
    judgement = referee.finish()
    return alerts + list(judgement.alerts), records + list(judgement.rounds)


def alerts_of(log: TableLog, **more: Any) -> list[Alert]:
    return run(log.rules, log.events, **more)[0]


def codes_of(log: TableLog, **more: Any) -> list[str]:
    return [alert.code for alert in alerts_of(log, **more)]
