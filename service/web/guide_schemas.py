"""The requests and answers of the guided set-up of a table, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from thirdcard.calibration.chips import ChipSet, load_chips
from thirdcard.service.cameras.discovery import FoundCamera
from thirdcard.service.cameras.onvif import CameraAnswer
from thirdcard.service.guide.calibration_step import DrawnArea, FitTold, area_text
from thirdcard.service.guide.camera_step import CameraAsked, CameraTold
from thirdcard.service.guide.cloth_step import load_cloth
from thirdcard.service.guide.deck_step import DECK, DeckTold
from thirdcard.service.guide.drafts import CHIPS, LAYOUT, MOST_POINTS, HousePart, NewTable, Place, Sketch
from thirdcard.service.guide.house_step import call_words
from thirdcard.service.guide.lens_step import LensTold
from thirdcard.service.guide.trial import Trial
from thirdcard.service.setup.problems import SetupProblem
from thirdcard.service.web.requests import LARGEST_ID, Incoming, Name
from thirdcard.service.web.setup_schemas import ProblemOut
from thirdcard.vision.addresses import public_address

Address = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Secret = Annotated[str, StringConstraints(max_length=500)]
Outline = list[tuple[float, float]]


class PictureQuery(Incoming):
    """The query of a picture."""

    of: Annotated[int, Field(ge=0, le=LARGEST_ID)] | None = None
    """Any number; with a new number a browser does not use its cached picture."""


class BeginIn(Incoming):
    """A new table to set up."""

    table: Name


class CameraIn(Incoming):
    """A camera, or a film."""

    source: Address
    user: Secret = ""
    password: Secret = ""
    transport: Literal["tcp", "udp", "auto"] = "auto"

    def asked(self) -> CameraAsked:
        """The request in the form of the camera step."""
        return CameraAsked(source=self.source, user=self.user, password=self.password, transport=self.transport)


class ClothIn(Incoming):
    """An existing cloth."""

    name: Name


class SketchIn(Incoming):
    """A drawing of a cloth."""

    sketch: Sketch
    is_done: bool = False
    """Whether it becomes the table's cloth; otherwise it is stored as a draft."""


class PointsIn(Incoming):
    """Points in the picture, or None for the markers in it, and whether to store the fit."""

    points: dict[Name, Place] | None = Field(default=None, max_length=MOST_POINTS)
    """None to look for the markers."""
    is_done: bool = False


class ChipIn(Incoming):
    """One denomination."""

    value: int = Field(ge=1, le=10**9)
    name: Name
    colour: Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")] = "#000000"


class ChipsIn(Incoming):
    """A chip set: a built-in one, or values."""

    built_in: Name | None = None
    diameter_mm: float = Field(default=39.0, ge=15, le=120)
    thickness_mm: float = Field(default=3.3, ge=0.5, le=20)
    chips: list[ChipIn] = Field(default_factory=list, max_length=40)
    is_row: bool = False
    """Whether one chip of each kind now lies in a row in front of the camera, to be measured."""


class HouseIn(Incoming):
    """The options that the house elects."""

    house: HousePart


class StreamsIn(Incoming):
    """A camera that answered, and the login to ask for its streams."""

    service: Address
    user: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    password: Secret = ""


class DeckIn(Incoming):
    """The request to enrol the house's own cards, which lie spread in front of the camera."""

    card_mm: tuple[Annotated[float, Field(ge=20, le=200)], Annotated[float, Field(ge=20, le=300)]] = (63.0, 88.0)


class FinishIn(Incoming):
    """The request to watch the table."""

    why: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] | None = None


