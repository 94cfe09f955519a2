"""Read all files of a table completely: collect all errors of the parsers, and build what can be built of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from thirdcard.calibration.camera import Calibration, calibration_faults, parse_calibration
from thirdcard.calibration.chips import BUILT_IN_CHIPS, CHIPS_FOLDER, ChipSet, ChipSetKeys, parse_chips
from thirdcard.calibration.documents import file_fault, is_missing, read_document
from thirdcard.calibration.errors import MISSING, CalibrationError, ChipsError, DocumentError, LayoutError
from thirdcard.calibration.layout import (
    BUILT_IN_LAYOUTS,
    HANDS,
    LAYOUT_FOLDER,
    Layout,
    LayoutKeys,
    parse_layout,
)
from thirdcard.rules.game.cards import PACK
from thirdcard.rules.game.words import GAME_BETS, Bet
from thirdcard.rules.rulebook.options import Rules, elect
from thirdcard.service.config.alerts_file import find_house
from thirdcard.service.config.house_yaml import house_faults
from thirdcard.service.config.stream_addresses import address_fault
from thirdcard.service.config.table_file import (
    CameraFile,
    TableFile,
    check_rulebook,
    check_seat_numbers,
    is_live_source,
    table_faults,
)
from thirdcard.service.ports.errors import ServiceError, TableError
from thirdcard.service.setup.chip_problems import sample_problems
from thirdcard.service.setup.collecting import ParsedParts, collect
from thirdcard.service.setup.deck_problems import deck_problems
from thirdcard.service.setup.problems import SetupProblem, doubtful, refused, wrong
from thirdcard.service.setup.table_document import read_table_document

USUAL_CARD_MM, USUAL_CHIP_MM = (63.0, 88.0), (39.0, 3.3)
"""Used where the files give no sizes: poker size, and the usual casino chip."""
CONTRADICTING_MM = 15.0
"""Two fits to the same points differ by some millimetres; below 30 mm nothing important changes (docs/new-table.md)."""
Parsed = TypeVar("Parsed")
_CARD_SIDES = (*map(str, PACK), "back")
_SETTINGS = frozenset({".yaml", ".yml", ".json"})
"""Endings of files that are no film."""


@dataclass(slots=True, kw_only=True)
class SetupFiles:
    """The parsed parts of a table's files."""

    path: Path
    table: TableFile | None = None
    rules: Rules | None = None
    layout: Layout | None = None
    chips: ChipSet | None = None
    calibrations: list[Calibration | None] = field(default_factory=list)
    """One entry per camera."""
    stream: CameraFile | None = None
    """The first camera with its film's path, or its address; None where that cannot be used."""
    refused_keys: frozenset[str] = frozenset()
    """Keys of the table's file whose values are refused."""
    incomplete: set[str] = field(default_factory=set)
    """Lists of other files, such as `areas`, of which some entries are refused: what they lack may be among those."""
    problems: list[SetupProblem] = field(default_factory=list)

    @property
    def layout_place(self) -> str:
        """The layout's file, or the table file's key that holds it."""
        return self._place("layout", BUILT_IN_LAYOUTS)

    @property
    def chips_place(self) -> str:
        """The chips' file, or the table file's key that holds them."""
        return self._place("chips", BUILT_IN_CHIPS)

    def _place(self, key: str, built_in: tuple[str, ...]) -> str:
        name = getattr(self.table, key, None)
        if not isinstance(name, str) or (name in built_in and not (self.path.parent / name).is_file()):
            return f"{self.path}: {key}"
        return str(self.path.parent / name)

    def refuse(self, check: Callable[[], object]) -> None:
        """Run a check and record its error as a problem."""
        try:
            check()
        except (ServiceError, CalibrationError) as error:
            self.record([error])

    def record(self, errors: Iterable[Exception]) -> None:
        """Record errors as problems, except those of values that were refused before."""
        self.problems += [refused(error) for error in errors if getattr(error, "key", None) not in self.refused_keys]

    def takes(self, key: str) -> bool:
        """Whether a key of the table's file was not refused."""
        return key not in self.refused_keys


