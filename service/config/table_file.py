"""A table as its house describes it: `table.yaml` and the files it names.

Three steps: parse (pydantic, unknown keys refused), check what concerns several keys, build. Checks read and never
change anything. Nothing is opened but the table's own YAML files; no video, no camera.
"""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from thirdcard.calibration.camera import Calibration, load_calibration
from thirdcard.calibration.chips import BUILT_IN_CHIPS, ChipSet, load_chips, parse_chips
from thirdcard.calibration.documents import file_fault, is_missing, read_document
from thirdcard.calibration.errors import MISSING, CalibrationError, DocumentError, NoSuchNameError
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS, HANDS, Layout, load_layout, parse_layout
from thirdcard.rules.errors import EquipmentError, OptionError, RulesError
from thirdcard.rules.game.words import GAME_BETS
from thirdcard.rules.rulebook.equipment import check_seats, fee_faults, shoe_faults
from thirdcard.rules.rulebook.load import elect, is_file_reference, load_rulebook, rulebook_ids
from thirdcard.rules.rulebook.options import Rules
from thirdcard.service.config.alerts_file import AlertsFile, house_alerts
from thirdcard.service.config.parse_errors import table_error_from, with_text_keys
from thirdcard.service.config.recorder_links import RecorderLink, link_fault
from thirdcard.service.config.rulebook_files import find_rulebook
from thirdcard.service.ports.errors import TableError, UnreadableTableError

if TYPE_CHECKING:
    pass


Amount = Annotated[int, Field(strict=True, ge=0, le=10**12)]
CardSide = Annotated[float, Field(strict=True, ge=20, le=200)]
Text = Annotated[str, Field(strict=True, min_length=1, max_length=200)]
ID_PATTERN = r"^[^\s\x00-\x1f\x7f/\\+#.]([^\x00-\x1f\x7f/\\+#]*[^\s\x00-\x1f\x7f/\\+#])?$"
"""A table's id is used in folders, addresses and topics, so it must not lead out of them."""
UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co"})
"""Unicode's categories of characters that nobody sees: control, format, separators of lines and paragraphs, halves of
pairs, private use."""
MOST_ID_BYTES = 200
MOST_ID_CHARACTERS = 99
"""Chains are called by a table's id too, and their names have 120 characters: a review's takes 21 of them."""


def _is_seen(name: str) -> str:
    if any(unicodedata.category(one) in UNSEEN for one in name):
        raise ValueError("holds an invisible character")
    return name


def _fits_a_file_name(name: str) -> str:
    if len(name.encode()) > MOST_ID_BYTES:
        raise ValueError(f"longer than {MOST_ID_BYTES} bytes")
    return name


TableId = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=MOST_ID_CHARACTERS, pattern=ID_PATTERN),
    AfterValidator(_is_seen),
    AfterValidator(_fits_a_file_name),
]
OptionValue = bool | int | str | None
RING = timedelta(minutes=15)
"""The least amount of stored video of a table's camera: clips are cut from it."""
INLINE = frozenset({"layout", "chips"})
"""Keys of the table's file that may hold another file's content."""
_AMOUNT = "a whole number of the smallest money unit, 0 to 10^12, or null for no limit"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class ShoeFile(_Model):
    """What the cards are dealt from."""

    decks: int = Field(default=8, ge=1, le=16, description="a whole number of decks, 1 to 16")
    device: Literal["shoe", "continuous_shuffler", "non_continuous_shuffler"] = Field(
        default="shoe", description="one of shoe, continuous_shuffler, non_continuous_shuffler"
    )


class BetLimits(_Model):
    """The limits of one bet."""

    minimum: Amount | None = Field(default=None, description=_AMOUNT)
    maximum: Amount | None = Field(default=None, description=_AMOUNT)


class Limits(_Model):
    """The table's notice; None where it says nothing."""

    minimum: Amount | None = Field(default=None, description=_AMOUNT)
    maximum: Amount | None = Field(default=None, description=_AMOUNT)
    differential: Amount | None = Field(default=None, description=_AMOUNT)
    collective: Amount | None = Field(default=None, description=_AMOUNT)
    bets: dict[str, BetLimits] = Field(
        default_factory=dict, description="a mapping of bets to {minimum, maximum}, each a bet of the contract"
    )