class DraftOut(BaseModel):
    """The draft of a table."""

    table: str
    steps: dict[str, bool]
    """Whether each step is complete, by step."""
    camera: str | None
    """The camera's address without user and password."""
    size_px: tuple[int, int] | None
    cloth: str | None
    sketch: Sketch | None
    areas: list[dict[str, Any]]
    """The cloth's areas: id, kind, text and polygon in millimetres."""
    reference_points: dict[str, tuple[float, float]]
    has_markers: bool
    size_mm: tuple[float, float] | None
    points: dict[str, tuple[float, float]]
    chips: str | None
    chip_set: list[ChipIn]
    """The chips chosen so far."""
    has_deck: bool
    """Whether the house's own cards are enrolled."""
    house: HousePart | None
    call: list[str]
    """How the call "No more bets" is detected."""

    @classmethod
    def of(cls, draft: NewTable) -> DraftOut:
        """The JSON model of a draft."""
        file = draft.read()
        layout = load_cloth(draft) if draft.has(LAYOUT) else None
        return cls(
            table=draft.table_id,
            steps=draft.states(),
            camera=None if file.camera is None else public_address(file.camera.source),
            size_px=None if file.camera is None else file.camera.size_px,
            cloth=file.cloth,
            sketch=file.sketch,
            areas=[
                {"id": one.id, "kind": one.kind, "text": area_text(one), "polygon": one.polygon_mm.tolist()}
                for one in (() if layout is None else layout.areas)
            ],
            reference_points={} if layout is None else dict(layout.reference_points),
            has_markers=layout is not None and layout.markers is not None,
            size_mm=None if layout is None else layout.size_mm,
            points=file.points,
            chips=file.chips,
            chip_set=_chips_of(draft),
            has_deck=draft.has(DECK),
            house=file.house,
            call=call_words(draft, file.house),
        )


def _chips_of(draft: NewTable) -> list[ChipIn]:
    if not draft.has(CHIPS):
        return []
    return [ChipIn.model_validate(one) for one in chips_out(load_chips(CHIPS, draft.folder))]


def chips_out(chips: ChipSet) -> list[dict[str, Any]]:
    """Each chip's value, name and colour."""
    return [
        {"value": one.value, "name": one.name, "colour": "#{:02x}{:02x}{:02x}".format(*one.colour_rgb)}
        for one in chips.chips
    ]


class StepOut(BaseModel):
    """A completed step."""

    draft: DraftOut
    problems: list[ProblemOut]
    """Points that a person should check."""

    @classmethod
    def of(cls, draft: NewTable, problems: Iterable[SetupProblem]) -> StepOut:
        """The JSON model of a step."""
        return cls(draft=DraftOut.of(draft), problems=[ProblemOut.of(one) for one in problems])


class FoundCameraOut(BaseModel):
    """A camera that answered."""

    address: str
    name: str
    model: str
    location: str
    service: str | None
    """The address to ask for its streams; None where it gave none."""

    @classmethod
    def of(cls, camera: FoundCamera) -> FoundCameraOut:
        """The JSON model of a camera."""
        service = next(iter(camera.services), None)
        return cls(
            address=camera.address, name=camera.name, model=camera.model, location=camera.location, service=service
        )


class StreamOut(BaseModel):
    """A stream that a camera offers."""

    name: str
    address: str
    """The address without user and password."""
    codec: str | None
    size_px: tuple[int, int] | None
    rate_hz: float | None


class StreamsOut(BaseModel):
    """The streams that a camera offers."""

    streams: list[StreamOut]
    """The largest first."""
    clock_off_s: float | None
    """How far its clock is ahead, in seconds."""

    @classmethod
    def of(cls, answer: CameraAnswer) -> StreamsOut:
        """The JSON model of the answer."""
        streams = [
            StreamOut(name=one.name, address=one.address, codec=one.codec, size_px=one.size_wh_px, rate_hz=one.rate_hz)
            for one in answer.streams
        ]
        return cls(streams=streams, clock_off_s=answer.clock_off_s)


class DeckOut(BaseModel):
    """The result of enrolling the house's own cards."""

    draft: DraftOut
    faces: int
    missing: list[str]
    say: str

    @classmethod
    def of(cls, draft: NewTable, told: DeckTold) -> DeckOut:
        """The JSON model of the result."""
        return cls(draft=DraftOut.of(draft), faces=told.faces, missing=list(told.missing), say=told.say)


