"""Draw the training data of the comparer: pairs of crops of a stack, before and after.

    python -m thirdcard.models.stacks.change_school --out build/comparer --worlds 300 --seed 1

A table full of stacks is drawn several times. In between, hands add or remove chips, push or twist stacks, or touch
nothing; other things come and go, and the light changes. All of it is recorded, and some frames of each moment are
averaged, as at run time. Each stack is cut out before and after at the same place, and after also at the place to which
it was pushed. Crops are larger than the networks' input by a margin for shifts. The gauge is trained on the crops
before. One file per world; existing files are skipped.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.datasets.scene.model import ChipStack, Scene, World
from thirdcard.datasets.scene.renderer import RenderedObject, SceneRenderer
from thirdcard.datasets.scene.worlds import Split
from thirdcard.models.recorder import Recorder, random_recorder
from thirdcard.models.stacks import height_school
from thirdcard.models.stacks.height_pairs import LASTING_BOX_ERROR_MM, NUDGE_MM, PASSING_BOX_ERROR_MM
from thirdcard.models.stacks.height_scenes import MOST_CHIPS, far_first, nudged, stack_scene
from thirdcard.models.stacks.height_school import LEAST_VISIBLE, Eye, open_world
from thirdcard.models.world_files import write_worlds
from thirdcard.vision.frames import Image
from thirdcard.vision.inference import stack_height
from thirdcard.vision.inference.alignment import REACH_PX, pulled_back, push_px
from thirdcard.vision.inference.stack_change import FATES, HEIGHT_PX, WIDTH_PX, middle_of
from thirdcard.vision.inference.stack_height import CropFrame, stack_crop

MARGIN_PX = 4
EXAM_WORLDS, EXAM_MOMENTS, EXAM_SEED = 4, 3, 78
FRAMES = 4
"""Frames of each moment; all but the first few are averaged."""
FRAME_S = 0.07
CHANGES = (0, 1, -1, 2, -2, 3, -3, 5, -5)
CHANGE_ODDS = (0.43, 0.155, 0.155, 0.05, 0.05, 0.04, 0.04, 0.04, 0.04)
TOUCHES, TOUCH_ODDS = ("none", "nudged", "twisted", "both"), (0.48, 0.36, 0.06, 0.10)
AWAY, ARMS, CARDS_KEPT = 0.12, 0.25, 0.75
"""Shares of stacks removed at a moment, of moments with hands on the table, and of cards that stay."""
NEAR = 0.45
"""Share of worlds whose camera shows only a part of the table, at a larger scale."""
TRUTH = (
    "added", "chip_px", "count", "touch", "nudge_mm", "visible", "distance_mm", "camera_height_mm",
    "displacement_px", "foot_x_px", "foot_y_px", "px_per_mm", "frames", "push_x_px", "push_y_px",
)  # fmt: skip
"""Columns of a pair's labels: number of chips added, height of one chip in px of the crop, chips before, index in
TOUCHES, and so on. Displacement and foot are of the crop before, `px_per_mm` is the camera's scale at the stack,
`frames` is the number averaged, and the push is the result of the alignment."""


@dataclass(frozen=True, slots=True)
class TableMoment:
    """One state of a table."""

    scene: Scene
    stacks: Mapping[str, ChipStack]
    """All stacks, including those that are currently removed."""
    touches: Mapping[str, int]
    """Index in TOUCHES of what happened to each stack since the previous moment."""


@dataclass(frozen=True, slots=True, eq=False)
class MomentPicture:
    """Some frames of one moment."""

    images: Sequence[Image]
    outlines: Mapping[str, RenderedObject]
    """The stacks that are visible enough, by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """The crops of one stack before and after, with the labels."""

    before: Image
    """As large as the gauge's crops with their margin."""
    after: Image
    """As large as the comparer's crops with their margin."""
    moved: Image
    """The crop after, at the place to which the stack was pushed."""
    truth: Sequence[float]


def first_moment(world: World, rng: np.random.Generator) -> TableMoment:
    """Draw a table that nobody has touched yet."""
    scene = stack_scene(world, rng, wanted=66, arms=1.0)
    stacks = {stack.object_id: stack for stack in scene.stacks}
    return TableMoment(scene, stacks, dict.fromkeys(stacks, 0))