class CardsFile(_Model):
    """The cards' make."""

    size_mm: tuple[CardSide, CardSide] = Field(
        default=(63.0, 88.0), description="[width, height] of a card in mm, 20 to 200 each", strict=False
    )
    deck: Text | None = Field(
        default=None,
        description="the path, beside the table file, of a deck that `thirdcard enrol cards` wrote; or null",
    )


class CameraFile(_Model):
    """One camera as the file names it."""

    name: Text = Field(description="a name, 1 to 200 characters, unique among the cameras")
    source: Text | Annotated[int, Field(ge=0)] = Field(
        description="a video file beside the table file, a URL (rtsp://...), or a device (/dev/video0 or a number)"
    )
    calibration: Text = Field(description="the path of a calibration file beside the table file")
    transport: Literal["tcp", "udp", "auto"] = Field(
        default="auto", description="tcp, udp, or auto for both in turn: over which an RTSP camera is asked to send"
    )
    wall_source: Text | None = Field(
        default=None,
        description="the URL of the camera's smaller stream (rtsp://...) for the pictures that people look at, or null",
    )
    loop: bool = Field(default=False, description="true or false: whether a file is played over and over when served")


class RecordingFile(_Model):
    """How much of the camera is kept beside what alerts show."""

    hours: float = Field(gt=0, le=744, description="hours, over 0 to 744, as far as the disk budget allows")


class OtherCameraFile(_Model):
    """A camera that the house's own recorder keeps."""

    name: Text = Field(description="a name, 1 to 200 characters")
    url: str = Field(
        min_length=1,
        max_length=2000,
        description="the http(s) address at which the house's recorder shows it, with {start} and {end}",
    )


