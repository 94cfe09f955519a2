"""Examine the gauge of the registry: `python -m models.gauge_evaluate --pairs build/gauge-pairs`.

Reads what `models.gauge_pairs` drew of held-out worlds and prints the errors of the displacement, the share of counts
that are right, and of decisions grew, same, shrank at a threshold that rarely calls an untouched stack changed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.gauge_school import TRUTH
from vision.gauge import Sureness
from vision.model_spec import REGISTRY_PATH, load_model_spec
from vision.session import ModelSession

FALSE_CHANGES = 0.005
SCALES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
BATCH = 32
Values = npt.NDArray[np.float64]
Run = Callable[[npt.NDArray[np.uint8]], Values]
"""Crops, (N, height, width, 3) uint8 BGR, to (N, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """What was told of all pairs, one row a stack, in mm, and what was true."""

    told_before: Values
    """(N, looks): displacements before."""
    told_after: Values
    scale_mm: Values
    """(N,) of both errors together, as the gauge itself puts it."""
    before: Mapping[str, Values]
    """(N, looks) a column of the truth, lengths in mm."""
    after: Mapping[str, Values]

    @property
    def chip_mm(self) -> Values:
        """(N,) how far one chip displaces the top there."""
        return (self.before["chip_mm"][:, 0] + self.after["chip_mm"][:, 0]) / 2

    @property
    def added(self) -> npt.NDArray[np.int64]:
        """(N,) chips added, negative where taken."""
        return np.round(self.after["count"][:, 0] - self.before["count"][:, 0]).astype(np.int64)

    @property
    def change_mm(self) -> Values:
        """(N,) how far the displacement is told to have changed, a nudge allowed for."""
        carried = np.maximum(self.after["distance_mm"], 50.0) / np.maximum(self.before["distance_mm"], 50.0)
        return np.asarray(self.told_after.mean(axis=1) - self.told_before.mean(axis=1) * carried[:, 0], np.float64)


def examine(folder: Path, run: Run) -> Examination:
    """Let the gauge look at everything in a folder."""
    parts: list[tuple[Values, ...]] = []
    for path in sorted(folder.glob("pairs-*.npz")):
        with np.load(path) as file:
            told = [_told_mm(run, file[f"{when}_crops"], file[f"{when}_truths"]) for when in ("before", "after")]
            truths = [file[f"{when}_truths"].astype(np.float64) for when in ("before", "after")]
            scale = np.hypot(told[0][1].mean(axis=1), told[1][1].mean(axis=1))
            parts.append((told[0][0], told[1][0], scale, truths[0], truths[1]))
    if not parts:
        raise FileNotFoundError(f"{folder}: no pairs-*.npz; models.gauge_pairs writes them")
    first, second, scale, before, after = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Examination(
        told_before=first, told_after=second, scale_mm=scale, before=_columns(before), after=_columns(after)
    )


def report(found: Examination) -> str:
    """The figures as text."""
    sureness = best_sureness(found)
    lines = [f"stacks: {len(found.added)}, looks averaged: {found.told_before.shape[1]}", ""]
    lines += [*_errors(found), "", *_counts(found), "", *_decisions(found, sureness)]
    return "\n".join(lines)


def best_sureness(found: Examination) -> Sureness:
    """Of those that call at most FALSE_CHANGES of the unchanged stacks changed, what finds most of the others."""
    tried = [Sureness(floor_mm=floor_mm(found, scales), scales=scales) for scales in SCALES]
    changed = found.added != 0
    return max(tried, key=lambda each: float(_is_right(found, each)[changed].mean()))


def floor_mm(found: Examination, scales: float) -> float:
    """The floor that a number of scales needs."""
    change = np.abs(found.change_mm)
    sure = np.where(change >= scales * found.scale_mm, change, 0.0)
    return float(np.quantile(sure[found.added == 0], 1 - FALSE_CHANGES)) + 1e-6


def said(found: Examination, sureness: Sureness) -> Values:
    """(N,) 1 grew, -1 shrank, 0 nothing that is sure."""
    least = np.maximum(sureness.floor_mm, sureness.scales * found.scale_mm)
    return np.asarray(np.sign(found.change_mm) * (np.abs(found.change_mm) >= least), np.float64)


def _is_right(found: Examination, sureness: Sureness) -> npt.NDArray[np.bool_]:
    return np.asarray(said(found, sureness) == np.sign(found.added), np.bool_)


def _errors(found: Examination) -> list[str]:
    error = np.abs(found.told_before - found.before["displacement_mm"]).ravel()
    lines = [f"error of the displacement, one look, mm: {_spread(error)}"]
    for name, edges in (
        ("camera_height_mm", (0, 2000, 2500, 9999)),
        ("tilt_deg", (0, 10, 20, 90)),
        ("distance_mm", (0, 400, 800, 1200, 9999)),
        ("visible", (0, 0.8, 0.97, 1.01)),
    ):
        values = found.before[name].ravel()
        for low, high in itertools.pairwise(edges):
            rows = (values >= low) & (values < high)
            if rows.any():
                lines.append(f"  {name} {low} to {high}: {_spread(error[rows])} ({rows.sum()} looks)")
    return lines


def _counts(found: Examination) -> list[str]:
    tall, away = found.before["camera_height_mm"][:, 0], np.maximum(found.before["distance_mm"][:, 0], 1.0)
    ratio = np.maximum(found.told_before.mean(axis=1), 0) / away
    thickness = _thickness(found)
    told = np.maximum(np.round(tall * ratio / (1 + ratio) / thickness), 1)
    count = np.round(found.before["count"][:, 0])
    lines = ["counts where a chip shows as 0.7 mm or more: exact, within 1"]
    for low, high in ((1, 1), (2, 3), (4, 5), (6, 10), (11, 20)):
        rows = (count >= low) & (count <= high) & (found.chip_mm >= 0.7)
        if rows.any():
            exact, near = np.mean(told[rows] == count[rows]), np.mean(np.abs(told[rows] - count[rows]) <= 1)
            lines.append(f"  {low} to {high} chips: {exact:.1%}, {near:.1%} ({rows.sum()} stacks)")
    return lines


def _thickness(found: Examination) -> Values:
    """(N,) mm, from the truth: h = H q / (1 + q)."""
    ratio = found.before["displacement_mm"][:, 0] / np.maximum(found.before["distance_mm"][:, 0], 1e-3)
    height = found.before["camera_height_mm"][:, 0] * ratio / (1 + ratio)
    return np.asarray(height / found.before["count"][:, 0], np.float64)


def _decisions(found: Examination, sureness: Sureness) -> list[str]:
    told, truth, right = said(found, sureness), np.sign(found.added), _is_right(found, sureness)
    lines = [
        f"decisions, sure from {sureness.floor_mm:.2f} mm and {sureness.scales} scales on"
        f" (at most {FALSE_CHANGES:.1%} of unchanged stacks called changed):"
    ]
    for low, high in itertools.pairwise((0.0, 0.5, 1.0, 1.5, 2.0, 99.0)):
        band = (found.chip_mm >= low) & (found.chip_mm < high)
        lines.append(f"  where a chip shows as {low} to {high} mm")
        for size in (0, 1, 2, 3, 5):
            rows = band & (np.abs(found.added) == size)
            if rows.any():
                wrong = told[rows] * truth[rows] < 0
                lines.append(
                    f"    {size} chips added or taken: right {right[rows].mean():.1%},"
                    f" other way {wrong.mean():.1%} ({rows.sum()})"
                )
    return lines


def _told_mm(run: Run, crops: npt.NDArray[np.uint8], truths: npt.NDArray[np.float32]) -> tuple[Values, Values]:
    """Displacements and scales, (N, looks) each."""
    flat = crops.reshape(-1, *crops.shape[2:])
    told = np.concatenate([run(flat[i : i + BATCH]) for i in range(0, len(flat), BATCH)])
    px_per_mm = truths[:, :, TRUTH.index("px_per_mm")]
    displacement, scale = told[:, 0].reshape(px_per_mm.shape), np.exp(told[:, 1]).reshape(px_per_mm.shape)
    return displacement / px_per_mm, scale / px_per_mm


def _columns(truths: Values) -> dict[str, Values]:
    scale = truths[:, :, TRUTH.index("px_per_mm")]
    columns = {name: truths[:, :, i] for i, name in enumerate(TRUTH)}
    for name in ("displacement", "chip"):
        columns[f"{name}_mm"] = columns[f"{name}_px"] / scale
    return columns


def _spread(error: Values) -> str:
    low, middle, high = np.quantile(error, (0.5, 0.9, 0.99))
    return f"mean {error.mean():.2f}, median {low:.2f}, 90 % {middle:.2f}, 99 % {high:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Examines and prints."""
    parser = argparse.ArgumentParser(prog="python -m models.gauge_evaluate", description=__doc__)
    parser.add_argument("--pairs", type=Path, default=Path("build/gauge-pairs"))
    parser.add_argument("--registry", type=Path, default=REGISTRY_PATH)
    options = parser.parse_args(arguments)
    session = ModelSession.open(load_model_spec("gauge", options.registry))
    found = examine(options.pairs, lambda crops: session.run(list(crops)).astype(np.float64))
    sys.stdout.write(report(found) + "\n")


if __name__ == "__main__":
    main()
