"""`thirdcard enrol chips`: the house's own chips, from one of each in a row on the table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from thirdcard.service.config.table_file import TableConfig
    from thirdcard.service.setup.chips_file import EnrolledChip
    from thirdcard.vision.chips.chip_enrolment import RowChip
    from thirdcard.vision.frames import Image

PICTURES = 10
"""How many pictures of a film are averaged: noise falls to a third, and no hand comes in that time."""


class ChipValuesError(ServiceError):
    """The values of the chips cannot be used."""


def enrol_chips(
    source: str, table_path: Path | None, values: str | None, *, out: Path, drawn: Path | None, is_forced: bool
) -> None:
    """Measure one chip of each value, write `chips.yaml` and the samples, and name chips that look alike."""
    from thirdcard.service.config.output_files import OutputPathError, refuse_inputs
    from thirdcard.service.config.table_file import files_of, load_table, read_table_file
    from thirdcard.service.guide.chips_step import chip_place, open_row_eyes
    from thirdcard.service.setup.chips_file import save_chips
    from thirdcard.service.setup.table_check import TABLE, find_table_file
    from thirdcard.vision.addresses import public_address
    from thirdcard.vision.chips.chip_enrolment import read_chip_row
    from thirdcard.vision.errors import ChipRowError

    path = Path(source)
    is_table = path.is_dir() or path.suffix.lower() in (".yaml", ".yml")
    if table_path is None and not is_table:
        raise ChipValuesError(f"{public_address(source)}: needs --table with the {TABLE} of its table")
    file = find_table_file(path if table_path is None else table_path)
    table = load_table(file)
    wanted = _read_values(values, table)
    taken = table.cameras[0].source if is_table else source
    named = read_table_file(file).chips
    replaced = (file.parent / named).resolve() if isinstance(named, str) and is_forced else None
    read = [each for each in (file, *files_of(read_table_file(file), file)) if each.resolve() != replaced]
    read += [Path(taken)] if "://" not in taken else []
    refuse_inputs([out], option="--out", inputs=read)
    if out.exists() and not is_forced:
        raise OutputPathError(f"--out = {out}; is there already; must be a new file, or --force to write over it")
    images = _pictures(taken, is_own=is_table, table=table)
    place = chip_place(table.layout, (table.chips.diameter_mm, table.chips.thickness_mm))
    try:
        row = read_chip_row(images, table.cameras[0].calibration, place, open_row_eyes(), count=len(wanted))
    except ChipRowError as error:
        raise ChipRowError(f"{public_address(taken)}: {error}") from error
    chips = [_enrolled(value, name, chip) for (value, name), chip in zip(wanted, row, strict=True)]
    size_mm = (table.chips.diameter_mm, table.chips.thickness_mm)
    save_chips(out, chips, size_mm=size_mm, inputs=read, is_forced=is_forced)
    _tell(chips, row)
    if drawn is not None:
        _draw(drawn, images[-1], table, chips, row)
    typer.echo(f"Written: {out}; name it in {TABLE}: chips: {out.name}")


def _read_values(text: str | None, table: TableConfig) -> list[tuple[int, str]]:
    """Each chip's value in minor units and its name, in the order of the row."""
    known = {chip.value: chip.name for chip in table.chips.chips}
    if text is None:
        return [(chip.value, chip.name) for chip in table.chips.chips]
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and part.isascii() and int(part) >= 1 for part in parts):
        raise ChipValuesError(f"--values = {text}; must be whole numbers from 1, such as 5,25,100")
    found = [int(part) for part in parts]
    if len(set(found)) < len(found):
        raise ChipValuesError(f"--values = {text}; must name each value once")
    return [(value, known.get(value, str(value))) for value in found]


def _pictures(source: str, *, is_own: bool, table: TableConfig) -> list[Image]:
    """The picture, or the first ones of a film or camera."""
    import numpy as np

    from thirdcard.service.cameras.camera_look import sign_in_address
    from thirdcard.service.cli.commands.calibrate import PICTURE_ENDINGS, PictureError, read_picture
    from thirdcard.service.cli.commands.cameras import read_sign_in
    from thirdcard.vision.addresses import public_address
    from thirdcard.vision.video.video import VideoReader

    width, height = table.cameras[0].calibration.image_size_wh_px
    if Path(source).suffix.lower() in PICTURE_ENDINGS and "://" not in source:
        images = [read_picture(Path(source))]
    else:
        address = source if is_own else sign_in_address(source, read_sign_in(None, None))
        transport = table.cameras[0].transport
        with VideoReader(address, transport=transport) as reader:
            images = [np.asarray(frame.image) for frame in islice(reader, PICTURES)]
    found = [images[-1].shape[1], images[-1].shape[0]]
    if found != [width, height]:
        raise PictureError(f"{public_address(source)}: size = {found}; must be {[width, height]}, the calibration's")
    return [image for image in images if image.shape == images[-1].shape]


def _enrolled(value: int, name: str, chip: RowChip) -> EnrolledChip:
    from thirdcard.service.setup.chips_file import EnrolledChip

    blue, green, red = chip.colour
    return EnrolledChip(value=value, name=name, colour_rgb=(red, green, blue), picture=chip.picture)


def _tell(chips: Sequence[EnrolledChip], row: Sequence[RowChip]) -> None:
    from thirdcard.service.setup.chip_problems import told_apart
    from thirdcard.vision.chips.chip_enrolment import looks_of_row
    from thirdcard.vision.inference.chip_faces import PRINT_NEEDED
    from thirdcard.vision.inference.chip_samples import alike_pairs

    typer.echo(f"Enrolled: {len(chips)} chips, in the row's order")
    for chip, seen in zip(chips, row, strict=True):
        colour = "#{:02x}{:02x}{:02x}".format(*chip.colour_rgb)
        at = f"at ({seen.at_mm[0]:.0f}, {seen.at_mm[1]:.0f}) mm, {seen.width_px:.0f} px wide"
        typer.echo(f"  {chip.value}  {chip.name}  {colour}  {at}")
    for pair in alike_pairs(looks_of_row(row), print_needed=PRINT_NEEDED):
        one, other = chips[pair.first], chips[pair.second]
        typer.echo(f"Too alike: {one.name} ({one.value}) and {other.name} ({other.value}): {told_apart(pair)}")


def _draw(drawn: Path, image: Image, table: TableConfig, chips: Sequence[EnrolledChip], row: Sequence[RowChip]) -> None:
    """Draw each chip's value into the picture and write it."""
    import cv2
    import numpy as np

    from thirdcard.service.config.output_files import written
    from thirdcard.service.media.stills import save_picture

    marked = image.copy()
    places = table.cameras[0].calibration.image_from_layout(np.array([chip.at_mm for chip in row]))
    for chip, seen, (x, y) in zip(chips, row, places, strict=True):
        radius = round(seen.width_px * 0.65)
        cv2.circle(marked, (round(x), round(y)), radius, (60, 220, 255), 2, cv2.LINE_AA)
        at = (round(x) - radius, round(y) - radius - 6)
        cv2.putText(marked, str(chip.value), at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (60, 220, 255), 2, cv2.LINE_AA)
    with written(drawn, option="--drawn") as draft:
        save_picture(draft, marked)
    typer.echo(f"Drawn: {drawn}")