class CameraOut(StepOut):
    """The result of a look through the camera."""

    words: list[str]

    @classmethod
    def told(cls, draft: NewTable, told: CameraTold) -> CameraOut:
        """The JSON model of the result."""
        look, picture = told.look, told.look.picture
        rate = "rate unknown" if look.rate_hz is None else f"{look.rate_hz:.1f} pictures a second"
        blur = "no detail" if picture.blur_px is None else f"edges spread over {picture.blur_px:.1f} px (2.5 at most)"
        light = f"Light: mean {picture.level:.0f}, brightest {picture.brightest:.0f} of 255."
        words = [
            f"{look.codec}, {look.size_wh_px[0]} x {look.size_wh_px[1]}, {rate}.",
            f"Focus: {blur}. {light}",
            "Cards and chips are large enough to read while the whole picture shows at most "
            f"{told.widest_mm / 1000:.1f} m of the table. The calibration says so of each place.",
        ]
        if told.is_other_size:
            words.append("The picture has another size than before: calibrate anew.")
        return cls(**dict(StepOut.of(draft, told.problems)), words=words)


class LensOut(BaseModel):
    """The progress of the lens calibration."""

    views: int
    measured: bool
    say: str

    @classmethod
    def of(cls, told: LensTold) -> LensOut:
        """The JSON model of the progress."""
        return cls(views=told.views, measured=told.is_measured, say=told.say)


class DrawnAreaOut(BaseModel):
    """An area drawn in the picture."""

    id: str
    kind: str
    text: str
    outline: Outline

    @classmethod
    def of(cls, area: DrawnArea) -> DrawnAreaOut:
        """The JSON model of an area."""
        return cls(id=area.id, kind=area.kind, text=area.text, outline=list(area.outline_px))


class FitOut(BaseModel):
    """The result of a camera fit, with its accuracy."""

    draft: DraftOut
    residual_px: float
    errors_px: dict[str, float]
    left_out: dict[str, float]
    """Points that do not fit the others, and their errors in pixels."""
    lens: str
    boxes_mm: float
    wagers_mm: float
    cloth_mm: float
    add: str | None
    """The reference point that would improve the fit most."""
    cells: list[tuple[float, Outline]]
    """Cells of the cloth: the error in mm that 90 % of cases stay below, and the outline in the picture."""
    areas: list[DrawnAreaOut]
    places: dict[str, tuple[float, float]]
    """The expected position of each reference point in the picture."""
    problems: list[ProblemOut]

    @classmethod
    def of(cls, draft: NewTable, told: FitTold) -> FitOut:
        """The JSON model of a fit."""
        fit, quality = told.fit, told.quality
        return cls(
            draft=DraftOut.of(draft),
            residual_px=fit.calibration.residual_px or 0.0,
            errors_px=dict(fit.errors_px),
            left_out=dict(fit.left_out),
            lens=str(fit.lens),
            boxes_mm=quality.boxes_mm,
            wagers_mm=quality.wagers_mm,
            cloth_mm=quality.cloth_mm,
            add=quality.add,
            cells=[(one.off_mm, list(one.outline_px)) for one in told.cells],
            areas=[DrawnAreaOut.of(one) for one in told.areas],
            places=dict(told.places_px),
            problems=[ProblemOut.of(one) for one in told.problems],
        )


class TrialOut(BaseModel):
    """The result of a trial of the finished table."""

    fit: bool
    problems: list[ProblemOut]
    areas: list[DrawnAreaOut]
    words: list[str]

    @classmethod
    def of(cls, trial: Trial) -> TrialOut:
        """The JSON model of a trial."""
        words = [] if trial.look is None else [f"Looked for {trial.look.seconds:.1f} s through {trial.look.address}."]
        return cls(
            fit=trial.is_fit,
            problems=[ProblemOut.of(one) for one in trial.problems],
            areas=[DrawnAreaOut.of(one) for one in trial.areas],
            words=words,
        )