def read_setup(path: Path) -> SetupFiles:
    """Read all files of a table, and record what is refused."""
    files = SetupFiles(path=path)
    try:
        document = read_table_document(path)
    except DocumentError as error:
        files.record([error])
        return files
    table, where = document.table, str(path)
    files.record(document.errors)
    files.table, files.refused_keys = table, document.refused
    files.rules = _elected(files, table) if files.takes("rulebook") else None
    are_options_kept = not any(problem.key.startswith("options") for problem in files.problems)
    files.layout, files.chips = _read_layout(files), _read_chips(files)
    _read_cameras(files, table)
    files.record(table_faults(table, files.rules, where))
    house = find_house(path)
    files.record(house_faults(house) if house is not None else ())
    if files.rules is not None and files.layout is not None:
        _check_by_rules(files, files.rules, files.layout, are_seats_known=are_options_kept)
    _check_deck(files)
    return files


def _elected(files: SetupFiles, table: TableFile) -> Rules | None:
    """The rules of the table, without the refused options."""
    options = dict(table.options)
    while True:
        try:
            return check_rulebook(table.model_copy(update={"options": options}), files.path)
        except TableError as error:
            files.record([error])
            option = error.key.removeprefix("options.")
            if option not in options:
                return None
            del options[option]


def _check_by_rules(files: SetupFiles, rules: Rules, layout: Layout, *, are_seats_known: bool) -> None:
    table = files.table
    assert table is not None
    if are_seats_known:
        files.refuse(lambda: check_seat_numbers(table, layout, files.path))
    bets = tuple(dict.fromkeys((*GAME_BETS, *rules.rulebook.bets)))
    for area in layout.of_kind("wager"):
        if area.bet not in bets:
            say = f"must be one of {', '.join(bets)}"
            files.problems.append(wrong(files.layout_place, f"areas.{area.id}.bet", value=area.bet, say=say))
            files.incomplete.add("areas")
    if "areas" not in files.incomplete:
        laid = {area.bet for area in layout.of_kind("wager")}
        usual = elect(rules.rulebook, {})
        for bet in bets:
            if rules.offers(Bet(bet)) and not usual.offers(Bet(bet)) and bet not in laid:
                say = f"no area for the bet {bet}, which the table's options offer"
                files.problems.append(doubtful(files.layout_place, "areas", say=say))


def _document_of(files: SetupFiles, key: str, folder: Path, built_in: tuple[str, ...]) -> Mapping[str, object] | None:
    """The mapping that a key of the table file holds, or that the file named by it holds."""
    held, where = getattr(files.table, key), str(files.path)
    if isinstance(held, Mapping):
        return held
    if not held:
        say = f"must be {TableFile.model_fields[key].description}"
        files.problems.append(wrong(where, key, value=MISSING, say=say))
        return None
    path = files.path.parent / held
    if is_missing(path) and held in built_in:
        path = folder / f"{held}.yaml"
    fault = file_fault(path)
    if fault is not None:
        none = f"no such file beside it, and not built in; built in: {', '.join(built_in)}"
        files.problems.append(wrong(where, key, value=held, say=none if is_missing(path) else fault))
        return None
    try:
        return read_document(path)
    except DocumentError as error:
        files.record([error])
        return None


def _read_layout(files: SetupFiles) -> Layout | None:
    document = _document_of(files, "layout", LAYOUT_FOLDER, BUILT_IN_LAYOUTS) if files.takes("layout") else None
    if document is None:
        return None
    where = files.layout_place
    found = collect(
        lambda mapping: parse_layout(mapping, where),
        document,
        LayoutKeys,
        where=where,
        kind=LayoutError,
        stand_ins={"name": "cloth"},
    )
    layout = _taken(files, found)
    if layout is not None and "areas" not in files.incomplete:
        missing = [hand for hand in HANDS if hand not in {area.hand for area in layout.of_kind("hand")}]
        files.problems += [
            wrong(where, "areas", say=f"must have an area of kind hand for the {hand}") for hand in missing
        ]
    return layout


def _read_chips(files: SetupFiles) -> ChipSet | None:
    document = _document_of(files, "chips", CHIPS_FOLDER, BUILT_IN_CHIPS) if files.takes("chips") else None
    if document is None:
        return None
    where = files.chips_place
    held = getattr(files.table, "chips", None)
    base = (files.path.parent / held).parent if isinstance(held, str) else files.path.parent
    found = collect(
        lambda mapping: parse_chips(mapping, where, base=base),
        document,
        ChipSetKeys,
        where=where,
        kind=ChipsError,
        stand_ins={"diameter_mm": USUAL_CHIP_MM[0], "thickness_mm": USUAL_CHIP_MM[1]},
    )
    chips = _taken(files, found)
    for i, chip in enumerate(chips.chips if chips is not None else ()):
        if chip.sample_path is not None:
            files.problems += sample_problems(chip.sample_path, where, f"chips[{i}].sample")
    return chips


