"""A patron at a seat: one arm, the chips before him, and what he does with them.

Each act takes the earliest time at which the chips rest or leave, and returns the actual one. Seconds and layout
millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from thirdcard.calibration.chips import ChipSet
from thirdcard.calibration.layout import Area
from thirdcard.datasets.script.manner import Habits
from thirdcard.datasets.script.motion import Point, Pose, path_of
from thirdcard.datasets.script.places import Places, Seat
from thirdcard.datasets.script.stage import CardActor, Stage, StageArm, StageStack, grip_on
from thirdcard.datasets.script.timeline import ArmSpan

OUTSIDE_MM = 260.0
GRIP_MM = 8.0
LAP_MM = 330.0
"""How far beyond his hand's resting place a patron holds a card that he takes off the table."""
TALLEST = 16


@dataclass(slots=True)
class LaidWager:
    """The chips on one wagering area."""

    area: Area
    stacks: list[StageStack] = field(default_factory=list)
    void: bool = False
    """Whether it was placed too late, so that the dealer gives it back."""

    @property
    def chips(self) -> tuple[int, ...]:
        return tuple(chip for stack in self.stacks for chip in stack.chips)

    def value(self, chips: ChipSet) -> int:
        """Return the value, in the smallest unit the table plays for."""
        return sum(chips.chips[chip].value for chip in self.chips)


