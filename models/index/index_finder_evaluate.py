"""Evaluate how well indices are detected in scenes of decks not used in training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thirdcard.models.index.index_bank import IndexBank
from thirdcard.models.index.index_finder_school import judge
from thirdcard.models.index.index_scenes import IndexScene, SceneLesson, SceneSchool
from thirdcard.vision.inference.index_finder import Indices, decode_indices, without_doubles

SCORES = (0.2, 0.3, 0.4, 0.5)
NEAR = 0.35
"""Maximum distance of a detection from an index, in heights of that index."""
HEIGHT_BANDS_PX = ((11, 15), (15, 21), (21, 30), (30, 43))

Maps = Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinderCounts:
    """Counts over scenes."""

    wanted: int
    found: int
    false: int
    upright: int
    """Detected indices whose direction is within 25 degrees."""
    by_height: dict[str, tuple[int, int]]
    """(detected, wanted) by height of the index."""

    @property
    def precision(self) -> float:
        """Share of the detections that are correct."""
        return self.found / max(1, self.found + self.false)

    @property
    def recall(self) -> float:
        """Share of the wanted indices that are detected."""
        return self.found / max(1, self.wanted)


def draw_scenes(
    banks: Sequence[IndexBank], *, seed: int, count: int, lesson: SceneLesson | None = None
) -> list[IndexScene]:
    """Draw scenes for evaluation."""
    school = SceneSchool(banks, seed=seed, lesson=lesson or SceneLesson())
    return [school.scene() for _ in range(count)]


def judge_maps(net: Any, scenes: Sequence[IndexScene]) -> str:
    """Return the precision and recall of a torch network at several scores, as one line."""
    maps = torch_maps(net)
    told = [maps(scene.picture) for scene in scenes]
    parts = []
    for score in SCORES:
        found = count_found([without_doubles(decode_indices(each, score=score)) for each in told], scenes)
        turned = found.upright / max(1, found.found)
        parts.append(f"at {score}: precision {found.precision:.3f} recall {found.recall:.3f} upright {turned:.3f}")
    sizes = ", ".join(f"{band} px {a / max(1, b):.3f}" for band, (a, b) in found.by_height.items())
    return "; ".join([*parts, sizes])


def torch_maps(net: Any) -> Maps:
    """Return a function from a picture (H, W, 3) RGB to the network's output (7, H / 4, W / 4)."""
    import torch

    device = next(net.parameters()).device

    def maps(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        with torch.no_grad():
            shown = torch.from_numpy(picture).to(device).permute(2, 0, 1)[None].float() / 255
            return np.asarray(net(shown)[0].float().cpu().numpy())

    return maps


def count_found(found: Sequence[Indices], scenes: Sequence[IndexScene]) -> FinderCounts:
    """Count correct and false detections in scenes; indices that need not be detected count neither way."""
    wanted = hits = false = upright = 0
    bands = {f"{low}-{high}": [0, 0] for low, high in HEIGHT_BANDS_PX}
    for indices, scene in zip(found, scenes, strict=True):
        verdicts = judge(scene)
        taken: set[int] = set()
        for i in range(len(indices)):
            away = np.linalg.norm(scene.centres_px - indices.centres_px[i], axis=1) / scene.sizes_px[:, 1]
            free = [j for j in np.flatnonzero((away < NEAR) & (verdicts >= 0)) if j not in taken]
            if not free:
                false += 1
                continue
            best = int(min(free, key=lambda j: (-verdicts[j], away[j])))
            taken.add(best)
            if verdicts[best] == 1:
                hits += 1
                upright += bool(scene.ups[best] @ indices.ups[i] > np.cos(np.deg2rad(25)))
        wanted += int((verdicts == 1).sum())
        for (low, high), band in zip(HEIGHT_BANDS_PX, bands.values(), strict=True):
            of_band = np.flatnonzero((verdicts == 1) & (scene.sizes_px[:, 1] >= low) & (scene.sizes_px[:, 1] < high))
            band[0] += sum(int(j) in taken for j in of_band)
            band[1] += len(of_band)
    return FinderCounts(
        wanted=wanted, found=hits, false=false, upright=upright, by_height={k: (a, b) for k, (a, b) in bands.items()}
    )
