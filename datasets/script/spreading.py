"""Spread the decks on the cloth before play: where each card lies, and the dealer's sweeps.

A lay is the set of decks spread at the same time, in rows. It is spread row by row, left to be filmed, and gathered.
Millimetres of the layout plane, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from thirdcard.datasets.decks.mixed import JOKER, STRANGE, is_odd
from thirdcard.datasets.script.dealer import Dealer
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.motion import Pose, path_of
from thirdcard.datasets.script.places import Places
from thirdcard.datasets.script.spread_script import Oddity, ScriptedSpread
from thirdcard.datasets.script.stage import Stage
from thirdcard.datasets.script.timeline import CardSpan
from thirdcard.rules.errors import CardError
from thirdcard.rules.game.cards import RANKS, SUITS, parse_card

TOP_MM = 330.0
"""Upper limit of the rows: they begin below the tray, the shoe and the rack."""
BOTTOM_MM = 110.0
SIDE_MM = 130.0
ROW_GAP_MM = 9.0
RIBBON_PITCH_MM = 32.0
LOOSE_GAP_MM = 5.0
COLUMN_GAP_MM = 60.0
SPREAD_MM_S = 1100.0
GATHER_MM_S = 1500.0
MOST_AT_ONCE = 4
HAND_COMES_S = 0.8
FALSE_SIDE = "face_down"
SPREAD_NAME = "spread.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidCard:
    """One card of a row."""

    card: str
    """Its name; `~5D` belongs to a strange deck, `joker` is a joker."""
    deck: int
    pose: Pose
    face_up: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Lay:
    """Some decks that lie on the cloth at the same time."""

    from_t: float
    """Time from which all cards lie there."""
    to_t: float
    """Time when the first card is taken away."""
    rows: tuple[tuple[LaidCard, ...], ...]


def deck_in_order(spread: ScriptedSpread, number: int) -> list[tuple[str, bool]]:
    """Return one deck's cards as they are spread, each with whether its face shows."""
    order = [rank + suit for suit in spread.suits for rank in (RANKS[::-1] if suit in spread.falling else RANKS)]
    odd = {oddity.card: oddity for oddity in spread.oddities if oddity.deck == number}
    return [shown for card in order for shown in _shown(card, odd.get(card))]


def format_lays(lays: Iterable[Lay]) -> list[dict[str, object]]:
    """Return the lines of the truth: each lay with its rows.

    A card is null if it shows its back or is a strange one.
    """
    return [
        {
            "t": round(lay.from_t, 2),
            "to": round(lay.to_t, 2),
            "rows": [
                [
                    {
                        "deck": card.deck,
                        "card": None if is_odd(card.card) or not card.face_up else card.card,
                        "at": [round(card.pose.x_mm, 1), round(card.pose.y_mm, 1)],
                        "odd": _oddness(card),
                    }
                    for card in row
                ]
                for row in lay.rows
            ],
        }
        for lay in lays
    ]


def _oddness(card: LaidCard) -> str | None:
    """Return the fault of a card itself, or None."""
    if not card.face_up:
        return FALSE_SIDE
    return None if not is_odd(card.card) else "joker" if card.card == JOKER else "foreign"


def check_spread(spread: ScriptedSpread) -> None:
    """Raise ScriptError for a spread that is impossible."""
    if sorted(spread.suits) != sorted(SUITS):
        raise ScriptError("spread.suits", spread.suits, f"must hold each of {''.join(SUITS)} once")
    if set(spread.falling) - set(SUITS):
        raise ScriptError("spread.falling", spread.falling, f"must be some of {''.join(SUITS)}")
    for i, oddity in enumerate(spread.oddities):
        try:
            parse_card(oddity.card)
        except CardError as error:
            raise ScriptError(f"spread.oddities[{i}].card", oddity.card, str(error)) from error
        if oddity.deck > spread.decks:
            raise ScriptError(f"spread.oddities[{i}].deck", oddity.deck, f"must be 1 to {spread.decks}")


