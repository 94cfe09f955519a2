"""The fourth step: the chips, as a built-in set, as colours picked in the picture, or measured from a row of chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import yaml

from thirdcard.calibration.chips import BUILT_IN_CHIPS, CHIPS_FOLDER, load_chips, parse_chips
from thirdcard.calibration.documents import parse_yaml
from thirdcard.calibration.layout import Layout
from thirdcard.service.guide.calibration_step import load_fit
from thirdcard.service.guide.cloth_step import load_cloth
from thirdcard.service.guide.drafts import CHIPS, STILL, NewTable, StepError, in_words, refuse_wrong
from thirdcard.service.setup.chip_problems import chip_problems
from thirdcard.service.setup.chips_file import EnrolledChip, save_chips
from thirdcard.service.setup.problems import SetupProblem
from thirdcard.vision.chips.chip_enrolment import ChipPlace, RowEyes, read_chip_row
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import ChipFaceReader
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.inference.stack_height import StackGauge
from thirdcard.vision.video.video import VideoReader

OWN, ENROLLED = "own", "enrolled"
PICTURES = 10
"""How many pictures of a film are averaged: noise falls to a third, and no hand comes in that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipRow:
    """A row of one chip of each value on the cloth."""

    values: Sequence[int]
    """In minor units, from the left with the dealer's edge up."""
    names: Sequence[str]
    size_mm: tuple[float, float]
    """Diameter and thickness in mm."""


def choose_chips(draft: NewTable, name: str) -> tuple[SetupProblem, ...]:
    """Save a built-in set; returns doubtful points.

    Raises:
        StepError: There is none of that name.
    """
    if name not in BUILT_IN_CHIPS:
        raise StepError(f"chips = {name}; must be one of {', '.join(BUILT_IN_CHIPS)}", field="name")
    lines = (CHIPS_FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines(keepends=True)
    content = "".join(line for line in lines if not line.startswith("#")).encode()
    return _settle(draft, content, name)


def settle_chips(
    draft: NewTable, size_mm: tuple[float, float], chips: Sequence[tuple[int, str, str]]
) -> tuple[SetupProblem, ...]:
    """Save values, names and colours as entered; returns doubtful points.

    Args:
        draft: The table.
        size_mm: Diameter and thickness.
        chips: Value, name and colour, such as `#1c1c1c`, of each.

    Raises:
        StepError: A value is not allowed, or two chips look the same.
    """
    entries = [{"value": value, "name": name, "colour": colour} for value, name, colour in chips]
    document = {"diameter_mm": size_mm[0], "thickness_mm": size_mm[1], "chips": entries}
    return _settle(draft, yaml.safe_dump(document, sort_keys=False, allow_unicode=True).encode(), OWN)


def enrol_row(draft: NewTable, row: ChipRow) -> tuple[SetupProblem, ...]:
    """Measure the row of chips in the camera's present picture; colours and pictures of the faces are saved.

    Raises:
        StepError: They cannot be measured; the text says which, and what to do.
        DraftStateError: An earlier step is not done.
    """
    layout, calibration = load_cloth(draft), load_fit(draft)
    if not row.values or len(set(row.values)) < len(row.values):
        raise StepError("values: must name each value of the row once, from the left", field="values")
    with in_words():
        place = chip_place(layout, row.size_mm)
        found = read_chip_row(_pictures(draft), calibration, place, open_row_eyes(), count=len(row.values))
        chips = [
            EnrolledChip(value=value, name=name, colour_rgb=(seen.colour[2], seen.colour[1], seen.colour[0]),
                         picture=seen.picture)
            for value, name, seen in zip(row.values, row.names, found, strict=True)
        ]  # fmt: skip
        save_chips(draft.folder / CHIPS, chips, size_mm=row.size_mm, inputs=(), is_forced=True)
        draft.change(chips=ENROLLED)
        return refuse_wrong(list(chip_problems(load_chips(CHIPS, draft.folder), CHIPS, None)))


def chip_place(layout: Layout, size_mm: tuple[float, float]) -> ChipPlace:
    """The areas of a cloth where a row of chips may lie: not in tray, shoe or discard rack."""
    kinds = ("chip_tray", "discard", "shoe")
    return ChipPlace(
        size_mm=layout.size_mm,
        diameter_mm=size_mm[0],
        thickness_mm=size_mm[1],
        left_out={area.id: area.polygon_mm for area in layout.areas if area.kind in kinds},
    )


def open_row_eyes() -> RowEyes:
    """Load the models that detect and measure a row of chips."""
    return RowEyes(Detector.open(), Reader.open(), StackGauge.open(), ChipFaceReader.open())


def _pictures(draft: NewTable) -> list[Image]:
    draft.needed(STILL, "Choose the camera first.")
    camera = draft.read().camera
    assert camera is not None, "it is written after its picture"
    with VideoReader(camera.source, transport=camera.transport) as reader:
        return [np.asarray(frame.image, np.uint8) for frame in islice(reader, PICTURES)]


def _settle(draft: NewTable, content: bytes, name: str) -> tuple[SetupProblem, ...]:
    with in_words():
        chips = parse_chips(parse_yaml(content.decode(), CHIPS), CHIPS, base=draft.folder)
        problems = refuse_wrong(list(chip_problems(chips, CHIPS, None)))
    draft.put(CHIPS, content)
    draft.change(chips=name)
    return problems
