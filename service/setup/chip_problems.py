"""Chips that cannot be told apart, or that no house has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import cv2
import numpy as np

from thirdcard.calibration.chips import ChipSet
from thirdcard.service.setup.problems import SetupProblem, doubtful, wrong

ALIKE = 12.0
"""CIELAB distance (CIE 76). A colour seen under the table's lamp and that in the file differ by about as much; two
chips that are no farther apart differ in their print alone."""


def chip_problems(chips: ChipSet, where: str, maximum: int | None) -> Iterator[SetupProblem]:
    """Everything odd about a chip set.

    Args:
        where: the chips' file, for messages.
        maximum: the most that may be bet, in the smallest unit; None where the table's notice says nothing.
    """
    if chips.thickness_mm > chips.diameter_mm / 4:
        say = f"no chip of {chips.diameter_mm:g} mm is so thick; thickness and diameter are in mm"
        yield wrong(where, "thickness_mm", value=chips.thickness_mm, say=say)
    for (i, one), (k, other) in combinations(enumerate(chips.chips), 2):
        if one.value == other.value and one.name == other.name:
            yield wrong(
                where, f"chips[{k}]", value=f"{other.name}, {other.value}", say=f"stands twice; chips[{i}] is the same"
            )
            continue
        if one.name == other.name:
            yield doubtful(where, f"chips[{k}].name", value=other.name, say=f"chips[{i}] is called so too")
        if one.value == other.value:
            continue
        apart = _apart(one.colour_rgb, other.colour_rgb)
        if apart < ALIKE and (one.sample_path is None or other.sample_path is None):
            say = (
                f"looks like {one.name} (colours {apart:.0f} apart, {ALIKE:g} are needed): {one.value} is taken for "
                f"{other.value}; give both a `sample`, a picture of the face from above"
            )
            yield doubtful(where, f"chips[{k}].colour", value=other.name, say=say)
        if one.sample_path is not None and one.sample_path == other.sample_path:
            yield wrong(
                where, f"chips[{k}].sample", value=one.sample_path.name, say=f"is the picture of {one.name} too"
            )
    if maximum is not None and maximum < min(chips.values):
        say = f"each is worth more than {maximum}, the most that may be bet; are both in the table's smallest unit?"
        yield wrong(where, "chips", value=", ".join(map(str, chips.values)), say=say)


def _apart(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    pixels = np.array([[one, other]], np.float32) / 255.0
    lab = cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))
