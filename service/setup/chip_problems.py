"""Find chips that look too much alike, and implausible chips."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from thirdcard.calibration.chips import ChipSet
from thirdcard.service.setup.problems import SetupProblem, doubtful, wrong
from thirdcard.vision.errors import UnreadableImageError
from thirdcard.vision.inference.chip_faces import PRINT_NEEDED
from thirdcard.vision.inference.chip_samples import ALIKE, AlikePair, ChipLooks, alike_pairs, load_looks, load_sample

USUAL_MM = (30.0, 57.0)
"""Diameters of chips in mm: the usual ones have 37 to 44, those for high limits up to 57."""


def chip_problems(chips: ChipSet, where: str, maximum: int | None) -> Iterator[SetupProblem]:
    """Find all problems of a chip set.

    Args:
        where: the chips' file, for messages.
        maximum: the highest bet allowed, in minor units; None where the table's notice has none.
    """
    if chips.thickness_mm > chips.diameter_mm / 4:
        say = f"no chip of {chips.diameter_mm:g} mm is so thick; thickness and diameter are in mm"
        yield wrong(where, "thickness_mm", value=chips.thickness_mm, say=say)
    low, high = USUAL_MM
    if not low <= chips.diameter_mm <= high:
        say = f"chips are {low:g} to {high:g} mm wide; write the diameter, in mm"
        yield doubtful(where, "diameter_mm", value=chips.diameter_mm, say=say)
    for (i, one), (k, other) in combinations(enumerate(chips.chips), 2):
        if one.value == other.value and one.name == other.name:
            yield wrong(
                where, f"chips[{k}]", value=f"{other.name}, {other.value}", say=f"stands twice; chips[{i}] is the same"
            )
            continue
        if one.name == other.name:
            yield doubtful(where, f"chips[{k}].name", value=other.name, say=f"chips[{i}] is called so too")
        if one.sample_path and other.sample_path and _is_same_picture(one.sample_path, other.sample_path):
            say = f"is the picture of {one.name} too"
            yield wrong(where, f"chips[{k}].sample", value=other.sample_path.name, say=say)
    yield from _alike(chips, where)
    if maximum is not None and maximum < min(chips.values):
        say = f"each is worth more than {maximum}, the most that may be bet; are both in the table's smallest unit?"
        yield wrong(where, "chips", value=", ".join(map(str, chips.values)), say=say)


def sample_problems(path: Path, where: str, key: str) -> list[SetupProblem]:
    """The problems of an existing picture of a chip's face."""
    try:
        load_sample(path)
    except UnreadableImageError as error:
        return [wrong(where, key, value=path.name, say=error.reason)]
    return []


def _is_same_picture(one: Path, other: Path) -> bool:
    return one == other or (one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes())


def _alike(chips: ChipSet, where: str) -> Iterator[SetupProblem]:
    """Find chips that can be confused, and chip sets with samples for some chips only."""
    entries = chips.chips
    if 0 < sum(chip.sample_path is not None for chip in entries) < len(entries):
        k = next(k for k, chip in enumerate(entries) if chip.sample_path is None)
        say = "not given; samples are used only where every chip has one: enrol them together, `thirdcard enrol chips`"
        yield doubtful(where, f"chips[{k}].sample", say=say)
    for pair in alike_pairs(looks_of(chips), print_needed=PRINT_NEEDED):
        one, other = entries[pair.first], entries[pair.second]
        if one.value != other.value:
            say = f"looks like {one.name} ({told_apart(pair)}): {one.value} is taken for {other.value}"
            if pair.print_apart is None:
                say += "; give every chip a `sample`, a picture of its face from above (`thirdcard enrol chips`)"
            yield doubtful(where, f"chips[{pair.second}].colour", value=other.name, say=say)


def looks_of(chips: ChipSet) -> ChipLooks:
    """The appearance of a house's chips; from colours alone where a sample cannot be used."""
    colours, samples = [chip.colour_rgb for chip in chips.chips], [chip.sample_path for chip in chips.chips]
    try:
        return load_looks(colours, samples)
    except UnreadableImageError:  # reported beside the file (service/setup/file_problems.py)
        return load_looks(colours, [None] * len(colours))


def told_apart(pair: AlikePair) -> str:
    """How different two chips are, and how different they should be, in words."""
    words = f"colours {pair.colour_apart:.0f} apart, {ALIKE:g} are needed"
    if pair.print_apart is not None:
        words += f", or prints {PRINT_NEEDED:.0f} apart and not {pair.print_apart:.0f}"
    return words
