"""Draw tables full of chip stacks to train the gauge: alone, in touching rows, on and off the printed areas.

Stacks farther from the point under the camera come first, so that nearer ones, which lean over them, are drawn above.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from thirdcard.datasets.scene.model import ArmObject, ChipStack, Point, Scene, World
from thirdcard.datasets.scene.random_scene import random_scene

MOST_CHIPS = 20
FACES = tuple(f"{rank}{suit}" for rank in "A23456789" for suit in "CDHS")
_COUNTS = ((1, 1), (2, 5), (6, 10), (11, MOST_CHIPS))
_ODDS = (0.16, 0.42, 0.24, 0.18)
_TOUCHING = 1.005
"""Minimum distance of stacks, in diameters."""


@dataclass(slots=True)
class _Draft:
    """Stacks that are being placed."""

    world: World
    rng: np.random.Generator
    stacks: list[ChipStack] = field(default_factory=list)

    def put(self, at: Point) -> None:
        """Place a stack unless it would overlap another or be off the cloth."""
        width, depth = self.world.layout.size_mm
        apart = self.world.chips.diameter_mm * _TOUCHING
        is_on = 40 < at[0] < width - 40 and 40 < at[1] < depth - 40
        if is_on and all(np.hypot(s.at_mm[0] - at[0], s.at_mm[1] - at[1]) >= apart for s in self.stacks):
            self.stacks.append(_stack(self.world, self.rng, at, name=f"k{len(self.stacks)}"))

    def put_group(self, at: Point, size: int) -> None:
        """Place stacks in one or two rows, touching or nearly so."""
        rng = self.rng
        pitch = self.world.chips.diameter_mm * float(rng.choice([1.01, 1.03, 1.12, 1.3]))
        turn = float(rng.choice([0.0, rng.normal(0, 0.2), rng.uniform(0, np.pi)]))
        across, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        columns = max(int(np.ceil(size / float(rng.choice([1, 1, 2])))), 1)
        for k in range(size):
            row, column = divmod(k, columns)
            place = np.array(at) + across * pitch * (column + 0.5 * (row % 2)) + down * pitch * 0.9 * row
            place = place + rng.normal(0, 0.6, 2)
            self.put((float(place[0]), float(place[1])))


def stack_scene(world: World, rng: np.random.Generator, *, wanted: int = 60, arms: float = 0.35) -> Scene:
    """Draw a table with about `wanted` stacks; `arms` is the share of pictures with hands among them."""
    draft = _Draft(world, rng)
    width, depth = world.layout.size_mm
    for area in world.layout.of_kind("wager"):
        if rng.random() < 0.55:
            spread = rng.normal(0, 12, 2)
            at = (float(area.centre_mm[0] + spread[0]), float(area.centre_mm[1] + spread[1]))
            draft.put_group(at, int(rng.choice([1, 1, 1, 2, 3])))
    for _ in range(200):
        if len(draft.stacks) >= wanted:
            break
        at = (float(rng.uniform(50, width - 50)), float(rng.uniform(0.15, 0.95) * depth))
        draft.put_group(at, int(rng.choice([1, 1, 2, 4, 7])))
    others = random_scene(world, rng, faces=FACES)
    stacks = far_first(world, draft.stacks)
    return replace(
        others,
        stacks=stacks,
        cards=tuple(card for card in others.cards if card.height_mm == 0 and card.turn == 0),
        arms=_reaching(others.arms, stacks, rng) if rng.random() < arms else (),
    )


def far_first(world: World, stacks: list[ChipStack] | tuple[ChipStack, ...]) -> tuple[ChipStack, ...]:
    """Return the stacks sorted so that nearer ones are drawn over farther ones."""
    eye = world.camera.camera_centre_mm
    assert eye is not None, "worlds have cameras with a pose"
    return tuple(sorted(stacks, key=lambda s: -float(np.hypot(s.at_mm[0] - eye[0], s.at_mm[1] - eye[1]))))


def with_count(world: World, stack: ChipStack, count: int, rng: np.random.Generator) -> ChipStack:
    """Return the stack with `count` chips; chips are added or removed at the top."""
    added = _chips(world, rng, max(count - len(stack.chips), 0))
    return replace(stack, chips=(*stack.chips[:count], *added))


def nudged(stack: ChipStack, rng: np.random.Generator, *, most_mm: float) -> ChipStack:
    """Return the stack moved at random by at most `most_mm`."""
    x, y = rng.uniform(-1, 1, 2) * most_mm / np.sqrt(2)
    return replace(stack, at_mm=(float(stack.at_mm[0] + x), float(stack.at_mm[1] + y)))


def _reaching(
    arms: tuple[ArmObject, ...], stacks: tuple[ChipStack, ...], rng: np.random.Generator
) -> tuple[ArmObject, ...]:
    """Move hands next to stacks, near enough to hide part of them."""
    if not stacks:
        return arms
    moved = []
    for arm in arms:
        near = stacks[int(rng.integers(len(stacks)))].at_mm
        moved.append(replace(arm, tip_mm=(float(near[0] + rng.normal(0, 40)), float(near[1] + rng.normal(0, 40)))))
    return tuple(moved)


def _stack(world: World, rng: np.random.Generator, at: Point, *, name: str) -> ChipStack:
    low, high = _COUNTS[int(rng.choice(len(_COUNTS), p=_ODDS))]
    count = int(rng.integers(low, high + 1))
    return ChipStack(object_id=name, at_mm=at, chips=_chips(world, rng, count), seed=int(rng.integers(1 << 30)))


def _chips(world: World, rng: np.random.Generator, count: int) -> tuple[int, ...]:
    kinds = len(world.chips.chips)
    first, is_mixed = int(rng.integers(kinds)), bool(rng.random() < 0.45)
    return tuple(int(rng.integers(kinds)) if is_mixed and rng.random() < 0.6 else first for _ in range(count))
