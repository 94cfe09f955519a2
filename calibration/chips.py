"""A house's chips: size, values, colours and faces.

Knows nothing of stacks or wagers. Sizes in millimetres, values in the smallest unit the table plays for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thirdcard.calibration.documents import file_fault, is_missing, read_document
from thirdcard.calibration.errors import MISSING, CalibrationError, ChipsError, NoSuchNameError
from thirdcard.calibration.keys import (
    Fields,
    FileKey,
    FileKeys,
    ManyKey,
    NumberKey,
    OptionalTextKey,
    Schema,
    TextKey,
    WholeKey,
)

BUILT_IN_CHIPS = ("house",)
CHIPS_FOLDER = Path(__file__).parent / "chipsets"

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class ColourKey(FileKey[tuple[int, int, int]]):
    """A colour by its red, green and blue, in hexadecimal digits."""

    def take(self, fields: Fields, kind: type[CalibrationError]) -> tuple[int, int, int]:
        """Return the colour, 0 to 255 each; raise `kind` if it is not allowed."""
        value = fields.get(self.name, MISSING)
        if not isinstance(value, str) or not _COLOUR.fullmatch(value):
            raise kind("", self.name, value=value, allowed='must be a colour such as "#1c1c1c", in quotes')
        return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)

    def schema(self) -> Schema:
        """Return the JSON Schema of a colour."""
        return {"type": "string", "pattern": f"^{_COLOUR.pattern}$"}


class ChipKeys(FileKeys):
    """One denomination."""

    value = WholeKey("its value in the smallest unit the table plays for, a whole number from 1", low=1)
    name = TextKey("what people call it")
    colour = ColourKey('its main colour, such as "#1c1c1c", in quotes')
    sample = OptionalTextKey("the path, beside this file, of a picture of its face from above; or null")


class ChipSetKeys(FileKeys):
    """`chips.yaml`."""

    diameter_mm = NumberKey("the chips' diameter in mm, 15 to 120", low=15, high=120)
    thickness_mm = NumberKey("one chip's thickness in mm, 0.5 to 20", low=0.5, high=20)
    chips = ManyKey("the table's chips, at least one", ChipKeys, least="chip")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One denomination of a table's chips."""

    value: int
    """In the smallest unit the table plays for."""
    name: str
    colour_rgb: tuple[int, int, int]
    """0 to 255 each."""
    sample_path: Path | None = None
    """A picture of its face from above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipSet:
    """All chips of a table; they share one size."""

    diameter_mm: float
    thickness_mm: float
    chips: tuple[Chip, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """Each value once, the smallest first, in the smallest unit the table plays for."""
        return tuple(sorted({chip.value for chip in self.chips}))


def parse_chips(mapping: object, where: str, *, base: Path) -> ChipSet:
    """Parse a chip set from a mapping; paths of samples are relative to the folder `base`.

    Raises:
        ChipsError: A value is not allowed.
    """
    try:
        fields = ChipSetKeys.check(mapping, ChipsError)
        entries = ChipSetKeys.chips.take(fields, ChipsError)
        return ChipSet(
            diameter_mm=ChipSetKeys.diameter_mm.take(fields, ChipsError),
            thickness_mm=ChipSetKeys.thickness_mm.take(fields, ChipsError),
            chips=tuple(_parse_chip(entry, i, base=base) for i, entry in enumerate(entries)),
        )
    except ChipsError as error:
        raise error.at(where) from None


def load_chips(reference: str | Mapping[str, object], base: Path) -> ChipSet:
    """Load a chip set from a path relative to the folder `base`, a built-in name, or the mapping itself.

    Raises:
        ChipsError: A value is not allowed.
        NoSuchNameError: No such chip set exists.
        DocumentError: The file cannot be read.
    """
    if isinstance(reference, Mapping):
        return parse_chips(reference, "chips", base=base)
    path = base / reference
    if is_missing(path) and reference in BUILT_IN_CHIPS:
        path = CHIPS_FOLDER / f"{reference}.yaml"
    fault = file_fault(path)
    if fault is not None:
        none = f"no such file beside it, and no built-in chip set; built in: {', '.join(BUILT_IN_CHIPS)}"
        allowed = none if is_missing(path) else fault
        raise NoSuchNameError(str(base), "chips", value=reference, allowed=allowed)
    return parse_chips(read_document(path), str(path), base=path.parent)


def _parse_chip(entry: object, i: int, *, base: Path) -> Chip:
    try:
        fields = ChipKeys.check(entry, ChipsError)
        return Chip(
            value=ChipKeys.value.take(fields, ChipsError),
            name=ChipKeys.name.take(fields, ChipsError),
            colour_rgb=ChipKeys.colour.take(fields, ChipsError),
            sample_path=_find_sample(fields, base),
        )
    except ChipsError as error:
        raise error.at("", f"chips[{i}]") from None


def _find_sample(fields: Fields, base: Path) -> Path | None:
    sample = ChipKeys.sample.take(fields, ChipsError)
    if sample is None:
        return None
    path = base / sample
    fault = file_fault(path)
    if fault is not None:
        raise ChipsError("", "sample", value=sample, allowed=fault)
    return path
