"""The files of a recording beside its video: the table, its truth, its signals and the alerts due."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from thirdcard.calibration.camera import Calibration, save_calibration
from thirdcard.calibration.chips import CHIPS_FOLDER, ChipSet, load_chips
from thirdcard.calibration.errors import CalibrationError
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS, LAYOUT_FOLDER, Layout, load_layout
from thirdcard.datasets.decks.mixed import is_odd
from thirdcard.datasets.scene.renderer import RenderedObject
from thirdcard.datasets.script.chronicle import Chronicle
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.script import Script
from thirdcard.rules.errors import EquipmentError
from thirdcard.rules.rulebook.equipment import check_seats, check_shoe
from thirdcard.rules.rulebook.load import elect, load_rulebook

VIDEO_NAME = "video.mp4"
CAMERA_NAME = "overhead.yaml"


def load_cloth(script: Script, base: Path) -> Layout:
    """Load the layout that a script names.

    Raises:
        ScriptError: There is none, it cannot be read, or it lacks the lamp that the script lights.
    """
    try:
        layout = load_layout(script.table.layout, base)
    except CalibrationError as error:
        raise ScriptError("table.layout", str(script.table.layout)[:80], str(error)) from error
    if script.call == "lamp" and not layout.of_kind("no_more_bets_lamp"):
        raise ScriptError("call", "lamp", f"layout {layout.name} has no area of kind no_more_bets_lamp")
    return layout


def load_house_chips(script: Script, base: Path) -> ChipSet:
    """Load the chips that a script names.

    Raises:
        ScriptError: There are none, or they cannot be read.
    """
    try:
        return load_chips(script.table.chips, base)
    except CalibrationError as error:
        raise ScriptError("table.chips", str(script.table.chips)[:80], str(error)) from error


SCHEMA_LINE = "# yaml-language-server:"
"""Begins the line that names a file's schema by a relative path, which would be wrong in another folder."""


def write_table(script: Script, camera: Calibration, folder: Path, base: Path) -> None:
    """Write `table.yaml` and the files that it names."""
    table = script.table
    mapping: dict[str, object] = {"id": table.id, "rulebook": table.rulebook}
    if table.options:
        mapping["options"] = dict(table.options)
    mapping["shoe"] = {"decks": table.shoe.decks, "device": table.shoe.device}
    if table.limits:
        mapping["limits"] = dict(table.limits)
    if not _is_furnished(script, load_cloth(script, base)):
        mapping["drill"] = True
    if script.gesture or script.call == "gesture":
        mapping["gestures"] = ["no_more_bets"]
    mapping |= {
        "layout": "layout.yaml",
        "chips": "chips.yaml",
        "cards": {key: list(value) for key, value in table.cards.items()},
        "cameras": [{"name": "overhead", "source": VIDEO_NAME, "calibration": CAMERA_NAME}],
    }
    _write_yaml(folder / "table.yaml", mapping)
    layouts = {name: LAYOUT_FOLDER / f"{name}.yaml" for name in BUILT_IN_LAYOUTS}
    _write_part(folder / "layout.yaml", table.layout, layouts, base)
    _write_part(folder / "chips.yaml", table.chips, {"house": CHIPS_FOLDER / "house.yaml"}, base)
    save_calibration(folder / CAMERA_NAME, camera)


def _is_furnished(script: Script, layout: Layout) -> bool:
    """Whether decks and seats are those of the rulebook's game."""
    table = script.table
    rules = elect(load_rulebook(table.rulebook), table.options)
    try:
        check_shoe(rules, decks=table.shoe.decks, device=table.shoe.device)
        check_seats(rules, {area.seat for area in layout.areas if area.seat is not None})
    except EquipmentError:
        return False
    return True


def write_log(script: Script, chronicle: Chronicle, folder: Path, alerts: Iterable[Mapping[str, object]]) -> None:
    """Write truth, signals, alerts, and the verdicts that are tolerated beside them."""
    write_lines(folder / "truth.jsonl", chronicle.truth())
    signals = chronicle.reported()
    if signals:
        write_lines(folder / "signals.jsonl", signals)
    write_lines(folder / "alerts.jsonl", alerts)
    write_lines(folder / "tolerated.jsonl", chronicle.tolerated(script.table.rulebook))


def write_lines(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    """Write one JSON object per line."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def format_objects(frame: int, t: float, objects: Iterable[RenderedObject]) -> dict[str, object]:
    """Return a line of `objects.jsonl`."""
    return {"frame": frame, "t": round(t, 4), "objects": [_format_object(found) for found in objects]}


def _format_object(found: RenderedObject) -> dict[str, object]:
    polygon = [[round(float(x), 1), round(float(y), 1)] for x, y in found.polygon_px]
    line: dict[str, object] = {"kind": found.kind}
    if found.kind == "card":
        line |= {"card": None if found.card and is_odd(found.card) else found.card, "face_up": found.face_up}
    line |= {"polygon": polygon, "at": [round(found.at_mm[0], 1), round(found.at_mm[1], 1)]}
    if found.kind == "chips":
        line |= {"count": found.count, "value": found.value}
    return line | {"visible": round(found.visible, 3)}


def _write_part(path: Path, reference: str | Mapping[str, object], built_in: Mapping[str, Path], base: Path) -> None:
    if isinstance(reference, Mapping):
        _write_yaml(path, reference)
        return
    source = base / reference
    source = source if source.is_file() else built_in[reference]
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(SCHEMA_LINE)), encoding="utf-8")


def _write_yaml(path: Path, mapping: Mapping[str, object]) -> None:
    path.write_text(yaml.safe_dump(dict(mapping), sort_keys=False, allow_unicode=True), encoding="utf-8")
