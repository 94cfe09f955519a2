"""Draw the comparer's school: `python -m models.comparer_school --out build/comparer --worlds 300 --seed 1`.

A table full of stacks is drawn several times; in between hands add chips, take some, push and twist stacks, or touch
nothing, other things come and go, and the light changes. Each stack is cut out before and after in one and the same
frame, wider than the network takes by a margin to shift it in. One file a world; one that is there is skipped.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from datasets.scene.model import ChipStack, Scene, World
from datasets.scene.renderer import RenderedObject, SceneRenderer
from datasets.scene.worlds import Split
from models.gauge_pairs import LASTING_BOX_ERROR_MM, NUDGE_MM, PASSING_BOX_ERROR_MM
from models.gauge_scenes import MOST_CHIPS, far_first, nudged, stack_scene
from models.gauge_school import LEAST_VISIBLE, Eye, open_world, random_quality, recorded
from models.world_files import write_worlds
from vision.comparer import HEIGHT_PX, WIDTH_PX
from vision.frames import Image
from vision.gauge import CropFrame, stack_crop

MARGIN_PX = 4
CHANGES = (0, 1, -1, 2, -2, 3, -3, 5, -5)
CHANGE_ODDS = (0.45, 0.13, 0.13, 0.06, 0.06, 0.045, 0.045, 0.04, 0.04)
TOUCHES, TOUCH_ODDS = ("none", "nudged", "twisted", "both"), (0.48, 0.36, 0.06, 0.10)
AWAY, ARMS, CARDS_KEPT = 0.12, 0.25, 0.75
"""Shares of stacks that are away at a moment, of moments with hands on the table, and of cards that lie there."""
TRUTH = ("added", "chip_px", "count", "touch", "nudge_mm", "visible", "distance_mm", "camera_height_mm")
"""Columns of a pair's truth: chips added, what one shows as in the crop, chips before, which of TOUCHES ..."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One state of a table."""

    scene: Scene
    stacks: Mapping[str, ChipStack]
    """All stacks, those among them that are away."""
    touches: Mapping[str, int]
    """What hands did to each since the moment before."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Some looks at one moment."""

    images: Sequence[Image]
    outlines: Mapping[str, RenderedObject]
    """What is seen well enough."""


def first_moment(world: World, rng: np.random.Generator) -> Moment:
    """A table before anybody touched it."""
    scene = stack_scene(world, rng, wanted=66, arms=1.0)
    stacks = {stack.object_id: stack for stack in scene.stacks}
    return Moment(scene, stacks, dict.fromkeys(stacks, 0))


def next_moment(world: World, before: Moment, rng: np.random.Generator) -> Moment:
    """The table after hands were there."""
    stacks, touches = dict(before.stacks), {}
    for name, stack in before.stacks.items():
        kind = int(rng.choice(len(TOUCHES), p=TOUCH_ODDS))
        after = with_change(world, stack, int(rng.choice(CHANGES, p=CHANGE_ODDS)), rng)
        if TOUCHES[kind] in ("twisted", "both"):
            after = replace(after, seed=int(rng.integers(1 << 30)))
        if TOUCHES[kind] in ("nudged", "both"):
            moved = nudged(after, rng, most_mm=NUDGE_MM)
            after = after if _is_too_near(moved, stacks, world.chips.diameter_mm) else moved
        stacks[name], touches[name] = after, kind
    light = float(np.clip(before.scene.light * rng.uniform(0.88, 1.13), 0.75, 1.3))
    return Moment(replace(before.scene, t=before.scene.t + 7.0, light=light), stacks, touches)


def with_change(world: World, stack: ChipStack, change: int, rng: np.random.Generator) -> ChipStack:
    """The stack with chips added, half the time such as lie on top already, or taken; as it is where that cannot be."""
    count = len(stack.chips) + change
    if not 1 <= count <= MOST_CHIPS:
        return stack
    kind = stack.chips[-1] if rng.random() < 0.5 else int(rng.integers(len(world.chips.chips)))
    return replace(stack, chips=(*stack.chips[:count], *(kind for _ in range(change))))


def shown(world: World, moment: Moment, rng: np.random.Generator) -> Scene:
    """What is on the table at a moment: some stacks are away, some cards, and most of the time all hands."""
    scene = moment.scene
    return replace(
        scene,
        stacks=far_first(world, [stack for stack in moment.stacks.values() if rng.random() >= AWAY]),
        cards=tuple(card for card in scene.cards if rng.random() < CARDS_KEPT),
        arms=scene.arms if rng.random() < ARMS else (),
    )


