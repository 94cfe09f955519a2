"""Evaluate the registered comparer: `python -m thirdcard.models.stacks.change_evaluate --pairs build/comparer-exam`.

Reads the pairs that `thirdcard.models.stacks.change_school --split held_out` drew. Prints how often added or removed
chips are detected and the direction is right, and how often a stack that was untouched, pushed or twisted is called
changed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.models.stacks import height_school
from thirdcard.models.stacks.change_school import TOUCHES, TRUTH
from thirdcard.vision.chips.change_direction import (
    ANEW,
    ERROR_SCALES,
    FEWER,
    LEAST_ERROR_MM,
    MORE,
    SAME,
    compared_growth,
    leaning,
    leant,
)
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.stack_change import AS_TOLD, Judging, StackComparer, log_probabilities, middle_of
from thirdcard.vision.inference.stack_height import DISC_PX, HEIGHT_PX, WIDTH_PX, StackGauge

FALSE_CHANGES = 0.005
LEAST_SURENESS = 0.6
"""A direction below this confidence is not reported; the same as in service/interpretation/interpreter.py."""
SIZES = (1, 2, 3, 5)
LOW_STACK = 10
PX_PER_MM = (0.0, 0.6, 0.9, 9.0)
CHIP_PX = (0.0, 0.5, 1.0, 1.5, 2.0, 9.0)
BATCH = 64
CHIP_MM = 39.0
"""Approximate diameter of a chip."""
Values = npt.NDArray[np.float64]
Run = Callable[[Sequence[Image]], Values]
"""A function from pairs, as for `StackComparer.read`, to log probabilities or logits, (N, 4)."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangeExamination:
    """The network's output for all pairs, and their labels."""

    told: Values
    """(N, 4): logits or log probabilities."""
    truths: Mapping[str, Values]
    """(N,) per column of the labels."""
    leanings: Values
    """(N,): evidence of the gauge for the direction."""
    judging: Judging = AS_TOLD

    @property
    def added(self) -> npt.NDArray[np.int64]:
        """(N,): number of chips added, negative if removed."""
        return np.round(self.truths["added"]).astype(np.int64)

    def tempered(self, temperature: float) -> ChangeExamination:
        """Return a copy whose logits are divided by a temperature and turned into log probabilities."""
        return replace(self, told=log_probabilities(self.told / temperature))

    def fates(self) -> Values:
        """Return the probabilities of the fates, (N, 4)."""
        return leant(np.exp(log_probabilities(self.told)), self.leanings, self.judging)


def examine(folder: Path, run: Run, gauge: StackGauge, judging: Judging = AS_TOLD) -> ChangeExamination:
    """Run the comparer and the gauge on all pairs in a folder.

    Raises FileNotFoundError if the folder has no .npz files.
    """
    told, truths, leanings = [], [], []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            looks = [[middle_of(look) for look in file[name]] for name in ("before", "after", "moved")]
            truths.append(file["truths"].astype(np.float64))
            leanings.append(gauged(gauge, file["before"], file["after"], truths[-1]))
        pairs = [np.dstack(row) for row in zip(*looks, strict=True)]
        told.append(np.concatenate([run(pairs[i : i + BATCH]) for i in range(0, len(pairs), BATCH)]))
    if not told:
        raise FileNotFoundError(f"{folder}: no *.npz; thirdcard.models.stacks.change_school writes them")
    columns = np.concatenate(truths)
    truth = {name: columns[:, i] for i, name in enumerate(TRUTH)}
    return ChangeExamination(np.concatenate(told), truth, np.concatenate(leanings), judging)


def exam_figures(found: ChangeExamination) -> dict[str, float]:
    """Return the metrics that `models/metrics.yaml` requires of the comparer, on `change_school.draw_exam`."""
    said = decide(found, found.judging.least_same)
    seen, right, wrong = shares(found, said, found.added != 0)
    return {
        "seen": seen,
        "right": right,
        "right_of_told": right / max(right + wrong, 1e-9),
        "untouched_silent": 1.0 - false_changes(found, said, "none"),
        "nudged_silent": 1.0 - false_changes(found, said, "nudged"),
    }