class Spreading:
    """Lays all decks of a script, one lay after the other."""

    def __init__(self, spread: ScriptedSpread, stage: Stage, places: Places, dealer: Dealer) -> None:
        """Set up the rows; raise ScriptError if they have no room on the cloth."""
        check_spread(spread)
        self._spread, self._stage, self._places, self._dealer = spread, stage, places, dealer
        loose = spread.way == "loose"
        self._cards_a_row = spread.cards_a_row or (13 if loose else 52)
        card_width, self._card_height = places.card_size_mm
        room = places.width_mm - 2 * SIDE_MM - card_width
        most = card_width + LOOSE_GAP_MM if loose else RIBBON_PITCH_MM
        self._pitch = spread.pitch_mm or min(most, room / (self._cards_a_row - 1))
        self._length = self._pitch * (self._cards_a_row - 1) + card_width
        self._columns = int((places.width_mm - 2 * SIDE_MM + COLUMN_GAP_MM) / (self._length + COLUMN_GAP_MM))
        depth = places.depth_mm - TOP_MM - BOTTOM_MM - abs(spread.arc_mm)
        rows_a_column = int((depth + ROW_GAP_MM) / (self._card_height + ROW_GAP_MM))
        rows_a_deck = 52 // self._cards_a_row
        room_for = self._columns * rows_a_column // rows_a_deck
        self._at_once = min(spread.at_once or min(MOST_AT_ONCE, max(room_for, 1)), spread.decks)
        self._rows_a_column = rows_a_column
        self._columns = -(-self._at_once * rows_a_deck // max(rows_a_column, 1))
        if self._at_once > room_for:
            asked = f"{self._at_once} deck{'s' if self._at_once > 1 else ''} at once"
            raise ScriptError("spread", asked, f"has room for {room_for} of rows of {self._cards_a_row} on this cloth")

    def perform(self, t: float) -> tuple[list[Lay], float]:
        """Spread and gather every lay from `t` on; return them, and when the last is gone."""
        lays = []
        for first in range(1, self._spread.decks + 1, self._at_once):
            numbers = range(first, min(first + self._at_once, self._spread.decks + 1))
            lay, t = self._lay(t, list(numbers))
            lays.append(lay)
        return lays, t

    def _lay(self, t: float, numbers: list[int]) -> tuple[Lay, float]:
        spans: list[CardSpan] = []
        rows = [row for row in self._rows(numbers) if row]
        for row in rows:
            t, laid = self._sweep(t, row)
            spans += laid
        self._dealer.rest()
        from_t = max(t, self._dealer.free_at)
        to_t = from_t + self._spread.seconds
        t = to_t + HAND_COMES_S
        for row in reversed(rows):
            laid = spans[-len(row) :]
            del spans[-len(row) :]
            t = self._gather(t, row, laid)
        self._dealer.rest()
        return Lay(from_t=from_t, to_t=to_t, rows=tuple(tuple(row) for row in rows)), self._dealer.free_at + 0.4

    def _rows(self, numbers: list[int]) -> Iterator[list[LaidCard]]:
        """Yield the rows of some decks, from the dealer's side down, then in the next column."""
        n_row = 0
        for number in numbers:
            cards = deck_in_order(self._spread, number)
            suit_rows = 52 // self._cards_a_row
            for part in _in_parts(cards, suit_rows, self._spread.suits):
                column, row = divmod(n_row, self._rows_a_column)
                yield self._row(part, number, column=column, row=row)
                n_row += 1

    def _row(self, cards: list[tuple[str, bool]], number: int, *, column: int, row: int) -> list[LaidCard]:
        spread, stage = self._spread, self._stage
        used = self._columns * self._length + (self._columns - 1) * COLUMN_GAP_MM
        left = (self._places.width_mm - used) / 2 + column * (self._length + COLUMN_GAP_MM)
        y = TOP_MM + self._card_height / 2 + row * (self._card_height + ROW_GAP_MM) + max(0.0, -spread.arc_mm)
        half = (self._length - self._places.card_size_mm[0]) / 2
        middle = left + self._length / 2
        # a longer deck is spread more closely, as a person would make it fit
        steps = np.exp(stage.rng.normal(0.0, 0.09 * spread.untidy, max(len(cards) - 1, 1)))
        along = np.concatenate([[0.0], np.cumsum(steps[: len(cards) - 1])])
        along *= min(self._pitch * (len(cards) - 1), 2 * half) / max(along[-1], 1e-6)
        sway = stage.between(-0.5, 0.5) * spread.untidy
        laid = []
        for (card, face_up), offset in zip(cards, along, strict=True):
            share = offset / half - 1.0
            side = -1.0 if spread.from_right else 1.0
            x = middle + side * (offset - half)
            slope = np.degrees(np.arctan2(-2 * spread.arc_mm * share * side, half))
            angle = slope + sway + float(stage.rng.normal(0.0, 0.6 * spread.untidy))
            bend = spread.arc_mm * (1 - share * share)
            jitter = float(stage.rng.normal(0.0, 0.8 * spread.untidy))
            down = y + bend + np.tan(np.radians(sway)) * (x - middle) + jitter
            pose = Pose(float(x), float(down), float(angle) + (180.0 if spread.upside_down else 0.0))
            laid.append(LaidCard(card=card, deck=number, pose=pose, face_up=face_up))
        return laid

    def _sweep(self, t: float, row: list[LaidCard]) -> tuple[float, list[CardSpan]]:
        """Draw a packet into a row with the dealer's arm; each card stays where it passed."""
        start, end = row[0].pose, row[-1].pose
        duration = max(0.7, abs(end.x_mm - start.x_mm) / SPREAD_MM_S)
        t, times = self._dealer.pass_along(t, [card.pose.at_mm for card in row], duration)
        spans = []
        for card, lies_t in zip(row, times, strict=True):
            path = path_of([(lies_t, card.pose)])
            span = CardSpan(self._stage.name("x"), card.card, card.face_up, path, lies_t, layer=lies_t)
            span.curl_mm = self._stage.between(0.0, 0.5)
            self._stage.timeline.cards.append(span)
            spans.append(span)
        return t, spans

    def _gather(self, t: float, row: list[LaidCard], spans: list[CardSpan]) -> float:
        duration = max(0.5, abs(row[-1].pose.x_mm - row[0].pose.x_mm) / GATHER_MM_S)
        t, times = self._dealer.pass_along(t, [card.pose.at_mm for card in reversed(row)], duration)
        for span, gone_t in zip(reversed(spans), times, strict=True):
            span.end = gone_t
        return t


def _shown(card: str, oddity: Oddity | None) -> list[tuple[str, bool]]:
    """Return the cards at the place of `card`, none to two, each with whether its face shows."""
    if oddity is None:
        return [(card, True)]
    if oddity.kind == "missing":
        return []
    if oddity.kind == "doubled":
        return [(card, True), (card, True)]
    if oddity.kind == FALSE_SIDE:
        return [(card, False)]
    return [(STRANGE + card if oddity.kind == "foreign" else JOKER, True)]


def _in_parts(cards: list[tuple[str, bool]], parts: int, suits: str) -> list[list[tuple[str, bool]]]:
    """Split a deck into rows of whole suits; a joker stays with the cards before it."""
    rows: list[list[tuple[str, bool]]] = [[] for _ in range(parts)]
    suits_a_row = 4 // parts
    at = 0
    for card, face_up in cards:
        if card != JOKER:
            at = suits.index(card[-1]) // suits_a_row
        rows[at].append((card, face_up))
    return rows