def taken(renderer: SceneRenderer, scene: Scene, *, quality: int | None, looks: int) -> Picture:
    """Looks at a scene, a tenth of a second apart."""
    rendered = [renderer.render([replace(scene, t=scene.t + 0.1 * k)]) for k in range(looks)]
    outlines = {
        thing.object_id: thing
        for thing in rendered[0].objects
        if thing.kind == "chips" and thing.visible >= LEAST_VISIBLE and np.isfinite(thing.layout_polygon_mm).all()
    }
    return Picture([recorded(each.image_hw3, quality) for each in rendered], outlines)


def pairs_of(
    eye: Eye, before: tuple[Moment, Picture], after: tuple[Moment, Picture], rng: np.random.Generator
) -> list[tuple[list[Image], list[Image], list[float]]]:
    """The looks before and after at each stack that both pictures show, and its truth."""
    pairs = []
    for name in sorted(before[1].outlines.keys() & after[1].outlines.keys() & before[0].stacks.keys()):
        lasting = rng.normal(0, LASTING_BOX_ERROR_MM, 2)
        firsts, seconds = [], []
        for old, new in zip(before[1].images, after[1].images, strict=True):
            error = lasting + rng.normal(0, PASSING_BOX_ERROR_MM, 2)
            frame = eye.frame(before[1].outlines[name].layout_polygon_mm, error)
            crops = [_wide_crop(eye, image, frame) for image in (old, new)]
            firsts += [crops[0]] if crops[0] is not None else []
            seconds += [crops[1]] if crops[1] is not None else []
        if len(firsts) == len(seconds) == len(before[1].images):
            stacks = before[0].stacks[name], after[0].stacks[name]
            visible = min(picture.outlines[name].visible for _, picture in (before, after))
            pairs.append((firsts, seconds, _truth(eye, frame, stacks, after[0].touches[name], visible)))
    return pairs


def draw_world(split: Split, *, seed: int, index: int, moments: int, looks: int) -> dict[str, npt.NDArray[np.generic]]:
    """One world's pairs: `before` and `after`, (N, looks, height, width, 3) uint8 BGR; `truths`, (N, len(TRUTH))."""
    rng = np.random.default_rng([seed, index, 3 if split == "train" else 4])
    world, renderer = open_world(rng, split)
    eye, quality = Eye(world), random_quality(rng)
    moment = first_moment(world, rng)
    picture = taken(renderer, shown(world, moment, rng), quality=quality, looks=looks)
    pairs = []
    for _ in range(moments - 1):
        later = next_moment(world, moment, rng)
        then = taken(renderer, shown(world, later, rng), quality=quality, looks=looks)
        pairs += pairs_of(eye, (moment, picture), (later, then), rng)
        moment, picture = later, then
    return {
        "before": np.array([pair[0] for pair in pairs], np.uint8),
        "after": np.array([pair[1] for pair in pairs], np.uint8),
        "truths": np.array([pair[2] for pair in pairs], np.float32),
    }


def _wide_crop(eye: Eye, image: Image, frame: CropFrame) -> Image | None:
    size = (WIDTH_PX + 2 * MARGIN_PX, HEIGHT_PX + 2 * MARGIN_PX)
    return stack_crop(image, eye.camera, frame, size_wh_px=size)


def _truth(eye: Eye, frame: CropFrame, stacks: tuple[ChipStack, ChipStack], touch: int, visible: float) -> list[float]:
    old, new = stacks
    tall = -float(eye.centre_mm[2])
    distance = float(np.hypot(new.at_mm[0] - eye.centre_mm[0], new.at_mm[1] - eye.centre_mm[1]))
    thick = eye.chips.thickness_mm
    middle = tall - thick * (len(old.chips) + len(new.chips)) / 2
    chip_px = distance * tall * thick / middle**2 * frame.px_per_mm
    nudge = float(np.hypot(new.at_mm[0] - old.at_mm[0], new.at_mm[1] - old.at_mm[1]))
    added = len(new.chips) - len(old.chips)
    return [added, chip_px, len(old.chips), touch, nudge, visible, distance, tall]


def _is_too_near(stack: ChipStack, others: Mapping[str, ChipStack], diameter_mm: float) -> bool:
    return any(
        name != stack.object_id
        and np.hypot(other.at_mm[0] - stack.at_mm[0], other.at_mm[1] - stack.at_mm[1]) < diameter_mm
        for name, other in others.items()
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Draws as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m models.comparer_school", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/comparer"))
    parser.add_argument("--worlds", type=int, default=300)
    parser.add_argument("--moments", type=int, default=4, help="pictures a world, about 55 stacks each")
    parser.add_argument("--looks", type=int, default=1, help="looks at each moment")
    parser.add_argument("--split", choices=("train", "held_out"), default="train")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    def draw(index: int) -> dict[str, npt.NDArray[np.generic]]:
        return draw_world(options.split, seed=options.seed, index=index, moments=options.moments, looks=options.looks)

    write_worlds(options.out, f"{options.split}-{options.seed}", range(options.worlds), draw)


if __name__ == "__main__":
    main()
