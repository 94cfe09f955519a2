"""Read all files of a table completely: collect all errors of the parsers, and build what can be built of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from thirdcard.calibration.camera import Calibration, load_calibration
from thirdcard.calibration.chips import BUILT_IN_CHIPS, CHIPS_FOLDER, ChipSet, parse_chips
from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import CalibrationError, DocumentError
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS, HANDS, LAYOUT_FOLDER, Layout, parse_layout
from thirdcard.rules.game.cards import PACK
from thirdcard.rules.game.words import GAME_BETS
from thirdcard.rules.rulebook.options import Rules
from thirdcard.service.config.alerts_file import house_alerts
from thirdcard.service.config.parse_errors import table_errors_from
from thirdcard.service.config.table_file import (
    TableFile,
    check_camera_names,
    check_cards,
    check_equipment,
    check_limits,
    check_other_cameras,
    check_rulebook,
    check_seat_numbers,
    check_wall_sources,
    is_live_source,
)
from thirdcard.service.ports.errors import ServiceError, TableError
from thirdcard.service.setup.chip_problems import sample_problems
from thirdcard.service.setup.collecting import collect
from thirdcard.service.setup.deck_problems import deck_problems
from thirdcard.service.setup.problems import SetupProblem, refused, wrong

_CARD_SIDES = (*map(str, PACK), "back")
_NO_RULEBOOK = "tas"
"""Used where the file names no rulebook, so that the rest can be parsed; nothing is checked by it."""


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
            self.problems.append(refused(error))


def read_setup(path: Path) -> SetupFiles:
    """Read all files of a table, and record what is refused."""
    files = SetupFiles(path=path)
    files.table, faulty = _read_table(files)
    if files.table is None:
        return files
    table, where = files.table, str(path)
    files.rules = None if "rulebook" in faulty else _elected(files, faulty)
    are_options_kept = not any(problem.key.startswith("options") for problem in files.problems)
    files.layout, files.chips = _read_layout(files, faulty), _read_chips(files, faulty)
    _read_cameras(files, faulty)
    files.refuse(lambda: check_cards(table, where))
    for check in (check_camera_names, check_wall_sources, check_other_cameras):
        files.refuse(lambda check=check: check(table, where))  # type: ignore[misc]
    if table.alerts is None and "alerts" not in faulty:
        files.refuse(lambda: house_alerts(path))
    if files.rules is not None:
        _check_by_rules(files, files.rules, are_seats_known=are_options_kept)
    _check_deck(files)
    return files


def _read_table(files: SetupFiles) -> tuple[TableFile | None, frozenset[str]]:
    """The table file without the refused values, and the keys that hold refused values."""
    try:
        document = dict(read_document(files.path))
    except DocumentError as error:
        files.problems.append(refused(error))
        return None, frozenset()
    try:
        return TableFile.model_validate(document), frozenset()
    except ValidationError as error:
        files.problems += map(refused, table_errors_from(error, TableFile, str(files.path)))
        faulty = frozenset(str(one["loc"][0]) for one in error.errors(include_url=False) if one["loc"])
    kept = {key: value for key, value in document.items() if key not in faulty}
    stand_in = {"id": "table", "rulebook": _NO_RULEBOOK}
    return TableFile.model_validate({**{key: stand_in[key] for key in faulty & {*stand_in}}, **kept}), faulty


def _elected(files: SetupFiles, faulty: frozenset[str]) -> Rules | None:
    """The rules of the table, without the refused options."""
    table = files.table
    assert table is not None
    options = {} if "options" in faulty else dict(table.options)
    while True:
        try:
            return check_rulebook(table.model_copy(update={"options": options}), files.path)
        except TableError as error:
            files.problems.append(refused(error))
            option = error.key.removeprefix("options.")
            if option not in options:
                return None
            del options[option]


def _check_by_rules(files: SetupFiles, rules: Rules, *, are_seats_known: bool) -> None:
    table, where, layout = files.table, str(files.path), files.layout
    assert table is not None
    files.refuse(lambda: check_equipment(table, rules, where))
    files.refuse(lambda: check_limits(table, rules, where))
    if layout is not None and are_seats_known:
        files.refuse(lambda: check_seat_numbers(table, layout, files.path))
    bets = tuple(dict.fromkeys((*GAME_BETS, *rules.rulebook.bets)))
    for area in layout.of_kind("wager") if layout is not None else ():
        if area.bet not in bets:
            say = f"must be one of {', '.join(bets)}"
            files.problems.append(wrong(files.layout_place, f"areas.{area.id}.bet", value=area.bet, say=say))


def _document_of(files: SetupFiles, key: str, folder: Path, built_in: tuple[str, ...]) -> Mapping[str, object] | None:
    """The mapping that a key of the table file holds, or that the file named by it holds."""
    held, where = getattr(files.table, key), str(files.path)
    if isinstance(held, Mapping):
        return held
    if not held:
        files.problems.append(wrong(where, key, say=f"must be {TableFile.model_fields[key].description}"))
        return None
    path = files.path.parent / held
    if not path.is_file() and held in built_in:
        path = folder / f"{held}.yaml"
    if not path.is_file():
        say = f"no such file beside it, and not built in; built in: {', '.join(built_in)}"
        files.problems.append(wrong(where, key, value=held, say=say))
        return None
    try:
        return read_document(path)
    except DocumentError as error:
        files.problems.append(refused(error))
        return None


def _read_layout(files: SetupFiles, faulty: frozenset[str]) -> Layout | None:
    document = None if "layout" in faulty else _document_of(files, "layout", LAYOUT_FOLDER, BUILT_IN_LAYOUTS)
    if document is None:
        return None
    where = files.layout_place
    layout, refusals = collect(lambda mapping: parse_layout(mapping, where), document)
    files.problems += map(refused, refusals)
    if layout is not None:
        missing = [hand for hand in HANDS if hand not in {area.hand for area in layout.of_kind("hand")}]
        files.problems += [
            wrong(where, "areas", say=f"must have an area of kind hand for the {hand}") for hand in missing
        ]
    return layout


def _read_chips(files: SetupFiles, faulty: frozenset[str]) -> ChipSet | None:
    document = None if "chips" in faulty else _document_of(files, "chips", CHIPS_FOLDER, BUILT_IN_CHIPS)
    if document is None:
        return None
    where = files.chips_place
    held = getattr(files.table, "chips", None)
    base = (files.path.parent / held).parent if isinstance(held, str) else files.path.parent
    chips, refusals = collect(lambda mapping: parse_chips(mapping, where, base=base), document)
    files.problems += map(refused, refusals)
    for i, chip in enumerate(chips.chips if chips is not None else ()):
        if chip.sample_path is not None:
            files.problems += sample_problems(chip.sample_path, where, f"chips[{i}].sample")
    return chips


def _read_cameras(files: SetupFiles, faulty: frozenset[str]) -> None:
    table, where = files.table, str(files.path)
    assert table is not None
    if "cameras" in faulty:
        return
    if not table.cameras:
        say = f"must be {TableFile.model_fields['cameras'].description}, at least one"
        files.problems.append(wrong(where, "cameras", say=say))
    for i, camera in enumerate(table.cameras):
        files.calibrations.append(None)
        path, key = files.path.parent / camera.calibration, f"cameras[{i}].calibration"
        if i > 0:
            say = "is not used: the first camera alone is watched; name the house's others under other_cameras"
            files.problems.append(wrong(where, f"cameras[{i}]", value=camera.name, say=say))
        elif path.is_file():
            try:
                files.calibrations[i] = load_calibration(path)
            except CalibrationError as error:
                files.problems.append(refused(error))
        else:
            files.problems.append(wrong(where, key, value=camera.calibration, say=f"no such file: {path}"))
        source = str(camera.source)
        if not is_live_source(source) and not (files.path.parent / source).is_file():
            say = "no such file beside it, and neither a URL (rtsp://...) nor a device"
            files.problems.append(wrong(where, f"cameras[{i}].source", value=source, say=say))


def _check_deck(files: SetupFiles) -> None:
    deck = files.table.cards.deck if files.table is not None else None
    if deck is None:
        return
    path = files.path.parent / deck
    if not path.is_file():
        files.problems.append(wrong(str(files.path), "cards.deck", value=deck, say=f"no such file: {path}"))
        return
    files.problems += deck_problems(path, _CARD_SIDES)
