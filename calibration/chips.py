"""A house's chips: size, values, colours and faces.

Knows nothing of stacks or wagers. Sizes in millimetres, values in the smallest unit the table plays for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thirdcard.calibration.documents import check_keys, read_document, take_list, take_number, take_text
from thirdcard.calibration.errors import MISSING, ChipsError, NoSuchNameError

BUILT_IN_CHIPS = ("house",)
CHIPS_FOLDER = Path(__file__).parent / "chipsets"

_CHIP_SET_KEYS = ("diameter_mm", "thickness_mm", "chips")
_CHIP_KEYS = ("value", "name", "colour", "sample")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One denomination."""

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
    def smallest_value(self) -> int:
        """The value of the smallest chip, in the smallest unit the table plays for."""
        return min(chip.value for chip in self.chips)


def parse_chips(mapping: object, where: str, *, base: Path) -> ChipSet:
    """A chip set from its mapping; samples lie beside `base`, a folder.

    Raises:
        ChipsError: Something in it is not allowed.
    """
    try:
        fields = check_keys(mapping, _CHIP_SET_KEYS, ChipsError)
        entries = take_list(fields, "chips", ChipsError)
        if not entries:
            raise ChipsError("", "chips", value=[], allowed="must list at least one chip")
        return ChipSet(
            diameter_mm=take_number(fields, "diameter_mm", low=15, high=120, kind=ChipsError),
            thickness_mm=take_number(fields, "thickness_mm", low=0.5, high=20, kind=ChipsError),
            chips=tuple(_parse_chip(entry, i, base=base) for i, entry in enumerate(entries)),
        )
    except ChipsError as error:
        raise error.at(where) from None


def load_chips(reference: str | Mapping[str, object], base: Path) -> ChipSet:
    """A chip set from a path beside `base` (a folder), a built-in name, or the mapping itself.

    Raises:
        ChipsError: Something in it is not allowed.
        NoSuchNameError: No such chip set exists.
        DocumentError: The file cannot be read.
    """
    if isinstance(reference, Mapping):
        return parse_chips(reference, "chips", base=base)
    path = base / reference
    if not path.is_file() and reference in BUILT_IN_CHIPS:
        path = CHIPS_FOLDER / f"{reference}.yaml"
    if not path.is_file():
        allowed = f"no such file beside it, and no built-in chip set; built in: {', '.join(BUILT_IN_CHIPS)}"
        raise NoSuchNameError(str(base), "chips", value=reference, allowed=allowed)
    return parse_chips(read_document(path), str(path), base=path.parent)


def _parse_chip(entry: object, i: int, *, base: Path) -> Chip:
    try:
        fields = check_keys(entry, _CHIP_KEYS, ChipsError)
        value = fields.get("value", MISSING)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ChipsError("", "value", value=value, allowed="must be a whole number from 1")
        return Chip(
            value=value,
            name=take_text(fields, "name", ChipsError),
            colour_rgb=_parse_colour(fields.get("colour", MISSING)),
            sample_path=_parse_sample(fields, base),
        )
    except ChipsError as error:
        raise error.at("", f"chips[{i}]") from None


def _parse_colour(value: object) -> tuple[int, int, int]:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise ChipsError("", "colour", value=value, allowed='must be a colour such as "#1c1c1c", in quotes')
    return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)


def _parse_sample(fields: Mapping[str, object], base: Path) -> Path | None:
    if fields.get("sample") is None:
        return None
    path = base / take_text(fields, "sample", ChipsError)
    if not path.is_file():
        raise ChipsError("", "sample", value=fields["sample"], allowed=f"no such file: {path}")
    return path
