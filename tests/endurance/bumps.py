"""Bump rendered cameras, and measure whether each bump is noticed and how exact the new calibration is.

    python -m tests.endurance.bumps --bumps 100 --out bumps.jsonl

Tables of the shipped scripts are filmed during play. Then the camera is turned by up to 2 degrees, moved by up to
30 mm, or both, and play continues. The file has one line for each bump: the seconds until it was reported, and the
error of the calibration in use at the end. That error is the largest in the card boxes and wagering areas, in
millimetres. Bumps that move no place of these by more than half a millimetre harm nothing, and are counted apart.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.repository import ROOT
from tests.vision.printed_cloth import bumped
from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.datasets.decks.deck import load_deck
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.datasets.script.render import moments_of, prepare
from thirdcard.datasets.script.script import load_script
from thirdcard.vision.frames import Frame
from thirdcard.vision.health.camera_health import CameraHealth
from thirdcard.vision.observations import CameraRefitted, PictureFault, PictureFaulted
from thirdcard.vision.plane.change_gate import SMALL_WH_PX

SCRIPTS = ROOT / "datasets" / "scripts" / "tuning"
TABLES = ("01-tas-a", "03-sg-rws-lamp", "05-nz-secretary-a", "10-nz-authority-b", "11-nsw-b-even-money")
MOST_DEG, MOST_MM = 2.0, 30.0
RATE_HZ = 10.0
PRINT_PX_PER_MM = 1.5
"""The resolution of the nearest camera on the cloth."""
BEFORE_S, AFTER_S = 1.5, 4.0
NOTICED_S, SAFE_MM, WRONG_MM = 2.0, 2.0, 8.0
"""Requirements: a bump is noticed within `NOTICED_S`, and the new calibration's error is below `SAFE_MM`. No
calibration with an error above `WRONG_MM` may stay in use unreported."""
HARMLESS_MM = 0.5
"""Bumps that show less than this on the cloth may stay unnoticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bumped:
    """The result of one bump."""

    table: str
    turned_deg: float
    moved_mm: float
    """How far the camera was moved."""
    shows_mm: float
    """The largest error of the old calibration in the card boxes and wagering areas."""
    noticed_s: float | None
    fitted_s: float | None
    is_used: bool
    off_mm: float
    """The largest error of the calibration in use at the end, in the same areas."""
    within_mm: float | None
    """The error that the fit itself states; None if there was no fit."""


class Filmed:
    """A table during play, rendered as any camera would film it."""

    def __init__(self, name: str) -> None:
        path = SCRIPTS / f"{name}.yaml"
        self.name, self.script = name, load_script(path)
        self.job, _ = prepare(self.script, path.parent)
        self.world = replace(self.job.world, print_px_per_mm=PRINT_PX_PER_MM)
        self.layout: Layout = self.world.layout
        self.camera: Calibration = self.world.camera
        self.began_t = self.job.timeline.end * 0.3
        self.before = list(self._frames(self.camera, 0.0, BEFORE_S))

    def bump(self, camera: Calibration) -> Iterator[Frame]:
        """Yield the frames before and after a bump that leaves the camera as given."""
        yield from self.before
        yield from self._frames(camera, BEFORE_S, BEFORE_S + AFTER_S)

    def _frames(self, camera: Calibration, from_t: float, to_t: float) -> Iterator[Frame]:
        renderer = SceneRenderer(replace(self.world, camera=camera), deck=load_deck(self.world.deck, None))
        for index in range(round(from_t * RATE_HZ), round(to_t * RATE_HZ)):
            t = index / RATE_HZ
            moments = moments_of(self.job.timeline, self.began_t + t, blur=True)
            yield Frame(index, t, renderer.render(moments).image_hw3)