class TableFile(_Model):
    """`table.yaml` as it stands, its references not yet followed."""

    id: TableId = Field(
        description="the table's name, a text of 1 to 99 characters, at most 200 bytes in UTF-8, that does not begin "
        r"with a dot, has no blank at its ends, and holds no / \ + #, no control character and no invisible one"
    )
    rulebook: Text = Field(description="the id of a rulebook, or the path of a rulebook's file beside the table file")
    options: dict[str, OptionValue] = Field(
        default_factory=dict, description="a mapping of the rulebook's options to true, false, numbers, words or null"
    )
    shoe: ShoeFile = Field(default_factory=ShoeFile, description="a mapping with decks, device")
    limits: Limits = Field(
        default_factory=Limits, description="a mapping with minimum, maximum, differential, collective, bets"
    )
    layout: str | dict[str, object] | None = Field(
        default=None, description="a path beside the table file, the name of a built-in layout, or a mapping"
    )
    chips: str | dict[str, object] | None = Field(
        default=None, description="a path beside the table file, the name of a built-in chip set, or a mapping"
    )
    cards: CardsFile = Field(default_factory=CardsFile, description="a mapping with size_mm, deck")
    cameras: list[CameraFile] = Field(
        default_factory=list, description="a list of cameras, each {name, source, calibration}"
    )
    alerts: AlertsFile | None = Field(
        default=None,
        description="a mapping with false_per_table_hour, codes, severities, fault_rates; without it as the house says",
    )
    recording: RecordingFile | None = Field(
        default=None, description="a mapping with hours: so much of the camera is kept and can be played; or null"
    )
    other_cameras: list[OtherCameraFile] = Field(
        default_factory=list,
        max_length=20,
        description="a list of up to 20 cameras of the house's own recorder, each {name, url}",
    )
    gestures: list[Literal["no_more_bets"]] = Field(
        default_factory=list,
        description="a list of the dealer's gestures that mean something at this table: no_more_bets",
    )
    loop: bool = Field(default=False, description="true or false: whether files are played over and over when served")
    drill: bool = Field(
        default=False,
        description="true or false: whether dealers practise here, with other decks and seats than the rulebook's",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraConfig:
    """One camera with its calibration loaded."""

    name: str
    source: str = dataclasses.field(repr=False)
    """A file's path, a URL or a device; a URL includes user and password."""
    is_live: bool
    """Whether the source is a stream or a device rather than a file."""
    calibration: Calibration
    calibration_path: Path
    loop: bool = False
    transport: Literal["tcp", "udp", "auto"] = "auto"
    """The transport for an RTSP camera."""
    kept: timedelta = RING
    """How much of its video is stored."""
    wall_source: str | None = dataclasses.field(default=None, repr=False)
    """The URL of a smaller stream for people to watch."""

    @property
    def is_played_again(self) -> bool:
        """Whether it is a file that is played in a loop."""
        return self.loop and not self.is_live


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """A table with everything that its files name."""

    path: Path
    """The table file."""
    id: str
    rulebook: str
    options: Mapping[str, OptionValue]
    shoe: ShoeFile
    limits: Limits
    layout: Layout
    chips: ChipSet
    card_size_mm: tuple[float, float]
    cameras: tuple[CameraConfig, ...]
    """At least one; the first is watched."""
    deck: Path | None = None
    """The house's own deck, written by `thirdcard enrol cards`."""
    alerts: AlertsFile = dataclasses.field(default_factory=AlertsFile)
    gestures: tuple[str, ...] = ()
    """The dealer's gestures with a meaning at this table."""
    other_cameras: tuple[RecorderLink, ...] = ()
    """The cameras of the house's own recorder for this table."""
    rulebook_reference: str = ""
    """The path of the rulebook's file if it is the house's own; else its id, or empty."""

    @property
    def is_call_a_gesture(self) -> bool:
        """Whether the dealer calls "No more bets" by a gesture."""
        return "no_more_bets" in self.gestures

    @property
    def rules(self) -> Rules:
        """The rules that the table is judged by."""
        return elect(load_rulebook(self.rulebook_reference or self.rulebook), self.options)

    @property
    def bets(self) -> tuple[str, ...]:
        """The bets allowed here: those of the game, and those of the rulebook."""
        return tuple(dict.fromkeys((*GAME_BETS, *self.rules.rulebook.bets)))

    def with_source(self, source: str) -> TableConfig:
        """The same table with another video for its first camera."""
        path = Path(source)
        camera = dataclasses.replace(
            self.cameras[0], source=source, is_live=is_live_source(source) and not path.is_file()
        )
        return dataclasses.replace(self, cameras=(camera, *self.cameras[1:]))


def read_table_file(path: Path) -> TableFile:
    """Parse and check `table.yaml`, without the layout, chips and cameras it names.

    Enough for judging a log: id, rulebook, options, shoe and limits.

    Raises:
        UnreadableTableError: The file is missing or no YAML mapping.
        TableError: A value is not allowed.
    """
    try:
        document, errors = with_text_keys(read_document(path), str(path), whole=INLINE)
        if errors:
            raise errors[0]
        table = TableFile.model_validate(document)
    except DocumentError as error:
        raise UnreadableTableError(str(error)) from error
    except ValidationError as error:
        raise table_error_from(error, TableFile, str(path)) from error
    check_table_file(table, path)
    return table


def load_table(path: Path) -> TableConfig:
    """Load a table with its layout, chips and calibrations.

    Raises:
        UnreadableTableError: A file is missing or no YAML mapping.
        TableError: A value is not allowed.
    """
    table = read_table_file(path)
    reference = find_rulebook(table.rulebook, path)
    for key in ("layout", "chips", "cameras"):
        if not getattr(table, key):
            value = MISSING if key not in table.model_fields_set else getattr(table, key)
            raise TableError(str(path), key, value=value, allowed=f"must be {_description(key)}")
    config = TableConfig(
        path=path,
        id=table.id,
        rulebook=load_rulebook(reference).id,
        rulebook_reference=reference,
        options=table.options,
        shoe=table.shoe,
        limits=table.limits,
        layout=_build_layout(table, path),
        chips=_build_chips(table, path),
        card_size_mm=table.cards.size_mm,
        cameras=tuple(_build_camera(table, i, path) for i in range(len(table.cameras))),
        deck=_find_deck(table, path),
        alerts=house_alerts(path) if table.alerts is None else table.alerts,
        gestures=tuple(table.gestures),
        other_cameras=tuple(RecorderLink(name=one.name, url=one.url) for one in table.other_cameras),
    )
    check_hand_areas(config)
    check_wager_areas(config)
    check_seat_numbers(table, config.layout, path)
    return config


def files_of(table: TableFile, path: Path) -> tuple[Path, ...]:
    """The table's file at `path` and the files that it names, if they exist."""
    chips = table.chips if isinstance(table.chips, dict) else {}
    entries = chips.get("chips")
    samples = [one.get("sample") for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    cameras = [name for camera in table.cameras for name in (camera.source, camera.calibration)]
    names = [table.rulebook, table.layout, table.chips, table.cards.deck, *samples, *cameras]
    named = [path.parent / name for name in names if isinstance(name, str) and "\0" not in name]
    return (path, *(file for file in named if file_fault(file) is None))


def read_chip_values(table: TableFile, path: Path) -> tuple[int, ...]:
    """The values of a table's chips in minor units; empty where it names no chips, or a file that is missing.

    Raises:
        UnreadableTableError: The file of chips is no YAML mapping.
        TableError: A value is not allowed.
    """
    names_file = isinstance(table.chips, str) and table.chips not in BUILT_IN_CHIPS
    if not table.chips or (names_file and is_missing(path.parent / str(table.chips))):
        return ()
    return _build_chips(table, path).values


def read_layout(table: TableFile, path: Path) -> Layout | None:
    """A table's layout; None where it names none, or a file that is missing.

    Raises:
        UnreadableTableError: The file is no layout.
    """
    names_file = isinstance(table.layout, str) and table.layout not in BUILT_IN_LAYOUTS
    if not table.layout or (names_file and is_missing(path.parent / str(table.layout))):
        return None
    return _build_layout(table, path)


def is_live_source(source: str) -> bool:
    """Whether a source is a stream or a device, judged by its spelling."""
    return "://" in source or source.startswith("/dev/") or source.isdigit()


def _build_layout(table: TableFile, path: Path) -> Layout:
    try:
        if isinstance(table.layout, dict):
            return parse_layout(table.layout, f"{path}: layout")
        return load_layout(str(table.layout), path.parent)
    except NoSuchNameError as error:
        raise TableError(str(path), "layout", value=error.value, allowed=error.allowed) from error
    except CalibrationError as error:
        raise UnreadableTableError(str(error)) from error


def _build_chips(table: TableFile, path: Path) -> ChipSet:
    try:
        if isinstance(table.chips, dict):
            return parse_chips(table.chips, f"{path}: chips", base=path.parent)
        return load_chips(str(table.chips), path.parent)
    except NoSuchNameError as error:
        raise TableError(str(path), "chips", value=error.value, allowed=error.allowed) from error
    except CalibrationError as error:
        raise UnreadableTableError(str(error)) from error


def _find_deck(table: TableFile, path: Path) -> Path | None:
    if table.cards.deck is None:
        return None
    deck = path.parent / table.cards.deck
    fault = file_fault(deck)
    if fault is not None:
        raise TableError(str(path), "cards.deck", value=table.cards.deck, allowed=fault)
    return deck


def _build_camera(table: TableFile, i: int, path: Path) -> CameraConfig:
    camera = table.cameras[i]
    source = str(camera.source)
    calibration_path = path.parent / camera.calibration
    fault = file_fault(calibration_path)
    if fault is not None:
        raise TableError(str(path), f"cameras[{i}].calibration", value=camera.calibration, allowed=fault)
    try:
        calibration = load_calibration(calibration_path)
    except CalibrationError as error:
        raise UnreadableTableError(str(error)) from error
    return CameraConfig(
        name=camera.name,
        source=source if is_live_source(source) else str(path.parent / source),
        is_live=is_live_source(source),
        calibration=calibration,
        calibration_path=calibration_path,
        loop=camera.loop or table.loop,
        transport=camera.transport,
        kept=RING if table.recording is None else max(RING, timedelta(hours=table.recording.hours)),
        wall_source=camera.wall_source,
    )


def _description(key: str) -> str:
    return TableFile.model_fields[key].description or ""


def check_table_file(table: TableFile, path: Path) -> None:
    """Run all checks that need only the table file and its rulebook.

    Raises:
        TableError: For the first check that fails.
    """
    for fault in table_faults(table, check_rulebook(table, path), str(path)):
        raise fault


def table_faults(table: TableFile, rules: Rules | None, where: str) -> Iterator[TableError]:
    """Every fault that concerns several keys of the table file.

    Args:
        table: The table file.
        rules: The table's rules; without them shoe, fees and the names of bets are not checked.
        where: The file, for messages.
    """
    if rules is not None:
        yield from _equipment_faults(table, rules, where)
    yield from _limit_faults(table, rules, where)
    width, height = table.cards.size_mm
    if width >= height:
        allowed = "must be [width, height], width smaller"
        yield TableError(where, "cards.size_mm", value=[width, height], allowed=allowed)
    yield from _camera_faults(table, where)


def check_rulebook(table: TableFile, path: Path) -> Rules:
    """Check that the rulebook exists and has these options; returns the table's rules."""
    where, reference = str(path), find_rulebook(table.rulebook, path)
    if not is_file_reference(reference) and reference not in rulebook_ids():
        allowed = f"unknown rulebook; allowed: {', '.join(rulebook_ids())}, or a file such as ./mine.yaml"
        raise TableError(where, "rulebook", value=table.rulebook, allowed=allowed)
    try:
        return elect(load_rulebook(reference), table.options)
    except OptionError as error:
        value = table.options.get(error.key)
        allowed = str(error).partition("; ")[2] or str(error)
        raise TableError(where, f"options.{error.key}", value=value, allowed=allowed) from error
    except RulesError as error:
        raise TableError(where, "rulebook", value=table.rulebook, allowed=str(error)) from error


def _equipment_faults(table: TableFile, rules: Rules, where: str) -> Iterator[TableError]:
    """Decks, the dealing device and an ante that the rulebook does not allow."""
    shoe = () if table.drill else shoe_faults(rules, decks=table.shoe.decks, device=table.shoe.device)
    for error in (*shoe, *fee_faults(rules, table.limits.minimum)):
        yield TableError(where, error.key, value=error.value, allowed=error.allowed)


def check_seat_numbers(table: TableFile, layout: Layout, path: Path) -> None:
    """Check that the layout has at most as many numbered seats as the rulebook allows."""
    if table.drill:
        return
    seats = {area.seat for area in layout.areas if area.seat is not None}
    try:
        check_seats(check_rulebook(table, path), seats)
    except EquipmentError as error:
        raise TableError(str(path), error.key, value=error.value, allowed=error.allowed) from error


def _limit_faults(table: TableFile, rules: Rules | None, where: str) -> Iterator[TableError]:
    """Maxima below their minima, and limits for unknown bets."""
    bets = () if rules is None else tuple(dict.fromkeys((*GAME_BETS, *rules.rulebook.bets)))
    for bet in table.limits.bets if bets else ():
        if bet not in bets:
            yield TableError(where, f"limits.bets.{bet}", value=bet, allowed=f"must be one of {', '.join(bets)}")
    pairs = [("limits", table.limits.minimum, table.limits.maximum)]
    pairs += [(f"limits.bets.{bet}", limits.minimum, limits.maximum) for bet, limits in table.limits.bets.items()]
    for key, minimum, maximum in pairs:
        if minimum is not None and maximum is not None and maximum < minimum:
            yield TableError(where, f"{key}.maximum", value=maximum, allowed=f"must not be below the minimum {minimum}")


def _camera_faults(table: TableFile, where: str) -> Iterator[TableError]:
    """Cameras of one name, smaller streams that are files, which show another time, and links that lead nowhere."""
    names = [camera.name for camera in table.cameras]
    for i, camera in enumerate(table.cameras):
        if camera.name in names[:i]:
            allowed = "must be unique among the cameras"
            yield TableError(where, f"cameras[{i}].name", value=camera.name, allowed=allowed)
        if camera.wall_source is not None and "://" not in camera.wall_source:
            key = f"cameras[{i}].wall_source"
            yield TableError(where, key, value=camera.wall_source, allowed="must be a URL such as rtsp://...")
    for i, other in enumerate(table.other_cameras):
        fault = link_fault(other.url)
        if fault is not None:
            yield TableError(where, f"other_cameras[{i}].url", value=other.url, allowed=fault)


def check_hand_areas(table: TableConfig) -> None:
    """Check that the layout has a box for either hand."""
    hands = {area.hand for area in table.layout.of_kind("hand")}
    for hand in HANDS:
        if hand not in hands:
            raise TableError(
                str(table.path), "layout", value=table.layout.name, allowed=f"must have a {hand} hand area"
            )


def check_wager_areas(config: TableConfig) -> None:
    """Check that each wagering area is for a bet of the game or of the rulebook."""
    bets = config.bets
    for area in config.layout.of_kind("wager"):
        if area.bet not in bets:
            allowed = f"must be one of {', '.join(bets)}"
            raise TableError(str(config.path), f"layout: areas.{area.id}.bet", value=area.bet, allowed=allowed)
