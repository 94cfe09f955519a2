"""Evaluate the registered gauge: `python -m thirdcard.models.stacks.height_evaluate --pairs build/gauge-pairs`.

Reads the pairs that `thirdcard.models.stacks.height_pairs` drew of held-out worlds. Prints the errors of the
displacement, the accuracy of chip counts, and how often the displacement alone detects a change with its direction, or
calls an untouched stack changed. With `--looks FOLDER` it reads the crops before from
`thirdcard.models.stacks.change_school --split held_out` instead, and prints errors and counts by chip size in px.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thirdcard.models.stacks.change_school import TRUTH as LOOK_TRUTH
from thirdcard.models.stacks.height_school import MARGIN_PX, TRUTH
from thirdcard.vision.chips.change_direction import Growth, GrowthOptics, averaged, growth_of
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.stack_height import COLUMNS, CropFrame, Gauging, HeightSureness, StackGauge, gauging_of

FALSE_CHANGES = 0.005
THICKNESS_MM = 3.3
"""Mean thickness; drawn chips are 3.0 to 3.6 mm thick. Counts from displacements do not depend on it."""
BATCH = 32
Values = npt.NDArray[np.float64]
Run = Callable[[Sequence[Image]], Values]
"""A function from crops to the network's output, (N, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class HeightExamination:
    """Gauge results and labels of all pairs; one row per stack, in mm."""

    before: Mapping[str, Values]
    """(N, looks) per column of the labels, lengths in mm."""
    after: Mapping[str, Values]
    looks_before: Sequence[Sequence[Gauging]]
    """Gauge results of each stack, one per look."""
    looks_after: Sequence[Sequence[Gauging]]

    @property
    def told_before(self) -> Values:
        """(N, looks): estimated displacements in mm."""
        return np.array([[look.displacement_mm for look in looks] for looks in self.looks_before])

    @property
    def chip_mm(self) -> Values:
        """(N,): displacement of the top by one chip, in mm."""
        return (self.before["chip_mm"][:, 0] + self.after["chip_mm"][:, 0]) / 2

    @property
    def added(self) -> npt.NDArray[np.int64]:
        """(N,): number of chips added, negative if removed."""
        return np.round(self.after["count"][:, 0] - self.before["count"][:, 0]).astype(np.int64)


def examine(folder: Path, run: Run) -> HeightExamination:
    """Run the gauge on all pairs in a folder.

    Raises FileNotFoundError if the folder has no pairs-*.npz files.
    """
    looks: dict[str, list[list[Gauging]]] = {"before": [], "after": []}
    truths: dict[str, list[Values]] = {"before": [], "after": []}
    for path in sorted(folder.glob("pairs-*.npz")):
        with np.load(path) as file:
            for when in looks:
                looks[when] += _gauged(run, file[f"{when}_crops"], file[f"{when}_truths"])
                truths[when].append(file[f"{when}_truths"].astype(np.float64))
    if not looks["before"]:
        raise FileNotFoundError(f"{folder}: no pairs-*.npz; thirdcard.models.stacks.height_pairs writes them")
    return HeightExamination(
        before=_columns(np.concatenate(truths["before"])),
        after=_columns(np.concatenate(truths["after"])),
        looks_before=looks["before"],
        looks_after=looks["after"],
    )


def look_at(folder: Path, run: Run) -> tuple[Values, dict[str, Values]]:
    """Run the gauge on the crops before of the comparer's data.

    Raises FileNotFoundError if the folder has no .npz files.

    Returns:
        The estimated displacements in px, (N,), and the columns of their labels.
    """
    told, truths = [], []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            crops = file["before"][:, MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX]
            truths.append(file["truths"].astype(np.float64))
        rows = [run(list(crops[i : i + BATCH])) for i in range(0, len(crops), BATCH)]
        told.append(np.concatenate(rows)[:, COLUMNS.index("displacement")])
    if not told:
        raise FileNotFoundError(f"{folder}: no *.npz; thirdcard.models.stacks.change_school writes them")
    columns = np.concatenate(truths)
    return np.concatenate(told), {name: columns[:, i] for i, name in enumerate(LOOK_TRUTH)}


