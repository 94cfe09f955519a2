"""Draw the evaluation data of the gauge: crops of stacks before and after a change.

    python -m thirdcard.models.stacks.height_pairs --out build/gauge-pairs --worlds 40 --seed 7

Each stack of a held-out world is cut out a few times; then chips are added or removed or not, many stacks are nudged,
the light changes, and it is cut out again. One file per world; existing files are skipped.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.datasets.scene.model import ChipStack, Scene
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.models.stacks.height_scenes import MOST_CHIPS, far_first, nudged, stack_scene, with_count
from thirdcard.models.stacks.height_school import (
    LEAST_VISIBLE,
    Eye,
    HeightLesson,
    lesson,
    open_world,
    random_quality,
    recorded,
)
from thirdcard.models.world_files import write_worlds

LOOKS = 3
CHANGES = (0, 1, -1, 2, -2, 3, -3, 5, -5)
CHANGE_ODDS = (0.4, 0.12, 0.12, 0.08, 0.08, 0.06, 0.06, 0.04, 0.04)
NUDGE_MM = 8.0
LASTING_BOX_ERROR_MM, PASSING_BOX_ERROR_MM = 1.3, 0.9
"""Errors of the detected position: the constant part for a stack, and the part that is new in every look."""


@dataclass(frozen=True, slots=True, eq=False)
class StackSights:
    """Some looks at one stack."""

    crops: npt.NDArray[np.uint8]
    """(LOOKS, height, width, 3)."""
    truths: npt.NDArray[np.float32]
    """(LOOKS, len(TRUTH))."""


def changed_scene(before: Scene, renderer: SceneRenderer, rng: np.random.Generator) -> Scene:
    """Return the table after hands changed it: some stacks higher or lower, some nudged, in another light."""
    world = renderer.world
    stacks: list[ChipStack] = []
    for stack in before.stacks:
        change = int(rng.choice(CHANGES, p=CHANGE_ODDS))
        count = len(stack.chips) + change
        after = with_count(world, stack, count, rng) if 1 <= count <= MOST_CHIPS else stack
        moved = nudged(after, rng, most_mm=NUDGE_MM) if rng.random() < 0.5 else after
        stacks.append(after if _is_too_near(moved, before.stacks, world.chips.diameter_mm) else moved)
    light = before.light * float(rng.uniform(0.9, 1.1))
    return replace(before, stacks=far_first(world, stacks), t=before.t + 7.0, light=light)


def sights(
    eye: Eye, renderer: SceneRenderer, scene: Scene, rng: np.random.Generator, *, quality: int | None
) -> Mapping[str, StackSights]:
    """Return the looks at every stack that is visible enough, by name."""
    lasting = {stack.object_id: rng.normal(0, LASTING_BOX_ERROR_MM, 2) for stack in scene.stacks}
    looks: dict[str, list[HeightLesson]] = {name: [] for name in lasting}
    for k in range(LOOKS):
        picture = renderer.render([replace(scene, t=scene.t + 0.1 * k)])
        image = recorded(picture.image_hw3, quality)
        outlines = {thing.object_id: thing for thing in picture.objects if thing.visible >= LEAST_VISIBLE}
        for stack in scene.stacks:
            if stack.object_id in outlines:
                error = lasting[stack.object_id] + rng.normal(0, PASSING_BOX_ERROR_MM, 2)
                seen = lesson(eye, outlines[stack.object_id], stack, image, error_mm=error)
                looks[stack.object_id] += [seen] if seen is not None else []
    return {
        name: StackSights(np.stack([each.crop for each in seen]), np.stack([each.truth for each in seen]))
        for name, seen in looks.items()
        if len(seen) == LOOKS
    }


def draw_world(seed: int, index: int, scenes: int) -> dict[str, npt.NDArray[np.generic]]:
    """Draw one held-out world's stacks before and after, as arrays for a file."""
    rng = np.random.default_rng([seed, index, 2])
    world, renderer = open_world(rng, "held_out")
    eye, pairs = Eye(world), []
    quality = random_quality(rng)
    for _ in range(scenes):
        scene = stack_scene(world, rng, arms=0.0)
        changed = changed_scene(scene, renderer, rng)
        before = sights(eye, renderer, scene, rng, quality=quality)
        after = sights(eye, renderer, changed, rng, quality=quality)
        pairs += [(before[name], after[name]) for name in before if name in after]
    return {
        "before_crops": np.stack([first.crops for first, _ in pairs]),
        "after_crops": np.stack([second.crops for _, second in pairs]),
        "before_truths": np.stack([first.truths for first, _ in pairs]),
        "after_truths": np.stack([second.truths for _, second in pairs]),
    }


def _is_too_near(stack: ChipStack, others: Sequence[ChipStack], diameter_mm: float) -> bool:
    return any(
        other.object_id != stack.object_id
        and np.hypot(other.at_mm[0] - stack.at_mm[0], other.at_mm[1] - stack.at_mm[1]) < diameter_mm
        for other in others
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw worlds with the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.height_pairs", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gauge-pairs"))
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--scenes", type=int, default=2, help="tables a world, about 60 stacks each")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)

    def draw(index: int) -> dict[str, npt.NDArray[np.generic]]:
        return draw_world(options.seed, index, options.scenes)

    write_worlds(options.out, f"pairs-{options.seed}", range(options.worlds), draw)


if __name__ == "__main__":
    main()
