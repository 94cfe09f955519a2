"""`thirdcard recognise`: the cards and chips in photographs, without calibration."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.vision.errors import UnreadableImageError

if TYPE_CHECKING:
    from thirdcard.vision.photo.recognised import Recognised


def recognise(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE…", help="Photographs: JPEG, PNG and the like.")],
    as_json: Annotated[bool, typer.Option("--json", help="A JSON line for each image.")] = False,
) -> None:
    """Read the cards in any photograph: any size, any rotation, no calibration."""
    from thirdcard.vision.photo.recognise import PhotoModels, load_image
    from thirdcard.vision.photo.recognise import recognise as recognise_image

    for path in images:
        if not path.is_file():
            raise UnreadableImageError(str(path), "no such file")
    models = PhotoModels.open()
    for path in images:
        found = recognise_image(load_image(path), models)
        line = json.dumps(format_image(path, found)) if as_json else _words(path, found)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def format_image(path: Path, found: list[Recognised]) -> dict[str, object]:
    """The contract's mapping for one image."""
    return {"image": str(path), "objects": [format_object(thing) for thing in found]}


def format_object(thing: Recognised) -> dict[str, object]:
    """The contract's mapping for one card or stack of chips."""
    polygon = [[round(float(x), 1), round(float(y), 1)] for x, y in thing.polygon_px]
    confidence = round(thing.confidence, 4)
    if thing.kind != "card":
        return {"kind": thing.kind, "confidence": confidence, "polygon": polygon}
    return {
        "kind": "card",
        "card": thing.label,
        "face_up": thing.face_up,
        "confidence": confidence,
        "polygon": polygon,
    }


def _words(path: Path, found: list[Recognised]) -> str:
    cards = [thing for thing in found if thing.kind == "card"]
    read = [f"{thing.label} {100 * thing.confidence:.0f} %" for thing in cards if thing.label]
    backs = sum(not thing.face_up for thing in cards)
    unread = sum(thing.face_up and not thing.label for thing in cards)
    parts = [", ".join(read) or "no card read"]
    parts += [f"{backs} face down"] if backs else []
    parts += [f"{unread} not read"] if unread else []
    chips = len(found) - len(cards)
    parts += [f"{chips} stacks of chips"] if chips else []
    return f"{path}: {'; '.join(parts)}"