def exam_figures(folder: Path, run: Run) -> dict[str, float]:
    """Return the metrics that `models/metrics.yaml` requires of the gauge, on `change_school.draw_exam`."""
    told, truth = look_at(folder, run)
    low = (truth["count"] <= 10) & (truth["displacement_px"] / truth["count"] >= 0.7)
    off = np.abs(counts_of(told, truth) - truth["count"])[low]
    return {
        "within_one": float((off <= 1).mean()),
        "median_off_px": float(np.median(np.abs(told - truth["displacement_px"]))),
    }


def counts_of(told_px: Values, truth: Mapping[str, Values]) -> Values:
    """Convert displacements to chip counts, (N,): h = H q / (1 + q).

    H is the camera's height and q the true h / (H - h), scaled by estimated over true displacement.
    """
    ratio = np.maximum(told_px, 0.0) / np.maximum(truth["displacement_px"], 1e-3)
    tall, high = truth["camera_height_mm"], truth["count"] * THICKNESS_MM
    q = high / (tall - high) * ratio
    return np.asarray(np.maximum(np.round(tall * q / (1 + q) / THICKNESS_MM), 1), np.float64)


def counted(told_px: Values, truth: Mapping[str, Values]) -> list[str]:
    """Return the errors of displacements and of the resulting counts, as lines of text; all (N,), px of the crop."""
    chips, told = truth["count"], counts_of(told_px, truth)
    chip_px = truth["displacement_px"] / chips
    error = np.abs(told_px - truth["displacement_px"])
    lines = [f"looks: {len(chips)}; error of the displacement, px of the crop: {_spread(error)}"]
    for least_px, least_scale in itertools.product((0.7, 1.0, 1.5, 2.0), (0.0, 0.9)):
        shows = (chip_px >= least_px) & (truth["px_per_mm"] >= least_scale)
        lines.append(f"  a chip shows as {least_px} px or more, camera {least_scale} px/mm or more: exact, within 1")
        for low, high in ((1, 1), (2, 3), (4, 5), (6, 10), (1, 10), (11, 20)):
            rows = shows & (chips >= low) & (chips <= high)
            if rows.any():
                exact, near = np.mean(told[rows] == chips[rows]), np.mean(np.abs(told[rows] - chips[rows]) <= 1)
                lines.append(f"    {low} to {high} chips: {exact:.1%}, {near:.1%} ({rows.sum()})")
    return lines


def report(found: HeightExamination, sureness: HeightSureness) -> str:
    """Return the metrics as text."""
    lines = [f"stacks: {len(found.added)}, looks averaged: {found.told_before.shape[1]}", ""]
    parts = [_errors(found), _counts(found), _decisions(found, sureness)]
    lines += [line for part in parts for line in (*part, "")]
    return "\n".join(lines)


def decided(found: HeightExamination, sureness: HeightSureness) -> list[Growth]:
    """Return the decision of the run-time code for each stack."""
    said = []
    for i, (first, second) in enumerate(zip(found.looks_before, found.looks_after, strict=True)):
        optics = GrowthOptics(
            camera_mm=(0.0, 0.0, -float(found.before["camera_height_mm"][i, 0])), thickness_mm=3.3, sureness=sureness
        )
        said.append(growth_of(averaged([[look] for look in first]), averaged([[look] for look in second]), optics))
    return said


def floor_mm(found: HeightExamination, scales: float) -> float:
    """Return the `floor_mm` at which at most FALSE_CHANGES of the untouched stacks are called changed.

    Args:
        found: Gauge results and labels.
        scales: Minimum change in units of the estimated error scale.
    """
    change = np.abs(_change_mm(found))
    pairs = zip(found.looks_before, found.looks_after, strict=True)
    scale = np.array([np.hypot(_scale(first), _scale(second)) for first, second in pairs])
    sure = np.where(change >= scales * scale, change, 0.0)
    return float(np.quantile(sure[found.added == 0], 1 - FALSE_CHANGES)) + 1e-6


def _change_mm(found: HeightExamination) -> Values:
    """Return the estimated change of the displacement in mm, (N,), corrected for a nudge."""
    after = np.array([np.mean([look.displacement_mm for look in looks]) for looks in found.looks_after])
    carried = np.maximum(found.after["distance_mm"], 50.0) / np.maximum(found.before["distance_mm"], 50.0)
    return np.asarray(after - found.told_before.mean(axis=1) * carried[:, 0], np.float64)