class Patron:
    """The patron of one seat."""

    def __init__(self, stage: Stage, places: Places, seat: Seat, chips: ChipSet, pace: float, habits: Habits) -> None:
        self.seat = seat
        self._stage = stage
        self._places = places
        self._chips = chips
        self._pace = pace * stage.between(0.85, 1.2)
        self._habits = habits
        self._arm = self._make_arm()
        self._bank: dict[int, StageStack] = {}
        self._lay_out_bank()

    def _make_arm(self) -> StageArm:
        seat, places = self.seat, self._places
        rests_on_table = self._stage.rng.random() < 0.45
        outward = (-seat.inward[0], -seat.inward[1])
        out = OUTSIDE_MM + 80.0
        away = (seat.home_mm[0] + outward[0] * out, seat.home_mm[1] + outward[1] * out)
        home = seat.home_mm if rests_on_table else away
        hidden = (-OUTSIDE_MM, -OUTSIDE_MM, places.width_mm + OUTSIDE_MM, places.depth_mm + OUTSIDE_MM)
        start = path_of([(0.0, Pose(*home))])
        poses = [(0.0, "palm")]
        seed = int(self._stage.rng.integers(1 << 30))
        span = ArmSpan(f"seat-{seat.number}", f"seat:{seat.number}", start, start, poses, hidden, seed)
        self._stage.timeline.arms.append(span)

        def shoulder(tip_mm: Point) -> Point:
            x, y = seat.base_mm
            return (x + 0.3 * (tip_mm[0] - seat.home_mm[0]), y + 0.3 * (tip_mm[1] - seat.home_mm[1]))

        return StageArm(span, home, shoulder, self._pace)

    def _lay_out_bank(self) -> None:
        step = self._places.chip_radius_mm * 2 + self._stage.between(2.0, 12.0)
        kinds = [index for index, chip in enumerate(self._chips.chips) if chip.value <= 1000]
        count = min(len(kinds), int(self._stage.rng.integers(2, 5)))
        kinds = sorted(int(index) for index in self._stage.rng.choice(kinds, count, replace=False))
        for place, index in enumerate(kinds):
            along = (place - (count - 1) / 2) * step
            x = self.seat.bank_mm[0] + along * self.seat.along[0]
            y = self.seat.bank_mm[1] + along * self.seat.along[1]
            at = self._stage.near((x, y), 2.0)
            if self._places.is_free(at, self._places.chip_radius_mm + 2.0):
                height = int(self._stage.rng.integers(3, 12))
                self._bank[index] = self._stage.stack(0.0, (index,) * height, at)

    def place(self, t: float, wager: LaidWager, chips: tuple[int, ...]) -> float:
        """Put chips on an empty area, or beside the chips there; return when they rest."""
        at = self._places.spot_in(wager.area, self._stage.rng, [stack.at_mm for stack in wager.stacks])
        stack, rests = self._bring(t, chips, at, 0.0)
        stack.change(rests, chips, wager.area.id)
        wager.stacks.append(stack)
        return rests

    def add(self, t: float, wager: LaidWager, chips: tuple[int, ...]) -> float:
        """Put chips onto the stack there, or beside it if it would become too tall; return when they rest."""
        below = wager.stacks[-1]
        if len(below.chips) + len(chips) > TALLEST:
            return self.place(t, wager, chips)
        stack, rests = self._bring(t, chips, below.at_mm, len(below.chips) * self._chips.thickness_mm)
        stack.vanish(rests)
        below.change(rests, below.chips + chips)
        return rests

    def take(self, t: float, wager: LaidWager) -> float:
        """Take all chips from an area; return when they leave it."""
        at = wager.stacks[0].at_mm
        t = self._reach(t, at)
        to = self._bank_mm(wager.chips[0])
        done = t + self._way_s(at, to)
        for i, stack in enumerate(wager.stacks):
            stack.move((t, stack.at_mm, 0.0), (done, (to[0] + 24.0 * i, to[1]), 10.0))
            stack.vanish(done)
        self._bring_home(done, to)
        self._store(done, wager.chips)
        wager.stacks.clear()
        return t

    def take_some(self, t: float, wager: LaidWager, chips: tuple[int, ...]) -> float:
        """Take the given chips from the top of a stack; return when they leave it."""
        stack = wager.stacks[-1]
        at, keep = stack.at_mm, len(stack.chips) - len(chips)
        t = self._reach(t, at)
        stack.change(t, stack.chips[:keep])
        taken = self._stage.stack(t, chips, at)
        to = self._bank_mm(chips[0])
        done = t + self._way_s(at, to)
        taken.move((t, at, keep * self._chips.thickness_mm), (done, to, 10.0))
        taken.vanish(done)
        self._bring_home(done, to)
        self._store(done, chips)
        return t

    def move(self, t: float, wager: LaidWager, to: LaidWager) -> tuple[float, float]:
        """Carry all chips to another area; return when they leave and when they rest."""
        at = wager.stacks[0].at_mm
        t = self._reach(t, at)
        spot = self._places.spot_in(to.area, self._stage.rng, [stack.at_mm for stack in to.stacks])
        rests = t + self._way_s(at, spot) + 0.1
        chips = wager.chips
        for stack in wager.stacks[1:]:
            stack.vanish(t)
        moved = wager.stacks[0]
        moved.change(t, chips)
        moved.move((t, at, 0.0), (0.5 * (t + rests), _middle(at, spot), 16.0), (rests, spot, 0.0))
        moved.change(rests, chips, to.area.id)
        self._arm.follow(0.5 * (t + rests), self._grip(_middle(at, spot)), 36.0)
        self._arm.follow(rests, self._grip(spot), 24.0)
        self._arm.hold(rests + 0.08)
        self._arm.rest()
        wager.stacks.clear()
        to.stacks.append(moved)
        return t, rests

    def wave(self, t: float, area: Area) -> float:
        """Reach over an area without touching anything; return when the hand is there."""
        x, y = area.centre_mm
        over = (x + 35.0 * self.seat.along[0], y + 35.0 * self.seat.along[1])
        t = max(t, self._arm.free_at + self._arm.travel_s(over))
        self._arm.go(t, over, height_mm=70.0, hand="reach")
        self._arm.hold(t + self._stage.between(0.2, 0.6))
        self._arm.rest()
        return t

    def nudge(self, t: float, wager: LaidWager) -> float:
        """Push his stack a few millimetres with the fingers; return when it rests."""
        stack = wager.stacks[-1]
        at = stack.at_mm
        t = self._reach(t, at)
        angle, way = self._stage.between(0.0, 2 * math.pi), self._stage.between(3.0, 8.0)
        aside = self._places.kept_in(wager.area, (at[0] + way * math.cos(angle), at[1] + way * math.sin(angle)), at)
        stack.move((t, at, 0.0), (t + 0.3, aside, 0.0), area=wager.area.id)
        self._arm.follow(t + 0.3, self._grip(aside), 24.0)
        self._arm.hold(t + 0.4)
        self._arm.rest()
        return t + 0.3

    def squeeze(self, t: float, cards: Sequence[CardActor]) -> list[float]:
        """Bend cards up to see them, then turn them face up one after the other; return when each rests."""
        t = self._reach(t, cards[0].pose.at_mm)
        for actor in cards:
            pose, way = actor.pose, self._stage.between(8.0, 26.0)
            closer = Pose(pose.x_mm - way * self.seat.inward[0], pose.y_mm - way * self.seat.inward[1], pose.angle_deg)
            actor.move((t, pose), (t + 0.4, closer), layer=actor.span.layer)
            actor.bend(t + self._stage.between(0.5, 0.8), self._stage.between(5.0, 12.0))
        t += self._stage.between(1.2, 2.6) * self._pace
        self._arm.follow(t, self._grip(cards[0].pose.at_mm), 30.0)
        moments = []
        for actor in cards:
            t = self._reach(t + 0.1, actor.pose.at_mm)
            done = t + self._stage.between(0.35, 0.55) * self._pace
            actor.bend(t, self._stage.between(0.0, 3.0))
            actor.turn(t, done)
            self._arm.hold(done)
            moments.append(done)
            t = done
        self._arm.rest()
        return moments

    def take_off(self, t: float, actor: CardActor) -> tuple[float, float]:
        """Take a card over the table's edge and bring it back; return when it leaves the table and when it rests."""
        pose = actor.pose
        (x, y), inward = self.seat.home_mm, self.seat.inward
        outside = (x - LAP_MM * inward[0], y - LAP_MM * inward[1])
        t = self._reach(t, pose.at_mm)
        way = self._way_s(pose.at_mm, outside)
        away, back = t + way, t + way + self._stage.between(1.2, 2.2) * self._pace
        lifted = Pose(outside[0], outside[1], pose.angle_deg, 60.0)
        actor.move((t, pose), (away, lifted), (back, lifted), (back + way, pose), layer=t)
        self._arm.follow(away, self._grip(outside), 70.0)
        self._arm.hold(back)
        self._arm.follow(back + way, self._grip(pose.at_mm), 30.0)
        edge = math.dist(pose.at_mm, self.seat.home_mm) / math.dist(pose.at_mm, outside)
        return t + edge * way, back + way

    def throw(self, t: float, cards: Sequence[CardActor], places: Sequence[Pose]) -> float:
        """Throw cards over to the dealer; return when they rest."""
        t = self._reach(t, cards[0].pose.at_mm)
        done = t + max(0.4, math.dist(cards[0].pose.at_mm, places[0].at_mm) / 900.0)
        for actor, place in zip(cards, places, strict=True):
            actor.move((t, actor.pose), (done, place), layer=t)
        follow = _middle(cards[0].span.path.at(t).at_mm, places[0].at_mm)
        self._arm.follow(t + 0.25, self._grip(follow), 30.0)
        self._arm.rest()
        return done

    def receive(self, t: float, chips: tuple[int, ...]) -> None:
        """Add chips that the dealer pushed over to his own."""
        self._store(t, chips)

    @property
    def free_at(self) -> float:
        """When his last act ends, in seconds."""
        return self._arm.free_at

    def bank_mm(self) -> Point:
        """Return a point to which chips are pushed for him."""
        return self._stage.near(self.seat.bank_mm, 8.0)

    def _bring(self, t: float, chips: tuple[int, ...], at: Point, height_mm: float) -> tuple[StageStack, float]:
        """Carry chips from his own to a place; return the stack, and when it rests."""
        source = self._bank_mm(chips[0])
        way = self._way_s(source, at)
        held_at = self._grip(source)
        picked = max(t - way, self._arm.free_at + self._arm.travel_s(held_at))
        self._arm.go(picked, held_at, height_mm=24.0, hand="grip")
        self._spend(picked, chips)
        rests = picked + way
        stack = self._stage.stack(picked, chips, source)
        stack.move((picked, source, 8.0), (rests, at, height_mm))
        self._arm.follow(rests, self._grip(at), height_mm + 24.0)
        stays_s = self._stage.between(0.06, 0.2)
        self._arm.hold(rests + (self._habits.between(0.8, 4.0) if self._lingers() else stays_s))
        self._arm.rest()
        return stack, rests

    def _lingers(self) -> bool:
        return self._habits.does(self._habits.manner.lingers)

    def _reach(self, t: float, at: Point) -> float:
        held_at = self._grip(at)
        t = max(t, self._arm.free_at + self._arm.travel_s(held_at))
        self._arm.go(t, held_at, height_mm=24.0, hand="grip")
        return t

    def _bring_home(self, done: float, to: Point) -> None:
        self._arm.follow(done, self._grip(to), 30.0)
        self._arm.hold(done + 0.1)
        self._arm.rest()

    def _way_s(self, first: Point, second: Point) -> float:
        return max(0.35, math.dist(first, second) / 800.0) * self._pace

    def _grip(self, at: Point) -> Point:
        return grip_on(at, self.seat.base_mm, GRIP_MM)

    def _bank_mm(self, chip: int) -> Point:
        stack = self._bank.get(chip)
        return stack.at_mm if stack else self._stage.near(self.seat.bank_mm, 6.0)

    def _spend(self, t: float, chips: tuple[int, ...]) -> None:
        for index in set(chips):
            stack, count = self._bank.get(index), chips.count(index)
            if stack and len(stack.chips) > count:
                stack.change(t, stack.chips[:-count])

    def _store(self, t: float, chips: tuple[int, ...]) -> None:
        for index in set(chips):
            stack, count = self._bank.get(index), chips.count(index)
            if stack and len(stack.chips) + count <= TALLEST:
                stack.change(t, stack.chips + (index,) * count)


def _middle(first: Point, second: Point) -> Point:
    return ((first[0] + second[0]) / 2, (first[1] + second[1]) / 2)