def off_mm(layout: Layout, found: Calibration, true: Calibration) -> float:
    """Return the largest error of a calibration in the card boxes and wagering areas, in mm."""
    points = np.concatenate([area.polygon_mm for kind in ("hand", "wager") for area in layout.of_kind(kind)])
    seen_px = true.image_from_layout(points)
    inside = ((seen_px >= 0) & (seen_px <= np.array(true.image_size_wh_px) - 1)).all(axis=1)
    gone = found.layout_from_image(seen_px[inside]) - points[inside]
    return float(np.nan_to_num(np.linalg.norm(gone, axis=1), nan=1e4).max())


def try_bump(table: Filmed, dice: np.random.Generator) -> Bumped:
    """Bump the table's camera at random, and return what followed."""
    kind = dice.integers(3)
    turned_deg = 0.0 if kind == 1 else float(dice.uniform(0.0, MOST_DEG))
    moved = 0.0 if kind == 0 else float(dice.uniform(0.0, MOST_MM))
    axis, way = (each / np.linalg.norm(each) for each in dice.normal(size=(2, 3)))
    true = bumped(table.camera, axis * np.radians(turned_deg), way * moved)
    health = CameraHealth(table.camera, table.layout.size_mm)
    noticed_s, fitted, held = None, None, table.camera
    for frame in table.bump(true):
        for told in health.update(frame, frame.small(SMALL_WH_PX)):
            if isinstance(told, PictureFaulted) and told.fault is PictureFault.MOVED and noticed_s is None:
                noticed_s = frame.t - BEFORE_S
            if isinstance(told, CameraRefitted):
                fitted = fitted or told
                held = told.calibration if told.is_used else held
    return Bumped(
        table=table.name,
        turned_deg=round(turned_deg, 2),
        moved_mm=round(moved, 1),
        shows_mm=round(off_mm(table.layout, table.camera, true), 2),
        noticed_s=None if noticed_s is None else round(noticed_s, 2),
        fitted_s=None if fitted is None else round(fitted.t - BEFORE_S, 2),
        is_used=fitted is not None and fitted.is_used,
        off_mm=round(off_mm(table.layout, held, true), 2),
        within_mm=None if fitted is None else round(fitted.within_mm, 2),
    )


def summary(tried: list[Bumped]) -> str:
    """Return the figures to compare with the requirements, one on each line."""
    noticed = [one for one in tried if one.noticed_s is not None and one.noticed_s <= NOTICED_S]
    missed = [one for one in tried if one not in noticed]
    used = [one for one in tried if one.is_used]
    lines = [
        f"{len(tried)} bumps, noticed within {NOTICED_S:.0f} s: {len(noticed)}",
        f"not noticed though they show more than {HARMLESS_MM:g} mm on the cloth: "
        f"{sum(one.shows_mm > HARMLESS_MM for one in missed)} of {len(missed)}",
        f"corrected to under {SAFE_MM:.0f} mm: {sum(one.off_mm < SAFE_MM for one in used)}",
        f"calibration in use with an error above {WRONG_MM:.0f} mm, unreported: "
        f"{sum(one.off_mm > WRONG_MM and (one.is_used or one.noticed_s is None) for one in tried)}",
    ]
    if used:
        off = np.array([one.off_mm for one in used])
        lines.append(f"error of the new calibrations: median {np.median(off):.2f} mm, largest {off.max():.2f} mm")
    return "\n".join(lines)


def main() -> None:
    """Bump the cameras, write a JSON line for each bump, and print the figures."""
    parser = argparse.ArgumentParser(description="Bump rendered cameras, and measure how each bump is noticed.")
    parser.add_argument("--bumps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("bumps.jsonl"))
    args = parser.parse_args()
    dice, tried = np.random.default_rng(args.seed), []
    with args.out.open("w", encoding="utf-8") as file:
        for name in TABLES:
            table = Filmed(name)
            for _ in range(args.bumps // len(TABLES)):
                tried.append(try_bump(table, dice))
                line = {name: getattr(tried[-1], name) for name in Bumped.__slots__}
                print(json.dumps(line), file=file, flush=True)
    print(summary(tried))


if __name__ == "__main__":
    main()