def next_moment(world: World, before: TableMoment, rng: np.random.Generator) -> TableMoment:
    """Draw the table after hands have changed it."""
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
    return TableMoment(replace(before.scene, t=before.scene.t + 7.0, light=light), stacks, touches)


def with_change(world: World, stack: ChipStack, change: int, rng: np.random.Generator) -> ChipStack:
    """Return the stack with `change` chips added or removed; unchanged if the count would be out of range.

    Half the time, added chips are of the same kind as the top chip.
    """
    count = len(stack.chips) + change
    if not 1 <= count <= MOST_CHIPS:
        return stack
    kind = stack.chips[-1] if rng.random() < 0.5 else int(rng.integers(len(world.chips.chips)))
    return replace(stack, chips=(*stack.chips[:count], *(kind for _ in range(change))))


def shown(world: World, moment: TableMoment, rng: np.random.Generator) -> Scene:
    """Return what is on the table at a moment: some stacks and cards are missing, and usually the hands."""
    scene = moment.scene
    return replace(
        scene,
        stacks=far_first(world, [stack for stack in moment.stacks.values() if rng.random() >= AWAY]),
        cards=tuple(card for card in scene.cards if rng.random() < CARDS_KEPT),
        arms=scene.arms if rng.random() < ARMS else (),
    )


def taken(renderer: SceneRenderer, scene: Scene) -> MomentPicture:
    """Render a few frames of a scene, before recording."""
    rendered, images = renderer.still(scene, shots=FRAMES, apart_s=FRAME_S)
    outlines = {
        thing.object_id: thing
        for thing in rendered.objects
        if thing.kind == "chips" and thing.visible >= LEAST_VISIBLE and np.isfinite(thing.layout_polygon_mm).all()
    }
    return MomentPicture(images, outlines)


def recorded(pictures: Sequence[MomentPicture], recorder: Recorder) -> list[MomentPicture]:
    """Pass all moments through one recorder."""
    images = iter(recorder.recorded([image for picture in pictures for image in picture.images]))
    return [replace(picture, images=[next(images) for _ in picture.images]) for picture in pictures]


def pairs_of(
    eye: Eye,
    before: tuple[TableMoment, MomentPicture],
    after: tuple[TableMoment, MomentPicture],
    rng: np.random.Generator,
) -> list[Pair]:
    """Return the crops before and after, with labels, of each stack that both pictures show."""
    pairs = []
    frames = int(rng.integers(1, FRAMES))
    sharp = before[1].images[-frames:], after[1].images[-frames:]
    for name in sorted(before[1].outlines.keys() & after[1].outlines.keys() & before[0].stacks.keys()):
        error = rng.normal(0, np.hypot(LASTING_BOX_ERROR_MM, PASSING_BOX_ERROR_MM / np.sqrt(frames)), 2)
        frame = eye.frame(before[1].outlines[name].layout_polygon_mm, error)
        first = mean_crop(
            eye, sharp[0], frame, (stack_height.WIDTH_PX, stack_height.HEIGHT_PX), height_school.MARGIN_PX
        )
        wide = mean_crop(eye, sharp[1], frame, (WIDTH_PX, HEIGHT_PX), MARGIN_PX + REACH_PX)
        if first is not None and wide is not None:
            stacks = before[0].stacks[name], after[0].stacks[name]
            visible = min(picture.outlines[name].visible for _, picture in (before, after))
            truth = _truth(eye, frame, stacks, after[0].touches[name], visible)
            size = (WIDTH_PX + 2 * MARGIN_PX, HEIGHT_PX + 2 * MARGIN_PX)
            push = push_px(middle_of(first), wide)
            moved = pulled_back(wide, push, size_wh_px=size)
            after_crop = wide[REACH_PX:-REACH_PX, REACH_PX:-REACH_PX]
            pairs.append(Pair(first, after_crop, moved, [*truth, frames, *push]))
    return pairs


def fates_of(added: npt.NDArray[np.floating], touch: npt.NDArray[np.floating]) -> npt.NDArray[np.int64]:
    """Return indices in FATES from the label columns `added` and `touch`, all (N,)."""
    fates = np.sign(np.round(added)).astype(np.int64) + FATES.index("same")
    return np.where((fates == FATES.index("same")) & (touch >= TOUCHES.index("twisted")), FATES.index("anew"), fates)