def _taken(files: SetupFiles, found: ParsedParts[Parsed]) -> Parsed | None:
    files.record(found.refusals)
    files.incomplete |= found.incomplete
    return found.parsed


def _read_cameras(files: SetupFiles, table: TableFile) -> None:
    where = str(files.path)
    if not files.takes("cameras"):
        return
    if not table.cameras:
        say = f"must be {TableFile.model_fields['cameras'].description}, at least one"
        files.problems.append(wrong(where, "cameras", value=MISSING, say=say))
    for i, camera in enumerate(table.cameras):
        files.calibrations.append(None)
        if i > 0:
            say = "is not used: the first camera alone is watched; name the house's others under other_cameras"
            files.problems.append(wrong(where, f"cameras[{i}]", value=camera.name, say=say))
        elif files.takes(f"cameras[{i}].calibration"):
            files.calibrations[i] = _read_calibration(files, camera.calibration, f"cameras[{i}].calibration")
        if files.takes(f"cameras[{i}].source"):
            _check_source(files, camera, i)
        small = camera.wall_source
        fault = address_fault(small) if small is not None and "://" in small else None
        if fault is not None:
            files.problems.append(wrong(where, f"cameras[{i}].wall_source", value=small, say=fault))


def _check_source(files: SetupFiles, camera: CameraFile, i: int) -> None:
    source = str(camera.source)
    fault = _source_fault(files, source)
    if fault is not None:
        files.problems.append(wrong(str(files.path), f"cameras[{i}].source", value=source, say=fault))
    elif i == 0:
        own = source if is_live_source(source) else str(files.path.parent / source)
        files.stream = camera.model_copy(update={"source": own})


def _read_calibration(files: SetupFiles, name: str, key: str) -> Calibration | None:
    path = files.path.parent / name
    fault = file_fault(path)
    if fault is not None:
        files.problems.append(wrong(str(files.path), key, value=name, say=fault))
        return None
    try:
        document = read_document(path)
    except DocumentError as error:
        files.record([error])
        return None
    faults = calibration_faults(document, str(path))
    files.record(faults)
    if faults:
        return None
    calibration = parse_calibration(document, str(path))
    files.problems += _contradiction(document, calibration, str(path))
    return calibration


def _contradiction(document: Mapping[str, object], calibration: Calibration, where: str) -> list[SetupProblem]:
    """Report a file whose homography and pose map the middle of the picture to different places.

    The pose counts; but one of the two is another camera's, or was not written by the same fit.
    """
    if not calibration.has_pose or document.get("homography") is None:
        return []
    rest = {key: value for key, value in document.items() if key not in ("rvec", "tvec")}
    width, height = calibration.image_size_wh_px
    middle = [[width * x, height * y] for x in (0.4, 0.6) for y in (0.4, 0.6)]
    try:
        places = [one.layout_from_image(middle) for one in (calibration, parse_calibration(rest, where))]
    except CalibrationError as error:
        return [refused(error)]
    apart_mm = np.linalg.norm(places[0] - places[1], axis=1)
    known = apart_mm[np.isfinite(apart_mm)]
    if not len(known) or known.max() <= CONTRADICTING_MM:
        return []
    say = "they contradict each other in the middle of the picture; rvec and tvec are used. Calibrate anew"
    return [doubtful(where, "homography", value=f"{known.max():.0f} mm away from rvec and tvec", say=say)]


def _source_fault(files: SetupFiles, source: str) -> str | None:
    if "://" in source:
        return address_fault(source)
    if is_live_source(source):
        return None
    path = files.path.parent / source
    if path.suffix.lower() in _SETTINGS:
        return "is a file of settings, no film; must be a film, a URL (rtsp://...) or a device"
    missing = "no such file beside it, and neither a URL (rtsp://...) nor a device"
    return missing if is_missing(path) else file_fault(path)


def _check_deck(files: SetupFiles) -> None:
    deck = files.table.cards.deck if files.table is not None else None
    if deck is None:
        return
    path = files.path.parent / deck
    fault = file_fault(path)
    if fault is not None:
        files.problems.append(wrong(str(files.path), "cards.deck", value=deck, say=fault))
        return
    files.problems += deck_problems(path, _CARD_SIDES)
