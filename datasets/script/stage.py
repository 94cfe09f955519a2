"""The actors of a choreography: arms, cards and stacks that record their motions on a timeline.

Each keeps its own time; an act is never put before an earlier one. Millimetres and seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from thirdcard.datasets.script.motion import Key, Path, Point, Pose, path_of
from thirdcard.datasets.script.timeline import ArmSpan, CardSpan, StackSpan, Timeline
from thirdcard.rules.game.cards import Card, format_card
from thirdcard.rules.game.words import Side

HAND_SPEED_MM_S = 950.0
LEAST_TRAVEL_S = 0.28


class StageArm:
    """One arm: it waits at its home, and goes where it is sent."""

    def __init__(self, span: ArmSpan, home_mm: Point, shoulder: Callable[[Point], Point], pace: float) -> None:
        self.span = span
        self.home_mm = home_mm
        self.pace = pace
        self._shoulder = shoulder
        span.path = path_of([(0.0, Pose(*home_mm, height_mm=20.0))])
        span.base = path_of([(0.0, Pose(*shoulder(home_mm)))])

    @property
    def free_at(self) -> float:
        """When its last act ends."""
        return self.span.path.end.t

    @property
    def tip_mm(self) -> Point:
        """Where its finger tips are at that time."""
        return self.span.path.end.pose.at_mm

    def travel_s(self, to_mm: Point, *, speed: float = 1.0) -> float:
        """Return how long the way to a point takes, in seconds."""
        return max(LEAST_TRAVEL_S, math.dist(self.tip_mm, to_mm) / (HAND_SPEED_MM_S * speed) * self.pace + 0.12)

    def go(self, t: float, to_mm: Point, *, height_mm: float = 30.0, hand: str | None = None) -> None:
        """Be at a point at `t`, having left in time but not before the last act ended."""
        start = max(self.free_at, t - self.travel_s(to_mm))
        self._key(start, self.tip_mm, self.span.path.end.pose.height_mm)
        if hand is not None:
            self.span.poses.append((start + 0.5 * (t - start), hand))
        self._key(t, to_mm, height_mm)

    def follow(self, t: float, to_mm: Point, height_mm: float) -> None:
        """Move on from the last key without a pause."""
        self._key(t, to_mm, height_mm)

    def hold(self, t: float) -> None:
        """Stay until `t`."""
        self._key(t, self.tip_mm, self.span.path.end.pose.height_mm)

    def rest(self) -> None:
        """Move home."""
        self.go(self.free_at + self.travel_s(self.home_mm), self.home_mm, height_mm=20.0, hand="palm")

    def _key(self, t: float, to_mm: Point, height_mm: float) -> None:
        self.span.path = self.span.path.then(Key(t, Pose(*to_mm, height_mm=height_mm)))
        self.span.base = self.span.base.then(Key(t, Pose(*self._shoulder(to_mm))))


@dataclass(slots=True)
class StageStack:
    """A stack of chips."""

    timeline: Timeline
    span: StackSpan

    @property
    def at_mm(self) -> Point:
        return self.span.path.end.pose.at_mm

    @property
    def chips(self) -> tuple[int, ...]:
        return self.span.chips

    def change(self, t: float, chips: tuple[int, ...], area: str | None = None) -> None:
        """Hold these chips from `t` on; with none the stack is gone."""
        t = max(t, self.span.start)
        self.span.end = t
        if chips:
            pose = self.span.path.end.pose
            self.span = StackSpan(
                self.span.object_id, chips, path_of([(t, pose)]), t, seed=self.span.seed, area=area or self.span.area
            )
            self.timeline.stacks.append(self.span)

    def move(self, *keys: tuple[float, Point, float], area: str | None = None) -> None:
        """Move along (t, point, height of the base); the motion starts at the first key."""
        start = keys[0][0]
        self.span.end = start
        path = path_of((t, Pose(*point, height_mm=height)) for t, point, height in keys)
        self.span = StackSpan(self.span.object_id, self.span.chips, path, start, seed=self.span.seed, area=area)
        self.timeline.stacks.append(self.span)

    def vanish(self, t: float) -> None:
        """Be gone from `t` on."""
        self.span.end = t


@dataclass(slots=True)
class CardActor:
    """One card, from the shoe to the rack."""

    timeline: Timeline
    card_id: str
    card: Card
    face_up: bool
    hand: Side | None
    slot: int
    span: CardSpan
    kept: bool = False
    gone: bool = False

    @property
    def pose(self) -> Pose:
        return self.span.path.end.pose

    def move(self, *keys: tuple[float, Pose], layer: float) -> None:
        """Move along the poses; the motion starts at the first key."""
        self._span(keys[0][0], path_of(keys), layer)

    def turn(self, start: float, end: float, *, layer: float | None = None) -> None:
        """Turn to the other side between `start` and `end`, wherever it is then."""
        self.span.turning = None
        if self.span.start < start:
            self._span(start, self.span.path, self.span.layer if layer is None else layer)
        self.span.turning = (start, end)
        self.face_up = not self.face_up
        self._span(end, self.span.path, self.span.layer)
        self.span.turning = None

    def bend(self, t: float, curl_mm: float) -> None:
        """Bend the card up by `curl_mm` from `t` on."""
        self._span(t, self.span.path, self.span.layer)
        self.span.curl_mm = curl_mm

    def leave(self, t: float) -> None:
        """Be off the table from `t` on."""
        self.span.end = t
        self.gone = True

    def _span(self, start: float, path: Path, layer: float) -> None:
        self.span.end = start
        self.span = CardSpan(
            self.span.object_id,
            format_card(self.card),
            self.face_up,
            path,
            start,
            layer=layer,
            curl_mm=self.span.curl_mm,
        )
        self.timeline.cards.append(self.span)


@dataclass(slots=True)
class Stage:
    """What every actor needs: the timeline, the random generator, and numbers for names."""

    rng: np.random.Generator
    timeline: Timeline = field(default_factory=Timeline)
    _numbers: dict[str, int] = field(default_factory=dict)

    def name(self, kind: str) -> str:
        """Return a new name: `c1`, `c2`, ..."""
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return f"{kind}{self._numbers[kind]}"

    def between(self, low: float, high: float) -> float:
        """Draw a number from a range."""
        return float(self.rng.uniform(low, high))

    def near(self, point: Point, spread_mm: float) -> Point:
        """Draw a point near the given one."""
        x, y = self.rng.normal(point, spread_mm)
        return (float(x), float(y))

    def stack(self, t: float, chips: tuple[int, ...], at_mm: Point, *, area: str | None = None) -> StageStack:
        """Add a stack that stands there from `t` on."""
        path = path_of([(t, Pose(*at_mm))])
        span = StackSpan(self.name("s"), chips, path, t, seed=int(self.rng.integers(1 << 30)), area=area)
        self.timeline.stacks.append(span)
        return StageStack(self.timeline, span)

    def card(self, t: float, card: Card, hand: Side | None, slot: int, mouth: Pose) -> CardActor:
        """Add a card that shows its back at the shoe's mouth from `t` on."""
        card_id = self.name("c")
        span = CardSpan(card_id, format_card(card), False, path_of([(t, mouth)]), t, curl_mm=self.between(0.0, 2.5))
        span.layer = t
        self.timeline.cards.append(span)
        return CardActor(self.timeline, card_id, card, False, hand, slot, span)


def grip_on(at_mm: Point, base_mm: Point, overlap_mm: float) -> Point:
    """Return the position of the finger tips that hold a thing at its near side."""
    length = math.dist(at_mm, base_mm) or 1.0
    share = overlap_mm / length
    return (at_mm[0] + (base_mm[0] - at_mm[0]) * share, at_mm[1] + (base_mm[1] - at_mm[1]) * share)
