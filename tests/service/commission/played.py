"""Hand-written logs of rounds: cards, announcements, payments."""

from __future__ import annotations

from itertools import zip_longest

from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.words import Bet, Outcome, SettleAction, Side, Source
from thirdcard.rules.log.events import BetsOpened, CardDealt, Event, ResultAnnounced, RoundClosed, WagerSettled

ROUND_S = 20.0


def played_round(
    player: str, banker: str, *, number: int = 1, said: tuple[int, int, str] | None = None, sure: float = 0.9999
) -> list[Event]:
    """A correct round: `7H ? 10C` per hand, `?` for an unread open card, `7H~0.9` for a card read with
    confidence 0.9."""
    t = ROUND_S * (number - 1)
    lines: list[Event] = [BetsOpened(t=t + 1.0)]
    cards = zip_longest(player.split(), banker.split())
    order = [(side, one) for pair in cards for side, one in zip(Side, pair, strict=True) if one is not None]
    for i, (side, text) in enumerate(order):
        face, _, doubt = text.partition("~")
        lines.append(
            CardDealt(
                t=t + 3.0 + i, card_id=f"r{number}c{i}", hand=side, card=None if face == "?" else parse_card(face),
                face_up=True, confidence=float(doubt) if doubt else sure, source=Source.CAMERA,
            )
        )  # fmt: skip
    if said is not None:
        player_said, banker_said, winner = said
        lines.append(ResultAnnounced(t=t + 12.0, player=player_said, banker=banker_said, winner=Outcome(winner)))
    return [*lines, RoundClosed(t=t + 15.0)]


def settled(t: float, bet: Bet, action: SettleAction, *, sure: float = 0.99) -> WagerSettled:
    """One wager that was paid or collected."""
    return WagerSettled(t=t, area=f"s3-{bet}", seat=3, bet=bet, action=action, confidence=sure)


LAWFUL = ("7H 10C", "2S 3D KH", (7, 5, "player"))
"""Player stands on 7, Banker draws on 5 and keeps 5."""


def lawful_rounds(count: int, *, sure: float = 0.9999) -> list[Event]:
    """A number of lawful rounds, one after the other."""
    player, banker, said = LAWFUL
    return [line for i in range(count) for line in played_round(player, banker, number=i + 1, said=said, sure=sure)]