def gauged(gauge: StackGauge, before: Values, after: Values, truths: Values) -> Values:
    """Return the gauge's evidence for the direction of each pair, (N,).

    The crops after the change are smaller than the gauge's; their edges are replicated.
    """
    rim = height_school.MARGIN_PX
    crops = [look[rim:-rim, rim:-rim] for look in before]
    rims = [(size - look) // 2 for size, look in zip((HEIGHT_PX, WIDTH_PX), after.shape[1:3], strict=True)]
    crops += [cv2.copyMakeBorder(look, rims[0], rims[0], rims[1], rims[1], cv2.BORDER_REPLICATE) for look in after]
    rows = np.concatenate([gauge.read(crops[i : i + BATCH]) for i in range(0, len(crops), BATCH)])
    least_px = LEAST_ERROR_MM * DISC_PX / CHIP_MM
    errors = np.hypot(np.exp(rows[:, 1]) * ERROR_SCALES, least_px)
    old, new = slice(0, len(before)), slice(len(before), None)
    chips, changes = truths[:, TRUTH.index("chip_px")], rows[new, 0] - rows[old, 0]
    told = zip(changes, chips, np.hypot(errors[old], errors[new]), strict=True)
    return np.array([leaning(float(change), float(chip), float(error)) for change, chip, error in told])


def least_same(found: ChangeExamination) -> float:
    """Return the threshold at which at most FALSE_CHANGES of the untouched or pushed stacks are called changed."""
    rows = (found.added == 0) & (found.truths["touch"] < TOUCHES.index("twisted"))
    fates = found.fates()[rows]
    may_change = fates[:, ANEW] < np.maximum(fates[:, FEWER], fates[:, MORE])
    return float(np.quantile(np.where(may_change, fates[:, SAME], 1.0), FALSE_CHANGES))


@dataclass(frozen=True, slots=True, eq=False)
class ChangeDecisions:
    """Decisions of the run-time code for each pair."""

    seen: npt.NDArray[np.bool_]
    way: npt.NDArray[np.int64]
    """1 or -1 if a direction is reported, else 0."""
    sureness: Values


def decide(found: ChangeExamination, threshold: float) -> ChangeDecisions:
    """Decide for each stack separately, as `thirdcard.vision.chips.change_direction` does."""
    growths = [compared_growth([fate], least_same=threshold) for fate in found.fates()]
    sureness = np.array([growth.sureness for growth in growths])
    way = np.array([growth.direction or 0 for growth in growths], np.int64)
    return ChangeDecisions(
        np.array([g.is_seen for g in growths]), np.where(sureness >= LEAST_SURENESS, way, 0), sureness
    )


def report(found: ChangeExamination, threshold: float) -> str:
    """Return the metrics as text."""
    said = decide(found, threshold)
    parts = [each(found, said) for each in (_false_changes, _by_size, _by_scale, _by_chip, _told_apart, _reliability)]
    return "\n".join([f"stacks: {len(found.added)}", *(line for part in parts for line in ("", *part))])


def shares(found: ChangeExamination, said: ChangeDecisions, rows: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return the shares of the changed stacks that are detected, with the right and with the wrong direction."""
    way = np.sign(found.added)
    right, wrong = said.way == way, said.way == -way
    return float(said.seen[rows].mean()), float(right[rows].mean()), float(wrong[rows].mean())


def false_changes(found: ChangeExamination, said: ChangeDecisions, touch: str) -> float:
    """Return the share of the unchanged stacks with this kind of touch that are called changed."""
    rows = (found.added == 0) & (found.truths["touch"] == TOUCHES.index(touch))
    return float(said.seen[rows].mean())


def _false_changes(found: ChangeExamination, said: ChangeDecisions) -> list[str]:
    lines = ["called changed though nothing was added or taken, and with a direction:"]
    for touch in TOUCHES:
        rows = (found.added == 0) & (found.truths["touch"] == TOUCHES.index(touch))
        if rows.any():
            told = (said.way[rows] != 0).mean()
            lines.append(f"  {touch}: {said.seen[rows].mean():.2%}, {told:.2%} ({rows.sum()})")
    return lines


def _by_size(found: ChangeExamination, said: ChangeDecisions) -> list[str]:
    lines = ["chips added or taken: change seen, right way, other way"]
    for size in (*SIZES, 0):
        rows = np.abs(found.added) == size if size else found.added != 0
        if rows.any():
            seen, right, wrong = shares(found, said, rows)
            lines.append(f"  {size or 'all'}: {seen:.1%}, {right:.1%}, {wrong:.1%} ({rows.sum()})")
    return lines


def _by_scale(found: ChangeExamination, said: ChangeDecisions) -> list[str]:
    lines = [f"the camera's px/mm, up to {LOW_STACK} chips, not twisted: left alone or pushed and called changed;"]
    lines.append("  change seen, right way, other way a size")
    for low, high in itertools.pairwise(PX_PER_MM):
        scale = found.truths["px_per_mm"]
        here = (scale >= low) & (scale < high) & _is_low(found) & (found.truths["touch"] < TOUCHES.index("twisted"))
        alone = here & (found.added == 0)
        if alone.any():
            lines.append(f"  {low} to {high}: {said.seen[alone].mean():.2%} ({alone.sum()})")
        lines += _a_line_a_size(found, said, here)
    return lines


def _a_line_a_size(found: ChangeExamination, said: ChangeDecisions, here: npt.NDArray[np.bool_]) -> list[str]:
    """Return the detection and direction shares by number of chips added or removed, one line each."""
    lines = []
    for size in SIZES:
        rows = here & (np.abs(found.added) == size)
        if rows.any():
            seen, right, wrong = shares(found, said, rows)
            lines.append(f"    {size}: {seen:.1%}, {right:.1%}, {wrong:.1%} ({rows.sum()})")
    return lines


def _told_apart(found: ChangeExamination, said: ChangeDecisions) -> list[str]:
    """Return the decisions for low stacks that were pushed, reduced or increased: same, fewer, more, changed."""
    lines = [f"up to {LOW_STACK} chips: told as they were, fewer, more, changed but not how"]
    is_pushed = (found.added == 0) & (found.truths["touch"] == TOUCHES.index("nudged"))
    told = [~said.seen, said.way < 0, said.way > 0, said.seen & (said.way == 0)]
    for name, rows in (("pushed", is_pushed), ("reduced", found.added < 0), ("increased", found.added > 0)):
        here = rows & _is_low(found)
        if here.any():
            lines.append(f"  {name}: {', '.join(f'{each[here].mean():.1%}' for each in told)} ({here.sum()})")
    return lines


def _is_low(found: ChangeExamination) -> npt.NDArray[np.bool_]:
    count = found.truths["count"]
    return np.asarray(np.maximum(count, count + found.truths["added"]) <= LOW_STACK, np.bool_)


def _by_chip(found: ChangeExamination, said: ChangeDecisions) -> list[str]:
    lines = ["a chip shows as: share called changed of those left alone or pushed; seen, right way, other way a size"]
    chip_px = found.truths["chip_px"]
    for low, high in itertools.pairwise(CHIP_PX):
        here = (chip_px >= low) & (chip_px < high)
        alone = here & (found.added == 0) & (found.truths["touch"] < TOUCHES.index("twisted"))
        if not alone.any():
            continue
        lines.append(f"  {low} to {high} px: {said.seen[alone].mean():.2%} ({alone.sum()})")
        lines += _a_line_a_size(found, said, here)
    return lines


def _reliability(found: ChangeExamination, said: ChangeDecisions) -> list[str]:
    fates = found.fates()
    way = np.sign(found.added)
    told = np.where(fates[:, MORE] > fates[:, FEWER], 1, -1)
    lines = ["of stacks called changed: sureness of the direction, share that is right"]
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 1.01)):
        rows = said.seen & (said.sureness >= low) & (said.sureness < high)
        if rows.any():
            mean, right = said.sureness[rows].mean(), (told == way)[rows].mean()
            lines.append(f"  {low} to {min(high, 1.0)}: {mean:.3f}, {right:.3f} ({rows.sum()})")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate with the options of the command line and print the metrics."""
    parser = argparse.ArgumentParser(prog="python -m thirdcard.models.stacks.change_evaluate", description=__doc__)
    parser.add_argument("--pairs", type=Path, default=Path("build/comparer-exam"))
    parser.add_argument("--registry", type=Path, help="the file that declares it, other than the one that runs")
    options = parser.parse_args(arguments)
    comparer = StackComparer.open(load_model_spec("comparer", options.registry))
    found = examine(options.pairs, comparer.read, StackGauge.open(), comparer.judging)
    sys.stdout.write(report(found, comparer.judging.least_same) + "\n")


if __name__ == "__main__":
    main()
