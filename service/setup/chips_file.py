"""Write a house's enrolled chips: `chips.yaml`, and the pictures of their faces beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import yaml

from thirdcard.service.config.output_files import Input, OutputPathError, written
from thirdcard.vision.frames import Image

SAMPLES = "samples"
"""The folder beside `chips.yaml`."""
HEAD = "# Written by `thirdcard enrol chips`: colours and faces in the light of white paper.\n"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EnrolledChip:
    """One enrolled denomination."""

    value: int
    """The value in minor units."""
    name: str
    colour_rgb: tuple[int, int, int]
    picture: Image
    """(N, N, 3) uint8, BGR: the chip's face, which fills the picture."""


def save_chips(
    out: Path,
    chips: Sequence[EnrolledChip],
    *,
    size_mm: tuple[float, float],
    inputs: Iterable[Input],
    is_forced: bool,
) -> None:
    """Write a chip set completely or not at all.

    A picture's name depends on its content, so none is overwritten: the present chips stay as they are until the file
    itself is replaced in one step.

    Args:
        out: the file.
        chips: the chips in the order of the file.
        size_mm: a chip's diameter and thickness.
        inputs: the input files, which are not overwritten.
        is_forced: whether an existing file is overwritten.

    Raises:
        OutputPathError: The file exists, or cannot be written.
    """
    if out.exists() and not is_forced:
        raise OutputPathError(f"--out = {out}; is there already; must be a new file, or --force to write over it")
    read = tuple(inputs)
    folder = out.parent / SAMPLES
    had_folder, made = folder.is_dir(), list[Path]()
    try:
        folder.mkdir(exist_ok=True)
        entries = []
        for chip in chips:
            data = cv2.imencode(".png", chip.picture)[1].tobytes()
            path = folder / f"{chip.value}-{hashlib.sha256(data).hexdigest()[:8]}.png"
            if not path.exists():
                with written(path, option="--out", inputs=read) as draft:
                    draft.write_bytes(data)
                made.append(path)
            colour = "#{:02x}{:02x}{:02x}".format(*chip.colour_rgb)
            sample = f"{SAMPLES}/{path.name}"
            entries.append({"value": chip.value, "name": chip.name, "colour": colour, "sample": sample})
        document = {"diameter_mm": size_mm[0], "thickness_mm": size_mm[1], "chips": entries}
        with written(out, option="--out", inputs=read) as draft:
            draft.write_text(HEAD + yaml.safe_dump(document, sort_keys=False, allow_unicode=True), encoding="utf-8")
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
        if not had_folder and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        raise