def _scale(looks: Sequence[Gauging]) -> float:
    return float(np.mean([look.scale_mm for look in looks]))


def _errors(found: HeightExamination) -> list[str]:
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


def _counts(found: HeightExamination) -> list[str]:
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


def _thickness(found: HeightExamination) -> Values:
    """Return the chip thickness in mm from the labels, (N,): h = H q / (1 + q)."""
    ratio = found.before["displacement_mm"][:, 0] / np.maximum(found.before["distance_mm"][:, 0], 1e-3)
    height = found.before["camera_height_mm"][:, 0] * ratio / (1 + ratio)
    return np.asarray(height / found.before["count"][:, 0], np.float64)


def _decisions(found: HeightExamination, sureness: HeightSureness) -> list[str]:
    said, added = decided(found, sureness), np.abs(found.added)
    seen = np.array([each.is_seen for each in said])
    way = np.array([each.direction if each.is_seen and each.direction is not None else 0 for each in said])
    right_way, wrong_way = way * np.sign(found.added) > 0, way * np.sign(found.added) < 0
    lines = [f"decisions: {sureness}"]
    for low, high in itertools.pairwise((0.0, 0.5, 1.0, 1.5, 2.0, 99.0)):
        band = (found.chip_mm >= low) & (found.chip_mm < high)
        lines.append(f"  where a chip shows as {low} to {high} mm")
        for size in (0, 1, 2, 3, 5):
            rows = band & (added == size)
            if rows.any():
                told = (way[rows] != 0).mean() if size == 0 else right_way[rows].mean()
                lines.append(
                    f"    {size} added or taken: change seen {seen[rows].mean():.1%},"
                    f" {'grown or shrunk' if size == 0 else 'right way'} {told:.1%},"
                    f" other way {wrong_way[rows].mean():.1%} ({rows.sum()})"
                )
    total = added > 0
    lines.append(
        f"  everywhere: left alone and called changed {seen[~total].mean():.2%};"
        f" changed: seen {seen[total].mean():.1%},"
        f" right way {right_way[total].mean():.1%}, other way {wrong_way[total].mean():.1%}"
    )
    return lines


def _gauged(run: Run, crops: npt.NDArray[np.uint8], truths: npt.NDArray[np.float32]) -> list[list[Gauging]]:
    """Return the gauge results of each stack, one per look, with feet at their true distance on the x axis."""
    stacks, looks = truths.shape[:2]
    flat = crops.reshape(-1, *crops.shape[2:])
    told = np.concatenate([run(list(flat[i : i + BATCH])) for i in range(0, len(flat), BATCH)])
    gauged = []
    for row, crop, truth in zip(told, flat, truths.reshape(-1, len(TRUTH)), strict=True):
        frame = CropFrame(
            centre_mm=np.zeros(2), outward=np.array([1.0, 0.0]), px_per_mm=float(truth[TRUTH.index("px_per_mm")])
        )
        place = (float(truth[TRUTH.index("distance_mm")]), 0.0)
        gauged.append(replace(gauging_of(row, crop, frame), foot_mm=place))
    return [gauged[i * looks : (i + 1) * looks] for i in range(stacks)]


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
    """Evaluate with the options of the command line and print the metrics."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.height_evaluate", description=__doc__)
    parser.add_argument("--pairs", type=Path, default=Path("build/gauge-pairs"))
    parser.add_argument("--registry", type=Path, help="the file that declares it, other than the one that runs")
    parser.add_argument("--looks", type=Path, help="what thirdcard.models.stacks.change_school drew, to count instead")
    options = parser.parse_args(arguments)
    gauge = StackGauge.open(load_model_spec("gauge", options.registry))
    if options.looks is not None:
        sys.stdout.write("\n".join(counted(*look_at(options.looks, gauge.read))) + "\n")
        return
    found = examine(options.pairs, gauge.read)
    lines = [f"floor_mm for {scales} scales: {floor_mm(found, scales):.2f}" for scales in (0.0, 0.5, 1.0, 1.5, 2.0)]
    lines += ["", report(found, gauge.sureness)]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
