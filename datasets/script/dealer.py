"""The dealer's hands: draw, turn, move and collect cards; collect, pay and push back chips.

Knows no rules: what is dealt and paid is decided elsewhere. Each act takes the earliest time at which it may happen,
and returns the time that is written to the table log. Seconds and layout millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from thirdcard.datasets.script.manner import Habits
from thirdcard.datasets.script.motion import Point, Pose, path_of
from thirdcard.datasets.script.places import Places
from thirdcard.datasets.script.stage import CardActor, Stage, StageArm, StageStack, grip_on
from thirdcard.datasets.script.timeline import ArmSpan
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import Side

OUTSIDE_MM = 260.0
SHOULDER_MM = 560.0
CARD_GRIP_MM = 30.0
CHIP_GRIP_MM = 8.0
SWEEP_POINTS = 13
TOSS_FLICK_MM = 70.0
"""How far the hand moves along with a card that it tosses."""
TOSS_SPEED_MM_S = 1700.0
TOSS_SPREAD_MM = 5.0
TOSS_SPREAD_DEG = 5.0
"""Standard deviations of the place and angle of a tossed card. Chosen by hand, like the speeds: no dealers were
measured."""
SLIDE_SPEED_MM_S = 700.0


class Dealer:
    """The dealer's two arms, which reach in over the top edge."""

    def __init__(self, stage: Stage, places: Places, habits: Habits, *, growth: str, pace: float) -> None:
        self._stage = stage
        self._places = places
        self._habits = habits
        self._growth = growth
        self._pace = pace
        middle = places.width_mm / 2
        seed = int(stage.rng.integers(1 << 30))
        self._left, self._right = (self._arm(name, middle + side * 190.0, seed) for name, side in _SIDES)
        self._discarded = 0

    def _arm(self, name: str, home_x_mm: float, seed: int) -> StageArm:
        width, depth = self._places.width_mm, self._places.depth_mm
        hidden = (-OUTSIDE_MM, 20.0 - OUTSIDE_MM, width + OUTSIDE_MM, depth + OUTSIDE_MM)
        span = ArmSpan(f"dealer-{name}", "dealer", _NOWHERE, _NOWHERE, [(0.0, "palm")], hidden, seed)
        self._stage.timeline.arms.append(span)

        def shoulder(tip_mm: Point) -> Point:
            return (home_x_mm + 0.62 * (tip_mm[0] - home_x_mm), -SHOULDER_MM + 0.25 * max(0.0, tip_mm[1]))

        return StageArm(span, (home_x_mm, -OUTSIDE_MM), shoulder, self._pace)

    def _near(self, x_mm: float) -> StageArm:
        """Return the arm on the side of x."""
        return self._left if x_mm / self._places.width_mm < 0.5 else self._right

    @property
    def free_at(self) -> float:
        """When both arms are free, in seconds."""
        return max(self._left.free_at, self._right.free_at)

    def rest(self) -> None:
        """Move both arms home."""
        for arm in (self._left, self._right):
            if arm.tip_mm != arm.home_mm:
                arm.rest()

    def draw(
        self, t: float, card: Card, *, hand: Side | None, slot: int, face_up: bool, place: Pose | None = None
    ) -> tuple[CardActor, float]:
        """Draw a card from the shoe and lay it in its place or at `place`; return it, and when it left the shoe."""
        place = jittered(self._stage, place or self.place_of(hand, slot))
        if self._habits.does(self._habits.manner.tosses):
            place = self._less_exact(place)
            t, duration_s = self._toss_from_shoe(t, place)
        else:
            t, duration_s = self.carry_from_shoe(t, place)
        actor = self._stage.card(t, card, hand, slot, self._places.shoe_mouth())
        self.slide_out(actor, place, duration_s, face_up=face_up)
        return actor, t

    def slide_out(self, actor: CardActor, place: Pose, duration_s: float, *, face_up: bool) -> None:
        """Move a card that just left the shoe to its place."""
        t, mouth = actor.span.start, actor.pose
        turned = Pose(place.x_mm, place.y_mm, _nearest_turn(mouth.angle_deg, place.angle_deg), 0.0)
        actor.move((t, mouth), (t + duration_s, turned), layer=t)
        if face_up:
            actor.turn(t + 0.42 * duration_s, t + 0.92 * duration_s)

    def carry_from_shoe(self, t: float, place: Pose) -> tuple[float, float]:
        """Carry something from the shoe's mouth to a place; return when it leaves, and the duration."""
        mouth = self._places.shoe_mouth()
        arm = self._near(mouth.x_mm)
        held_at = self._grip(arm, mouth.at_mm)
        t = max(t, arm.free_at + arm.travel_s(held_at) + 0.02)
        arm.go(t - 0.02, held_at, height_mm=14.0, hand="grip")
        arm.hold(t)
        duration_s = min(0.72, max(0.5, math.dist(mouth.at_mm, place.at_mm) / 1100.0)) * self._pace
        arm.follow(t + duration_s, self._grip(arm, place.at_mm), 16.0)
        arm.hold(t + duration_s + 0.07)
        return t, duration_s

    def _toss_from_shoe(self, t: float, place: Pose) -> tuple[float, float]:
        """Toss something from the shoe's mouth to a place; return when it leaves, and the duration."""
        mouth = self._places.shoe_mouth()
        arm = self._near(mouth.x_mm)
        held_at = self._grip(arm, mouth.at_mm)
        t = max(t, arm.free_at + arm.travel_s(held_at) + 0.02)
        arm.go(t, held_at, height_mm=14.0, hand="grip")
        way = math.dist(mouth.at_mm, place.at_mm)
        flick = min(1.0, TOSS_FLICK_MM / max(way, 1.0))
        end = (
            mouth.x_mm + flick * (place.x_mm - mouth.x_mm),
            mouth.y_mm + flick * (place.y_mm - mouth.y_mm),
        )
        arm.follow(t + 0.16, self._grip(arm, end), 22.0)
        arm.hold(t + 0.24)
        return t, max(0.26, way / TOSS_SPEED_MM_S) * self._pace

    def _less_exact(self, place: Pose) -> Pose:
        """Return a place near the given one, as a tossed card comes to rest."""
        habits = self._habits
        x, y = habits.near(place.x_mm, TOSS_SPREAD_MM), habits.near(place.y_mm, TOSS_SPREAD_MM)
        return Pose(x, y, habits.near(place.angle_deg, TOSS_SPREAD_DEG))

    def lean(self, t: float, hand: Side) -> None:
        """Rest the hand that does not deal on the near edge of a hand's box for a while."""
        shoe, place = self._places.shoe_mouth(), self.place_of(hand, 0)
        arm = self._left if self._near(shoe.x_mm) is self._right else self._right
        at = (place.x_mm + self._habits.near(0.0, 25.0), place.y_mm - 0.35 * self._places.card_size_mm[1])
        t = max(t, arm.free_at + arm.travel_s(at))
        arm.go(t, at, height_mm=8.0, hand="palm")
        arm.hold(t + self._habits.between(0.8, 3.0))
        arm.rest()

    def place_of(self, hand: Side | None, slot: int) -> Pose:
        """Return the place of a hand's card; None: beside the shoe."""
        return self._places.beside_shoe() if hand is None else self._places.hand_slot(hand, slot, self._growth)

    def turn(self, t: float, actor: CardActor) -> float:
        """Turn a card at its place; return when it rests."""
        arm = self._near(actor.pose.x_mm)
        held_at = self._grip(arm, actor.pose.at_mm)
        t = max(t, arm.free_at + arm.travel_s(held_at))
        arm.go(t, held_at, height_mm=18.0, hand="grip")
        done = t + self._stage.between(0.38, 0.5) * self._pace
        actor.turn(t, done)
        arm.follow(0.5 * (t + done), (held_at[0] + 6.0, held_at[1] - 14.0), 45.0)
        arm.follow(done, held_at, 20.0)
        return done

    def shift(self, t: float, actor: CardActor, *, hand: Side | None, slot: int) -> float:
        """Move a card to another place; return when it rests."""
        place = jittered(self._stage, self.place_of(hand, slot))
        done = self._carry_card(t, actor, place)
        actor.hand, actor.slot = hand, slot
        return done

    def straighten(self, t: float, actor: CardActor) -> float:
        """Push a card slightly so that it lies straight; return when it rests."""
        pose, target = actor.pose, self.place_of(actor.hand, actor.slot)
        keep = 0.5
        place = Pose(
            pose.x_mm + keep * (target.x_mm - pose.x_mm),
            pose.y_mm + keep * (target.y_mm - pose.y_mm),
            pose.angle_deg + keep * (_nearest_turn(pose.angle_deg, target.angle_deg) - pose.angle_deg),
        )
        return self._carry_card(t, actor, place)

    def _carry_card(self, t: float, actor: CardActor, place: Pose) -> float:
        arm, start = self._near(actor.pose.x_mm), actor.pose
        held_at = self._grip(arm, start.at_mm)
        t = max(t, arm.free_at + arm.travel_s(held_at))
        arm.go(t, held_at, height_mm=14.0, hand="grip")
        done = t + max(0.3, math.dist(start.at_mm, place.at_mm) / 800.0) * self._pace
        actor.move((t, start), (done, place), layer=t)
        arm.follow(done, self._grip(arm, place.at_mm), 16.0)
        arm.hold(done + 0.08)
        return done

    def carry(self, t: float, actors: Sequence[CardActor], places: Sequence[Pose]) -> float:
        """Slide cards together to other places; return when they rest."""
        first, target = actors[0].pose, places[0]
        arm = self._near(0.5 * (first.x_mm + target.x_mm))
        held_at = self._grip(arm, first.at_mm)
        t = max(t, arm.free_at + arm.travel_s(held_at))
        arm.go(t, held_at, height_mm=14.0, hand="grip")
        done = t + max(0.3, math.dist(first.at_mm, target.at_mm) / 800.0) * self._pace
        for i, (actor, place) in enumerate(zip(actors, places, strict=True)):
            rests = Pose(place.x_mm, place.y_mm, _nearest_turn(actor.pose.angle_deg, place.angle_deg))
            actor.move((t, actor.pose), (done, rests), layer=t + 1e-3 * i)
        arm.follow(done, self._grip(arm, target.at_mm), 16.0)
        arm.hold(done + 0.08)
        return done

    def gather(self, t: float, actors: Sequence[CardActor], *, with_other: bool = False) -> float:
        """Sweep cards together and put them into the discard rack; return when they drop there.

        Args:
            t: The earliest time, in seconds.
            actors: The cards.
            with_other: Whether to use the hand that is farther from the rack.
        """
        rack = self._places.discard_mouth()
        order = sorted(actors, key=lambda actor: -math.dist(actor.pose.at_mm, rack.at_mm))
        arm = self._near(rack.x_mm)
        if with_other:
            arm = self._left if arm is self._right else self._right
        slides = self._habits.does(self._habits.manner.slides)
        lift_mm, speed_mm_s = (0.0, SLIDE_SPEED_MM_S) if slides else (4.0, 950.0)
        first = self._grip(arm, order[0].pose.at_mm)
        t = max(t, arm.free_at + arm.travel_s(first))
        arm.go(t, first, height_mm=16.0, hand="grip")
        stops = [(t, order[0].pose.at_mm)]
        for actor in order[1:]:
            gap = math.dist(stops[-1][1], actor.pose.at_mm) / 700.0
            stops.append((stops[-1][0] + max(0.16, gap) * self._pace, actor.pose.at_mm))
        t_lift = stops[-1][0] + 0.12
        drop = t_lift + max(0.45, math.dist(stops[-1][1], rack.at_mm) / speed_mm_s) * self._pace
        for i, actor in enumerate(order):
            own, jitter = actor.pose, self._stage.near((0.0, 0.0), 2.5)
            angle = _nearest_turn(own.angle_deg, self._stage.between(-6.0, 6.0) + rack.angle_deg)
            keys = [(stops[i][0], own)]
            for moment, point in stops[i + 1 :]:
                keys.append((moment, Pose(point[0] + jitter[0], point[1] + jitter[1], angle, 0.6 * (len(order) - i))))
            last = keys[-1][1]
            keys.append((t_lift, Pose(last.x_mm, last.y_mm, last.angle_deg, lift_mm + 0.6 * (len(order) - i))))
            keys.append((drop, Pose(rack.x_mm + jitter[0], rack.y_mm, angle, 6.25 * lift_mm)))
            actor.move(*keys, layer=t + 1e-3 * (len(order) - i))
            actor.leave(drop)
        for moment, point in stops[1:]:
            arm.follow(moment, self._grip(arm, point), 18.0)
        arm.hold(t_lift)
        arm.follow(drop, self._grip(arm, rack.at_mm), 20.0 if slides else 45.0)
        self._discarded += len(order)
        discards = self._stage.timeline.discards
        discards.append((max(drop, discards[-1][0] if discards else drop), self._discarded))
        return drop

    def pass_along(self, t: float, points_mm: Sequence[Point], duration_s: float) -> tuple[float, list[float]]:
        """Draw a flat hand along some points; return when it is done, and when it passed each of them."""
        arm = self._near(0.5 * (points_mm[0][0] + points_mm[-1][0]))
        first = self._grip(arm, points_mm[0])
        t = max(t, arm.free_at + arm.travel_s(first))
        arm.go(t, first, height_mm=14.0, hand="palm")
        times = [t + duration_s * i / max(len(points_mm) - 1, 1) for i in range(len(points_mm))]
        for moment, point in zip(times[1:], points_mm[1:], strict=True):
            arm.follow(moment, self._grip(arm, point), 14.0)
        return times[-1], times

    def collect(self, t: float, stacks: Sequence[StageStack]) -> float:
        """Take chips into the tray; return when they leave their place."""
        at = stacks[0].at_mm
        arm = self._near(at[0])
        t = max(t, arm.free_at + arm.travel_s(grip_on(at, arm.home_mm, CHIP_GRIP_MM)))
        self._carry_chips(t, stacks, arm, self._tray_mm(at[0]))
        return t

    def push_back(self, t: float, stacks: Sequence[StageStack], to_mm: Point) -> float:
        """Push chips to a patron; return when they leave their place."""
        at = stacks[0].at_mm
        arm = self._near(at[0])
        t = max(t, arm.free_at + arm.travel_s(grip_on(at, arm.home_mm, CHIP_GRIP_MM)))
        self._carry_chips(t, stacks, arm, to_mm)
        return t

    def _carry_chips(self, t: float, stacks: Sequence[StageStack], arm: StageArm, to_mm: Point) -> None:
        at = stacks[0].at_mm
        arm.go(t, grip_on(at, arm.home_mm, CHIP_GRIP_MM), height_mm=22.0, hand="grip")
        done = t + max(0.4, math.dist(at, to_mm) / 950.0) * self._pace
        for i, stack in enumerate(stacks):
            aside = (to_mm[0] + 30.0 * i, to_mm[1])
            stack.move((t, stack.at_mm, 0.0), (done, aside, 12.0))
            stack.vanish(done)
        arm.follow(done, grip_on(to_mm, arm.home_mm, CHIP_GRIP_MM), 34.0)
        arm.hold(done + 0.06)

    def pay(self, t: float, chips: tuple[int, ...], at_mm: Point, area: str) -> tuple[StageStack, float]:
        """Pay chips from the tray; return the stack, and when it rests."""
        arm, tray = self._near(at_mm[0]), self._tray_mm(at_mm[0])
        way = max(0.45, math.dist(tray, at_mm) / 950.0) * self._pace
        picked = max(t - way, arm.free_at + arm.travel_s(grip_on(tray, arm.home_mm, CHIP_GRIP_MM)))
        arm.go(picked, grip_on(tray, arm.home_mm, CHIP_GRIP_MM), height_mm=22.0, hand="grip")
        arm.hold(picked + 0.12)
        rests = picked + 0.12 + way
        stack = self._stage.stack(picked + 0.06, chips, tray)
        stack.move((picked + 0.12, tray, 14.0), (rests, at_mm, 0.0))
        stack.change(rests, chips, area)
        arm.follow(rests, grip_on(at_mm, arm.home_mm, CHIP_GRIP_MM), 24.0)
        arm.hold(rests + 0.09)
        return stack, rests

    def tidy(self, t: float, stack: StageStack) -> float:
        """Straighten a stack of chips, which hardly moves; return when the hand lets go."""
        at = stack.at_mm
        arm = self._near(at[0])
        t = max(t, arm.free_at + arm.travel_s(grip_on(at, arm.home_mm, CHIP_GRIP_MM)))
        arm.go(t, grip_on(at, arm.home_mm, CHIP_GRIP_MM), height_mm=20.0, hand="grip")
        area, aside = stack.span.area, self._stage.near(at, 2.0)
        stack.move((t, at, 0.0), (t + 0.35, aside, 0.0), area=area)
        arm.follow(t + 0.35, grip_on(aside, arm.home_mm, CHIP_GRIP_MM), 20.0)
        arm.hold(t + 0.4)
        return t + 0.4

    def sweep(self, t: float, duration_s: float) -> None:
        """Sweep a palm over the wagering areas from one side to the other, halfway at `t`, and withdraw it."""
        rng = self._stage.rng
        share, from_left = self._stage.between(0.6, 0.9), bool(rng.random() < 0.5)
        way = self._places.over_wagers(share, self._stage.between(0.8, 1.0), SWEEP_POINTS)
        way = way if from_left else way[::-1]
        arm = self._left if rng.random() < 0.5 else self._right
        height_mm = self._stage.between(45.0, 90.0)
        start = max(t - 0.5 * duration_s, arm.free_at + arm.travel_s(way[0]))
        arm.go(start, way[0], height_mm=height_mm, hand="palm")
        for i, point in enumerate(way[1:], start=1):
            arm.follow(start + duration_s * i / (len(way) - 1), point, height_mm)
        arm.rest()

    def _tray_mm(self, x_mm: float) -> Point:
        share = 0.5 + 0.5 * (x_mm / self._places.width_mm - 0.5) + self._stage.between(-0.1, 0.1)
        return self._places.tray_mm(min(0.95, max(0.05, share)))

    def _grip(self, arm: StageArm, at_mm: Point) -> Point:
        return grip_on(at_mm, (at_mm[0] + 0.38 * (arm.home_mm[0] - at_mm[0]), -SHOULDER_MM), CARD_GRIP_MM)


_SIDES = (("left", -1.0), ("right", 1.0))
_NOWHERE = path_of([(0.0, Pose(0.0, 0.0))])


def jittered(stage: Stage, pose: Pose) -> Pose:
    """Return a place near the given one, as a hand lays a card."""
    x, y = stage.near(pose.at_mm, 2.5)
    wild = stage.rng.random() < 0.06
    angle = stage.between(-10.0, 10.0) if wild else float(stage.rng.normal(0.0, 1.7))
    return Pose(x, y, pose.angle_deg + angle)


def _nearest_turn(from_deg: float, to_deg: float) -> float:
    """Return `to_deg` or its opposite, whichever needs the smaller turn from `from_deg`."""
    while to_deg - from_deg > 90.0:
        to_deg -= 180.0
    while to_deg - from_deg < -90.0:
        to_deg += 180.0
    return to_deg
