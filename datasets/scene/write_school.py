"""Write the detector's training set in Ultralytics' layout.

    python -m thirdcard.datasets.scene.write_school --out DIR

Each world is one job; a job that is already done (its marker file exists) is skipped, so an interrupted run continues
where it stopped. Splits are written side by side: `images/train`, and `images/val` for held-out worlds.
"""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from thirdcard.datasets.decks.backs import draw_back_like
from thirdcard.datasets.decks.canvas import with_round_corners
from thirdcard.datasets.decks.deck import Deck, deck_names, load_deck
from thirdcard.datasets.decks.picture_backs import draw_picture_back
from thirdcard.datasets.scene.looks import look_of
from thirdcard.datasets.scene.model import World
from thirdcard.datasets.scene.random_scene import random_scene
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.datasets.scene.tiles import CLASSES, label_lines, school_tiles
from thirdcard.datasets.scene.worlds import Split, random_world

LOG = logging.getLogger(__name__)
BACKS_LIKE_CLOTH = {"train": 0.3, "held_out": 0.0}
"""Share of the worlds of each split that have such backs. The held-out tiles were made before there were any."""
PICTURE_BACKS = {"train": 0.35, "held_out": 0.0}
"""Share of the other worlds that have backs with a picture; likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One world's share of the training set."""

    out: Path
    split: Split
    seed: int
    index: int
    scenes: int
    tiles: int
    artwork: Path | None
    backs_like_cloth: float | None = None
    """Probability that this world's cards have backs in the colour of its cloth; None: as usual for its split."""
    decks: tuple[str, ...] = ()
    """Names of the decks to choose from; none: all of its split."""

    @property
    def stem(self) -> str:
        """The beginning of its files' names."""
        return f"{self.split}-{self.seed}-{self.index:06d}"

    @property
    def folder(self) -> str:
        """The name of the split's folder in Ultralytics' layout."""
        return "train" if self.split == "train" else "val"


def run_job(job: Job) -> int:
    """Render one world's tiles; return how many pictures were written."""
    done = job.out / "done" / job.stem
    if done.exists():
        return 0
    cv2.setNumThreads(1)
    rng = np.random.default_rng([job.seed, job.index, 0 if job.split == "train" else 1])
    names = job.decks or tuple(deck_names(job.split, job.artwork))
    world = random_world(rng, job.split, names)
    deck = deck_of(world, job.split, names, job.artwork, backs_like_cloth=job.backs_like_cloth)
    renderer = SceneRenderer(world, deck=deck)
    written = 0
    for i in range(job.scenes):
        scene = random_scene(world, rng, faces=deck.cards)
        for j, tile in enumerate(school_tiles(world, scene, rng, count=job.tiles, renderer=renderer)):
            name = f"{job.stem}-{i:03d}-{j}"
            picture = job.out / "images" / job.folder / f"{name}.jpg"
            cv2.imwrite(str(picture), tile.image_hw3, [cv2.IMWRITE_JPEG_QUALITY, 95])
            (job.out / "labels" / job.folder / f"{name}.txt").write_text(label_lines(tile.boxes), encoding="utf-8")
            written += 1
    done.write_text(str(written), encoding="utf-8")
    return written


def deck_of(
    world: World, split: Split, names: Sequence[str], artwork: Path | None, *, backs_like_cloth: float | None = None
) -> Deck:
    """Load a world's deck; in some worlds give it a back in the colour of the cloth, or one with a picture.

    Args:
        world: Names the deck, and decides by its seed which back the deck gets.
        split: Decides how many worlds have such backs.
        names: The decks whose cards such a picture may show.
        artwork: The folder of rasterised decks.
        backs_like_cloth: Probability of a back in the colour of the cloth; None: as usual for the split.
    """
    deck = load_deck(world.deck, artwork)
    dyeing = np.random.default_rng([world.seed, 3])
    if dyeing.random() < (BACKS_LIKE_CLOTH[split] if backs_like_cloth is None else backs_like_cloth):
        return _with_back_like_cloth(deck, world, dyeing)
    if dyeing.random() < PICTURE_BACKS[split]:
        return _with_picture_back(deck, load_deck(str(dyeing.choice(names)), artwork), dyeing)
    return deck


def _with_back_like_cloth(deck: Deck, world: World, rng: np.random.Generator) -> Deck:
    blue, green, red = (round(value) for value in look_of(world.style, world.seed).cloth.colour)
    back = with_round_corners(draw_back_like(rng, (red, green, blue)))
    return replace(deck, draw_back=lambda: back)


def _with_picture_back(deck: Deck, shown: Deck, rng: np.random.Generator) -> Deck:
    """Give a deck a back with a picture; where the picture shows cards, they are those of the deck `shown`."""
    faces = [shown.face(card) for card in rng.choice(shown.cards, int(rng.integers(1, 6)))]
    back = with_round_corners(draw_picture_back(rng, faces))
    return replace(deck, draw_back=lambda: back)


def prepare(out: Path) -> None:
    """Create the folders and `data.yaml`."""
    for kind in ("images", "labels"):
        for split in ("train", "val"):
            (out / kind / split).mkdir(parents=True, exist_ok=True)
    (out / "done").mkdir(exist_ok=True)
    names = "\n".join(f"  {i}: {name}" for i, name in enumerate(CLASSES))
    text = f"path: {out.resolve()}\ntrain: images/train\nval: images/val\nnames:\n{names}\n"
    (out / "data.yaml").write_text(text, encoding="utf-8")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--first-world", type=int, default=0)
    parser.add_argument("--scenes-per-world", type=int, default=12)
    parser.add_argument("--tiles-per-scene", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=("train", "held_out"), default="train")
    parser.add_argument(
        "--backs-like-cloth", type=float, help="share of the worlds whose backs have the cloth's colour"
    )
    parser.add_argument("--decks", default="", help="names of the only decks to use, with commas between them")
    parser.add_argument("--processes", type=int, default=max((os.cpu_count() or 2) - 1, 1))
    parser.add_argument("--artwork", type=Path, default=None, help="folder of rasterised decks")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    prepare(args.out)
    jobs = [
        Job(
            out=args.out, split=args.split, seed=args.seed, index=i, scenes=args.scenes_per_world,
            tiles=args.tiles_per_scene, artwork=args.artwork, backs_like_cloth=args.backs_like_cloth,
            decks=tuple(filter(None, args.decks.split(","))),
        )
        for i in range(args.first_world, args.first_world + args.worlds)
    ]  # fmt: skip
    total = 0
    with ProcessPoolExecutor(max_workers=args.processes) as pool:
        futures = [pool.submit(run_job, job) for job in jobs]
        for number, future in enumerate(as_completed(futures), start=1):
            try:
                total += future.result()
            except Exception:
                LOG.exception("a world failed; run again to repeat it")
            if number % 10 == 0 or number == len(jobs):
                LOG.info("%d of %d worlds, %d pictures", number, len(jobs), total)


if __name__ == "__main__":
    main()