def mean_crop(
    eye: Eye, images: Sequence[Image], frame: CropFrame, size_wh_px: tuple[int, int], margin_px: int
) -> Image | None:
    """Return a stack's mean crop over frames; None if the camera does not show all of it."""
    size = (size_wh_px[0] + 2 * margin_px, size_wh_px[1] + 2 * margin_px)
    crops = [stack_crop(image, eye.camera, frame, size_wh_px=size) for image in images]
    seen = [crop for crop in crops if crop is not None]
    if len(seen) < len(crops):
        return None
    return np.asarray(np.rint(np.mean(seen, axis=0)), np.uint8)


def draw_world(split: Split, *, seed: int, index: int, moments: int) -> dict[str, npt.NDArray[np.generic]]:
    """Draw one world's pairs.

    Returns:
        `before`, `after` and `moved`, (N, height, width, 3) uint8 BGR, and `truths`, (N, len(TRUTH)).
    """
    rng = np.random.default_rng([seed, index, 5 if split == "train" else 6])
    world, renderer = open_world(rng, split, near=NEAR)
    eye = Eye(world)
    chain = [first_moment(world, rng)]
    for _ in range(moments - 1):
        chain.append(next_moment(world, chain[-1], rng))
    pictures = recorded([taken(renderer, shown(world, moment, rng)) for moment in chain], random_recorder(rng))
    states = list(zip(chain, pictures, strict=True))
    pairs = [pair for k in range(1, moments) for pair in pairs_of(eye, states[k - 1], states[k], rng)]
    return {
        "before": np.array([pair.before for pair in pairs], np.uint8),
        "after": np.array([pair.after for pair in pairs], np.uint8),
        "moved": np.array([pair.moved for pair in pairs], np.uint8),
        "truths": np.array([pair.truth for pair in pairs], np.float32),
    }


def draw_exam(folder: Path) -> None:
    """Draw held-out worlds for the final evaluation of gauge and comparer; not for training or thresholds."""

    def draw(index: int) -> dict[str, npt.NDArray[np.generic]]:
        return draw_world("held_out", seed=EXAM_SEED, index=index, moments=EXAM_MOMENTS)

    write_worlds(folder, f"held_out-{EXAM_SEED}", range(EXAM_WORLDS), draw)


def _truth(eye: Eye, frame: CropFrame, stacks: tuple[ChipStack, ChipStack], touch: int, visible: float) -> list[float]:
    old, new = stacks
    tall = -float(eye.centre_mm[2])
    distance = float(np.hypot(new.at_mm[0] - eye.centre_mm[0], new.at_mm[1] - eye.centre_mm[1]))
    thick = eye.chips.thickness_mm
    middle = tall - thick * (len(old.chips) + len(new.chips)) / 2
    chip_px = distance * tall * thick / middle**2 * frame.px_per_mm
    nudge = float(np.hypot(new.at_mm[0] - old.at_mm[0], new.at_mm[1] - old.at_mm[1]))
    added = len(new.chips) - len(old.chips)
    displacement_px, foot_x_px, foot_y_px = eye.truth(old, frame, visible)[:3].tolist()
    row = [added, chip_px, len(old.chips), touch, nudge, visible, distance, tall]
    return [*row, displacement_px, foot_x_px, foot_y_px, eye.px_per_mm(old.at_mm)]


def _is_too_near(stack: ChipStack, others: Mapping[str, ChipStack], diameter_mm: float) -> bool:
    return any(
        name != stack.object_id
        and np.hypot(other.at_mm[0] - stack.at_mm[0], other.at_mm[1] - stack.at_mm[1]) < diameter_mm
        for name, other in others.items()
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw worlds with the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.change_school", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/comparer"))
    parser.add_argument("--worlds", type=int, default=300)
    parser.add_argument("--first-world", type=int, default=0)
    parser.add_argument("--moments", type=int, default=7, help="pictures a world, about 50 stacks each")
    parser.add_argument("--split", choices=("train", "held_out"), default="train")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    def draw(index: int) -> dict[str, npt.NDArray[np.generic]]:
        return draw_world(options.split, seed=options.seed, index=index, moments=options.moments)

    worlds = range(options.first_world, options.first_world + options.worlds)
    write_worlds(options.out, f"{options.split}-{options.seed}", worlds, draw)


if __name__ == "__main__":
    main()
